//! The passes over the counts, one panel of columns at a time.

use super::Pass;
use super::counting::EntryValue;
use crate::corpus::SparseCounts;
use crate::linalg::Matrix;

/// Columns of a matrix, laid row by row and padded with zeros.
pub(super) fn gather_columns<const W: usize>(
    matrix: &Matrix,
    columns: std::ops::Range<usize>,
) -> Vec<[f64; W]> {
    let mut rows = vec![[0.0; W]; matrix.n_rows()];
    // A few rows at a time, which stay near while all columns are laid into them.
    for (block, rows) in rows.chunks_mut(ROWS).enumerate() {
        let places = block * ROWS..block * ROWS + rows.len();
        for (target, j) in columns.clone().enumerate() {
            for (row, value) in rows.iter_mut().zip(&matrix.column(j)[places.clone()]) {
                row[target] = *value;
            }
        }
    }
    rows
}

/// Rows laid out or read off at a time.
pub(super) const ROWS: usize = 128;

#[inline(always)]
pub(super) fn add_scaled<const W: usize>(target: &mut [f64; W], factor: f64, row: &[f64; W]) {
    for j in 0..W {
        target[j] += factor * row[j];
    }
}

/// A row of `X Q`: the sum over the entries of document `d`.
#[inline(always)]
pub(super) fn gather<const W: usize>(
    rows: &SparseCounts,
    d: usize,
    value: &impl EntryValue,
    q: &[[f64; W]],
) -> [f64; W] {
    let (features, counts) = rows.row(d);
    let first = rows.offsets()[d];
    let mut sum = [0.0; W];
    for (e, (&h, &count)) in features.iter().zip(counts).enumerate() {
        add_scaled(&mut sum, value.value(first + e, count), &q[h as usize]);
    }
    sum
}

/// Adds `x_dh * row` to the row of every feature `h` of document `d`.
#[inline(always)]
pub(super) fn scatter<const W: usize>(
    rows: &SparseCounts,
    d: usize,
    value: &impl EntryValue,
    row: &[f64; W],
    target: &mut [[f64; W]],
) {
    let (features, counts) = rows.row(d);
    let first = rows.offsets()[d];
    for (e, (&h, &count)) in features.iter().zip(counts).enumerate() {
        add_scaled(&mut target[h as usize], value.value(first + e, count), row);
    }
}

pub(super) struct ForwardPass<'a> {
    pub rows: &'a SparseCounts,
    pub q: &'a Matrix,
}

impl Pass for ForwardPass<'_> {
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        columns: std::ops::Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let q = gather_columns::<W>(self.q, columns);
        for (d, target) in result.iter_mut().enumerate() {
            *target = gather(self.rows, d, value, &q);
        }
    }
}

pub(super) struct NormalPass<'a> {
    pub rows: &'a SparseCounts,
    pub q: &'a Matrix,
    pub weights: &'a [f64],
}

impl Pass for NormalPass<'_> {
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        columns: std::ops::Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let q = gather_columns::<W>(self.q, columns);
        for (d, &weight) in self.weights.iter().enumerate() {
            if weight != 0.0 {
                let mut z = gather(self.rows, d, value, &q);
                z.iter_mut().for_each(|v| *v *= weight);
                scatter(self.rows, d, value, &z, result);
            }
        }
    }
}

pub(super) struct BackwardPass<'a> {
    pub rows: &'a SparseCounts,
    pub z: &'a Matrix,
    pub weights: Option<&'a [f64]>,
    pub n_features: usize,
}

impl Pass for BackwardPass<'_> {
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        columns: std::ops::Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        debug_assert_eq!(result.len(), self.n_features);
        let columns: Vec<&[f64]> = columns.map(|j| self.z.column(j)).collect();
        for d in 0..self.rows.n_rows() {
            let weight = self.weights.map_or(1.0, |w| w[d]);
            if weight != 0.0 {
                let mut z = [0.0; W];
                for (target, column) in z.iter_mut().zip(&columns) {
                    *target = weight * column[d];
                }
                scatter(self.rows, d, value, &z, result);
            }
        }
    }
}

pub(super) struct SquaresPass<'a> {
    pub rows: &'a SparseCounts,
    pub b: &'a Matrix,
    pub weights: &'a [f64],
}

impl Pass for SquaresPass<'_> {
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        columns: std::ops::Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let b = gather_columns::<W>(self.b, columns);
        let (squares, plain) = result.split_at_mut(b.len());
        for (d, &weight) in self.weights.iter().enumerate() {
            if weight == 0.0 {
                continue;
            }
            let (features, counts) = self.rows.row(d);
            let first = self.rows.offsets()[d];
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
            scatter(self.rows, d, value, &gamma, squares);
            scatter(self.rows, d, value, &beta, plain);
        }
    }
}

pub(super) struct SquaresGivenPass<'a> {
    pub rows: &'a SparseCounts,
    pub b: &'a Matrix,
    pub image: &'a Matrix,
    pub weights: &'a [f64],
}

impl Pass for SquaresGivenPass<'_> {
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        columns: std::ops::Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let mut squared = gather_columns::<W>(self.b, columns.clone());
        squared.iter_mut().flatten().for_each(|v| *v *= *v);
        let columns: Vec<&[f64]> = columns.map(|j| self.image.column(j)).collect();
        for (d, &weight) in self.weights.iter().enumerate() {
            if weight != 0.0 {
                let mut row = gather(self.rows, d, value, &squared);
                for (target, column) in row.iter_mut().zip(&columns) {
                    *target = weight * (column[d] * column[d] - *target);
                }
                scatter(self.rows, d, value, &row, result);
            }
        }
    }
}

pub(super) struct SlicesPass<'a> {
    pub rows: &'a SparseCounts,
    pub b: &'a Matrix,
    pub z: &'a Matrix,
    pub weights: &'a [f64],
    pub pairs: &'a [(usize, usize)],
    pub range: std::ops::Range<usize>,
}

impl Pass for SlicesPass<'_> {
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        columns: std::ops::Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let pairs = &self.pairs[columns];
        let mut products = vec![[0.0; W]; self.b.n_rows()];
        for (j, &(a, b)) in pairs.iter().enumerate() {
            let (left, right) = (self.b.column(a), self.b.column(b));
            for ((row, x), y) in products.iter_mut().zip(left).zip(right) {
                row[j] = x * y;
            }
        }
        for (d, &weight) in self.weights.iter().enumerate() {
            let (features, counts) = self.rows.row(d);
            let from = features.partition_point(|&h| (h as usize) < self.range.start);
            let to = features.partition_point(|&h| (h as usize) < self.range.end);
            if weight == 0.0 || from == to {
                continue;
            }
            let mut f = gather(self.rows, d, value, &products);
            for (target, &(a, b)) in f.iter_mut().zip(pairs) {
                *target = weight * (self.z[(d, a)] * self.z[(d, b)] - *target);
            }
            let first = self.rows.offsets()[d];
            for e in from..to {
                let row = &mut result[features[e] as usize - self.range.start];
                add_scaled(row, value.value(first + e, counts[e]), &f);
            }
        }
    }
}
