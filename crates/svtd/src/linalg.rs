//! Dense linear algebra: the one module that names the linear-algebra crate.
//!
//! Everything here gives the same bits for any number of threads. Long matrices are cut into
//! chunks of `CHUNK` rows, a number that never follows the machine; a sum over rows is the sum
//! of the chunks in their order. The kernels inside a chunk run sequentially, because the
//! crate's own parallel eigen- and QR-decompositions change their last bits with the degree of
//! parallelism.

use std::ops::{Index, IndexMut, Range};

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows handled by one task of a product with a long matrix.
const CHUNK: usize = 4096;

/// A dense matrix of `f64`, stored column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    n_rows: usize,
    n_columns: usize,
    values: Vec<f64>,
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

    /// All entries, column after column, to be changed.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Column `j`.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.n_rows..(j + 1) * self.n_rows]
    }

    /// Column `j`, to be changed.
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
        let values = order.iter().flat_map(|&j| self.column(j)).copied().collect();
        Self { n_rows: self.n_rows, n_columns: order.len(), values }
    }

    /// Puts the columns of `other` behind the columns of this matrix.
    pub fn append(&mut self, other: &Matrix) {
        assert_eq!(self.n_rows, other.n_rows, "appended columns must be as long");
        self.values.extend_from_slice(&other.values);
        self.n_columns += other.n_columns;
    }

    /// Every row multiplied by its factor.
    pub fn scale_rows(&mut self, factors: &[f64]) {
        for column in self.values.chunks_exact_mut(self.n_rows.max(1)) {
            for (value, factor) in column.iter_mut().zip(factors) {
                *value *= factor;
            }
        }
    }

    /// Every column multiplied by its factor.
    pub fn scale_columns(&mut self, factors: &[f64]) {
        for (column, factor) in self.values.chunks_exact_mut(self.n_rows.max(1)).zip(factors) {
            for value in column {
                *value *= factor;
            }
        }
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

    /// Puts or adds `factor * left * right`, chunks of rows dealt to threads.
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
        chunks.into_par_iter().for_each(|(target, rows)| {
            matmul(target, how, rows, right.view(), factor, Par::Seq);
        });
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
        let parts: Vec<Matrix> = (0..n_chunks).into_par_iter().map(partial).collect();
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

    /// Adds the lower triangle of `left' * right`, known to be symmetric, in this thread; both
    /// factors are given by their entries, column after column.
    fn add_symmetric_product(&mut self, left: &[f64], right: &[f64]) {
        let n_columns = self.n_columns;
        let view =
            |values| MatRef::from_column_major_slice(values, left.len() / n_columns, n_columns);
        triangular::matmul(
            self.view_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            view(left).transpose(),
            BlockStructure::Rectangular,
            view(right),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
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

/// The lower triangles of `A_c' diag(s_c) A_c` for every column `s_c` of `scales`, where `A_c` are the
/// columns of `block` from `first_column(c)` on.
///
/// Chunks of rows are dealt to threads; a chunk goes through the cache once, for all columns `c`. The
/// chunks' results are added along a fixed tree.
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
            grams.par_iter_mut().enumerate().for_each(|(c, gram)| {
                let scale = &scales.column(c)[range.clone()];
                let own = &rows.values[first_column(c) * rows.n_rows..];
                let mut scaled = Vec::with_capacity(own.len());
                for column in own.chunks_exact(rows.n_rows) {
                    scaled.extend(column.iter().zip(scale).map(|(value, s)| value * s));
                }
                gram.add_symmetric_product(own, &scaled);
            });
        }
        grams
    };
    let add = |left: &mut Vec<Matrix>, right: Vec<Matrix>| {
        left.iter_mut().zip(&right).for_each(|(left, right)| left.add(1.0, right));
    };
    let n_tasks = block.n_rows.div_ceil(ROWS_OF_A_TASK).max(1);
    crate::corpus::blocks::sum_over(0..n_tasks, &chunk, &add)
}

