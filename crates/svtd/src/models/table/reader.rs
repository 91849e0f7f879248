//! Tables from files: CSV, TSV, JSON Lines and Parquet, plain or compressed.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::{ColumnBuilder, Table};
use crate::error::{Error, Result};
use crate::reading::{Members, TableBytes, open_table};

/// Values that mean missing by default; an empty cell is always missing.
pub const DEFAULT_MISSING: [&str; 5] = ["NA", "NaN", "nan", "null", "NULL"];

/// How a table is read.
#[derive(Clone, Debug)]
pub struct TableReader {
    missing: Vec<String>,
}

impl Default for TableReader {
    fn default() -> Self {
        Self { missing: DEFAULT_MISSING.map(str::to_owned).to_vec() }
    }
}

impl TableReader {
    /// A reader for which empty cells and [`DEFAULT_MISSING`] mean missing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Values that mean missing, besides empty cells, instead of [`DEFAULT_MISSING`]. Numbers are compared as
    /// numbers: `-9` is also `-9.0`.
    pub fn missing<S: Into<String>>(mut self, cells: impl IntoIterator<Item = S>) -> Self {
        self.missing = cells.into_iter().map(Into::into).collect();
        self
    }

    /// Reads a file with a header line, `-` for standard input. Tabs or semicolons in the header
    /// separate its columns if it has no comma; a file that begins with `PAR1` is Parquet, one that begins with `{`
    /// holds JSON objects.
    ///
    /// # Errors
    /// When the file cannot be read, has no rows, or a line has more or fewer cells than the header.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Table> {
        let path = path.as_ref();
        let (name, bytes) = open_table(path)?;
        let table = match bytes {
            TableBytes::Parquet(file) => self.read_parquet(&name, file)?,
            TableBytes::Text(bytes) => self.read_separated(&name, bytes)?,
        };
        if table.n_rows() == 0 {
            return Err(Error::File {
                path: name,
                reason: "has a header but no records; a record a line is needed".to_owned(),
            });
        }
        Ok(table)
    }

    fn read_separated(&self, name: &str, mut bytes: impl Read) -> Result<Table> {
        let mut head = Vec::new();
        let io = |source| Error::Io { path: name.to_owned(), source };
        bytes.by_ref().take(1 << 16).read_to_end(&mut head).map_err(io)?;
        if head.starts_with(b"PK\x03\x04") {
            return Err(Error::File {
                path: name.to_owned(),
                reason: "is a spreadsheet or another zip file; save the table as CSV".to_owned(),
            });
        }
        if head.trim_ascii_start().first() == Some(&b'{') {
            return self.read_json_lines(name, std::io::Cursor::new(head).chain(bytes));
        }
        let first_line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let separator = separator_of(first_line);
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .trim(csv::Trim::All)
            .from_reader(std::io::Cursor::new(head).chain(bytes));
        let header = reader.headers().map_err(|error| csv_error(name, &error))?.clone();
        if header.iter().all(str::is_empty) {
            return Err(Error::File {
                path: name.to_owned(),
                reason: "is empty; a header line with the names of the columns is needed"
                    .to_owned(),
            });
        }
        let mut columns: Vec<ColumnBuilder> =
            header.iter().map(|name| ColumnBuilder::new(name.to_owned())).collect();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| csv_error(name, &error))? {
            for (column, cell) in columns.iter_mut().zip(&record) {
                column.push((!self.is_missing(cell)).then_some(cell));
            }
        }
        Table::new(columns.into_iter().map(ColumnBuilder::finish).collect())
            .map_err(|error| in_file(name, error))
    }

    /// Reads objects one after the other. A column is a name that any of them has; what an object does not have, or
    /// has as null, is missing. A name that an object has twice is an error.
    fn read_json_lines(&self, name: &str, bytes: impl Read) -> Result<Table> {
        let mut columns: Vec<ColumnBuilder> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let objects = serde_json::Deserializer::from_reader(bytes).into_iter::<Members>();
        for (row, object) in objects.enumerate() {
            let object = object.map_err(|error| Error::File {
                path: name.to_owned(),
                reason: format!("object {}: {}", row + 1, json_sentence(&error)),
            })?;
            for (key, _) in &object.0 {
                if !places.contains_key(key) {
                    let mut column = ColumnBuilder::new(key.clone());
                    (0..row).for_each(|_| column.push(None));
                    places.insert(key.clone(), columns.len());
                    columns.push(column);
                }
            }
            let mut cells: Vec<Option<String>> = vec![None; columns.len()];
            for (key, value) in &object.0 {
                cells[places[key]] = json_cell(value);
            }
            for (column, cell) in columns.iter_mut().zip(cells) {
                column.push(cell.as_deref().filter(|cell| !self.is_missing(cell)));
            }
        }
        Table::new(columns.into_iter().map(ColumnBuilder::finish).collect())
            .map_err(|error| in_file(name, error))
    }

    /// Whether a cell is missing.
    pub fn is_missing(&self, cell: &str) -> bool {
        if cell.is_empty() {
            return true;
        }
        self.missing.iter().any(|missing| {
            missing == cell
                || match (missing.parse::<f64>(), cell.parse::<f64>()) {
                    (Ok(a), Ok(b)) => a == b,
                    _ => false,
                }
        })
    }

    #[cfg(feature = "parquet")]
    fn read_parquet(&self, name: &str, file: std::fs::File) -> Result<Table> {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        let damaged = |reason: String| Error::File {
            path: name.to_owned(),
            reason: format!("cannot be read as Parquet: {reason}"),
        };
        let read = move || -> Result<Table> {
            let file =
                SerializedFileReader::new(file).map_err(|error| damaged(error.to_string()))?;
            let fields = file.metadata().file_metadata().schema().get_fields();
            let mut columns: Vec<ColumnBuilder> =
                fields.iter().map(|field| ColumnBuilder::new(field.name().to_owned())).collect();
            let rows = file.get_row_iter(None).map_err(|error| damaged(error.to_string()))?;
            for row in rows {
                let row = row.map_err(|error| damaged(error.to_string()))?;
                for (column, (_, field)) in columns.iter_mut().zip(row.get_column_iter()) {
                    let cell = parquet_cell(field);
                    column.push(cell.as_deref().filter(|cell| !self.is_missing(cell)));
                }
            }
            Table::new(columns.into_iter().map(ColumnBuilder::finish).collect())
                .map_err(|error| in_file(name, error))
        };
        // The crate panics on some impossible numbers in a damaged file.
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(read))
            .unwrap_or_else(|_| Err(damaged("it is damaged; fetch it again".to_owned())))
    }

    #[cfg(not(feature = "parquet"))]
    fn read_parquet(&self, name: &str, _: std::fs::File) -> Result<Table> {
        Err(Error::File {
            path: name.to_owned(),
            reason: "is a Parquet file, which this build cannot read; write it as CSV".to_owned(),
        })
    }
}

