//! What the choice of topics asks of documents: rare topics, clear directions, held-out words.

use std::ops::Range;

use crate::linalg::Matrix;

/// A step of assigning documents to topics, and its place in a run of steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DealRequest {
    /// The run of steps that this one belongs to, and its number in the run.
    pub run: u64,
    pub turn: u64,
    pub deal: Deal,
}

/// One step of assigning documents to topics.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deal {
    /// Starts from the posterior under topics, given their logarithms, with the topics' weights.
    Begin(Matrix, Vec<f64>),
    /// Recomputes the posterior of every document, with its own words left out of the counts.
    Ask(Others),
    /// Keeps only these topics.
    Keep(Vec<usize>),
    /// Assigns every document to its best topic.
    Best,
    /// Assigns every document of these topics to its second best topic.
    Next(Range<usize>),
}

/// The counts and sizes of topics over all documents, and the prior.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Others {
    /// `C`, features x topics.
    pub counts: Matrix,
    /// `N_j`.
    pub documents: Vec<f64>,
    /// `S m`.
    pub prior: Vec<f64>,
    /// `S`.
    pub strength: f64,
}

/// Directions to be measured, features x directions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Directions {
    pub v: Matrix,
    /// The factor of `M1 M1'` that Theorem 3.1 subtracts; zero for documents of one topic.
    pub a1: f64,
    /// `v_j'M1`.
    pub means: Vec<f64>,
    /// The conjugate directions, once they are known.
    pub conjugate: Option<ConjugateDirections>,
}

/// Directions `U = V mixing`, conjugate to the clear ones before them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConjugateDirections {
    pub mixing: Matrix,
    /// `u_j'M1`.
    pub means: Vec<f64>,
    /// The clear directions, to which the later ones are conjugate.
    pub clear: Vec<usize>,
}

/// Models that were fitted without these documents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeldOutRequest {
    /// Keys of the words of the question, which are those of the models, if these have no names.
    pub keys: Option<Vec<u64>>,
    /// The frequencies of the words in the documents to which the models were fitted.
    pub frequencies: Vec<f64>,
    /// Whether each document is about a single topic.
    pub single_topic: bool,
    /// Words x topics, and `alpha` or, for single topics, their weights.
    pub models: Vec<(Matrix, Vec<f64>)>,
}
