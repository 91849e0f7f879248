//! How reliable classes are: criteria, certainty, the information of items, and residual dependence.

use serde::{Deserialize, Serialize};

use super::data::Records;
use super::identify::locally_identified;
use super::items::{Item, widths};
use super::model::ClassModel;
use super::parameters::ClassParameters;
use super::spectral::pair_counts;
use crate::linalg::Matrix;
use crate::models::engine::{
    Criteria, Found, FoundAgain, LatentModel, StartEnd, agreement, relative_entropy,
};

/// A probability has a standard error if at least this many records of the class gave the answer and as many gave
/// another, those of the prior included. With fewer, the jackknife may leave out no record that gave it.
pub(super) const LEAST_SEEN: f64 = 1.0;

/// A class with less weight than this does not count as a class.
const FEW_RECORDS: f64 = 5.0;

/// Classes that differ by less than this in every probability are the same.
const SAME_CLASS: f64 = 1e-3;

/// The dependence of a pair of items that the classes do not explain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairResidual {
    /// One item.
    pub first: String,
    /// The other.
    pub second: String,
    /// Pearson's statistic of their table against the model's, over its degrees of freedom: near
    /// 1 when classes explain the pair, above 4 when they do not.
    pub residual: f64,
}

/// The diagnostics of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Log-likelihood and information criteria.
    pub criteria: Criteria,
    /// The objective reached: log-likelihood plus logarithm of the prior.
    pub objective: f64,
    /// Whether EM converged.
    pub converged: bool,
    /// The result of every start of the search.
    pub starts: Vec<StartEnd>,
    /// Steps of EM in all.
    pub steps: usize,
    /// 1 when every record's class is certain, 0 when all classes are equally likely.
    pub relative_entropy: f64,
    /// Row `a`, column `b`: mean probability of class `b` among records whose likeliest class is `a`.
    pub classification: Vec<Vec<f64>>,
    /// For every item, the share of the information about the class that the item alone gives.
    pub information: Vec<f64>,
    /// Every pair of categorical items, largest residual first.
    pub pairs: Vec<PairResidual>,
    /// Number of classes with at least five records that differ from each other.
    pub effective_classes: usize,
    /// Whether the parameters are locally identified: no others nearby explain the records as well. `None` when
    /// that was not checked.
    pub identified: Option<bool>,
    /// Criteria of every number of classes tried, from 1 on, if the data chose it.
    pub tried: Vec<Criteria>,
    /// How well every class is found again in halves of the records; empty where that was not measured.
    #[serde(default)]
    pub found_again: Vec<FoundAgain>,
    /// Number of records, with their weights, that answer something.
    pub n_records: f64,
    /// Number of distinct patterns of answers.
    pub n_patterns: usize,
    /// Number of missing answers.
    pub n_missing: usize,
    /// Further notes for the user.
    pub notes: Vec<String>,
}

impl Summary {
    /// How many of the starts reached the best objective, and how many there were.
    pub fn agreement(&self) -> (usize, usize) {
        agreement(&self.starts)
    }

    /// The same diagnostics with `items` in another order.
    pub(super) fn in_columns(mut self, items: &[Item], order: &[usize]) -> Self {
        self.information = order.iter().map(|&b| self.information[b]).collect();
        let place = |name: &str| order.iter().position(|&b| items[b].name == name);
        for pair in &mut self.pairs {
            if place(&pair.first) > place(&pair.second) {
                std::mem::swap(&mut pair.first, &mut pair.second);
            }
        }
        self
    }
}

pub(super) fn summarise(
    model: &ClassModel,
    found: &Found<ClassParameters>,
    tried: Vec<Criteria>,
) -> Summary {
    let parameters = &found.parameters;
    let r = model.responsibilities(parameters);
    let criteria = criteria_of(model, parameters);
    let effective_classes = effective(model, parameters);
    let identified = locally_identified(model, parameters);
    let notes = notes(model, parameters, found.converged, effective_classes, identified);
    Summary {
        criteria,
        objective: found.objective,
        converged: found.converged,
        starts: found.starts.clone(),
        steps: found.steps,
        relative_entropy: relative_entropy(&r, Some(model.records.weights())),
        classification: classification(&r, model.records.weights()),
        information: information(model, parameters),
        pairs: pair_residuals(model, parameters),
        effective_classes,
        identified,
        tried,
        found_again: Vec::new(),
        n_records: model.records.total_weight(),
        n_patterns: model.records.n_patterns(),
        n_missing: model.records.n_missing(),
        notes,
    }
}

