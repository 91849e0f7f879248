//! The body of a count table: lines of `document word count`, numbered from 1.
//!
//! Docword and MatrixMarket files differ only in their headers, so both are read here. Nearly every line consists
//! of three plain numbers separated by single spaces, and a loop over its bytes reads it without allocating.
//! Everything else (tabs, `\r\n`, `3.0`, an id out of range, nonsense) goes to a second, careful reader, which
//! either understands the line or says in one sentence why it cannot.
//!
//! Entries are stored as compressed rows as they arrive. We only record where a *run* of entries of one document
//! starts: when documents ascend, as they nearly always do, the runs are the rows. Otherwise the runs are moved to
//! their places at the end, which takes a second copy of the arrays but accepts any order.
//!
//! # Wrong headers
//! Nothing is allocated because a header says so. Room is reserved for no more entries than a plain file of that
//! size could contain, and arrays with an element for each document or word are allocated only after the entries
//! were counted and make such sizes plausible.

use super::source::{Source, line_error, quoted};
use crate::corpus::SparseCounts;
use crate::corpus::sparse::offsets_of;
use crate::error::{Error, Result};
use crate::memory::Numbers;

/// `1 1 1` and a newline: the shortest possible entry in a plain file, in bytes.
const SHORTEST_LINE: u64 = 6;
/// Numbers with at most this many digits always fit in a `u32`.
const SAFE_DIGITS: usize = 9;

/// What the header of a count table declares, and on which lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) n_rows: u32,
    pub(super) n_columns: u32,
    pub(super) n_entries: u64,
    /// Whether entries are only `document word` and count once: a MatrixMarket pattern.
    pub(super) ones: bool,
    pub(super) rows_line: u64,
    pub(super) columns_line: u64,
    /// Whether the table is transposed: rows are words and columns are documents.
    pub(super) transposed: bool,
}

impl Header {
    /// The number of words, whether the table is transposed or not.
    pub(super) fn n_words(&self) -> u32 {
        if self.transposed { self.n_rows } else { self.n_columns }
    }

    /// What a row and a column are called.
    fn nouns(&self) -> [&'static str; 2] {
        nouns(self.transposed)
    }
}

/// What a row and a column are called, in a table that may be transposed.
pub(super) fn nouns(transposed: bool) -> [&'static str; 2] {
    if transposed { ["word", "document"] } else { ["document", "word"] }
}

/// One count, with row and column numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    row: u32,
    column: u32,
    count: u32,
}

/// The counts of a table by word id, and the number of explicit zeros that were left out.
pub(super) struct Table {
    pub(super) rows: SparseCounts,
    pub(super) n_zeros: u64,
}

/// Reads all entries after a header.
pub(super) fn read(source: &mut Source, header: &Header) -> Result<Table> {
    let mut runs = Runs::with_room(source, header);
    let n_zeros = scan(source, header, |entry, _| runs.push(entry))?;
    check_rows(source, header)?;
    let rows = runs.into_rows(header.n_rows as usize, header.n_columns as usize);
    Ok(Table { rows, n_zeros })
}

/// The first two lines that give a count for the same cell of the table.
///
/// Duplicates are found only after rows are sorted, when line numbers are no longer known. Rather than store a line
/// number for each entry of every good file, we read the bad file once more.
pub(super) fn find_twice(
    source: &mut Source,
    header: &Header,
    row: u32,
    column: u32,
) -> Result<Option<(u64, u64)>> {
    let mut lines = Vec::new();
    scan(source, header, |entry, line| {
        if (entry.row, entry.column) == (row, column) {
            lines.push(line);
        }
    })?;
    Ok(match lines[..] {
        [first, second, ..] => Some((first, second)),
        _ => None,
    })
}

/// Parses a whole number of decimal digits only.
pub(super) fn whole_number(field: &[u8]) -> Option<u64> {
    if !field.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// The parts of a line between white space.
pub(super) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|f| !f.is_empty())
}

