//! Compares numbers of topics, all from the same passes over the data.
//!
//! The columns of `W` and `E` do not depend on how many there are, so the whitened cube of `k` topics
//! is the leading block of the cube of `K` topics: one whitening and one cube serve every `k` up to
//! `K`, and each `k` costs only its own joint diagonalisation (`k^4`) and its own columns. Beside the
//! models, for every `k`:
//!
//! * how well held-out documents are completed by the model fitted without them, per token, with
//!   topics mixed with 1% of the corpus so that no word is impossible;
//! * the coherence (NPMI of the ten likeliest words) of that model in the held-out documents;
//! * exclusivity: the share of a topic's ten likeliest words' probability that is its own;
//! * for some numbers of topics, how many of them come back in independent halves of the documents, and
//!   how well ([`counting`](crate::choosing::counting));
//! * which topic the new one came from, and the cross-validated eigenvalues with their z-scores.
//!
//! # What is fitted
//! Spectral models, as by [`Polish::None`]: what the moments alone say. A polish is a pass over the
//! data for every `k` and step, which is for the `k` that is chosen in the end.
//!
//! What is judged without the held-out documents is found only as well as a comparison needs it:
//! rough directions, the rotation from that of all documents, topics read off as columns ([`held_out`]).
//!
//! # Cost
//! Whitening and cube of all documents, rough ones without those held out, and the z-scores. The `k^4`
//! of all diagonalisations together is that of the largest times `K/5`. Documents of one topic each
//! need a pass over the counts for every `k` as well. Measured in `benches/record/choosing.md`.

mod held_out;
mod reasons;
mod recommendation;
mod splits;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::held_out::{HeldOut, Judged, Parts};
pub use self::recommendation::Recommendation;
use self::recommendation::{ask_halves, recommend};
use self::splits::{split, swept_topics};
use super::shared::Shared;
use crate::choosing::choice::{explained, is_text};
use crate::corpus::Corpus;
use crate::decomposition::Method;
use crate::error::{Error, Result};
use crate::fit::refusal;
use crate::memory;
use crate::model::diagnostics::n_clear;
use crate::model::topic::Topics;
use crate::model::{FoundInHalves, Model, Options, Polish};
use crate::moments::Counting;
use crate::noise::{CrossValidation, Score, cross_validated, n_folds};
use crate::trust;
use crate::whitening::{self, check_n_topics};

/// The largest number of folds on which directions are measured; each needs a whitening.
const MOST_FOLDS: usize = 3;

/// The largest number of models that are fitted in parallel and held in memory.
const ABREAST: usize = 8;

/// Number of likeliest words that represent a topic.
const TOP_WORDS: usize = 10;

/// A comparison of numbers of topics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The directions of the pair moment, up to the largest number of topics.
    pub directions: Vec<Direction>,
    /// The first eigenvalue that may be chance: the level of the noise. `None` when all are clear.
    pub noise_floor: Option<f64>,
    /// Documents that were held out.
    pub n_held_out: usize,
    /// The results for each number of topics, ascending.
    pub fits: Vec<SweepFit>,
    /// Which numbers of topics are recommended.
    pub recommendation: Recommendation,
    /// Why these numbers, in sentences; empty in files written before they were stored.
    #[serde(default)]
    pub reasons: Vec<String>,
}

/// A direction of the pair moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// Its eigenvalue in all documents, including overfitting.
    pub eigenvalue: f64,
    /// The same on documents that were not used to find it; `None` when half the corpus is too
    /// small.
    pub cross_validated: Option<f64>,
    /// The cross-validated eigenvalue divided by its standard error; above 3 the direction is called clear.
    pub z: Option<f64>,
}

