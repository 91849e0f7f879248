//! Decomposition: the rotation that tells the topics apart.
//!
//! Whitened, the slices of the third moment are `H_i = O diag(mu_i1, ..., mu_ik) O'`, all with
//! the same orthogonal `O`. A [`Method`] finds it:
//!
//! * [`Method::Joint`], our default, from the whole `k x k x k` cube at once ([`joint`]);
//! * [`Method::Svtd`], the paper's Algorithm 2, from the one slice whose values lie furthest
//!   apart ([`svtd`]);
//! * the rivals of the paper's Remark 4.5, to compare with: [`tensor_power`], [`eigenvectors`],
//!   [`singular_vectors`], and alternating least squares ([`als`]). They draw random numbers, so
//!   each carries its seed; the same seed gives the same bits.
//!
//! With exact moments all of them find the same `O`. On a sample [`tensor_power`] and [`als`] do not return an
//! orthogonal matrix: their columns have unit length and are only nearly orthogonal.
//!
//! Nothing here knows of words or documents: a decomposition sees only [`Moments`]. [`decompose`] does everything
//! in one call: from moments to the terms they are made of ([`Components`]), for models of any kind.

mod components;
pub mod joint;
pub mod rivals;
pub mod svtd;

use self::rivals::{als, eigenvectors, singular_vectors, tensor_power};

pub use self::components::{Components, decompose};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::linalg::{Matrix, dot};
use crate::moments::panels::feature_blocks;
use crate::moments::{Cube, Moments, Rows, unpack};
use crate::whitening::Whitening;

/// A gap between eigenvalues below this fraction of the matrix's norm separates nothing.
const NO_GAP: f64 = 1e-10;

/// If the sum of a column's entries is below this fraction of the sum of their absolute values, its sign cannot be
/// determined.
const CANCELS: f64 = 1e-3;

/// How the rotation is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Joint diagonalisation of the weighted slices of the whitened cube.
    #[default]
    Joint,
    /// The paper's Algorithm 2: one pivot feature.
    Svtd,
    /// The robust tensor power method with deflation.
    TensorPower {
        /// Determines the starting points of the power iterations.
        seed: u64,
    },
    /// Eigenvectors of the third moment along a random direction of the features.
    Eigenvectors {
        /// Determines the random direction.
        seed: u64,
    },
    /// Singular vectors of the third moment along a random whitened direction.
    SingularVectors {
        /// Determines the random direction.
        seed: u64,
    },
    /// Alternating least squares on the whitened cube.
    Als {
        /// Determines the starting points of the iterations.
        seed: u64,
    },
}

/// How the columns of `M`, up to scale, are computed once the rotation is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOff {
    /// Row by row, from the diagonals of `O'H_i O`: as in the paper, and the better start for EM.
    Diagonals(Rows),
    /// As columns of `E O`: slightly better for LDA, and the only way when the directions are not orthogonal.
    Columns,
}

/// A rotation, with how reliably it was determined.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// `O`, `k x k`, with unit columns: the directions of the topics in the whitened space. Orthogonal, except that
    /// [`tensor_power`] and [`als`] are only nearly so on a sample.
    pub rotation: Matrix,
    /// The feature `r` whose slice determined the rotation, if one did.
    pub pivot: Option<usize>,
    /// The separation of the values that determine the rotation. For a pivot or a random direction, the smallest
    /// distance between two of its values (the paper's `alpha_r`); for methods that use the whole cube, the
    /// smallest distance between the diagonals of two topics. Zero means that nothing tells two topics apart.
    pub separation: f64,
    /// The part that the rotation does not diagonalise: off-diagonal norm over total norm (Frobenius) of the
    /// weighted slices. Zero for data that follow the model exactly.
    pub residual: f64,
    /// How the rotation responds to a small change of the cube, for [`Method::Joint`].
    pub joint: Option<Curvature>,
    /// A sentence for the user, if the method had to do something other than asked, or if its result is unreliable.
    pub note: Option<String>,
}

/// The joint diagonalisation at its best rotation, `A^l = O'T_l O sqrt(lambda_l)`: enough to compute how the
/// rotation responds to a small change of the cube.
#[derive(Clone, Debug)]
pub struct Curvature {
    /// `A^l_pp`, slice `l` in row `l`, topic `p` in column `p`.
    pub diagonals: Matrix,
    /// `sum_l (A^l_pp - A^l_qq)^2 - 4 (A^l_pq)^2`: the curvature of the objective in the angle between `p` and `q`.
    pub firmness: Matrix,
}

impl Method {
    /// Finds the rotation.
    pub fn decompose(
        self,
        moments: &dyn Moments,
        whitening: &Whitening,
        rows: Rows,
    ) -> Decomposition {
        if self == Method::Svtd {
            return svtd::decompose(moments, whitening, rows);
        }
        let cube = moments.third_whitened(whitening.basis());
        let found = match self {
            Method::Joint | Method::Svtd => return joint::decompose(&cube, whitening),
            Method::TensorPower { seed } => tensor_power::decompose(&cube, whitening, seed),
            Method::Eigenvectors { seed } => {
                eigenvectors::decompose(moments, &cube, whitening, seed)
            }
            Method::SingularVectors { seed } => singular_vectors::decompose(&cube, whitening, seed),
            Method::Als { seed } => als::decompose(&cube, whitening, seed),
        };
        found.with_cancelling_columns_noted(whitening)
    }

    /// How this method computes the columns, if its authors prescribe one way; otherwise `usual`.
    pub fn read_off(self, usual: ReadOff, rows: Rows) -> ReadOff {
        match self {
            Method::Joint => usual,
            Method::Svtd => ReadOff::Diagonals(rows),
            _ => ReadOff::Columns,
        }
    }
}

