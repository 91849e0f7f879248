//! Moments to which documents can be added, and from which they can be removed, exactly.
//!
//! The moments of Theorem 2.1 are sums over documents divided by sums over documents. So a new document does not
//! require the old ones: its counts are added, or subtracted when it is removed,
//!
//! ```text
//! M_j = ( sum_d w_j(c_d) tuples of d ) / ( sum_d v_j(c_d) )        j = 1, 2, 3
//! ```
//!
//! For that the weight of a document must be a function of its length alone, fixed beforehand: a [`LengthLaw`].
//! (The optimal weights depend on the whole corpus through one number, the probability that two words of a document
//! coincide; here that number is given.)
//!
//! # Cost
//! This module stores `M2` and `M3`, as `dense.rs` does, so it is for small vocabularies: at most [`MAX_WORDS`] words.
//! Adding a document of `m` different words costs `m^3`, whatever was added before; evaluating the moments costs
//! `n^3 k`.
//!
//! # Rounding
//! Counts are whole numbers, but weights are not: adding and removing documents may leave rounding errors of a few
//! units in the last place of the largest intermediate sum. Start again from scratch when most of what was added
//! has been removed.

use std::ops::Range;

use super::weights::{pair_variance, triple_variance, tuples};
use super::{Basis, Cube, Moments, Rows, pack};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot};

/// The largest vocabulary: `M3` then takes 128 MiB.
pub const MAX_WORDS: usize = 256;

/// How much a document counts, by its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LengthLaw {
    /// By the number of pairs and triples: Theorem 2.1.
    Paper,
    /// All documents equally: Zou et al.
    Zou,
    /// Smallest variance, given the probability that two words of a document coincide, `trace(M2)`.
    Optimal {
        /// That probability.
        coincidence: f64,
    },
}

impl LengthLaw {
    /// `v(c)`: the weight of a document of `c` words in the moment of this order.
    fn weight(self, c: f64, order: usize) -> f64 {
        match (self, order) {
            (LengthLaw::Zou, _) => 1.0,
            (LengthLaw::Optimal { coincidence }, 2) => 1.0 / pair_variance(coincidence, c),
            (LengthLaw::Optimal { coincidence }, 3) => 1.0 / triple_variance(coincidence, c),
            _ => tuples(c, order),
        }
    }
}

/// Sums over documents, to which documents can be added and from which they can be removed.
///
/// Features are the words of the vocabulary in its order, those that never occur included.
#[derive(Clone, Debug)]
pub struct IncrementalMoments {
    law: LengthLaw,
    n_words: usize,
    n_documents: usize,
    /// `sum_d v_j(c_d)` for the three orders.
    totals: [f64; 3],
    /// Number of documents that have tuples of each order.
    usable: [usize; 3],
    first: Vec<f64>,
    second: Matrix,
    /// Slice after slice, `n x n^2`: column `i n + h` is column `h` of slice `i`.
    third: Matrix,
}

impl IncrementalMoments {
    /// Empty sums.
    ///
    /// # Errors
    /// When there are more than [`MAX_WORDS`] words.
    pub fn new(n_words: usize, law: LengthLaw) -> Result<Self> {
        if n_words > MAX_WORDS {
            return Err(Error::Option {
                name: "the vocabulary of incremental moments",
                needed: format!("at most {MAX_WORDS} words"),
                found: n_words.to_string(),
            });
        }
        Ok(Self {
            law,
            n_words,
            n_documents: 0,
            totals: [0.0; 3],
            usable: [0; 3],
            first: vec![0.0; n_words],
            second: Matrix::zeros(n_words, n_words),
            third: Matrix::zeros(n_words, n_words * n_words),
        })
    }

    /// Number of documents in the sums.
    pub fn n_documents(&self) -> usize {
        self.n_documents
    }

    /// Adds a document: words with their counts, each word once.
    ///
    /// # Errors
    /// When a word is not in the vocabulary or comes twice; nothing is added then.
    pub fn add(&mut self, words: impl IntoIterator<Item = (u32, u32)>) -> Result<()> {
        let words = self.checked(words)?;
        self.update(&words, 1.0);
        self.n_documents += 1;
        Ok(())
    }

    /// Removes a document that was added before.
    ///
    /// # Errors
    /// As [`add`](Self::add), or when there is none left; nothing is taken away then.
    pub fn remove(&mut self, words: impl IntoIterator<Item = (u32, u32)>) -> Result<()> {
        let words = self.checked(words)?;
        if self.n_documents == 0 {
            let reason = "cannot be taken away: none is left".to_owned();
            return Err(Error::Document { document: 0, reason });
        }
        self.update(&words, -1.0);
        self.n_documents -= 1;
        Ok(())
    }