fn notes(
    model: &ClassModel,
    parameters: &ClassParameters,
    converged: bool,
    effective: usize,
    identified: Option<bool>,
) -> Vec<String> {
    let k = parameters.n_classes();
    let mut notes = model.records.notes().to_vec();
    let (free, n) = (model.n_free_parameters(k), model.records.total_weight());
    if free as f64 > n {
        notes.push(format!(
            "{free} parameters are learned from {n} records; fewer classes or items would be known better"
        ));
    }
    notes.extend(constant_items(model, parameters));
    if !converged {
        notes.push("the climb had not converged when its steps were spent".to_owned());
    }
    if effective < k {
        notes.push(format!(
            "{effective} of the {k} classes are there; the others have fewer than five records or repeat one"
        ));
    }
    if identified == Some(false) {
        notes.push(format!(
            "{k} classes are not identified by these items: other parameters explain the records \
             as well; ask for fewer classes"
        ));
    }
    notes
}

/// A sentence about items to which all records of a class give the same answer.
fn constant_items(model: &ClassModel, parameters: &ClassParameters) -> Option<String> {
    let k = parameters.n_classes();
    let n = model.records.total_weight();
    let offsets = model.records.offsets();
    let mut found: Vec<String> = Vec::new();
    for (b, item) in model.records.categorical().enumerate() {
        for j in 0..k {
            let behind = parameters.shares[j] * n + model.prior;
            let sure = (offsets[b]..offsets[b + 1])
                .find(|&i| behind * (1.0 - parameters.probabilities[i * k + j]) < LEAST_SEEN);
            if let Some(i) = sure {
                let label = &item.labels()[i - offsets[b]];
                found.push(format!("{:?} is {label:?} in class {}", item.name, j + 1));
            }
        }
    }
    let first = found.first()?;
    let others = match found.len() - 1 {
        0 => String::new(),
        1 => ", and one more is alike".to_owned(),
        more => format!(", and {more} more are alike"),
    };
    Some(format!(
        "item {first} as far as its records tell{others}; such probabilities have no error bars"
    ))
}

/// Number of classes that have records and differ from those before them.
fn effective(model: &ClassModel, parameters: &ClassParameters) -> usize {
    let k = parameters.n_classes();
    let n = model.records.total_weight();
    let differ = |a: usize, b: usize| {
        let rows = [&parameters.probabilities, &parameters.centres, &parameters.variances];
        rows.iter()
            .any(|values| values.chunks_exact(k).any(|row| (row[a] - row[b]).abs() > SAME_CLASS))
    };
    let there = |j: usize| parameters.shares[j] * n >= FEW_RECORDS.min(n / k as f64);
    (0..k).filter(|&j| there(j) && (0..j).all(|other| !there(other) || differ(other, j))).count()
}

fn classification(r: &Matrix, weights: &[f64]) -> Vec<Vec<f64>> {
    let k = r.n_columns();
    let mut sums = vec![vec![0.0; k]; k];
    let mut masses = vec![0.0; k];
    for (u, &weight) in weights.iter().enumerate() {
        let row = r.row(u);
        let likeliest = likeliest(&row);
        masses[likeliest] += weight;
        (0..k).for_each(|j| sums[likeliest][j] += weight * row[j]);
    }
    for (row, mass) in sums.iter_mut().zip(&masses) {
        row.iter_mut().for_each(|value| *value /= mass.max(f64::MIN_POSITIVE));
    }
    sums
}

/// The criteria of classes on their records.
pub(super) fn criteria_of(model: &ClassModel, parameters: &ClassParameters) -> Criteria {
    Criteria::new(
        model.log_likelihood(parameters),
        model.n_free_parameters(parameters.n_classes()),
        model.records.total_weight(),
    )
}

