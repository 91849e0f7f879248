//! In which order a topic's words are shown.
//!
//! The likeliest words of a topic are often likely everywhere. Three other orders also weigh how exclusive a word
//! is to the topic. With `m_i = sum_l w_l mu_il` the probability of word `i` in all topics together:
//!
//! ```text
//! probability   mu_ij
//! lift          mu_ij / m_i
//! relevance     lambda log mu_ij + (1 - lambda) log(mu_ij / m_i)        Sievert and Shirley 2014
//! FREX          1 / (a / F_j(mu_ij) + (1 - a) / E_j(e_ij))              Bischof and Airoldi 2012
//!               e_ij = mu_ij / sum_l mu_il;  F_j, E_j: ranks over the topic's words, in (0, 1]
//! ```
//!
//! # Cost
//! `n k` numbers; FREX sorts them twice for each topic.
//!
//! # Departures
//! Sievert and Shirley, and others for lift, divide by the share of the word among the tokens of
//! the corpus. A model does not hold the counts, so we divide by the share that the model gives the word, which
//! estimates the same quantity. Tied ranks of FREX get their mean rank, as in the R package stm.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::model::topic::Topics;

/// An order of a topic's words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum WordOrder {
    /// The likeliest first.
    #[default]
    Probability,
    /// Between probability (`lambda` 1) and lift (`lambda` 0).
    Relevance {
        /// From 0 to 1; its inventors recommend 0.6.
        lambda: f64,
    },
    /// Frequent and exclusive, by the harmonic mean of the two ranks.
    Frex {
        /// The weight of frequency, from 0 to 1; exclusivity has the rest.
        frequency: f64,
    },
    /// By lift, the probability in the topic over that in all topics, however rare the word.
    Lift,
}

impl WordOrder {
    /// The `lambda` at which people understood topics best in the study of Sievert and Shirley.
    pub const LAMBDA: f64 = 0.6;

    /// The name of the order.
    pub fn name(self) -> &'static str {
        match self {
            WordOrder::Probability => "probability",
            WordOrder::Relevance { .. } => "relevance",
            WordOrder::Frex { .. } => "frex",
            WordOrder::Lift => "lift",
        }
    }

    fn check(self) -> Result<()> {
        let (name, value) = match self {
            WordOrder::Relevance { lambda } => ("lambda", lambda),
            WordOrder::Frex { frequency } => ("the weight of frequency", frequency),
            WordOrder::Probability | WordOrder::Lift => return Ok(()),
        };
        if (0.0..=1.0).contains(&value) {
            return Ok(());
        }
        let needed = "a number from 0 to 1".to_owned();
        Err(Error::Option { name, needed, found: value.to_string() })
    }
}

/// A word of a topic, with the score by which it is ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedWord<'a> {
    /// The word.
    pub word: Cow<'a, str>,
    /// Its number in the vocabulary, from zero.
    pub id: usize,
    /// `mu_ij`: its probability in the topic.
    pub probability: f64,
    /// The score by which it is ranked.
    pub score: f64,
}

