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
mod cells;
mod columns;
mod dense;
mod documents;
mod docword;
mod elsewhere;
mod entries;
pub(crate) mod facts;
mod format;
mod keys;
mod lda_c;
mod living;
#[cfg(test)]
mod malformed;
mod matrix_market;
mod meter;
mod names;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod plink;
mod ranking;
mod reader;
mod rows;
mod source;
mod spare;
mod sparse;
mod svmlight;
mod svtdc;
mod united;
mod unpack;
mod vocabulary;
mod zip;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use self::elsewhere::Elsewhere;
use self::facts::Facts;
use self::names::Names;
use self::ranking::Ranking;
use crate::error::Result;
use crate::text::WordChoice;

pub use self::builder::CorpusBuilder;
pub use self::columns::Columns;
pub use self::documents::Encoding;
pub use self::format::Format;
pub(crate) use self::keys::{KeyRange, mixed};
pub use self::living::{Addition, CorpusFile, Merge, NewWord, Taken};
pub use self::reader::{CorpusReader, Opened};
pub(crate) use self::source::{TableBytes, open_table};
pub use self::sparse::SparseCounts;
pub use self::vocabulary::Vocabulary;

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
    /// Words of the vocabulary that never occur.
    pub n_absent_words: usize,
    /// Entries that were given with a count of zero, and left out.
    pub n_zero_entries: u64,
    /// Remarks of the reader for the person who asked, such as a vocabulary that was not found.
    pub notes: Vec<String>,
}

impl Corpus {
    /// Starts a corpus over a vocabulary of `n_words` words.
    pub fn builder(n_words: usize) -> CorpusBuilder {
        CorpusBuilder::new(n_words)
    }

    /// Ways to read a corpus from files.
    pub fn reader() -> CorpusReader {
        CorpusReader::new()
    }

