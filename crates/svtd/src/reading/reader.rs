//! Files of counts or text into a corpus.
//!
//! Reading has two steps, so that a caller can say what is being read before it takes its time:
//! [`open`](CorpusReader::open) looks at how the file begins and settles the format (`format`),
//! [`read`](Opened::read) reads it. Each format has a module that turns bytes into rows; what
//! remains is the same for all: find the words, check that they fit, build the corpus.

mod finishing;
mod opened;
mod opening;
mod several;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

#[cfg(feature = "hdf5")]
use super::cells;
use super::documents::{self, Encoding, Layout};
use super::meter::Meter;
use super::{Columns, Format};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::memory::{self, Limit};
use crate::stream::Window;
use crate::text::{Preprocessing, count_records};

pub(super) use self::finishing::read_header;
pub use self::opened::Opened;

/// How to read a corpus from files of counts or of text.
///
/// The formats are those of [`Format`]; which one a file has is told by how it begins. Files may
/// be packed with gzip or zstd, and `-` is standard input. Entries with a count of zero are left
/// out and tallied in the [report](Corpus::report), whose notes also say when no vocabulary was
/// found.
///
/// The words come from the file named by [`vocabulary_file`](Self::vocabulary_file), from the
/// table itself if it has them, or from `vocab.NAME.txt` beside `docword.NAME.txt`.
///
/// # Example
/// ```no_run
/// use svtd::CorpusReader;
///
/// let corpus = CorpusReader::new()
///     .vocabulary_file("words.txt")
///     .read("counts.mtx.gz")?;
/// # Ok::<(), svtd::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CorpusReader {
    vocabulary_file: Option<PathBuf>,
    format: Option<Format>,
    transposed: bool,
    columns: Columns,
    index_base: Option<u8>,
    layout: Layout,
    preprocessing: Preprocessing,
    whole: bool,
    layer: Option<String>,
    meter: Meter,
    limit: Limit,
    live: bool,
}

impl CorpusReader {
    /// A reader that looks for the vocabulary where its format keeps it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the words from this file, one word a line in the order of their ids.
    pub fn vocabulary_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.vocabulary_file = Some(path.into());
        self
    }

    /// Takes the file to be in this format, whatever it looks like.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Takes the columns of a matrix to be the documents, and its rows the words.
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.transposed = transposed;
        self
    }

    /// Which columns of a table hold what.
    pub fn columns(mut self, columns: Columns) -> Self {
        self.layout.id_column.clone_from(&columns.id);
        self.layout.label_column.clone_from(&columns.label);
        self.columns = columns;
        self
    }

    /// The number of the first word in SVMlight files, which say it nowhere: 0, or else 1. Unless told,
    /// it is 0 if a word has that number.
    pub fn index_base(mut self, base: u8) -> Self {
        self.index_base = Some(base.min(1));
        self
    }

    /// How text becomes words. With a [vocabulary file](Self::vocabulary_file) its words, and no
    /// others, are counted.
    pub fn preprocessing(mut self, preprocessing: Preprocessing) -> Self {
        self.preprocessing = preprocessing;
        self
    }

    pub(super) fn preprocessing_asked(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// Which characters the bytes of text stand for; UTF-8 unless told.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.layout.encoding = encoding;
        self
    }

    /// The columns of JSON Lines, a table or Parquet that hold the text; several are joined. Without any, a
    /// column of a usual name is looked for, such as `text`.
    pub fn text_columns(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.layout.text_columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Which files of a folder are documents, by a pattern such as `*.txt`; all unless told.
    pub fn files(mut self, pattern: impl Into<String>) -> Self {
        self.layout.files = Some(pattern.into());
        self
    }

    /// Passes over files of a folder that cannot be read, and tells them in the
    /// [report](Corpus::report).
    pub fn skip_bad(mut self, skip: bool) -> Self {
        self.layout.skip_bad = skip;
        self
    }

    /// The layer of an AnnData file that holds the counts; `X` unless told.
    pub fn layer(mut self, layer: impl Into<String>) -> Self {
        self.layer = Some(layer.into());
        self
    }

    /// Takes a file of plain text for one document, where no format is asked for, and not for one a
    /// line.
    pub fn whole(mut self, whole: bool) -> Self {
        self.whole = whole;
        self
    }

    /// Calls `watcher` while reading, with how much is read and of how much: bytes on disk, or rows
    /// of a Parquet file. How much there is to come of a pipe is not known, which 0 stands for.
    pub fn watched(mut self, watcher: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        self.meter = Meter::telling(watcher);
        self
    }

    /// Keeps what is read within a limit on memory; the rest lies in temporary files. So does what is
    /// made of the corpus later: parts of it, and what a fit keeps of every document.
    pub fn within(mut self, limit: &Limit) -> Self {
        self.limit = limit.clone();
        self
    }

    /// Takes what is read for a stream, whose documents come when they come: no more is looked at ahead
    /// than its first line.
    pub fn live(mut self, live: bool) -> Self {
        self.live = live;
        self
    }

    /// Counts the documents of a [window](Window) as if they stood in a file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_window(&self, window: &mut Window) -> Result<Corpus> {
        let words = self.given_vocabulary()?;
        memory::caught(|| {
            let mut records = window.records()?;
            count_records(&mut records, &self.preprocessing, words.as_ref(), &self.limit)
        })
    }

    /// Reads a corpus: [`open`](Self::open) and [`read`](Opened::read) in one.
    ///
    /// # Errors
    /// If a file cannot be read or is malformed, in which case the message names the line; if
    /// the vocabulary has not as many words as the counts; if no word occurs at all.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Corpus> {
        self.open(path)?.read()
    }

    /// Reads a file that is in memory: a page, a document, a spreadsheet, or single cells in HDF5.
    ///
    /// # Errors
    /// As [`read`](Self::read); and for a format that is only read from files.
    pub fn read_bytes_as(&self, bytes: &[u8], format: Format) -> Result<Corpus> {
        let name = "the bytes";
        let mut records = match format {
            Format::Xlsx | Format::Office => {
                documents::of_archive(name, format, bytes, &self.layout)?
            }
            Format::Html => documents::of_page(name, bytes),
            #[cfg(feature = "hdf5")]
            Format::H5ad | Format::TenxH5 => {
                let refused = |reason| Error::File { path: name.to_owned(), reason };
                let file = cells::H5::from_bytes(bytes.to_vec()).map_err(refused)?;
                let found = cells::read_h5(&file, &self.part()).map_err(refused)?;
                return self.finish(found.into(), name);
            }
            other => {
                return Err(Error::Option {
                    name: "format",
                    needed: "html, office, xlsx, h5ad or 10x-h5 for bytes in memory".to_owned(),
                    found: other.name().to_owned(),
                });
            }
        };
        let words = self.given_vocabulary()?;
        count_records(&mut *records, &self.preprocessing, words.as_ref(), &self.limit)
    }

    /// Which part of a file of cells is meant.
    #[cfg(feature = "hdf5")]
    fn part(&self) -> cells::Part {
        cells::Part { layer: self.layer.clone(), label: self.columns.label.clone() }
    }
}
