//! Can this topic be trusted? How a fit estimates its own errors.
//!
//! Halves of the documents are fitted from scratch, and topics that are found in both halves are
//! reliable (`found_again`). In addition, the documents are dealt into twenty groups, and each
//! group is left out in turn (delete-a-group jackknife), without fitting anything again. The
//! spectral estimate consists of sums over documents, so a group is subtracted (`moments`); the
//! response of EM or of the sweeps is computed by linear algebra at their solution (`em`,
//! `sweeps`). That gives
//!
//! * a standard error for every word probability: `p ± 2.09 error` covers the truth in about 95 of
//!   100 cases ([`T_FACTOR`] is Student's t for 19 degrees of freedom);
//! * how far each topic moves, and in how many of the groups it becomes another topic.
//!
//! Beside it: the z-score of the directions a topic is made of (`noise`), the topic
//! nearest to it, and whether few documents hold most of its evidence.
//!
//! # Cost
//! Half a fit to two fits; less above ten million counts, and more where a fit takes a fraction of
//! a second. Measured in `benches/record/found_again.md`.

mod bursts;
pub(crate) mod drift;
mod em;
mod end;
mod feedback;
pub(crate) mod found_again;
mod groups;
mod holdings;
mod moments;
mod pull;
mod redraw;
#[cfg(test)]
mod refits;
mod settled;
mod simulation;
mod spread;
mod sweeps;
mod without;

pub(crate) use self::em::held_words;
pub use self::groups::GROUPS;
use self::groups::Groups;
pub(crate) use self::holdings::Holdings;
pub(crate) use self::moments::{Frame, held_pairs, torque_sums};
use crate::corpus::Corpus;
use crate::decomposition::{Method, ReadOff};
use crate::evaluation::l1_distances_among;
use crate::fit::spectral::{Estimate, Evidence, Spectral};
use crate::fit::stage::{Stage, Step};
use crate::fit::workload::{Workload, usual_splits};
use crate::linalg::Matrix;
use crate::model::diagnostics::{
    Driven, EMPTY, Halves, Nearest, PolishOutcome, Stability, TopicTrust,
};
use crate::model::features::frequencies;
use crate::model::{Kind, Options};
use crate::moments::Counting;
use crate::noise;

/// The 97.5 % quantile of Student's t with 19 degrees of freedom, for 95 % intervals.
pub const T_FACTOR: f64 = 2.09;

/// The tolerance of the directions of parts of the documents where only their z-scores are needed:
/// in `svtd sweep`, and in a fit whose halves are not fitted. Relative to the last eigenvalue;
/// sampling errors of a part are larger.
pub(crate) const HALVES_TOLERANCE: f64 = 0.3;

/// How a model is fitted, as far as the checks need to know.
pub(crate) struct Refitting<'a> {
    /// How its topics are computed from a rotation.
    pub usual: ReadOff,
    /// How words are counted.
    pub counting: Counting,
    /// Fits a part of the documents from scratch.
    pub learn: &'a found_again::Learn<'a>,
    /// The kind of model.
    pub kind: Kind,
}

/// Assesses an estimate before its topics are ordered.
pub(crate) fn assess(
    corpus: &Corpus,
    frame: &Frame<'_>,
    spectral: &Spectral,
    estimate: &Estimate,
    options: &Options,
    refitting: &Refitting<'_>,
    watch: &dyn Fn(Step),
) -> Evidence {
    watch(Stage::Trust.into());
    let progress = |done, of| watch(Step::new(Stage::Trust, done, of + 1));
    let &Refitting { usual, counting, learn, kind } = refitting;
    let mixed = kind == Kind::Lda;
    let k = spectral.whitening.n_topics();
    let n_splits = options.splits.unwrap_or_else(|| {
        let alone = Options { trust: false, ..options.clone() };
        usual_splits(Workload::new(&alone, corpus.into()).operations())
    });
    let directions = (k, counting);
    let found =
        found_again::look(corpus, &estimate.word_topic, n_splits, learn, directions, &progress);
    let (halves, z_scores) = match found {
        Some(found) => (found.topics, found.z_scores),
        None => {
            let how = noise::CrossValidation { counting, tolerance: HALVES_TOLERANCE, n_folds: 2 };
            (None, noise::z_scores(corpus, options, k, how, &|_, _| {}))
        }
    };
    let left = Groups::deal(corpus).and_then(|groups| match estimate.polish {
        PolishOutcome::Em { .. } | PolishOutcome::Sweeps { .. } => leave_out(&groups, estimate),
        _ if options.method == Method::Joint => {
            let whole = &spectral.recovered.word_topic;
            let (errors, changes) = match usual {
                ReadOff::Columns => frame.columns(spectral, &groups, whole)?,
                ReadOff::Diagonals(_) => frame.rows(spectral, &groups, whole),
            };
            Some(Left { errors, changes, holdings: frame.holdings(spectral) })
        }
        _ => None,
    });
    let (errors, changes, driven): (_, _, Vec<Driven>) = match left {
        Some(Left { errors, changes, holdings }) => {
            let driven = (0..errors.n_columns()).map(|j| holdings.driven(j)).collect();
            (Some(bounded(errors)), Some(changes), driven)
        }
        None => {
            let holdings = frame.holdings(spectral);
            (None, None, spectral.kept.iter().map(|&j| holdings.driven(j)).collect())
        }
    };
    let distances = l1_distances_among(&estimate.word_topic);
    let documents = estimate.documents_of(corpus.n_documents() as f64);
    let judged = |j: usize| TopicTrust {
        z: z_scores.as_ref().map(|z| z_of(spectral, j, z)),
        nearest: nearest(&distances, j),
        driven: driven[j].clone(),
        halves: halves.as_ref().map(|halves| {
            // A topic without documents has the words of the corpus, which are found in every half.
            let held_by_few = mixed && driven[j].is_by_few();
            match documents[j] < EMPTY {
                true => Halves { found_again: 0.0, close: false, held_by_few, ..halves[j] },
                false => Halves { held_by_few, ..halves[j] },
            }
        }),
        stability: errors
            .as_ref()
            .zip(changes.as_ref())
            .map(|(errors, changes)| stability(errors.column(j), changes.column(j))),
    };
    let topics = (0..estimate.topic_weights.len()).map(judged).collect();
    // Where the data chose the number, the choice has said which directions count, by other folds.
    let unclear = z_scores.as_deref().filter(|_| options.chosen.is_none()).and_then(noise::note);
    let notes = [unclear, found_again::note(corpus), groups::note(corpus)];
    Evidence { z_scores, errors, topics, notes: notes.into_iter().flatten().collect() }
}

