//! A topic that is missing, found in the documents that the others explain badly.
//!
//! Every document could be the seed of a topic: its words, the corpus' frequencies added. What such a
//! topic would win is the sum, over the documents it explains better than all topics together do, of
//! how much better. The seeds that win most are grown: the documents won make a better topic, which
//! wins others. Then EM runs with the new topic beside the old ones, and the best outcome is the
//! candidate; whether it pays is judged by whoever asks.
//!
//! # Cost
//! A product of the counts with a column for every document that is tried as a seed (of at most
//! [`SEEDS`]), and some ten steps of EM for each of the [`GROWN`].

use rayon::prelude::*;

use super::{Documents, Split, TRIAL_STEPS};
use crate::linalg::Matrix;
use crate::model::em::smooth;

/// Documents tried as seeds, at most.
const SEEDS: usize = 1024;

/// Seeds that are grown.
const GROWN: usize = 6;

/// Rounds of growing.
const ROUNDS: usize = 3;

/// The split with the best new topic; `None` when no seed wins a document.
pub(super) fn best(documents: &Documents<'_>, split: &Split) -> Option<Split> {
    let told = documents.log_likelihoods(split);
    // Those first of which most is unexplained.
    let mut seeds: Vec<usize> = (0..told.len()).collect();
    seeds.sort_by(|&a, &b| told[a].total_cmp(&told[b]));
    seeds.truncate(SEEDS);
    let mut tried: Vec<(f64, Matrix)> = Vec::new();
    for chunk in seeds.chunks(64) {
        let mut shares = Matrix::zeros(told.len(), chunk.len());
        chunk.iter().enumerate().for_each(|(j, &d)| shares[(d, j)] = 1.0);
        let won = documents.won(&told, &shares);
        let gains = (0..chunk.len()).map(|j| won.column(j).iter().map(|w| w.max(0.0)).sum::<f64>());
        tried.extend(gains.enumerate().map(|(j, gain)| (gain, won.columns(j..j + 1))));
    }
    // The most promising first; of seeds that win the same documents only one is grown.
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut grown: Vec<Matrix> = Vec::new();
    for (gain, won) in tried {
        let share = |a: &Matrix| {
            let both = a.values().iter().zip(won.values()).filter(|(a, b)| **a > 0.0 && **b > 0.0);
            let mine = won.values().iter().filter(|w| **w > 0.0).count();
            both.count() as f64 / mine.max(1) as f64
        };
        if gain > 0.0 && grown.iter().all(|other| share(other) < 0.5) {
            grown.push(won);
        }
        if grown.len() == GROWN {
            break;
        }
    }
    let outcomes: Vec<(f64, Split)> = grown
        .into_iter()
        .map(|mut won| {
            for _ in 0..ROUNDS {
                won.values_mut().iter_mut().for_each(|w| *w = f64::from(u8::from(*w > 0.0)));
                won = documents.won(&told, &won);
            }
            let with = documents.with_topic(split, &won);
            let with = documents.stepped(with, 2 * TRIAL_STEPS);
            (documents.evidence(&with), with)
        })
        .collect();
    outcomes.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, split)| split)
}

impl Documents<'_> {
    /// The log-likelihood of each document under all topics.
    fn log_likelihoods(&self, split: &Split) -> Vec<f64> {
        let (mut topics, weights) = self.parameters(split);
        topics.values_mut().par_iter_mut().for_each(|p| *p = p.ln());
        let scores = self.products.forward(&topics);
        let document = |d: usize| {
            let score = |j: usize| scores[(d, j)] + weights[j].ln();
            let top = (0..weights.len()).map(score).fold(f64::NEG_INFINITY, f64::max);
            top + (0..weights.len()).map(|j| (score(j) - top).exp()).sum::<f64>().ln()
        };
        (0..scores.n_rows()).into_par_iter().map(document).collect()
    }

    /// How much better than all topics each document (row) is explained by a topic made of the
    /// documents of each column, the chance of belonging to it counted.
    fn won(&self, told: &[f64], shares: &Matrix) -> Matrix {
        let mut topics = self.products.backward(shares, None);
        smooth(&mut topics, &self.frequencies, self.strength);
        topics.values_mut().par_iter_mut().for_each(|p| *p = p.ln());
        let mut won = self.products.forward(&topics);
        for j in 0..won.n_columns() {
            let members: f64 = shares.column(j).iter().sum();
            let chance = (members.max(1.0) / told.len() as f64).ln();
            let column = won.column_mut(j).iter_mut();
            column.zip(told).for_each(|(value, told)| *value += chance - told);
        }
        won
    }

    /// The split with a topic more, of the documents that are won.
    fn with_topic(&self, split: &Split, won: &Matrix) -> Split {
        let mut posterior = split.posterior.clone();
        let mut fresh = Matrix::zeros(posterior.n_rows(), 1);
        for (d, won) in won.column(0).iter().enumerate().filter(|(_, won)| **won > 0.0) {
            let taken = 1.0 - (-won).exp();
            fresh[(d, 0)] = taken;
            (0..posterior.n_columns()).for_each(|j| posterior[(d, j)] *= 1.0 - taken);
        }
        posterior.append(&fresh);
        self.of_posterior(posterior)
    }
}
