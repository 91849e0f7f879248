//! Plain sums over the counts, by document and by word.

use std::ops::Range;

use rayon::prelude::*;

use super::Counting;
use crate::corpus::SparseCounts;
use crate::tasks;

/// Values of counts below this are computed once; in text nearly all counts are.
const SMALL_COUNTS: u32 = 256;

/// Number of documents that show which features are frequent.
const DOCUMENTS_FOR_MEDIAN: usize = 64;

/// The first `n_features` features of a table of counts, to be summed.
#[derive(Clone, Copy)]
pub(super) struct Sums<'a> {
    pub rows: &'a SparseCounts,
    pub n_features: usize,
    pub counting: Counting,
}

impl Sums<'_> {
    /// `sum_i x_di` and `sum_i x_di (x_di - 1)` for every document `d`.
    pub fn by_document(&self) -> (Vec<f64>, Vec<f64>) {
        let values = self.small_values(&|x| x);
        let sums = |d: usize| {
            let (mut length, mut repeats) = (0.0, 0.0);
            for &count in self.rows.row(d).1 {
                let x = self.value(&values, &|x| x, count);
                length += x;
                repeats += x * (x - 1.0);
            }
            (length, repeats)
        };
        let sums = |d| tasks::branch(|| sums(d));
        let documents = (0..self.rows.n_rows()).into_par_iter().with_min_len(512);
        tasks::fork(|| documents.map(sums).unzip())
    }

    /// `sum_d w_d value(x_di)` for every feature `i` and each of several weight vectors `w`.
    pub fn by_feature<const M: usize>(
        &self,
        weights: [&[f64]; M],
        value: &(dyn Fn(f64) -> f64 + Sync),
    ) -> [Vec<f64>; M] {
        let values = self.small_values(value);
        let add_block = |b: usize, features: Range<usize>, sums: &mut [[f64; M]]| {
            let block = self.rows.block(b);
            for d in block.documents() {
                let own = weights.map(|weights| weights[d]);
                if own.iter().all(|&weight| weight == 0.0) {
                    continue;
                }
                let (indices, counts) = block.row(d);
                let place = |end: usize| indices.partition_point(|&i| (i as usize) < end);
                let (first, end) = match features.len() == self.n_features {
                    true => (0, indices.len()),
                    false => (place(features.start), place(features.end)),
                };
                for (&i, &count) in indices[first..end].iter().zip(&counts[first..end]) {
                    let term = self.value(&values, value, count);
                    let sums = &mut sums[i as usize - features.start];
                    for (sum, weight) in sums.iter_mut().zip(own) {
                        *sum += weight * term;
                    }
                }
            }
        };
        // With more cores than blocks, a block is two tasks, of some features each: the same sums in the same order.
        let split = (tasks::n_cores() > self.rows.n_blocks()).then(|| self.median_feature());
        let answer = |b: usize| {
            let mut sums = vec![[0.0; M]; self.n_features];
            match split {
                None => add_block(b, 0..self.n_features, &mut sums),
                Some(middle) => {
                    let (left, right) = sums.split_at_mut(middle);
                    tasks::join(
                        || add_block(b, 0..middle, left),
                        || add_block(b, middle..self.n_features, right),
                    );
                }
            }
            sums
        };
        let add = |left: &mut Vec<[f64; M]>, right: Vec<[f64; M]>| {
            for (left, right) in left.iter_mut().flatten().zip(right.iter().flatten()) {
                *left += right;
            }
        };
        let sums = self.rows.sum_blocks(answer, add);
        std::array::from_fn(|m| sums.iter().map(|sum| sum[m]).collect())
    }

    /// A feature below and above which there are about as many entries, judged by the first documents.
    fn median_feature(&self) -> usize {
        let first = 0..self.rows.n_rows().min(DOCUMENTS_FOR_MEDIAN);
        let mut some: Vec<u32> = first.flat_map(|d| self.rows.row(d).0).copied().collect();
        some.sort_unstable();
        some.get(some.len() / 2).map_or(0, |&i| (i as usize).min(self.n_features))
    }

    fn small_values(&self, value: &dyn Fn(f64) -> f64) -> Vec<f64> {
        (0..SMALL_COUNTS).map(|count| value(self.counting.value(count.max(1)))).collect()
    }

    fn value(&self, small: &[f64], value: &dyn Fn(f64) -> f64, count: u32) -> f64 {
        match small.get(count as usize) {
            Some(&known) => known,
            None => value(self.counting.value(count)),
        }
    }
}
