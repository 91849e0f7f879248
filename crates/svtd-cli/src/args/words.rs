//! `svtd words`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::numbers::at_least_one;

/// Show which words of the text were kept, which were dropped, and why.
#[derive(Debug, Args)]
#[command(after_help = WORDS_EXAMPLES)]
pub struct Words {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// How many words to show of each kind
    #[arg(long, value_name = "WORDS", default_value = "8", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,
}

const WORDS_EXAMPLES: &str = "\
Examples:
  svtd words cantos.svtd
  svtd words cantos.svtd --json";
