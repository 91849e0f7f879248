//! Reading: a corpus from files, and corpus files that can be changed.
//!
//! ```text
//! file ──► unpacked ──► format ──► entries (counts) ────────────────► corpus
//! source   unpack       format     documents (text) ──► text ──────► corpus
//! ```
//!
//! [`CorpusReader`] is the entry point. It detects what a file contains ([`Format`]), passes counts to a builder
//! and text to [`text`](crate::text), and unites [several inputs](CorpusReader::read_all) into one corpus.
//! [`CorpusFile`] is a corpus on disk to which documents can be added and from which they can be removed.

mod cells;
mod columns;
mod dense;
mod documents;
mod docword;
mod entries;
mod format;
mod lda_c;
mod living;
#[cfg(test)]
mod malformed;
mod matrix_market;
mod members;
mod meter;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod plink;
mod reader;
mod rows;
mod source;
mod svmlight;
mod svtdc;
mod unpack;
mod vocabulary;
mod zip;

use std::io::{self, Write};
use std::path::Path;

use crate::corpus::Corpus;
use crate::error::Result;

pub use self::columns::Columns;
pub use self::documents::Encoding;
pub use self::format::Format;
pub use self::living::{Addition, CorpusFile, Merge, NewWord, Taken};
pub(crate) use self::members::{Members, both_named};
pub use self::reader::{CorpusReader, Opened};
pub(crate) use self::source::{TableBytes, open_table};
pub use crate::memory::Limit;

impl Corpus {
    /// A reader with its options, to read a corpus from files.
    pub fn reader() -> CorpusReader {
        CorpusReader::new()
    }

    /// Reads a corpus from a file of counts; see [`CorpusReader`] for the formats.
    ///
    /// # Errors
    /// As [`CorpusReader::read`].
    pub fn read(path: impl AsRef<Path>) -> Result<Corpus> {
        CorpusReader::new().read(path)
    }

    /// Writes the counts as a UCI docword file, which [`read`](Self::read) reads back. The words go to a separate
    /// file, one per line.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn write_docword(&self, out: &mut dyn Write) -> io::Result<()> {
        docword::write(self, out)
    }
}
