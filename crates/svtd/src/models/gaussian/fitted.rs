//! A fitted mixture, and its inference for records.

use rand::SeedableRng;
use rand::distr::Distribution;
use rand_chacha::ChaCha8Rng;
use rand_distr::{StandardNormal, StandardUniform};

use super::blocks::Blocks;
use super::coordinates::Coordinates;
use super::factor::lower_factor;
use super::model::GaussianModel;
use super::points::{Points, data};
use super::problem::Problem;
use super::shape::{Covariance, Mixture};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::models::engine::{Criteria, Found, LatentModel};
use crate::models::fitting::{FitRecord, Path};

/// Standard errors of a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBars {
    /// Standard errors of the weights.
    pub weights: Vec<f64>,
    /// Standard errors of the means, component by variable.
    pub means: Matrix,
}

/// A fitted Gaussian mixture, in the units of the data.
#[derive(Clone, Debug)]
pub struct GaussianMixture {
    pub(super) names: Vec<String>,
    pub(super) covariance: Covariance,
    pub(super) weights: Vec<f64>,
    pub(super) means: Matrix,
    pub(super) covariances: Vec<Matrix>,
    pub(super) error_bars: Option<ErrorBars>,
    pub(super) record: FitRecord,
}

/// The inference for records.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Probability of every component, record by component.
    pub responsibilities: Matrix,
    /// Logarithm of every record's density, over its observed values.
    pub log_densities: Vec<f64>,
}

impl GaussianMixture {
    pub(super) fn new(
        model: &GaussianModel,
        mixture: &Mixture,
        found: &Found<Mixture>,
        error_bars: Option<ErrorBars>,
        path: Path,
    ) -> Self {
        let (k, d, points) = (mixture.k, mixture.d, model.points());
        let coordinates = &model.coordinates;
        let rows: Vec<Vec<f64>> = (0..k).map(|j| coordinates.mean_back(mixture.mean(j))).collect();
        let covariances = (0..mixture.n_spreads())
            .map(|j| coordinates.covariance_back(&mixture.covariance_matrix(j)))
            .collect();
        let log_likelihood = model.log_likelihood(mixture);
        let n_parameters = model.n_free_parameters(k);
        let criteria = Criteria::new(log_likelihood, n_parameters, points.total_weight());
        let mut record = FitRecord::new(model.problem.nu, found, criteria, path);
        record.objective += model.log_density_offset();
        let mut fitted = Self {
            names: points.names().to_vec(),
            covariance: mixture.covariance,
            weights: mixture.weights().to_vec(),
            means: Matrix::from_fn(k, d, |j, a| rows[j][a]),
            covariances,
            error_bars,
            record,
        };
        fitted.note_thin_components();
        fitted
    }

    /// A mixture from its parameters, in the units of the data: means component by variable, and
    /// one covariance matrix for each component, or one for all where it is tied.
    ///
    /// # Errors
    /// When sizes differ or a number is not what it must be.
    pub fn from_parameters(
        names: Vec<String>,
        covariance: Covariance,
        weights: Vec<f64>,
        means: Matrix,
        covariances: Vec<Matrix>,
    ) -> Result<Self> {
        let (k, d) = (weights.len(), names.len());
        let n_covariances = if covariance == Covariance::Tied { 1 } else { k };
        let sizes = k > 0
            && means.n_rows() == k
            && means.n_columns() == d
            && covariances.len() == n_covariances
            && covariances.iter().all(|c| c.n_rows() == d && c.n_columns() == d);
        let finite = weights.iter().chain(means.values()).all(|x| x.is_finite())
            && covariances.iter().all(|c| c.values().iter().all(|x| x.is_finite()))
            && covariances.iter().all(|c| (0..d).all(|a| c[(a, a)] > 0.0));
        if !sizes || !finite {
            return Err(data(format!(
                "the parameters are not those of {k} components in {d} variables"
            )));
        }
        Ok(Self {
            names,
            covariance,
            weights,
            means,
            covariances,
            error_bars: None,
            record: FitRecord::unknown(),
        })
    }

    /// The same mixture with its variables in another order.
    pub(super) fn in_columns(mut self, order: &[usize]) -> Self {
        let (k, d) = (self.weights.len(), order.len());
        let by_component = |means: &Matrix| Matrix::from_fn(k, d, |j, a| means[(j, order[a])]);
        let by_pair = |c: &Matrix| Matrix::from_fn(d, d, |a, b| c[(order[a], order[b])]);
        self.names = order.iter().map(|&a| self.names[a].clone()).collect();
        self.means = by_component(&self.means);
        self.covariances = self.covariances.iter().map(by_pair).collect();
        if let Some(bars) = &mut self.error_bars {
            bars.means = by_component(&bars.means);
        }
        self
    }

