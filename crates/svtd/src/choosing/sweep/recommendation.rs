//! Which numbers of topics to look at, and why: what halves of the documents, held-out words and the
//! noise say together.

use serde::{Deserialize, Serialize};

use super::{SweepFit, best};
use crate::choosing::choice::n_splits;
use crate::choosing::counting::count;
use crate::corpus::Corpus;
use crate::model::choice::{self, NEARLY_ALL, plateau_is_beyond, reached};
use crate::model::{FoundInHalves, Options};

/// Which numbers of topics to look at, and why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The smallest number recommended.
    pub low: usize,
    /// The largest number recommended.
    pub high: usize,
    /// Directions that stand clearly out of the noise.
    pub n_clear: Option<usize>,
    /// The number that predicts held-out words best.
    pub best: Option<usize>,
    /// The smallest number that predicts them equally well, within one standard error.
    pub as_good: Option<usize>,
    /// The largest number of topics of which at least nine in ten come back in independent halves of
    /// the documents.
    pub all_found: Option<usize>,
    /// The number of topics found again in halves once asking for more topics finds no more.
    pub n_found: Option<usize>,
    /// Whether more topics may be found again beyond the range.
    pub plateau_beyond: bool,
    /// Whether the documents follow the model: topics explain how often documents repeat their
    /// words. Then the clear directions count as topics; otherwise, as in text, the topics that
    /// come back in halves.
    pub follows_model: bool,
}

/// Fits halves of the documents with a few numbers of topics of the range. Then with up to three more:
/// half-way from the last number of which nearly all topics come back to the next one, half-way
/// from the number at which the number found stops growing, and with the number found itself.
pub(super) fn ask_halves(
    corpus: &Corpus,
    options: &Options,
    fits: &[SweepFit],
) -> Vec<FoundInHalves> {
    let (first, last) = (fits[0].n_topics, fits[fits.len() - 1].n_topics);
    let n_splits = n_splits(corpus, options);
    let grid = grid(first, last);
    let Some(mut counted) = count(corpus, options, &grid, n_splits) else { return Vec::new() };
    let mut between: Vec<usize> = [all_found(&counted), reached(&counted)]
        .into_iter()
        .flatten()
        .filter_map(|k| {
            let next = grid.iter().find(|other| **other > k)?;
            Some(k.midpoint(*next)).filter(|middle| *middle > k)
        })
        .collect();
    let found = choice::n_topics(&counted);
    between.extend((found > first && !grid.contains(&found)).then_some(found));
    between.sort_unstable();
    between.dedup();
    counted.extend(count(corpus, options, &between, n_splits).into_iter().flatten());
    counted.sort_by_key(|found| found.n_topics);
    counted
}

/// Numbers of topics that grow by a half, both ends among them.
fn grid(first: usize, last: usize) -> Vec<usize> {
    let mut numbers = vec![first];
    let mut number = first;
    while number < last {
        number = (number * 3).div_ceil(2).max(number + 1).min(last);
        numbers.push(number);
    }
    numbers
}

/// The largest number of topics of which nearly all are found again.
fn all_found(counted: &[FoundInHalves]) -> Option<usize> {
    let nearly = |c: &&FoundInHalves| c.n_found >= NEARLY_ALL * c.n_topics as f64;
    counted.iter().rev().find(nearly).map(|c| c.n_topics)
}

/// The recommended range. Where documents follow the model: from the smallest number of topics that
/// predicts as well as the best, to the number of clear directions. In text: from the largest
/// number of topics of which nearly all come back in halves, to the number that come back at all, and two topics
/// where none does: directions do not count topics there.
pub(super) fn recommend(
    fits: &[SweepFit],
    n_clear: Option<usize>,
    counted: &[FoundInHalves],
    follows_model: bool,
) -> Recommendation {
    let (first, last) = (fits[0].n_topics, fits[fits.len() - 1].n_topics);
    let best = best(fits).map(|i| fits[i].n_topics);
    let as_good = fits
        .iter()
        .find(|fit| fit.behind.is_some_and(|[behind, error]| behind <= error))
        .map(|fit| fit.n_topics);
    let all_found = all_found(counted);
    let n_found = (!counted.is_empty()).then(|| choice::n_topics(counted));
    let (low, high) = match n_found.filter(|_| !follows_model) {
        Some(0) => (2.clamp(first, last), 2.clamp(first, last)),
        Some(found) => {
            let high = found.clamp(first, last);
            (all_found.unwrap_or(first).min(high), high)
        }
        None => {
            let ceiling = n_clear.unwrap_or(last).clamp(first, last);
            (as_good.unwrap_or(first).min(ceiling), ceiling)
        }
    };
    let plateau_beyond = plateau_is_beyond(counted);
    Recommendation {
        low,
        high,
        n_clear,
        best,
        as_good,
        all_found,
        n_found,
        plateau_beyond,
        follows_model,
    }
}
