//! Means over seeds, and exponents of growth.

use crate::table::Cell;
use svtd_report::figure::Point;

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// The standard error of the mean; zero for a single number.
    pub error: f64,
}

impl Mean {
    /// The mean of some numbers; NaN when there are none.
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - value) * (v - value)).sum();
        let error = if values.len() > 1 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
        Self { value, error }
    }

    /// A point of a figure with a band of two standard errors.
    pub fn point(&self, x: f64) -> Point {
        let (low, high) = (self.value - 2.0 * self.error, self.value + 2.0 * self.error);
        Point { x, y: self.value, low, high, open: false }
    }
}

impl From<Mean> for Cell {
    fn from(mean: Mean) -> Self {
        Cell::Mean(mean.value, mean.error)
    }
}

/// The median; the mean of the two middle numbers if their number is even.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (n, middle) if n % 2 == 1 => sorted[middle],
        (_, middle) => 0.5 * (sorted[middle - 1] + sorted[middle]),
    }
}

/// The exponent `p` of `y = c x^p` by least squares of the logarithms.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mx, my) =
        (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let variance: f64 = logs.iter().map(|(x, _)| (x - mx) * (x - mx)).sum();
    covariance / variance
}

/// Spearman's rank correlation; tied numbers get their mean rank.
pub fn rank_correlation(x: &[f64], y: &[f64]) -> f64 {
    let (a, b) = (ranks(x), ranks(y));
    let (ma, mb) = (Mean::of(&a).value, Mean::of(&b).value);
    let product = |u: &[f64], mu: f64, v: &[f64], mv: f64| -> f64 {
        u.iter().zip(v).map(|(p, q)| (p - mu) * (q - mv)).sum()
    };
    product(&a, ma, &b, mb) / (product(&a, ma, &a, ma) * product(&b, mb, &b, mb)).sqrt()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |v: &f64| values.iter().filter(|w| *w < v).count() as f64;
    let equal = |v: &f64| values.iter().filter(|w| *w == v).count() as f64;
    values.iter().map(|v| below(v) + 0.5 * (equal(v) - 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_the_error_of_a_mean() {
        let mean = Mean::of(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(mean.value, 2.5);
        assert!((mean.error - (5.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
        assert_eq!(Mean::of(&[7.0]).error, 0.0);
    }

    #[test]
    fn a_power_law_gives_its_exponent() {
        let points: Vec<(f64, f64)> =
            (1..6).map(|x| (x as f64, 3.0 * (x as f64).powi(4))).collect();
        assert!((exponent(&points) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn ranks_correlate_whatever_the_scale() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert!((rank_correlation(&x, &[0.1, 5.0, 5.1, 900.0]) - 1.0).abs() < 1e-15);
        assert!((rank_correlation(&x, &[4.0, 3.0, 2.0, 1.0]) + 1.0).abs() < 1e-15);
        // Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: covariance 4.5, variances 5 and 4.5.
        let tied = rank_correlation(&x, &[1.0, 2.0, 2.0, 3.0]);
        assert!((tied - 4.5 / (5.0_f64 * 4.5).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
