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
//! weighing *all* slices `H_i` by the scales `g_i` of the whitening. Without the factor, topics of small weight
//! would dominate, because their entries in the cube are `w^(-1/2)`.
//!
//! # What it needs
//! Only that no two topics agree on *all* features; the paper's method needs one feature on which
//! all topics differ. There is no starting point to choose, no deflation and no restart.
//!
//! # When to stop
//! A cycle visits every pair once. On a sample the angles are only known to
//! within the noise that no rotation removes: with `k` slices, the error of an angle is worth one part in `k` of
//! the squares that its pair leaves off the diagonals. Cycles end when one reduces the off-diagonal squares by less
//! than a hundredth of that, and a rotation that would gain much less is skipped. Otherwise topics that are hardly
//! present would be rotated into each other for hundreds of cycles. With exact moments nothing is left off the
//! diagonals, and cycles go on down to rounding errors.
//!
//! # Cost
//! `O(k^4)` per cycle, independent of the data's size: about five cycles for well-separated topics, some tens in
//! noisy data. Above 32 topics rows are taken in blocks (`grouped.rs`).

mod grouped;
mod slices;

use pulp::{Arch, Simd, WithSimd};

use super::Decomposition;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::moments::Cube;
use crate::whitening::Whitening;
use grouped::Grouped;
use slices::{LANES, Rotation, Slices, Tally, Worth};

/// Cycles end when all rotations are smaller than this angle.
const SMALLEST_ANGLE: f64 = 1e-10;

/// The smallest angle as a fraction of the relative residual of the eigenpairs: rotating their space more finely
/// than it is known changes nothing that matters.
const PART_OF_RESIDUAL: f64 = 0.01;

/// A cycle must reduce the off-diagonal part by at least this fraction of what sampling errors of the
/// angles contribute to it, or the cycles end.
const PART_OF_NOISE: f64 = 0.01;

/// As [`PART_OF_NOISE`], where a rough result is enough.
const ROUGH_PART_OF_NOISE: f64 = 1.0;

/// A single rotation is skipped if it reduces the off-diagonal part by less than this fraction of its
/// share of that bound. Below one, so that many skipped rotations together do not end the cycles.
const PART_OF_PART: f64 = 0.25;

/// The largest number of cycles.
const MAX_CYCLES: usize = 100;

/// Up to this many topics all slices fit in the cache at once.
const MOST_IN_CACHE: usize = 32;

/// Finds the rotation that best diagonalises all slices of the cube at once.
pub fn decompose(cube: &Cube, whitening: &Whitening) -> Decomposition {
    let slices = weighted(cube, whitening.eigenvalues());
    finished(diagonalise(slices, smallest_angle(whitening), PART_OF_NOISE))
}

/// As [`decompose`], for estimates that are only compared: cycles end at [`ROUGH_PART_OF_NOISE`].
pub(crate) fn decompose_roughly(cube: &Cube, whitening: &Whitening) -> Decomposition {
    let slices = weighted(cube, whitening.eigenvalues());
    finished(diagonalise(slices, smallest_angle(whitening), ROUGH_PART_OF_NOISE))
}

/// The rotation that best diagonalises several symmetric matrices of one size, whatever they are; the identity when
/// there are none.
pub fn diagonalise_matrices(matrices: &[Matrix]) -> Matrix {
    let Some(first) = matrices.first() else {
        return Matrix::zeros(0, 0);
    };
    let k = first.n_rows();
    let mut slices = Slices::zeros(k, matrices.len().next_multiple_of(LANES));
    let mut entries = slices.values.chunks_exact_mut(slices.width);
    for a in 0..k {
        for (b, entry) in (a..k).zip(&mut entries) {
            for (target, matrix) in entry.iter_mut().zip(matrices) {
                *target = 0.5 * (matrix[(a, b)] + matrix[(b, a)]);
            }
        }
    }
    diagonalise(slices, SMALLEST_ANGLE, PART_OF_NOISE).rotation
}

