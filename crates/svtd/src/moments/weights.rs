//! How much a document counts in each moment.
//!
//! Every estimator of the family
//!
//! ```text
//! M1 = X'w1      M2 = X' diag(w2) X - diag(X'w2)      M3 likewise with w3
//! ```
//!
//! is unbiased as long as the weights depend on the lengths alone and are normalised: `sum w1 c = sum w2 c(c-1) =
//! sum w3 c(c-1)(c-2) = 1`. The choice of weights determines the variance.
//!
//! Theorem 2.1 weighs a document by its number of pairs or triples, Zou et al. weigh all documents equally. A
//! per-document estimator is a U-statistic whose variance is, to leading order and with `s = trace(M2)`, the
//! probability that two words of a document coincide,
//!
//! ```text
//! 1/v2 = s^2 + 4 s/c + 2/(c(c-1))
//! 1/v3 = s^3 + 9 s^2/c + 18 s/c^2 + 6/(c(c-1)(c-2))
//! ```
//!
//! so `v2` and `v3` are the weights of smallest variance. They approach the paper's weights for documents much
//! shorter than `1/s` and Zou's for much longer ones. They are the default.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::questions::{Law, Weighing};

/// The law that gives each document its weight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentWeights {
    /// Smallest variance for the given lengths.
    #[default]
    Optimal,
    /// By number of pairs and triples: Theorem 2.1.
    Paper,
    /// All documents equally: Zou et al. Poor when there are short documents.
    Zou,
    /// Three words drawn from every document, all documents equally; needs a seed.
    ThreeWords {
        /// Determines which three words are drawn.
        seed: u64,
    },
    /// A weight for each document, given by the caller.
    Custom(Vec<f64>),
}

impl DocumentWeights {
    /// This law for some of the documents only.
    pub fn of(&self, documents: &[usize]) -> Self {
        match self {
            DocumentWeights::Custom(weights) => DocumentWeights::Custom(
                documents.iter().filter_map(|&d| weights.get(d).copied()).collect(),
            ),
            law => law.clone(),
        }
    }

    /// The weights given by the caller, if any.
    pub(crate) fn own(&self) -> Option<&[f64]> {
        match self {
            DocumentWeights::Custom(weights) => Some(weights),
            _ => None,
        }
    }
}

/// The weights of all documents in the three moments, `w1`, `w2`, `w3`.
#[derive(Clone, Debug, PartialEq)]
pub struct MomentWeights {
    /// `w1`: in `M1`.
    pub first: Vec<f64>,
    /// `w2`: in `M2`; zero for documents of fewer than two words.
    pub second: Vec<f64>,
    /// `w3`: in `M3`; zero for documents of fewer than three words.
    pub third: Vec<f64>,
}

impl MomentWeights {
    /// The weights that a law gives to documents of these lengths; `coincidence` is the probability that two words
    /// of a document coincide.
    pub(crate) fn new(law: &DocumentWeights, lengths: &[f64], coincidence: f64) -> Result<Self> {
        let own = law.own();
        let sum = |term: &dyn Fn(usize) -> f64| (0..lengths.len()).map(term).sum::<f64>();
        let at_least = |least| lengths.iter().filter(|&&c| c >= least).count() as f64;
        let pairs = sum(&|d| if lengths[d] >= 2.0 { tuples(lengths[d], 2) } else { 0.0 });
        let sums = LengthSums {
            with_pairs: at_least(2.0),
            with_triples: at_least(3.0),
            pairs,
            repeats: coincidence * pairs,
        };
        sums.check()?;
        own.map_or(Ok(()), |own| check_custom(own, lengths))?;
        let totals = |law: Law| {
            [1, 2, 3]
                .map(|order| sum(&|d| law.value(order, lengths[d], own.map_or(1.0, |own| own[d]))))
        };
        Ok(Weighing::find(law, &sums, totals).weights(lengths, own))
    }

    /// The weights of some of the documents.
    pub(crate) fn of(&self, documents: &[usize]) -> Self {
        let of = |weights: &[f64]| documents.iter().map(|&d| weights[d]).collect();
        Self { first: of(&self.first), second: of(&self.second), third: of(&self.third) }
    }

    /// The effective number of documents behind the pair moment, `1 / W2` of Theorem 2.2.
    pub fn effective_documents_pairs(&self, lengths: &[f64]) -> f64 {
        effective(&self.second, lengths, 2)
    }

    /// The effective number of documents behind the triple moment, `1 / W3`.
    pub fn effective_documents_triples(&self, lengths: &[f64]) -> f64 {
        effective(&self.third, lengths, 3)
    }

    /// The share of the pair moment's weight that document `d` holds.
    pub fn share_pairs(&self, lengths: &[f64], d: usize) -> f64 {
        self.second[d] * tuples(lengths[d], 2)
    }

    /// The share of the triple moment's weight that document `d` holds.
    pub fn share_triples(&self, lengths: &[f64], d: usize) -> f64 {
        self.third[d] * tuples(lengths[d], 3)
    }
}

/// Sums over the lengths of documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LengthSums {
    /// Documents of two words and more.
    pub with_pairs: f64,
    /// Documents of three words and more.
    pub with_triples: f64,
    /// Ordered pairs of words within documents.
    pub pairs: f64,
    /// Pairs of tokens that are the same word.
    pub repeats: f64,
}

impl LengthSums {
    /// Returns an error when no document has two words, or none has three.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            sums if sums.with_pairs == 0.0 => Err(Error::NoPairs),
            sums if sums.with_triples == 0.0 => Err(Error::NoTriples),
            _ => Ok(()),
        }
    }
}

