//! Classes from moments in closed form: the start of the search, and the complete method for exact moments.
//!
//! Answers to one item exclude each other, so the blocks of one item in the pair moment, and all terms with an item
//! twice in the triple moment, are not those of the mixture. They are left out and completed:
//!
//! ```text
//! A = diag(g) M2 diag(g) off the item blocks,  g_i = (M1_i + 1/n)^(-1/2);  pairs of observed answers
//! blocks of A <- those of its rank-k positive part, until they stay;   E = V sqrt(lambda),  A_b = sum_(i in b) e_i e_i'
//! S_i = sum_u w_u x_ui tau_u (yo yo' - sum_(c != b) y_uc y_uc') / sum_u w_u [b observed]
//! G_b vec H_i = vec S_i,   G_b = An (x) An - sum_(c != b) A_c (x) A_c,   An = sum_(c != b) A_c
//! ```
//!
//! Each `H_i = O diag(p_i1, ..., p_ik) O'` with one `O` for all, found by joint diagonalisation.
//! `tau_u` corrects for items that a record does not answer.
//!
//! # Cost
//! `n^3` per step of the completion, `U J k^2` for the sums, `J k^6` for the solves: declined beyond
//! [`MAX_CLASSES`].

use std::ops::Range;

use super::data::Records;
use super::model::normalise_within;
use super::parameters::ClassParameters;
use crate::decomposition::joint::diagonalise_matrices;
use crate::decomposition::rivals::tensor_power::Deflation;
use crate::linalg::{
    Matrix, dot, non_negative_least_squares, orthonormal_basis, positive_inverse, symmetric_eigen,
};
use crate::models::engine::by_blocks;
use crate::moments::Cube;

/// With more classes than this only the other starts are used.
pub const MAX_CLASSES: usize = 10;

/// Number of patterns in one task.
const BLOCK: usize = 1024;

/// How classes are computed from moments.
#[derive(Clone, Copy, Debug)]
pub struct Spectral {
    /// Ridge added to the diagonal of `G_b`, relative to its mean eigenvalue.
    pub ridge: f64,
    /// The completion ends when no entry of a block changes by more than this.
    pub tolerance: f64,
    /// The largest number of steps of the completion.
    pub max_steps: usize,
    /// The share of the overall frequencies that is mixed into every class.
    pub smoothing: f64,
    /// How the rotation is found.
    pub rotation: Rotation,
}

/// How the common rotation of all `H_i` is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// From all of them at once.
    Joint,
    /// From the one whose eigenvalues are furthest apart: the paper's Algorithm 2.
    OneFeature,
    /// By the robust tensor power method, from random starts.
    TensorPower {
        /// The seed.
        seed: u64,
    },
}

impl Spectral {
    /// For a sample, as a start of EM.
    pub const START: Self = Self {
        ridge: 1e-3,
        tolerance: 1e-7,
        max_steps: 200,
        smoothing: 0.05,
        rotation: Rotation::Joint,
    };

    /// For exact moments, without any regularisation.
    pub const EXACT: Self = Self {
        ridge: 0.0,
        tolerance: 1e-14,
        max_steps: 200_000,
        smoothing: 0.0,
        rotation: Rotation::Joint,
    };
}

/// Classes from the moments of categorical records; `None` when the moments do not show `k` of
/// them.
pub fn spectral_classes(
    records: &Records,
    frequencies: &[f64],
    k: usize,
    how: Spectral,
) -> Option<ClassParameters> {
    let n_items = records.offsets().len() - 1;
    if !(2..=MAX_CLASSES).contains(&k) || n_items < 3 || records.n_categories() < k {
        return None;
    }
    let (factor, scales) = factor(records, frequencies, k, how)?;
    let blocks: Vec<Matrix> = records
        .offsets()
        .windows(2)
        .map(|pair| {
            let rows = Matrix::from_fn(pair[1] - pair[0], k, |i, l| factor[(pair[0] + i, l)]);
            rows.transpose_times(&rows)
        })
        .collect();
    let sums = triple_sums(records, &factor, &scales);
    let slices = slices(records, &blocks, &sums, k, how.ridge)?;
    let rotation = match how.rotation {
        Rotation::Joint => joint_rotation(&slices, &scales, k),
        Rotation::OneFeature => pivot_rotation(&slices, &scales),
        Rotation::TensorPower { seed } => power_rotation(&slices, &factor, &scales, seed),
    };
    Some(read_off(records, frequencies, &slices, &rotation, how))
}

