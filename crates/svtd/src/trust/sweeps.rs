//! What the sweeps of LDA would answer without each group, without sweeping again for each.
//!
//! With the mixtures `B_d` of the documents at rest under the final topics `A`, the sums of a sweep
//! are `S = A o (C'B)`, `c_di = x_di / sum_j A_ij B_dj`, and what a group adds to them is found in one
//! pass. Subtracting it is the *first* step without the group; then the mixtures of the other
//! documents follow and move the topics further. That feedback is measured, not repeated twenty
//! times: all documents are weighed `1 + h` or `1 - h`, ten groups each, and some sweeps run with
//! those weights and with the opposite ones. Half the difference is the answer to a known mixture
//! of all groups; how much larger it is than its first step says by how much the errors of
//! each topic grow.
//!
//! The feedback of a topic is one number, which part of the documents tells as well.
//!
//! # Cost
//! About four sweeps, and some ten of at most [`FOR_A_TOPIC`] tokens for each topic.
//!
//! # Departure
//! The errors are those of the sweeps from these topics; another start, from a changed spectral
//! estimate, ends at the same topics within a small part of the errors. What the sweeps do to topics
//! that are true is added by [`drift`].

use super::groups::{Groups, sign};
use super::spread::standard_errors;
use super::{Left, drift};
use crate::corpus::Corpus;
use crate::fit::collapsed_vb::{Prior, smoothed};
use crate::fit::profile::Profile;
use crate::linalg::Matrix;

/// Passes in which the mixtures settle under the final topics.
const SETTLING: usize = 3;

/// Sweeps after each of which the answer is measured; how it grows tells where it would end.
const MEASURED: usize = 4;

/// Tokens for each topic on which the answer is measured, at most.
const FOR_A_TOPIC: u64 = 1 << 13;

/// The answer grows by a geometric series; a ratio above this is not believed.
const SLOWEST: f64 = 0.8;

/// How far the documents' weights are moved for it: as far as leaving out a group moves the mean.
const NUDGE: f64 = 0.05;

/// Where the sweeps ended, and what they believed.
pub(crate) struct End<'a> {
    pub word_topic: &'a Matrix,
    pub topic_weights: &'a [f64],
    pub prior: &'a Prior,
}

/// Leaves out each group in turn, and adds the bias of so many sweeps.
pub(crate) fn leave_out(corpus: &Corpus, groups: &Groups, end: &End<'_>, n_sweeps: usize) -> Left {
    let (mut left, mixtures) = by_chance(corpus, groups, end);
    drift::widen(corpus, end, &mixtures, n_sweeps, &mut left.errors);
    left
}

/// What chance does to the topics; beside it the Dirichlet parameters of the documents' mixtures.
pub(crate) fn by_chance(corpus: &Corpus, groups: &Groups, end: &End<'_>) -> (Left, Matrix) {
    let End { word_topic, topic_weights, prior } = end;
    let mut profile = Profile::new(corpus, word_topic, prior, topic_weights);
    (0..SETTLING).for_each(|_| profile.settle());
    let sums = profile.sums(None);
    let whole = smoothed(&sums, &prior.eta);
    let steps = profile.left_out(groups, &sums, &whole);
    let (mut errors, mut changes) = (standard_errors(&steps), steps.changes);
    let (mixtures, holdings) = (profile.mixtures(), profile.holdings());
    let chosen = {
        let k = word_topic.n_columns();
        drift::chosen(corpus, FOR_A_TOPIC * k as u64, k)
    };
    let n_tokens: u64 = chosen.iter().map(|&d| corpus.lengths()[d]).sum();
    let growth = if 2 * n_tokens < corpus.n_tokens() {
        growth_in_part(corpus, groups, &chosen, end)
    } else {
        let signs = (0..corpus.n_documents()).map(|d| sign(0, groups.of(d))).collect();
        growth(&profile, &whole, prior, signs)
    };
    errors.scale_columns(&growth);
    changes.scale_columns(&growth);
    (Left { errors, changes, holdings }, mixtures)
}

/// The growth of the answers as some of the documents have it.
fn growth_in_part(corpus: &Corpus, groups: &Groups, chosen: &[usize], end: &End<'_>) -> Vec<f64> {
    let part = corpus.subset(chosen);
    let features: Vec<u32> = part.word_of_feature()[..part.n_present()]
        .iter()
        .map(|&word| corpus.feature_of_word()[word as usize])
        .collect();
    let topics = Matrix::from_fn(features.len(), end.word_topic.n_columns(), |i, j| {
        end.word_topic[(features[i] as usize, j)]
    });
    let prior = end.prior.in_part(&features, part.n_tokens() as f64 / corpus.n_tokens() as f64);
    let mut profile = Profile::new(&part, &topics, &prior, end.topic_weights);
    (0..SETTLING).for_each(|_| profile.settle());
    let whole = smoothed(&profile.sums(None), &prior.eta);
    growth(&profile, &whole, &prior, chosen.iter().map(|&d| sign(0, groups.of(d))).collect())
}

/// How the answer to moved weights grows, topic by topic; `whole` is the answer to even ones.
fn growth(profile: &Profile<'_>, whole: &Matrix, prior: &Prior, signs: Vec<f64>) -> Vec<f64> {
    let swept = |direction: f64| {
        let weights: Vec<f64> = signs.iter().map(|sign| 1.0 + direction * NUDGE * sign).collect();
        let mut profile = profile.clone();
        let mut measured = vec![smoothed(&profile.sums(Some(&weights)), &prior.eta)];
        for sweep in 1..MEASURED {
            profile.set_topics(&measured[sweep - 1]);
            profile.settle();
            measured.push(smoothed(&profile.sums(Some(&weights)), &prior.eta));
        }
        measured
    };
    let mut answers = swept(1.0);
    for (answer, down) in answers.iter_mut().zip(swept(-1.0)) {
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

/// Where three numbers at equal distances lead if they approach it geometrically.
fn limit(sizes: &[f64]) -> f64 {
    let [a, b, c] = [sizes[0], sizes[1], sizes[2]];
    if b <= a {
        return b.max(c);
    }
    let ratio = ((c - b) / (b - a)).clamp(0.0, SLOWEST);
    a + (b - a) / (1.0 - ratio)
}
