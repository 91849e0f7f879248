//! Tables as Apache Parquet, for use in pandas, polars, DuckDB or Spark.
//!
//! A table consists of named columns of equal length. Each is a function from the row to its value, because values
//! are usually computed (such as the share of a topic in a document) and never stored as a column. Rows are written
//! in groups of 65,536, so memory is bounded by one group. The bytes depend on the values alone: no time, no thread
//! count, no path.
//!
//! Columns have no missing values. Text is UTF-8, numbers are 64 bits wide, pages are compressed
//! with zstd, and text that repeats (words, names) is stored once in a dictionary.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use crate::atomic::write_atomically;
use crate::error::Result;

/// Rows in a group.
const GROUP_ROWS: usize = 1 << 16;

/// A column of a table: its name and its value in each row.
pub struct Column<'a> {
    /// The name of the column.
    pub name: String,
    /// The values of the column.
    pub values: Values<'a>,
}

/// The values of a column, by row.
pub enum Values<'a> {
    /// Text.
    Text(&'a dyn Fn(usize) -> String),
    /// Real numbers.
    Real(&'a dyn Fn(usize) -> f64),
    /// Whole numbers.
    Whole(&'a dyn Fn(usize) -> i64),
}

impl<'a> Column<'a> {
    /// A column.
    pub fn new(name: impl Into<String>, values: Values<'a>) -> Self {
        Column { name: name.into(), values }
    }
}

/// Writes a table of `n_rows` rows as a Parquet file, complete or not at all.
///
/// # Errors
/// When the file exists already and must not be overwritten, or cannot be written.
pub fn write_table(
    path: &Path,
    overwrite: bool,
    n_rows: usize,
    columns: &[Column<'_>],
) -> Result<()> {
    write_atomically(path, overwrite, |out| write_to(out, n_rows, columns))
}

/// Writes a table of `n_rows` rows to `out`.
///
/// # Errors
/// When writing to `out` fails, or two columns have the same name.
pub fn write_to(
    out: &mut (dyn Write + Send),
    n_rows: usize,
    columns: &[Column<'_>],
) -> io::Result<()> {
    let schema = Arc::new(schema(columns)?);
    let level = ZstdLevel::try_new(3).map_err(io_error)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(concat!("svtd ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut writer =
        SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(io_error)?;
    for first in (0..n_rows).step_by(GROUP_ROWS) {
        let rows = first..(first + GROUP_ROWS).min(n_rows);
        let mut group = writer.next_row_group().map_err(io_error)?;
        for column in columns {
            if let Some(mut cells) = group.next_column().map_err(io_error)? {
                write_cells(&mut cells, rows.clone(), &column.values).map_err(io_error)?;
                cells.close().map_err(io_error)?;
            }
        }
        group.close().map_err(io_error)?;
    }
    writer.close().map_err(io_error)?;
    Ok(())
}

fn write_cells(
    cells: &mut SerializedColumnWriter<'_>,
    rows: std::ops::Range<usize>,
    values: &Values<'_>,
) -> Result<(), ParquetError> {
    match values {
        Values::Text(text) => {
            let batch: Vec<ByteArray> = rows.map(|i| ByteArray::from(text(i).as_str())).collect();
            cells.typed::<ByteArrayType>().write_batch(&batch, None, None)?;
        }
        Values::Real(number) => {
            let batch: Vec<f64> = rows.map(number).collect();
            cells.typed::<DoubleType>().write_batch(&batch, None, None)?;
        }
        Values::Whole(number) => {
            let batch: Vec<i64> = rows.map(number).collect();
            cells.typed::<Int64Type>().write_batch(&batch, None, None)?;
        }
    }
    Ok(())
}

fn schema(columns: &[Column<'_>]) -> io::Result<Type> {
    for (i, column) in columns.iter().enumerate() {
        if columns[..i].iter().any(|earlier| earlier.name == column.name) {
            let sentence = format!("two columns are called {:?}", column.name);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
        }
    }
    let fields: Result<Vec<_>, _> = columns.iter().map(|c| field(c).map(Arc::new)).collect();
    let fields = fields.map_err(io_error)?;
    Type::group_type_builder("table").with_fields(fields).build().map_err(io_error)
}

fn field(column: &Column<'_>) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.values {
        Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Values::Real(_) => (Physical::DOUBLE, None),
        Values::Whole(_) => (Physical::INT64, None),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(logical)
        .build()
}

/// Passes the system's own error on unchanged, such as a full disk.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    fn words(i: usize) -> String {
        ["sole", "amor", "più"][i % 3].to_owned()
    }

    fn table(n_rows: usize) -> Vec<u8> {
        let columns = [
            Column::new("word", Values::Text(&words)),
            Column::new("share", Values::Real(&|i| 1.0 / (i + 1) as f64)),
            Column::new("rank", Values::Whole(&|i| i as i64 - 1)),
        ];
        let mut bytes = Vec::new();
        write_to(&mut bytes, n_rows, &columns).unwrap();
        bytes
    }

    #[test]
    fn what_is_written_reads_back_across_groups() {
        let n_rows = GROUP_ROWS + 5;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&table(n_rows)).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let mut n_read = 0;
        for (i, row) in reader.get_row_iter(None).unwrap().enumerate() {
            use parquet::record::RowAccessor;
            let row = row.unwrap();
            assert_eq!(row.get_string(0).unwrap(), &words(i));
            assert_eq!(row.get_double(1).unwrap(), 1.0 / (i + 1) as f64);
            assert_eq!(row.get_long(2).unwrap(), i as i64 - 1);
            n_read += 1;
        }
        assert_eq!(n_read, n_rows);
    }

    #[test]
    fn equal_tables_are_equal_bytes_and_an_empty_table_is_a_file() {
        assert_eq!(table(1000), table(1000));
        assert!(table(0).starts_with(b"PAR1"));
    }

    #[test]
    fn two_columns_of_one_name_are_refused() {
        let columns = ["a", "a"].map(|name| Column::new(name, Values::Text(&words)));
        let error = write_to(&mut Vec::new(), 1, &columns).unwrap_err();
        assert_eq!(error.to_string(), "two columns are called \"a\"");
    }
}
