//! The experiments of the paper's Section 6: every figure and table, with our default method added.
//!
//! The paper is Ruffini, Casanellas and Gavaldà, *A New Spectral Method for Latent Variable Models*. An
//! [`Experiment`] computes and draws; its result is a [`Section`] of a [`Report`] that compares what the paper says
//! with what was measured. Nothing is printed and no environment variable is read: the caller supplies the corpora,
//! receives progress, and decides where files go ([`Report::files`]).
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
//! A corpus is determined by the experiment's name and the corpus's number alone ([`seeds`]), and every result has
//! a fixed place: any number of threads gives the same bytes. Times are the one exception, so they are in separate
//! files; they are CPU seconds of one thread ([`clock`]).

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

/// The experiments.
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
    /// All experiments, in the order of the paper.
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

    /// The name by which it is selected.
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

/// How much is run, and on which data.
#[derive(Clone, Default)]
pub struct Plan {
    /// Whether to run a smaller version with the same questions, in seconds.
    pub quick: bool,
    /// Number of corpora for each setting, instead of the experiment's own number.
    pub seeds: Option<usize>,
    /// A folder that may contain `state_union` and `divina_commedia`, each with one text per file.
    pub data: Option<PathBuf>,
    /// Word counts of State of the Union addresses.
    pub addresses: Option<Addresses>,
}

/// State of the Union addresses as counts.
#[derive(Clone)]
pub struct Addresses {
    /// One address per document.
    pub corpus: Corpus,
    /// The year of each address.
    pub years: Vec<usize>,
    /// The president of each address.
    pub presidents: Vec<String>,
}

impl Plan {
    /// Number of corpora for a setting: the caller's number, or the default.
    fn n_corpora(&self, full: usize, quick: usize) -> usize {
        self.seeds.unwrap_or(if self.quick { quick } else { full }).max(1)
    }

    /// A folder of texts, if it exists.
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        let folder = self.data.as_ref()?.join(name);
        folder.is_dir().then_some(folder)
    }

    /// One of two lists of sizes.
    fn sizes<T: Copy>(&self, full: &[T], quick: &[T]) -> Vec<T> {
        if self.quick { quick.to_vec() } else { full.to_vec() }
    }
}

/// Called after each piece of work with the number done and the total.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Computes a value for each task in parallel, in the order of the tasks, and reports progress.
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
