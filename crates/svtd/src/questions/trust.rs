//! What error bars ask of documents: converged mixtures, posteriors in doubt, documents simulated in place of others.

use std::sync::Arc;

use super::moments::{Counting, Weighing};
use super::sweeps::Order;
use crate::linalg::Matrix;

/// The topics under which mixtures converge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settling {
    /// Topics, features x topics: the first ones for several passes, the others for one each.
    pub stages: Vec<Matrix>,
    /// The Dirichlet parameter of the mixtures.
    pub alpha: Vec<f64>,
    pub order: Order,
    /// The change of the documents' weights: up in half of the groups, down in the others.
    pub nudge: f64,
}

/// What documents hold of topics.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Holding {
    /// Pairs of words along directions.
    Pairs(Counting, Weighing, Matrix),
    /// Words, by the posteriors under topics, given their logarithms, with the topics' weights.
    Posteriors(Matrix, Vec<f64>),
    /// Words, by converged mixtures.
    Settled(Settling),
}

/// A change of log-scores.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scores {
    /// `T`, features x topics.
    pub words: Matrix,
    /// `a`.
    pub constants: Vec<f64>,
    /// `b`.
    pub per_word: Vec<f64>,
}

/// What the documents in doubt are asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FeedbackRequest {
    /// Logarithms of the topics, and their weights.
    pub logarithms: Matrix,
    pub weights: Vec<f64>,
    pub scores: Scores,
    /// Whether posteriors are kept within 0 and 1, where linear extrapolation would leave them.
    pub clamped: bool,
}

/// How documents take the place of others. Drawn ones are as long (up to a limit), with a mixture drawn from its
/// posterior or from the prior; thinned ones are the documents themselves without the repetitions of bursts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Redraw {
    /// The topics that words are drawn from, and how mixtures are found.
    pub settling: Settling,
    /// The Dirichlet parameter of all mixtures, where documents follow the model.
    pub believed: Option<Vec<f64>>,
    /// The largest number of words of a document (of a thinned one, about).
    pub longest: u64,
    /// The concentration of the bursts whose repetitions are left out; `None` to draw documents.
    pub thinned: Option<f64>,
}

/// Documents that are simulated in place of others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Redrawing {
    /// The words of the real documents, in the order of the topics.
    pub words: Arc<[String]>,
    pub redraw: Redraw,
}
