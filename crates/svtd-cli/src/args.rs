//! Every flag and its help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use svtd::moments::Rows as SliceRows;
use svtd::synthetic::Lengths;
use svtd::{DocumentWeights, Method as RotationMethod, Polish, Scaling};

/// More threads than any machine we know of has cores for.
const MAX_THREADS: usize = 1024;

/// Topic models by the method of moments: the same, justified answer every time.
#[derive(Debug, Parser)]
#[command(name = "svtd", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  svtd demo                                        see it work, no data needed
  svtd fit docword.kos.txt.gz -k 20 -o kos.svtd    learn 20 topics
  svtd topics kos.svtd                             show them again
  svtd infer kos.svtd docword.kos.txt.gz           the topics of each document

Exit codes: 0 done, 1 the data will not support the request, 2 the request is wrong, \
130 interrupted.";

/// The stages.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn a model from a table of counts
    Fit(Fit),
    /// Show the topics of a model
    Topics(Topics),
    /// Tell which topics documents are about
    Infer(Infer),
    /// Write a model's numbers for other programs
    Export(Export),
    /// Fit 230 years of State of the Union addresses, to see what a fit looks like
    Demo(Demo),
    /// Draw a corpus from a model, and keep the truth
    Generate(Generate),
}

/// Learn a model from a table of counts.
#[derive(Debug, Args)]
#[command(after_help = FIT_EXAMPLES)]
pub struct Fit {
    /// The counts: UCI docword or MatrixMarket (documents are rows), plain or gzip
    pub input: PathBuf,

    /// How many topics to learn
    #[arg(short = 'k', long = "topics", value_name = "K", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub n_topics: usize,

    /// What a document is: a mixture of topics, or about one topic
    #[arg(long, value_enum, default_value_t)]
    pub model: ModelKind,

    /// LDA: the sum of the Dirichlet parameter that the moments assume, small when documents have
    /// few topics; the polish has its own [default: 1]
    #[arg(long, value_name = "A", value_parser = positive, allow_negative_numbers = true)]
    pub alpha0: Option<f64>,

    /// How the topics are told apart: all words jointly, the paper's one pivot word, or one of the
    /// rivals the paper compares with, which draw random numbers (--seed) [default: joint]
    #[arg(long, value_enum)]
    pub method: Option<Method>,

    /// How much a document counts [default: optimal]
    #[arg(long, value_enum)]
    pub weights: Option<Weights>,

    /// How words are weighted before the pair moment is decomposed [default: scaled]
    #[arg(long, value_enum)]
    pub whitening: Option<Whitening>,

    /// Method svtd: whether a word's slice keeps its own row [default: kept]
    #[arg(long, value_enum)]
    pub rows: Option<Rows>,

    /// What follows the moments: auto (EM; LDA: sweeps if they predict better), none, or a number
    /// of steps [default: auto]
    #[arg(long, value_name = "auto|none|STEPS", value_parser = polish,
          allow_negative_numbers = true)]
    pub polish: Option<Polish>,

    /// The paper to the letter: --weights paper --whitening plain --method svtd --rows removed
    /// --polish none; flags given beside it win
    #[arg(long)]
    pub paper: bool,

    /// Do not tell the topics' directions from noise (z-scores), which costs one more whitening
    #[arg(long)]
    pub no_trust: bool,

    /// Accept fewer topics when the data shows no more
    #[arg(long)]
    pub allow_fewer: bool,

    /// The words, one a line [default: vocab.NAME.txt beside docword.NAME.txt]
    #[arg(long, value_name = "FILE")]
    pub vocab: Option<PathBuf>,

    /// Where to save the model
    #[arg(short, long, value_name = "MODEL")]
    pub output: Option<PathBuf>,

    /// Overwrite MODEL if it exists
    #[arg(long)]
    pub force: bool,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,

    /// Tell each stage and its seconds
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Leave out all messages but errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Seed and threads.
    #[command(flatten)]
    pub machine: Machine,
}

const FIT_EXAMPLES: &str = "\
Examples:
  svtd fit docword.kos.txt.gz -k 20                      look first, save nothing
  svtd fit docword.kos.txt.gz -k 20 -o kos.svtd          save the model
  svtd fit counts.mtx --vocab words.txt -k 8 --json      for a program to read
  svtd fit reviews.mtx -k 5 --model single-topic         one topic a document
  svtd fit docword.kos.txt.gz -k 20 --paper              the paper's Algorithm 2

