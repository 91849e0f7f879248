//! `svtd generate`: every flag and its help.

use std::path::PathBuf;

use clap::Args;
use svtd::model::Kind;
use svtd::synthetic::Lengths;

use super::numbers::{at_least_one, positive, seed};
use super::topic_model;

/// Generate a corpus from a random model, together with the true parameters.
#[derive(Debug, Args)]
#[command(after_help = GENERATE_EXAMPLES)]
pub struct Generate {
    /// The model: documents about one topic, or mixtures of topics
    #[arg(value_parser = topic_model())]
    pub model: Kind,

    /// How many documents to generate
    #[arg(long = "docs", value_name = "N", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub n_documents: usize,

    /// How many words the vocabulary has
    #[arg(long = "words", value_name = "n", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub n_words: usize,

    /// How many topics there are
    #[arg(short = 'k', long = "topics", value_name = "K", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub n_topics: usize,

    /// The document lengths: fixed:20, uniform:3..100 (both included), lognormal:MU,SIGMA (of the logarithm) or
    /// negbin:MEAN,SHAPE; the last two at least 3
    #[arg(long, value_name = "LAW", default_value = "uniform:3..100", value_parser = lengths)]
    pub lengths: Lengths,

    /// LDA: the sum of the Dirichlet parameter, equal for all topics [default: 1]
    #[arg(long, value_name = "A", value_parser = positive, allow_negative_numbers = true)]
    pub alpha0: Option<f64>,

    /// Word frequencies as uneven as in text, instead of uniform random numbers
    #[arg(long)]
    pub zipf: bool,

    /// The seed: the same seed gives the same bytes
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed,
          allow_negative_numbers = true)]
    pub seed: u64,

    /// Writes docword.NAME.txt, vocab.NAME.txt and the true parameters as NAME.*.npy and NAME.*.csv; NAME may begin
    /// with a folder
    #[arg(short, long, value_name = "NAME")]
    pub output: PathBuf,

    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  svtd generate single-topic --docs 1000 --words 100 -k 5 -o paper
  svtd generate lda --docs 4000 --words 1000 -k 10 --alpha0 2 --zipf -o text
  svtd generate lda --docs 500 --words 80 -k 4 --lengths fixed:60 --seed 7 -o small
  svtd fit docword.paper.txt -k 5 --model single-topic

The true parameters: NAME.topic-word.npy (topics x words); NAME.topic-weights.csv and
NAME.topics.csv (the topic of each document, from 1), or for LDA NAME.alpha.csv and
NAME.mixtures.npy.";

/// The largest mean length of documents; more is surely a mistake.
const MAX_LENGTH: u32 = 1_000_000;

fn lengths(text: &str) -> Result<Lengths, String> {
    let (law, numbers) = text.split_once(':').unwrap_or((text, ""));
    let length = |text: &str| text.parse().ok().filter(|length| (1..=MAX_LENGTH).contains(length));
    let pair = |accepted: &dyn Fn(f64, f64) -> bool| {
        let (first, second) = numbers.split_once(',')?;
        let (first, second): (f64, f64) = (first.parse().ok()?, second.parse().ok()?);
        accepted(first, second).then_some((first, second))
    };
    let longest = f64::from(MAX_LENGTH);
    let parsed = match law {
        "fixed" => length(numbers).map(Lengths::Fixed),
        "uniform" => numbers.split_once("..").and_then(|(least, most)| {
            let range = length(least)?..=length(most)?;
            (!range.is_empty()).then_some(Lengths::Uniform(range))
        }),
        "lognormal" => pair(&|mu, sigma| mu.abs() <= longest.ln() && (0.0..=10.0).contains(&sigma))
            .map(|(mu, sigma)| Lengths::LogNormal { mu, sigma }),
        "negbin" => {
            pair(&|mean, shape| mean > 0.0 && mean <= longest && shape > 0.0 && shape.is_finite())
                .map(|(mean, shape)| Lengths::NegativeBinomial { mean, shape })
        }
        _ => None,
    };
    parsed.ok_or_else(|| {
        format!(
            "expected fixed:LENGTH, uniform:LEAST..MOST, lognormal:MU,SIGMA or negbin:MEAN,SHAPE, \
             lengths from 1 to {MAX_LENGTH}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_of_lengths_are_read_and_nonsense_is_refused() {
        let read = |text| lengths(text).unwrap();
        assert_eq!(read("fixed:20"), Lengths::Fixed(20));
        assert_eq!(read("uniform:3..100"), Lengths::Uniform(3..=100));
        assert_eq!(read("lognormal:3.5,1"), Lengths::LogNormal { mu: 3.5, sigma: 1.0 });
        assert_eq!(read("negbin:30,2"), Lengths::NegativeBinomial { mean: 30.0, shape: 2.0 });
        for text in [
            "",
            "20",
            "fixed",
            "fixed:",
            "fixed:0",
            "fixed:-3",
            "fixed:2.5",
            "fixed:99999999999",
            "uniform:3",
            "uniform:9..3",
            "uniform:0..3",
            "uniform:3..=9",
            "lognormal:3",
            "lognormal:NaN,1",
            "lognormal:99,1",
            "lognormal:3,-1",
            "negbin:0,1",
            "negbin:30,0",
            "negbin:inf,1",
            "negbin:30,inf",
            "poisson:3",
        ] {
            assert!(lengths(text).is_err(), "{text}");
        }
    }
}
