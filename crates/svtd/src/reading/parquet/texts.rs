//! Rows of text, or of lists of words, as documents whose words must be counted.
//!
//! Text is handled like any other text. Words in lists are neither split nor put in lower case, as in JSON Lines;
//! the filters by stop words, length and frequency still apply.

use super::{Content, Parquet, calmly};
use crate::error::{Error, Result};
use crate::text::{Batch, Records};

/// Rows read at a time: documents may be long.
const BATCH: usize = 64;

/// The documents of a file of text or of words.
pub(in crate::reading) struct Texts {
    parquet: Parquet,
    /// The name of the file in messages.
    path: String,
    /// The current rows, and how many of them were returned.
    n_rows: usize,
    row: usize,
}

impl Texts {
    pub(in crate::reading) fn new(parquet: Parquet, path: String) -> Self {
        Texts { parquet, path, n_rows: 0, row: 0 }
    }

    fn push_next(&mut self, batch: &mut Batch) -> Result<bool, String> {
        if self.row == self.n_rows {
            (self.n_rows, self.row) = (calmly(|| self.parquet.next_rows(BATCH))?, 0);
            if self.n_rows == 0 {
                return Ok(false);
            }
        }
        let row = self.row;
        self.row += 1;
        let cells = &self.parquet.cells;
        let shown = |cells: &Option<super::Cells>| match cells {
            Some(cells) => cells.shown(row),
            None => Ok(None),
        };
        let (name, label) = (shown(&cells.id)?, shown(&cells.label)?);
        let parts = cells.content.iter().flat_map(|cells| cells.span(row).map(|i| cells.text(i)));
        let parts = parts.collect::<Result<Vec<&str>, String>>()?;
        match (&self.parquet.content, &parts[..]) {
            (Content::Tokens(_), words) => batch.push_words(name, label, words.iter().copied()),
            (_, [text]) => batch.push(name, label, text),
            (_, texts) => batch.push(name, label, &texts.join("\n")),
        }
        Ok(true)
    }
}

impl Records for Texts {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        self.push_next(batch).map_err(|reason| Error::File { path: self.path.clone(), reason })
    }
}
