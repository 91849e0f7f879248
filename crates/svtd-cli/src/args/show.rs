//! `svtd show`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::Source;
use super::numbers::at_least_one;

/// Show one document: its topics, and which words point to which topic.
#[derive(Debug, Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub struct Show {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The document's corpus.
    #[command(flatten)]
    pub source: Source,

    /// Which document of INPUT: its name, or its number from 1 if it has none; not needed when
    /// there is only one. Without it a file of plain text is one document
    #[arg(short, long, value_name = "NAME")]
    pub document: Option<String>,

    /// How many words to show for each topic
    #[arg(long, value_name = "WORDS", default_value = "8", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,

    /// How many topics to show, the largest first
    #[arg(long, value_name = "K", default_value = "5", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub topics: usize,

    /// Models of records: values that mean missing, in addition to empty cells [default: NA,NaN,nan,null,NULL]
    #[arg(long, value_name = "CELLS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  svtd show kos.svtd docword.kos.txt.gz --document 17
  svtd show kos.svtd letter.txt
  svtd show kos.svtd docword.kos.txt.gz -d 17 --json

For LDA the number after a word is how many of its occurrences are about the topic; for a
single-topic model it is the evidence the word gives for it, in nats.";
