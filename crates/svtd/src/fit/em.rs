//! EM for the single-topic model, started from the spectral estimate.
//!
//! ```text
//! E:  L = X log M + log Omega,   P by row-wise log-sum-exp
//! M:  Omega_j = (sum_d P_dj + 1) / (N + k),   M_ij proportional to (X'P)_ij + S M1_i
//! ```
//!
//! The weights count one document more for each topic: the posterior mean under a flat Dirichlet prior. So a topic
//! that has lost its documents keeps a small weight, and one that holds a single odd document is not believed to
//! come back as often as it came.
//!
//! `S` is estimated from the corpus by how similar its topics are ([`smoothing`](crate::fit::smoothing)), unless it
//! is given: the right smoothing matters more than the start. The steps end when the *penalised* objective `F =
//! sum_d logsumexp_j L_dj + S sum_ij M1_i log M_ij + sum_j log Omega_j` gains less than `1e-6`, relatively; with
//! smoothing the likelihood alone need not grow.
//!
//! # Cost
//! Four flops per count and topic a step; `N x k` numbers in memory. Deterministic: no random
//! start, sums in the order of the documents.

use crate::corpus::Corpus;
use crate::fit::documents::after_em;
use crate::fit::expectation::{Expected, weights_of};
use crate::fit::leaving::Converged;
use crate::fit::stage::{Stage, Step};
use crate::linalg::{Matrix, dot};
use crate::logarithm::take_logarithms;
use crate::model::Smoothing;
use crate::model::features::{frequencies, lift, mixed_with, to_vocabulary};
use crate::pace::Pace;

/// The objective has converged when its relative gain is below this.
const SETTLED: f64 = 1e-6;

/// The same where topics of halves are compared: sampling moves them much further than what is left.
const NEARLY_SETTLED: f64 = 1e-5;

/// Number of steps after which topics of halves of the documents can be compared, if EM has not converged before.
const ENOUGH_STEPS: usize = 8;

/// The largest number of steps when the caller asks for convergence.
pub(crate) const MAX_STEPS: usize = 100;

/// The typical number of steps until convergence, used before the first ones allow a forecast: fewer for few
/// documents, because each soon has one clear topic (`benches/record/forecast.md`).
pub(crate) fn typical_steps(n_documents: usize) -> usize {
    (3 + n_documents / 400).min(50)
}

/// Columns closer than this in L1 distance are one topic.
const IDENTICAL: f64 = 1e-6;

/// The result of EM.
pub(crate) struct Polished {
    pub word_topic: Matrix,
    pub topic_weights: Vec<f64>,
    /// Number of documents of each topic.
    pub documents: Vec<f64>,
    pub steps: usize,
    pub settled: bool,
    /// The penalised objective at its last evaluation: of the parameters that EM converged to, before documents left
    /// small topics; otherwise of those one step before these.
    pub objective: f64,
}

/// The options of EM.
#[derive(Clone, Copy)]
pub(crate) struct EmOptions {
    pub smoothing: Smoothing,
    pub max_steps: usize,
    /// The relative gain of the objective below which it has converged and ends early; `None`: it never ends early.
    pub settled_below: Option<f64>,
    /// Whether odd documents leave small topics after convergence ([`leaving`](crate::fit::leaving)).
    pub leaving: bool,
}

impl EmOptions {
    /// Until convergence, or nearly so.
    pub(crate) fn to_the_end(smoothing: Smoothing) -> Self {
        Self { smoothing, max_steps: MAX_STEPS, settled_below: Some(SETTLED), leaving: true }
    }

    /// As far as topics of halves of the documents can be compared.
    pub(crate) fn to_compare(smoothing: Smoothing) -> Self {
        Self {
            smoothing,
            max_steps: ENOUGH_STEPS,
            settled_below: Some(NEARLY_SETTLED),
            leaving: false,
        }
    }
}

/// Polishes `(M, Omega)` on the counts.
pub(crate) fn polish(
    corpus: &Corpus,
    word_topic: &Matrix,
    topic_weights: &[f64],
    frequencies: &[f64],
    options: EmOptions,
    watch: &dyn Fn(Step),
) -> Polished {
    let EmOptions { smoothing, max_steps, settled_below, leaving } = options;
    let strength = smoothing.strength(corpus, topic_weights);
    let mut word_topic = mixed_with(word_topic, frequencies, 0.001);
    let mut topic_weights = topic_weights.to_vec();
    let mut masses = Vec::new();
    let mut last = f64::NEG_INFINITY;
    let mut settled = false;
    let mut steps = 0;
    let usual = match settled_below {
        Some(_) => typical_steps(corpus.n_documents()).min(max_steps),
        None => max_steps,
    };
    let mut pace = Pace::new(usual, max_steps);
    // The same room for all steps: new memory would cost more than the logarithms.
    let mut logarithms = Matrix::zeros(word_topic.n_rows(), word_topic.n_columns());
    while steps < max_steps && !settled {
        watch(Step::new(Stage::Polish, steps, pace.expected(steps)));
        logarithms.for_each_column(|j, column| column.copy_from_slice(word_topic.column(j)));
        take_logarithms(logarithms.values_mut());
        let step = Expected::ask(corpus, &logarithms, &topic_weights);
        let objective = step.log_likelihood
            + strength * penalty(&logarithms, frequencies)
            + topic_weights.iter().map(|w| w.ln()).sum::<f64>();
        if let Some(gain) = settled_below {
            settled = objective - last <= gain * objective.abs();
            pace.look(steps, (objective - last) / (gain * objective.abs()));
        }
        last = objective;
        if !settled {
            topic_weights = weights_of(&step.topics);
            word_topic = step.words(corpus);
            masses = smooth(&mut word_topic, frequencies, strength);
            steps += 1;
            continue;
        }
        if !leaving {
            break;
        }
        let converged = Converged {
            logarithms: &logarithms,
            word_topic: &word_topic,
            topic_weights: &topic_weights,
            expected: &step,
            masses: &masses,
            prior: frequencies.iter().map(|m1| strength * m1).collect(),
        };
        if let Some(left) = converged.left(corpus) {
            (word_topic, topic_weights) = left;
        }
    }
    let documents = after_em(corpus, &topic_weights);
    Polished { word_topic, topic_weights, documents, steps, settled, objective: last }
}

