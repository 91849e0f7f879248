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

    /// Which words come first: the likeliest, or those that are more typical of the topic [default: probability, or
    /// relevance with --lambda]
    #[arg(long, value_enum)]
    pub order: Option<Order>,

    /// Relevance: from 0 (only how typical a word is of the topic) to 1 (only how likely it is) [default: 0.6]
    #[arg(long, value_name = "L", value_parser = share, allow_negative_numbers = true)]
    pub lambda: Option<f64>,

    /// Show how reliable each topic is, and its words with 95 % error bars
    #[arg(long)]
    pub trust: bool,
}

const TOPICS_EXAMPLES: &str = "\
Examples:
  svtd topics kos.svtd --top 20
  svtd topics kos.svtd --trust --top 5
  svtd topics kos.svtd --lambda 0.3       words that distinguish the topics
  svtd topics kos.svtd --order frex
  svtd topics kos.svtd --json > kos.json

The share of a topic is the part of the corpus that is about it.";

/// Orders of a topic's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// The likeliest first.
    Probability,
    /// Likely, and more so than in other topics (--lambda).
    Relevance,
    /// Frequent and exclusive.
    Frex,
    /// Over-represented, however rare.
    Lift,
}
