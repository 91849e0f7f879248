//! Files of counts or text into a corpus.
//!
//! Reading has two steps, so that a caller can say what is being read before it takes its time:
//! [`open`](CorpusReader::open) looks at how the file begins and settles the format (`format`),
//! [`read`](Opened::read) reads it. Each format has a module that turns bytes into rows; what
//! remains is the same for all: find the words, check that they fit, build the corpus.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::cells::{self, TenxFolder};
use super::documents::{self, Encoding, Kind, Layout, Office};
use super::entries::{self, Header, Table};
use super::format::{self, Detected};
use super::meter::Meter;
use super::npz::Npz;
#[cfg(feature = "parquet")]
use super::parquet::{Parquet, counts, texts::Texts};
use super::source::{Source, line_error};
use super::united::{self, Part};
use super::zip::Archive;
use super::{Columns, Corpus, CorpusBuilder, Format, SparseCounts, Vocabulary};
use super::{dense, docword, lda_c, matrix_market, plink, svmlight, svtdc};
use crate::error::{Error, Result};
use crate::memory::{self, Limit};
use crate::text::{Batch, Preprocessing, Records, count_records};

/// The folder of what lies in memory, which no file system has.
const MEMORY: &str = "\0";

/// Documents that may be empty whatever the number of counts, and 50 more for each.
const PLAUSIBLE_DOCUMENTS: u64 = 1_000_000;

/// A vocabulary that nobody confirms may have this many words, and 50 more for each entry.
const PLAUSIBLE_WORDS: u64 = 1_000_000;

/// How to read a corpus from files of counts or of text.
///
/// The formats are those of [`Format`]; which one a file has is told by how it begins. Files may
/// be packed with gzip or zstd, and `-` is standard input. Entries with a count of zero are left
/// out and tallied in the [report](Corpus::report), whose notes also say when no vocabulary was
/// found.
///
/// The words come from the file named by [`vocabulary_file`](Self::vocabulary_file), from the
/// table itself if it has them, or from `vocab.NAME.txt` beside `docword.NAME.txt`.
///
/// # Example
/// ```no_run
/// use svtd::CorpusReader;
///
/// let corpus = CorpusReader::new()
///     .vocabulary_file("words.txt")
///     .read("counts.mtx.gz")?;
/// # Ok::<(), svtd::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CorpusReader {
    vocabulary_file: Option<PathBuf>,
    format: Option<Format>,
    transposed: bool,
    columns: Columns,
    index_base: Option<u8>,
    layout: Layout,
    preprocessing: Preprocessing,
    whole: bool,
    layer: Option<String>,
    meter: Meter,
    limit: Limit,
}

