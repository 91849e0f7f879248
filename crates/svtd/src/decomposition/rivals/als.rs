//! Alternating least squares on the whitened cube.
//!
//! The workhorse of tensor decomposition (Carroll and Chang 1970, Harshman 1970; Kolda and Bader,
//! *Tensor Decompositions and Applications*, 2009, Figure 3.3): look for any three factors with
//!
//! ```text
//! T ~ sum_j s_j a_j x b_j x c_j          unit columns, not necessarily orthogonal
//! ```
//!
//! by solving for one factor with the other two held fixed, in turn:
//!
//! ```text
//! A <- [ T(I, b_j, c_j) ]_j  ( B'B o C'C )^-1          then its columns to length one
//! ```
//!
//! The cube is symmetric, so at the end the three factors agree up to sign and noise; their mean is the direction
//! of the topic, and `E` maps it back to the features.
//!
//! # What it needs
//! A good starting point: the objective has local optima, the more of them the more topics there are. So the first
//! start is the solution along one random direction, the eigenvectors of `sum_l theta_l T_l` (starting from a
//! direct solution is due to Sanchez and Kowalski 1990), which is also where ALS ends when the moments are exact.
//! The other starts are random orthonormal matrices. We keep the best fit, by its misfit `|T - sum_j s_j a_j x b_j
//! x c_j| / |T|`.
//! # Cost
//! `O(k^4)` for a factor, three factors a round, at most 200 rounds a start and 10 starts. A start that fits
//! exactly ends the search early.
//!
//! # Departures from the source
//! Collinear factors are solved with a ridge of `1e-12`, and a note says so.

use super::unfolded::Unfolded;
use crate::decomposition::joint::slice_eigen;
use crate::decomposition::{
    Decomposition, along, generator, normalise, random_directions, separation_and_residual,
};
use crate::linalg::{Matrix, dot, orthonormal_basis, positive_inverse};
use crate::moments::Cube;
use crate::whitening::Whitening;

/// Number of starts.
pub const STARTS: usize = 10;

/// The largest number of rounds for a start.
pub const MAX_ROUNDS: usize = 200;

/// Factors that move less than this in a round have converged.
const ARRIVED: f64 = 1e-13;

/// Factors that still move by more than this at the end have not converged.
const SETTLED: f64 = 1e-4;

/// A misfit below this is zero up to rounding (its square root): no other start can do better.
const EXACT: f64 = 1e-7;

/// Two directions with a larger cosine than this count as the same.
const COLLINEAR: f64 = 0.999;

/// Ridge added to the diagonal when two columns are collinear.
const RIDGE: f64 = 1e-12;

/// Finds the best fit from starts that `seed` draws.
pub fn decompose(cube: &Cube, whitening: &Whitening, seed: u64) -> Decomposition {
    let k = cube.side();
    let mut rng = generator(seed);
    let unfolded = Unfolded::new(cube);
    let mut best = Fit::from_start(&unfolded, direct_factors(&mut rng, cube), MAX_ROUNDS);
    for _ in 1..STARTS {
        if best.misfit <= EXACT {
            break;
        }
        let fit = Fit::from_start(&unfolded, random_factors(&mut rng, k), MAX_ROUNDS);
        if fit.misfit < best.misfit {
            best = fit;
        }
    }
    let rotation = best.directions();
    let (separation, residual) = separation_and_residual(cube, whitening, &rotation);
    let note = best.note(&rotation);
    Decomposition { rotation, pivot: None, separation, residual, joint: None, note }
}

/// The misfit of the first start of [`decompose`] after `n_rounds` rounds; it is used to estimate the cost of a
/// full run.
pub fn misfit_after(cube: &Cube, seed: u64, n_rounds: usize) -> f64 {
    let start = direct_factors(&mut generator(seed), cube);
    Fit::from_start(&Unfolded::new(cube), start, n_rounds).misfit
}

/// Three copies of the eigenvectors of the cube along a random direction.
fn direct_factors(rng: &mut rand_chacha::ChaCha8Rng, cube: &Cube) -> [Matrix; 3] {
    let contraction = along(cube, random_directions(rng, cube.side(), 1).column(0));
    let (_, _, factor) = slice_eigen(&contraction);
    [factor.clone(), factor.clone(), factor]
}

/// Three copies of one random orthonormal factor, because the cube is symmetric.
fn random_factors(rng: &mut rand_chacha::ChaCha8Rng, k: usize) -> [Matrix; 3] {
    let drawn = random_directions(rng, k, k);
    let basis = orthonormal_basis(drawn.clone());
    // A draw that is singular to rounding practically never happens; it is then used as it is.
    let factor = if basis.n_columns() == k { basis } else { drawn };
    [factor.clone(), factor.clone(), factor]
}

