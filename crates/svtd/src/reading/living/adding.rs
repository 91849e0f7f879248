//! Adding documents to a corpus, over its existing words.

use super::twins::Twins;
use super::{Corpus, Part, Taken, united};
use crate::corpus::{CorpusBuilder, SparseCounts, Vocabulary};
use crate::error::{Error, Result};
use crate::memory;
use crate::reading::reader::{CorpusReader, Opened};

/// A corpus with further documents.
#[derive(Debug)]
pub struct Addition {
    /// The whole corpus.
    pub corpus: Corpus,
    /// Number of new documents.
    pub n_added: usize,
    /// Number of the given documents that have no word of the vocabulary.
    pub n_without_words: usize,
    /// Names of documents that were already there with the same words, and were skipped.
    pub same: Vec<String>,
    /// Names whose old document was replaced.
    pub replaced: Vec<String>,
    /// Words that were left out but would be chosen if everything were counted again; those in most documents
    /// first.
    pub new_words: Vec<NewWord>,
}

/// A word that the corpus does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWord {
    /// The word.
    pub word: String,
    /// Number of the given documents in which it occurs.
    pub n_documents: usize,
}

impl CorpusReader {
    /// Reads inputs that are to be [added](Corpus::add) to a corpus: text is split into words as the text of that
    /// corpus was, and all words of it are counted. Inputs of counts come before those of text, as in
    /// [`read_all`](Self::read_all).
    ///
    /// # Errors
    /// As [`read_all`](Self::read_all).
    pub fn read_onto(&self, inputs: Vec<Opened>, onto: &Corpus) -> Result<Corpus> {
        let (preprocessing, words) = match onto.word_choice() {
            // A given list protects its words from the filters, so they must be known when text is split.
            Some(choice) => (
                choice.preprocessing.for_new_documents(),
                choice.preprocessing.fixed_vocabulary.then(|| onto.vocabulary().clone()),
            ),
            None => (self.preprocessing_asked().for_new_documents(), None),
        };
        let mut inputs = inputs;
        inputs.sort_by_key(Opened::is_text);
        if inputs.is_empty() {
            return Err(Error::NoWords { documents: 0 });
        }
        let part = |opened: Opened| {
            let name = opened.name().to_owned();
            let corpus = opened.read_with(&preprocessing, words.as_ref())?;
            Ok(Part { name, corpus })
        };
        memory::caught(|| united::unite(inputs.into_iter().map(part).collect::<Result<_>>()?))
    }
}

impl Corpus {
    /// This corpus followed by the documents of another one, over the words of this one. `name` is the name of the
    /// other in messages, and the prefix for documents without names.
    ///
    /// # Errors
    /// When the words of one are known and those of the other only numbered, when text was split in
    /// different ways, when only the new documents have names, when a column is missing that this
    /// corpus keeps, or when a name is taken and that is to be refused.
    pub fn add(&self, more: &Corpus, name: &str, taken: Taken) -> Result<Addition> {
        self.check_addition(more, name)?;
        let new_words = self.new_words(more);
        let recounted = self.recounted(more)?;
        let n_without_words = recounted.report().n_empty;
        let parts = [(String::new(), self.clone()), (name.to_owned(), recounted)];
        let parts = parts.map(|(name, corpus)| Part { name, corpus });
        let all = united::unite(parts.into())?;
        let Twins { kept, same, replaced } = Twins::find(&all, self.n_documents(), taken)?;
        let n_added = kept.iter().filter(|&&d| d >= self.n_documents()).count();
        let corpus = all.settled(&kept, self.report().n_zero_entries);
        Ok(Addition { corpus, n_added, n_without_words, same, replaced, new_words })
    }

