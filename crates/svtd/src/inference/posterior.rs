//! Which topic a document is about: Bayes' rule in log space (Remark 2.1).
//!
//! ```text
//! P(Y = j | x) proportional to omega_j prod_i mu_ij^x_i
//! ```
//!
//! # Zeros
//! An estimate that was clipped and not polished has words that are impossible under a topic. One
//! such word would veto the topic whatever the rest of the document says, and a document can have
//! all its topics vetoed. So an impossible word counts as if it had probability [`LEAST`].

use super::Words;
use crate::logarithm::take_logarithms;
use crate::model::Topics;

/// The probability that stands in for zero.
pub const LEAST: f64 = 1e-12;

/// Logarithms of a model's parameters.
pub struct LogTable {
    k: usize,
    rows: Vec<f64>,
    weights: Vec<f64>,
}

impl LogTable {
    /// Takes the logarithms of a model's topics.
    pub fn new(topics: &Topics) -> Self {
        Self::of_rows(topics, topics.word_topic().transpose().values().to_vec())
    }

    /// A table of some words only; each word is numbered by its position in `words`.
    pub(crate) fn of_words(topics: &Topics, words: &[u32]) -> Self {
        Self::of_rows(topics, super::rows_of(topics, words))
    }

    fn of_rows(topics: &Topics, mut rows: Vec<f64>) -> Self {
        rows.iter_mut().for_each(|m| *m = m.max(LEAST));
        take_logarithms(&mut rows);
        Self {
            k: topics.len(),
            rows,
            weights: topics.weights().iter().map(|w| w.max(LEAST).ln()).collect(),
        }
    }

    /// The posterior over topics: the topic weights when the document has no words.
    pub fn posterior(&self, document: &Words) -> Vec<f64> {
        let mut scores = self.weights.clone();
        for &(word, x) in document {
            let row = &self.rows[word as usize * self.k..][..self.k];
            for (score, m) in scores.iter_mut().zip(row) {
                *score += f64::from(x) * m;
            }
        }
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        scores.iter_mut().for_each(|s| *s = (*s - top).exp());
        let total: f64 = scores.iter().sum();
        scores.iter_mut().for_each(|s| *s /= total);
        scores
    }
}
