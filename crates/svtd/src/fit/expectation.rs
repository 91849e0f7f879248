//! The E step of the single-topic model: posteriors of documents, and sums over them.
//!
//! ```text
//! L = X log M + log Omega,   P by row-wise log-sum-exp
//! ```
//!
//! Documents that are elsewhere answer with their sums.

use rayon::prelude::*;

use crate::corpus::{Corpus, SparseCounts};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::logarithm::take_logarithms;
use crate::moments::Counting;
use crate::moments::panels::Products;
use crate::questions::{Request, wrong_size};
use crate::stop;

/// A topic whose score is this far below a document's best one gets none of it: `exp(-50)` is lost in the rounding of
/// the sum over topics, and zeros need no work (`benches/record/builds.md`).
const NEGLIGIBLE: f64 = -50.0;

/// The E step: sums over the documents under some topics.
pub(crate) struct Expected {
    pub log_likelihood: f64,
    /// Expected number of documents of each topic: the sum of the posteriors.
    pub topics: Vec<f64>,
    kept: Kept,
}

/// The result of an E step from which the M step computes new topics.
enum Kept {
    /// The posterior of documents that are here, documents x topics.
    Posterior(Matrix),
    /// `X'P` (words x topics), the sums that documents elsewhere answer with.
    Words(Matrix),
}

impl Expected {
    /// The E step, given the logarithms of the topics.
    pub(crate) fn ask(corpus: &Corpus, logarithms: &Matrix, topic_weights: &[f64]) -> Self {
        let request = || Request::Expectation(logarithms.clone(), topic_weights.to_vec());
        match corpus.asked_or_fail(request) {
            Some(answer) => {
                Self::from_table(&answer.sums, logarithms.n_rows(), topic_weights.len())
                    .unwrap_or_else(|error| stop::fail(error))
            }
            None => Self::of(corpus, logarithms, topic_weights),
        }
    }

    /// The E step for documents that are here.
    pub(crate) fn of(corpus: &Corpus, logarithms: &Matrix, topic_weights: &[f64]) -> Self {
        let mut posterior = products(corpus).forward(logarithms);
        let likelihoods = to_posterior(&mut posterior, topic_weights);
        let [log_likelihood] = corpus.rows().sum_rows(|d| [likelihoods[d]]);
        let topics = documents_of(corpus.rows(), &posterior);
        Self { log_likelihood, topics, kept: Kept::Posterior(posterior) }
    }

    /// `X'P`, from which the M step computes new topics.
    pub(crate) fn words(&self, corpus: &Corpus) -> Matrix {
        match &self.kept {
            Kept::Posterior(posterior) => products(corpus).backward(posterior, None),
            Kept::Words(words) => words.clone(),
        }
    }

    /// The posterior of documents that are here, documents x topics.
    pub(super) fn posterior(&self) -> Option<&Matrix> {
        match &self.kept {
            Kept::Posterior(posterior) => Some(posterior),
            Kept::Words(_) => None,
        }
    }

    /// The posterior matrix, without a copy.
    pub(crate) fn into_posterior(self) -> Option<Matrix> {
        match self.kept {
            Kept::Posterior(posterior) => Some(posterior),
            Kept::Words(_) => None,
        }
    }

    /// The log-likelihood, the topics, then the words: the answer of the holders of documents.
    pub(crate) fn into_table(self, corpus: &Corpus) -> Vec<f64> {
        let mut table = vec![self.log_likelihood];
        table.extend(&self.topics);
        table.extend(self.words(corpus).values());
        table
    }

    fn from_table(table: &[f64], n: usize, k: usize) -> Result<Self> {
        if table.len() != 1 + k + n * k {
            return Err(wrong_size(table.len(), 1 + k + n * k));
        }
        let (topics, words) = table[1..].split_at(k);
        let kept = Kept::Words(Matrix::from_columns(n, k, words.to_vec()));
        Ok(Self { log_likelihood: table[0], topics: topics.to_vec(), kept })
    }
}

fn products(corpus: &Corpus) -> Products<'_> {
    Products::new(corpus.rows(), corpus.n_present(), Counting::Raw)
}

/// The number of documents of each topic.
pub(crate) fn documents_of(rows: &SparseCounts, posterior: &Matrix) -> Vec<f64> {
    let sum = |j: usize| {
        let column = posterior.column(j);
        let [sum] = rows.sum_rows(|d| [column[d]]);
        sum
    };
    (0..posterior.n_columns()).into_par_iter().map(sum).collect()
}

/// Turns `X log M` into posteriors in place and returns the log-likelihood of every document.
pub(crate) fn to_posterior(scores: &mut Matrix, topic_weights: &[f64]) -> Vec<f64> {
    let n = scores.n_rows();
    let log_weights: Vec<f64> = topic_weights.iter().map(|w| w.ln()).collect();
    for (column, log_weight) in scores.values_mut().chunks_exact_mut(n.max(1)).zip(&log_weights) {
        column.iter_mut().for_each(|value| *value += log_weight);
    }
    let largest = by_document(scores, f64::NEG_INFINITY, f64::max);
    scores.values_mut().par_chunks_exact_mut(n.max(1)).for_each(|column| {
        for (value, top) in column.iter_mut().zip(&largest) {
            let below = *value - top;
            *value = if below < NEGLIGIBLE { 0.0 } else { below.exp() };
        }
    });
    let totals = by_document(scores, 0.0, |a, b| a + b);
    scores.values_mut().par_chunks_exact_mut(n.max(1)).for_each(|column| {
        for (value, total) in column.iter_mut().zip(&totals) {
            *value /= total;
        }
    });
    largest.iter().zip(&totals).map(|(top, total)| top + total.ln()).collect()
}

/// Folds each document's row over the topics, in the order of the topics.
pub(crate) fn by_document(
    matrix: &Matrix,
    start: f64,
    fold: impl Fn(f64, f64) -> f64 + Sync,
) -> Vec<f64> {
    const ROWS: usize = 8192;
    let mut result = vec![start; matrix.n_rows()];
    result.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, target)| {
        let first = chunk * ROWS;
        for j in 0..matrix.n_columns() {
            let column = &matrix.column(j)[first..first + target.len()];
            for (value, &more) in target.iter_mut().zip(column) {
                *value = fold(*value, more);
            }
        }
    });
    result
}

/// Topic weights `(N_j + 1) / (N + k)`, given the number of documents `N_j` of each topic.
pub(super) fn weights_of(documents: &[f64]) -> Vec<f64> {
    let total: f64 = documents.iter().map(|n| n + 1.0).sum();
    documents.iter().map(|n| (n + 1.0) / total).collect()
}

/// The logarithms of topics.
pub(crate) fn logarithms_of(word_topic: &Matrix) -> Matrix {
    let mut logarithms = word_topic.clone();
    take_logarithms(logarithms.values_mut());
    logarithms
}
