//! `svtd merge`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

/// Merge corpora into one corpus file.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub struct Merge {
    /// The corpora, counted (`svtd count`) or in any other format of counts
    #[arg(required = true, num_args = 2.., value_name = "CORPUS")]
    pub corpora: Vec<PathBuf>,

    /// Where to save the merged corpus, by custom NAME.svtdc
    #[arg(short, long, value_name = "MERGED")]
    pub output: PathBuf,

    /// Overwrite MERGED if it exists
    #[arg(long)]
    pub force: bool,

    /// Let a document replace an earlier one of its name, where their words differ
    #[arg(long)]
    pub replace: bool,
}

const MERGE_EXAMPLES: &str = "\
Examples:
  svtd merge north.svtdc south.svtdc -o both.svtdc
  svtd merge 2024.svtdc 2025.svtdc 2026.svtdc -o all.svtdc
  svtd merge old.svtdc corrected.svtdc --replace -o new.svtdc

Words are united by word. Documents that are in several corpora, by name and words, are kept once and
told. Corpora whose text was split into words in different ways are refused.";
