//! Small topics after EM: documents that belong to one only because of their own words leave it.
//!
//! Asked for more topics than there are, EM ends with some that hold one to three odd documents. Such a topic fits
//! the documents it was made of, and predicts no others. So when EM has converged, the documents of small topics are
//! compared with these once more, each with its own words left out:
//!
//! ```text
//! ln P_dj = ln (N_j - P_dj + 1) + sum_i x_di ln (S m_i + C_ij - P_dj x_di) - c_d ln (S + C_j - P_dj c_d)   j small
//! ln P_dj = ln (N_j + 1)        + sum_i x_di ln M_ij                                                        others
//! ```
//!
//! and what they leave goes to the other topics. A topic whose documents have something in common keeps them: the
//! words of the others speak for it.
//!
//! The likelihood is that of the finished model, with small topics as they would be without the document. The search
//! for a number of topics (`choosing/evidence`) integrates all topics out instead. To integrate out some and not the
//! others would favour the former for documents that repeat their words.
//!
//! # Cost
//! Nothing where no topic is small. Otherwise one more look at the documents of small topics, which are few.
//! Documents that are elsewhere must first find out which of them these are: a half pass over the counts.

use rayon::prelude::*;

use super::expectation::{Expected, to_posterior, weights_of};
use crate::corpus::{Corpus, SparseCounts};
use crate::linalg::Matrix;
use crate::moments::Counting;
use crate::moments::panels::Products;
use crate::moments::table::sums;
use crate::questions::{LeavingRequest, Request, wrong_size};
use crate::stop;

/// A topic with fewer documents than this may count as small (`benches/record/constants.md`).
const FEW: f64 = 30.0;

/// A small topic also has less than this part of an equal share of the documents. Without this rule
/// all topics would be small where many topics are asked of few documents
/// (`benches/record/constants.md`).
const OF_EVEN_SHARE: f64 = 0.25;

/// A document with a smaller share in a topic than this has no influence on the topic.
pub(crate) const NO_SHARE: f64 = 1e-4;

/// The count `all` of a word in a topic, less the `own` count of a document times its `share` in
/// the topic; at least the prior.
pub(crate) fn without(all: f64, share: f64, own: f64, prior: f64) -> f64 {
    (all - share * own).max(prior)
}

/// EM at convergence.
pub(super) struct Converged<'a> {
    pub logarithms: &'a Matrix,
    pub word_topic: &'a Matrix,
    pub topic_weights: &'a [f64],
    /// The E step under these topics.
    pub expected: &'a Expected,
    /// Number of words of each topic, including smoothing.
    pub masses: &'a [f64],
    /// `S m`.
    pub prior: Vec<f64>,
}

impl Converged<'_> {
    /// Topics and weights after documents have left small topics; `None` where none is small, or where holders of
    /// documents give no sums over few of them.
    pub fn left(&self, corpus: &Corpus) -> Option<(Matrix, Vec<f64>)> {
        let small = self.small(corpus.n_documents() as f64);
        if small.is_empty() || corpus.least_share() > 0.0 {
            return None;
        }
        let sizes = &self.expected.topics;
        let request = LeavingRequest {
            logarithms: self.logarithms.clone(),
            weights: self.topic_weights.to_vec(),
            counts: Matrix::from_fn(self.prior.len(), small.len(), |i, a| {
                let j = small[a];
                (self.word_topic[(i, j)] * self.masses[j] - self.prior[i]).max(0.0)
            }),
            documents: small.iter().map(|&j| sizes[j]).collect(),
            small,
            prior: self.prior.clone(),
            total: sizes.iter().map(|n| n + 1.0).sum(),
        };
        Some(self.after(&Moved::ask(corpus, request, self.expected)))
    }

    fn small(&self, n_documents: f64) -> Vec<usize> {
        let sizes = &self.expected.topics;
        let even = n_documents / sizes.len() as f64;
        let few = FEW.min(OF_EVEN_SHARE * even);
        (0..sizes.len()).filter(|&j| sizes[j] < few).collect()
    }

    fn after(&self, moved: &Moved) -> (Matrix, Vec<f64>) {
        let n = self.prior.len();
        let word_topic = Matrix::from_filled(n, self.masses.len(), |j, column| {
            let words = self.word_topic.column(j).iter().zip(moved.words.column(j));
            for ((value, (m, more)), prior) in column.iter_mut().zip(words).zip(&self.prior) {
                *value = (m * self.masses[j] + more).max(*prior);
            }
            let total: f64 = column.iter().sum();
            column.iter_mut().for_each(|value| *value /= total);
        });
        let sizes = self.expected.topics.iter().zip(&moved.documents);
        let sizes: Vec<f64> = sizes.map(|(size, more)| (size + more).max(0.0)).collect();
        (word_topic, weights_of(&sizes))
    }
}

