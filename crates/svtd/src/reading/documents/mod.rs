//! Readers of text: folders, lines, JSON Lines and tables into one stream of records.
//!
//! Each reader knows where one document ends and the next begins, its name and its label; words are handled by
//! [`text`](crate::text). What the readers share is here: encodings, which columns to use, and messages for files
//! that are not text.

mod encoding;
mod folder;
mod json_lines;
mod lines;
mod markup;
mod office;
mod sheet;
mod table;
mod whole;

use std::path::Path;

pub use self::encoding::Encoding;
pub(super) use self::office::{Kind, Office};
use super::Format;
use super::format::foreign;
use super::members::both_named;
use super::meter::Meter;
use super::source::Source;
use crate::error::{Error, Result};
use crate::text::Records;

/// The largest size of a document, in bytes. Something larger is probably a corpus in one piece.
pub(super) const LONGEST_DOCUMENT: usize = 1 << 30;

/// Columns used as the text if none is named; the first that exists.
const TEXT_COLUMNS: [&str; 7] =
    ["text", "content", "body", "document", "abstract", "tokens", "words"];
const ID_COLUMN: &str = "id";
const LABEL_COLUMN: &str = "label";

/// How documents are stored in files.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    pub(super) encoding: Encoding,
    pub(super) text_columns: Vec<String>,
    pub(super) id_column: Option<String>,
    pub(super) label_column: Option<String>,
    /// Which files of a folder are read, by a pattern with `*` and `?`.
    pub(super) files: Option<String>,
    /// Whether files of a folder that cannot be read are skipped and reported.
    pub(super) skip_bad: bool,
}

/// The documents of an open file.
pub(super) fn of_file(format: Format, source: Source, layout: Layout) -> Result<Box<dyn Records>> {
    Ok(match format {
        Format::Document | Format::Html => {
            Box::new(whole::Whole::new(source, layout.encoding, format == Format::Html))
        }
        Format::JsonLines => Box::new(json_lines::JsonLines::new(source, layout)),
        Format::Csv | Format::Tsv => Box::new(table::Table::open(source, format, layout)?),
        _ => Box::new(lines::Lines::new(source, layout.encoding)),
    })
}

/// The documents of a folder.
pub(super) fn of_folder(path: &Path, layout: Layout, meter: &Meter) -> Result<Box<dyn Records>> {
    Ok(Box::new(folder::Folder::open(path, layout, meter)?))
}

/// The documents of an archive in memory: the rows of a spreadsheet, or one document.
pub(super) fn of_archive(
    path: &str,
    format: Format,
    bytes: &[u8],
    layout: &Layout,
) -> Result<Box<dyn Records>> {
    if format == Format::Xlsx {
        return Ok(Box::new(sheet::Sheet::open(path, bytes, layout)?));
    }
    let text = Office::open(bytes).and_then(|mut office| office.text());
    let text = text.map_err(|reason| Error::File { path: path.to_owned(), reason })?;
    Ok(Box::new(whole::Known::new(path, text)))
}

/// A page in memory.
pub(super) fn of_page(path: &str, bytes: &[u8]) -> Box<dyn Records> {
    Box::new(whole::Known::new(path, markup::visible(&String::from_utf8_lossy(bytes))))
}

pub(super) fn too_long(path: &str) -> Error {
    let reason = "the document is larger than 1 GB; is it a corpus in one file?";
    Error::File { path: path.to_owned(), reason: reason.to_owned() }
}

/// The columns of the text, the name and the label.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Columns {
    text: Vec<String>,
    id: Option<String>,
    label: Option<String>,
}

impl Columns {
    /// The columns asked for, which must exist, or else the usual ones.
    fn among(found: &[&str], layout: &Layout) -> Result<Self, String> {
        let exact = |name: &String| match found.contains(&name.as_str()) {
            true => Ok(name.clone()),
            false => Err(format!("there is no column {name:?}; found {}", listed(found))),
        };
        let usual = |name: &str| {
            found.iter().find(|column| column.eq_ignore_ascii_case(name)).map(|&c| c.to_owned())
        };
        let mut text = layout.text_columns.iter().map(exact).collect::<Result<Vec<_>, _>>()?;
        if text.is_empty() {
            let guess = usual_text_column(found).map(str::to_owned);
            text = vec![guess.ok_or_else(|| {
                format!(
                    "no column is called \"text\"; found {}; name the one that holds the text \
                     (text-column)",
                    listed(found)
                )
            })?];
        }
        let or_usual = |asked: &Option<String>, name| match asked {
            Some(asked) => exact(asked).map(Some),
            None => Ok(usual(name).filter(|column| !text.contains(column))),
        };
        let id = or_usual(&layout.id_column, ID_COLUMN)?;
        let label = or_usual(&layout.label_column, LABEL_COLUMN)?;
        for name in text.iter().chain(&id).chain(&label) {
            let mut places = (1..).zip(found).filter(|(_, column)| *column == name);
            if let (Some((first, _)), Some((second, _))) = (places.next(), places.next()) {
                return Err(both_named("columns", first, second, name));
            }
        }
        Ok(Columns { text, id, label })
    }
}

