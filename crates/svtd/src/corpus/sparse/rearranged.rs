//! Rearranging sparse counts: transposed, with rows in another order, with columns renumbered.

use std::sync::Arc;

use rayon::prelude::*;

use super::{ENTRY, SparseCounts, offsets_of};
use crate::memory::Numbers;
use crate::tasks;

/// With fewer non-zeros than this, splitting the work costs more than it saves.
const SMALLEST_TASK: usize = 1 << 15;

impl SparseCounts {
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

    /// The same rows in another order: row `i` is the former row `order[i]`.
    pub(in crate::corpus) fn permuted(&self, order: &[usize]) -> SparseCounts {
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

    /// Copies rows one after the other, halving the range until a task is small.
    fn copy_rows(&self, order: &[usize], indices: &mut [u32], counts: &mut [u32]) {
        if order.len() > 1 && indices.len() > SMALLEST_TASK {
            let (left, right) = order.split_at(order.len() / 2);
            let middle = left.iter().map(|&row| self.offsets[row + 1] - self.offsets[row]).sum();
            let (left_indices, right_indices) = indices.split_at_mut(middle);
            let (left_counts, right_counts) = counts.split_at_mut(middle);
            tasks::join(
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

    /// Renumbers column `c` as `new_names[c]` and sorts each row again, in place.
    pub(in crate::corpus) fn relabel(&mut self, new_names: &[u32]) {
        let limit = self.limit().clone();
        let touch = |n_entries: usize| limit.touch(ENTRY * n_entries);
        let indices = Arc::make_mut(&mut self.indices);
        let counts = Arc::make_mut(&mut self.counts);
        relabel_rows(&self.offsets, indices, counts, new_names, &touch);
    }

    /// The same counts with columns ascending in each row, repeated columns added up and zeros left out; `None` if
    /// a sum does not fit. Counts that are already in this form are returned unchanged.
    pub(crate) fn summed(self) -> Option<SparseCounts> {
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
    pub(crate) fn first_repeat(&self) -> Option<(usize, u32)> {
        (0..self.n_rows()).into_par_iter().find_map_first(|i| {
            let (columns, _) = self.row(i);
            let repeat = columns.windows(2).find(|pair| pair[0] == pair[1])?;
            Some((i, repeat[0]))
        })
    }
}

/// Halves the range of rows until a task is small. Rows share no entry, so the result does not depend on threads.
/// Each task reports how many entries it is about to use.
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
    tasks::join(
        || relabel_rows(&offsets[..=middle], left_indices, left_counts, new_names, touch),
        || relabel_rows(&offsets[middle..], right_indices, right_counts, new_names, touch),
    );
}

fn relabel_in_turn(offsets: &[usize], indices: &mut [u32], counts: &mut [u32], new_names: &[u32]) {
    // Column and count in one 64-bit number: sorting the numbers sorts the pairs by column.
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

    /// The table of the head of the module above.
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
        let (indices, counts) = (Arc::make_mut(indices), Arc::make_mut(counts));
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