/// What is wrong with an object. The place in the file follows only where the text itself is damaged.
fn json_sentence(error: &serde_json::Error) -> String {
    let said = error.to_string();
    match said.split_once(" at line ") {
        Some((said, _)) if said.contains("both named") => said.to_owned(),
        _ => format!("{said}; a JSON object a record is needed"),
    }
}

/// A value of a JSON object as text; `None` when it is null.
fn json_cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim().to_owned()),
        other => Some(other.to_string()),
    }
}

/// A cell of a Parquet row as text; `None` when it is null.
#[cfg(feature = "parquet")]
fn parquet_cell(field: &parquet::record::Field) -> Option<String> {
    use parquet::record::Field;
    match field {
        Field::Null => None,
        Field::Str(text) => Some(text.clone()),
        Field::Bool(value) => Some(value.to_string()),
        Field::Float(x) if x.is_nan() => None,
        Field::Double(x) if x.is_nan() => None,
        Field::Float(x) => Some(super::number_label(f64::from(*x))),
        Field::Double(x) => Some(super::number_label(*x)),
        other => Some(other.to_string()),
    }
}

fn separator_of(header: &[u8]) -> u8 {
    let has = |byte: u8| header.contains(&byte);
    if has(b',') {
        b','
    } else if has(b'\t') {
        b'\t'
    } else if has(b';') {
        b';'
    } else {
        b','
    }
}

fn csv_error(name: &str, error: &csv::Error) -> Error {
    let line = error.position().map_or(0, csv::Position::line);
    let reason = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("expected {expected_len} cells as in the header, found {len}")
        }
        csv::ErrorKind::Io(source) => {
            let source = std::io::Error::new(source.kind(), source.to_string());
            return Error::Io { path: name.to_owned(), source };
        }
        csv::ErrorKind::Utf8 { .. } => "is not UTF-8 text; save the file as UTF-8".to_owned(),
        _ => error.to_string(),
    };
    Error::Line { path: name.to_owned(), line, reason }
}

fn in_file(name: &str, error: Error) -> Error {
    Error::File { path: name.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::Column;
    use super::*;

    fn read(text: &str, reader: &TableReader) -> Result<Table> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        reader.read(file.path())
    }

    fn labels(column: &Column) -> Vec<Option<&str>> {
        (0..column.codes().len()).map(|row| column.label(row)).collect()
    }

    #[test]
    fn empty_cells_and_the_usual_names_are_missing() {
        let table = read("a,b\n1,x\n,NA\nnan, y \n", &TableReader::new()).unwrap();
        assert_eq!(labels(&table.columns()[0]), [Some("1"), None, None]);
        assert_eq!(labels(&table.columns()[1]), [Some("x"), None, Some("y")]);
    }

    #[test]
    fn named_missing_cells_take_the_place_of_the_usual_ones() {
        let reader = TableReader::new().missing(["-9", "refused"]);
        let table = read("a;b\n1;NA\n-9.0;refused\n", &reader).unwrap();
        assert_eq!(labels(&table.columns()[0]), [Some("1"), None]);
        assert_eq!(labels(&table.columns()[1]), [Some("NA"), None]);
    }

    #[test]
    fn a_line_of_another_length_is_told_with_its_number() {
        let message = read("a,b\n1,2\n1\n", &TableReader::new()).unwrap_err().to_string();
        assert!(
            message.ends_with("line 3: expected 2 cells as in the header, found 1"),
            "{message}"
        );
        assert!(read("", &TableReader::new()).is_err());
        let message = read("a,b,a\n1,2,3\n", &TableReader::new()).unwrap_err().to_string();
        assert!(message.ends_with("columns 1 and 3 are both named \"a\"; rename one"), "{message}");
        let twice = "{\"a\": 1, \"b\": 2}\n{\"a\": 1, \"b\": 2, \"a\": 3}\n";
        let message = read(twice, &TableReader::new()).unwrap_err().to_string();
        assert!(
            message.contains("object 2: members 1 and 3 are both named \"a\"; rename one"),
            "{message}"
        );
        assert!(read("a,b\n", &TableReader::new()).unwrap_err().to_string().contains("no records"));
    }
}
