//! SVMlight and libsvm files: one document per line, beginning with its label.
//!
//! ```text
//! # comments stand behind a cross
//! 3 1:2 4:1 7:5        the label, then index:count
//! -1 qid:2 2:1         a query number is ignored
//! ```
//!
//! Labels are kept as written. Indices usually start from 1 but from 0 in some files: if an index is 0 the file
//! counts from 0, otherwise from 1, and a note says which, unless the caller has given it. Values must be whole
//! numbers, because these are counts; scaled values cannot be turned into counts again.

use super::entries::{Table, fields};
use super::lda_c::{LONGEST_LINE, pair};
use super::rows::Rows;
use super::source::{Source, quoted};
use crate::error::Result;

/// The documents, their labels, and the number of the first word.
pub(super) struct Labelled {
    pub(super) table: Table,
    pub(super) labels: Vec<String>,
    pub(super) from_zero: bool,
}

/// Reads every document.
pub(super) fn read(source: &mut Source, n_words: usize, base: Option<u8>) -> Result<Labelled> {
    source.allow_lines_of(LONGEST_LINE);
    let mut rows = Rows::new(source.limit());
    let mut labels = Vec::new();
    let mut from_zero = base == Some(0);
    while let Some(line) = source.next_line()? {
        let line = line.split(|&b| b == b'#').next().unwrap_or_default();
        let outcome = match line.trim_ascii() {
            b"" => continue,
            line => push_document(&mut rows, line),
        };
        match outcome {
            Ok((_, true)) if base == Some(1) => {
                let reason =
                    "a word has the number 0 where the first was said to be 1 (index-base)";
                return Err(source.error_at(source.line(), reason));
            }
            Ok((label, zero)) => {
                labels.push(label);
                from_zero |= zero;
            }
            Err(reason) => return Err(source.error_at(source.line(), reason)),
        }
    }
    if !from_zero {
        rows.number_from_zero();
    }
    Ok(Labelled { table: rows.into_table(n_words), labels, from_zero })
}

/// The label, and whether an index is 0.
fn push_document(rows: &mut Rows, line: &[u8]) -> Result<(String, bool), String> {
    let mut parts = fields(line);
    let front = parts.next().unwrap_or_default();
    let label = std::str::from_utf8(front).ok().filter(|label| !label.contains(':'));
    let label =
        label.ok_or_else(|| format!("expected a label in front, found {}", quoted(front)))?;
    let mut zero = false;
    for part in parts.filter(|part| !part.starts_with(b"qid:")) {
        let (index, count) = pair(part)?;
        zero |= index == 0;
        rows.push(index, count);
    }
    rows.end_document()
        .map_err(|index| format!("index {index} is counted twice in this document"))?;
    Ok((label.to_owned(), zero))
}
