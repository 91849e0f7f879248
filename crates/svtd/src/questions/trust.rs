//! What error bars ask of documents: converged mixtures, posteriors of documents whose topic is in doubt, and
//! simulated documents.

use std::sync::Arc;

use super::moments::{Counting, Weighing};
use super::sweeps::Order;
use crate::linalg::Matrix;

/// Topics, given which the mixtures of all documents are iterated until they converge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settling {
    /// Tables of topics (features x topics), used one after the other: several passes with the first table, one
    /// with each of the others.
    pub stages: Vec<Matrix>,
    /// The Dirichlet parameter of the mixtures.
    pub alpha: Vec<f64>,
    /// Whether the variance of the mixtures is used.
    pub order: Order,
    /// The weight of a document is one plus this number for a random half of the documents, and one minus it for the
    /// others.
    pub nudge: f64,
}

/// Which holdings are asked for: how much each document contributes to each topic.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Holding {
    /// Its share of the pair moment along each direction (features x directions).
    Pairs(Counting, Weighing, Matrix),
    /// Its number of words times its posterior, given the logarithms of the topics and their weights.
    Posteriors(Matrix, Vec<f64>),
    /// Its number of words of each topic, by converged mixtures.
    Settled(Settling),
}

/// A change of the log-score of topic `j` in document `d`: `x_d'T_j + a_j - c_d b_j`, with `x_d` the counts and `c_d`
/// the length of the document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scores {
    /// `T`: the change for each occurrence of a word, features x topics.
    pub words: Matrix,
    /// `a`: the change for each document, by topic.
    pub constants: Vec<f64>,
    /// `b`: what is subtracted for each word of a document, by topic.
    pub per_word: Vec<f64>,
}

/// How do the posteriors of documents in doubt respond to a change of their log-scores?
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FeedbackRequest {
    /// Logarithms of the topics, and their weights.
    pub logarithms: Matrix,
    pub weights: Vec<f64>,
    /// The change of the log-scores.
    pub scores: Scores,
    /// Whether posteriors are kept within 0 and 1, where linear extrapolation would leave them.
    pub clamped: bool,
}

/// How documents are simulated. A drawn document has the length of a real one (up to a limit), and a mixture drawn from
/// the posterior of the real one or from the prior. A thinned document is a real one without the repetitions of bursts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Redraw {
    /// The topics that words are drawn from, and the settings for the mixtures.
    pub settling: Settling,
    /// The Dirichlet parameter from which all mixtures are drawn, if documents follow the model; otherwise each is
    /// drawn from the posterior of its document.
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
