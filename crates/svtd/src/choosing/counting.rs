//! How many topics text supports: as many as are found again.
//!
//! The same number of topics is fitted to two independent halves of the documents, and their topics are matched.
//! With too few topics, true topics must merge, differently in each half; with too many, the true ones are found in
//! both while the rest is chance. So the number found in both halves grows with the number fitted and stops at the
//! true number. It is a lower bound: topics with too few documents to be found in half of them are missing.
//!
//! This does not assume that words follow a model. Text repeats its words, and eigenvalues stand out of the noise
//! for that reason alone.
//!
//! # Cost
//! An approximate whitening and a cube of each half for all numbers of topics, then for each number a rotation and
//! a few passes of collapsed variational Bayes (or steps of EM) of each half.

use serde::{Deserialize, Serialize};

use super::choice;
use super::noise::PART_TOLERANCE;
use super::sweep::Passes;
use crate::corpus::Corpus;
use crate::fit::collapsed_vb::{self, Prior};
use crate::fit::em;
use crate::fit::options::Options;
use crate::fit::smoothing::Smoothing;
use crate::fit::spectral::{frequencies, lift, to_vocabulary};
use crate::linalg::Matrix;
use crate::model::diagnostics::Standing;
use crate::trust::found_again::{self, Returned};

/// Number of passes or EM steps after which halves can be compared.
const ENOUGH_STEPS: usize = 8;

/// The smallest number of documents for each topic; with fewer, what halves share is chance.
const DOCUMENTS_PER_TOPIC: usize = 20;

/// The numbers of topics fitted first.
const FIRST: [usize; 6] = [3, 5, 8, 12, 18, 27];

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

/// Fits each of these numbers of topics, ascending, to halves; `None` when they cannot be fitted, or there are too
/// few words to tell.
pub(crate) fn count(
    corpus: &Corpus,
    options: &Options,
    numbers: &[usize],
    n_splits: usize,
) -> Option<Vec<FoundInHalves>> {
    let mut sums = vec![(0.0, 0.0); numbers.len()];
    let most = *numbers.last()?;
    if corpus.n_present() < found_again::LEAST_WORDS {
        return None;
    }
    for split in 0..n_splits {
        let halves = found_again::deal(corpus, split)?;
        let parts = halves.map(|half| corpus.part(half));
        let passes = |half: usize| {
            let options = options.of_part(&parts[half].1);
            let counting = choice::counting(&options);
            Passes::with(counting, &parts[half].0, &options, most, PART_TOLERANCE).ok()
        };
        let passes = [passes(0)?, passes(1)?];
        for (sum, &k) in sums.iter_mut().zip(numbers) {
            let both = (|| learned(&passes[0], k), || learned(&passes[1], k));
            let (first, second) = found_again::one_by_one(corpus, both.0, both.1);
            let shared = found_again::shared_words(first, second, corpus.n_present());
            let is_found =
                |r: &&Returned| Standing::of(r.words, r.by_chance) != Standing::NotFoundAgain;
            let n_found = shared.iter().filter(is_found).count() as f64;
            let mean = shared.iter().map(|r| r.words).sum::<f64>() / k as f64;
            *sum = (sum.0 + n_found, sum.1 + mean);
        }
    }
    let of = |(&n_topics, (found, words)): (&usize, (f64, f64))| FoundInHalves {
        n_topics,
        n_found: found / n_splits as f64,
        mean_words: words / n_splits as f64,
    };
    Some(numbers.iter().zip(sums).map(of).collect())
}

/// Fits more topics until no more are found, up to a limit.
pub(crate) fn up_to_the_plateau(
    corpus: &Corpus,
    options: &Options,
    limit: usize,
    n_splits: usize,
) -> Option<Vec<FoundInHalves>> {
    let limit = limit.min((corpus.n_documents() / DOCUMENTS_PER_TOPIC).max(2));
    let mut numbers: Vec<usize> = FIRST.into_iter().filter(|k| *k < limit).collect();
    if limit <= FIRST[FIRST.len() - 1] {
        numbers.push(limit);
    }
    let mut counted = count(corpus, options, &numbers, n_splits)?;
    while let Some(next) = next(&counted, limit) {
        match count(corpus, options, &[next], n_splits) {
            Some(more) => counted.extend(more),
            // No more topics can be fitted to half of the documents.
            None => break,
        }
    }
    Some(counted)
}

/// The next number to fit; `None` once the number found has stopped growing.
fn next(counted: &[FoundInHalves], limit: usize) -> Option<usize> {
    let last = counted.last()?.n_topics;
    (!has_settled(counted) && last < limit).then(|| (last * 3).div_ceil(2).min(limit))
}

/// Whether more topics hardly find more: at most 15 % more after the last two steps, or at most 5 % more after the
/// last one with about twice as many fitted as found.
fn has_settled(counted: &[FoundInHalves]) -> bool {
    let found = |back: usize| {
        let place = counted.len().checked_sub(1 + back)?;
        Some(counted[..=place].iter().map(|c| c.n_found).fold(0.0, f64::max))
    };
    let Some(last) = counted.last() else { return false };
    let flat = found(2).is_some_and(|before| last.n_found <= SLOW * before);
    let twice = last.n_topics as f64 >= 1.9 * plateau(counted);
    flat || twice && found(1).is_some_and(|before| last.n_found <= 1.05 * before)
}

