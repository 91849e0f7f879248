//! Documents in an Apache Parquet file: one per row, in columns that the caller names.
//!
//! ```text
//! id        text                          or  tokens                       or  indices   counts
//! inferno   "Per la selva, per amor"          [selva, amor, stelle, amor]      [0, 7]    [2, 1]
//! ```
//!
//! Text and words become documents like those of any other text reader ([`texts`]); numbers and counts become a
//! table directly ([`counts`]). If no columns are named, columns with the usual names are used: counts first,
//! because they are the most specific, then words, then text.
//!
//! We read columns through the low-level interface of the `parquet` crate, without Arrow, in [`cells`]. There all
//! text has one type, whatever type the writing program gave it.
//!
//! # Damage
//! Checksums are optional in Parquet, and the crate panics on some impossible numbers. Such a panic is caught here
//! and reported as a damaged file.
//!
//! # Cost
//! One pass, a few rows at a time, of the named columns only.

mod cells;
pub(super) mod counts;
pub(super) mod texts;

use std::fs::File;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use self::cells::Cells;
use super::columns::Columns;
use super::documents::usual_text_column;
use super::members::both_named;
use super::meter::Meter;
use super::unpack::check_ratio;

/// The smallest memory of a value, with its levels, in bytes.
const VALUE_BYTES: u64 = 8;

/// A Parquet file whose columns are determined, read from its first row to its last.
pub(super) struct Parquet {
    file: SerializedFileReader<File>,
    content: Content,
    id: Option<Leaf>,
    label: Option<Leaf>,
    /// The next row group.
    group: usize,
    /// The columns of the current row group.
    cells: Columned,
    meter: Meter,
    /// The size of the file, and of the values read from it so far, in bytes.
    size: u64,
    unpacked: u64,
}

/// The content of the documents.
#[derive(Debug, Clone)]
enum Content {
    Text(Vec<Leaf>),
    Tokens(Leaf),
    Counts { indices: Leaf, counts: Leaf },
}

/// The cells of some rows.
#[derive(Default)]
struct Columned {
    content: Vec<Cells>,
    id: Option<Cells>,
    label: Option<Cells>,
}

/// A column with its index in the file.
#[derive(Debug, Clone)]
struct Leaf {
    name: String,
    place: usize,
    most_defined: i16,
    physical: Physical,
    is_text: bool,
    is_list: bool,
}

impl Leaf {
    fn has_words(&self) -> bool {
        self.is_list && self.is_text
    }

    fn has_numbers(&self) -> bool {
        self.is_list && !self.is_text
    }

    fn has_text(&self) -> bool {
        !self.is_list && self.is_text
    }

    fn has_one(&self) -> bool {
        !self.is_list
    }
}

impl Content {
    /// The columns asked for, or the usual ones.
    fn settle(leaves: &[Leaf], columns: &Columns, text: &[String]) -> Result<Self, String> {
        let asked = [
            !text.is_empty(),
            columns.tokens.is_some(),
            columns.indices.is_some() || columns.counts.is_some(),
        ];
        if asked.iter().filter(|&&asked| asked).count() > 1 {
            return Err(
                "name columns of text, a column of words, or columns of indices and counts, and \
                 not several of these"
                    .to_owned(),
            );
        }
        let numbers = |name: &Option<String>, usual: &str| {
            let name = name.as_deref().unwrap_or(usual);
            named(leaves, name, "lists of whole numbers", Leaf::has_numbers)
        };
        match (text, &columns.tokens) {
            // A list of words under the name of the text is taken as words.
            ([one], _) if usually(leaves, one, Leaf::has_words).is_some() => {
                named(leaves, one, "text", Leaf::has_words).map(Content::Tokens)
            }
            ([_, ..], _) => {
                let leaf = |name: &String| named(leaves, name, "text", Leaf::has_text);
                text.iter().map(leaf).collect::<Result<_, _>>().map(Content::Text)
            }
            ([], Some(tokens)) => {
                named(leaves, tokens, "lists of text", Leaf::has_words).map(Content::Tokens)
            }
            ([], None) if asked[2] => {
                let indices = numbers(&columns.indices, "indices")?;
                Ok(Content::Counts { indices, counts: numbers(&columns.counts, "counts")? })
            }
            ([], None) => Content::usual(leaves),
        }
    }

