//! Tables for other programs: CSV, JSONL, NumPy's `.npy` and Parquet.
//!
//! A table consists of named columns, each a function from the row to its value, so that computed values are never
//! stored. Every file appears completely or not at all, and whether it may be written is checked before the work
//! begins. `.npy` is version 1.0 of the format: little-endian `f64` in C order. Numbers in CSV are the shortest
//! that read back to the same bits.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use svtd::internals::atomic::{Together, write_atomically};
#[cfg(feature = "parquet")]
use svtd::persist::parquet;

use crate::failure::{Failure, Outcome, printable};

/// A file of numbers that may be written.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    format: Format,
    overwrite: bool,
    cells: CsvCells,
}

/// How text is written in the cells of a CSV.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CsvCells {
    /// Unchanged.
    #[default]
    Exact,
    /// With an apostrophe before text that a spreadsheet would take for a formula.
    Safe,
    /// Safe for a terminal.
    Shown,
}

impl CsvCells {
    /// The choice of `--safe-csv`.
    pub fn chosen(safe: bool) -> Self {
        if safe { CsvCells::Safe } else { CsvCells::Exact }
    }

    fn of(self, text: &str) -> String {
        match self {
            CsvCells::Exact => quoted(text),
            CsvCells::Safe if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) => {
                quoted(&format!("'{text}"))
            }
            CsvCells::Safe => quoted(text),
            CsvCells::Shown => quoted(&printable(text)),
        }
    }
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// One object per line.
    Jsonl,
    /// Only the numbers, for NumPy.
    Npy,
    /// Apache Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Named columns of equal length.
pub struct Table<'a> {
    /// The number of rows.
    pub n_rows: usize,
    /// The columns.
    pub columns: Vec<Column<'a>>,
    /// Whether its numbers are a list rather than a matrix with one column.
    pub is_list: bool,
}

/// A column of a table.
pub struct Column<'a> {
    name: String,
    cells: Cells<'a>,
}

/// The values of a column, by row.
enum Cells<'a> {
    Text(Box<dyn Fn(usize) -> String + 'a>),
    Whole(Box<dyn Fn(usize) -> i64 + 'a>),
    Real(Box<dyn Fn(usize) -> f64 + 'a>),
}

impl<'a> Column<'a> {
    /// A column of text.
    pub fn text(name: impl Into<String>, cells: impl Fn(usize) -> String + 'a) -> Self {
        Self { name: name.into(), cells: Cells::Text(Box::new(cells)) }
    }

    /// A column of whole numbers.
    pub fn whole(name: impl Into<String>, cells: impl Fn(usize) -> i64 + 'a) -> Self {
        Self { name: name.into(), cells: Cells::Whole(Box::new(cells)) }
    }

    /// A column of real numbers.
    pub fn real(name: impl Into<String>, cells: impl Fn(usize) -> f64 + 'a) -> Self {
        Self { name: name.into(), cells: Cells::Real(Box::new(cells)) }
    }

    /// A cell as JSON.
    fn value(&self, row: usize) -> serde_json::Value {
        match &self.cells {
            Cells::Text(text) => text(row).into(),
            Cells::Whole(number) => number(row).into(),
            Cells::Real(number) => number(row).into(),
        }
    }
}

impl Target {
    /// Checks that `path` can be written, and takes the format from its ending unless it is given.
    pub fn new(
        path: &Path,
        format: Option<Format>,
        overwrite: bool,
        inputs: &[&Path],
    ) -> Outcome<Self> {
        let format = format.map_or_else(|| Format::of(path), Ok)?;
        check(path, overwrite, inputs)?;
        Ok(Self { path: path.to_owned(), format, overwrite, cells: CsvCells::Exact })
    }

    /// Sets how the cells of a CSV are written.
    pub fn cells(mut self, cells: CsvCells) -> Self {
        self.cells = cells;
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format in which it will be written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Writes the file.
    pub fn write(&self, table: &Table<'_>) -> Outcome {
        let mut alone = Together::default();
        self.write_with(&mut alone, table)?;
        Ok(alone.finish()?)
    }

    /// Writes the file as one of several that appear together.
    pub fn write_with(&self, files: &mut Together, table: &Table<'_>) -> Outcome {
        let written = files.write(&self.path, self.overwrite, |out| match self.format {
            Format::Csv => table.write_csv(out, self.cells),
            Format::Jsonl => table.write_jsonl(out),
            Format::Npy => table.write_npy(out),
            #[cfg(feature = "parquet")]
            Format::Parquet => table.write_parquet(out),
        });
        written.map_err(Failure::from)
    }
}

impl Format {
    fn of(path: &Path) -> Outcome<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => Ok(Format::Csv),
            Some("jsonl" | "ndjson") => Ok(Format::Jsonl),
            Some("npy") => Ok(Format::Npy),
            #[cfg(feature = "parquet")]
            Some("parquet") => Ok(Format::Parquet),
            _ => Err(Failure::Request(format!(
                "{}: expected a name that ends in .csv, .jsonl, .npy or .parquet",
                path.display()
            ))),
        }
    }

    /// The file ending of this format.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::Npy => "npy",
            #[cfg(feature = "parquet")]
            Format::Parquet => "parquet",
        }
    }
}

