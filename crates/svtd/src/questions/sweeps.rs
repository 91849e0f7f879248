//! What the sweeps of collapsed variational Bayes ask of documents.

use serde::{Deserialize, Serialize};

use super::facts::WordFacts;
use crate::aligned::Aligned;

/// A step of collapsed variational Bayes with these rates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LookRequest {
    pub look: Look,
    pub order: Order,
    /// The run to which this step belongs, and its number in the run.
    pub run: u64,
    pub turn: u64,
    pub rates: Rates,
    /// The facts about the words in all documents.
    pub known: Vec<WordFacts>,
}

/// How documents are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Look {
    /// From nothing, with fixed topics, a few times each; topics that do not depend on the
    /// documents have nothing to exclude.
    WarmUp,
    /// Continuing from the stored state.
    Sweep,
}

/// How far the expansion of a mixture's logarithm goes (Teh, Newman and Welling 2007; Asuncion et
/// al. 2009 leave out the variance).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// The mean only.
    Zeroth,
    /// The variance as well.
    Second,
}

/// The evidence of a word for a topic, `A_ij / a_j`, and the prior.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rates {
    /// `A`: `S_ij + eta_i`, or fixed topics.
    pub words: Aligned<f32>,
    /// `1 / a`, the inverse of `S_j + sum eta`, or ones.
    pub inverse: Vec<f32>,
    /// `alpha`; zero for padding topics.
    pub alpha: Vec<f32>,
    pub eta: Vec<f32>,
}
