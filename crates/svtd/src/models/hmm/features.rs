//! Observations as vectors, for partitions and splits.
//!
//! Categories are one-hot, each entry divided by its standard deviation; counts and numbers are standardised;
//! counts of symbols are shares. Missing values are at the mean.

use super::model::HmmModel;
use super::sequences::Emissions;
use crate::linalg::Matrix;

/// Variance added to that of a category, so that rare ones do not dominate.
const RIDGE: f64 = 0.02;

impl HmmModel {
    /// The features of every distinct observation, centred and scaled.
    pub(super) fn row_features(&self) -> Matrix {
        let observations = &self.observations;
        let layout = &observations.layout;
        let overall = &observations.overall;
        let width =
            if layout.emissions == Emissions::Categorical { layout.width() } else { layout.d };
        let mut features = Matrix::zeros(observations.n_rows(), width);
        let mut weights = vec![0.0; observations.n_rows()];
        observations.codes.iter().for_each(|&code| weights[code as usize] += 1.0);
        for u in 0..observations.n_rows() {
            let row = observations.row(u);
            let total: f64 = row.iter().filter(|x| !x.is_nan()).sum();
            for (v, &x) in row.iter().enumerate() {
                if x.is_nan() {
                    continue;
                }
                match layout.emissions {
                    Emissions::Categorical => {
                        for c in layout.offsets[v]..layout.offsets[v + 1] {
                            let hit = f64::from(u8::from(layout.offsets[v] + x as usize == c));
                            let p = overall[c];
                            features[(u, c)] = (hit - p) / (p * (1.0 - p) + RIDGE).sqrt();
                        }
                    }
                    Emissions::Multinomial => {
                        let p = overall[v];
                        let share = x / total.max(1.0);
                        features[(u, v)] = (share - p) / (p * (1.0 - p) + RIDGE).sqrt();
                    }
                    Emissions::Poisson | Emissions::Gaussian => features[(u, v)] = x,
                }
            }
        }
        if matches!(layout.emissions, Emissions::Poisson) {
            standardise(&mut features, observations, &weights);
        }
        features
    }

    /// The features of every step.
    pub(super) fn step_features(&self) -> Matrix {
        let rows = self.row_features();
        let codes = &self.observations.codes;
        Matrix::from_fn(codes.len(), rows.n_columns(), |t, a| rows[(codes[t] as usize, a)])
    }

    /// Every step's sum with its neighbours in the same sequence.
    pub(super) fn neighbour_sums(&self, features: &Matrix) -> Matrix {
        let mut sums = Matrix::zeros(features.n_rows(), features.n_columns());
        for steps in self.ranges() {
            for a in 0..features.n_columns() {
                let source = &features.column(a)[steps.clone()];
                let target = &mut sums.column_mut(a)[steps.clone()];
                for t in 0..source.len() {
                    let before = if t > 0 { source[t - 1] } else { 0.0 };
                    let after = source.get(t + 1).copied().unwrap_or(0.0);
                    target[t] = before + after;
                }
            }
        }
        sums
    }
}

/// Columns to mean 0 and variance 1 over the steps; missing values to 0.
fn standardise(
    features: &mut Matrix,
    observations: &super::observations::Observations,
    weights: &[f64],
) {
    for v in 0..features.n_columns() {
        let seen = |u: usize| !observations.row(u)[v].is_nan();
        let column = features.column_mut(v);
        let total: f64 = (0..column.len()).filter(|&u| seen(u)).map(|u| weights[u]).sum();
        let mean = column.iter().zip(weights).map(|(x, w)| w * x).sum::<f64>() / total.max(1.0);
        let mut variance = 0.0;
        for (u, x) in column.iter_mut().enumerate() {
            *x = if seen(u) { *x - mean } else { 0.0 };
            variance += weights[u] * *x * *x;
        }
        let deviation = (variance / total.max(1.0)).sqrt().max(1e-12);
        column.iter_mut().for_each(|x| *x /= deviation);
    }
}
