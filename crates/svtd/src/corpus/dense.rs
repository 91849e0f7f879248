//! A dense table of counts: words in the first row, a document in each row below.
//!
//! ```text
//! document,sole,amor,stelle
//! canto 1,0,2,1
//! canto 2,3,0,0
//! ```
//!
//! Cells are parted by tabs, commas or semicolons, and may stand in quotes, where two quotes stand
//! for one. The first column names the documents if its cells are not numbers, or if its head is
//! empty or one of `id`, `doc`, `document`, `name`; else it is a word like the others.
//!
//! On its side (`transposed`) the table has the documents in its first row and a word in each row.
//!
//! # Cost
//! Every zero is read, but only what is not zero is kept.

use super::entries::{Table, whole_count};
use super::format;
use super::lda_c::LONGEST_LINE;
use super::rows::Rows;
use super::source::{Source, quoted};
use crate::error::Result;

/// Heads under which a first column of numbers is still a name.
const NAMING: [&str; 4] = ["id", "doc", "document", "name"];

/// The counts, what the first row says, and what the first column does, if it names rows.
pub(super) struct Dense {
    pub(super) table: Table,
    pub(super) columns: Vec<String>,
    pub(super) rows: Option<Vec<String>>,
}

/// Reads the table; rows are documents, or words if it lies on its side.
pub(super) fn read(source: &mut Source) -> Result<Dense> {
    source.allow_lines_of(LONGEST_LINE);
    let sample: Vec<u8> = source.peek(format::SAMPLE)?.to_vec();
    let lines: Vec<&[u8]> = sample.split(|&b| b == b'\n').collect();
    let separator = separator(lines.first().copied().unwrap_or_default());
    let named = lines.get(1).is_some_and(|row| {
        let mut cells = row.split(|&b| b == separator);
        cells.next().is_some_and(|cell| !format::is_number(cell.trim_ascii()))
    });
    let Some(first) = source.next_line()?.map(<[u8]>::to_vec) else {
        return Err(source.error("the file is empty; expected a first row of words"));
    };
    let mut columns = Vec::new();
    let head = cells(&first, separator, |_, cell| {
        columns.push(text(cell)?.trim().to_owned());
        Ok(())
    });
    head.map_err(|reason| source.error_at(1, reason))?;
    let naming = columns.first().is_some_and(|head| {
        let head = head.to_lowercase();
        head.is_empty() || NAMING.contains(&head.as_str())
    });
    let names = named || naming;
    if names {
        columns.remove(0);
    }
    if columns.is_empty() {
        return Err(source.error_at(1, "expected a row of words, found no word"));
    }
    if columns.iter().all(|head| format::is_number(head.as_bytes())) && !names {
        let reason = format!(
            "expected a first row of words, found the number {:?}; add a row with the words",
            columns[0]
        );
        return Err(source.error_at(1, reason));
    }
    let mut read =
        Reading { rows: Rows::new(), names: names.then(Vec::new), n_columns: columns.len() };
    let mut empty_line = None;
    loop {
        let Some(line) = source.next_line()? else { break };
        let outcome = match line.trim_ascii() {
            b"" => Ok(false),
            _ => read.push_row(line, separator).map(|()| true),
        };
        let number = source.line();
        match (outcome, empty_line) {
            (Ok(false), _) => empty_line = empty_line.or(Some(number)),
            (Ok(true), Some(empty)) => {
                return Err(source.error_at(empty, "expected a row of counts, found an empty line"));
            }
            (Ok(true), None) => {}
            (Err(reason), _) => return Err(source.error_at(number, reason)),
        }
    }
    let mut table = read.rows.into_table(columns.len());
    // Zeros are what a dense table is made of, not something worth a remark.
    table.n_zeros = 0;
    Ok(Dense { table, columns, rows: read.names })
}

struct Reading {
    rows: Rows,
    names: Option<Vec<String>>,
    n_columns: usize,
}

impl Reading {
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
        // Columns differ by construction.
        self.rows.end_document().map_err(|word| format!("column {word} is counted twice"))
    }
}

/// Calls `visit` with every cell of a row, without its quotes; returns how many there are.
fn cells(
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

/// Reads a cell behind its first quote; returns what follows the separator after it.
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

/// The separator that occurs most in the first row.
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
