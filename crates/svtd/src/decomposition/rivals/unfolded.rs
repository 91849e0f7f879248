//! A cube laid out for matrix products: `T(I, u, v)` for many pairs of directions at once.

use crate::linalg::{Matrix, dot};
use crate::moments::Cube;

/// A symmetric cube as the `k x k^2` matrix whose column `(a, b)` is `T(a, b, .)`.
pub(super) struct Unfolded {
    k: usize,
    matrix: Matrix,
}

impl Unfolded {
    pub(super) fn new(cube: &Cube) -> Self {
        let k = cube.side();
        let values = (0..k).flat_map(|a| cube.slice(a).iter().copied()).collect();
        Self { k, matrix: Matrix::from_columns(k, k * k, values) }
    }

    /// Column `j` is `T(I, u_j, v_j)`. One product of `k^3` for each column of the blocks.
    pub(super) fn contract(&self, u: &Matrix, v: &Matrix) -> Matrix {
        let inner = self.matrix.transpose_times(v);
        let k = self.k;
        Matrix::from_fn(k, u.n_columns(), |a, j| {
            dot(&inner.column(j)[a * k..(a + 1) * k], u.column(j))
        })
    }

    /// `T - value u^(3)`.
    pub(super) fn deflate(&mut self, value: f64, u: &[f64]) {
        let k = self.k;
        for a in 0..k {
            for b in 0..k {
                let factor = value * u[a] * u[b];
                for (target, c) in self.matrix.column_mut(a * k + b).iter_mut().zip(u) {
                    *target -= factor * c;
                }
            }
        }
    }

    pub(super) fn norm(&self) -> f64 {
        self.matrix.frobenius_norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contraction_and_deflation_agree_with_their_definitions() {
        let k = 3;
        let cube = Cube::symmetric(k, |a, b, c| (a * b * c + a + b + c) as f64);
        let u = Matrix::from_fn(k, 2, |i, j| (i + 2 * j) as f64 - 1.0);
        let v = Matrix::from_fn(k, 2, |i, j| (2 * i * j) as f64 + 0.5);
        let mut unfolded = Unfolded::new(&cube);
        let sum = |less: f64, a: usize, j: usize| -> f64 {
            let pairs = (0..k).flat_map(|b| (0..k).map(move |c| (b, c)));
            let w = u.column(0);
            let entry = |b, c| cube.get(a, b, c) - less * w[a] * w[b] * w[c];
            pairs.map(|(b, c)| entry(b, c) * u[(b, j)] * v[(c, j)]).sum()
        };
        for less in [0.0, 2.0] {
            unfolded.deflate(less, u.column(0));
            let found = unfolded.contract(&u, &v);
            for j in 0..2 {
                for a in 0..k {
                    assert!((found[(a, j)] - sum(less, a, j)).abs() < 1e-12);
                }
            }
        }
    }
}
