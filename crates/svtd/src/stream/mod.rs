//! A stream of documents, of which the most recent are kept: those of the last 30 days, or the last 5000.
//!
//! ```text
//! records ──► window: documents come, documents go ──► corpus of those in it ──► a model every so often
//! ```
//!
//! A window keeps documents as they came, with their text, and counts a corpus from those that are in it whenever
//! one is needed ([`CorpusReader::read_window`](crate::CorpusReader::read_window)). So its corpus is that of a file
//! with the same documents, down to the bytes of a model: words are chosen from the documents of the window by the
//! given rules; new words come in, and words that are no longer used go. Stored counts could not do that: words
//! that were dropped once would be lost.
//!
//! # Times
//! A document is in the window if it is older than the newest one by less than the length of the window. The order
//! of arrival does not matter: a late document takes its place among the others, and one that is older than the
//! window is skipped and counted.
//!
//! # Memory
//! Text is kept in a temporary file (`spool`) without a name, which disappears with the process however it ends.
//! Memory holds 24 bytes for each document. The corpus can be limited like any other, by a
//! [`Limit`](crate::reading::Limit).
//!
//! # Cost
//! Every document of the window is counted again for every model. That is a fraction of the cost of a model that
//! starts from the previous one (`benches/record/streams.md`), and both grow with the window.
//!
//! # Example
//! ```
//! use svtd::stream::Window;
//! use svtd::text::{Batch, Preprocessing};
//!
//! let mut window = Window::new("2d".parse()?, std::env::temp_dir())?;
//! let mut batch = Batch::default();
//! for (day, text) in [("2024-03-01", "sun moon"), ("2024-03-03", "moon sea"), ("2024-03-04", "sea")] {
//!     batch.push(None, Some(day.to_owned()), text);
//! }
//! for d in 0..batch.len() {
//!     window.push(&batch, d)?;
//! }
//! let words = Preprocessing::new().min_df("1".parse()?);
//! let corpus = svtd::CorpusReader::new().preprocessing(words).read_window(&mut window)?;
//! assert_eq!((corpus.n_documents(), corpus.n_tokens()), (2, 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod span;
mod spool;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use self::span::{Last, Span, Stamp};
use self::spool::{Place, Spool, Spooled};
use crate::error::{Error, Result};
use crate::text::Batch;

/// The most recent documents of a stream.
#[derive(Debug)]
pub struct Window {
    last: Last,
    documents: Vec<Dated>,
    spool: Spool,
    newest: Option<i64>,
    n_seen: u64,
    n_late: u64,
}

/// A document and its time in seconds.
#[derive(Debug, Clone, Copy)]
struct Dated {
    place: Place,
    seconds: i64,
}

/// What happened to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// It was taken into the window.
    Taken,
    /// It is too old for the window.
    Late,
}

impl Window {
    /// An empty window, whose text is kept in a temporary file in this folder.
    ///
    /// # Errors
    /// If no file can be made there.
    pub fn new(last: Last, folder: impl AsRef<Path>) -> Result<Self> {
        let spool = Spool::new(folder.as_ref())?;
        Ok(Self { last, documents: Vec::new(), spool, newest: None, n_seen: 0, n_late: 0 })
    }

    /// Adds a document of a batch. Its label is its time, if the window is a length of time.
    ///
    /// # Errors
    /// When the label is not a time, or less precise than the window needs; the document is skipped. When
    /// there is no room for the text.
    pub fn push(&mut self, batch: &Batch, document: usize) -> Result<Arrival> {
        let seconds = match self.last {
            Last::Time(span) => {
                let text = batch.labels().nth(document).flatten();
                let wrong = |reason| Error::Time { document: self.n_seen + 1, reason };
                span.read(text).map_err(wrong)?.seconds()
            }
            Last::All | Last::Documents(_) => 0,
        };
        self.n_seen += 1;
        if let Last::Time(span) = self.last
            && self.newest.is_some_and(|newest| seconds <= span.before(newest))
        {
            self.n_late += 1;
            return Ok(Arrival::Late);
        }
        self.newest = self.newest.max(Some(seconds));
        let place = self.spool.push(batch, document)?;
        self.documents.push(Dated { place, seconds });
        Ok(Arrival::Taken)
    }

    /// Counts a document that cannot be used, and skips it.
    pub fn skip(&mut self) {
        self.n_seen += 1;
    }

    /// Number of documents that arrived.
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }

    /// Number of documents that were too old for the window when they arrived.
    pub fn n_late(&self) -> u64 {
        self.n_late
    }

    /// Removes documents that are no longer in the window, and returns how many are in it.
    ///
    /// # Errors
    /// When text cannot be moved to a new temporary file.
    pub fn settle(&mut self) -> Result<usize> {
        let before = self.documents.len();
        match (self.last, self.newest) {
            (Last::Time(span), Some(newest)) => {
                let end = span.before(newest);
                self.documents.retain(|document| document.seconds > end);
            }
            (Last::Documents(n), _) => {
                self.documents.drain(..before.saturating_sub(n));
            }
            (Last::All | Last::Time(_), _) => {}
        }
        if self.documents.len() < before {
            self.spool.tidy(self.documents.iter_mut().map(|document| &mut document.place))?;
        }
        Ok(self.documents.len())
    }

    /// The first and the last day in the window, if it is a length of time and not empty.
    pub fn days(&self) -> Option<(String, String)> {
        let Last::Time(_) = self.last else { return None };
        let seconds = || self.documents.iter().map(|document| document.seconds);
        let [first, last] = [seconds().min()?, seconds().max()?].map(span::day);
        Some((first, last))
    }

    /// The documents in the window, in order of arrival.
    pub(crate) fn records(&mut self) -> Result<Spooled<'_>> {
        self.settle()?;
        self.spool.records(self.documents.iter().map(|document| document.place).collect())
    }
}
