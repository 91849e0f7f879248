//! `svtd infer`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::{Chance, Source};

/// Tell which topics documents are about.
#[derive(Debug, Args)]
#[command(after_help = INFER_EXAMPLES)]
pub struct Infer {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The corpus.
    #[command(flatten)]
    pub source: Source,

    /// Where to write the mixtures, as .csv or .npy [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// LDA: sample (Remark 3.1 of the paper) instead of the fixed point
    #[arg(long)]
    pub gibbs: bool,

    /// Overwrite FILE if it exists
    #[arg(long)]
    pub force: bool,

    /// The seed.
    #[command(flatten)]
    pub chance: Chance,
}

const INFER_EXAMPLES: &str = "\
Examples:
  svtd infer kos.svtd docword.kos.txt.gz > mixtures.csv
  svtd infer kos.svtd new.mtx --vocab words.txt -o mixtures.npy
  svtd infer kos.svtd docword.kos.txt.gz --gibbs --seed 7

Words are matched by name; words the model has never seen are passed over and counted.";
