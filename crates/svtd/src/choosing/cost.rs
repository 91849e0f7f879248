//! The cost of a default fit: its [`Workload`], as numbers that can be stored.

use serde::Serialize;

use crate::corpus::Corpus;
use crate::fit::{Sizes, Workload};
use crate::model::{Kind, Options};

/// What a fit will need.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FitCost {
    /// The number of topics of the estimate.
    pub n_topics: usize,
    /// The peak memory in bytes, including the counts.
    pub bytes: f64,
    /// How often all documents are read.
    pub passes: f64,
    /// The work, in the unit of [`Workload`].
    pub operations: f64,
    /// The work if candidates for the polish have to be compared.
    pub operations_at_most: f64,
}

impl FitCost {
    /// The cost of a fit with all defaults.
    pub(crate) fn of(corpus: &Corpus, n_topics: usize, kind: Kind) -> Self {
        let workload = Workload::new(&Options::of(kind, n_topics), Sizes::from(corpus));
        Self {
            n_topics,
            bytes: workload.memory,
            passes: workload.passes(),
            operations: workload.operations(),
            operations_at_most: workload.operations_at_most(),
        }
    }
}
