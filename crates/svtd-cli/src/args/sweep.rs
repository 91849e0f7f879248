//! `svtd sweep`: every flag and its help.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;

use super::numbers::{at_least_one, positive};
use super::{AnyKind, Elsewhere, RecordFlags, Source};

/// Compare different numbers of topics.
#[derive(Debug, Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub struct Sweep {
    /// The corpus.
    #[command(flatten)]
    pub source: Source,

    /// The numbers of topics to compare: a range, both ends included, or a list such as 5,10,15
    #[arg(short = 'k', long = "topics", visible_alias = "classes", value_name = "FROM..TO", default_value = "2..40",
          value_parser = numbers)]
    pub compared: Numbers,

    /// The model: documents that mix topics, documents about one topic each, or records of a table that belong to
    /// latent classes
    #[arg(long, value_enum, default_value_t)]
    pub model: AnyKind,

    /// LDA: the sum of the Dirichlet parameter that the moments assume [default: 1]
    #[arg(long, value_name = "A", value_parser = positive, allow_negative_numbers = true)]
    pub alpha0: Option<f64>,

    /// Documents at other sites, and answers that are kept.
    #[command(flatten)]
    pub elsewhere: Elsewhere,

    /// Write the curves to this SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Overwrite FILE if it exists
    #[arg(long)]
    pub force: bool,

    /// Flags for models of records.
    #[command(flatten)]
    pub records: RecordFlags,
}

const SWEEP_EXAMPLES: &str = "\
Examples:
  svtd sweep docword.kos.txt.gz -k 2..60
  svtd sweep docword.kos.txt.gz -k 2..60 --svg topics.svg
  svtd sweep docword.kos.txt.gz -k 5,10,15,20
  svtd sweep reviews.mtx --model single-topic -k 2..20 --json
  svtd sweep survey.csv --model classes -k 1..8
  svtd sweep --sites hospitals/ -k 2..20                 documents that stay where they are

All models come from the same passes over the data, without polish. They show how many topics there
are; svtd fit then learns the best model with the number you choose.";

/// The numbers of topics to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Numbers {
    /// All from one number to another, both included.
    Range(RangeInclusive<usize>),
    /// These numbers, ascending.
    Listed(Vec<usize>),
}

impl Numbers {
    /// The smallest.
    pub fn least(&self) -> usize {
        match self {
            Numbers::Range(range) => *range.start(),
            Numbers::Listed(numbers) => numbers.first().copied().unwrap_or(0),
        }
    }

    /// Whether this number is among them.
    pub fn contains(&self, number: usize) -> bool {
        match self {
            Numbers::Range(range) => range.contains(&number),
            Numbers::Listed(numbers) => numbers.contains(&number),
        }
    }

    /// The largest.
    pub fn most(&self) -> usize {
        match self {
            Numbers::Range(range) => *range.end(),
            Numbers::Listed(numbers) => numbers.last().copied().unwrap_or(0),
        }
    }
}

fn numbers(text: &str) -> Result<Numbers, String> {
    let wrong =
        || "expected a range such as 2..60 or a list such as 5,10,15, from 1 upwards".to_owned();
    let number = |text: &str| at_least_one(text.trim()).map_err(|_| wrong());
    let Some((from, to)) = text.split_once("..") else {
        let mut listed = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
        listed.sort_unstable();
        listed.dedup();
        return Ok(Numbers::Listed(listed));
    };
    let range = number(from)?..=number(to.trim_start_matches('='))?;
    if range.is_empty() { Err(wrong()) } else { Ok(Numbers::Range(range)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists_are_read_and_nonsense_is_refused() {
        assert_eq!(numbers("2..60"), Ok(Numbers::Range(2..=60)));
        assert_eq!(numbers("5..5"), Ok(Numbers::Range(5..=5)));
        assert_eq!(numbers("5,10,15"), Ok(Numbers::Listed(vec![5, 10, 15])));
        assert_eq!(numbers("15, 5,5"), Ok(Numbers::Listed(vec![5, 15])));
        assert_eq!(numbers("3"), Ok(Numbers::Listed(vec![3])));
        for text in ["", "..", "0..4", "9..3", "2..x", "-1..3", "2...5", "5,", "5,0", "5;6"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
