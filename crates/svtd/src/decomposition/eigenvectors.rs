//! Eigenvectors of the third moment along a random direction of the features.
//!
//! Algorithm A of Anandkumar, Hsu and Kakade, *A Method of Moments for Mixture Models and Hidden
//! Markov Models* (2012). With `U` an orthonormal basis of the range of `M2` and a direction
//! `eta = U theta`, `theta` drawn uniformly from the unit sphere,
//!
//! ```text
//! B = (U' M3(eta) U) (U' M2 U)^-1 = (U'M) diag(mu_j'eta) (U'M)^-1
//! ```
//!
//! whose eigenvectors `xi_j` give the columns `U xi_j` of `M`, up to scale.
//!
//! # How we differ from the source
//! The source has three views of a sample whose moments are not symmetric, so its `B` is any
//! matrix, and on bad luck has complex eigenvalues. Ours are symmetric: `U'M2 U = S` is diagonal
//! and
//!
//! ```text
//! B = S^(1/2) H S^(-1/2),   H = W' M3(eta) W = sum_l sqrt(lambda_l) theta_l T_l
//! ```
//!
//! We diagonalise the symmetric `H`. Its eigenvectors `o_j` give those of `B`, `S^(1/2) o_j`, and
//! the columns `U S^(1/2) o_j = E o_j`: the same answer, never complex, better conditioned. With
//! a scaled whitening `U` is a basis of the scaled features.
//!
//! What is left between this method and [`singular_vectors`](super::singular_vectors) is the law of
//! the direction: even in the features here, even in the whitened space there.
//!
//! # Cost
//! The cube, and `O(k^3)` from there.

use super::{Decomposition, along_direction, generator, random_directions};
use crate::moments::Cube;
use crate::whitening::Whitening;

/// Finds the rotation along the direction that `seed` draws.
pub fn decompose(cube: &Cube, whitening: &Whitening, seed: u64) -> Decomposition {
    let direction = random_directions(&mut generator(seed), cube.side(), 1);
    let pairs = direction.column(0).iter().zip(whitening.eigenvalues());
    let weights: Vec<f64> = pairs.map(|(theta, value)| theta * value.sqrt()).collect();
    along_direction(cube, whitening, &weights)
}
