//! The bias of smoothing: how far it moves topics away from the truth.
//!
//! Smoothed topics `p_ij = (S_ij + eta_i) / m_j` are shrunk towards the corpus. Without sampling
//! error they would be biased by `(eta_i - e p_ij) / m_j`, with `e` the sum of `eta`. The jackknife
//! does not show this bias, and estimating it from the counted words is inaccurate where these are
//! few. But `e` is chosen so that topics are Dirichlet around the corpus with concentration `e`,
//! and for such topics the mean square is known:
//!
//! ```text
//! E (eta_i - e p_ij)^2 / m_j^2  =  eta_i (1 - eta_i / e) e / (e + 1) / m_j^2   <=   eta_i / m_j^2
//! ```
//!
//! Together with the variance of the counts, `S_j p_ij / m_j^2`, this is `p_ij / m_j`, the variance
//! of a topic given its words. Where the counted words show a larger bias than that, the error is
//! raised until the interval covers it.

use rayon::prelude::*;

use super::T_FACTOR;
use crate::linalg::Matrix;

/// Widens the errors of topics whose words, `eta` included, are `masses`.
pub(super) fn widen(errors: &mut Matrix, topics: &Matrix, masses: &[f64], eta: &[f64]) {
    let strength: f64 = eta.iter().sum();
    let n = errors.n_rows().max(1);
    errors.values_mut().par_chunks_exact_mut(n).enumerate().for_each(|(j, column)| {
        let mass = masses[j].max(f64::MIN_POSITIVE);
        let counted = (mass - strength).max(f64::MIN_POSITIVE);
        for ((error, p), eta) in column.iter_mut().zip(topics.column(j)).zip(eta) {
            let expected = eta / (mass * mass);
            let seen = ((eta - strength * p) / counted).clamp(-1.0, 1.0) / T_FACTOR;
            *error = (*error * *error + expected.max(seen * seen)).sqrt();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};

    #[test]
    fn the_variance_of_counts_and_the_pull_make_the_error() {
        // Topics around known frequencies, with a concentration that is about half of their words.
        let (n, k, concentration) = (200, 6, 1000.0);
        let base: Vec<f64> = (1..=n).map(|i| 1.0 / (i as f64 + 5.0)).collect();
        let total: f64 = base.iter().sum();
        let eta: Vec<f64> = base.iter().map(|b| concentration * b / total).collect();
        let (mut actual, mut counted, mut widened) = (0.0, 0.0, 0.0);
        for seed in 0..20 {
            let source = SingleTopicSource::zipf(n, k, 5.0, concentration, 50.0, seed);
            let (corpus, about) = source.draw(120, &Lengths::Fixed(100), seed + 50);
            let mut sums = Matrix::zeros(n, k);
            for (d, &j) in about.iter().enumerate() {
                let (features, counts) = corpus.rows().row(d);
                for (&i, &x) in features.iter().zip(counts) {
                    sums[(corpus.word_of_feature()[i as usize] as usize, j)] += f64::from(x);
                }
            }
            let masses: Vec<f64> =
                (0..k).map(|j| sums.column(j).iter().sum::<f64>() + concentration).collect();
            let topics = Matrix::from_fn(n, k, |i, j| (sums[(i, j)] + eta[i]) / masses[j]);
            let mut errors = Matrix::from_fn(n, k, |i, j| {
                ((masses[j] - concentration) * topics[(i, j)]).sqrt() / masses[j]
            });
            let size = |errors: &Matrix| -> f64 {
                (0..k)
                    .flat_map(|j| (0..n).map(move |i| (i, j)))
                    .map(|at| errors[at].powi(2) / eta[at.0])
                    .sum()
            };
            counted += size(&errors);
            widen(&mut errors, &topics, &masses, &eta);
            widened += size(&errors);
            let mut off = topics;
            off.add(-1.0, &source.word_topic);
            actual += size(&off);
        }
        assert!(actual > 1.2 * counted, "{actual} and {counted}");
        assert!((widened / actual - 1.0).abs() < 0.1, "{widened} and {actual}");
    }

    #[test]
    fn a_word_far_from_the_corpus_is_pulled_further_than_expected() {
        // Counted: 27 and 3 of 30 words, with 1 and 9 of the corpus added.
        let topics = Matrix::from_columns(2, 1, vec![0.7, 0.3]);
        let mut errors = Matrix::zeros(2, 1);
        widen(&mut errors, &topics, &[40.0], &[1.0, 9.0]);
        let seen = (0.9 - 0.7) / T_FACTOR;
        assert!(seen > 1.0 / 40.0 && (errors[(0, 0)] - seen).abs() < 1e-15, "{errors:?}");
    }
}