impl Topics {
    /// `m_i`: the probability of each word in all topics together.
    pub fn word_shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.vocabulary().len()];
        for topic in self.iter() {
            let column = self.word_topic().column(topic.index());
            for (share, mu) in shares.iter_mut().zip(column) {
                *share += topic.weight() * mu;
            }
        }
        shares
    }

    /// The score of each word (row) in each topic (column). Words that a topic cannot produce score minus infinity,
    /// or zero where the score is not a logarithm.
    ///
    /// # Errors
    /// When a weight of the order lies outside 0 to 1.
    pub fn scores(&self, order: WordOrder) -> Result<Matrix> {
        order.check()?;
        let mut scores = self.word_topic().clone();
        let shares = self.word_shares();
        match order {
            WordOrder::Probability => {}
            WordOrder::Lift => for_columns(&mut scores, |column| {
                column.iter_mut().zip(&shares).for_each(|(mu, share)| *mu = lift(*mu, *share));
            }),
            WordOrder::Relevance { lambda } => for_columns(&mut scores, |column| {
                for (mu, share) in column.iter_mut().zip(&shares) {
                    *mu = relevance(*mu, *share, lambda);
                }
            }),
            WordOrder::Frex { frequency } => {
                let sums: Vec<f64> =
                    (0..shares.len()).map(|i| self.word_topic().row(i).iter().sum()).collect();
                for_columns(&mut scores, |column| {
                    let own: Vec<f64> =
                        column.iter().zip(&sums).map(|(mu, sum)| lift(*mu, *sum)).collect();
                    let (frequent, exclusive) = (ranks(column), ranks(&own));
                    for (i, value) in column.iter_mut().enumerate() {
                        if *value > 0.0 {
                            let mean = frequency / frequent[i] + (1.0 - frequency) / exclusive[i];
                            *value = 1.0 / mean;
                        }
                    }
                });
            }
        }
        Ok(scores)
    }

    /// The first `n` words of every topic; equal ones by falling probability, then by id.
    ///
    /// # Errors
    /// When a weight of the order lies outside 0 to 1.
    pub fn ranked_words(&self, order: WordOrder, n: usize) -> Result<Vec<Vec<RankedWord<'_>>>> {
        self.ranked_words_among(order, n, |_| true)
    }

    /// As [`ranked_words`](Self::ranked_words), restricted to the words for which `shown` is true.
    ///
    /// # Errors
    /// As [`ranked_words`](Self::ranked_words).
    pub fn ranked_words_among(
        &self,
        order: WordOrder,
        n: usize,
        shown: impl Fn(usize) -> bool,
    ) -> Result<Vec<Vec<RankedWord<'_>>>> {
        let scores = self.scores(order)?;
        let shown: Vec<usize> = (0..scores.n_rows()).filter(|&i| shown(i)).collect();
        let ranked = |j: usize| {
            let (score, mu) = (scores.column(j), self.word_topic().column(j));
            first(n, &shown, |a, b| score[b].total_cmp(&score[a]).then(mu[b].total_cmp(&mu[a])))
                .into_iter()
                .map(|id| RankedWord {
                    word: self.vocabulary().word(id),
                    id,
                    probability: mu[id],
                    score: score[id],
                })
                .collect()
        };
        Ok((0..self.len()).into_par_iter().map(ranked).collect())
    }

    /// The probability of each topic given one occurrence of a word; all zero for a word that no
    /// topic can produce.
    pub fn topics_of_word(&self, word: usize) -> Vec<f64> {
        let joint: Vec<f64> = self.iter().map(|t| t.weight() * t.probability(word)).collect();
        let total: f64 = joint.iter().sum();
        joint.into_iter().map(|p| lift(p, total)).collect()
    }
}

fn for_columns(matrix: &mut Matrix, change: impl Fn(&mut [f64])) {
    (0..matrix.n_columns()).for_each(|j| change(matrix.column_mut(j)));
}

fn lift(mu: f64, share: f64) -> f64 {
    if share > 0.0 { mu / share } else { 0.0 }
}

fn relevance(mu: f64, share: f64, lambda: f64) -> f64 {
    if mu > 0.0 { lambda * mu.ln() + (1.0 - lambda) * (mu / share).ln() } else { f64::NEG_INFINITY }
}

/// The first `n` of some words in a given order; ties go by word number.
fn first(
    n: usize,
    words: &[usize],
    order: impl Fn(usize, usize) -> std::cmp::Ordering,
) -> Vec<usize> {
    let mut all = words.to_vec();
    let by = |a: &usize, b: &usize| order(*a, *b).then(a.cmp(b));
    let n = n.min(all.len());
    if n > 0 && n < all.len() {
        all.select_nth_unstable_by(n - 1, by);
    }
    all.truncate(n);
    all.sort_by(by);
    all
}

