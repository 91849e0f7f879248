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
//! That is 8 bytes for each non-zero, which for the corpora we aim at (70 million of them) is most
//! of the memory of a fit. Hence the one rule of this file: the arrays are rearranged where they
//! stand, and a second copy exists only when it is the answer ([`SparseCounts::transpose`]).

use rayon::prelude::*;

use super::blocks::{self, Block, Cut};
use super::spare::Spare;
use crate::memory::{Limit, Numbers};

/// Below this many non-zeros, dividing the work costs more than it saves.
const SMALLEST_TASK: usize = 1 << 15;

/// Bytes of an entry.
const ENTRY: usize = 2 * size_of::<u32>();

/// Sparse counts by rows: a `u32` column index and a `u32` count for each non-zero.
///
/// Rows stand in blocks, which are what passes over the counts are dealt out by.
#[derive(Debug, Clone)]
pub struct SparseCounts {
    offsets: Vec<usize>,
    indices: Numbers<u32>,
    counts: Numbers<u32>,
    n_columns: usize,
    cut: Cut,
    spare: Spare,
}

/// The same entries; where the blocks end does not matter.
impl PartialEq for SparseCounts {
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets
            && *self.indices == *other.indices
            && *self.counts == *other.counts
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

    /// The limit on memory that the entries are kept within.
    #[inline(always)]
    pub(crate) fn limit(&self) -> &Limit {
        self.indices.limit()
    }

    /// Room for partial sums over these counts.
    pub(crate) fn spare(&self) -> &Spare {
        &self.spare
    }

    /// Number of blocks that the rows stand in.
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

    /// Sums some numbers of every row, rows in order and blocks along their tree.
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

    /// Sums what blocks answer, along their tree.
    pub(crate) fn sum_blocks<T: Send>(
        &self,
        answer: impl Fn(usize) -> T + Sync,
        add: impl Fn(&mut T, T) + Sync,
    ) -> T {
        let is_empty = |blocks: std::ops::Range<usize>| {
            let last = self.block_rows(blocks.end - 1);
            self.block_rows(blocks.start).start == last.end
        };
        blocks::sum_over_occupied(0..self.n_blocks(), &is_empty, &answer, &add)
    }

    /// Cuts the rows into blocks of about equally many entries.
    pub(super) fn cut_evenly(&mut self, n_present: usize) {
        self.cut = Cut::evenly(&self.offsets, n_present);
    }

    /// Cuts the rows, which stand in the order of these keys, by the leading bits of the keys.
    pub(super) fn cut_by_keys(&mut self, keys: &[u128], n_present: usize) {
        self.cut_into(keys, blocks::n_blocks(self.n_nonzeros(), n_present));
    }

    /// The same into so many blocks, a power of two.
    pub(super) fn cut_into(&mut self, keys: &[u128], n_blocks: usize) {
        self.cut = Cut::by_keys(keys, n_blocks);
    }

    /// Whether the blocks are those of the rows' keys.
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

    /// The same counts with rows and columns exchanged; columns ascend in each row of the result.
    ///
    /// A counting sort by column: one pass to count, one to place. Rows are visited in order, so
    /// the result needs no sorting of its own.
    pub fn transpose(&self) -> SparseCounts {
        let offsets = offsets_of(self.n_columns, self.indices.iter().map(|&c| (c, 1)));
        let mut next = offsets[..self.n_columns].to_vec();
        let mut indices = Numbers::zeros(self.n_nonzeros(), self.limit());
        let mut counts = Numbers::zeros(self.n_nonzeros(), self.limit());
        for (row, i) in (0..self.n_rows()).zip(0_u32..) {
            let (columns, values) = self.row(row);
            self.limit().touch(ENTRY * columns.len());
            for (&column, &count) in columns.iter().zip(values) {
                let place = next[column as usize];
                indices[place] = i;
                counts[place] = count;
                next[column as usize] += 1;
            }
        }
        SparseCounts::from_parts(offsets, indices, counts, self.n_rows())
    }

