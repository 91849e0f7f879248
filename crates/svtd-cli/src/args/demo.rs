//! `svtd demo`: every flag and its help.

use clap::Args;

use super::numbers::at_least_one;

/// Fit 230 years of State of the Union addresses, to see what a fit looks like.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct Demo {
    /// How many topics to learn
    #[arg(short = 'k', long = "topics", value_name = "K", default_value = "5",
          value_parser = at_least_one, allow_negative_numbers = true)]
    pub n_topics: usize,
}

const DEMO_EXAMPLES: &str = "\
Examples:
  svtd demo
  svtd demo -k 12";