    /// The moments of the documents in the sums.
    ///
    /// # Errors
    /// When none of them has two or three words.
    pub fn estimate(&self) -> Result<Estimate<'_>> {
        match self.usable {
            [_, 0, _] => Err(Error::NoPairs),
            [_, _, 0] => Err(Error::NoTriples),
            _ => {
                let first = self.first.iter().map(|value| value / self.totals[0]).collect();
                Ok(Estimate { sums: self, first })
            }
        }
    }

    fn checked(&self, words: impl IntoIterator<Item = (u32, u32)>) -> Result<Vec<(usize, f64)>> {
        let mut words: Vec<(usize, f64)> = words
            .into_iter()
            .filter(|&(_, x)| x > 0)
            .map(|(word, x)| (word as usize, f64::from(x)))
            .collect();
        words.sort_by_key(|&(word, _)| word);
        let wrong = |reason| Err(Error::Document { document: self.n_documents, reason });
        if let Some(pair) = words.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return wrong(format!("word {} is listed twice", pair[0].0));
        }
        match words.last() {
            Some(&(word, _)) if word >= self.n_words => {
                wrong(format!("word {word} of a vocabulary of {} (from 0)", self.n_words))
            }
            _ => Ok(words),
        }
    }

    fn update(&mut self, words: &[(usize, f64)], sign: f64) {
        let c: f64 = words.iter().map(|w| w.1).sum();
        let mut per_tuple = [0.0; 3];
        for (at, value) in per_tuple.iter_mut().enumerate() {
            let order = at + 1;
            if c >= order as f64 {
                let weight = self.law.weight(c, order);
                self.totals[at] += sign * weight;
                self.usable[at] = if sign > 0.0 {
                    self.usable[at] + 1
                } else {
                    self.usable[at].saturating_sub(1)
                };
                *value = sign * weight / tuples(c, order);
            }
        }
        for &(i, x) in words {
            self.first[i] += per_tuple[0] * x;
            for &(h, y) in words {
                // No token may be used twice.
                let pair = x * (y - same(i, h));
                self.second[(h, i)] += per_tuple[1] * pair;
                if per_tuple[2] != 0.0 && pair != 0.0 {
                    let column = self.third.column_mut(i * self.n_words + h);
                    for &(l, z) in words {
                        column[l] += per_tuple[2] * pair * (z - same(i, l) - same(h, l));
                    }
                }
            }
        }
    }
}

fn same(a: usize, b: usize) -> f64 {
    f64::from(u8::from(a == b))
}

/// The moments of the documents that are in the sums now.
pub struct Estimate<'a> {
    sums: &'a IncrementalMoments,
    first: Vec<f64>,
}

impl Estimate<'_> {
    /// `M3_i basis`. For a handful of columns, sums of products are faster than a general matrix product.
    fn image(&self, i: usize, basis: &Matrix) -> Matrix {
        let n = self.sums.n_words;
        let mut image = Matrix::zeros(n, basis.n_columns());
        for h in 0..n {
            let column = self.sums.third.column(i * n + h);
            for a in 0..basis.n_columns() {
                image[(h, a)] = dot(column, basis.column(a)) / self.sums.totals[2];
            }
        }
        image
    }

    /// `basis' M3_i basis`, packed.
    fn projected(&self, i: usize, basis: &Matrix) -> Vec<f64> {
        let image = self.image(i, basis);
        pack(basis.n_columns(), |a, b| dot(image.column(a), basis.column(b)))
    }

    fn kept(&self, basis: &Basis, features: Range<usize>) -> Matrix {
        let w = basis.unmixing();
        rows(features.map(|i| self.projected(i, w)).collect())
    }
}

impl Moments for Estimate<'_> {
    fn n_features(&self) -> usize {
        self.sums.n_words
    }

    fn first(&self) -> &[f64] {
        &self.first
    }

    fn second_times(&self, block: &Matrix) -> Matrix {
        let mut product = self.sums.second.times(block);
        product.scale_columns(&vec![1.0 / self.sums.totals[1]; block.n_columns()]);
        product
    }

    fn third_whitened(&self, basis: &Basis) -> Cube {
        Cube::of_slices(basis, &self.kept(basis, 0..self.sums.n_words))
    }

    fn third_slices(&self, basis: &Basis, rows: Rows, features: Range<usize>) -> Matrix {
        match rows {
            Rows::Kept => self.kept(basis, features),
            Rows::Removed => {
                let less = |i: usize| {
                    let mut factor = basis.factor().clone();
                    (0..factor.n_columns()).for_each(|a| factor[(i, a)] = 0.0);
                    self.projected(i, &factor)
                };
                let projections = self::rows(features.clone().map(less).collect());
                basis.unproject(features.clone(), projections, || self.kept(basis, features))
            }
        }
    }

    fn third_diagonals(&self, basis: &Basis, rotation: &Matrix) -> Matrix {
        let basis = basis.unmixing().times(rotation);
        let diagonal = |i: usize| {
            let image = self.image(i, &basis);
            (0..basis.n_columns()).map(|j| dot(basis.column(j), image.column(j))).collect()
        };
        rows((0..self.sums.n_words).map(diagonal).collect())
    }
}

