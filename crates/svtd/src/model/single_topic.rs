//! The single-topic model: each document is about one topic.

use crate::model::{Diagnostics, Options, Topics};

/// A fitted single-topic model `(M, Omega)`.
#[derive(Clone, Debug)]
pub struct SingleTopic {
    pub(crate) topics: Topics,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) options: Options,
}

impl SingleTopic {
    /// The topics: `M` and `Omega`.
    pub fn topics(&self) -> &Topics {
        &self.topics
    }

    /// How reliable the fit is.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
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

    pub(crate) fn from_parts(topics: Topics, diagnostics: Diagnostics, options: Options) -> Self {
        Self { topics, diagnostics, options }
    }
}
