//! A Gaussian mixture as the engine searches it.

use super::cuts;
use super::factor::{inverse_lower, lower_factor};
use super::model::GaussianModel;
use super::points::fingerprint;
use super::shape::{Covariance, Mixture};
use super::starts;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::models::engine::LatentModel;

/// Number of records on which a search is made when there are more.
const SEARCHED_RECORDS: usize = 10_000;

/// With at least this many starts, more than half of which end at one maximum, up-and-down moves are skipped: they
/// are three quarters of the cost of a search, and gained nothing on 46 sets of that kind (benches/record/models.md).
const ENOUGH_STARTS: usize = 4;

/// An extrapolated covariance with an eigenvalue below this, relative to the covariance after two plain steps, is
/// refused together with its mean.
const LEAST_EIGENVALUE: f64 = 1e-3;

impl LatentModel for GaussianModel {
    type Parameters = Mixture;

    fn n_rows(&self) -> usize {
        self.problem.blocks.n_records()
    }

    fn n_components(&self, mixture: &Mixture) -> usize {
        mixture.k
    }

    fn step(&self, mixture: &Mixture) -> (Mixture, f64) {
        self.problem.step(mixture)
    }

    fn log_likelihood(&self, mixture: &Mixture) -> f64 {
        self.problem.objective(mixture).1 + self.log_density_offset()
    }

    fn n_free_parameters(&self, k: usize) -> usize {
        let d = self.problem.blocks.n_variables;
        k - 1 + k * d + self.problem.covariance.n_parameters(k, d)
    }

    fn responsibilities(&self, mixture: &Mixture) -> Matrix {
        self.problem.responsibilities(mixture).0
    }

    fn row_weights(&self) -> Option<&[f64]> {
        Some(&self.row_weights)
    }

    fn parameters_from(&self, responsibilities: &Matrix) -> Mixture {
        self.problem.of_responsibilities(responsibilities)
    }

    fn cuts(&self, mixture: &Mixture, responsibilities: &Matrix, c: usize) -> Vec<Vec<f64>> {
        cuts::cuts(self, mixture, responsibilities, c)
    }

    fn starts(&self, k: usize) -> Vec<(&'static str, Mixture)> {
        starts::starts(self, k)
    }

    fn flatten(&self, mixture: &Mixture) -> Vec<f64> {
        mixture.values.clone()
    }

    fn project(&self, flat: &[f64], safe: &Mixture) -> Mixture {
        let mut mixture = Mixture { values: flat.to_vec(), ..safe.clone() };
        mend_weights(mixture.weights_mut(), safe.weights());
        for j in 0..mixture.n_spreads() {
            if !mixture.covariance.is_matrix() {
                for (v, s) in mixture.spread_mut(j).iter_mut().zip(safe.spread(j)) {
                    *v = if v.is_finite() { v.max(0.1 * s) } else { *s };
                }
            } else if !keeps_shape(mixture.spread(j), safe.spread(j), mixture.d) {
                mixture.spread_mut(j).copy_from_slice(safe.spread(j));
                let means = if safe.covariance == Covariance::Tied { 0..safe.k } else { j..j + 1 };
                means.for_each(|c| mixture.mean_mut(c).copy_from_slice(safe.mean(c)));
            }
        }
        mixture
    }

    fn tolerance(&self, objective: f64) -> f64 {
        1e-7 + 1e-10 * objective.abs()
    }

    fn believes(&self, agreeing: usize, n_starts: usize) -> bool {
        n_starts >= ENOUGH_STARTS && 2 * agreeing > n_starts
    }

    fn coarse(&self) -> Option<Self> {
        let n = self.points().n_records();
        if n <= SEARCHED_RECORDS {
            return None;
        }
        let mut order: Vec<usize> = (0..n).collect();
        // By content, so that the order of the records does not choose them.
        order.sort_by_key(|&i| (fingerprint(self.points().record(i)), i));
        order.truncate(SEARCHED_RECORDS);
        order.sort_unstable();
        Some(self.on(&order))
    }
}

/// Weights that are not positive become a tenth of the safe ones; then all are normalised.
pub(crate) fn mend_weights(weights: &mut [f64], safe: &[f64]) {
    for (w, s) in weights.iter_mut().zip(safe) {
        if !w.is_finite() || *w <= 0.0 {
            *w = 0.1 * s;
        }
    }
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        weights.iter_mut().for_each(|w| *w /= total);
    } else {
        weights.copy_from_slice(safe);
    }
}

/// Whether a covariance is not nearly singular relative to a safe one.
fn keeps_shape(values: &[f64], safe: &[f64], d: usize) -> bool {
    if values.iter().any(|v| !v.is_finite()) {
        return false;
    }
    let inverse = inverse_lower(&lower_factor(safe, d));
    let middle = Matrix::from_columns(d, d, values.to_vec());
    let quotient = inverse.times(&middle).times(&inverse.transpose());
    let symmetric = Matrix::from_fn(d, d, |a, b| 0.5 * (quotient[(a, b)] + quotient[(b, a)]));
    symmetric_eigen(&symmetric).0.last().is_some_and(|&least| least >= LEAST_EIGENVALUE)
}
