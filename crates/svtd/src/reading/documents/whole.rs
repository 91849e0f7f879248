//! A file that is one document, named after the file.

use std::io::Read;

use super::super::source::Source;
use super::encoding::Encoding;
use super::{LONGEST_DOCUMENT, markup, too_long};
use crate::error::Result;
use crate::text::{Batch, Records};

pub(super) struct Whole {
    path: String,
    encoding: Encoding,
    /// Whether it is an HTML page, of which the visible text counts.
    html: bool,
    /// The file, until it is read.
    source: Option<Source>,
}

impl Whole {
    pub(super) fn new(source: Source, encoding: Encoding, html: bool) -> Self {
        Whole { path: source.path().to_owned(), encoding, html, source: Some(source) }
    }
}

impl Records for Whole {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let Some(source) = self.source.take() else { return Ok(false) };
        let mut bytes = Vec::new();
        let packing = source.packing();
        let mut limited = source.into_bytes().take(LONGEST_DOCUMENT as u64 + 1);
        limited
            .read_to_end(&mut bytes)
            .map_err(|error| packing.failure(&self.path, None, error))?;
        if bytes.len() > LONGEST_DOCUMENT {
            return Err(too_long(&self.path));
        }
        let text = self.encoding.decode(&bytes).map_err(|error| error.in_file(&self.path))?;
        let text = if self.html { markup::visible(&text).into() } else { text };
        batch.push(Some(name_of(&self.path)), None, &text);
        Ok(true)
    }
}

fn name_of(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// A document whose text is known.
pub(super) struct Known {
    name: String,
    text: Option<String>,
}

impl Known {
    pub(super) fn new(path: &str, text: String) -> Self {
        Known { name: name_of(path), text: Some(text) }
    }
}

impl Records for Known {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let Some(text) = self.text.take() else { return Ok(false) };
        batch.push(Some(self.name.clone()), None, &text);
        Ok(true)
    }
}
