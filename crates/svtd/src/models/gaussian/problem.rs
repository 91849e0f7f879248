//! The records of a fit with the prior and the shape of covariances: what every step of EM reads.

use super::blocks::Blocks;
use super::shape::Covariance;
use crate::linalg::Matrix;

/// What an EM step needs besides the parameters: the records, the prior and the covariance type.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) blocks: Blocks,
    pub(super) covariance: Covariance,
    /// `C`, the matrix of the prior.
    pub(super) prior: Matrix,
    /// `nu`, the weight of the prior in records; zero is maximum likelihood with a floor.
    pub(super) nu: f64,
}
