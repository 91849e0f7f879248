//! `svtd topics`: every flag and its help.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::numbers::{at_least_one, share};

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

    /// Which words come first: the likeliest, or those that are more the topic's own
    /// [default: probability, or relevance with --lambda]
    #[arg(long, value_enum)]
    pub order: Option<Order>,

    /// Relevance: from 0 (only how much a word is the topic's own) to 1 (only how likely it is)
    /// [default: 0.6]
    #[arg(long, value_name = "L", value_parser = share, allow_negative_numbers = true)]
    pub lambda: Option<f64>,

    /// How far to believe each topic, and its words with error bars of 95 %
    #[arg(long)]
    pub trust: bool,
}

const TOPICS_EXAMPLES: &str = "\
Examples:
  svtd topics kos.svtd --top 20
  svtd topics kos.svtd --trust --top 5
  svtd topics kos.svtd --lambda 0.3       words that tell the topics apart
  svtd topics kos.svtd --order frex
  svtd topics kos.svtd --json > kos.json

The share is how much of the corpus a topic takes.";

/// Orders of a topic's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// The likeliest first.
    Probability,
    /// Likely, and more so than elsewhere (--lambda).
    Relevance,
    /// Frequent and exclusive.
    Frex,
    /// Over-represented, however rare.
    Lift,
}
