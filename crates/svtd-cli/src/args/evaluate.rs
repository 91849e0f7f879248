//! `svtd evaluate`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::Source;
use super::numbers::at_least_one;

/// Measure how good a model is on documents, preferably unseen ones.
#[derive(Debug, Args)]
#[command(after_help = EVALUATE_EXAMPLES)]
pub struct Evaluate {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The documents.
    #[command(flatten)]
    pub source: Source,

    /// The true group of each document, one per line [default: the labels of INPUT, if it has any]
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,

    /// How many words of each topic are used for coherence
    #[arg(long, value_name = "WORDS", default_value = "10", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,

    /// Compare the predictions with those of another model, on the same words of the same documents
    #[arg(long, value_name = "MODEL")]
    pub against: Option<PathBuf>,

    /// Models of records: values that mean missing, in addition to empty cells [default: NA,NaN,nan,null,NULL]
    #[arg(long, value_name = "CELLS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,
}

const EVALUATE_EXAMPLES: &str = "\
Examples:
  svtd evaluate kos.svtd docword.new.txt.gz
  svtd evaluate kos20.svtd docword.new.txt.gz --against kos10.svtd
  svtd evaluate news.svtd docword.new.txt.gz --labels groups.txt
  svtd evaluate kos.svtd docword.new.txt.gz --json

Perplexity: each word of a document falls at random into one of two halves, and one half is
predicted from the other; lower is better. The error is the standard error over documents.
NPMI and UMass: whether a topic's likeliest words occur together in these documents; higher is
better. Diversity: the share of different words among the 25 likeliest of each topic.
ARI and NMI: agreement of the likeliest topics with the labels; 1 is best, 0 is chance.";
