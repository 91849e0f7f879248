//! A hidden Markov model from three consecutive observations (Anandkumar, Hsu and Kakade 2012).
//!
//! Given the middle state, the observations before, at and after it are independent. With
//! `P13 = E[x1 x3']` of rank `k`, `P13 = U S V'`:
//!
//! ```text
//! M2   = C1 P13 C3',   C1 = E[x2 x3'] P13*,  C3 = E[x2 x1'] P31*
//! M3_i = C1 E[x2_i x1 x3'] C3'                 both symmetrised
//! ```
//!
//! are the moments of a mixture over the middle state, whose centres are the emissions and whose weights are the
//! distribution of the state. With windows instead of single symbols (means of the one-hot observations of `w`
//! steps) this holds approximately if states persist, and contains far more information.

use crate::linalg::{Matrix, dot, non_negative_least_squares, symmetric_eigen};
use crate::moments::{DenseMoments, MAX_FEATURES, Rows};
use crate::whitening::{Scaling, Whitening};
use crate::{Method, Moments};

/// A k-th singular value of `E[x1 x3']` below this fraction of the first is noise.
const VISIBLE: f64 = 1e-8;

/// Sums over three consecutive symbols, or windows.
#[derive(Clone, Debug)]
pub struct TripleMoments {
    /// `E[x1 x3']`.
    pub first_third: Matrix,
    /// `E[x1 x2']`.
    pub first_second: Matrix,
    /// `E[x2 x3']`.
    pub second_third: Matrix,
    /// `E[x2_i x1 x3']`, a matrix for each feature `i`.
    pub triples: Vec<Matrix>,
}

/// Emissions and the distribution of the middle state.
#[derive(Clone, Debug)]
pub struct ThreeViews {
    /// Expected feature in each state, feature by state; not yet clipped to probabilities.
    pub emissions: Matrix,
    /// The distribution of the middle state.
    pub weights: Vec<f64>,
    /// `A`, row by column, from pairs; not yet clipped.
    pub transitions: Matrix,
}

impl TripleMoments {
    /// The exact moments of three consecutive symbols of a chain that begins with `law`, as a reference.
    /// `transitions` row by column, `emissions` symbol by state.
    pub fn exact(law: &[f64], transitions: &Matrix, emissions: &Matrix) -> Self {
        let (n, k) = (emissions.n_rows(), law.len());
        let column = |state: usize| -> Vec<(usize, f64)> {
            (0..n).map(|x| (x, emissions[(x, state)])).collect()
        };
        let columns: Vec<Vec<(usize, f64)>> = (0..k).map(column).collect();
        let mut moments = Self::zeros(n);
        for i in 0..k {
            for j in 0..k {
                for l in 0..k {
                    let path = law[i] * transitions[(i, j)] * transitions[(j, l)];
                    moments.add([&columns[i], &columns[j], &columns[l]], path);
                }
            }
        }
        moments
    }

    /// The moments of all three consecutive symbols of a sequence over `n` symbols.
    pub fn of_symbols(symbols: &[usize], n: usize) -> Self {
        let mut moments = Self::zeros(n);
        for w in symbols.windows(3) {
            moments.add([&[(w[0], 1.0)], &[(w[1], 1.0)], &[(w[2], 1.0)]], 1.0);
        }
        moments.scaled(1.0 / symbols.len().saturating_sub(2).max(1) as f64)
    }

    /// Moments of no triples, for `n` features.
    pub(super) fn zeros(n: usize) -> Self {
        let zero = || Matrix::zeros(n, n);
        Self {
            first_third: zero(),
            first_second: zero(),
            second_third: zero(),
            triples: (0..n).map(|_| zero()).collect(),
        }
    }

    /// Adds three views, each a sparse vector of (feature, value), `weight` times.
    pub(super) fn add(&mut self, views: [&[(usize, f64)]; 3], weight: f64) {
        let [first, second, third] = views;
        for &(a, x) in first {
            for &(c, z) in third {
                self.first_third[(a, c)] += weight * x * z;
                for &(b, y) in second {
                    self.triples[b][(a, c)] += weight * x * y * z;
                }
            }
            for &(b, y) in second {
                self.first_second[(a, b)] += weight * x * y;
            }
        }
        for &(b, y) in second {
            for &(c, z) in third {
                self.second_third[(b, c)] += weight * y * z;
            }
        }
    }

