//! The mixture of a new document by Gibbs sampling (Remark 3.1).
//!
//! Each token is given a topic; in turn each token's topic is drawn anew given all the others,
//!
//! ```text
//! P(Y = j | the others, word i) proportional to mu_ij (n_-j + alpha_j)
//! ```
//!
//! and the mixture is the mean of `(n_j + alpha_j)/(c + alpha0)` over the sweeps that are kept (a sweep visits every token once).
//!
//! The random generator is seeded with the caller's seed and the document's words, so a document's result depends
//! neither on its position nor on the other documents.
//!
//! # Departures from the paper
//! Equation 4 writes `alpha_i` where the topic's `alpha_j` is meant. The paper keeps the last pass; we average over
//! all kept passes, which costs nothing and is less noisy.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{TopicTable, Words};
use crate::corpus::Corpus;
use crate::error::{Error, Result};

/// The longest document, in words, that is sampled: every word is visited in every sweep.
pub const MAX_LENGTH: u64 = 10_000_000;

/// A Gibbs sampler for mixtures.
#[derive(Clone, Debug, PartialEq)]
pub struct Gibbs {
    seed: u64,
    burn_in: usize,
    sweeps: usize,
}

impl Default for Gibbs {
    fn default() -> Self {
        Self { seed: 0, burn_in: 50, sweeps: 200 }
    }
}

impl Gibbs {
    /// The seed of the random generator.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Number of sweeps thrown away before any is kept.
    pub fn burn_in(mut self, sweeps: usize) -> Self {
        self.burn_in = sweeps;
        self
    }

    /// Number of sweeps kept and averaged; at least one.
    pub fn sweeps(mut self, sweeps: usize) -> Self {
        self.sweeps = sweeps.max(1);
        self
    }

    /// Refuses documents too long to be sampled word by word.
    pub(super) fn check(corpus: &Corpus) -> Result<()> {
        match corpus.lengths().iter().position(|&length| length > MAX_LENGTH) {
            None => Ok(()),
            Some(document) => Err(Error::Document {
                document,
                reason: format!(
                    "{} words; Gibbs sampling visits each in every sweep and takes at most \
                     {MAX_LENGTH}: use the default inference",
                    corpus.lengths()[document]
                ),
            }),
        }
    }

    /// The mixture of a document: the prior when it has no words.
    pub fn mixture(&self, table: &TopicTable, document: &Words) -> Vec<f64> {
        let k = table.n_topics();
        let mut rng = ChaCha8Rng::seed_from_u64(document_seed(self.seed, document));
        let tokens: Vec<u32> =
            document.iter().flat_map(|&(word, x)| (0..x).map(move |_| word)).collect();
        let mut counts = vec![0.0; k];
        let mut odds = vec![0.0; k];
        let mut topics: Vec<Option<usize>> = vec![None; tokens.len()];
        let mut sum = vec![0.0; k];
        // The first sweep gives every token its first topic.
        for sweep in 0..=self.burn_in + self.sweeps {
            for (token, topic) in tokens.iter().zip(&mut topics) {
                if let Some(old) = *topic {
                    counts[old] -= 1.0;
                }
                let m = table.word(*token);
                for j in 0..k {
                    odds[j] = m[j] * (counts[j] + table.alpha()[j]);
                }
                *topic = draw(&mut rng, &odds);
                if let Some(new) = *topic {
                    counts[new] += 1.0;
                }
            }
            if sweep > self.burn_in {
                sum.iter_mut().zip(&counts).for_each(|(s, c)| *s += c);
            }
        }
        let kept = self.sweeps as f64;
        let means: Vec<f64> = sum.iter().zip(table.alpha()).map(|(s, a)| s / kept + a).collect();
        let total: f64 = means.iter().sum();
        means.iter().map(|m| m / total).collect()
    }
}

/// Draws an index with probability proportional to `odds`; `None` when all are zero.
pub(crate) fn draw(rng: &mut ChaCha8Rng, odds: &[f64]) -> Option<usize> {
    let total: f64 = odds.iter().sum();
    if total <= 0.0 {
        return None;
    }
    let mut left = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * total;
    for (j, odd) in odds.iter().enumerate() {
        if left < *odd {
            return Some(j);
        }
        left -= odd;
    }
    odds.iter().rposition(|odd| *odd > 0.0)
}

/// A seed from the caller's and the document's words (FNV-1a over 64-bit words).
fn document_seed(seed: u64, document: &Words) -> u64 {
    document.iter().fold(seed ^ 0xCBF2_9CE4_8422_2325, |hash, &(word, x)| {
        (hash ^ (u64::from(word) << 32 | u64::from(x))).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
