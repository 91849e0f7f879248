//! A text file as blocks of whole lines.
//!
//! Count tables can have gigabytes, and at that size time goes to new memory and to calls per line, not to the
//! disk. So the file passes through one buffer that is filled again and again, and the parser receives as many
//! whole lines as the buffer contains in one slice. External differences between files are handled here or in
//! `unpack`: compression, a byte-order mark, a last line without its newline. The beginning can be read without
//! being consumed, so that formats can be detected even on a pipe.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::meter::Meter;
use super::unpack::{self, Packing, Unpacked, Whole};
use crate::error::{Error, Result};
use crate::memory::Limit;

/// Number of bytes by which formats are recognised.
pub(super) const SAMPLE: usize = 1 << 16;

/// Size of the buffer in bytes. Unless a reader allows more, no line may be longer.
const BUFFER: usize = 1 << 20;
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
/// The largest number of characters of the user's text that a message repeats.
const LONGEST_QUOTE: usize = 40;
/// The name of standard input in messages.
const STANDARD_INPUT: &str = "standard input";

/// A table on disk, unpacked.
pub(crate) enum TableBytes {
    /// Text, from its first byte after a byte-order mark.
    Text(Box<dyn Read + Send>),
    /// A Parquet file, which needs random access.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "read with the feature alone"))]
    Parquet(File),
}

/// Opens a table, or standard input for `-`, with its name for messages.
pub(crate) fn open_table(path: &Path) -> Result<(String, TableBytes)> {
    let mut source = Source::open(path)?;
    let name = source.path.clone();
    let bytes = match source.peek(4)? == b"PAR1" {
        true => TableBytes::Parquet(source.into_file(path)?),
        false => TableBytes::Text(source.into_bytes()),
    };
    Ok((name, bytes))
}

/// A file of lines, read from front to back.
pub(super) struct Source {
    path: String,
    input: Box<dyn Read + Send>,
    packing: Packing,
    buffer: Vec<u8>,
    longest_line: usize,
    /// The bytes of `buffer` that were read but not yet returned.
    pending: std::ops::Range<usize>,
    line: u64,
    size: u64,
    limit: Limit,
    live: bool,
}

impl Source {
    /// Opens a file or standard input, compressed or not.
    pub(super) fn open(path: &Path) -> Result<Self> {
        Source::open_watched(path, &Meter::default())
    }

    /// As [`open`](Self::open), reporting how much of it was read.
    pub(super) fn open_watched(path: &Path, meter: &Meter) -> Result<Self> {
        let name = match unpack::is_standard_input(path) {
            true => STANDARD_INPUT.to_owned(),
            false => path.display().to_string(),
        };
        let opened = unpack::open(path, Whole::All(meter));
        Source::of(opened, name)
    }

    /// A source of bytes in memory, reporting how much was read.
    pub(super) fn of_bytes(bytes: Vec<u8>, name: &str, meter: &Meter) -> Result<Self> {
        Source::of(unpack::of_bytes(bytes, meter), name.to_owned())
    }

    fn of(opened: io::Result<Unpacked>, name: String) -> Result<Self> {
        let Unpacked { bytes, packing, size } =
            opened.map_err(|source| Error::Io { path: name.clone(), source })?;
        // A small file needs no large buffer; if it has grown meanwhile, so does the buffer.
        let room = match packing {
            Packing::Plain if size > 0 => size.saturating_add(1).clamp(1 << 12, BUFFER as u64),
            _ => BUFFER as u64,
        };
        let mut source = Source {
            path: name,
            input: bytes,
            packing,
            buffer: vec![0; room as usize],
            longest_line: BUFFER,
            pending: 0..0,
            line: 0,
            size,
            limit: Limit::none(),
            live: false,
        };
        source.skip_byte_order_mark()?;
        Ok(source)
    }

    /// The file, as the caller named it.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Size of the file on disk in bytes: a bound on its content that no header can inflate.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Keeps what is read within a memory limit.
    pub(super) fn keep_within(mut self, limit: &Limit) -> Self {
        self.limit = limit.clone();
        self
    }

    /// Makes [`peek`](Self::peek) stop after the first non-blank line: in a live stream more may take long to
    /// arrive.
    pub(super) fn come_live(mut self, live: bool) -> Self {
        self.live = live;
        self
    }

    /// The memory limit for what is read.
    pub(super) fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The number of lines returned so far, which is the number of the last one.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Sets the number of the last line, after the caller has counted the lines of a block.
    pub(super) fn set_line(&mut self, line: u64) {
        self.line = line;
    }

    /// Allows lines to be as long as this; the buffer grows only if needed.
    pub(super) fn allow_lines_of(&mut self, bytes: usize) {
        self.longest_line = self.longest_line.max(bytes);
    }

    /// The next `n_bytes` bytes without consuming them, or as many as there are, up to the size of the buffer.
    pub(super) fn peek(&mut self, n_bytes: usize) -> Result<&[u8]> {
        let wanted = n_bytes.min(BUFFER);
        while self.waiting().len() < wanted && !(self.live && self.has_line()) {
            let n = self.read_more()?;
            if n == 0 {
                break;
            }
        }
        let waiting = self.waiting();
        Ok(&waiting[..waiting.len().min(wanted)])
    }