    /// All sums times a factor.
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        let all = [&mut self.first_third, &mut self.first_second, &mut self.second_third];
        for matrix in all.into_iter().chain(&mut self.triples) {
            matrix.values_mut().iter_mut().for_each(|x| *x *= factor);
        }
        self
    }

    /// The hidden Markov model of `k` states with these moments, by a decomposition of choice;
    /// exact moments give exact parameters. `None` where they do not show `k` states.
    pub fn decompose(&self, k: usize, method: Method) -> Option<ThreeViews> {
        let n = self.first_third.n_rows();
        if n < k || n > MAX_FEATURES {
            return None;
        }
        let (u, s, v) = leading_svd(&self.first_third, k)?;
        let inverse: Vec<f64> = s.iter().map(|x| 1.0 / x).collect();
        // C1 = left U', C3 = right V'.
        let mut left = self.second_third.times(&v);
        left.scale_columns(&inverse);
        let mut right = self.first_second.transpose_times(&u);
        right.scale_columns(&inverse);
        let symmetric = |core: &Matrix| {
            let product = left.times(core).times(&right.transpose());
            Matrix::from_fn(n, n, |a, b| 0.5 * (product[(a, b)] + product[(b, a)]))
        };
        let diagonal = Matrix::from_fn(k, k, |a, b| if a == b { s[a] } else { 0.0 });
        let second = symmetric(&diagonal);
        let third: Vec<Matrix> = self
            .triples
            .iter()
            .map(|slice| symmetric(&u.transpose_times(&slice.times(&v))))
            .collect();
        let first: Vec<f64> = (0..n).map(|a| second.column(a).iter().sum()).collect();
        let moments = DenseMoments::new(first.iter().map(|x| x.max(0.0)).collect(), second, third);
        let whitening = Whitening::fit(&moments, k, Scaling::Scaled).ok()?;
        let found = method.decompose(&moments, &whitening, Rows::Kept);
        let emissions = match method {
            Method::Joint | Method::Svtd => {
                moments.third_diagonals(whitening.basis(), &found.rotation)
            }
            _ => {
                let mut columns = whitening.factor().times(&found.rotation);
                let sums: Vec<f64> =
                    (0..k).map(|j| 1.0 / columns.column(j).iter().sum::<f64>()).collect();
                columns.scale_columns(&sums);
                columns
            }
        };
        if emissions.values().iter().any(|x| !x.is_finite()) {
            return None;
        }
        let gram = emissions.transpose_times(&emissions);
        let target: Vec<f64> = (0..k).map(|j| dot(emissions.column(j), &first)).collect();
        let weights = non_negative_least_squares(&gram, &target);
        let transitions = self.transitions(&emissions, &gram, &weights)?;
        Some(ThreeViews { emissions, weights, transitions })
    }

    /// `diag(1/omega) M* E[x2 x3'] M*'`.
    fn transitions(&self, emissions: &Matrix, gram: &Matrix, weights: &[f64]) -> Option<Matrix> {
        let inverse = crate::linalg::positive_inverse(gram)?;
        let pseudo = emissions.times(&inverse);
        let joint = pseudo.transpose_times(&self.second_third.times(&pseudo));
        let k = weights.len();
        Some(Matrix::from_fn(k, k, |i, j| joint[(i, j)] / weights[i].max(1e-12)))
    }
}

/// The `k` leading singular triples; `None` where the k-th is noise.
fn leading_svd(matrix: &Matrix, k: usize) -> Option<(Matrix, Vec<f64>, Matrix)> {
    let (values, vectors) = symmetric_eigen(&matrix.times(&matrix.transpose()));
    if !(values[k - 1] > (VISIBLE * VISIBLE) * values[0] && values[0] > 0.0) {
        return None;
    }
    let u = vectors.columns(0..k);
    let s: Vec<f64> = values[..k].iter().map(|x| x.sqrt()).collect();
    let mut v = matrix.transpose_times(&u);
    v.scale_columns(&s.iter().map(|x| 1.0 / x).collect::<Vec<f64>>());
    Some((u, s, v))
}

/// The second singular value of `E[x1 x3']`: how much information is left two steps later.
pub(super) fn second_value(first_third: &Matrix) -> f64 {
    let values = symmetric_eigen(&first_third.times(&first_third.transpose())).0;
    values.get(1).map_or(0.0, |v| v.max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_moments_give_exact_emissions_and_transitions() {
        let a = Matrix::from_columns(3, 3, vec![0.7, 0.2, 0.1, 0.2, 0.5, 0.2, 0.1, 0.3, 0.7]);
        let b = Matrix::from_columns(
            4,
            3,
            vec![0.6, 0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.6, 0.1, 0.5, 0.3, 0.1],
        );
        let flat: Vec<f64> = (0..3).flat_map(|i| a.row(i)).collect();
        let law = super::super::chain::stationary(&flat, 3);
        for method in [Method::Joint, Method::Svtd, Method::TensorPower { seed: 2 }] {
            let found = TripleMoments::exact(&law, &a, &b).decompose(3, method).unwrap();
            let far = |j: usize, c: usize| -> f64 {
                (0..4).map(|x| (found.emissions[(x, c)] - b[(x, j)]).abs()).fold(0.0, f64::max)
            };
            let place: Vec<usize> = (0..3)
                .map(|j| (0..3).min_by(|&x, &y| far(j, x).total_cmp(&far(j, y))).unwrap())
                .collect();
            for i in 0..3 {
                assert!(far(i, place[i]) < 1e-8, "{method:?}: {}", far(i, place[i]));
                assert!((found.weights[place[i]] - law[i]).abs() < 1e-8);
                for j in 0..3 {
                    let difference = found.transitions[(place[i], place[j])] - a[(i, j)];
                    assert!(difference.abs() < 1e-8, "{method:?}: {difference}");
                }
            }
        }
    }

    #[test]
    fn fewer_symbols_than_states_decline() {
        let moments = TripleMoments::zeros(2);
        assert!(moments.decompose(3, Method::Joint).is_none());
    }
}
