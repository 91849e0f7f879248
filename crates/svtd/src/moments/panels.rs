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
//! frequency for this reason.) Panels are dealt to threads; when there are few of them, so are
//! chunks of documents, each with sums of its own.
//!
//! # Same bits
//! How columns and documents are cut follows the size of the problem, never the number of
//! threads. Within a chunk every sum runs over the documents in order, and chunks are added in
//! order. Multiply and add are kept apart (no fused operation), so all instruction sets agree too.
//!
//! # Cost
//! Four flops per stored count and column. The kernels are bound by cache bandwidth.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::corpus::SparseCounts;
use crate::linalg::Matrix;

/// Columns in a full panel.
const WIDE: usize = 16;
/// Columns in the last panel when so few are left.
const NARROW: usize = 8;

/// Counts from which on documents are cut into chunks.
const WORTH_CUTTING: usize = 1 << 18;

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
        self.run(q.n_columns(), &ForwardPass { rows: self.rows, q })
    }

    /// `X'(w o (X Q))`, features x columns.
    pub(crate) fn normal(&self, q: &Matrix, weights: &[f64]) -> Matrix {
        self.run(q.n_columns(), &NormalPass { rows: self.rows, q, weights })
    }

    /// `X'(w o Z)`, features x columns.
    pub(crate) fn backward(&self, z: &Matrix, weights: Option<&[f64]>) -> Matrix {
        self.run(z.n_columns(), &self.backward_pass(z, weights))
    }

    /// `(X o X)'(w o Z)`, features x columns: squared values in place of the values.
    pub(crate) fn backward_squared(&self, z: &Matrix, weights: &[f64]) -> Matrix {
        let pass = self.backward_pass(z, Some(weights));
        match self.counting {
            Counting::Raw => self.run_with(z.n_columns(), &pass, &SquaredValue(RawValue)),
            Counting::Damped => {
                self.run_with(z.n_columns(), &pass, &SquaredValue(DampedValue::new()))
            }
        }
    }

    /// `C'Z` where the matrix `C` has the pattern of the counts and `values` in their order.
    pub(crate) fn backward_given(&self, values: &[f32], z: &Matrix) -> Matrix {
        self.run_with(z.n_columns(), &self.backward_pass(z, None), &GivenValue(values))
    }

    /// The two products of Section 2.4: `X'(w o (B^2 - X(B o B)))` and `X'(w o XB)`, where
    /// `B^2` is the entrywise square of `X B`; one above the other in a matrix of `2n` rows.
    pub(crate) fn squares(&self, b: &Matrix, weights: &[f64]) -> Matrix {
        self.run(b.n_columns(), &SquaresPass { rows: self.rows, b, weights })
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
        range: Range<usize>,
    ) -> Matrix {
        let pairs = packed_pairs(b.n_columns());
        let n_columns = pairs.len();
        self.run(n_columns, &SlicesPass { rows: self.rows, b, z, weights, pairs, range })
    }

    fn backward_pass<'b>(&self, z: &'b Matrix, weights: Option<&'b [f64]>) -> BackwardPass<'b>
    where
        'a: 'b,
    {
        BackwardPass { rows: self.rows, z, weights, n_features: self.n_features }
    }

    fn run(&self, n_columns: usize, pass: &impl Pass) -> Matrix {
        match self.counting {
            Counting::Raw => self.run_with(n_columns, pass, &RawValue),
            Counting::Damped => self.run_with(n_columns, pass, &DampedValue::new()),
        }
    }

    /// Runs a pass for every panel of columns and lays the results side by side.
    fn run_with(&self, n_columns: usize, pass: &impl Pass, value: &impl EntryValue) -> Matrix {
        let n_rows = pass.output().n_rows(self.rows);
        let mut result = Matrix::zeros(n_rows, n_columns);
        let widths = panel_widths(n_columns);
        let chunks = self.chunks(widths.len());
        let mut panels = Vec::with_capacity(widths.len());
        let mut rest = result.values_mut();
        let mut start = 0;
        for width in widths {
            let columns = start..n_columns.min(start + width);
            start = columns.end;
            let (target, tail) = rest.split_at_mut(columns.len() * n_rows);
            panels.push(Panel { columns, width, target });
            rest = tail;
        }
        panels.into_par_iter().with_max_len(1).for_each(|panel| match panel.width {
            WIDE => panel.run::<WIDE>(&chunks, pass, value),
            _ => panel.run::<NARROW>(&chunks, pass, value),
        });
        result
    }

    /// Documents in chunks of about equally many counts: more chunks the fewer panels there are.
    fn chunks(&self, n_panels: usize) -> Vec<Range<usize>> {
        let total = self.rows.n_nonzeros();
        let n_chunks = match n_panels {
            _ if total < WORTH_CUTTING => 1,
            0 | 1 => 4,
            2..8 => 2,
            _ => 1,
        };
        let edge = |c: usize| match c {
            _ if c == n_chunks => self.rows.n_rows(),
            _ => self.rows.offsets().partition_point(|&o| o < total * c / n_chunks),
        };
        (0..n_chunks).map(|c| edge(c)..edge(c + 1)).collect()
    }
}

