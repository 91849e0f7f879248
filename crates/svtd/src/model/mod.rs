//! Fitted models: the topics, how reliable they are, and the options of the fit.
//!
//! [`SingleTopic`] and [`Lda`] are finished values. Both hold [`Topics`] (words and weights), the [`Diagnostics`]
//! of the fit, and its options. [`learning`](crate::learning) makes them. [`Model`] is one or the other, for code that treats
//! both alike.

pub(crate) mod choice;
pub(crate) mod diagnostics;
pub(crate) mod features;
mod kind;
mod lda;
pub(crate) mod learner;
mod markers;
mod merging;
mod options;
mod single_topic;
pub(crate) mod topic;
mod verdict;
mod word_order;

pub use choice::{Choice, FoundInHalves, Kept};
pub use diagnostics::{
    Diagnostics, Driven, Halves, Nearest, PolishOutcome, RivalOutcome, Stability, Standing,
    TopicDiagnostics, TopicTrust,
};
pub(crate) use kind::DEFAULT_ALPHA0;
pub use kind::Kind;
pub use lda::Lda;
pub use learner::{CollapsedGibbs, Em, Learner, Smoothing, Start};
pub use markers::{Marker, markers};
pub use merging::Merged;
pub use options::{Options, Polish};
pub use single_topic::SingleTopic;
pub use topic::{LONGEST_NAME, Topic, Topics};
pub use verdict::Verdict;
pub use word_order::{RankedWord, WordOrder};

use crate::error::Result;

/// A fitted model of either kind.
#[derive(Clone, Debug)]
pub enum Model {
    /// Each document is about one topic.
    SingleTopic(SingleTopic),
    /// Documents mix topics.
    Lda(Lda),
}

impl Model {
    /// The topics.
    pub fn topics(&self) -> &Topics {
        match self {
            Model::SingleTopic(model) => model.topics(),
            Model::Lda(model) => model.topics(),
        }
    }

    /// Gives the topics names; see [`Topics::set_names`].
    ///
    /// # Errors
    /// As [`Topics::set_names`].
    pub fn set_names(&mut self, names: Vec<Option<String>>) -> Result<()> {
        match self {
            Model::SingleTopic(model) => model.topics_mut().set_names(names),
            Model::Lda(model) => model.topics_mut().set_names(names),
        }
    }

    /// How reliable the fit is.
    pub fn diagnostics(&self) -> &Diagnostics {
        match self {
            Model::SingleTopic(model) => model.diagnostics(),
            Model::Lda(model) => model.diagnostics(),
        }
    }

    /// The options the model was fitted with.
    pub fn options(&self) -> &Options {
        match self {
            Model::SingleTopic(model) => model.options(),
            Model::Lda(model) => model.options(),
        }
    }

    /// Which model it is.
    pub fn kind(&self) -> Kind {
        match self {
            Model::SingleTopic(_) => Kind::SingleTopic,
            Model::Lda(_) => Kind::Lda,
        }
    }
}
