//! The assignment of documents to topics, computed by the holders of the documents.
//!
//! The state of a document between two steps is its scores: the log-posterior of each topic, up to
//! a constant. The scores stay with the holder. A step changes them and returns sums over
//! documents.
//!
//! ```text
//! begin, keep, ask     X'P and sum P, where P is the posterior that the scores stand for
//! best                 the words of each topic, if every document belongs to its best topic
//! next                 the words that would go from one topic to another if the first were removed
//! ```

use std::ops::Range;

use rayon::prelude::*;

use super::left_out;
use crate::corpus::{Corpus, SparseCounts};
use crate::error::Result;
use crate::fit::expectation::to_posterior;
use crate::linalg::Matrix;
use crate::moments::Counting;
use crate::moments::panels::Products;
use crate::questions::{Deal, Others, wrong_size};

/// The largest number of values in an answer to [`Deal::Next`], unless one topic alone has more.
const MOST_NUMBERS: usize = 1 << 22;

/// The sums of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StepSums {
    /// Word counts by topic, then the sum of the posterior by topic (not after [`Deal::Best`]).
    pub sums: Vec<f64>,
    /// The number of documents whose best topic changed, then the number of documents of each best topic. For
    /// [`Deal::Next`] the numbers of documents and words that go from one topic to another.
    pub whole: Vec<u64>,
}

/// The documents of a removed topic whose second best topic is `to`, with their words.
pub(crate) struct Moved {
    pub to: usize,
    pub documents: u64,
    /// The words of these documents in ascending order, each with the number of its occurrences.
    pub words: Vec<(usize, u64)>,
}

impl Deal {
    /// Whether the step is valid for `n` words and a state with this many topics.
    pub(crate) fn fits(&self, n: usize, n_topics: Option<usize>) -> bool {
        let of_topics = |k: usize| n_topics.is_none_or(|n_topics| n_topics == k);
        match self {
            Deal::Begin(table, weights) => {
                table.n_rows() == n && table.n_columns() == weights.len() && !weights.is_empty()
            }
            Deal::Ask(Others { counts, documents, prior, strength }) => {
                let sizes = counts.values().iter().chain(documents);
                counts.n_rows() == n
                    && prior.len() == n
                    && counts.n_columns() == documents.len()
                    && of_topics(documents.len())
                    && sizes.copied().all(|size| size >= 0.0 && size.is_finite())
                    && prior.iter().chain([strength]).all(|prior| *prior > 0.0)
            }
            Deal::Keep(topics) => {
                let all = |k: usize| topics.iter().all(|&j| j < k);
                !topics.is_empty() && topics.is_sorted_by(|a, b| a < b) && n_topics.is_none_or(all)
            }
            Deal::Best => true,
            Deal::Next(range) => {
                let whole = |k: usize| range.end <= k && range.len() <= at_once(n, k);
                !range.is_empty() && n_topics.is_none_or(whole)
            }
        }
    }
}

/// For how many topics [`Deal::Next`] may ask in one question.
pub(super) fn at_once(n: usize, k: usize) -> usize {
    (MOST_NUMBERS / ((n + 1) * k).max(1)).max(1)
}

/// Makes a step with the documents of a corpus, and updates their scores.
///
/// # Errors
/// When the scores are not those of these documents.
pub(crate) fn step(corpus: &Corpus, scores: &mut Matrix, deal: &Deal) -> Result<StepSums> {
    let rows = corpus.rows();
    let products = Products::new(rows, corpus.n_present(), Counting::Raw);
    let fits = matches!(deal, Deal::Begin(..)) || scores.n_rows() == rows.n_rows();
    if !fits {
        return Err(wrong_size(scores.n_rows(), rows.n_rows()));
    }
    let before = match deal {
        Deal::Begin(logarithms, weights) => {
            *scores = products.forward(logarithms);
            for (j, weight) in weights.iter().enumerate() {
                let weight = weight.ln();
                scores.column_mut(j).iter_mut().for_each(|score| *score += weight);
            }
            None
        }
        Deal::Ask(others) => {
            let before = best_of_rows(scores);
            *scores = left_out::scores(rows, &shares(scores.clone()), others);
            Some(before)
        }
        Deal::Keep(topics) => {
            *scores = scores.select_columns(topics);
            None
        }
        Deal::Best => {
            let dealt = best_of_rows(scores);
            let sums = products.backward(&one_hot(&dealt, scores.n_columns()), None);
            return Ok(StepSums { sums: sums.values().to_vec(), whole: Vec::new() });
        }
        Deal::Next(topics) => {
            let whole =
                to_whole(&moved(rows, scores, topics), corpus.n_present(), scores.n_columns());
            return Ok(StepSums { sums: Vec::new(), whole });
        }
    };
    let now = best_of_rows(scores);
    let other = |before: &Vec<usize>| now.iter().zip(before).filter(|(a, b)| a != b).count();
    let mut whole = vec![before.as_ref().map_or(0, other) as u64];
    let mut sizes = vec![0; scores.n_columns()];
    now.iter().for_each(|&j| sizes[j] += 1);
    whole.extend(sizes);
    let posterior = shares(scores.clone());
    let sum = |j: usize| {
        let column = posterior.column(j);
        let [sum] = rows.sum_rows(|d| [column[d]]);
        sum
    };
    let documents: Vec<f64> = (0..posterior.n_columns()).into_par_iter().map(sum).collect();
    let mut sums = products.backward(&posterior, None).values().to_vec();
    sums.extend(documents);
    Ok(StepSums { sums, whole })
}

