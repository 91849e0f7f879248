//! The questions of a learner.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::choosing::{Deal, DealRequest, Directions, HeldOutRequest};
use super::leaving::LeavingRequest;
use super::moments::{Counting, Law, Rows, SliceRequest, Weighing};
use super::part::KeyPart;
use super::sweeps::{Look, LookRequest, Order};
use super::trust::{FeedbackRequest, Holding, Redrawing, Settling};
use crate::linalg::Matrix;

/// A question about documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Which documents it is about, by their keys.
    pub(crate) part: KeyPart,
    /// The number of blocks into which the documents of all holders are cut.
    pub(crate) n_blocks: usize,
    /// The words in the order in which they are numbered: those that occur, or all. None in a survey,
    /// which finds them.
    pub(crate) words: Arc<[String]>,
    pub(crate) request: Request,
    /// Set if the question is about simulated documents instead of the real ones.
    pub(crate) redrawing: Option<Arc<Redrawing>>,
    /// The digest of the survey of the documents that should answer; `None` where the caller makes
    /// sure that the same documents answer every question.
    pub(crate) asked_of: Option<String>,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Request {
    /// Words, sizes and facts.
    Survey,
    /// Sums over the lengths.
    Lengths(Counting),
    /// Sums over the documents of their weights under a law, before normalisation.
    Totals(Counting, Law),
    /// Weighted counts of the words.
    Weighted(Counting, Weighing),
    /// `X'(w2 o XQ)`.
    Pairs(Counting, Weighing, Matrix),
    /// The third moment, whitened by `W`.
    Cube(Counting, Weighing, Matrix),
    /// The two products of Section 2.4 for the columns of `V`.
    Squares(Counting, Weighing, Matrix),
    /// The sums behind slices of the third moment, for a range of words.
    Slices(Counting, Weighing, SliceRequest),
    /// The sums behind the third moment along a direction of the words, whitened by `W`.
    Towards(Counting, Weighing, Matrix, Vec<f64>),
    /// The posteriors under topics, given their logarithms, with the topics' weights.
    Expectation(Matrix, Vec<f64>),
    /// How posteriors change when the words of a document are left out of the counts of small topics.
    Leaving(LeavingRequest),
    /// One step of collapsed variational Bayes.
    Look(LookRequest),
    /// New keys of the words, given the present ones: the key of a word is a hash of the documents that contain it. So
    /// words without names get different keys.
    WordKeys(Vec<u64>),
    /// How well models predict words of held-out documents.
    HeldOut(HeldOutRequest),
    /// In how many documents two words of a list occur, for some lists of words.
    Together(Vec<Vec<u32>>),
    /// A step of assigning documents to topics.
    Deal(DealRequest),
    /// The third moment of documents along pairs of directions.
    Torques(Counting, Weighing, Matrix, Matrix),
    /// The variance of documents along directions of the pair moment.
    Directions(Counting, Weighing, Directions),
    /// A histogram of how much each document contributes to each topic.
    Holdings(Holding),
    /// The sums of converged mixtures under given topics.
    Settled(Settling),
    /// How posteriors respond to a change of the topics.
    Feedback(FeedbackRequest),
    /// A fingerprint of the documents, with words in this order.
    Digest,
}

/// The part of a request without its tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub(crate) enum Named {
    Survey,
    Lengths { counting: Counting },
    Totals { counting: Counting, law: Law },
    Weighted { counting: Counting, weighing: Weighing },
    Pairs { counting: Counting, weighing: Weighing },
    Cube { counting: Counting, weighing: Weighing },
    Squares { counting: Counting, weighing: Weighing },
    Slices { counting: Counting, weighing: Weighing, rows: Rows, from: usize, to: usize },
    Towards { counting: Counting, weighing: Weighing },
    Expectation,
    Leaving { small: Vec<usize>, total: f64 },
    Look { look: Look, order: Order, run: u64, turn: u64 },
    WordKeys,
    HeldOut { models: usize, numbered: bool, single_topic: bool },
    Together,
    Deal { run: u64, turn: u64, step: NamedDeal },
    Torques { counting: Counting, weighing: Weighing },
    Directions { counting: Counting, weighing: Weighing, a1: f64, clear: Option<Vec<usize>> },
    HoldingsOfPairs { counting: Counting, weighing: Weighing },
    HoldingsOfPosteriors,
    HoldingsOfSettled(NamedSettling),
    Settled(NamedSettling),
    Feedback { clamped: bool },
    Digest,
}

/// The part of a [`Deal`] without its tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NamedDeal {
    Begin,
    Ask { strength: f64 },
    Keep { topics: Vec<usize> },
    Best,
    Next { from: usize, to: usize },
}

impl Deal {
    fn named(&self) -> NamedDeal {
        match self {
            Deal::Begin(..) => NamedDeal::Begin,
            Deal::Ask(others) => NamedDeal::Ask { strength: others.strength },
            Deal::Keep(topics) => NamedDeal::Keep { topics: topics.clone() },
            Deal::Best => NamedDeal::Best,
            Deal::Next(topics) => NamedDeal::Next { from: topics.start, to: topics.end },
        }
    }
}