    /// Reads a corpus from a file of counts; see [`CorpusReader`] for the formats.
    ///
    /// # Errors
    /// As [`CorpusReader::read`].
    pub fn read(path: impl AsRef<Path>) -> Result<Corpus> {
        CorpusReader::new().read(path)
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

    /// The counts by feature, `n × N`: the transpose of [`rows`](Self::rows), built when first
    /// asked for and then kept.
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

    /// Into how many blocks a fit cuts the documents.
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

    /// The label of document `d`, if documents came with labels: a class known beforehand, to
    /// compare with. No model looks at it.
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

    /// What document `d` has in a column; `None` when no such column was kept.
    ///
    /// # Panics
    /// If `d` is not below [`n_documents`](Self::n_documents).
    pub fn cell(&self, column: &str, d: usize) -> Option<&str> {
        assert!(d < self.n_documents(), "document {d} of {}", self.n_documents());
        self.names.cell(column, d)
    }

    /// How the words were chosen, if the corpus was counted from text; a [subset](Self::subset)
    /// tells how those of the whole were.
    pub fn word_choice(&self) -> Option<&WordChoice> {
        self.word_choice.as_deref()
    }

    /// What is worth knowing before learning from this corpus.
    pub fn report(&self) -> &CorpusReport {
        &self.report
    }

    /// These documents as a corpus of their own, in this order; repetition is allowed.
    ///
    /// The vocabulary is shared, so word ids keep their meaning. Features do not: they are ranked
    /// anew by the frequencies in the subset. Unlike a corpus that is built, a subset may be empty.
    ///
    /// # Panics
    /// If a document is not below [`n_documents`](Self::n_documents).
    pub fn subset(&self, documents: &[usize]) -> Corpus {
        let n_nonzeros = documents.iter().map(|&d| self.rows.row(d).0.len()).sum();
        let mut rows = SparseCounts::with_columns(self.n_words(), self.rows.limit());
        rows.reserve(documents.len(), n_nonzeros);
        let mut words = Vec::new();
        for &d in documents {
            words.clear();
            words.extend(self.document(d).words().map(|(word, _)| word));
            rows.push_row(&words, self.rows.row(d).1);
        }
        let names = self.names.subset(documents);
        let mut subset = Corpus::assemble(rows, self.vocabulary.clone(), names);
        subset.word_choice = self.word_choice.clone();
        if let Some(keys) = self.keys.get() {
            subset.keys = OnceLock::from(documents.iter().map(|&d| keys[d]).collect::<Vec<u128>>());
        }
        subset
    }

    /// The documents whose keys lie in a range, in the order of their keys, and which ones they are.
    pub(crate) fn part(&self, range: KeyRange) -> (Corpus, Vec<usize>) {
        if let Some(part) = self.part_elsewhere(range) {
            return (part, Vec::new());
        }
        let chosen = (0..self.n_documents()).filter(|&d| range.contains(self.document_key(d)));
        let chosen: Vec<usize> = chosen.collect();
        let part = self.subset(&chosen);
        let (mut part, order) = match part.keys().is_sorted() {
            // As it is where the whole stands in the order of its keys: nothing need be copied again.
            true => (part, (0..chosen.len()).collect()),
            false => {
                let (ordered, order) = part.in_key_order(None);
                (ordered.into_owned(), order)
            }
        };
        // A part has blocks of the same keys as the whole; those outside of the range are empty.
        let keys = part.keys().to_vec();
        part.rows.cut_into(&keys, self.n_blocks());
        let documents = order.into_iter().map(|d: usize| chosen[d]).collect();
        (part, documents)
    }

    /// What a fit wants to know of the documents, counted when first asked for and then kept.
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

    /// The same documents counted over other words: those of `vocabulary`, found by their names, and
    /// no others. A corpus whose words have no names must have as many as `vocabulary`, and is
    /// given them; otherwise there is no answer.
    pub fn over(&self, vocabulary: &Vocabulary) -> Option<Corpus> {
        let named = !self.vocabulary.is_numbered() && !vocabulary.is_numbered();
        if !named && self.n_words() != vocabulary.len() {
            return None;
        }
        let new_id = |word: usize| match named {
            true => vocabulary.id(&self.vocabulary.word(word)),
            false => u32::try_from(word).ok(),
        };
        let new_ids: Vec<Option<u32>> = (0..self.n_words()).map(new_id).collect();
        let mut rows = SparseCounts::with_columns(vocabulary.len(), self.rows.limit());
        for d in 0..self.n_documents() {
            let known = |(word, count): (u32, u32)| Some((new_ids[word as usize]?, count));
            let mut entries: Vec<(u32, u32)> = self.document(d).words().filter_map(known).collect();
            entries.sort_unstable();
            let (words, counts): (Vec<u32>, Vec<u32>) = entries.into_iter().unzip();
            rows.push_row(&words, &counts);
        }
        let mut corpus = Corpus::assemble(rows, vocabulary.clone(), self.names.clone());
        corpus.word_choice = self.word_choice.clone();
        Some(corpus)
    }

    /// Writes the counts as a UCI docword file, which [`read`](Self::read) reads back. The words go
    /// to a file of their own, one a line.
    ///
    /// # Errors
    /// When `out` does not take them.
    pub fn write_docword(&self, out: &mut dyn Write) -> io::Result<()> {
        docword::write(self, out)
    }

    /// A fingerprint of the content: SHA-256, in hexadecimal, of the sizes, the words and the sum of
    /// all documents' own fingerprints. Names of documents and the order in which they were read do not
    /// enter, nor does anything about how or where the corpus is stored.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update((self.n_documents() as u64).to_le_bytes());
        hash.update((self.n_words() as u64).to_le_bytes());
        for word in self.vocabulary.iter() {
            // The length goes first, or "ab" "c" would look like "a" "bc".
            hash.update((word.len() as u64).to_le_bytes());
            hash.update(word.as_bytes());
        }
        let mut carried = 0;
        for limb in self.asked_digest().unwrap_or_else(|| self.digest_sum()) {
            carried += limb;
            hash.update((carried as u32).to_le_bytes());
            carried >>= u32::BITS;
        }
        hexadecimal(&hash.finalize())
    }

    /// The sum of the SHA-256 of all documents' [keys](keys), as numbers of 32 bits each, the lowest
    /// first, without carrying: such sums of two corpora add up.
    pub(crate) fn digest_sum(&self) -> [u64; 8] {
        let of_document = |key: &u128| {
            let digest: [u8; 32] = Sha256::digest(key.to_le_bytes()).into();
            std::array::from_fn(|i| {
                let bytes = std::array::from_fn(|b| digest[4 * i + b]);
                u64::from(u32::from_le_bytes(bytes))
            })
        };
        let add = |left: [u64; 8], right: [u64; 8]| std::array::from_fn(|i| left[i] + right[i]);
        self.keys().par_iter().map(of_document).reduce(|| [0; 8], add)
    }

