//! `svtd draw`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::numbers::{at_least_one, seed};
use crate::output::Format;

/// Generate random records from a model of records.
#[derive(Debug, Args)]
#[command(after_help = DRAW_EXAMPLES)]
pub struct Draw {
    /// A model of records saved by `svtd fit`
    pub model: PathBuf,

    /// How many records to generate
    #[arg(short = 'n', long = "records", value_name = "N", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub n_records: usize,

    /// The seed: the same seed gives the same records
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed,
          allow_negative_numbers = true)]
    pub seed: u64,

    /// Where to write the table; its ending determines the format [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The format of the table, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Format>,

    /// Overwrite FILE if it exists
    #[arg(long)]
    pub force: bool,
}

const DRAW_EXAMPLES: &str = "\
Examples:
  svtd draw survey.svtd -n 1000 > more.csv
  svtd draw survey.svtd -n 1000 --seed 7 -o more.parquet

Documents are drawn by svtd generate.";
