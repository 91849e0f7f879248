//! Cholesky factors of covariances and related quantities. Matrices are a few variables wide, so plain loops are as
//! fast as a library and give the same bits with all instruction sets.

use crate::linalg::Matrix;

/// The lower Cholesky factor of a covariance given column by column; a pivot lost in rounding is
/// replaced by a small part of its diagonal.
pub(super) fn lower_factor(values: &[f64], d: usize) -> Matrix {
    let mut lower = Matrix::zeros(d, d);
    for j in 0..d {
        for i in j..d {
            let mut value = values[j * d + i];
            for l in 0..j {
                value -= lower[(i, l)] * lower[(j, l)];
            }
            lower[(i, j)] = if i == j {
                value.max(1e-14 * values[j * d + j].abs()).max(1e-300).sqrt()
            } else {
                value / lower[(j, j)]
            };
        }
    }
    lower
}

/// The inverse of a lower triangular matrix.
pub(super) fn inverse_lower(lower: &Matrix) -> Matrix {
    let d = lower.n_rows();
    let mut inverse = Matrix::zeros(d, d);
    for j in 0..d {
        inverse[(j, j)] = 1.0 / lower[(j, j)];
        for i in j + 1..d {
            let sum: f64 = (j..i).map(|l| lower[(i, l)] * inverse[(l, j)]).sum();
            inverse[(i, j)] = -sum / lower[(i, i)];
        }
    }
    inverse
}

/// Half the log determinant, from a Cholesky factor.
pub(super) fn log_diagonal(lower: &Matrix, d: usize) -> f64 {
    (0..d).map(|a| lower[(a, a)].ln()).sum()
}

/// `trace(Sigma^-1 C)` from the Cholesky factor of `Sigma`.
pub(super) fn trace_of_quotient(lower: &Matrix, prior: &Matrix) -> f64 {
    let inverse = inverse_lower(lower);
    let product = inverse.times(prior);
    product.values().iter().zip(inverse.values()).map(|(a, b)| a * b).sum()
}

/// `L^-1 S L^-T`.
pub(super) fn between_factors(lower: &Matrix, values: &[f64], d: usize) -> Matrix {
    let inverse = inverse_lower(lower);
    let middle = Matrix::from_columns(d, d, values.to_vec());
    inverse.times(&middle).times(&inverse.transpose())
}