    /// A number made from the content of document `d` alone, by its words and their counts: the
    /// same in any corpus, wherever the document stands and however the words are numbered.
    /// Choosing held-out documents by it makes the choice independent of their order. Equal
    /// documents have equal keys.
    ///
    /// # Panics
    /// If `d` is not below [`n_documents`](Self::n_documents).
    pub fn document_key(&self, d: usize) -> u64 {
        (self.keys()[d] >> 64) as u64
    }

    /// The keys of all documents, made when first asked for and then kept.
    fn keys(&self) -> &[u128] {
        let words = &self.ranking.word_of_feature;
        self.keys.get_or_init(|| keys::of_rows(&self.rows, &self.vocabulary, words))
    }

    /// The same documents in the order of their keys, and where each of them stood here: what a
    /// fit learns from. Documents that are equal stand next to each other, those of the greater
    /// `weights` first.
    ///
    /// That order is a function of the *set* of documents, and so is every sum over documents that
    /// is made in it, to the last bit. A corpus that stands in this order already is not copied.
    pub fn in_key_order(&self, weights: Option<&[f64]>) -> (Cow<'_, Corpus>, Vec<usize>) {
        if self.is_elsewhere() {
            return (Cow::Borrowed(self), Vec::new());
        }
        let keys = self.keys();
        let weight = |d: usize| weights.and_then(|weights| weights.get(d)).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..self.n_documents()).collect();
        // A stable sort. Unequal documents with equal keys would have to agree in 128 bits by chance;
        // their content decides between them.
        order.par_sort_by(|&a, &b| {
            let content = || self.rows.row(a).cmp(&self.rows.row(b));
            keys[a].cmp(&keys[b]).then_with(content).then(weight(b).total_cmp(&weight(a)))
        });
        if order.is_sorted() && self.rows.is_cut_by_keys() {
            return (Cow::Borrowed(self), order);
        }
        // The same documents in all, so words keep their ranks.
        let keys: Vec<u128> = order.iter().map(|&d| keys[d]).collect();
        let mut rows = self.rows.permuted(&order);
        rows.cut_by_keys(&keys, self.ranking.n_present);
        let corpus = Corpus {
            rows,
            columns: OnceLock::new(),
            keys: OnceLock::from(keys),
            facts: self.facts.clone(),
            lengths: order.iter().map(|&d| self.lengths[d]).collect(),
            ranking: self.ranking.clone(),
            vocabulary: self.vocabulary.clone(),
            names: self.names.subset(&order),
            word_choice: self.word_choice.clone(),
            report: self.report.clone(),
            elsewhere: None,
        };
        (Cow::Owned(corpus), order)
    }

    /// The same documents in the order of their keys, as [`in_key_order`](Self::in_key_order) has
    /// them, for those who need no other order.
    pub fn into_key_order(self) -> Corpus {
        match self.in_key_order(None) {
            (Cow::Owned(corpus), _) => corpus,
            (Cow::Borrowed(_), _) => self,
        }
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

/// The same documents in the same order under the same names, labels and columns, over the same words.
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

/// One document of a [`Corpus`], `X⁽ᵈ⁾`.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    features: &'a [u32],
    counts: &'a [u32],
    word_of_feature: &'a [u32],
    length: u64,
}

impl<'a> Document<'a> {
    /// The words that occur, as `(word id, count)`, the most frequent in the corpus first.
    pub fn words(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + 'a {
        let word_of_feature = self.word_of_feature;
        let entries = self.features.iter().zip(self.counts);
        entries.map(|(&feature, &count)| (word_of_feature[feature as usize], count))
    }

