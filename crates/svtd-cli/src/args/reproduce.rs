//! `svtd reproduce`: every flag and its help.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use svtd_experiments::Experiment;

use super::numbers::at_least_one;

/// Run the paper's experiments again, together with our default method.
#[derive(Debug, Args)]
#[command(after_help = REPRODUCE_EXAMPLES)]
pub struct Reproduce {
    /// Which experiments to run; several names run in the given order
    #[arg(value_enum, required = true, value_name = "NAME")]
    pub names: Vec<Name>,

    /// Write numbers (CSV, JSON), figures (SVG), report.md and report.html to this folder
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// A smaller version with the same questions, in less than a minute
    #[arg(long)]
    pub quick: bool,

    /// How many corpora to generate for each setting [default: what the experiment needs]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    pub seeds: Option<usize>,

    /// A folder with texts: state_union (NLTK's corpus) and divina_commedia (one canto per file, inferno-01.txt to
    /// paradiso-33.txt) [default: the environment variable SVTD_DATA]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Overwrite files in a folder that is not empty
    #[arg(long)]
    pub force: bool,
}

/// An experiment by name, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// All of the following
    All,
    /// Section 6.1: how well the moments are estimated
    Moments,
    /// Section 6.2.1: which method finds the true topics
    Accuracy,
    /// Section 6.2.1: how long each takes
    Time,
    /// Section 6.2.2: how much one more document changes
    Stability,
    /// How time grows with topics, words and documents
    Scaling,
    /// Section 6.3.1: Dante's Commedia; needs its text (--data)
    Dante,
    /// Section 6.3.2: State of the Union addresses
    StateUnion,
    /// The paper's other models: latent classes, hidden Markov models, Gaussian mixtures
    Models,
}

impl Reproduce {
    /// The experiments asked for, each once.
    pub fn experiments(&self) -> Vec<Experiment> {
        let mut chosen = Vec::new();
        for name in &self.names {
            let named: &[Experiment] = match name {
                Name::All => &Experiment::ALL,
                Name::Moments => &[Experiment::Moments],
                Name::Accuracy => &[Experiment::Accuracy],
                Name::Time => &[Experiment::Time],
                Name::Stability => &[Experiment::Stability],
                Name::Scaling => &[Experiment::Scaling],
                Name::Dante => &[Experiment::Dante],
                Name::StateUnion => &[Experiment::StateUnion],
                Name::Models => &[Experiment::Models],
            };
            for experiment in named {
                if !chosen.contains(experiment) {
                    chosen.push(*experiment);
                }
            }
        }
        chosen
    }
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  svtd reproduce moments                   what holds of Section 6.1, printed
  svtd reproduce all --quick -o quick      all of Section 6, small, with figures
  svtd reproduce dante --data corpora      on texts of your own: corpora/divina_commedia/*.txt
  svtd reproduce all -o section-6          in full: about ten minutes on two cores

All numbers except times are determined by the seeds, for any number of threads.";
