//! The leading eigenpairs of a symmetric operator that is only available through products with it.
//!
//! A block Lanczos method with full reorthogonalisation and thick restarts. With `V` an orthonormal basis of all
//! blocks so far, the next block is the image of the last block under `A`, minus its projection onto `V`:
//!
//! ```text
//! A V = V H + Q B e'       H = V'A V, Q the next orthonormal block, e the last block's columns
//! H = Y D Y'               Ritz values D, Ritz vectors U = V Y
//! |A u_j - d_j u_j| = |B (last rows of y_j)|       the residual, without another product
//! ```
//!
//! The basis grows to about `2k` columns; then the `3k/2` best Ritz vectors replace it. A growing basis makes
//! Krylov methods much faster than subspace iteration when noise eigenvalues lie just below the k-th.
//!
//! # Same bits
//! The starting block is a fixed function of row and column: there is no seed to choose.
//!
//! # Repeated eigenvalues
//! A block finds at most as many copies of an eigenvalue as it has columns. When its space is exhausted, or that
//! many eigenvalues coincide, fresh blocks are added until they find nothing new.
//!
//! # Which eigenvalues
//! The largest *algebraic* ones. A large negative eigenvalue of an estimated pair moment is noise; ordering by
//! modulus would let it in as a topic.

use crate::linalg::{Matrix, orthonormal_basis, orthonormal_once, symmetric_eigen};
use crate::pace::Pace;

/// Columns multiplied at a time. Small blocks need the fewest columns in all; this many fill a panel of the sparse
/// kernels.
pub(crate) const BLOCK_COLUMNS: usize = 16;

/// Eigenvalues below this fraction of the first are rounding errors, or negative; they are not looked for.
const RELATIVE_ROUNDING: f64 = 1e-10;

/// The search ends with fewer eigenvalues than asked for if no further positive one appears within
/// this many times the products that were needed for the last one. (The remaining values are close
/// to zero and to each other, where the method does not converge.)
const PATIENCE: usize = 2;

/// From this tolerance on, one round of orthogonalisation is enough, if the space is much larger
/// than the basis. (In a small space the basis may fill it, and the rest would be rounding errors.)
const LOOSE_TOLERANCE: f64 = 0.01;

/// The space is much larger than the basis if it has at least this many times as many dimensions.
const ROOMY: usize = 4;

/// Number of products between two checks of the Ritz values; each check costs a small eigenproblem.
const CHECK_EVERY: usize = 2;

/// The largest number of products with the operator.
const MAX_PRODUCTS: usize = 400;

/// Typical number of products for an estimated pair moment, beyond those that fill a basis of k columns.
const TYPICAL_PRODUCTS: usize = 14;

/// Leading eigenpairs, with how accurately they were found.
#[derive(Clone, Debug)]
pub struct Eigenpairs {
    /// Eigenvalues, falling; at least the number asked for when the space allows, and a few more.
    pub values: Vec<f64>,
    /// Eigenvectors in columns, exactly the number asked for; the entry of largest modulus of
    /// each is positive.
    pub vectors: Matrix,
    /// The largest residual `|A u - d u|` over the pairs asked for, of positive values where there are any.
    pub residual: f64,
    /// Whether the residual reached the tolerance.
    pub converged: bool,
    /// How many blocks were multiplied by the operator.
    pub n_products: usize,
}

/// Finds the `k` largest eigenvalues of the operator `times` on vectors of length `n`.
///
/// Stops when every residual is at most `tolerance` times the k-th eigenvalue in modulus. If fewer are positive,
/// only these are found to the tolerance, measured by the last of them.
pub fn leading_eigenpairs(
    n: usize,
    k: usize,
    tolerance: f64,
    times: impl Fn(&Matrix) -> Matrix,
) -> Eigenpairs {
    leading_eigenpairs_watched(n, k, tolerance, times, &|_, _| {})
}

