//! Joint diagonalisation of the whitened cube: our default.
//!
//! Every slice `T_l` of `M3(W,W,W)` is diagonal in the same basis. On a sample no basis fits all
//! of them, so we take the one that leaves the least off the diagonals of
//!
//! ```text
//! T_l sqrt(lambda_l),   l = 1..k            lambda_l: eigenvalues of the scaled pair moment
//! ```
//!
//! by Jacobi rotations (Cardoso and Souloumiac 1996): for a pair `p < q` and
//! `h_l = (A_pp - A_qq, 2 A_pq)` over the slices, the best angle has a closed form.
//!
//! # Why these weights
//! Because `sum_i g_i U_il H_i = sqrt(lambda_l) T_l`, this is the same, on the signal subspace, as
//! weighing *all* slices `H_i` by the scales `g_i` of the whitening. Without the factor the weak
//! topics, whose entries in the cube are `w^(-1/2)`, would dominate.
//!
//! # What it needs
//! Only that no two topics agree on *all* features; the paper's method needs one feature on which
//! all topics differ. No start to choose, no deflation, no restarts.
//!
//! # Cost
//! `O(k^4)` per sweep, about six sweeps, independent of the data's size.

use super::Decomposition;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::moments::Cube;
use crate::whitening::Whitening;

/// Rotations smaller than this end the sweeps.
const SMALLEST_ANGLE: f64 = 1e-10;

/// Sweeps after which we stop all the same; six suffice in practice.
const MAX_SWEEPS: usize = 100;

/// Finds the rotation that best diagonalises all slices of the cube at once.
pub fn decompose(cube: &Cube, whitening: &Whitening) -> Decomposition {
    let mut slices = Slices::weighted(cube, whitening.eigenvalues());
    let k = cube.side();
    let mut rotation = Matrix::identity(k);
    let mut sweeps = 0;
    let mut settled = false;
    while !settled && sweeps < MAX_SWEEPS {
        settled = true;
        for p in 0..k {
            for q in p + 1..k {
                let (cosine, sine) = slices.best_angle(p, q);
                if sine.abs() >= SMALLEST_ANGLE {
                    settled = false;
                    slices.rotate(p, q, cosine, sine);
                    rotate_columns(&mut rotation, p, q, cosine, sine);
                }
            }
        }
        sweeps += 1;
    }
    let note = (!settled)
        .then(|| format!("the joint diagonalisation had not settled after {MAX_SWEEPS} sweeps"));
    Decomposition {
        separation: slices.separation(),
        residual: slices.off_diagonal_share(),
        rotation,
        pivot: None,
        note,
    }
}

/// `k` symmetric slices, entry `(a, b)` of all of them side by side.
struct Slices {
    k: usize,
    /// Entry `(a, b)` of slice `l` at `(a k + b) k + l`.
    values: Vec<f64>,
}

impl Slices {
    fn weighted(cube: &Cube, eigenvalues: &[f64]) -> Self {
        let k = cube.side();
        let mut values = Vec::with_capacity(k * k * k);
        for a in 0..k {
            for b in 0..k {
                // Symmetric in all indices: slice l, entry (a, b) is entry (a, b, l).
                let entries = &cube.slice(a)[b * k..(b + 1) * k];
                values.extend(entries.iter().zip(eigenvalues).map(|(t, v)| t * v.sqrt()));
            }
        }
        Self { k, values }
    }

    fn entry(&self, a: usize, b: usize) -> &[f64] {
        let start = (a * self.k + b) * self.k;
        &self.values[start..start + self.k]
    }

    /// Cosine and sine of the angle that best diagonalises the pair `(p, q)`.
    fn best_angle(&self, p: usize, q: usize) -> (f64, f64) {
        let (pp, qq, pq) = (self.entry(p, p), self.entry(q, q), self.entry(p, q));
        let (mut g11, mut g12, mut g22) = (0.0, 0.0, 0.0);
        for ((x, y), z) in pp.iter().zip(qq).zip(pq) {
            let (difference, twice) = (x - y, 2.0 * z);
            g11 += difference * difference;
            g12 += difference * twice;
            g22 += twice * twice;
        }
        let (on, off) = (g11 - g22, 2.0 * g12);
        let angle = 0.5 * off.atan2(on + on.hypot(off));
        (angle.cos(), angle.sin())
    }

    /// `A <- R'A R` for all slices, with the rotation of `p` and `q`.
    fn rotate(&mut self, p: usize, q: usize, cosine: f64, sine: f64) {
        let k = self.k;
        for b in 0..k {
            self.mix((p * k + b) * k, (q * k + b) * k, cosine, sine);
        }
        for a in 0..k {
            self.mix((a * k + p) * k, (a * k + q) * k, cosine, sine);
        }
    }

    fn mix(&mut self, first: usize, second: usize, cosine: f64, sine: f64) {
        debug_assert!(first < second);
        let (head, tail) = self.values.split_at_mut(second);
        for (x, y) in head[first..first + self.k]
            .iter_mut()
            .zip(&mut tail[..self.k])
        {
            let (old_x, old_y) = (*x, *y);
            *x = cosine * old_x + sine * old_y;
            *y = cosine * old_y - sine * old_x;
        }
    }

    fn off_diagonal_share(&self) -> f64 {
        let total: f64 = self.values.iter().map(|v| v * v).sum();
        let diagonal: f64 = (0..self.k)
            .flat_map(|a| self.entry(a, a))
            .map(|v| v * v)
            .sum();
        if total > 0.0 {
            ((total - diagonal).max(0.0) / total).sqrt()
        } else {
            0.0
        }
    }

    /// The least distance between two topics' diagonals, along the direction in which the
    /// diagonals spread most evenly: the counterpart of a pivot's smallest gap.
    ///
    /// Rows of the `k x k` matrix of diagonals are topics. The distance of the two closest rows
    /// bounds what any single direction could separate.
    fn separation(&self) -> f64 {
        let mut closest = f64::INFINITY;
        for a in 0..self.k {
            for b in a + 1..self.k {
                let pairs = self.entry(a, a).iter().zip(self.entry(b, b));
                let distance: f64 = pairs.map(|(x, y)| (x - y) * (x - y)).sum();
                closest = closest.min(distance.sqrt());
            }
        }
        if closest.is_finite() {
            closest
        } else {
            self.entry(0, 0).iter().map(|v| v * v).sum::<f64>().sqrt()
        }
    }
}

fn rotate_columns(rotation: &mut Matrix, p: usize, q: usize, cosine: f64, sine: f64) {
    for i in 0..rotation.n_rows() {
        let (x, y) = (rotation[(i, p)], rotation[(i, q)]);
        rotation[(i, p)] = cosine * x + sine * y;
        rotation[(i, q)] = cosine * y - sine * x;
    }
}

/// The eigenvectors and the smallest gap between neighbouring eigenvalues of one slice.
pub(super) fn slice_eigen(slice: &Matrix) -> (f64, Vec<f64>, Matrix) {
    let (values, vectors) = symmetric_eigen(slice);
    let gap = values
        .windows(2)
        .map(|pair| pair[0] - pair[1])
        .fold(f64::INFINITY, f64::min);
    // With one topic there is nothing to tell apart: its own size stands for the gap.
    let gap = if gap.is_finite() {
        gap
    } else {
        values.first().copied().unwrap_or(0.0).abs()
    };
    (gap, values, vectors)
}