/// The results for one number of topics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepFit {
    /// `k`.
    pub n_topics: usize,
    /// Mean log probability (natural) of a held-out token; `None` when nothing could be held out.
    pub log_likelihood: Option<f64>,
    /// Its standard error over the held-out documents.
    pub standard_error: Option<f64>,
    /// The difference of the log probability to the best `k`, and its standard error.
    pub behind: Option<[f64; 2]>,
    /// Mean NPMI of the topics in the held-out documents.
    pub npmi: Option<f64>,
    /// Exclusivity: the mean share of the likeliest words' probability that belongs to their topic.
    pub exclusivity: f64,
    /// How many topics are found in both of two independent halves of the documents, each fitted
    /// with `k` topics; `None` where halves were not fitted.
    pub halves: Option<FoundInHalves>,
    /// The new topic compared with one topic less; `None` where that was not fitted.
    pub split: Option<Split>,
    /// The topics, by falling weight; empty in files written before they were stored.
    #[serde(default)]
    pub topics: Vec<SweptTopic>,
}

/// A topic, and the topic from which it came when there was one topic less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweptTopic {
    /// Its weight.
    pub weight: f64,
    /// Its likeliest words.
    pub words: Vec<String>,
    /// The topic of one topic less that it continues, or for the new one the topic it was split
    /// from; from 0. `None` for the first number of topics.
    pub from: Option<usize>,
}

/// How one more topic came about. Topics are numbered from 0, by falling weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// The new topic.
    pub child: usize,
    /// The nearest topic among those with one topic less.
    pub parent: usize,
    /// Their L1 distance.
    pub distance: f64,
    /// Number of topics with one topic less that still exist.
    pub n_kept: usize,
}

/// Fits ascending numbers of topics and compares them.
pub(crate) fn sweep(
    corpus: &Corpus,
    options: &Options,
    numbers: &[usize],
    visit: &mut dyn FnMut(&Model),
) -> Result<Sweep> {
    refusal::elsewhere(corpus, options)?;
    memory::caught(|| swept(corpus, options, numbers, visit))
}