impl CorpusReader {
    /// A reader that looks for the vocabulary where its format keeps it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the words from this file, one word a line in the order of their ids.
    pub fn vocabulary_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.vocabulary_file = Some(path.into());
        self
    }

    /// Takes the file to be in this format, whatever it looks like.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Takes the columns of a matrix to be the documents, and its rows the words.
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.transposed = transposed;
        self
    }

    /// Which columns of a table hold what.
    pub fn columns(mut self, columns: Columns) -> Self {
        self.layout.id_column.clone_from(&columns.id);
        self.layout.label_column.clone_from(&columns.label);
        self.columns = columns;
        self
    }

    /// The number of the first word in SVMlight files, which say it nowhere: 0, or else 1. Unless told,
    /// it is 0 if a word has that number.
    pub fn index_base(mut self, base: u8) -> Self {
        self.index_base = Some(base.min(1));
        self
    }

    /// How text becomes words. With a [vocabulary file](Self::vocabulary_file) its words, and no
    /// others, are counted.
    pub fn preprocessing(mut self, preprocessing: Preprocessing) -> Self {
        self.preprocessing = preprocessing;
        self
    }

    pub(super) fn preprocessing_asked(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// Which characters the bytes of text stand for; UTF-8 unless told.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.layout.encoding = encoding;
        self
    }

    /// The columns of JSON Lines, a table or Parquet that hold the text; several are joined. Without any, a
    /// column of a usual name is looked for, such as `text`.
    pub fn text_columns(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.layout.text_columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Which files of a folder are documents, by a pattern such as `*.txt`; all unless told.
    pub fn files(mut self, pattern: impl Into<String>) -> Self {
        self.layout.files = Some(pattern.into());
        self
    }

    /// Passes over files of a folder that cannot be read, and tells them in the
    /// [report](Corpus::report).
    pub fn skip_bad(mut self, skip: bool) -> Self {
        self.layout.skip_bad = skip;
        self
    }

    /// The layer of an AnnData file that holds the counts; `X` unless told.
    pub fn layer(mut self, layer: impl Into<String>) -> Self {
        self.layer = Some(layer.into());
        self
    }

    /// Takes a file of plain text for one document, where no format is asked for, and not for one a
    /// line.
    pub fn whole(mut self, whole: bool) -> Self {
        self.whole = whole;
        self
    }

    /// Calls `watcher` while reading, with how much is read and of how much: bytes on disk, or rows
    /// of a Parquet file. How much there is to come of a pipe is not known, which 0 stands for.
    pub fn watched(mut self, watcher: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        self.meter = Meter::telling(watcher);
        self
    }

    /// Keeps what is read within a limit on memory; the rest lies in temporary files. So does what is
    /// made of the corpus later: parts of it, and what a fit keeps of every document.
    pub fn within(mut self, limit: &Limit) -> Self {
        self.limit = limit.clone();
        self
    }

    /// Reads a corpus: [`open`](Self::open) and [`read`](Opened::read) in one.
    ///
    /// # Errors
    /// If a file cannot be read or is malformed, in which case the message names the line; if
    /// the vocabulary has not as many words as the counts; if no word occurs at all.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Corpus> {
        self.open(path)?.read()
    }

    /// Reads a file that is in memory: a page, a document, a spreadsheet, or single cells in HDF5.
    ///
    /// # Errors
    /// As [`read`](Self::read); and for a format that is only read from files.
    pub fn read_bytes_as(&self, bytes: &[u8], format: Format) -> Result<Corpus> {
        let name = "the bytes";
        let mut records = match format {
            Format::Xlsx | Format::Office => {
                documents::of_archive(name, format, bytes, &self.layout)?
            }
            Format::Html => documents::of_page(name, bytes),
            #[cfg(feature = "hdf5")]
            Format::H5ad | Format::TenxH5 => {
                let refused = |reason| Error::File { path: name.to_owned(), reason };
                let file = cells::H5::from_bytes(bytes.to_vec()).map_err(refused)?;
                let found = cells::read_h5(&file, &self.part()).map_err(refused)?;
                return self.finish(found.into(), name);
            }
            other => {
                return Err(Error::Option {
                    name: "format",
                    needed: "html, office, xlsx, h5ad or 10x-h5 for bytes in memory".to_owned(),
                    found: other.name().to_owned(),
                });
            }
        };
        let words = self.given_vocabulary()?;
        count_records(&mut *records, &self.preprocessing, words.as_ref(), &self.limit)
    }

    /// Which part of a file of cells is meant.
    #[cfg(feature = "hdf5")]
    fn part(&self) -> cells::Part {
        cells::Part { layer: self.layer.clone(), label: self.columns.label.clone() }
    }

    /// Reads several inputs as one corpus, documents in the order of the inputs.
    ///
    /// Text is counted as if it had been one input. Counts are united by word. Where there are
    /// both, and the counts were counted from text once, text is split as it was then, and
    /// its words are those that the counts know.
    ///
    /// # Errors
    /// As [`read`](Self::read); when inputs do not fit together, the message says which and why.
    pub fn read_all(&self, inputs: Vec<Opened>) -> Result<Corpus> {
        memory::caught(|| self.read_all_within(inputs))
    }

    fn read_all_within(&self, inputs: Vec<Opened>) -> Result<Corpus> {
        let (texts, counted): (Vec<Opened>, Vec<Opened>) =
            inputs.into_iter().partition(Opened::is_text);
        let mut parts = Vec::new();
        for opened in counted {
            let name = opened.name.clone();
            parts.push(Part { name, corpus: opened.read()? });
        }
        if let Some(first) = texts.first() {
            let name = first.name.clone();
            let known = match parts.is_empty() {
                true => None,
                false => Some(united::unite(std::mem::take(&mut parts))?),
            };
            let choice = known.as_ref().and_then(Corpus::word_choice);
            let (preprocessing, words) = match (choice, &known) {
                (Some(choice), Some(known)) => {
                    (choice.preprocessing.for_new_documents(), Some(known.vocabulary().clone()))
                }
                _ => (self.preprocessing.clone(), self.given_vocabulary()?),
            };
            let mut records =
                Chained::new(texts.into_iter().map(Opened::into_records).rev().collect());
            let corpus = count_records(&mut records, &preprocessing, words.as_ref(), &self.limit)?;
            let choice = choice.cloned();
            parts.extend(known.map(|corpus| Part { name: name.clone(), corpus }));
            parts.push(Part { name, corpus });
            let all = united::unite(parts)?;
            // The words were chosen when the counts were made, as when documents are added to them.
            return Ok(match choice {
                Some(choice) => all.chosen_by(&choice),
                None => all,
            });
        }
        united::unite(parts)
    }

    /// Opens a file and settles its format.
    ///
    /// # Errors
    /// If the file cannot be opened, is no corpus at all, or is asked to be turned on its side
    /// and has none.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Opened> {
        let path = path.as_ref();
        if let Some(opened) = self.open_cells_folder(path)? {
            return Ok(opened);
        }
        if path.is_dir() && matches!(self.format, None | Some(Format::Folder)) {
            return self.open_folder(path);
        }
        if self.format == Some(Format::Folder) {
            return Err(Error::Option {
                name: "format",
                needed: "that of a file, or left out, for what is no folder".to_owned(),
                found: format!("folder for {}", path.display()),
            });
        }
        self.open_source(Source::open_watched(path, &self.meter)?.keep_within(&self.limit), path)
    }

    /// Reads a corpus that lies in memory as it would lie in a file, packed or not; `name` is what
    /// messages call it, and its ending counts as that of a file does.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_bytes(&self, bytes: Vec<u8>, name: &str) -> Result<Corpus> {
        let source = Source::of_bytes(bytes, name, &self.meter)?.keep_within(&self.limit);
        // There is no file of this name, so nothing is looked for beside it.
        self.open_source(source, &Path::new(MEMORY).join(name))?.read()
    }

    fn open_source(&self, mut source: Source, path: &Path) -> Result<Opened> {
        let name = source.path().to_owned();
        let start = source.peek(format::SAMPLE)?;
        if start.trim_ascii().is_empty() && start.len() < format::SAMPLE {
            let reason = match start.is_empty() {
                true => "the file is empty; text or a table of counts is needed",
                false => "the file holds nothing but blanks; text or a table of counts is needed",
            };
            return Err(Error::File { path: name, reason: reason.to_owned() });
        }
        if let Some(what) = format::foreign(start) {
            return Err(Error::File { path: name, reason: format!("this is {what}") });
        }
        let Detected { format, doubt } = match self.format {
            Some(format) => format.into(),
            None => match format::detect(path, start) {
                found if found.format == Format::Lines && self.whole => Format::Document.into(),
                found => found,
            },
        };
        let archived = matches!(format, Format::Xlsx | Format::Office);
        if format.is_text() && !archived {
            documents::check_start(&name, start)?;
        }
        if self.layer.is_some() && format != Format::H5ad {
            return Err(Error::Option {
                name: "layer",
                needed: "left out but for AnnData (.h5ad)".to_owned(),
                found: format!("{name}, which is {format}"),
            });
        }
        if self.transposed && !format.is_matrix() {
            return Err(Error::Option {
                name: "transpose",
                needed: "left out for documents that stand one on a line".to_owned(),
                found: format!("{name}, which is {format}"),
            });
        }
        let refused = |reason| Error::File { path: name.clone(), reason };
        let mut format = format;
        let input = match format {
            Format::Npz | Format::Xlsx | Format::Office => {
                let file = source.into_file(path)?;
                if let Some(found) = archived_text(&file, self.format, &name)? {
                    let (kind, bytes) = found;
                    format = kind;
                    Input::Records(documents::of_archive(&name, kind, &bytes, &self.layout)?)
                } else {
                    Input::Npz(Box::new(Npz::open(file).map_err(refused)?))
                }
            }
            #[cfg(feature = "hdf5")]
            Format::H5ad | Format::TenxH5 => {
                let opened = cells::H5::open(source.into_file(path)?).map_err(refused)?;
                format = if opened.is_tenx() { Format::TenxH5 } else { Format::H5ad };
                Input::H5(Box::new(opened))
            }
            #[cfg(not(feature = "hdf5"))]
            Format::H5ad | Format::TenxH5 => {
                return Err(refused("this build of svtd cannot read HDF5".to_owned()));
            }
            Format::Plink => Input::Plink(source.into_file(path)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let text = &self.layout.text_columns;
                let opened =
                    Parquet::open(source.into_file(path)?, &self.columns, text, &self.meter);
                Input::Parquet(Box::new(opened.map_err(refused)?))
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => {
                return Err(refused("this build of svtd cannot read Parquet".to_owned()));
            }
            _ => Input::Lines(source),
        };
        Ok(Opened { reader: self.clone(), path: path.to_owned(), name, format, doubt, input })
    }

    /// A folder of single cells, if it is one and no other format is asked for.
    fn open_cells_folder(&self, path: &Path) -> Result<Option<Opened>> {
        if !matches!(self.format, None | Some(Format::TenxFolder)) {
            return Ok(None);
        }
        let Some(found) = path.is_dir().then(|| TenxFolder::in_folder(path)).flatten() else {
            if self.format.is_none() {
                return Ok(None);
            }
            return Err(Error::File {
                path: path.display().to_string(),
                reason: "expected a folder with matrix.mtx, features.tsv (or genes.tsv) and \
                         barcodes.tsv, plain or packed with gzip"
                    .to_owned(),
            });
        };
        Ok(Some(Opened {
            reader: self.clone(),
            path: path.to_owned(),
            name: path.display().to_string(),
            format: Format::TenxFolder,
            doubt: None,
            input: Input::TenxFolder(found),
        }))
    }

    fn open_folder(&self, path: &Path) -> Result<Opened> {
        Ok(Opened {
            reader: self.clone(),
            path: path.to_owned(),
            name: path.display().to_string(),
            format: Format::Folder,
            doubt: None,
            input: Input::Records(documents::of_folder(path, self.layout.clone(), &self.meter)?),
        })
    }
}

