//! Sparse counts times dense columns, a panel of columns at a time.
//!
//! Every product that a fit needs has the same form: for each document gather a dense row for each of its words,
//! compute a function of the sum, and scatter the result back to the same words:
//!
//! ```text
//! z_d  = sum_h  x_dh q_h            forward, a row of X Q
//! y_h += x_dh f(d, z_d)             backward, X' f(X Q)
//! ```
//!
//! One pass over the counts does both steps for [`WIDE`] or [`NARROW`] columns, few enough that the rows of
//! frequent words stay in the cache. (For this reason corpora number their words by falling frequency.) The tasks
//! of a pass are panels of columns x [blocks](crate::corpus::blocks) of documents.
//!
//! # Same bits
//! The arithmetic of a column depends neither on its panel nor on the thread: every block sums over its documents
//! in order, and blocks are added along a fixed tree. So the panel width may depend on the number of threads while
//! the result does not. Multiplication and addition are never fused, so all instruction sets agree too.
//!
//! # Cost
//! Four flops per stored count and column, and a sum of `n` numbers per block and column. The kernels are limited
//! by cache bandwidth.

mod counting;
mod passes;

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use self::counting::{DampedValue, EntryValue, GivenValue, RawValue, SquaredValue};
use self::passes::{
    BackwardPass, ForwardPass, NormalPass, ROWS, SlicesPass, SquaresPass, TASK_ROWS,
};

use crate::aligned::Aligned;
use crate::corpus::SparseCounts;
use crate::corpus::blocks::Block;
use crate::linalg::Matrix;
use crate::questions::Counting;
use crate::tasks;

/// Columns in a full panel.
const WIDE: usize = 16;
/// Columns in a panel when there are few columns, or more threads than full panels.
const NARROW: usize = 8;

/// From this number of threads on, a pass has more tasks than threads.
const MANY_THREADS: usize = 8;

/// Number of blocks of a panel whose partial sums are in memory at a time.
const BLOCKS_AT_A_TIME: usize = 32;

/// Numbers of two partial sums that one task adds.
const NUMBERS_PER_TASK: usize = 1 << 15;

/// The first `n` features of a table of counts, ready for products.
#[derive(Clone, Copy)]
pub(crate) struct Products<'a> {
    rows: &'a SparseCounts,
    n_features: usize,
    counting: Counting,
}

impl<'a> Products<'a> {
    pub(crate) fn new(rows: &'a SparseCounts, n_features: usize, counting: Counting) -> Self {
        Self { rows, n_features, counting }
    }

    /// `X Q`, documents x columns.
    pub(crate) fn forward(&self, q: &Matrix) -> Matrix {
        let pass = ForwardPass { q };
        match self.counting {
            Counting::Raw => self.images(q.n_columns(), &pass, &RawValue),
            Counting::Damped => self.images(q.n_columns(), &pass, &DampedValue::new()),
        }
    }

    /// `X'(w o (X Q))`, features x columns.
    pub(crate) fn normal(&self, q: &Matrix, weights: &[f64]) -> Matrix {
        self.counted(q.n_columns(), self.n_features, &NormalPass { q, weights })
    }

    /// `X'(w o Z)`, features x columns.
    pub(crate) fn backward(&self, z: &Matrix, weights: Option<&[f64]>) -> Matrix {
        self.counted(z.n_columns(), self.n_features, &BackwardPass { z, weights })
    }

    /// `(X o X)'(w o Z)`, features x columns: with squared values.
    pub(crate) fn backward_squared(&self, z: &Matrix, weights: &[f64]) -> Matrix {
        let (k, n) = (z.n_columns(), self.n_features);
        let pass = BackwardPass { z, weights: Some(weights) };
        match self.counting {
            Counting::Raw => self.sums(k, n, &pass, &SquaredValue(RawValue)),
            Counting::Damped => self.sums(k, n, &pass, &SquaredValue(DampedValue::new())),
        }
    }

    /// `C'(w o Z)` where the matrix `C` has the pattern of the counts and `values` in their order.
    pub(crate) fn backward_given(
        &self,
        values: &[f32],
        z: &Matrix,
        weights: Option<&[f64]>,
    ) -> Matrix {
        let pass = BackwardPass { z, weights };
        self.sums(z.n_columns(), self.n_features, &pass, &GivenValue(values))
    }

    /// The two products of Section 2.4: `X'(w o (B^2 - X(B o B)))` and `X'(w o XB)`, where
    /// `B^2` is the entrywise square of `X B`; one above the other in a matrix of `2n` rows.
    pub(crate) fn squares(&self, b: &Matrix, weights: &[f64]) -> Matrix {
        self.counted(b.n_columns(), 2 * self.n_features, &SquaresPass { b, weights })
    }

