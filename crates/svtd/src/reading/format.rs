//! Detects the format of a file from its beginning.
//!
//! File names can mislead (`counts.txt`, `data.dat`) and a pipe has none, but contents rarely do: the first
//! kilobytes decide, and the name is used only where the contents are ambiguous. In that case the result carries a
//! remark for the user that says what else it might be.
//!
//! ```text
//! magic bytes        svtdc, parquet, npz (or an office document: by its members), HDF5, PLINK
//! %%MatrixMarket     mtx
//! 3 1:2 4:1 7:5      lda-c if the first number counts the pairs, else svmlight
//! word,word,word     counts-csv if all below are numbers
//! {"text": ...}      jsonl
//! <html              html
//! words              by name csv or tsv, else lines
//! 3                  docword
//! ```
//!
//! A malformed table should be reported as such, not silently read as something else. So the majority of lines
//! decides, and a file that begins with numbers alone is a docword file, good or bad.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::dense;
use super::entries::{fields, whole_number};
use super::matrix_market;
use super::plink;
use super::source::SAMPLE;
use super::svtdc;

/// Number of lines that are examined.
const LINES: usize = 200;

/// The formats in which a corpus can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// UCI bag of words: three sizes, then lines of `document word count`.
    Docword,
    /// A sparse matrix in MatrixMarket coordinates, documents as rows.
    MatrixMarket,
    /// Blei's LDA-C: one document per line, `M term:count ...`, terms from 0.
    LdaC,
    /// SVMlight or libsvm: one document per line, `label index:count ...`.
    SvmLight,
    /// A sparse matrix saved by `scipy.sparse.save_npz`: CSR, CSC or COO.
    Npz,
    /// A dense table of counts with the words in its first row, separated by commas or tabs.
    CountsCsv,
    /// A corpus that was counted before and saved as `.svtdc`.
    Svtdc,
    /// Apache Parquet, one document per row: text, lists of words, or lists of word numbers and counts. Needs the
    /// feature `parquet`.
    Parquet,
    /// A folder of text files, one document each.
    Folder,
    /// Text, one document per line.
    Lines,
    /// Text, the whole file is one document.
    Document,
    /// JSON Lines: one object per line, one of whose members is the text.
    JsonLines,
    /// A table with a header and a column of text, separated by commas or semicolons.
    Csv,
    /// A table with a header and a column of text, separated by tabs.
    Tsv,
    /// The first sheet of a spreadsheet (.xlsx), with a column of text.
    Xlsx,
    /// An HTML page; its visible text is one document.
    Html,
    /// A document of a word processor or an electronic book: .docx, .odt, .epub.
    Office,
    /// Single cells in AnnData's .h5ad. Needs the feature `hdf5`.
    H5ad,
    /// Single cells in the .h5 file of 10x Genomics. Needs the feature `hdf5`.
    TenxH5,
    /// Single cells in a folder of 10x Genomics: matrix.mtx, features.tsv, barcodes.tsv.
    TenxFolder,
    /// Genotypes in PLINK's .bed, with .bim and .fam beside it.
    Plink,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 21] = [
        Format::Docword,
        Format::MatrixMarket,
        Format::LdaC,
        Format::SvmLight,
        Format::Npz,
        Format::CountsCsv,
        Format::Svtdc,
        Format::Parquet,
        Format::Folder,
        Format::Lines,
        Format::Document,
        Format::JsonLines,
        Format::Csv,
        Format::Tsv,
        Format::Xlsx,
        Format::Html,
        Format::Office,
        Format::H5ad,
        Format::TenxH5,
        Format::TenxFolder,
        Format::Plink,
    ];

    /// The short name with which it can be selected.
    pub fn name(self) -> &'static str {
        match self {
            Format::Docword => "docword",
            Format::MatrixMarket => "mtx",
            Format::LdaC => "lda-c",
            Format::SvmLight => "svmlight",
            Format::Npz => "npz",
            Format::CountsCsv => "counts-csv",
            Format::Svtdc => "svtdc",
            Format::Parquet => "parquet",
            Format::Folder => "folder",
            Format::Lines => "lines",
            Format::Document => "document",
            Format::JsonLines => "jsonl",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Xlsx => "xlsx",
            Format::Html => "html",
            Format::Office => "office",
            Format::H5ad => "h5ad",
            Format::TenxH5 => "10x-h5",
            Format::TenxFolder => "10x",
            Format::Plink => "plink",
        }
    }

    /// Whether it is text, whose words must be counted.
    pub fn is_text(self) -> bool {
        use Format::{Csv, Document, Folder, Html, JsonLines, Lines, Office, Tsv, Xlsx};
        matches!(self, Folder | Document | Lines | JsonLines | Csv | Tsv | Xlsx | Html | Office)
    }

    /// Whether each line is a document or a count, and lines end in `\n`.
    pub(super) fn is_in_lines(self) -> bool {
        use Format::{CountsCsv, Docword, JsonLines, LdaC, Lines, MatrixMarket, SvmLight};
        matches!(self, Lines | JsonLines | Docword | MatrixMarket | LdaC | SvmLight | CountsCsv)
    }

    /// Whether a table in this format may be transposed, with documents as columns.
    pub fn is_matrix(self) -> bool {
        matches!(self, Format::Docword | Format::MatrixMarket | Format::Npz | Format::CountsCsv)
    }
}