/// Streams of documents, one behind the other.
struct Chained {
    /// Those yet to come, the first one last.
    streams: Vec<Result<Box<dyn Records>>>,
    /// What those that are over had to say.
    remarks: Vec<String>,
    n_skipped_links: u64,
}

impl Chained {
    fn new(streams: Vec<Result<Box<dyn Records>>>) -> Self {
        Chained { streams, remarks: Vec::new(), n_skipped_links: 0 }
    }
}

impl Records for Chained {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        while let Some(mut records) = self.streams.pop().transpose()? {
            if records.next_into(batch)? {
                self.streams.push(Ok(records));
                return Ok(true);
            }
            self.remarks.extend(records.remarks());
            self.n_skipped_links += records.n_skipped_links();
        }
        Ok(false)
    }

    fn n_skipped_links(&self) -> u64 {
        self.n_skipped_links
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }
}

/// A file that is open, of a format that is settled.
pub struct Opened {
    reader: CorpusReader,
    path: PathBuf,
    /// The path as messages call it.
    name: String,
    format: Format,
    doubt: Option<String>,
    input: Input,
}

enum Input {
    Lines(Source),
    Npz(Box<Npz>),
    #[cfg(feature = "parquet")]
    Parquet(Box<Parquet>),
    /// Text that is not in lines: a folder, a spreadsheet, a document.
    Records(Box<dyn Records>),
    #[cfg(feature = "hdf5")]
    H5(Box<cells::H5>),
    TenxFolder(TenxFolder),
    Plink(File),
}

