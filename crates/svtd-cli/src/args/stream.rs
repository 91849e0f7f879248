//! Flags for streams that `fit` and `update` share.

use clap::Args;
use svtd::stream::Last;

use super::first;
use super::numbers::at_least_one;

/// The default number of documents between two models.
const EVERY: usize = 1000;

/// How a stream is read.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Streams")]
pub struct StreamFlags {
    /// Read INPUT as a stream of text: make a model every N documents, and one of the rest at its end. The name
    /// after -o may contain {number} for the number of the model; without it each model replaces the previous one
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    pub every: Option<usize>,

    /// Same as --every 1000
    #[arg(long)]
    pub follow: bool,

    /// Learn only from the most recent documents: those within 12h, 30d, 8w, 6m or 1y of the newest, by the column
    /// of --time, or a number of documents
    #[arg(long, value_name = "SPAN|N", allow_negative_numbers = true)]
    pub last: Option<Last>,

    /// Fit every M-th model from scratch: the others start from the previous model, and find no new topics
    #[arg(long, value_name = "M", value_parser = at_least_one, allow_negative_numbers = true)]
    pub cold_every: Option<usize>,
}

impl StreamFlags {
    /// Whether INPUT is a stream.
    pub fn are_on(&self) -> bool {
        self.every.is_some() || self.follow
    }

    /// Number of documents between two models.
    pub fn every(&self) -> usize {
        self.every.unwrap_or(EVERY)
    }

    /// The error message when flags contradict each other; `time` is the column of `--time`.
    pub fn contradiction(&self, time: Option<&str>) -> Option<String> {
        let window = matches!(self.last, Some(Last::Time(_)));
        let given = [(self.last.is_some(), "--last"), (self.cold_every.is_some(), "--cold-every")];
        let sentence = match (self.are_on(), window, time) {
            (false, ..) => {
                let flag = first(&given)?;
                return Some(format!("{flag} is for streams; add --every N"));
            }
            (_, true, None) => "--last by time needs the column of times; add --time COLUMN",
            (_, false, Some(_)) => "--time is for a window of time here; add --last 30d",
            _ => return None,
        };
        Some(sentence.to_owned())
    }
}
