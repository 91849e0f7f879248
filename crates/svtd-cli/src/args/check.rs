//! `svtd check`: every flag and its help.

use clap::Args;

use super::numbers::{at_least_one, positive};
use super::{AnyKind, AtSites, RecordFlags, Source};

/// Report what can be learned from a corpus, before fitting.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct Check {
    /// The corpus.
    #[command(flatten)]
    pub source: Source,

    /// The number of topics for which time and memory are estimated [default: as many as are visible]
    #[arg(short = 'k', long = "topics", visible_alias = "classes", value_name = "K", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub n_topics: Option<usize>,

    /// The model: documents that mix topics, documents about one topic each, or records of a table that belong to
    /// latent classes
    #[arg(long, value_enum, default_value_t)]
    pub model: AnyKind,

    /// LDA: the sum of the Dirichlet parameter that the moments assume [default: 1]
    #[arg(long, value_name = "A", value_parser = positive, allow_negative_numbers = true)]
    pub alpha0: Option<f64>,

    /// Documents at other sites.
    #[command(flatten)]
    pub at: AtSites,

    /// Flags for models of records.
    #[command(flatten)]
    pub records: RecordFlags,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  svtd check docword.kos.txt.gz
  svtd check docword.kos.txt.gz -k 50                    what would 50 topics need?
  svtd check reviews.mtx --model single-topic --json
  svtd check survey.csv --model classes -k 3             can three classes be identified?
  svtd check --sites hospitals/                          what sums over documents tell that stay where they are

Exit code 1 when the corpus cannot be fitted at all.";
