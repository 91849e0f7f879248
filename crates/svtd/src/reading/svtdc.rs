//! The corpus file, `.svtdc`: a counted corpus that is fast to read.
//!
//! Counting a text takes minutes, reading a table of counts takes seconds; both are done once and the result is
//! kept here: counts, words, names, labels, columns, and how the words were chosen. The layout is described for
//! other programs in `docs/corpus-file.md`:
//!
//! ```text
//! 8 bytes     "SVTDC", two zeros, the version
//! 8 bytes     h, the length of the header
//! h bytes     the header: sizes, in JSON, filled up with spaces
//! sections    entries in each document, words, counts, vocabulary, names, labels, kept columns
//! ```
//!
//! All numbers are little-endian. The header and each section are padded to a multiple of 8 bytes and followed by
//! their CRC-32. Counts take one byte each if possible. The words of a document are in order of frequency in the
//! corpus, which is the order needed later: the sort after reading finds nothing to do.
//!
//! # Cost
//! Writing and reading are one pass each. Reading fills the arrays in place through one small buffer and checks
//! every number. Mapping the file into memory would need `unsafe` code and save one copy, so the file is read. No
//! length is trusted before the bytes are there.
//!
//! # Same bits
//! The bytes are a function of the corpus: no time, no path, no thread count.

use std::io::{self, Write};
use std::path::Path;

use flate2::Crc;
use serde::{Deserialize, Serialize};

use super::source::Source;
use crate::atomic::write_atomically;
use crate::corpus::{Corpus, CorpusBuilder, SparseCounts, Vocabulary};
use crate::error::{Error, Result};
use crate::memory::Numbers;
use crate::words::WordChoice;

/// The beginning of every corpus file, up to the version.
pub(super) const MAGIC: &[u8; 7] = b"SVTDC\0\0";
/// The newest version: corpora with kept columns. Those without are written as version 1.
const VERSION: u8 = 2;
/// The longest header, in bytes.
const LONGEST_HEADER: u64 = 64 << 20;
/// Bytes read at a time; a multiple of every width.
const CHUNK: usize = 1 << 18;

/// The sizes of everything that follows.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    documents: u32,
    words: u32,
    entries: u64,
    /// Bytes of a count: 1, 2 or 4.
    count_bytes: usize,
    /// Bytes of all words; `None` if they are only numbers.
    vocabulary_bytes: Option<u64>,
    /// Bytes of all names; `None` if documents are numbered.
    name_bytes: Option<u64>,
    /// Bytes of all labels; `None` if there are no labels.
    label_bytes: Option<u64>,
    /// Number of zeros that were left out when the corpus was read.
    zero_entries: u64,
    /// How the words were chosen, if the corpus was counted from text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    word_choice: Option<WordChoice>,
    /// Columns that were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<ColumnHeader>,
}

/// A column that was kept: a section like that of the labels.
#[derive(Debug, Serialize, Deserialize)]
struct ColumnHeader {
    name: String,
    /// Bytes of all its cells.
    bytes: u64,
}

impl Corpus {
    /// Writes the corpus as a `.svtdc` file, which [`read`](Self::read) reads back.
    ///
    /// # Errors
    /// When the file exists already and must not be overwritten, or cannot be written.
    pub fn save(&self, path: impl AsRef<Path>, overwrite: bool) -> Result<()> {
        write_atomically(path.as_ref(), overwrite, |out| write(self, out))
    }
}

pub(super) fn write(corpus: &Corpus, out: &mut dyn Write) -> io::Result<()> {
    let documents = || 0..corpus.n_documents();
    let vocabulary = corpus.vocabulary();
    let bytes_of = |texts: &mut dyn Iterator<Item = usize>| texts.sum::<usize>() as u64;
    let counts = || documents().flat_map(|d| corpus.rows().row(d).1).copied();
    let largest = counts().max().unwrap_or(0);
    let labelled = corpus.n_documents() > 0 && corpus.label(0).is_some();
    let label = |d| corpus.label(d).unwrap_or_default();
    let cells = |name| documents().map(move |d| corpus.cell(name, d).unwrap_or_default());
    let header = Header {
        documents: corpus.n_documents() as u32,
        words: corpus.n_words() as u32,
        entries: corpus.n_nonzeros() as u64,
        count_bytes: if largest < 1 << 8 {
            1
        } else if largest < 1 << 16 {
            2
        } else {
            4
        },
        vocabulary_bytes: (!vocabulary.is_numbered())
            .then(|| bytes_of(&mut vocabulary.iter().map(|word| word.len()))),
        name_bytes: corpus
            .has_names()
            .then(|| bytes_of(&mut documents().map(|d| corpus.document_name(d).len()))),
        label_bytes: labelled.then(|| bytes_of(&mut documents().map(|d| label(d).len()))),
        zero_entries: corpus.report().n_zero_entries,
        word_choice: corpus.word_choice().cloned(),
        columns: corpus
            .column_names()
            .map(|name| ColumnHeader {
                name: name.to_owned(),
                bytes: bytes_of(&mut cells(name).map(|cell| cell.len())),
            })
            .collect(),
    };
    write_header(out, &header)?;
    let mut section = Section::new(out);
    for d in documents() {
        section.put(&(corpus.document(d).n_distinct() as u32).to_le_bytes())?;
    }
    section.end()?;
    for d in documents() {
        for (word, _) in corpus.document(d).words() {
            section.put(&word.to_le_bytes())?;
        }
    }
    section.end()?;
    for count in counts() {
        section.put(&count.to_le_bytes()[..header.count_bytes])?;
    }
    section.end()?;
    if header.vocabulary_bytes.is_some() {
        section.put_texts(&mut (0..vocabulary.len()).map(|i| vocabulary.word(i)))?;
    }
    if header.name_bytes.is_some() {
        section.put_texts(&mut documents().map(|d| corpus.document_name(d)))?;
    }
    if header.label_bytes.is_some() {
        section.put_texts(&mut documents().map(|d| label(d).into()))?;
    }
    for column in &header.columns {
        section.put_texts(&mut cells(&column.name).map(Into::into))?;
    }
    Ok(())
}

