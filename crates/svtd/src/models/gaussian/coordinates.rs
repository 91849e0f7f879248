//! Coordinates in which a mixture is fitted.
//!
//! A prior on covariances must not depend on the units of the data, so records are moved and
//! scaled first:
//!
//! ```text
//! full, tied    whitened by the total covariance, so that any affine map of the data gives the
//!               same fit; with missing values every variable is standardised instead and the
//!               prior matrix C is the correlation matrix, which is the same prior
//! diagonal      every variable standardised, C = I
//! spherical     one scale for all variables, C = I
//! ```
//!
//! A prior that is diagonal in standardised variables would be wrong for correlated data: on
//! variables with correlations of .98 it takes away most of what tells the components apart.

use super::points::{Points, data};
use super::shape::{Covariance, Mixture};
use crate::error::Result;
use crate::linalg::{Matrix, dot, symmetric_eigen};
use crate::models::table::short_number;

/// Eigenvalues of the correlation matrix below this fraction of the largest mean that variables are linearly
/// dependent: the rest is rounding error.
const DEPENDENT: f64 = 1e-12;

/// The smallest eigenvalue, relative to the largest, of a correlation matrix from available pairs.
const LEAST_OF_PAIRS: f64 = 1e-3;

/// An invertible affine map of the data, and the prior matrix in its coordinates.
#[derive(Clone, Debug)]
pub(super) struct Coordinates {
    centre: Vec<f64>,
    /// From centred data to coordinates, `d x d`.
    forward: Matrix,
    /// From coordinates to centred data.
    back: Matrix,
    /// Logarithm of each variable's scale, for densities of records with missing values.
    log_scales: Vec<f64>,
    /// `C`, the prior matrix of covariances.
    pub(super) prior: Matrix,
}

impl Coordinates {
    /// The coordinates for a shape of covariances.
    ///
    /// # Errors
    /// When a variable is constant, or follows from the others where that matters.
    pub(super) fn of(points: &Points, covariance: Covariance) -> Result<Self> {
        let moments = points.moments();
        check_spread(points, &moments)?;
        let centre: Vec<f64> = moments.iter().map(|m| m.0).collect();
        let deviations: Vec<f64> = moments.iter().map(|m| m.1.sqrt()).collect();
        let d = centre.len();
        match covariance {
            Covariance::Diagonal => Ok(Self::scaled(centre, &deviations, Matrix::identity(d))),
            Covariance::Spherical => {
                let common = (dot(&deviations, &deviations) / d as f64).sqrt();
                Ok(Self::scaled(centre, &vec![common; d], Matrix::identity(d)))
            }
            Covariance::Full | Covariance::Tied => {
                let correlation = correlation(points, &centre, &deviations);
                let scaled = Self::scaled(centre, &deviations, correlation);
                scaled.whitened(points)
            }
        }
    }

    /// Every variable divided by its scale.
    pub(super) fn scaled(centre: Vec<f64>, scales: &[f64], prior: Matrix) -> Self {
        let d = centre.len();
        let diagonal = |entry: &dyn Fn(f64) -> f64| {
            Matrix::from_fn(d, d, |a, b| if a == b { entry(scales[a]) } else { 0.0 })
        };
        Self {
            forward: diagonal(&|s| 1.0 / s),
            back: diagonal(&|s| s),
            log_scales: scales.iter().map(|s| s.ln()).collect(),
            centre,
            prior,
        }
    }

    /// These coordinates, whitened by the prior matrix if no value is missing.
    fn whitened(mut self, points: &Points) -> Result<Self> {
        let d = self.centre.len();
        let (values, vectors) = symmetric_eigen(&self.prior);
        let complete = points.n_missing() == 0;
        if complete {
            check_independent(points, &values, &vectors)?;
        }
        let least = values[0] * if complete { DEPENDENT } else { LEAST_OF_PAIRS };
        let floored: Vec<f64> = values.iter().map(|v| v.max(least)).collect();
        let power = |p: f64| {
            let mut scaled = vectors.clone();
            scaled.scale_columns(&floored.iter().map(|v| v.powf(p)).collect::<Vec<f64>>());
            scaled.times(&vectors.transpose())
        };
        if !complete {
            self.prior = power(1.0);
            return Ok(self);
        }
        self.forward = power(-0.5).times(&self.forward);
        self.back = self.back.times(&power(0.5));
        let log_root = floored.iter().map(|v| 0.5 * v.ln()).sum::<f64>() / d as f64;
        self.log_scales.iter_mut().for_each(|s| *s += log_root);
        self.prior = Matrix::identity(d);
        Ok(self)
    }

    /// A record in these coordinates; NaN where missing.
    pub(super) fn place(&self, record: &[f64]) -> Vec<f64> {
        let centred: Vec<f64> = record.iter().zip(&self.centre).map(|(x, c)| x - c).collect();
        if centred.iter().any(|x| x.is_nan()) {
            return (0..centred.len()).map(|a| self.forward[(a, a)] * centred[a]).collect();
        }
        (0..centred.len()).map(|a| dot(&self.forward.row(a), &centred)).collect()
    }

    /// The difference of a record's log density between the data's units and these coordinates.
    pub(super) fn log_density_offset(&self, record: &[f64]) -> f64 {
        record.iter().zip(&self.log_scales).filter(|(x, _)| !x.is_nan()).map(|(_, s)| -s).sum()
    }

