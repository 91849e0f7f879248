//! `svtd add`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::Source;

/// Add documents to a corpus file.
#[derive(Debug, Args)]
#[command(after_help = ADD_EXAMPLES)]
pub struct Add {
    /// The corpus file, as `svtd count` writes it; it is changed in place, completely or not at all
    #[arg(value_name = "CORPUS")]
    pub corpus: PathBuf,

    /// The documents to add.
    #[command(flatten)]
    pub source: Source,

    /// If a document of the same name has other words, replace it
    #[arg(long)]
    pub replace: bool,
}

const ADD_EXAMPLES: &str = "\
Examples:
  svtd add posts.svtdc today.csv              a day's posts behind the others
  svtd add posts.svtdc today.csv --replace    posts that were edited take the place of the old ones
  svtd add letters.svtdc new/ more.svtdc      text and counted corpora together

Text is split into words as the text of CORPUS was, and counted over the words of CORPUS. Words
that would be added if everything were counted again are listed. A document that is already there
with the same name and words is skipped: adding twice changes nothing.";
