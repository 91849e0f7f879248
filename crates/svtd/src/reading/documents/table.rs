//! Tables with a header, separated by commas, semicolons or tabs: one document per row. Quoted fields may contain
//! separators and line ends.
//!
//! A quote that is never closed would make one document of all rows that follow. To detect it, [`END`] is appended
//! to the file: it is a separate row unless a quote is open.

use std::io::Read;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::super::Format;
use super::super::source::{Source, line_error};
use super::super::unpack::Packing;
use super::encoding::Encoding;
use super::{Columns, LONGEST_DOCUMENT, Layout};
use crate::error::{Error, Result};
use crate::text::{Batch, Records};

/// The row after the last one. Text never contains a zero byte.
const END: &[u8] = b"\0end of the table\0";

/// A hint for the case that the first row is already a document.
const NO_HEADER: &str = "; is the first row a document? Put a row above it that names the columns";

/// Longer texts than this, in characters, are not names of columns.
const LONGEST_NAME: usize = 60;

pub(super) struct Table {
    path: String,
    packing: Packing,
    rows: Reader<Box<dyn Read + Send>>,
    encoding: Encoding,
    text: Vec<usize>,
    id: Option<usize>,
    label: Option<usize>,
    record: ByteRecord,
    /// A remark about the columns, if they were guessed.
    remark: Option<String>,
}

impl Table {
    pub(super) fn open(mut source: Source, format: Format, layout: Layout) -> Result<Self> {
        let (path, packing) = (source.path().to_owned(), source.packing());
        let delimiter = match format {
            Format::Tsv => b'\t',
            _ => delimiter(source.peek(1 << 16)?),
        };
        let bytes: Box<dyn Read + Send> =
            Box::new(source.into_bytes().chain(&b"\n"[..]).chain(END));
        let mut rows = ReaderBuilder::new().delimiter(delimiter).from_reader(bytes);
        let mut header =
            rows.byte_headers().map_err(|error| csv_error(&path, packing, error))?.clone();
        if header.as_slice() == END {
            header.clear();
        }
        check_closed(&path, &header)?;
        let names: Result<Vec<String>> =
            header.iter().map(|cell| decoded(layout.encoding, cell, &path, 1)).collect();
        let names = names?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if names.is_empty() {
            let reason = "the file is empty; expected a header and a row for each document";
            return Err(Error::File { path, reason: reason.to_owned() });
        }
        let columns = Columns::among(&names, &layout).map_err(|reason| {
            let hint = if is_header(&names) { "" } else { NO_HEADER };
            line_error(&path, 1, format!("{reason}{hint}"))
        })?;
        let remark = layout.text_columns.is_empty().then(|| columns.remark(&path, &names));
        let place = |column: &String| names.iter().position(|name| name == column).unwrap_or(0);
        Ok(Table {
            text: columns.text.iter().map(place).collect(),
            id: columns.id.as_ref().map(place),
            label: columns.label.as_ref().map(place),
            path,
            packing,
            rows,
            encoding: layout.encoding,
            record: ByteRecord::new(),
            remark,
        })
    }

    fn cell(&self, column: usize, line: u64) -> Result<String> {
        let cell = self.record.get(column).unwrap_or_default();
        decoded(self.encoding, cell, &self.path, line)
    }
}

impl Records for Table {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let found = self.rows.read_byte_record(&mut self.record);
        if self.record.as_slice() == END {
            return Ok(false);
        }
        check_closed(&self.path, &self.record)?;
        if !found.map_err(|error| csv_error(&self.path, self.packing, error))? {
            return Ok(false);
        }
        let line = self.record.position().map_or(0, csv::Position::line);
        if self.record.as_slice().len() > LONGEST_DOCUMENT {
            let reason = "the row is longer than 1 GB; is a quote missing?";
            return Err(line_error(&self.path, line, reason));
        }
        let name = self.id.map(|column| self.cell(column, line)).transpose()?;
        let label = self.label.map(|column| self.cell(column, line)).transpose()?;
        let texts: Result<Vec<String>> = self.text.iter().map(|&c| self.cell(c, line)).collect();
        batch.push(name, label, &texts?.join("\n"));
        Ok(true)
    }

    fn remarks(&self) -> Vec<String> {
        self.remark.iter().cloned().collect()
    }
}

/// Whether these look like names of columns, and not like the cells of a document.
fn is_header(cells: &[&str]) -> bool {
    let is_name =
        |cell: &&str| cell.chars().count() <= LONGEST_NAME && cell.trim().parse::<f64>().is_err();
    cells.iter().all(is_name)
}

/// Returns an error for a row that goes on to the end of the file because a quote is open.
fn check_closed(path: &str, row: &ByteRecord) -> Result<()> {
    if !row.as_slice().ends_with(END) {
        return Ok(());
    }
    let line = row.position().map_or(1, csv::Position::line);
    let reason = "a cell of this row begins with a quote that is never closed, so all that follows \
                  would be one document; close it, or write quotes inside of quotes twice";
    Err(line_error(path, line, reason))
}

/// A comma, unless the header has more semicolons.
fn delimiter(start: &[u8]) -> u8 {
    let header = start.split(|&b| b == b'\n').next().unwrap_or_default();
    let count = |separator| header.iter().filter(|&&b| b == separator).count();
    if count(b';') > count(b',') { b';' } else { b',' }
}

fn decoded(encoding: Encoding, cell: &[u8], path: &str, line: u64) -> Result<String> {
    encoding.decode(cell).map(std::borrow::Cow::into_owned).map_err(|error| {
        let reason = format!("byte {} of a cell is {}", error.offset + 1, error.reason);
        line_error(path, line, reason)
    })
}

fn csv_error(path: &str, packing: Packing, error: csv::Error) -> Error {
    match error.into_kind() {
        ErrorKind::Io(error) => packing.failure(path, None, error),
        ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let reason = format!(
                "{len} cells in a table of {expected_len} columns; put cells that hold a separator \
                 in quotes"
            );
            line_error(path, pos.map_or(0, |pos| pos.line()), reason)
        }
        other => Error::File {
            path: path.to_owned(),
            reason: format!("this is no table: {}", csv_sentence(&other)),
        },
    }
}

fn csv_sentence(kind: &ErrorKind) -> String {
    format!("{kind:?}")
}
