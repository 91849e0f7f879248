//! The passes over the counts: one block of documents, one panel of columns at a time.

use std::ops::{Deref, DerefMut, Range};

use rayon::prelude::*;

use super::Pass;
use super::counting::EntryValue;
use crate::aligned::Aligned;
use crate::corpus::blocks::Block;
use crate::linalg::Matrix;
use crate::memory::will_need_row;
use crate::tasks;

/// How many words ahead the row is prefetched to which something will be added. (Rows that are only read need no
/// such hint: the processor runs ahead by itself.)
const AHEAD: usize = 16;

/// Rows of `W` numbers that begin with a cache line.
pub(super) struct Rows<const W: usize>(Aligned<f64>);

impl<const W: usize> Rows<W> {
    fn zeros(n: usize) -> Self {
        Self(Aligned::zeros(n * W))
    }
}

impl<const W: usize> Deref for Rows<W> {
    type Target = [[f64; W]];

    fn deref(&self) -> &[[f64; W]] {
        self.0.as_chunks().0
    }
}

impl<const W: usize> DerefMut for Rows<W> {
    fn deref_mut(&mut self) -> &mut [[f64; W]] {
        self.0.as_chunks_mut().0
    }
}

/// Columns of a matrix, stored row by row and padded with zeros.
pub(super) fn gather_columns<const W: usize>(matrix: &Matrix, columns: Range<usize>) -> Rows<W> {
    let mut rows = Rows::<W>::zeros(matrix.n_rows());
    // A few rows at a time, which stay in the cache while all columns are copied.
    let lay = |first: usize, rows: &mut [[f64; W]]| {
        for (target, j) in columns.clone().enumerate() {
            for (row, value) in rows.iter_mut().zip(&matrix.column(j)[first..]) {
                row[target] = *value;
            }
        }
    };
    let lay = |(piece, rows): (usize, &mut [[f64; W]])| {
        let near = (piece * TASK_ROWS..).step_by(ROWS).zip(rows.chunks_mut(ROWS));
        near.for_each(|(first, rows)| lay(first, rows));
    };
    let pieces = rows.par_chunks_mut(TASK_ROWS).enumerate();
    tasks::fork(|| pieces.for_each(|piece| tasks::branch(|| lay(piece))));
    rows
}

/// Number of rows copied at a time.
pub(super) const ROWS: usize = 128;

/// Number of rows copied by one task.
pub(super) const TASK_ROWS: usize = 32 * ROWS;

#[inline(always)]
pub(super) fn add_scaled<const W: usize>(target: &mut [f64; W], factor: f64, row: &[f64; W]) {
    for j in 0..W {
        target[j] += factor * row[j];
    }
}

/// A row of `X Q`: the sum over the entries of document `d`.
#[inline(always)]
pub(super) fn gather<const W: usize>(
    block: Block<'_>,
    d: usize,
    value: &impl EntryValue,
    q: &[[f64; W]],
) -> [f64; W] {
    let (features, counts) = block.row(d);
    let first = block.first_entry(d);
    let mut sum = [0.0; W];
    for (e, (&h, &count)) in features.iter().zip(counts).enumerate() {
        add_scaled(&mut sum, value.value(first + e, count), &q[h as usize]);
    }
    sum
}

/// Adds `x_dh * row` to the row of every feature `h` of document `d`.
#[inline(always)]
pub(super) fn scatter<const W: usize>(
    block: Block<'_>,
    d: usize,
    value: &impl EntryValue,
    row: &[f64; W],
    target: &mut [[f64; W]],
) {
    let (features, counts) = block.row(d);
    let first = block.first_entry(d);
    for (e, (&h, &count)) in features.iter().zip(counts).enumerate() {
        if let Some(&next) = features.get(e + AHEAD) {
            will_need_row(target, next as usize);
        }
        add_scaled(&mut target[h as usize], value.value(first + e, count), row);
    }
}

pub(super) struct ForwardPass<'a> {
    pub q: &'a Matrix,
}

impl Pass for ForwardPass<'_> {
    type Shared<const W: usize> = Rows<W>;

    fn share<const W: usize>(&self, columns: Range<usize>) -> Self::Shared<W> {
        gather_columns::<W>(self.q, columns)
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        q: &Self::Shared<W>,
        block: Block<'_>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        for (d, target) in block.documents().zip(result) {
            *target = gather(block, d, value, q);
        }
    }
}

pub(super) struct NormalPass<'a> {
    pub q: &'a Matrix,
    pub weights: &'a [f64],
}

