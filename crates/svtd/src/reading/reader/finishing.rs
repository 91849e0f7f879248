//! From rows to a corpus: finds the words, checks that they fit, and that nothing is counted twice.

use std::path::Path;

use super::CorpusReader;
use crate::corpus::{Corpus, CorpusBuilder, SparseCounts, Vocabulary};
use crate::error::{Error, Result};
use crate::reading::cells::Cells;
use crate::reading::entries::{self, Header, Table};
use crate::reading::matrix_market::read_header;
use crate::reading::source::{Source, line_error};
use crate::reading::{docword, svtdc};

/// This many documents may be empty whatever the number of counts, and 50 more for each count.
const PLAUSIBLE_DOCUMENTS: u64 = 1_000_000;

/// Without a vocabulary file this many words are plausible, and 50 more for each entry.
const PLAUSIBLE_WORDS: u64 = 1_000_000;

/// Counts as a format gives them, with what it knows about words and documents.
pub(super) struct Counts {
    pub(super) table: Table,
    /// Whether there may be more words than the largest id says.
    pub(super) open_ended: bool,
    pub(super) words: Option<Vec<String>>,
    pub(super) names: Option<Vec<String>>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) notes: Vec<String>,
}

impl From<Table> for Counts {
    fn from(table: Table) -> Self {
        let (words, names, labels) = (None, None, None);
        Counts { table, open_ended: false, words, names, labels, notes: vec![] }
    }
}

impl From<Cells> for Counts {
    fn from(found: Cells) -> Self {
        let (words, names) = (Some(found.genes), Some(found.cells));
        let (labels, notes) = (found.labels, found.notes);
        Counts { words, names, labels, notes, ..found.table.into() }
    }
}

impl CorpusReader {
    /// Only the counts of a docword or MatrixMarket file, with the ids and the order of the file: for benchmarks of
    /// the part of reading that is limited by bytes.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_rows(&self, path: impl AsRef<Path>) -> Result<SparseCounts> {
        let mut source = Source::open(path.as_ref())?;
        let header = read_header(&mut source, false)?;
        Ok(entries::read(&mut source, &header)?.rows)
    }

    /// Reads a docword or MatrixMarket file.
    pub(super) fn read_entries(&self, mut source: Source, path: &Path) -> Result<Corpus> {
        let header = read_header(&mut source, self.transposed)?;
        // Read before the entries, which may take minutes, so that an error is found early.
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

    /// Reads a corpus file, which contains everything.
    pub(super) fn read_counted(&self, source: &mut Source) -> Result<Corpus> {
        if let Some(words) = &self.vocabulary_file {
            return Err(Error::Option {
                name: "vocab",
                needed: "left out for a counted corpus, which has its own words".to_owned(),
                found: words.display().to_string(),
            });
        }
        svtdc::read(source)
    }

    /// The vocabulary asked for, or else the one that accompanies the file.
    fn find_vocabulary(&self, path: &Path, header: &Header) -> Result<Option<Vocabulary>> {
        let asked = self.vocabulary_file.clone();
        let Some(file) = asked.or_else(|| docword::vocabulary_beside(path)) else {
            return Ok(None);
        };
        let vocabulary = Vocabulary::read(&file)?;
        check_size(&vocabulary, &file, header.n_words() as usize, path)?;
        Ok(Some(vocabulary))
    }

    pub(super) fn given_vocabulary(&self) -> Result<Option<Vocabulary>> {
        self.vocabulary_file.as_ref().map(Vocabulary::read).transpose()
    }

    /// Finds the words for the counts of any other format, and builds the corpus.
    pub(super) fn finish(&self, counts: Counts, name: &str) -> Result<Corpus> {
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

/// The table, transposed if asked for.
pub(super) fn turn(table: Table, turned: bool) -> Table {
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

/// A numbered vocabulary, if its size is plausible, and a note that says so.
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

/// Returns an error for a corpus that counts a word of a document twice, with the lines.
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

/// The two lines, unless the file is a pipe that cannot be read again or has changed.
fn lines_of(path: &Path, row: u32, column: u32) -> Option<(u64, u64)> {
    if !path.is_file() {
        return None;
    }
    let mut source = Source::open(path).ok()?;
    let header = read_header(&mut source, false).ok()?;
    entries::find_twice(&mut source, &header, row, column).ok()?
}
