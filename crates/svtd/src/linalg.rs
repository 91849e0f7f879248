//! Dense linear algebra: the one module that names the linear-algebra crate.
//!
//! Everything here gives the same bits for any number of threads. Long matrices are cut into chunks of `CHUNK`
//! rows, a fixed number; a sum over rows adds the chunks in their order. The kernels inside a chunk run
//! sequentially, because the crate's own parallel eigen- and QR-decompositions change their last bits with the
//! number of threads.

mod eigen;
mod factors;
mod grams;
mod least_squares;
#[cfg(test)]
mod tests;

use std::ops::{Index, IndexMut, Range};

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::tasks;

pub use self::eigen::symmetric_eigen;
pub(crate) use self::factors::orthonormal_once;
pub use self::factors::{orthonormal_basis, positive_inverse};
pub(crate) use self::grams::{weighted_grams, weighted_grams_roughly};
pub use self::least_squares::non_negative_least_squares;

/// Rows handled by one task of a product with a long matrix.
const CHUNK: usize = 4096;

/// Matrices with fewer entries are changed column after column on one thread.
const LARGE: usize = 1 << 14;

/// A dense matrix of `f64`, stored column by column.
#[derive(Debug, PartialEq)]
pub struct Matrix {
    n_rows: usize,
    n_columns: usize,
    values: Vec<f64>,
}

impl Clone for Matrix {
    /// Copies large matrices in parallel: the first look at new memory costs more than the copy.
    fn clone(&self) -> Self {
        Self::from_filled(self.n_rows, self.n_columns, |j, column| {
            column.copy_from_slice(self.column(j));
        })
    }
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(n_rows: usize, n_columns: usize) -> Self {
        Self { n_rows, n_columns, values: vec![0.0; n_rows * n_columns] }
    }

    /// The identity.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    /// A matrix whose entry in row `i` and column `j` is `entry(i, j)`.
    pub fn from_fn(
        n_rows: usize,
        n_columns: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let mut values = Vec::with_capacity(n_rows * n_columns);
        for j in 0..n_columns {
            for i in 0..n_rows {
                values.push(entry(i, j));
            }
        }
        Self { n_rows, n_columns, values }
    }

