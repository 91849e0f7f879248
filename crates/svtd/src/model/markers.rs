//! Words that distinguish a topic from all others, ranked by the size of the difference in standard errors.
//!
//! With `p` the probability of a word in a topic and `q` its weighted mean probability in the other topics,
//!
//! ```text
//! log fold = ln(p / q)        z = (p - q) / sqrt(se_p^2 + sum of (share_l se_l)^2)
//! ```
//!
//! Words are ordered by `z`, so that a rare word whose estimate is mostly noise does not come first, as it would by
//! the fold. Errors of different topics are treated as independent. Where a word is exchanged between two topics
//! this overstates the error of the difference, which is the safe side. Where no errors are known, words are
//! ordered by `p - q`.

use super::Topics;

/// A word that is more probable in one topic than in the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// The topic, from zero.
    pub topic: usize,
    /// The number of the word.
    pub word: usize,
    /// Its probability in the topic.
    pub probability: f64,
    /// The standard error of that probability, if known.
    pub error: Option<f64>,
    /// Its mean probability in the other topics, weighted by their weights.
    pub elsewhere: f64,
    /// Natural logarithm of `probability / elsewhere`; infinite if no other topic has the word.
    pub log_fold: f64,
    /// The difference `probability - elsewhere` in standard errors, if known.
    pub z: Option<f64>,
}

/// At most `n` markers of each topic, the clearest first; only words that are more probable in it than elsewhere.
pub fn markers(topics: &Topics, n: usize) -> Vec<Marker> {
    (0..topics.len()).flat_map(|j| of_topic(topics, j, n)).collect()
}

fn of_topic(topics: &Topics, j: usize, n: usize) -> Vec<Marker> {
    let others: Vec<usize> = (0..topics.len()).filter(|&l| l != j).collect();
    let total: f64 = others.iter().map(|&l| topics.weights()[l]).sum();
    let share = |l: usize| if total > 0.0 { topics.weights()[l] / total } else { 0.0 };
    let marker = |word: usize| {
        let probability = topics.word_topic()[(word, j)];
        let elsewhere: f64 =
            others.iter().map(|&l| share(l) * topics.word_topic()[(word, l)]).sum();
        let error = topics.errors().map(|errors| errors[(word, j)]);
        let z = topics.errors().map(|errors| {
            let rest = others.iter().map(|&l| (share(l) * errors[(word, l)]).powi(2));
            let variance = errors[(word, j)].powi(2) + rest.sum::<f64>();
            if variance > 0.0 { (probability - elsewhere) / variance.sqrt() } else { 0.0 }
        });
        let log_fold = (probability / elsewhere).ln();
        Marker { topic: j, word, probability, error, elsewhere, log_fold, z }
    };
    let more = |marker: &Marker| marker.probability > marker.elsewhere;
    let mut found: Vec<Marker> = (0..topics.vocabulary().len()).map(marker).filter(more).collect();
    let excess = |marker: &Marker| marker.probability - marker.elsewhere;
    found.sort_by(|a, b| {
        let clearer = b.z.unwrap_or(0.0).total_cmp(&a.z.unwrap_or(0.0));
        clearer.then(excess(b).total_cmp(&excess(a))).then(a.word.cmp(&b.word))
    });
    found.truncate(n);
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::corpus::Vocabulary;
    use crate::linalg::Matrix;

    #[test]
    fn a_clear_word_comes_before_a_larger_but_noisy_one() {
        let words = Matrix::from_columns(3, 2, vec![0.5, 0.4, 0.1, 0.1, 0.2, 0.7]);
        let errors = Matrix::from_columns(3, 2, vec![0.2, 0.01, 0.01, 0.2, 0.01, 0.01]);
        let topics = Topics::new(Vocabulary::numbered(3), words, vec![0.6, 0.4]);
        let by_excess: Vec<usize> = markers(&topics, 5).iter().map(|m| m.word).collect();
        assert_eq!(by_excess, [0, 1, 2]);
        let found = markers(&topics.with_errors(Some(errors)), 5);
        assert_eq!(found.iter().map(|m| m.word).collect::<Vec<_>>(), [1, 0, 2]);
        assert!((found[0].z.unwrap() - 0.2 / 0.0002_f64.sqrt()).abs() < 1e-9);
        assert!((found[0].log_fold - 2.0_f64.ln()).abs() < 1e-12);
    }
}
