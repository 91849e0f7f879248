//! Learned classes, and their inference for records.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal, Poisson, StandardUniform};

use super::data::Records;
use super::diagnostics::{LEAST_SEEN, Summary, likeliest};
use super::items::{Item, ItemKind};
use super::model::ClassModel;
use super::options::ClassOptions;
use super::parameters::ClassParameters;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::models::engine::LatentModel;
use crate::models::table::{Column, Table, number_label};

/// A probability closer to 0 or 1 than this has no standard error.
const BOUNDARY: f64 = 1e-6;

/// An estimate with its standard error, if it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error; `None` at a boundary, or when errors were not asked for.
    pub error: Option<f64>,
}

/// The distribution of an item in one class.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemLaw {
    /// Probability of every category.
    Categorical(Vec<Estimate>),
    /// The rate of a count.
    Count(Estimate),
    /// Mean and standard deviation of a real number.
    Real {
        /// The mean.
        mean: Estimate,
        /// The standard deviation.
        deviation: Estimate,
    },
}

/// The inference for records.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassInference {
    /// Probability of every class, records x classes.
    pub posterior: Matrix,
    /// Log-likelihood of every record; 0 for one without answers.
    pub log_likelihoods: Vec<f64>,
}

impl ClassInference {
    /// The likeliest class of every record; ties go to the first.
    pub fn classes(&self) -> Vec<usize> {
        (0..self.posterior.n_rows()).map(|u| likeliest(&self.posterior.row(u))).collect()
    }
}

/// Latent classes learned from records, the largest first.
#[derive(Clone, Debug, PartialEq)]
pub struct LatentClass {
    items: Vec<Item>,
    parameters: ClassParameters,
    errors: Option<ClassParameters>,
    summary: Summary,
    options: ClassOptions,
}

impl LatentClass {
    pub(crate) fn new(
        items: Vec<Item>,
        parameters: ClassParameters,
        errors: Option<ClassParameters>,
        summary: Summary,
        options: ClassOptions,
    ) -> Self {
        Self { items, parameters, errors, summary, options }
    }

    /// The same classes with their items in another order.
    pub(super) fn in_columns(self, order: &[usize]) -> Self {
        let moved = |parameters: &ClassParameters| parameters.in_columns(&self.items, order);
        Self {
            parameters: moved(&self.parameters),
            errors: self.errors.as_ref().map(moved),
            summary: self.summary.in_columns(&self.items, order),
            items: order.iter().map(|&b| self.items[b].clone()).collect(),
            options: self.options,
        }
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.parameters.n_classes()
    }

    /// The items.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// All parameters.
    pub fn parameters(&self) -> &ClassParameters {
        &self.parameters
    }

    /// Standard errors of all parameters, in the same layout.
    pub fn errors(&self) -> Option<&ClassParameters> {
        self.errors.as_ref()
    }

    /// The diagnostics of the fit.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The number of records of a class, those of the prior included.
    fn records_behind(&self, j: usize) -> f64 {
        self.parameters.shares[j] * self.summary.criteria.n_records + self.options.prior
    }

    /// The options of the fit.
    pub fn options(&self) -> &ClassOptions {
        &self.options
    }

    /// The share of class `j`.
    pub fn share(&self, j: usize) -> Estimate {
        let error = |errors: &ClassParameters| errors.shares[j];
        bounded(self.parameters.shares[j], self.errors.as_ref().map(error))
    }

    /// The distribution of item `b` in class `j`.
    pub fn law(&self, b: usize, j: usize) -> ItemLaw {
        let k = self.n_classes();
        let before = &self.items[..b];
        let numeric = before.iter().filter(|item| item.is_numeric()).count();
        let error = |values: fn(&ClassParameters) -> &Vec<f64>, place: usize| {
            self.errors.as_ref().map(|errors| values(errors)[place])
        };
        match &self.items[b].kind {
            ItemKind::Categorical { labels } => {
                let first: usize = before.iter().map(|item| item.labels().len()).sum();
                let estimate = |i: usize| {
                    let place = (first + i) * k + j;
                    let value = self.parameters.probabilities[place];
                    let seen = self.records_behind(j) * value.min(1.0 - value) >= LEAST_SEEN;
                    bounded(value, error(|e| &e.probabilities, place).filter(|_| seen))
                };
                ItemLaw::Categorical((0..labels.len()).map(estimate).collect())
            }
            ItemKind::Count { .. } => {
                let place = numeric * k + j;
                let value = self.parameters.centres[place];
                ItemLaw::Count(Estimate { value, error: error(|e| &e.centres, place) })
            }
            ItemKind::Real { mean, deviation } => {
                let place = numeric * k + j;
                let own = self.parameters.variances[place].sqrt();
                let about = error(|e| &e.variances, place).map(|e| deviation * e / (2.0 * own));
                ItemLaw::Real {
                    mean: Estimate {
                        value: mean + deviation * self.parameters.centres[place],
                        error: error(|e| &e.centres, place).map(|e| e * deviation),
                    },
                    deviation: Estimate { value: deviation * own, error: about },
                }
            }
        }
    }

