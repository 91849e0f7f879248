//! How strongly topics are shrunk towards the word frequencies of the corpus: the more similar they are, the more.
//!
//! EM smooths a topic with `S` words of the corpus' own frequencies `M1`, and so does the polish of LDA where
//! documents follow the model. That is the posterior mean of a topic when topics have a Dirichlet prior around `M1`
//! with concentration `S`: topics are far apart for small `S`, nearly equal for large. How far apart they are can
//! be estimated before any topic is known, from two probabilities that can be counted without bias:
//!
//! ```text
//! T = probability that two words of one document are the same    = sum_j w_j |mu_j|^2
//! B = probability that two words of two documents are the same   = |sum_j w_j mu_j|^2
//! E[T - B] = (1 - sum_j w_j^2) (1 - B) / (S + 1)               for such topics
//! ```
//!
//! so `S` follows from `T`, `B` and the weights `w` (empirical Bayes; Robbins 1956). Words that come in bursts, as
//! in text, make `T` larger and `S` small. Then a floor of `0.3` words for each word of the vocabulary is used,
//! which suits text best; the estimate is used where topics are more similar than that, and there it keeps EM from
//! fitting the noise of few documents.
//!
//! # When the estimate is not used
//! Documents that hardly ever repeat a word (titles, sets, presence and absence) have `T <= B` whatever their
//! topics: their words are not independent draws, and nothing follows from `T`. Then the floor is used too. The
//! estimate is also limited to `10` words for each word of the vocabulary.
//!
//! # Cost
//! One pass over the counts, in whole numbers: the same bits however the work is divided.

use crate::corpus::Corpus;
use crate::model::learner::{FLOOR, Smoothing};

/// The largest smoothing that is estimated, in words for each word of the vocabulary.
const CEILING: f64 = 10.0;

impl Smoothing {
    /// `S`, given the topics' weights.
    pub(crate) fn strength(self, corpus: &Corpus, topic_weights: &[f64]) -> f64 {
        match self {
            Smoothing::Estimated => strength(corpus, topic_weights),
            Smoothing::Fixed(each) => each * corpus.n_present() as f64,
        }
    }
}

/// `S`, how many words with the corpus' frequencies are added to each topic, given the topics' weights.
pub(crate) fn strength(corpus: &Corpus, topic_weights: &[f64]) -> f64 {
    let n = corpus.n_present() as f64;
    concentration(corpus, topic_weights).unwrap_or(0.0).clamp(FLOOR * n, CEILING * n)
}

/// `S` for documents that mix `k` topics, with `alpha0` the sum of the Dirichlet parameter. It is the largest
/// allowed if words of one document are no more similar than those of two.
pub(crate) fn of_mixtures(corpus: &Corpus, alpha0: f64, k: usize) -> f64 {
    let most = CEILING * corpus.n_present() as f64;
    let Some(Chances { within, between }) = Chances::count(corpus) else {
        return most;
    };
    // Two words of a document have the same topic with probability 1 / (1 + alpha0), otherwise they are as in two
    // documents.
    let apart = (1.0 + alpha0) * (within - between);
    if apart <= 0.0 {
        return most;
    }
    ((1.0 - 1.0 / k as f64) * (1.0 - between) / apart - 1.0).clamp(0.0, most)
}

/// `S` from the two probabilities; `None` when there is nothing to count, or when words of one document are no more
/// similar than those of two.
fn concentration(corpus: &Corpus, topic_weights: &[f64]) -> Option<f64> {
    let Chances { within, between } = Chances::count(corpus)?;
    let uneven: f64 = topic_weights.iter().map(|w| w * w).sum();
    let apart = within - between;
    (apart > 0.0).then(|| (1.0 - uneven) * (1.0 - between) / apart - 1.0)
}

/// How often two words are the same.
struct Chances {
    /// Two words of one document: `T`.
    within: f64,
    /// Two words of two documents: `B`.
    between: f64,
}

