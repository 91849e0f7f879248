//! Before a fit: what can be learned from the data, and how many topics to ask for.
//!
//! The error of moments can be estimated, so much can be said without fitting anything:
//!
//! * [`Check`]: what a corpus holds, how far its pair moment is from noise, what to mend first;
//! * [`PairNoise`]: how far the estimated pair moment is from the true one;
//! * [`Plan`]: how many documents a wanted accuracy takes.
//!
//! For text, the number of topics that are found again in independent halves of the documents ([`FoundInHalves`])
//! says how many there are.
//!
//! The number of topics itself is chosen by the parameters of a model
//! ([`LdaParams::choose_topics`](crate::learning::LdaParams::choose_topics)), or by you, after comparing several numbers
//! ([`LdaParams::sweep`](crate::learning::LdaParams::sweep)).

mod check;
pub(crate) mod choice;
mod cost;
pub(crate) mod counting;
pub(crate) mod evidence;
mod noise_level;
mod plan;
mod shared;
pub(crate) mod sweep;

pub use self::check::{
    Check, CheckOptions, Copies, CountsKind, FrequentWord, LongDocument, WeightingCheck,
};
pub use self::choice::MOST_TOPICS;
pub use self::cost::FitCost;
pub use self::noise_level::PairNoise;
pub use self::plan::{DELTA, MIXTURES, Plan, PlanSource, Reach, SINGLE_TOPIC};
pub use self::sweep::{Direction, Recommendation, Split, Sweep, SweepFit, SweptTopic};
pub use crate::model::{Choice, FoundInHalves, Kept};
