//! How posteriors respond to a change of the topics: sums over the documents in doubt.
//!
//! A change of the documents' log-scores is `l_d = x_d'T + a - c_d b` for a table `T` of words x topics and two
//! numbers for each topic ([`Scores`]): that is all an M step can do to it. Posteriors follow by `Gamma l`,
//! and what the M step makes of that is `X'Gamma l`, `sum_d Gamma l` and `sum_d c_d Gamma l` ([`Followed`]): sums over
//! documents, so nobody need hold a vector of them. Products of such vectors are products of the tables.

use rayon::prelude::*;

use crate::corpus::{Corpus, SparseCounts};
use crate::fit::expectation;
use crate::linalg::{Matrix, dot};
use crate::moments::Counting;
use crate::moments::panels::Products;
use crate::moments::table::sums;
use crate::questions::{FeedbackRequest, Request, Scores, wrong_size};
use crate::stop;

/// A document is in doubt when its likeliest topic leaves more than this probability to the others.
const IN_DOUBT: f64 = 1e-3;

impl Scores {
    /// `self += factor other`.
    pub(super) fn add(&mut self, factor: f64, other: &Scores) {
        self.words.add(factor, &other.words);
        let pairs = self.constants.iter_mut().chain(&mut self.per_word);
        let others = other.constants.iter().chain(&other.per_word);
        pairs.zip(others).for_each(|(own, more)| *own += factor * more);
    }

    /// `l'Gamma l'` for scores whose response is known.
    pub(super) fn product(&self, followed: &Followed) -> f64 {
        dot(self.words.values(), followed.words.values())
            + dot(&self.constants, &followed.documents)
            - dot(&self.per_word, &followed.tokens)
    }
}

/// The response of the documents in doubt to a change of log-scores.
#[derive(Clone)]
pub(crate) struct Followed {
    /// `X'Gamma l`.
    pub words: Matrix,
    /// `sum_d Gamma l`.
    pub documents: Vec<f64>,
    /// `sum_d c_d Gamma l`.
    pub tokens: Vec<f64>,
    /// Number of stored counts of the documents in doubt.
    pub n_nonzeros: f64,
}

impl Followed {
    fn size(n: usize, k: usize) -> usize {
        n * k + 2 * k + 1
    }

    fn from_sums(sums: &[f64], n: usize, k: usize) -> Self {
        if sums.len() != Self::size(n, k) {
            stop::fail(wrong_size(sums.len(), Self::size(n, k)));
        }
        let (words, rest) = sums.split_at(n * k);
        Self {
            words: Matrix::from_columns(n, k, words.to_vec()),
            documents: rest[..k].to_vec(),
            tokens: rest[k..2 * k].to_vec(),
            n_nonzeros: rest[2 * k],
        }
    }

    /// `self = other + factor self`.
    pub(super) fn follow(&mut self, other: &Followed, factor: f64) {
        let scaled = |own: &mut [f64], other: &[f64]| {
            own.iter_mut().zip(other).for_each(|(own, other)| *own = other + factor * *own);
        };
        scaled(self.words.values_mut(), other.words.values());
        scaled(&mut self.documents, &other.documents);
        scaled(&mut self.tokens, &other.tokens);
    }
}

impl FeedbackRequest {
    /// Whether the tables have consistent sizes for this many features.
    pub(crate) fn fits(&self, n: usize) -> bool {
        let k = self.weights.len();
        let table = |m: &Matrix| (m.n_rows(), m.n_columns()) == (n, k);
        let Scores { words, constants, per_word } = &self.scores;
        table(&self.logarithms) && table(words) && [constants.len(), per_word.len()] == [k; 2]
    }

    /// The answer of documents that are here; zeros for fewer than `least` documents.
    pub(crate) fn sums(&self, corpus: &Corpus, least: usize) -> Vec<f64> {
        let posterior = posterior_of(corpus, &self.logarithms, &self.weights);
        let in_doubt = InDoubt::of(corpus, &posterior);
        match in_doubt.n_documents() >= least {
            true => in_doubt.sums(&self.scores, self.clamped),
            false => vec![0.0; Followed::size(corpus.n_present(), self.weights.len())],
        }
    }
}

/// The documents that are in doubt about their topic, here or elsewhere.
pub(super) struct Doubters<'a> {
    corpus: &'a Corpus,
    logarithms: Matrix,
    weights: Vec<f64>,
    here: Option<InDoubt>,
}

