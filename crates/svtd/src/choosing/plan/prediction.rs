//! The expected errors of topics, to first order: the formulas at the head of [`plan`](super).

use super::{MIXTURES, PlanSource, SINGLE_TOPIC};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot, positive_inverse};
use crate::model::Kind;

impl PlanSource {
    pub(super) fn predictor(&self) -> Result<Predictor<'_>> {
        let spreads = match self.kind {
            Kind::SingleTopic => None,
            Kind::Lda => Some(self.spreads()?),
        };
        Ok(Predictor { source: self, spreads })
    }

    /// For every topic `j`, the noise along its dual direction.
    pub(super) fn spreads(&self) -> Result<Vec<Spread>> {
        let (n, k) = (self.word_topic.n_rows(), self.weights.len());
        let first: Vec<f64> = (0..n)
            .map(|i| (0..k).map(|j| self.weights[j] * self.word_topic[(i, j)]).sum())
            .collect();
        let mut scaled = self.word_topic.clone();
        let squared: Vec<f64> = first.iter().map(|m1| 1.0 / (m1 + 1.0 / n as f64)).collect();
        scaled.scale_rows(&squared);
        let gram = self.word_topic.transpose_times(&scaled);
        let inverse = positive_inverse(&gram).ok_or_else(|| Error::Option {
            name: "the topics of a plan",
            needed: "independent of each other".to_owned(),
            found: "topics that are mixtures of others".to_owned(),
        })?;
        let dual = scaled.times(&inverse);
        let alpha0 = self.alpha0;
        let a1 = alpha0 / (alpha0 + 1.0);
        let along: Vec<f64> = (0..k).map(|j| dot(&first, dual.column(j))).collect();
        // M2a b_j = w_j / (alpha0 + 1) mu_j, which sums to its factor.
        let sums: Vec<f64> = self.weights.iter().map(|w| w / (alpha0 + 1.0)).collect();
        let mut totals = Matrix::zeros(k, k);
        let mut words = vec![0.0; k];
        let mut squares = dual;
        squares.values_mut().iter_mut().for_each(|b| *b *= *b);
        // s_lj: the mean square of b_j over the words of topic l.
        let squares = self.word_topic.transpose_times(&squares);
        let mixtures = self.mixtures();
        let c = f64::from(self.length);
        let pairs = c * (c - 1.0);
        for d in 0..mixtures.n_rows() {
            let h = mixtures.row(d);
            for j in 0..k {
                let variance = (dot(squares.column(j), &h) - h[j] * h[j]).max(0.0);
                let spread = c * variance / (pairs * pairs);
                for l in 0..k {
                    // With one more word of topic l, its own contribution to x'b is left out on average.
                    let own = if l == j { 1.0 } else { 0.0 };
                    let mean = (c * h[j] - own) / pairs - a1 * along[j] / c;
                    totals[(l, j)] += h[l] * (mean * mean + spread);
                }
            }
            for (word, h) in words.iter_mut().zip(&h) {
                *word += h;
            }
        }
        Ok((0..k)
            .map(|j| Spread {
                squares: (0..k).map(|l| totals[(l, j)] / words[l].max(f64::MIN_POSITIVE)).collect(),
                sum: sums[j],
            })
            .collect())
    }
}

/// The noise along one dual direction.
pub(super) struct Spread {
    /// `E[t^2]` given a word of topic `l`, for each topic `l`.
    pub(super) squares: Vec<f64>,
    /// `s_j`: the sum of `M2a b_j`, by which the estimated topic is divided.
    sum: f64,
}

/// Predicts the errors of a source's topics.
pub(super) struct Predictor<'a> {
    source: &'a PlanSource,
    /// The noise along the dual direction of each topic; `None` if documents have a single topic.
    spreads: Option<Vec<Spread>>,
}

impl Predictor<'_> {
    pub(super) fn mean(&self, n_documents: f64) -> f64 {
        let errors = self.errors(n_documents);
        errors.iter().sum::<f64>() / errors.len() as f64
    }

    pub(super) fn errors(&self, n_documents: f64) -> Vec<f64> {
        (0..self.source.weights.len()).map(|j| self.error(j, n_documents).min(2.0)).collect()
    }

    fn error(&self, j: usize, n_documents: f64) -> f64 {
        let PlanSource { word_topic, weights, length, .. } = self.source;
        let c = f64::from(*length);
        match &self.spreads {
            None => {
                let words = n_documents * weights[j] * c;
                let deviations = word_topic.column(j).iter().map(|mu| deviation(words * mu));
                SINGLE_TOPIC * deviations.sum::<f64>() / words
            }
            Some(spreads) => {
                let spread = &spreads[j];
                let deviation = |i: usize| {
                    let variance: f64 = (0..weights.len())
                        .map(|l| weights[l] * word_topic[(i, l)] * spread.squares[l])
                        .sum();
                    let normal = (std::f64::consts::FRAC_2_PI * c * variance / n_documents).sqrt();
                    (normal / spread.sum).min(2.0 * word_topic[(i, j)].max(normal))
                };
                MIXTURES * (0..word_topic.n_rows()).map(deviation).sum::<f64>()
            }
        }
    }
}

/// The mean absolute deviation of a Poisson number of this mean.
pub(super) fn deviation(mean: f64) -> f64 {
    if mean <= 0.0 {
        return 0.0;
    }
    if mean > 1e3 {
        return (std::f64::consts::FRAC_2_PI * mean).sqrt();
    }
    let whole = mean.floor();
    let log_factorial: f64 = (1..=whole as u32).map(|i| f64::from(i).ln()).sum();
    2.0 * ((whole + 1.0) * mean.ln() - mean - log_factorial).exp()
}