    /// A matrix from its entries, column after column.
    ///
    /// # Panics
    /// When there are not exactly `n_rows * n_columns` values.
    pub fn from_columns(n_rows: usize, n_columns: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), n_rows * n_columns, "a matrix needs rows x columns values");
        Self { n_rows, n_columns, values }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// All entries, column after column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All entries, column after column, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Column `j`.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.n_rows..(j + 1) * self.n_rows]
    }

    /// A matrix whose columns `fill` writes, in parallel.
    pub(crate) fn from_filled(
        n_rows: usize,
        n_columns: usize,
        fill: impl Fn(usize, &mut [f64]) + Sync + Send,
    ) -> Self {
        let mut filled = Self::zeros(n_rows, n_columns);
        filled.for_each_column(fill);
        filled
    }

    /// Changes every column, in parallel.
    pub(crate) fn for_each_column(&mut self, change: impl Fn(usize, &mut [f64]) + Sync + Send) {
        self.map_columns(change);
    }

    /// Changes every column, in parallel, and returns what `change` returned for each.
    pub(crate) fn map_columns<T: Send>(
        &mut self,
        change: impl Fn(usize, &mut [f64]) -> T + Sync + Send,
    ) -> Vec<T> {
        let n_rows = self.n_rows.max(1);
        if self.values.len() < LARGE {
            let columns = self.values.chunks_exact_mut(n_rows).enumerate();
            return columns.map(|(j, column)| change(j, column)).collect();
        }
        let columns = self.values.par_chunks_exact_mut(n_rows).enumerate().with_max_len(1);
        let change = |(j, column): (usize, &mut [f64])| tasks::branch(|| change(j, column));
        tasks::fork(|| columns.map(change).collect())
    }

    /// Column `j`, mutable.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.n_rows..(j + 1) * self.n_rows]
    }

    /// Row `i`, copied.
    pub fn row(&self, i: usize) -> Vec<f64> {
        (0..self.n_columns).map(|j| self[(i, j)]).collect()
    }

    /// Columns `range`, copied.
    pub fn columns(&self, range: Range<usize>) -> Matrix {
        let values = self.values[range.start * self.n_rows..range.end * self.n_rows].to_vec();
        Self { n_rows: self.n_rows, n_columns: range.len(), values }
    }

    /// Rows `range`, copied.
    pub(crate) fn rows(&self, range: Range<usize>) -> Matrix {
        let values = (0..self.n_columns).flat_map(|j| &self.column(j)[range.clone()]).copied();
        Self { n_rows: range.len(), n_columns: self.n_columns, values: values.collect() }
    }

    /// The columns `order[0], order[1], ...` in that order.
    pub fn select_columns(&self, order: &[usize]) -> Matrix {
        Self::from_filled(self.n_rows, order.len(), |j, column| {
            column.copy_from_slice(self.column(order[j]));
        })
    }

    /// The rows `order[0], order[1], ...` in that order.
    pub fn select_rows(&self, order: &[usize]) -> Matrix {
        let of_column = |j: usize| order.iter().map(move |&i| self.column(j)[i]);
        let values = (0..self.n_columns).flat_map(of_column).collect();
        Self { n_rows: order.len(), n_columns: self.n_columns, values }
    }

    /// Appends the columns of `other` after the columns of this matrix.
    pub fn append(&mut self, other: &Matrix) {
        assert_eq!(self.n_rows, other.n_rows, "appended columns must be as long");
        self.values.extend_from_slice(&other.values);
        self.n_columns += other.n_columns;
    }

    /// Every row multiplied by its factor.
    pub fn scale_rows(&mut self, factors: &[f64]) {
        self.for_each_column(|_, column| {
            column.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
        });
    }

    /// Every column multiplied by its factor.
    pub fn scale_columns(&mut self, factors: &[f64]) {
        self.for_each_column(|j, column| column.iter_mut().for_each(|value| *value *= factors[j]));
    }

    /// The product `self * other`.
    pub fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.n_columns, other.n_rows, "inner dimensions must agree");
        let mut product = Matrix::zeros(self.n_rows, other.n_columns);
        product.accumulate(Accum::Replace, 1.0, self, other);
        product
    }

    /// `self -= left * right`.
    pub(crate) fn subtract_product(&mut self, left: &Matrix, right: &Matrix) {
        assert_eq!(left.n_columns, right.n_rows, "inner dimensions must agree");
        assert_eq!((self.n_rows, self.n_columns), (left.n_rows, right.n_columns), "sizes");
        self.accumulate(Accum::Add, -1.0, left, right);
    }

    /// Stores or adds `factor * left * right`; threads share the work by chunks of rows.
    fn accumulate(&mut self, how: Accum, factor: f64, left: &Matrix, right: &Matrix) {
        let mut chunks = Vec::new();
        let mut rest = self.view_mut();
        let mut start = 0;
        while start < left.n_rows {
            let len = CHUNK.min(left.n_rows - start);
            let (head, tail) = rest.split_at_row_mut(len);
            chunks.push((head, left.view().subrows(start, len)));
            rest = tail;
            start += len;
        }
        let product = |(target, rows)| {
            tasks::branch(|| matmul(target, how, rows, right.view(), factor, Par::Seq));
        };
        tasks::fork(|| chunks.into_par_iter().for_each(product));
    }

    /// The product `self' * other`.
    pub fn transpose_times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.n_rows, other.n_rows, "inner dimensions must agree");
        let partial = |chunk: usize| {
            let start = chunk * CHUNK;
            let len = CHUNK.min(self.n_rows - start);
            let mut part = Matrix::zeros(self.n_columns, other.n_columns);
            matmul(
                part.view_mut(),
                Accum::Replace,
                self.view().subrows(start, len).transpose(),
                other.view().subrows(start, len),
                1.0,
                Par::Seq,
            );
            part
        };
        let n_chunks = self.n_rows.div_ceil(CHUNK);
        let chunks = (0..n_chunks).into_par_iter();
        let partial = |chunk| tasks::branch(|| partial(chunk));
        let parts: Vec<Matrix> = tasks::fork(|| chunks.map(partial).collect());
        let mut sum = Matrix::zeros(self.n_columns, other.n_columns);
        for part in parts {
            sum.add(1.0, &part);
        }
        sum
    }

    /// Adds `factor * other`.
    pub fn add(&mut self, factor: f64, other: &Matrix) {
        assert_eq!(self.values.len(), other.values.len(), "sizes must agree");
        for (value, more) in self.values.iter_mut().zip(&other.values) {
            *value += factor * more;
        }
    }

    /// The transpose, block by block.
    pub fn transpose(&self) -> Matrix {
        const BLOCK: usize = 32;
        let mut result = Matrix::zeros(self.n_columns, self.n_rows);
        for first_row in (0..self.n_rows).step_by(BLOCK) {
            let rows = first_row..self.n_rows.min(first_row + BLOCK);
            for j in 0..self.n_columns {
                for i in rows.clone() {
                    result.values[i * self.n_columns + j] = self.values[j * self.n_rows + i];
                }
            }
        }
        result
    }

    /// Root of the sum of squares of all entries.
    pub fn frobenius_norm(&self) -> f64 {
        dot(&self.values, &self.values).sqrt()
    }

    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.n_rows, self.n_columns)
    }

    fn view_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.values, self.n_rows, self.n_columns)
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        debug_assert!(i < self.n_rows);
        &self.values[j * self.n_rows + i]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        debug_assert!(i < self.n_rows);
        &mut self.values[j * self.n_rows + i]
    }
}

/// The inner product of two vectors.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
