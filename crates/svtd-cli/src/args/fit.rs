//! `svtd fit`: every flag and its help.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use svtd::Method as RotationMethod;
use svtd::model::{Kind, Polish};
use svtd::moments::{DocumentWeights, Rows as SliceRows};
use svtd::whitening::Scaling;

use super::numbers::{at_least_one, positive};
use super::{
    AnyKind, Chance, Classical, Elsewhere, PageFlags, RecordFlags, Source, StreamFlags, alpha0,
    first,
};

/// Learn a model from text or from counts.
#[derive(Debug, Args)]
#[command(after_help = FIT_EXAMPLES)]
pub struct Fit {
    /// The corpus.
    #[command(flatten)]
    pub source: Source,

    /// How many topics to learn; auto: as many as the data show
    #[arg(short = 'k', long = "topics", visible_alias = "classes", value_name = "K|auto",
          value_parser = n_topics, allow_negative_numbers = true)]
    pub n_topics: Option<TopicCount>,

    /// The model: documents that mix topics, documents about one topic each, records of a table that belong to
    /// latent classes, raters who label items, sequences (hidden Markov model) or points (Gaussian mixture)
    #[arg(long, value_enum, default_value_t)]
    pub model: AnyKind,

    /// LDA: the sum of the Dirichlet parameter that the moments assume, small when documents have few topics; the
    /// polish of text has its own, 0.1 for each topic [default: 1]
    #[arg(long, value_name = "A", value_parser = positive, allow_negative_numbers = true)]
    pub alpha0: Option<f64>,

    /// How the topics are separated: by all words jointly, by the paper's one pivot word, by one of the rivals the
    /// paper compares with, or by a classical method without moments; rivals use random numbers (--seed) [default:
    /// joint]
    #[arg(long, value_enum)]
    pub method: Option<Method>,

    /// How documents are weighted [default: optimal]
    #[arg(long, value_enum)]
    pub weights: Option<Weights>,

    /// How words are weighted before the pair moment is decomposed [default: scaled]
    #[arg(long, value_enum)]
    pub whitening: Option<Whitening>,

    /// Method svtd: whether the slice of a word keeps its own row [default: kept]
    #[arg(long, value_enum)]
    pub rows: Option<Rows>,

    /// What follows the moments: auto (EM; for LDA collapsed variational Bayes, where words are repeated more than topics
    /// explain or where it predicts better), none, or a number of passes [default: auto]
    #[arg(long, value_name = "auto|none|STEPS", value_parser = polish,
          allow_negative_numbers = true)]
    pub polish: Option<Polish>,

    /// Exactly as in the paper: --weights paper --whitening plain --method svtd --rows removed --polish none; flags
    /// given as well take precedence
    #[arg(long)]
    pub paper: bool,

    /// Skip the reliability checks: no halves, no z-scores, no error bars
    #[arg(long)]
    pub no_trust: bool,

    /// How often the documents are split into halves that are fitted separately, to see which topics are found
    /// again; 0 for never [default: 2 where a fit takes under a second, 1 otherwise]
    #[arg(long, value_name = "N", conflicts_with = "no_trust", allow_negative_numbers = true)]
    pub splits: Option<usize>,

    /// Accept fewer topics when the data show no more
    #[arg(long)]
    pub allow_fewer: bool,

    /// Read INPUT and estimate what the fit would take (sizes, memory, passes over the data, time), then stop
    #[arg(long)]
    pub dry_run: bool,

    /// Documents at other sites, and answers that are kept.
    #[command(flatten)]
    pub elsewhere: Elsewhere,

    /// Where to save the model
    #[arg(short, long, value_name = "MODEL")]
    pub output: Option<PathBuf>,

    /// Write an HTML page with the result, as svtd report does
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Overwrite MODEL and the page if they exist
    #[arg(long)]
    pub force: bool,

    /// Content of the page.
    #[command(flatten)]
    pub page: PageFlags,

    /// Streams.
    #[command(flatten)]
    pub stream: StreamFlags,

    /// The seed.
    #[command(flatten)]
    pub chance: Chance,

    /// Flags for --method em and gibbs.
    #[command(flatten)]
    pub classical: Classical,

    /// Flags for models of records.
    #[command(flatten)]
    pub records: RecordFlags,
}

