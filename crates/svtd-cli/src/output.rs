//! Writing numbers for other programs: NumPy's `.npy` and CSV.
//!
//! Every file appears whole or not at all, and whether it may be written is asked before the work
//! begins, not after. `.npy` is version 1.0 of the format: little-endian `f64` in C order. Numbers
//! in CSV are the shortest that read back to the same bits.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use svtd::persist::atomic::write_atomically;

use crate::failure::{Failure, Outcome};

/// A file of numbers that may be written.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    format: Format,
    overwrite: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Npy,
}

/// Numbers in rows, with what a CSV says beside them.
pub struct Table<'a> {
    /// The head of the CSV.
    pub header: Vec<String>,
    /// The first cell of each row in the CSV, when rows have names.
    pub names: Option<&'a dyn Fn(usize) -> String>,
    /// Rows and columns; a vector has only the first.
    pub shape: (usize, Option<usize>),
    /// The number in a row and column.
    pub value: &'a dyn Fn(usize, usize) -> f64,
}

impl Target {
    /// Checks that `path` can be written, and tells the format by its ending.
    pub fn new(path: &Path, overwrite: bool, inputs: &[&Path]) -> Outcome<Self> {
        let format = Format::of(path)?;
        check(path, overwrite, inputs)?;
        Ok(Self { path: path.to_owned(), format, overwrite })
    }

    /// Writes the file.
    pub fn write(&self, table: &Table<'_>) -> Outcome {
        let written = write_atomically(&self.path, self.overwrite, |out| match self.format {
            Format::Csv => table.write_csv(out),
            Format::Npy => table.write_npy(out),
        });
        written.map_err(Failure::from)
    }
}

impl Format {
    fn of(path: &Path) -> Outcome<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => Ok(Format::Csv),
            Some("npy") => Ok(Format::Npy),
            _ => Err(Failure::Request(format!(
                "{}: expected a name that ends in .csv or .npy",
                path.display()
            ))),
        }
    }
}

impl Table<'_> {
    /// A head and one line a row.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let header: Vec<String> = self.header.iter().map(|name| quoted(name)).collect();
        writeln!(out, "{}", header.join(","))?;
        for i in 0..self.shape.0 {
            let mut separator = "";
            if let Some(name) = self.names {
                write!(out, "{}", quoted(&name(i)))?;
                separator = ",";
            }
            for j in 0..self.n_columns() {
                // `{:?}` takes an exponent for tiny numbers where `{}` writes all their zeros.
                write!(out, "{separator}{:?}", (self.value)(i, j))?;
                separator = ",";
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn write_npy(&self, out: &mut dyn Write) -> io::Result<()> {
        let shape = match self.shape {
            (rows, Some(columns)) => format!("({rows}, {columns})"),
            (rows, None) => format!("({rows},)"),
        };
        out.write_all(&npy_header(&shape))?;
        for i in 0..self.shape.0 {
            for j in 0..self.n_columns() {
                out.write_all(&(self.value)(i, j).to_le_bytes())?;
            }
        }
        Ok(())
    }

    fn n_columns(&self) -> usize {
        self.shape.1.unwrap_or(1)
    }
}

/// Refuses a file that cannot be written, or that is one of the inputs.
///
/// The check goes all the way to a temporary file beside the final name, which is then given up:
/// no other way tells for certain.
pub fn check(path: &Path, overwrite: bool, inputs: &[&Path]) -> Outcome {
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

/// Refuses two targets that are one file.
pub fn check_distinct(targets: &[&Path]) -> Outcome {
    for (i, first) in targets.iter().enumerate() {
        if targets[..i].iter().any(|earlier| same_file(first, earlier)) {
            let name = first.display();
            return Err(Failure::Request(format!("{name} is named twice as output")));
        }
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((resolved(a), resolved(b)), (Some(a), Some(b)) if a == b)
}

/// Where a file lies or will lie, once links are followed.
fn resolved(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    })
}

/// The magic, the version and the description, filled up to a multiple of 64 bytes.
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

/// A cell of a CSV, in quotes where it needs them.
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
    fn a_number_in_a_csv_reads_back_to_the_same_bits() {
        let values = [0.1 + 0.2, 1e-300, 5e-324, 1.0 / 3.0];
        let table = Table {
            header: vec!["value".to_owned()],
            names: None,
            shape: (values.len(), None),
            value: &|i, _| values[i],
        };
        let mut text = Vec::new();
        table.write_csv(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let read: Vec<f64> = text.lines().skip(1).map(|l| l.parse().unwrap()).collect();
        assert_eq!(read, values);
    }
}
