//! The parameters of latent classes, and tables made of them.

use super::data::Records;
use super::items::{Item, ItemKind};

/// Smaller probabilities are replaced by this before taking logarithms.
pub(super) const SMALLEST: f64 = 1e-300;

/// Shares and answer distributions of `k` classes.
///
/// The numbers of one category, or one numeric item, are adjacent for all classes.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassParameters {
    /// Share of each class, `omega`.
    pub shares: Vec<f64>,
    /// Probability of category `i` in class `j`, at `i * k + j`.
    pub probabilities: Vec<f64>,
    /// Mean (real items, standardised) or rate (counts) of numeric item `l` in class `j`.
    pub centres: Vec<f64>,
    /// Variance of numeric item `l` in class `j`, standardised; unused for counts.
    pub variances: Vec<f64>,
}

impl ClassParameters {
    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.shares.len()
    }

    /// The classes in another order.
    pub(super) fn reordered(&self, order: &[usize]) -> Self {
        let k = self.n_classes();
        let by_rows = |values: &[f64]| -> Vec<f64> {
            values.chunks_exact(k).flat_map(|row| order.iter().map(|&j| row[j])).collect()
        };
        Self {
            shares: by_rows(&self.shares),
            probabilities: by_rows(&self.probabilities),
            centres: by_rows(&self.centres),
            variances: by_rows(&self.variances),
        }
    }

    /// The parameters of `items` when these are in another order.
    pub(super) fn in_columns(&self, items: &[Item], order: &[usize]) -> Self {
        let k = self.n_classes();
        let (mut categories, mut numbers) = (Vec::new(), Vec::new());
        let (mut category, mut number) = (0, 0);
        for item in items {
            let (n, l) = (item.labels().len(), usize::from(item.is_numeric()));
            categories.push(category..category + n);
            numbers.push(number..number + l);
            (category, number) = (category + n, number + l);
        }
        let by_rows = |ranges: &[std::ops::Range<usize>], values: &[f64]| -> Vec<f64> {
            let rows = order.iter().flat_map(|&b| ranges[b].clone());
            rows.flat_map(|row| values[row * k..(row + 1) * k].to_vec()).collect()
        };
        Self {
            shares: self.shares.clone(),
            probabilities: by_rows(&categories, &self.probabilities),
            centres: by_rows(&numbers, &self.centres),
            variances: by_rows(&numbers, &self.variances),
        }
    }

    /// Classes from the largest to the smallest.
    pub(super) fn canonical_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.n_classes()).collect();
        order.sort_by(|&a, &b| self.shares[b].total_cmp(&self.shares[a]));
        order
    }
}

/// The distribution of a numeric item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    Poisson,
    Normal,
}

impl Law {
    pub(super) fn of(item: &Item) -> Option<Self> {
        match item.kind {
            ItemKind::Categorical { .. } => None,
            ItemKind::Count { .. } => Some(Law::Poisson),
            ItemKind::Real { .. } => Some(Law::Normal),
        }
    }

    /// Log density of a value.
    pub(super) fn log_density(self, x: f64, centre: f64, variance: f64) -> f64 {
        match self {
            Law::Poisson => x * centre.max(SMALLEST).ln() - centre - log_factorial(x),
            Law::Normal => {
                let tau = std::f64::consts::TAU;
                -0.5 * ((x - centre).powi(2) / variance + (tau * variance).ln())
            }
        }
    }
}

/// Logarithm of a factorial, by Stirling's series from 20 on.
pub(super) fn log_factorial(x: f64) -> f64 {
    if x < 20.0 {
        return (2..=x as u32).map(|i| f64::from(i).ln()).sum();
    }
    let tau = std::f64::consts::TAU;
    x * x.ln() - x + 0.5 * (tau * x).ln() + 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3))
        + 1.0 / (1260.0 * x.powi(5))
}

/// Probabilities for a pass over rows, with a last row of ones for missing answers. Empty classes pad the width, so
/// that a row is one vector of the processor.
pub(super) struct Tables {
    pub width: usize,
    pub shares: Vec<f64>,
    pub probabilities: Vec<f64>,
}

impl Tables {
    pub(super) fn new(parameters: &ClassParameters) -> Self {
        let k = parameters.n_classes();
        let width = if k <= 8 { k.next_power_of_two() } else { k };
        let mut shares = parameters.shares.clone();
        shares.resize(width, 0.0);
        let rows = parameters.probabilities.chunks_exact(k);
        let mut probabilities = vec![1.0; (rows.len() + 1) * width];
        for (wide, row) in probabilities.chunks_exact_mut(width).zip(rows) {
            wide[..k].copy_from_slice(row);
        }
        Self { width, shares, probabilities }
    }
}

/// The sum over observed real answers of the logarithm of the item's standard deviation: what must be subtracted
/// from the log-likelihood of standardised numbers.
pub(super) fn log_scale(records: &Records) -> f64 {
    let jn = records.numeric().count();
    let logs: Vec<f64> = records
        .numeric()
        .map(|item| match item.kind {
            ItemKind::Real { deviation, .. } => deviation.ln(),
            _ => 0.0,
        })
        .collect();
    if jn == 0 {
        return 0.0;
    }
    let rows = records.rows.values.chunks_exact(jn).zip(records.weights());
    rows.map(|(row, weight)| {
        let observed = row.iter().zip(&logs).filter(|(x, _)| !x.is_nan());
        weight * observed.map(|(_, log)| log).sum::<f64>()
    })
    .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_meets_the_sum_where_they_change() {
        let sum = |n: u32| (2..=n).map(|i| f64::from(i).ln()).sum::<f64>();
        for n in [0, 1, 5, 19, 20, 21, 50] {
            assert!((log_factorial(f64::from(n)) - sum(n)).abs() < 1e-10, "{n}");
        }
    }
}
