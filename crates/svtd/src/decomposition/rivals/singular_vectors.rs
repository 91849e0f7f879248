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
//! That the direction gives every topic another value, which it does with probability one. How
//! far apart they lie is left to chance, and the error is divided by the smallest of the gaps: on a
//! sample, weak topics come and go with the seed.
//!
//! # Cost
//! The cube, and `O(k^3)` from there.
//!
//! # Departures from the source
//! Moments are symmetric and use every triple of words; the source cuts each document in three.
//! So `H` is symmetric, and we take eigenvectors, which do not confuse a value with its negative
//! as singular vectors do.

use crate::decomposition::{Decomposition, along, from_contraction, generator, random_directions};
use crate::moments::Cube;
use crate::whitening::Whitening;

/// Finds the rotation along the direction that `seed` draws.
pub fn decompose(cube: &Cube, whitening: &Whitening, seed: u64) -> Decomposition {
    let direction = random_directions(&mut generator(seed), cube.side(), 1);
    from_contraction(&along(cube, direction.column(0)), cube, whitening)
}
