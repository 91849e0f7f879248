//! The cells of a column, some rows at a time.
//!
//! We need two kinds of column, with one value per row or one list per row, and Parquet stores both as values with
//! two small numbers each. The *repetition level* is 0 where a row begins; the *definition level* is largest where
//! there is a value. So both kinds are handled alike, and a missing value is an empty list.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;

use super::{Leaf, damaged};

/// Some rows of a column.
pub(super) struct Cells {
    pub(super) leaf: Leaf,
    reader: ColumnReader,
    values: Values,
    /// Where the values of each row end.
    ends: Vec<usize>,
}

/// Values of one of the types a column can have.
enum Values {
    Text(Vec<ByteArray>),
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

impl Cells {
    pub(super) fn new(reader: ColumnReader, leaf: &Leaf) -> Self {
        Cells { leaf: leaf.clone(), reader, values: Values::Whole(vec![]), ends: vec![] }
    }

    /// Reads the next rows, at most `n_rows`; returns 0 when none are left.
    pub(super) fn read(&mut self, n_rows: usize) -> Result<usize, String> {
        let defined = self.leaf.most_defined;
        let read = match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                batch(reader, n_rows, defined).map(|(values, ends)| (Values::Text(values), ends))
            }
            ColumnReader::Int32ColumnReader(reader) => batch(reader, n_rows, defined)
                .map(|(v, ends)| (Values::Whole(v.into_iter().map(i64::from).collect()), ends)),
            ColumnReader::Int64ColumnReader(reader) => {
                batch(reader, n_rows, defined).map(|(values, ends)| (Values::Whole(values), ends))
            }
            ColumnReader::BoolColumnReader(reader) => batch(reader, n_rows, defined)
                .map(|(v, ends)| (Values::Whole(v.into_iter().map(i64::from).collect()), ends)),
            ColumnReader::FloatColumnReader(reader) => batch(reader, n_rows, defined)
                .map(|(v, ends)| (Values::Real(v.into_iter().map(f64::from).collect()), ends)),
            ColumnReader::DoubleColumnReader(reader) => {
                batch(reader, n_rows, defined).map(|(values, ends)| (Values::Real(values), ends))
            }
            _ => {
                let (name, physical) = (&self.leaf.name, self.leaf.physical);
                return Err(format!("column {name:?} is of type {physical}, which is not read"));
            }
        };
        (self.values, self.ends) = read.map_err(|error| damaged(&error))?;
        Ok(self.ends.len())
    }

    /// The size of the current rows in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        match &self.values {
            Values::Text(values) => values.iter().map(|value| value.len() as u64).sum(),
            Values::Whole(values) => 8 * values.len() as u64,
            Values::Real(values) => 8 * values.len() as u64,
        }
    }

    /// The range of values of a row.
    pub(super) fn span(&self, row: usize) -> std::ops::Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[row]
    }

    pub(super) fn text(&self, i: usize) -> Result<&str, String> {
        match &self.values {
            Values::Text(values) => std::str::from_utf8(values[i].data())
                .map_err(|_| format!("column {:?} is not UTF-8", self.leaf.name)),
            _ => Err(format!("column {:?} does not hold text", self.leaf.name)),
        }
    }

    /// A value as a whole number that fits a count or an index.
    pub(super) fn whole(&self, i: usize) -> Result<u32, String> {
        let (whole, shown) = match &self.values {
            Values::Whole(values) => (u32::try_from(values[i]).ok(), values[i].to_string()),
            Values::Real(values) => {
                let value = values[i];
                let fits = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
                (fits.then_some(value as u32), value.to_string())
            }
            Values::Text(_) => (None, "text".to_owned()),
        };
        let name = &self.leaf.name;
        whole.ok_or_else(|| format!("column {name:?}: expected a whole number, found {shown}"))
    }

    /// The value of a row as text, if there is one.
    pub(super) fn shown(&self, row: usize) -> Result<Option<String>, String> {
        let Some(i) = self.span(row).next() else {
            return Ok(None);
        };
        Ok(Some(match &self.values {
            Values::Text(_) => self.text(i)?.to_owned(),
            Values::Whole(values) => values[i].to_string(),
            Values::Real(values) => values[i].to_string(),
        }))
    }
}

/// The values of the next rows, and where those of each row end.
fn batch<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    most_rows: usize,
    most_defined: i16,
) -> Result<(Vec<T::T>, Vec<usize>), ParquetError> {
    let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (n_rows, n_values, n_levels) =
        reader.read_records(most_rows, Some(&mut defined), Some(&mut repeated), &mut values)?;
    if defined.is_empty() {
        // A column without missing values has no levels.
        return Ok((values, (1..=n_values).collect()));
    }
    let mut ends = Vec::with_capacity(n_rows);
    let mut n = 0;
    for (level, &depth) in defined.iter().take(n_levels).enumerate() {
        if level > 0 && repeated.get(level).is_none_or(|&r| r == 0) {
            ends.push(n);
        }
        n += usize::from(depth == most_defined);
    }
    if n_levels > 0 {
        ends.push(n);
    }
    match n <= values.len() && ends.len() == n_rows {
        true => Ok((values, ends)),
        false => Err(ParquetError::General("levels and values do not match".to_owned())),
    }
}
