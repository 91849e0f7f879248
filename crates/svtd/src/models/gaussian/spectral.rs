//! Spherical Gaussian mixtures from three moments (Hsu and Kakade 2013).
//!
//! On `x` with a constant coordinate 1 appended, `D = diag(1, ..., 1, 0)`:
//!
//! ```text
//! sbar2 = mean of the d-k+1 smallest eigenvalues of Cov(x), V their eigenvectors
//! a     = E[ x |V'(x - Ex)|^2 ] / (d-k+1)                     = sum_j omega_j sigma_j^2 mu_j
//! M2    = E[x x'] - sbar2 D                                   = sum_j omega_j mu_j mu_j'
//! M3_i  = E[x_i x x'] - ( a_i D + a (D e_i)' + (D e_i) a' )   = sum_j omega_j mu_ij mu_j mu_j'
//! ```
//!
//! The constant matters: centring the data removes one direction of `M2`, and without it the last direction is
//! noise. A column of `E O` is `omega_j^(1/2) (mu_j, 1)`, so its last entry is the square root of the weight and
//! the others divided by it are the centre.

use crate::linalg::{Matrix, dot, symmetric_eigen};
use crate::moments::{DenseMoments, MAX_FEATURES, Rows};
use crate::whitening::{Scaling, Whitening};
use crate::{Method, Moments};

/// The corrected moments of records, with what the variances need.
pub(crate) struct SphericalMoments {
    /// Moments of the means, constant coordinate last.
    pub(crate) dense: DenseMoments,
    /// `a = sum_j omega_j sigma_j^2 mu_j`, constant coordinate last.
    pub(crate) variance_sum: Vec<f64>,
}

/// Components of a spherical mixture, read off moments.
#[derive(Clone, Debug)]
pub struct SphericalComponents {
    /// Centre of every component.
    pub centres: Vec<Vec<f64>>,
    /// Weight of every component; they sum to one up to the noise of the moments.
    pub weights: Vec<f64>,
    /// Variance of every component; may be negative on a sample.
    pub variances: Vec<f64>,
}

/// Raw moments of records up to the third, as sums that can be exact or estimated.
#[derive(Clone, Debug)]
pub struct RawMoments {
    /// `E[x]`.
    pub first: Vec<f64>,
    /// `E[x x']`.
    pub second: Matrix,
    /// `E[x_i x x']`, one matrix for each variable.
    pub third: Vec<Matrix>,
}

impl RawMoments {
    /// The exact raw moments of a spherical mixture, as a reference.
    pub fn exact(weights: &[f64], means: &[Vec<f64>], variances: &[f64]) -> Self {
        let d = means.first().map_or(0, Vec::len);
        let delta = |a: usize, b: usize| if a == b { 1.0 } else { 0.0 };
        let sum = |f: &dyn Fn(usize) -> f64| (0..weights.len()).map(|j| weights[j] * f(j)).sum();
        let pair =
            |j: usize, a: usize, b: usize| means[j][a] * means[j][b] + variances[j] * delta(a, b);
        let triple = |j: usize, i: usize, a: usize, b: usize| {
            let m = &means[j];
            let noise = m[i] * delta(a, b) + m[a] * delta(i, b) + m[b] * delta(i, a);
            m[i] * m[a] * m[b] + variances[j] * noise
        };
        Self {
            first: (0..d).map(|a| sum(&|j| means[j][a])).collect(),
            second: Matrix::from_fn(d, d, |a, b| sum(&|j| pair(j, a, b))),
            third: (0..d)
                .map(|i| Matrix::from_fn(d, d, |a, b| sum(&|j| triple(j, i, a, b))))
                .collect(),
        }
    }

    /// The raw moments of rows with weights.
    pub fn of(features: &Matrix, weights: &[f64]) -> Self {
        let d = features.n_columns();
        let total: f64 = weights.iter().sum();
        let mut scaled = features.clone();
        scaled.scale_rows(&weights.iter().map(|w| w / total).collect::<Vec<f64>>());
        let first = (0..d).map(|a| scaled.column(a).iter().sum()).collect();
        let second = scaled.transpose_times(features);
        let third = (0..d)
            .map(|i| {
                let mut sliced = scaled.clone();
                sliced.scale_rows(features.column(i));
                sliced.transpose_times(features)
            })
            .collect();
        Self { first, second, third }
    }