/// A thousand empty rows may be intended; millions for a few entries are a mistake. Columns are checked where they
/// are documents; how many words there may be depends on the vocabulary.
fn check_rows(source: &Source, header: &Header) -> Result<()> {
    let [row, column] = header.nouns();
    let rows = (header.n_rows, row, header.rows_line);
    let columns = (header.n_columns, column, header.columns_line);
    for (n, noun, line) in [Some(rows), header.transposed.then_some(columns)].into_iter().flatten()
    {
        if !is_plausible(u64::from(n), header.n_entries, 1000) {
            let entries = header.n_entries;
            let reason =
                format!("{n} {noun}s declared for {entries} entries; is the header right?");
            return Err(source.error_at(line, reason));
        }
    }
    Ok(())
}

/// Whether this many documents, most of them empty, can be intended with so few entries.
pub(super) fn is_plausible(n: u64, n_entries: u64, free: u64) -> bool {
    n <= n_entries.saturating_mul(50).saturating_add(free)
}

/// Calls `visit` with every non-zero entry and its line; returns how many entries were zero.
fn scan(source: &mut Source, header: &Header, mut visit: impl FnMut(Entry, u64)) -> Result<u64> {
    let mut scanner = Scanner::new(source, header);
    while let Some(block) = source.next_block()? {
        scanner.scan_block(block, &mut visit)?;
        source.set_line(scanner.line);
    }
    scanner.check_all_found(source)?;
    Ok(scanner.n_zeros)
}

struct Scanner {
    header: Header,
    path: String,
    line: u64,
    n_found: u64,
    n_zeros: u64,
    /// Entries up to this one may use the fast path: all, until an empty line is seen.
    n_fast: u64,
    empty_line: Option<u64>,
}

impl Scanner {
    fn new(source: &Source, header: &Header) -> Self {
        Scanner {
            header: *header,
            path: source.path().to_owned(),
            line: source.line(),
            n_found: 0,
            n_zeros: 0,
            n_fast: header.n_entries,
            empty_line: None,
        }
    }

    fn scan_block(&mut self, block: &[u8], visit: &mut impl FnMut(Entry, u64)) -> Result<()> {
        let mut rest = block;
        while !rest.is_empty() {
            self.line += 1;
            if let Some((entry, next)) = self.plain_entry(rest) {
                self.count(entry, visit);
                rest = next;
            } else {
                let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                let (line, next) = rest.split_at(length);
                if let Some(entry) = self.careful_entry(line)? {
                    self.count(entry, visit);
                }
                rest = next.get(1..).unwrap_or_default();
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn count(&mut self, entry: Entry, visit: &mut impl FnMut(Entry, u64)) {
        self.n_found += 1;
        if entry.count == 0 {
            self.n_zeros += 1;
        } else {
            visit(entry, self.line);
        }
    }

    /// The entry on the first line, and the remaining lines, if the line has the usual form.
    #[inline(always)]
    fn plain_entry<'a>(&self, rest: &'a [u8]) -> Option<(Entry, &'a [u8])> {
        let (row, rest) = plain_number(rest, b' ')?;
        let (column, count, rest) = if self.header.ones {
            let (column, rest) = plain_number(rest, b'\n')?;
            (column, 1, rest)
        } else {
            let (column, rest) = plain_number(rest, b' ')?;
            let (count, rest) = plain_number(rest, b'\n')?;
            (column, count, rest)
        };
        // Id 0 wraps around to the largest number and is then out of range like any other.
        let entry = Entry { row: row.wrapping_sub(1), column: column.wrapping_sub(1), count };
        let expected = entry.row < self.header.n_rows
            && entry.column < self.header.n_columns
            && self.n_found < self.n_fast;
        expected.then_some((entry, rest))
    }

    /// The entry on any other line; `None` if the line is empty.
    #[cold]
    fn careful_entry(&mut self, line: &[u8]) -> Result<Option<Entry>> {
        if fields(line).next().is_none() {
            self.empty_line.get_or_insert(self.line);
            self.n_fast = 0;
            return Ok(None);
        }
        if let Some(empty) = self.empty_line {
            let reason = format!("expected {}, found an empty line", self.shape());
            return Err(line_error(&self.path, empty, reason));
        }
        if self.n_found == self.header.n_entries {
            let declared = self.header.n_entries;
            return Err(self.error(format!("declared {declared} entries, and here is one more")));
        }
        let [row, column, count] = self.three_fields(line)?;
        let [row_noun, column_noun] = self.header.nouns();
        Ok(Some(Entry {
            row: self.id(row, row_noun, self.header.n_rows)?,
            column: self.id(column, column_noun, self.header.n_columns)?,
            count: whole_count(count).map_err(|reason| self.error(reason))?,
        }))
    }

    /// Row, column and count; the count is supplied where the format omits it.
    fn three_fields<'a>(&self, line: &'a [u8]) -> Result<[&'a [u8]; 3]> {
        let mut found = fields(line);
        let (row, column) = (found.next(), found.next());
        let count = if self.header.ones { Some(&b"1"[..]) } else { found.next() };
        match (row, column, count, found.next()) {
            (Some(row), Some(column), Some(count), None) => Ok([row, column, count]),
            _ => Err(self.error(format!("expected {}, found {}", self.shape(), quoted(line)))),
        }
    }

    fn shape(&self) -> &'static str {
        if self.header.ones {
            match self.header.transposed {
                true => "two numbers (word, document)",
                false => "two numbers (document, word)",
            }
        } else {
            match self.header.transposed {
                true => "three numbers (word, document, count)",
                false => "three numbers (document, word, count)",
            }
        }
    }

