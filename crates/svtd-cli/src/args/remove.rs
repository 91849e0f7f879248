//! `svtd remove`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::Room;

/// Remove documents from a corpus file.
#[derive(Debug, Args)]
#[command(after_help = REMOVE_EXAMPLES)]
pub struct Remove {
    /// The corpus file, as `svtd count` writes it; it is changed in place, completely or not at all
    #[arg(value_name = "CORPUS")]
    pub corpus: PathBuf,

    /// A file with the names of the documents to remove, one per line (their numbers, from 1, where documents have
    /// no names); - is standard input
    #[arg(long, value_name = "FILE")]
    pub documents: Option<PathBuf>,

    /// Remove the documents with this value in a kept column; `label` is the label. May be repeated: documents must
    /// then meet all conditions
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = condition,
          conflicts_with = "documents")]
    pub conditions: Vec<(String, String)>,

    /// Ignore names that no document has
    #[arg(long, requires = "documents")]
    pub ignore_missing: bool,

    /// How much of the corpus is kept in memory.
    #[command(flatten)]
    pub room: Room,
}

fn condition(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((column, value)) if !column.is_empty() => Ok((column.to_owned(), value.to_owned())),
        _ => Err("expected COLUMN=VALUE, such as author=Smith".to_owned()),
    }
}

const REMOVE_EXAMPLES: &str = "\
Examples:
  svtd remove posts.svtdc --documents withdrawn.txt
  svtd remove posts.svtdc --where author=smith
  echo post-17 | svtd remove posts.svtdc --documents -

The rest is the corpus as if these documents had never been there, down to the bytes of its file and
of the models learned from it. The words stay as they were chosen.";
