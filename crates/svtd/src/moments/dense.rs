//! Moments stored in full, for models with few features.
//!
//! A Gaussian mixture in `d` variables or a hidden Markov model over `n` symbols has moments of a few dozen
//! features, not thirty thousand words. They are stored as `n x n` and `n x n x n` arrays, for at most
//! [`MAX_FEATURES`] features.

use std::ops::Range;

use super::{Basis, Cube, Moments, Rows, pack};
use crate::linalg::{Matrix, dot};

/// The largest number of features: the third moment then takes 16 MB.
pub const MAX_FEATURES: usize = 128;

/// The first three moments, stored.
#[derive(Clone, Debug)]
pub struct DenseMoments {
    first: Vec<f64>,
    second: Matrix,
    third: Vec<Matrix>,
}

impl DenseMoments {
    /// Moments from `M1`, a symmetric `M2` and the symmetric slices `M3_i`.
    ///
    /// # Panics
    /// When the sizes differ.
    pub fn new(first: Vec<f64>, second: Matrix, third: Vec<Matrix>) -> Self {
        let n = first.len();
        assert!(third.len() == n && second.n_rows() == n, "moments of one number of features");
        Self { first, second, third }
    }

    /// `B' M3_i B`.
    fn slice(&self, i: usize, basis: &Matrix) -> Matrix {
        basis.transpose_times(&self.third[i].times(basis))
    }

    fn kept_slices(&self, basis: &Basis, range: Range<usize>) -> Matrix {
        packed(range.map(|i| self.slice(i, basis.unmixing())).collect())
    }

    fn removed_projections(&self, basis: &Basis, range: Range<usize>) -> Matrix {
        let less = |i: usize| {
            let mut factor = basis.factor().clone();
            (0..factor.n_columns()).for_each(|a| factor[(i, a)] = 0.0);
            factor
        };
        packed(range.map(|i| self.slice(i, &less(i))).collect())
    }
}

impl Moments for DenseMoments {
    fn n_features(&self) -> usize {
        self.first.len()
    }

    fn first(&self) -> &[f64] {
        &self.first
    }

    fn second_times(&self, block: &Matrix) -> Matrix {
        self.second.times(block)
    }

    fn third_whitened(&self, basis: &Basis) -> Cube {
        let slices = self.kept_slices(basis, 0..self.first.len());
        Cube::of_slices(basis, &slices)
    }

    fn third_slices(&self, basis: &Basis, rows: Rows, features: Range<usize>) -> Matrix {
        match rows {
            Rows::Kept => self.kept_slices(basis, features),
            Rows::Removed => {
                let projections = self.removed_projections(basis, features.clone());
                basis.unproject(features.clone(), projections, || self.kept_slices(basis, features))
            }
        }
    }

    fn third_diagonals(&self, basis: &Basis, rotation: &Matrix) -> Matrix {
        let basis = basis.unmixing().times(rotation);
        let images: Vec<Matrix> = self.third.iter().map(|slice| slice.times(&basis)).collect();
        Matrix::from_fn(self.first.len(), basis.n_columns(), |i, j| {
            dot(basis.column(j), images[i].column(j))
        })
    }
}

/// Packed upper triangles, one to a row.
fn packed(slices: Vec<Matrix>) -> Matrix {
    let rows: Vec<Vec<f64>> =
        slices.iter().map(|s| pack(s.n_rows(), |a, b| 0.5 * (s[(a, b)] + s[(b, a)]))).collect();
    let width = rows.first().map_or(0, Vec::len);
    Matrix::from_fn(rows.len(), width, |i, p| rows[i][p])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moments::ExactMoments;
    use crate::whitening::{Scaling, Whitening};

    #[test]
    fn stored_moments_answer_as_known_parameters_do() {
        let topics = Matrix::from_columns(4, 2, vec![0.5, 0.2, 0.2, 0.1, 0.1, 0.1, 0.3, 0.5]);
        let weights = [0.4, 0.6];
        let exact = ExactMoments::single_topic(topics.clone(), &weights);
        let second = Matrix::from_fn(4, 4, |a, b| {
            (0..2).map(|j| weights[j] * topics[(a, j)] * topics[(b, j)]).sum()
        });
        let third = (0..4).map(|i| {
            Matrix::from_fn(4, 4, |a, b| {
                (0..2).map(|j| weights[j] * topics[(i, j)] * topics[(a, j)] * topics[(b, j)]).sum()
            })
        });
        let dense = DenseMoments::new(exact.first().to_vec(), second, third.collect());
        let whitening = Whitening::fit(&exact, 2, Scaling::Plain).unwrap();
        for rows in [Rows::Kept, Rows::Removed] {
            let (a, b) = (
                dense.third_slices(whitening.basis(), rows, 0..4),
                exact.third_slices(whitening.basis(), rows, 0..4),
            );
            assert!(a.values().iter().zip(b.values()).all(|(x, y)| (x - y).abs() < 1e-12));
        }
        let rotation = Matrix::identity(2);
        let (a, b) = (
            dense.third_diagonals(whitening.basis(), &rotation),
            exact.third_diagonals(whitening.basis(), &rotation),
        );
        assert!(a.values().iter().zip(b.values()).all(|(x, y)| (x - y).abs() < 1e-12));
    }
}
