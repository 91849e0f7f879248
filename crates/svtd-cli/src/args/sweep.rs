//! `svtd sweep`: every flag and its help.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;

use super::numbers::{at_least_one, positive};
use super::{AnyKind, RecordFlags, Source};

/// Compare every number of topics of a range.
#[derive(Debug, Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub struct Sweep {
    /// The corpus.
    #[command(flatten)]
    pub source: Source,

    /// The numbers of topics to compare, both ends included
    #[arg(short = 'k', long = "topics", visible_alias = "classes", value_name = "FROM..TO", default_value = "2..40",
          value_parser = range)]
    pub range: RangeInclusive<usize>,

    /// What is to be learned: documents that mix topics, documents about one topic each, or
    /// records of a table that belong to latent classes
    #[arg(long, value_enum, default_value_t)]
    pub model: AnyKind,

    /// LDA: the sum of the Dirichlet parameter that the moments assume [default: 1]
    #[arg(long, value_name = "A", value_parser = positive, allow_negative_numbers = true)]
    pub alpha0: Option<f64>,

    /// Draw the curves to this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Overwrite FILE if it exists
    #[arg(long)]
    pub force: bool,

    /// What concerns models of records only.
    #[command(flatten)]
    pub records: RecordFlags,
}

const SWEEP_EXAMPLES: &str = "\
Examples:
  svtd sweep docword.kos.txt.gz -k 2..60
  svtd sweep docword.kos.txt.gz -k 2..60 --svg topics.svg
  svtd sweep reviews.mtx --model single-topic -k 2..20 --json
  svtd sweep survey.csv --model classes -k 1..8

All models come from the same passes over the data, without polish: they tell how many topics
there are, svtd fit then makes the best of the number you choose.";

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let wrong = || "expected two whole numbers such as 2..60, the first at least 1".to_owned();
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let range = at_least_one(from).map_err(|_| wrong())?
        ..=at_least_one(to.trim_start_matches('=')).map_err(|_| wrong())?;
    if range.is_empty() { Err(wrong()) } else { Ok(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_nonsense_is_refused() {
        assert_eq!(range("2..60"), Ok(2..=60));
        assert_eq!(range("5..5"), Ok(5..=5));
        for text in ["", "..", "3", "0..4", "9..3", "2..x", "-1..3", "2...5"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
