//! All flags and their help: those of all commands here, the others in one file for each command.

mod add;
mod answer;
mod check;
mod classical;
mod completions;
mod count;
mod demo;
mod diff;
mod draw;
mod elsewhere;
mod evaluate;
mod export;
mod fit;
mod generate;
mod infer;
mod info;
mod merge;
mod names;
mod numbers;
mod plan;
mod records;
mod remove;
mod report;
mod reproduce;
mod room;
mod show;
mod source;
mod stream;
mod sweep;
mod text;
mod topics;
mod trends;
mod update;
mod words;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use svtd::model::Kind;

pub use self::add::Add;
pub use self::answer::Answer;
pub use self::check::Check;
pub use self::classical::{Classical, first};
pub use self::completions::{Completions, Man};
pub use self::count::Count;
pub use self::demo::Demo;
pub use self::diff::Diff;
pub use self::draw::Draw;
pub use self::elsewhere::{AtSites, Elsewhere};
pub use self::evaluate::Evaluate;
pub use self::export::{Export, ExportTo};
pub use self::fit::{Fit, Method, TopicCount};
pub use self::generate::Generate;
pub use self::infer::{Infer, Layout};
pub use self::info::Info;
pub use self::merge::Merge;
pub use self::names::Names;
use self::numbers::{seed, threads};
pub use self::plan::Plan;
pub use self::records::{AnyKind, RecordFlags};
pub use self::remove::Remove;
pub use self::report::{PageFlags, Report};
pub use self::reproduce::{Name, Reproduce};
pub use self::room::Room;
pub use self::show::Show;
pub use self::source::{Columns, PerhapsSource, Source};
pub use self::stream::StreamFlags;
pub use self::sweep::{Numbers, Sweep};
pub use self::text::WordFlags;
pub use self::topics::{Order, Topics};
pub use self::trends::Trends;
pub use self::update::Update;
pub use self::words::Words;

/// Topic models by the method of moments: deterministic, with the same result every time.
#[derive(Debug, Parser)]
#[command(name = "svtd", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,

    /// Flags of every command.
    #[command(flatten)]
    pub common: Common,
}

const EXAMPLES: &str = "\
Examples:
  svtd demo                                        see it work, no data needed
  svtd fit docword.kos.txt.gz -k 20 -o kos.svtd    learn 20 topics
  svtd topics kos.svtd                             show them again
  svtd infer kos.svtd docword.kos.txt.gz           the topics of each document
  svtd show kos.svtd docword.kos.txt.gz -d 17      why one document has them
  svtd report kos.svtd docword.kos.txt.gz          one page that shows all of it
  svtd fit survey.csv --model classes -k 3         hidden groups in a survey

Exit codes: 0 success, 1 the data do not support the request, 2 the request is wrong, \
130 interrupted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report what can be learned from a corpus, before fitting
    #[command(mut_arg("input", |input| input.required(false).required_unless_present("sites")))]
    Check(Check),
    /// Compare different numbers of topics
    #[command(mut_arg("input", |input| input.required(false).required_unless_present("sites")))]
    Sweep(Sweep),
    /// Estimate how many documents an accuracy needs
    Plan(Plan),
    /// Learn a model from text or from counts
    #[command(mut_arg("input", |input| input.required(false).required_unless_present("sites")))]
    Fit(Box<Fit>),
    /// Count a corpus once and save it, so that later commands read it quickly
    Count(Count),
    /// Describe a corpus: sizes, columns, periods, words, hash
    Info(Info),
    /// Add documents to a corpus file
    Add(Add),
    /// Remove documents from a corpus file
    Remove(Remove),
    /// Merge corpora into one corpus file
    Merge(Merge),
    /// Answer the questions of a fit, for documents that stay where they are
    Answer(Box<Answer>),
    /// Update a model to a corpus that has changed, keeping the numbers and names of its topics
    Update(Update),
    /// Show the topics, classes or raters of a model
    #[command(visible_aliases = ["classes", "raters", "states", "components"])]
    Topics(Topics),
    /// Infer the topics of documents
    Infer(Infer),
    /// Write a model's numbers for other programs
    Export(Export),
    /// Show one document: its topics, and which words point to which topic
    Show(Show),
    /// Write one HTML file that shows what a model found and how reliable it is
    Report(Report),
    /// Show how topics and their words change over time
    Trends(Box<Trends>),
    /// Name the topics of a model, or show their names
    Names(Names),
    /// Compare two models: which topics match, and what changed
    Diff(Diff),
    /// Measure how good a model is on documents, preferably unseen ones
    Evaluate(Evaluate),
    /// Fit 232 years of State of the Union addresses, to see what a fit looks like
    Demo(Demo),
    /// Show which words of the text were kept, which were dropped, and why
    Words(Words),
    /// Generate a corpus from a random model, together with the true parameters
    Generate(Generate),
    /// Generate random records from a model of records
    Draw(Draw),
    /// Run the paper's experiments again, together with our default method
    Reproduce(Reproduce),
    /// Print completions of commands and flags for a shell
    Completions(Completions),
    /// Print the manual page, or write one for each command
    Man(Man),
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Print JSON instead of text
    #[arg(long, global = true, help_heading = "Output")]
    pub json: bool,

    /// Print each stage with its time in seconds
    #[arg(short, long, global = true, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,

    /// Print no messages except errors
    #[arg(short, long, global = true, help_heading = "Output")]
    pub quiet: bool,

    /// When to use colour [default: on a terminal, unless NO_COLOR is set]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = false,
        help_heading = "Output"
    )]
    pub color: Colour,

    /// How many threads to use; does not change the result [default: one per core]
    #[arg(long, global = true, value_name = "T", value_parser = threads,
          allow_negative_numbers = true, help_heading = "Output")]
    pub threads: Option<usize>,
}

/// When to colour what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// The seed of random numbers.
#[derive(Debug, Args)]
pub struct Chance {
    /// Seed for --weights three-words, --gibbs and the rival methods; nothing else uses random numbers
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed,
          allow_negative_numbers = true)]
    pub seed: u64,
}

/// Reads the name of a topic model.
fn topic_model() -> impl TypedValueParser<Value = Kind> {
    let value = |kind: Kind| {
        PossibleValue::new(kind.name()).help(match kind {
            Kind::Lda => "Documents mix topics",
            Kind::SingleTopic => "Each document is about one topic",
        })
    };
    PossibleValuesParser::new(Kind::ALL.map(value)).try_map(|name| name.parse::<Kind>())
}

/// `alpha0` for a kind of topic model; `flag` is what the command calls the kind.
///
/// # Errors
/// The sentence to say when the kind has no `alpha0`.
pub fn alpha0(kind: Kind, given: Option<f64>, flag: &str) -> Result<f64, String> {
    kind.alpha0(given).map_err(|error| {
        let sentence = error.to_string();
        format!("--{}", sentence.replacen("is for lda", &format!("is for {flag}lda"), 1))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_do_not_contradict_each_other() {
        Arguments::command().debug_assert();
    }
}