    /// Packed upper triangles of `sum_d w_d x_di (z_d z_d' - sum_h x_dh b_h b_h')` for the
    /// features `i` of `range`, in rows of `k(k+1)/2`, with `Z = X B` given.
    ///
    /// Two sparse products per panel of packed entries; only the result is kept in memory.
    pub(crate) fn slices(
        &self,
        b: &Matrix,
        z: &Matrix,
        weights: &[f64],
        range: Range<usize>,
    ) -> Matrix {
        let pairs = packed_pairs(b.n_columns());
        let (k, n) = (pairs.len(), range.len());
        self.counted(k, n, &SlicesPass { b, z, weights, pairs: &pairs, range })
    }

    /// As [`sums`](Self::sums), with the counts as these products count them (damped or not).
    fn counted(&self, n_columns: usize, n_rows: usize, pass: &impl Pass) -> Matrix {
        match self.counting {
            Counting::Raw => self.sums(n_columns, n_rows, pass, &RawValue),
            Counting::Damped => self.sums(n_columns, n_rows, pass, &DampedValue::new()),
        }
    }

    /// The sum over all blocks of what a pass computes for each, `n_rows x n_columns`.
    fn sums(
        &self,
        n_columns: usize,
        n_rows: usize,
        pass: &impl Pass,
        value: &impl EntryValue,
    ) -> Matrix {
        self.by_panels(n_columns, n_rows, |panel| match panel.width {
            WIDE => self.panel_sums::<WIDE>(panel, pass, value),
            _ => self.panel_sums::<NARROW>(panel, pass, value),
        })
    }

    fn panel_sums<const W: usize>(
        &self,
        panel: Panel<'_>,
        pass: &impl Pass,
        value: &impl EntryValue,
    ) {
        let (shared, spare) = (pass.share::<W>(panel.columns()), self.rows.spare());
        let answer = |b: usize| {
            crate::stop::here();
            let mut sums = spare.zeros(panel.n_rows() * W);
            let block = self.rows.block(b);
            let result: &mut [[f64; W]] = sums.as_chunks_mut().0;
            Arch::new().dispatch(Vectorised { pass, shared: &shared, block, value, result });
            sums
        };
        let add = |left: &mut Aligned<f64>, right: Aligned<f64>| {
            let pieces =
                left.par_chunks_mut(NUMBERS_PER_TASK).zip(right.par_chunks(NUMBERS_PER_TASK));
            let add = |(left, right): (&mut [f64], &[f64])| {
                left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
            };
            tasks::fork(|| pieces.for_each(|piece| tasks::branch(|| add(piece))));
            spare.give_back(right);
        };
        let sum = self.rows.sum_blocks(answer, add);
        panel.take::<W>(sum.as_chunks().0);
        spare.give_back(sum);
    }

    /// What a pass computes for each document, documents x columns.
    fn images(&self, n_columns: usize, pass: &impl Pass, value: &impl EntryValue) -> Matrix {
        self.by_panels(n_columns, self.rows.n_rows(), |panel| match panel.width {
            WIDE => self.panel_images::<WIDE>(panel, pass, value),
            _ => self.panel_images::<NARROW>(panel, pass, value),
        })
    }

    fn panel_images<const W: usize>(
        &self,
        mut panel: Panel<'_>,
        pass: &impl Pass,
        value: &impl EntryValue,
    ) {
        let shared = pass.share::<W>(panel.columns());
        let answer = |b: usize| {
            crate::stop::here();
            let block = self.rows.block(b);
            let mut result = vec![[0.0; W]; block.documents().len()];
            Arch::new().dispatch(Vectorised {
                pass,
                shared: &shared,
                block,
                value,
                result: &mut result,
            });
            result
        };
        let answer = |b: usize| tasks::branch(|| answer(b));
        let n_blocks = self.rows.n_blocks();
        let mut row = 0;
        for first in (0..n_blocks).step_by(BLOCKS_AT_A_TIME) {
            let blocks =
                (first..n_blocks.min(first + BLOCKS_AT_A_TIME)).into_par_iter().with_max_len(1);
            let images: Vec<Vec<[f64; W]>> = tasks::fork(|| blocks.map(answer).collect());
            for image in images {
                panel.take_from(row, &image);
                row += image.len();
            }
        }
    }

