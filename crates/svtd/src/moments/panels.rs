//! Sparse counts times dense columns, a panel of columns at a time.
//!
//! Every product that a fit needs has the same shape: for each document gather a dense row for
//! each of its words, make something of the sum, and scatter that back to the same words:
//!
//! ```text
//! z_d  = sum_h  x_dh q_h            forward, a row of X Q
//! y_h += x_dh f(d, z_d)             backward, X' f(X Q)
//! ```
//!
//! One pass over the counts does both halves for [`WIDE`] or [`NARROW`] columns, few enough that
//! the rows of frequent words stay in the cache. (Corpora number their words by falling
//! frequency for this reason.) Whole panels are dealt to threads.
//!
//! # Same bits
//! A column's arithmetic does not depend on which panel it is in or which thread runs it: every
//! sum runs over the documents in order. So the width of the panels can follow the number of
//! threads, and the result cannot. Multiply and add are kept apart (no fused operation), so all
//! instruction sets agree too.
//!
//! # Cost
//! Four flops per stored count and column. The kernels are bound by cache bandwidth.

mod left_out;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

pub(crate) use self::left_out::{LeftOut, Steps};

use crate::corpus::SparseCounts;
use crate::linalg::Matrix;

/// Columns in a full panel.
const WIDE: usize = 16;
/// Columns in a panel when there are few columns, or more threads than full panels.
const NARROW: usize = 8;

/// How a stored count enters the moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counting {
    /// The count itself, `x`.
    Raw,
    /// `1 + log x`, which keeps a few long repetitive documents from supplying the topics.
    Damped,
}

impl Counting {
    /// The value a count stands for.
    pub fn value(self, count: u32) -> f64 {
        match self {
            Counting::Raw => f64::from(count),
            Counting::Damped => 1.0 + f64::from(count).ln(),
        }
    }
}

/// What a stored entry, at its position in the row arrays and with its count, is worth.
trait EntryValue: Sync {
    fn value(&self, position: usize, count: u32) -> f64;
}

struct RawValue;

impl EntryValue for RawValue {
    #[inline(always)]
    fn value(&self, _: usize, count: u32) -> f64 {
        f64::from(count)
    }
}

/// Damped counts by table: logarithms of small counts are needed again and again.
struct DampedValue([f64; 256]);

impl DampedValue {
    fn new() -> Self {
        Self(std::array::from_fn(|count| Counting::Damped.value(count.max(1) as u32)))
    }
}

impl EntryValue for DampedValue {
    #[inline(always)]
    fn value(&self, _: usize, count: u32) -> f64 {
        match self.0.get(count as usize) {
            Some(&value) => value,
            None => Counting::Damped.value(count),
        }
    }
}

/// Squares of the values, for sums over documents of `x^2`.
struct SquaredValue<V>(V);

impl<V: EntryValue> EntryValue for SquaredValue<V> {
    #[inline(always)]
    fn value(&self, position: usize, count: u32) -> f64 {
        let value = self.0.value(position, count);
        value * value
    }
}

/// Values of their own for every entry, in the order of the row arrays.
struct GivenValue<'a>(&'a [f32]);

impl EntryValue for GivenValue<'_> {
    #[inline(always)]
    fn value(&self, position: usize, _: u32) -> f64 {
        f64::from(self.0[position])
    }
}

/// The first `n` features of a table of counts, ready for products.
#[derive(Clone, Copy)]
pub(crate) struct Products<'a> {
    rows: &'a SparseCounts,
    n_features: usize,
    counting: Counting,
}

impl<'a> Products<'a> {
    pub(crate) fn new(rows: &'a SparseCounts, n_features: usize, counting: Counting) -> Self {
        Self { rows, n_features, counting }
    }

    /// `X Q`, documents x columns.
    pub(crate) fn forward(&self, q: &Matrix) -> Matrix {
        let n = self.rows.n_rows();
        self.by_panels(q.n_columns(), n, |task| {
            task.run(&ForwardPass { rows: self.rows, q }, self.counting)
        })
    }

    /// `X'(w o (X Q))`, features x columns.
    pub(crate) fn normal(&self, q: &Matrix, weights: &[f64]) -> Matrix {
        self.by_panels(q.n_columns(), self.n_features, |task| {
            task.run(&NormalPass { rows: self.rows, q, weights }, self.counting)
        })
    }

    /// `X'(w o Z)`, features x columns.
    pub(crate) fn backward(&self, z: &Matrix, weights: Option<&[f64]>) -> Matrix {
        self.by_panels(z.n_columns(), self.n_features, |task| {
            let pass = BackwardPass { rows: self.rows, z, weights, n_features: self.n_features };
            task.run(&pass, self.counting)
        })
    }

