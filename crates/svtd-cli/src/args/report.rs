//! `svtd report`, and the flags of a page that `svtd fit --report` has as well.

use std::path::PathBuf;

use clap::Args;

use super::PerhapsSource;
use super::numbers::at_least_one;

/// Write one HTML file that shows what a model found and how reliable it is.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct Report {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The documents, for mixtures, examples, time and labels; without them the page shows only the model.
    #[command(flatten)]
    pub source: PerhapsSource,

    /// Where to write the page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub output: PathBuf,

    /// Overwrite FILE if it exists
    #[arg(long)]
    pub force: bool,

    /// Content of the page.
    #[command(flatten)]
    pub page: PageFlags,
}

/// Content of a page.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Page")]
pub struct PageFlags {
    /// The column with the time of each document (years, months or dates), for shares over time
    #[arg(long, value_name = "COLUMN")]
    pub time: Option<String>,

    /// The output of `svtd sweep --json`, for the section on the number of topics
    #[arg(long, value_name = "FILE")]
    pub sweep: Option<PathBuf>,

    /// Leave out the documents' text: no text, no passages, no words of a single document
    #[arg(long)]
    pub no_text: bool,

    /// Hide words that are in fewer documents than this
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    pub min_documents: Option<usize>,

    /// How many documents are shown; the others are only counted [default: 500]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    pub documents: Option<usize>,

    /// How many words of each topic are shown [default: 20]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    pub top_words: Option<usize>,

    /// The title of the page
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

impl PageFlags {
    /// The first given flag, if any.
    pub fn given(&self) -> Option<&'static str> {
        super::first(&[
            (self.time.is_some(), "--time"),
            (self.sweep.is_some(), "--sweep"),
            (self.no_text, "--no-text"),
            (self.min_documents.is_some(), "--min-documents"),
            (self.documents.is_some(), "--documents"),
            (self.top_words.is_some(), "--top-words"),
            (self.title.is_some(), "--title"),
        ])
    }
}

const REPORT_EXAMPLES: &str = "\
Examples:
  svtd report letters.svtd -o letters.html                       only the model
  svtd report letters.svtd letters/ -o letters.html              with the documents
  svtd report posts.svtd posts.csv --time date --label-column author
  svtd sweep letters/ --json > sweep.json && \\
  svtd report letters.svtd letters/ --sweep sweep.json           with every number of topics
  svtd report letters.svtd letters/ --no-text --min-documents 5  nothing of a single document

The page is one file that fetches nothing: it can be mailed, printed, and opened without a network.";
