//! Scores along which a state may be split.
//!
//! With `z_t` the features of a step about the state's mean:
//! the sum of a step and its neighbours along the leading axis of the lag-one covariance within
//! the state (states that persist); their difference along the most negative axis (states that
//! alternate); the first principal axis of `z` for counts and numbers, and its size; and the
//! leading pair between `z_t` and the neighbours' states (states that lead elsewhere).

use super::chain::Chain;
use super::model::HmmModel;
use super::sequences::Emissions;
use crate::linalg::{Matrix, dot, symmetric_eigen};
use crate::models::engine::signed;
use crate::models::scores::scores_along;

/// An alternating axis is used when its eigenvalue is below this fraction of the leading one.
const ALTERNATES: f64 = -0.2;

/// All splits of state `c`.
pub(super) fn cuts(model: &HmmModel, chain: &Chain, r: &Matrix, c: usize) -> Vec<Vec<f64>> {
    let weights = r.column(c);
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let m_zero = |m: usize| vec![0.0; m];
    let mut z = model.step_features();
    let m = z.n_columns();
    for a in 0..m {
        let mean = dot(z.column(a), weights) / total;
        z.column_mut(a).iter_mut().for_each(|x| *x -= mean);
    }
    let neighbours = model.neighbour_sums(&z);
    let mut found = Vec::new();

    let (values, vectors) = symmetric_eigen(&lag_one(model, &z, weights));
    let leading = signed(vectors.column(0));
    let with = |factor: f64| {
        let mut sum = z.clone();
        sum.add(factor, &neighbours);
        sum
    };
    found.push(scores_along(&with(1.0), &m_zero(m), &leading));
    let least = values[m - 1];
    if least < ALTERNATES * values[0].abs() {
        found.push(scores_along(&with(-1.0), &m_zero(m), &signed(vectors.column(m - 1))));
    }
    if matches!(model.observations.layout.emissions, Emissions::Gaussian | Emissions::Poisson) {
        let mut scaled = z.clone();
        scaled.scale_rows(weights);
        let covariance = scaled.transpose_times(&z);
        let axis = signed(symmetric_eigen(&covariance).1.column(0));
        let plain = scores_along(&z, &m_zero(m), &axis);
        let spread = plain.iter().zip(weights).map(|(s, w)| w * s * s).sum::<f64>() / total;
        found.push(plain.clone());
        // The core of the state against its tails.
        found.push(plain.iter().map(|s| s * s - spread).collect());
    }
    if chain.k > 1
        && let Some(scores) = towards_neighbours(model, &z, r, weights, total)
    {
        found.push(scores);
    }
    found
}

/// The symmetrised lag-one covariance within a state.
fn lag_one(model: &HmmModel, z: &Matrix, weights: &[f64]) -> Matrix {
    let m = z.n_columns();
    let mut later = Matrix::zeros(z.n_rows(), m);
    for steps in model.ranges() {
        for t in steps.start..steps.end - 1 {
            let joint = weights[t] * weights[t + 1];
            for a in 0..m {
                later[(t, a)] = joint * z[(t + 1, a)];
            }
        }
    }
    let product = z.transpose_times(&later);
    Matrix::from_fn(m, m, |a, b| 0.5 * (product[(a, b)] + product[(b, a)]))
}

/// Scores of the leading singular pair between `z_t` and the states before and after.
fn towards_neighbours(
    model: &HmmModel,
    z: &Matrix,
    r: &Matrix,
    weights: &[f64],
    total: f64,
) -> Option<Vec<f64>> {
    let (n, k, m) = (r.n_rows(), r.n_columns(), z.n_columns());
    let mut around = Matrix::zeros(n, 2 * k);
    for steps in model.ranges() {
        for j in 0..k {
            for t in steps.clone() {
                if t > steps.start {
                    around[(t, j)] = r[(t - 1, j)];
                }
                if t + 1 < steps.end {
                    around[(t, k + j)] = r[(t + 1, j)];
                }
            }
        }
    }
    for a in 0..2 * k {
        let mean = dot(around.column(a), weights) / total;
        around.column_mut(a).iter_mut().for_each(|x| *x -= mean);
    }
    let mut scaled = z.clone();
    scaled.scale_rows(weights);
    let cross = scaled.transpose_times(&around);
    let (values, vectors) = symmetric_eigen(&cross.times(&cross.transpose()));
    if values[0] <= 0.0 || !values[0].is_finite() {
        return None;
    }
    let left = signed(vectors.column(0));
    let right: Vec<f64> = (0..2 * k).map(|a| dot(cross.column(a), &left)).collect();
    let standard = |scores: Vec<f64>| {
        let square = scores.iter().zip(weights).map(|(s, w)| w * s * s).sum::<f64>() / total;
        let scale = 1.0 / square.sqrt().max(1e-150);
        scores.iter().map(|s| s * scale).collect::<Vec<f64>>()
    };
    let own = standard(scores_along(z, &vec![0.0; m], &left));
    let others = standard(scores_along(&around, &vec![0.0; 2 * k], &right));
    Some(own.iter().zip(&others).map(|(x, y)| x + y).collect())
}
