//! Documents one after the other; each is a row of counts that is checked when it ends.
//!
//! All formats with one document per line (LDA-C, SVMlight, dense tables) use this. Unlike a docword file they do
//! not declare how many words there are, so the largest id decides.

use super::entries::Table;
use crate::corpus::SparseCounts;
use crate::memory::{Limit, Numbers};

/// Rows under construction.
#[derive(Debug)]
pub(super) struct Rows {
    offsets: Vec<usize>,
    words: Numbers<u32>,
    counts: Numbers<u32>,
    n_zeros: u64,
    n_words: usize,
    sorted: Vec<u32>,
}

/// Kept in memory.
impl Default for Rows {
    fn default() -> Self {
        Rows::new(&Limit::none())
    }
}

impl Rows {
    pub(super) fn new(limit: &Limit) -> Self {
        let (words, counts) = (Numbers::new(limit), Numbers::new(limit));
        Rows { offsets: vec![0], words, counts, n_zeros: 0, n_words: 0, sorted: Vec::new() }
    }

    /// Adds a word to the current document; a count of zero is left out, and such zeros are counted.
    pub(super) fn push(&mut self, word: u32, count: u32) {
        self.n_words = self.n_words.max(word as usize + 1);
        if count == 0 {
            self.n_zeros += 1;
        } else {
            self.words.push(word);
            self.counts.push(count);
        }
    }

    /// Ends the document; the error is a word that it counts twice.
    pub(super) fn end_document(&mut self) -> Result<(), u32> {
        let start = self.offsets.last().copied().unwrap_or(0);
        let words = &self.words[start..];
        self.offsets.push(self.words.len());
        if words.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(words);
        self.sorted.sort_unstable();
        match self.sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(pair[0]),
            None => Ok(()),
        }
    }

    /// Subtracts one from every word id, for files that number from 1; no id may be 0.
    pub(super) fn number_from_zero(&mut self) {
        for word in &mut *self.words {
            *word -= 1;
        }
        self.n_words = self.n_words.saturating_sub(1);
    }

    /// The finished table over the words seen, or over `n_words` words if that is more.
    pub(super) fn into_table(self, n_words: usize) -> Table {
        let n_words = n_words.max(self.n_words);
        let rows = SparseCounts::from_parts(self.offsets, self.words, self.counts, n_words);
        Table { rows, n_zeros: self.n_zeros }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_wide_as_their_largest_word() {
        let mut rows = Rows::default();
        rows.push(4, 0);
        rows.push(2, 7);
        assert_eq!(rows.end_document(), Ok(()));
        assert_eq!(rows.end_document(), Ok(()));
        let table = rows.into_table(0);
        assert_eq!((table.rows.n_rows(), table.rows.n_columns(), table.n_zeros), (2, 5, 1));
        assert_eq!(table.rows.row(0), (&[2][..], &[7][..]));
    }

    #[test]
    fn a_word_twice_in_a_document_is_found_in_any_order() {
        let mut rows = Rows::default();
        for word in [3, 1, 2, 1] {
            rows.push(word, 1);
        }
        assert_eq!(rows.end_document(), Err(1));
    }
}
