//! Topic shares of documents without a prior: word frequencies unmixed by least squares.
//!
//! The expected word frequencies of a document are `M theta`, whatever its length and whatever the distribution of
//! mixtures. So weighted least squares estimates the mixture without bias,
//!
//! ```text
//! theta_d = A x_d / c_d        A = (M' W M)^-1 M' W,  W = diag(1 / p),  p = M omega
//! ```
//!
//! with the word frequencies `p` of the model in `W`. Every estimate sums to one. The estimate of a single document
//! is rough, and may be below zero or above one. What is wanted is the mean over a group; its standard error
//! follows from the differences between the documents of the group.
//!
//! # Why not the mixtures of inference
//! Those are shrunk towards the prior of the whole corpus, the more so the shorter a document is. Their mean over a
//! year is shrunk towards the mean of all years, and its interval does not cover the year's share:
//! `benches/record/trends.md` compares both.
//!
//! # Cost
//! One pass over the counts, `k` multiplications each.

use rayon::prelude::*;

use super::Shares;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, positive_inverse};
use crate::model::Topics;

/// Ridge added to the diagonal of `M' W M`, relative to its mean: topics that are equal then share their weight,
/// and others hardly change.
const RIDGE: f64 = 1e-9;

/// The matrix `A`, which turns word frequencies into topic shares.
#[derive(Debug, Clone)]
pub struct Unmixing {
    k: usize,
    /// `A` column by column: `k` numbers for each word.
    by_word: Vec<f64>,
}

impl Unmixing {
    /// Prepares `A` for the topics of a model.
    ///
    /// # Errors
    /// When the topics hold numbers that are not finite.
    pub fn new(topics: &Topics) -> Result<Self> {
        let (m, k) = (topics.word_topic(), topics.len());
        let total: f64 = topics.weights().iter().sum();
        let mut weighted = m.clone();
        let frequency =
            |i: usize| -> f64 { (0..k).map(|j| topics.weights()[j] / total * m[(i, j)]).sum() };
        let inverse_or_none = |p: f64| if p > 0.0 { 1.0 / p } else { 0.0 };
        let factors: Vec<f64> = (0..m.n_rows()).map(|i| inverse_or_none(frequency(i))).collect();
        weighted.scale_rows(&factors);
        let mut gram = m.transpose_times(&weighted);
        let trace: f64 = (0..k).map(|j| gram[(j, j)]).sum();
        (0..k).for_each(|j| gram[(j, j)] += RIDGE * trace / k as f64);
        let not_finite = || Error::NotFinite { what: "a topic".to_owned() };
        let inverse = positive_inverse(&gram).ok_or_else(not_finite)?;
        let a = inverse.times(&weighted.transpose());
        Ok(Self { k, by_word: a.values().to_vec() })
    }

    /// The estimate of every document (documents x topics). The corpus must have the words of the model in the same
    /// order ([`Corpus::over`]). A document without words has zeros, and should be left out.
    ///
    /// # Panics
    /// If the corpus has another number of words than the model.
    pub fn shares(&self, corpus: &Corpus) -> Matrix {
        assert_eq!(corpus.n_words() * self.k, self.by_word.len(), "the words of the model");
        let rows: Vec<Vec<f64>> = (0..corpus.n_documents())
            .into_par_iter()
            .with_min_len(256)
            .map(|d| {
                let document = corpus.document(d);
                let mut shares = vec![0.0; self.k];
                for (word, count) in document.words() {
                    let part = f64::from(count) / document.length() as f64;
                    let column = &self.by_word[word as usize * self.k..][..self.k];
                    shares.iter_mut().zip(column).for_each(|(share, a)| *share += part * a);
                }
                shares
            })
            .collect();
        Matrix::from_fn(rows.len(), self.k, |d, j| rows[d][j])
    }