The result never depends on the number of threads, nor on the run.";

/// Show the topics of a model.
#[derive(Debug, Args)]
#[command(after_help = TOPICS_EXAMPLES)]
pub struct Topics {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// How many words to show of each topic
    #[arg(long, value_name = "WORDS", default_value = "10", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

const TOPICS_EXAMPLES: &str = "\
Examples:
  svtd topics kos.svtd --top 20
  svtd topics kos.svtd --json > kos.json";

/// Tell which topics documents are about.
#[derive(Debug, Args)]
#[command(after_help = INFER_EXAMPLES)]
pub struct Infer {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The counts, in any format `svtd fit` reads
    pub input: PathBuf,

    /// Where to write the mixtures, as .csv or .npy [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The words of INPUT, one a line [default: vocab.NAME.txt beside docword.NAME.txt]
    #[arg(long, value_name = "FILE")]
    pub vocab: Option<PathBuf>,

    /// LDA: sample (Remark 3.1 of the paper) instead of the fixed point
    #[arg(long)]
    pub gibbs: bool,

    /// Overwrite FILE if it exists
    #[arg(long)]
    pub force: bool,

    /// Print one JSON object instead of CSV
    #[arg(long, conflicts_with = "output")]
    pub json: bool,

    /// Leave out all messages but errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Seed and threads.
    #[command(flatten)]
    pub machine: Machine,
}

const INFER_EXAMPLES: &str = "\
Examples:
  svtd infer kos.svtd docword.kos.txt.gz > mixtures.csv
  svtd infer kos.svtd new.mtx --vocab words.txt -o mixtures.npy
  svtd infer kos.svtd docword.kos.txt.gz --gibbs --seed 7

Words are matched by name; words the model has never seen are passed over and counted.";

/// Write a model's numbers for other programs.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
#[command(group(clap::ArgGroup::new("targets").required(true).multiple(true)
          .args(["topic_word", "topic_weights", "alpha"])))]
pub struct Export {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// The probability of each word in each topic, topics x words, as .npy or .csv
    #[arg(long, value_name = "FILE")]
    pub topic_word: Option<PathBuf>,

    /// The weight of each topic, as .npy or .csv
    #[arg(long, value_name = "FILE")]
    pub topic_weights: Option<PathBuf>,

    /// LDA: the Dirichlet parameter, as .npy or .csv
    #[arg(long, value_name = "FILE")]
    pub alpha: Option<PathBuf>,

    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  svtd export kos.svtd --topic-word words.npy --topic-weights weights.npy
  svtd export kos.svtd --topic-word words.csv --alpha alpha.csv --force

Rows of topic-word sum to one; columns are in the order of the vocabulary, which heads the CSV.";

/// Fit 230 years of State of the Union addresses, to see what a fit looks like.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct Demo {
    /// How many topics to learn
    #[arg(short = 'k', long = "topics", value_name = "K", default_value = "12",
          value_parser = at_least_one, allow_negative_numbers = true)]
    pub n_topics: usize,
}

const DEMO_EXAMPLES: &str = "\
Examples:
  svtd demo
  svtd demo -k 20";

/// Draw a corpus from a model, and keep the truth.
#[derive(Debug, Args)]
#[command(after_help = GENERATE_EXAMPLES)]
pub struct Generate {
    /// What a document is: about one topic, or a mixture of topics
    #[arg(value_enum)]
    pub model: ModelKind,

    /// How many documents to draw
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

    /// How long documents are: fixed:20, uniform:3..100 (both included), lognormal:MU,SIGMA (of
    /// the logarithm) or negbin:MEAN,SHAPE; the last two at least 3
    #[arg(long, value_name = "LAW", default_value = "uniform:3..100", value_parser = lengths)]
    pub lengths: Lengths,

    /// LDA: the sum of the Dirichlet parameter, even over the topics [default: 1]
    #[arg(long, value_name = "A", value_parser = positive, allow_negative_numbers = true)]
    pub alpha0: Option<f64>,

    /// Words as unequal as in text, instead of uniform random numbers
    #[arg(long)]
    pub zipf: bool,

    /// Where everything comes from: the same seed draws the same bytes
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed,
          allow_negative_numbers = true)]
    pub seed: u64,

    /// Writes docword.NAME.txt, vocab.NAME.txt and the truth as NAME.*.npy and NAME.*.csv; NAME
    /// may begin with a folder
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

