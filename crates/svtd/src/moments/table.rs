//! A table of counts with the weights of its documents, and sums over it.

use super::MomentWeights;
use super::panels::Products;
use crate::corpus::SparseCounts;
use crate::questions::Counting;

/// A table of counts, with the weights of its documents.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub rows: &'a SparseCounts,
    pub products: Products<'a>,
    pub weights: &'a MomentWeights,
}

impl<'a> Table<'a> {
    pub(crate) fn new(
        rows: &'a SparseCounts,
        n_features: usize,
        counting: Counting,
        weights: &'a MomentWeights,
    ) -> Self {
        Self { rows, products: Products::new(rows, n_features, counting), weights }
    }

    /// Sums over documents of `n` numbers, block by block along the tree; `add` adds the numbers of a range of
    /// documents.
    pub(crate) fn sums(
        &self,
        n: usize,
        add: impl Fn(std::ops::Range<usize>, &mut [f64]) + Sync,
    ) -> Vec<f64> {
        sums(self.rows, n, add)
    }
}

/// Sums over the rows of a table of `n` numbers, block by block along the tree; `add` adds the numbers of a range
/// of rows.
pub(crate) fn sums(
    rows: &SparseCounts,
    n: usize,
    add: impl Fn(std::ops::Range<usize>, &mut [f64]) + Sync,
) -> Vec<f64> {
    let answer = |b: usize| {
        let mut sums = vec![0.0; n];
        add(rows.block_rows(b), &mut sums);
        sums
    };
    rows.sum_blocks(answer, |left: &mut Vec<f64>, right| {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    })
}
