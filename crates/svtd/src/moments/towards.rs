//! The sums over documents for the third moment along a direction of the features.
//!
//! With `Z = X W` and `s = X eta`, all that `W' M3(eta) W` needs of documents are the sums
//!
//! ```text
//! sum_d w3_d s_d z_d z_d'      X'(w3 o Z)      X'(w3 o s)
//! ```

use super::table::Table;
use crate::linalg::Matrix;

/// The sums over documents for the third moment along a direction.
pub(super) struct TowardsSums {
    /// `sum_d w3_d s_d z_d z_d'`.
    pub documents: Matrix,
    /// `X'(w3 o Z)`.
    pub words: Matrix,
    /// `X'(w3 o s)`.
    pub along: Vec<f64>,
}

/// The sums over the documents of a table, one behind the other.
pub(crate) fn towards_sums(table: &Table<'_>, w: &Matrix, direction: &[f64]) -> Vec<f64> {
    let Table { rows, products, weights } = table;
    let w3 = &weights.third;
    let z = products.forward(w);
    let words = products.backward(&z, Some(w3));
    let column = Matrix::from_columns(direction.len(), 1, direction.to_vec());
    let s = products.forward(&column);
    let along = products.backward(&s, Some(w3));
    let by_document: Vec<f64> = s.column(0).iter().zip(w3).map(|(s, w)| s * w).collect();
    let of_block = |b: usize| {
        let range = rows.block_rows(b);
        let own = z.rows(range.clone());
        let mut scaled = own.clone();
        scaled.scale_rows(&by_document[range]);
        own.transpose_times(&scaled)
    };
    let documents = rows.sum_blocks(of_block, |left: &mut Matrix, right| left.add(1.0, &right));
    [documents.values(), words.values(), along.values()].concat()
}

impl TowardsSums {
    /// The number of values for `n` features and `k` columns.
    pub(super) fn size(n: usize, k: usize) -> usize {
        k * k + n * k + n
    }

    /// From the values of [`towards_sums`].
    pub(super) fn of(sums: &[f64], n: usize, k: usize) -> Self {
        let (documents, rest) = sums.split_at(k * k);
        let (words, along) = rest.split_at(n * k);
        Self {
            documents: Matrix::from_columns(k, k, documents.to_vec()),
            words: Matrix::from_columns(n, k, words.to_vec()),
            along: along.to_vec(),
        }
    }
}