/// Standard errors of the word probabilities of a polished estimate, features x topics; `None` where
/// documents are too few, or nothing was polished.
pub(crate) fn errors(corpus: &Corpus, estimate: &Estimate) -> Option<Matrix> {
    let groups = Groups::deal(corpus)?;
    let errors = bounded(leave_out(&groups, estimate)?.errors);
    errors.values().iter().all(|error| error.is_finite()).then_some(errors)
}

/// Errors of probabilities: none is larger than one, whatever the sums of extreme counts make of it.
fn bounded(mut errors: Matrix) -> Matrix {
    errors.for_each_column(|_, column| column.iter_mut().for_each(|error| *error = error.min(1.0)));
    errors
}

/// The delete-a-group jackknife of a polished estimate; `None` if nothing was polished.
fn leave_out(groups: &Groups<'_>, estimate: &Estimate) -> Option<Left> {
    match estimate.polish {
        PolishOutcome::Em { .. } => {
            Some(em::leave_out(groups, estimate, &frequencies(groups.corpus())))
        }
        PolishOutcome::Sweeps { sweeps, .. } => {
            let Estimate { word_topic, topic_weights, prior, .. } = estimate;
            let end = end::End { word_topic, topic_weights, prior: prior.as_ref()? };
            Some(sweeps::leave_out(groups, &end, sweeps))
        }
        PolishOutcome::None | PolishOutcome::Declined { .. } => None,
    }
}

/// Results of the delete-a-group jackknife.
struct Left {
    /// Standard errors, features x topics.
    errors: Matrix,
    /// The L1 distance by which each topic (column) moves without each group (row).
    changes: Matrix,
    /// A histogram of how much each document contributes to each topic.
    holdings: Holdings,
}

/// The z-score of topic `j`: the mean of its directions' z-scores, weighted by their share in it.
fn z_of(spectral: &Spectral, j: usize, z_scores: &[f64]) -> f64 {
    let column = spectral.decomposition.rotation.column(spectral.kept[j]);
    let total: f64 = column.iter().map(|o| o * o).sum();
    column.iter().zip(z_scores).map(|(o, z)| o * o * z).sum::<f64>() / total
}

/// The topic with the smallest L1 distance to topic `j`, given the distances between all topics.
fn nearest(distances: &Matrix, j: usize) -> Option<Nearest> {
    (0..distances.n_columns())
        .filter(|&other| other != j)
        .map(|topic| Nearest { topic, distance: distances[(topic.max(j), topic.min(j))] })
        .min_by(|a, b| a.distance.total_cmp(&b.distance))
}

fn stability(errors: &[f64], changes: &[f64]) -> Stability {
    // The mean of |e| for a normal e is sqrt(2/pi) of its deviation.
    let expected = std::f64::consts::FRAC_2_PI.sqrt() * errors.iter().sum::<f64>();
    Stability {
        expected_error: expected.min(2.0),
        mean_change: changes.iter().sum::<f64>() / changes.len() as f64,
        largest_change: changes.iter().copied().fold(0.0, f64::max),
        n_changed: changes.iter().filter(|change| **change > CHANGED).count(),
        n_groups: changes.len(),
    }
}

/// A topic that moves further than this in L1 when a twentieth of the documents is left out has
/// become another topic: such topics are wrong by a half on average (`benches/record/calibration.md`).
const CHANGED: f64 = 0.1;
