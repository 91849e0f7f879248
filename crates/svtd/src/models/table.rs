//! A table of records: named columns whose cells are labels, numbers or missing.
//!
//! Latent classes, raters, hidden Markov models and Gaussian mixtures are learned from it. A column stores its
//! distinct labels once and a number for each cell, so that a survey of a hundred thousand answers takes four bytes
//! per answer.

mod reader;

pub use reader::{DEFAULT_MISSING, TableReader};

use std::collections::HashMap;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::corpus::{added, finished, limbs};
use crate::error::{Error, Result};
use crate::reading::both_named;

/// The largest weight. Up to it, every number of records differs from the next.
pub(crate) const LARGEST_WEIGHT: f64 = 1e15;

/// The code of a missing cell.
pub const MISSING: u32 = u32::MAX;

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    name: String,
    labels: Vec<String>,
    codes: Vec<u32>,
}

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    n_rows: usize,
}

impl Column {
    /// A column from its cells; `None` is missing. Labels are numbered as they first occur.
    pub fn from_cells<S: AsRef<str>>(
        name: impl Into<String>,
        cells: impl IntoIterator<Item = Option<S>>,
    ) -> Self {
        let mut builder = ColumnBuilder::new(name.into());
        for cell in cells {
            builder.push(cell.as_ref().map(AsRef::as_ref));
        }
        builder.finish()
    }

    /// A column of numbers; NaN is missing.
    pub fn from_numbers(name: impl Into<String>, numbers: &[f64]) -> Self {
        let cell = |x: &f64| (!x.is_nan()).then(|| number_label(*x));
        Column::from_cells(name, numbers.iter().map(cell))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its distinct labels, in the order of their numbers.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The number of each cell's label, [`MISSING`] if it has none.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The label of a row.
    pub fn label(&self, row: usize) -> Option<&str> {
        self.labels.get(self.codes[row] as usize).map(String::as_str)
    }

    /// Number of missing cells.
    pub fn n_missing(&self) -> usize {
        self.codes.iter().filter(|&&code| code == MISSING).count()
    }

    /// Every cell as a number, NaN when missing.
    ///
    /// # Errors
    /// When a label is no number, or an infinite one.
    pub fn numbers(&self) -> Result<Vec<f64>> {
        let parsed: Vec<Option<f64>> = self.labels.iter().map(|label| as_number(label)).collect();
        if let Some(bad) = parsed.iter().position(|x| !x.is_some_and(f64::is_finite)) {
            let row = self.codes.iter().position(|&code| code as usize == bad).unwrap_or(0);
            return Err(Error::Cell {
                column: self.name.clone(),
                row,
                found: self.labels[bad].clone(),
                needed: "a finite number".to_owned(),
            });
        }
        let value = |&code: &u32| match parsed.get(code as usize) {
            Some(Some(x)) => *x,
            _ => f64::NAN,
        };
        Ok(self.codes.iter().map(value).collect())
    }
}

impl Table {
    /// A table from its columns.
    ///
    /// # Errors
    /// When columns differ in length, or two have one name.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let n_rows = columns.first().map_or(0, |column| column.codes.len());
        let mut seen = HashMap::new();
        for (place, column) in columns.iter().enumerate() {
            if column.codes.len() != n_rows {
                return Err(Error::Records {
                    reason: format!(
                        "column {:?} has {} cells where the first column has {n_rows}",
                        column.name,
                        column.codes.len()
                    ),
                });
            }
            if let Some(first) = seen.insert(column.name.as_str(), place) {
                return Err(Error::Records {
                    reason: both_named("columns", first + 1, place + 1, &column.name),
                });
            }
        }
        Ok(Self { columns, n_rows })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// All columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Appends the rows of another table.
    ///
    /// # Errors
    /// When it lacks one of the columns.
    pub fn append(&mut self, other: &Table) -> Result<()> {
        for column in &mut self.columns {
            let more = other.column(&column.name)?;
            let cells = (0..self.n_rows).map(|row| column.label(row));
            let cells = cells.chain((0..other.n_rows).map(|row| more.label(row)));
            *column = Column::from_cells(column.name.clone(), cells.collect::<Vec<_>>());
        }
        self.n_rows += other.n_rows;
        Ok(())
    }

