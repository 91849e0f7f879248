//! The posterior of a document under topics that were estimated without it (leave-one-out).
//!
//! In EM a document also supports the topics that it helped to make. If a topic has ten documents this decides:
//! documents that were put together first stay together, and EM ends near its start. Here a document's own words
//! are subtracted from the counts before its posterior is computed:
//!
//! ```text
//! ln P_dj = ln(N_j - P_dj + 1)  +  sum_i ln rise(S m_i + C_ij - P_dj x_di, x_di)
//!           -  ln rise(S + C_j - P_dj c_d, c_d)  +  const          rise(a, x) = a (a+1) ... (a+x-1)
//! ```
//!
//! the probability of the document given all others when topics have a Dirichlet prior around `m`, with `S`, and
//! the counts of the other documents replace their means.
//!
//! # Cost
//! A sum of tabulated logarithms for every count and topic; logarithms are computed only for the few topics that a
//! document may belong to, where its own words change them.

use super::gamma::ln_rising;
use crate::corpus::SparseCounts;
use crate::fit::leaving::{NO_SHARE, without};
use crate::linalg::Matrix;
use crate::logarithm::take_logarithms;
use crate::questions::Others;
use rayon::prelude::*;

/// Counts up to this are tabulated.
const TABLED: usize = 3;

/// Documents scored by one task.
const DOCUMENTS_PER_TASK: usize = 64;

/// The topics' counts plus the prior, word by word: `S m_i + C_ij`.
struct Table {
    n_topics: usize,
    base: Vec<f64>,
    /// `ln rise(base, 1)`, `ln rise(base, 2)` and so on.
    logarithms: [Vec<f64>; TABLED],
}

impl Table {
    fn new(counts: &Matrix, prior: &[f64]) -> Self {
        let n_topics = counts.n_columns();
        let mut base = counts.transpose().values().to_vec();
        let words = base.par_chunks_mut(n_topics.max(1)).zip(prior);
        words.for_each(|(word, prior)| word.iter_mut().for_each(|b| *b += prior));
        let mut rising = base.clone();
        let logarithms = std::array::from_fn(|x| {
            let step = x as f64 + 1.0;
            let mut table = rising.clone();
            take_logarithms(&mut table);
            rising.iter_mut().zip(&base).for_each(|(r, b)| *r *= b + step);
            table
        });
        Self { n_topics, base, logarithms }
    }

    fn row<'a>(&self, of: &'a [f64], word: u32) -> &'a [f64] {
        let start = word as usize * self.n_topics;
        &of[start..start + self.n_topics]
    }

    /// Adds the contribution of a word that occurs `count` times to every topic's score.
    fn add(&self, word: u32, count: u32, scores: &mut [f64]) {
        match self.logarithms.get(count as usize - 1) {
            Some(tabled) => {
                let row = self.row(tabled, word);
                scores.iter_mut().zip(row).for_each(|(s, l)| *s += l);
            }
            None => {
                let row = self.row(&self.base, word);
                scores.iter_mut().zip(row).for_each(|(s, b)| *s += ln_rising(*b, u64::from(count)));
            }
        }
    }
}

/// `ln P` before normalisation, documents x topics, given the counts of the other documents, which
/// follow from the previous `P`.
pub(super) fn scores(documents: &SparseCounts, posterior: &Matrix, others: &Others) -> Matrix {
    let Others { counts, documents: sizes, prior, strength } = others;
    let table = Table::new(counts, prior);
    let (n, k) = (posterior.n_rows(), posterior.n_columns());
    let words_of_topics: Vec<f64> =
        (0..k).into_par_iter().map(|j| counts.column(j).iter().sum()).collect();
    let mut rows = vec![0.0; n * k];
    rows.par_chunks_mut(k * DOCUMENTS_PER_TASK).enumerate().for_each(|(chunk, rows)| {
        crate::stop::here();
        for (at, scores) in rows.chunks_mut(k).enumerate() {
            let d = chunk * DOCUMENTS_PER_TASK + at;
            let (words, counts) = documents.row(d);
            let length: u64 = counts.iter().map(|&x| u64::from(x)).sum();
            words.iter().zip(counts).for_each(|(w, x)| table.add(*w, *x, scores));
            for (j, score) in scores.iter_mut().enumerate() {
                let share = posterior[(d, j)];
                if share > NO_SHARE {
                    let of_word = |(&w, &x): (&u32, &u32)| {
                        let base = table.row(&table.base, w)[j];
                        let base = without(base, share, f64::from(x), prior[w as usize]);
                        ln_rising(base, u64::from(x))
                    };
                    *score = words.iter().zip(counts).map(of_word).sum();
                }
                let total = strength + words_of_topics[j];
                *score -= ln_rising(without(total, share, length as f64, *strength), length);
                *score += (sizes[j] - share + 1.0).ln();
            }
        }
    });
    Matrix::from_columns(k, n, rows).transpose()
}
