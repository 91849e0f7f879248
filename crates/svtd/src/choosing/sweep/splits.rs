//! Which topic each topic continues, and from which the new one was split.

use super::{Split, SweptTopic};
use crate::evaluation::{l1_distance, match_by};
use crate::linalg::Matrix;
use crate::model::topic::Topics;

/// Topics closer than this in L1 distance count as the same topic.
const SAME_TOPIC: f64 = 0.5;

/// Matches the columns of two matrices so that the sum of the angles between the square roots of
/// matched columns is smallest. The result is nearly that of a match by L1 distance, and needs only
/// one dense product.
fn matched(a: &Matrix, b: &Matrix) -> Vec<Option<usize>> {
    let [roots, others] = [a, b].map(|matrix| {
        let mut roots = matrix.clone();
        roots.values_mut().iter_mut().for_each(|p| *p = p.sqrt());
        roots
    });
    let likeness = roots.transpose_times(&others);
    match_by(a.n_columns(), b.n_columns(), |i, j| 1.0 - likeness[(i, j)])
}

/// The number of columns that are close to their match.
fn n_near(a: &Matrix, b: &Matrix, matched: &[Option<usize>]) -> usize {
    let near = |(j, partner): (usize, &Option<usize>)| {
        partner.is_some_and(|l| l1_distance(a.column(j), b.column(l)) < SAME_TOPIC)
    };
    matched.iter().enumerate().filter(|&pair| near(pair)).count()
}

/// Number of words that describe a topic in a tree of splits.
const TREE_WORDS: usize = 4;

/// The topics with their likeliest words, and the topic with one topic less that each continues.
pub(super) fn swept_topics(topics: &Topics, from: Option<Vec<usize>>) -> Vec<SweptTopic> {
    let words = |j: usize| {
        let top = topics.topic(j).top_words(TREE_WORDS);
        top.into_iter().map(|(word, _)| word.into_owned()).collect()
    };
    let swept = |j: usize| SweptTopic {
        weight: topics.weights()[j],
        words: words(j),
        from: from.as_ref().map(|from| from[j]),
    };
    (0..topics.len()).map(swept).collect()
}

/// The new topic of `now` compared with `before`, which has one topic less; and the topic of
/// `before` that each topic continues.
pub(super) fn split(before: &Matrix, now: &Matrix) -> (Split, Vec<usize>) {
    let matched = matched(now, before);
    let child = matched.iter().position(Option::is_none).unwrap_or(0);
    let distance = |p: usize| l1_distance(before.column(p), now.column(child));
    let nearer = |a: usize, b: usize| if distance(b) < distance(a) { b } else { a };
    let parent = (1..before.n_columns()).fold(0, nearer);
    let from = matched.iter().map(|partner| partner.unwrap_or(parent)).collect();
    let n_kept = n_near(now, before, &matched);
    (Split { child, parent, distance: distance(parent), n_kept }, from)
}
