//! `svtd demo`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::numbers::at_least_one;

/// Fit 232 years of State of the Union addresses, to see what a fit looks like.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct Demo {
    /// How many topics to learn
    #[arg(short = 'k', long = "topics", value_name = "K", default_value = "8",
          value_parser = at_least_one, allow_negative_numbers = true)]
    pub n_topics: usize,

    /// Also write the page of svtd report
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "svtd-demo.html")]
    pub report: Option<PathBuf>,

    /// Overwrite the FILE of --report if it exists
    #[arg(long)]
    pub force: bool,
}

const DEMO_EXAMPLES: &str = "\
Examples:
  svtd demo
  svtd demo -k 20
  svtd demo --report                 writes svtd-demo.html, 232 years on one page";
