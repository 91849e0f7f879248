//! Sparse counts: the non-zero entries of a table, row after row.
//!
//! The compressed-row form keeps, for each row, the columns that are not zero and their counts:
//!
//! ```text
//! 2 0 1        offsets  0   2     3     where each row starts, and where the last one ends
//! 0 5 0   ──►  indices  0 2   1         columns
//!              counts   2 1   5
//! ```
//!
//! That is 8 bytes for each non-zero, which for the corpora we aim at (70 million of them) is most of the memory of
//! a fit. Hence the one rule of this file: the arrays are rearranged in place, and a second copy is made only when
//! it is the result ([`SparseCounts::transpose`]). A clone shares the arrays until one of the two is changed.

mod moving;
mod rearranged;

use std::sync::Arc;

use rayon::prelude::*;

use super::blocks::{Block, Cut, n_blocks};
use super::spare::Spare;
use crate::memory::{Limit, Numbers};
use crate::tree::sum_over_occupied;

/// Bytes per entry.
const ENTRY: usize = 2 * size_of::<u32>();

/// Sparse counts by rows: a `u32` column index and a `u32` count for each non-zero.
///
/// Rows are grouped into blocks, which are the tasks of passes over the counts.
#[derive(Debug, Clone)]
pub struct SparseCounts {
    offsets: Vec<usize>,
    indices: Arc<Numbers<u32>>,
    counts: Arc<Numbers<u32>>,
    n_columns: usize,
    cut: Cut,
    spare: Spare,
}

/// Equal if the entries are equal, wherever blocks begin and end.
impl PartialEq for SparseCounts {
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets
            && self.indices() == other.indices()
            && self.counts() == other.counts()
            && self.n_columns == other.n_columns
    }
}

impl Eq for SparseCounts {}

impl SparseCounts {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns, empty ones included.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Number of entries stored; none of them is zero.
    pub fn n_nonzeros(&self) -> usize {
        self.indices.len()
    }