    /// The same rows in another order: row `i` is what `order[i]` was.
    pub(super) fn permuted(&self, order: &[usize]) -> SparseCounts {
        let mut offsets = Vec::with_capacity(order.len() + 1);
        offsets.push(0);
        let mut end = 0;
        offsets.extend(order.iter().map(|&row| {
            end += self.offsets[row + 1] - self.offsets[row];
            end
        }));
        let mut indices = Numbers::zeros(end, self.limit());
        let mut counts = Numbers::zeros(end, self.limit());
        self.copy_rows(order, &mut indices, &mut counts);
        SparseCounts::from_parts(offsets, indices, counts, self.n_columns)
    }

    /// Copies rows one behind the other, halving them until a task is small.
    fn copy_rows(&self, order: &[usize], indices: &mut [u32], counts: &mut [u32]) {
        if order.len() > 1 && indices.len() > SMALLEST_TASK {
            let (left, right) = order.split_at(order.len() / 2);
            let middle = left.iter().map(|&row| self.offsets[row + 1] - self.offsets[row]).sum();
            let (left_indices, right_indices) = indices.split_at_mut(middle);
            let (left_counts, right_counts) = counts.split_at_mut(middle);
            rayon::join(
                || self.copy_rows(left, left_indices, left_counts),
                || self.copy_rows(right, right_indices, right_counts),
            );
            return;
        }
        let mut start = 0;
        for &row in order {
            self.limit().touch_scattered();
            let (from, values) = self.row(row);
            let place = start..start + from.len();
            self.limit().touch(ENTRY * from.len());
            indices[place.clone()].copy_from_slice(from);
            counts[place.clone()].copy_from_slice(values);
            start = place.end;
        }
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

    /// The same table within a limit on memory.
    pub(crate) fn kept_within(self, limit: &Limit) -> Self {
        let (indices, counts) = (self.indices.kept_within(limit), self.counts.kept_within(limit));
        Self { indices, counts, ..self }
    }

    /// Adds a row below the others; every index must be less than `n_columns`.
    pub(crate) fn push_row(&mut self, indices: &[u32], counts: &[u32]) {
        debug_assert_eq!(indices.len(), counts.len());
        debug_assert!(indices.iter().all(|&c| (c as usize) < self.n_columns));
        self.indices.extend_from_slice(indices);
        self.counts.extend_from_slice(counts);
        self.offsets.push(self.indices.len());
        debug_assert_eq!(self.n_blocks(), 1, "rows are cut when all are there");
    }

    /// Makes room for exactly these many further rows and entries.
    pub(crate) fn reserve(&mut self, n_rows: usize, n_nonzeros: usize) {
        self.offsets.reserve_exact(n_rows);
        self.indices.reserve(n_nonzeros);
        self.counts.reserve(n_nonzeros);
    }

    /// Takes arrays that are already in compressed-row form; columns may be in any order.
    pub(super) fn from_parts(
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
            indices,
            counts,
            n_columns,
            cut: Cut::default(),
            spare: Spare::default(),
        }
    }

