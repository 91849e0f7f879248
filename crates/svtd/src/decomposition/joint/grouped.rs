//! Joint diagonalisation of many slices: rows are rotated in blocks that fit in the cache.
//!
//! With `k` in the hundreds the slices are tens of megabytes, and a rotation that passes through all of them waits
//! for memory. So rows are taken a block at a time. For two blocks, the entries between their own rows are gathered
//! and rotated pair by pair, which gives a list of rotations; the list is then applied to the entries these rows
//! have with each of the other rows, a few kilobytes at a time. A cycle still visits every pair once, in another
//! order.
//!
//! Slices are kept in groups of [`LANES`]. Groups do not affect each other, so they are rotated in parallel, and
//! the bits do not depend on how many at a time.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::Visit;
use super::slices::{LANES, Rotation, Slices, Tally, Worth, place};
use crate::linalg::Matrix;
use crate::tasks;

/// Rows of a block.
const BLOCK_ROWS: usize = 16;

/// Number of other rows to which a list of rotations is applied at once: a rotation of a row depends on the
/// rotation before, but not on those of other rows.
const ROWS_AT_A_TIME: usize = 4;

/// One entry of a group of slices.
type Lanes = [f64; LANES];

/// Entry `(a, b)`, `a <= b`, of eight slices side by side, group after group.
pub(super) struct Grouped {
    k: usize,
    groups: Vec<Vec<Lanes>>,
}

impl Grouped {
    /// Groups the slices; `entry(a, b)` has one number for each slice.
    pub(super) fn new(slices: &Slices) -> Self {
        let group = |g: usize| {
            let entries = slices.values.chunks_exact(slices.width);
            let lanes = |entry: &[f64]| std::array::from_fn(|l| entry[g * LANES + l]);
            entries.map(lanes).collect()
        };
        let groups = (0..slices.width / LANES).into_par_iter().map(group).collect();
        Self { k: slices.k, groups }
    }

    /// One cycle over all pairs.
    pub(super) fn cycle(&mut self, rotation: &mut Matrix, worth: Worth) -> Tally {
        let blocks: Vec<Range<usize>> =
            (0..self.k).step_by(BLOCK_ROWS).map(|a| a..(a + BLOCK_ROWS).min(self.k)).collect();
        let mut tally = Tally::default();
        for (i, first) in blocks.iter().enumerate() {
            tally.add(self.visit(first.clone(), 0..0, rotation, worth));
            for second in &blocks[i + 1..] {
                tally.add(self.visit(first.clone(), second.clone(), rotation, worth));
            }
        }
        tally
    }

    /// Visits the pairs between two blocks, or within the first when the second is empty.
    fn visit(
        &mut self,
        first: Range<usize>,
        second: Range<usize>,
        rotation: &mut Matrix,
        worth: Worth,
    ) -> Tally {
        let between = first.len();
        let rows: Vec<usize> = first.chain(second).collect();
        let mut own = self.gather(&rows);
        let (made, tally) = Arch::new().dispatch(Visit { slices: &mut own, between, worth });
        if made.is_empty() {
            return tally;
        }
        for local in &made {
            let (p, q) = (rows[local.p], rows[local.q]);
            Rotation { p, q, ..*local }.turn_columns(rotation);
        }
        let k = self.k;
        let apply = |(g, group): (usize, &mut Vec<[f64; LANES]>)| {
            scatter(group, k, &rows, &own, g);
            Arch::new().dispatch(Apply { group, k, rows: &rows, made: &made });
        };
        let groups = self.groups.par_iter_mut().enumerate();
        tasks::fork(|| groups.for_each(|group| tasks::branch(|| apply(group))));
        tally
    }

    /// The entries between some rows, of all slices.
    pub(super) fn gather(&self, rows: &[usize]) -> Slices {
        let mut own = Slices::zeros(rows.len(), self.groups.len() * LANES);
        let mut entries = own.values.chunks_exact_mut(own.width);
        for (i, &a) in rows.iter().enumerate() {
            for (&b, entry) in rows[i..].iter().zip(&mut entries) {
                let at = place(self.k, a, b);
                for (lanes, group) in entry.chunks_exact_mut(LANES).zip(&self.groups) {
                    lanes.copy_from_slice(&group[at]);
                }
            }
        }
        own
    }

    /// All slices, as one again.
    pub(super) fn whole(&self) -> Slices {
        self.gather(&(0..self.k).collect::<Vec<_>>())
    }
}

/// Writes gathered entries back, for the lanes of one group.
fn scatter(group: &mut [Lanes], k: usize, rows: &[usize], own: &Slices, g: usize) {
    let mut entries = own.values.chunks_exact(own.width);
    for (i, &a) in rows.iter().enumerate() {
        for (&b, entry) in rows[i..].iter().zip(&mut entries) {
            group[place(k, a, b)].copy_from_slice(&entry[g * LANES..(g + 1) * LANES]);
        }
    }
}

/// Applies rotations of some rows to the entries they share with all other rows.
struct Apply<'a> {
    group: &'a mut [Lanes],
    k: usize,
    rows: &'a [usize],
    made: &'a [Rotation],
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let others: Vec<usize> = (0..self.k).filter(|b| !self.rows.contains(b)).collect();
        let mut near = [[0.0; ROWS_AT_A_TIME * LANES]; 2 * BLOCK_ROWS];
        for others in others.chunks(ROWS_AT_A_TIME) {
            for (wide, &a) in near.iter_mut().zip(self.rows) {
                for (lanes, &b) in wide.chunks_exact_mut(LANES).zip(others) {
                    lanes.copy_from_slice(&self.group[place(self.k, a, b)]);
                }
            }
            for rotation in self.made {
                let (head, tail) = near.split_at_mut(rotation.q);
                rotation.turn(&mut head[rotation.p], &mut tail[0]);
            }
            for (wide, &a) in near.iter().zip(self.rows) {
                for (lanes, &b) in wide.chunks_exact(LANES).zip(others) {
                    self.group[place(self.k, a, b)].copy_from_slice(lanes);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_rotated_as_the_whole_is() {
        // Sides that leave the last block short, or a single row of it.
        for k in [17, 33, 40] {
            let mut slices = Slices::zeros(k, 24);
            for (i, value) in slices.values.iter_mut().enumerate() {
                *value = ((i * i) as f64 * 0.37).sin();
            }
            let mut grouped = Grouped::new(&slices);
            assert_eq!(grouped.whole().values, slices.values);
            let mut rotation = Matrix::identity(k);
            let tally = grouped.cycle(&mut rotation, Worth { angle: 1e-10, part: 0.0 });
            assert_eq!(tally.rotations, k * (k - 1) / 2);
            let turned = grouped.whole();
            for l in [0, 7, 8, 23] {
                let slice = Matrix::from_fn(k, k, |a, b| slices.entry(a, b)[l]);
                let expected = rotation.transpose_times(&slice.times(&rotation));
                for a in 0..k {
                    for b in 0..k {
                        assert!((turned.entry(a, b)[l] - expected[(a, b)]).abs() < 1e-11);
                    }
                }
            }
        }
    }
}
