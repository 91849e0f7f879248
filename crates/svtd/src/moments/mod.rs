//! Moments: the interface between data and decomposition.
//!
//! The first three moments of a model with `k` hidden groups are (Equations 1-3)
//!
//! ```text
//! M1 = sum_j w_j mu_j       M2 = sum_j w_j mu_j mu_j'       M3 = sum_j w_j mu_j x mu_j x mu_j
//! ```
//!
//! and everything downstream needs only products with them. `M2` is `n x n` and `M3` is
//! `n x n x n`; neither is formed, except for few features ([`DenseMoments`], [`incremental`]).
//! [`Moments`] is the whole interface between data and decomposition: nothing behind it knows of
//! words or documents, so a model of another kind joins by implementing it.
//!
//! | where the moments come from | type |
//! |---|---|
//! | documents about one topic each (Theorem 2.1) | [`SingleTopicMoments`] |
//! | documents that mix topics (Theorem 3.1) | [`LdaMoments`] |
//! | a model of few features, moments written out | [`DenseMoments`] |
//! | known parameters, as a reference | [`ExactMoments`] |

mod asked;
mod basis;
mod dense;
pub(crate) mod documents;
mod exact;
pub mod incremental;
mod lda;
#[cfg(test)]
mod naive;
pub(crate) mod panels;
mod single_topic;
mod slices;
mod sums;
pub(crate) mod table;
mod towards;
pub(crate) mod weighed;
mod weights;

use std::ops::Range;

pub use basis::Basis;
pub use dense::{DenseMoments, MAX_FEATURES};
pub use exact::ExactMoments;
pub use lda::LdaMoments;
pub(crate) use lda::check_alpha0;
pub use single_topic::SingleTopicMoments;
pub(crate) use towards::towards_sums;
pub(crate) use weights::check_custom;
pub use weights::{DocumentWeights, MomentWeights};

use crate::linalg::{Matrix, dot};
pub use crate::questions::{Counting, Rows};

/// The first three moments of some data, as operators.
///
/// Features are numbered from zero. Whitened quantities refer to the `W` and `E` of a
/// [`Whitening`](crate::whitening::Whitening) of these same moments.
pub trait Moments: Sync {
    /// Number of features, `n`.
    fn n_features(&self) -> usize;

    /// `M1`.
    fn first(&self) -> &[f64];

    /// `M2 V` for a block of columns `V`.
    fn second_times(&self, block: &Matrix) -> Matrix;

    /// `M3(W, W, W)`, the whitened third moment.
    fn third_whitened(&self, basis: &Basis) -> Cube;

    /// The same to about six digits, where that is enough and an implementation has a faster way.
    fn third_whitened_roughly(&self, basis: &Basis) -> Cube {
        self.third_whitened(basis)
    }

    /// The whitened slices `H_i` for the features of a range, one packed upper triangle of
    /// `k(k+1)/2` numbers per row.
    fn third_slices(&self, basis: &Basis, rows: Rows, features: Range<usize>) -> Matrix;

    /// `sum_i eta_i H_i = W' M3(eta) W`, the third moment along a direction of the features, rows
    /// kept.
    ///
    /// Computed from the slices, unless an implementation has a faster way.
    fn third_towards(&self, basis: &Basis, direction: &[f64]) -> Matrix {
        let k = basis.n_columns();
        let mut sum = vec![0.0; k * (k + 1) / 2];
        for range in panels::feature_blocks(self.n_features(), k) {
            let slices = self.third_slices(basis, Rows::Kept, range.clone());
            for (p, target) in sum.iter_mut().enumerate() {
                *target += dot(slices.column(p), &direction[range.clone()]);
            }
        }
        unpack(k, &sum)
    }

    /// The diagonals of `O' H_i O` for all features, row `i` for feature `i`, rows kept.
    fn third_diagonals(&self, basis: &Basis, rotation: &Matrix) -> Matrix;
}

/// A cube of numbers, `k x k x k`, symmetric in all three indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Cube {
    side: usize,
    values: Vec<f64>,
}

impl Cube {
    /// A cube of zeros.
    pub fn zeros(side: usize) -> Self {
        Self { side, values: vec![0.0; side * side * side] }
    }

    /// Number of entries along one side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The entry at `(a, b, c)`.
    pub fn get(&self, a: usize, b: usize, c: usize) -> f64 {
        self.values[(a * self.side + b) * self.side + c]
    }

    /// Slice `a`: the `k x k` entries `(a, ., .)`.
    pub fn slice(&self, a: usize) -> &[f64] {
        &self.values[a * self.side * self.side..(a + 1) * self.side * self.side]
    }

    /// The leading block of side `k`: the cube of the `k` leading columns of the basis.
    pub(crate) fn leading(&self, k: usize) -> Self {
        let mut block = Self::zeros(k);
        for (a, target) in block.values.chunks_exact_mut(k * k).enumerate() {
            for (b, row) in target.chunks_exact_mut(k).enumerate() {
                row.copy_from_slice(&self.slice(a)[b * self.side..b * self.side + k]);
            }
        }
        block
    }

    /// `M3(W, W, W)` from all slices `H_i`, rows kept, a packed one to a row.
    pub fn of_slices(basis: &Basis, slices: &Matrix) -> Self {
        let k = basis.n_columns();
        // Column p of `along` holds entry p of the packed slice along each whitened direction.
        let along = basis.unmixing().transpose_times(slices);
        let place = |b: usize, c: usize| b * k - b * (b + 1) / 2 + c;
        Self::symmetric(k, |a, b, c| along[(a, place(b, c))])
    }

    /// A symmetric cube from its entries with `a <= b <= c`.
    pub(crate) fn symmetric(side: usize, entry: impl Fn(usize, usize, usize) -> f64) -> Self {
        let mut cube = Self::zeros(side);
        for a in 0..side {
            for b in a..side {
                for c in b..side {
                    let value = entry(a, b, c);
                    for (x, y, z) in
                        [(a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b), (c, b, a)]
                    {
                        cube.values[(x * side + y) * side + z] = value;
                    }
                }
            }
        }
        cube
    }
}

/// The packed upper triangle of the symmetric matrix `entry(a, b)`.
fn pack(k: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    panels::packed_pairs(k).into_iter().map(|(a, b)| entry(a, b)).collect()
}

/// The symmetric matrix of a packed upper triangle.
pub(crate) fn unpack(k: usize, packed: &[f64]) -> Matrix {
    let mut full = Matrix::zeros(k, k);
    for ((a, b), &value) in panels::packed_pairs(k).into_iter().zip(packed) {
        full[(a, b)] = value;
        full[(b, a)] = value;
    }
    full
}