/// The change of the sums over documents, topic by topic, after documents have left small topics.
struct Moved {
    /// `X'dP`.
    words: Matrix,
    /// `sum_d dP`.
    documents: Vec<f64>,
}

impl Moved {
    fn ask(corpus: &Corpus, request: LeavingRequest, expected: &Expected) -> Self {
        let (n, k) = (request.prior.len(), request.weights.len());
        let sums = match expected.posterior() {
            Some(posterior) => Members::of(corpus, posterior, &request).sums(0),
            None => corpus.asked_or_fail(|| Request::Leaving(request)).unwrap_or_default().sums,
        };
        if sums.len() != (n + 1) * k {
            stop::fail(wrong_size(sums.len(), (n + 1) * k));
        }
        let (words, documents) = sums.split_at(n * k);
        let words = Matrix::from_columns(n, k, words.to_vec());
        Self { words, documents: documents.to_vec() }
    }
}

impl LeavingRequest {
    /// Whether the tables have consistent sizes for this many features.
    pub(crate) fn fits(&self, n: usize) -> bool {
        let Self { logarithms, weights, small, counts, documents, prior, total } = self;
        let (k, s) = (weights.len(), small.len());
        (logarithms.n_rows(), logarithms.n_columns()) == (n, k)
            && (counts.n_rows(), counts.n_columns(), documents.len()) == (n, s, s)
            && prior.len() == n
            && prior.iter().chain([total]).all(|value| *value > 0.0 && value.is_finite())
            && small.is_sorted_by(|a, b| a < b)
            && small.iter().all(|&j| j < k)
    }

    /// The answer of documents that are here; zeros if fewer than `least` move.
    pub(crate) fn sums(&self, corpus: &Corpus, least: usize) -> Vec<f64> {
        let posterior = Expected::of(corpus, &self.logarithms, &self.weights).into_posterior();
        posterior.map_or_else(Vec::new, |all| Members::of(corpus, &all, self).sums(least))
    }
}

/// The documents that have a share in a small topic.
struct Members {
    rows: SparseCounts,
    n_features: usize,
    /// How their posterior changes without their own words, documents x topics.
    change: Matrix,
}

impl Members {
    fn of(corpus: &Corpus, posterior: &Matrix, request: &LeavingRequest) -> Self {
        let share = |d: usize| request.small.iter().any(|&j| posterior[(d, j)] > NO_SHARE);
        let member = |&d: &usize| corpus.lengths()[d] > 0 && share(d);
        let documents: Vec<usize> = (0..corpus.n_documents()).filter(member).collect();
        let (rows, n_features) = (corpus.rows().picked(&documents, corpus), corpus.n_present());
        let before = posterior.select_rows(&documents);
        let products = Products::new(&rows, n_features, Counting::Raw);
        let mut change = products.forward(&request.logarithms);
        for (a, &j) in request.small.iter().enumerate() {
            let scores = change.column_mut(j).par_iter_mut().zip(before.column(j)).enumerate();
            let topic = Small::new(request, a);
            let with_own_words = scores.filter(|(_, (_, share))| **share > NO_SHARE);
            with_own_words
                .for_each(|(d, (score, share))| *score = topic.score(rows.row(d), *share));
        }
        to_posterior(&mut change, &request.weights);
        change.add(-1.0, &before);
        Self { rows, n_features, change }
    }