/// Counts as a format gives them, with what it knows of words and documents.
struct Counts {
    table: Table,
    /// Whether there may be more words than the largest id tells.
    open_ended: bool,
    words: Option<Vec<String>>,
    names: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    notes: Vec<String>,
}

impl From<Table> for Counts {
    fn from(table: Table) -> Self {
        let (words, names, labels) = (None, None, None);
        Counts { table, open_ended: false, words, names, labels, notes: vec![] }
    }
}

impl From<cells::Cells> for Counts {
    fn from(found: cells::Cells) -> Self {
        let (words, names) = (Some(found.genes), Some(found.cells));
        let (labels, notes) = (found.labels, found.notes);
        Counts { words, names, labels, notes, ..found.table.into() }
    }
}

impl Opened {
    /// The format it is read in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What is read and as what, in half a sentence: `counts.npz as SciPy CSR`. Where the contents
    /// leave a choice, it says why this one was made and how to make the other.
    pub fn description(&self) -> String {
        let name = &self.name;
        let on_its_side = if self.reader.transposed { ", documents as columns" } else { "" };
        let doubt = self.doubt.as_ref().map(|doubt| format!(" {doubt}")).unwrap_or_default();
        match &self.input {
            Input::Npz(npz) => format!("{name} as SciPy {}{on_its_side}", npz.layout),
            #[cfg(feature = "parquet")]
            Input::Parquet(parquet) => format!("{name} as {}", parquet.description()),
            #[cfg(feature = "hdf5")]
            Input::H5(_) => {
                let part = self.reader.layer.as_ref().map(|layer| format!(", layer {layer}"));
                format!("{name} as {}{}", self.format, part.unwrap_or_default())
            }
            Input::Lines(_) | Input::Records(_) | Input::TenxFolder(_) | Input::Plink(_) => {
                format!("{name} as {}{on_its_side}{doubt}", self.format)
            }
        }
    }

    /// The documents themselves, one after the other, in the order in which [`read`](Self::read)
    /// counts them; `None` when the file holds counts and no text.
    ///
    /// # Errors
    /// When a table has not the columns asked for.
    pub fn records(self) -> Result<Option<Box<dyn Records>>> {
        if self.is_text() { self.into_records().map(Some) } else { Ok(None) }
    }

    /// Whether it holds text, to be split into words.
    pub fn is_text(&self) -> bool {
        match &self.input {
            #[cfg(feature = "parquet")]
            Input::Parquet(parquet) => !parquet.is_counted(),
            Input::Records(_) => true,
            #[cfg(feature = "hdf5")]
            Input::H5(_) => false,
            Input::TenxFolder(_) | Input::Plink(_) | Input::Npz(_) => false,
            Input::Lines(_) => self.format.is_text(),
        }
    }