/// EM from the caller's own topics, for at most a hundred steps: `(M, Omega)` in and out, words in vocabulary
/// order. Words that never occur keep probability zero.
///
/// With [`Smoothing::Estimated`] this is the polish of [`SingleTopic`](crate::SingleTopic) alone: it shows the
/// result of the same EM from any other start, or from the truth.
pub fn polish_single_topic(
    corpus: &Corpus,
    word_topic: &Matrix,
    topic_weights: &[f64],
    smoothing: Smoothing,
) -> (Matrix, Vec<f64>) {
    let present = &corpus.word_of_feature()[..corpus.n_present()];
    let start = Matrix::from_fn(present.len(), word_topic.n_columns(), |i, j| {
        word_topic[(present[i] as usize, j)]
    });
    let frequencies = frequencies(corpus);
    let (weights, _) = lift(topic_weights);
    let options = EmOptions::to_the_end(smoothing);
    let polished = polish(corpus, &start, &weights, &frequencies, options, &|_| {});
    (to_vocabulary(corpus, &polished.word_topic), polished.topic_weights)
}

/// Merges topics that EM made identical, with a note that says so.
pub(crate) fn merge_identical(polished: Polished) -> (Merged, Option<String>) {
    let groups = identical_groups(&polished.word_topic);
    let leaders: Vec<usize> = groups.iter().map(|group| group[0]).collect();
    let sums = |values: &[f64]| -> Vec<f64> {
        groups.iter().map(|group| group.iter().map(|&j| values[j]).sum()).collect()
    };
    let n = polished.topic_weights.len();
    let note = (leaders.len() < n).then(|| {
        format!(
            "{} of {n} topics came out identical to others and were merged; {} remain",
            n - leaders.len(),
            leaders.len()
        )
    });
    let merged = Merged {
        word_topic: polished.word_topic.select_columns(&leaders),
        topic_weights: sums(&polished.topic_weights),
        documents: sums(&polished.documents),
        leaders,
    };
    (merged, note)
}

/// Topics without duplicates.
pub(crate) struct Merged {
    pub word_topic: Matrix,
    pub topic_weights: Vec<f64>,
    /// Number of documents of each topic.
    pub documents: Vec<f64>,
    /// The former index of each topic.
    pub leaders: Vec<usize>,
}

/// Groups of topics that EM made identical, each beginning with its first member.
fn identical_groups(word_topic: &Matrix) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for j in 0..word_topic.n_columns() {
        let same = |group: &&mut Vec<usize>| {
            let pairs = word_topic.column(group[0]).iter().zip(word_topic.column(j));
            pairs.map(|(x, y)| (x - y).abs()).sum::<f64>() < IDENTICAL
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(j),
            None => groups.push(vec![j]),
        }
    }
    groups
}

/// `sum_ij M1_i log M_ij`.
fn penalty(logarithms: &Matrix, frequencies: &[f64]) -> f64 {
    (0..logarithms.n_columns()).map(|j| dot(logarithms.column(j), frequencies)).sum()
}

/// Adds `S M1` to every column and normalises it; returns what it summed to.
pub(crate) fn smooth(word_topic: &mut Matrix, frequencies: &[f64], strength: f64) -> Vec<f64> {
    let n_columns = word_topic.n_columns();
    let mut smoothed = |j: usize| {
        let column = word_topic.column_mut(j);
        for (value, m1) in column.iter_mut().zip(frequencies) {
            *value += strength * m1;
        }
        let total: f64 = column.iter().sum();
        column.iter_mut().for_each(|value| *value /= total);
        total
    };
    (0..n_columns).map(&mut smoothed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_objective_of_zero_has_converged() {
        // One word, one topic: every document is certain, so that all logarithms are zero.
        let mut builder = Corpus::builder(1);
        (0..20).for_each(|_| builder.push_document([(0, 5)]).unwrap());
        let corpus = builder.build().unwrap();
        let one = Matrix::identity(1);
        let how = EmOptions::to_the_end(Smoothing::Estimated);
        let polished = polish(&corpus, &one, &[1.0], &frequencies(&corpus), how, &|_| {});
        assert!(polished.settled && polished.steps < 3, "{} steps", polished.steps);
        assert_eq!(polished.objective, 0.0);
    }
}