fn write_header(out: &mut dyn Write, header: &Header) -> io::Result<()> {
    let mut text = serde_json::to_vec(header)?;
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut section = Section::new(out);
    section.put(MAGIC)?;
    section.put(&[if header.columns.is_empty() { 1 } else { VERSION }])?;
    section.put(&(text.len() as u64).to_le_bytes())?;
    section.put(&text)?;
    section.end()
}

/// A section of the file with its checksum.
struct Section<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    sum: Crc,
    length: u64,
}

impl<'a> Section<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        Section { out, buffer: Vec::with_capacity(CHUNK), sum: Crc::new(), length: 0 }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > CHUNK {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Writes the length of each text, then all texts.
    fn put_texts<'t>(
        &mut self,
        texts: &mut dyn Iterator<Item = std::borrow::Cow<'t, str>>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        for text in texts {
            self.put(&(text.len() as u32).to_le_bytes())?;
            bytes.extend_from_slice(text.as_bytes());
        }
        self.end()?;
        self.put(&bytes)?;
        self.end()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sum.update(&self.buffer);
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes padding and checksum, and begins a new section.
    fn end(&mut self) -> io::Result<()> {
        let padding = self.length.next_multiple_of(8) - self.length;
        self.put(&[0; 8][..padding as usize])?;
        self.flush()?;
        self.out.write_all(&u64::from(self.sum.sum()).to_le_bytes())?;
        self.sum = Crc::new();
        self.length = 0;
        Ok(())
    }
}

/// Reads a corpus file.
pub(super) fn read(source: &mut Source) -> Result<Corpus> {
    let mut reading = Reading { source, sum: Crc::new(), length: 0 };
    let header = reading.header()?;
    let lengths = reading.numbers(u64::from(header.documents), 4, |_| true)?;
    reading.end()?;
    let n_entries: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
    if n_entries != header.entries {
        return Err(reading.damaged());
    }
    let words = reading.numbers(header.entries, 4, |word| word < header.words)?;
    reading.end()?;
    let counts = reading.numbers(header.entries, header.count_bytes, |count| count > 0)?;
    reading.end()?;
    let vocabulary = match header.vocabulary_bytes {
        Some(bytes) => Vocabulary::from_words(reading.texts(header.words, bytes)?)?,
        None => Vocabulary::numbered(header.words as usize),
    };
    let names =
        header.name_bytes.map(|bytes| reading.texts(header.documents, bytes)).transpose()?;
    let labels =
        header.label_bytes.map(|bytes| reading.texts(header.documents, bytes)).transpose()?;
    let mut columns = Vec::with_capacity(header.columns.len());
    for column in header.columns {
        columns.push((column.name, reading.texts(header.documents, column.bytes)?));
    }
    if !reading.source.peek(1)?.is_empty() {
        return Err(reading.source.error("the corpus file is damaged: bytes follow after its end"));
    }
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    offsets.push(0);
    offsets.extend(lengths.iter().scan(0, |end, &length| {
        *end += length as usize;
        Some(*end)
    }));
    let rows = SparseCounts::from_parts(offsets, words, counts, header.words as usize);
    let mut builder =
        CorpusBuilder::from_rows(rows).vocabulary(vocabulary).zero_entries(header.zero_entries);
    if let Some(names) = names {
        builder = builder.names(names);
    }
    if let Some(labels) = labels {
        builder = builder.labels(labels);
    }
    if let Some(choice) = header.word_choice {
        builder = builder.word_choice(choice);
    }
    for (name, cells) in columns {
        builder = builder.column(name, cells);
    }
    let corpus = builder.build()?;
    match corpus.rows().first_repeat() {
        None => Ok(corpus),
        Some(_) => Err(reading.damaged()),
    }
}