    /// Offsets, indices and counts, given away without a copy.
    pub(super) fn into_parts(self) -> (Vec<usize>, Numbers<u32>, Numbers<u32>) {
        (self.offsets, self.indices, self.counts)
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

    /// Gives column `c` the name `new_names[c]` and sorts each row anew, in place.
    pub(super) fn relabel(&mut self, new_names: &[u32]) {
        let limit = self.limit().clone();
        let touch = |n_entries: usize| limit.touch(ENTRY * n_entries);
        relabel_rows(&self.offsets, &mut self.indices, &mut self.counts, new_names, &touch);
    }

    /// The same counts with columns ascending in each row, repeated ones added up and zeros left
    /// out; none if a sum does not fit. What is in order already is given back as it is.
    pub(super) fn summed(self) -> Option<SparseCounts> {
        let in_order = |i| self.row(i).0.is_sorted_by(|a, b| a < b);
        if !self.counts.contains(&0) && (0..self.n_rows()).all(in_order) {
            return Some(self);
        }
        let mut summed = SparseCounts::with_columns(self.n_columns, self.limit());
        summed.reserve(self.n_rows(), self.n_nonzeros());
        let (mut pairs, mut columns, mut counts) = (Vec::new(), Vec::new(), Vec::<u32>::new());
        for i in 0..self.n_rows() {
            pairs.clear();
            let (indices, values) = self.row(i);
            pairs.extend(indices.iter().copied().zip(values.iter().copied()));
            pairs.sort_unstable();
            columns.clear();
            counts.clear();
            for &(column, count) in pairs.iter().filter(|(_, count)| *count > 0) {
                match counts.last_mut() {
                    Some(last) if columns.last() == Some(&column) => {
                        *last = last.checked_add(count)?;
                    }
                    _ => {
                        columns.push(column);
                        counts.push(count);
                    }
                }
            }
            summed.push_row(&columns, &counts);
        }
        Some(summed)
    }

    /// The first row that holds a column twice, and that column. Rows must be sorted.
    pub(super) fn first_repeat(&self) -> Option<(usize, u32)> {
        (0..self.n_rows()).into_par_iter().find_map_first(|i| {
            let (columns, _) = self.row(i);
            let repeat = columns.windows(2).find(|pair| pair[0] == pair[1])?;
            Some((i, repeat[0]))
        })
    }
}

/// Offsets of `n_rows` rows from `(row, number of entries)` in any order.
pub(super) fn offsets_of(n_rows: usize, lengths: impl Iterator<Item = (u32, usize)>) -> Vec<usize> {
    let mut offsets = vec![0; n_rows + 1];
    for (row, length) in lengths {
        offsets[row as usize + 1] += length;
    }
    for row in 0..n_rows {
        offsets[row + 1] += offsets[row];
    }
    offsets
}

/// Halves the rows until a task is small. Rows never share an entry, so threads change nothing.
/// A task says how many entries it is about to use.
fn relabel_rows(
    offsets: &[usize],
    indices: &mut [u32],
    counts: &mut [u32],
    new_names: &[u32],
    touch: &(impl Fn(usize) + Sync),
) {
    let n_rows = offsets.len() - 1;
    if n_rows < 2 || indices.len() < SMALLEST_TASK {
        touch(indices.len());
        return relabel_in_turn(offsets, indices, counts, new_names);
    }
    let first = offsets[0];
    let middle = offsets.partition_point(|&o| o - first < indices.len() / 2);
    let middle = middle.clamp(1, n_rows - 1);
    let (left_indices, right_indices) = indices.split_at_mut(offsets[middle] - first);
    let (left_counts, right_counts) = counts.split_at_mut(offsets[middle] - first);
    rayon::join(
        || relabel_rows(&offsets[..=middle], left_indices, left_counts, new_names, touch),
        || relabel_rows(&offsets[middle..], right_indices, right_counts, new_names, touch),
    );
}

fn relabel_in_turn(offsets: &[usize], indices: &mut [u32], counts: &mut [u32], new_names: &[u32]) {
    // Column above count in one word: sorting the words sorts the pairs.
    let mut pairs: Vec<u64> = Vec::new();
    let first = offsets[0];
    for ends in offsets.windows(2) {
        let row = ends[0] - first..ends[1] - first;
        let (indices, counts) = (&mut indices[row.clone()], &mut counts[row]);
        pairs.clear();
        pairs.extend(indices.iter().zip(&*counts).map(|(&column, &count)| {
            u64::from(new_names[column as usize]) << 32 | u64::from(count)
        }));
        pairs.sort_unstable();
        for ((&pair, column), count) in pairs.iter().zip(indices).zip(counts) {
            *column = (pair >> 32) as u32;
            *count = pair as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    /// The table of the module's head.
    fn small() -> SparseCounts {
        SparseCounts::from_parts(vec![0, 2, 3], vec![0, 2, 1], vec![2, 1, 5], 3)
    }

    /// One entry to a column in a wide table of `n_rows` rows: large enough to be divided.
    fn wide(n_rows: usize) -> SparseCounts {
        let (n_columns, row_length) = (997_u32, 100_u32);
        let n = n_rows * row_length as usize;
        let indices = (0..n as u32).map(|i| (i * 7 + i / 100) % n_columns);
        let counts = (0..n as u32).map(|i| i % 5 + 1);
        let offsets = (0..=n_rows).map(|i| i * row_length as usize);
        SparseCounts::from_parts(
            offsets.collect(),
            indices.collect::<Vec<u32>>(),
            counts.collect::<Vec<u32>>(),
            n_columns as usize,
        )
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
    fn transposing_exchanges_rows_and_columns() {
        let columns = small().transpose();
        assert_eq!(columns.offsets(), [0, 1, 2, 3]);
        assert_eq!(columns.indices(), [0, 1, 0]);
        assert_eq!(columns.counts(), [2, 5, 1]);
        assert_eq!(columns.n_columns(), 2);
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let mut counts = wide(50);
        let same: Vec<u32> = (0..997).collect();
        counts.relabel(&same);
        assert_eq!(counts.transpose().transpose(), counts);
    }

    #[test]
    fn relabelled_rows_are_sorted_and_keep_their_counts() {
        let mut counts = small();
        counts.relabel(&[2, 0, 1]);
        assert_eq!(counts.row(0), (&[1, 2][..], &[1, 2][..]));
        assert_eq!(counts.row(1), (&[0][..], &[5][..]));
    }

    #[test]
    fn relabelling_in_parallel_is_relabelling_in_turn() {
        let (mut divided, mut in_turn) = (wide(2000), wide(2000));
        assert!(divided.n_nonzeros() > 4 * SMALLEST_TASK);
        let names: Vec<u32> = (0..997).map(|i| (i * 10) % 997).collect();
        divided.relabel(&names);
        let SparseCounts { offsets, indices, counts, .. } = &mut in_turn;
        relabel_in_turn(offsets, indices, counts, &names);
        assert_eq!(divided, in_turn);
    }

    #[test]
    fn one_long_row_among_empty_ones_is_relabelled() {
        let n = 2 * SMALLEST_TASK;
        let names: Vec<u32> = (0..n as u32).rev().collect();
        let mut counts = SparseCounts::from_parts(vec![0, 0, n, n], names.clone(), vec![1; n], n);
        counts.relabel(&names);
        assert!(counts.indices().iter().copied().eq(0..n as u32));
    }

    #[test]
    fn sums_run_along_rows_and_columns() {
        assert_eq!(small().row_sums(), [3, 5]);
        assert_eq!(small().column_sums(), [2, 5, 1]);
    }

    #[test]
    fn repeated_columns_are_added_up_and_zeros_left_out() {
        let counts = vec![1, 2, 3, 0, 4];
        let odd = SparseCounts::from_parts(vec![0, 3, 5], vec![2, 0, 2, 1, 0], counts, 3);
        let summed = odd.summed().unwrap();
        assert_eq!(summed.row(0), (&[0, 2][..], &[2, 4][..]));
        assert_eq!(summed.row(1), (&[0][..], &[4][..]));
        assert_eq!(small().summed(), Some(small()));
        let large = SparseCounts::from_parts(vec![0, 2], vec![0, 0], vec![u32::MAX, 1], 1);
        assert_eq!(large.summed(), None);
    }

    #[test]
    fn a_column_twice_in_a_row_is_found() {
        let twice = SparseCounts::from_parts(vec![0, 1, 4], vec![1, 0, 1, 1], vec![1; 4], 2);
        assert_eq!(twice.first_repeat(), Some((1, 1)));
        assert_eq!(small().first_repeat(), None);
    }
}
