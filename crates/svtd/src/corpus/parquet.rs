//! Documents in an Apache Parquet file: a row each, in columns that the caller names.
//!
//! ```text
//! id        tokens                          or   indices   counts
//! inferno   [selva, amor, stelle, amor]          [0, 7]    [2, 1]
//! ```
//!
//! We read columns through the low-level interface of the `parquet` crate, without Arrow: two
//! kinds of column are all we need, a value a row and a list a row, and Parquet writes both as
//! values with two small numbers beside each. The *repetition level* is 0 where a row begins; the
//! *definition level* is largest where there is a value at all. So a list a row and a value a row
//! are one case, and a missing value is an empty list.
//!
//! # Damage
//! Parquet has no checksums that must be there, and the crate takes some impossible numbers for
//! its own mistakes and panics. Such a panic is caught here and told as what it is, a damaged file.
//!
//! # Cost
//! One pass, [`BATCH`] rows at a time, of the named columns alone.

use std::fs::File;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::columns::Columns;
use super::entries::Table;
use super::rows::Rows;

/// Rows read at a time.
const BATCH: usize = 1024;

/// A Parquet file whose columns are settled.
pub(super) struct Parquet {
    file: SerializedFileReader<File>,
    content: Content,
    id: Option<Leaf>,
    label: Option<Leaf>,
}

/// What the documents are made of.
#[derive(Debug, Clone)]
enum Content {
    Tokens(Leaf),
    Counts { indices: Leaf, counts: Leaf },
}

/// A column with its place among the columns of the file.
#[derive(Debug, Clone)]
struct Leaf {
    name: String,
    place: usize,
    most_defined: i16,
    physical: Physical,
    is_text: bool,
    is_list: bool,
}

/// The counts of a Parquet file, with what it says of words and documents.
pub(super) struct Documents {
    pub(super) table: Table,
    pub(super) words: Option<Vec<String>>,
    pub(super) names: Option<Vec<String>>,
    pub(super) labels: Option<Vec<String>>,
}

impl Parquet {
    /// Opens the file and finds the columns; the error is the reason why it cannot.
    pub(super) fn open(file: File, columns: &Columns) -> Result<Self, String> {
        calmly(|| Parquet::find(file, columns))
    }

    fn find(file: File, columns: &Columns) -> Result<Self, String> {
        let file = SerializedFileReader::new(file).map_err(|error| damaged(&error))?;
        let leaves = leaves(&file);
        let find = |asked: &Option<String>, usual: &str, needed: &str, fits: fn(&Leaf) -> bool| {
            find(&leaves, asked.as_deref(), usual, needed, fits)
        };
        let tokens = find(&columns.tokens, "tokens", "lists of text", |l| l.is_list && l.is_text)?;
        let indices = find(&columns.indices, "indices", "lists of whole numbers", |l| {
            l.is_list && !l.is_text
        })?;
        let counts =
            find(&columns.counts, "counts", "lists of whole numbers", |l| l.is_list && !l.is_text)?;
        let asked_for_counts = columns.indices.is_some() || columns.counts.is_some();
        let content = match (tokens, indices, counts) {
            (Some(_), _, _) if asked_for_counts && columns.tokens.is_some() => {
                return Err(
                    "name a column of tokens or columns of indices and counts, not both".to_owned()
                );
            }
            (_, Some(indices), Some(counts)) if columns.tokens.is_none() => {
                Content::Counts { indices, counts }
            }
            (Some(tokens), _, _) if !asked_for_counts => Content::Tokens(tokens),
            _ => {
                return Err(format!(
                    "no column of documents is known; name one of {} with --tokens-column, or two \
                     with --indices-column and --counts-column",
                    listed(&leaves)
                ));
            }
        };
        let id = find(&columns.id, "id", "one value a row", |leaf| !leaf.is_list)?;
        let label = find(&columns.label, "label", "one value a row", |leaf| !leaf.is_list)?;
        Ok(Parquet { file, content, id, label })
    }

    /// Which columns are read, for the person who asked.
    pub(super) fn description(&self) -> String {
        match &self.content {
            Content::Tokens(tokens) => format!("Parquet, words in column {:?}", tokens.name),
            Content::Counts { indices, counts } => {
                format!("Parquet, counts in columns {:?} and {:?}", indices.name, counts.name)
            }
        }
    }

    /// Reads every row.
    pub(super) fn read(&self) -> Result<Documents, String> {
        calmly(|| self.read_groups())
    }

