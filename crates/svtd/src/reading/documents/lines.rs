//! One document per line. The number of a document is that of its line, and an empty line is an empty document, so
//! that line numbers agree with the file.

use super::super::source::Source;
use super::LONGEST_DOCUMENT;
use super::encoding::Encoding;
use crate::error::Result;
use crate::text::{Batch, Records};

pub(super) struct Lines {
    source: Source,
    encoding: Encoding,
}

impl Lines {
    pub(super) fn new(mut source: Source, encoding: Encoding) -> Self {
        source.allow_lines_of(LONGEST_DOCUMENT);
        Lines { source, encoding }
    }
}

impl Records for Lines {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let encoding = self.encoding;
        let decoded = match self.source.next_line()? {
            None => return Ok(false),
            Some(line) => encoding.decode(line).map(|text| batch.push(None, None, &text)),
        };
        decoded.map(|()| true).map_err(|error| {
            let reason = format!("byte {} is {}", error.offset + 1, error.reason);
            self.source.error_at(self.source.line(), reason)
        })
    }
}