/// As [`leading_eigenpairs`]; after each product `watch` is called with the number of products done and expected.
pub fn leading_eigenpairs_watched(
    n: usize,
    k: usize,
    tolerance: f64,
    times: impl Fn(&Matrix) -> Matrix,
    watch: &dyn Fn(usize, usize),
) -> Eigenpairs {
    let mut pace = Pace::new(expected_products(k), MAX_PRODUCTS);
    let width = BLOCK_COLUMNS.min(n);
    let max_basis = (2 * k + 3 * width).max(6 * width);
    let n_kept = (k + k / 2 + width / 2).min(max_basis - 2 * width);
    let roughly = tolerance >= LOOSE_TOLERANCE && n >= ROOMY * max_basis;
    let mut probe = Probe { salt: 0, last: None };
    let mut visible = Visible { n: 0, since: 0 };
    let mut block = orthonormal_basis(starting_block(n, width, 0));
    let mut basis = Matrix::zeros(n, 0);
    let mut projected = Matrix::zeros(0, 0);
    let mut n_products = 0;
    loop {
        let image = times(&block);
        n_products += 1;
        watch(n_products, pace.expected(n_products));
        let start = basis.n_columns();
        basis.append(&block);
        let (mut next, coefficients, leftover) = new_directions(&basis, image, roughly);
        projected = bordered(&projected, &coefficients, start);
        let full = basis.n_columns() + next.n_columns() > max_basis;
        let spent = next.n_columns() == 0;
        let look = full || spent || n_products % CHECK_EVERY == 0;
        if !look || basis.n_columns() < k.min(n) && !spent {
            block = next;
            continue;
        }
        let (values, vectors) = symmetric_eigen(&projected);
        let wanted = k.min(values.len());
        let least = RELATIVE_ROUNDING * values[0].abs();
        let n_visible = values[..wanted].iter().take_while(|value| **value > least).count();
        if n_visible > visible.n {
            visible = Visible { n: n_visible, since: n_products };
        }
        let judged = if n_visible > 0 { n_visible } else { wanted };
        let residual = (0..judged)
            .map(|j| last_rows_norm(&leftover, vectors.column(j), start))
            .fold(0.0, f64::max);
        let scale = values[judged - 1].abs().max(least);
        let tolerated = tolerance * scale.max(f64::MIN_POSITIVE);
        let all = judged == wanted || n_products >= PATIENCE * visible.since;
        let settled = spent || residual <= tolerated && all;
        pace.look(n_products, residual / tolerated);
        let whole = basis.n_columns() >= n;
        let hidden = spent || crowded(&values[..judged]);
        if settled && hidden && !whole && probe.is_due(&values, k) {
            next = probe.directions(&basis, width.min(n - basis.n_columns()));
        } else if settled || whole || n_products >= MAX_PRODUCTS || !finite(&values) {
            let mut found = basis.times(&vectors.columns(0..wanted));
            fix_signs(&mut found);
            let converged = (settled || whole) && finite(&values);
            return Eigenpairs { values, vectors: found, residual, converged, n_products };
        }
        if full {
            // Thick restart. H becomes diagonal plus a border that couples the new block to the kept vectors; the
            // next product computes that border again.
            let kept = n_kept.min(values.len());
            basis = basis.times(&vectors.columns(0..kept));
            projected = Matrix::from_fn(kept, kept, |i, j| if i == j { values[j] } else { 0.0 });
        }
        block = next;
    }
}

/// The number of products that finding `k` pairs usually takes.
pub(crate) fn expected_products(k: usize) -> usize {
    k.div_ceil(BLOCK_COLUMNS) + TYPICAL_PRODUCTS
}

/// How many positive values have appeared so far, and after how many products the last one did.
struct Visible {
    n: usize,
    since: usize,
}

/// Looks for eigenvectors that the Krylov space of the start cannot contain.
///
/// A block of `b` columns finds at most `b` copies of an eigenvalue, and once its space is invariant it finds
/// nothing new. A fresh block, orthogonal to everything so far, finds what was missed; the search ends when a fresh
/// block no longer changes the k-th value.
struct Probe {
    salt: u64,
    /// The k-th value when the last fresh block was added.
    last: Option<f64>,
}

impl Probe {
    /// Whether a fresh block could still change the answer.
    fn is_due(&mut self, values: &[f64], k: usize) -> bool {
        let Some(&value) = values.get(k - 1) else {
            return true;
        };
        let same = |last: f64| (value - last).abs() <= 1e-9 * values[0].abs().max(value.abs());
        let due = !self.last.is_some_and(same);
        self.last = Some(value);
        due
    }

    fn directions(&mut self, basis: &Matrix, width: usize) -> Matrix {
        self.salt += 1;
        let mut fresh = starting_block(basis.n_rows(), width, self.salt);
        for _ in 0..2 {
            let overlap = basis.transpose_times(&fresh);
            fresh.subtract_product(basis, &overlap);
            fresh = orthonormal_basis(fresh);
        }
        fresh
    }
}

