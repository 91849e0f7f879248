//! `svtd merge`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::Room;

/// Merge corpora into one corpus file.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub struct Merge {
    /// The corpora, counted (`svtd count`) or in any other format of counts
    #[arg(required = true, num_args = 2.., value_name = "CORPUS")]
    pub corpora: Vec<PathBuf>,

    /// Where to save the merged corpus, usually NAME.svtdc
    #[arg(short, long, value_name = "MERGED")]
    pub output: PathBuf,

    /// Overwrite MERGED if it exists
    #[arg(long)]
    pub force: bool,

    /// If a document of the same name has other words, replace the earlier one
    #[arg(long)]
    pub replace: bool,

    /// How much of the corpora is kept in memory.
    #[command(flatten)]
    pub room: Room,
}

const MERGE_EXAMPLES: &str = "\
Examples:
  svtd merge north.svtdc south.svtdc -o both.svtdc
  svtd merge 2024.svtdc 2025.svtdc 2026.svtdc -o all.svtdc
  svtd merge old.svtdc corrected.svtdc --replace -o new.svtdc

Words are matched by name. Documents that are in several corpora, with the same name and words, are
kept once and listed. Corpora whose text was split in different ways cannot be merged.";