    /// The sampling variance of one document's [estimate](Self::shares), which comes from its limited number of
    /// words, for each topic: the mean over the documents of two words or more,
    ///
    /// ```text
    /// ( sum_i (x_di / c_d) A_ji^2  -  theta_dj^2 ) / (c_d - 1)
    /// ```
    ///
    /// # Panics
    /// If the estimates are not those of the corpus.
    pub fn noise(&self, corpus: &Corpus, estimates: &Matrix) -> Vec<f64> {
        assert_eq!(corpus.n_documents(), estimates.n_rows(), "an estimate for each document");
        let mut sums = vec![0.0; self.k];
        let mut n = 0.0_f64;
        for d in (0..corpus.n_documents()).filter(|&d| corpus.document(d).length() > 1) {
            let (document, mut squares) = (corpus.document(d), vec![0.0; self.k]);
            for (word, count) in document.words() {
                let part = f64::from(count) / document.length() as f64;
                let column = &self.by_word[word as usize * self.k..][..self.k];
                squares.iter_mut().zip(column).for_each(|(sum, a)| *sum += part * a * a);
            }
            let rest = document.length() as f64 - 1.0;
            for (j, sum) in sums.iter_mut().enumerate() {
                *sum += (squares[j] - estimates[(d, j)].powi(2)) / rest;
            }
            n += 1.0;
        }
        sums.iter().map(|sum| (sum / n.max(1.0)).max(0.0)).collect()
    }
}

/// The topic shares of every document of a corpus, with the sampling variance that intervals over groups need.
#[derive(Debug, Clone)]
pub struct DocumentShares {
    estimates: Matrix,
    noise: Vec<f64>,
    has_words: Vec<bool>,
}

impl DocumentShares {
    /// Unmixes every document. The corpus must have the words of the model in the same order ([`Corpus::over`]).
    ///
    /// # Errors
    /// When the topics hold numbers that are not finite.
    ///
    /// # Panics
    /// If the corpus has another number of words than the model.
    pub fn of(topics: &Topics, corpus: &Corpus) -> Result<Self> {
        let unmixing = Unmixing::new(topics)?;
        let estimates = unmixing.shares(corpus);
        let noise = unmixing.noise(corpus, &estimates);
        let has_words =
            (0..corpus.n_documents()).map(|d| corpus.document(d).length() > 0).collect();
        Ok(Self { estimates, noise, has_words })
    }

    /// Whether the document has a word that the model knows; otherwise it has no shares and is in no group.
    pub fn has_words(&self, document: usize) -> bool {
        self.has_words[document]
    }