/// The result of one start.
struct Fit {
    factors: [Matrix; 3],
    /// `s_j`.
    sizes: Vec<f64>,
    misfit: f64,
    moved: f64,
}

impl Fit {
    fn from_start(cube: &Unfolded, mut factors: [Matrix; 3], max_rounds: usize) -> Self {
        let mut moved = f64::INFINITY;
        let mut misfit = f64::INFINITY;
        let mut sizes = Vec::new();
        for _ in 0..max_rounds {
            moved = 0.0;
            for mode in 0..3 {
                let (left, right) = (&factors[(mode + 1) % 3], &factors[(mode + 2) % 3]);
                let (next, found, projections) = solve(cube, left, right, &factors[mode]);
                moved = next
                    .values()
                    .iter()
                    .zip(factors[mode].values())
                    .map(|(x, y)| (x - y).abs())
                    .fold(moved, f64::max);
                misfit = self::misfit(cube, [&next, left, right], &found, &projections);
                (factors[mode], sizes) = (next, found);
            }
            if moved <= ARRIVED {
                break;
            }
        }
        Self { factors, sizes, misfit, moved }
    }

    /// The mean of the three factors after matching their signs; unit columns.
    fn directions(&self) -> Matrix {
        let [first, others @ ..] = &self.factors;
        let mut mean = first.clone();
        for j in 0..mean.n_columns() {
            for other in others {
                let sign = dot(first.column(j), other.column(j)).signum();
                for (target, value) in mean.column_mut(j).iter_mut().zip(other.column(j)) {
                    *target += sign * value;
                }
            }
            normalise(mean.column_mut(j));
        }
        mean
    }

    fn note(&self, directions: &Matrix) -> Option<String> {
        let cosines = directions.transpose_times(directions);
        let k = directions.n_columns();
        let mut pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
        let settled = self.moved <= SETTLED;
        let empty = self.sizes.iter().filter(|&&size| size == 0.0).count();
        // Comparisons are written so that NaN is reported too.
        if empty > 0 {
            Some(format!("the least-squares fit leaves {empty} of {k} topics without any size"))
        } else if !pairs.all(|pair| cosines[pair].abs() <= COLLINEAR) {
            Some(
                "two topics of the least-squares fit point the same way; try another seed"
                    .to_owned(),
            )
        } else if !settled {
            Some(format!("the least-squares fit had not converged after {MAX_ROUNDS} rounds"))
        } else {
            None
        }
    }
}

/// The best factor for given `left` and `right`: unit columns, their sizes, and the products `T(I, left_j,
/// right_j)` it was solved from. A column of size zero keeps its direction.
fn solve(
    cube: &Unfolded,
    left: &Matrix,
    right: &Matrix,
    before: &Matrix,
) -> (Matrix, Vec<f64>, Matrix) {
    let projections = cube.contract(left, right);
    let mut gram = hadamard(&left.transpose_times(left), &right.transpose_times(right));
    let inverse = positive_inverse(&gram).or_else(|| {
        for j in 0..gram.n_columns() {
            gram[(j, j)] += RIDGE;
        }
        positive_inverse(&gram)
    });
    let mut factor = match inverse {
        Some(inverse) => projections.times(&inverse),
        None => projections.clone(),
    };
    let sizes = (0..factor.n_columns())
        .map(|j| {
            let size = normalise(factor.column_mut(j));
            if size.is_finite() && size > 0.0 {
                size
            } else {
                factor.column_mut(j).copy_from_slice(before.column(j));
                0.0
            }
        })
        .collect();
    (factor, sizes, projections)
}

/// `|T - sum_j s_j a_j x b_j x c_j| / |T|`, by expanding the square.
fn misfit(cube: &Unfolded, factors: [&Matrix; 3], sizes: &[f64], projections: &Matrix) -> f64 {
    let whole = cube.norm().powi(2);
    let grams = factors.map(|factor| factor.transpose_times(factor));
    let gram = hadamard(&hadamard(&grams[0], &grams[1]), &grams[2]);
    let (mut model, mut cross) = (0.0, 0.0);
    for (j, size) in sizes.iter().enumerate() {
        cross += size * dot(projections.column(j), factors[0].column(j));
        model += sizes.iter().enumerate().map(|(l, s)| size * s * gram[(l, j)]).sum::<f64>();
    }
    if whole > 0.0 { ((whole - 2.0 * cross + model).max(0.0) / whole).sqrt() } else { 0.0 }
}

/// The product entry by entry.
fn hadamard(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.n_rows(), a.n_columns(), |i, j| a[(i, j)] * b[(i, j)])
}
