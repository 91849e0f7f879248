//! Latent Dirichlet Allocation: documents mix topics.

use crate::model::{Diagnostics, Options, Topics};

/// A fitted LDA model `(M, alpha)`.
#[derive(Clone, Debug)]
pub struct Lda {
    pub(crate) topics: Topics,
    pub(crate) alpha: Vec<f64>,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) options: Options,
}

impl Lda {
    /// The topics: `M` and the topics' shares.
    pub fn topics(&self) -> &Topics {
        &self.topics
    }

    /// `alpha`: the Dirichlet parameter of the mixtures, used by inference.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// How reliable the fit is.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    pub(crate) fn diagnostics_mut(&mut self) -> &mut Diagnostics {
        &mut self.diagnostics
    }

    /// The options the model was fitted with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    pub(super) fn topics_mut(&mut self) -> &mut Topics {
        &mut self.topics
    }

    /// The same model, recorded as fitted with these options.
    pub(crate) fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    pub(crate) fn from_parts(
        topics: Topics,
        alpha: Vec<f64>,
        diagnostics: Diagnostics,
        options: Options,
    ) -> Self {
        Self { topics, alpha, diagnostics, options }
    }
}
