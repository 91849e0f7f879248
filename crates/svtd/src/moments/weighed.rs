//! Documents with the weights that they have in the moments of all documents: all of them or a part, here or
//! elsewhere.
//!
//! What error bars and z-scores need from documents is again a sum; its terms depend on one document, its weights
//! and a table that everybody has. [`Weighed::sum`] computes it from documents that are here, or asks for it.

use std::borrow::Cow;

use super::MomentWeights;
use super::documents::{Documents, FirstSums, pairs};
use super::table::Table;
use crate::corpus::{Corpus, SparseCounts};
use crate::linalg::Matrix;
use crate::questions::{Counting, Request, Weighing, wrong_size};
use crate::stop;

/// Documents with their weights.
pub(crate) struct Weighed<'a> {
    pub(super) source: Source<'a>,
    pub(super) n_features: usize,
    pub(super) counting: Counting,
}

pub(super) enum Source<'a> {
    Here { rows: Cow<'a, SparseCounts>, weights: Cow<'a, MomentWeights> },
    Elsewhere { corpus: Box<Cow<'a, Corpus>>, weighing: Weighing },
}

impl Weighed<'_> {
    /// A sum over documents of `n` numbers: computed by `here` if the documents are here, otherwise the answer to
    /// `request`.
    pub(crate) fn sum(
        &self,
        n: usize,
        request: impl FnOnce(Counting, Weighing) -> Request,
        here: impl FnOnce(&Table<'_>) -> Vec<f64>,
    ) -> Vec<f64> {
        let sums = match &self.source {
            Source::Here { rows, weights } => {
                here(&Table::new(rows, self.n_features, self.counting, weights))
            }
            Source::Elsewhere { corpus, weighing } => {
                let request = || request(self.counting, *weighing);
                corpus.asked_or_fail(request).unwrap_or_default().sums
            }
        };
        match sums.len() == n {
            true => sums,
            false => stop::fail(wrong_size(sums.len(), n)),
        }
    }

    /// The sums over these documents, by feature and in total.
    pub(crate) fn first(&self) -> FirstSums {
        let table = self.sum(FirstSums::size(self.n_features), Request::Weighted, |table| {
            let documents = Documents::new(table.rows, self.n_features, self.counting);
            documents.first(table.weights).to_table()
        });
        let sums = FirstSums::from_table(&table, self.n_features);
        sums.unwrap_or_else(|error| stop::fail(error))
    }

    /// `X'(w2 o XQ)`.
    pub(crate) fn pairs(&self, q: &Matrix) -> Matrix {
        let (n, k) = (q.n_rows(), q.n_columns());
        let request = |counting, weighing| Request::Pairs(counting, weighing, q.clone());
        let sums = self
            .sum(n * k, request, |table| pairs(table.products, q, table.weights).values().to_vec());
        Matrix::from_columns(n, k, sums)
    }

    /// The two products of Section 2.4, one above the other.
    pub(crate) fn squares(&self, v: &Matrix) -> Matrix {
        let (n, k) = (v.n_rows(), v.n_columns());
        let request = |counting, weighing| Request::Squares(counting, weighing, v.clone());
        let sums = self.sum(2 * n * k, request, |table| {
            table.products.squares(v, &table.weights.third).values().to_vec()
        });
        Matrix::from_columns(2 * n, k, sums)
    }
}