    /// The class probabilities of every record.
    ///
    /// # Errors
    /// When records were coded for other items.
    pub fn infer(&self, records: &Records) -> Result<ClassInference> {
        if records.items() != self.items {
            return Err(Error::Records {
                reason: "the records answer other items than the classes were learned from"
                    .to_owned(),
            });
        }
        let model = ClassModel::new(records.clone(), 0.0);
        let r = model.responsibilities(&self.parameters).transpose();
        let logs = model.pattern_log_likelihoods(&self.parameters);
        let k = self.n_classes();
        let mut rows = Vec::with_capacity(records.n_records() * k);
        let mut log_likelihoods = Vec::with_capacity(records.n_records());
        for pattern in records.pattern_of() {
            match pattern {
                Some(pattern) => {
                    rows.extend_from_slice(r.column(*pattern as usize));
                    log_likelihoods.push(logs[*pattern as usize]);
                }
                None => {
                    rows.extend_from_slice(&self.parameters.shares);
                    log_likelihoods.push(0.0);
                }
            }
        }
        let posterior = Matrix::from_columns(k, records.n_records(), rows).transpose();
        Ok(ClassInference { posterior, log_likelihoods })
    }

    /// The log-likelihood of records, in the units of their numbers.
    ///
    /// # Errors
    /// As [`LatentClass::infer`].
    pub fn log_likelihood(&self, records: &Records) -> Result<f64> {
        self.infer(records)?;
        Ok(ClassModel::new(records.clone(), 0.0).log_likelihood(&self.parameters))
    }

    /// Random records from the classes, and the class of each; a column `class` is not added.
    ///
    /// # Errors
    /// When an item has a distribution that cannot be sampled from.
    pub fn draw(&self, n_records: usize, seed: u64) -> Result<(Table, Vec<usize>)> {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = move || -> f64 { StandardUniform.sample(&mut generator) };
        let classes: Vec<usize> =
            (0..n_records).map(|_| drawn(&self.parameters.shares, uniform())).collect();
        let mut normal_generator = ChaCha8Rng::seed_from_u64(seed ^ 0x9e37_79b9_7f4a_7c15);
        let mut columns = Vec::new();
        for (b, item) in self.items.iter().enumerate() {
            let laws: Vec<ItemLaw> = (0..self.n_classes()).map(|j| self.law(b, j)).collect();
            let cell = |&j: &usize| -> Option<String> {
                match &laws[j] {
                    ItemLaw::Categorical(estimates) => {
                        let p: Vec<f64> = estimates.iter().map(|e| e.value).collect();
                        Some(item.labels()[drawn(&p, uniform())].clone())
                    }
                    ItemLaw::Count(rate) => {
                        let law = Poisson::new(rate.value.max(1e-12)).ok()?;
                        Some(number_label(law.sample(&mut normal_generator)))
                    }
                    ItemLaw::Real { mean, deviation } => {
                        let law = Normal::new(mean.value, deviation.value).ok()?;
                        Some(number_label(law.sample(&mut normal_generator)))
                    }
                }
            };
            columns.push(Column::from_cells(
                item.name.clone(),
                classes.iter().map(cell).collect::<Vec<_>>(),
            ));
        }
        Ok((Table::new(columns)?, classes))
    }
}

fn bounded(value: f64, error: Option<f64>) -> Estimate {
    let inside = value > BOUNDARY && value < 1.0 - BOUNDARY;
    Estimate { value, error: error.filter(|_| inside) }
}

/// The index selected by a uniform number.
fn drawn(probabilities: &[f64], mut u: f64) -> usize {
    for (place, p) in probabilities.iter().enumerate() {
        if u < *p {
            return place;
        }
        u -= p;
    }
    likeliest(probabilities)
}
