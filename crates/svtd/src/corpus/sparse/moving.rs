//! Rows put in another order without a second copy of the counts.
//!
//! An array is moved in two steps, a sixteenth at a time. First the rows go to one of sixteen buckets, by where they
//! will stand; the array is shortened as its rows leave it, from its end. Then the buckets are emptied into the
//! new array, row by row, one bucket after the other.
//!
//! ```text
//! array    [ ....... | ... ]          buckets  [..] [..] ... [..]          array    [ ....   ]
//!                      └── rows by destination ──┘                            ▲
//!                                          └──── rows in their new order ─────┘
//! ```
//!
//! # Cost
//! Two copies of every number, each from or to few places at a time, and memory for one more sixteenth of an array.

use std::ops::Range;
use std::sync::Arc;

use super::SparseCounts;
use crate::memory::Numbers;

/// Number of pieces of an array, and of buckets.
const PIECES: usize = 16;

impl SparseCounts {
    /// As [`permuted`](Self::permuted), moving the counts: there is a second copy of a small part of them only,
    /// unless they are shared with a clone.
    pub(in crate::corpus) fn into_permuted(self, order: &[usize]) -> SparseCounts {
        let SparseCounts { offsets, indices, counts, n_columns, .. } = self;
        let ordered = Ordered::new(&offsets, order);
        let indices = ordered.moved(Arc::unwrap_or_clone(indices));
        let counts = ordered.moved(Arc::unwrap_or_clone(counts));
        SparseCounts::from_parts(ordered.new_offsets, indices, counts, n_columns)
    }
}

/// An order of the rows of a table.
struct Ordered<'a> {
    offsets: &'a [usize],
    order: &'a [usize],
    new_offsets: Vec<usize>,
    /// The bucket of each row.
    bucket: Vec<u8>,
}

impl<'a> Ordered<'a> {
    fn new(offsets: &'a [usize], order: &'a [usize]) -> Self {
        let mut new_offsets = Vec::with_capacity(order.len() + 1);
        new_offsets.push(0);
        new_offsets.extend(order.iter().scan(0, |end, &row| {
            *end += offsets[row + 1] - offsets[row];
            Some(*end)
        }));
        let mut bucket = vec![0; order.len()];
        for (b, rows) in (0..).zip(pieces(&new_offsets)) {
            order[rows].iter().for_each(|&row| bucket[row] = b);
        }
        Self { offsets, order, new_offsets, bucket }
    }

    /// An array with one number for each entry, in the new order.
    fn moved(&self, mut numbers: Numbers<u32>) -> Numbers<u32> {
        let limit = numbers.limit().clone();
        let empty = |n: usize| {
            let mut empty = Numbers::new(&limit);
            empty.reserve(n);
            empty
        };
        let new_pieces = pieces(&self.new_offsets);
        let size = |rows: &Range<usize>| self.new_offsets[rows.end] - self.new_offsets[rows.start];
        let mut buckets: Vec<Numbers<u32>> =
            new_pieces.iter().map(|rows| empty(size(rows))).collect();
        let mut places = vec![0; self.order.len()];
        for rows in pieces(self.offsets).into_iter().rev() {
            let first = self.offsets[rows.start];
            for row in rows {
                let entries = self.offsets[row]..self.offsets[row + 1];
                limit.touch(size_of::<u32>() * entries.len());
                let bucket = &mut buckets[usize::from(self.bucket[row])];
                places[row] = bucket.len();
                bucket.extend_from_slice(&numbers[entries]);
            }
            numbers.truncate(first);
            numbers.shrink_to_fit();
        }
        drop(numbers);
        let mut moved = empty(self.new_offsets[self.order.len()]);
        for (bucket, rows) in buckets.into_iter().zip(new_pieces) {
            for &row in &self.order[rows] {
                let length = self.offsets[row + 1] - self.offsets[row];
                limit.touch(size_of::<u32>() * length);
                moved.extend_from_slice(&bucket[places[row]..places[row] + length]);
            }
        }
        moved
    }
}

/// Rows cut into runs with about equally many entries.
fn pieces(offsets: &[usize]) -> Vec<Range<usize>> {
    let (n_rows, n_entries) = (offsets.len() - 1, offsets[offsets.len() - 1]);
    let edge = |piece: usize| match piece {
        PIECES => n_rows,
        piece => offsets.partition_point(|&o| o < n_entries / PIECES * piece).min(n_rows),
    };
    (0..PIECES).map(|piece| edge(piece)..edge(piece + 1)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::memory::Limit;

    /// Rows of 0 to 12 entries, each with numbers of its own.
    fn table(n_rows: usize, limit: &Limit) -> SparseCounts {
        let mut counts = SparseCounts::with_columns(n_rows * 13, limit);
        for row in 0..n_rows as u32 {
            let entries: Vec<u32> = (0..row * 7 % 13).map(|i| row * 13 + i).collect();
            counts.push_row(&entries, &entries);
        }
        counts
    }

    #[test]
    fn moved_rows_are_copied_rows_in_memory_and_in_files() {
        let folder = tempfile::tempdir().unwrap();
        let limit = Limit::of(16 << 20, folder.path()).unwrap();
        for n_rows in [1, 2, 15, 100, 50_000] {
            for limit in [Limit::none(), limit.clone()] {
                let counts = table(n_rows, &limit);
                let mut order: Vec<usize> = (0..n_rows).collect();
                order.sort_by_key(|&row| crate::corpus::mixed(row as u64));
                let copied = counts.permuted(&order);
                // Counts that are shared stay what they are.
                assert_eq!(counts.clone().into_permuted(&order), copied);
                assert_eq!(counts, table(n_rows, &limit));
                assert_eq!(counts.into_permuted(&order), copied);
            }
        }
    }

    #[test]
    fn pieces_hold_all_rows_once() {
        for offsets in [vec![0], vec![0, 0, 0], vec![0, 1000], (0..100).map(|d| d * d).collect()] {
            let rows: Vec<usize> = pieces(&offsets).into_iter().flatten().collect();
            assert!(rows.into_iter().eq(0..offsets.len() - 1));
        }
    }
}