/// The scaled pair moment off the item blocks, from pairs of answers that were both observed, and
/// `g`.
pub(super) fn scaled_pairs(records: &Records, frequencies: &[f64]) -> (Matrix, Vec<f64>) {
    let n = records.n_categories();
    let counts = pair_counts(records);
    let scales: Vec<f64> = frequencies.iter().map(|m1| (m1 + 1.0 / n as f64).powf(-0.5)).collect();
    let item_of = item_of(records.offsets());
    let items: Vec<Range<usize>> = records.offsets().windows(2).map(|p| p[0]..p[1]).collect();
    // The weight of records that answer both items.
    let both = Matrix::from_fn(items.len(), items.len(), |b, c| {
        items[b].clone().map(|i| items[c].clone().map(|h| counts[(i, h)]).sum::<f64>()).sum()
    });
    let scaled = Matrix::from_fn(n, n, |i, h| {
        let (b, c) = (item_of[i], item_of[h]);
        if b == c || both[(b, c)] <= 0.0 {
            return 0.0;
        }
        scales[i] * scales[h] * counts[(i, h)] / both[(b, c)]
    });
    (scaled, scales)
}

/// The item of every category.
pub(super) fn item_of(offsets: &[usize]) -> Vec<usize> {
    let of = |(b, pair): (usize, &[usize])| std::iter::repeat_n(b, pair[1] - pair[0]);
    offsets.windows(2).enumerate().flat_map(of).collect()
}

/// Weight of every pair of categories of different items.
pub(super) fn pair_counts(records: &Records) -> Matrix {
    let n = records.n_categories();
    let jc = records.offsets().len() - 1;
    let (rows, weights) = (&records.rows, records.weights());
    let part = |range: Range<usize>| {
        let mut counts = vec![0.0; (n + 1) * (n + 1)];
        for u in range {
            let codes = &rows.codes[u * jc..(u + 1) * jc];
            for (b, &first) in codes.iter().enumerate() {
                let row = &mut counts[first as usize * (n + 1)..][..n + 1];
                codes[b + 1..].iter().for_each(|&second| row[second as usize] += weights[u]);
            }
        }
        counts
    };
    let add = |sum: &mut Vec<f64>, more: Vec<f64>| {
        sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
    };
    let block = BLOCK.max(n * n / 8);
    let counts = by_blocks(records.n_patterns(), block, part, add);
    let counts = counts.unwrap_or_else(|| vec![0.0; (n + 1) * (n + 1)]);
    Matrix::from_fn(n, n, |i, h| counts[i.min(h) * (n + 1) + i.max(h)])
}