const FIT_EXAMPLES: &str = "\
Examples:
  svtd fit letters/ -k 20 -o letters.svtd                a folder of text files
  svtd fit docword.kos.txt.gz -k 20                      look first, save nothing
  svtd fit docword.kos.txt.gz -k 20 -o kos.svtd          save the model
  svtd fit letters/ -k 20 --report letters.html          and one page that shows the result
  svtd fit posts.jsonl -k 20 --text-column body          one JSON object a line
  svtd fit docword.kos.txt.gz -k auto                    as many topics as the data shows
  svtd fit counts.mtx --vocab words.txt -k 8 --json      for a program to read
  svtd fit posts.jsonl -k 20 -o posts.svtd --every 1000  as they come: a model every 1000
  svtd fit --sites hospitals/ -k 8 -o all.svtd           documents that stay where they are
  svtd fit reviews.mtx -k 5 --model single-topic         one topic a document
  svtd fit docword.kos.txt.gz -k 20 --paper              the paper's Algorithm 2
  svtd fit docword.kos.txt.gz -k 20 --method gibbs       its classical rival, to compare
  svtd fit docword.kos.txt.gz -k 500 --dry-run           what would it take?
  svtd fit survey.csv --model classes -k 3               hidden groups in a survey
  svtd fit survey.csv --model classes -k auto --missing NA,-9 --weight-column w
  svtd fit ratings.csv --model raters                    who is right how often

The result does not depend on the number of threads, and is the same on every run.";

/// How many topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicCount {
    /// This many.
    Given(usize),
    /// As many as the data shows.
    Auto,
}

fn n_topics(text: &str) -> Result<TopicCount, String> {
    match text {
        "auto" => Ok(TopicCount::Auto),
        number => at_least_one(number)
            .map(TopicCount::Given)
            .map_err(|_| "expected a whole number of at least 1, or auto".to_owned()),
    }
}

impl Fit {
    /// The error message when two flags contradict each other.
    pub fn contradiction(&self) -> Option<String> {
        let (em, gibbs) = (self.method == Some(Method::Em), self.method == Some(Method::Gibbs));
        let sentence = |text: &str| Some(text.to_owned());
        if let Some(flag) = self.records.given() {
            return Some(format!("{flag} is for --model classes and other models of records"));
        }
        if self.n_topics.is_none() {
            return sentence("-k is needed: how many topics to learn, or auto");
        }
        let single = self.topic_model() == Kind::SingleTopic;
        if let Err(sentence) = alpha0(self.topic_model(), self.alpha0, "--model ") {
            return Some(sentence);
        }
        if em && !single {
            return sentence(
                "--method em is for --model single-topic; for mixtures the classical rival is \
                 --method gibbs",
            );
        }
        if gibbs && single {
            return sentence(
                "--method gibbs is for --model lda; for one topic a document the classical rival \
                 is --method em",
            );
        }
        if let Some(flag) = self.classical.of_em().filter(|_| !em) {
            return Some(format!("{flag} is for --method em"));
        }
        if let Some(flag) = self.classical.of_gibbs().filter(|_| !gibbs) {
            return Some(format!("{flag} is for --method gibbs"));
        }
        let followed = |flag: &&str| self.stream.are_on() && *flag == "--time";
        if let Some(flag) =
            self.page.given().filter(|flag| !followed(flag) && self.report.is_none())
        {
            return Some(format!("{flag} is about the page; add --report FILE"));
        }
        let flag = self.of_moments().filter(|_| em || gibbs)?;
        let method = if em { "em" } else { "gibbs" };
        Some(format!("{flag} is about the moments, which --method {method} does not use"))
    }

