//! `svtd info`: every flag and its help.

use clap::Args;

use super::Source;

/// Describe a corpus: sizes, columns, periods, words, hash.
#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
pub struct Info {
    /// The corpus.
    #[command(flatten)]
    pub source: Source,
}

const INFO_EXAMPLES: &str = "\
Examples:
  svtd info posts.svtdc           the content of a corpus file
  svtd info posts.svtdc --json    the same for programs

The hash is that of the documents and the words: it is equal for equal sets of documents, in any
order. Models of equal sets are equal, byte for byte.";