/// The name in messages.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Docword => "UCI docword",
            Format::MatrixMarket => "MatrixMarket",
            Format::LdaC => "LDA-C",
            Format::SvmLight => "SVMlight",
            Format::Npz => "SciPy sparse",
            Format::CountsCsv => "a dense table of counts",
            Format::Svtdc => "a counted corpus",
            Format::Parquet => "Parquet",
            Format::Folder => "a folder of text files",
            Format::Lines => "text, a document a line",
            Format::Document => "text, all of it one document",
            Format::JsonLines => "JSON Lines",
            Format::Csv => "CSV with a column of text",
            Format::Tsv => "TSV with a column of text",
            Format::Xlsx => "a spreadsheet with a column of text",
            Format::Html => "the visible text of a page",
            Format::Office => "the text of a document",
            Format::H5ad => "single cells in AnnData",
            Format::TenxH5 => "single cells of 10x Genomics",
            Format::TenxFolder => "a folder of single cells of 10x Genomics",
            Format::Plink => "PLINK genotypes",
        })
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Format::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}

/// A format, and a remark if it was not the only possibility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Detected {
    pub(super) format: Format,
    pub(super) doubt: Option<String>,
}

impl From<Format> for Detected {
    fn from(format: Format) -> Self {
        Detected { format, doubt: None }
    }
}

/// Detects the format from the first bytes of a file, unpacked, and its name.
pub(super) fn detect(path: &Path, start: &[u8]) -> Detected {
    for (magic, format) in [
        (&svtdc::MAGIC[..], Format::Svtdc),
        (b"PAR1", Format::Parquet),
        (ZIP_MAGIC, Format::Npz),
        (HDF5_MAGIC, Format::H5ad),
        (&plink::MAGIC[..], Format::Plink),
    ] {
        if start.starts_with(magic) {
            return format.into();
        }
    }
    let banner = start.get(..matrix_market::BANNER.len());
    if banner.is_some_and(|found| found.eq_ignore_ascii_case(matrix_market::BANNER)) {
        return Format::MatrixMarket.into();
    }
    let lines = whole_lines(start);
    pairs(path, &lines)
        .or_else(|| separator(&lines).map(|_| Format::CountsCsv.into()))
        .or_else(|| text(path, start, &lines).map(Detected::from))
        .unwrap_or(Format::Docword.into())
}

/// What a file is that is neither counts nor text, and what to do with it.
pub(super) fn foreign(start: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 6] = [
        (PDF_MAGIC, "a PDF; extract its text first, for instance with pdftotext"),
        (b"\x89PNG", "an image; words are needed"),
        (b"\xff\xd8\xff", "an image; words are needed"),
        (b"GIF8", "an image; words are needed"),
        (b"\xd0\xcf\x11\xe0", "an old office document; save it as text first"),
        (b"\x7fELF", "a program; words are needed"),
    ];
    const MODEL: &[u8] = br#"{"__metadata__":{"svtd":"#;
    if start.get(8..).is_some_and(|rest| rest.starts_with(MODEL)) {
        return Some("a model saved by svtd; documents are needed here, as text or counts");
    }
    if is_json_array(start) {
        return Some(
            "a JSON array; an object a line is needed (JSON Lines), as jq -c '.[]' makes of it",
        );
    }
    KINDS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, what)| *what)
}

/// Whether lines end in `\r` and none in `\n`.
pub(super) fn has_old_line_ends(start: &[u8]) -> bool {
    start.trim_ascii_end().contains(&b'\r') && !start.contains(&b'\n')
}

/// Whether it begins like a JSON array of objects, texts or arrays; `[1] See below` is text.
fn is_json_array(start: &[u8]) -> bool {
    let inside = start.trim_ascii_start().strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    match inside {
        Some([b'{', rest @ ..]) => matches!(rest.trim_ascii_start(), [b'"' | b'}', ..]),
        // A text between quotes, followed by a comma or the end.
        Some([b'"', rest @ ..]) => {
            let end = rest.iter().position(|&b| b == b'"').map(|end| &rest[end + 1..]);
            matches!(end.map(<[u8]>::trim_ascii_start), Some([b',' | b']', ..]))
        }
        _ => false,
    }
}

/// Text, if the first line that is not empty has a letter.
fn text(path: &Path, start: &[u8], lines: &[&[u8]]) -> Option<Format> {
    if start.trim_ascii_start().starts_with(b"{") || has_ending(path, &["jsonl", "ndjson"]) {
        return Some(Format::JsonLines);
    }
    if is_html(start) || has_ending(path, &["html", "htm", "xhtml"]) {
        return Some(Format::Html);
    }
    if has_ending(path, &["csv"]) {
        return Some(Format::Csv);
    }
    if has_ending(path, &["tsv", "tab"]) {
        return Some(Format::Tsv);
    }
    let first = lines.iter().find(|line| !line.trim_ascii().is_empty())?;
    let has_letter = String::from_utf8_lossy(first).contains(char::is_alphabetic);
    has_letter.then_some(Format::Lines)
}

