//! `svtd export`: every flag and its help.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::PerhapsSource;
use super::numbers::at_least_one;

/// Write a model's numbers for other programs.
#[derive(Debug, Args)]
#[command(
    override_usage = "svtd export [OPTIONS] <MODEL> [INPUT]... --to <WHAT>\n       svtd export \
          [OPTIONS] <MODEL> --topic-word <FILE> --topic-weights <FILE> --alpha <FILE>"
)]
#[command(after_help = EXPORT_EXAMPLES)]
#[command(group(clap::ArgGroup::new("targets").required(true).multiple(true)
          .args(["to", "topic_word", "topic_word_error", "topic_weights", "alpha", "trust"])))]
pub struct Export {
    /// A model saved by `svtd fit`
    pub model: PathBuf,

    /// Documents to export with it.
    #[command(flatten)]
    pub source: PerhapsSource,

    /// For which program, or in which format: topics, and the documents of INPUT if it is given
    #[arg(long, value_enum, value_name = "WHAT")]
    pub to: Option<ExportTo>,

    /// --to json, octis or pyldavis: the file [default: stdout]; otherwise the beginning of the names of the files
    #[arg(short, long, value_name = "PATH", requires = "to")]
    pub output: Option<PathBuf>,

    /// How many words of each topic are listed, or how many markers
    #[arg(long, value_name = "WORDS", default_value = "20", value_parser = at_least_one,
          allow_negative_numbers = true)]
    pub top: usize,

    /// The probability of each word in each topic, topics x words, as .npy or .csv
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    pub topic_word: Option<PathBuf>,

    /// The standard error of each of those probabilities, as .npy or .csv
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    pub topic_word_error: Option<PathBuf>,

    /// The reliability of each topic, one row each, as .npy or .csv
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    pub trust: Option<PathBuf>,

    /// The weight of each topic, as .npy or .csv
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    pub topic_weights: Option<PathBuf>,

    /// LDA: the Dirichlet parameter, as .npy or .csv
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    pub alpha: Option<PathBuf>,

    /// In CSV, put an apostrophe before text that a spreadsheet would take for a formula (it begins
    /// with =, +, - or @)
    #[arg(long)]
    pub safe_csv: bool,

    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  svtd export kos.svtd --to csv -o kos                          kos.topics.csv and others
  svtd export kos.svtd docword.kos.txt.gz --to json -o kos.json
  svtd export kos.svtd docword.kos.txt.gz --to pyldavis -o vis.json
  svtd export kos.svtd docword.kos.txt.gz --to mallet -o kos    kos.keys.txt, kos.doc-topics.txt
  svtd export cells.svtd --to markers --top 50 -o cells         cells.markers.csv
  svtd export hapmap.svtd hapmap.bed --to admixture -o hapmap   hapmap.3.Q, hapmap.3.P
  svtd export kos.svtd --topic-word words.npy --topic-weights weights.npy
  svtd export kos.svtd --topic-word words.npy --topic-word-error errors.npy --trust trust.csv

A probability plus and minus 2.09 errors covers the truth in about 95 of 100 cases; less often for
LDA topics that were polished by sweeps.

csv, parquet: PATH.topics (shares and leading words), PATH.topic-words (a row for each word),
  PATH.documents (a row for each document).
  Text is written as it is; for a spreadsheet, --safe-csv keeps it from being taken for a formula.
npy: PATH.topic-word.npy, PATH.topic-weights.npy, PATH.alpha.npy, PATH.document-topic.npy, with
  the words in PATH.vocab.txt and the documents in PATH.documents.txt, one a line; a line break
  inside one is written \\n.
pyldavis: the arguments of pyLDAvis.prepare: prepare(**json.load(open('vis.json'))).
octis: the dictionary of an OCTIS model; lists become arrays with numpy.array.
markers: topic, word, probability, error, elsewhere (the mean in the other topics), log_fold, and z,
  their difference in standard errors, by which they are ordered.
admixture: PATH.K.Q, an individual a line, and PATH.K.P, a variant a line: the frequency of allele 2
  (the last column of the .bim file) in each population, as ADMIXTURE 1.3 has it.";

/// What to export to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportTo {
    /// Tables as CSV.
    Csv,
    /// One JSON file.
    Json,
    /// Tables as Apache Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Matrices for NumPy, with their names as text.
    Npy,
    /// Topic keys and document topics as MALLET writes them.
    Mallet,
    /// The dictionary that OCTIS models return.
    Octis,
    /// The arguments of pyLDAvis.prepare; needs INPUT.
    Pyldavis,
    /// Words (genes, alleles) that distinguish the topics, with their errors, as CSV.
    Markers,
    /// Ancestries and allele frequencies as ADMIXTURE writes them; needs INPUT, genotypes.
    Admixture,
}
