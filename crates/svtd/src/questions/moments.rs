//! What moments ask of documents: how counts are used, how documents are weighted, which slices are wanted.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::linalg::Matrix;

/// How a stored count enters the moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counting {
    /// The count itself, `x`.
    Raw,
    /// `1 + log x`, which keeps a few long, repetitive documents from determining the topics.
    Damped,
}

impl Counting {
    /// The value of a count.
    pub fn value(self, count: u32) -> f64 {
        match self {
            Counting::Raw => f64::from(count),
            Counting::Damped => 1.0 + f64::from(count).ln(),
        }
    }
}

/// The value that a law gives to a single document, before normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Law {
    /// Its number of pairs or triples.
    ByTokens,
    /// The inverse of its variance; the parameter is the probability that two words coincide.
    LeastVariance(f64),
    /// One, for all documents.
    Alike,
    /// The weight given by the caller.
    Own,
}

/// A law, with the sums of its values over all documents: enough to compute the weight of any document.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weighing {
    pub law: Law,
    /// The sums of the law's values in the three moments.
    pub totals: [f64; 3],
}

/// Whether slice `i` of the third moment keeps row and column `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rows {
    /// `H_i = W' M3_i W` with all rows: better conditioned, and equally accurate.
    #[default]
    Kept,
    /// `H_i` from `M3_i` and `E` without row `i`, as the paper prints Algorithms 1 and 2.
    Removed,
}

/// Which slices are asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SliceRequest {
    /// Whether slice `i` keeps row and column `i`.
    pub rows: Rows,
    /// The features whose slices are wanted.
    pub features: Range<usize>,
    /// The basis `B` by which slices are projected: `W` where rows are kept, otherwise `E`.
    pub table: Matrix,
}