    /// Its documents, one after the other; for text only.
    fn into_records(self) -> Result<Box<dyn Records>> {
        match self.input {
            #[cfg(feature = "parquet")]
            Input::Parquet(parquet) => Ok(Box::new(Texts::new(*parquet, self.name))),
            Input::Records(records) => Ok(records),
            Input::Lines(source) => documents::of_file(self.format, source, self.reader.layout),
            _ => Err(Error::File {
                path: self.name,
                reason: "this is a table of counts, not text".to_owned(),
            }),
        }
    }

    /// Reads the corpus.
    ///
    /// # Errors
    /// As [`CorpusReader::read`].
    pub fn read(self) -> Result<Corpus> {
        memory::caught(|| {
            let words = match self.is_text() {
                true => self.reader.given_vocabulary()?,
                false => None,
            };
            let preprocessing = self.reader.preprocessing.clone();
            self.read_with(&preprocessing, words.as_ref())
        })
    }

    /// What messages call it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Reads the corpus; text is split as told, and counted over these words if there are any.
    pub(super) fn read_with(
        self,
        preprocessing: &Preprocessing,
        words: Option<&Vocabulary>,
    ) -> Result<Corpus> {
        if self.is_text() {
            let limit = self.reader.limit.clone();
            return count_records(&mut *self.into_records()?, preprocessing, words, &limit);
        }
        let Opened { reader, path, name, format, input, .. } = self;
        let refused = |reason| Error::File { path: name.clone(), reason };
        let mut source = match input {
            #[cfg(feature = "parquet")]
            Input::Parquet(mut parquet) => {
                let found = counts::read(&mut parquet).map_err(refused)?;
                let (names, labels) = (found.names, found.labels);
                let counts = Counts { open_ended: true, names, labels, ..found.table.into() };
                return reader.finish(counts, &name);
            }
            Input::Npz(npz) => {
                let matrix = npz.read().map_err(refused)?;
                let turned = matrix.by_columns != reader.transposed;
                return reader.finish(turn(matrix.table, turned).into(), &name);
            }
            #[cfg(feature = "hdf5")]
            Input::H5(file) => {
                let found = cells::read_h5(&file, &reader.part()).map_err(refused)?;
                return reader.finish(found.into(), &name);
            }
            Input::TenxFolder(folder) => {
                return reader.finish(folder.read(&reader.meter)?.into(), &name);
            }
            Input::Plink(file) => {
                let found = plink::read(&path, file, &reader.meter)?;
                let (words, names) = (Some(found.words), Some(found.names));
                let notes = found.notes;
                let counts = Counts { words, names, notes, ..found.table.into() };
                return reader.finish(counts, &name);
            }
            // Text, which was read above.
            Input::Records(_) => return Err(refused("this is text".to_owned())),
            Input::Lines(source) => source,
        };
        if format == Format::Svtdc {
            return reader.read_counted(&mut source);
        }
        let n_words = reader.given_vocabulary()?.map_or(0, |words| words.len());
        match format {
            Format::LdaC => {
                let table = lda_c::read(&mut source, n_words)?;
                reader.finish(Counts { open_ended: true, ..table.into() }, &name)
            }
            Format::SvmLight => {
                let found = svmlight::read(&mut source, n_words, reader.index_base)?;
                let base = u8::from(!found.from_zero);
                let told = format!("{name}: words are numbered from {base}");
                let notes = if reader.index_base.is_some() { vec![] } else { vec![told] };
                let labels = Some(found.labels);
                let counts = Counts { open_ended: true, labels, notes, ..found.table.into() };
                reader.finish(counts, &name)
            }
            Format::CountsCsv => {
                let dense = dense::read(&mut source)?;
                let (words, names) = match reader.transposed {
                    true => (dense.rows, Some(dense.columns)),
                    false => (Some(dense.columns), dense.rows),
                };
                let table = turn(dense.table, reader.transposed);
                reader.finish(Counts { words, names, ..table.into() }, &name)
            }
            _ => reader.read_entries(source, &path),
        }
    }
}