    /// A digest of the names of the columns and of the set of rows: the same for rows and columns in any order.
    pub fn digest(&self) -> String {
        let mut columns: Vec<&Column> = self.columns.iter().collect();
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        let update = |hash: &mut Sha256, text: &str| {
            // The length comes first, or "ab" "c" would look like "a" "bc".
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        let of_row = |row: usize| {
            let mut hash = Sha256::new();
            for column in &columns {
                match column.label(row) {
                    Some(label) => update(&mut hash, label),
                    None => hash.update(u64::MAX.to_le_bytes()),
                }
            }
            limbs(hash.finalize().into())
        };
        let rows = (0..self.n_rows).into_par_iter().with_min_len(256);
        let sum = rows.map(of_row).reduce(|| [0; 8], added);
        let mut hash = Sha256::new();
        hash.update((self.n_rows as u64).to_le_bytes());
        columns.iter().for_each(|column| update(&mut hash, &column.name));
        finished(hash, sum)
    }

    /// The columns of these names, in their order.
    ///
    /// # Errors
    /// When there is none of a name, or a name is given twice.
    pub fn chosen(&self, names: &[String]) -> Result<Vec<&Column>> {
        let repeated = |(at, name): &(usize, &String)| names[..*at].contains(name);
        if let Some((_, name)) = names.iter().enumerate().find(repeated) {
            return Err(Error::Records {
                reason: format!("column {name:?} is named twice; name it once"),
            });
        }
        names.iter().map(|name| self.column(name)).collect()
    }

    /// The column of a name.
    ///
    /// # Errors
    /// When there is none; the message lists those there are.
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| {
            let names: Vec<&str> =
                self.columns.iter().take(12).map(|column| column.name.as_str()).collect();
            let more = if self.columns.len() > 12 { ", ..." } else { "" };
            Error::Records {
                reason: format!(
                    "there is no column {name:?}; the columns are {}{more}",
                    names.join(", ")
                ),
            }
        })
    }
}

/// Collects the cells of a column.
pub(super) struct ColumnBuilder {
    name: String,
    labels: Vec<String>,
    numbers: HashMap<String, u32>,
    codes: Vec<u32>,
}

impl ColumnBuilder {
    pub(super) fn new(name: String) -> Self {
        Self { name, labels: Vec::new(), numbers: HashMap::new(), codes: Vec::new() }
    }

    pub(super) fn push(&mut self, cell: Option<&str>) {
        let Some(label) = cell else {
            self.codes.push(MISSING);
            return;
        };
        let code = match self.numbers.get(label) {
            Some(&code) => code,
            None => {
                let code = self.labels.len() as u32;
                self.labels.push(label.to_owned());
                self.numbers.insert(label.to_owned(), code);
                code
            }
        };
        self.codes.push(code);
    }

    pub(super) fn finish(self) -> Column {
        Column { name: self.name, labels: self.labels, codes: self.codes }
    }
}

/// A label as a number, if it is one.
pub fn as_number(label: &str) -> Option<f64> {
    label.trim().parse().ok()
}

/// A number as a label: the shortest that reads back, whole numbers without a decimal point.
pub fn number_label(x: f64) -> String {
    // Adding zero makes -0 and 0 one label.
    format!("{}", x + 0.0)
}

/// A number in a message: as it is, or in powers of ten where that is shorter.
pub(crate) fn short_number(x: f64) -> String {
    match x == 0.0 || (1e-4..1e7).contains(&x.abs()) {
        true => number_label(x),
        false => format!("{x:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_numbers_its_labels_as_they_come() {
        let column = Column::from_cells("q", [Some("yes"), None, Some("no"), Some("yes")]);
        assert_eq!(column.labels(), ["yes", "no"]);
        assert_eq!(column.codes(), [0, MISSING, 1, 0]);
        assert_eq!((column.label(2), column.label(1)), (Some("no"), None));
    }

    #[test]
    fn numbers_are_read_back_and_what_is_none_is_told_with_its_row() {
        let column = Column::from_numbers("x", &[1.0, f64::NAN, 2.5, -0.0]);
        assert_eq!(column.labels(), ["1", "2.5", "0"]);
        assert!(column.numbers().unwrap()[1].is_nan());
        let short = [0.25, -3e-300, 1e15 + 2.5].map(short_number);
        assert_eq!(short, ["0.25", "-3.00e-300", "1.00e15"]);
        let bad = Column::from_cells("age", [Some("41"), Some("inf")]);
        assert_eq!(
            bad.numbers().unwrap_err().to_string(),
            "column \"age\", row 2: expected a finite number, found \"inf\""
        );
    }

    #[test]
    fn a_table_refuses_columns_of_one_name_and_of_unequal_length() {
        let column = |name: &str, n: usize| Column::from_numbers(name, &vec![1.0; n]);
        assert!(Table::new(vec![column("a", 2), column("a", 2)]).is_err());
        assert!(Table::new(vec![column("a", 2), column("b", 3)]).is_err());
        let table = Table::new(vec![column("a", 2), column("b", 2)]).unwrap();
        let message = table.column("c").unwrap_err().to_string();
        assert_eq!(message, "there is no column \"c\"; the columns are a, b");
        let names = |names: [&str; 2]| names.map(str::to_owned);
        assert_eq!(table.chosen(&names(["b", "a"])).unwrap()[0].name(), "b");
        let message = table.chosen(&names(["a", "a"])).unwrap_err().to_string();
        assert_eq!(message, "column \"a\" is named twice; name it once");
    }
}
