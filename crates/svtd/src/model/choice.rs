//! How the number of topics was chosen. Stored with the model; [`choosing`](crate::choosing) finds it.

use serde::{Deserialize, Serialize};

use super::diagnostics::{first_unclear, n_clear};
use crate::moments::Counting;

/// A number of topics, with the evidence for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The number chosen.
    pub n_topics: usize,
    /// The z-score of each direction, in order of falling eigenvalue.
    pub z_scores: Vec<f64>,
    /// The largest number of topics that was considered.
    pub limit: usize,
    /// The number of topics supported by the documents themselves, when each is about one topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    /// Why the documents themselves could not be used, where they should have been; then the clear directions alone
    /// decided.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "unheard")]
    pub not_asked: Option<String>,
    /// Which counts were used, raw or damped.
    #[serde(default = "raw")]
    pub counting: Counting,
    /// The share of the repetition of words that the clear directions explain; `None` when the corpus has no
    /// repetition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_explained: Option<f64>,
    /// Whether directions above the noise do not count topics: words come in bursts, as in text, or documents are few.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_text: bool,
    /// The number of topics found again in halves of the documents, for each number of topics fitted; empty where
    /// the documents follow the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<FoundInHalves>,
}

/// The value for files that do not contain it.
fn raw() -> Counting {
    Counting::Raw
}

impl Choice {
    /// Whether there may be more topics than were considered.
    pub fn limit_reached(&self) -> bool {
        if self.counted.is_empty() {
            self.n_clear() >= self.limit
        } else {
            plateau_is_beyond(&self.counted)
        }
    }

    /// How many topics are found again if as many are fitted as were chosen, and the smallest number fitted with
    /// which nearly all of them are. In text the second is often larger than the number chosen, because some of the
    /// fitted topics take up what belongs to no clear topic. `None` where halves were not fitted.
    pub fn found_again(&self) -> Option<(f64, usize)> {
        let found = found_of(&self.counted, self.n_topics)?;
        Some((found, reached(&self.counted)?))
    }

    /// Whether halves of the documents were compared and found no topic twice.
    pub fn nothing_came_back(&self) -> bool {
        !self.counted.is_empty() && n_topics(&self.counted) == 0
    }

    /// Number of clear directions.
    pub fn n_clear(&self) -> usize {
        n_clear(&self.z_scores)
    }

    /// The largest score that is not clear.
    pub fn first_unclear(&self) -> Option<f64> {
        first_unclear(&self.z_scores)
    }
}

/// The number of topics that the documents support.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Number of topics at the start.
    pub of: usize,
    /// Number of topics whose evidence exceeds their cost.
    pub n_topics: usize,
    /// Log Bayes factor (nats) of the weakest of them; `None` for a single one.
    pub least: Option<f64>,
}

/// The number of topics that two halves both find.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundInHalves {
    /// Number of topics fitted.
    pub n_topics: usize,
    /// Number of topics of which the halves share at least five of the ten likeliest words and clearly more than by
    /// chance, the mean over the splits.
    pub n_found: f64,
    /// How many of the ten likeliest words the halves share, the mean over the topics and splits.
    pub mean_words: f64,
}

/// Whether more topics hardly find more: at most 15 % more after the last two steps ([`STEP`]), or at most 5 % more
/// after the last one with about twice as many fitted as found.
pub(crate) fn has_settled(counted: &[FoundInHalves]) -> bool {
    let Some(last) = counted.last() else { return false };
    // Hardly more topics find hardly more: only a number that is a step away tells.
    let a_step_before = |of: usize| {
        counted.iter().rposition(|c| STEP * c.n_topics as f64 <= counted[of].n_topics as f64)
    };
    let found = |back: usize| {
        let place = (0..back).try_fold(counted.len() - 1, |of, _| a_step_before(of))?;
        Some(counted[..=place].iter().map(|c| c.n_found).fold(0.0, f64::max))
    };
    let flat = found(2).is_some_and(|before| last.n_found <= SLOW * before);
    let twice = last.n_topics as f64 >= ABOUT_TWICE * plateau(counted);
    flat || twice && found(1).is_some_and(|before| last.n_found <= SLOW_AT_TWICE * before)
}

/// The number of topics that are found again however many are fitted: the median of the numbers found that are
/// within 15 % of the largest. Where documents are few the number found falls again behind its peak, because
/// superfluous topics take documents from the true ones, so these do not count.
pub(crate) fn plateau(counted: &[FoundInHalves]) -> f64 {
    let most = counted.iter().map(|c| c.n_found).fold(0.0, f64::max);
    let found = counted.iter().map(|c| c.n_found);
    let mut found: Vec<f64> = found.filter(|n_found| SLOW * n_found >= most).collect();
    found.sort_unstable_by(f64::total_cmp);
    match found.len() {
        0 => 0.0,
        n => (found[(n - 1) / 2] + found[n / 2]) / 2.0,
    }
}

/// The plateau as a whole number; halves are rounded down.
pub(crate) fn n_topics(counted: &[FoundInHalves]) -> usize {
    (plateau(counted) - 0.01).round().max(0.0) as usize
}

/// The smallest number fitted with which nearly as many are found again as anywhere.
pub(crate) fn reached(counted: &[FoundInHalves]) -> Option<usize> {
    let most = plateau(counted);
    counted.iter().find(|c| c.n_found >= NEARLY_ALL * most).map(|c| c.n_topics)
}

/// The number found again if `n_topics` are fitted, read off a straight line between the numbers that were fitted;
/// `None` outside of these.
pub(crate) fn found_of(counted: &[FoundInHalves], n_topics: usize) -> Option<f64> {
    let above = counted.iter().position(|c| c.n_topics >= n_topics)?;
    let after = &counted[above];
    if after.n_topics == n_topics {
        return Some(after.n_found);
    }
    let before = &counted[above.checked_sub(1)?];
    let way = (n_topics - before.n_topics) as f64 / (after.n_topics - before.n_topics) as f64;
    Some(before.n_found + way * (after.n_found - before.n_found))
}

/// Whether more may be found if more are fitted.
pub(crate) fn plateau_is_beyond(counted: &[FoundInHalves]) -> bool {
    !counted.is_empty() && !has_settled(counted)
}

/// "Nearly all" topics means at least this share of them.
pub(crate) const NEARLY_ALL: f64 = 0.9;

/// Numbers of topics that are compared differ by this factor at least; they grow by a half, but for the last one before
/// a limit.
const STEP: f64 = 1.25;

/// The number found has stopped growing when it grows by less than this factor over the last steps.
const SLOW: f64 = 1.15;

/// As [`SLOW`] for the last step alone, where [`ABOUT_TWICE`] as many topics are fitted as are found.
const SLOW_AT_TWICE: f64 = 1.05;
const ABOUT_TWICE: f64 = 1.9;
