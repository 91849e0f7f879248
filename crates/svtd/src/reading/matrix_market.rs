//! The header of a MatrixMarket file, the common format of sparse matrix software.
//!
//! ```text
//! %%MatrixMarket matrix coordinate integer general
//! % any number of comments
//! 3 5 4            documents (rows), words (columns), entries
//! 1 2 1            document 1 holds word 2 once
//! ```
//!
//! The format can represent much more than counts. We read sparse (`coordinate`) matrices without `symmetry`, of
//! `integer` or `real` values that turn out to be whole, or of no values at all (`pattern`, where every entry
//! counts once). Anything else is an error that names it.
//!
//! # Departures from the format
//! Elsewhere a repeated entry may mean a sum. Here it is an error: in counts it is more often a table joined
//! wrongly than an intended sum.

use super::docword::{self, at_most_u32};
use super::entries::{Header, fields, nouns, whole_number};
use super::source::{Source, quoted};
use crate::error::Result;

/// The beginning of the first line.
pub(super) const BANNER: &[u8] = b"%%MatrixMarket";

/// Reads the header; `first_line` was already taken from the source.
pub(super) fn header(first_line: &[u8], source: &mut Source, transposed: bool) -> Result<Header> {
    let ones = holds_ones(first_line).map_err(|reason| source.error_at(1, reason))?;
    let sizes = size_line(source)?;
    let line = source.line();
    let [row, column] = nouns(transposed);
    let [rows, columns, n_entries] = three_numbers(&sizes).ok_or_else(|| {
        let found = quoted(sizes.trim_ascii());
        let reason = format!("expected three numbers ({row}s, {column}s, entries), found {found}");
        source.error_at(line, reason)
    })?;
    Ok(Header {
        n_rows: at_most_u32(source, line, rows, row)?,
        n_columns: at_most_u32(source, line, columns, column)?,
        n_entries,
        ones,
        rows_line: line,
        columns_line: line,
        transposed,
    })
}

/// Whether entries have no counts; an error if they cannot be counts.
fn holds_ones(banner: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(banner).to_ascii_lowercase();
    let parts: Vec<&str> = text.split_ascii_whitespace().skip(1).collect();
    let [object, format, field, symmetry] = parts[..] else {
        return Err(format!(
            "expected \"%%MatrixMarket matrix coordinate integer general\" or the like, found {}",
            quoted(banner)
        ));
    };
    if object != "matrix" {
        return Err(format!("expected a \"matrix\", found a {object:?}"));
    }
    if format != "coordinate" {
        return Err(format!(
            "expected a sparse matrix (\"coordinate\"), found {format:?}; write it in sparse form"
        ));
    }
    if symmetry != "general" {
        return Err(format!(
            "expected a \"general\" matrix of documents by words, found {symmetry:?}"
        ));
    }
    match field {
        "integer" | "unsigned-integer" | "real" => Ok(false),
        "pattern" => Ok(true),
        _ => {
            Err(format!("expected counts (\"integer\", \"real\" or \"pattern\"), found {field:?}"))
        }
    }
}

/// The first line that is neither comment nor empty.
fn size_line(source: &mut Source) -> Result<Vec<u8>> {
    while let Some(line) = source.next_line()? {
        if !line.starts_with(b"%") && !line.trim_ascii().is_empty() {
            return Ok(line.to_vec());
        }
    }
    Err(source.error("the file ends before the line of sizes (documents, words, entries)"))
}

fn three_numbers(line: &[u8]) -> Option<[u64; 3]> {
    let numbers: Option<Vec<u64>> = fields(line).map(whole_number).collect();
    numbers?.try_into().ok()
}

/// Reads the header of a docword or MatrixMarket file.
pub(super) fn read_header(source: &mut Source, transposed: bool) -> Result<Header> {
    let Some(first_line) = source.next_line()?.map(<[u8]>::to_vec) else {
        return Err(source.error("the file is empty; expected a table of counts"));
    };
    let start = first_line.get(..BANNER.len());
    if start.is_some_and(|s| s.eq_ignore_ascii_case(BANNER)) {
        header(&first_line, source, transposed)
    } else {
        docword::header(&first_line, source, transposed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_is_read_without_regard_to_case() {
        for (banner, ones) in [
            ("%%MatrixMarket matrix coordinate integer general", false),
            ("%%MatrixMarket  MATRIX Coordinate Real General ", false),
            ("%%MatrixMarket matrix coordinate pattern general", true),
        ] {
            assert_eq!(holds_ones(banner.as_bytes()), Ok(ones), "{banner}");
        }
    }

    #[test]
    fn sizes_are_exactly_three_whole_numbers() {
        assert_eq!(three_numbers(b"3 5\t4"), Some([3, 5, 4]));
        assert_eq!(three_numbers(b"3 5"), None);
        assert_eq!(three_numbers(b"3 5 4 1"), None);
        assert_eq!(three_numbers(b"3 5 x"), None);
    }
}
