//! Points: the data for a Gaussian mixture.
//!
//! A table of records and variables, row after row, with a weight for every record. A missing value is NaN. Checks
//! that do not depend on the model are made here, once, so that later code meets no infinite number or negative
//! weight.

use crate::error::{Error, Result};
use crate::models::columns::by_name;
use crate::models::engine::{Groups, content_order};
use crate::models::table::{LARGEST_WEIGHT, short_number};

/// The largest value that can be squared and summed.
const LARGEST: f64 = 1e140;

/// Records in a table of real variables, some values of which may be missing.
#[derive(Clone, Debug)]
pub struct Points {
    names: Vec<String>,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl Points {
    /// Points from their values, record after record; NaN stands for a missing value.
    ///
    /// # Errors
    /// When the table is not rectangular, a value is infinite, or nothing is observed at all.
    pub fn new(n_variables: usize, values: Vec<f64>) -> Result<Self> {
        Self::named((1..=n_variables).map(|a| format!("x{a}")).collect(), values)
    }

    /// Points whose variables have these names, which errors mention.
    pub(super) fn named(names: Vec<String>, values: Vec<f64>) -> Result<Self> {
        if names.is_empty() || values.is_empty() {
            return Err(data("the table has no values; is it the right file?".to_owned()));
        }
        if !values.len().is_multiple_of(names.len()) {
            return Err(data(format!(
                "{} values do not fill rows of {} variables",
                values.len(),
                names.len()
            )));
        }
        let weights = vec![1.0; values.len() / names.len()];
        let points = Self { names, values, weights };
        points.check_values()?;
        Ok(points)
    }

    /// The same points with names for their variables.
    ///
    /// # Errors
    /// When there is not one name for each variable.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.n_variables() {
            return Err(data(format!(
                "{} names given for {} variables; give one name for each",
                names.len(),
                self.n_variables()
            )));
        }
        self.names = names;
        Ok(self)
    }

    /// The same points with a weight for every record: how many records it stands for.
    ///
    /// # Errors
    /// When a weight is negative or not finite, when all are zero, or when their number is wrong.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        check_weights(&weights, self.n_records())?;
        self.weights = weights;
        Ok(self)
    }

    /// Number of records.
    pub fn n_records(&self) -> usize {
        self.values.len() / self.names.len()
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.names.len()
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of a record, NaN where missing.
    pub fn record(&self, i: usize) -> &[f64] {
        let d = self.n_variables();
        &self.values[i * d..(i + 1) * d]
    }

    /// The weight of a record.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights[i]
    }

    /// The sum of all weights: how many records the table stands for.
    pub fn total_weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Number of missing values.
    pub fn n_missing(&self) -> usize {
        self.values.iter().filter(|v| v.is_nan()).count()
    }

    /// The records `keep`, in that order.
    pub(crate) fn select(&self, keep: &[usize]) -> Self {
        Self {
            names: self.names.clone(),
            values: keep.iter().flat_map(|&i| self.record(i)).copied().collect(),
            weights: keep.iter().map(|&i| self.weights[i]).collect(),
        }
    }

    /// Whether a record has a weight and a value.
    pub(crate) fn teaches(&self, i: usize) -> bool {
        self.weights[i] > 0.0 && self.record(i).iter().any(|x| !x.is_nan())
    }

    /// A note about records without any value, which a fit passes over.
    pub(crate) fn silent_note(&self) -> Option<String> {
        let n = self.n_records();
        let silent = (0..n).filter(|&i| self.record(i).iter().all(|x| x.is_nan())).count();
        (silent > 0).then(|| format!("{silent} of {n} records have no value; they teach nothing"))
    }

    /// The places of the variables in the order in which they are learned from.
    pub(crate) fn columns_by_name(&self) -> Vec<usize> {
        by_name(self.names.iter().map(String::as_str))
    }

    /// The same points with their variables in another order.
    fn in_columns(&self, order: &[usize]) -> Self {
        let record = |i: usize| order.iter().map(move |&a| self.record(i)[a]);
        Self {
            names: order.iter().map(|&a| self.names[a].clone()).collect(),
            values: (0..self.n_records()).flat_map(record).collect(),
            weights: self.weights.clone(),
        }
    }

    /// The records that have a weight and a value, in the order of their content, and their variables by name: whatever
    /// order rows and columns came in, they are learned from in this one. Where weights count records, equal records are joined, so that a record of
    /// weight two is a record given twice.
    pub(crate) fn in_content_order(&self) -> Self {
        let used = self.in_columns(&self.columns_by_name());
        let used = used.reweighted(self.weights.clone());
        let compare = |i: usize, j: usize| {
            let weights = used.weights[i].total_cmp(&used.weights[j]);
            compare_bits(used.record(i), used.record(j)).then(weights)
        };
        if !used.counts_records() {
            let key = |i: usize| fingerprint(used.record(i));
            return used.select(&content_order(used.n_records(), key, compare));
        }
        let mut order: Vec<usize> = (0..used.n_records()).collect();
        order.sort_by(|&i, &j| compare(i, j));
        let same = |i: &usize, j: &usize| compare_bits(used.record(*i), used.record(*j)).is_eq();
        let joined: Vec<usize> = order.chunk_by(same).map(|equals| equals[0]).collect();
        let counts =
            order.chunk_by(same).map(|equals| equals.iter().map(|&i| used.weights[i]).sum());
        let mut distinct = used.select(&joined);
        distinct.weights = counts.collect();
        let key = |i: usize| fingerprint(distinct.record(i));
        distinct.select(&content_order(joined.len(), key, |i, j| {
            compare_bits(distinct.record(i), distinct.record(j))
        }))
    }

    /// Whether every weight is a whole number, so that it may be a count of records.
    fn counts_records(&self) -> bool {
        self.weights.iter().all(|w| w.fract() == 0.0)
    }

    /// The groups of a jackknife, for records in the order of their content.
    pub(crate) fn groups(&self) -> Groups {
        let key = |i: usize| fingerprint(self.record(i));
        match self.counts_records() {
            true => Groups::of_counts(key, &self.weights),
            false => {
                Groups::of_weights(key, &self.weights.iter().map(|&w| vec![w]).collect::<Vec<_>>())
            }
        }
    }

    /// The records with other weights, less those without a weight or a value.
    pub(crate) fn reweighted(&self, weights: Vec<f64>) -> Self {
        let other = Self { weights, ..self.clone() };
        let kept: Vec<usize> = (0..other.n_records()).filter(|&i| other.teaches(i)).collect();
        other.select(&kept)
    }

    /// Weighted mean and variance of every variable over its observed values.
    pub(crate) fn moments(&self) -> Vec<(f64, f64)> {
        let d = self.n_variables();
        let observed = |a: usize| {
            (0..self.n_records()).filter_map(move |i| {
                let x = self.values[i * d + a];
                (!x.is_nan()).then_some((x, self.weights[i]))
            })
        };
        (0..d)
            .map(|a| {
                let total: f64 = observed(a).map(|(_, w)| w).sum();
                let mean = observed(a).map(|(x, w)| w * x).sum::<f64>() / total;
                let variance = observed(a).map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>();
                (mean, variance / total)
            })
            .collect()
    }

    /// The smallest and the largest observed value of a variable.
    pub(crate) fn range(&self, a: usize) -> (f64, f64) {
        let observed = self.values.iter().skip(a).step_by(self.n_variables());
        let widened = |(low, high): (f64, f64), x: &f64| (low.min(*x), high.max(*x));
        observed.fold((f64::INFINITY, f64::NEG_INFINITY), widened)
    }

    fn check_values(&self) -> Result<()> {
        let d = self.n_variables();
        if self.values.iter().all(|value| value.is_nan()) {
            return Err(data(
                "every value of every record is missing; is the right cell called missing?"
                    .to_owned(),
            ));
        }
        for (at, value) in self.values.iter().enumerate() {
            if value.is_finite() && value.abs() > LARGEST {
                return Err(data(format!(
                    "record {} has the value {} for variable {}, too large to be squared; \
                     change its unit",
                    at / d + 1,
                    short_number(*value),
                    self.names[at % d]
                )));
            }
            if value.is_infinite() {
                return Err(data(format!(
                    "record {} has an infinite value for variable {}; correct it or leave it \
                     empty to mark it missing",
                    at / d + 1,
                    self.names[at % d]
                )));
            }
        }
        Ok(())
    }
}

/// Returns an error for weights that are negative, not finite, all zero, or of the wrong number.
fn check_weights(weights: &[f64], n_records: usize) -> Result<()> {
    if weights.len() != n_records {
        return Err(data(format!(
            "{} weights given for {n_records} records; give one weight for each record",
            weights.len()
        )));
    }
    if let Some(i) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        return Err(data(format!(
            "record {} has weight {}; weights must be zero or positive numbers",
            i + 1,
            weights[i]
        )));
    }
    if let Some(i) = weights.iter().position(|w| *w > LARGEST_WEIGHT) {
        return Err(data(format!(
            "record {} has weight {:e}; weights of at most {LARGEST_WEIGHT:e} are needed",
            i + 1,
            weights[i]
        )));
    }
    if weights.iter().all(|w| *w == 0.0) {
        return Err(data("all weights are zero, so there is nothing to learn from".to_owned()));
    }
    Ok(())
}

/// An error about the data as a whole.
pub(crate) fn data(reason: String) -> Error {
    Error::Records { reason }
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
