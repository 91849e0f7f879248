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
//! The feedback of a topic is one number, which part of the documents tells as well.
//!
//! # Cost
//! About four sweeps, and some ten of a part of the documents ([`drift`]).
//!
//! # Departure
//! The errors are those of the sweeps from these topics; another start, from a changed spectral
//! estimate, ends at the same topics within a small part of the errors. What the sweeps do to topics
//! that are true is added by [`drift`].

use super::em::{column_sums, moved_without};
use super::groups::{GROUPS, Groups};
use super::settled::Settled;
use super::spread::Spread;
use super::{Left, drift};
use crate::corpus::{Corpus, KeyRange};
use crate::fit::collapsed_vb::{Prior, smoothed};
use crate::linalg::Matrix;
use crate::questions::Settling;

/// Number of passes after each of which the response is measured; its growth shows where it would end.
const MEASURED: usize = 4;

/// The response grows like a geometric series; a larger ratio than this is not used.
const SLOWEST: f64 = 0.8;

/// The change of the documents' weights: as large as the effect of leaving out a group.
const NUDGE: f64 = 0.05;

/// The result of the polish, and its prior.
pub(crate) struct End<'a> {
    pub word_topic: &'a Matrix,
    pub topic_weights: &'a [f64],
    pub prior: &'a Prior,
}

impl End<'_> {
    /// The converged mixtures under the final topics.
    pub(super) fn settling(&self) -> Settling {
        let alpha = self.prior.alpha(self.topic_weights);
        Settling::new(self.word_topic.clone(), alpha, self.prior.order)
    }
}

/// Leaves out each group in turn, and adds the bias of this many passes.
pub(crate) fn leave_out(groups: &Groups<'_>, end: &End<'_>, n_sweeps: usize) -> Left {
    let mut left = by_chance(groups, end);
    drift::widen(groups.corpus(), end, n_sweeps, &mut left.errors);
    left
}

/// The effect of chance on the topics.
pub(crate) fn by_chance(groups: &Groups<'_>, end: &End<'_>) -> Left {
    let (corpus, eta) = (groups.corpus(), &end.prior.eta);
    let documents = Settled::new(corpus, end.settling());
    let sums = documents.sums();
    let whole = smoothed(&sums, eta);
    let strength = end.prior.strength();
    let masses: Vec<f64> = column_sums(&sums).iter().map(|sum| sum + strength).collect();
    let mut spread = Spread::about(&whole);
    for g in 0..GROUPS {
        let own = documents.sums_of_group(groups, g);
        spread.add_steps(g, &moved_without(&whole, &masses, own));
    }
    let (mut errors, mut changes) = spread.finish();
    let k = whole.n_columns();
    let holdings = documents.holdings();
    let share = drift::share_looked_at(corpus, k);
    let growth = match share < 0.5 {
        true => growth_in_part(&corpus.part(KeyRange::between(0.0, share)).0, corpus, end),
        false => growth(&documents, &whole, eta),
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
    let whole = smoothed(&documents.sums(), &prior.eta);
    growth(&documents, &whole, &prior.eta)
}

/// The growth of the response to changed weights, for each topic; `whole` is the result with equal weights.
fn growth(even: &Settled<'_>, whole: &Matrix, eta: &[f64]) -> Vec<f64> {
    let swept = |nudge: f64| {
        let mut documents = even.clone();
        documents.weigh(nudge);
        let mut measured = vec![smoothed(&documents.sums(), eta)];
        for sweep in 1..MEASURED {
            documents.follow(&measured[sweep - 1]);
            measured.push(smoothed(&documents.sums(), eta));
        }
        measured
    };
    let mut answers = swept(NUDGE);
    for (answer, down) in answers.iter_mut().zip(swept(-NUDGE)) {
        answer.add(-1.0, &down);
        answer.values_mut().iter_mut().for_each(|value| *value *= 0.5);
    }
    ratios(whole, &answers)
}

/// By how much each topic's answer is larger in the end than at first, at least one; words count
/// by the inverse of their probability, as their noise does.
fn ratios(topics: &Matrix, answers: &[Matrix]) -> Vec<f64> {
    let size = |step: &Matrix, j: usize| {
        let terms = step.column(j).iter().zip(topics.column(j));
        terms.map(|(step, p)| step * step / p).sum::<f64>().sqrt()
    };
    let ratio = |j: usize| {
        let sizes: Vec<f64> = answers.iter().map(|answer| size(answer, j)).collect();
        let ratio = limit(&sizes[sizes.len() - 3..]) / sizes[0];
        if ratio.is_finite() { ratio.max(1.0) } else { 1.0 }
    };
    (0..topics.n_columns()).map(ratio).collect()
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
