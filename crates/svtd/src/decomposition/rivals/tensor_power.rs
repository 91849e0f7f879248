//! The robust tensor power method, with deflation.
//!
//! Algorithm 1 of Anandkumar, Ge, Hsu, Kakade and Telgarsky, *Tensor Decompositions for Learning
//! Latent Variable Models* (2014). The whitened cube of exact moments is
//! `T = sum_j w_j^(-1/2) o_j^(3)` with orthonormal `o_j`, and each `o_j` attracts the map
//!
//! ```text
//! u <- T(I, u, u) / |T(I, u, u)|
//! ```
//!
//! So: from `L` random starts, iterate `N` times; keep the one with the largest `T(u, u, u)`,
//! iterate it `N` times more, subtract `T(u, u, u) u^(3)` from the cube, and begin again for the next topic.
//! Convergence is quadratic; restarts help when a start lies between two topics. Deflation passes the errors of one
//! topic on to the next.
//!
//! # Cost
//! `O(k^4 L N)`; the `k` topics are found one after the other. All starts of a topic are iterated together, as one
//! matrix product.
//!
//! # Departures from the source
//! The source leaves `L` and `N` to the theory, polynomial in `k`; we fix `L = 10 + 2k` and
//! `N = 30`, and stop early when no start moves any more.

use rand_chacha::ChaCha8Rng;

use super::unfolded::Unfolded;
use crate::decomposition::{
    Decomposition, generator, normalise, random_directions, separation_and_residual,
};
use crate::linalg::{Matrix, dot};
use crate::moments::Cube;
use crate::whitening::Whitening;

/// `N`: power iterations for every start, and again for the best of them.
const ITERATIONS: usize = 30;

/// Starts that move less than this have converged.
const ARRIVED: f64 = 1e-14;

/// A topic that still moves by more than this after all iterations has not converged.
const SETTLED: f64 = 1e-6;

/// A value below this fraction of the cube's norm is a rounding error of deflation.
const NOTHING_LEFT: f64 = 1e-12;

/// `L`: random starts for each topic.
fn n_starts(k: usize) -> usize {
    10 + 2 * k
}

/// Finds all topics, from starts that `seed` draws.
pub fn decompose(cube: &Cube, whitening: &Whitening, seed: u64) -> Decomposition {
    let k = cube.side();
    let topics = Deflation::new(cube, seed);
    let whole = topics.rest.norm();
    let mut rotation = Matrix::zeros(k, k);
    let (mut unsettled, mut empty) = (0, 0);
    for (j, found) in topics.enumerate() {
        // NaN counts as neither.
        let settled = found.moved <= SETTLED;
        let strong = found.value > NOTHING_LEFT * whole;
        unsettled += usize::from(!settled);
        empty += usize::from(!strong);
        rotation.column_mut(j).copy_from_slice(&found.direction);
    }
    let (separation, residual) = separation_and_residual(cube, whitening, &rotation);
    let note = note(k, unsettled, empty);
    Decomposition { rotation, pivot: None, separation, residual, joint: None, note }
}

fn note(k: usize, unsettled: usize, empty: usize) -> Option<String> {
    if empty > 0 {
        Some(format!(
            "deflation left nothing for {empty} of {k} topics; their directions are random"
        ))
    } else if unsettled > 0 {
        let steps = 2 * ITERATIONS;
        Some(format!("{unsettled} of {k} topics had not converged after {steps} power iterations"))
    } else {
        None
    }
}

/// The `k` topics one after the other; each is the strongest direction in what its predecessors left.
pub struct Deflation {
    rest: Unfolded,
    rng: ChaCha8Rng,
    k: usize,
    n_found: usize,
}

impl Deflation {
    /// A deflation before the first topic; `seed` determines the starts of every topic.
    pub fn new(cube: &Cube, seed: u64) -> Self {
        Self { rest: Unfolded::new(cube), rng: generator(seed), k: cube.side(), n_found: 0 }
    }
}

impl Iterator for Deflation {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        if self.n_found == self.k {
            return None;
        }
        self.n_found += 1;
        let starts = random_directions(&mut self.rng, self.k, n_starts(self.k));
        let found = strongest(&self.rest, starts);
        self.rest.deflate(found.value, &found.direction);
        Some(found)
    }
}

/// A topic as found by the power iterations.
pub struct Found {
    /// `u`, of length one.
    pub direction: Vec<f64>,
    /// `T(u, u, u)`.
    pub value: f64,
    /// How far the last step moved it.
    pub moved: f64,
}

/// The direction with the largest value that the starts converge to.
fn strongest(cube: &Unfolded, mut starts: Matrix) -> Found {
    iterate(cube, &mut starts);
    let values = values(cube, &starts);
    // Ties go to the first; NaN never wins.
    let best = (0..values.len()).fold(0, |best, j| if values[j] > values[best] { j } else { best });
    let mut direction = starts.columns(best..best + 1);
    let moved = iterate(cube, &mut direction);
    let value = self::values(cube, &direction)[0];
    Found { direction: direction.column(0).to_vec(), value, moved }
}

/// Up to `N` power iterations of all columns; returns the largest distance that a column moved in the last one.
fn iterate(cube: &Unfolded, directions: &mut Matrix) -> f64 {
    let mut moved = f64::INFINITY;
    for _ in 0..ITERATIONS {
        let mut next = cube.contract(directions, directions);
        moved = 0.0;
        for j in 0..next.n_columns() {
            let length = normalise(next.column_mut(j));
            if !(length.is_finite() && length > 0.0) {
                // The image is zero: the direction stays where it is.
                next.column_mut(j).copy_from_slice(directions.column(j));
            }
            let pairs = next.column(j).iter().zip(directions.column(j));
            moved = pairs.map(|(x, y)| (x - y).abs()).fold(moved, f64::max);
        }
        *directions = next;
        if moved <= ARRIVED {
            break;
        }
    }
    moved
}

/// `T(u, u, u)` for every column.
fn values(cube: &Unfolded, directions: &Matrix) -> Vec<f64> {
    let images = cube.contract(directions, directions);
    (0..images.n_columns()).map(|j| dot(images.column(j), directions.column(j))).collect()
}
