//! From a rotation to parameters: non-negative, and summing to one.
//!
//! On a sample the estimated columns of `M` have small negative entries. We clip them, normalise, and record how
//! much was clipped: that measures how far the estimate was from being a distribution. (Euclidean projection onto
//! the simplex would also give zeros, but it shifts all entries by a constant, which wipes out small
//! probabilities.) Weights are the non-negative least-squares solution of `M Omega = M1`; dividing an unconstrained
//! solution by its sum could give negative weights.

use crate::linalg::{Matrix, dot, non_negative_least_squares};

/// A column with less positive mass than this contains no topic.
const NO_MASS: f64 = 1e-12;

/// The estimated parameters, in the order of the features.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// `M`, features x topics; columns sum to one.
    pub word_topic: Matrix,
    /// `Omega`; sums to one.
    pub topic_weights: Vec<f64>,
    /// The share of each column's mass that was negative and clipped, in `[0, 1]`.
    pub clipped: Vec<f64>,
    /// Whether each column was empty and was replaced by what the other topics leave unexplained.
    pub degenerate: Vec<bool>,
}

/// Turns estimated columns, which are right up to scale and sign, into parameters.
///
/// `first` is `M1`; `scales` are the weights of its features in the least squares.
pub fn recover(mut columns: Matrix, first: &[f64], scales: &[f64]) -> Recovered {
    let k = columns.n_columns();
    let shares = columns.map_columns(|_, column| clip_and_normalise(column));
    let degenerate: Vec<bool> = shares.iter().map(Option::is_none).collect();
    let clipped = shares.into_iter().map(|share| share.unwrap_or(1.0)).collect();
    let mut topic_weights = weights(&columns, first, scales);
    if degenerate.contains(&true) {
        let residual = unexplained(&columns, &topic_weights, first);
        for j in (0..k).filter(|&j| degenerate[j]) {
            columns.column_mut(j).copy_from_slice(&residual);
        }
        topic_weights = weights(&columns, first, scales);
    }
    Recovered { word_topic: columns, topic_weights, clipped, degenerate }
}

/// Makes a column a distribution and returns the share of its mass that was clipped; if nothing is left, sets it to
/// zero and returns `None`.
pub(crate) fn clip_and_normalise(column: &mut [f64]) -> Option<f64> {
    let sum: f64 = column.iter().sum();
    let sign = if sum < 0.0 { -1.0 } else { 1.0 };
    let (mut kept, mut lost) = (0.0, 0.0);
    for value in column.iter_mut() {
        *value *= sign;
        if *value > 0.0 {
            kept += *value;
        } else {
            lost -= *value;
            *value = 0.0;
        }
    }
    if !(kept.is_finite() && lost.is_finite() && kept >= NO_MASS) {
        column.fill(0.0);
        return None;
    }
    column.iter_mut().for_each(|value| *value /= kept);
    Some(lost / (kept + lost))
}

/// `argmin_{w >= 0} |diag(scales) (M w - M1)|`, divided by its sum.
pub(crate) fn weights(columns: &Matrix, first: &[f64], scales: &[f64]) -> Vec<f64> {
    let mut scaled = columns.clone();
    scaled.scale_rows(scales);
    let target: Vec<f64> = first.iter().zip(scales).map(|(m, g)| m * g).collect();
    let gram = scaled.transpose_times(&scaled);
    let rhs = scaled.map_columns(|_, column| dot(column, &target));
    let solution = non_negative_least_squares(&gram, &rhs);
    let total: f64 = solution.iter().sum();
    if total.is_finite() && total > 0.0 {
        solution.iter().map(|w| w / total).collect()
    } else {
        vec![1.0 / rhs.len() as f64; rhs.len()]
    }
}

/// `max(M1 - M Omega, 0)`, normalised; `M1` if that is zero.
fn unexplained(columns: &Matrix, topic_weights: &[f64], first: &[f64]) -> Vec<f64> {
    let mut rest = first.to_vec();
    for (j, weight) in topic_weights.iter().enumerate() {
        for (target, value) in rest.iter_mut().zip(columns.column(j)) {
            *target -= weight * value;
        }
    }
    rest.iter_mut().for_each(|value| *value = value.max(0.0));
    let total: f64 = rest.iter().sum();
    if total >= NO_MASS {
        rest.iter().map(|value| value / total).collect()
    } else {
        let total: f64 = first.iter().sum();
        first.iter().map(|value| value / total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_entries_are_clipped_and_their_share_is_told() {
        let columns = Matrix::from_columns(3, 1, vec![0.6, 0.3, -0.1]);
        let recovered = recover(columns, &[0.6, 0.3, 0.1], &[1.0; 3]);
        assert!((recovered.clipped[0] - 0.1).abs() < 1e-15);
        assert!((recovered.word_topic[(0, 0)] - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(recovered.word_topic[(2, 0)], 0.0);
    }

    #[test]
    fn a_column_of_the_wrong_sign_is_turned() {
        let columns = Matrix::from_columns(2, 1, vec![-1.0, -3.0]);
        let recovered = recover(columns, &[0.25, 0.75], &[1.0; 2]);
        assert_eq!(recovered.word_topic.column(0), [0.25, 0.75]);
        assert_eq!(recovered.clipped, [0.0]);
    }

    #[test]
    fn an_empty_column_becomes_what_the_others_do_not_explain() {
        let columns = Matrix::from_columns(2, 2, vec![1.0, 0.0, 0.0, f64::NAN]);
        let recovered = recover(columns, &[0.5, 0.5], &[1.0; 2]);
        assert_eq!(recovered.degenerate, [false, true]);
        assert_eq!(recovered.word_topic.column(1), [0.0, 1.0]);
        assert!((recovered.topic_weights[0] - 0.5).abs() < 1e-12);
    }
}
