//! `svtd update`: every flag and its help.

use std::path::PathBuf;

use clap::Args;
use svtd::learning::SWEEPS;

use super::numbers::at_least_one;
use super::{Source, StreamFlags};

/// Update a model to a corpus that has changed, keeping the numbers and names of its topics.
#[derive(Debug, Args)]
#[command(after_help = UPDATE_EXAMPLES)]
pub struct Update {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The corpus as it is now: all of it, not only what is new; or a stream.
    #[command(flatten)]
    pub source: Source,

    /// Where to save the new model
    #[arg(short, long, value_name = "MODEL")]
    pub output: PathBuf,

    /// Overwrite MODEL if it exists
    #[arg(long)]
    pub force: bool,

    /// Fit from scratch, as `svtd fit` did, and then give the topics their old numbers
    #[arg(long)]
    pub cold: bool,

    /// How many of the words that gained and lost most to show, in topics that changed
    #[arg(long, value_name = "WORDS", default_value = "4", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,

    /// LDA: number of passes over the documents, starting from the old topics; more passes cost more and come
    /// closer to a fit
    #[arg(long, value_name = "N", default_value_t = SWEEPS, value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub sweeps: usize,

    /// Streams.
    #[command(flatten)]
    pub stream: StreamFlags,

    /// With --last: the column with the time of each document, such as 2024-03-09, a time stamp, or
    /// seconds since 1970
    #[arg(long, value_name = "COLUMN", help_heading = "Streams")]
    pub time: Option<String>,
}

const UPDATE_EXAMPLES: &str = "\
Examples:
  svtd add posts.svtdc today.csv && svtd update posts.svtd posts.svtdc -o new.svtd
  svtd update posts.svtd posts.svtdc -o new.svtd --cold    look for topics that are new
  svtd update posts.svtd posts.svtdc -o new.svtd --json
  tail -f posts.jsonl | svtd update posts.svtd - -o posts.svtd --every 1000 --last 30d --time date
  svtd update posts.svtd may.jsonl june.jsonl -o 'models/{number}.svtd' --every 500 --json

An update starts from the topics of the old model and costs a small part of a fit. It finds no new
topics, and cannot say which would be found again; a cold one does both. A topic has moved if it is
further from the old one than twice the distance that the error bars explain.

Each model of a stream is the one that svtd update makes from the previous model and the documents
in the window: their words are chosen again, as those of the model were.";