/// The pairs `(a, b)`, `a <= b`, in the order of a packed upper triangle, row by row.
pub(crate) fn packed_pairs(k: usize) -> Vec<(usize, usize)> {
    (0..k).flat_map(|a| (a..k).map(move |b| (a, b))).collect()
}

/// Cuts `n` columns into full panels, and a narrow one when no more than that is left.
fn panel_widths(n: usize) -> Vec<usize> {
    let mut widths = vec![WIDE; n / WIDE];
    match n % WIDE {
        0 => {}
        left if left <= NARROW => widths.push(NARROW),
        _ => widths.push(WIDE),
    }
    widths
}

/// One panel: some columns of a product, padded to `width`, and where they go.
struct Panel<'a> {
    columns: Range<usize>,
    width: usize,
    target: &'a mut [f64],
}

impl Panel<'_> {
    fn run<const W: usize>(
        self,
        chunks: &[Range<usize>],
        pass: &impl Pass,
        value: &impl EntryValue,
    ) {
        let table = pass.table::<W>(self.columns.clone());
        let part = |documents: &Range<usize>| {
            let n = match pass.output() {
                Output::Documents => documents.len(),
                Output::Features(n) => n,
            };
            let mut result = vec![[0.0; W]; n];
            Arch::new().dispatch(Vectorised {
                pass,
                table: &table,
                columns: self.columns.clone(),
                documents: documents.clone(),
                value,
                result: &mut result,
            });
            result
        };
        let parts: Vec<Vec<[f64; W]>> = chunks.par_iter().with_max_len(1).map(part).collect();
        let n_rows = self.target.len() / self.columns.len().max(1);
        let mut first = 0;
        for part in &parts {
            let at = match pass.output() {
                Output::Documents => first,
                Output::Features(_) => 0,
            };
            add_rows(part, at, n_rows, self.target);
            first += part.len();
        }
    }
}

/// Rows short enough for a block of them to stay in the nearest cache.
const BLOCK: usize = 128;

/// Adds rows to the columns of `target`, from row `at` on: a transposition, block by block.
fn add_rows<const W: usize>(rows: &[[f64; W]], at: usize, n_rows: usize, target: &mut [f64]) {
    for (b, block) in rows.chunks(BLOCK).enumerate() {
        let start = at + b * BLOCK;
        for (j, column) in target.chunks_exact_mut(n_rows.max(1)).enumerate() {
            for (value, row) in column[start..start + block.len()].iter_mut().zip(block) {
                *value += row[j];
            }
        }
    }
}

/// What the rows of a product are.
#[derive(Clone, Copy)]
enum Output {
    /// One row per document: chunks follow each other.
    Documents,
    /// One row for each of so many features: chunks are added.
    Features(usize),
}

impl Output {
    fn n_rows(self, rows: &SparseCounts) -> usize {
        match self {
            Output::Documents => rows.n_rows(),
            Output::Features(n) => n,
        }
    }
}

/// What is done with a panel.
trait Pass: Sync {
    fn output(&self) -> Output;

    /// The dense rows to gather from, for the columns of a panel.
    fn table<const W: usize>(&self, columns: Range<usize>) -> Vec<[f64; W]>;

    /// Adds what some documents contribute to `result`, which starts at zero.
    fn run<const W: usize>(
        &self,
        table: &[[f64; W]],
        columns: Range<usize>,
        documents: Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    );
}

/// A pass over some documents, compiled for each instruction set and chosen at run time.
struct Vectorised<'a, P, V, const W: usize> {
    pass: &'a P,
    table: &'a [[f64; W]],
    columns: Range<usize>,
    documents: Range<usize>,
    value: &'a V,
    result: &'a mut [[f64; W]],
}

impl<P: Pass, V: EntryValue, const W: usize> WithSimd for Vectorised<'_, P, V, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.pass.run::<W>(self.table, self.columns, self.documents, self.value, self.result);
    }
}

