//! Weighted Gram matrices for many columns of weights at once.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::Matrix;
use crate::tasks;
use crate::tree::sum_over;

/// Number of columns of every Gram matrix that one product computes.
const COLUMNS: usize = 16;

/// Number of rows that one task sums over.
const ROWS_OF_A_TASK: usize = 1 << 11;

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
    grams::<f64>(block, scales, first_column)
}

/// As [`weighted_grams`] in single precision, in half the time: for results that are only compared.
pub(crate) fn weighted_grams_roughly(
    block: &Matrix,
    scales: &Matrix,
    first_column: impl Fn(usize) -> usize + Sync,
) -> Vec<Matrix> {
    grams::<f32>(block, scales, first_column)
}

fn grams<T: Precision>(
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
        let sums =
            |stripe: &Stripe| tasks::branch(|| stripe.sums::<T>(block, scales, rows.clone()));
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
    fn sums<T: Precision>(&self, block: &Matrix, scales: &Matrix, rows: Range<usize>) -> Matrix {
        let n_rows = block.n_columns - self.start;
        let n_columns: usize = self.columns.iter().map(Range::len).sum();
        let mut sum = vec![T::of(0.0); n_rows * n_columns];
        let at_a_time = (SCALED / n_columns.max(1)).max(COLUMNS);
        let mut scaled = Vec::with_capacity(at_a_time.min(rows.len()) * n_columns);
        let mut own = Vec::with_capacity(at_a_time.min(rows.len()) * n_rows);
        for first in rows.clone().step_by(at_a_time) {
            let some = first..rows.end.min(first + at_a_time);
            scaled.clear();
            for (c, columns) in self.columns.iter().enumerate() {
                let scale = &scales.column(c)[some.clone()];
                for b in columns.clone() {
                    let values = block.column(b)[some.clone()].iter().zip(scale);
                    scaled.extend(values.map(|(value, s)| T::of(value * s)));
                }
            }
            own.clear();
            for b in self.start..block.n_columns {
                own.extend(block.column(b)[some.clone()].iter().map(|value| T::of(*value)));
            }
            let own = MatRef::from_column_major_slice(&own, some.len(), n_rows);
            let scaled = MatRef::from_column_major_slice(&scaled, some.len(), n_columns);
            let target = MatMut::from_column_major_slice_mut(&mut sum, n_rows, n_columns);
            matmul(target, Accum::Add, own.transpose(), scaled, T::of(1.0), Par::Seq);
        }
        Matrix::from_columns(n_rows, n_columns, sum.into_iter().map(T::wide).collect())
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

/// A number in double or single precision.
trait Precision: ComplexField + Copy + Send + Sync {
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
}

impl Precision for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }
}

impl Precision for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_differs_by_rounding_only() {
        let entry = |i: usize, j: usize| ((3 * i + 7 * j) as f64).sin() / (1.0 + i as f64).sqrt();
        let block = Matrix::from_fn(20_000, 21, entry);
        let scales = Matrix::from_fn(20_000, 5, |i, c| 1e-9 * entry(i, c + 30));
        let exact = weighted_grams(&block, &scales, |c| c);
        let rough = weighted_grams_roughly(&block, &scales, |c| c);
        for (exact, rough) in exact.iter().zip(&rough) {
            let mut difference = rough.clone();
            difference.add(-1.0, exact);
            let part = difference.frobenius_norm() / exact.frobenius_norm();
            assert!(part > 0.0 && part < 1e-5, "{part}");
        }
    }
}
