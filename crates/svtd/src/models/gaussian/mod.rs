//! Gaussian mixtures: groups of points, without a random start.
//!
//! ```text
//! density(x) = sum_j omega_j N(x; mu_j, Sigma_j)          Sigma_j full, diagonal, spherical, tied
//! ```
//!
//! Learned by the common [`engine`](crate::models::engine): starts from moments (Hsu and Kakade
//! 2013) and from partitions, a ladder of splits, moves up and down, accelerated EM. Records may
//! carry weights and miss values.
//!
//! ```
//! use svtd::models::gaussian::{GaussianMixture, Points};
//!
//! # fn main() -> svtd::Result<()> {
//! // Two groups on a line, with one value that was not observed in the plane.
//! let mut values = Vec::new();
//! for i in 0..40 {
//!     let wave = (i as f64 * 0.7).sin();
//!     values.extend(if i % 2 == 0 { [wave, 1.0 - wave.abs()] } else { [8.0 + wave, wave * 0.5] });
//! }
//! values[7] = f64::NAN;
//! let model = GaussianMixture::params(2).fit(&Points::new(2, values)?)?;
//! assert!((model.weights()[0] - 0.5).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```
//!
//! # The prior
//! The likelihood with full covariances has no maximum: it goes to infinity when a component shrinks onto one
//! record. A prior of `nu` records with the shape of the whole data keeps covariances regular. `nu` = 1, .1, .01,
//! .001 or .0001 is chosen by held-out records for full covariances and is 1 otherwise;
//! [`GaussianMixtureParams::prior`] sets it. With 0 the search uses .01 and its result is then improved by plain
//! maximum likelihood, with variances kept above a millionth of the total.

mod bins;
mod blocks;
mod check;
mod coordinates;
mod cuts;
mod density;
mod em;
mod factor;
mod fit;
mod fitted;
mod kernels;
mod learned;
mod model;
mod points;
mod problem;
mod search;
mod shape;
mod spectral;
mod starts;
mod table;

pub use check::PointsCheck;
pub use fit::{GaussianMixtureParams, Prior};
pub(crate) use fitted::position;
pub use fitted::{ErrorBars, GaussianMixture, Placed};
pub(crate) use learned::{by_rows, matched, whole};
pub(crate) use model::dealt;
pub use points::Points;
pub(crate) use points::{compare_bits, data, fingerprint};
pub(crate) use search::mend_weights;
pub use shape::Covariance;
pub use spectral::{RawMoments, SphericalComponents};