/// The index of the largest number; ties go to the first.
pub(super) fn likeliest(row: &[f64]) -> usize {
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).unwrap_or(0)
}

/// For every item, the mean divergence of the class given its answer from the shares, over the
/// entropy of the shares.
fn information(model: &ClassModel, parameters: &ClassParameters) -> Vec<f64> {
    let shares = &parameters.shares;
    let entropy: f64 = shares.iter().filter(|w| **w > 0.0).map(|w| -w * w.ln()).sum();
    let divergence = |likelihoods: &[f64]| -> f64 {
        let total: f64 = shares.iter().zip(likelihoods).map(|(w, l)| w * l).sum();
        let terms = likelihoods.iter().zip(shares).map(|(l, w)| {
            let q = l / total;
            if w * q > 0.0 { w * q * q.ln() } else { 0.0 }
        });
        if total > 0.0 { terms.sum() } else { 0.0 }
    };
    let k = shares.len();
    let mut categories = parameters.probabilities.chunks_exact(k).zip(&model.frequencies);
    let mut numeric = 0;
    let information = model.records.items().iter().map(|item| {
        if item.is_numeric() {
            numeric += 1;
            return numeric_information(model, parameters, numeric - 1, &divergence);
        }
        let own = categories.by_ref().take(item.labels().len());
        own.map(|(row, frequency)| frequency * divergence(row)).sum()
    });
    information.map(|nats: f64| if entropy > 0.0 { nats / entropy } else { 0.0 }).collect()
}

fn numeric_information(
    model: &ClassModel,
    parameters: &ClassParameters,
    l: usize,
    divergence: &dyn Fn(&[f64]) -> f64,
) -> f64 {
    let k = parameters.n_classes();
    let jn = model.laws.len();
    let (mut sum, mut mass) = (0.0, 0.0);
    for (u, &weight) in model.records.weights().iter().enumerate() {
        let x = model.records.rows.values[u * jn + l];
        if x.is_nan() {
            continue;
        }
        let logs: Vec<f64> = (0..k)
            .map(|j| {
                let (c, v) = (parameters.centres[l * k + j], parameters.variances[l * k + j]);
                model.laws[l].log_density(x, c, v)
            })
            .collect();
        let largest = logs.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let likelihoods: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
        sum += weight * divergence(&likelihoods);
        mass += weight;
    }
    if mass > 0.0 { sum / mass } else { 0.0 }
}

/// The residual of every pair of categorical items.
fn pair_residuals(model: &ClassModel, parameters: &ClassParameters) -> Vec<PairResidual> {
    let records: &Records = &model.records;
    let (jc, _) = widths(records.items());
    if jc < 2 {
        return Vec::new();
    }
    let counts = pair_counts(records);
    let names: Vec<&str> = records.categorical().map(|item| item.name.as_str()).collect();
    let offsets = records.offsets();
    let k = parameters.n_classes();
    let row = |i: usize| &parameters.probabilities[i * k..(i + 1) * k];
    let expected_share = |i: usize, h: usize| -> f64 {
        (row(i).iter().zip(row(h)).zip(&parameters.shares)).map(|((p, q), w)| w * p * q).sum()
    };
    let mut pairs = Vec::new();
    for b in 0..jc {
        for c in b + 1..jc {
            let (rows, columns) = (offsets[b]..offsets[b + 1], offsets[c]..offsets[c + 1]);
            let cells = || rows.clone().flat_map(|i| columns.clone().map(move |h| (i, h)));
            let mass: f64 = cells().map(|place| counts[place]).sum();
            let statistic: f64 = cells()
                .map(|(i, h)| {
                    let expected = (mass * expected_share(i, h)).max(1e-9);
                    (counts[(i, h)] - expected).powi(2) / expected
                })
                .sum();
            let freedom = ((rows.len() - 1) * (columns.len() - 1)) as f64;
            let (first, second) = (names[b].to_owned(), names[c].to_owned());
            pairs.push(PairResidual { first, second, residual: statistic / freedom });
        }
    }
    pairs.sort_by(|a, b| b.residual.total_cmp(&a.residual));
    pairs
}
