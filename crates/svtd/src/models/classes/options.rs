//! The options of a fit of latent classes.

use serde::{Deserialize, Serialize};

use crate::models::engine::{Criterion, Effort};

/// How many classes to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassCount {
    /// This many.
    Fixed(usize),
    /// Chosen by a criterion, up to a limit.
    Auto {
        /// The largest number tried.
        most: usize,
    },
}

/// The options of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassOptions {
    /// How many classes.
    pub classes: ClassCount,
    /// Weight of the prior record in every class; 0 is maximum likelihood.
    pub prior: f64,
    /// How much to search.
    pub effort: Effort,
    /// The criterion that chooses the number of classes.
    pub criterion: Criterion,
    /// Whether standard errors are computed.
    pub error_bars: bool,
}
