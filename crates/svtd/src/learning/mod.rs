//! Learning a model: `params(k)...fit(&corpus)`.
//!
//! [`LdaParams`] and [`SingleTopicParams`] hold the [options](crate::model::Options); a [`Request`] is either of them
//! by name. Both conduct the same steps: the number of topics if the data choose it
//! ([`choosing`](crate::choosing)), then the steps of a fit (moments, the spectral estimate, a polish on
//! the counts), then [`trust`](crate::trust). A classical [rival](crate::model::Learner) can replace the moments.
//! [`Update`] is a model of documents that have changed, with the topic numbers of an earlier one.

mod lda;
mod params;
mod request;
mod single_topic;
mod update;

pub use crate::fit::{Part, Sizes, Stage, Step, Workload};
pub use lda::LdaParams;
pub use request::{Request, TopicParams};
pub use single_topic::SingleTopicParams;
pub use update::{MOVED, SWEEPS, TopicUpdate, Update};
