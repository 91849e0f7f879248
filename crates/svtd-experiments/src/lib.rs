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
//! | [`stability`] | 6.2.2 | how much does one more document change? |
//! | [`scaling`] | 1, 4 | how does time grow with topics, words and documents? |
//! | [`state_union`] | 6.3.2 | are the paper's clusters of speeches found again? |
//! | [`dante`] | 6.3.1 | are its clusters of cantos, and the way from hell to heaven? |
//! | [`models`] | 1, 7 | does the method learn naive Bayes models too? |
//!
//! # Same numbers
//! A corpus follows from the experiment's name and its own number alone ([`seeds`]), and every
//! result is put in its place: any number of threads gives the same bytes. Times are the one
//! exception, so they have files of their own; they are CPU seconds of one thread ([`clock`]).

pub mod accuracy;
pub mod clock;
pub mod contestants;
pub mod dante;
pub mod growing;
pub mod mixtures;
pub mod models;
pub mod moments;
pub mod published;
pub mod remembered;
pub mod report;
pub mod scaling;
pub mod seeds;
pub mod stability;
pub mod state_union;
pub mod statistics;
pub mod table;
pub mod texts;
pub mod theorems;
pub mod timing;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
pub use report::{Report, Section};
use svtd::Corpus;

/// What can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Section 6.1.
    Moments,
    /// Section 6.2.1, the errors.
    Accuracy,
    /// Section 6.2.1, the seconds.
    Time,
    /// Section 6.2.2.
    Stability,
    /// The orders of growth of Sections 1 and 4.
    Scaling,
    /// Section 6.3.2.
    StateUnion,
    /// Section 6.3.1.
    Dante,
    /// The other models that the paper's method learns.
    Models,
}

impl Experiment {
    /// All of them, in the order of the paper.
    pub const ALL: [Experiment; 8] = [
        Experiment::Moments,
        Experiment::Accuracy,
        Experiment::Time,
        Experiment::Stability,
        Experiment::Scaling,
        Experiment::Dante,
        Experiment::StateUnion,
        Experiment::Models,
    ];

    /// The name it is asked for by.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Moments => "moments",
            Experiment::Accuracy => "accuracy",
            Experiment::Time => "time",
            Experiment::Stability => "stability",
            Experiment::Scaling => "scaling",
            Experiment::StateUnion => "state-union",
            Experiment::Dante => "dante",
            Experiment::Models => "models",
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// When texts are missing or cannot be read; drawn corpora can always be fitted.
    pub fn run(self, plan: &Plan, watch: Watch<'_>) -> svtd::Result<Section> {
        match self {
            Experiment::Moments => moments::run(plan, watch),
            Experiment::Accuracy => accuracy::run(plan, watch),
            Experiment::Time => timing::run(plan, watch),
            Experiment::Stability => stability::run(plan, watch),
            Experiment::Scaling => scaling::run(plan, watch),
            Experiment::StateUnion => state_union::run(plan, watch),
            Experiment::Dante => dante::run(plan, watch),
            Experiment::Models => models::run(plan, watch),
        }
    }
}

/// How much is run, and on what.
#[derive(Clone, Default)]
pub struct Plan {
    /// A smaller version with the same questions, in seconds.
    pub quick: bool,
    /// Corpora to each setting, instead of the experiment's own number.
    pub seeds: Option<usize>,
    /// A folder that may hold `state_union` and `divina_commedia`, each with a text to a file.
    pub data: Option<PathBuf>,
    /// Word counts of State of the Union addresses.
    pub addresses: Option<Addresses>,
}

/// State of the Union addresses as counts.
#[derive(Clone)]
pub struct Addresses {
    /// An address to a document.
    pub corpus: Corpus,
    /// The year of each.
    pub years: Vec<usize>,
    /// Whose it was.
    pub presidents: Vec<String>,
}

impl Plan {
    /// Corpora to a setting: the caller's number, or the usual one.
    fn n_corpora(&self, full: usize, quick: usize) -> usize {
        self.seeds.unwrap_or(if self.quick { quick } else { full }).max(1)
    }

    /// A folder of texts, when it is there.
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        let folder = self.data.as_ref()?.join(name);
        folder.is_dir().then_some(folder)
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