    /// `(X o X)'(w o Z)`, features x columns: squared values in place of the values.
    pub(crate) fn backward_squared(&self, z: &Matrix, weights: &[f64]) -> Matrix {
        self.by_panels(z.n_columns(), self.n_features, |task| {
            let n_features = self.n_features;
            let pass = BackwardPass { rows: self.rows, z, weights: Some(weights), n_features };
            match self.counting {
                Counting::Raw => task.run_given(&pass, &SquaredValue(RawValue)),
                Counting::Damped => task.run_given(&pass, &SquaredValue(DampedValue::new())),
            }
        })
    }

    /// `C'(w o Z)` where the matrix `C` has the pattern of the counts and `values` in their order.
    pub(crate) fn backward_given(
        &self,
        values: &[f32],
        z: &Matrix,
        weights: Option<&[f64]>,
    ) -> Matrix {
        self.by_panels(z.n_columns(), self.n_features, |task| {
            let pass = BackwardPass { rows: self.rows, z, weights, n_features: self.n_features };
            task.run_given(&pass, &GivenValue(values))
        })
    }

    /// The two products of Section 2.4: `X'(w o (B^2 - X(B o B)))` and `X'(w o XB)`, where
    /// `B^2` is the entrywise square of `X B`; one above the other in a matrix of `2n` rows.
    pub(crate) fn squares(&self, b: &Matrix, weights: &[f64]) -> Matrix {
        self.by_panels(b.n_columns(), 2 * self.n_features, |task| {
            task.run(&SquaresPass { rows: self.rows, b, weights }, self.counting)
        })
    }

    /// The first of the two, `X'(w o (B^2 - X(B o B)))`, with `X B` given.
    pub(crate) fn squares_given(&self, b: &Matrix, image: &Matrix, weights: &[f64]) -> Matrix {
        self.by_panels(b.n_columns(), self.n_features, |task| {
            task.run(&SquaresGivenPass { rows: self.rows, b, image, weights }, self.counting)
        })
    }

    /// Packed upper triangles of `sum_d w_d x_di (z_d z_d' - sum_h x_dh b_h b_h')` for the
    /// features `i` of `range`, in rows of `k(k+1)/2`, with `Z = X B` given.
    ///
    /// Two sparse products per panel of packed entries; never more than the result in memory.
    pub(crate) fn slices(
        &self,
        b: &Matrix,
        z: &Matrix,
        weights: &[f64],
        range: std::ops::Range<usize>,
    ) -> Matrix {
        let pairs = packed_pairs(b.n_columns());
        self.by_panels(pairs.len(), range.len(), |task| {
            let pass =
                SlicesPass { rows: self.rows, b, z, weights, pairs: &pairs, range: range.clone() };
            task.run(&pass, self.counting)
        })
    }

    /// Runs a pass for every panel of `n_columns` columns and lays the results side by side.
    fn by_panels(
        &self,
        n_columns: usize,
        n_rows: usize,
        run: impl Fn(Panel<'_>) + Sync + Send,
    ) -> Matrix {
        let mut result = Matrix::zeros(n_rows, n_columns);
        let widths = panel_widths(n_columns, rayon::current_num_threads());
        let mut panels = Vec::with_capacity(widths.len());
        let mut rest = result.values_mut();
        let mut start = 0;
        for width in widths {
            let used = width.min(n_columns - start);
            let (target, tail) = rest.split_at_mut(used * n_rows);
            panels.push(Panel { start, width, used, target });
            rest = tail;
            start += used;
        }
        panels.into_par_iter().with_max_len(1).for_each(run);
        result
    }
}

/// The pairs `(a, b)`, `a <= b`, in the order of a packed upper triangle, row by row.
pub(crate) fn packed_pairs(k: usize) -> Vec<(usize, usize)> {
    (0..k).flat_map(|a| (a..k).map(move |b| (a, b))).collect()
}

/// Cuts `n` columns into panels: full ones, and narrow ones at the end or when threads would
/// otherwise have nothing to do.
fn panel_widths(n: usize, n_threads: usize) -> Vec<usize> {
    let wide = if n / WIDE >= n_threads { n / WIDE } else { 0 };
    let wide = wide - wide % n_threads.max(1);
    let narrow = (n - wide * WIDE).div_ceil(NARROW);
    let mut widths = vec![WIDE; wide];
    widths.resize(wide + narrow, NARROW);
    widths
}

/// One panel: the columns `start..start + used` of a product, padded to `width`.
struct Panel<'a> {
    start: usize,
    width: usize,
    used: usize,
    target: &'a mut [f64],
}