    fn read_groups(&self) -> Result<Documents, String> {
        let mut reading = Reading::default();
        for group in 0..self.file.metadata().num_row_groups() {
            self.read_group(group, &mut reading)?;
        }
        Ok(Documents {
            table: reading.rows.into_table(reading.words.len()),
            words: matches!(self.content, Content::Tokens(_)).then_some(reading.words),
            names: self.id.is_some().then_some(reading.names),
            labels: self.label.is_some().then_some(reading.labels),
        })
    }

    fn read_group(&self, group: usize, reading: &mut Reading) -> Result<(), String> {
        let group = self.file.get_row_group(group).map_err(|error| damaged(&error))?;
        let cells = |leaf: &Leaf| -> Result<Cells, String> {
            let reader = group.get_column_reader(leaf.place).map_err(|error| damaged(&error))?;
            Ok(Cells::new(reader, leaf))
        };
        let optional = |leaf: &Option<Leaf>| leaf.as_ref().map(cells).transpose();
        let (mut ids, mut labels) = (optional(&self.id)?, optional(&self.label)?);
        let (mut first, mut second) = match &self.content {
            Content::Tokens(tokens) => (cells(tokens)?, None),
            Content::Counts { indices, counts } => (cells(indices)?, Some(cells(counts)?)),
        };
        loop {
            let n_rows = first.read()?;
            if n_rows == 0 {
                return Ok(());
            }
            for other in [&mut second, &mut ids, &mut labels].into_iter().flatten() {
                if other.read()? != n_rows {
                    return Err(format!("column {:?} has fewer rows than others", other.leaf.name));
                }
            }
            for row in 0..n_rows {
                match &second {
                    None => reading.push_tokens(&first, row)?,
                    Some(counts) => reading.push_counts(&first, counts, row)?,
                }
                let number = reading.n_documents;
                if let Some(ids) = &ids {
                    reading.names.push(ids.shown(row)?.unwrap_or_else(|| number.to_string()));
                }
                if let Some(labels) = &labels {
                    reading.labels.push(labels.shown(row)?.unwrap_or_default());
                }
            }
        }
    }
}

/// What is read so far.
#[derive(Default)]
struct Reading {
    rows: Rows,
    n_documents: u64,
    /// The words in the order in which they were met.
    words: Vec<String>,
    ids: std::collections::HashMap<Box<str>, u32>,
    /// The words of one document.
    document: std::collections::BTreeMap<u32, u32>,
    names: Vec<String>,
    labels: Vec<String>,
}

impl Reading {
    fn push_tokens(&mut self, tokens: &Cells, row: usize) -> Result<(), String> {
        self.document.clear();
        for i in tokens.span(row) {
            let word = tokens.text(i)?;
            let id = match self.ids.get(word) {
                Some(&id) => id,
                None => {
                    let id = u32::try_from(self.words.len())
                        .map_err(|_| "more words than can be numbered".to_owned())?;
                    self.words.push(word.to_owned());
                    self.ids.insert(word.into(), id);
                    id
                }
            };
            *self.document.entry(id).or_insert(0) += 1;
        }
        for (&word, &count) in &self.document {
            self.rows.push(word, count);
        }
        self.end(tokens)
    }

    fn push_counts(&mut self, indices: &Cells, counts: &Cells, row: usize) -> Result<(), String> {
        let (words, values) = (indices.span(row), counts.span(row));
        let number = self.n_documents + 1;
        if words.len() != values.len() {
            return Err(format!(
                "row {number}: {} indices and {} counts; expected as many of each",
                words.len(),
                values.len()
            ));
        }
        for (word, value) in words.zip(values) {
            let (word, value) = (indices.whole(word), counts.whole(value));
            let word = word.map_err(|reason| format!("row {number}: {reason}"))?;
            let value = value.map_err(|reason| format!("row {number}: {reason}"))?;
            if word == u32::MAX {
                return Err(format!("row {number}: a word number of {word} is too large"));
            }
            self.rows.push(word, value);
        }
        self.end(indices)
    }

    fn end(&mut self, of: &Cells) -> Result<(), String> {
        self.n_documents += 1;
        let (number, name) = (self.n_documents, &of.leaf.name);
        self.rows
            .end_document()
            .map_err(|word| format!("row {number}: column {name:?} has word {word} twice"))
    }
}

/// Some rows of a column.
struct Cells {
    leaf: Leaf,
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
    fn new(reader: ColumnReader, leaf: &Leaf) -> Self {
        Cells { leaf: leaf.clone(), reader, values: Values::Whole(vec![]), ends: vec![] }
    }

