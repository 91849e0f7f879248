//! Cholesky factors and what follows from them: inverses and orthonormal bases.

use super::{Matrix, dot};

/// The inverse of a symmetric positive definite matrix; `None` when it is not positive definite.
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

/// An orthonormal basis of the span of the columns of `block`; it can have fewer columns than `block`.
///
/// Cholesky-QR, twice, when the columns are safely independent: its cost is two products. Otherwise Gram-Schmidt,
/// twice per column, which drops a column that lies in the span of its predecessors to within `1e-10` of its
/// length.
pub fn orthonormal_basis(block: Matrix) -> Matrix {
    let twice = cholesky_qr(&block, 1e-9).and_then(|(once, _)| cholesky_qr(&once, 1e-9));
    match twice {
        Some((basis, _)) => basis,
        None => gram_schmidt(&block),
    }
}

/// A basis `Q` of the span of the columns of `block`, orthonormal to about `1e-10`, and `R` with `block = Q R`;
/// `None` when the columns are too close to dependent for that. It takes half the time of [`orthonormal_basis`].
pub(crate) fn orthonormal_once(block: &Matrix) -> Option<(Matrix, Matrix)> {
    cholesky_qr(block, 1e-6)
}

/// One round of Cholesky-QR; `None` when a pivot falls below `tolerance` times its diagonal entry.
fn cholesky_qr(block: &Matrix, tolerance: f64) -> Option<(Matrix, Matrix)> {
    let lower = cholesky(&block.transpose_times(block), tolerance)?;
    // block * inv(lower') has orthonormal columns.
    let n = lower.n_rows();
    let mut inverse = Matrix::identity(n);
    for j in 0..n {
        solve_lower(&lower, inverse.column_mut(j));
    }
    Some((block.times(&inverse.transpose()), lower.transpose()))
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

/// The lower Cholesky factor, or `None` when a pivot falls below `tolerance` times its diagonal entry.
pub(super) fn cholesky(matrix: &Matrix, tolerance: f64) -> Option<Matrix> {
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

/// Solves `L x = b` in place.
pub(super) fn solve_lower(lower: &Matrix, rhs: &mut [f64]) {
    for j in 0..rhs.len() {
        let value = rhs[j] / lower[(j, j)];
        rhs[j] = value;
        for (target, l) in rhs[j + 1..].iter_mut().zip(&lower.column(j)[j + 1..]) {
            *target -= value * l;
        }
    }
}

/// Solves `L' x = b` in place.
pub(super) fn solve_lower_transposed(lower: &Matrix, rhs: &mut [f64]) {
    for j in (0..rhs.len()).rev() {
        let sum = dot(&lower.column(j)[j + 1..], &rhs[j + 1..]);
        rhs[j] = (rhs[j] - sum) / lower[(j, j)];
    }
}
