//! Two models side by side: which topics are the same, and what changed.
//!
//! Words are matched by name over the union of both vocabularies (by number when neither has names). A word that a
//! model does not have has probability zero there. Topics are then matched one to one so that the sum of their
//! distances is smallest ([`match_topics`]).
//!
//! Distances are total variation, half the L1 distance, from 0 (equal) to 1 (nothing in common): the
//! share of a topic's probability that would have to move to turn it into the other.
//!
//! # When a match is doubtful
//! The best one-to-one matching pairs as many topics as it can, similar or not. A pair is called doubtful when its
//! distance is no smaller than that of either topic to another topic of its own model.

use crate::corpus::Vocabulary;
use crate::error::{Error, Result};
use crate::evaluation::match_topics;
use crate::linalg::Matrix;
use crate::model::Topics;

/// What two models have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The matched topics, by their number in the old model.
    pub pairs: Vec<TopicPair>,
    /// Topics of the old model without a partner, from zero.
    pub only_old: Vec<usize>,
    /// Topics of the new model without a partner, from zero.
    pub only_new: Vec<usize>,
    /// Words that both vocabularies have.
    pub n_shared_words: usize,
    /// Words that only the old vocabulary has.
    pub n_words_only_old: usize,
    /// Words that only the new vocabulary has.
    pub n_words_only_new: usize,
}

/// A topic of the old model and its partner in the new one.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicPair {
    /// The topic of the old model, from zero.
    pub old: usize,
    /// The topic of the new model, from zero.
    pub new: usize,
    /// Total variation distance, from 0 to 1.
    pub distance: f64,
    /// Whether the two are no closer to each other than to another topic of their own model.
    pub doubtful: bool,
    /// The words whose probability grew most, largest growth first.
    pub gained: Vec<MovedWord>,
    /// The words whose probability fell most, largest fall first.
    pub lost: Vec<MovedWord>,
}

/// A word whose probability in a topic changed.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedWord {
    /// The word.
    pub word: String,
    /// Its probability in the old topic.
    pub old: f64,
    /// Its probability in the new topic.
    pub new: f64,
}

impl Comparison {
    /// Matches the topics of two models and lists, for each pair, at most `n_words` words that grew and as many
    /// that fell.
    ///
    /// # Errors
    /// When the vocabularies have no word in common.
    pub fn new(old: &Topics, new: &Topics, n_words: usize) -> Result<Self> {
        let union = Union::new(old.vocabulary(), new.vocabulary())?;
        let a = union.spread(old.word_topic(), &union.of_old);
        let b = union.spread(new.word_topic(), &union.of_new);
        let matched = match_topics(&a, &b);
        let pairs: Vec<TopicPair> = matched
            .iter()
            .enumerate()
            .filter_map(|(old, new)| new.map(|new| union.pair(&a, &b, old, new, n_words)))
            .collect();
        let taken: Vec<usize> = matched.iter().flatten().copied().collect();
        Ok(Self {
            only_old: (0..old.len()).filter(|&j| matched[j].is_none()).collect(),
            only_new: (0..new.len()).filter(|j| !taken.contains(j)).collect(),
            pairs,
            n_shared_words: union.n_shared,
            n_words_only_old: union.of_old.len() - union.n_shared,
            n_words_only_new: union.of_new.len() - union.n_shared,
        })
    }

    /// The mean distance of the pairs; `None` when there is none.
    pub fn mean_distance(&self) -> Option<f64> {
        let total: f64 = self.pairs.iter().map(|pair| pair.distance).sum();
        (!self.pairs.is_empty()).then(|| total / self.pairs.len() as f64)
    }
}

/// The words of two vocabularies: the old ones first, then those that only the new one has.
struct Union {
    words: Vec<String>,
    of_old: Vec<usize>,
    of_new: Vec<usize>,
    n_shared: usize,
}

impl Union {
    fn new(old: &Vocabulary, new: &Vocabulary) -> Result<Self> {
        if old.is_numbered() != new.is_numbered() {
            let kind = |v: &Vocabulary| {
                let what = if v.is_numbered() { "numbers instead of words" } else { "words" };
                format!("{} {what}", v.len())
            };
            return Err(Error::VocabularyMismatch { needed: kind(old), found: kind(new) });
        }
        let mut words: Vec<String> = old.iter().map(|word| word.into_owned()).collect();
        let mut n_shared = 0;
        let of_new = new
            .iter()
            .map(|word| match old.id(&word) {
                Some(id) => {
                    n_shared += 1;
                    id as usize
                }
                None => {
                    words.push(word.into_owned());
                    words.len() - 1
                }
            })
            .collect();
        if n_shared == 0 {
            return Err(Error::VocabularyMismatch {
                needed: format!("some of the {} words of the first model", old.len()),
                found: format!("{} others", new.len()),
            });
        }
        Ok(Self { words, of_old: (0..old.len()).collect(), of_new, n_shared })
    }