/// The beginning of a zip archive: an `.npz` file, a spreadsheet or a document.
pub(super) const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
/// The beginning of a PDF.
pub(super) const PDF_MAGIC: &[u8] = b"%PDF";
const HDF5_MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Whether text begins like an HTML page.
pub(super) fn is_html(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let begins =
        |with: &[u8]| start.get(..with.len()).is_some_and(|s| s.eq_ignore_ascii_case(with));
    begins(b"<!doctype html") || begins(b"<html")
}

/// The lines of the sample without the last one, which may be cut.
fn whole_lines(start: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = start.split(|&b| b == b'\n').take(LINES).collect();
    if lines.len() > 1 && (lines.len() == LINES || start.len() >= SAMPLE || start.ends_with(b"\n"))
    {
        lines.pop();
    }
    lines
}

/// Recognises lines of `number index:count ...`, of which there are two kinds.
fn pairs(path: &Path, lines: &[&[u8]]) -> Option<Detected> {
    let shapes: Vec<PairLine> = lines.iter().filter_map(|line| PairLine::of(line)).collect();
    let with_pairs = shapes.iter().filter(|shape| shape.n_pairs > 0).count();
    if with_pairs == 0 || 2 * shapes.len() < lines.len() {
        return None;
    }
    let counted = shapes.iter().filter(|shape| shape.first == Some(shape.n_pairs as u64)).count();
    let lda_c = 10 * counted >= 9 * shapes.len();
    if !lda_c {
        return Some(Format::SvmLight.into());
    }
    let named = |endings: &[&str]| has_ending(path, endings);
    if named(&["svm", "svmlight", "libsvm"]) {
        return Some(Detected {
            format: Format::SvmLight,
            doubt: Some(
                "by its name; every label counts the pairs of its line, as in LDA-C: \
                         format lda-c reads it so"
                    .to_owned(),
            ),
        });
    }
    let doubt = (shapes.len() < 5 && !named(&["ldac", "lda-c"])).then(|| {
        "because the first number of each line counts its pairs; if it is a label, \
         format svmlight reads it so"
            .to_owned()
    });
    Some(Detected { format: Format::LdaC, doubt })
}

/// A summary of a line of pairs.
struct PairLine {
    /// The number in front, if it is whole.
    first: Option<u64>,
    n_pairs: usize,
}

impl PairLine {
    /// `None` unless the line consists of a label and pairs with a colon, up to a comment.
    fn of(line: &[u8]) -> Option<Self> {
        let line = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut parts = fields(line);
        let first = parts.next()?;
        let mut n_pairs = 0;
        for part in parts {
            let colon = part.iter().position(|&b| b == b':')?;
            let query = &part[..colon] == b"qid";
            whole_number(&part[..colon]).or(query.then_some(0))?;
            n_pairs += usize::from(!query);
        }
        // A label may be any word, but a word alone is not yet a document.
        (n_pairs > 0 || dense::is_number(first))
            .then(|| PairLine { first: whole_number(first), n_pairs })
    }
}

/// The separator of a dense table of counts, if this is one: a first row that is not all numbers, followed by rows
/// of the same number of cells, nearly all of them numbers except the first.
fn separator(lines: &[&[u8]]) -> Option<u8> {
    let (header, rows) = lines.split_first()?;
    let rows: Vec<&[u8]> =
        rows.iter().copied().filter(|row| !row.trim_ascii().is_empty()).collect();
    if rows.is_empty() {
        return None;
    }
    [b'\t', b',', b';'].into_iter().find(|&separator| {
        let (n_columns, n_numbers) = shape(header, separator);
        let rows: Vec<(usize, usize)> = rows.iter().map(|row| shape(row, separator)).collect();
        let numeric = rows.iter().filter(|(n_cells, n_numbers)| n_cells == n_numbers).count();
        let as_wide = rows.iter().filter(|(n_cells, _)| *n_cells == n_columns).count();
        n_columns > 1
            && n_numbers < n_columns
            && 10 * numeric >= 9 * rows.len()
            && 2 * as_wide >= rows.len()
    })
}

/// How many cells a row has, and how many of them are numbers; the first counts as one.
fn shape(line: &[u8], separator: u8) -> (usize, usize) {
    let mut n_numbers = 0;
    let n_cells = dense::cells(line.trim_ascii_end(), separator, |i, cell| {
        n_numbers += usize::from(i == 0 || dense::is_number(cell.trim_ascii()));
        Ok(())
    });
    (n_cells.unwrap_or(0), n_numbers)
}

/// Whether the name, without `.gz` or `.zst`, has one of these endings.
pub(super) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let name = name.to_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(&name);
    endings.iter().any(|ending| name.rsplit_once('.').is_some_and(|(_, found)| found == *ending))
}

#[cfg(test)]
mod tests;
