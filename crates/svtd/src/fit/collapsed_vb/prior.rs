//! The prior of collapsed variational Bayes on topics and mixtures.
//!
//! In *text* a word that occurs once is likely to occur again, whatever the topic, so repetitions
//! say nothing about topics. Fixed numbers work best there: `alpha = 0.1` for every topic, `eta =
//! 0.05` for every word, and zeroth-order updates, which ignore the variance of mixtures.
//!
//! *Documents that follow the model* show how similar their topics are ([`smoothing`]): topics are
//! Dirichlet around the corpus' frequencies, `eta_i = S M1_i`, and a mixture is Dirichlet with the
//! sum `alpha0`, of which each topic gets its share of the words. There the updates are of second
//! order: without the variance of mixtures topics would end too far apart.

use crate::corpus::Corpus;
use crate::fit::smoothing;
use crate::model::features::frequencies;
use crate::questions::Order;

/// The Dirichlet parameter of a document's mixture, per topic, in text.
const ALPHA: f64 = 0.1;

/// The Dirichlet parameter of a topic's words, per word, in text. Where documents follow the model
/// it is the smallest mean of `eta`.
const ETA: f64 = 0.05;

/// The Dirichlet parameter of mixtures, `alpha`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mixtures {
    /// The parameter of every topic, the same for all.
    Each(f64),
    /// The sum over topics; each topic gets a part in proportion to its share of the words.
    Total(f64),
}

/// The prior on topics and mixtures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prior {
    mixtures: Mixtures,
    /// `eta`, one number per feature.
    pub eta: Vec<f64>,
    /// Whether the variance of a mixture is used.
    pub order: Order,
}

impl Prior {
    /// The prior for text with this many features.
    pub fn of_text(n_features: usize) -> Self {
        Self { mixtures: Mixtures::Each(ALPHA), eta: vec![ETA; n_features], order: Order::Zeroth }
    }

    /// For documents that follow the model with `k` topics.
    pub fn of_model(corpus: &Corpus, alpha0: f64, k: usize) -> Self {
        let least = ETA * corpus.n_present() as f64;
        let strength = smoothing::of_mixtures(corpus, alpha0, k).max(least);
        let eta = frequencies(corpus).iter().map(|f| strength * f).collect();
        Self { mixtures: Mixtures::Total(alpha0), eta, order: Order::Second }
    }

    /// The strength of the prior on each topic, as a number of words.
    pub fn strength(&self) -> f64 {
        self.eta.iter().sum()
    }

    /// `alpha`, when the topics have these shares of the words.
    pub fn alpha(&self, shares: &[f64]) -> Vec<f64> {
        match self.mixtures {
            Mixtures::Each(alpha) => vec![alpha; shares.len()],
            Mixtures::Total(alpha0) => {
                let least = LEAST_SHARE / shares.len() as f64;
                let raised: Vec<f64> = shares.iter().map(|share| share.max(least)).collect();
                let total: f64 = raised.iter().sum();
                raised.iter().map(|share| alpha0 * share / total).collect()
            }
        }
    }

    /// `alpha` where it is an estimate of the mixtures' distribution; `None` on text, where it is a
    /// fixed number that only keeps mixtures positive.
    pub fn of_any_document(&self, shares: &[f64]) -> Option<Vec<f64>> {
        self.is_of_model().then(|| self.alpha(shares))
    }

    /// The same prior for part of the counts: features `kept`, and a fraction `part` of the tokens. It is
    /// scaled down with them, so that its weight relative to the counts stays the same.
    pub fn in_part(&self, kept: &[u32], part: f64) -> Self {
        let part = if self.is_of_model() { part } else { 1.0 };
        let eta = kept.iter().map(|&i| part * self.eta[i as usize]).collect();
        Self { eta, ..*self }
    }

    fn is_of_model(&self) -> bool {
        matches!(self.mixtures, Mixtures::Total(_))
    }
}

/// The prior gives no topic less than this fraction of an equal share.
const LEAST_SHARE: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn shares_make_alpha_and_none_is_nothing() {
        let corpus = LdaSource::uniform(60, 4, 1.0, 3).draw(200, &Lengths::Fixed(40), 9).0;
        let prior = Prior::of_model(&corpus, 2.0, 4);
        let alpha = prior.alpha(&[0.5, 0.3, 0.2, 0.0]);
        assert!((alpha.iter().sum::<f64>() - 2.0).abs() < 1e-12);
        assert!((alpha[0] / alpha[1] - 5.0 / 3.0).abs() < 1e-12 && alpha[3] > 0.0, "{alpha:?}");
        assert_eq!(Prior::of_text(60).alpha(&[0.9, 0.1]), [ALPHA; 2]);
    }
}
