//! EM for raters, with its two starts.

use std::ops::Range;

use super::data::Ratings;
use crate::linalg::Matrix;
use crate::models::classes::spectral::{Spectral, spectral_classes};
use crate::models::classes::{ClassModel, Item, ItemKind, Records};
use crate::models::engine::{LatentModel, by_blocks};
use crate::models::table::MISSING;

/// Number of items in one task.
const BLOCK: usize = 512;

/// Number of groups into which raters are pooled for the moments.
const POOLS: usize = 9;

/// Smaller probabilities are replaced by this before taking logarithms.
const SMALLEST: f64 = 1e-300;

/// Label frequencies, and the confusions of every rater.
#[derive(Clone, Debug, PartialEq)]
pub struct RaterParameters {
    /// The share of each label.
    pub shares: Vec<f64>,
    /// Probability that rater `r` calls label `t` by label `l`, at `(r * L + t) * L + l`.
    pub confusions: Vec<f64>,
}

/// Raters with their ratings.
#[derive(Clone, Debug)]
pub(super) struct RaterModel {
    pub ratings: Ratings,
    pub prior: f64,
    frequencies: Vec<f64>,
}

impl RaterModel {
    pub(super) fn new(ratings: Ratings, prior: f64) -> Self {
        let frequencies = ratings.frequencies();
        Self { ratings, prior, frequencies }
    }

    fn n_labels(&self) -> usize {
        self.frequencies.len()
    }

    /// The pseudo-count of the prior for label `l` given true label `t`.
    fn pseudo(&self, t: usize, l: usize) -> f64 {
        0.5 * f64::from(u8::from(t == l)) + 0.5 * self.frequencies[l]
    }

    /// Visits items with their posteriors and log-likelihoods.
    fn pass(
        &self,
        parameters: &RaterParameters,
        range: Range<usize>,
        mut visit: impl FnMut(usize, &[f64], f64),
    ) {
        let k = self.n_labels();
        let log = |p: &f64| p.max(SMALLEST).ln();
        let shares: Vec<f64> = parameters.shares.iter().map(log).collect();
        let confusions: Vec<f64> = parameters.confusions.iter().map(log).collect();
        let mut r = vec![0.0; k];
        for item in range {
            r.copy_from_slice(&shares);
            for &(rater, label) in self.ratings.of(item) {
                for (t, value) in r.iter_mut().enumerate() {
                    *value += confusions[(rater as usize * k + t) * k + label as usize];
                }
            }
            let largest = r.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            r.iter_mut().for_each(|value| *value = (*value - largest).exp());
            let sum: f64 = r.iter().sum();
            r.iter_mut().for_each(|value| *value /= sum);
            visit(item, &r, largest + sum.ln());
        }
    }

    /// Log-likelihood of every item.
    pub(super) fn log_likelihoods(&self, parameters: &RaterParameters) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.ratings.n_items());
        self.pass(parameters, 0..self.ratings.n_items(), |_, _, value| all.push(value));
        all
    }

    fn maximise(&self, r: impl Fn(usize) -> Vec<f64> + Sync, prior: f64) -> RaterParameters {
        let (k, n_raters) = (self.n_labels(), self.ratings.raters.len());
        let part = |range: Range<usize>| {
            let mut sums = vec![0.0; k + n_raters * k * k];
            for item in range {
                let (weight, own) = (self.ratings.weights[item], r(item));
                self.add(&mut sums, item, &own, weight);
            }
            sums
        };
        let sums = by_blocks(self.ratings.n_items(), BLOCK, part, |sum: &mut Vec<f64>, more| {
            sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
        });
        self.estimated(sums.unwrap_or_default(), prior)
    }

    fn add(&self, sums: &mut [f64], item: usize, r: &[f64], weight: f64) {
        let k = self.n_labels();
        for (t, value) in r.iter().enumerate() {
            sums[t] += weight * value;
        }
        for &(rater, label) in self.ratings.of(item) {
            for (t, value) in r.iter().enumerate() {
                sums[k + (rater as usize * k + t) * k + label as usize] += weight * value;
            }
        }
    }

    fn estimated(&self, mut sums: Vec<f64>, prior: f64) -> RaterParameters {
        let k = self.n_labels();
        let mut confusions = sums.split_off(k);
        for (row, counts) in confusions.chunks_exact_mut(k).enumerate() {
            for (l, count) in counts.iter_mut().enumerate() {
                *count += prior * self.pseudo(row % k, l);
            }
            let total: f64 = counts.iter().sum();
            for (l, count) in counts.iter_mut().enumerate() {
                // A rater who met no item of this label gets the overall label frequencies.
                *count = if total > 0.0 { *count / total } else { self.pseudo(row % k, l) };
            }
        }
        let total: f64 = sums.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        sums.iter_mut().for_each(|mass| *mass /= total);
        RaterParameters { shares: sums, confusions }
    }

    fn log_prior(&self, parameters: &RaterParameters) -> f64 {
        if self.prior == 0.0 {
            return 0.0;
        }
        let k = self.n_labels();
        let places = parameters.confusions.iter().enumerate();
        let sum: f64 =
            places.map(|(at, p)| self.pseudo(at / k % k, at % k) * p.max(SMALLEST).ln()).sum();
        self.prior * sum
    }

    /// The share of an item's ratings that each label has.
    fn majority(&self) -> RaterParameters {
        let k = self.n_labels();
        let votes = |item: usize| {
            let mut votes = vec![0.0; k];
            let own = self.ratings.of(item);
            own.iter().for_each(|&(_, label)| votes[label as usize] += 1.0);
            match own.is_empty() {
                true => self.frequencies.clone(),
                false => votes.iter().map(|v| v / own.len() as f64).collect(),
            }
        };
        self.maximise(votes, 1.0)
    }

    /// Raters pooled into groups, whose majorities are the items of latent classes in closed form.
    fn moments(&self) -> Option<RaterParameters> {
        let (k, n) = (self.n_labels(), self.ratings.n_items());
        let n_pools = POOLS.min(self.ratings.raters.len());
        let mut answers = Vec::with_capacity(n * n_pools);
        for item in 0..n {
            let mut votes = vec![0_u32; n_pools * k];
            for &(rater, label) in self.ratings.of(item) {
                votes[rater as usize % n_pools * k + label as usize] += 1;
            }
            for pool in votes.chunks_exact(k) {
                let best = (0..k).max_by(|&a, &b| pool[a].cmp(&pool[b]).then(b.cmp(&a)));
                let best = best.filter(|&label| pool[label] > 0);
                answers.push(best.map_or(MISSING, |label| label as u32));
            }
        }
        let pool = |g: usize| Item {
            name: format!("pool {g}"),
            kind: ItemKind::Categorical { labels: self.ratings.labels.clone() },
        };
        let items = (0..n_pools).map(pool).collect();
        let records = Records::from_codes(items, &answers, vec![1.0; n]);
        let model = ClassModel::new(records, 0.0);
        let found = spectral_classes(model.records(), model.frequencies(), k, Spectral::START)?;
        // Class j is the label that the pools give it most, all matched for the largest sum.
        let agreement = Matrix::from_fn(k, k, |t, j| {
            (0..n_pools).map(|g| found.probabilities[(g * k + t) * k + j]).sum()
        });
        let class_of = matched(&agreement);
        let r = model.responsibilities(&found);
        let patterns = model.records().pattern_of().to_vec();
        let own = |item: usize| match patterns[item] {
            Some(pattern) => (0..k).map(|t| r[(pattern as usize, class_of[t])]).collect(),
            None => self.frequencies.clone(),
        };
        Some(self.maximise(own, 1.0))
    }
}

