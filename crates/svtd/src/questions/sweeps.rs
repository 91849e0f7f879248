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

/// Whether documents are visited for the first time or again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Look {
    /// The first visits: mixtures start from the prior, and topics are fixed. The document's own words are not
    /// excluded from the topics, which are not sums over documents yet.
    WarmUp,
    /// A later visit, which continues from the stored mixtures and excludes the document's own words.
    Sweep,
}

/// How far the expansion of a mixture's logarithm goes (Teh, Newman and Welling 2007; Asuncion et
/// al. 2009 leave out the variance).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// CVB0: uses the expected counts only (Asuncion et al. 2009).
    Zeroth,
    /// Second-order collapsed VB: adds the variance of the counts (Teh et al. 2007).
    Second,
}

/// The evidence of a word for a topic, `A_ij / a_j`, and the prior.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rates {
    /// `A`: `S_ij + eta_i`, or fixed topics.
    pub words: Aligned<f32>,
    /// `1 / a`, the inverse of `S_j + sum eta`, or ones.
    pub inverse: Vec<f32>,
    /// `alpha`, the Dirichlet parameter of the mixtures; zero for padding topics.
    pub alpha: Vec<f32>,
    /// `eta`, the Dirichlet parameter of the topics.
    pub eta: Vec<f32>,
}