impl Decomposition {
    /// The columns of `M`, up to scale and sign.
    pub fn columns(
        &self,
        moments: &dyn Moments,
        whitening: &Whitening,
        read_off: ReadOff,
    ) -> Matrix {
        match read_off {
            ReadOff::Columns => whitening.factor().times(&self.rotation),
            ReadOff::Diagonals(rows) => diagonals(moments, whitening, &self.rotation, rows),
        }
    }

    /// Adds a note when a column of `E O` sums to almost nothing: its sign, and with it which entries are clipped,
    /// is then arbitrary.
    fn with_cancelling_columns_noted(mut self, whitening: &Whitening) -> Self {
        let columns = whitening.factor().times(&self.rotation);
        // NaN fails this comparison, as it should.
        let stands = |j: &usize| {
            let column = columns.column(*j);
            let mass: f64 = column.iter().map(|v| v.abs()).sum();
            column.iter().sum::<f64>().abs() > CANCELS * mass
        };
        let n = columns.n_columns() - (0..columns.n_columns()).filter(stands).count();
        if n > 0 {
            let sentence = format!(
                "{n} of {} topics came out with as much negative as positive mass; do not rely \
                 on them",
                columns.n_columns()
            );
            self.note = Some(match self.note {
                Some(first) => format!("{first}; {sentence}"),
                None => sentence,
            });
        }
        self
    }
}

/// Separation and residual of directions in the whole cube, its slices weighted as by [`joint`].
fn separation_and_residual(cube: &Cube, whitening: &Whitening, rotation: &Matrix) -> (f64, f64) {
    let k = cube.side();
    let (mut off, mut total) = (0.0, 0.0);
    let mut diagonals = Matrix::zeros(k, k);
    for (l, value) in whitening.eigenvalues()[..k].iter().enumerate() {
        let slice = Matrix::from_columns(k, k, cube.slice(l).to_vec());
        let turned = rotation.transpose_times(&slice.times(rotation));
        for a in 0..k {
            for b in 0..k {
                let square = value * turned[(a, b)] * turned[(a, b)];
                total += square;
                off += if a == b { 0.0 } else { square };
            }
            diagonals[(l, a)] = value.sqrt() * turned[(a, a)];
        }
    }
    let residual = if total > 0.0 { (off / total).sqrt() } else { 0.0 };
    let distance = |a: usize, b: usize| {
        let pairs = diagonals.column(a).iter().zip(diagonals.column(b));
        pairs.map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
    };
    let pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
    let closest = pairs.map(|(a, b)| distance(a, b)).reduce(f64::min);
    (closest.unwrap_or_else(|| diagonals.frobenius_norm()), residual)
}

/// The rotation of one symmetric matrix `W' M3(eta) W`: what [`eigenvectors`] and
/// [`singular_vectors`] share.
fn from_contraction(contraction: &Matrix, cube: &Cube, whitening: &Whitening) -> Decomposition {
    let (gap, _, rotation) = joint::slice_eigen(contraction);
    let (_, residual) = separation_and_residual(cube, whitening, &rotation);
    // `false` also when the gap is NaN.
    let separates = gap > NO_GAP * contraction.frobenius_norm();
    let note = (!separates).then(|| {
        "the random direction does not tell all topics apart; try another seed".to_owned()
    });
    Decomposition { rotation, pivot: None, separation: gap, residual, joint: None, note }
}

/// `sum_l theta_l T_l`: the cube along a whitened direction.
fn along(cube: &Cube, direction: &[f64]) -> Matrix {
    let k = cube.side();
    let mut contraction = Matrix::zeros(k, k);
    for (l, weight) in direction.iter().enumerate() {
        for (target, value) in contraction.values_mut().iter_mut().zip(cube.slice(l)) {
            *target += weight * value;
        }
    }
    contraction
}

/// The random generator for a seed.
fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Columns drawn uniformly from the unit sphere.
fn random_directions(rng: &mut ChaCha8Rng, k: usize, n: usize) -> Matrix {
    let mut drawn = Matrix::from_fn(k, n, |_, _| StandardNormal.sample(rng));
    for j in 0..n {
        normalise(drawn.column_mut(j));
    }
    drawn
}

/// Scales a vector to length one and returns its former length; leaves it unchanged when that is zero or NaN.
fn normalise(vector: &mut [f64]) -> f64 {
    let length = dot(vector, vector).sqrt();
    if length.is_finite() && length > 0.0 {
        vector.iter_mut().for_each(|v| *v /= length);
    }
    length
}

/// The rows `mu_i` of `M`, up to scale: the diagonals of `O' H_i O` for all features.
pub fn diagonals(
    moments: &dyn Moments,
    whitening: &Whitening,
    rotation: &Matrix,
    rows: Rows,
) -> Matrix {
    match rows {
        Rows::Kept => moments.third_diagonals(whitening.basis(), rotation),
        Rows::Removed => {
            let (n, k) = (moments.n_features(), whitening.n_topics());
            let mut result = Matrix::zeros(n, k);
            for range in feature_blocks(n, k) {
                let slices = moments.third_slices(whitening.basis(), rows, range.clone());
                for (row, i) in range.enumerate() {
                    let h = unpack(k, &slices.row(row));
                    let image = h.times(rotation);
                    for j in 0..k {
                        result[(i, j)] = dot(rotation.column(j), image.column(j));
                    }
                }
            }
            result
        }
    }
}

#[cfg(test)]
mod tests;