/// For each of some topics: to which topics its documents would go if it were removed.
pub(crate) fn moved(
    rows: &SparseCounts,
    scores: &Matrix,
    topics: &Range<usize>,
) -> Vec<Vec<Moved>> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); scores.n_columns()];
    best_of_rows(scores).iter().enumerate().for_each(|(d, &j)| members[j].push(d));
    let of_topic = |out: usize| -> Vec<Moved> {
        let mut moved: Vec<Vec<usize>> = vec![Vec::new(); scores.n_columns()];
        for &d in &members[out] {
            let others = (0..scores.n_columns()).filter(|&j| j != out);
            let next = others.max_by(|&a, &b| scores[(d, a)].total_cmp(&scores[(d, b)]));
            moved[next.unwrap_or(out)].push(d);
        }
        let to = moved.into_iter().enumerate().filter(|(_, documents)| !documents.is_empty());
        to.map(|(to, documents)| Moved {
            to,
            words: words_of(rows, &documents),
            documents: documents.len() as u64,
        })
        .collect()
    };
    topics.clone().into_par_iter().map(of_topic).collect()
}

/// The words of some documents, with their counts.
fn words_of(rows: &SparseCounts, documents: &[usize]) -> Vec<(usize, u64)> {
    let mut words: Vec<(u32, u32)> = Vec::new();
    for &d in documents {
        let (features, counts) = rows.row(d);
        words.extend(features.iter().copied().zip(counts.iter().copied()));
    }
    words.sort_unstable();
    let sum = |same: &[(u32, u32)]| {
        (same[0].0 as usize, same.iter().map(|(_, count)| u64::from(*count)).sum())
    };
    words.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
}

/// As one table: for every topic that is removed and every other topic, the number of documents that go there, then
/// the counts of their words.
fn to_whole(moved: &[Vec<Moved>], n: usize, k: usize) -> Vec<u64> {
    let mut whole = vec![0; moved.len() * k * (n + 1)];
    for (from, moved) in whole.chunks_exact_mut(k * (n + 1)).zip(moved) {
        for Moved { to, documents, words } in moved {
            let table = &mut from[to * (n + 1)..(to + 1) * (n + 1)];
            table[0] = *documents;
            words.iter().for_each(|&(word, count)| table[1 + word] = count);
        }
    }
    whole
}

/// Reads the table that [`to_whole`] makes.
///
/// # Errors
/// When there are not as many numbers as that.
pub(super) fn from_whole(
    whole: &[u64],
    n_out: usize,
    n: usize,
    k: usize,
) -> Result<Vec<Vec<Moved>>> {
    if whole.len() != n_out * k * (n + 1) {
        return Err(wrong_size(whole.len(), n_out * k * (n + 1)));
    }
    let read = |(to, table): (usize, &[u64])| {
        let words = table[1..].iter().copied().enumerate().filter(|(_, count)| *count > 0);
        Moved { to, documents: table[0], words: words.collect() }
    };
    let of_topic = |tables: &[u64]| {
        let tables = tables.chunks_exact(n + 1).enumerate();
        tables.map(read).filter(|moved| moved.documents > 0).collect()
    };
    Ok(whole.chunks_exact((k * (n + 1)).max(1)).map(of_topic).collect())
}

/// Log-shares as shares that sum to one in every row.
fn shares(mut scores: Matrix) -> Matrix {
    let even = vec![1.0; scores.n_columns()];
    to_posterior(&mut scores, &even);
    scores
}

/// The column of the largest number in each row; ties go to the first.
pub(super) fn best_of_rows(matrix: &Matrix) -> Vec<usize> {
    let mut largest = vec![f64::NEG_INFINITY; matrix.n_rows()];
    let mut best = vec![0; matrix.n_rows()];
    for j in 0..matrix.n_columns() {
        for ((largest, best), value) in largest.iter_mut().zip(&mut best).zip(matrix.column(j)) {
            if *value > *largest {
                (*largest, *best) = (*value, j);
            }
        }
    }
    best
}

pub(super) fn one_hot(dealt: &[usize], k: usize) -> Matrix {
    let mut matrix = Matrix::zeros(dealt.len(), k);
    dealt.iter().enumerate().for_each(|(d, &j)| matrix[(d, j)] = 1.0);
    matrix
}
