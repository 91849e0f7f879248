//! A file that is one document, called by the name of the file.

use std::io::Read;

use super::super::source::Source;
use super::encoding::Encoding;
use super::{LONGEST_DOCUMENT, too_long};
use crate::error::Result;
use crate::text::{Batch, Records};

pub(super) struct Whole {
    path: String,
    encoding: Encoding,
    /// Until it is read.
    source: Option<Source>,
}

impl Whole {
    pub(super) fn new(source: Source, encoding: Encoding) -> Self {
        Whole { path: source.path().to_owned(), encoding, source: Some(source) }
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
        let name = self.path.rsplit(['/', '\\']).next().unwrap_or_default();
        batch.push(Some(name.to_owned()), None, &text);
        Ok(true)
    }
}
