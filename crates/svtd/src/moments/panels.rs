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

mod counting;
mod left_out;
mod passes;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

pub use self::counting::Counting;
pub(crate) use self::left_out::{LeftOut, Steps};

use self::counting::{DampedValue, EntryValue, GivenValue, RawValue, SquaredValue};
use self::passes::{
    BackwardPass, ForwardPass, NormalPass, ROWS, SlicesPass, SquaresGivenPass, SquaresPass,
};

use crate::corpus::SparseCounts;
use crate::linalg::Matrix;

/// Columns in a full panel.
const WIDE: usize = 16;
/// Columns in a panel when there are few columns, or more threads than full panels.
const NARROW: usize = 8;

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
        panels.into_par_iter().with_max_len(1).for_each(|panel| {
            crate::stop::here();
            run(panel);
        });
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
        for (block, rows) in result.chunks(ROWS).enumerate() {
            let places = block * ROWS..block * ROWS + rows.len();
            for (j, column) in self.target.chunks_exact_mut(n_rows.max(1)).enumerate() {
                for (target, row) in column[places.clone()].iter_mut().zip(rows) {
                    *target = row[j];
                }
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
}