    /// The content of columns with the usual names, or of the only column of text.
    fn usual(leaves: &[Leaf]) -> Result<Self, String> {
        let usual = |name, fits| usually(leaves, name, fits);
        let indices = usual("indices", Leaf::has_numbers);
        let counts = usual("counts", Leaf::has_numbers);
        if let (Some(indices), Some(counts)) = (indices, counts) {
            return Ok(Content::Counts { indices, counts });
        }
        if let Some(tokens) = usual("tokens", Leaf::has_words) {
            return Ok(Content::Tokens(tokens));
        }
        let readable = leaves.iter().filter(|leaf| leaf.is_text);
        let names: Vec<&str> = readable.map(|leaf| leaf.name.as_str()).collect();
        let name = usual_text_column(&names).unwrap_or_default();
        let text = usual(name, Leaf::has_text).map(|leaf| Content::Text(vec![leaf]));
        text.or_else(|| usual(name, Leaf::has_words).map(Content::Tokens)).ok_or_else(|| {
            format!(
                "no column of documents is known; the columns are {}; name the one of the text \
                 (text-column) or of lists of words (tokens-column), or two of lists of numbers \
                 (indices-column, counts-column)",
                listed(leaves)
            )
        })
    }

    fn leaves(&self) -> Vec<&Leaf> {
        match self {
            Content::Text(leaves) => leaves.iter().collect(),
            Content::Tokens(leaf) => vec![leaf],
            Content::Counts { indices, counts } => vec![indices, counts],
        }
    }
}

impl Parquet {
    /// Opens the file and finds the columns; the error is the reason why it cannot.
    pub(super) fn open(
        file: File,
        columns: &Columns,
        text: &[String],
        meter: &Meter,
    ) -> Result<Self, String> {
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        calmly(|| {
            let file = SerializedFileReader::new(file).map_err(|error| damaged(&error))?;
            let leaves = leaves(&file);
            let content = Content::settle(&leaves, columns, text)?;
            let taken: Vec<usize> = content.leaves().iter().map(|leaf| leaf.place).collect();
            let about = |asked: &Option<String>, usual| match asked {
                Some(name) => named(&leaves, name, "one value a row", Leaf::has_one).map(Some),
                None => Ok(usually(&leaves, usual, Leaf::has_one)
                    .filter(|leaf| !taken.contains(&leaf.place))),
            };
            let (id, label) = (about(&columns.id, "id")?, about(&columns.label, "label")?);
            let n_rows = file.metadata().file_metadata().num_rows();
            let meter = meter.of(n_rows.try_into().unwrap_or(0));
            let cells = Columned::default();
            let parquet =
                Parquet { file, content, id, label, group: 0, cells, meter, size, unpacked: 0 };
            parquet.check_claims()?;
            Ok(parquet)
        })
    }

    /// A description of the columns that are read, for the user.
    pub(super) fn description(&self) -> String {
        match &self.content {
            Content::Text(leaves) => {
                let names: Vec<String> =
                    leaves.iter().map(|leaf| format!("{:?}", leaf.name)).collect();
                let plural = if names.len() == 1 { "" } else { "s" };
                format!("Parquet, text in column{plural} {}", names.join(" and "))
            }
            Content::Tokens(tokens) => format!("Parquet, words in column {:?}", tokens.name),
            Content::Counts { indices, counts } => {
                format!("Parquet, counts in columns {:?} and {:?}", indices.name, counts.name)
            }
        }
    }

    /// Whether its words are already counted.
    pub(super) fn is_counted(&self) -> bool {
        matches!(self.content, Content::Counts { .. })
    }

    /// Reads the next rows into `cells`; returns 0 when none are left.
    fn next_rows(&mut self, most: usize) -> Result<usize, String> {
        loop {
            let n_rows = self.cells.read(most)?;
            // A dictionary stores a long text once, and a run may repeat it without end.
            self.unpacked = self.unpacked.saturating_add(self.cells.n_bytes());
            check_ratio(self.size, self.unpacked)?;
            self.meter.add(n_rows as u64);
            if n_rows > 0 || self.group == self.file.metadata().num_row_groups() {
                return Ok(n_rows);
            }
            self.cells = self.open_group(self.group)?;
            self.group += 1;
        }
    }