    /// The moments of the means of `k` spherical components; `None` where `d < k`.
    fn corrected(&self, k: usize) -> Option<SphericalMoments> {
        let d = self.first.len();
        if d < k || d + 1 > MAX_FEATURES {
            return None;
        }
        let m1 = &self.first;
        let covariance = Matrix::from_fn(d, d, |a, b| self.second[(a, b)] - m1[a] * m1[b]);
        let (values, vectors) = symmetric_eigen(&covariance);
        let rest = d - k + 1;
        let mean_variance = values[k - 1..].iter().sum::<f64>() / rest as f64;
        // P = V V', so that |V'(x - Ex)|^2 = sum over P of products.
        let basis = vectors.columns(k - 1..d);
        let projection = basis.times(&basis.transpose());
        let pm = |a: usize| dot(projection.column(a), m1);
        let spread = |raw: &Matrix, first: &dyn Fn(usize) -> f64, zeroth: f64| {
            let squares = dot(projection.values(), raw.values());
            let cross: f64 = (0..d).map(|a| pm(a) * first(a)).sum();
            let constant: f64 = (0..d).map(|a| pm(a) * m1[a]).sum();
            squares - 2.0 * cross + constant * zeroth
        };
        let mut a: Vec<f64> = (0..d)
            .map(|i| spread(&self.third[i], &|b| self.second[(i, b)], m1[i]) / rest as f64)
            .collect();
        a.push(spread(&self.second, &|b| m1[b], 1.0) / rest as f64);
        let noise = |i: usize, j: usize| if i == j && i < d { 1.0 } else { 0.0 };
        let raw2 = |i: usize, j: usize| match (i == d, j == d) {
            (true, true) => 1.0,
            (true, false) => m1[j],
            (false, true) => m1[i],
            _ => self.second[(i, j)],
        };
        let raw3 = |i: usize, x: usize, y: usize| {
            if i < d && x < d && y < d {
                self.third[i][(x, y)]
            } else {
                // One index is the constant: a second moment of the other two.
                let mut others: Vec<usize> = vec![i, x, y];
                others.sort_unstable();
                raw2(others[0], others[1])
            }
        };
        let second = Matrix::from_fn(d + 1, d + 1, |i, j| raw2(i, j) - mean_variance * noise(i, j));
        let third = (0..=d)
            .map(|i| {
                Matrix::from_fn(d + 1, d + 1, |x, y| {
                    raw3(i, x, y) - a[i] * noise(x, y) - a[x] * noise(i, y) - a[y] * noise(i, x)
                })
            })
            .collect();
        let mut first = m1.clone();
        first.push(1.0);
        Some(SphericalMoments { dense: DenseMoments::new(first, second, third), variance_sum: a })
    }

    /// The components of a spherical mixture with these moments, by a decomposition of choice;
    /// exact moments give exact components. `None` where the moments do not show `k` of them.
    pub fn spherical_components(&self, k: usize, method: Method) -> Option<SphericalComponents> {
        let moments = self.corrected(k)?;
        let whitening = Whitening::fit(&moments.dense, k, Scaling::Plain).ok()?;
        let found = method.decompose(&moments.dense, &whitening, Rows::Kept);
        let columns = whitening.factor().times(&found.rotation);
        let d = self.first.len();
        // Coordinates of `a` in the columns: omega_j sigma_j^2 / omega_j^(1/2).
        let dual = whitening.unmixing().times(&found.rotation);
        let mut result =
            SphericalComponents { centres: Vec::new(), weights: Vec::new(), variances: Vec::new() };
        for j in 0..k {
            let root = columns[(d, j)];
            if !root.is_finite() || root.abs() < 1e-12 {
                return None;
            }
            result.centres.push((0..d).map(|a| columns[(a, j)] / root).collect());
            result.weights.push(root * root);
            result.variances.push(dot(dual.column(j), &moments.variance_sum) / root);
        }
        debug_assert_eq!(moments.dense.n_features(), d + 1);
        Some(result)
    }
}

/// Centres of spherical components from the moments of rows, clipped to the range of the data.
pub(super) fn spherical_centres(
    features: &Matrix,
    weights: &[f64],
    k: usize,
) -> Option<Vec<Vec<f64>>> {
    if features.n_columns() < k || features.n_columns() + 1 > MAX_FEATURES {
        return None;
    }
    let found = RawMoments::of(features, weights).spherical_components(k, Method::Joint)?;
    let range: Vec<(f64, f64)> = (0..features.n_columns())
        .map(|a| {
            let bounds = (f64::INFINITY, f64::NEG_INFINITY);
            features.column(a).iter().fold(bounds, |(low, high), &x| (low.min(x), high.max(x)))
        })
        .collect();
    let clip = |centre: &Vec<f64>| {
        centre.iter().zip(&range).map(|(x, (low, high))| x.clamp(*low, *high)).collect()
    };
    Some(found.centres.iter().map(clip).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_moments_give_exact_components() {
        let weights = [0.5, 0.2, 0.3];
        let means =
            vec![vec![1.0, 0.0, -2.0, 0.5], vec![-1.5, 2.0, 0.3, 0.0], vec![0.2, -1.0, 1.0, 2.0]];
        let variances = [0.5, 1.5, 0.8];
        for method in [Method::Joint, Method::Svtd, Method::TensorPower { seed: 1 }] {
            let found = RawMoments::exact(&weights, &means, &variances)
                .spherical_components(3, method)
                .unwrap();
            for (j, mean) in means.iter().enumerate() {
                let near = |c: &Vec<f64>| -> f64 {
                    c.iter().zip(mean).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
                };
                let best = (0..3)
                    .min_by(|&a, &b| near(&found.centres[a]).total_cmp(&near(&found.centres[b])));
                let best = best.unwrap();
                assert!(near(&found.centres[best]) < 1e-8, "{method:?} {found:?}");
                assert!((found.weights[best] - weights[j]).abs() < 1e-8);
                assert!((found.variances[best] - variances[j]).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn fewer_variables_than_components_decline() {
        let raw = RawMoments::exact(&[0.4, 0.3, 0.3], &vec![vec![0.0, 1.0]; 3], &[1.0; 3]);
        assert!(raw.spherical_components(3, Method::Joint).is_none());
    }
}
