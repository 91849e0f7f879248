//! `svtd export`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

/// Write a model's numbers for other programs.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
#[command(group(clap::ArgGroup::new("targets").required(true).multiple(true)
          .args(["topic_word", "topic_weights", "alpha"])))]
pub struct Export {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The probability of each word in each topic, topics x words, as .npy or .csv
    #[arg(long, value_name = "FILE")]
    pub topic_word: Option<PathBuf>,

    /// The weight of each topic, as .npy or .csv
    #[arg(long, value_name = "FILE")]
    pub topic_weights: Option<PathBuf>,

    /// LDA: the Dirichlet parameter, as .npy or .csv
    #[arg(long, value_name = "FILE")]
    pub alpha: Option<PathBuf>,

    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  svtd export kos.svtd --topic-word words.npy --topic-weights weights.npy
  svtd export kos.svtd --topic-word words.csv --alpha alpha.csv --force

Rows of topic-word sum to one; columns are in the order of the vocabulary, which heads the CSV.";
