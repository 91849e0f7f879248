//! Directions measured on documents that had no part in finding them, and made conjugate to one another.

use crate::linalg::{Matrix, dot};
use crate::moments::MomentWeights;

/// A direction is clear enough to free others of when it is so many standard errors large.
const CLEAR_ENOUGH: f64 = 2.0;

/// What directions are measured with.
pub(super) struct Measured<'a> {
    pub weights: &'a MomentWeights,
    pub a1: f64,
    /// `M1`.
    pub first: &'a [f64],
}

impl Measured<'_> {
    /// `v_j'M1` for all directions.
    pub fn means(&self, v: &Matrix) -> Vec<f64> {
        (0..v.n_columns()).map(|j| dot(self.first, v.column(j))).collect()
    }

    /// `v_i'Q v_j` for all pairs of directions; `z = X v`.
    pub fn pairs(&self, v: &Matrix, z: &Matrix, own_counts: &[f64], means: &[f64]) -> Matrix {
        let gram = |matrix: &Matrix, weights: &[f64]| {
            let mut scaled = matrix.clone();
            scaled.scale_rows(weights);
            scaled.transpose_times(matrix)
        };
        let mut pairs = gram(z, &self.weights.second);
        pairs.add(-1.0, &gram(v, own_counts));
        let k = means.len();
        pairs.add(-self.a1, &Matrix::from_fn(k, k, |i, j| means[i] * means[j]));
        pairs
    }

    /// Standard errors of `v_j'Q v_j`, a word's pairs with itself not taken out.
    pub fn rough_errors(&self, z: &Matrix, means: &[f64]) -> Vec<f64> {
        let error = |(j, &mean): (usize, &f64)| {
            let one = (z.column(j), mean);
            self.product_variance([one, one]).sqrt()
        };
        means.iter().enumerate().map(error).collect()
    }

    /// The variance of `a'Q b`, given `X a` and `a'M1`, `X b` and `b'M1`.
    pub fn product_variance(&self, [a, b]: [(&[f64], f64); 2]) -> f64 {
        let (mean_a, mean_b) = (a.1, b.1);
        let terms = a.0.iter().zip(b.0).zip(self.weights.second.iter().zip(&self.weights.first));
        let (mut sum, mut squares) = (0.0, 0.0);
        for ((x, y), (w2, w1)) in terms {
            let term = w2 * x * y - self.a1 * w1 * (x * mean_b + y * mean_a);
            sum += term;
            squares += term * term;
        }
        squares - sum * sum / a.0.len().max(1) as f64
    }

    /// `u'Q u` and its variance, given `u'M1`, `X u` and `X (u o u)`.
    pub fn total(&self, mean: f64, zeta: &[f64], own: &[f64]) -> (f64, f64) {
        let terms = zeta.iter().zip(own).zip(self.weights.second.iter().zip(&self.weights.first));
        let (mut total, mut sum, mut squares) = (-self.a1 * mean * mean, 0.0, 0.0);
        for ((x, own), (w2, w1)) in terms {
            let pairs = w2 * (x * x - own);
            let term = pairs - 2.0 * self.a1 * w1 * x * mean;
            total += pairs;
            sum += term;
            squares += term * term;
        }
        (total, squares - sum * sum / zeta.len().max(1) as f64)
    }
}

/// Directions conjugate to the clear ones before them, in the product of `Q`.
pub(super) struct Conjugate {
    /// `U = V mixing`; upper triangular.
    pub mixing: Matrix,
    /// `u_j'Q u_j`.
    pub strengths: Vec<f64>,
    /// Which directions the later ones are conjugate to.
    pub clear: Vec<usize>,
}

impl Conjugate {
    pub fn new(q: &Matrix, errors: &[f64]) -> Self {
        let k = errors.len();
        let mut conjugate =
            Self { mixing: Matrix::identity(k), strengths: vec![0.0; k], clear: Vec::new() };
        for (j, error) in errors.iter().enumerate() {
            let mut strength = q[(j, j)];
            for &b in &conjugate.clear {
                let product = dot(conjugate.mixing.column(b), q.column(j));
                let part = product / conjugate.strengths[b];
                strength -= part * product;
                for i in 0..=b {
                    let less = part * conjugate.mixing[(i, b)];
                    conjugate.mixing[(i, j)] -= less;
                }
            }
            conjugate.strengths[j] = strength;
            if strength > CLEAR_ENOUGH * error {
                conjugate.clear.push(j);
            }
        }
        conjugate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjugate_directions_are_so_and_keep_what_they_add() {
        let q = Matrix::from_columns(3, 3, vec![4.0, 2.0, 1.0, 2.0, 1.1, 0.7, 1.0, 0.7, 3.0]);
        let conjugate = Conjugate::new(&q, &[0.1, 0.5, 0.1]);
        // The second adds 1.1 - 2 * 2 / 4 only, which is not clear: the third is not made conjugate to it.
        assert_eq!(conjugate.clear, [0, 2]);
        assert!((conjugate.strengths[1] - 0.1).abs() < 1e-12);
        assert!((conjugate.strengths[2] - 2.75).abs() < 1e-12);
        let image = conjugate.mixing.transpose_times(&q.times(&conjugate.mixing));
        assert!(image[(0, 1)].abs() < 1e-12 && image[(0, 2)].abs() < 1e-12);
        assert!((image[(1, 1)] - 0.1).abs() < 1e-12);
    }
}
