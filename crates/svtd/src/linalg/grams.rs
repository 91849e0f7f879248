//! Weighted Gram matrices for many columns of weights at once.

use rayon::prelude::*;

use super::Matrix;
use crate::tasks;
use crate::tree::sum_over;

/// The lower triangles of `A_c' diag(s_c) A_c` for every column `s_c` of `scales`, where `A_c` are the
/// columns of `block` from `first_column(c)` on.
///
/// Threads share the work by chunks of rows; a chunk passes through the cache once, for all columns `c`. The
/// results of the chunks are added along a fixed tree.
pub(crate) fn weighted_grams(
    block: &Matrix,
    scales: &Matrix,
    first_column: impl Fn(usize) -> usize + Sync,
) -> Vec<Matrix> {
    const ROWS: usize = 512;
    const ROWS_OF_A_TASK: usize = 16 * ROWS;
    let chunk = |task: usize| {
        let mut grams: Vec<Matrix> = (0..scales.n_columns())
            .map(|c| {
                let width = block.n_columns - first_column(c);
                Matrix::zeros(width, width)
            })
            .collect();
        let end = block.n_rows.min((task + 1) * ROWS_OF_A_TASK);
        for start in (task * ROWS_OF_A_TASK..end).step_by(ROWS) {
            let range = start..end.min(start + ROWS);
            let rows = block.rows(range.clone());
            let add = |(c, gram): (usize, &mut Matrix)| {
                let scale = &scales.column(c)[range.clone()];
                let own = &rows.values[first_column(c) * rows.n_rows..];
                let mut scaled = Vec::with_capacity(own.len());
                for column in own.chunks_exact(rows.n_rows) {
                    scaled.extend(column.iter().zip(scale).map(|(value, s)| value * s));
                }
                gram.add_symmetric_product(own, &scaled);
            };
            let grams = grams.par_iter_mut().enumerate();
            tasks::fork(|| grams.for_each(|gram| tasks::branch(|| add(gram))));
        }
        grams
    };
    let add = |left: &mut Vec<Matrix>, right: Vec<Matrix>| {
        left.iter_mut().zip(&right).for_each(|(left, right)| left.add(1.0, right));
    };
    let n_tasks = block.n_rows.div_ceil(ROWS_OF_A_TASK).max(1);
    sum_over(0..n_tasks, &chunk, &add)
}
