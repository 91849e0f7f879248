//! The density of a component, prepared once for all records with the same missing values.
//!
//! ```text
//! log omega N(x_o; mu, Sigma) = constant - |z|^2 / 2,   z = L^-1 (x_o - mu_o),   L L' = Sigma_oo
//! ```
//!
//! Where variables are correlated, it also contains the regression of missing values on observed ones, `Sigma_mo
//! Sigma_oo^-1`, and the remaining covariance `Sigma_mm - Sigma_mo Sigma_oo^-1 Sigma_om`.

use super::blocks::Pattern;
use super::factor::{inverse_lower, log_diagonal, lower_factor};
use super::shape::Mixture;
use crate::linalg::Matrix;

/// A density ready to be evaluated on the records of one pattern.
pub(super) struct Density {
    /// Rows of the inverse Cholesky factor over observed variables, packed; or inverse standard deviations.
    pub(super) whitening: Vec<f64>,
    /// `log omega - (o log 2pi + log|Sigma_oo|)/2`.
    pub(super) constant: f64,
    /// Coefficients of missing variables on observed ones, row after row.
    pub(super) regression: Vec<f64>,
    /// Covariance of missing variables given observed ones, row after row.
    pub(super) conditional: Vec<f64>,
}

/// The density of component `j` over the observed variables of a pattern.
pub(super) fn density(mixture: &Mixture, j: usize, pattern: &Pattern) -> Density {
    let (observed, missing) = (&pattern.observed, &pattern.missing);
    let log_two_pi = (2.0 * std::f64::consts::PI).ln();
    let base = mixture.weights()[j].max(1e-300).ln() - 0.5 * observed.len() as f64 * log_two_pi;
    let spread = mixture.spread(j);
    if !mixture.covariance.is_matrix() {
        let variance = |&a: &usize| spread[a.min(spread.len() - 1)];
        let log_root: f64 = observed.iter().map(|a| 0.5 * variance(a).ln()).sum();
        return Density {
            whitening: observed.iter().map(|a| 1.0 / variance(a).sqrt()).collect(),
            constant: base - log_root,
            regression: Vec::new(),
            conditional: Vec::new(),
        };
    }
    let d = mixture.d;
    let (o, m) = (observed.len(), missing.len());
    let at = |a: usize, b: usize| spread[b * d + a];
    let own: Vec<f64> =
        observed.iter().flat_map(|&b| observed.iter().map(move |&a| at(a, b))).collect();
    let lower = lower_factor(&own, o);
    let inverse = inverse_lower(&lower);
    let constant = base - log_diagonal(&lower, o);
    let whitening: Vec<f64> =
        (0..o).flat_map(|a| (0..=a).map(move |b| (a, b))).map(|ab| inverse[ab]).collect();
    // Regression on the whitened observed variables, then on the variables themselves.
    let cross = Matrix::from_fn(m, o, |x, y| {
        (0..=y).map(|b| inverse[(y, b)] * at(missing[x], observed[b])).sum()
    });
    let coefficients = cross.times(&inverse);
    let explained = cross.times(&cross.transpose());
    Density {
        whitening,
        constant,
        regression: (0..m).flat_map(|x| coefficients.row(x)).collect(),
        conditional: (0..m)
            .flat_map(|x| (0..m).map(move |y| (x, y)))
            .map(|(x, y)| at(missing[x], missing[y]) - explained[(x, y)])
            .collect(),
    }
}