    /// The mean share of each group, with intervals that also hold for small groups.
    ///
    /// # Panics
    /// If there are not as many groups as documents.
    pub fn by_group(&self, groups: &[Option<usize>], n_groups: usize) -> Shares {
        assert_eq!(groups.len(), self.has_words.len(), "a group, or none, for each document");
        let with_words = |d: usize| groups[d].filter(|_| self.has_words[d]);
        let groups: Vec<Option<usize>> = (0..groups.len()).map(with_words).collect();
        Shares::by_group(&self.estimates, &groups, n_groups).steadied(self.noise.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::{TopicTable, fixed_point};
    use crate::reading::Taken;
    use crate::synthetic::{LdaSource, Lengths};

    fn topics(source: &LdaSource) -> Topics {
        let vocabulary = crate::corpus::Vocabulary::numbered(source.word_topic.n_rows());
        let total: f64 = source.alpha.iter().sum();
        let weights = source.alpha.iter().map(|a| a / total).collect();
        Topics::new(vocabulary, source.word_topic.clone(), weights)
    }

    #[test]
    fn frequencies_that_are_mixed_from_topics_are_unmixed() {
        let source = LdaSource::zipf(40, 3, 2.0, 20.0, 1.0, 5);
        let unmixing = Unmixing::new(&topics(&source)).unwrap();
        // Counts in proportion to a mixture, large enough that rounding hardly matters.
        let mixture = [0.2, 0.7, 0.1];
        let mut builder = Corpus::builder(40);
        let mixed = |i: usize| (0..3).map(|j| mixture[j] * source.word_topic[(i, j)]).sum::<f64>();
        builder.push_document((0..40).map(|i| (i as u32, (1e9 * mixed(i)) as u32))).unwrap();
        builder.push_document([(0, 1)]).unwrap();
        let shares = unmixing.shares(&builder.build().unwrap());
        for (j, expected) in mixture.iter().enumerate() {
            assert!((shares[(0, j)] - expected).abs() < 1e-6, "{shares:?}");
        }
        let sum: f64 = (0..3).map(|j| shares[(1, j)]).sum();
        assert!((sum - 1.0).abs() < 1e-7, "{sum}");
    }

    /// Corpora of some years with known shares, and which part of the 95 % bands covers them: those of
    /// the unmixed documents, and those of mixtures drawn to the prior.
    fn coverage(per_year: usize, corpora: u64) -> [f64; 2] {
        let (years, k) = (6, 4);
        let (mut covered, mut n) = ([0.0; 2], 0.0);
        for seed in 0..corpora {
            let mut source = LdaSource::zipf(60, k, 2.0, 30.0, 1.0, seed);
            let table = TopicTable::new(&topics(&source), &source.alpha);
            let unmixing = Unmixing::new(&topics(&source)).unwrap();
            let mut corpora = Vec::new();
            let mut truth = Vec::new();
            for year in 0..years {
                // From one topic to the next over the years.
                let at = year as f64 / years as f64 * (k - 1) as f64;
                let near = |j: usize| (1.0 - (at - j as f64).abs()).max(0.0);
                source.alpha = (0..k).map(|j| 0.8 * near(j) + 0.05).collect();
                truth.push(source.alpha.clone());
                let (corpus, _) =
                    source.draw(per_year, &Lengths::Uniform(10..=40), 1000 * seed + year);
                corpora.push((String::new(), corpus));
            }
            let first = corpora.remove(0);
            let corpus = Corpus::merge(first, corpora, Taken::Refuse).unwrap().corpus;
            let groups: Vec<_> = (0..corpus.n_documents()).map(|d| Some(d / per_year)).collect();
            let estimates = unmixing.shares(&corpus);
            let noise = unmixing.noise(&corpus, &estimates);
            let mixture = |d| {
                let mut words: Vec<(u32, u32)> = corpus.document(d).words().collect();
                words.sort_unstable();
                fixed_point::mixture(&table, &words)
            };
            let mixtures: Vec<Vec<f64>> = (0..corpus.n_documents()).map(mixture).collect();
            let inferred = Matrix::from_fn(mixtures.len(), k, |d, j| mixtures[d][j]);
            let by_group = |shares: &Matrix| Shares::by_group(shares, &groups, years as usize);
            let both = [by_group(&estimates).steadied(noise), by_group(&inferred)];
            for (year, truth) in truth.iter().enumerate() {
                for (j, share) in truth.iter().enumerate() {
                    for (shares, covered) in both.iter().zip(&mut covered) {
                        let band = shares.interval(year, j).unwrap();
                        *covered += f64::from(u8::from((band[0]..=band[1]).contains(share)));
                    }
                    n += 1.0;
                }
            }
        }
        covered.map(|covered| covered / n)
    }

    #[test]
    fn bands_cover_the_shares_of_years_in_95_of_100_cases() {
        let [unmixed, inferred] = coverage(60, 40);
        assert!((0.92..=0.98).contains(&unmixed), "{unmixed}");
        assert!(inferred < 0.85, "the prior does no harm here, so this tells nothing: {inferred}");
    }

    #[test]
    fn bands_of_few_documents_cover_as_often() {
        for per_year in [4, 15] {
            let [unmixed, _] = coverage(per_year, 60);
            assert!((0.92..=0.985).contains(&unmixed), "{per_year} documents: {unmixed}");
        }
    }
}
