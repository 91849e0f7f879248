//! Shares of documents without a prior: word frequencies unmixed by the topics.
//!
//! The expected word frequencies of a document are `M theta`, whatever its length and whatever law its
//! mixture follows. So the mixture is estimated without bias by weighted least squares,
//!
//! ```text
//! theta_d = A x_d / c_d        A = (M' W M)^-1 M' W,  W = diag(1 / p),  p = M omega
//! ```
//!
//! with the word frequencies `p` of the model in `W`. Every estimate sums to one. That of a single
//! document is rough, and may be below zero or above one; the mean over a group is what is wanted, and its
//! standard error follows from how the documents of the group differ.
//!
//! # Why not the mixtures of inference
//! Those are drawn towards the prior of the whole corpus, the more so the shorter a document is. Their
//! mean over a year is drawn towards the mean of all years, and its band does not cover the year's
//! share: `benches/record/trends.md` has both.
//!
//! # Cost
//! One pass over the counts, `k` multiplications each.

use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, positive_inverse};
use crate::model::Topics;

/// What is added to the diagonal of `M' W M`, as a part of its mean: topics that are equal then share
/// what they have between them, and others do not notice.
const RIDGE: f64 = 1e-9;

/// The matrix `A`: from word frequencies to shares of topics.
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

    /// The estimate of every document (documents x topics). The corpus has the words of the model, in
    /// their order ([`Corpus::over`]); a document without words has zeros, and should be left out.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::trends::Shares;
    use crate::inference::{TopicTable, fixed_point};
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

    /// Corpora of some years with known shares, and how many of the 95 % bands cover them: those of
    /// the unmixed documents, and those of mixtures drawn to the prior.
    #[test]
    fn bands_cover_the_shares_of_years_in_95_of_100_cases() {
        let (years, k, per_year) = (6, 4, 60);
        let (mut covered, mut by_prior, mut n) = (0, 0, 0);
        for seed in 0..40 {
            let mut source = LdaSource::zipf(60, k, 2.0, 30.0, 1.0, seed);
            let table = TopicTable::new(&topics(&source), &source.alpha);
            let unmixing = Unmixing::new(&topics(&source)).unwrap();
            for year in 0..years {
                // From one topic to the next over the years.
                let at = year as f64 / years as f64 * (k - 1) as f64;
                let near = |j: usize| (1.0 - (at - j as f64).abs()).max(0.0);
                let truth: Vec<f64> = (0..k).map(|j| 0.8 * near(j) + 0.05).collect();
                source.alpha = truth.clone();
                let drawn = 1000 * seed + year;
                let (corpus, _) = source.draw(per_year, &Lengths::Uniform(10..=40), drawn);
                let groups = vec![Some(0); per_year];
                let unmixed = Shares::by_group(&unmixing.shares(&corpus), &groups, 1);
                let mixture = |d| {
                    let mut words: Vec<(u32, u32)> = corpus.document(d).words().collect();
                    words.sort_unstable();
                    fixed_point::mixture(&table, &words)
                };
                let mixtures: Vec<Vec<f64>> = (0..per_year).map(mixture).collect();
                let inferred = Matrix::from_fn(per_year, k, |d, j| mixtures[d][j]);
                let inferred = Shares::by_group(&inferred, &groups, 1);
                for (j, &share) in truth.iter().enumerate() {
                    let inside = |shares: &Shares| {
                        shares.interval(0, j).is_some_and(|[a, b]| (a..=b).contains(&share))
                    };
                    covered += usize::from(inside(&unmixed));
                    by_prior += usize::from(inside(&inferred));
                    n += 1;
                }
            }
        }
        let rate = covered as f64 / n as f64;
        assert!((0.92..=0.98).contains(&rate), "{rate}");
        let rate = by_prior as f64 / n as f64;
        assert!(rate < 0.85, "the prior does no harm here, so the test tells nothing: {rate}");
    }
}