    /// Runs a function for every panel of `n_columns` columns and puts the results side by side.
    fn by_panels(
        &self,
        n_columns: usize,
        n_rows: usize,
        run: impl Fn(Panel<'_>) + Sync + Send,
    ) -> Matrix {
        let mut result = Matrix::zeros(n_rows, n_columns);
        let widths = panel_widths(n_columns, self.rows.n_blocks(), tasks::n_cores());
        let mut panels = Vec::with_capacity(widths.len());
        let mut rest = result.values_mut();
        let mut start = 0;
        for width in widths {
            let used = width.min(n_columns - start);
            let (target, tail) = rest.split_at_mut(used * n_rows);
            panels.push(Panel { start, width, used, target });
            rest = tail;
            start += used;
        }
        let run = |panel: Panel<'_>| tasks::branch(|| run(panel));
        tasks::fork(|| panels.into_par_iter().with_max_len(1).for_each(run));
        result
    }
}

/// The pairs `(a, b)`, `a <= b`, in the order of a packed upper triangle, row by row.
pub(crate) fn packed_pairs(k: usize) -> Vec<(usize, usize)> {
    (0..k).flat_map(|a| (a..k).map(move |b| (a, b))).collect()
}

/// Cuts `n` columns into panels: wide ones, and narrow ones at the end or when threads would otherwise be idle.
fn panel_widths(n: usize, n_blocks: usize, n_threads: usize) -> Vec<usize> {
    let full = n / WIDE;
    // The number of panels that can run at the same time when every block of a panel has its own thread. Many
    // threads with a task each would wait for the longest of them, so they get half as many tasks again.
    let wanted = if n_threads < MANY_THREADS { n_threads } else { n_threads + n_threads / 2 };
    let side_by_side = wanted.div_ceil(n_blocks).max(1);
    let wide = if full >= side_by_side { full - full % side_by_side } else { 0 };
    let narrow = (n - wide * WIDE).div_ceil(NARROW);
    let mut widths = vec![WIDE; wide];
    widths.resize(wide + narrow, NARROW);
    widths
}

/// One panel: columns `start..start + used` of a product, padded to `width`.
struct Panel<'a> {
    start: usize,
    width: usize,
    used: usize,
    target: &'a mut [f64],
}

impl Panel<'_> {
    fn columns(&self) -> Range<usize> {
        self.start..self.start + self.used
    }

    fn n_rows(&self) -> usize {
        self.target.len() / self.used.max(1)
    }

    /// Copies rows of numbers into the columns of the product.
    fn take<const W: usize>(mut self, result: &[[f64; W]]) {
        self.take_from(0, result);
    }

    /// Copies rows of numbers into the columns of the product, from row `first` on.
    fn take_from<const W: usize>(&mut self, first: usize, result: &[[f64; W]]) {
        let (n_rows, last) = (self.n_rows().max(1), first + result.len());
        let mut places: Vec<Vec<&mut [f64]>> = Vec::new();
        places.resize_with(result.len().div_ceil(TASK_ROWS), || Vec::with_capacity(W));
        for column in self.target.chunks_exact_mut(n_rows) {
            let pieces = column[first..last].chunks_mut(TASK_ROWS);
            places.iter_mut().zip(pieces).for_each(|(columns, piece)| columns.push(piece));
        }
        let lay = |(columns, rows): (Vec<&mut [f64]>, &[[f64; W]])| {
            let mut columns: Vec<_> = columns.into_iter().map(|c| c.chunks_mut(ROWS)).collect();
            for rows in rows.chunks(ROWS) {
                for (j, column) in columns.iter_mut().enumerate() {
                    let places = column.next().unwrap_or_default();
                    places.iter_mut().zip(rows).for_each(|(place, row)| *place = row[j]);
                }
            }
        };
        let pieces = places.into_par_iter().zip(result.par_chunks(TASK_ROWS));
        tasks::fork(|| pieces.for_each(|piece| tasks::branch(|| lay(piece))));
    }
}

/// What is computed for a block of documents and a panel of columns.
trait Pass: Sync {
    /// Data of a panel that all blocks need.
    type Shared<const W: usize>: Sync;

    fn share<const W: usize>(&self, columns: Range<usize>) -> Self::Shared<W>;

    /// Adds the contribution of the block's documents to `result`, which starts at zero.
    fn run<const W: usize>(
        &self,
        shared: &Self::Shared<W>,
        block: Block<'_>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    );
}

/// A pass over one block and panel, compiled for each instruction set and chosen at run time.
struct Vectorised<'a, P: Pass, V, const W: usize> {
    pass: &'a P,
    shared: &'a P::Shared<W>,
    block: Block<'a>,
    value: &'a V,
    result: &'a mut [[f64; W]],
}

impl<P: Pass, V: EntryValue, const W: usize> WithSimd for Vectorised<'_, P, V, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.pass.run::<W>(self.shared, self.block, self.value, self.result);
    }
}

/// How many numbers of slices are held at a time: one gibibyte.
const SLICE_BUDGET: usize = 1 << 27;

/// Ranges of features whose slices fit into that budget.
pub(crate) fn feature_blocks(n: usize, k: usize) -> impl Iterator<Item = Range<usize>> {
    let step = (SLICE_BUDGET / (k * (k + 1) / 2)).max(1);
    (0..n).step_by(step).map(move |start| start..n.min(start + step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_cover_all_columns_for_any_number_of_threads() {
        for n in 0..200 {
            for (threads, blocks) in [(1, 1), (2, 1), (7, 2), (8, 64), (16, 4)] {
                let total: usize = panel_widths(n, blocks, threads).iter().sum();
                assert!(total >= n && total < n + NARROW, "{n} columns, {threads} threads");
            }
        }
    }
}