    /// Topics with their rows placed in the union of the vocabularies.
    fn spread(&self, word_topic: &Matrix, places: &[usize]) -> Matrix {
        let mut spread = Matrix::zeros(self.words.len(), word_topic.n_columns());
        for j in 0..word_topic.n_columns() {
            let target = spread.column_mut(j);
            for (&place, &mu) in places.iter().zip(word_topic.column(j)) {
                target[place] = mu;
            }
        }
        spread
    }

    fn pair(&self, a: &Matrix, b: &Matrix, old: usize, new: usize, n_words: usize) -> TopicPair {
        let distance = variation(a.column(old), b.column(new));
        let nearest = |m: &Matrix, j: usize| {
            let others = (0..m.n_columns()).filter(|&l| l != j);
            let apart = |l| {
                crate::stop::here();
                variation(m.column(j), m.column(l))
            };
            others.map(apart).fold(f64::INFINITY, f64::min)
        };
        TopicPair {
            old,
            new,
            distance,
            doubtful: distance >= nearest(a, old).min(nearest(b, new)),
            gained: self.moved(a.column(old), b.column(new), 1.0, n_words),
            lost: self.moved(a.column(old), b.column(new), -1.0, n_words),
        }
    }

    /// The words whose probability changed most in one direction.
    fn moved(&self, old: &[f64], new: &[f64], sign: f64, n: usize) -> Vec<MovedWord> {
        let change = |i: usize| sign * (new[i] - old[i]);
        let mut order: Vec<usize> = (0..old.len()).filter(|&i| change(i) > 0.0).collect();
        order.sort_by(|&a, &b| change(b).total_cmp(&change(a)).then(a.cmp(&b)));
        order.truncate(n);
        order
            .into_iter()
            .map(|i| MovedWord { word: self.words[i].clone(), old: old[i], new: new[i] })
            .collect()
    }
}

fn variation(a: &[f64], b: &[f64]) -> f64 {
    0.5 * a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topics(words: &[&str], columns: &[&[f64]]) -> Topics {
        let k = columns.len();
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let matrix = Matrix::from_columns(words.len(), k, columns.concat());
        Topics::new(Vocabulary::from_words(words).unwrap(), matrix, vec![1.0 / k as f64; k])
    }

    #[test]
    fn topics_are_matched_by_words_and_not_by_number() {
        let old = topics(&["a", "b", "c"], &[&[0.8, 0.2, 0.0], &[0.0, 0.1, 0.9]]);
        // The same words in another order, a new one, and the topics swapped.
        let new = topics(&["c", "d", "a", "b"], &[&[0.9, 0.0, 0.0, 0.1], &[0.0, 0.3, 0.5, 0.2]]);
        let found = Comparison::new(&old, &new, 5).unwrap();
        assert_eq!(
            found.pairs.iter().map(|p| (p.old, p.new)).collect::<Vec<_>>(),
            [(0, 1), (1, 0)]
        );
        assert!((found.pairs[0].distance - 0.3).abs() < 1e-12);
        assert!(found.pairs[1].distance.abs() < 1e-12);
        assert!(found.pairs.iter().all(|pair| !pair.doubtful));
        assert_eq!(found.pairs[0].gained, [MovedWord { word: "d".into(), old: 0.0, new: 0.3 }]);
        assert_eq!(found.pairs[0].lost, [MovedWord { word: "a".into(), old: 0.8, new: 0.5 }]);
        assert_eq!(
            (found.n_shared_words, found.n_words_only_old, found.n_words_only_new),
            (3, 0, 1)
        );
        assert!((found.mean_distance().unwrap() - 0.15).abs() < 1e-12);
    }

    #[test]
    fn topics_left_over_are_told_on_both_sides() {
        let three = topics(&["a", "b", "c"], &[&[1., 0., 0.], &[0., 1., 0.], &[0., 0., 1.]]);
        let two = topics(&["a", "b", "c"], &[&[0., 0., 1.], &[1., 0., 0.]]);
        let fewer = Comparison::new(&three, &two, 1).unwrap();
        assert_eq!((fewer.only_old, fewer.only_new), (vec![1], vec![]));
        let more = Comparison::new(&two, &three, 1).unwrap();
        assert_eq!((more.only_old, more.only_new), (vec![], vec![1]));
    }

    #[test]
    fn a_pair_that_is_no_kin_is_doubtful() {
        let old = topics(&["a", "b", "c"], &[&[0.9, 0.1, 0.0], &[0.7, 0.3, 0.0]]);
        let new = topics(&["a", "b", "c"], &[&[0.9, 0.1, 0.0], &[0.0, 0.0, 1.0]]);
        let found = Comparison::new(&old, &new, 1).unwrap();
        assert_eq!(found.pairs.iter().map(|p| p.doubtful).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn vocabularies_with_nothing_in_common_are_refused() {
        let (old, new) = (topics(&["a"], &[&[1.0]]), topics(&["b"], &[&[1.0]]));
        assert!(Comparison::new(&old, &new, 1).is_err());
        let numbered = Topics::new(Vocabulary::numbered(1), Matrix::identity(1), vec![1.0]);
        assert!(Comparison::new(&old, &numbered, 1).is_err());
    }
}