impl CorpusReader {
    /// The counts of a docword or MatrixMarket file alone, under the ids of the file and in its
    /// order: the part of reading that is bound by bytes, for those who measure it.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_rows(&self, path: impl AsRef<Path>) -> Result<SparseCounts> {
        let mut source = Source::open(path.as_ref())?;
        let header = read_header(&mut source, false)?;
        Ok(entries::read(&mut source, &header)?.rows)
    }

    /// A docword or MatrixMarket file.
    fn read_entries(&self, mut source: Source, path: &Path) -> Result<Corpus> {
        let header = read_header(&mut source, self.transposed)?;
        // Read before the entries, which may take minutes to fetch only to be turned away.
        let vocabulary = self.find_vocabulary(path, &header)?;
        let table = entries::read(&mut source, &header)?;
        let (vocabulary, notes) = match vocabulary {
            Some(vocabulary) => (vocabulary, vec![]),
            None => {
                let line = if self.transposed { header.rows_line } else { header.columns_line };
                let refused = |reason| source.error_at(line, reason);
                numbered(source.path(), header.n_words(), header.n_entries).map_err(refused)?
            }
        };
        let table = turn(table, self.transposed);
        let corpus = CorpusBuilder::from_rows(table.rows)
            .zero_entries(table.n_zeros)
            .vocabulary(vocabulary)
            .notes(notes)
            .build()?;
        check_repeats(&corpus, path, source.path(), self.transposed)?;
        Ok(corpus)
    }

    /// A corpus file, which brings everything along.
    fn read_counted(&self, source: &mut Source) -> Result<Corpus> {
        if let Some(words) = &self.vocabulary_file {
            return Err(Error::Option {
                name: "vocab",
                needed: "left out for a counted corpus, which has its own words".to_owned(),
                found: words.display().to_string(),
            });
        }
        svtdc::read(source)
    }

    /// The vocabulary asked for, or else the one beside the file.
    fn find_vocabulary(&self, path: &Path, header: &Header) -> Result<Option<Vocabulary>> {
        let asked = self.vocabulary_file.clone();
        let Some(file) = asked.or_else(|| docword::vocabulary_beside(path)) else {
            return Ok(None);
        };
        let vocabulary = Vocabulary::read(&file)?;
        check_size(&vocabulary, &file, header.n_words() as usize, path)?;
        Ok(Some(vocabulary))
    }

    fn given_vocabulary(&self) -> Result<Option<Vocabulary>> {
        self.vocabulary_file.as_ref().map(Vocabulary::read).transpose()
    }

    /// Words for the counts of any other format, and the corpus.
    fn finish(&self, counts: Counts, name: &str) -> Result<Corpus> {
        let Counts { table, open_ended, words, names, labels, mut notes } = counts;
        let (n_documents, n_entries) = (table.rows.n_rows() as u64, table.rows.n_nonzeros() as u64);
        if !entries::is_plausible(n_documents, n_entries, PLAUSIBLE_DOCUMENTS) {
            let reason = format!(
                "{n_documents} documents declared for {n_entries} counts; is the shape right?"
            );
            return Err(Error::File { path: name.to_owned(), reason });
        }
        let n_words = table.rows.n_columns();
        let vocabulary = match (self.given_vocabulary()?, words) {
            (Some(given), _) => {
                let file = self.vocabulary_file.clone().unwrap_or_default();
                if !open_ended || given.len() < n_words {
                    check_size(&given, &file, n_words, Path::new(name))?;
                }
                given
            }
            (None, Some(words)) => Vocabulary::from_words(words)?,
            (None, None) => {
                let refused = |reason| Error::File { path: name.to_owned(), reason };
                let n_entries = table.rows.n_nonzeros() as u64;
                let (numbers, note) = numbered(name, n_words as u32, n_entries).map_err(refused)?;
                notes.extend(note);
                numbers
            }
        };
        let mut builder = CorpusBuilder::from_rows(table.rows.kept_within(&self.limit))
            .zero_entries(table.n_zeros)
            .vocabulary(vocabulary)
            .notes(notes);
        if let Some(names) = names {
            builder = builder.names(names);
        }
        if let Some(labels) = labels {
            builder = builder.labels(labels);
        }
        builder.build()
    }
}

/// The table, with rows and columns exchanged if asked for.
fn turn(table: Table, turned: bool) -> Table {
    let rows: SparseCounts = if turned { table.rows.transpose() } else { table.rows };
    Table { rows, ..table }
}

fn check_size(vocabulary: &Vocabulary, file: &Path, n_words: usize, counts: &Path) -> Result<()> {
    if vocabulary.len() == n_words {
        return Ok(());
    }
    Err(Error::VocabularyMismatch {
        needed: format!("{n_words} words, as {} has", counts.display()),
        found: format!("{} words in {}", vocabulary.len(), file.display()),
    })
}

/// Reads the header of a docword or MatrixMarket file.
pub(super) fn read_header(source: &mut Source, transposed: bool) -> Result<Header> {
    let Some(first_line) = source.next_line()?.map(<[u8]>::to_vec) else {
        return Err(source.error("the file is empty; expected a table of counts"));
    };
    let start = first_line.get(..matrix_market::BANNER.len());
    if start.is_some_and(|s| s.eq_ignore_ascii_case(matrix_market::BANNER)) {
        matrix_market::header(&first_line, source, transposed)
    } else {
        docword::header(&first_line, source, transposed)
    }
}