fn swept(
    corpus: &Corpus,
    options: &Options,
    numbers: &[usize],
    visit: &mut dyn FnMut(&Model),
) -> Result<Sweep> {
    let polish = options.polish;
    let (Some(&first), Some(&end)) = (numbers.first(), numbers.last()) else {
        return Err(numbers_needed("none"));
    };
    if !numbers.is_sorted_by(|a, b| a < b) {
        return Err(numbers_needed("numbers in another order"));
    }
    let options = Options { polish: Polish::None, trust: false, ..options.clone() };
    options.check()?;
    if options.method != Method::Joint {
        return Err(Error::Option {
            name: "the method of a sweep",
            needed: "joint, which can be read off the same cube for every number of topics"
                .to_owned(),
            found: "another".to_owned(),
        });
    }
    check_n_topics(first, corpus.n_present())?;
    let (corpus, options) = options.in_key_order(corpus)?;
    let corpus = &*corpus;
    let most = end.min(corpus.n_present());
    let all = Shared::new(corpus, &options, most, whitening::TOLERANCE)?;
    let eigenvalues = all.whitening().eigenvalues();
    let most = all.whitening().n_topics();
    if most < first {
        let ratio = eigenvalues.get(most).map_or(0.0, |value| value / eigenvalues[0]);
        return Err(Error::FewerTopicsVisible { asked: first, visible: most, ratio });
    }
    let n_folds = n_folds(corpus).min(MOST_FOLDS);
    let how =
        CrossValidation { counting: Counting::Raw, tolerance: trust::HALVES_TOLERANCE, n_folds };
    let scores = cross_validated(corpus, &options, most, how, &|_, _| {});
    let parts = Parts::of(corpus);
    let held_out = parts.as_ref().and_then(|parts| HeldOut::new(parts, &options, most));
    let mut fits = Vec::new();
    let mut all_judged = Vec::new();
    let mut last: Option<Topics> = None;
    let numbers: Vec<usize> = numbers.iter().copied().filter(|&k| k <= most).collect();
    // Questions to others are asked one after the other, in an order that does not depend on threads.
    let abreast = match corpus.is_elsewhere() {
        true => 1,
        false => rayon::current_num_threads().min(ABREAST),
    };
    for numbers in numbers.chunks(abreast) {
        let found = numbers.par_iter().map(|&k| {
            crate::stop::here();
            let rotated = all.rotated(k);
            let judged = held_out.as_ref().and_then(|held_out| held_out.judge(&all, &rotated));
            (all.model(rotated, all.usual()), judged)
        });
        for (&n_topics, (model, judged)) in numbers.iter().zip(found.collect::<Vec<_>>()) {
            visit(&model);
            let topics = model.topics();
            let divided = last
                .as_ref()
                .filter(|last| last.len() + 1 == topics.len())
                .map(|last| split(last.word_topic(), topics.word_topic()));
            let scores = judged.as_ref().map(|judged| &judged.scores.judgement);
            fits.push(SweepFit {
                n_topics,
                log_likelihood: scores.and_then(|scores| scores.log_likelihood()),
                standard_error: scores.and_then(|scores| scores.standard_error()),
                behind: None,
                npmi: None,
                exclusivity: exclusivity(topics),
                halves: None,
                split: divided.as_ref().map(|(split, _)| *split),
                topics: swept_topics(topics, divided.map(|(_, from)| from)),
            });
            all_judged.push(judged);
            last = Some(topics.clone());
        }
    }
    if let Some(held_out) = &held_out {
        compare(&mut fits, held_out, &all_judged);
    }
    let polished = Options { polish, ..options.clone() };
    let counted = ask_halves(corpus, &polished, &fits);
    for found in &counted {
        if let Some(fit) = fits.iter_mut().find(|fit| fit.n_topics == found.n_topics) {
            fit.halves = Some(*found);
        }
    }
    let n_held_out = held_out.map_or(0, |held_out| held_out.n_documents());
    let directions = directions(eigenvalues, scores.as_deref(), most);
    let z: Option<Vec<f64>> = directions.iter().map(|d| d.z).collect();
    let clear = z.as_deref().map(n_clear);
    let noise_floor = clear.and_then(|n| eigenvalues.get(n).copied());
    let explained = clear.and_then(|n| explained(corpus, &options, n.max(1)));
    let follows_model = !is_text(corpus, clear.unwrap_or(0), explained);
    let recommendation = recommend(&fits, clear, &counted, follows_model);
    let reasons = reasons::reasons(&recommendation, directions.len(), &counted, options.kind());
    Ok(Sweep { directions, noise_floor, n_held_out, fits, recommendation, reasons })
}

fn numbers_needed(found: &str) -> Error {
    Error::Option {
        name: "the numbers of topics of a sweep",
        needed: "one or more, each larger than the one before".to_owned(),
        found: found.to_owned(),
    }
}

/// The mean share of the likeliest words' probability that belongs to their topic.
fn exclusivity(topics: &Topics) -> f64 {
    let m = topics.word_topic();
    let share = |i: usize, j: usize| {
        let all: f64 = (0..m.n_columns()).map(|l| m[(i, l)]).sum();
        if all > 0.0 { m[(i, j)] / all } else { 0.0 }
    };
    let mean = |shares: Vec<f64>| shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    let topic = |topic: crate::model::Topic<'_>| {
        let words = topic.top_word_ids(TOP_WORDS);
        mean(words.into_iter().map(|i| share(i, topic.index())).collect())
    };
    mean(topics.iter().map(topic).collect())
}

/// Adds to each number of topics its coherence in the held-out documents, and by how much its
/// held-out score is below the best one, with the standard error of that difference over the
/// documents.
fn compare(fits: &mut [SweepFit], held_out: &HeldOut<'_>, judged: &[Option<Judged>]) {
    for (fit, npmi) in fits.iter_mut().zip(held_out.npmi(judged)) {
        fit.npmi = npmi;
    }
    let Some(best) = best(fits) else { return };
    for (fit, ahead) in fits.iter_mut().zip(held_out.ahead_of(judged, best)) {
        fit.behind = ahead.map(|ahead| [ahead.per_token, ahead.standard_error]);
    }
}

