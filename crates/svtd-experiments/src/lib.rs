//! Section 6 of the paper, run again: every figure and table, with our default beside it.
//!
//! The paper is Ruffini, Casanellas and Gavaldà, *A New Spectral Method for Latent Variable
//! Models*. An [`Experiment`] computes and draws; it ends in a [`Section`] of a [`Report`] that
//! puts what the paper says beside what was measured. Nothing is printed and no environment is
//! read: the caller hands over the corpora, watches the progress, and decides where files go
//! ([`Report::files`]).
//!
//! | experiment | paper | question |
//! |---|---|---|
//! | [`moments`] | 6.1 | which weights of documents estimate the moments best? |
//! | [`accuracy`] | 6.2.1 | which method finds the true topics? |
//! | [`timing`] | 6.2.1 | how long does each take? |
//!
//! # Same numbers
//! A corpus follows from the experiment's name and its own number alone ([`seeds`]), and every
//! result is put in its place: any number of threads gives the same bytes. Times are the one
//! exception, so they have files of their own; they are CPU seconds of one thread ([`clock`]).

pub mod accuracy;
pub mod clock;
pub mod contestants;
pub mod figure;
pub mod moments;
pub mod report;
pub mod seeds;
pub mod statistics;
pub mod table;
pub mod timing;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
pub use report::{Report, Section};

/// What can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Section 6.1.
    Moments,
    /// Section 6.2.1, the errors.
    Accuracy,
    /// Section 6.2.1, the seconds.
    Time,
}

impl Experiment {
    /// All of them, in the order of the paper.
    pub const ALL: [Experiment; 3] = [Experiment::Moments, Experiment::Accuracy, Experiment::Time];

    /// The name it is asked for by.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Moments => "moments",
            Experiment::Accuracy => "accuracy",
            Experiment::Time => "time",
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// When a corpus does not support a fit, which drawn corpora always do.
    pub fn run(self, plan: &Plan, watch: Watch<'_>) -> svtd::Result<Section> {
        match self {
            Experiment::Moments => moments::run(plan, watch),
            Experiment::Accuracy => accuracy::run(plan, watch),
            Experiment::Time => timing::run(plan, watch),
        }
    }
}

/// How much is run, and on what.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// A smaller version with the same questions, in seconds.
    pub quick: bool,
    /// Corpora to each setting, instead of the experiment's own number.
    pub seeds: Option<usize>,
}

impl Plan {
    /// Corpora to a setting: the caller's number, or the usual one.
    fn n_corpora(&self, full: usize, quick: usize) -> usize {
        self.seeds.unwrap_or(if self.quick { quick } else { full }).max(1)
    }

    /// One of two lists of sizes.
    fn sizes<T: Copy>(&self, full: &[T], quick: &[T]) -> Vec<T> {
        if self.quick { quick.to_vec() } else { full.to_vec() }
    }
}

/// Told after each piece of work: how many are done, of how many.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Computes a value for each task in parallel, in the order of the tasks, telling the progress.
fn each<T: Sync, R: Send>(
    tasks: &[T],
    watch: Watch<'_>,
    compute: impl Fn(&T) -> svtd::Result<R> + Sync,
) -> svtd::Result<Vec<R>> {
    let done = AtomicUsize::new(0);
    watch(0, tasks.len());
    tasks
        .par_iter()
        .map(|task| {
            let result = compute(task);
            watch(done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len());
            result
        })
        .collect()
}
