//! Components: the terms of the moments of any latent variable model with `k` hidden groups.
//!
//! If `M2 = sum_j w_j mu_j mu_j'` and `M3 = sum_j w_j mu_j x mu_j x mu_j` with positive weights and
//! independent `mu_j`, whitening and the rotation give
//!
//! ```text
//! (E O)_j = sqrt(w_j) mu_j            up to sign
//! T(o_j, o_j, o_j) = 1 / sqrt(w_j)    positive for the right sign
//! ```
//!
//! so both are known: `w_j = 1 / t_j^2` and `mu_j = t_j (E O)_j` with `t_j = T(o_j, o_j, o_j)`. The sign comes from
//! the third moment and not from a column's sum, and nothing is clipped or normalised: means may be negative.
//! [`recovery`](crate::recovery) turns columns into probabilities for models that have them.

use super::joint;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::moments::Moments;
use crate::whitening::{Scaling, Whitening};

/// The terms of the moments, `mu_j` and `w_j`, heaviest first.
#[derive(Clone, Debug)]
pub struct Components {
    /// `mu_j` in column `j`, features x components.
    pub centres: Matrix,
    /// `w_j`.
    pub weights: Vec<f64>,
    /// The part of the third moment that the rotation does not diagonalise, from 0 (the moments have exactly these
    /// terms) to 1.
    pub residual: f64,
    /// Leading eigenvalues of the pair moment: `k` of them and, if there is one, the next.
    pub eigenvalues: Vec<f64>,
}

/// Finds the `k` terms that the moments are made of, by joint diagonalisation.
///
/// Features are [scaled](Scaling::Scaled) as frequencies are, unless a mean is negative: then they are no frequencies,
/// and all features count alike. With exact moments the result does not depend on that.
///
/// # Errors
/// When there are fewer features than components, or fewer than `k` directions stand out of
/// rounding.
pub fn decompose(moments: &dyn Moments, k: usize) -> Result<Components> {
    let scaling = match moments.first().iter().all(|mean| *mean >= 0.0) {
        true => Scaling::Scaled,
        false => Scaling::Plain,
    };
    let whitening = Whitening::fit(moments, k, scaling)?;
    let cube = moments.third_whitened(whitening.basis());
    let found = joint::decompose(&cube, &whitening);
    let along = |o: &[f64]| -> f64 {
        let slice = |a: usize| {
            let rows = cube.slice(a).chunks_exact(k).zip(o);
            rows.map(|(row, ob)| ob * row.iter().zip(o).map(|(t, oc)| t * oc).sum::<f64>())
                .sum::<f64>()
        };
        o.iter().enumerate().map(|(a, oa)| oa * slice(a)).sum()
    };
    let thirds: Vec<f64> = (0..k).map(|j| along(found.rotation.column(j))).collect();
    let weight = |t: f64| 1.0 / (t * t).max(f64::MIN_POSITIVE);
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&a, &b| weight(thirds[b]).total_cmp(&weight(thirds[a])).then(a.cmp(&b)));
    let mut centres = whitening.factor().times(&found.rotation);
    centres.scale_columns(&thirds);
    Ok(Components {
        centres: centres.select_columns(&order),
        weights: order.iter().map(|&j| weight(thirds[j])).collect(),
        residual: found.residual,
        eigenvalues: whitening.eigenvalues().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moments::ExactMoments;

    /// Compares the terms that are found with those that exact moments are made of.
    fn compare(centres: &Matrix, weights: [f64; 3]) {
        let moments = ExactMoments::single_topic(centres.clone(), &weights);
        let found = decompose(&moments, 3).unwrap();
        // The square root of a sum of squared rounding errors.
        assert!(found.residual < 1e-7, "{}", found.residual);
        for j in 0..3 {
            assert!((found.weights[j] - weights[j]).abs() < 1e-10, "{:?}", found.weights);
            for i in 0..5 {
                let (is, should) = (found.centres[(i, j)], centres[(i, j)]);
                assert!((is - should).abs() < 1e-9, "{i} {j}: {is} and {should}");
            }
        }
    }

    #[test]
    fn exact_moments_give_back_centres_of_any_sign_and_their_weights() {
        // Centres with negative entries, one of which sums to zero; two of the five means are negative.
        let centres = vec![
            1.0, -2.0, 0.5, 0.0, 3.0, //
            -1.5, 0.5, 1.0, 1.0, -1.0, //
            0.2, 0.1, -4.0, 2.0, -0.3,
        ];
        compare(&Matrix::from_columns(5, 3, centres), [0.5, 0.3, 0.2]);
    }

    #[test]
    fn exact_moments_give_back_frequencies_and_their_weights() {
        let frequencies = vec![
            0.5, 0.2, 0.1, 0.1, 0.1, //
            0.1, 0.1, 0.5, 0.2, 0.1, //
            0.0, 0.3, 0.1, 0.1, 0.5,
        ];
        compare(&Matrix::from_columns(5, 3, frequencies), [0.5, 0.3, 0.2]);
    }
}