/// Whether as many values as a block has columns coincide: there may be more copies.
fn crowded(values: &[f64]) -> bool {
    let close = |run: &[f64]| run[0] - run[BLOCK_COLUMNS - 1] <= 1e-6 * values[0].abs();
    values.windows(BLOCK_COLUMNS).any(close)
}

fn finite(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite())
}

/// Splits `image` into its part in `basis` (the coefficients) and an orthonormal basis of the
/// rest. The third value is `Q'(rest)`: with it the residuals of Ritz pairs cost nothing.
///
/// With `roughly`, rounding errors of the projection are left in the rest, and its columns are made orthonormal once.
fn new_directions(basis: &Matrix, mut image: Matrix, roughly: bool) -> (Matrix, Matrix, Matrix) {
    let norms: Vec<f64> = column_norms(&image);
    let mut coefficients = basis.transpose_times(&image);
    image.subtract_product(basis, &coefficients);
    // A second round removes the rounding errors of the first.
    if !roughly {
        let correction = basis.transpose_times(&image);
        image.subtract_product(basis, &correction);
        coefficients.add(1.0, &correction);
    }
    let largest = norms.iter().fold(0.0_f64, |a, b| a.max(*b));
    let left = column_norms(&image);
    let nearly_spent = left.iter().zip(&norms).any(|(after, before)| *after < 1e-3 * before);
    if roughly
        && !nearly_spent
        && let Some((next, leftover)) = orthonormal_once(&image)
    {
        return (next, coefficients, leftover);
    }
    let rest = image.clone();
    for (j, norm) in left.iter().enumerate() {
        if *norm <= 1e-14 * largest {
            image.column_mut(j).fill(0.0);
        }
    }
    let mut next = orthonormal_basis(image);
    // Directions made of rounding errors are not quite orthogonal to the basis: orthogonalise once more.
    if nearly_spent && next.n_columns() > 0 {
        let overlap = basis.transpose_times(&next);
        next.subtract_product(basis, &overlap);
        next = orthonormal_basis(next);
    }
    let leftover = next.transpose_times(&rest);
    (next, coefficients, leftover)
}

/// The projected operator after another block: its new columns, and by symmetry its new rows.
fn bordered(old: &Matrix, coefficients: &Matrix, start: usize) -> Matrix {
    let m = coefficients.n_rows();
    let entry = |i: usize, j: usize| coefficients[(i, j - start)];
    Matrix::from_fn(m, m, |i, j| match (i < start, j < start) {
        (true, true) => old[(i, j)],
        (true, false) => entry(i, j),
        (false, true) => entry(j, i),
        (false, false) => 0.5 * (entry(i, j) + entry(j, i)),
    })
}

/// `|leftover * y|`, where `y` are the entries of a Ritz vector that belong to the last block.
fn last_rows_norm(leftover: &Matrix, ritz: &[f64], start: usize) -> f64 {
    let mut sum = vec![0.0; leftover.n_rows()];
    for (j, y) in ritz[start..].iter().enumerate() {
        for (target, value) in sum.iter_mut().zip(leftover.column(j)) {
            *target += y * value;
        }
    }
    sum.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn column_norms(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.n_columns())
        .map(|j| matrix.column(j).iter().map(|v| v * v).sum::<f64>().sqrt())
        .collect()
}

/// Signs `+1` and `-1` from a fixed hash of the position: no seed, and not aligned with any data.
fn starting_block(n: usize, width: usize, salt: u64) -> Matrix {
    Matrix::from_fn(n, width, |i, j| {
        let bits = mix((i as u64) << 20 ^ salt << 8 ^ j as u64);
        // A little variation in size keeps small blocks from being linearly dependent by accident.
        let size = 0.5 + (bits >> 11) as f64 / (1u64 << 53) as f64;
        if bits & 1 == 0 { size } else { -size }
    })
}

