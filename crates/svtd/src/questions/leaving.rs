//! What the end of EM asks of documents: the share of each in a small topic, without the words that the document
//! itself contributed to that topic.

use crate::linalg::Matrix;

/// The topics at which EM has converged, with the counts and sizes of the small ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LeavingRequest {
    /// Logarithms of the topics, and their weights.
    pub logarithms: Matrix,
    pub weights: Vec<f64>,
    /// The small topics, in ascending order.
    pub small: Vec<usize>,
    /// `C`: the number of times each word occurs in each small topic, features x small topics.
    pub counts: Matrix,
    /// `N_j`: the number of documents of each small topic.
    pub documents: Vec<f64>,
    /// `S m`: what smoothing adds to the count of each word of a topic.
    pub prior: Vec<f64>,
    /// `N + k`, by which the weights were divided.
    pub total: f64,
}