/// The column for every row so that the sum is large: the largest entry first.
fn matched(agreement: &Matrix) -> Vec<usize> {
    let k = agreement.n_rows();
    let mut places: Vec<(usize, usize)> =
        (0..k).flat_map(|t| (0..k).map(move |j| (t, j))).collect();
    places.sort_by(|&a, &b| agreement[b].total_cmp(&agreement[a]));
    let (mut column_of, mut taken) = (vec![usize::MAX; k], vec![false; k]);
    for (t, j) in places {
        if column_of[t] == usize::MAX && !taken[j] {
            column_of[t] = j;
            taken[j] = true;
        }
    }
    column_of
}

impl LatentModel for RaterModel {
    type Parameters = RaterParameters;

    fn n_rows(&self) -> usize {
        self.ratings.n_items()
    }

    fn n_components(&self, parameters: &RaterParameters) -> usize {
        parameters.shares.len()
    }

    fn step(&self, parameters: &RaterParameters) -> (RaterParameters, f64) {
        let (k, n_raters) = (self.n_labels(), self.ratings.raters.len());
        let part = |range: Range<usize>| {
            let mut sums = vec![0.0; k + n_raters * k * k];
            let mut log_likelihood = 0.0;
            self.pass(parameters, range, |item, r, value| {
                let weight = self.ratings.weights[item];
                log_likelihood += weight * value;
                self.add(&mut sums, item, r, weight);
            });
            (sums, log_likelihood)
        };
        let added = by_blocks(self.ratings.n_items(), BLOCK, part, |sum, more| {
            sum.0.iter_mut().zip(more.0).for_each(|(a, b)| *a += b);
            sum.1 += more.1;
        });
        let (sums, log_likelihood) = added.unwrap_or_default();
        (self.estimated(sums, self.prior), log_likelihood + self.log_prior(parameters))
    }

    fn log_likelihood(&self, parameters: &RaterParameters) -> f64 {
        let own = self.log_likelihoods(parameters);
        own.iter().zip(&self.ratings.weights).map(|(value, weight)| value * weight).sum()
    }

    fn n_free_parameters(&self, k: usize) -> usize {
        k - 1 + self.ratings.raters.len() * k * (k - 1)
    }

    fn responsibilities(&self, parameters: &RaterParameters) -> Matrix {
        let k = self.n_labels();
        let mut rows = Vec::with_capacity(self.ratings.n_items() * k);
        self.pass(parameters, 0..self.ratings.n_items(), |_, r, _| rows.extend_from_slice(r));
        Matrix::from_columns(k, self.ratings.n_items(), rows).transpose()
    }

    fn parameters_from(&self, responsibilities: &Matrix) -> RaterParameters {
        self.maximise(|item| responsibilities.row(item), 1.0)
    }

    fn cuts(&self, _: &RaterParameters, _: &Matrix, _: usize) -> Vec<Vec<f64>> {
        // True labels are given, so none is ever split.
        Vec::new()
    }

    fn starts(&self, _: usize) -> Vec<(&'static str, RaterParameters)> {
        let moments = self.moments().map(|start| ("moments", start));
        std::iter::once(("majority", self.majority())).chain(moments).collect()
    }

    fn flatten(&self, parameters: &RaterParameters) -> Vec<f64> {
        parameters.shares.iter().chain(&parameters.confusions).copied().collect()
    }

    fn project(&self, flat: &[f64], safe: &RaterParameters) -> RaterParameters {
        let k = self.n_labels();
        let safe = self.flatten(safe);
        let mut mended: Vec<f64> =
            flat.iter().zip(&safe).map(|(&x, s)| if x > 0.0 { x } else { s / 10.0 }).collect();
        for row in mended.chunks_exact_mut(k) {
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= total);
        }
        let confusions = mended.split_off(k);
        RaterParameters { shares: mended, confusions }
    }
}