impl<'a> Doubters<'a> {
    /// Under topics of these logarithms and weights; of documents that are here, the posterior is known.
    pub fn new(
        corpus: &'a Corpus,
        (logarithms, weights): (Matrix, Vec<f64>),
        posterior: Option<&Matrix>,
    ) -> Self {
        let here = posterior.map(|posterior| InDoubt::of(corpus, posterior));
        Self { corpus, logarithms, weights, here }
    }

    /// The response to a change of their log-scores.
    pub fn follow(&self, scores: &Scores, clamped: bool) -> Followed {
        let (n, k) = (scores.words.n_rows(), scores.words.n_columns());
        let sums = match &self.here {
            Some(here) => here.sums(scores, clamped),
            None => {
                let request = || {
                    Request::Feedback(FeedbackRequest {
                        logarithms: self.logarithms.clone(),
                        weights: self.weights.clone(),
                        scores: scores.clone(),
                        clamped,
                    })
                };
                self.corpus.asked_or_fail(request).unwrap_or_default().sums
            }
        };
        Followed::from_sums(&sums, n, k)
    }
}

/// The documents in doubt that are here.
struct InDoubt {
    rows: SparseCounts,
    n_features: usize,
    lengths: Vec<f64>,
    posterior: Matrix,
}

impl InDoubt {
    fn of(corpus: &Corpus, posterior: &Matrix) -> Self {
        let likeliest = expectation::by_document(posterior, 0.0, f64::max);
        let in_doubt = |&d: &usize| 1.0 - likeliest[d] > IN_DOUBT && corpus.lengths()[d] > 0;
        let documents: Vec<usize> = (0..corpus.n_documents()).filter(in_doubt).collect();
        Self {
            rows: corpus.rows().picked(&documents, corpus),
            n_features: corpus.n_present(),
            lengths: documents.iter().map(|&d| corpus.lengths()[d] as f64).collect(),
            posterior: posterior.select_rows(&documents),
        }
    }

    fn n_documents(&self) -> usize {
        self.lengths.len()
    }

    fn sums(&self, scores: &Scores, clamped: bool) -> Vec<f64> {
        let products = Products::new(&self.rows, self.n_features, Counting::Raw);
        let mut moved = self.moved(products.forward(&scores.words), scores);
        if clamped {
            let pairs = moved.values_mut().iter_mut().zip(self.posterior.values());
            // Not `clamp`, which panics if a posterior is NaN.
            pairs.for_each(|(change, p)| *change = change.max(-p).min(1.0 - p));
        }
        let mut answer = products.backward(&moved, None).values().to_vec();
        let k = moved.n_columns();
        answer.extend(sums(&self.rows, 2 * k, |range, sums| {
            for j in 0..k {
                let own = &moved.column(j)[range.clone()];
                sums[j] = own.iter().sum();
                sums[k + j] = dot(own, &self.lengths[range.clone()]);
            }
        }));
        answer.push(self.rows.n_nonzeros() as f64);
        answer
    }

    /// `Gamma l`: how posteriors follow a change of log-scores, of which `image` is `X T`.
    fn moved(&self, image: Matrix, scores: &Scores) -> Matrix {
        let n = image.n_rows().max(1);
        let mut moved = image;
        moved.values_mut().par_chunks_exact_mut(n).enumerate().for_each(|(j, column)| {
            let (constant, per_word) = (scores.constants[j], scores.per_word[j]);
            column.iter_mut().zip(&self.lengths).for_each(|(value, c)| {
                *value += constant - c * per_word;
            });
        });
        let mut means = vec![0.0; moved.n_rows()];
        for j in 0..moved.n_columns() {
            let pairs = self.posterior.column(j).iter().zip(moved.column(j));
            means.iter_mut().zip(pairs).for_each(|(mean, (p, l))| *mean += p * l);
        }
        let columns = moved.values_mut().par_chunks_exact_mut(n);
        columns.zip(self.posterior.values().par_chunks_exact(n)).for_each(|(column, p)| {
            for ((value, mean), p) in column.iter_mut().zip(&means).zip(p) {
                *value = p * (*value - mean);
            }
        });
        moved
    }
}

/// The posterior of documents that are here, documents x topics.
pub(super) fn posterior_of(corpus: &Corpus, logarithms: &Matrix, weights: &[f64]) -> Matrix {
    let products = Products::new(corpus.rows(), corpus.n_present(), Counting::Raw);
    let mut posterior = products.forward(logarithms);
    expectation::to_posterior(&mut posterior, weights);
    posterior
}
