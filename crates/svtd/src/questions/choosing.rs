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
    /// `C`: the number of times each word occurs in each topic, features x topics.
    pub counts: Matrix,
    /// `N_j`: the number of documents of each topic.
    pub documents: Vec<f64>,
    /// `S m`: what smoothing adds to the count of each word of a topic.
    pub prior: Vec<f64>,
    /// `S`: the sum of `prior`.
    pub strength: f64,
}

/// Directions of the pair moment to be measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Directions {
    /// The directions `v_j`, features x directions.
    pub v: Matrix,
    /// The factor of `M1 M1'` that Theorem 3.1 subtracts; zero for documents of one topic.
    pub a1: f64,
    /// `v_j'M1`, the mean word frequency along each direction.
    pub means: Vec<f64>,
    /// The conjugate directions, once they are known.
    pub conjugate: Option<ConjugateDirections>,
}

/// Directions `U = V mixing`, conjugate to the clear ones before them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConjugateDirections {
    /// The coefficients of each `u_j` in the directions `v`; upper triangular.
    pub mixing: Matrix,
    /// `u_j'M1`, the mean word frequency along each conjugate direction.
    pub means: Vec<f64>,
    /// The clear directions, to which the later ones are conjugate.
    pub clear: Vec<usize>,
}

/// How well do models predict words of these documents? They were fitted without them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeldOutRequest {
    /// Keys of the words, in the order of the rows of the models, if the words have no names.
    pub keys: Option<Vec<u64>>,
    /// The frequencies of the words in the documents to which the models were fitted.
    pub frequencies: Vec<f64>,
    /// Whether each document is about a single topic.
    pub single_topic: bool,
    /// For each model its topics (words x topics), and `alpha` or, for single topics, the topic weights.
    pub models: Vec<(Matrix, Vec<f64>)>,
}
