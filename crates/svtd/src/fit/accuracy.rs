//! How accurately a spectral estimate is computed, by what it is for.

use crate::whitening;

/// [`Accuracy::Start`]: the tolerance of the eigenpairs, relative to the k-th eigenvalue.
const START_TOLERANCE: f64 = 1e-2;

/// The same for [`Accuracy::Comparison`].
const HALF_TOLERANCE: f64 = 0.1;

/// How accurately a spectral estimate is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accuracy {
    /// For topics that are the result.
    Result,
    /// For topics from which collapsed variational Bayes only starts, and for candidates that are compared.
    Start,
    /// For halves of the documents, which are only compared with each other: sampling errors are
    /// larger than the tolerance.
    Comparison,
}

impl Accuracy {
    /// The tolerance of the eigenpairs, relative to the k-th eigenvalue.
    pub(crate) fn tolerance(self) -> f64 {
        match self {
            Accuracy::Result => whitening::TOLERANCE,
            Accuracy::Start => START_TOLERANCE,
            Accuracy::Comparison => HALF_TOLERANCE,
        }
    }
}
