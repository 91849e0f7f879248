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

use pulp::{Arch, Simd, WithSimd};

use super::{Curvature, Decomposition};
use crate::linalg::{Matrix, symmetric_eigen};
use crate::moments::Cube;
use crate::whitening::Whitening;

/// Rotations smaller than this end the sweeps.
const SMALLEST_ANGLE: f64 = 1e-10;

/// The same, as a part of what the eigenpairs of the whitening are known to: turning their space
/// more finely than it is known changes nothing that matters.
const PART_OF_RESIDUAL: f64 = 0.01;

/// Sweeps after which we stop all the same; six suffice in practice.
const MAX_SWEEPS: usize = 100;

/// Numbers summed side by side, so that sums of products can use vector registers.
const LANES: usize = 8;

/// Finds the rotation that best diagonalises all slices of the cube at once.
pub fn decompose(cube: &Cube, whitening: &Whitening) -> Decomposition {
    let mut slices = Slices::weighted(cube, whitening.eigenvalues());
    let mut rotation = Matrix::identity(cube.side());
    let smallest = SMALLEST_ANGLE.max(PART_OF_RESIDUAL * whitening.relative_residual());
    let mut sweeps = 0;
    let mut settled = false;
    while !settled && sweeps < MAX_SWEEPS {
        let sweep = Sweep { slices: &mut slices, rotation: &mut rotation, smallest };
        settled = Arch::new().dispatch(sweep);
        sweeps += 1;
    }
    let note = (!settled)
        .then(|| format!("the joint diagonalisation had not settled after {MAX_SWEEPS} sweeps"));
    Decomposition {
        separation: slices.separation(),
        residual: slices.off_diagonal_share(),
        joint: Some(slices.curvature()),
        rotation,
        pivot: None,
        note,
    }
}

/// A sweep, compiled for each instruction set and chosen at run time.
struct Sweep<'a> {
    slices: &'a mut Slices,
    rotation: &'a mut Matrix,
    smallest: f64,
}

impl WithSimd for Sweep<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        self.slices.sweep(self.rotation, self.smallest)
    }
}

/// `k` symmetric slices: entry `(a, b)`, `a <= b`, of all of them side by side.
struct Slices {
    k: usize,
    /// Numbers per entry: `k`, padded with zeros to whole lanes.
    width: usize,
    values: Vec<f64>,
}

impl Slices {
    fn weighted(cube: &Cube, eigenvalues: &[f64]) -> Self {
        let k = cube.side();
        let width = k.next_multiple_of(LANES);
        let mut values = vec![0.0; k * (k + 1) / 2 * width];
        let mut entries = values.chunks_exact_mut(width);
        for a in 0..k {
            for (b, entry) in (a..k).zip(&mut entries) {
                // Symmetric in all indices: slice l, entry (a, b) is entry (a, b, l).
                let row = &cube.slice(a)[b * k..(b + 1) * k];
                for ((target, t), value) in entry.iter_mut().zip(row).zip(eigenvalues) {
                    *target = t * value.sqrt();
                }
            }
        }
        Self { k, width, values }
    }

    /// Where entry `(a, b)` begins, in either order.
    #[inline(always)]
    fn at(&self, a: usize, b: usize) -> usize {
        let (a, b) = (a.min(b), a.max(b));
        (a * self.k - a * (a + 1) / 2 + b) * self.width
    }

    #[inline(always)]
    fn entry(&self, a: usize, b: usize) -> &[f64] {
        let start = self.at(a, b);
        &self.values[start..start + self.width]
    }

    /// Visits every pair once; says whether no rotation was worth making.
    #[inline(always)]
    fn sweep(&mut self, rotation: &mut Matrix, smallest: f64) -> bool {
        let mut settled = true;
        for p in 0..self.k {
            for q in p + 1..self.k {
                let (cosine, sine) = self.best_angle(p, q);
                if sine.abs() >= smallest {
                    settled = false;
                    self.rotate(p, q, cosine, sine);
                    rotate_columns(rotation, p, q, cosine, sine);
                }
            }
        }
        settled
    }

    /// Cosine and sine of the angle that best diagonalises the pair `(p, q)`.
    #[inline(always)]
    fn best_angle(&self, p: usize, q: usize) -> (f64, f64) {
        let pp = self.entry(p, p).chunks_exact(LANES);
        let qq = self.entry(q, q).chunks_exact(LANES);
        let pq = self.entry(p, q).chunks_exact(LANES);
        let (mut g11, mut g12, mut g22) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for ((x, y), z) in pp.zip(qq).zip(pq) {
            for l in 0..LANES {
                let (difference, twice) = (x[l] - y[l], 2.0 * z[l]);
                g11[l] += difference * difference;
                g12[l] += difference * twice;
                g22[l] += twice * twice;
            }
        }
        let sum = |lanes: [f64; LANES]| lanes.iter().sum::<f64>();
        let (g11, g12, g22) = (sum(g11), sum(g12), sum(g22));
        let (on, off) = (g11 - g22, 2.0 * g12);
        // Nothing to choose by: every angle is as good.
        if on.hypot(off) <= 1e-15 * (g11 + g22) {
            return (1.0, 0.0);
        }
        // A quarter of the angle of (on, off): the usual half-angle formula divides zero by zero
        // when the best rotation is by 45 degrees exactly, as for two topics that mirror each other.
        let angle = 0.25 * off.atan2(on);
        (angle.cos(), angle.sin())
    }

