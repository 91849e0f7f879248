//! The corpus: how often each word occurs in each document, `X`, and nothing else.
//!
//! The method of moments looks at a text only through its counts, so this is where text ends and
//! numbers begin: a row for each document, a column for each word, nearly all of them zero.
//! Order within a document is gone, which is the assumption (words exchangeable, given the topic)
//! that every model of this library makes.
//!
//! # Words and features
//! A *word id* is a position in the [`Vocabulary`]; it is what callers see. Inside, columns are
//! *features*: the same words renumbered by falling frequency, because a sparse product then
//! finds what it needs in cache. Functions speak of words unless their name says feature, and
//! [`Corpus::word_of_feature`] and [`Corpus::feature_of_word`] lead from one to the other. Words
//! of the vocabulary that never occur are the last features, so the first
//! [`n_present`](Corpus::n_present) are exactly the words that do.
//!
//! # Cost
//! 8 bytes for each non-zero count, and as many again once [`columns`](Corpus::columns) is asked
//! for. Renumbering and sorting happen in place.
//!
//! # Example
//! ```
//! use svtd::{Corpus, Vocabulary};
//!
//! let words = ["selva", "amor", "stelle"].map(String::from).to_vec();
//! let mut builder = Corpus::builder(3).vocabulary(Vocabulary::from_words(words)?);
//! builder.push_document([(0, 1), (2, 4)])?;
//! builder.push_document([(1, 2)])?;
//! let corpus = builder.build()?;
//!
//! // The most frequent word is feature 0.
//! let word = corpus.word_of_feature()[0];
//! assert_eq!(corpus.vocabulary().word(word as usize), "stelle");
//! # Ok::<(), svtd::Error>(())
//! ```

pub(crate) mod blocks;
mod builder;
mod dealt;
mod document;
mod dominant;
mod elsewhere;
mod facts;
mod fingerprint;
mod keys;
mod names;
mod parts;
mod ranking;
mod settled;
mod spare;
pub(crate) mod sparse;
#[cfg(test)]
mod tests;
pub(crate) mod united;
mod vocabulary;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use self::elsewhere::Elsewhere;
use self::names::Names;
use self::ranking::Ranking;
use crate::questions::Facts;
use crate::words::WordChoice;

pub use self::builder::CorpusBuilder;
pub use self::document::Document;
pub(crate) use self::fingerprint::{added, finished, limbs};
pub use self::sparse::SparseCounts;
pub use self::vocabulary::Vocabulary;
pub(crate) use crate::questions::{Dealt, KeyPart, KeyRange, mixed};

/// A collection of documents as counts of words, `X`.
#[derive(Clone)]
pub struct Corpus {
    rows: SparseCounts,
    columns: OnceLock<SparseCounts>,
    keys: OnceLock<Vec<u128>>,
    facts: OnceLock<Facts>,
    lengths: Vec<u64>,
    ranking: Ranking,
    vocabulary: Vocabulary,
    names: Names,
    word_choice: Option<Arc<WordChoice>>,
    report: CorpusReport,
    elsewhere: Option<Elsewhere>,
}

/// What is worth knowing about a corpus before learning from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CorpusReport {
    /// Documents without a word.
    pub n_empty: usize,
    /// Documents of length one, which hold no pair.
    pub n_one_word: usize,
    /// Documents of length two, which hold no triple.
    pub n_two_words: usize,
    /// Number of words of the vocabulary that never occur.
    pub n_absent_words: usize,
    /// Number of entries that were given with a count of zero, and left out.
    pub n_zero_entries: u64,
    /// Remarks of the reader for the user, such as a vocabulary that was not found.
    pub notes: Vec<String>,
}

impl Corpus {
    /// Starts a corpus over a vocabulary of `n_words` words.
    pub fn builder(n_words: usize) -> CorpusBuilder {
        CorpusBuilder::new(n_words)
    }

    /// `N`, the number of documents, empty ones included.
    pub fn n_documents(&self) -> usize {
        match self.is_elsewhere() {
            true => self.facts().n_documents as usize,
            false => self.rows.n_rows(),
        }
    }

    /// `n`, the number of words in the vocabulary, whether they occur or not.
    pub fn n_words(&self) -> usize {
        self.rows.n_columns()
    }

    /// Number of words that occur: features `0..n_present` are these words.
    pub fn n_present(&self) -> usize {
        self.ranking.n_present
    }

    /// Number of counts that are not zero.
    pub fn n_nonzeros(&self) -> usize {
        match self.is_elsewhere() {
            true => self.facts().n_nonzeros as usize,
            false => self.rows.n_nonzeros(),
        }
    }

    /// `C₁`, the number of words in all documents, with repetition.
    pub fn n_tokens(&self) -> u64 {
        self.ranking.feature_totals.iter().sum()
    }

