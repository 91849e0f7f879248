//! A dense table of counts: words in the first row, a document in each row below.
//!
//! ```text
//! document,sole,amor,stelle
//! canto 1,0,2,1
//! canto 2,3,0,0
//! ```
//!
//! Cells are separated by tabs, commas or semicolons, and may be quoted, where two quotes stand for one. The first
//! column contains the names of the documents if its cells are not numbers, or if its header is empty or one of
//! `id`, `doc`, `document`, `name`; otherwise it is a word like the others.
//!
//! When `transposed`, the table has the documents in its first row and a word in each row.
//!
//! # Cost
//! Every zero is read, but only non-zero counts are kept.

use super::entries::{Table, whole_count};
use super::lda_c::LONGEST_LINE;
use super::rows::Rows;
use super::source::{SAMPLE, Source, quoted};
use crate::error::Result;

/// Headers for which a first column of numbers still contains names.
const NAMING: [&str; 4] = ["id", "doc", "document", "name"];

/// The counts, the names in the first row, and those in the first column if it has names.
pub(super) struct Dense {
    pub(super) table: Table,
    pub(super) columns: Vec<String>,
    pub(super) rows: Option<Vec<String>>,
}

/// Reads the table; rows are documents, or words if it is transposed.
pub(super) fn read(source: &mut Source) -> Result<Dense> {
    source.allow_lines_of(LONGEST_LINE);
    let second = source.peek(SAMPLE)?.split(|&b| b == b'\n').nth(1).map(<[u8]>::to_vec);
    let Some(first) = source.next_line()?.map(<[u8]>::to_vec) else {
        return Err(source.error("the file is empty; expected a first row of words"));
    };
    let separator = separator(&first);
    let head = head(&first, &second.unwrap_or_default(), separator);
    let (columns, named) = head.map_err(|reason| source.error_at(1, reason))?;
    let names = named.then(Vec::new);
    let mut reading = Reading { rows: Rows::new(source.limit()), names, n_columns: columns.len() };
    reading.read(source, separator)?;
    let mut table = reading.rows.into_table(columns.len());
    // A dense table consists mostly of zeros; they are not worth a remark.
    table.n_zeros = 0;
    Ok(Dense { table, columns, rows: reading.names })
}

/// The headers of the columns of counts, and whether a column of names precedes them.
fn head(first: &[u8], second: &[u8], separator: u8) -> Result<(Vec<String>, bool), String> {
    let mut columns = Vec::new();
    cells(first, separator, |_, cell| {
        columns.push(text(cell)?.trim().to_owned());
        Ok(())
    })?;
    let corner = columns.first().map(|head| head.to_lowercase()).unwrap_or_default();
    let below = second.split(|&b| b == separator).next().unwrap_or_default().trim_ascii();
    let named = corner.is_empty()
        || NAMING.contains(&corner.as_str())
        || !below.is_empty() && !is_number(below);
    if named {
        columns.remove(0);
    }
    if columns.is_empty() {
        return Err("expected a row of words, found no word".to_owned());
    }
    if !named && columns.iter().all(|head| is_number(head.as_bytes())) {
        let number = &columns[0];
        return Err(format!(
            "expected a first row of words, found the number {number:?}; add a row with the words"
        ));
    }
    Ok((columns, named))
}

struct Reading {
    rows: Rows,
    names: Option<Vec<String>>,
    n_columns: usize,
}

impl Reading {
    fn read(&mut self, source: &mut Source, separator: u8) -> Result<()> {
        let mut empty_line = None;
        while let Some(line) = source.next_line()? {
            let outcome = match line.trim_ascii() {
                b"" => Ok(false),
                _ => self.push_row(line, separator).map(|()| true),
            };
            let number = source.line();
            match (outcome, empty_line) {
                (Ok(false), _) => empty_line = empty_line.or(Some(number)),
                (Ok(true), Some(empty)) => {
                    let reason = "expected a row of counts, found an empty line";
                    return Err(source.error_at(empty, reason));
                }
                (Ok(true), None) => {}
                (Err(reason), _) => return Err(source.error_at(number, reason)),
            }
        }
        Ok(())
    }

    fn push_row(&mut self, line: &[u8], separator: u8) -> Result<(), String> {
        let n_before = usize::from(self.names.is_some());
        let n_expected = self.n_columns + n_before;
        let n_found = cells(line, separator, |i, cell| {
            if i < n_before {
                let name = text(cell)?.to_owned();
                self.names.get_or_insert_default().push(name);
            } else if i < n_expected && cell != b"0" {
                let word = (i - n_before) as u32;
                self.rows.push(word, whole_count(cell.trim_ascii())?);
            }
            Ok(())
        })?;
        if n_found != n_expected {
            return Err(format!(
                "expected {n_expected} cells as in the first row, found {n_found}"
            ));
        }
        // Columns cannot repeat here.
        self.rows.end_document().map_err(|word| format!("column {word} is counted twice"))
    }
}

/// Calls `visit` with every cell of a row, without its quotes; returns how many there are.
pub(super) fn cells(
    line: &[u8],
    separator: u8,
    mut visit: impl FnMut(usize, &[u8]) -> Result<(), String>,
) -> Result<usize, String> {
    let mut n_cells = 0;
    let mut rest = Some(line);
    let mut unquoted = Vec::new();
    while let Some(cell) = rest {
        if cell.first() == Some(&b'"') {
            rest = take_quoted(&cell[1..], separator, &mut unquoted)?;
            visit(n_cells, &unquoted)?;
        } else {
            let end = cell.iter().position(|&b| b == separator);
            visit(n_cells, &cell[..end.unwrap_or(cell.len())])?;
            rest = end.map(|end| &cell[end + 1..]);
        }
        n_cells += 1;
    }
    Ok(n_cells)
}

/// Reads a cell after its first quote; returns what follows the separator after it.
fn take_quoted<'a>(
    mut rest: &'a [u8],
    separator: u8,
    into: &mut Vec<u8>,
) -> Result<Option<&'a [u8]>, String> {
    into.clear();
    loop {
        let Some(end) = rest.iter().position(|&b| b == b'"') else {
            return Err("a quote is opened and not closed on this line".to_owned());
        };
        into.extend_from_slice(&rest[..end]);
        match rest.get(end + 1) {
            Some(b'"') => into.push(b'"'),
            Some(&next) if next == separator => return Ok(Some(&rest[end + 2..])),
            None => return Ok(None),
            Some(_) => {
                return Err(format!("expected a separator behind a quote, found {}", quoted(rest)));
            }
        }
        rest = &rest[end + 2..];
    }
}

fn text(cell: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(cell).map_err(|_| {
        "expected UTF-8, found bytes that are not; convert the file to UTF-8".to_owned()
    })
}

/// The most frequent separator in the first row.
fn separator(first_row: &[u8]) -> u8 {
    let count = |separator: u8| first_row.iter().filter(|&&b| b == separator).count();
    let mut best = b',';
    for separator in [b'\t', b';'] {
        if count(separator) > count(best) {
            best = separator;
        }
    }
    best
}

/// Whether a cell holds a number.
pub(super) fn is_number(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|text| text.parse::<f64>().is_ok())
}
