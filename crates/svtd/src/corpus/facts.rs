//! Facts: whole numbers that a fit needs to know about the documents beforehand.
//!
//! The facts of two sets of documents add up exactly to those of their union. So it does not matter where documents
//! are or in which order they were counted.

use serde::{Deserialize, Serialize};

use super::{Corpus, CorpusReport, SparseCounts};

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
    /// Counts the documents of a corpus; words are its features.
    pub(super) fn count(corpus: &Corpus) -> Self {
        let square = |x: u64| u128::from(x) * u128::from(x);
        let (squared_counts, words) = count_words(corpus.rows());
        let mut by_key = vec![0; KEY_BINS];
        for (d, _) in corpus.lengths().iter().enumerate().filter(|(_, length)| **length > 0) {
            by_key[bin_of(corpus.document_key(d))] += 1;
        }
        let CorpusReport { n_empty, n_one_word, n_two_words, .. } = *corpus.report();
        Self {
            n_documents: corpus.n_documents() as u64,
            n_nonzeros: corpus.n_nonzeros() as u64,
            n_different: count_different(corpus),
            n_short: [n_empty, n_one_word, n_two_words].map(|n| n as u64),
            squared_counts,
            squared_lengths: corpus.lengths().iter().map(|&c| square(c)).sum(),
            by_key,
            words,
        }
    }

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

/// Number of different documents with words; equal ones count once.
fn count_different(corpus: &Corpus) -> u64 {
    let with_words = (0..corpus.n_documents()).filter(|&d| corpus.lengths()[d] > 0);
    let mut keys: Vec<u128> = with_words.map(|d| corpus.keys()[d]).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.len() as u64
}

fn bin_of(key: u64) -> usize {
    (key >> (u64::BITS - KEY_BINS.trailing_zeros())) as usize
}

/// The sum of the squares of all counts, and the facts of every column.
fn count_words(rows: &SparseCounts) -> (u128, Vec<WordFacts>) {
    let answer = |b: usize| {
        let (mut squares, mut words) = (0, vec![WordFacts::default(); rows.n_columns()]);
        let block = rows.block(b);
        for d in block.documents() {
            let (features, counts) = block.row(d);
            for (&i, &x) in features.iter().zip(counts) {
                squares += u128::from(x) * u128::from(x);
                words[i as usize].add(&WordFacts { total: u64::from(x), largest: x, documents: 1 });
            }
        }
        (squares, words)
    };
    let add = |left: &mut (u128, Vec<WordFacts>), right: (u128, Vec<WordFacts>)| {
        left.0 += right.0;
        left.1.iter_mut().zip(&right.1).for_each(|(left, right)| left.add(right));
    };
    rows.sum_blocks(answer, add)
}

#[cfg(test)]
mod tests {
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn facts_of_parts_add_up_and_are_counted_right() {
        let corpus = LdaSource::uniform(40, 3, 1.0, 1).draw(500, &Lengths::Uniform(0..=30), 2).0;
        let facts = corpus.facts();
        let squares: u64 = corpus.rows().counts().iter().map(|&x| u64::from(x).pow(2)).sum();
        assert_eq!(facts.squared_counts, u128::from(squares));
        assert_eq!(facts.n_with_words() as usize, 500 - corpus.report().n_empty);
        let totals: Vec<u64> = facts.words.iter().map(|word| word.total).collect();
        assert_eq!(totals, corpus.feature_totals());
        let (evens, odds): (Vec<usize>, Vec<usize>) = (0..500).partition(|d| d % 2 == 0);
        let mut sum = corpus.subset(&evens).facts().clone();
        sum.add(corpus.subset(&odds).facts());
        sum.words = facts.words.clone();
        assert_eq!(sum, *facts);
    }

    #[test]
    fn as_many_documents_as_asked_for_lie_below_a_share_of_the_keys() {
        let corpus = LdaSource::uniform(40, 3, 1.0, 1).draw(300, &Lengths::Uniform(3..=30), 2).0;
        for wanted in [0, 1, 20, 150, 300] {
            let share = corpus.facts().share_of_keys(wanted);
            let below = |d: &usize| (corpus.document_key(*d) as f64) < share * 2_f64.powi(64);
            let n = (0..300).filter(below).count() as u64;
            assert!(n >= wanted && n < wanted + 20, "{wanted}: {n}");
        }
    }
}
