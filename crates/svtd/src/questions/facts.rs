//! Facts: whole numbers that a fit needs to know about the documents beforehand.
//!
//! The facts of two sets of documents add up exactly to those of their union. So it does not matter where documents
//! are or in which order they were counted.

use serde::{Deserialize, Serialize};

/// Number of equal ranges of keys in which documents are counted.
pub(crate) const KEY_BINS: usize = 64;

/// What is known about a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WordFacts {
    /// How often it occurs in all documents.
    pub total: u64,
    /// Its largest count in one document.
    pub largest: u32,
    /// Number of documents that contain it.
    pub documents: u64,
}

impl WordFacts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.total = self.total.saturating_add(other.total);
        self.largest = self.largest.max(other.largest);
        self.documents = self.documents.saturating_add(other.documents);
    }
}

/// What is known about a set of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub n_documents: u64,
    /// Number of counts that are not zero.
    pub n_nonzeros: u64,
    /// Number of different documents among those with words, counted separately by each holder.
    pub n_different: u64,
    /// Number of documents with no word, one word and two words.
    pub n_short: [u64; 3],
    /// The sum of all counts squared, `sum x^2`.
    pub squared_counts: u128,
    /// The sum of all lengths squared, `sum c^2`.
    pub squared_lengths: u128,
    /// Number of documents with words, in each of [`KEY_BINS`] ranges of keys.
    pub by_key: Vec<u64>,
    /// One entry for each feature of the corpus, or for each word of a list.
    pub words: Vec<WordFacts>,
}

impl Facts {
    /// Adds the facts of other documents, except those about words.
    pub(crate) fn add(&mut self, other: &Self) {
        self.n_documents = self.n_documents.saturating_add(other.n_documents);
        self.n_nonzeros = self.n_nonzeros.saturating_add(other.n_nonzeros);
        self.n_different = self.n_different.saturating_add(other.n_different);
        for (own, more) in self.n_short.iter_mut().zip(other.n_short) {
            *own = own.saturating_add(more);
        }
        self.squared_counts = self.squared_counts.saturating_add(other.squared_counts);
        self.squared_lengths = self.squared_lengths.saturating_add(other.squared_lengths);
        self.by_key.resize(KEY_BINS, 0);
        for (own, more) in self.by_key.iter_mut().zip(&other.by_key) {
            *own = own.saturating_add(*more);
        }
    }

    /// Whether the numbers are consistent, so that they could belong to documents. Numbers from elsewhere are
    /// checked before anything is computed with them.
    pub(crate) fn are_possible(&self) -> bool {
        let most = u64::from(u32::MAX);
        let sum = |values: &[u64]| values.iter().try_fold(0_u64, |sum, x| sum.checked_add(*x));
        let totals: Vec<u64> = self.words.iter().map(|word| word.total).collect();
        let Some(tokens) = sum(&totals).filter(|tokens| *tokens < u64::MAX >> 16) else {
            return false;
        };
        let short = sum(&self.n_short);
        let with_words = self.n_documents.checked_sub(self.n_short[0]);
        let word = |word: &WordFacts| {
            u64::from(word.largest) <= word.total
                && word.documents <= self.n_documents
                && word.documents <= word.total
                && (word.documents > 0) == (word.total > 0)
                && word.largest.min(1) as u64 == word.documents.min(1)
        };
        self.n_documents <= most
            && short.is_some_and(|short| short <= self.n_documents)
            && with_words == sum(&self.by_key)
            && with_words
                .is_some_and(|n| self.n_different <= n && self.n_different.min(1) == n.min(1))
            && self.n_nonzeros <= tokens
            && self.squared_counts >= u128::from(tokens)
            && self.squared_lengths >= self.squared_counts
            && self.squared_lengths <= u128::from(tokens) * u128::from(tokens)
            && totals.iter().map(|&t| u128::from(t) * u128::from(t)).sum::<u128>()
                >= self.squared_counts
            && self.words.iter().all(word)
    }

    /// The share of all keys, from the lowest, that contains at least this many documents with words; a multiple of
    /// one in [`KEY_BINS`].
    pub(crate) fn share_of_keys(&self, n_documents: u64) -> f64 {
        let mut sum = 0;
        let below = self.by_key.iter().take_while(|&&n| {
            let enough = sum >= n_documents;
            sum += n;
            !enough
        });
        below.count() as f64 / KEY_BINS as f64
    }

    /// Number of documents that have words.
    pub(crate) fn n_with_words(&self) -> u64 {
        self.n_documents - self.n_short[0]
    }
}
