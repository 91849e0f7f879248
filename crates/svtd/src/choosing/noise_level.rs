//! The error of the estimated pair moment, estimated from the sample itself.
//!
//! Documents are independent, so the variance of `M2 = sum_d w2_d Q_d`, `Q_d = x_d x_d' - diag(x_d)`,
//! is the sum of their variances. With `a = sum_i x_i^2`, `b = sum_i x_i^3` and the weights
//! `u_d = w2_d c_d (c_d - 1)`, which sum to one,
//!
//! ```text
//! |Q_d|^2 = a_d^2 - 2 b_d + a_d
//! E |M2~ - M2|^2 = sum_d w2_d^2 E |Q_d|^2  -  sum_d u_d^2 |M2|^2
//! ```
//!
//! The first sum is counted; `|M2|` is taken from the leading eigenvalues of the (unscaled) pair moment, which are
//! hardly affected by noise. This holds for documents of one topic or of many, because the plain pair moment is
//! estimated here.
//!
//! # Cost
//! One pass over the counts and a whitening.

use serde::Serialize;

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::moments::{Counting, DocumentWeights, MomentWeights, SingleTopicMoments};
use crate::whitening::{Scaling, Whitening};

/// The tolerance of directions when only their eigenvalues are needed, relative to the last eigenvalue.
const EIGENVALUE_TOLERANCE: f64 = 0.1;

/// The noise of an estimated pair moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairNoise {
    /// The expected `|M2~ - M2|`, by Frobenius norm.
    pub noise: f64,
    /// `|M2|`, from the leading eigenvalues.
    pub size: f64,
}

impl PairNoise {
    /// Estimates the noise of a corpus' pair moment under a law of weights; its size is computed from `n_values`
    /// eigenvalues (or as many as are positive).
    ///
    /// # Errors
    /// When the corpus has no moments: no document of three words, or weights that do not fit.
    pub fn estimate(corpus: &Corpus, law: &DocumentWeights, n_values: usize) -> Result<Self> {
        let moments = SingleTopicMoments::estimate(corpus, law, Counting::Raw)?;
        let size = size(&moments, n_values.clamp(1, corpus.n_present()))?;
        Ok(Self { noise: noise(corpus, moments.weights(), size), size })
    }
}

/// `|M2|` from at most `k` leading eigenvalues.
pub(crate) fn size(moments: &SingleTopicMoments<'_>, k: usize) -> Result<f64> {
    // The error of an eigenvalue is the square of that of its direction, so approximate directions are enough.
    let fit = |k| Whitening::fit_to(EIGENVALUE_TOLERANCE, moments, k, Scaling::Plain, &|_, _| {});
    let whitening = match fit(k) {
        Err(Error::FewerTopicsVisible { visible, .. }) if visible > 0 => fit(visible)?,
        outcome => outcome?,
    };
    let values = &whitening.eigenvalues()[..whitening.n_topics()];
    Ok(values.iter().map(|v| v * v).sum::<f64>().sqrt())
}

/// The expected `|M2~ - M2|` under weights of the raw counts.
pub(crate) fn noise(corpus: &Corpus, weights: &MomentWeights, size: f64) -> f64 {
    let mut variance = 0.0;
    for (d, w2) in weights.second.iter().enumerate().filter(|(_, w2)| **w2 > 0.0) {
        let (mut a, mut b) = (0.0, 0.0);
        for x in corpus.rows().row(d).1.iter().map(|&x| f64::from(x)) {
            a += x * x;
            b += x * x * x;
        }
        let c = corpus.lengths()[d] as f64;
        let share = w2 * c * (c - 1.0);
        variance += w2 * w2 * (a * a - 2.0 * b + a) - (share * size).powi(2);
    }
    variance.max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::moment_errors;
    use crate::synthetic::{Lengths, SingleTopicSource};

    #[test]
    fn the_noise_of_one_document_is_counted_by_hand() {
        // Documents aab and b: one pair moment, Q = [[2, 2], [2, 0]], c(c-1) = 6.
        let mut builder = Corpus::builder(2);
        builder.push_document([(0, 2), (1, 1)]).unwrap();
        builder.push_document([(1, 1)]).unwrap();
        let corpus = builder.build().unwrap();
        let moments =
            SingleTopicMoments::estimate(&corpus, &DocumentWeights::Paper, Counting::Raw).unwrap();
        let expected = (12.0 / 36.0 - 0.25_f64).sqrt();
        assert!((noise(&corpus, moments.weights(), 0.5) - expected).abs() < 1e-15);
    }

    #[test]
    fn the_noise_is_that_of_repeated_corpora() {
        let source = SingleTopicSource::zipf(120, 4, 5.0, 100.0, 5.0, 1);
        let lengths = Lengths::LogNormal { mu: 3.0, sigma: 0.8 };
        for law in [DocumentWeights::Optimal, DocumentWeights::Paper, DocumentWeights::Zou] {
            let (mut observed, mut estimated) = (0.0, 0.0);
            for seed in 0..12 {
                let (corpus, _) = source.draw(300, &lengths, 100 + seed);
                let (m, w) = (&source.word_topic, &source.topic_weights);
                observed += moment_errors(&corpus, &law, m, w).unwrap().second.powi(2);
                estimated += PairNoise::estimate(&corpus, &law, 4).unwrap().noise.powi(2);
            }
            let ratio = (estimated / observed).sqrt();
            assert!((0.85..1.15).contains(&ratio), "{law:?}: {ratio}");
        }
    }
}