impl Table<'_> {
    /// Writes a header and one line per row.
    pub fn write_csv(&self, out: &mut dyn Write, cells: CsvCells) -> io::Result<()> {
        let header: Vec<String> = self.columns.iter().map(|c| cells.of(&c.name)).collect();
        writeln!(out, "{}", header.join(","))?;
        for row in 0..self.n_rows {
            for (at, column) in self.columns.iter().enumerate() {
                let separator = if at == 0 { "" } else { "," };
                match &column.cells {
                    Cells::Text(text) => write!(out, "{separator}{}", cells.of(&text(row)))?,
                    Cells::Whole(number) => write!(out, "{separator}{}", number(row))?,
                    // `{:?}` uses an exponent for tiny numbers where `{}` writes all zeros.
                    Cells::Real(number) => write!(out, "{separator}{:?}", number(row))?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes one object per row.
    pub fn write_jsonl(&self, out: &mut dyn Write) -> io::Result<()> {
        for row in 0..self.n_rows {
            // Written by hand, so that the keys keep the order of the columns.
            for (at, column) in self.columns.iter().enumerate() {
                let (before, name) = (if at == 0 { "{" } else { "," }, &column.name);
                write!(out, "{before}{}:{}", serde_json::json!(name), column.value(row))?;
            }
            writeln!(out, "}}")?;
        }
        Ok(())
    }

    /// Writes the columns of real numbers.
    fn write_npy(&self, out: &mut dyn Write) -> io::Result<()> {
        let numbers: Vec<_> = self.columns.iter().filter_map(Column::numbers).collect();
        let shape = if self.is_list {
            format!("({},)", self.n_rows)
        } else {
            format!("({}, {})", self.n_rows, numbers.len())
        };
        out.write_all(&npy_header(&shape))?;
        for row in 0..self.n_rows {
            for number in &numbers {
                out.write_all(&number(row).to_le_bytes())?;
            }
        }
        Ok(())
    }
}

#[cfg(feature = "parquet")]
impl Table<'_> {
    fn write_parquet(&self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let mut columns = Vec::new();
        for column in &self.columns {
            let values = match &column.cells {
                Cells::Text(text) => parquet::Values::Text(text),
                Cells::Whole(number) => parquet::Values::Whole(number),
                Cells::Real(number) => parquet::Values::Real(number),
            };
            columns.push(parquet::Column::new(column.name.clone(), values));
        }
        parquet::write_to(out, self.n_rows, &columns)
    }
}

impl Column<'_> {
    fn numbers(&self) -> Option<&dyn Fn(usize) -> f64> {
        match &self.cells {
            Cells::Real(number) => Some(number),
            _ => None,
        }
    }
}

/// Returns an error for a file that cannot be written, or that is one of the inputs.
///
/// The check creates a temporary file beside the final name, which is then removed: nothing less is certain.
pub fn check(path: &Path, overwrite: bool, inputs: &[&Path]) -> Outcome {
    if path.as_os_str() == "-" {
        return Err(Failure::Request(
            "- is not the name of a file: leave out -o to have results on standard output, or write ./- \
             for a file of that name"
                .to_owned(),
        ));
    }
    if let Some(input) = inputs.iter().find(|input| same_file(path, input)) {
        return Err(Failure::Request(format!(
            "{} is read by this command ({}) and cannot be its output",
            path.display(),
            input.display()
        )));
    }
    let mut writable = false;
    let given_up = write_atomically(path, overwrite, |_| {
        writable = true;
        Err(io::ErrorKind::Interrupted.into())
    });
    match given_up {
        Err(refused) if !writable => Err(refused.into()),
        _ => Ok(()),
    }
}

/// Returns an error if two targets are the same file.
pub fn check_distinct(targets: &[&Path]) -> Outcome {
    for (i, first) in targets.iter().enumerate() {
        if targets[..i].iter().any(|earlier| same_file(first, earlier)) {
            let name = first.display();
            return Err(Failure::Request(format!("{name} is named twice as output")));
        }
    }
    Ok(())
}

/// Whether two paths are the same file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((resolved(a), resolved(b)), (Some(a), Some(b)) if a == b)
}

