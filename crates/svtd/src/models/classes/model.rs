//! Latent classes with their records: what every step of EM reads.

use super::data::Records;
use super::items::widths;
use super::parameters::{Law, log_scale};

/// Latent classes with their records.
#[derive(Clone, Debug)]
pub struct ClassModel {
    pub(super) records: Records,
    pub(super) prior: f64,
    /// Observed frequency of every category within its item, `M1`.
    pub(super) frequencies: Vec<f64>,
    pub(super) laws: Vec<Law>,
    /// Mean and variance of every numeric item.
    pub(super) spreads: Vec<(f64, f64)>,
    pub(super) log_scale: f64,
}

impl ClassModel {
    /// Latent classes of `records` with the prior `a`.
    pub fn new(records: Records, prior: f64) -> Self {
        let n = records.n_categories();
        let laws: Vec<Law> = records.numeric().filter_map(Law::of).collect();
        let (jc, jn) = widths(records.items());
        let mut frequencies = vec![0.0; n + 1];
        let mut moments = vec![[0.0; 3]; jn];
        for (u, &weight) in records.weights().iter().enumerate() {
            for &code in &records.rows.codes[u * jc..(u + 1) * jc] {
                frequencies[code as usize] += weight;
            }
            let values = &records.rows.values[u * jn..(u + 1) * jn];
            for (sum, &x) in moments.iter_mut().zip(values).filter(|(_, x)| !x.is_nan()) {
                add_all(sum, &[weight, weight * x, weight * x * x]);
            }
        }
        frequencies.truncate(n);
        normalise_within(&mut frequencies, records.offsets(), 1, None);
        let spread = |[mass, sum, squares]: &[f64; 3]| {
            let mean = sum / mass.max(f64::MIN_POSITIVE);
            (mean, (squares / mass.max(f64::MIN_POSITIVE) - mean * mean).max(0.0))
        };
        let spreads = moments.iter().map(spread).collect();
        let log_scale = log_scale(&records);
        Self { records, prior, frequencies, laws, spreads, log_scale }
    }

    /// The records.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Observed frequency of every category within its item, `M1`.
    pub fn frequencies(&self) -> &[f64] {
        &self.frequencies
    }

    /// The same model with other weights of the same patterns.
    pub(super) fn reweighted(&self, weights: Vec<f64>) -> Self {
        Self::new(self.records.reweighted(weights), self.prior)
    }
}

/// Normalises the categories of every item, in each of `k` columns; where their sum is zero they become `fallback`,
/// or stay.
pub(super) fn normalise_within(
    values: &mut [f64],
    offsets: &[usize],
    k: usize,
    fallback: Option<&[f64]>,
) {
    for pair in offsets.windows(2) {
        for j in 0..k {
            let sum: f64 = (pair[0]..pair[1]).map(|i| values[i * k + j]).sum();
            for i in pair[0]..pair[1] {
                let value = &mut values[i * k + j];
                if sum > 0.0 {
                    *value /= sum;
                } else if let Some(fallback) = fallback {
                    *value = fallback[i];
                }
            }
        }
    }
}

/// Adds numbers to sums, one by one.
pub(super) fn add_all(sums: &mut [f64], more: &[f64]) {
    sums.iter_mut().zip(more).for_each(|(sum, value)| *sum += value);
}
