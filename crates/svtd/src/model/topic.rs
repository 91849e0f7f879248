//! Topics: which words, how much.

use std::borrow::Cow;

use crate::corpus::Vocabulary;
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// All topics of a model: `M` and `Omega` with the vocabulary, in canonical order.
///
/// Topics are numbered by falling weight; equal weights go by the first word on which they
/// differ, the larger probability first. So a topic's number does not depend on chance. Topics of an
/// [updated](crate::learning::Update) model keep the numbers that they had.
#[derive(Clone, Debug, PartialEq)]
pub struct Topics {
    vocabulary: Vocabulary,
    word_topic: Matrix,
    weights: Vec<f64>,
    errors: Option<Matrix>,
    /// Names that people gave to the topics; empty when no topic has one.
    names: Vec<Option<String>>,
}

/// The largest number of characters in a topic's name.
pub const LONGEST_NAME: usize = 200;

impl Topics {
    /// Puts topics together; `word_topic` is words x topics, rows in the order of the vocabulary.
    pub(crate) fn new(vocabulary: Vocabulary, word_topic: Matrix, weights: Vec<f64>) -> Self {
        Self { vocabulary, word_topic, weights, errors: None, names: Vec::new() }
    }

    /// The same topics with the standard error of every word probability.
    pub(crate) fn with_errors(self, errors: Option<Matrix>) -> Self {
        Self { errors, ..self }
    }

    /// The same topics in another order: the first is the one that was at `order[0]`.
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        let name = |&j: &usize| self.names.get(j).cloned().flatten();
        Self {
            vocabulary: self.vocabulary.clone(),
            word_topic: self.word_topic.select_columns(order),
            weights: order.iter().map(|&j| self.weights[j]).collect(),
            errors: self.errors.as_ref().map(|errors| errors.select_columns(order)),
            names: if self.names.is_empty() { vec![] } else { order.iter().map(name).collect() },
        }
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// `M`: the probability of each word (row) given each topic (column), vocabulary order.
    pub fn word_topic(&self) -> &Matrix {
        &self.word_topic
    }

    /// `Omega`: the weight of each topic.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The standard error of each word's probability (row) in each topic (column); `None` when
    /// none were asked for, or none could be computed. A probability plus and minus
    /// [`T_FACTOR`](crate::trust::T_FACTOR) errors covers the truth in about 95 of 100 cases.
    pub fn errors(&self) -> Option<&Matrix> {
        self.errors.as_ref()
    }

    /// Gives topics their names, in order; `None` or a blank name leaves a topic without one.
    ///
    /// # Errors
    /// When there are not as many names as topics, or one is longer than [`LONGEST_NAME`].
    pub fn set_names(&mut self, names: Vec<Option<String>>) -> Result<()> {
        if names.len() != self.len() {
            return Err(Error::Option {
                name: "names of topics",
                needed: format!("one for each of {} topics", self.len()),
                found: names.len().to_string(),
            });
        }
        let trimmed = |name: String| {
            let name = name.trim();
            (!name.is_empty()).then(|| name.to_owned())
        };
        let names: Vec<Option<String>> =
            names.into_iter().map(|name| name.and_then(trimmed)).collect();
        if let Some(long) = names.iter().flatten().find(|n| n.chars().count() > LONGEST_NAME) {
            return Err(Error::Option {
                name: "name of a topic",
                needed: format!("{LONGEST_NAME} characters or fewer"),
                found: format!("{} characters", long.chars().count()),
            });
        }
        self.names = if names.iter().all(Option::is_none) { Vec::new() } else { names };
        Ok(())
    }

    /// The names that people gave to the topics, one entry for each topic; `None` when no topic has one.
    pub fn names(&self) -> Option<&[Option<String>]> {
        (!self.names.is_empty()).then_some(&self.names)
    }

    /// Number of topics, `k`.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no topics; a fitted model always has one.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Topic `j`.
    pub fn topic(&self, j: usize) -> Topic<'_> {
        Topic { topics: self, index: j }
    }

    /// All topics in order.
    pub fn iter(&self) -> impl Iterator<Item = Topic<'_>> {
        (0..self.len()).map(|j| self.topic(j))
    }
}

/// One topic of a model.
#[derive(Clone, Copy, Debug)]
pub struct Topic<'a> {
    topics: &'a Topics,
    index: usize,
}