/// Columns of a matrix, laid row by row and padded with zeros.
fn gather_columns<const W: usize>(matrix: &Matrix, columns: Range<usize>) -> Vec<[f64; W]> {
    let mut rows = vec![[0.0; W]; matrix.n_rows()];
    for (b, block) in rows.chunks_mut(BLOCK).enumerate() {
        let start = b * BLOCK;
        for (target, j) in columns.clone().enumerate() {
            let column = &matrix.column(j)[start..start + block.len()];
            for (row, value) in block.iter_mut().zip(column) {
                row[target] = *value;
            }
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
    fn output(&self) -> Output {
        Output::Documents
    }

    fn table<const W: usize>(&self, columns: Range<usize>) -> Vec<[f64; W]> {
        gather_columns(self.q, columns)
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        table: &[[f64; W]],
        _: Range<usize>,
        documents: Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        for (d, target) in documents.zip(result) {
            *target = gather(self.rows, d, value, table);
        }
    }
}

struct NormalPass<'a> {
    rows: &'a SparseCounts,
    q: &'a Matrix,
    weights: &'a [f64],
}

impl Pass for NormalPass<'_> {
    fn output(&self) -> Output {
        Output::Features(self.q.n_rows())
    }

    fn table<const W: usize>(&self, columns: Range<usize>) -> Vec<[f64; W]> {
        gather_columns(self.q, columns)
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        table: &[[f64; W]],
        _: Range<usize>,
        documents: Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        for d in documents {
            let weight = self.weights[d];
            if weight != 0.0 {
                let mut z = gather(self.rows, d, value, table);
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
    fn output(&self) -> Output {
        Output::Features(self.n_features)
    }

    /// Nothing is gathered: the rows of `Z` are given.
    fn table<const W: usize>(&self, _: Range<usize>) -> Vec<[f64; W]> {
        Vec::new()
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        _: &[[f64; W]],
        columns: Range<usize>,
        documents: Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let columns: Vec<&[f64]> = columns.map(|j| self.z.column(j)).collect();
        for d in documents {
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
    fn output(&self) -> Output {
        Output::Features(2 * self.b.n_rows())
    }

    fn table<const W: usize>(&self, columns: Range<usize>) -> Vec<[f64; W]> {
        gather_columns(self.b, columns)
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        table: &[[f64; W]],
        _: Range<usize>,
        documents: Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let (squares, plain) = result.split_at_mut(table.len());
        for d in documents {
            let weight = self.weights[d];
            if weight == 0.0 {
                continue;
            }
            let (features, counts) = self.rows.row(d);
            let first = self.rows.offsets()[d];
            let (mut beta, mut gamma) = ([0.0; W], [0.0; W]);
            for (e, (&h, &count)) in features.iter().zip(counts).enumerate() {
                let (x, row) = (value.value(first + e, count), &table[h as usize]);
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
            for (e, (&h, &count)) in features.iter().zip(counts).enumerate() {
                let x = value.value(first + e, count);
                add_scaled(&mut squares[h as usize], x, &gamma);
                add_scaled(&mut plain[h as usize], x, &beta);
            }
        }
    }
}

struct SlicesPass<'a> {
    rows: &'a SparseCounts,
    b: &'a Matrix,
    z: &'a Matrix,
    weights: &'a [f64],
    pairs: Vec<(usize, usize)>,
    range: Range<usize>,
}

impl Pass for SlicesPass<'_> {
    fn output(&self) -> Output {
        Output::Features(self.range.len())
    }

    fn table<const W: usize>(&self, columns: Range<usize>) -> Vec<[f64; W]> {
        let mut products = vec![[0.0; W]; self.b.n_rows()];
        for (j, &(a, b)) in self.pairs[columns].iter().enumerate() {
            let (left, right) = (self.b.column(a), self.b.column(b));
            for ((row, x), y) in products.iter_mut().zip(left).zip(right) {
                row[j] = x * y;
            }
        }
        products
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        table: &[[f64; W]],
        columns: Range<usize>,
        documents: Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let pairs = &self.pairs[columns];
        for d in documents {
            let weight = self.weights[d];
            let (features, counts) = self.rows.row(d);
            let from = features.partition_point(|&h| (h as usize) < self.range.start);
            let to = features.partition_point(|&h| (h as usize) < self.range.end);
            if weight == 0.0 || from == to {
                continue;
            }
            let mut f = gather(self.rows, d, value, table);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_cover_all_columns_with_little_padding() {
        for n in 0..200 {
            let total: usize = panel_widths(n).iter().sum();
            assert!(total >= n && total < n + NARROW, "{n} columns");
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
