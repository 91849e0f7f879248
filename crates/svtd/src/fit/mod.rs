//! The ways to a fitted model: `params(k)...fit(&corpus)`.
//!
//! [`LdaParams`] and [`SingleTopicParams`] hold the options ([`Options`]); a [`Request`] is either of them by name.
//! Both take the same steps: moments, the spectral estimate, a polish on the counts (`em` for the single-topic
//! model, `collapsed_vb` for LDA), then [`trust`](crate::trust). [`Stage`] and [`Step`] report progress,
//! [`Workload`] estimates what a fit will take. The classical [`rivals`](crate::rivals) can replace the moments
//! ([`Learner`]). [`Update`] is a model of documents that have changed, with the topic numbers of an earlier one.

pub(crate) mod collapsed_vb;
pub(crate) mod contest;
pub(crate) mod em;
pub(crate) mod lda;
pub(crate) mod learner;
pub(crate) mod options;
pub(crate) mod profile;
mod refusal;
pub(crate) mod repeats;
mod request;
pub(crate) mod single_topic;
pub(crate) mod smoothing;
pub(crate) mod spectral;
pub(crate) mod stage;
mod update;
pub(crate) mod workload;

pub use em::polish_single_topic;
pub use lda::LdaParams;
pub use learner::Learner;
pub use options::{Options, Polish};
pub use request::{Kind, Request, TopicParams};
pub use single_topic::SingleTopicParams;
pub use smoothing::Smoothing;
pub use stage::{Stage, Step};
pub use update::{MOVED, SWEEPS, TopicUpdate, Update};
pub use workload::{Part, Sizes, Workload};
