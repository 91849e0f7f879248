//! Corpora made from another one: some of its documents, all of them in another order, or over other words.

use std::borrow::Cow;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::{Corpus, KeyPart, SparseCounts, Vocabulary};

impl Corpus {
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

    /// The documents of a part, in the order of their keys, and their positions in this corpus.
    pub(crate) fn part(&self, part: impl Into<KeyPart>) -> (Corpus, Vec<usize>) {
        let part = part.into();
        if let Some(part) = self.part_elsewhere(&part) {
            return (part, Vec::new());
        }
        let chosen = part.documents(self);
        let part = self.subset(&chosen);
        let (mut part, order) = match part.keys().is_sorted() {
            // If the whole corpus is in the order of its keys, the part is too.
            true => (part, (0..chosen.len()).collect()),
            false => {
                let (ordered, order) = part.in_key_order(None);
                (ordered.into_owned(), order)
            }
        };
        // A part has the same blocks of keys as the whole; those outside of its range are empty.
        let keys = part.keys().to_vec();
        part.rows.cut_into(&keys, self.n_blocks());
        let documents = order.into_iter().map(|d: usize| chosen[d]).collect();
        (part, documents)
    }

    /// The same documents counted over other words: those of `vocabulary`, found by name, and no others. A corpus
    /// whose words have no names must have as many words as `vocabulary`, and is given its names; otherwise the
    /// result is `None`.
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

    /// The same documents in the order of their keys, which is what a fit learns from, and the position of each of
    /// them in this corpus. Equal documents are adjacent, those with the larger `weights` first.
    ///
    /// That order is a function of the *set* of documents, and so is every sum over documents in that order, to the
    /// last bit. A corpus that is already in this order is not copied.
    pub fn in_key_order(&self, weights: Option<&[f64]>) -> (Cow<'_, Corpus>, Vec<usize>) {
        if self.is_elsewhere() {
            return (Cow::Borrowed(self), Vec::new());
        }
        let order = self.key_order(weights);
        if self.is_ordered_by(&order) {
            return (Cow::Borrowed(self), order);
        }
        let rows = self.rows.permuted(&order);
        (Cow::Owned(self.ordered(&order, rows)), order)
    }

    /// The same documents in the order of their keys, as from [`in_key_order`](Self::in_key_order), without the
    /// positions. The counts are moved, so that there is hardly ever a second copy of them.
    pub fn into_key_order(mut self) -> Corpus {
        if self.is_elsewhere() {
            return self;
        }
        let order = self.key_order(None);
        if self.is_ordered_by(&order) {
            return self;
        }
        self.columns = OnceLock::new();
        let none = SparseCounts::with_columns(self.n_words(), self.rows.limit());
        let rows = std::mem::replace(&mut self.rows, none).into_permuted(&order);
        self.ordered(&order, rows)
    }

    /// The documents in the order of their keys.
    fn key_order(&self, weights: Option<&[f64]>) -> Vec<usize> {
        let keys = self.keys();
        let weight = |d: usize| weights.and_then(|weights| weights.get(d)).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..self.n_documents()).collect();
        // A stable sort. Different documents have equal keys only if 128 bits agree by chance; then their content
        // decides.
        order.par_sort_by(|&a, &b| {
            let content = || {
                self.rows.limit().touch_scattered();
                self.rows.row(a).cmp(&self.rows.row(b))
            };
            keys[a].cmp(&keys[b]).then_with(content).then(weight(b).total_cmp(&weight(a)))
        });
        order
    }

    /// Whether documents and blocks are already as this order has them.
    fn is_ordered_by(&self, order: &[usize]) -> bool {
        order.is_sorted() && self.rows.is_cut_by_keys()
    }

    /// The documents in this order, with their counts already in it.
    fn ordered(&self, order: &[usize], mut rows: SparseCounts) -> Corpus {
        // The set of documents is the same, so words keep their ranks.
        let keys: Vec<u128> = order.iter().map(|&d| self.keys()[d]).collect();
        rows.cut_by_keys(&keys, self.ranking.n_present);
        Corpus {
            rows,
            columns: OnceLock::new(),
            keys: OnceLock::from(keys),
            facts: self.facts.clone(),
            lengths: order.iter().map(|&d| self.lengths[d]).collect(),
            ranking: self.ranking.clone(),
            vocabulary: self.vocabulary.clone(),
            names: self.names.subset(order),
            word_choice: self.word_choice.clone(),
            report: self.report.clone(),
            elsewhere: None,
        }
    }
}
