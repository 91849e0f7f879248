//! The progress of a fit, for a callback.
//!
//! The callback is called with a [`Step`] whenever a stage begins and whenever a measurable part of it is done,
//! always from the thread that called `fit`. That costs one call for each pass over the data and nothing inside it.

use std::fmt;

/// A stage of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Weighing documents and counting first moments.
    Moments,
    /// Factoring the pair moment; a step is a product with it.
    Whitening,
    /// Finding the rotation.
    Decomposition,
    /// Reading off the parameters.
    Recovery,
    /// Improving them on the counts; a step is a pass over the documents.
    Polish,
    /// Comparing with and without polish on held-out documents.
    HeldOut,
    /// Estimating the reliability; a step is a product with half the pair moment.
    Trust,
    /// A rival's search instead of all of the above; a step is a start of EM or a Gibbs sweep.
    Rival,
}

impl Stage {
    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Moments => "moments",
            Stage::Whitening => "whitening",
            Stage::Decomposition => "decomposition",
            Stage::Recovery => "recovery",
            Stage::Polish => "polish",
            Stage::HeldOut => "held-out comparison",
            Stage::Trust => "trust",
            Stage::Rival => "search",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much of a stage is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The stage.
    pub stage: Stage,
    /// Steps done.
    pub done: usize,
    /// Expected number of steps, at least one. Iterations end when they have converged, so this is a forecast that
    /// improves as they go on.
    pub of: usize,
}

impl Step {
    /// This many steps of a stage.
    pub fn new(stage: Stage, done: usize, of: usize) -> Self {
        Self { stage, done, of: of.max(1) }
    }

    /// The part of the stage that is done, from 0 to 1.
    pub fn share(&self) -> f64 {
        (self.done as f64 / self.of as f64).min(1.0)
    }
}

/// The beginning of a stage.
impl From<Stage> for Step {
    fn from(stage: Stage) -> Self {
        Self::new(stage, 0, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_lies_between_nothing_and_all() {
        assert_eq!(Step::from(Stage::Moments).share(), 0.0);
        assert_eq!(Step::new(Stage::Polish, 5, 20).share(), 0.25);
        assert_eq!(Step::new(Stage::Polish, 7, 5).share(), 1.0);
        assert_eq!(Step::new(Stage::Polish, 0, 0).share(), 0.0);
    }
}