/// The inner product of two vectors.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Eigenvalues, falling, and eigenvectors, in columns, of a symmetric matrix.
///
/// The decomposition itself can only fail on numbers that are not finite; then the values
/// come back as NaN and the caller's checks on them refuse the result.
pub fn symmetric_eigen(matrix: &Matrix) -> (Vec<f64>, Matrix) {
    let n = matrix.n_rows();
    let mut values = Diag::<f64>::zeros(n);
    let mut vectors = Matrix::zeros(n, n);
    let scratch =
        self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let outcome = self_adjoint_evd(
        matrix.view(),
        values.as_mut(),
        Some(vectors.view_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    );
    if outcome.is_err() {
        return (vec![f64::NAN; n], vectors);
    }
    let ascending: Vec<f64> = values.column_vector().iter().copied().collect();
    let order: Vec<usize> = (0..n).rev().collect();
    (order.iter().map(|&j| ascending[j]).collect(), vectors.select_columns(&order))
}

/// The inverse of a symmetric positive definite matrix, or `None` when it is not that.
pub fn positive_inverse(matrix: &Matrix) -> Option<Matrix> {
    let lower = cholesky(matrix, 1e-14)?;
    let n = matrix.n_rows();
    let mut inverse = Matrix::identity(n);
    for j in 0..n {
        let column = inverse.column_mut(j);
        solve_lower(&lower, column);
        solve_lower_transposed(&lower, column);
    }
    Some(inverse)
}

/// An orthonormal basis of the columns of `block`, and how many columns were worth keeping.
///
/// Cholesky-QR, twice, when the columns are comfortably independent: its cost is two products.
/// Otherwise Gram-Schmidt, twice per column, which drops a column that the ones before it
/// already explain to within `1e-10` of its length.
pub fn orthonormal_basis(block: Matrix) -> Matrix {
    match cholesky_qr(&block).and_then(|once| cholesky_qr(&once)) {
        Some(basis) => basis,
        None => gram_schmidt(&block),
    }
}

/// One round of Cholesky-QR; `None` when the condition number is beyond it.
fn cholesky_qr(block: &Matrix) -> Option<Matrix> {
    let lower = cholesky(&block.transpose_times(block), 1e-9)?;
    // block * inv(lower') has orthonormal columns.
    let n = lower.n_rows();
    let mut inverse = Matrix::identity(n);
    for j in 0..n {
        solve_lower(&lower, inverse.column_mut(j));
    }
    Some(block.times(&inverse.transpose()))
}

fn gram_schmidt(block: &Matrix) -> Matrix {
    let mut basis = Matrix::zeros(block.n_rows(), 0);
    let scale = (0..block.n_columns())
        .map(|j| dot(block.column(j), block.column(j)).sqrt())
        .fold(0.0, f64::max);
    for j in 0..block.n_columns() {
        let mut column = block.columns(j..j + 1);
        let before = column.frobenius_norm();
        for _ in 0..2 {
            let shares = basis.transpose_times(&column);
            column.subtract_product(&basis, &shares);
        }
        let norm = column.frobenius_norm();
        if norm.is_finite() && norm > 1e-10 * before && norm > 1e-14 * scale {
            column.scale_columns(&[1.0 / norm]);
            basis.append(&column);
        }
    }
    basis
}

/// The lower Cholesky factor, or `None` when a pivot falls below `tolerance` of its diagonal.
fn cholesky(matrix: &Matrix, tolerance: f64) -> Option<Matrix> {
    let n = matrix.n_rows();
    let mut lower = Matrix::zeros(n, n);
    for j in 0..n {
        let mut column: Vec<f64> = matrix.column(j)[j..].to_vec();
        for l in 0..j {
            let factor = lower[(j, l)];
            for (value, other) in column.iter_mut().zip(&lower.column(l)[j..]) {
                *value -= factor * other;
            }
        }
        let pivot = column[0];
        if !pivot.is_finite() || pivot <= tolerance * matrix[(j, j)] {
            return None;
        }
        let root = pivot.sqrt();
        for (target, value) in lower.column_mut(j)[j..].iter_mut().zip(&column) {
            *target = value / root;
        }
    }
    Some(lower)
}

fn solve_lower(lower: &Matrix, rhs: &mut [f64]) {
    for j in 0..rhs.len() {
        let value = rhs[j] / lower[(j, j)];
        rhs[j] = value;
        for (target, l) in rhs[j + 1..].iter_mut().zip(&lower.column(j)[j + 1..]) {
            *target -= value * l;
        }
    }
}

fn solve_lower_transposed(lower: &Matrix, rhs: &mut [f64]) {
    for j in (0..rhs.len()).rev() {
        let sum = dot(&lower.column(j)[j + 1..], &rhs[j + 1..]);
        rhs[j] = (rhs[j] - sum) / lower[(j, j)];
    }
}

/// Non-negative least squares on normal equations: `argmin_{x >= 0} x'G x - 2 h'x`.
///
/// The active-set method of Lawson and Hanson. `gram` is `k x k`; a direction in which it is
/// singular stays at zero.
pub fn non_negative_least_squares(gram: &Matrix, rhs: &[f64]) -> Vec<f64> {
    let k = rhs.len();
    let mut solution = vec![0.0; k];
    let mut passive = vec![false; k];
    let scale = rhs.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let mut refused = vec![false; k];
    for _ in 0..3 * k + 10 {
        let gradient: Vec<f64> = (0..k).map(|j| rhs[j] - dot(gram.column(j), &solution)).collect();
        let candidate = (0..k)
            .filter(|&j| !passive[j] && !refused[j] && gradient[j] > 1e-13 * scale)
            .max_by(|&a, &b| gradient[a].total_cmp(&gradient[b]).then(b.cmp(&a)));
        let Some(enter) = candidate else { break };
        passive[enter] = true;
        loop {
            let members: Vec<usize> = (0..k).filter(|&j| passive[j]).collect();
            let Some(trial) = solve_members(gram, rhs, &members) else {
                // The newcomer makes the system singular: it adds nothing new.
                passive[enter] = false;
                refused[enter] = true;
                break;
            };
            if trial.iter().all(|&value| value > 0.0) {
                solution.fill(0.0);
                for (&j, &value) in members.iter().zip(&trial) {
                    solution[j] = value;
                }
                refused.fill(false);
                break;
            }
            // Walk towards the trial until the first member reaches zero; it leaves.
            let step = members
                .iter()
                .zip(&trial)
                .filter(|&(_, &value)| value <= 0.0)
                .map(|(&j, &value)| solution[j] / (solution[j] - value))
                .fold(1.0_f64, f64::min);
            let step = if step.is_finite() { step } else { 0.0 };
            for (&j, &value) in members.iter().zip(&trial) {
                solution[j] += step * (value - solution[j]);
                if value <= 0.0 && solution[j] <= 1e-15 {
                    solution[j] = 0.0;
                    passive[j] = false;
                }
            }
            if !passive[enter] {
                refused[enter] = true;
            }
        }
    }
    solution
}

fn solve_members(gram: &Matrix, rhs: &[f64], members: &[usize]) -> Option<Vec<f64>> {
    let m = members.len();
    let small = Matrix::from_fn(m, m, |a, b| gram[(members[a], members[b])]);
    let lower = cholesky(&small, 1e-13)?;
    let mut solution: Vec<f64> = members.iter().map(|&j| rhs[j]).collect();
    solve_lower(&lower, &mut solution);
    solve_lower_transposed(&lower, &mut solution);
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wavy(n: usize, m: usize) -> Matrix {
        Matrix::from_fn(n, m, |i, j| ((i * 7 + j * 13) as f64 * 0.37).sin() + (i == j) as u8 as f64)
    }

    #[test]
    fn products_agree_with_their_definition() {
        let (a, b) = (wavy(5, 3), wavy(3, 4));
        let product = a.times(&b);
        let expected = Matrix::from_fn(5, 4, |i, j| dot(&a.row(i), b.column(j)));
        assert!(product.values().iter().zip(expected.values()).all(|(x, y)| (x - y).abs() < 1e-14));
        let gram = a.transpose_times(&a);
        assert!((gram[(1, 2)] - dot(a.column(1), a.column(2))).abs() < 1e-14);
    }

    #[test]
    fn long_products_have_the_same_bits_for_any_number_of_threads() {
        let a = wavy(3 * CHUNK + 17, 9);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| (a.transpose_times(&a), orthonormal_basis(a.clone())))
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn eigenvalues_fall_and_vectors_diagonalise() {
        let a = wavy(6, 6);
        let symmetric = a.transpose_times(&a);
        let (values, vectors) = symmetric_eigen(&symmetric);
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        let image = symmetric.times(&vectors);
        for j in 0..6 {
            for i in 0..6 {
                assert!((image[(i, j)] - values[j] * vectors[(i, j)]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_basis_drops_columns_that_repeat_others() {
        let mut block = wavy(50, 4);
        block.append(&block.columns(1..3));
        let basis = orthonormal_basis(block);
        assert_eq!(basis.n_columns(), 4);
        let gram = basis.transpose_times(&basis);
        for i in 0..4 {
            for j in 0..4 {
                assert!((gram[(i, j)] - f64::from(u8::from(i == j))).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn non_negative_least_squares_keeps_what_plain_least_squares_would_make_negative_at_zero() {
        // Columns (1,0), (1,1); target (1,-1): the plain solution is (2,-1).
        let gram = Matrix::from_columns(2, 2, vec![1.0, 1.0, 1.0, 2.0]);
        let solution = non_negative_least_squares(&gram, &[1.0, 0.0]);
        assert!((solution[0] - 1.0).abs() < 1e-14 && solution[1] == 0.0);
    }

    #[test]
    fn non_negative_least_squares_is_exact_inside_the_cone() {
        let a = wavy(20, 5);
        let truth = [0.1, 0.4, 0.0, 0.3, 0.2];
        let gram = a.transpose_times(&a);
        let rhs: Vec<f64> = (0..5).map(|j| dot(gram.column(j), &truth)).collect();
        let solution = non_negative_least_squares(&gram, &rhs);
        assert!(solution.iter().zip(truth).all(|(x, y)| (x - y).abs() < 1e-10));
    }
}