/// As [`decompose`], starting from a rotation that is nearly right, for estimates that are only compared: cycles
/// end at [`ROUGH_PART_OF_NOISE`].
pub(crate) fn decompose_near(cube: &Cube, whitening: &Whitening, near: &Matrix) -> Decomposition {
    let slices = turned(cube, whitening.eigenvalues(), near);
    let mut found = diagonalise(slices, smallest_angle(whitening), ROUGH_PART_OF_NOISE);
    found.rotation = near.times(&found.rotation);
    finished(found)
}

fn smallest_angle(whitening: &Whitening) -> f64 {
    SMALLEST_ANGLE.max(PART_OF_RESIDUAL * whitening.relative_residual())
}

fn finished(found: Diagonalised) -> Decomposition {
    let note = (!found.settled)
        .then(|| format!("the joint diagonalisation had not converged after {MAX_CYCLES} cycles"));
    Decomposition {
        separation: found.slices.separation(),
        residual: found.slices.off_diagonal_share(),
        joint: Some(found.slices.curvature()),
        rotation: found.rotation,
        pivot: None,
        note,
    }
}

/// Diagonalised slices, with the rotation that was applied and whether the cycles converged.
struct Diagonalised {
    slices: Slices,
    rotation: Matrix,
    settled: bool,
}

/// Makes cycles until one makes no rotation of at least the angle `smallest` that is worth making, or until one
/// reduces the off-diagonal squares by no more than `part_of_noise` allows.
fn diagonalise(mut slices: Slices, smallest: f64, part_of_noise: f64) -> Diagonalised {
    let k = slices.k;
    let mut rotation = Matrix::identity(k);
    let part = part_of_noise / k as f64;
    let worth = Worth { angle: smallest, part: PART_OF_PART * part };
    let until_settled = |cycle: &mut dyn FnMut() -> Tally| {
        (0..MAX_CYCLES).any(|_| {
            crate::stop::here();
            let tally = cycle();
            tally.rotations == 0 || tally.gone <= part * tally.left
        })
    };
    let settled = if k <= MOST_IN_CACHE {
        until_settled(&mut || {
            let (made, tally) =
                Arch::new().dispatch(Visit { slices: &mut slices, between: k, worth });
            made.iter().for_each(|one| one.turn_columns(&mut rotation));
            tally
        })
    } else {
        let mut grouped = Grouped::new(&slices);
        let settled = until_settled(&mut || grouped.cycle(&mut rotation, worth));
        slices = grouped.whole();
        settled
    };
    Diagonalised { slices, rotation, settled }
}

/// Visits every pair once, compiled for each instruction set and chosen at run time.
struct Visit<'a> {
    slices: &'a mut Slices,
    /// Pairs consist of a row before this one and a row from it on; of any two rows when all rows come before.
    between: usize,
    worth: Worth,
}

impl WithSimd for Visit<'_> {
    /// The rotations made, and the sums of squares they removed and left.
    type Output = (Vec<Rotation>, Tally);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> (Vec<Rotation>, Tally) {
        let (k, between) = (self.slices.k, self.between);
        let from = move |p: usize| if between == k { p + 1 } else { between };
        let pairs = (0..between).flat_map(move |p| (from(p)..k).map(move |q| (p, q)));
        self.slices.visit(pairs, self.worth)
    }
}

/// `T_l sqrt(lambda_l)` for all slices.
fn weighted(cube: &Cube, eigenvalues: &[f64]) -> Slices {
    let k = cube.side();
    let mut slices = Slices::zeros(k, k.next_multiple_of(LANES));
    let mut entries = slices.values.chunks_exact_mut(slices.width);
    for a in 0..k {
        for (b, entry) in (a..k).zip(&mut entries) {
            // Symmetric in all indices: slice l, entry (a, b) is entry (a, b, l).
            let row = &cube.slice(a)[b * k..(b + 1) * k];
            for ((target, t), value) in entry.iter_mut().zip(row).zip(eigenvalues) {
                *target = t * value.sqrt();
            }
        }
    }
    slices
}

