//! From files of counts or text to a corpus.
//!
//! Reading has two steps, so that a caller can say what is being read before it takes time:
//! [`open`](CorpusReader::open) examines the beginning of the file and determines the format (`format`),
//! [`read`](Opened::read) reads it. Each format has a module that turns bytes into rows; the rest is the same for
//! all: find the words, check that they fit, build the corpus.

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

pub use self::opened::Opened;

/// How to read a corpus from files of counts or of text.
///
/// The formats are those of [`Format`]; the format of a file is detected from its beginning. Files may be
/// compressed with gzip or zstd, and `-` is standard input. Entries with a count of zero are left out and counted
/// in the [report](Corpus::report), whose notes also say when no vocabulary was found.
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

    /// Takes the words from this file, one word per line in the order of their ids.
    pub fn vocabulary_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.vocabulary_file = Some(path.into());
        self
    }

    /// Reads the file in this format, whatever it looks like.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Whether the columns of a matrix are the documents, and its rows the words.
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.transposed = transposed;
        self
    }

    /// Which columns of a table have which meaning.
    pub fn columns(mut self, columns: Columns) -> Self {
        self.layout.id_column.clone_from(&columns.id);
        self.layout.label_column.clone_from(&columns.label);
        self.columns = columns;
        self
    }

    /// The number of the first word in SVMlight files, which do not contain it: 0 or 1. By default it is 0 if a
    /// word has that number, otherwise 1.
    pub fn index_base(mut self, base: u8) -> Self {
        self.index_base = Some(base.min(1));
        self
    }

    /// How text is split into words. With a [vocabulary file](Self::vocabulary_file) exactly its words are counted.
    pub fn preprocessing(mut self, preprocessing: Preprocessing) -> Self {
        self.preprocessing = preprocessing;
        self
    }

    pub(super) fn preprocessing_asked(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// The encoding of text; UTF-8 by default.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.layout.encoding = encoding;
        self
    }

    /// The columns of JSON Lines, a table or Parquet that contain the text; several are joined. Without any, a
    /// column with a usual name is used, such as `text`.
    pub fn text_columns(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.layout.text_columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Which files of a folder are documents, by a pattern such as `*.txt`; all by default.
    pub fn files(mut self, pattern: impl Into<String>) -> Self {
        self.layout.files = Some(pattern.into());
        self
    }

    /// Skips files of a folder that cannot be read, and lists them in the [report](Corpus::report).
    pub fn skip_bad(mut self, skip: bool) -> Self {
        self.layout.skip_bad = skip;
        self
    }

    /// The layer of an AnnData file that contains the counts; `X` by default.
    pub fn layer(mut self, layer: impl Into<String>) -> Self {
        self.layer = Some(layer.into());
        self
    }

    /// Reads a file of plain text as one document, not as one document per line, if no format is given.
    pub fn whole(mut self, whole: bool) -> Self {
        self.whole = whole;
        self
    }

    /// Calls `watcher` while reading, with the amount read and the total: bytes on disk, or rows of a Parquet file.
    /// The total is 0 for a pipe, whose length is not known.
    pub fn watched(mut self, watcher: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        self.meter = Meter::telling(watcher);
        self
    }

    /// Keeps the corpus within a memory limit; the rest is kept in temporary files. The limit also applies to what
    /// is made from the corpus later: parts of it, and the data that a fit keeps for every document.
    pub fn within(mut self, limit: &Limit) -> Self {
        self.limit = limit.clone();
        self
    }

    /// Reads the input as a live stream: no more than its first line is examined in advance.
    pub fn live(mut self, live: bool) -> Self {
        self.live = live;
        self
    }

    /// Counts the documents of a [window](Window) as if they were in a file.
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

    /// Reads a file in memory: a page, a document, a spreadsheet, or single cells in HDF5.
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

    /// Which part of a file of cells to read.
    #[cfg(feature = "hdf5")]
    fn part(&self) -> cells::Part {
        cells::Part { layer: self.layer.clone(), label: self.columns.label.clone() }
    }
}
