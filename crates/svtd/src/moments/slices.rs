//! The sums over documents from which slices of the third moment are computed.
//!
//! A slice of the paper's method is a `k x k` table for one feature ([`single_topic`](super::single_topic)).
//! All that it needs of documents are sums, feature by feature. So slices can be asked for a range of
//! features at a time, and their numbers do not depend on how the features are cut into ranges.

use std::ops::Range;

use super::sums::Sums;
use super::table::Table;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::questions::{Counting, Rows, SliceRequest, wrong_size};

/// The largest number of values in an answer about slices (128 MiB), unless a single feature has
/// more.
const MOST_NUMBERS: usize = 1 << 24;

/// The sums over documents for some slices, one row per feature.
pub(crate) struct SliceSums {
    /// Packed upper triangles of `sum_d w3_d x_di (z_d z_d' - sum_h x_dh b_h b_h')`, with `Z = X B`.
    pub slices: Matrix,
    /// `X'(w3 o Z)`; where rows are removed, `(X o X)'(w3 o Z)`.
    pub words: Matrix,
    /// Where rows are removed: `sum_d w3_d (x_di^3 + x_di^2)`, and `sum_d w2_d x_di (x_di - 1)`.
    pub own: Matrix,
}

impl SliceRequest {
    /// Whether the request is valid for `n` features, and its answer not too large.
    pub(crate) fn fits(&self, n: usize) -> bool {
        let Range { start, end } = self.features;
        let k = self.table.n_columns();
        let possible = start < end && end <= n && self.table.n_rows() == n && (1..=n).contains(&k);
        possible && end - start <= at_once(k)
    }

    /// The request cut into requests with answers of at most [`MOST_NUMBERS`] values.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = SliceRequest> + '_ {
        let (end, step) = (self.features.end, at_once(self.table.n_columns()));
        let piece =
            move |start| SliceRequest { features: start..end.min(start + step), ..self.clone() };
        self.features.clone().step_by(step).map(piece)
    }

    /// The sums over the documents of a table.
    pub(crate) fn sums(&self, table: &Table<'_>, counting: Counting) -> SliceSums {
        let Self { rows, features, table: b } = self;
        let Table { products, weights, .. } = table;
        let z = products.forward(b);
        let (words, own) = match rows {
            Rows::Kept => (products.backward(&z, Some(&weights.third)), Vec::new()),
            Rows::Removed => {
                let sums = Sums { rows: table.rows, n_features: b.n_rows(), counting };
                let [thrice] = sums.by_feature([&weights.third], &|x| x * x * x + x * x);
                let [twice] = sums.by_feature([&weights.second], &|x| x * (x - 1.0));
                let own = [&thrice[features.clone()], &twice[features.clone()]].concat();
                (products.backward_squared(&z, &weights.third), own)
            }
        };
        let own = Matrix::from_columns(features.len(), own.len() / features.len().max(1), own);
        let slices = products.slices(b, &z, &weights.third, features.clone());
        SliceSums { slices, words: words.rows(features.clone()), own }
    }
}

/// The largest number of features in one request.
fn at_once(k: usize) -> usize {
    (MOST_NUMBERS / (k * (k + 1) / 2).max(1)).max(1)
}

impl SliceSums {
    /// The sums over no documents: zeros.
    pub(crate) fn zeros(request: &SliceRequest) -> Self {
        let (m, k) = (request.features.len(), request.table.n_columns());
        let n_own = match request.rows {
            Rows::Kept => 0,
            Rows::Removed => 2,
        };
        let zeros = |n_columns: usize| Matrix::zeros(m, n_columns);
        Self { slices: zeros(k * (k + 1) / 2), words: zeros(k), own: zeros(n_own) }
    }

    /// The values in one list, column after column: the answer of a holder of documents.
    pub(crate) fn to_table(&self) -> Vec<f64> {
        [self.slices.values(), self.words.values(), self.own.values()].concat()
    }

    /// Copies the answer for `n_rows` features into these sums, from row `first` on.
    ///
    /// # Errors
    /// When the answer is not as large as that.
    pub(crate) fn put(&mut self, first: usize, n_rows: usize, table: &[f64]) -> Result<()> {
        let parts = [&mut self.slices, &mut self.words, &mut self.own];
        let needed = n_rows * parts.iter().map(|part| part.n_columns()).sum::<usize>();
        if table.len() != needed {
            return Err(wrong_size(table.len(), needed));
        }
        let mut columns = table.chunks_exact(n_rows.max(1));
        for part in parts {
            for (j, column) in (0..part.n_columns()).zip(&mut columns) {
                part.column_mut(j)[first..first + n_rows].copy_from_slice(column);
            }
        }
        Ok(())
    }
}
