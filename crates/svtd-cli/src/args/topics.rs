//! `svtd topics`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::numbers::at_least_one;

/// Show the topics of a model.
#[derive(Debug, Args)]
#[command(after_help = TOPICS_EXAMPLES)]
pub struct Topics {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// How many words to show of each topic
    #[arg(long, value_name = "WORDS", default_value = "10", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,
}

const TOPICS_EXAMPLES: &str = "\
Examples:
  svtd topics kos.svtd --top 20
  svtd topics kos.svtd --json > kos.json";
