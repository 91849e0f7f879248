//! What a default fit will need: its [`Workload`], in numbers that can be kept.

use serde::Serialize;

use crate::corpus::Corpus;
use crate::fit::{Sizes, Workload};
use crate::model::{Lda, SingleTopic};

/// What a fit will need.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FitCost {
    /// The topics it was estimated for.
    pub n_topics: usize,
    /// The most memory at a time, in bytes, counts included.
    pub bytes: f64,
    /// How often all documents are read.
    pub passes: f64,
    /// The work, in the unit of [`Workload`].
    pub operations: f64,
}

impl FitCost {
    /// That of a fit with all defaults.
    pub(crate) fn of(corpus: &Corpus, n_topics: usize, lda: bool) -> Self {
        let sizes = Sizes::from(corpus);
        let Workload { ref parts, memory, .. } = match lda {
            true => Lda::params(n_topics).workload(sizes),
            false => SingleTopic::params(n_topics).workload(sizes),
        };
        let (passes, operations) =
            parts.iter().fold((0.0, 0.0), |(p, o), part| (p + part.passes, o + part.operations));
        Self { n_topics, bytes: memory, passes, operations }
    }
}
