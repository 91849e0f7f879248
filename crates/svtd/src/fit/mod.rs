//! The steps of a fit, which [`learning`](crate::learning) conducts.
//!
//! From moments comes the spectral estimate (`spectral`), then a polish on the counts (`em` for the single-topic
//! model, `collapsed_vb` for LDA, whose candidates `contest` compares). [`Stage`] and [`Step`] report progress,
//! [`Workload`] estimates what a fit will take.

pub(crate) mod accuracy;
pub(crate) mod collapsed_vb;
pub(crate) mod contest;
pub(crate) mod documents;
pub(crate) mod em;
pub(crate) mod estimated;
pub(crate) mod expectation;
pub(crate) mod learner;
pub(crate) mod leaving;
pub(crate) mod profile;
pub(crate) mod refusal;
pub(crate) mod repeats;
pub(crate) mod smoothing;
pub(crate) mod spectral;
pub(crate) mod stage;
pub(crate) mod workload;

pub use stage::{Stage, Step};
pub use workload::{Part, Sizes, Workload};
