//! Models: parameters chosen, learned, and kept as finished values.
//!
//! [`SingleTopic`] and [`Lda`] are fitted by their `params(k)...fit(&corpus)`. Both are
//! a [`Topics`] (which words, which weights), the [`Diagnostics`] of the fit, and the options
//! that made them. The moments learn both; their classical rivals, [`Em`] and [`CollapsedGibbs`],
//! can take their place. [`Model`] is either, for code that does not care which.

pub(crate) mod choice;
mod classical_em;
mod collapsed_gibbs;
pub(crate) mod collapsed_vb;
mod diagnostics;
mod em;
mod evidence;
mod lda;
mod learner;
mod noise;
mod options;
mod profile;
mod repeats;
mod single_topic;
mod smoothing;
mod spectral;
mod stage;
mod sweep;
mod topic;
mod trust;
mod word_order;
mod workload;

pub use choice::{Choice, MOST_TOPICS};
pub use classical_em::{Em, Start};
pub use collapsed_gibbs::CollapsedGibbs;
pub use diagnostics::{
    Diagnostics, Driven, Nearest, PolishOutcome, RivalOutcome, Stability, TopicDiagnostics,
    TopicTrust,
};
pub use em::polish_single_topic;
pub use evidence::Kept;
pub use lda::{Lda, LdaParams};
pub use learner::Learner;
pub use options::{Options, Polish};
pub use single_topic::{SingleTopic, SingleTopicParams};
pub use smoothing::Smoothing;
pub use stage::{Stage, Step};
pub use sweep::{Direction, Recommendation, Split, Sweep, SweepFit};
pub use topic::{LONGEST_NAME, Topic, Topics};
pub use trust::{GROUPS, T_FACTOR};
pub use word_order::{RankedWord, WordOrder};
pub use workload::{Part, Sizes, Workload};

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

    /// How far to believe the fit.
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

    /// The kind's name: `single-topic` or `lda`.
    pub fn kind(&self) -> &'static str {
        match self {
            Model::SingleTopic(_) => "single-topic",
            Model::Lda(_) => "lda",
        }
    }
}