    fn check_addition(&self, more: &Corpus, name: &str) -> Result<()> {
        let refused = |reason: String| Err(Error::File { path: name.to_owned(), reason });
        if self.vocabulary().is_numbered() != more.vocabulary().is_numbered() {
            let (old, new) = match self.vocabulary().is_numbered() {
                true => ("only numbered", "known"),
                false => ("known", "only numbered"),
            };
            return refused(format!(
                "its words are {new}, and those of the corpus are {old}; give the words of both"
            ));
        }
        if let (Some(old), Some(new)) = (self.word_choice(), more.word_choice())
            && !old.preprocessing.splits_as(&new.preprocessing)
        {
            return refused(
                "its text was split into words in another way than that of the corpus; count it \
                 with the same flags, or add the text itself"
                    .to_owned(),
            );
        }
        if more.has_names() && !self.has_names() {
            return refused(
                "its documents have names, and those of the corpus are only numbered; merge makes a \
                 corpus with names for all"
                    .to_owned(),
            );
        }
        let missing = self.column_names().find(|&column| !more.column_names().any(|c| c == column));
        match missing {
            None => Ok(()),
            Some(column) => refused(format!(
                "the corpus keeps the column {column:?}, which is missing here; add documents that \
                 have it"
            )),
        }
    }

    /// The words of another corpus that this one lacks, if its choice of words would include them.
    fn new_words(&self, more: &Corpus) -> Vec<NewWord> {
        let choice = self.word_choice().map(|choice| &choice.preprocessing);
        let is_full = |max_words: usize| self.n_words() >= max_words;
        if choice.is_some_and(|c| c.fixed_vocabulary || c.max_words.is_some_and(is_full)) {
            return Vec::new();
        }
        let n_all = (self.n_documents() + more.n_documents()) as u64;
        let (fewest, most) = choice.map_or((1, u64::MAX), |choice| {
            (choice.min_df.at_least(n_all), choice.max_df.at_most(n_all))
        });
        let admitted = |n: u64| n >= fewest.max(1) && n <= most;
        let frequencies = more.document_frequencies();
        let mut new: Vec<NewWord> = (0..more.n_words())
            .filter(|&id| admitted(frequencies[id] as u64) && self.id_of(more, id).is_none())
            .map(|id| NewWord {
                word: more.vocabulary().word(id).into_owned(),
                n_documents: frequencies[id],
            })
            .collect();
        new.sort_by(|a, b| b.n_documents.cmp(&a.n_documents).then_with(|| a.word.cmp(&b.word)));
        new
    }

    /// The documents of another corpus over the words of this one. Labels and columns that this one does not have
    /// are left out.
    fn recounted(&self, more: &Corpus) -> Result<Corpus> {
        let ids: Vec<Option<u32>> = (0..more.n_words()).map(|id| self.id_of(more, id)).collect();
        let mut rows = SparseCounts::with_columns(self.n_words(), self.rows().limit());
        rows.reserve(more.n_documents(), more.n_nonzeros());
        let (mut words, mut counts) = (Vec::new(), Vec::new());
        for d in 0..more.n_documents() {
            words.clear();
            counts.clear();
            for (word, count) in more.document(d).words() {
                if let Some(id) = ids[word as usize] {
                    words.push(id);
                    counts.push(count);
                }
            }
            rows.push_row(&words, &counts);
        }
        let documents = || 0..more.n_documents();
        let names = documents().map(|d| more.has_names().then(|| more.document_name(d).into()));
        let labelled = self.n_documents() > 0 && self.label(0).is_some();
        let label = |d| labelled.then(|| more.label(d).unwrap_or_default().to_owned());
        let mut builder = CorpusBuilder::from_rows(rows)
            .vocabulary(self.vocabulary().clone())
            .optional_names(names.collect())
            .optional_labels(documents().map(label).collect())
            .notes(more.report().notes.clone())
            .may_be_empty();
        for column in self.column_names() {
            let cells = documents().map(|d| more.cell(column, d).unwrap_or_default().to_owned());
            builder = builder.column(column, cells.collect());
        }
        builder.build()
    }

    /// The id in this corpus of a word of another corpus.
    fn id_of(&self, more: &Corpus, id: usize) -> Option<u32> {
        let vocabulary: &Vocabulary = self.vocabulary();
        match vocabulary.is_numbered() {
            true => u32::try_from(id).ok().filter(|_| id < self.n_words()),
            false => vocabulary.id(&more.vocabulary().word(id)),
        }
    }
}
