//! `svtd answer`: every flag and its help.

use std::path::PathBuf;

use clap::Args;

use super::Source;

/// Answer the questions of a fit, for documents that stay where they are.
#[derive(Debug, Args)]
#[command(after_help = ANSWER_EXAMPLES)]
pub struct Answer {
    /// A question, or the folder of this site, in which every open question is answered
    #[arg(value_name = "QUESTION")]
    pub question: PathBuf,

    /// The documents of this site.
    #[command(flatten)]
    pub source: Source,

    /// Where to save the answer to a single question [default: beside it]
    #[arg(short, long, value_name = "ANSWER")]
    pub output: Option<PathBuf>,

    /// Refuse sums over fewer documents than this
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub min_documents: usize,

    /// Wait for further questions in the folder until the fit is over
    #[arg(long)]
    pub follow: bool,

    /// Where to keep the state of LDA between two questions; it is about single documents, so it stays here
    /// [default: INPUT.state beside the first INPUT]
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Overwrite ANSWER if it exists
    #[arg(long)]
    pub force: bool,
}

const ANSWER_EXAMPLES: &str = "\
Examples:
  svtd answer sites/north north.svtdc --follow           answer until the fit is over
  svtd answer sites/north north.svtdc                    answer what is open now
  svtd answer 0003-pairs.question north.svtdc -o 0003-pairs.answer

The fit runs elsewhere: svtd fit --sites sites -k 20 -o all.svtd. Answers are sums over the
documents of this site, never a document; docs/guides/sites.md lists what leaves a site.";