    fn id(&self, field: &[u8], what: &str, most: u32) -> Result<u32> {
        match whole_number(field) {
            Some(id) if (1..=u64::from(most)).contains(&id) => Ok((id - 1) as u32),
            _ => {
                Err(self
                    .error(format!("expected a {what} from 1 to {most}, found {}", quoted(field))))
            }
        }
    }

    fn check_all_found(&self, source: &Source) -> Result<()> {
        let (declared, found) = (self.header.n_entries, self.n_found);
        if declared == found {
            return Ok(());
        }
        Err(source
            .error(format!("declared {declared} entries, found {found}: is the file cut short?")))
    }

    fn error(&self, reason: String) -> Error {
        line_error(&self.path, self.line, reason)
    }
}

/// Reads digits up to the byte `end`; returns the number and what follows that byte.
#[inline(always)]
fn plain_number(bytes: &[u8], end: u8) -> Option<(u32, &[u8])> {
    let mut value = 0_u32;
    for (n_digits, &byte) in bytes.iter().take(SAFE_DIGITS + 1).enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            let plain = byte == end && n_digits > 0;
            return plain.then(|| (value, &bytes[n_digits + 1..]));
        }
        value = value.wrapping_mul(10).wrapping_add(u32::from(digit));
    }
    None
}

/// A count, also when written as `3.0` or `3e0`, as numeric software often does.
pub(super) fn whole_count(field: &[u8]) -> Result<u32, String> {
    let expected = || format!("expected a whole number of occurrences, found {}", quoted(field));
    let text = std::str::from_utf8(field).map_err(|_| expected())?;
    let value: f64 = text.parse().map_err(|_| expected())?;
    if value.is_nan() || value < 0.0 {
        Err(expected())
    } else if value > f64::from(u32::MAX) {
        let most = u32::MAX;
        Err(format!("a count of {} is too large; the most is {most}", quoted(field)))
    } else if value.fract() != 0.0 {
        Err(expected() + "; if these are weights such as tf-idf, use the counts they came from")
    } else {
        Ok(value as u32)
    }
}

/// Entries in the order of the file, divided where the row changes.
struct Runs {
    rows: Vec<u32>,
    starts: Vec<usize>,
    columns: Numbers<u32>,
    counts: Numbers<u32>,
}

impl Runs {
    fn with_room(source: &Source, header: &Header) -> Self {
        let room = header.n_entries.min(source.size() / SHORTEST_LINE) as usize;
        let (mut columns, mut counts) =
            (Numbers::new(source.limit()), Numbers::new(source.limit()));
        columns.reserve(room);
        counts.reserve(room);
        Runs { rows: Vec::new(), starts: Vec::new(), columns, counts }
    }

