//! Weighted Gram matrices for many columns of weights at once.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatRef, Par};
use rayon::prelude::*;

use super::Matrix;
use crate::tasks;
use crate::tree::sum_over;

/// Number of columns of every Gram matrix that one product computes.
const COLUMNS: usize = 16;

/// Number of rows that one task sums over.
const ROWS_OF_A_TASK: usize = 1 << 13;

/// Scaled numbers that are in memory at a time: few enough for the cache of a core.
const SCALED: usize = 1 << 17;

/// The lower triangles of `A_c' diag(s_c) A_c` for every column `s_c` of `scales`, where `A_c` are the
/// columns of `block` from `first_column(c)` on.
///
/// Some columns of all these matrices at a time are one product with `block`: large products are much faster than
/// many small ones, which more than pays for the entries above the diagonal that come with them. The results of
/// different rows are added along a fixed tree.
pub(crate) fn weighted_grams(
    block: &Matrix,
    scales: &Matrix,
    first_column: impl Fn(usize) -> usize + Sync,
) -> Vec<Matrix> {
    let k = block.n_columns;
    let stripes: Vec<Stripe> = (0..k)
        .step_by(COLUMNS)
        .map(|start| Stripe::new(start..k.min(start + COLUMNS), scales.n_columns(), &first_column))
        .collect();
    let of_task = |task: usize| -> Vec<Matrix> {
        let end = block.n_rows.min((task + 1) * ROWS_OF_A_TASK);
        let rows = task * ROWS_OF_A_TASK..end;
        let sums = |stripe: &Stripe| tasks::branch(|| stripe.sums(block, scales, rows.clone()));
        tasks::fork(|| stripes.par_iter().map(sums).collect())
    };
    let add = |left: &mut Vec<Matrix>, right: Vec<Matrix>| {
        left.iter_mut().zip(&right).for_each(|(left, right)| left.add(1.0, right));
    };
    let n_tasks = block.n_rows.div_ceil(ROWS_OF_A_TASK).max(1);
    let sums = sum_over(0..n_tasks, &of_task, &add);
    let mut grams: Vec<Matrix> = (0..scales.n_columns())
        .map(|c| Matrix::zeros(k - first_column(c), k - first_column(c)))
        .collect();
    for (stripe, sums) in stripes.iter().zip(&sums) {
        stripe.copy_into(&mut grams, sums);
    }
    grams
}

/// Some columns of all Gram matrices, from the diagonal of the first of them on.
struct Stripe {
    /// The first column of the block, and the first row of the results.
    start: usize,
    /// For every column `c` of the scales: those of these columns that are in `A_c`.
    columns: Vec<Range<usize>>,
}

impl Stripe {
    fn new(columns: Range<usize>, n_scales: usize, first_column: &impl Fn(usize) -> usize) -> Self {
        let own = |c: usize| columns.start.max(first_column(c)).min(columns.end)..columns.end;
        Self { start: columns.start, columns: (0..n_scales).map(own).collect() }
    }

    /// The entries of these columns, those of one Gram matrix after the other, summed over some rows.
    fn sums(&self, block: &Matrix, scales: &Matrix, rows: Range<usize>) -> Matrix {
        let n_rows = block.n_columns - self.start;
        let n_columns: usize = self.columns.iter().map(Range::len).sum();
        let mut sum = Matrix::zeros(n_rows, n_columns);
        let at_a_time = (SCALED / n_columns.max(1)).max(COLUMNS);
        let mut scaled = Vec::with_capacity(at_a_time.min(rows.len()) * n_columns);
        for first in rows.clone().step_by(at_a_time) {
            let some = first..rows.end.min(first + at_a_time);
            scaled.clear();
            for (c, columns) in self.columns.iter().enumerate() {
                let scale = &scales.column(c)[some.clone()];
                for b in columns.clone() {
                    let values = block.column(b)[some.clone()].iter().zip(scale);
                    scaled.extend(values.map(|(value, s)| value * s));
                }
            }
            let own = block.view().submatrix(first, self.start, some.len(), n_rows);
            let scaled = MatRef::from_column_major_slice(&scaled, some.len(), n_columns);
            matmul(sum.view_mut(), Accum::Add, own.transpose(), scaled, 1.0, Par::Seq);
        }
        sum
    }

    /// Copies what is on and below the diagonals.
    fn copy_into(&self, grams: &mut [Matrix], sums: &Matrix) {
        let mut place = 0;
        for (gram, columns) in grams.iter_mut().zip(&self.columns) {
            let n = gram.n_rows;
            // Columns are counted from the end, because A_c are the last ones.
            let end = self.start + sums.n_rows;
            for b in columns.clone() {
                let below = &sums.column(place)[b - self.start..];
                let column = n - (end - b);
                gram.column_mut(column)[column..].copy_from_slice(below);
                place += 1;
            }
        }
    }
}