    fn sums(&self, least: usize) -> Vec<f64> {
        let Self { rows, n_features, change } = self;
        let k = change.n_columns();
        let moves = |d: &usize| (0..k).any(|j| change[(*d, j)].abs() > NO_SHARE);
        if (0..change.n_rows()).filter(moves).count() < least {
            return vec![0.0; (n_features + 1) * k];
        }
        let products = Products::new(rows, *n_features, Counting::Raw);
        let mut answer = products.backward(change, None).values().to_vec();
        answer.extend(sums(rows, k, |range, sums| {
            for (j, sum) in sums.iter_mut().enumerate() {
                *sum = change.column(j)[range.clone()].iter().sum();
            }
        }));
        answer
    }
}

/// A small topic; each document is compared with it after the document's own words are taken out of the topic.
struct Small<'a> {
    /// `C_i`: the expected number of times that each word occurs in the topic.
    counts: &'a [f64],
    /// `C + S`: the number of words of the topic, smoothing included.
    mass: f64,
    /// `N_j`: the expected number of documents of the topic.
    documents: f64,
    /// `S m_i`: what smoothing adds to the count of each word.
    prior: &'a [f64],
    /// `S`: the sum of `prior`.
    strength: f64,
    /// The weight that EM gave the topic, times `N + k`. [`to_posterior`] multiplies by this
    /// weight, so `score` divides by it first.
    weight: f64,
}

impl<'a> Small<'a> {
    fn new(request: &'a LeavingRequest, a: usize) -> Self {
        let counts = request.counts.column(a);
        let strength: f64 = request.prior.iter().sum();
        Self {
            counts,
            mass: counts.iter().sum::<f64>() + strength,
            documents: request.documents[a],
            prior: &request.prior,
            strength,
            weight: request.total * request.weights[request.small[a]],
        }
    }

    /// The log-likelihood of a document without its own words in the topic, plus the logarithm of
    /// the ratio of the weight without the document to the weight of EM; `share` is its share in
    /// the topic.
    fn score(&self, (words, counts): (&[u32], &[u32]), share: f64) -> f64 {
        let (mut score, mut length) = (0.0, 0.0);
        for (&i, &x) in words.iter().zip(counts) {
            let (prior, x) = (self.prior[i as usize], f64::from(x));
            score += x * without(self.counts[i as usize] + prior, share, x, prior).ln();
            length += x;
        }
        let size = (self.documents - share).max(0.0) + 1.0;
        score - length * without(self.mass, share, length, self.strength).ln()
            + (size / self.weight).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SingleTopic;
    use crate::synthetic::{Lengths, SingleTopicSource};

    /// The numbers of documents of all topics, the fewest first.
    fn sizes(corpus: &Corpus, k: usize) -> Vec<f64> {
        let model = SingleTopic::params(k).allow_fewer(true).trust(false).fit(corpus).unwrap();
        let (n, k) = (corpus.n_documents() as f64, model.topics().len() as f64);
        let weights = model.topics().weights().iter();
        let mut sizes: Vec<f64> = weights.map(|weight| weight * (n + k) - 1.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes
    }

    #[test]
    fn odd_documents_leave_topics_of_their_own() {
        // Nine topics are asked for where there are three. A few documents may have something in common by chance;
        // with their own words, twenty of thirty superfluous topics keep documents.
        let superfluous = (0..6).flat_map(|seed| {
            let source = SingleTopicSource::zipf(400, 3, 5.0, 200.0, 1000.0, seed);
            let corpus = source.draw(1500, &Lengths::Uniform(20..=120), seed + 10).0;
            let sizes = sizes(&corpus, 9);
            sizes[..sizes.len() - 3].to_vec()
        });
        let superfluous: Vec<f64> = superfluous.collect();
        let with_documents = superfluous.iter().filter(|size| **size > 0.5).count();
        assert!(
            superfluous.len() > 12 && 5 * with_documents <= superfluous.len(),
            "{superfluous:?}"
        );
    }

    #[test]
    fn a_rare_topic_keeps_its_documents() {
        // Three topics of words of their own, one of them in seven documents only.
        let mut builder = Corpus::builder(12);
        for d in 0..700_u32 {
            let topic = if d % 100 == 0 { 2 } else { d % 2 };
            let words = (0..4).map(|i| (4 * topic + i, 1 + (d / (i + 1)) % 3));
            builder.push_document(words).unwrap();
        }
        let sizes = sizes(&builder.build().unwrap(), 3);
        assert!((sizes[0] - 7.0).abs() < 0.01, "{sizes:?}");
    }
}
