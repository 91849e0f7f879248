//! Deterministic starts of a Gaussian mixture.
//!
//! 1. Moments (Hsu and Kakade 2013): centres of spherical components from three moments, where
//!    there are at least as many variables as components;
//! 2. PCA-part on standardised variables, and for full covariances on whitened ones.
//!
//! The engine adds the ladder of splits.

use super::model::GaussianModel;
use super::shape::{Covariance, Mixture};
use super::spectral::spherical_centres;
use crate::linalg::Matrix;
use crate::models::engine::LatentModel;
use crate::models::partition::{nearest, partition, softened};

/// Lloyd's steps after a partition.
const LLOYD_STEPS: usize = 30;

/// How firmly a start believes its partition.
const FIRM: f64 = 0.98;

/// All starts that the data allow.
pub(super) fn starts(model: &GaussianModel, k: usize) -> Vec<(&'static str, Mixture)> {
    let standardised = model.standardised();
    let mut found = Vec::new();
    if let Some(labels) = moment_labels(model, &standardised, k) {
        found.push(("moments", labels));
    }
    let weights = Some(model.row_weights.as_slice());
    found.push(("partition", partition(&standardised, weights, k, LLOYD_STEPS)));
    if model.problem.covariance == Covariance::Full {
        let whitened = model.placed_records();
        found.push(("whitened partition", partition(&whitened, weights, k, LLOYD_STEPS)));
    }
    let start = |labels: &[usize]| model.parameters_from(&softened(labels, k, FIRM));
    found.into_iter().map(|(name, labels)| (name, start(&labels))).collect()
}

/// The nearest spectral centre of every record.
fn moment_labels(model: &GaussianModel, features: &Matrix, k: usize) -> Option<Vec<usize>> {
    let centres = spherical_centres(features, &model.row_weights, k)?;
    let rows: Vec<Vec<f64>> = (0..features.n_rows()).map(|u| features.row(u)).collect();
    Some(nearest(&rows, &centres))
}