/// The number of topics that are found again however many are fitted: the median of all numbers found, from the
/// first one that is within 15 % of the largest.
pub(crate) fn plateau(counted: &[FoundInHalves]) -> f64 {
    let most = counted.iter().map(|c| c.n_found).fold(0.0, f64::max);
    let nearly = |c: &&FoundInHalves| SLOW * c.n_found < most;
    let mut found: Vec<f64> = counted.iter().skip_while(nearly).map(|c| c.n_found).collect();
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

/// The number found again if `n_topics` are fitted, read off a straight line between the numbers that were fitted.
pub(crate) fn found_of(counted: &[FoundInHalves], n_topics: usize) -> Option<f64> {
    let above = counted.iter().position(|c| c.n_topics >= n_topics)?;
    let after = &counted[above];
    let before = above.checked_sub(1).map(|at| &counted[at]);
    let Some(before) = before.filter(|_| after.n_topics > n_topics) else {
        return Some(after.n_found);
    };
    let way = (n_topics - before.n_topics) as f64 / (after.n_topics - before.n_topics) as f64;
    Some(before.n_found + way * (after.n_found - before.n_found))
}

/// Whether more may be found if more are fitted.
pub(crate) fn plateau_is_beyond(counted: &[FoundInHalves]) -> bool {
    !counted.is_empty() && !has_settled(counted)
}

/// "Nearly all" topics means at least this share of them.
pub(crate) const NEARLY_ALL: f64 = 0.9;

/// The number found has stopped growing when it grows by less than this factor over the last steps.
const SLOW: f64 = 1.15;

/// `k` topics of a half, in vocabulary order.
fn learned(passes: &Passes<'_>, k: usize) -> Matrix {
    let k = k.min(passes.whitening().n_topics());
    let model = passes.model(passes.rotated(k), None);
    let corpus = passes.corpus();
    let words = &corpus.word_of_feature()[..corpus.n_present()];
    let topics = model.topics();
    let start = Matrix::from_fn(words.len(), topics.len(), |i, j| {
        topics.word_topic()[(words[i] as usize, j)]
    });
    let learned = if passes.is_lda() {
        let prior = Prior::of_text(words.len());
        collapsed_vb::polish(corpus, &start, &prior, ENOUGH_STEPS, &|_| {}).word_topic
    } else {
        let smoothing = Smoothing::Estimated;
        let how = em::EmOptions { smoothing, max_steps: ENOUGH_STEPS, until_settled: false };
        let (weights, _) = lift(topics.weights());
        em::polish(corpus, &start, &weights, &frequencies(corpus), how, &|_| {}).word_topic
    };
    to_vocabulary(corpus, &learned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn the_number_found_stops_at_the_number_there_are() {
        let source = LdaSource::zipf(800, 6, 5.0, 200.0, 1.0, 3);
        let corpus = source.draw_bursty(1200, &Lengths::Uniform(60..=120), 100.0, 4);
        let mut options = Options::new(1);
        options.alpha0 = Some(1.0);
        let counted = up_to_the_plateau(&corpus, &options, 100, 2).unwrap();
        assert!((5..=7).contains(&n_topics(&counted)), "{counted:?}");
        assert!(counted.last().unwrap().n_topics >= 12 && !plateau_is_beyond(&counted));
        let few = up_to_the_plateau(&corpus, &options, 4, 1).unwrap();
        assert_eq!(few.iter().map(|c| c.n_topics).collect::<Vec<usize>>(), [3, 4]);
    }

    #[test]
    fn it_is_asked_for_more_while_more_are_found() {
        let counted = |pairs: &[(usize, f64)]| -> Vec<FoundInHalves> {
            let one = |&(n_topics, n_found): &(usize, f64)| FoundInHalves {
                n_topics,
                n_found,
                mean_words: 5.0,
            };
            pairs.iter().map(one).collect()
        };
        let growing = counted(&[(12, 10.0), (18, 15.0), (27, 20.0)]);
        assert_eq!(next(&growing, 100), Some(41));
        assert_eq!(next(&growing, 27), None);
        assert!(plateau_is_beyond(&growing));
        let flat = counted(&[(8, 8.0), (12, 10.5), (18, 10.0), (27, 11.5)]);
        assert_eq!(next(&flat, 100), None);
        assert_eq!((n_topics(&flat), plateau_is_beyond(&flat)), (10, false));
        let short = counted(&[(2, 2.0), (3, 3.0), (5, 4.0), (8, 4.0)]);
        assert_eq!((n_topics(&short), plateau_is_beyond(&short)), (4, false));
        assert_eq!((n_topics(&[]), plateau_is_beyond(&[])), (0, false));
        // Ten come back with twelve fitted, of eight about eight, of ten nine or so.
        assert_eq!((reached(&flat), reached(&[])), (Some(12), None));
        assert_eq!((found_of(&flat, 8), found_of(&flat, 10)), (Some(8.0), Some(9.25)));
        assert_eq!((found_of(&flat, 2), found_of(&flat, 28)), (Some(8.0), None));
    }
}