    /// Whether topics are learned from a stream.
    pub fn follows_stream(&self) -> bool {
        self.stream.are_on() && self.model.topics().is_some()
    }

    /// The error message for flags that cannot be combined with a stream.
    pub fn stream_contradiction(&self) -> Option<String> {
        if !self.stream.are_on() {
            return self.stream.contradiction(None);
        }
        let sentence = match self {
            args if args.output.is_none() => "a stream needs a place for its models; add -o FILE",
            args if args.elsewhere.at.sites.is_some() || args.elsewhere.checkpoint.is_some() => {
                "a stream is read here, once; leave out --sites and --checkpoint"
            }
            args if args.report.is_some() => {
                "a page shows one model; write it with svtd report when the model is there"
            }
            args if args.dry_run => {
                "--dry-run reads all of INPUT first, which a stream has no end of"
            }
            _ => return self.stream.contradiction(self.page.time.as_deref()),
        };
        Some(sentence.to_owned())
    }

    /// The kind of topic model; the default for a model of records.
    pub fn topic_model(&self) -> Kind {
        self.model.topics().unwrap_or_default()
    }

    /// The first given flag that is for models of topics only.
    pub fn of_topics(&self) -> Option<&'static str> {
        let moments = self.of_moments().filter(|flag| *flag != "--no-trust");
        let own = first(&[
            (self.alpha0.is_some(), "--alpha0"),
            (self.method.is_some(), "--method"),
            (self.dry_run, "--dry-run"),
            (self.report.is_some(), "--report"),
            (self.elsewhere.at.sites.is_some(), "--sites"),
            (self.elsewhere.checkpoint.is_some(), "--checkpoint"),
            (self.stream.are_on(), "--every"),
            (self.chance.seed != 0, "--seed"),
        ]);
        own.or(moments).or(self.classical.of_em()).or(self.classical.of_gibbs())
    }

    /// The first given flag that is for the method of moments only.
    fn of_moments(&self) -> Option<&'static str> {
        first(&[
            (self.paper, "--paper"),
            (self.weights.is_some(), "--weights"),
            (self.whitening.is_some(), "--whitening"),
            (self.rows.is_some(), "--rows"),
            (self.polish.is_some(), "--polish"),
            (self.allow_fewer, "--allow-fewer"),
            (self.no_trust, "--no-trust"),
            (self.splits.is_some(), "--splits"),
        ])
    }
}

/// How the rotation is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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
    /// Single topic, without moments: EM from several random starts (--seed).
    Em,
    /// LDA, without moments: collapsed Gibbs sampling (--seed).
    Gibbs,
}

impl Method {
    /// The method of the library; `None` for those without moments.
    pub fn with_seed(self, seed: u64) -> Option<RotationMethod> {
        match self {
            Method::Joint => Some(RotationMethod::Joint),
            Method::Svtd => Some(RotationMethod::Svtd),
            Method::TensorPower => Some(RotationMethod::TensorPower { seed }),
            Method::Eigenvectors => Some(RotationMethod::Eigenvectors { seed }),
            Method::SingularVectors => Some(RotationMethod::SingularVectors { seed }),
            Method::Als => Some(RotationMethod::Als { seed }),
            Method::Em | Method::Gibbs => None,
        }
    }
}

/// How documents are weighted.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Weights {
    /// Smallest variance for the given lengths.
    Optimal,
    /// By pairs and triples: Theorem 2.1.
    Paper,
    /// All documents equally.
    Zou,
    /// Three words drawn from each document (--seed).
    ThreeWords,
}

impl Weights {
    /// The law of the library.
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

/// Whether slices keep the row of their own word.
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
    use super::*;

    #[test]
    fn a_polish_is_auto_none_or_a_number_of_steps() {
        assert_eq!(polish("7"), Ok(Polish::Steps(7)));
        for text in ["0", "-1", "1.5", "", "x", "99999999999999999999999"] {
            assert!(polish(text).is_err(), "{text}");
        }
    }
}