/// The rank of each value, smallest first, divided by the number of values; tied values get their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let n = values.len() as f64;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let mean = before as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|&i| ranks[i] = mean / n);
        before += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Vocabulary;

    /// Two topics of weights 3/4 and 1/4 over four words.
    fn example() -> Topics {
        let words = ["the", "ship", "bank", "rare"].map(String::from).to_vec();
        let columns = vec![0.5, 0.4, 0.1, 0.0, 0.5, 0.1, 0.3, 0.1];
        let word_topic = Matrix::from_columns(4, 2, columns);
        Topics::new(Vocabulary::from_words(words).unwrap(), word_topic, vec![0.75, 0.25])
    }

    fn words(order: WordOrder) -> Vec<Vec<String>> {
        let ranked = example();
        let ranked = ranked.ranked_words(order, 4).unwrap();
        let names =
            |topic: &Vec<RankedWord<'_>>| topic.iter().map(|w| w.word.to_string()).collect();
        ranked.iter().map(names).collect()
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn orders_agree_with_a_count_by_hand() {
        let topics = example();
        // Shares: the 0.5, ship 0.325, bank 0.15, rare 0.025.
        let lift = topics.scores(WordOrder::Lift).unwrap();
        near(lift[(1, 0)], 0.4 / 0.325);
        near(lift[(3, 1)], 4.0);
        let relevance = topics.scores(WordOrder::Relevance { lambda: 0.6 }).unwrap();
        near(relevance[(2, 1)], 0.6 * 0.3_f64.ln() + 0.4 * 2.0_f64.ln());
        assert_eq!(relevance[(3, 0)], f64::NEG_INFINITY);
        assert_eq!(words(WordOrder::Probability)[1], ["the", "bank", "ship", "rare"]);
        assert_eq!(words(WordOrder::Lift)[1], ["rare", "bank", "the", "ship"]);
        assert_eq!(words(WordOrder::Relevance { lambda: 0.6 })[0], ["the", "ship", "bank", "rare"]);
    }

    #[test]
    fn relevance_runs_from_lift_to_probability() {
        assert_eq!(words(WordOrder::Relevance { lambda: 1.0 }), words(WordOrder::Probability));
        assert_eq!(words(WordOrder::Relevance { lambda: 0.0 }), words(WordOrder::Lift));
    }

    #[test]
    fn frex_is_the_harmonic_mean_of_two_ranks() {
        let frex = example().scores(WordOrder::Frex { frequency: 0.5 }).unwrap();
        // Topic 2: frequency ranks the 4, bank 3, ship and rare 1.5; exclusivities the 1/2, ship
        // 1/5, bank 3/4, rare 1: ranks 2, 1, 3, 4. All over 4.
        near(frex[(0, 1)], 1.0 / (0.5 / 1.0 + 0.5 / 0.5));
        near(frex[(1, 1)], 1.0 / (0.5 / 0.375 + 0.5 / 0.25));
        near(frex[(2, 1)], 0.75);
        near(frex[(3, 1)], 1.0 / (0.5 / 0.375 + 0.5 / 1.0));
        assert_eq!(words(WordOrder::Frex { frequency: 0.5 })[1][0], "bank");
        // A word that the topic cannot produce comes last.
        assert_eq!(words(WordOrder::Frex { frequency: 0.5 })[0][3], "rare");
    }

    #[test]
    fn words_that_may_not_be_shown_are_passed_over() {
        let topics = example();
        let ranked = topics.ranked_words_among(WordOrder::Lift, 4, |i| i != 3).unwrap();
        let words: Vec<_> = ranked[1].iter().map(|w| w.word.to_string()).collect();
        assert_eq!(words, ["bank", "the", "ship"]);
    }

    #[test]
    fn the_topics_of_a_word_are_those_of_bayes_rule() {
        let topics = example();
        near(topics.topics_of_word(2)[0], 0.75 * 0.1 / 0.15);
        near(topics.topics_of_word(2).iter().sum(), 1.0);
        near(topics.topics_of_word(3)[1], 1.0);
    }

    #[test]
    fn weights_outside_their_range_are_refused() {
        for order in [WordOrder::Relevance { lambda: 1.1 }, WordOrder::Frex { frequency: -0.1 }] {
            assert!(example().scores(order).is_err());
        }
        assert!(example().scores(WordOrder::Relevance { lambda: f64::NAN }).is_err());
    }

    #[test]
    fn ranks_of_equal_values_share_their_mean() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [0.875, 0.25, 0.875, 0.5]);
    }
}