    /// `A <- R'A R` for all slices, with the rotation of `p` and `q`.
    #[inline(always)]
    fn rotate(&mut self, p: usize, q: usize, cosine: f64, sine: f64) {
        for b in (0..self.k).filter(|&b| b != p && b != q) {
            let (first, second) = (self.at(p, b), self.at(q, b));
            let (head, tail) = self.values.split_at_mut(second);
            let (x, y) = (&mut head[first..first + self.width], &mut tail[..self.width]);
            for (x, y) in x.iter_mut().zip(y) {
                let (old_x, old_y) = (*x, *y);
                *x = cosine * old_x + sine * old_y;
                *y = cosine * old_y - sine * old_x;
            }
        }
        let (cc, cs, ss) = (cosine * cosine, cosine * sine, sine * sine);
        let (pp, pq, qq) = (self.at(p, p), self.at(p, q), self.at(q, q));
        for l in 0..self.width {
            let (x, y, z) = (self.values[pp + l], self.values[qq + l], self.values[pq + l]);
            self.values[pp + l] = cc * x + 2.0 * cs * z + ss * y;
            self.values[qq + l] = ss * x - 2.0 * cs * z + cc * y;
            self.values[pq + l] = (cc - ss) * z + cs * (y - x);
        }
    }

    fn off_diagonal_share(&self) -> f64 {
        let (mut diagonal, mut off) = (0.0, 0.0);
        for a in 0..self.k {
            for b in a..self.k {
                let square: f64 = self.entry(a, b).iter().map(|v| v * v).sum();
                if a == b { diagonal += square } else { off += 2.0 * square }
            }
        }
        if diagonal + off > 0.0 { (off / (diagonal + off)).sqrt() } else { 0.0 }
    }

    fn curvature(&self) -> Curvature {
        let diagonals = Matrix::from_fn(self.k, self.k, |l, p| self.entry(p, p)[l]);
        let firmness = Matrix::from_fn(self.k, self.k, |p, q| {
            let difference = self.entry(p, p).iter().zip(self.entry(q, q)).map(|(x, y)| x - y);
            let pairs = difference.zip(self.entry(p, q));
            pairs.map(|(d, off)| d * d - 4.0 * off * off).sum()
        });
        Curvature { diagonals, firmness }
    }

    /// The least distance between the diagonals of two topics: how far apart the two topics are
    /// that are hardest to tell apart. With one topic, the size of its diagonal.
    fn separation(&self) -> f64 {
        let distance = |a: usize, b: usize| {
            let pairs = self.entry(a, a).iter().zip(self.entry(b, b));
            pairs.map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
        };
        let pairs = (0..self.k).flat_map(|a| (a + 1..self.k).map(move |b| (a, b)));
        match pairs.map(|(a, b)| distance(a, b)).reduce(f64::min) {
            Some(closest) => closest,
            None => self.entry(0, 0).iter().map(|v| v * v).sum::<f64>().sqrt(),
        }
    }
}

#[inline(always)]
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
    let gap = values.windows(2).map(|pair| pair[0] - pair[1]).fold(f64::INFINITY, f64::min);
    // With one topic there is nothing to tell apart: its own size stands for the gap.
    let gap = if gap.is_finite() { gap } else { values.first().copied().unwrap_or(0.0).abs() };
    (gap, values, vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube that is diagonal in a rotated basis, plus a little of something that is not.
    fn cube(k: usize, noise: f64) -> (Cube, Matrix) {
        let block = Matrix::from_fn(k, k, |i, j| {
            ((2 * i + 5 * j) as f64).cos() + f64::from(u8::from(i == j))
        });
        let basis = crate::linalg::orthonormal_basis(block);
        let cube = Cube::symmetric(k, |a, b, c| {
            let exact: f64 = (0..k)
                .map(|l| (1.0 + l as f64) * basis[(a, l)] * basis[(b, l)] * basis[(c, l)])
                .sum();
            exact + noise * ((a * b * c + a + b + c) as f64).sin()
        });
        (cube, basis)
    }

    #[test]
    fn a_diagonalisable_cube_is_diagonalised() {
        for k in [1, 2, 5, 9] {
            let (cube, basis) = cube(k, 0.0);
            let mut slices = Slices::weighted(&cube, &vec![1.0; k]);
            let mut rotation = Matrix::identity(k);
            let settled = (0..20).any(|_| slices.sweep(&mut rotation, SMALLEST_ANGLE));
            assert!(settled);
            assert!(slices.off_diagonal_share() < 1e-7);
            // Columns agree up to order and sign.
            let overlap = basis.transpose_times(&rotation);
            for j in 0..k {
                let largest = overlap.column(j).iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                assert!((largest - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn slices_stay_what_the_rotation_makes_of_them() {
        let (cube, _) = cube(4, 0.1);
        let mut slices = Slices::weighted(&cube, &[1.0; 4]);
        let mut rotation = Matrix::identity(4);
        slices.sweep(&mut rotation, SMALLEST_ANGLE);
        for l in 0..4 {
            let slice = Matrix::from_columns(4, 4, cube.slice(l).to_vec());
            let turned = rotation.transpose_times(&slice.times(&rotation));
            for a in 0..4 {
                for b in 0..4 {
                    assert!((slices.entry(a, b)[l] - turned[(a, b)]).abs() < 1e-13);
                }
            }
        }
    }
}
