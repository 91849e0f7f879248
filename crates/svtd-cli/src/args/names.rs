//! `svtd names`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

/// Name the topics of a model, or show their names.
#[derive(Debug, Args)]
#[command(after_help = NAMES_EXAMPLES)]
pub struct Names {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The names, as a page of `svtd report` saves them: a JSON list with a string or null for each topic, or an
    /// object with the list as `names`. Without this argument the names are shown
    pub names: Option<PathBuf>,

    /// Where to save the model with its names [default: MODEL itself]
    #[arg(short, long, value_name = "FILE", requires = "names")]
    pub output: Option<PathBuf>,

    /// Overwrite the FILE of --output if it exists
    #[arg(long)]
    pub force: bool,
}

const NAMES_EXAMPLES: &str = "\
Examples:
  svtd names letters.svtd names.json                    keep the names in the model
  svtd names letters.svtd names.json -o named.svtd      keep them in a copy
  svtd names letters.svtd                               show them

topics, infer, export, report and Python take the names from the model.";