impl Panel<'_> {
    fn run(self, pass: &impl Pass, counting: Counting) {
        match counting {
            Counting::Raw => self.run_given(pass, &RawValue),
            Counting::Damped => self.run_given(pass, &DampedValue::new()),
        }
    }

    fn run_given(self, pass: &impl Pass, value: &impl EntryValue) {
        match self.width {
            WIDE => self.run_width::<WIDE>(pass, value),
            _ => self.run_width::<NARROW>(pass, value),
        }
    }

    fn run_width<const W: usize>(self, pass: &impl Pass, value: &impl EntryValue) {
        let n_rows = self.target.len() / self.used.max(1);
        let mut result = vec![[0.0; W]; n_rows];
        let columns = self.start..self.start + self.used;
        Arch::new().dispatch(Vectorised { pass, columns, value, result: &mut result });
        for (j, column) in self.target.chunks_exact_mut(n_rows.max(1)).enumerate() {
            for (target, row) in column.iter_mut().zip(&result) {
                *target = row[j];
            }
        }
    }
}

/// What is done with a panel. `result` starts at zero.
trait Pass: Sync {
    fn run<const W: usize>(
        &self,
        columns: std::ops::Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    );
}

/// A pass over one panel, compiled for each instruction set and chosen at run time.
struct Vectorised<'a, P, V, const W: usize> {
    pass: &'a P,
    columns: std::ops::Range<usize>,
    value: &'a V,
    result: &'a mut [[f64; W]],
}

impl<P: Pass, V: EntryValue, const W: usize> WithSimd for Vectorised<'_, P, V, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.pass.run::<W>(self.columns, self.value, self.result);
    }
}

/// Columns of a matrix, laid row by row and padded with zeros.
fn gather_columns<const W: usize>(
    matrix: &Matrix,
    columns: std::ops::Range<usize>,
) -> Vec<[f64; W]> {
    let mut rows = vec![[0.0; W]; matrix.n_rows()];
    for (target, j) in columns.enumerate() {
        for (row, value) in rows.iter_mut().zip(matrix.column(j)) {
            row[target] = *value;
        }
    }
    rows
}

#[inline(always)]
fn add_scaled<const W: usize>(target: &mut [f64; W], factor: f64, row: &[f64; W]) {
    for j in 0..W {
        target[j] += factor * row[j];
    }
}

/// A row of `X Q`: the sum over the entries of document `d`.
#[inline(always)]
fn gather<const W: usize>(
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
fn scatter<const W: usize>(
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

struct ForwardPass<'a> {
    rows: &'a SparseCounts,
    q: &'a Matrix,
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

struct NormalPass<'a> {
    rows: &'a SparseCounts,
    q: &'a Matrix,
    weights: &'a [f64],
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

struct BackwardPass<'a> {
    rows: &'a SparseCounts,
    z: &'a Matrix,
    weights: Option<&'a [f64]>,
    n_features: usize,
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

struct SquaresPass<'a> {
    rows: &'a SparseCounts,
    b: &'a Matrix,
    weights: &'a [f64],
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

struct SquaresGivenPass<'a> {
    rows: &'a SparseCounts,
    b: &'a Matrix,
    image: &'a Matrix,
    weights: &'a [f64],
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

struct SlicesPass<'a> {
    rows: &'a SparseCounts,
    b: &'a Matrix,
    z: &'a Matrix,
    weights: &'a [f64],
    pairs: &'a [(usize, usize)],
    range: std::ops::Range<usize>,
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

/// Slices held at a time, in numbers: one gibibyte.
const SLICE_BUDGET: usize = 1 << 27;

/// Ranges of features whose slices fit the budget together.
pub(crate) fn feature_blocks(n: usize, k: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let step = (SLICE_BUDGET / (k * (k + 1) / 2)).max(1);
    (0..n).step_by(step).map(move |start| start..n.min(start + step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_cover_all_columns_for_any_number_of_threads() {
        for n in 0..200 {
            for threads in 1..9 {
                let total: usize = panel_widths(n, threads).iter().sum();
                assert!(total >= n && total < n + NARROW, "{n} columns, {threads} threads");
            }
        }
    }

    #[test]
    fn damping_by_table_is_damping() {
        let table = DampedValue::new();
        for count in [1, 2, 255, 256, 1000] {
            assert_eq!(table.value(0, count), Counting::Damped.value(count));
        }
    }
}
