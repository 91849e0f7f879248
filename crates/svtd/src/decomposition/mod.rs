//! Decomposition: the rotation that tells the topics apart.
//!
//! Whitened, the slices of the third moment are `H_i = O diag(mu_i1, ..., mu_ik) O'`, all with
//! the same orthogonal `O`. A [`Method`] finds it:
//!
//! * [`Method::Joint`], our default, from the whole `k x k x k` cube at once ([`joint`]);
//! * [`Method::Svtd`], the paper's Algorithm 2, from the one slice whose values lie furthest
//!   apart ([`svtd`]).
//!
//! Nothing here knows of words or documents: a decomposition sees
//! [`Moments`] and nothing else.

pub mod joint;
pub mod svtd;

use serde::{Deserialize, Serialize};

use crate::linalg::Matrix;
use crate::moments::{Moments, Rows, unpack};
use crate::whitening::Whitening;

/// How the rotation is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Joint diagonalisation of the weighted slices of the whitened cube.
    #[default]
    Joint,
    /// The paper's Algorithm 2: one pivot feature.
    Svtd,
}

/// A rotation, with what tells how safely it was found.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// `O`, orthogonal, `k x k`.
    pub rotation: Matrix,
    /// The feature `r` whose slice fixed the rotation, when one did.
    pub pivot: Option<usize>,
    /// How far apart the topics are in what fixed the rotation. For a pivot, the least distance
    /// between two of its values (the paper's `alpha_r`); for the joint method, the least distance
    /// between the diagonals of two topics. Zero means that nothing tells two topics apart.
    pub separation: f64,
    /// What no rotation could diagonalise: off-diagonal over whole, by Frobenius norm, of the
    /// weighted slices. Zero for data that follow the model exactly.
    pub residual: f64,
    /// A sentence for the user when the method had to do something else than asked.
    pub note: Option<String>,
}

impl Method {
    /// Finds the rotation.
    pub fn decompose(
        self,
        moments: &dyn Moments,
        whitening: &Whitening,
        rows: Rows,
    ) -> Decomposition {
        match self {
            Method::Joint => joint::decompose(&moments.third_whitened(whitening), whitening),
            Method::Svtd => svtd::decompose(moments, whitening, rows),
        }
    }
}

/// The rows `mu_i` of `M`, up to scale: the diagonals of `O' H_i O` for all features.
pub fn diagonals(
    moments: &dyn Moments,
    whitening: &Whitening,
    rotation: &Matrix,
    rows: Rows,
) -> Matrix {
    match rows {
        Rows::Kept => moments.third_diagonals(whitening, rotation),
        Rows::Removed => {
            let (n, k) = (moments.n_features(), whitening.n_topics());
            let mut result = Matrix::zeros(n, k);
            for range in svtd::feature_blocks(n, k) {
                let slices = moments.third_slices(whitening, rows, range.clone());
                for (row, i) in range.enumerate() {
                    let h = unpack(k, &slices.row(row));
                    let image = h.times(rotation);
                    for j in 0..k {
                        result[(i, j)] = crate::linalg::dot(rotation.column(j), image.column(j));
                    }
                }
            }
            result
        }
    }
}
