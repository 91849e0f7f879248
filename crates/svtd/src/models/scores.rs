//! Scores of rows along a direction, for splitting components.

use crate::linalg::{Matrix, dot};

/// `(x - centre)' direction` for every row `x`.
pub(crate) fn scores_along(features: &Matrix, centre: &[f64], direction: &[f64]) -> Vec<f64> {
    let shift = dot(centre, direction);
    let mut scores = vec![-shift; features.n_rows()];
    for (a, v) in direction.iter().enumerate() {
        for (s, x) in scores.iter_mut().zip(features.column(a)) {
            *s += v * x;
        }
    }
    scores
}