The truth: NAME.topic-word.npy (topics x words); NAME.topic-weights.csv and NAME.topics.csv (the
topic of each document, from 1), or for LDA NAME.alpha.csv and NAME.mixtures.npy.";

/// What has to do with chance and with the machine.
#[derive(Debug, Args)]
pub struct Machine {
    /// Seed for --weights three-words, --gibbs and the rival methods; nothing else draws random
    /// numbers
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed,
          allow_negative_numbers = true)]
    pub seed: u64,

    /// How many threads to use; changes no result [default: one a core]
    #[arg(long, value_name = "T", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
}

/// What a document is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ModelKind {
    /// Documents mix topics.
    #[default]
    Lda,
    /// Each document is about one topic.
    SingleTopic,
}

/// How the rotation is found.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Method {
    /// All slices of the third moment at once.
    Joint,
    /// The paper's Algorithm 2: one pivot word.
    Svtd,
    /// The robust tensor power method with deflation (--seed).
    TensorPower,
    /// Eigenvectors along a random direction of the words (--seed).
    Eigenvectors,
    /// Singular vectors along a random whitened direction (--seed).
    SingularVectors,
    /// Alternating least squares (--seed).
    Als,
}

impl Method {
    /// As the library spells them.
    pub fn with_seed(self, seed: u64) -> RotationMethod {
        match self {
            Method::Joint => RotationMethod::Joint,
            Method::Svtd => RotationMethod::Svtd,
            Method::TensorPower => RotationMethod::TensorPower { seed },
            Method::Eigenvectors => RotationMethod::Eigenvectors { seed },
            Method::SingularVectors => RotationMethod::SingularVectors { seed },
            Method::Als => RotationMethod::Als { seed },
        }
    }
}

/// How much a document counts.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Weights {
    /// Least variance for the lengths at hand.
    Optimal,
    /// By pairs and triples: Theorem 2.1.
    Paper,
    /// All documents alike.
    Zou,
    /// Three words drawn from each document (--seed).
    ThreeWords,
}

impl Weights {
    /// As the library spells them.
    pub fn with_seed(self, seed: u64) -> DocumentWeights {
        match self {
            Weights::Optimal => DocumentWeights::Optimal,
            Weights::Paper => DocumentWeights::Paper,
            Weights::Zou => DocumentWeights::Zou,
            Weights::ThreeWords => DocumentWeights::ThreeWords { seed },
        }
    }
}

/// How words are weighted in the pair moment.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Whitening {
    /// By their frequency, with a ridge.
    Scaled,
    /// As in the paper.
    Plain,
}

impl From<Whitening> for Scaling {
    fn from(whitening: Whitening) -> Self {
        match whitening {
            Whitening::Scaled => Scaling::Scaled,
            Whitening::Plain => Scaling::Plain,
        }
    }
}

/// Whether slices keep their own row.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Rows {
    /// Better conditioned.
    Kept,
    /// As in the paper.
    Removed,
}

impl From<Rows> for SliceRows {
    fn from(rows: Rows) -> Self {
        match rows {
            Rows::Kept => SliceRows::Kept,
            Rows::Removed => SliceRows::Removed,
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&n| n > 0);
    number.ok_or_else(|| "expected a whole number of at least 1".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|a: &f64| a.is_finite() && *a > 0.0);
    number.ok_or_else(|| "expected a positive number".to_owned())
}

fn seed(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&n| n <= MAX_THREADS);
    number.ok_or_else(|| {
        format!("expected a whole number from 1 to {MAX_THREADS}, or 0 for one a core")
    })
}

/// The longest document that is drawn, on average: more is surely a slip.
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

fn polish(text: &str) -> Result<Polish, String> {
    match text {
        "auto" => Ok(Polish::Auto),
        "none" => Ok(Polish::None),
        steps => at_least_one(steps)
            .map(Polish::Steps)
            .map_err(|_| "expected auto, none or a number of steps of at least 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_do_not_contradict_each_other() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for text in ["0", "-1", "1.5", "", "x", "99999999999999999999999"] {
            assert!(at_least_one(text).is_err(), "{text}");
            assert!(polish(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "NaN", "inf", "1e400", "", "x"] {
            assert!(positive(text).is_err(), "{text}");
        }
        assert!(threads("100000").is_err());
        assert_eq!(threads("0"), Ok(0));
        assert_eq!(polish("7"), Ok(Polish::Steps(7)));
    }

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