/// A section of the file that is being read.
struct Reading<'a> {
    source: &'a mut Source,
    sum: Crc,
    length: u64,
}

impl Reading<'_> {
    fn header(&mut self) -> Result<Header> {
        let mut start = [0; 16];
        self.fill(&mut start)?;
        let length = u64::from_le_bytes([8, 9, 10, 11, 12, 13, 14, 15].map(|i| start[i]));
        if !start.starts_with(MAGIC) {
            return Err(self.source.error("not a corpus file written by svtd count"));
        }
        if start[7] > VERSION {
            let newer = start[7];
            return Err(self.source.error(format!(
                "corpus file version {newer}, and this svtd reads up to {VERSION}; try a newer svtd"
            )));
        }
        if length > LONGEST_HEADER || length % 8 != 0 {
            return Err(self.damaged());
        }
        let mut text = vec![0; length as usize];
        self.fill(&mut text)?;
        self.end()?;
        let header: Header = serde_json::from_slice(&text).map_err(|_| self.damaged())?;
        match header.count_bytes {
            1 | 2 | 4 => Ok(header),
            _ => Err(self.damaged()),
        }
    }

    /// Whole numbers of 1, 2 or 4 bytes each, all of which must pass a test. They are tested as they are read:
    /// within a memory limit, a look at all of them later would load all of them.
    fn numbers(
        &mut self,
        n: u64,
        width: usize,
        is_right: impl Fn(u32) -> bool,
    ) -> Result<Numbers<u32>> {
        let mut left = n.checked_mul(width as u64).ok_or_else(|| self.damaged())?;
        // Reserve no more than can be there: a plain file has its size, an archive may be larger.
        let most = self.source.size().max(CHUNK as u64) / width as u64;
        let mut values = Numbers::new(self.source.limit());
        values.reserve(n.min(most) as usize);
        let mut wide: Vec<u32> = Vec::new();
        let mut buffer = vec![0; CHUNK.min(left as usize)];
        while left > 0 {
            let chunk = &mut buffer[..left.min(CHUNK as u64) as usize];
            self.fill(chunk)?;
            wide.clear();
            match width {
                1 => wide.extend(chunk.iter().map(|&b| u32::from(b))),
                2 => wide.extend(
                    chunk.as_chunks().0.iter().map(|&two| u32::from(u16::from_le_bytes(two))),
                ),
                _ => wide.extend(chunk.as_chunks().0.iter().map(|&four| u32::from_le_bytes(four))),
            }
            if !wide.iter().all(|&number| is_right(number)) {
                return Err(self.damaged());
            }
            values.extend_from_slice(&wide);
            left -= chunk.len() as u64;
        }
        Ok(values)
    }

    /// `n` texts, which have `n_bytes` bytes together.
    fn texts(&mut self, n: u32, n_bytes: u64) -> Result<Vec<String>> {
        let lengths = self.numbers(u64::from(n), 4, |_| true)?;
        self.end()?;
        if lengths.iter().map(|&length| u64::from(length)).sum::<u64>() != n_bytes {
            return Err(self.damaged());
        }
        let mut texts = Vec::with_capacity(lengths.len());
        for &length in &*lengths {
            let mut bytes = vec![0; (length as usize).min(CHUNK)];
            self.fill(&mut bytes)?;
            // A text longer than a chunk is read in several pieces, so that nothing is allocated in vain.
            while bytes.len() < length as usize {
                let start = bytes.len();
                bytes.resize((start + CHUNK).min(length as usize), 0);
                self.fill(&mut bytes[start..])?;
            }
            texts.push(String::from_utf8(bytes).map_err(|_| self.damaged())?);
        }
        self.end()?;
        Ok(texts)
    }

    /// Reads the padding and the checksum, and compares it.
    fn end(&mut self) -> Result<()> {
        let padding = self.length.next_multiple_of(8) - self.length;
        let mut filling = [0; 8];
        self.fill(&mut filling[..padding as usize])?;
        let expected = u64::from(self.sum.sum());
        let mut found = [0; 8];
        self.fill(&mut found)?;
        if u64::from_le_bytes(found) != expected || filling != [0; 8] {
            return Err(self.damaged());
        }
        self.sum = Crc::new();
        self.length = 0;
        Ok(())
    }

    fn fill(&mut self, into: &mut [u8]) -> Result<()> {
        if !self.source.read_exact(into)? {
            return Err(self.source.error("the corpus file is cut short; count it again"));
        }
        self.sum.update(into);
        self.length += into.len() as u64;
        Ok(())
    }

    fn damaged(&self) -> Error {
        let reason = "the corpus file is damaged: its contents do not match; count it again";
        self.source.error(reason)
    }
}
