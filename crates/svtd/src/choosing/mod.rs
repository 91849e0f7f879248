//! Before a fit: what the data can say, and how many topics to ask it for.
//!
//! Moments carry their own error, so much can be told without fitting anything:
//!
//! * [`Check`]: what a corpus holds, how far its pair moment is from noise, what to mend first;
//! * [`PairNoise`]: how far the estimated pair moment is from the true one;
//! * [`Plan`]: how many documents a wanted accuracy takes.
//!
//! The number of topics itself is chosen by the parameters of a model
//! ([`LdaParams::choose_topics`](crate::model::LdaParams::choose_topics)), or by you, having seen all
//! of them side by side ([`LdaParams::sweep`](crate::model::LdaParams::sweep)).

mod check;
mod cost;
mod noise_level;
mod plan;

pub use self::check::{
    Check, CheckOptions, Copies, CountsKind, FrequentWord, LongDocument, WeightingCheck,
};
pub use self::cost::FitCost;
pub use self::noise_level::PairNoise;
pub use self::plan::{DELTA, MIXTURES, Plan, PlanSource, Reach, SINGLE_TOPIC};
