//! A corpus from counts in memory, document by document.
//!
//! The builder is the only way to make a [`Corpus`]: documents pushed by a caller and rows read from a file are
//! checked and finished by the same [`build`](CorpusBuilder::build).

use std::sync::Arc;

use super::names::Names;
use super::{Corpus, SparseCounts, Vocabulary, vocabulary};
use crate::error::{Error, Result};
use crate::memory::{self, Limit, Numbers};
use crate::words::WordChoice;

/// Collects documents into a [`Corpus`]; made by [`Corpus::builder`].
///
/// # Example
/// ```
/// use svtd::Corpus;
///
/// let mut builder = Corpus::builder(3);
/// builder.push_document([(0, 2), (2, 1)])?;
/// builder.push_document([(1, 5)])?;
/// let corpus = builder.build()?;
/// assert_eq!(corpus.lengths(), [3, 5]);
/// # Ok::<(), svtd::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CorpusBuilder {
    n_words: usize,
    offsets: Vec<usize>,
    words: Numbers<u32>,
    counts: Numbers<u32>,
    n_zero_entries: u64,
    vocabulary: Option<Vocabulary>,
    names: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    columns: Vec<(String, Vec<String>)>,
    word_choice: Option<WordChoice>,
    notes: Vec<String>,
    may_be_empty: bool,
}

impl CorpusBuilder {
    pub(super) fn new(n_words: usize) -> Self {
        CorpusBuilder {
            n_words,
            offsets: vec![0],
            words: Numbers::new(&Limit::none()),
            counts: Numbers::new(&Limit::none()),
            n_zero_entries: 0,
            vocabulary: None,
            names: None,
            labels: None,
            columns: Vec::new(),
            word_choice: None,
            notes: Vec::new(),
            may_be_empty: false,
        }
    }

    /// Adds a document of `(word id, count)` entries in any order, ids from 0. Counts of zero are left out; the
    /// report says how many there were.
    ///
    /// # Errors
    /// If a word is not below `n_words` or has two counts; the document is then not added.
    pub fn push_document(&mut self, entries: impl IntoIterator<Item = (u32, u32)>) -> Result<()> {
        let start = self.words.len();
        let n_zeros = self.append(entries);
        if let Err(reason) = self.check_from(start) {
            self.words.truncate(start);
            self.counts.truncate(start);
            let document = self.offsets.len() - 1;
            return Err(Error::Document { document, reason });
        }
        self.n_zero_entries += n_zeros;
        self.offsets.push(self.words.len());
        Ok(())
    }

    /// Reserves memory for exactly this many further documents and entries, so that nothing is copied while they
    /// are added.
    pub fn reserve(&mut self, n_documents: usize, n_entries: usize) {
        self.offsets.reserve_exact(n_documents);
        self.words.reserve(n_entries);
        self.counts.reserve(n_entries);
    }

    /// Keeps the counts within a memory limit.
    pub fn within(mut self, limit: &Limit) -> Self {
        self.words = self.words.kept_within(limit);
        self.counts = self.counts.kept_within(limit);
        self
    }

    /// Allows all documents to be empty. Nothing can be learned from such a corpus, but a model can be applied to
    /// it.
    pub fn may_be_empty(mut self) -> Self {
        self.may_be_empty = true;
        self
    }

    /// Names the words; there must be `n_words` of them. Without this they are numbered from 1.
    pub fn vocabulary(mut self, vocabulary: Vocabulary) -> Self {
        self.vocabulary = Some(vocabulary);
        self
    }

    /// Names the documents, one name for each. Without this they are numbered from 1.
    pub fn names(mut self, names: Vec<String>) -> Self {
        self.names = Some(names);
        self
    }

    /// Gives each document a label, such as a class known beforehand. Models do not use labels; they are for
    /// comparison.
    pub fn labels(mut self, labels: Vec<String>) -> Self {
        self.labels = Some(labels);
        self
    }

    /// Keeps a column of the table from which the documents were read, one cell for each document. Models do not
    /// use it; it is for times and groups.
    pub fn column(mut self, name: impl Into<String>, cells: Vec<String>) -> Self {
        self.columns.push((name.into(), cells));
        self
    }

    /// The finished corpus.
    ///
    /// # Errors
    /// If no word occurs at all and that was not [allowed](Self::may_be_empty), if the vocabulary or the names do not fit, or if there are more
    /// words or documents than a `u32` can number.
    pub fn build(self) -> Result<Corpus> {
        let n_documents = self.offsets.len() - 1;
        vocabulary::check_size(self.n_words)?;
        // Totals, ranks and inverse ranks for each word; an offset and a length for each document.
        let bytes = 24.0 * self.n_words as f64 + 24.0 * n_documents as f64;
        if !memory::can_have(bytes) {
            return Err(Error::Memory {
                what: format!("a corpus of {n_documents} documents over {} words", self.n_words),
                bytes: bytes as u64,
                advice: "are the sizes right?",
            });
        }
        check_documents(n_documents)?;
        if self.words.is_empty() && !self.may_be_empty {
            return Err(Error::NoWords { documents: n_documents });
        }
        let vocabulary = checked_vocabulary(self.vocabulary, self.n_words)?;
        let names = checked_names(self.names, n_documents)?;
        let names = match checked_length(self.labels, n_documents)? {
            Some(labels) => names.labelled(labels),
            None => names,
        };
        let mut names = names;
        for (name, cells) in self.columns {
            if let Some(cells) = checked_length(Some(cells), n_documents)? {
                names = names.with_column(name, cells);
            }
        }
        let rows = SparseCounts::from_parts(self.offsets, self.words, self.counts, self.n_words);
        let mut corpus = Corpus::assemble(rows, vocabulary, names);
        corpus.word_choice = self.word_choice.map(Arc::new);
        corpus.report.n_zero_entries = self.n_zero_entries;
        corpus.report.notes = self.notes;
        Ok(corpus)
    }