/// `E` of the completed pair moment, and `g`.
fn factor(
    records: &Records,
    frequencies: &[f64],
    k: usize,
    how: Spectral,
) -> Option<(Matrix, Vec<f64>)> {
    let (mut matrix, scales) = scaled_pairs(records, frequencies);
    let offsets = records.offsets();
    let gm: Vec<f64> = scales.iter().zip(frequencies).map(|(g, m1)| g * m1).collect();
    for pair in offsets.windows(2) {
        for i in pair[0]..pair[1] {
            (pair[0]..pair[1]).for_each(|h| matrix[(i, h)] = gm[i] * gm[h]);
        }
    }
    let mut leading = Leading::new(k, &matrix);
    for _ in 0..how.max_steps {
        let (values, vectors) = leading.of(&matrix);
        let mut change = 0.0_f64;
        for pair in offsets.windows(2) {
            for i in pair[0]..pair[1] {
                for h in pair[0]..=i {
                    let filled: f64 = (0..k)
                        .map(|l| values[l].max(0.0) * vectors[(i, l)] * vectors[(h, l)])
                        .sum();
                    change = change.max((filled - matrix[(i, h)]).abs());
                    matrix[(i, h)] = filled;
                    matrix[(h, i)] = filled;
                }
            }
        }
        if change < how.tolerance {
            break;
        }
    }
    let (values, vectors) = leading.of(&matrix);
    // Also false for NaN.
    let visible = values[k - 1] > 1e-6 * values[0];
    if !visible {
        return None;
    }
    let mut factor = vectors.columns(0..k);
    let roots: Vec<f64> = values[..k].iter().map(|value| value.sqrt()).collect();
    factor.scale_columns(&roots);
    Some((factor, scales))
}

/// The leading eigenpairs of a matrix that changes little between calls.
struct Leading {
    k: usize,
    /// A basis close to the leading vectors; `None` when the matrix is small enough to be decomposed directly.
    basis: Option<Matrix>,
}

/// A matrix with at most this many rows is decomposed directly.
const SMALL_MATRIX: usize = 48;

impl Leading {
    fn new(k: usize, matrix: &Matrix) -> Self {
        let basis = (matrix.n_rows() > SMALL_MATRIX).then(|| {
            let (_, vectors) = symmetric_eigen(matrix);
            vectors.columns(0..(k + 4).min(matrix.n_rows()))
        });
        Self { k, basis }
    }

    fn of(&mut self, matrix: &Matrix) -> (Vec<f64>, Matrix) {
        let Some(basis) = &self.basis else {
            return symmetric_eigen(matrix);
        };
        // One step of subspace iteration with Rayleigh-Ritz, because the matrix has hardly changed.
        let basis = orthonormal_basis(matrix.times(basis));
        let (values, turned) = symmetric_eigen(&basis.transpose_times(&matrix.times(&basis)));
        let vectors = basis.times(&turned);
        if vectors.n_columns() < self.k {
            return symmetric_eigen(matrix);
        }
        self.basis = Some(vectors.clone());
        (values, vectors)
    }
}

/// `S_i` of every category, `k * k` numbers each.
fn triple_sums(records: &Records, factor: &Matrix, scales: &[f64]) -> Vec<f64> {
    let (n, k) = (factor.n_rows(), factor.n_columns());
    let jc = records.offsets().len() - 1;
    let (rows, weights) = (&records.rows, records.weights());
    // Row i: g_i e_i; a last row of zeros is a missing answer.
    let mut scaled: Vec<f64> =
        (0..n).flat_map(|i| (0..k).map(move |l| scales[i] * factor[(i, l)])).collect();
    scaled.extend(std::iter::repeat_n(0.0, k));
    let part = |range: Range<usize>| {
        let mut sums = vec![0.0; (n + 1) * k * k];
        let (mut total, mut squares, mut other) = (vec![0.0; k], vec![0.0; k * k], vec![0.0; k]);
        for u in range {
            let codes = &rows.codes[u * jc..(u + 1) * jc];
            let observed = codes.iter().filter(|&&code| code as usize != n).count();
            if observed < 3 {
                continue;
            }
            let (j, o) = (jc as f64, observed as f64);
            let tau = weights[u] * (j - 1.0) * (j - 2.0) / ((o - 1.0) * (o - 2.0));
            total.fill(0.0);
            squares.fill(0.0);
            for &code in codes {
                let y = &scaled[code as usize * k..][..k];
                total.iter_mut().zip(y).for_each(|(sum, value)| *sum += value);
                add_outer(&mut squares, y, 1.0);
            }
            for &code in codes {
                let y = &scaled[code as usize * k..][..k];
                let target = &mut sums[code as usize * k * k..][..k * k];
                other.iter_mut().zip(&total).zip(y).for_each(|((o, sum), own)| *o = sum - own);
                // Less the squares of the other items; the item's own square is not included.
                add_outer(target, &other, tau);
                add_outer(target, y, tau);
                target.iter_mut().zip(&squares).for_each(|(t, square)| *t -= tau * square);
            }
        }
        sums
    };
    let add = |sum: &mut Vec<f64>, more: Vec<f64>| {
        sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
    };
    let mut sums = by_blocks(records.n_patterns(), BLOCK.max(n * k), part, add)
        .unwrap_or_else(|| vec![0.0; (n + 1) * k * k]);
    for (b, pair) in records.offsets().windows(2).enumerate() {
        let answered = (0..records.n_patterns()).filter(|u| rows.codes[u * jc + b] as usize != n);
        let mass: f64 = answered.map(|u| weights[u]).sum();
        let own = &mut sums[pair[0] * k * k..pair[1] * k * k];
        own.iter_mut().for_each(|value| *value /= mass.max(f64::MIN_POSITIVE));
    }
    sums
}