    /// Adds a note about components with fewer records than variables.
    fn note_thin_components(&mut self) {
        let needed = match self.covariance {
            Covariance::Full => self.names.len() + 1,
            _ => 2,
        };
        for (j, weight) in self.weights.iter().enumerate() {
            let records = weight * self.record.criteria.n_records;
            if records < needed as f64 {
                self.record.notes.push(format!(
                    "component {} rests on {records:.1} records, fewer than the {needed} its \
                     covariance needs; the prior supplies the rest",
                    j + 1
                ));
            }
        }
        self.record.note("records", "fewer components or a simpler covariance");
    }

    /// Number of components, `k`.
    pub fn n_components(&self) -> usize {
        self.weights.len()
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The shape of covariances.
    pub fn covariance(&self) -> Covariance {
        self.covariance
    }

    /// `omega`, falling.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Means, component by variable.
    pub fn means(&self) -> &Matrix {
        &self.means
    }

    /// The covariance matrix of component `j`.
    pub fn covariance_of(&self, j: usize) -> &Matrix {
        &self.covariances[j.min(self.covariances.len() - 1)]
    }

    /// How the fit went: criteria, starts, steps, notes.
    pub fn record(&self) -> &FitRecord {
        &self.record
    }

    /// Standard errors, when they were asked for.
    pub fn error_bars(&self) -> Option<&ErrorBars> {
        self.error_bars.as_ref()
    }

    /// The probability of every component for every record, and every record's density.
    ///
    /// # Errors
    /// When the records have other variables.
    pub fn infer(&self, points: &Points) -> Result<Placed> {
        if points.n_variables() != self.names.len() {
            return Err(data(format!(
                "the records have {} variables, the model has {}",
                points.n_variables(),
                self.names.len()
            )));
        }
        let coordinates = self.own_coordinates();
        let mixture =
            coordinates.mixture_in(self.covariance, &self.weights, &self.means, &self.covariances);
        let blocks = Blocks::new(
            points.n_variables(),
            points.n_records(),
            |i| coordinates.place(points.record(i)),
            |_| 1.0,
        );
        let prior = Matrix::identity(points.n_variables());
        let problem = Problem { blocks, covariance: self.covariance, prior, nu: 0.0 };
        let (posterior, log_density) = problem.responsibilities(&mixture);
        let mut placed = Placed {
            responsibilities: Matrix::zeros(points.n_records(), self.n_components()),
            log_densities: vec![0.0; points.n_records()],
        };
        for (u, &i) in problem.blocks.order.iter().enumerate() {
            let offset = coordinates.log_density_offset(points.record(i));
            placed.log_densities[i] = log_density[u] + offset;
            for j in 0..self.n_components() {
                placed.responsibilities[(i, j)] = posterior[(u, j)];
            }
        }
        Ok(placed)
    }

    /// `n` random records from the mixture, row after row, and the component of each.
    pub fn sample(&self, n: usize, seed: u64) -> (Vec<f64>, Vec<usize>) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let d = self.names.len();
        let roots: Vec<Matrix> =
            self.covariances.iter().map(|c| lower_factor(c.values(), d)).collect();
        let mut values = Vec::with_capacity(n * d);
        let mut components = Vec::with_capacity(n);
        for _ in 0..n {
            let uniform: f64 = StandardUniform.sample(&mut rng);
            let j = position(&self.weights, uniform);
            let noise: Vec<f64> = (0..d).map(|_| StandardNormal.sample(&mut rng)).collect();
            let root = &roots[j.min(roots.len() - 1)];
            for a in 0..d {
                let moved: f64 = (0..=a).map(|b| root[(a, b)] * noise[b]).sum();
                values.push(self.means[(j, a)] + moved);
            }
            components.push(j);
        }
        (values, components)
    }

    /// Coordinates that centre and scale every variable by the mixture's own moments.
    fn own_coordinates(&self) -> Coordinates {
        let d = self.names.len();
        let (mut centre, mut scales) = (vec![0.0; d], vec![0.0; d]);
        for a in 0..d {
            let mean: f64 =
                self.weights.iter().enumerate().map(|(j, w)| w * self.means[(j, a)]).sum();
            let variance: f64 = self
                .weights
                .iter()
                .enumerate()
                .map(|(j, w)| {
                    w * (self.covariance_of(j)[(a, a)] + (self.means[(j, a)] - mean).powi(2))
                })
                .sum();
            centre[a] = mean;
            scales[a] = variance.sqrt().max(f64::MIN_POSITIVE);
        }
        if self.covariance == Covariance::Spherical {
            let common = (scales.iter().map(|s| s * s).sum::<f64>() / d as f64).sqrt();
            scales.fill(common);
        }
        Coordinates::scaled(centre, &scales, Matrix::identity(d))
    }
}

/// The index in cumulated weights that a uniform number selects.
pub(crate) fn position(weights: &[f64], uniform: f64) -> usize {
    let mut sum = 0.0;
    for (j, w) in weights.iter().enumerate() {
        sum += w;
        if uniform < sum {
            return j;
        }
    }
    weights.iter().rposition(|w| *w > 0.0).unwrap_or(0)
}