/// The best held-out likelihood; ties go to fewer topics.
fn best(fits: &[SweepFit]) -> Option<usize> {
    let score = |i: usize| fits[i].log_likelihood;
    let scored: Vec<usize> = (0..fits.len()).filter(|&i| score(i).is_some()).collect();
    scored.into_iter().reduce(|a, b| if score(b) > score(a) { b } else { a })
}

fn directions(values: &[f64], scores: Option<&[Score]>, most: usize) -> Vec<Direction> {
    let direction = |(j, &eigenvalue): (usize, &f64)| {
        let score = scores.and_then(|scores| scores.get(j));
        Direction {
            eigenvalue,
            cross_validated: score.map(|s| s.eigenvalue),
            z: score.map(|s| s.z),
        }
    };
    values[..most].iter().enumerate().map(direction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};
    use crate::{Lda, SingleTopic};

    const LENGTHS: Lengths = Lengths::NegativeBinomial { mean: 50.0, shape: 2.0 };

    fn corpora() -> [(Corpus, Options); 2] {
        let single = SingleTopicSource::zipf(300, 5, 5.0, 300.0, 20.0, 1).draw(1500, &LENGTHS, 2).0;
        let mixed = LdaSource::zipf(300, 5, 5.0, 300.0, 1.0, 3).draw(1500, &LENGTHS, 4).0;
        let unpolished = |kind| Options { polish: Polish::None, ..Options::of(kind, 1) };
        [(single, unpolished(Kind::SingleTopic)), (mixed, unpolished(Kind::Lda))]
    }

    #[test]
    fn the_cube_of_fewer_topics_is_the_leading_block_of_the_larger() {
        for (corpus, options) in &corpora() {
            let shared = Shared::new(corpus, options, 8, whitening::TOLERANCE).unwrap();
            for k in [1, 3, 7, 8] {
                let direct = shared.moments().third_whitened(shared.whitening().leading(k).basis());
                let block = shared.cube().leading(k);
                let largest = (0..k).map(|a| direct.get(a, a, a).abs()).fold(0.0, f64::max);
                for (a, b, c) in [(0, 0, 0), (0, k / 2, k - 1), (k - 1, k - 1, 0)] {
                    let difference = (direct.get(a, b, c) - block.get(a, b, c)).abs();
                    assert!(difference <= 1e-12 * largest, "{difference} of {largest}");
                }
            }
        }
    }

    #[test]
    fn a_model_of_the_sweep_is_that_of_a_fit_without_polish() {
        for (corpus, options) in &corpora() {
            let compared = |model: &Model| {
                let k = model.topics().len();
                let topics = match options.kind() {
                    Kind::SingleTopic => {
                        let params = SingleTopic::params(k).polish(Polish::None).trust(false);
                        params.fit(corpus).unwrap().topics().clone()
                    }
                    Kind::Lda => {
                        let params = Lda::params(k).polish(Polish::None).trust(false);
                        params.fit(corpus).unwrap().topics().clone()
                    }
                };
                let (ours, theirs) = (model.topics().word_topic(), topics.word_topic());
                let largest = ours.values().iter().zip(theirs.values());
                let largest = largest.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                // Eigenpairs are found to a tolerance of 1e-6; the rest is rounding.
                assert!(largest < 2e-5, "k = {k}: {largest}");
                for (a, b) in model.topics().weights().iter().zip(topics.weights()) {
                    assert!((a - b).abs() < 2e-5, "k = {k}: weights {a} {b}");
                }
            };
            let mut n = 0;
            sweep(corpus, options, &[2, 3, 4, 5, 6, 7], &mut |model| {
                compared(model);
                n += 1;
            })
            .unwrap();
            assert_eq!(n, 6);
        }
    }

    #[test]
    fn the_range_holds_the_truth_and_says_why() {
        for (corpus, options) in &corpora() {
            let found = sweep(corpus, options, &(1..=12).collect::<Vec<_>>(), &mut |_| {}).unwrap();
            let why = found.recommendation;
            assert_eq!(why.n_clear, Some(5), "{why:?}");
            assert!(why.low <= 5 && why.high >= 5 && why.high <= 6, "{why:?}");
            assert!(found.noise_floor.unwrap() < found.directions[4].eigenvalue);
            // The true topics come back in halves of the documents, and no others.
            assert!(why.all_found.is_some_and(|k| (4..=6).contains(&k)), "{why:?}");
            assert!(why.n_found.is_some_and(|n| (4..=6).contains(&n)), "{why:?}");
            assert!(why.follows_model, "{why:?}");
            let asked = found.fits.iter().filter(|fit| fit.halves.is_some()).count();
            assert!((5..=10).contains(&asked), "{asked}");
            assert!(found.fits[4].split.unwrap().child < 5);
            assert!(found.fits[0].split.is_none());
            // Every topic of five continues one of four, all of which go on.
            let from: Vec<usize> = found.fits[4].topics.iter().filter_map(|t| t.from).collect();
            assert_eq!(from.len(), 5);
            assert!((0..4).all(|parent| from.contains(&parent)), "{from:?}");
            let json = serde_json::to_string(&found).unwrap();
            assert_eq!(serde_json::from_str::<Sweep>(&json).unwrap(), found);
            assert!(found.fits.iter().all(|f| f.exclusivity > 0.0 && f.exclusivity <= 1.0));
            assert!(found.fits[4].log_likelihood > found.fits[0].log_likelihood);
        }
    }

    #[test]
    fn halves_are_also_asked_with_the_number_they_find() {
        let source = SingleTopicSource::zipf(300, 7, 5.0, 300.0, 20.0, 1);
        let corpus = source.draw(4000, &Lengths::Fixed(80), 2).0;
        let found = SingleTopic::params(1).sweep(&corpus, 2..=16, &mut |_| {}).unwrap();
        // The grid is 2, 3, 5, 8, 12, 16, and half-way from 5 lies 6.
        assert_eq!(found.recommendation.n_found, Some(7), "{:?}", found.reasons);
        assert!(found.fits[5].halves.is_some(), "{:?}", found.fits[5]);
        assert!(found.recommendation.all_found >= Some(7), "{:?}", found.reasons);
    }

    #[test]
    fn in_few_documents_with_bursts_directions_are_not_recommended() {
        let source = LdaSource::zipf(1500, 4, 5.0, 300.0, 1.0, 3);
        let corpus = source.draw_bursty(70, &Lengths::Uniform(1500..=6000), 200.0, 4);
        let found = Lda::params(1).sweep(&corpus, 2..=12, &mut |_| {}).unwrap();
        let why = found.recommendation;
        assert!(why.n_clear > Some(4) && !why.follows_model && why.high <= 4, "{why:?}");
        assert!(!found.reasons.iter().any(|why| why.contains("stand clearly")), "{found:?}");
    }

    #[test]
    fn more_topics_than_can_be_seen_are_left_out() {
        let mut builder = Corpus::builder(4);
        for _ in 0..30 {
            builder.push_document([(0, 3), (1, 2)]).unwrap();
            builder.push_document([(2, 4), (3, 1)]).unwrap();
        }
        let corpus = builder.build().unwrap();
        let found = SingleTopic::params(1).sweep(&corpus, 1..=4, &mut |_| {}).unwrap();
        assert_eq!(found.fits.last().unwrap().n_topics, 2);
        let refused = SingleTopic::params(1).sweep(&corpus, 3..=4, &mut |_| {});
        assert!(matches!(refused, Err(Error::FewerTopicsVisible { visible: 2, .. })));
    }
}
