//! `svtd diff`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::numbers::at_least_one;

/// Compare two models: which topics match, and what changed.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub struct Diff {
    /// A model saved by `svtd fit`
    pub old: PathBuf,

    /// Another model; words are matched by name
    pub new: PathBuf,

    /// How many of the words that gained and lost most to show
    #[arg(long, value_name = "WORDS", default_value = "4", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,
}

const DIFF_EXAMPLES: &str = "\
Examples:
  svtd diff monday.svtd tuesday.svtd
  svtd diff k20.svtd k25.svtd --top 8
  svtd diff monday.svtd tuesday.svtd --json

The distance of two topics is the share of probability that would have to move to turn one into
the other: 0 when they are equal, 1 when they have no word in common.";
