//! The sums that moments are made of, asked of the holders of documents elsewhere.

use std::borrow::Cow;
use std::ops::Range;

use super::DocumentWeights;
use super::documents::{CubeSums, FirstSums};
use super::slices::SliceSums;
use super::weighed::{Source, Weighed};
use super::weights::LengthSums;
use crate::corpus::{Corpus, KeyPart};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::questions::{Counting, Request, SliceRequest, Weighing, wrong_size};
use crate::stop;

/// Documents held elsewhere, after their weights are determined.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    corpus: &'a Corpus,
    counting: Counting,
    weighing: Weighing,
}

impl<'a> Asked<'a> {
    /// Determines the weights for a law; `None` when the documents are here. If a holder of documents does not
    /// answer, the fit ends.
    ///
    /// # Errors
    /// When no document has three words.
    pub(super) fn new(
        corpus: &'a Corpus,
        law: &DocumentWeights,
        counting: Counting,
    ) -> Result<Option<(Self, FirstSums)>> {
        let Some(lengths) = corpus.asked_or_fail(|| Request::Lengths(counting)) else {
            return Ok(None);
        };
        let sums = LengthSums::from_row(taken(&lengths.sums)?);
        sums.check()?;
        let weighing = Weighing::find(law, &sums, |law| {
            let answer =
                corpus.asked_or_fail(|| Request::Totals(counting, law)).unwrap_or_default();
            taken(&answer.sums).unwrap_or_else(|error| stop::fail(error))
        });
        let asked = Self { corpus, counting, weighing };
        let answer = corpus.asked_or_fail(|| Request::Weighted(counting, weighing));
        let answer = answer.unwrap_or_default();
        let first = FirstSums::from_table(&answer.sums, corpus.n_present())?;
        Ok(Some((asked, first)))
    }

    /// These documents, or a part of them, with these weights.
    pub(super) fn weighed(&self, part: Option<&KeyPart>) -> Weighed<'a> {
        let corpus = match part {
            Some(part) => Cow::Owned(self.corpus.among(part)),
            None => Cow::Borrowed(self.corpus),
        };
        let source = Source::Elsewhere { corpus: Box::new(corpus), weighing: self.weighing };
        Weighed { source, n_features: self.corpus.n_present(), counting: self.counting }
    }

    /// `X'(w2 o XQ)`.
    pub(super) fn pairs(&self, q: &Matrix) -> Matrix {
        let sums = self.ask(Request::Pairs(self.counting, self.weighing, q.clone()));
        self.table(q.n_rows(), q.n_columns(), sums)
    }

    /// The sums for the whitened third moment.
    pub(super) fn cube(&self, w: &Matrix) -> CubeSums {
        let sums = self.ask(Request::Cube(self.counting, self.weighing, w.clone()));
        CubeSums::from_table(&sums, w.n_rows(), w.n_columns())
            .unwrap_or_else(|error| stop::fail(error))
    }

    /// The two products of Section 2.4, one above the other.
    pub(super) fn squares(&self, v: &Matrix) -> Matrix {
        let sums = self.ask(Request::Squares(self.counting, self.weighing, v.clone()));
        self.table(2 * v.n_rows(), v.n_columns(), sums)
    }

    /// The sums for slices, asked for in pieces of some features each.
    pub(super) fn slices(&self, request: &SliceRequest) -> SliceSums {
        let mut sums = SliceSums::zeros(request);
        for piece in request.pieces() {
            let Range { start, end } = piece.features;
            let table = self.ask(Request::Slices(self.counting, self.weighing, piece));
            let put = sums.put(start - request.features.start, end - start, &table);
            put.unwrap_or_else(|error| stop::fail(error));
        }
        sums
    }

    fn ask(&self, request: Request) -> Vec<f64> {
        self.corpus.asked_or_fail(|| request).unwrap_or_default().sums
    }

    fn table(&self, n_rows: usize, n_columns: usize, sums: Vec<f64>) -> Matrix {
        match sums.len() == n_rows * n_columns {
            true => Matrix::from_columns(n_rows, n_columns, sums),
            false => stop::fail(wrong_size(sums.len(), n_rows * n_columns)),
        }
    }
}

/// The numbers of an answer; an error when there are not exactly `M`.
fn taken<const M: usize>(sums: &[f64]) -> Result<[f64; M]> {
    sums.try_into().map_err(|_| wrong_size(sums.len(), M))
}