impl<'a> Topic<'a> {
    /// The topic's number, from zero.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The name that somebody gave the topic, if any.
    pub fn name(&self) -> Option<&'a str> {
        self.topics.names.get(self.index)?.as_deref()
    }

    /// `omega_j`: the topic's weight.
    pub fn weight(&self) -> f64 {
        self.topics.weights[self.index]
    }

    /// `mu_ij`: the probability of word `i`.
    pub fn probability(&self, word: usize) -> f64 {
        self.topics.word_topic[(word, self.index)]
    }

    /// The standard error of that probability, if it is known.
    pub fn error(&self, word: usize) -> Option<f64> {
        self.topics.errors.as_ref().map(|errors| errors[(word, self.index)])
    }

    /// The `n` most probable words with their probabilities, falling; equal ones by word id.
    pub fn top_words(&self, n: usize) -> Vec<(Cow<'a, str>, f64)> {
        let column = self.topics.word_topic.column(self.index);
        let named = |i| (self.topics.vocabulary.word(i), column[i]);
        self.top_word_ids(n).into_iter().map(named).collect()
    }

    /// The ids of the `n` most probable words, falling; equal ones by id.
    pub fn top_word_ids(&self, n: usize) -> Vec<usize> {
        let column = self.topics.word_topic.column(self.index);
        let by_probability =
            |a: &usize, b: &usize| column[*b].total_cmp(&column[*a]).then(a.cmp(b));
        let n = n.min(column.len());
        if n == 0 {
            return Vec::new();
        }
        // Only the first few of many are wanted: one comparison rules out most words.
        let mut order: Vec<usize> = Vec::with_capacity(2 * n);
        let mut least = f64::NEG_INFINITY;
        for (word, &probability) in column.iter().enumerate() {
            if probability > least || order.len() < n {
                order.push(word);
                if order.len() == 2 * n {
                    order.select_nth_unstable_by(n - 1, by_probability);
                    order.truncate(n);
                    least = column[order[n - 1]];
                }
            }
        }
        order.sort_unstable_by(by_probability);
        order.truncate(n);
        order
    }
}

/// Smaller differences than this count as rounding errors when topics are ordered.
const EQUAL_WITHIN: f64 = 1e-9;

/// The canonical order of topics: falling weight, then the first differing row of `M`.
///
/// Weights and probabilities that differ only by rounding count as equal; otherwise the order of the documents
/// could decide which of two equal topics comes first.
pub(crate) fn canonical_order(word_topic: &Matrix, weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    // Values are rounded first, so that equality is transitive.
    let rounded = |j: usize| word_topic.column(j).iter().map(|p| (p / EQUAL_WITHIN).round() as i64);
    for equals in order.chunk_by_mut(|&a, &b| weights[a] - weights[b] <= EQUAL_WITHIN) {
        equals.sort_by(|&a, &b| rounded(b).cmp(rounded(a)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_must_fit_the_topics() {
        let words = Vocabulary::numbered(2);
        let matrix = Matrix::from_columns(2, 2, vec![0.2, 0.8, 0.7, 0.3]);
        let mut topics = Topics::new(words, matrix, vec![0.5, 0.5]);
        let named = |names: &[&str]| names.iter().map(|n| Some((*n).to_owned())).collect();
        topics.set_names(named(&[" the sea ", "  "])).unwrap();
        assert_eq!((topics.topic(0).name(), topics.topic(1).name()), (Some("the sea"), None));
        assert!(topics.set_names(named(&["one"])).is_err());
        assert!(topics.set_names(named(&["one", &"x".repeat(LONGEST_NAME + 1)])).is_err());
        topics.set_names(vec![None, None]).unwrap();
        assert_eq!(topics.names(), None);
    }

    #[test]
    fn weights_that_differ_by_rounding_are_ordered_by_words() {
        let word_topic = Matrix::from_columns(2, 3, vec![0.2, 0.8, 0.7, 0.3, 0.5, 0.5]);
        for nudge in [-1e-12, 0.0, 1e-12] {
            assert_eq!(canonical_order(&word_topic, &[0.3 + nudge, 0.3, 0.4 - nudge]), [2, 1, 0]);
        }
    }
}