    /// `c_d`, the number of words with repetition.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The number of different words.
    pub fn n_distinct(&self) -> usize {
        self.features.len()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Entries = Vec<Vec<(u32, u32)>>;

    fn corpus(n_words: usize, documents: &[Vec<(u32, u32)>]) -> Corpus {
        let mut builder = Corpus::builder(n_words);
        for document in documents {
            builder.push_document(document.iter().copied()).unwrap();
        }
        builder.build().unwrap()
    }

    /// Word 3 occurs 6 times, words 0 and 2 twice, word 1 never.
    fn small() -> Corpus {
        corpus(4, &[vec![(0, 2), (3, 1)], vec![(2, 1), (3, 5)], vec![], vec![(2, 1)]])
    }

    fn sorted(document: Document<'_>) -> Vec<(u32, u32)> {
        let mut entries: Vec<_> = document.words().collect();
        entries.sort_unstable();
        entries
    }

    #[test]
    fn features_are_words_by_falling_frequency() {
        let corpus = small();
        assert_eq!(corpus.word_of_feature(), [3, 0, 2, 1]);
        assert_eq!(corpus.feature_of_word(), [1, 3, 2, 0]);
        assert_eq!(corpus.feature_totals(), [6, 2, 2, 0]);
        assert_eq!(corpus.n_present(), 3);
        assert_eq!(corpus.rows().indices(), [0, 1, 0, 2, 2]);
        assert_eq!(corpus.rows().counts(), [1, 2, 5, 1, 1]);
        assert_eq!(corpus.columns().row(0), (&[0, 1][..], &[1, 5][..]));
    }

    #[test]
    fn sizes_and_lengths_are_those_of_the_counts() {
        let corpus = small();
        assert_eq!((corpus.n_documents(), corpus.n_words()), (4, 4));
        assert_eq!((corpus.n_nonzeros(), corpus.n_tokens()), (5, 10));
        assert_eq!(corpus.lengths(), [3, 6, 0, 1]);
        let document = corpus.document(1);
        assert_eq!((document.length(), document.n_distinct()), (6, 2));
        assert_eq!(document.words().collect::<Vec<_>>(), [(3, 5), (2, 1)]);
    }

    #[test]
    fn the_report_counts_what_moments_cannot_use() {
        let corpus = corpus(5, &[vec![], vec![(0, 1)], vec![(0, 2)], vec![(0, 1), (1, 1)]]);
        let report = corpus.report();
        assert_eq!((report.n_empty, report.n_one_word, report.n_two_words), (1, 1, 2));
        assert_eq!((report.n_absent_words, report.n_zero_entries), (3, 0));
    }

    #[test]
    fn a_subset_ranks_anew_and_keeps_words_and_names() {
        let subset = small().subset(&[3, 0]);
        assert_eq!(subset.word_of_feature(), [0, 2, 3, 1]);
        assert_eq!(sorted(subset.document(0)), [(2, 1)]);
        assert_eq!(sorted(subset.document(1)), [(0, 2), (3, 1)]);
        assert_eq!((subset.document_name(0), subset.document_name(1)), ("4".into(), "1".into()));
        assert_eq!(subset.report().n_absent_words, 1);
    }

    #[test]
    fn a_subset_may_be_empty_or_repeat_a_document() {
        assert_eq!(small().subset(&[]).n_tokens(), 0);
        assert_eq!(small().subset(&[1, 1]).lengths(), [6, 6]);
    }

    #[test]
    fn documents_counted_over_other_words_are_those_that_would_have_been_read() {
        let named = |words: &[&str], documents: &[Vec<(u32, u32)>]| {
            let words = Vocabulary::from_words(words.iter().map(|w| (*w).to_owned()).collect());
            let mut builder =
                Corpus::builder(words.as_ref().unwrap().len()).vocabulary(words.unwrap());
            documents.iter().for_each(|d| builder.push_document(d.iter().copied()).unwrap());
            builder.build().unwrap()
        };
        let whole = named(&["a", "b", "c"], &[vec![(0, 2), (1, 1)], vec![(1, 5)], vec![(2, 3)]]);
        let fewer = named(&["c", "a"], &[vec![(1, 2)], vec![], vec![(0, 3)]]);
        let over = whole.over(fewer.vocabulary()).unwrap();
        assert_eq!(over.digest(), fewer.digest());
        assert_eq!(whole.document_frequencies(), [1, 2, 1]);
        assert!(whole.over(&Vocabulary::numbered(2)).is_none());
        assert_eq!(whole.over(&Vocabulary::numbered(3)).unwrap().n_tokens(), 11);
    }

    #[test]
    fn names_are_given_to_documents_in_order() {
        let mut builder = Corpus::builder(1).names(vec!["a".to_owned(), "b".to_owned()]);
        builder.push_document([(0, 1)]).unwrap();
        builder.push_document([(0, 1)]).unwrap();
        let corpus = builder.build().unwrap();
        assert_eq!(corpus.document_name(1), "b");
    }

    #[test]
    fn fingerprints_do_not_change_between_versions() {
        // SHA-256 of 1, 1, then 1 "1", then the SHA-256 of the key: computed outside, in Python.
        let digest = "f71fdbfbb720a208a8400b5c10ce6907befe1c7894a5d26581a1d2674cc950bc";
        assert_eq!(corpus(1, &[vec![(0, 1)]]).digest(), digest);
        assert_eq!(small().document_key(2), mixed(0));
    }

    #[test]
    fn the_digest_tells_counts_words_and_sizes_apart() {
        let one = |n_words, document: &[(u32, u32)]| corpus(n_words, &[document.to_vec()]).digest();
        let digests = [
            one(2, &[(0, 1)]),
            one(2, &[(1, 1)]),
            one(2, &[(0, 2)]),
            one(3, &[(0, 1)]),
            corpus(2, &[vec![(0, 1)], vec![]]).digest(),
            corpus(2, &[vec![(0, 1)], vec![], vec![]]).digest(),
        ];
        let swapped = corpus(2, &[vec![], vec![(0, 1)]]).digest();
        assert_eq!(swapped, digests[4], "the order of documents does not matter");
        for (i, digest) in digests.iter().enumerate() {
            assert_eq!(digest.len(), 64);
            assert!(!digests[..i].contains(digest));
        }
    }

    fn entries() -> impl Strategy<Value = Entries> {
        let document = proptest::collection::btree_map(0..12_u32, 1..6_u32, 0..8);
        let document = document.prop_map(|d: BTreeMap<u32, u32>| d.into_iter().collect::<Vec<_>>());
        let documents = proptest::collection::vec(document.prop_shuffle(), 1..12);
        documents.prop_filter("some word must occur", |d| d.iter().any(|d| !d.is_empty()))
    }

    proptest! {
        #[test]
        fn documents_rows_and_columns_hold_what_was_pushed(documents in entries()) {
            let corpus = corpus(12, &documents);
            for (d, mut expected) in documents.into_iter().enumerate() {
                expected.sort_unstable();
                prop_assert_eq!(sorted(corpus.document(d)), expected);
                prop_assert!(corpus.rows().row(d).0.is_sorted_by(|a, b| a < b));
            }
            prop_assert_eq!(&corpus.columns().transpose(), corpus.rows());
            prop_assert!(corpus.feature_totals().is_sorted_by(|a, b| a >= b));
            for (feature, &total) in corpus.feature_totals().iter().enumerate() {
                let (_, counts) = corpus.columns().row(feature);
                prop_assert_eq!(counts.iter().map(|&c| u64::from(c)).sum::<u64>(), total);
                prop_assert_eq!(total > 0, feature < corpus.n_present());
            }
        }

        #[test]
        fn a_subset_is_the_corpus_of_its_documents(
            documents in entries(),
            choice in proptest::collection::vec(any::<prop::sample::Index>(), 1..9),
        ) {
            let whole = corpus(12, &documents);
            let chosen: Vec<usize> = choice.iter().map(|i| i.index(documents.len())).collect();
            let part: Entries = chosen.iter().map(|&d| documents[d].clone()).collect();
            prop_assume!(part.iter().any(|d| !d.is_empty()));
            let (subset, built) = (whole.subset(&chosen), corpus(12, &part));
            prop_assert_eq!(subset.rows(), built.rows());
            prop_assert_eq!(subset.word_of_feature(), built.word_of_feature());
            prop_assert_eq!(subset.report(), built.report());
            prop_assert_eq!(subset.digest(), built.digest());
            for (i, &d) in chosen.iter().enumerate() {
                prop_assert_eq!(subset.document_name(i), whole.document_name(d));
            }
        }

        #[test]
        fn fingerprints_do_not_depend_on_the_order_of_features(documents in entries()) {
            let mut other = corpus(12, &documents);
            let (key, digest) = (other.document_key(0), other.digest());
            // Reverse the numbering of features behind the corpus's back.
            let reversed: Vec<u32> = (0..12).rev().collect();
            other.rows.relabel(&reversed);
            other.ranking.word_of_feature.reverse();
            other.keys = OnceLock::new();
            prop_assert_eq!(other.document_key(0), key);
            prop_assert_eq!(other.digest(), digest);
        }

        #[test]
        fn a_document_has_its_key_wherever_it_stands(documents in entries()) {
            let whole = corpus(12, &documents);
            for d in 0..whole.n_documents() {
                prop_assert_eq!(whole.subset(&[d]).document_key(0), whole.document_key(d));
            }
        }
    }
}