impl Law {
    /// The value of a document of length `c` in the moment of this order; zero if the document is too short.
    pub(super) fn value(self, order: usize, c: f64, own: f64) -> f64 {
        match (self, order) {
            _ if c < order as f64 => 0.0,
            (Law::ByTokens, _) | (Law::LeastVariance(_), 1) => tuples(c, order),
            (Law::LeastVariance(s), 2) => 1.0 / pair_variance(s, c),
            (Law::LeastVariance(s), _) => 1.0 / triple_variance(s, c),
            (Law::Alike, _) => 1.0,
            (Law::Own, _) => own,
        }
    }
}

impl Weighing {
    /// From sums over documents; `totals` computes the sums of a law's values in the three moments.
    pub(super) fn find(
        law: &DocumentWeights,
        sums: &LengthSums,
        totals: impl FnOnce(Law) -> [f64; 3],
    ) -> Self {
        let law = match law {
            DocumentWeights::Paper => Law::ByTokens,
            DocumentWeights::Optimal => Law::LeastVariance((sums.repeats / sums.pairs).max(0.0)),
            DocumentWeights::Zou | DocumentWeights::ThreeWords { .. } => Law::Alike,
            DocumentWeights::Custom(_) => Law::Own,
        };
        Self { law, totals: totals(law) }
    }

    /// The weights of documents of these lengths.
    pub(crate) fn weights(&self, lengths: &[f64], own: Option<&[f64]>) -> MomentWeights {
        let [first, second, third] = [1, 2, 3].map(|order| {
            let weight = |(d, &c): (usize, &f64)| match c < order as f64 {
                true => 0.0,
                false => {
                    let value = self.law.value(order, c, own.map_or(1.0, |own| own[d]));
                    value / self.totals[order - 1] / tuples(c, order)
                }
            };
            lengths.iter().enumerate().map(weight).collect()
        });
        MomentWeights { first, second, third }
    }
}

/// Ordered tuples of distinct words in a document of length `c`: `c (c-1) ... (c-order+1)`.
pub(super) fn tuples(c: f64, order: usize) -> f64 {
    (0..order).map(|i| c - i as f64).product()
}

pub(super) fn pair_variance(s: f64, c: f64) -> f64 {
    s * s + 4.0 * s / c + 2.0 / tuples(c, 2)
}

pub(super) fn triple_variance(s: f64, c: f64) -> f64 {
    s * s * s + 9.0 * s * s / c + 18.0 * s / (c * c) + 6.0 / tuples(c, 3)
}

fn effective(weights: &[f64], lengths: &[f64], order: usize) -> f64 {
    let squares: f64 =
        weights.iter().zip(lengths).map(|(w, &c)| (w * tuples(c, order)).powi(2)).sum();
    1.0 / squares
}

/// Returns an error for weights that do not fit documents of these lengths.
pub(crate) fn check_custom(weights: &[f64], lengths: &[f64]) -> Result<()> {
    let wrong = |needed: &str, found: String| {
        Err(Error::Option { name: "document weights", needed: needed.to_owned(), found })
    };
    if weights.len() != lengths.len() {
        return wrong(
            "one number per document",
            format!("{} for {} documents", weights.len(), lengths.len()),
        );
    }
    if let Some(d) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        return wrong("non-negative numbers", format!("{} for document {}", weights[d], d + 1));
    }
    if !weights.iter().zip(lengths).any(|(&w, &c)| w > 0.0 && c >= 3.0) {
        return wrong(
            "positive for a document of three words or more",
            "zero for all of them".to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [f64; 6] = [0.0, 1.0, 2.0, 3.0, 10.0, 400.0];

    fn weights(law: DocumentWeights) -> MomentWeights {
        MomentWeights::new(&law, &LENGTHS, 0.02).unwrap()
    }

    #[test]
    fn every_law_makes_unbiased_moments() {
        let laws = [
            DocumentWeights::Optimal,
            DocumentWeights::Paper,
            DocumentWeights::Zou,
            DocumentWeights::Custom(vec![1.0, 0.0, 2.0, 3.0, 0.5, 1.0]),
        ];
        for law in laws {
            let w = weights(law);
            for (order, weights) in [(1, &w.first), (2, &w.second), (3, &w.third)] {
                let total: f64 =
                    weights.iter().zip(LENGTHS).map(|(w, c)| w * tuples(c, order)).sum();
                assert!((total - 1.0).abs() < 1e-12, "order {order}: {total}");
            }
        }
    }

    #[test]
    fn the_papers_weights_are_those_of_theorem_2_1() {
        let w = weights(DocumentWeights::Paper);
        let pairs = 2.0 + 6.0 + 90.0 + 400.0 * 399.0;
        assert!(w.second[2..].iter().all(|x| (x * pairs - 1.0).abs() < 1e-12));
        assert_eq!(w.second[..2], [0.0, 0.0]);
        assert_eq!(w.third[2], 0.0);
    }

    #[test]
    fn optimal_weights_lie_between_the_two_laws() {
        // The paper's law depends most on the longest document, Zou's equally on all.
        let effective = |law| weights(law).effective_documents_pairs(&LENGTHS);
        let (paper, optimal, zou) = (
            effective(DocumentWeights::Paper),
            effective(DocumentWeights::Optimal),
            effective(DocumentWeights::Zou),
        );
        assert!(paper < optimal && optimal < zou, "{paper} {optimal} {zou}");
        assert!((zou - 4.0).abs() < 1e-12, "four documents have pairs");
    }

    #[test]
    fn documents_without_triples_are_refused() {
        let law = DocumentWeights::Optimal;
        assert!(matches!(MomentWeights::new(&law, &[2.0, 2.0], 0.1), Err(Error::NoTriples)));
        assert!(matches!(MomentWeights::new(&law, &[1.0, 0.0], 0.1), Err(Error::NoPairs)));
    }
}