impl Columns {
    /// A remark on which columns were used, and which others there are.
    fn remark(&self, path: &str, found: &[&str]) -> String {
        let quoted = |names: &[String]| {
            names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" and ")
        };
        let mut remark = format!("{path}: the text was taken from column {}", quoted(&self.text));
        if let Some(id) = &self.id {
            remark += &format!(", the names from {id:?}");
        }
        if let Some(label) = &self.label {
            remark += &format!(", the labels from {label:?}");
        }
        let is_used = |name: &str| {
            self.text.iter().chain(&self.id).chain(&self.label).any(|used| used == name)
        };
        let unused: Vec<&str> = found.iter().copied().filter(|name| !is_used(name)).collect();
        if !unused.is_empty() {
            remark += &format!("; not read: {} (text-column names another)", listed(&unused));
        }
        remark
    }
}

/// The column with one of the usual names for text, or the only column.
pub(super) fn usual_text_column<'a>(found: &[&'a str]) -> Option<&'a str> {
    let called = |name: &&str| found.iter().copied().find(|c| c.eq_ignore_ascii_case(name));
    let only = (found.len() == 1).then(|| found[0]);
    TEXT_COLUMNS.iter().find_map(called).or(only)
}

fn listed(columns: &[&str]) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = columns.iter().take(SHOWN).map(|c| format!("{c:?}")).collect();
    if columns.len() > SHOWN {
        names.push(format!("and {} more", columns.len() - SHOWN));
    }
    names.join(", ")
}

/// What a file is, if it begins like something that is not text.
fn not_text(start: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 8] = [
        (b"PK\x03\x04", "a zip archive; unpack it to text first"),
        (b"\x89HDF", "an HDF5 file; words are needed"),
        (b"l\x1b\x01", "a file of genotypes; words are needed"),
        (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
        (b"BZh", "packed with bzip2; unpack it first, or pack it with gzip or zstd"),
        (b"{\\rtf", "an RTF document; save it as plain text first"),
        (b"\xff\xfe", "text in UTF-16; convert it to UTF-8 first, for instance with iconv"),
        (b"\xfe\xff", "text in UTF-16; convert it to UTF-8 first, for instance with iconv"),
    ];
    let packed = || KINDS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, kind)| *kind);
    foreign(start).or_else(packed)
}

/// Returns an error for a file that is not text, judging by its beginning.
pub(super) fn check_start(path: &str, start: &[u8]) -> Result<()> {
    match not_text(start) {
        Some(kind) => Err(Error::File { path: path.to_owned(), reason: format!("this is {kind}") }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    /// A zip archive of these members, stored as they are.
    pub(super) fn zipped(members: &[(&str, &str)]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in members {
            let mut sum = flate2::Crc::new();
            sum.update(content.as_bytes());
            let start = bytes.len() as u32;
            let size = content.len() as u32;
            let mut fields = Vec::new();
            fields.extend_from_slice(&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            for number in [sum.sum(), size, size] {
                fields.extend_from_slice(&number.to_le_bytes());
            }
            fields.extend_from_slice(&(name.len() as u16).to_le_bytes());
            fields.extend_from_slice(&[0, 0]);
            bytes.extend_from_slice(b"PK\x03\x04");
            bytes.extend_from_slice(&fields);
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(content.as_bytes());
            directory.extend_from_slice(b"PK\x01\x02\x14\0");
            directory.extend_from_slice(&fields);
            directory.extend_from_slice(&[0; 10]);
            directory.extend_from_slice(&start.to_le_bytes());
            directory.extend_from_slice(name.as_bytes());
        }
        let (start, size) = (bytes.len() as u32, directory.len() as u32);
        bytes.extend_from_slice(&directory);
        bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        let n = members.len() as u16;
        for number in [n, n] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [size, start] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&[0, 0]);
        bytes
    }

    #[test]
    fn the_columns_asked_for_must_be_there() {
        let layout = Layout { text_columns: vec!["body".to_owned()], ..Layout::default() };
        let columns = Columns::among(&["Id", "body", "x"], &layout).unwrap();
        assert_eq!((columns.text, columns.id), (vec!["body".to_owned()], Some("Id".to_owned())));
        let error = Columns::among(&["id", "Body"], &layout).unwrap_err();
        assert_eq!(error, "there is no column \"body\"; found \"id\", \"Body\"");
    }

    #[test]
    fn a_column_that_is_read_must_be_the_only_one_of_its_name() {
        let among = |found: &[&str]| Columns::among(found, &Layout::default());
        let error = among(&["text", "id", "text"]).unwrap_err();
        assert_eq!(error, "columns 1 and 3 are both named \"text\"; rename one");
        let error = among(&["id", "id", "text"]).unwrap_err();
        assert_eq!(error, "columns 1 and 2 are both named \"id\"; rename one");
        assert!(among(&["text", "note", "note"]).is_ok(), "none of them is read");
    }

    #[test]
    fn without_a_name_the_usual_columns_are_meant() {
        let layout = Layout::default();
        let columns = Columns::among(&["a", "Text", "label"], &layout).unwrap();
        assert_eq!((&columns.text[0][..], columns.label.as_deref()), ("Text", Some("label")));
        assert_eq!(Columns::among(&["x"], &layout).unwrap().text, ["x"]);
        let error = Columns::among(&["a", "b"], &layout).unwrap_err();
        assert!(error.contains("no column is called \"text\"; found \"a\", \"b\""), "{error}");
    }
}
