//! Exact moments of known parameters, as a reference.
//!
//! Theorem 4.1 says that exact moments give exact parameters. These are such moments: Equations 1-3 for the
//! single-topic model and the expectations of Theorem 3.1 for LDA. Both are `M2 = M diag(a) M'` and `M3 = sum_j b_j
//! mu_j^(3)` for some weights `a`, `b`.

use std::ops::Range;

use super::{Basis, Cube, Moments, Rows, pack};
use crate::linalg::Matrix;

/// The moments of a model whose parameters are known.
#[derive(Clone, Debug)]
pub struct ExactMoments {
    word_topic: Matrix,
    first: Vec<f64>,
    pair_weights: Vec<f64>,
    triple_weights: Vec<f64>,
}

impl ExactMoments {
    /// The single-topic model `(M, Omega)`: Equations 1-3.
    pub fn single_topic(word_topic: Matrix, topic_weights: &[f64]) -> Self {
        let first = times_vector(&word_topic, topic_weights);
        Self {
            word_topic,
            first,
            pair_weights: topic_weights.to_vec(),
            triple_weights: topic_weights.to_vec(),
        }
    }

    /// Latent Dirichlet Allocation `(M, alpha)`: the expectations of Theorem 3.1.
    pub fn lda(word_topic: Matrix, alpha: &[f64]) -> Self {
        let alpha0: f64 = alpha.iter().sum();
        let shares: Vec<f64> = alpha.iter().map(|a| a / alpha0).collect();
        let scaled = |factor: f64| shares.iter().map(|s| s * factor).collect::<Vec<f64>>();
        let first = times_vector(&word_topic, &shares);
        Self {
            word_topic,
            first,
            pair_weights: scaled(1.0 / (alpha0 + 1.0)),
            triple_weights: scaled(2.0 / ((alpha0 + 1.0) * (alpha0 + 2.0))),
        }
    }

    /// `B'M` for a basis `B`.
    fn topics_in(&self, basis: &Matrix) -> Matrix {
        basis.transpose_times(&self.word_topic)
    }

    /// `sum_l b_l mu_il v_l v_l'`, packed.
    fn slice(&self, i: usize, topics: &Matrix) -> Vec<f64> {
        pack(topics.n_rows(), |a, b| {
            (0..topics.n_columns())
                .map(|l| {
                    let weight = self.triple_weights[l] * self.word_topic[(i, l)];
                    weight * topics[(a, l)] * topics[(b, l)]
                })
                .sum()
        })
    }

    fn kept_slices(&self, basis: &Basis, range: Range<usize>) -> Matrix {
        let topics = self.topics_in(basis.unmixing());
        stack(range.map(|i| self.slice(i, &topics)).collect())
    }

    fn removed_projections(&self, basis: &Basis, range: Range<usize>) -> Matrix {
        let e = basis.factor();
        let whole = self.topics_in(e);
        let less = |i: usize| {
            Matrix::from_fn(whole.n_rows(), whole.n_columns(), |a, l| {
                whole[(a, l)] - e[(i, a)] * self.word_topic[(i, l)]
            })
        };
        stack(range.map(|i| self.slice(i, &less(i))).collect())
    }
}

impl Moments for ExactMoments {
    fn n_features(&self) -> usize {
        self.word_topic.n_rows()
    }

    fn first(&self) -> &[f64] {
        &self.first
    }

    fn second_times(&self, block: &Matrix) -> Matrix {
        let mut inner = self.word_topic.transpose_times(block);
        inner.scale_rows(&self.pair_weights);
        self.word_topic.times(&inner)
    }

    fn third_whitened(&self, basis: &Basis) -> Cube {
        let v = self.topics_in(basis.unmixing());
        Cube::symmetric(v.n_rows(), |a, b, c| {
            (0..v.n_columns())
                .map(|l| self.triple_weights[l] * v[(a, l)] * v[(b, l)] * v[(c, l)])
                .sum()
        })
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
        let v = self.topics_in(&basis);
        let squares = Matrix::from_fn(v.n_columns(), v.n_rows(), |l, j| {
            self.triple_weights[l] * v[(j, l)] * v[(j, l)]
        });
        self.word_topic.times(&squares)
    }
}

fn times_vector(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    matrix.times(&Matrix::from_columns(vector.len(), 1, vector.to_vec())).values().to_vec()
}

/// A matrix from its rows.
fn stack(rows: Vec<Vec<f64>>) -> Matrix {
    let width = rows.first().map_or(0, Vec::len);
    Matrix::from_fn(rows.len(), width, |i, j| rows[i][j])
}