/// Adds `weight * y y'`.
fn add_outer(target: &mut [f64], y: &[f64], weight: f64) {
    for (row, a) in target.chunks_exact_mut(y.len()).zip(y) {
        row.iter_mut().zip(y).for_each(|(sum, b)| *sum += weight * a * b);
    }
}

/// `H_i` of every category.
fn slices(
    records: &Records,
    blocks: &[Matrix],
    sums: &[f64],
    k: usize,
    ridge: f64,
) -> Option<Vec<Matrix>> {
    let mut all = Matrix::zeros(k, k);
    blocks.iter().for_each(|block| all.add(1.0, block));
    let mut slices = Vec::with_capacity(records.n_categories());
    for (b, pair) in records.offsets().windows(2).enumerate() {
        let mut without = all.clone();
        without.add(-1.0, &blocks[b]);
        let mut own = kronecker(&without);
        for (c, block) in blocks.iter().enumerate() {
            if c != b {
                own.add(-1.0, &kronecker(block));
            }
        }
        let trace: f64 = (0..k * k).map(|l| own[(l, l)]).sum();
        (0..k * k).for_each(|l| own[(l, l)] += ridge * trace / (k * k) as f64);
        let inverse = positive_inverse(&own)?;
        for i in pair[0]..pair[1] {
            let target = &sums[i * k * k..(i + 1) * k * k];
            let solved: Vec<f64> = (0..k * k).map(|l| dot(inverse.column(l), target)).collect();
            let square = Matrix::from_columns(k, k, solved);
            slices.push(Matrix::from_fn(k, k, |a, c| 0.5 * (square[(a, c)] + square[(c, a)])));
        }
    }
    Some(slices)
}

fn kronecker(a: &Matrix) -> Matrix {
    let k = a.n_rows();
    Matrix::from_fn(k * k, k * k, |row, column| a[(row / k, column / k)] * a[(row % k, column % k)])
}

/// The rotation that best diagonalises all `g_i H_i`, compressed to as few matrices as span them.
fn joint_rotation(slices: &[Matrix], scales: &[f64], k: usize) -> Matrix {
    let packed = k * (k + 1) / 2;
    let places: Vec<(usize, usize)> = (0..k).flat_map(|a| (a..k).map(move |b| (a, b))).collect();
    let root = |a: usize, b: usize| if a == b { 1.0 } else { std::f64::consts::SQRT_2 };
    let rows = Matrix::from_fn(slices.len(), packed, |i, place| {
        let (a, b) = places[place];
        scales[i] * root(a, b) * slices[i][(a, b)]
    });
    let (values, vectors) = symmetric_eigen(&rows.transpose_times(&rows));
    let matrices: Vec<Matrix> = (0..packed)
        .filter(|&l| values[l] > 1e-24 * values[0])
        .map(|l| {
            let mut matrix = Matrix::zeros(k, k);
            for (place, &(a, b)) in places.iter().enumerate() {
                let value = values[l].sqrt() * vectors[(place, l)] / root(a, b);
                matrix[(a, b)] = value;
                matrix[(b, a)] = value;
            }
            matrix
        })
        .collect();
    diagonalise_matrices(&matrices)
}