impl Chances {
    /// `None` unless there are pairs of both kinds.
    fn count(corpus: &Corpus) -> Option<Self> {
        let facts = corpus.facts();
        let square = |x: u64| u128::from(x) * u128::from(x);
        let squares = facts.squared_counts;
        let tokens = u128::from(corpus.n_tokens());
        let pairs_within = facts.squared_lengths - tokens;
        let pairs_between = tokens * tokens - tokens - pairs_within;
        if pairs_within == 0 || pairs_between == 0 {
            return None;
        }
        let same_between =
            corpus.feature_totals().iter().map(|&t| square(t)).sum::<u128>() - squares;
        Some(Self {
            within: (squares - tokens) as f64 / pairs_within as f64,
            between: same_between as f64 / pairs_between as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};

    #[test]
    fn chances_are_counted_by_hand() {
        // a a b | a c: of one document, 2 of 6 ordered pairs and 0 of 2; of two, a a twice each way.
        let mut builder = Corpus::builder(3);
        builder.push_document([(0, 2), (1, 1)]).unwrap();
        builder.push_document([(0, 1), (2, 1)]).unwrap();
        let chances = Chances::count(&builder.build().unwrap()).unwrap();
        assert!((chances.within - 2.0 / 8.0).abs() < 1e-15);
        assert!((chances.between - 4.0 / 12.0).abs() < 1e-15);
    }

    #[test]
    fn the_concentration_of_topics_is_found_again() {
        let lengths = Lengths::Uniform(20..=80);
        for truth in [300.0, 2000.0] {
            let estimates: Vec<f64> = (0..20)
                .map(|seed| {
                    let source = SingleTopicSource::zipf(400, 8, 5.0, truth, 50.0, seed);
                    let corpus = source.draw(2000, &lengths, seed + 100).0;
                    concentration(&corpus, &source.topic_weights).unwrap()
                })
                .collect();
            let mean = estimates.iter().sum::<f64>() / 20.0;
            assert!((mean / truth - 1.0).abs() < 0.15, "{truth}: {mean}");
        }
    }

    #[test]
    fn the_concentration_of_mixed_topics_is_found_again() {
        let lengths = Lengths::Uniform(20..=80);
        for truth in [300.0, 2000.0] {
            for alpha0 in [0.5, 1.0, 3.0] {
                let estimates: Vec<f64> = (0..20)
                    .map(|seed| {
                        let source = LdaSource::zipf(400, 8, 5.0, truth, alpha0, seed);
                        let corpus = source.draw(10_000, &lengths, seed + 100).0;
                        of_mixtures(&corpus, alpha0, 8)
                    })
                    .collect();
                let mean = estimates.iter().sum::<f64>() / 20.0;
                assert!((mean / truth - 1.0).abs() < 0.15, "{truth}, {alpha0}: {mean}");
            }
        }
    }

    #[test]
    fn bursts_and_words_never_repeated_leave_the_floor() {
        let corpus = |documents: [[(u32, u32); 1]; 2]| {
            let mut builder = Corpus::builder(2);
            documents.into_iter().for_each(|words| builder.push_document(words).unwrap());
            builder.build().unwrap()
        };
        let bursts = corpus([[(0, 9)], [(1, 9)]]);
        assert_eq!(strength(&bursts, &[0.5, 0.5]), 0.6);
        let mut titles = Corpus::builder(6);
        for d in 0..40 {
            let first = 3 * (d % 2);
            titles.push_document([(first, 1), (first + 1, 1), (first + 2, 1)]).unwrap();
        }
        assert_eq!(strength(&titles.build().unwrap(), &[0.5, 0.5]), 0.3 * 6.0);
        let single = corpus([[(0, 1)], [(1, 1)]]);
        assert_eq!(strength(&single, &[0.5, 0.5]), 0.6, "no pair within a document");
    }
}
