//! `svtd count`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::Source;

/// Count a corpus once and save it, so that later commands read it quickly.
#[derive(Debug, Args)]
#[command(after_help = COUNT_EXAMPLES)]
pub struct Count {
    /// The corpus.
    #[command(flatten)]
    pub source: Source,

    /// Where to save the counted corpus, usually NAME.svtdc
    #[arg(short, long, value_name = "CORPUS")]
    pub output: PathBuf,

    /// Also keep this column of a table, for --time, --by and --where; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub keep: Vec<String>,

    /// Overwrite CORPUS if it exists
    #[arg(long)]
    pub force: bool,
}

const COUNT_EXAMPLES: &str = "\
Examples:
  svtd count docword.kos.txt.gz -o kos.svtdc     counts, words, names and labels in one file
  svtd fit kos.svtdc -k 20                       read by every command that reads a corpus
  svtd count posts.csv --keep date --keep author -o posts.svtdc
  zcat counts.gz | svtd count - -o some.svtdc    from a pipe";