/// What an archive holds that is no matrix but text, with its bytes; `asked` is the format that was
/// asked for, if any.
fn archived_text(
    file: &File,
    asked: Option<Format>,
    name: &str,
) -> Result<Option<(Format, Vec<u8>)>> {
    let io_error = |source| Error::Io { path: name.to_owned(), source };
    if asked == Some(Format::Npz) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let mut again = file.try_clone().map_err(io_error)?;
    let archive = Archive::open(file.try_clone().map_err(io_error)?);
    if archive.is_ok_and(|archive| archive.has("format.npy")) && asked.is_none() {
        return Ok(None);
    }
    again.seek(SeekFrom::Start(0)).map_err(io_error)?;
    again.take(documents::LONGEST_DOCUMENT as u64 + 1).read_to_end(&mut bytes).map_err(io_error)?;
    if bytes.len() > documents::LONGEST_DOCUMENT {
        return Err(documents::too_long(name));
    }
    let kind = Office::open(&bytes).ok().and_then(|office| office.kind());
    Ok(match (asked, kind) {
        (Some(format), _) => Some((format, bytes)),
        (None, Some(Kind::Xlsx)) => Some((Format::Xlsx, bytes)),
        (None, Some(_)) => Some((Format::Office, bytes)),
        (None, None) => None,
    })
}

/// Numbers for words, if there are not absurdly many, and a note that says so.
fn numbered(name: &str, n_words: u32, entries: u64) -> Result<(Vocabulary, Vec<String>), String> {
    let words = u64::from(n_words);
    if words > entries.saturating_mul(50).saturating_add(PLAUSIBLE_WORDS) {
        return Err(format!(
            "{words} words declared for {entries} entries; if that is right, give a vocabulary file"
        ));
    }
    let note = format!("{name}: no vocabulary found, so the words are called 1 to {words}");
    Ok((Vocabulary::numbered(n_words as usize), vec![note]))
}

/// Refuses a corpus that counts a word of a document twice, naming the lines.
fn check_repeats(corpus: &Corpus, path: &Path, name: &str, transposed: bool) -> Result<()> {
    let Some((row, feature)) = corpus.rows().first_repeat() else {
        return Ok(());
    };
    let (document, word) = (row as u32, corpus.word_of_feature()[feature as usize]);
    let what = format!("word {} of document {}", word + 1, document + 1);
    let (row, column) = if transposed { (word, document) } else { (document, word) };
    Err(match lines_of(path, row, column) {
        Some((first, second)) => {
            let reason = format!("{what} was already counted on line {first}");
            line_error(name, second, reason)
        }
        None => Error::File { path: name.to_owned(), reason: format!("{what} is counted twice") },
    })
}