impl Pass for NormalPass<'_> {
    type Shared<const W: usize> = Rows<W>;

    fn share<const W: usize>(&self, columns: Range<usize>) -> Self::Shared<W> {
        gather_columns::<W>(self.q, columns)
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        q: &Self::Shared<W>,
        block: Block<'_>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        for d in block.documents() {
            let weight = self.weights[d];
            if weight != 0.0 {
                let mut z = gather(block, d, value, q);
                z.iter_mut().for_each(|v| *v *= weight);
                scatter(block, d, value, &z, result);
            }
        }
    }
}

pub(super) struct BackwardPass<'a> {
    pub z: &'a Matrix,
    pub weights: Option<&'a [f64]>,
}

impl Pass for BackwardPass<'_> {
    type Shared<const W: usize> = Range<usize>;

    fn share<const W: usize>(&self, columns: Range<usize>) -> Self::Shared<W> {
        columns
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        columns: &Self::Shared<W>,
        block: Block<'_>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let columns: Vec<&[f64]> = columns.clone().map(|j| self.z.column(j)).collect();
        for d in block.documents() {
            let weight = self.weights.map_or(1.0, |w| w[d]);
            if weight != 0.0 {
                let mut z = [0.0; W];
                for (target, column) in z.iter_mut().zip(&columns) {
                    *target = weight * column[d];
                }
                // Most posteriors are zero for all topics of a panel, and adding zeros changes nothing.
                if z.iter().any(|&z| z != 0.0) {
                    scatter(block, d, value, &z, result);
                }
            }
        }
    }
}

pub(super) struct SquaresPass<'a> {
    pub b: &'a Matrix,
    pub weights: &'a [f64],
}

impl Pass for SquaresPass<'_> {
    type Shared<const W: usize> = Rows<W>;

    fn share<const W: usize>(&self, columns: Range<usize>) -> Self::Shared<W> {
        gather_columns::<W>(self.b, columns)
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        b: &Self::Shared<W>,
        block: Block<'_>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let b: &[[f64; W]] = b;
        let (squares, plain) = result.split_at_mut(b.len());
        for d in block.documents() {
            let weight = self.weights[d];
            if weight == 0.0 {
                continue;
            }
            let (features, counts) = block.row(d);
            let first = block.first_entry(d);
            let (mut beta, mut gamma) = ([0.0; W], [0.0; W]);
            for (e, (&h, &count)) in features.iter().zip(counts).enumerate() {
                let (x, row) = (value.value(first + e, count), &b[h as usize]);
                for j in 0..W {
                    let scaled = x * row[j];
                    beta[j] += scaled;
                    gamma[j] += scaled * row[j];
                }
            }
            for j in 0..W {
                gamma[j] = weight * (beta[j] * beta[j] - gamma[j]);
                beta[j] *= weight;
            }
            scatter(block, d, value, &gamma, squares);
            scatter(block, d, value, &beta, plain);
        }
    }
}

pub(super) struct SlicesPass<'a> {
    pub b: &'a Matrix,
    pub z: &'a Matrix,
    pub weights: &'a [f64],
    pub pairs: &'a [(usize, usize)],
    pub range: Range<usize>,
}

impl Pass for SlicesPass<'_> {
    type Shared<const W: usize> = (Rows<W>, Range<usize>);

    fn share<const W: usize>(&self, columns: Range<usize>) -> Self::Shared<W> {
        let pairs = &self.pairs[columns.clone()];
        let mut products = Rows::<W>::zeros(self.b.n_rows());
        for (j, &(a, b)) in pairs.iter().enumerate() {
            let (left, right) = (self.b.column(a), self.b.column(b));
            for ((row, x), y) in products.iter_mut().zip(left).zip(right) {
                row[j] = x * y;
            }
        }
        (products, columns)
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        (products, columns): &Self::Shared<W>,
        block: Block<'_>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let pairs = &self.pairs[columns.clone()];
        for d in block.documents() {
            let weight = self.weights[d];
            let (features, counts) = block.row(d);
            let from = features.partition_point(|&h| (h as usize) < self.range.start);
            let to = features.partition_point(|&h| (h as usize) < self.range.end);
            if weight == 0.0 || from == to {
                continue;
            }
            let mut f = gather(block, d, value, products);
            for (target, &(a, b)) in f.iter_mut().zip(pairs) {
                *target = weight * (self.z[(d, a)] * self.z[(d, b)] - *target);
            }
            let first = block.first_entry(d);
            for e in from..to {
                let row = &mut result[features[e] as usize - self.range.start];
                add_scaled(row, value.value(first + e, counts[e]), &f);
            }
        }
    }
}
