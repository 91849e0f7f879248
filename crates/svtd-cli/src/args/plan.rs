//! `svtd plan`: every flag and its help.

use std::path::PathBuf;

use clap::Args;
use svtd::model::Kind;

use super::numbers::{at_least_one, positive};
use super::topic_model;

/// Estimate how many documents an accuracy needs.
#[derive(Debug, Args)]
#[command(after_help = PLAN_EXAMPLES)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["from", "n_words"])))]
pub struct Plan {
    /// Plan for the topics of a model saved by `svtd fit`
    #[arg(long = "model", value_name = "MODEL")]
    pub from: Option<PathBuf>,

    /// How many words the vocabulary has
    #[arg(long = "words", value_name = "n", value_parser = at_least_one, requires = "n_topics",
          requires = "length", allow_negative_numbers = true)]
    pub n_words: Option<usize>,

    /// How many topics there are
    #[arg(short = 'k', long = "topics", value_name = "K", value_parser = at_least_one,
          allow_negative_numbers = true, conflicts_with = "from")]
    pub n_topics: Option<usize>,

    /// The mean number of words in a document
    #[arg(long, value_name = "c", value_parser = at_least_one, allow_negative_numbers = true)]
    pub length: Option<usize>,

    /// The model: a document is a mixture of topics, or about one topic
    #[arg(long, value_parser = topic_model(), default_value_t, conflicts_with = "from")]
    pub kind: Kind,

    /// LDA: the sum of the Dirichlet parameter, small when documents have few topics [default: 1]
    #[arg(long, value_name = "A", value_parser = positive, allow_negative_numbers = true,
          conflicts_with = "from")]
    pub alpha0: Option<f64>,

    /// The accuracy: the mean L1 error of a topic, from 0 (equal) to 2 (disjoint)
    #[arg(long, value_name = "L1", default_value = "0.2", value_parser = positive,
          allow_negative_numbers = true)]
    pub accuracy: f64,
}

const PLAN_EXAMPLES: &str = "\
Examples:
  svtd plan --words 5000 --topics 20 --length 100
  svtd plan --words 5000 -k 20 --length 100 --kind single-topic --accuracy 0.1
  svtd plan --model kos.svtd --accuracy 0.3              were my documents enough?

Without a model, word frequencies are assumed to be as uneven as in text (svtd generate --zipf).";
