//! The result of the polish of LDA without each group, without running it again for each.
//!
//! With the mixtures `B_d` of the documents at rest under the final topics `A`, the sums of a sweep
//! are `S = A o (C'B)`, `c_di = x_di / sum_j A_ij B_dj`, and what a group adds to them is found in one
//! pass. Subtracting it is the *first* step without the group; then the mixtures of the other
//! documents follow and move the topics further. That feedback is measured, not repeated twenty
//! times: half of the documents are weighed `1 + h`, the others `1 - h`, and some sweeps run with
//! those weights and with the opposite ones. Half the difference is the answer to a known change
//! of the weights; how much larger it is than its first step says by how much the errors of
//! each topic grow.
//!
//! The feedback of a topic is one number, so it can be measured on a part of the documents.
//!
//! # Cost
//! Three updates of all mixtures, two sums over all documents, and nine of each over a
//! part of them; beside that what [`drift`] takes.
//!
//! # Departure
//! These errors assume that the sweeps begin at these topics. Another start, from a changed
//! spectral estimate, ends at the same topics up to a small part of the errors. The bias of the
//! sweeps is added by [`drift`].

use rayon::prelude::*;

use super::em::column_sums;
use super::end::End;
use super::groups::{GROUPS, Groups};
use super::settled::Settled;
use super::simulation::{Simulation, share_grown};
use super::without::{Steps, Without};
use super::{Left, drift};
use crate::corpus::{Corpus, KeyRange};
use crate::fit::collapsed_vb::smoothed;
use crate::linalg::Matrix;

/// Number of passes after each of which the response is measured; its growth shows where it would end.
const MEASURED: usize = 4;

/// The response grows like a geometric series; a larger ratio than this is not used.
const SLOWEST: f64 = 0.8;

/// The change of the documents' weights: as large as the effect of leaving out a group.
const NUDGE: f64 = 0.05;

/// Standard errors from the jackknife, widened by the bias of a polish with this many sweeps.
pub(crate) fn leave_out(groups: &Groups<'_>, end: &End<'_>, sweeps: usize) -> Left {
    let corpus = groups.corpus();
    let settled = &Settled::new(corpus, end.settling());
    let mut left = by_chance(groups, end, settled);
    drift::widen(&Simulation { corpus, end, sweeps, settled }, &mut left.errors);
    left
}

/// The jackknife: errors and changes of the topics, without the bias of the sweeps.
pub(crate) fn by_chance(groups: &Groups<'_>, end: &End<'_>, documents: &Settled<'_>) -> Left {
    let (corpus, eta) = (groups.corpus(), &end.prior.eta);
    let sums = documents.sums();
    let whole = smoothed(&sums, eta);
    let strength = end.prior.strength();
    let masses: Vec<f64> = column_sums(&sums).iter().map(|sum| sum + strength).collect();
    let mut without = Without::new(&whole, &masses, 0);
    for g in 0..GROUPS {
        without.leave_out(g, &documents.own(groups, g));
    }
    let Steps { mut errors, mut changes, .. } = without.finish();
    let k = whole.n_columns();
    let holdings = documents.holdings();
    let share = share_grown(corpus, k);
    let growth = match share < 0.5 {
        true => growth_in_part(&corpus.part(KeyRange::between(0.0, share)).0, corpus, end),
        false => growth(documents, &whole, eta),
    };
    errors.scale_columns(&growth);
    changes.scale_columns(&growth);
    Left { errors, changes, holdings }
}

/// The growth of the response, measured on a part of the documents.
fn growth_in_part(part: &Corpus, corpus: &Corpus, end: &End<'_>) -> Vec<f64> {
    let features: Vec<u32> = part.word_of_feature()[..part.n_present()]
        .iter()
        .map(|&word| corpus.feature_of_word()[word as usize])
        .collect();
    let topics = Matrix::from_fn(features.len(), end.word_topic.n_columns(), |i, j| {
        end.word_topic[(features[i] as usize, j)]
    });
    let prior = end.prior.in_part(&features, part.n_tokens() as f64 / corpus.n_tokens() as f64);
    let end = End { word_topic: &topics, topic_weights: end.topic_weights, prior: &prior };
    let documents = Settled::new(part, end.settling());
    growth(&documents, &documents.updated(&prior.eta), &prior.eta)
}

/// The growth of the response to changed weights, for each topic; `whole` is the result with equal weights.
fn growth(even: &Settled<'_>, whole: &Matrix, eta: &[f64]) -> Vec<f64> {
    let mut documents = [NUDGE, -NUDGE].map(|nudge| even.nudged(nudge));
    let mut sizes = Vec::with_capacity(MEASURED);
    while sizes.len() < MEASURED {
        let topics = documents.each_ref().map(|documents| documents.updated(eta));
        sizes.push(sizes_of(whole, &topics));
        if sizes.len() < MEASURED {
            documents
                .iter_mut()
                .zip(topics)
                .for_each(|(documents, topics)| documents.follow(topics));
        }
    }
    let of_topic = |j: usize| grown(&sizes.iter().map(|sizes| sizes[j]).collect::<Vec<f64>>());
    (0..whole.n_columns()).map(of_topic).collect()
}

/// The size of each topic's response, half the difference between the topics of the two weightings. The square of a
/// word's difference is divided by the word's probability, to which its variance is proportional.
fn sizes_of(whole: &Matrix, [up, down]: &[Matrix; 2]) -> Vec<f64> {
    let size = |j: usize| {
        let pairs = up.column(j).iter().zip(down.column(j));
        let terms = pairs.zip(whole.column(j)).map(|((up, down), p)| (up - down).powi(2) / p);
        0.5 * terms.sum::<f64>().sqrt()
    };
    (0..whole.n_columns()).into_par_iter().map(size).collect()
}

/// The ratio of a response in the limit to its first step, at least one.
fn grown(sizes: &[f64]) -> f64 {
    let ratio = limit(&sizes[sizes.len() - 3..]) / sizes[0];
    if ratio.is_finite() { ratio.max(1.0) } else { 1.0 }
}

/// The limit of three equidistant numbers, if they approach it geometrically.
fn limit(sizes: &[f64]) -> f64 {
    let [a, b, c] = [sizes[0], sizes[1], sizes[2]];
    if b <= a {
        return b.max(c);
    }
    let ratio = ((c - b) / (b - a)).clamp(0.0, SLOWEST);
    a + (b - a) / (1.0 - ratio)
}