    /// Starts from rows that a reader has checked for range, still under word ids.
    pub(crate) fn from_rows(rows: SparseCounts) -> Self {
        let n_words = rows.n_columns();
        let (offsets, words, counts) = rows.into_parts();
        CorpusBuilder { offsets, words, counts, ..CorpusBuilder::new(n_words) }
    }

    /// The number of explicit zeros that a reader left out.
    pub(crate) fn zero_entries(mut self, n: u64) -> Self {
        self.n_zero_entries = n;
        self
    }

    /// Names, of which some may be missing: such documents are called by their number. If all are missing, nothing
    /// is stored.
    pub(crate) fn optional_names(self, names: Vec<Option<String>>) -> Self {
        if names.iter().all(Option::is_none) {
            return self;
        }
        let numbered = names.into_iter().enumerate();
        self.names(numbered.map(|(d, n)| n.unwrap_or_else(|| (d + 1).to_string())).collect())
    }

    /// Labels, of which some may be missing: such documents get the empty label.
    pub(crate) fn optional_labels(self, labels: Vec<Option<String>>) -> Self {
        if labels.iter().all(Option::is_none) {
            return self;
        }
        self.labels(labels.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// How the words were chosen, if they were chosen from text.
    pub(crate) fn word_choice(mut self, choice: WordChoice) -> Self {
        self.word_choice = Some(choice);
        self
    }

    /// Remarks for the report.
    pub(crate) fn notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }

    /// Adds the entries that are not zero; returns how many were zero.
    fn append(&mut self, entries: impl IntoIterator<Item = (u32, u32)>) -> u64 {
        let mut n_zeros = 0;
        for (word, count) in entries {
            // A word id out of range is kept even with count zero, so that it is rejected later.
            if count == 0 && (word as usize) < self.n_words {
                n_zeros += 1;
            } else {
                self.words.push(word);
                self.counts.push(count);
            }
        }
        n_zeros
    }

    fn check_from(&self, start: usize) -> Result<(), String> {
        let words = &self.words[start..];
        let n_words = self.n_words;
        if let Some(word) = words.iter().find(|&&word| word as usize >= n_words) {
            return Err(format!("expected word ids below {n_words}, found {word}"));
        }
        if words.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("word {} has two counts; add them up first", pair[0])),
            None => Ok(()),
        }
    }
}

fn check_documents(n_documents: usize) -> Result<()> {
    match u32::try_from(n_documents) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::Document {
            document: n_documents - 1,
            reason: format!("more documents than can be numbered; the most is {}", u32::MAX),
        }),
    }
}

fn checked_vocabulary(vocabulary: Option<Vocabulary>, n_words: usize) -> Result<Vocabulary> {
    let vocabulary = vocabulary.unwrap_or_else(|| Vocabulary::numbered(n_words));
    if vocabulary.len() == n_words {
        return Ok(vocabulary);
    }
    Err(Error::VocabularyMismatch {
        needed: format!("{n_words} words, as the counts have"),
        found: format!("{} words", vocabulary.len()),
    })
}

fn checked_names(names: Option<Vec<String>>, n_documents: usize) -> Result<Names> {
    Ok(checked_length(names, n_documents)?.map(Names::listed).unwrap_or_default())
}

fn checked_length(names: Option<Vec<String>>, n_documents: usize) -> Result<Option<Vec<String>>> {
    match names {
        Some(names) if names.len() != n_documents => {
            Err(Error::NameCount { names: names.len(), documents: n_documents })
        }
        names => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    fn builder() -> CorpusBuilder {
        let mut builder = Corpus::builder(3);
        builder.push_document([(2, 1), (0, 2)]).unwrap();
        builder
    }

    #[test]
    fn a_word_out_of_range_is_refused_even_with_count_zero() {
        for count in [0, 1] {
            let error = builder().push_document([(3, count)]).unwrap_err();
            assert_eq!(
                error.to_string(),
                "document 1 (counted from 0): expected word ids below 3, found 3"
            );
        }
    }

    #[test]
    fn two_counts_of_a_word_are_refused() {
        let error = builder().push_document([(1, 4), (0, 1), (1, 4)]);
        assert!(error.unwrap_err().to_string().contains("word 1 has two counts"));
    }

    #[test]
    fn a_refused_document_leaves_no_trace() {
        let mut builder = builder();
        builder.push_document([(1, 1), (7, 1)]).unwrap_err();
        builder.push_document([(1, 4)]).unwrap();
        let corpus = builder.build().unwrap();
        assert_eq!(corpus.lengths(), [3, 4]);
    }

    #[test]
    fn zeros_are_left_out_and_tallied() {
        let mut builder = builder();
        builder.push_document([(0, 0), (1, 0), (2, 1)]).unwrap();
        let corpus = builder.build().unwrap();
        assert_eq!(corpus.n_nonzeros(), 3);
        assert_eq!(corpus.report().n_zero_entries, 2);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let words = |n| Vocabulary::numbered(n);
        let table = [
            (
                builder().vocabulary(words(4)).build(),
                "needed 3 words, as the counts have, found 4 words",
            ),
            (builder().names(vec![]).build(), "0 names given for 1 documents"),
            (builder().labels(vec![]).build(), "0 names given for 1 documents"),
            (Corpus::builder(3).build(), "the corpus has no words"),
            (
                Corpus::builder(u32::MAX as usize + 1).build(),
                "4294967296 words are more than can be numbered",
            ),
        ];
        for (outcome, sentence) in table {
            let error = outcome.unwrap_err().to_string();
            assert!(error.contains(sentence), "{error}");
        }
    }
}