/// `O'T_l O sqrt(lambda_l)` for all slices, in two products: as the cube is symmetric, `O'T`, whose
/// columns are the pairs `(b, l)`, is in the same places also the matrix with rows `(p, l)` and columns
/// `b`.
fn turned(cube: &Cube, eigenvalues: &[f64], rotation: &Matrix) -> Slices {
    let k = cube.side();
    let flat =
        Matrix::from_columns(k, k * k, (0..k).flat_map(|l| cube.slice(l)).copied().collect());
    let half = rotation.transpose_times(&flat);
    let whole = Matrix::from_columns(k * k, k, half.values().to_vec()).times(rotation);
    let roots: Vec<f64> = eigenvalues[..k].iter().map(|value| value.sqrt()).collect();
    let mut slices = Slices::zeros(k, k.next_multiple_of(LANES));
    let mut entries = slices.values.chunks_exact_mut(slices.width);
    for p in 0..k {
        for (q, entry) in (p..k).zip(&mut entries) {
            let of_slices = whole.column(q).iter().skip(p).step_by(k);
            for ((target, value), root) in entry.iter_mut().zip(of_slices).zip(&roots) {
                *target = value * root;
            }
        }
    }
    slices
}

/// The eigenvectors and the smallest gap between neighbouring eigenvalues of one slice.
pub(super) fn slice_eigen(slice: &Matrix) -> (f64, Vec<f64>, Matrix) {
    let (values, vectors) = symmetric_eigen(slice);
    let gap = values.windows(2).map(|pair| pair[0] - pair[1]).fold(f64::INFINITY, f64::min);
    // With one topic there is no gap; the size of its eigenvalue is used instead.
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
        for k in [1, 2, 5, 9, 40] {
            let (cube, basis) = cube(k, 0.0);
            let found = diagonalise(weighted(&cube, &vec![1.0; k]), SMALLEST_ANGLE, PART_OF_NOISE);
            assert!(found.settled);
            assert!(found.slices.off_diagonal_share() < 1e-7);
            // Columns agree up to order and sign.
            let overlap = basis.transpose_times(&found.rotation);
            for j in 0..k {
                let largest = overlap.column(j).iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                assert!((largest - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn slices_stay_what_the_rotation_makes_of_them() {
        for k in [4, 35] {
            let (cube, _) = cube(k, 0.1);
            let found = diagonalise(weighted(&cube, &vec![1.0; k]), SMALLEST_ANGLE, PART_OF_NOISE);
            for l in 0..k {
                let slice = Matrix::from_columns(k, k, cube.slice(l).to_vec());
                let turned = found.rotation.transpose_times(&slice.times(&found.rotation));
                for a in 0..k {
                    for b in 0..k {
                        assert!((found.slices.entry(a, b)[l] - turned[(a, b)]).abs() < 1e-11);
                    }
                }
            }
        }
    }

    #[test]
    fn a_start_nearby_leads_to_the_same_rotation() {
        for k in [5, 36] {
            let (cube, basis) = cube(k, 0.0);
            let ones = vec![1.0; k];
            let mut near = basis.clone();
            (0..near.values().len()).for_each(|i| near.values_mut()[i] += 0.02 * (i as f64).sin());
            let near = crate::linalg::orthonormal_basis(near);
            let slices = turned(&cube, &ones, &near);
            let found = diagonalise(slices, SMALLEST_ANGLE, ROUGH_PART_OF_NOISE);
            let overlap = basis.transpose_times(&near.times(&found.rotation));
            for j in 0..k {
                assert!((overlap[(j, j)].abs() - 1.0).abs() < 1e-9, "{}", overlap[(j, j)]);
            }
        }
    }

    #[test]
    fn cycles_end_when_what_they_could_still_do_is_a_small_part_of_the_noise() {
        for k in [6, 36] {
            let (cube, _) = cube(k, 1e-2);
            let slices = || weighted(&cube, &vec![1.0; k]);
            let stopped = diagonalise(slices(), SMALLEST_ANGLE, PART_OF_NOISE);
            let further = diagonalise(slices(), SMALLEST_ANGLE, 0.0);
            assert!(stopped.settled);
            let [a, b] = [stopped, further].map(|found| found.slices.off_diagonal_share().powi(2));
            assert!(a - b <= b / k as f64, "{k}: {a} {b}");
        }
    }
}
