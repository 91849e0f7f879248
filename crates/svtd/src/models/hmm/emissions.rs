//! A start from the symbol distributions of the states.

use super::chain::Chain;
use super::model::HmmModel;
use super::symbols::{MISSING, Symbols};
use crate::linalg::Matrix;
use crate::models::engine::LatentModel;

/// The weight of an estimate in a start; the rest is the overall distribution.
pub(super) const BELIEVED: f64 = 0.9;

/// Estimated emissions as probabilities, shrunk by a tenth towards the overall distribution.
pub(super) fn clipped(emissions: &Matrix, frequencies: &[f64]) -> Matrix {
    let mut laws = emissions.clone();
    for j in 0..laws.n_columns() {
        let column = laws.column_mut(j);
        column.iter_mut().for_each(|x| *x = x.max(0.0));
        let total: f64 = column.iter().sum();
        for (x, m) in column.iter_mut().zip(frequencies) {
            let law = if total > 0.0 { *x / total } else { *m };
            *x = BELIEVED * law + (1.0 - BELIEVED) * m;
        }
    }
    laws
}

/// A chain whose states have given symbol distributions; transitions from counts of pairs.
pub(super) fn from_emissions(
    model: &HmmModel,
    symbols: &Symbols,
    laws: &Matrix,
    weights: &[f64],
) -> Chain {
    let k = laws.n_columns();
    let joint = joint_transitions(&symbols.bigrams(model), laws);
    let least = 0.1 / k as f64;
    let weights: Vec<f64> = weights.iter().map(|w| w.max(least)).collect();
    let total: f64 = weights.iter().sum();
    let shares: Vec<f64> = weights.iter().map(|w| w / total).collect();
    // The state probabilities of a step given only its symbol.
    let posterior = Matrix::from_fn(symbols.of.len(), k, |t, j| {
        if symbols.of[t] == MISSING {
            return shares[j];
        }
        let s = symbols.of[t] as usize;
        let all: f64 = (0..k).map(|c| shares[c] * laws[(s, c)]).sum();
        if all > 0.0 { shares[j] * laws[(s, j)] / all } else { shares[j] }
    });
    let pairs: Vec<f64> =
        (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).map(|ij| joint[ij]).collect();
    let steps = model.n_rows() as f64;
    let scaled: Vec<f64> = pairs.iter().map(|x| x * steps).collect();
    let initial: Vec<f64> = shares.iter().map(|w| w * model.ranges().len() as f64).collect();
    let row_weights = model.weights_of(&posterior);
    let mut chain = model.maximised(&initial, &scaled, &row_weights, model.prior.max(1.0));
    if symbols.are_categories {
        for j in 0..k {
            chain.emission_mut(j).copy_from_slice(laws.column(j));
        }
    }
    chain
}

/// `Q` with `M Q M'` close to the frequencies of pairs: fifty multiplicative steps.
fn joint_transitions(bigrams: &Matrix, laws: &Matrix) -> Matrix {
    let k = laws.n_columns();
    let total: f64 = bigrams.values().iter().sum::<f64>().max(1.0);
    let mut q =
        Matrix::from_fn(k, k, |i, j| (if i == j { 0.5 } else { 0.0 } + 0.5 / k as f64) / k as f64);
    let transposed = laws.transpose();
    for _ in 0..50 {
        let mut ratio = laws.times(&q).times(&transposed);
        for (value, count) in ratio.values_mut().iter_mut().zip(bigrams.values()) {
            *value = if *count > 0.0 { count / total / value.max(1e-300) } else { 0.0 };
        }
        let update = transposed.times(&ratio).times(laws);
        q.values_mut().iter_mut().zip(update.values()).for_each(|(x, u)| *x *= u);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_are_recovered_when_emissions_are_known() {
        let laws = Matrix::from_columns(3, 2, vec![0.7, 0.2, 0.1, 0.1, 0.3, 0.6]);
        let q = Matrix::from_columns(2, 2, vec![0.35, 0.15, 0.15, 0.35]);
        let bigrams = laws.times(&q).times(&laws.transpose());
        let found = joint_transitions(&bigrams, &laws);
        let difference =
            found.values().iter().zip(q.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 0.02, "{difference}");
    }
}