/// The path of a file that exists or will exist, after links are followed.
fn resolved(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    })
}

/// The magic, the version and the description, padded to a multiple of 64 bytes.
fn npy_header(shape: &str) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let mut text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let unpadded = MAGIC.len() + size_of::<u16>() + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    // A shape has at most two numbers of twenty digits, so the length is far below 65536.
    let length = (text.len() as u16).to_le_bytes();
    [MAGIC, &length, text.as_bytes()].concat()
}

/// A cell of a CSV, quoted where necessary.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_npy_header_ends_at_a_multiple_of_64_and_counts_itself() {
        for shape in ["(3,)", "(12, 4000)", "(18446744073709551615, 18446744073709551615)"] {
            let header = npy_header(shape);
            assert_eq!(header.len() % 64, 0);
            let length = u16::from_le_bytes([header[8], header[9]]) as usize;
            assert_eq!(length + 10, header.len());
            assert_eq!(header.last(), Some(&b'\n'));
        }
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let cells = [("a b", "a b"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\"")];
        for (cell, expected) in cells {
            assert_eq!(quoted(cell), expected);
        }
    }

    #[test]
    fn a_cell_that_a_spreadsheet_would_take_for_a_formula_can_be_made_safe() {
        for cell in ["=1+1", "+1", "-1", "@sum", "\tx", "=a,b"] {
            assert_eq!(CsvCells::Exact.of(cell), quoted(cell));
            assert_eq!(CsvCells::Safe.of(cell), quoted(&format!("'{cell}")));
        }
        assert_eq!(CsvCells::Safe.of("sea-ship"), "sea-ship");
        assert_eq!(CsvCells::Shown.of("a\u{1b}b\u{202e}"), "a\\u{1b}b\\u{202e}");
    }

    fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
        let mut text = Vec::new();
        write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_number_in_a_csv_reads_back_to_the_same_bits() {
        let values = [0.1 + 0.2, 1e-300, 5e-324, 1.0 / 3.0];
        let columns = vec![Column::real("value", |i| values[i])];
        let table = Table { n_rows: 4, columns, is_list: true };
        let text = written(|out| table.write_csv(out, CsvCells::Exact));
        let read: Vec<f64> = text.lines().skip(1).map(|l| l.parse().unwrap()).collect();
        assert_eq!(read, values);
    }

    #[test]
    fn objects_keep_the_order_of_the_columns() {
        let columns = vec![
            Column::text("name", |_| "a\"b".to_owned()),
            Column::whole("topic", |i| i as i64),
            Column::real("share", |_| 0.5),
        ];
        let table = Table { n_rows: 1, columns, is_list: false };
        let text = written(|out| table.write_jsonl(out));
        assert_eq!(text, "{\"name\":\"a\\\"b\",\"topic\":0,\"share\":0.5}\n");
    }
}
