//! A corpus that changes: documents are added and removed, corpora are merged.
//!
//! ```text
//! add      appends documents, counted over the words of the corpus
//! remove   removes documents; the others keep their order and their words
//! merge    documents of all, words of all
//! ```
//!
//! # No history
//! After any sequence of additions and removals, a corpus is the corpus of the remaining documents in the order in
//! which they came, down to the bytes of its file. So a document that was added and removed again leaves no trace.
//! A model learned from the corpus does not depend on the order either (see `keys`).
//!
//! # Words
//! The vocabulary is chosen once, when the corpus is counted. Added text is split into words in the same way, and
//! words that the corpus does not have are left out and reported ([`NewWord`]). They cannot simply be included: the
//! existing documents may contain them, but there they were not counted. Counting everything again includes them;
//! [merging](Corpus::merge) takes the words of both corpora as they are.
//!
//! # Names
//! A name stands for one document. A document that already exists under the same name with the same words is
//! skipped, so repeating an addition changes nothing. The same name with other words is an error, or replaces the
//! old document if that is [asked for](Taken::Replace).
//!
//! # Cost
//! All of them copy the counts once.

mod adding;
mod file;
mod twins;

pub use self::adding::{Addition, NewWord};
pub use self::file::CorpusFile;
use self::twins::Twins;
use crate::corpus::Corpus;
use crate::corpus::united::{self, Part};
use crate::error::{Error, Result};

/// What to do with a new document whose name already belongs to a document with other words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Taken {
    /// Nothing is changed, and the result is an error.
    #[default]
    Refuse,
    /// The new document replaces the old one.
    Replace,
}

/// Several corpora as one.
#[derive(Debug)]
pub struct Merge {
    /// The corpus of all documents.
    pub corpus: Corpus,
    /// Names of documents that occurred twice with the same words, and are kept once.
    pub same: Vec<String>,
    /// Names whose first document was replaced.
    pub replaced: Vec<String>,
}

impl Corpus {
    /// All documents of several corpora, each given with its name for messages. Words are matched by name; the
    /// documents are in the order of the corpora.
    ///
    /// # Errors
    /// When the corpora do not fit together (some know their words and others only number them, or
    /// text was split in different ways), or a name is taken and that is to be refused.
    pub fn merge(
        first: (String, Corpus),
        others: Vec<(String, Corpus)>,
        taken: Taken,
    ) -> Result<Merge> {
        let n_first = first.1.n_documents();
        let parts = std::iter::once(first).chain(others);
        let mut parts: Vec<Part> = parts.map(|(name, corpus)| Part { name, corpus }).collect();
        let all = united::unite(parts.clone())?;
        let zeros = all.report().n_zero_entries;
        let Twins { kept, same, replaced } = Twins::find(&all, n_first, taken)?;
        if kept.len() == all.n_documents() {
            let corpus = all.settled(&kept, zeros);
            return Ok(Merge { corpus, same, replaced });
        }
        // Words are ordered by their totals, in which a document must not count twice.
        let mut start = 0;
        for part in &mut parts {
            let end = start + part.corpus.n_documents();
            let of_part = kept.iter().filter(|&&d| (start..end).contains(&d));
            let of_part: Vec<usize> = of_part.map(|&d| d - start).collect();
            part.corpus = part.corpus.settled(&of_part, part.corpus.report().n_zero_entries);
            start = end;
        }
        let all = united::unite(parts)?;
        let corpus = all.settled(&(0..kept.len()).collect::<Vec<usize>>(), zeros);
        Ok(Merge { corpus, same, replaced })
    }

    /// The same corpus without these documents, which may be given in any order.
    ///
    /// # Errors
    /// When no word would be left.
    ///
    /// # Panics
    /// If a document is not below [`n_documents`](Self::n_documents).
    pub fn remove(&self, documents: &[usize]) -> Result<Corpus> {
        let mut stays = vec![true; self.n_documents()];
        documents.iter().for_each(|&d| stays[d] = false);
        let kept: Vec<usize> = (0..self.n_documents()).filter(|&d| stays[d]).collect();
        let left = self.settled(&kept, self.report().n_zero_entries);
        match left.n_tokens() {
            0 => Err(Error::NothingLeft { removed: self.n_documents() - kept.len() }),
            _ => Ok(left),
        }
    }
}

#[cfg(test)]
mod tests;
