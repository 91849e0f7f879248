//! Input of a corpus: the flags that `fit`, `infer` and others share.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use svtd::reading::Format;

use super::room::Room;
use super::text::{Layout, WordFlags};

/// A corpus, as named on the command line.
#[derive(Debug, Args)]
pub struct Source {
    /// Text: a folder of files (text, HTML, .docx, .odt, .epub), one document per line, JSON Lines, CSV, TSV, .xlsx
    /// or Parquet. Or counts: UCI docword, MatrixMarket, LDA-C, SVMlight, SciPy .npz, a dense CSV, Parquet, .svtdc,
    /// single cells (.h5ad, 10x .h5, a 10x folder) or PLINK .bed. Plain, gzip or zstd; - is standard input. Several
    /// inputs are read as one: text is counted together, counts are matched by word
    #[arg(required = true, value_name = "INPUT")]
    pub input: Vec<PathBuf>,

    /// The words, one per line; with text, only these words are counted [default: vocab.NAME.txt beside
    /// docword.NAME.txt]
    #[arg(long, value_name = "FILE")]
    pub vocab: Option<PathBuf>,

    /// The format of INPUT, if it should not be detected from its beginning: docword, mtx, lda-c, svmlight, npz,
    /// counts-csv, svtdc, parquet, h5ad, 10x-h5, 10x, plink; folder, lines, document, jsonl, csv, tsv, xlsx, html,
    /// office
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// The columns of a matrix are the documents, not its rows
    #[arg(long)]
    pub transpose: bool,

    /// AnnData (.h5ad): the layer with the counts [default: X]
    #[arg(long, value_name = "LAYER")]
    pub layer: Option<String>,

    /// How much of it is kept in memory.
    #[command(flatten)]
    pub room: Room,

    /// Which columns have which meaning.
    #[command(flatten)]
    pub columns: Columns,

    /// How documents are stored in files of text.
    #[command(flatten)]
    pub layout: Layout,

    /// How text is split into words.
    #[command(flatten)]
    pub words: WordFlags,
}

/// An optional corpus.
///
/// The derived `Option` of flattened arguments is always empty when those flatten others in turn, so here it is
/// present if INPUT is.
#[derive(Debug)]
pub struct PerhapsSource(pub Option<Source>);

impl Args for PerhapsSource {
    fn augment_args(command: Command) -> Command {
        Source::augment_args(command).mut_arg("input", |input| input.required(false))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PerhapsSource {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.contains_id("input");
        Ok(Self(if named { Some(Source::from_arg_matches(matches)?) } else { None }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The columns of a table with one document per row.
#[derive(Debug, Args)]
pub struct Columns {
    /// Parquet: the column with lists of words [default: tokens]
    #[arg(long, value_name = "NAME")]
    pub tokens_column: Option<String>,

    /// Parquet: the column with lists of word numbers, from 0 [default: indices]
    #[arg(long, value_name = "NAME")]
    pub indices_column: Option<String>,

    /// Parquet: the column with a count for each word number [default: counts]
    #[arg(long, value_name = "NAME")]
    pub counts_column: Option<String>,

    /// SVMlight: the number of the first word, 0 or 1 [default: 0 if a word has that number, else 1]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub index_base: Option<u8>,

    /// The column with the names of the documents [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,

    /// The column with their labels [default: label, if there is one]
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,
}

impl Source {
    /// The files that are read, which must not be overwritten.
    pub fn files(&self) -> Vec<&Path> {
        let stop_words = self.words.stop_words.as_deref().map(Path::new);
        let others = [self.vocab.as_deref(), stop_words];
        self.input.iter().map(PathBuf::as_path).chain(others.into_iter().flatten()).collect()
    }

    /// The name of the inputs in messages.
    pub fn name(&self) -> PathBuf {
        match self.input.as_slice() {
            [only] => only.clone(),
            [first, others @ ..] => {
                PathBuf::from(format!("{} and {} more", first.display(), others.len()))
            }
            [] => PathBuf::new(),
        }
    }
}
