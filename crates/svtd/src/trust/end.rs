//! The end of a fit by sweeps: what error bars start from.

use crate::fit::collapsed_vb::Prior;
use crate::linalg::Matrix;
use crate::questions::Settling;

/// The result of the polish, and its prior.
pub(crate) struct End<'a> {
    pub word_topic: &'a Matrix,
    pub topic_weights: &'a [f64],
    pub prior: &'a Prior,
}

impl End<'_> {
    /// The converged mixtures under the final topics.
    pub(super) fn settling(&self) -> Settling {
        let alpha = self.prior.alpha(self.topic_weights);
        Settling::new(self.word_topic.clone(), alpha, self.prior.order)
    }
}