    /// A position in the data's units.
    pub(super) fn mean_back(&self, mean: &[f64]) -> Vec<f64> {
        (0..mean.len()).map(|a| self.centre[a] + dot(&self.back.row(a), mean)).collect()
    }

    /// A covariance matrix in the data's units.
    pub(super) fn covariance_back(&self, covariance: &Matrix) -> Matrix {
        self.back.times(covariance).times(&self.back.transpose())
    }

    /// A mixture in the data's units, converted to these coordinates.
    pub(super) fn mixture_in(
        &self,
        covariance: Covariance,
        weights: &[f64],
        means: &Matrix,
        covariances: &[Matrix],
    ) -> Mixture {
        let (k, d) = (weights.len(), self.centre.len());
        let mut mixture = Mixture::zeros(covariance, k, d);
        mixture.weights_mut().copy_from_slice(weights);
        for j in 0..k {
            let centred: Vec<f64> = (0..d).map(|a| means[(j, a)] - self.centre[a]).collect();
            for a in 0..d {
                mixture.mean_mut(j)[a] = dot(&self.forward.row(a), &centred);
            }
            let own = &covariances[j.min(covariances.len() - 1)];
            let placed = self.forward.times(own).times(&self.forward.transpose());
            let spread = mixture.spread_mut(j);
            match covariance {
                Covariance::Full | Covariance::Tied => spread.copy_from_slice(placed.values()),
                Covariance::Diagonal => (0..d).for_each(|a| spread[a] = placed[(a, a)]),
                Covariance::Spherical => spread[0] = placed[(0, 0)],
            }
        }
        mixture
    }
}

/// Returns an error for a variable without a value, with only one value, or whose values cannot be told apart.
fn check_spread(points: &Points, moments: &[(f64, f64)]) -> Result<()> {
    for (a, (name, &(mean, variance))) in points.names().iter().zip(moments).enumerate() {
        if !mean.is_finite() {
            return Err(data(format!("variable {name} has no observed value; leave it out")));
        }
        let (low, high) = points.range(a);
        if low == high {
            return Err(data(format!(
                "variable {name} is {} in every record, so components cannot differ in it; leave \
                 it out",
                short_number(low)
            )));
        }
        if variance < f64::MIN_POSITIVE {
            return Err(data(format!(
                "the values of variable {name}, from {} to {}, are too close to each other to be \
                 squared; change its unit",
                short_number(low),
                short_number(high)
            )));
        }
        if variance <= (1e-12 * mean.abs()).powi(2) {
            return Err(data(format!(
                "the values of variable {name} differ by no more than rounding errors beside their \
                 mean of {}; subtract a constant from them",
                short_number(mean)
            )));
        }
        if !variance.is_finite() {
            return Err(data(format!(
                "the values of variable {name} are too large to be squared; change its unit"
            )));
        }
    }
    Ok(())
}

/// The correlation matrix over available pairs.
fn correlation(points: &Points, centre: &[f64], deviations: &[f64]) -> Matrix {
    let d = centre.len();
    let mut sums = Matrix::zeros(d, d);
    let mut counts = Matrix::zeros(d, d);
    let mut z = vec![0.0; d];
    for i in 0..points.n_records() {
        let (record, weight) = (points.record(i), points.weight(i));
        for a in 0..d {
            z[a] = (record[a] - centre[a]) / deviations[a];
        }
        for b in 0..d {
            if z[b].is_nan() {
                continue;
            }
            for a in 0..=b {
                if !z[a].is_nan() {
                    sums[(a, b)] += weight * z[a] * z[b];
                    counts[(a, b)] += weight;
                }
            }
        }
    }
    Matrix::from_fn(d, d, |a, b| {
        let (low, high) = (a.min(b), a.max(b));
        if a == b {
            1.0
        } else if counts[(low, high)] > 0.0 {
            (sums[(low, high)] / counts[(low, high)]).clamp(-1.0, 1.0)
        } else {
            0.0
        }
    })
}

/// Returns an error for variables that are linearly dependent, with their names.
fn check_independent(points: &Points, values: &[f64], vectors: &Matrix) -> Result<()> {
    let d = values.len();
    if points.n_records() <= d {
        return Err(data(format!(
            "{} records do not determine a covariance matrix of {d} variables; use more records, \
             fewer variables, or the covariance diagonal",
            points.n_records()
        )));
    }
    if values[d - 1] > DEPENDENT * values[0] {
        return Ok(());
    }
    let null = vectors.column(d - 1);
    let mut by_share: Vec<usize> = (0..d).collect();
    by_share.sort_by(|&a, &b| null[b].abs().total_cmp(&null[a].abs()).then(a.cmp(&b)));
    let involved = by_share.iter().filter(|&&a| null[a].abs() > 1e-6).count();
    let (first, second) = (by_share[0].min(by_share[1]), by_share[0].max(by_share[1]));
    let names = points.names();
    Err(data(if involved == 2 {
        format!(
            "variable {} repeats variable {} (their correlation is 1 or -1); leave one of them out",
            names[second], names[first]
        )
    } else {
        format!(
            "variable {} follows from {} others, so covariances are singular; leave one of them \
             out or use the covariance diagonal",
            names[by_share[0]],
            involved.saturating_sub(1)
        )
    }))
}
