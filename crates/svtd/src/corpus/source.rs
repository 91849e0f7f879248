//! A text file as blocks of whole lines.
//!
//! Count tables run to gigabytes, and at that size what costs time is not disks but fresh memory
//! and calls per line. So the file passes through one buffer that is filled again and again, and
//! whoever parses receives as many whole lines as the buffer holds in one slice. What makes files
//! differ on the outside is settled here: gzip (told by its first two bytes, not by its name), a
//! byte-order mark, a last line without its newline.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, Result};

/// Bytes in the buffer; no line may be longer.
const BUFFER: usize = 1 << 20;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
/// The most of a user's text that a message repeats.
const LONGEST_QUOTE: usize = 40;

/// A file of lines, read from front to back.
pub(super) struct Source {
    path: String,
    input: Box<dyn Read>,
    buffer: Vec<u8>,
    /// The bytes of `buffer` that are read but not yet handed out.
    pending: std::ops::Range<usize>,
    line: u64,
    size: u64,
}

impl Source {
    /// Opens a file, compressed or not.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let (input, size) =
            open_input(path).map_err(|source| Error::Io { path: name.clone(), source })?;
        let mut source =
            Source { path: name, input, buffer: vec![0; BUFFER], pending: 0..0, line: 0, size };
        source.skip_byte_order_mark()?;
        Ok(source)
    }

    /// The file, as the caller named it.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Bytes of the file on disk: a bound on what it can hold that no header can inflate.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Lines handed out so far, which is the number of the last one.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Counts the lines of the last block, of which the source knows only the bytes.
    pub(super) fn set_line(&mut self, line: u64) {
        self.line = line;
    }

    /// The next line, without its end.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>> {
        loop {
            if let Some(length) = self.waiting().iter().position(|&b| b == b'\n') {
                let start = self.pending.start;
                self.pending.start += length + 1;
                self.line += 1;
                let line = &self.buffer[start..start + length];
                return Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)));
            }
            if !self.refill()? {
                return Ok(None);
            }
        }
    }

    /// As many whole lines as are at hand, each with its newline; never an empty slice.
    pub(super) fn next_block(&mut self) -> Result<Option<&[u8]>> {
        loop {
            if let Some(last) = self.waiting().iter().rposition(|&b| b == b'\n') {
                let start = self.pending.start;
                self.pending.start += last + 1;
                return Ok(Some(&self.buffer[start..start + last + 1]));
            }
            if !self.refill()? {
                return Ok(None);
            }
        }
    }

    /// An error about one line of this file.
    pub(super) fn error_at(&self, line: u64, reason: impl Into<String>) -> Error {
        line_error(&self.path, line, reason)
    }

    /// An error about this file as a whole.
    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        Error::File { path: self.path.clone(), reason: reason.into() }
    }

    fn waiting(&self) -> &[u8] {
        &self.buffer[self.pending.clone()]
    }

    /// Moves what is left to the front and reads on behind it; false when there is no more.
    fn refill(&mut self) -> Result<bool> {
        self.buffer.copy_within(self.pending.clone(), 0);
        self.pending = 0..self.pending.len();
        let end = self.pending.end;
        if end == self.buffer.len() {
            let reason = "the line is longer than a million bytes; is this a text file?";
            return Err(self.error_at(self.line + 1, reason));
        }
        match read_some(&mut *self.input, &mut self.buffer[end..]) {
            Ok(0) if end == 0 => Ok(false),
            Ok(0) => {
                // The last line lacks its newline: supply it.
                self.buffer[end] = b'\n';
                self.pending.end += 1;
                Ok(true)
            }
            Ok(n) => {
                self.pending.end += n;
                Ok(true)
            }
            Err(error) => Err(self.reading_failed(error)),
        }
    }

    fn reading_failed(&self, error: io::Error) -> Error {
        let advice = format!("after line {}; fetch the file again", self.line);
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.error(format!("the gzip data ends early, {advice}"))
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                self.error(format!("the gzip data is damaged, {advice}"))
            }
            _ => Error::Io { path: self.path.clone(), source: error },
        }
    }

    fn skip_byte_order_mark(&mut self) -> Result<()> {
        while self.waiting().len() < BYTE_ORDER_MARK.len()
            && !self.waiting().contains(&b'\n')
            && self.refill()?
        {}
        if self.waiting().starts_with(&BYTE_ORDER_MARK) {
            self.pending.start += BYTE_ORDER_MARK.len();
        }
        Ok(())
    }
}

/// An error about one line of a file.
pub(super) fn line_error(path: &str, line: u64, reason: impl Into<String>) -> Error {
    Error::Line { path: path.to_owned(), line, reason: reason.into() }
}

/// The user's own bytes for a message: in quotes, shortened, with what is not text escaped.
pub(super) fn quoted(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.chars().count() > LONGEST_QUOTE => {
            let start: String = text.chars().take(LONGEST_QUOTE).collect();
            format!("{:?}", start + "…")
        }
        Ok(text) => format!("{text:?}"),
        Err(_) => {
            let shown = &bytes[..bytes.len().min(LONGEST_QUOTE)];
            format!("\"{}\", which is not UTF-8", shown.escape_ascii())
        }
    }
}

fn open_input(path: &Path) -> io::Result<(Box<dyn Read>, u64)> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut file = File::open(path)?;
    let mut start = Vec::with_capacity(GZIP_MAGIC.len());
    file.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
    let compressed = start == GZIP_MAGIC;
    // What was read is put back in front rather than sought again: pipes cannot seek.
    let whole = io::Cursor::new(start).chain(file);
    let input: Box<dyn Read> = if compressed {
        Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, whole)))
    } else {
        Box::new(whole)
    };
    Ok((input, metadata.len()))
}

/// One read, asked again as long as it is merely interrupted.
fn read_some(input: &mut dyn Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use std::io::Write;

    use super::*;

    fn source(bytes: &[u8]) -> Source {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        Source::open(file.path()).unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn lines(mut source: Source) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        while let Some(line) = source.next_line().unwrap() {
            lines.push(line.to_vec());
        }
        lines
    }

    #[test]
    fn lines_come_without_their_ends() {
        let expected: [&[u8]; 3] = [b"a", b"", b"bc"];
        assert_eq!(lines(source(b"a\n\r\nbc\r\n")), expected);
        assert_eq!(lines(source(b"\xef\xbb\xbfa\n\nbc")), expected);
        assert_eq!(lines(source(b"")), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn gzip_is_told_by_content_and_may_come_in_several_members() {
        let mut both = gzip(b"a\nb");
        both.extend(gzip(b"c\nd\n"));
        assert_eq!(lines(source(&both)), [&b"a"[..], b"bc", b"d"]);
    }

    #[test]
    fn blocks_join_to_the_whole_file_wherever_the_buffer_cuts_it() {
        let text: String = (0..400_000).map(|i| format!("line {i}\n")).collect();
        assert!(text.len() > 3 * BUFFER);
        let mut source = source(text.as_bytes());
        let mut joined = Vec::new();
        while let Some(block) = source.next_block().unwrap() {
            assert_eq!(block.last(), Some(&b'\n'));
            joined.extend_from_slice(block);
        }
        assert!(joined == text.as_bytes());
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let error = source(&vec![b'x'; 2 * BUFFER]).next_line().unwrap_err();
        assert!(error.to_string().contains("line 1: the line is longer"));
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quoted(b"3.5"), "\"3.5\"");
        assert_eq!(quoted(b"\xff1"), "\"\\xff1\", which is not UTF-8");
        assert!(quoted(&[b'x'; 500]).len() < 50);
    }
}