/// The eigenvectors of the scaled slice with the largest minimum gap; ties go to the first.
fn pivot_rotation(slices: &[Matrix], scales: &[f64]) -> Matrix {
    let gap = |i: usize| {
        let (values, _) = symmetric_eigen(&slices[i]);
        let gaps = values.windows(2).map(|pair| pair[0] - pair[1]);
        scales[i] * gaps.fold(f64::INFINITY, f64::min)
    };
    let gaps: Vec<f64> = (0..slices.len()).map(gap).collect();
    let pivot = (0..gaps.len()).max_by(|&a, &b| gaps[a].total_cmp(&gaps[b]).then(b.cmp(&a)));
    symmetric_eigen(&slices[pivot.unwrap_or(0)]).1
}

/// The directions that the tensor power method finds in the whitened third moment,
/// `T_a = sum_i W_ai g_i H_i` with `W` the pseudo-inverse of `E`, whose columns are orthogonal.
fn power_rotation(slices: &[Matrix], factor: &Matrix, scales: &[f64], seed: u64) -> Matrix {
    let k = factor.n_columns();
    let along = |a: usize| {
        let length = dot(factor.column(a), factor.column(a));
        let mut sum = Matrix::zeros(k, k);
        for (i, slice) in slices.iter().enumerate() {
            sum.add(scales[i] * factor[(i, a)] / length, slice);
        }
        sum
    };
    let t: Vec<Matrix> = (0..k).map(along).collect();
    let entry = |a: usize, b: usize, c: usize| (t[a][(b, c)] + t[b][(a, c)] + t[c][(a, b)]) / 3.0;
    let directions = Deflation::new(&Cube::symmetric(k, entry), seed).map(|found| found.direction);
    Matrix::from_columns(k, k, directions.flatten().collect())
}

fn read_off(
    records: &Records,
    frequencies: &[f64],
    slices: &[Matrix],
    rotation: &Matrix,
    how: Spectral,
) -> ClassParameters {
    let (n, k) = (slices.len(), rotation.n_rows());
    let mut probabilities = vec![0.0; n * k];
    for (i, slice) in slices.iter().enumerate() {
        let turned = slice.times(rotation);
        for j in 0..k {
            probabilities[i * k + j] = dot(rotation.column(j), turned.column(j)).max(0.0);
        }
    }
    normalise_within(&mut probabilities, records.offsets(), k, Some(frequencies));
    for (i, row) in probabilities.chunks_exact_mut(k).enumerate() {
        row.iter_mut().for_each(|p| *p += how.smoothing * (frequencies[i] - *p));
    }
    let by_class = Matrix::from_fn(n, k, |i, j| probabilities[i * k + j]);
    let gram = by_class.transpose_times(&by_class);
    let target: Vec<f64> = (0..k).map(|j| dot(by_class.column(j), frequencies)).collect();
    let least = if how.smoothing > 0.0 { 0.1 / k as f64 } else { 0.0 };
    let mut shares: Vec<f64> =
        non_negative_least_squares(&gram, &target).iter().map(|w| w.max(least)).collect();
    let total: f64 = shares.iter().sum();
    match total > 0.0 {
        true => shares.iter_mut().for_each(|share| *share /= total),
        false => shares.fill(1.0 / k as f64),
    }
    ClassParameters { shares, probabilities, centres: Vec::new(), variances: Vec::new() }
}