/// The finaliser of SplitMix64.
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Makes the entry of largest modulus of each column positive; the lowest index wins ties.
fn fix_signs(vectors: &mut Matrix) {
    for j in 0..vectors.n_columns() {
        let column = vectors.column_mut(j);
        let mut largest = 0.0_f64;
        for &value in column.iter() {
            if value.abs() > largest.abs() {
                largest = value;
            }
        }
        if largest < 0.0 {
            for value in column {
                *value = -*value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A symmetric matrix with known spectrum: `D` reflected by a Householder matrix.
    fn operator(spectrum: &[f64]) -> Matrix {
        let n = spectrum.len();
        let v: Vec<f64> = (0..n).map(|i| ((i + 1) as f64).sin()).collect();
        let norm: f64 = v.iter().map(|x| x * x).sum();
        let q =
            Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * v[i] * v[j] / norm);
        let mut scaled = q.clone();
        scaled.scale_columns(spectrum);
        scaled.times(&q)
    }

    #[test]
    fn the_largest_algebraic_values_are_found_although_a_negative_one_is_larger() {
        let mut spectrum: Vec<f64> = (0..300).map(|i| 0.97_f64.powi(i)).collect();
        spectrum[299] = -5.0;
        let a = operator(&spectrum);
        let pairs = leading_eigenpairs(300, 6, 1e-10, |x| a.times(x));
        assert!(pairs.converged);
        for (j, value) in pairs.values[..6].iter().enumerate() {
            assert!((value - spectrum[j]).abs() < 1e-10, "value {j}: {value}");
        }
    }

    #[test]
    fn a_slowly_decaying_spectrum_survives_restarts() {
        let spectrum: Vec<f64> = (0..800).map(|i| 1.0 / (1.0 + 0.02 * f64::from(i))).collect();
        let a = operator(&spectrum);
        let pairs = leading_eigenpairs(800, 5, 1e-8, |x| a.times(x));
        assert!(pairs.converged && pairs.n_products > 6, "{} products", pairs.n_products);
        let image = a.times(&pairs.vectors);
        for j in 0..5 {
            assert!((pairs.values[j] - spectrum[j]).abs() < 1e-9);
            let column: f64 = (0..800)
                .map(|i| (image[(i, j)] - pairs.values[j] * pairs.vectors[(i, j)]).powi(2))
                .sum();
            assert!(column.sqrt() <= 2e-8, "the reported residual is the true one");
        }
    }

    #[test]
    fn all_copies_of_a_repeated_eigenvalue_are_found() {
        let mut spread: Vec<f64> = (0..200).map(|i| 1.0 / (1.0 + 0.1 * f64::from(i))).collect();
        spread[..25].fill(2.0);
        let mut two_levels = vec![1.0; 200];
        two_levels[..30].fill(2.0);
        for spectrum in [spread, two_levels, vec![1.0; 200]] {
            let a = operator(&spectrum);
            for k in [5, 17, 25, 30, 60] {
                let pairs = leading_eigenpairs(200, k, 1e-8, |x| a.times(x));
                assert!(pairs.converged && pairs.vectors.n_columns() == k);
                for (found, exact) in pairs.values[..k].iter().zip(&spectrum) {
                    assert!((found - exact).abs() < 1e-7, "k = {k}: {found}, not {exact}");
                }
            }
        }
    }

    /// As in the pair moment of 49 documents: words that none of them has, and a crowd of negative values.
    #[test]
    fn values_that_are_not_there_are_not_looked_for() {
        let mut spectrum: Vec<f64> = (0..600).map(|i| 0.9_f64.powi(i)).collect();
        spectrum[49..80].fill(0.0);
        (80..600).for_each(|i| spectrum[i] = -1e-4 * (1.0 + 0.001 * i as f64));
        let a = operator(&spectrum);
        let there = leading_eigenpairs(600, 49, 1e-6, |x| a.times(x)).n_products;
        for k in [50, 60, 100] {
            let pairs = leading_eigenpairs(600, k, 1e-6, |x| a.times(x));
            let n = pairs.n_products;
            assert!(pairs.converged && n <= 2 * there, "{k}: {n} products, {there} for 49");
            assert_eq!(pairs.values[..k].iter().filter(|value| **value > 1e-10).count(), 49);
            for (found, exact) in pairs.values.iter().zip(&spectrum[..49]) {
                assert!((found - exact).abs() < 1e-9, "{k}: {found}, not {exact}");
            }
        }
    }

    #[test]
    fn a_low_rank_operator_ends_the_search_at_once() {
        let mut spectrum = vec![0.0; 200];
        spectrum[..4].copy_from_slice(&[4.0, 3.0, 2.0, 1.0]);
        let a = operator(&spectrum);
        let pairs = leading_eigenpairs(200, 6, 1e-10, |x| a.times(x));
        assert!(pairs.converged && pairs.n_products <= 6);
        assert!((pairs.values[3] - 1.0).abs() < 1e-12 && pairs.values[4].abs() < 1e-12);
    }
}