/// The two lines, unless the file is a pipe that cannot be read again or has changed meanwhile.
fn lines_of(path: &Path, row: u32, column: u32) -> Option<(u64, u64)> {
    if !path.is_file() {
        return None;
    }
    let mut source = Source::open(path).ok()?;
    let header = read_header(&mut source, false).ok()?;
    entries::find_twice(&mut source, &header, row, column).ok()?
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    /// Reads `text` from a file of this name in a folder of its own.
    fn read_as(name: &str, text: &[u8]) -> Result<Corpus> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Corpus::read(&path)
    }

    fn read(text: &str) -> Corpus {
        read_as("counts.txt", text.as_bytes()).unwrap()
    }

    fn expected() -> Corpus {
        let mut builder = Corpus::builder(5);
        builder.push_document([(1, 1), (4, 3)]).unwrap();
        builder.push_document([]).unwrap();
        builder.push_document([(1, 2)]).unwrap();
        builder.build().unwrap()
    }

    #[test]
    fn one_corpus_in_every_dress_is_the_same_corpus() {
        let table = [
            "3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n",
            "3\n5\n3\n1 2 1\n1 5 3\n3 2 2",
            "3\r\n5\r\n3\r\n1 2 1\r\n1 5 3\r\n3 2 2\r\n",
            "\u{feff}3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n",
            " 3\n5 \n3\n1\t2\t1\n 1   5 3 \n3 2 \t 2\n",
            "3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n\n \n\r\n",
            "3\n5\n3\n3 2 2\n1 5 3\n1 2 1\n",
            "3\n5\n3\n1 5 3\n3 2 2\n1 2 1\n",
            "3\n5\n4\n1 2 1\n1 5 3\n2 1 0\n3 2 2\n",
            "3\n5\n3\n001 2 1\n1 00000000000005 3\n3 2 2.0\n",
            "%%MatrixMarket matrix coordinate integer general\n3 5 3\n1 2 1\n1 5 3\n3 2 2\n",
            "%%MatrixMarket matrix coordinate real general\n% a\n%\n\n3 5 3\n1 2 1.0\n1 5 3e0\n3 2 2.\n",
            "%%matrixmarket matrix coordinate unsigned-integer general\n3 5 3\n1 2 1\n1 5 3\n3 2 2\n",
        ];
        for text in table {
            assert_eq!(read(text), expected(), "{text:?}");
        }
    }

    #[test]
    fn a_compressed_file_is_the_same_corpus_whatever_its_name() {
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
        encoder.write_all(b"3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n").unwrap();
        let compressed = encoder.finish().unwrap();
        assert_eq!(read_as("counts.txt", &compressed).unwrap(), expected());
    }

    #[test]
    fn every_entry_of_a_pattern_counts_once() {
        let corpus =
            read("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1\t2\n2 1\n");
        assert_eq!(corpus.lengths(), [2, 1]);
        assert_eq!(corpus.rows().counts(), [1, 1, 1]);
    }

    #[test]
    fn explicit_zeros_are_tallied() {
        let corpus = read("1\n2\n3\n1 1 0\n1 2 4\n1 1 0\n");
        assert_eq!(corpus.report().n_zero_entries, 2);
        assert_eq!(corpus.n_nonzeros(), 1);
    }

    #[test]
    fn the_vocabulary_beside_a_docword_file_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docword.tiny.txt");
        std::fs::write(&path, "1\n2\n1\n1 2 7\n").unwrap();

        let corpus = Corpus::read(&path).unwrap();
        assert!(corpus.vocabulary().is_numbered());
        let note = &corpus.report().notes[0];
        assert!(note.ends_with("no vocabulary found, so the words are called 1 to 2"));

        std::fs::write(folder.path().join("vocab.tiny.txt"), "sole\namor\n").unwrap();
        let corpus = Corpus::read(&path).unwrap();
        assert_eq!(corpus.vocabulary().word(1), "amor");
        assert!(corpus.report().notes.is_empty());

        let other = folder.path().join("other.txt");
        std::fs::write(&other, "luna\nstelle\n").unwrap();
        let corpus = CorpusReader::new().vocabulary_file(&other).read(&path).unwrap();
        assert_eq!(corpus.vocabulary().word(1), "stelle");

        std::fs::write(&other, "luna\n").unwrap();
        let error = CorpusReader::new().vocabulary_file(&other).read(&path).unwrap_err();
        let sentence = error.to_string();
        assert!(sentence.contains("needed 2 words, as "), "{sentence}");
        assert!(sentence.contains("found 1 words in "), "{sentence}");
    }

    #[test]
    fn blocks_and_lines_are_counted_across_the_buffer() {
        // Three megabytes of good lines, then one bad one.
        let n = 250_000;
        let lines: String = (1..=n).map(|d| format!("{d} {} 1\n", d % 9 + 1)).collect();
        assert_eq!(read(&format!("{n}\n9\n{n}\n{lines}")).n_tokens(), n);
        let bad = format!("{n}\n9\n{}\n{lines}1 1 x\n", n + 1);
        let error = read_as("counts.txt", bad.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("line 250004: "), "{error}");
    }

    /// Distinct `(document, word)` cells, each with a count, in shuffled order.
    fn shuffled_entries() -> impl Strategy<Value = Vec<((u32, u32), u32)>> {
        proptest::collection::btree_map((1..8_u32, 1..10_u32), 1..5_u32, 1..40)
            .prop_map(|cells| cells.into_iter().collect::<Vec<_>>())
            .prop_shuffle()
    }

    fn docword_text(entries: &[((u32, u32), u32)]) -> String {
        let mut text = format!("7\n9\n{}\n", entries.len());
        text.extend(entries.iter().map(|((d, w), c)| format!("{d} {w} {c}\n")));
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_order_of_lines_changes_nothing(entries in shuffled_entries()) {
            let mut sorted = entries.clone();
            sorted.sort();
            let (shuffled, sorted) = (read(&docword_text(&entries)), read(&docword_text(&sorted)));
            prop_assert_eq!(shuffled.digest(), sorted.digest());
            prop_assert_eq!(shuffled, sorted);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(
            text in proptest::collection::vec(
                proptest::sample::select(b"0123459 \t\r\n.-ex%\xff".to_vec()), 0..60),
            after_header in any::<bool>(),
        ) {
            let header: &[u8] = if after_header { b"2\n2\n2\n" } else { b"" };
            let _ = read_as("counts.txt", &[header, &text].concat());
        }
    }
}