    /// The whole input as a file with random access, for formats that need it. A pipe or an archive is unpacked
    /// into a temporary file, which has no name and disappears with the program.
    pub(super) fn into_file(mut self, path: &Path) -> Result<File> {
        if self.packing == Packing::Plain && path.is_file() {
            return File::open(path).map_err(|source| Error::Io { path: self.path, source });
        }
        let spooled = self.spool();
        spooled.map_err(|error| self.reading_failed(error))
    }

    /// Fills `into` with the next bytes, for formats without lines; `false` if there are fewer.
    pub(super) fn read_exact(&mut self, into: &mut [u8]) -> Result<bool> {
        let n = self.pending.len().min(into.len());
        let start = self.pending.start;
        into[..n].copy_from_slice(&self.buffer[start..start + n]);
        self.pending.start += n;
        let mut filled = n;
        while filled < into.len() {
            match read_some(&mut *self.input, &mut into[filled..]) {
                Ok(0) => return Ok(false),
                Ok(n) => filled += n,
                Err(error) => return Err(self.reading_failed(error)),
            }
        }
        Ok(true)
    }

    /// How the file is compressed.
    pub(super) fn packing(&self) -> Packing {
        self.packing
    }

    /// The remaining bytes.
    pub(super) fn into_bytes(self) -> Box<dyn Read + Send> {
        let waiting = self.waiting().to_vec();
        Box::new(io::Cursor::new(waiting).chain(self.input))
    }

    fn spool(&mut self) -> io::Result<File> {
        let mut file = tempfile::tempfile()?;
        file.write_all(&self.buffer[self.pending.clone()])?;
        io::copy(&mut self.input, &mut file)?;
        file.rewind()?;
        Ok(file)
    }

    /// The next line, without its end.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>> {
        // A line that arrives in many pieces is not searched from its beginning for each piece.
        let mut searched = 0;
        loop {
            let unsearched = &self.waiting()[searched..];
            if let Some(length) = unsearched.iter().position(|&b| b == b'\n') {
                let (start, length) = (self.pending.start, searched + length);
                self.pending.start += length + 1;
                self.line += 1;
                let line = &self.buffer[start..start + length];
                return Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)));
            }
            searched = self.waiting().len();
            if !self.refill()? {
                return Ok(None);
            }
        }
    }

    /// As many whole lines as are in the buffer, each with its newline; never an empty slice.
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

    /// Whether the buffer has a whole line that is not blank.
    fn has_line(&self) -> bool {
        self.waiting().trim_ascii_start().contains(&b'\n')
    }

    fn waiting(&self) -> &[u8] {
        &self.buffer[self.pending.clone()]
    }

    /// Moves the remaining bytes to the front and reads more; `false` when there is no more.
    fn refill(&mut self) -> Result<bool> {
        if self.pending.len() >= self.longest_line {
            let most = self.longest_line >> 20;
            let reason = format!("the line is longer than {most} MB; is this a text file?");
            return Err(self.error_at(self.line + 1, reason));
        }
        match self.read_more()? {
            0 if self.pending.is_empty() => Ok(false),
            0 => {
                // The last line has no newline: add it.
                self.buffer[self.pending.end] = b'\n';
                self.pending.end += 1;
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    /// Moves the pending bytes to the front and reads after them; there is then room for one more byte.
    fn read_more(&mut self) -> Result<usize> {
        if self.pending.start > 0 {
            self.buffer.copy_within(self.pending.clone(), 0);
            self.pending = 0..self.pending.len();
        }
        let end = self.pending.end;
        if end == self.buffer.len() {
            self.buffer.resize(2 * end, 0);
        }
        match read_some(&mut *self.input, &mut self.buffer[end..]) {
            Ok(n) => {
                self.pending.end += n;
                Ok(n)
            }
            Err(error) => Err(self.reading_failed(error)),
        }
    }

    fn reading_failed(&self, error: io::Error) -> Error {
        self.packing.failure(&self.path, Some(self.line), error)
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

/// The user's own bytes for a message: quoted, shortened, and escaped where they are not text.
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

/// One read, repeated while it is merely interrupted.
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
        assert!(error.to_string().contains("line 1: the line is longer than 1 MB"));
    }

    #[test]
    fn a_long_line_is_read_where_it_is_allowed() {
        let text = [vec![b'x'; 3 * BUFFER], b"\ny\n".to_vec()].concat();
        let mut source = source(&text);
        source.allow_lines_of(4 * BUFFER);
        assert_eq!(source.next_line().unwrap().unwrap().len(), 3 * BUFFER);
        assert_eq!(source.next_line().unwrap(), Some(&b"y"[..]));
        assert_eq!(source.next_line().unwrap(), None);
    }

    #[test]
    fn a_look_ahead_takes_nothing() {
        let mut source = source(b"\xef\xbb\xbfab\nc");
        assert_eq!(source.peek(2).unwrap(), b"ab");
        assert_eq!(source.peek(100).unwrap(), b"ab\nc");
        assert_eq!(lines(source), [&b"ab"[..], b"c"]);
    }

    #[test]
    fn an_archive_becomes_a_file_to_go_back_and_forth_in() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&gzip(b"ab\ncd\n")).unwrap();
        let source = Source::open(file.path()).unwrap();
        let mut text = String::new();
        source.into_file(file.path()).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "ab\ncd\n");
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quoted(b"3.5"), "\"3.5\"");
        assert_eq!(quoted(b"\xff1"), "\"\\xff1\", which is not UTF-8");
        assert!(quoted(&[b'x'; 500]).len() < 50);
    }
}
