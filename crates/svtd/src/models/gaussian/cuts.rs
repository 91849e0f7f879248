//! Directions along which a component may be split.
//!
//! With `y` the residual whitened by the component's own covariance and `q = |y|^2`:
//! the first principal axis of the residual; the axes of least and largest fourth moment
//! `sum R q y y'` (two humps, and tails); the direction of skewness `sum R q y`; and `q - d`
//! (core against tail).

use super::factor::{inverse_lower, lower_factor};
use super::model::GaussianModel;
use super::shape::Mixture;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::models::engine::signed;
use crate::models::scores::scores_along;

/// All splits of component `c`; records in the order of the blocks. Missing values count as the component's mean.
pub(super) fn cuts(
    model: &GaussianModel,
    mixture: &Mixture,
    responsibilities: &Matrix,
    c: usize,
) -> Vec<Vec<f64>> {
    let d = mixture.d;
    let residuals = residuals(model, mixture.mean(c));
    let weights: Vec<f64> =
        responsibilities.column(c).iter().zip(&model.row_weights).map(|(r, w)| r * w).collect();
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let centre = weighted_mean(&residuals, &weights, total);
    let covariance = weighted_gram(&residuals, &centre, &weights, total);
    let mut found = Vec::new();

    // First principal axis; where variables are independent, in units of the model's variances.
    let units: Vec<f64> = if mixture.covariance.is_matrix() {
        vec![1.0; d]
    } else {
        let spread = mixture.spread(c);
        (0..d).map(|a| 1.0 / spread[a.min(spread.len() - 1)].max(1e-12).sqrt()).collect()
    };
    let scaled = Matrix::from_fn(d, d, |a, b| covariance[(a, b)] * units[a] * units[b]);
    let axis = signed(symmetric_eigen(&scaled).1.column(0));
    let direction: Vec<f64> = axis.iter().zip(&units).map(|(v, s)| v * s).collect();
    found.push(scores_along(&residuals, &centre, &direction));

    let whitening = ridge_whitening(&covariance);
    let whitened = residuals.times(&whitening.transpose());
    let middle = weighted_mean(&whitened, &weights, total);
    let squares: Vec<f64> = (0..whitened.n_rows())
        .map(|u| (0..d).map(|a| (whitened[(u, a)] - middle[a]).powi(2)).sum())
        .collect();
    let fourth: Vec<f64> = weights.iter().zip(&squares).map(|(w, q)| w * q).collect();
    if d > 1 {
        let kurtosis = weighted_gram(&whitened, &middle, &fourth, total);
        let vectors = symmetric_eigen(&kurtosis).1;
        for column in [d - 1, 0] {
            found.push(scores_along(&whitened, &middle, &signed(vectors.column(column))));
        }
    }
    let skewness: Vec<f64> = (0..d)
        .map(|a| {
            let column = whitened.column(a).iter().zip(&fourth);
            column.map(|(y, w)| w * (y - middle[a])).sum()
        })
        .collect();
    found.push(scores_along(&whitened, &middle, &skewness));
    found.push(squares.iter().map(|q| q - d as f64).collect());
    found
}

/// `x - mu`, zero where missing.
fn residuals(model: &GaussianModel, mean: &[f64]) -> Matrix {
    let blocks = &model.problem.blocks;
    let mut residuals = Matrix::zeros(blocks.n_records(), mean.len());
    for block in &blocks.blocks {
        for &a in &blocks.patterns[block.pattern].observed {
            for u in 0..block.len {
                residuals[(block.first + u, a)] =
                    block.values[a * super::blocks::WIDTH + u] - mean[a];
            }
        }
    }
    residuals
}

fn weighted_mean(rows: &Matrix, weights: &[f64], total: f64) -> Vec<f64> {
    let mean =
        |a: usize| rows.column(a).iter().zip(weights).map(|(x, w)| w * x).sum::<f64>() / total;
    (0..rows.n_columns()).map(mean).collect()
}

fn weighted_gram(rows: &Matrix, centre: &[f64], weights: &[f64], total: f64) -> Matrix {
    let mut centred = rows.clone();
    for (a, c) in centre.iter().enumerate() {
        centred.column_mut(a).iter_mut().for_each(|x| *x -= c);
    }
    let mut scaled = centred.clone();
    scaled.scale_rows(weights);
    let mut gram = scaled.transpose_times(&centred);
    gram.scale_columns(&vec![1.0 / total; centre.len()]);
    gram
}

/// The inverse Cholesky factor, with a small ridge for components of few records.
fn ridge_whitening(covariance: &Matrix) -> Matrix {
    let d = covariance.n_rows();
    let trace: f64 = (0..d).map(|a| covariance[(a, a)]).sum();
    let mut lifted = covariance.clone();
    (0..d).for_each(|a| lifted[(a, a)] += 1e-6 * trace / d as f64 + 1e-12);
    inverse_lower(&lower_factor(lifted.values(), d))
}
