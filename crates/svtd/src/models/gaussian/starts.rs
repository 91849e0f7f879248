//! Deterministic starts of a Gaussian mixture.
//!
//! 1. Moments (Hsu and Kakade 2013): centres of spherical components from three moments, where
//!    there are at least as many variables as components;
//! 2. PCA-part on standardised variables, and for full covariances on whitened ones;
//! 3. quantile bins of the variables as items of a latent class model ([`bins`]).
//!
//! The engine adds the ladder of splits.

use super::bins;
use super::model::GaussianModel;
use super::shape::{Covariance, Mixture};
use super::spectral::spherical_centres;
use crate::linalg::Matrix;
use crate::models::engine::{LatentModel, partition_responsibilities, pca_partition};

/// Number of Lloyd steps after a partition.
const LLOYD_STEPS: usize = 30;

/// The responsibility of a record's own cluster in a start; the rest is shared by all clusters.
const FIRM: f64 = 0.98;

/// All starts that the data allow.
pub(super) fn starts(model: &GaussianModel, k: usize) -> Vec<(&'static str, Mixture)> {
    let standardised = model.standardised();
    let mut found = Vec::new();
    if let Some(labels) = moment_labels(model, &standardised, k) {
        found.push(("moments", labels));
    }
    let weights = Some(model.row_weights.as_slice());
    if let Some(labels) = pca_partition(&standardised, weights, k, LLOYD_STEPS) {
        found.push(("partition", labels));
    }
    if model.problem.covariance == Covariance::Full {
        let whitened = model.placed_records();
        if let Some(labels) = pca_partition(&whitened, weights, k, LLOYD_STEPS) {
            found.push(("whitened partition", labels));
        }
    }
    let start =
        |labels: &[usize]| model.parameters_from(&partition_responsibilities(labels, k, FIRM));
    let bins = bins::start(model, k).map(|mixture| ("bins", mixture));
    found.into_iter().map(|(name, labels)| (name, start(&labels))).chain(bins).collect()
}

/// The nearest spectral centre of every record.
fn moment_labels(model: &GaussianModel, features: &Matrix, k: usize) -> Option<Vec<usize>> {
    let centres = spherical_centres(features, &model.row_weights, k)?;
    let rows: Vec<Vec<f64>> = (0..features.n_rows()).map(|u| features.row(u)).collect();
    Some(nearest(&rows, &centres))
}

/// The nearest of some centres for every row; ties go to the first.
fn nearest(rows: &[Vec<f64>], centres: &[Vec<f64>]) -> Vec<usize> {
    let distance = |row: &[f64], centre: &[f64]| -> f64 {
        row.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum()
    };
    let of = |row: &Vec<f64>| {
        let mut best = (f64::INFINITY, 0);
        for (j, centre) in centres.iter().enumerate() {
            let far = distance(row, centre);
            if far < best.0 {
                best = (far, j);
            }
        }
        best.1
    };
    rows.iter().map(of).collect()
}