/// The part of a [`Settling`] without its tables.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NamedSettling {
    pub order: Order,
    pub stages: usize,
    pub nudge: f64,
}

impl Settling {
    pub(crate) fn named(&self) -> NamedSettling {
        NamedSettling { order: self.order, stages: self.stages.len(), nudge: self.nudge }
    }
}

impl Request {
    /// Its name, and its numbers that are not tables.
    pub(crate) fn named(&self) -> Named {
        match self {
            Request::Survey => Named::Survey,
            Request::Lengths(counting) => Named::Lengths { counting: *counting },
            Request::Totals(counting, law) => Named::Totals { counting: *counting, law: *law },
            Request::Weighted(counting, weighing) => {
                Named::Weighted { counting: *counting, weighing: *weighing }
            }
            Request::Pairs(counting, weighing, _) => {
                Named::Pairs { counting: *counting, weighing: *weighing }
            }
            Request::Cube(counting, weighing, _) => {
                Named::Cube { counting: *counting, weighing: *weighing }
            }
            Request::Squares(counting, weighing, _) => {
                Named::Squares { counting: *counting, weighing: *weighing }
            }
            Request::Slices(counting, weighing, SliceRequest { rows, features, .. }) => {
                let (from, to) = (features.start, features.end);
                Named::Slices { counting: *counting, weighing: *weighing, rows: *rows, from, to }
            }
            Request::Towards(counting, weighing, ..) => {
                Named::Towards { counting: *counting, weighing: *weighing }
            }
            Request::Expectation(..) => Named::Expectation,
            Request::Leaving(LeavingRequest { small, total, .. }) => {
                Named::Leaving { small: small.clone(), total: *total }
            }
            Request::Look(LookRequest { look, order, run, turn, .. }) => {
                Named::Look { look: *look, order: *order, run: *run, turn: *turn }
            }
            Request::WordKeys(_) => Named::WordKeys,
            Request::HeldOut(HeldOutRequest { models, keys, single_topic, .. }) => {
                let (models, numbered) = (models.len(), keys.is_some());
                Named::HeldOut { models, numbered, single_topic: *single_topic }
            }
            Request::Together(_) => Named::Together,
            Request::Deal(DealRequest { run, turn, deal }) => {
                Named::Deal { run: *run, turn: *turn, step: deal.named() }
            }
            Request::Torques(counting, weighing, ..) => {
                Named::Torques { counting: *counting, weighing: *weighing }
            }
            Request::Directions(counting, weighing, Directions { a1, conjugate, .. }) => {
                let clear = conjugate.as_ref().map(|conjugate| conjugate.clear.clone());
                Named::Directions { counting: *counting, weighing: *weighing, a1: *a1, clear }
            }
            Request::Holdings(Holding::Pairs(counting, weighing, _)) => {
                Named::HoldingsOfPairs { counting: *counting, weighing: *weighing }
            }
            Request::Holdings(Holding::Posteriors(..)) => Named::HoldingsOfPosteriors,
            Request::Holdings(Holding::Settled(settling)) => {
                Named::HoldingsOfSettled(settling.named())
            }
            Request::Settled(settling) => Named::Settled(settling.named()),
            Request::Feedback(FeedbackRequest { clamped, .. }) => {
                Named::Feedback { clamped: *clamped }
            }
            Request::Digest => Named::Digest,
        }
    }
}

impl Question {
    /// The first question: words, sizes and facts.
    pub fn first() -> Self {
        Self::survey(KeyPart::all())
    }

    /// The survey of a part of the documents.
    pub(crate) fn survey(part: KeyPart) -> Self {
        Self {
            part,
            n_blocks: 1,
            words: Arc::from([]),
            request: Request::Survey,
            redrawing: None,
            asked_of: None,
        }
    }

    /// Whether it is the first of a run of questions that build on each other, and needs no state.
    pub fn begins_run(&self) -> bool {
        matches!(
            self.request,
            Request::Look(LookRequest { turn: 0, .. }) | Request::Deal(DealRequest { turn: 0, .. })
        )
    }

    /// Whether a holder of documents keeps a state after its answer, for the next question of the run.
    pub fn leaves_state(&self) -> bool {
        matches!(self.request, Request::Look(_) | Request::Deal(_))
    }

    /// The kind of the question, in one word.
    pub fn name(&self) -> &'static str {
        match self.request {
            Request::Survey => "survey",
            Request::Lengths(_) => "lengths",
            Request::Totals(..) => "totals",
            Request::Weighted(..) => "weighted",
            Request::Pairs(..) => "pairs",
            Request::Cube(..) => "cube",
            Request::Squares(..) => "squares",
            Request::Slices(..) => "slices",
            Request::Towards(..) => "towards",
            Request::Expectation(..) => "expectation",
            Request::Leaving(_) => "leaving",
            Request::Look(_) => "look",
            Request::WordKeys(_) => "word-keys",
            Request::HeldOut(_) => "held-out",
            Request::Together(_) => "together",
            Request::Deal(_) => "deal",
            Request::Torques(..) => "torques",
            Request::Directions(..) => "directions",
            Request::Holdings(_) => "holdings",
            Request::Settled(_) => "settled",
            Request::Feedback(_) => "feedback",
            Request::Digest => "digest",
        }
    }
}
