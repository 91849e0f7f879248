//! A sparse matrix saved by `scipy.sparse.save_npz`.
//!
//! The archive holds one `.npy` array for each part of the matrix:
//!
//! ```text
//! format.npy   b"csr", b"csc" or b"coo"
//! shape.npy    rows, columns
//! data.npy     the values
//! indices.npy, indptr.npy   (CSR, CSC)      row.npy, col.npy   (COO)
//! ```
//!
//! CSR is our own form and CSC is that of the transposed matrix, so both are read directly; COO is sorted into
//! rows. Indices may have 32 or 64 bits, values may have any type if they are whole.
//!
//! # Departures from the other formats
//! SciPy defines a repeated entry as a sum, and `CountVectorizer` pipelines produce such matrices, so here repeated
//! entries are added and not an error.

use std::fs::File;

use super::entries::{Table, is_plausible};
use super::npy::Array;
use super::zip::Archive;
use crate::corpus::SparseCounts;
use crate::corpus::sparse::offsets_of;
use crate::memory;

/// The supported layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Csr,
    Csc,
    Coo,
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Layout::Csr => "CSR",
            Layout::Csc => "CSC",
            Layout::Coo => "COO",
        })
    }
}

/// A matrix by rows or, if `by_columns`, transposed.
pub(super) struct Matrix {
    pub(super) table: Table,
    pub(super) by_columns: bool,
}

/// A matrix archive whose layout is known.
pub(super) struct Npz {
    archive: Archive,
    pub(super) layout: Layout,
}

impl Npz {
    /// Opens the archive; the error is the reason why it is not a matrix.
    pub(super) fn open(file: File) -> Result<Self, String> {
        let mut archive = Archive::open(file)?;
        if !archive.has("format.npy") {
            return Err(what_else(&archive));
        }
        let name = array(&mut archive, "format")?.text()?;
        let layout = match name.as_str() {
            "csr" => Layout::Csr,
            "csc" => Layout::Csc,
            "coo" => Layout::Coo,
            other => {
                return Err(format!(
                    "expected a CSR, CSC or COO matrix, found {other:?}; save matrix.tocsr()"
                ));
            }
        };
        Ok(Npz { archive, layout })
    }

    /// Reads the matrix.
    pub(super) fn read(mut self) -> Result<Matrix, String> {
        let [n_rows, n_columns] = shape(&mut self.archive)?;
        let (counts, n_zeros) = values(&mut self.archive)?;
        let by_columns = self.layout == Layout::Csc;
        let (n_rows, n_columns) =
            if by_columns { (n_columns, n_rows) } else { (n_rows, n_columns) };
        let archive = &mut self.archive;
        let rows = match self.layout {
            Layout::Coo => {
                check_plausible(n_rows, counts.len())?;
                let row = indices(archive, "row", n_rows, counts.len())?;
                let column = indices(archive, "col", n_columns, counts.len())?;
                gathered(n_rows, n_columns, &row, &column, &counts)
            }
            Layout::Csr | Layout::Csc => {
                let offsets = offsets(archive, n_rows, counts.len())?;
                let columns = indices(archive, "indices", n_columns, counts.len())?;
                SparseCounts::from_parts(offsets, columns, counts, n_columns as usize)
            }
        };
        let rows = rows.summed().ok_or("a sum of repeated entries is too large to count")?;
        Ok(Matrix { table: Table { rows, n_zeros }, by_columns })
    }
}

/// What a zip archive without a matrix is, judging by the names of its members.
fn what_else(archive: &Archive) -> String {
    const KINDS: [(&str, &str); 5] = [
        ("word/document.xml", "a Word document (.docx); save it as plain text first"),
        ("xl/workbook.xml", "an Excel table (.xlsx); save it as CSV first"),
        ("ppt/presentation.xml", "a PowerPoint file (.pptx); save it as plain text first"),
        ("META-INF/container.xml", "an e-book (.epub); save it as plain text first"),
        ("content.xml", "an OpenDocument file (.odt, .ods); save it as plain text or CSV first"),
    ];
    match KINDS.iter().find(|(member, _)| archive.has(member)) {
        Some((_, what)) => format!("this is {what}"),
        None => {
            "this is a zip archive, but not a matrix saved by scipy.sparse.save_npz; if it holds \
                 text, unpack it first"
                .to_owned()
        }
    }
}