    #[inline(always)]
    fn push(&mut self, entry: Entry) {
        if self.rows.last() != Some(&entry.row) {
            self.rows.push(entry.row);
            self.starts.push(self.columns.len());
        }
        self.columns.push(entry.column);
        self.counts.push(entry.count);
    }

    fn into_rows(self, n_rows: usize, n_columns: usize) -> SparseCounts {
        let offsets = offsets_of(n_rows, self.lengths());
        let (columns, counts) = if self.rows.is_sorted() {
            (self.columns, self.counts)
        } else {
            self.in_order(offsets[..n_rows].to_vec())
        };
        SparseCounts::from_parts(offsets, columns, counts, n_columns)
    }

    /// The row and number of entries of each run.
    fn lengths(&self) -> impl Iterator<Item = (u32, usize)> {
        let ends = self.starts.iter().skip(1).copied().chain([self.columns.len()]);
        let lengths = ends.zip(&self.starts).map(|(end, start)| end - start);
        self.rows.iter().copied().zip(lengths)
    }

    /// Columns and counts by row; `next` is where each row starts.
    fn in_order(&self, mut next: Vec<usize>) -> (Numbers<u32>, Numbers<u32>) {
        let limit = self.columns.limit();
        let mut columns = Numbers::zeros(self.columns.len(), limit);
        let mut counts = Numbers::zeros(self.counts.len(), limit);
        for ((row, length), &start) in self.lengths().zip(&self.starts) {
            let to = next[row as usize];
            limit.touch(4 * size_of::<u32>() * length);
            columns[to..to + length].copy_from_slice(&self.columns[start..start + length]);
            counts[to..to + length].copy_from_slice(&self.counts[start..start + length]);
            next[row as usize] += length;
        }
        (columns, counts)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    fn runs(entries: &[(u32, u32, u32)]) -> Runs {
        let mut runs =
            Runs { rows: vec![], starts: vec![], columns: vec![].into(), counts: vec![].into() };
        for &(row, column, count) in entries {
            runs.push(Entry { row, column, count });
        }
        runs
    }

    #[test]
    fn ascending_documents_are_rows_as_they_stand() {
        let rows = runs(&[(0, 3, 1), (0, 1, 2), (2, 0, 5)]).into_rows(4, 4);
        assert_eq!(rows.offsets(), [0, 2, 2, 3, 3]);
        assert_eq!(rows.indices(), [3, 1, 0]);
        assert_eq!(rows.counts(), [1, 2, 5]);
    }

    #[test]
    fn scattered_documents_are_gathered_in_the_order_of_the_file() {
        let rows = runs(&[(2, 0, 5), (0, 3, 1), (2, 1, 6), (0, 1, 2)]).into_rows(3, 4);
        assert_eq!(rows.offsets(), [0, 2, 2, 4]);
        assert_eq!(rows.indices(), [3, 1, 0, 1]);
        assert_eq!(rows.counts(), [1, 2, 5, 6]);
    }

    #[test]
    fn no_entries_are_empty_rows() {
        assert_eq!(runs(&[]).into_rows(2, 3).offsets(), [0, 0, 0]);
    }

    #[test]
    fn a_plain_number_ends_where_it_should_and_fits() {
        assert_eq!(plain_number(b"17 5", b' '), Some((17, &b"5"[..])));
        assert_eq!(plain_number(b"999999999\n", b'\n'), Some((999_999_999, &b""[..])));
        for odd in ["", " ", "17\t", "-1 ", "1", "1000000000 ", "99999999999999999999 "] {
            assert_eq!(plain_number(odd.as_bytes(), b' '), None, "{odd:?}");
        }
    }

    #[test]
    fn a_whole_count_may_be_written_as_a_real_number() {
        for whole in ["3", "3.0", "3.", "3e0", "0.3e1", "+3", "3.0000000000000000e+00"] {
            assert_eq!(whole_count(whole.as_bytes()), Ok(3), "{whole}");
        }
        assert_eq!(whole_count(b"4294967295"), Ok(u32::MAX));
        assert!(whole_count(b"4294967296").is_err());
    }
}
