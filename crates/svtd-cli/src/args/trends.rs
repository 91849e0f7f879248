//! `svtd trends`: every flag and its help.

use std::path::PathBuf;

use clap::Args;
use svtd::evaluation::Unit;

use super::Source;
use super::numbers::at_least_one;

/// Show how topics and their words change over time.
#[derive(Debug, Args)]
#[command(after_help = TRENDS_EXAMPLES)]
pub struct Trends {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The corpus.
    #[command(flatten)]
    pub source: Source,

    /// The column with the time of each document: years, months, dates or time stamps
    #[arg(long, value_name = "COLUMN")]
    pub time: String,

    /// A column with groups of documents, each also shown separately; `label` is the label
    #[arg(long, value_name = "COLUMN")]
    pub by: Option<String>,

    /// The length of a period: days, months or years, such as 7d, 3m or 10y [default: the shortest
    /// with enough documents in a period]
    #[arg(long, value_name = "LENGTH", value_parser = unit)]
    pub every: Option<Unit>,

    /// Show only this topic, period by period, with its words
    #[arg(long, value_name = "TOPIC", value_parser = at_least_one, allow_negative_numbers = true)]
    pub topic: Option<usize>,

    /// How many of the words that gained and lost to show for each topic and period
    #[arg(long, value_name = "WORDS", default_value = "5", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,

    /// Write the shares as a table: one row for each period, group and topic; the ending determines the format
    /// (.csv, .jsonl, .parquet)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write the words that changed as a table: one row for each period, topic and word
    #[arg(long, value_name = "FILE")]
    pub words: Option<PathBuf>,

    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

fn unit(text: &str) -> Result<Unit, String> {
    let wrong = || "expected a number of days, months or years, such as 7d, 3m or 10y".to_owned();
    let end = text.len() - text.chars().last().map_or(0, char::len_utf8);
    let n: u32 = text[..end].parse().map_err(|_| wrong())?;
    match (n, &text[end..]) {
        (1..=10_000, "d") => Ok(Unit::Days(n)),
        (1..=10_000, "m") => Ok(Unit::Months(n)),
        (1..=10_000, "y") => Ok(Unit::Years(n)),
        _ => Err(wrong()),
    }
}

const TRENDS_EXAMPLES: &str = "\
Examples:
  svtd trends posts.svtd posts.csv --time date                  every topic over time
  svtd trends posts.svtd posts.csv --time date --topic 3        one of them, with its words
  svtd trends posts.svtd posts.svtdc --time date --by author    for each author too
  svtd trends posts.svtd posts.csv --time date --every 10y -o shares.csv --words words.csv

A band contains the share with a probability of 95 %, given the topics. The shares of each period
are estimated separately: they are not shrunk towards those of the whole, as by `svtd infer`.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_periods_are_read() {
        assert_eq!(unit("7d"), Ok(Unit::Days(7)));
        assert_eq!(unit("10y"), Ok(Unit::Years(10)));
        for text in ["", "y", "0y", "3", "3w", "-1y", "5é", "99999y"] {
            assert!(unit(text).is_err(), "{text}");
        }
    }
}
