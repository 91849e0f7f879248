//! Information criteria: the penalty for each parameter.
//!
//! ```text
//! criterion = -2 log-likelihood + c * parameters      the smaller, the better
//! ```
//!
//! `c` is 2 (AIC), 3 (AIC3, the default), `log N` (BIC), `log N + 1` (CAIC) or `log((N + 2)/24)`
//! (sample-size adjusted BIC). The log-likelihood is taken at the estimate, without the prior.

use serde::{Deserialize, Serialize};

use crate::linalg::Matrix;

/// Which criterion chooses the number of components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// 3 per parameter (Bozdogan 1994).
    #[default]
    Aic3,
    /// 2 per parameter.
    Aic,
    /// `log N` per parameter.
    Bic,
    /// `log((N + 2)/24)` per parameter.
    SampleAdjustedBic,
    /// `log N + 1` per parameter.
    Caic,
}

impl Criterion {
    /// Its name, as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aic3 => "AIC3",
            Self::Aic => "AIC",
            Self::Bic => "BIC",
            Self::SampleAdjustedBic => "adjusted BIC",
            Self::Caic => "CAIC",
        }
    }

    /// Which number of components was chosen, and the values of all that were compared.
    pub(in crate::models) fn choice<'a>(
        self,
        chosen: usize,
        compared: impl Iterator<Item = (usize, &'a Criteria)>,
    ) -> String {
        let all: Vec<String> =
            compared.map(|(k, criteria)| format!("{k}: {:.1}", criteria.get(self))).collect();
        format!("{chosen} by {} ({})", self.name(), all.join(", "))
    }
}

/// All criteria of one fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Criteria {
    /// Log-likelihood at the estimate, without the prior.
    pub log_likelihood: f64,
    /// Number of free parameters.
    pub n_parameters: usize,
    /// Number of records `N`, with their weights.
    pub n_records: f64,
    /// 2 per parameter.
    pub aic: f64,
    /// 3 per parameter.
    pub aic3: f64,
    /// `log N` per parameter.
    pub bic: f64,
    /// `log((N + 2)/24)` per parameter.
    pub sample_adjusted_bic: f64,
    /// `log N + 1` per parameter.
    pub caic: f64,
}

impl Criteria {
    /// The criteria for a log-likelihood with this many parameters and records.
    pub fn new(log_likelihood: f64, n_parameters: usize, n_records: f64) -> Self {
        let with = |c: f64| -2.0 * log_likelihood + c * n_parameters as f64;
        let log_n = n_records.max(1.0).ln();
        Self {
            log_likelihood,
            n_parameters,
            n_records,
            aic: with(2.0),
            aic3: with(3.0),
            bic: with(log_n),
            sample_adjusted_bic: with(((n_records + 2.0) / 24.0).ln()),
            caic: with(log_n + 1.0),
        }
    }

    /// The value of one criterion.
    pub fn get(&self, criterion: Criterion) -> f64 {
        match criterion {
            Criterion::Aic3 => self.aic3,
            Criterion::Aic => self.aic,
            Criterion::Bic => self.bic,
            Criterion::SampleAdjustedBic => self.sample_adjusted_bic,
            Criterion::Caic => self.caic,
        }
    }
}

/// Relative entropy: 1 when every record's component is certain, 0 when all are equally likely.
pub fn relative_entropy(responsibilities: &Matrix, weights: Option<&[f64]>) -> f64 {
    let (n, k) = (responsibilities.n_rows(), responsibilities.n_columns());
    if k < 2 || n == 0 {
        return 1.0;
    }
    let weight = |u: usize| weights.map_or(1.0, |w| w[u]);
    let mut entropy = 0.0;
    for j in 0..k {
        for (u, &r) in responsibilities.column(j).iter().enumerate() {
            if r > 0.0 {
                entropy -= weight(u) * r * r.ln();
            }
        }
    }
    let total: f64 = (0..n).map(weight).sum();
    1.0 - entropy / (total * (k as f64).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_what_their_definitions_say() {
        let found = Criteria::new(-293.705, 23, 118.0);
        assert!((found.aic - 633.41).abs() < 1e-9);
        assert!((found.aic3 - 656.41).abs() < 1e-9);
        assert!((found.bic - (587.41 + 23.0 * 118.0_f64.ln())).abs() < 1e-9);
        assert!((found.caic - found.bic - 23.0).abs() < 1e-9);
        assert!((found.sample_adjusted_bic - (587.41 + 23.0 * 5.0_f64.ln())).abs() < 1e-9);
    }

    #[test]
    fn certain_components_have_relative_entropy_one_and_open_ones_zero() {
        let certain = Matrix::identity(3);
        assert_eq!(relative_entropy(&certain, None), 1.0);
        let open = Matrix::from_fn(4, 2, |_, _| 0.5);
        assert!(relative_entropy(&open, Some(&[1.0, 2.0, 3.0, 4.0])).abs() < 1e-15);
    }
}