    /// Returns an error for a file that declares far more values than its size allows.
    fn check_claims(&self) -> Result<(), String> {
        let leaves = self.content.leaves().into_iter().chain(&self.id).chain(&self.label);
        let places: Vec<usize> = leaves.map(|leaf| leaf.place).collect();
        let groups = self.file.metadata().row_groups();
        let columns = groups.iter().flat_map(|group| places.iter().map(|&at| group.column(at)));
        let values = columns.map(|column| u64::try_from(column.num_values()).unwrap_or(u64::MAX));
        let bytes = values.fold(0_u64, |sum, n| sum.saturating_add(n.saturating_mul(VALUE_BYTES)));
        check_ratio(self.size, bytes)
    }

    fn open_group(&self, group: usize) -> Result<Columned, String> {
        let group = self.file.get_row_group(group).map_err(|error| damaged(&error))?;
        let cells = |leaf: &Leaf| -> Result<Cells, String> {
            let reader = group.get_column_reader(leaf.place).map_err(|error| damaged(&error))?;
            Ok(Cells::new(reader, leaf))
        };
        Ok(Columned {
            content: self.content.leaves().into_iter().map(cells).collect::<Result<_, _>>()?,
            id: self.id.as_ref().map(cells).transpose()?,
            label: self.label.as_ref().map(cells).transpose()?,
        })
    }
}

impl Columned {
    /// The size of the current rows once they are documents.
    fn n_bytes(&self) -> u64 {
        let about = [&self.id, &self.label];
        let all = self.content.iter().chain(about.into_iter().flatten());
        all.map(Cells::n_bytes).fold(0, u64::saturating_add)
    }

    /// Reads the same number of rows of every column.
    fn read(&mut self, most: usize) -> Result<usize, String> {
        let about = [&mut self.id, &mut self.label];
        let mut n_rows = None;
        for cells in self.content.iter_mut().chain(about.into_iter().flatten()) {
            let n = cells.read(most)?;
            if *n_rows.get_or_insert(n) != n {
                let name = &cells.leaf.name;
                return Err(format!("column {name:?} has not as many rows as others"));
            }
        }
        Ok(n_rows.unwrap_or(0))
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

/// The column with this name, if it has the needed content.
fn named(
    leaves: &[Leaf],
    name: &str,
    needed: &str,
    fits: fn(&Leaf) -> bool,
) -> Result<Leaf, String> {
    usually(leaves, name, fits).ok_or_else(|| {
        let found: Vec<&Leaf> = leaves.iter().filter(|leaf| leaf.name == name).collect();
        match found[..] {
            [] => format!("there is no column {name:?}; the columns are {}", listed(leaves)),
            [first, second, ..] if fits(first) && fits(second) => {
                both_named("columns", first.place + 1, second.place + 1, name)
            }
            _ => format!("column {name:?} does not hold {needed}"),
        }
    })
}

/// The column with this name, if it has the needed content and no nested fields.
fn usually(leaves: &[Leaf], name: &str, fits: fn(&Leaf) -> bool) -> Option<Leaf> {
    let mut found = leaves.iter().filter(|leaf| leaf.name == name);
    let leaf = found.next().filter(|leaf| fits(leaf))?;
    found.next().is_none().then(|| leaf.clone())
}

fn listed(leaves: &[Leaf]) -> String {
    let mut names: Vec<String> = leaves.iter().map(|leaf| format!("{:?}", leaf.name)).collect();
    names.dedup();
    names.join(", ")
}

/// Reports a panic as a damaged file. Partial results are discarded.
fn calmly<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    outcome.unwrap_or_else(|_| Err("the Parquet file is damaged; write it again".to_owned()))
}

fn damaged(error: &ParquetError) -> String {
    let text = error.to_string();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("the Parquet file is damaged or not supported: {}", line.trim_end_matches('.'))
}
