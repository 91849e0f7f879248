//! Plain sums over the counts, by document and by word.

use rayon::prelude::*;

use super::Counting;
use crate::corpus::SparseCounts;
use crate::tasks;

/// Values of counts below this are computed once; in text nearly all counts are.
const SMALL_COUNTS: u32 = 256;

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
        let answer = |b: usize| {
            let mut sums = vec![[0.0; M]; self.n_features];
            let block = self.rows.block(b);
            for d in block.documents() {
                let own = weights.map(|weights| weights[d]);
                if own.iter().all(|&weight| weight == 0.0) {
                    continue;
                }
                let (features, counts) = block.row(d);
                for (&i, &count) in features.iter().zip(counts) {
                    let term = self.value(&values, value, count);
                    for (sum, weight) in sums[i as usize].iter_mut().zip(own) {
                        *sum += weight * term;
                    }
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
