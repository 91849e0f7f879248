//! How much documents hold of each topic, counted by size: enough to see whether few documents make a topic.
//!
//! A histogram answers how many documents hold half of a topic. It has eight ranges for each power of two, and
//! stores for each range the number of documents whose holding falls into it and their total. Holdings in
//! one range differ by at most an eighth.

use crate::corpus::SparseCounts;
use crate::linalg::Matrix;
use crate::model::diagnostics::Driven;
use crate::moments::table::sums;
use crate::questions::{Request, wrong_size};
use crate::stop;

/// Number of low bits of a number that do not affect its range: all but the exponent and three bits after it.
const SHIFT: u32 = f64::MANTISSA_DIGITS - 1 - 3;

/// Number of ranges for each power of two.
const TO_A_DOUBLING: u64 = 8;

/// The first range begins at two to this power; smaller numbers are counted in it.
const SMALLEST: i64 = -40;

/// Number of ranges.
const RANGES: usize = 80 * TO_A_DOUBLING as usize;

/// A histogram of how much each document contributes to each topic.
pub(crate) struct Holdings {
    /// For every topic the number of documents in each range.
    documents: Vec<f64>,
    /// For every topic the total that the documents in each range hold.
    held: Vec<f64>,
}

impl Holdings {
    /// The number of values for this many topics.
    pub(crate) fn size(n_topics: usize) -> usize {
        2 * RANGES * n_topics
    }

    /// The histogram of `held` (documents x topics) as one table: the numbers of documents in all ranges of all
    /// topics, followed by the totals of their holdings.
    pub(crate) fn sums(rows: &SparseCounts, held: &Matrix) -> Vec<f64> {
        let n = RANGES * held.n_columns();
        sums(rows, 2 * n, |range, sums| {
            for j in 0..held.n_columns() {
                let own = held.column(j)[range.clone()].iter().filter(|held| **held > 0.0);
                for held in own {
                    let at = j * RANGES + range_of(*held);
                    sums[at] += 1.0;
                    sums[n + at] += held;
                }
            }
        })
    }

    /// The sums with ranges of fewer than `least` documents merged with those below them.
    pub(crate) fn coarsened(mut sums: Vec<f64>, least: usize) -> Vec<f64> {
        let n = sums.len() / 2;
        let (documents, held) = sums.split_at_mut(n);
        let topics = documents.chunks_exact_mut(RANGES).zip(held.chunks_exact_mut(RANGES));
        for (documents, held) in topics {
            let (mut gathered, mut last) = ((0.0, 0.0), None);
            for at in (0..RANGES).rev() {
                gathered = (gathered.0 + documents[at], gathered.1 + held[at]);
                (documents[at], held[at]) = (0.0, 0.0);
                if gathered.0 > 0.0 && gathered.0 >= least as f64 {
                    (documents[at], held[at]) = gathered;
                    (gathered, last) = ((0.0, 0.0), Some(at));
                }
            }
            // What is left joins the last range that is kept; if none is kept, the counts stay zero.
            if let Some(at) = last {
                documents[at] += gathered.0;
                held[at] += gathered.1;
            }
        }
        sums
    }

    /// The holdings from the table that [`sums`](Self::sums) returns.
    pub(crate) fn from_sums(mut sums: Vec<f64>, n_topics: usize) -> Self {
        if sums.len() != Self::size(n_topics) {
            stop::fail(wrong_size(sums.len(), Self::size(n_topics)));
        }
        let held = sums.split_off(RANGES * n_topics);
        Self { documents: sums, held }
    }

    /// Asks the documents of a corpus, here or elsewhere.
    pub(crate) fn ask(
        corpus: &crate::Corpus,
        n_topics: usize,
        request: impl FnOnce() -> Request,
        here: impl FnOnce() -> Matrix,
    ) -> Self {
        let sums = match corpus.asked_or_fail(request) {
            Some(answer) => answer.sums,
            None => Self::sums(corpus.rows(), &here()),
        };
        Self::from_sums(sums, n_topics)
    }

    /// The smallest number of documents that hold half of topic `j`.
    pub(crate) fn driven(&self, j: usize) -> Driven {
        let own = j * RANGES..(j + 1) * RANGES;
        let (documents, held) = (&self.documents[own.clone()], &self.held[own]);
        let total: f64 = held.iter().sum();
        let (mut so_far, mut n) = (0.0, 0.0);
        for (documents, held) in documents.iter().zip(held).rev().filter(|(n, _)| **n > 0.0) {
            if so_far >= 0.5 * total {
                break;
            }
            let each = held / documents;
            let needed = ((0.5 * total - so_far) / each).ceil().min(*documents).max(1.0);
            so_far += if needed < *documents { needed * each } else { *held };
            n += needed;
        }
        Driven { documents: n as usize, share: if total > 0.0 { so_far / total } else { 0.0 } }
    }
}

/// The range of a positive number.
fn range_of(held: f64) -> usize {
    let first = (SMALLEST + f64::MAX_EXP as i64 - 1) * TO_A_DOUBLING as i64;
    ((held.to_bits() >> SHIFT) as i64 - first).clamp(0, RANGES as i64 - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};

    fn of(held: &[f64]) -> Vec<f64> {
        let corpus = SingleTopicSource::uniform(30, 3, 5);
        let corpus = corpus.draw(held.len(), &Lengths::Fixed(3), 7).0;
        Holdings::sums(corpus.rows(), &Matrix::from_columns(held.len(), 1, held.to_vec()))
    }

    #[test]
    fn as_many_documents_as_hold_half_are_counted() {
        let driven = |held: &[f64]| Holdings::from_sums(of(held), 1).driven(0);
        assert_eq!(driven(&[10.0, 1.0, 1.0]), Driven { documents: 1, share: 10.0 / 12.0 });
        assert_eq!(driven(&[1.0; 9]).documents, 5);
        assert_eq!(driven(&[0.0, 0.0]), Driven { documents: 0, share: 0.0 });
        let many: Vec<f64> = (1..=1000).map(f64::from).collect();
        // The exact number is 293.
        assert!((285..=300).contains(&driven(&many).documents), "{:?}", driven(&many));
        assert_eq!(range_of(1e-300), 0);
        assert_eq!(range_of(2.0) - range_of(1.0), TO_A_DOUBLING as usize);
    }

    #[test]
    fn few_documents_are_counted_with_others() {
        let held = [100.0, 50.0, 3.0, 2.0, 1.0, 0.5, 0.25];
        let coarse = Holdings::coarsened(of(&held), 3);
        let n = coarse.len() / 2;
        let documents: Vec<f64> = coarse[..n].iter().copied().filter(|n| *n > 0.0).collect();
        assert_eq!(documents, [4.0, 3.0]);
        let total: f64 = coarse[n..].iter().sum();
        assert!((total - held.iter().sum::<f64>()).abs() < 1e-12);
        assert!(Holdings::coarsened(of(&held), 8).iter().all(|x| *x == 0.0));
        assert_eq!(Holdings::coarsened(of(&held), 0), of(&held));
    }
}
