//! `svtd infer`: every flag and its help.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::numbers::at_least_one;
use super::{Chance, Source};
use crate::output::Format;

/// Infer the topics of documents.
#[derive(Debug, Args)]
#[command(after_help = INFER_EXAMPLES)]
pub struct Infer {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The corpus.
    #[command(flatten)]
    pub source: Source,

    /// Where to write the table; its ending determines the format [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The format of the table, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Format>,

    /// One column for each topic (wide), or one row for each topic of each document, largest first (long) [default:
    /// wide, or long with --top]
    #[arg(long, value_enum)]
    pub layout: Option<Layout>,

    /// Only the N largest topics of each document
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    pub top: Option<usize>,

    /// LDA: use Gibbs sampling (Remark 3.1 of the paper) instead of the fixed point
    #[arg(long)]
    pub gibbs: bool,

    /// Hmm: what is expected after the last step of each sequence, up to N steps ahead: the probability of every state,
    /// and of every observation or its mean
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    pub forecast: Option<usize>,

    /// In CSV, put an apostrophe before names that a spreadsheet would take for a formula (they
    /// begin with =, +, - or @)
    #[arg(long)]
    pub safe_csv: bool,

    /// Overwrite FILE if it exists
    #[arg(long)]
    pub force: bool,

    /// The seed.
    #[command(flatten)]
    pub chance: Chance,

    /// Models of records: values that mean missing, in addition to empty cells [default: NA,NaN,nan,null,NULL]
    #[arg(long, value_name = "CELLS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,
}

const INFER_EXAMPLES: &str = "\
Examples:
  svtd infer kos.svtd docword.kos.txt.gz > mixtures.csv
  svtd infer kos.svtd new.mtx --vocab words.txt -o mixtures.npy
  svtd infer kos.svtd docword.kos.txt.gz --top 3          the three largest topics of each
  svtd infer kos.svtd docword.kos.txt.gz --to jsonl       an object for each document
  svtd infer kos.svtd docword.kos.txt.gz -o mixtures.parquet
  svtd infer kos.svtd docword.kos.txt.gz --gibbs --seed 7
  svtd infer visits.svtd visits.csv --forecast 3          a hidden Markov model, three steps ahead

Words are matched by name; words that are not in the model are skipped and counted.";

/// The shape of a document-topic table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// A row for each document, a column for each topic.
    Wide,
    /// A row for each topic of each document.
    Long,
}