/// A matrix from its rows.
fn rows(rows: Vec<Vec<f64>>) -> Matrix {
    let width = rows.first().map_or(0, Vec::len);
    Matrix::from_fn(rows.len(), width, |i, j| rows[i][j])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Corpus;
    use crate::moments::{Counting, DocumentWeights, SingleTopicMoments};
    use crate::synthetic::{Lengths, SingleTopicSource};
    use crate::whitening::{Scaling, Whitening};

    const N: usize = 12;

    fn corpus(documents: usize) -> Corpus {
        SingleTopicSource::uniform(N, 3, 4).draw(documents, &Lengths::Uniform(0..=20), 6).0
    }

    fn added(corpus: &Corpus, law: LengthLaw) -> IncrementalMoments {
        let mut sums = IncrementalMoments::new(N, law).unwrap();
        for d in 0..corpus.n_documents() {
            sums.add(corpus.document(d).words()).unwrap();
        }
        sums
    }

    fn assert_close(a: &Matrix, b: &Matrix) {
        let scale = b.values().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let pairs = a.values().iter().zip(b.values());
        let off = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(off <= 1e-12 * scale, "{off} of {scale}");
    }

    /// Every operator of the sums against that of the batch, words taken to features.
    fn assert_same(sums: &IncrementalMoments, corpus: &Corpus, law: &DocumentWeights) {
        let batch = SingleTopicMoments::estimate(corpus, law, Counting::Raw).unwrap();
        assert_eq!(corpus.n_present(), N, "every word occurs");
        let estimate = sums.estimate().unwrap();
        let word = |feature: usize| corpus.word_of_feature()[feature] as usize;
        let to_features =
            |matrix: &Matrix| Matrix::from_fn(N, matrix.n_columns(), |i, j| matrix[(word(i), j)]);
        let to_words = Matrix::from_fn(N, N, |i, j| same(i, word(j)));
        let second = to_features(&estimate.second_times(&to_words));
        assert_close(&second, &batch.second_times(&Matrix::identity(N)));
        let column = |values: &[f64]| Matrix::from_columns(N, 1, values.to_vec());
        assert_close(&to_features(&column(estimate.first())), &column(batch.first()));
        // The same whitening for both, so that only the third moments are compared.
        let whitening = Whitening::fit(&estimate, 3, Scaling::Plain).unwrap();
        let turned = whitening.renamed(&(0..N).map(word).collect::<Vec<usize>>());
        let cube = |c: &Cube| {
            Matrix::from_columns(9, 3, (0..3).flat_map(|a| c.slice(a).to_vec()).collect())
        };
        let found = cube(&estimate.third_whitened(whitening.basis()));
        assert_close(&found, &cube(&batch.third_whitened(turned.basis())));
        for kind in [Rows::Kept, Rows::Removed] {
            let found = to_features(&estimate.third_slices(whitening.basis(), kind, 0..N));
            assert_close(&found, &batch.third_slices(turned.basis(), kind, 0..N));
        }
        let rotation = Matrix::identity(3);
        let found = to_features(&estimate.third_diagonals(whitening.basis(), &rotation));
        assert_close(&found, &batch.third_diagonals(turned.basis(), &rotation));
    }

    #[test]
    fn adding_documents_one_by_one_gives_the_moments_of_the_batch() {
        let corpus = corpus(60);
        let batch = SingleTopicMoments::estimate(&corpus, &DocumentWeights::Paper, Counting::Raw);
        let coincidence = batch.unwrap().pair_trace();
        for (law, of_corpus) in [
            (LengthLaw::Paper, DocumentWeights::Paper),
            (LengthLaw::Zou, DocumentWeights::Zou),
            (LengthLaw::Optimal { coincidence }, DocumentWeights::Optimal),
        ] {
            assert_same(&added(&corpus, law), &corpus, &of_corpus);
        }
    }

    #[test]
    fn taking_documents_away_gives_the_moments_of_those_that_are_left() {
        let all = corpus(90);
        let kept: Vec<usize> = (0..90).filter(|d| d % 3 != 1).collect();
        for (law, of_corpus) in
            [(LengthLaw::Paper, DocumentWeights::Paper), (LengthLaw::Zou, DocumentWeights::Zou)]
        {
            let mut sums = added(&all, law);
            for d in (0..90).filter(|d| d % 3 == 1) {
                sums.remove(all.document(d).words()).unwrap();
            }
            assert_eq!(sums.n_documents(), kept.len());
            assert_same(&sums, &all.subset(&kept), &of_corpus);
        }
    }

    #[test]
    fn what_cannot_be_added_or_asked_is_refused_and_changes_nothing() {
        assert!(IncrementalMoments::new(MAX_WORDS + 1, LengthLaw::Paper).is_err());
        let mut sums = IncrementalMoments::new(3, LengthLaw::Paper).unwrap();
        assert!(sums.remove([(0, 1)]).is_err());
        assert!(matches!(sums.estimate(), Err(Error::NoPairs)));
        assert!(sums.add([(0, 1), (3, 1)]).is_err());
        assert!(sums.add([(1, 1), (1, 2)]).is_err());
        assert_eq!(sums.n_documents(), 0);
        sums.add([(0, 1), (2, 1)]).unwrap();
        assert!(matches!(sums.estimate(), Err(Error::NoTriples)));
        sums.add([(0, 1), (2, 2)]).unwrap();
        assert!(sums.estimate().is_ok());
    }
}