    /// Reads the next rows; none are left when it answers 0.
    fn read(&mut self) -> Result<usize, String> {
        let defined = self.leaf.most_defined;
        let read = match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                batch(reader, defined).map(|(values, ends)| (Values::Text(values), ends))
            }
            ColumnReader::Int32ColumnReader(reader) => batch(reader, defined)
                .map(|(v, ends)| (Values::Whole(v.into_iter().map(i64::from).collect()), ends)),
            ColumnReader::Int64ColumnReader(reader) => {
                batch(reader, defined).map(|(values, ends)| (Values::Whole(values), ends))
            }
            ColumnReader::BoolColumnReader(reader) => batch(reader, defined)
                .map(|(v, ends)| (Values::Whole(v.into_iter().map(i64::from).collect()), ends)),
            ColumnReader::FloatColumnReader(reader) => batch(reader, defined)
                .map(|(v, ends)| (Values::Real(v.into_iter().map(f64::from).collect()), ends)),
            ColumnReader::DoubleColumnReader(reader) => {
                batch(reader, defined).map(|(values, ends)| (Values::Real(values), ends))
            }
            _ => {
                let (name, physical) = (&self.leaf.name, self.leaf.physical);
                return Err(format!("column {name:?} is of type {physical}, which is not read"));
            }
        };
        (self.values, self.ends) = read.map_err(|error| damaged(&error))?;
        Ok(self.ends.len())
    }

    /// Where the values of a row stand.
    fn span(&self, row: usize) -> std::ops::Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[row]
    }

    fn text(&self, i: usize) -> Result<&str, String> {
        match &self.values {
            Values::Text(values) => std::str::from_utf8(values[i].data())
                .map_err(|_| format!("column {:?} is not UTF-8", self.leaf.name)),
            _ => Err(format!("column {:?} does not hold text", self.leaf.name)),
        }
    }

    /// A number that can count or be counted.
    fn whole(&self, i: usize) -> Result<u32, String> {
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

    /// The value of a row as one would write it, if there is one.
    fn shown(&self, row: usize) -> Result<Option<String>, String> {
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
    most_defined: i16,
) -> Result<(Vec<T::T>, Vec<usize>), ParquetError> {
    let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (n_rows, n_values, n_levels) =
        reader.read_records(BATCH, Some(&mut defined), Some(&mut repeated), &mut values)?;
    if defined.is_empty() {
        // A column that is always there has no levels.
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

fn leaves(file: &SerializedFileReader<File>) -> Vec<Leaf> {
    let schema = file.metadata().file_metadata().schema_descr();
    let leaf = |(place, column): (usize, &parquet::schema::types::ColumnDescPtr)| Leaf {
        name: column.path().parts().first().cloned().unwrap_or_default(),
        place,
        most_defined: column.max_def_level(),
        physical: column.physical_type(),
        is_text: column.physical_type() == Physical::BYTE_ARRAY
            && (column.converted_type() == ConvertedType::UTF8
                || matches!(column.logical_type_ref(), None | Some(LogicalType::String))),
        is_list: column.max_rep_level() == 1,
    };
    schema.columns().iter().enumerate().map(leaf).collect()
}

/// The column asked for, or the one of the usual name if it fits.
fn find(
    leaves: &[Leaf],
    asked: Option<&str>,
    usual: &str,
    needed: &str,
    fits: fn(&Leaf) -> bool,
) -> Result<Option<Leaf>, String> {
    let mut named = leaves.iter().filter(|leaf| leaf.name == asked.unwrap_or(usual));
    match (named.next(), asked) {
        (Some(leaf), _) if fits(leaf) && named.next().is_none() => Ok(Some(leaf.clone())),
        (_, None) => Ok(None),
        (Some(_), Some(asked)) => Err(format!("column {asked:?} does not hold {needed}")),
        (None, Some(asked)) => {
            Err(format!("there is no column {asked:?}; the columns are {}", listed(leaves)))
        }
    }
}

fn listed(leaves: &[Leaf]) -> String {
    let mut names: Vec<String> = leaves.iter().map(|leaf| format!("{:?}", leaf.name)).collect();
    names.dedup();
    names.join(", ")
}

/// Takes a panic on the way for a damaged file. What was under way is thrown away with it.
fn calmly<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    outcome.unwrap_or_else(|_| Err("the Parquet file is damaged; write it again".to_owned()))
}

fn damaged(error: &ParquetError) -> String {
    let text = error.to_string();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("the Parquet file is damaged or not supported: {}", line.trim_end_matches('.'))
}
