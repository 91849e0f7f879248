//! Singular vectors of the whitened third moment along a random direction.
//!
//! "Two SVDs suffice": Anandkumar, Foster, Hsu, Kakade and Liu, *A Spectral Algorithm for Latent
//! Dirichlet Allocation* (2012). The first SVD whitens. The second is that of
//!
//! ```text
//! H = W' M3(W theta) W = sum_l theta_l T_l = O diag(mu_j'W theta) O'
//! ```
//!
//! for `theta` drawn uniformly from the unit sphere; the columns of `M` are those of `E O`.
//!
//! # What it needs
//! That the direction gives every topic a different value, which it does with probability one. How far apart the
//! values are is random, and the error is divided by the smallest gap: on a sample, weak topics are found or missed
//! depending on the seed.
//!
//! # Cost
//! The cube, and `O(k^3)` from there.
//!
//! # Departures from the source
//! Our moments are symmetric and use every triple of words; the source cuts each document into three parts. So `H`
//! is symmetric, and we take eigenvectors, which unlike singular vectors distinguish a value from its negative.

use crate::decomposition::{Decomposition, along, from_contraction, generator, random_directions};
use crate::moments::Cube;
use crate::whitening::Whitening;

/// Finds the rotation along the direction that `seed` draws.
pub fn decompose(cube: &Cube, whitening: &Whitening, seed: u64) -> Decomposition {
    let direction = random_directions(&mut generator(seed), cube.side(), 1);
    from_contraction(&along(cube, direction.column(0)), cube, whitening)
}