    /// `c_d`, the number of words of each document, with repetition.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// Document `d`.
    ///
    /// # Panics
    /// If `d` is not below [`n_documents`](Self::n_documents).
    pub fn document(&self, d: usize) -> Document<'_> {
        let (features, counts) = self.rows.row(d);
        Document {
            features,
            counts,
            word_of_feature: &self.ranking.word_of_feature,
            length: self.lengths[d],
        }
    }

    /// The counts by document, `N × n`, with words numbered as features.
    pub fn rows(&self) -> &SparseCounts {
        &self.rows
    }

    /// The counts by feature, `n × N`: the transpose of [`rows`](Self::rows), computed when first needed and then
    /// kept.
    pub fn columns(&self) -> &SparseCounts {
        self.columns.get_or_init(|| self.rows.transpose())
    }

    /// The word id of each feature.
    pub fn word_of_feature(&self) -> &[u32] {
        &self.ranking.word_of_feature
    }

    /// The feature of each word id.
    pub fn feature_of_word(&self) -> &[u32] {
        &self.ranking.feature_of_word
    }

    /// How often each feature occurs in the whole corpus; falling.
    pub fn feature_totals(&self) -> &[u64] {
        &self.ranking.feature_totals
    }

    /// The number of blocks into which a fit cuts the documents.
    pub fn n_blocks(&self) -> usize {
        match &self.elsewhere {
            Some(elsewhere) => elsewhere.n_blocks,
            None => blocks::n_blocks(self.n_nonzeros(), self.n_present()),
        }
    }

    /// The words.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The name of document `d`, or its number counted from 1. A document of a
    /// [subset](Self::subset) keeps the name or number it had in the whole.
    ///
    /// # Panics
    /// If `d` is not below [`n_documents`](Self::n_documents).
    pub fn document_name(&self, d: usize) -> Cow<'_, str> {
        assert!(d < self.n_documents(), "document {d} of {}", self.n_documents());
        self.names.name(d)
    }

    /// Whether documents came with names of their own.
    pub fn has_names(&self) -> bool {
        self.names.are_listed()
    }

    /// The label of document `d`, if documents came with labels: a class known beforehand, for comparison. Models
    /// do not use it.
    ///
    /// # Panics
    /// If `d` is not below [`n_documents`](Self::n_documents).
    pub fn label(&self, d: usize) -> Option<&str> {
        assert!(d < self.n_documents(), "document {d} of {}", self.n_documents());
        self.names.label(d)
    }

    /// The labels of all documents, if documents came with labels.
    pub fn labels(&self) -> Option<Vec<&str>> {
        if self.n_documents() == 0 {
            return None;
        }
        (0..self.n_documents()).map(|d| self.label(d)).collect()
    }

    /// The names of the columns that were kept with the documents, sorted.
    pub fn column_names(&self) -> impl Iterator<Item = &str> {
        self.names.columns()
    }

    /// The cell of document `d` in a column; `None` when no such column was kept.
    ///
    /// # Panics
    /// If `d` is not below [`n_documents`](Self::n_documents).
    pub fn cell(&self, column: &str, d: usize) -> Option<&str> {
        assert!(d < self.n_documents(), "document {d} of {}", self.n_documents());
        self.names.cell(column, d)
    }

    /// How the words were chosen, if the corpus was counted from text. A [subset](Self::subset) has the choice of
    /// the whole corpus.
    pub fn word_choice(&self) -> Option<&WordChoice> {
        self.word_choice.as_deref()
    }

    /// What is worth knowing before learning from this corpus.
    pub fn report(&self) -> &CorpusReport {
        &self.report
    }

    /// The facts about the documents that a fit needs, counted when first needed and then kept.
    pub(crate) fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| Facts::count(self))
    }

    /// In how many documents each word of the vocabulary occurs.
    pub fn document_frequencies(&self) -> Vec<usize> {
        let mut frequencies = vec![0; self.n_words()];
        for d in 0..self.n_documents() {
            self.document(d).words().for_each(|(word, _)| frequencies[word as usize] += 1);
        }
        frequencies
    }

    /// Ranks the words and renames the columns of `rows`, which come in under word ids.
    fn assemble(mut rows: SparseCounts, vocabulary: Vocabulary, names: Names) -> Corpus {
        let ranking = Ranking::by_frequency(&rows.column_sums(), &vocabulary);
        rows.relabel(&ranking.feature_of_word);
        rows.cut_evenly(ranking.n_present);
        let lengths = rows.row_sums();
        let report = CorpusReport {
            n_absent_words: rows.n_columns() - ranking.n_present,
            ..CorpusReport::of_lengths(&lengths)
        };
        Corpus {
            rows,
            columns: OnceLock::new(),
            keys: OnceLock::new(),
            facts: OnceLock::new(),
            lengths,
            ranking,
            vocabulary,
            names,
            word_choice: None,
            report,
            elsewhere: None,
        }
    }
}

impl CorpusReport {
    fn of_lengths(lengths: &[u64]) -> Self {
        let of_length = |length| lengths.iter().filter(|&&l| l == length).count();
        CorpusReport {
            n_empty: of_length(0),
            n_one_word: of_length(1),
            n_two_words: of_length(2),
            ..CorpusReport::default()
        }
    }
}

/// Equal corpora have the same documents in the same order, with the same names, labels and columns, over the same
/// words.
impl PartialEq for Corpus {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
            && self.word_of_feature() == other.word_of_feature()
            && self.vocabulary == other.vocabulary
            && (0..self.n_documents()).all(|d| {
                self.document_name(d) == other.document_name(d) && self.label(d) == other.label(d)
            })
            && self.column_names().eq(other.column_names())
            && self.column_names().all(|name| {
                (0..self.n_documents()).all(|d| self.cell(name, d) == other.cell(name, d))
            })
    }
}

impl std::fmt::Debug for Corpus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Corpus")
            .field("n_documents", &self.n_documents())
            .field("n_words", &self.n_words())
            .field("n_nonzeros", &self.n_nonzeros())
            .finish_non_exhaustive()
    }
}
