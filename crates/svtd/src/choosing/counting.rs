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
//! a few sweeps of collapsed variational Bayes (or steps of EM) of each half.

use super::shared::Shared;
use crate::corpus::Corpus;
use crate::decomposition::ReadOff;
use crate::fit::collapsed_vb::{self, Prior};
use crate::fit::contest::ENOUGH_SWEEPS;
use crate::fit::em;
use crate::linalg::Matrix;
use crate::model::choice::has_settled;
use crate::model::features::{frequencies, lift, to_vocabulary};
use crate::model::{FoundInHalves, Kind, Options, Smoothing};
use crate::noise::PART_TOLERANCE;
use crate::trust::found_again;

/// With fewer words topics are not counted by what comes back: among forty words one in ten invented topics would count
/// (`benches/record/found_again.md`).
const WORDS_TO_COUNT: usize = 100;

/// The smallest number of documents for each topic that is fitted to halves (`benches/record/found_again.md`).
const DOCUMENTS_PER_TOPIC: usize = 5;

/// The numbers of topics fitted to halves first; [`FEWEST`] comes before them where documents are few.
const FIRST: [usize; 6] = [3, 5, 8, 12, 18, 27];
const FEWEST: usize = 2;

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
    if corpus.n_present() < WORDS_TO_COUNT {
        return None;
    }
    for split in 0..n_splits {
        let halves = found_again::deal(corpus, split)?;
        let parts = halves.map(|half| corpus.part(half));
        let shared = |half: usize| {
            let options = options.of_part(&parts[half].1);
            let counting = options.counting();
            Shared::with(counting, &parts[half].0, &options, most, PART_TOLERANCE).ok()
        };
        let shared = [shared(0)?, shared(1)?];
        for (sum, &k) in sums.iter_mut().zip(numbers) {
            let both = (|| learned(&shared[0], k), || learned(&shared[1], k));
            let (first, second) = found_again::one_by_one(corpus, both.0, both.1);
            let common = found_again::shared_words(first, second, corpus.n_present());
            let n_found = common.iter().filter(|returned| returned.is_found()).count() as f64;
            let mean = common.iter().map(|r| r.words).sum::<f64>() / k as f64;
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
    let limit = limit.min((corpus.n_documents() / DOCUMENTS_PER_TOPIC).max(FEWEST));
    let mut numbers: Vec<usize> = FIRST.into_iter().filter(|k| *k < limit).collect();
    if limit == FIRST[0] {
        numbers.push(FEWEST);
    }
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

/// `k` topics of a half, in vocabulary order.
fn learned(shared: &Shared<'_>, k: usize) -> Matrix {
    let k = k.min(shared.whitening().n_topics());
    let model = shared.model(shared.rotated(k), ReadOff::Columns);
    let corpus = shared.corpus();
    let words = &corpus.word_of_feature()[..corpus.n_present()];
    let topics = model.topics();
    let start = Matrix::from_fn(words.len(), topics.len(), |i, j| {
        topics.word_topic()[(words[i] as usize, j)]
    });
    let learned = match shared.kind() {
        Kind::Lda => {
            let prior = Prior::of_text(words.len());
            collapsed_vb::polish(corpus, &start, &prior, ENOUGH_SWEEPS, &|_| {}).word_topic
        }
        Kind::SingleTopic => {
            let how = em::EmOptions::to_compare(Smoothing::Estimated);
            let (weights, _) = lift(topics.weights());
            em::polish(corpus, &start, &weights, &frequencies(corpus), how, &|_| {}).word_topic
        }
    };
    to_vocabulary(corpus, &learned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::choice::{found_of, n_topics, plateau_is_beyond, reached};
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn the_number_found_stops_at_the_number_there_are() {
        let source = LdaSource::zipf(800, 6, 5.0, 200.0, 1.0, 3);
        let corpus = source.draw_bursty(1200, &Lengths::Uniform(60..=120), 100.0, 4);
        let options = Options::of(Kind::Lda, 1);
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
        // From 93 to the limit of 100 is no step: 30 topics came back where 62 showed 24.
        let limited = counted(&[(41, 19.0), (62, 24.0), (93, 30.0), (100, 30.0)]);
        assert_eq!((n_topics(&limited), plateau_is_beyond(&limited)), (30, true));
        // Ten come back with twelve fitted, of eight about eight, of ten nine or so.
        assert_eq!((reached(&flat), reached(&[])), (Some(12), None));
        assert_eq!((found_of(&flat, 8), found_of(&flat, 10)), (Some(8.0), Some(9.25)));
        // Outside of the numbers that were fitted nothing is known.
        assert_eq!((found_of(&flat, 2), found_of(&flat, 28)), (None, None));
    }
}
