//! A Gaussian mixture with its data.

use super::blocks::Blocks;
use super::coordinates::Coordinates;
use super::points::{Points, fingerprint};
use super::problem::Problem;
use super::shape::Covariance;
use crate::corpus::mixed;
use crate::error::Result;
use crate::linalg::Matrix;

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