    /// The columns that are not zero in row `i`, ascending, and their counts.
    ///
    /// # Panics
    /// If there is no row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[u32]) {
        let span = self.offsets[i]..self.offsets[i + 1];
        self.limit().touch(ENTRY * span.len());
        (&self.indices[span.clone()], &self.counts[span])
    }

    /// The memory limit of the entries.
    #[inline(always)]
    pub(crate) fn limit(&self) -> &Limit {
        self.indices.limit()
    }

    /// Reusable memory for partial sums over these counts.
    pub(crate) fn spare(&self) -> &Spare {
        &self.spare
    }

    /// Number of blocks of rows.
    pub(crate) fn n_blocks(&self) -> usize {
        self.cut.n_blocks()
    }

    /// Block `b`.
    pub(crate) fn block(&self, b: usize) -> Block<'_> {
        let rows = self.cut.rows(b, self.n_rows());
        let entries = self.offsets[rows.start]..self.offsets[rows.end];
        self.limit().touch(ENTRY * entries.len());
        Block::new(
            rows.start,
            &self.offsets[rows.start..=rows.end],
            &self.indices[entries.clone()],
            &self.counts[entries],
        )
    }

    /// The rows of block `b`.
    pub(crate) fn block_rows(&self, b: usize) -> std::ops::Range<usize> {
        self.cut.rows(b, self.n_rows())
    }

    /// Sums some numbers over all rows: rows in order, blocks along their tree.
    pub(crate) fn sum_rows<const M: usize>(
        &self,
        of_row: impl Fn(usize) -> [f64; M] + Sync,
    ) -> [f64; M] {
        let add = |left: &mut [f64; M], right: [f64; M]| {
            left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
        };
        let answer = |b: usize| {
            let mut sums = [0.0; M];
            self.block_rows(b).for_each(|d| add(&mut sums, of_row(d)));
            sums
        };
        self.sum_blocks(answer, add)
    }

    /// Sums the answers of all blocks, along their tree.
    pub(crate) fn sum_blocks<T: Send>(
        &self,
        answer: impl Fn(usize) -> T + Sync,
        add: impl Fn(&mut T, T) + Sync,
    ) -> T {
        let is_empty = |blocks: std::ops::Range<usize>| {
            let last = self.block_rows(blocks.end - 1);
            self.block_rows(blocks.start).start == last.end
        };
        sum_over_occupied(0..self.n_blocks(), &is_empty, &answer, &add)
    }

    /// Cuts the rows into blocks with about equally many entries.
    pub(super) fn cut_evenly(&mut self, n_present: usize) {
        self.cut = Cut::evenly(&self.offsets, n_present);
    }

    /// Cuts the rows, which are sorted by these keys, by the leading bits of the keys.
    pub(super) fn cut_by_keys(&mut self, keys: &[u128], n_present: usize) {
        self.cut_into(keys, n_blocks(self.n_nonzeros(), n_present));
    }

    /// As [`cut_by_keys`](Self::cut_by_keys), into a given number of blocks, a power of two.
    pub(super) fn cut_into(&mut self, keys: &[u128], n_blocks: usize) {
        self.cut = Cut::by_keys(keys, n_blocks);
    }

    /// Whether the blocks were cut by keys.
    pub(super) fn is_cut_by_keys(&self) -> bool {
        self.cut.is_by_keys()
    }

    /// Where each row starts in [`indices`](Self::indices), and at the end where the last one ends.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The column of every entry, row after row.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The count of every entry, row after row.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Bytes held by the arrays.
    pub fn memory_bytes(&self) -> usize {
        self.offsets.capacity() * size_of::<usize>()
            + self.indices.memory_bytes()
            + self.counts.memory_bytes()
    }

    /// A table without rows, to be filled by [`push_row`](Self::push_row).
    pub(crate) fn with_columns(n_columns: usize, limit: &Limit) -> Self {
        SparseCounts::from_parts(vec![0], Numbers::new(limit), Numbers::new(limit), n_columns)
    }

    /// The same table within a memory limit.
    pub(crate) fn kept_within(self, limit: &Limit) -> Self {
        let kept =
            |numbers: Arc<Numbers<u32>>| Arc::new(Arc::unwrap_or_clone(numbers).kept_within(limit));
        Self { indices: kept(self.indices), counts: kept(self.counts), ..self }
    }

    /// Appends a row; every index must be less than `n_columns`.
    pub(crate) fn push_row(&mut self, indices: &[u32], counts: &[u32]) {
        debug_assert_eq!(indices.len(), counts.len());
        debug_assert!(indices.iter().all(|&c| (c as usize) < self.n_columns));
        Arc::make_mut(&mut self.indices).extend_from_slice(indices);
        Arc::make_mut(&mut self.counts).extend_from_slice(counts);
        self.offsets.push(self.indices.len());
        debug_assert_eq!(self.n_blocks(), 1, "rows are cut when all are there");
    }

    /// Reserves memory for exactly this many further rows and entries.
    pub(crate) fn reserve(&mut self, n_rows: usize, n_nonzeros: usize) {
        self.offsets.reserve_exact(n_rows);
        Arc::make_mut(&mut self.indices).reserve(n_nonzeros);
        Arc::make_mut(&mut self.counts).reserve(n_nonzeros);
    }

    /// Takes arrays that are already in compressed-row form; columns may be in any order.
    pub(crate) fn from_parts(
        offsets: Vec<usize>,
        indices: impl Into<Numbers<u32>>,
        counts: impl Into<Numbers<u32>>,
        n_columns: usize,
    ) -> Self {
        let (mut indices, mut counts) = (indices.into(), counts.into());
        debug_assert_eq!(offsets.last(), Some(&indices.len()));
        debug_assert_eq!(indices.len(), counts.len());
        indices.shrink_to_fit();
        counts.shrink_to_fit();
        SparseCounts {
            offsets,
            indices: Arc::new(indices),
            counts: Arc::new(counts),
            n_columns,
            cut: Cut::default(),
            spare: Spare::default(),
        }
    }

    /// The offsets, indices and counts, without a copy.
    pub(super) fn into_parts(self) -> (Vec<usize>, Numbers<u32>, Numbers<u32>) {
        (self.offsets, Arc::unwrap_or_clone(self.indices), Arc::unwrap_or_clone(self.counts))
    }

    /// The same rows in a table with `n_columns` columns, which must be enough.
    pub(super) fn of_columns(self, n_columns: usize) -> SparseCounts {
        SparseCounts { n_columns, ..self }
    }

    /// Sum of every column.
    pub(super) fn column_sums(&self) -> Vec<u64> {
        let mut sums = vec![0; self.n_columns];
        for i in 0..self.n_rows() {
            let (columns, counts) = self.row(i);
            for (&column, &count) in columns.iter().zip(counts) {
                sums[column as usize] += u64::from(count);
            }
        }
        sums
    }

    /// Sum of every row.
    pub(super) fn row_sums(&self) -> Vec<u64> {
        (0..self.n_rows())
            .into_par_iter()
            .map(|i| self.row(i).1.iter().copied().map(u64::from).sum())
            .collect()
    }
}

/// Offsets of `n_rows` rows from `(row, number of entries)` in any order.
pub(crate) fn offsets_of(n_rows: usize, lengths: impl Iterator<Item = (u32, usize)>) -> Vec<usize> {
    let mut offsets = vec![0; n_rows + 1];
    for (row, length) in lengths {
        offsets[row as usize + 1] += length;
    }
    for row in 0..n_rows {
        offsets[row + 1] += offsets[row];
    }
    offsets
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    /// The table of the module's head.
    fn small() -> SparseCounts {
        SparseCounts::from_parts(vec![0, 2, 3], vec![0, 2, 1], vec![2, 1, 5], 3)
    }

    #[test]
    fn rows_are_slices_of_the_arrays() {
        let counts = small();
        assert_eq!(counts.row(0), (&[0, 2][..], &[2, 1][..]));
        assert_eq!(counts.row(1), (&[1][..], &[5][..]));
        assert_eq!((counts.n_rows(), counts.n_columns()), (2, 3));
        assert_eq!(counts.memory_bytes(), 3 * 8 + 6 * 4);
    }

    #[test]
    fn pushed_rows_follow_one_another() {
        let mut counts = SparseCounts::with_columns(3, &Limit::none());
        counts.push_row(&[0, 2], &[2, 1]);
        counts.push_row(&[1], &[5]);
        assert_eq!(counts, small());
    }

    #[test]
    fn sums_run_along_rows_and_columns() {
        assert_eq!(small().row_sums(), [3, 5]);
        assert_eq!(small().column_sums(), [2, 5, 1]);
    }
}
