//! A Gaussian mixture with its data, for the engine.

use super::blocks::Blocks;
use super::coordinates::Coordinates;
use super::cuts;
use super::em::Problem;
use super::factor::{inverse_lower, lower_factor};
use super::points::Points;
use super::shape::{Covariance, Mixture};
use super::starts;
use crate::corpus::mixed;
use crate::error::Result;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::models::engine::LatentModel;

/// Number of records on which a search is made when there are more.
const SEARCHED_RECORDS: usize = 10_000;

/// Starts from which on more than half of them at one maximum are believed: moves up and down, three quarters
/// of the cost of a search, gained nothing on 46 sets of that kind (benches/record/models.md).
const ENOUGH_STARTS: usize = 4;

/// An extrapolated covariance whose least eigenvalue, in units of the safe one, is below this is
/// refused together with its mean.
const LEAST_EIGENVALUE: f64 = 1e-3;

/// Records in the coordinates of a fit, with a prior.
#[derive(Clone, Debug)]
pub(super) struct GaussianModel {
    pub(super) problem: Problem,
    pub(super) coordinates: Coordinates,
    /// Weight of every record, in the order of the blocks.
    pub(super) row_weights: Vec<f64>,
    points: Points,
}

impl GaussianModel {
    /// The model of these records with prior weight `nu`.
    pub(super) fn new(points: &Points, covariance: Covariance, nu: f64) -> Result<Self> {
        let coordinates = Coordinates::of(points, covariance)?;
        Ok(Self::placed(points.clone(), coordinates, covariance, nu))
    }

    /// The model for other records, in given coordinates.
    pub(super) fn placed(
        points: Points,
        coordinates: Coordinates,
        covariance: Covariance,
        nu: f64,
    ) -> Self {
        let blocks = Blocks::new(
            points.n_variables(),
            points.n_records(),
            |i| coordinates.place(points.record(i)),
            |i| points.weight(i),
        );
        let row_weights = blocks.order.iter().map(|&i| points.weight(i)).collect();
        let problem = Problem { blocks, covariance, prior: coordinates.prior.clone(), nu };
        Self { problem, coordinates, row_weights, points }
    }

    /// The same records with another weight of the prior.
    pub(super) fn with_prior(&self, nu: f64) -> Self {
        let mut other = self.clone();
        other.problem.nu = nu;
        other
    }

    /// The same model for some of the records.
    pub(super) fn on(&self, records: &[usize]) -> Self {
        let points = self.points.select(records);
        let (covariance, nu) = (self.problem.covariance, self.problem.nu);
        Self::placed(points, self.coordinates.clone(), covariance, nu)
    }

    /// The same model with other weights of the records.
    pub(super) fn reweighted(&self, weights: Vec<f64>) -> Self {
        let points = self.points.reweighted(weights);
        let (covariance, nu) = (self.problem.covariance, self.problem.nu);
        Self::placed(points, self.coordinates.clone(), covariance, nu)
    }

    /// The model for two halves of the records, determined by content; `None` when there are too few.
    pub(super) fn halves(&self, k: usize, split: usize) -> Option<[Self; 2]> {
        let keys: Vec<u64> =
            (0..self.points.n_records()).map(|i| fingerprint(self.points.record(i))).collect();
        let halves = dealt(&keys, split);
        halves.iter().all(|half| half.len() > k).then(|| halves.map(|half| self.on(&half)))
    }

    /// The records.
    pub(super) fn points(&self) -> &Points {
        &self.points
    }

    /// The difference of the log-likelihood between the data's units and the coordinates of the fit.
    pub(super) fn log_density_offset(&self) -> f64 {
        (0..self.points.n_records())
            .map(|i| {
                self.points.weight(i) * self.coordinates.log_density_offset(self.points.record(i))
            })
            .sum()
    }

    /// The records in standardised variables, in the order of the blocks; zero where missing.
    /// For the spherical shape the coordinates of the fit.
    pub(super) fn standardised(&self) -> Matrix {
        let order = &self.problem.blocks.order;
        let d = self.points.n_variables();
        if self.problem.covariance == Covariance::Spherical {
            return self.placed_records();
        }
        let moments = self.points.moments();
        Matrix::from_fn(order.len(), d, |u, a| {
            let z = (self.points.record(order[u])[a] - moments[a].0) / moments[a].1.sqrt();
            if z.is_nan() { 0.0 } else { z }
        })
    }

    /// The records in the coordinates of the fit, in the order of the blocks; zero where missing.
    pub(super) fn placed_records(&self) -> Matrix {
        let blocks = &self.problem.blocks;
        let mut rows = Matrix::zeros(blocks.n_records(), blocks.n_variables);
        blocks.for_each_record(|u, record, _| {
            for (a, x) in record.iter().enumerate() {
                rows[(u, a)] = *x;
            }
        });
        rows
    }
}

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
        let n = self.points.n_records();
        if n <= SEARCHED_RECORDS {
            return None;
        }
        let mut order: Vec<usize> = (0..n).collect();
        // By content, so that the order of the records does not choose them.
        order.sort_by_key(|&i| (fingerprint(self.points.record(i)), i));
        order.truncate(SEARCHED_RECORDS);
        order.sort_unstable();
        Some(self.on(&order))
    }
}

/// Places dealt into two halves by their keys, differently in each split; equal keys go together.
pub(crate) fn dealt(keys: &[u64], split: usize) -> [Vec<usize>; 2] {
    let mut order: Vec<(u64, usize)> =
        keys.iter().enumerate().map(|(i, key)| (mixed(key ^ mixed(split as u64)), i)).collect();
    order.sort_unstable();
    let mut halves = [Vec::new(), Vec::new()];
    for equals in order.chunk_by(|a, b| a.0 == b.0) {
        let smaller = usize::from(halves[1].len() < halves[0].len());
        halves[smaller].extend(equals.iter().map(|&(_, i)| i));
    }
    halves.iter_mut().for_each(|half| half.sort_unstable());
    halves
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

/// Numbers one by one, by their bits, so that NaN equals NaN.
pub(crate) fn compare_bits(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    a.iter().map(|x| x.to_bits()).cmp(b.iter().map(|x| x.to_bits()))
}

/// A number that follows the bits of a record and nothing else (FNV-1a, finished by a multiply).
pub(crate) fn fingerprint(record: &[f64]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in record.iter().flat_map(|x| x.to_bits().to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
