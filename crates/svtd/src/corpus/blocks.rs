//! Blocks: runs of consecutive documents; the tasks of every pass over the counts.
//!
//! A fit asks the same question of every block and adds up the answers, always along the same tree:
//!
//! ```text
//! block 0 ─┐
//!          + ─┐
//! block 1 ─┘  │
//!             + ──► the sum
//! block 2 ─┐  │
//!          + ─┘
//! block 3 ─┘
//! ```
//!
//! So a sum does not depend on the number of threads or on which thread handled which block. In a corpus sorted by
//! its [keys](super::keys) a block holds the documents whose keys begin with the block's number in binary: then
//! neither the blocks nor the sums depend on the order in which documents were read.
//!
//! # How many
//! A pass makes a partial sum for every word of the vocabulary in every block. So a block should have at least
//! [`ENTRIES_PER_WORD`] times as many entries as there are words in use; with fewer, the partial sums cost more
//! than the work itself (`benches/record/constants.md`).

use std::ops::Range;

/// The smallest number of entries in a block for each word in use.
const ENTRIES_PER_WORD: usize = 30;

/// The largest number of blocks.
pub(crate) const MOST_BLOCKS: usize = 1 << 10;

/// The number of blocks for a table with this many entries over this many words: a power of two.
pub(crate) fn n_blocks(n_nonzeros: usize, n_present: usize) -> usize {
    let fitting = n_nonzeros / (ENTRIES_PER_WORD * n_present).max(1);
    match fitting.clamp(1, MOST_BLOCKS).checked_ilog2() {
        Some(bits) => 1 << bits,
        None => 1,
    }
}

/// Where the blocks of a table begin and end.
#[derive(Debug, Clone, Default)]
pub(super) struct Cut {
    /// The first row of every block but the first.
    inner: Vec<usize>,
    by_keys: bool,
}

impl Cut {
    /// Cuts into blocks with about equally many entries.
    pub(super) fn evenly(offsets: &[usize], n_present: usize) -> Self {
        let total = offsets.last().copied().unwrap_or(0);
        let n = n_blocks(total, n_present);
        let n_rows = offsets.len() - 1;
        let edge = |b: usize| offsets.partition_point(|&o| o < total / n * b).min(n_rows);
        Self { inner: (1..n).map(edge).collect(), by_keys: false }
    }

    /// One block for every value of the keys' leading bits; the keys ascend.
    pub(super) fn by_keys(keys: &[u128], n_blocks: usize) -> Self {
        debug_assert!(keys.is_sorted() && n_blocks.is_power_of_two());
        let width = u128::MAX / n_blocks as u128 + u128::from(n_blocks > 1);
        let edge = |b: usize| keys.partition_point(|&key| key < width * b as u128);
        Self { inner: (1..n_blocks).map(edge).collect(), by_keys: true }
    }

    pub(super) fn n_blocks(&self) -> usize {
        self.inner.len() + 1
    }

    pub(super) fn is_by_keys(&self) -> bool {
        self.by_keys
    }

    /// The rows of block `b` of a table with `n_rows` rows.
    pub(super) fn rows(&self, b: usize, n_rows: usize) -> Range<usize> {
        let start = if b == 0 { 0 } else { self.inner[b - 1] };
        start..self.inner.get(b).copied().unwrap_or(n_rows)
    }
}

/// A run of consecutive documents.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    first: usize,
    offsets: &'a [usize],
    indices: &'a [u32],
    counts: &'a [u32],
}

impl<'a> Block<'a> {
    /// Documents from `first` on, whose entries begin at these positions of the whole table.
    pub(super) fn new(
        first: usize,
        offsets: &'a [usize],
        indices: &'a [u32],
        counts: &'a [u32],
    ) -> Self {
        Self { first, offsets, indices, counts }
    }

    /// The documents, by their numbers in the whole table.
    pub(crate) fn documents(&self) -> Range<usize> {
        self.first..self.first + self.offsets.len() - 1
    }

    /// The words and counts of document `d` of the whole table.
    #[inline(always)]
    pub(crate) fn row(&self, d: usize) -> (&'a [u32], &'a [u32]) {
        let local = d - self.first;
        let start = self.offsets[0];
        let span = self.offsets[local] - start..self.offsets[local + 1] - start;
        (&self.indices[span.clone()], &self.counts[span])
    }

    /// Where the entries of document `d` begin in the whole table.
    #[inline(always)]
    pub(crate) fn first_entry(&self, d: usize) -> usize {
        self.offsets[d - self.first]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_many_entries_for_each_word() {
        assert_eq!(n_blocks(0, 0), 1);
        assert_eq!(n_blocks(100, 50), 1);
        assert_eq!(n_blocks(70_000_000, 100_000), 16);
        assert_eq!(n_blocks(usize::MAX, 1), MOST_BLOCKS);
    }

    #[test]
    fn blocks_hold_all_rows_once_however_they_are_cut() {
        let offsets: Vec<usize> = (0..=1000).map(|d| 40 * d + d * d / 20).collect();
        let keys: Vec<u128> = (0..1000).map(|d| u128::MAX / 1000 * d).collect();
        for cut in [Cut::evenly(&offsets, 10), Cut::by_keys(&keys, 16), Cut::by_keys(&keys, 1)] {
            let rows: Vec<usize> = (0..cut.n_blocks()).flat_map(|b| cut.rows(b, 1000)).collect();
            assert!(rows.iter().copied().eq(0..1000));
        }
        assert_eq!(Cut::evenly(&offsets, 10).n_blocks(), 256);
        let even = Cut::by_keys(&keys, 4);
        assert!((0..4).all(|b| (249..=251).contains(&even.rows(b, 1000).len())));
    }
}