fn array(archive: &mut Archive, name: &str) -> Result<Array, String> {
    let file = format!("{name}.npy");
    Array::open(archive.member(&file)?, &file)
}

/// Allocates room for an array, whose size was compared with that of the archive.
fn room<T>(n: u64) -> Result<Vec<T>, String> {
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    memory::room(n, "an array of this archive").map_err(|error| error.to_string())
}

fn shape(archive: &mut Archive) -> Result<[u32; 2], String> {
    let mut sizes = Vec::new();
    array(archive, "shape")?.for_each(|size| {
        sizes.push(u32::try_from(size).map_err(|_| {
            format!("a side of {size} is more than can be numbered; the most is {}", u32::MAX)
        })?);
        Ok(())
    })?;
    sizes.try_into().map_err(|_| "expected a matrix of two sides".to_owned())
}

/// The values, and how many of them are zero.
fn values(archive: &mut Archive) -> Result<(Vec<u32>, u64), String> {
    let array = array(archive, "data")?;
    let mut counts = room(array.len())?;
    let mut n_zeros = 0;
    array.for_each(|value| {
        let most = u32::MAX;
        let count = u32::try_from(value)
            .map_err(|_| format!("a count of {value} is too large; the most is {most}"))?;
        n_zeros += u64::from(count == 0);
        counts.push(count);
        Ok(())
    })?;
    Ok((counts, n_zeros))
}

/// Indices below `most`, as many as there are values.
fn indices(
    archive: &mut Archive,
    name: &str,
    most: u32,
    n_values: usize,
) -> Result<Vec<u32>, String> {
    let array = array(archive, name)?;
    if array.len() != n_values as u64 {
        return Err(format!("{name}.npy has {} entries for {n_values} values", array.len()));
    }
    let mut indices = room(array.len())?;
    array.for_each(|index| {
        if index >= u64::from(most) {
            return Err(format!("{name}.npy: expected indices below {most}, found {index}"));
        }
        indices.push(index as u32);
        Ok(())
    })?;
    Ok(indices)
}

/// Where each row begins: ascending, from zero to the number of values.
fn offsets(archive: &mut Archive, n_rows: u32, n_values: usize) -> Result<Vec<usize>, String> {
    let array = array(archive, "indptr")?;
    if array.len() != u64::from(n_rows) + 1 {
        return Err(format!("indptr.npy has {} entries for {n_rows} rows", array.len()));
    }
    let mut offsets: Vec<usize> = room(array.len())?;
    array.for_each(|offset| {
        let before = offsets.last().copied().unwrap_or(0);
        let fits = usize::try_from(offset).ok().filter(|o| (before..=n_values).contains(o));
        offsets.push(fits.ok_or("indptr.npy does not ascend from row to row")?);
        Ok(())
    })?;
    if offsets.first() != Some(&0) || offsets.last() != Some(&n_values) {
        return Err("indptr.npy does not cover all values".to_owned());
    }
    Ok(offsets)
}

/// A thousand empty rows may be intended; millions for a few entries are a mistake.
fn check_plausible(n_rows: u32, n_values: usize) -> Result<(), String> {
    if is_plausible(u64::from(n_rows), n_values as u64, 1_000_000) {
        return Ok(());
    }
    Err(format!("{n_rows} rows declared for {n_values} values; is the shape right?"))
}

/// Entries in any order, sorted into rows.
fn gathered(
    n_rows: u32,
    n_columns: u32,
    row: &[u32],
    column: &[u32],
    values: &[u32],
) -> SparseCounts {
    let offsets = offsets_of(n_rows as usize, row.iter().map(|&row| (row, 1)));
    let mut next = offsets[..n_rows as usize].to_vec();
    let mut columns = vec![0; values.len()];
    let mut counts = vec![0; values.len()];
    for ((&row, &column), &value) in row.iter().zip(column).zip(values) {
        let place = next[row as usize];
        columns[place] = column;
        counts[place] = value;
        next[row as usize] += 1;
    }
    SparseCounts::from_parts(offsets, columns, counts, n_columns as usize)
}
