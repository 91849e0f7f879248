//! The sums over documents that moments are made of.
//!
//! Every quantity that moments need from documents is a sum over documents, whose terms depend on one document and
//! on a table that everybody has. [`Documents`] computes these sums from a table of counts, block by block along a
//! fixed tree. [`Asked`] sends the question to whoever holds the documents elsewhere; they compute the answer with
//! the same functions ([`rounds`](crate::rounds)).

use std::borrow::Cow;
use std::ops::Range;

use super::panels::Products;
use super::slices::SliceSums;
use super::sums::Sums;
use super::weighed::{Source, Table, Weighed};
use super::weights::{LengthSums, tuples};
use super::{DocumentWeights, MomentWeights};
use crate::corpus::{Corpus, KeyPart, SparseCounts};
use crate::error::Result;
use crate::linalg::{Matrix, weighted_grams};
use crate::questions::{Counting, Law, Request, SliceRequest, Weighing, wrong_size};
use crate::stop;

/// The documents of a table of counts, with their lengths.
#[derive(Clone)]
pub(crate) struct Documents<'a> {
    rows: &'a SparseCounts,
    n_features: usize,
    counting: Counting,
    /// `sum_i x_di`, as counted here (damped or not).
    pub lengths: Vec<f64>,
    /// `sum_i x_di (x_di - 1)`.
    repeats: Vec<f64>,
}

/// Sums over weighted documents, by feature and in total.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FirstSums {
    /// `X'w1`, `X'w2` and `X'w3`.
    pub by_feature: [Vec<f64>; 3],
    /// The trace of `M2`: the chance that two words of a document coincide.
    pub pair_trace: f64,
    /// `sum_d (w_d tuples(c_d))^2` for pairs and for triples: the inverse of the effective number of documents.
    pub squares: [f64; 2],
    /// `sum_d w_d tuples(c_d)` in each moment: the share of its total weight that these documents hold.
    pub shares: [f64; 3],
}

/// The sums over documents from which the whitened third moment is computed.
pub(crate) struct CubeSums {
    /// `sum_d w3_d z_dc z_d z_d'` for every direction `c`; only rows and columns from `c` on.
    pub documents: Vec<Matrix>,
    /// `X'(w3 o Z)`.
    pub words: Matrix,
}

impl<'a> Documents<'a> {
    /// The first `n_features` features of a table.
    pub(crate) fn new(rows: &'a SparseCounts, n_features: usize, counting: Counting) -> Self {
        let (lengths, repeats) = Sums { rows, n_features, counting }.by_document();
        Self { rows, n_features, counting, lengths, repeats }
    }

    /// Sums over the lengths of the documents.
    pub(crate) fn length_sums(&self) -> LengthSums {
        let [with_pairs, with_triples, pairs, repeats] = self.rows.sum_rows(|d| {
            let c = self.lengths[d];
            let pairs = if c >= 2.0 { [tuples(c, 2), self.repeats[d]] } else { [0.0; 2] };
            [f64::from(c >= 2.0), f64::from(c >= 3.0), pairs[0], pairs[1]]
        });
        LengthSums { with_pairs, with_triples, pairs, repeats }
    }

    /// The sums of a law's values in each of the three moments.
    pub(crate) fn totals(&self, law: Law, own: Option<&[f64]>) -> [f64; 3] {
        self.rows.sum_rows(|d| {
            let own = own.map_or(1.0, |own| own[d]);
            [1, 2, 3].map(|order| law.value(order, self.lengths[d], own))
        })
    }

    /// The weights of the documents.
    pub(crate) fn weights(&self, weighing: &Weighing, own: Option<&[f64]>) -> MomentWeights {
        weighing.weights(&self.lengths, own)
    }

    pub(crate) fn first(&self, weights: &MomentWeights) -> FirstSums {
        let MomentWeights { first, second, third } = weights;
        let sums = Sums { rows: self.rows, n_features: self.n_features, counting: self.counting };
        let [pair_trace, pairs, triples, one, two, three] = self.rows.sum_rows(|d| {
            let c = self.lengths[d];
            let (pair, triple) = (second[d] * tuples(c, 2), third[d] * tuples(c, 3));
            let trace = second[d] * self.repeats[d];
            [trace, pair * pair, triple * triple, first[d] * c, pair, triple]
        });
        FirstSums {
            by_feature: sums.by_feature([first, second, third], &|x| x),
            pair_trace,
            squares: [pairs, triples],
            shares: [one, two, three],
        }
    }

    /// `X'(w2 o XQ)`.
    pub(crate) fn pairs(&self, q: &Matrix, weights: &MomentWeights) -> Matrix {
        pairs(self.products(), q, weights)
    }

    /// The sums for the whitened third moment.
    pub(crate) fn cube(&self, w: &Matrix, weights: &MomentWeights) -> CubeSums {
        cube(self.rows, self.products(), w, weights)
    }

    /// The two products of Section 2.4, one above the other.
    pub(crate) fn squares(&self, v: &Matrix, weights: &MomentWeights) -> Matrix {
        self.products().squares(v, &weights.third)
    }

    /// The table of counts, with weights of its documents.
    pub(crate) fn table<'b>(&'b self, weights: &'b MomentWeights) -> Table<'b> {
        Table::new(self.rows, self.n_features, self.counting, weights)
    }

    fn products(&self) -> Products<'a> {
        Products::new(self.rows, self.n_features, self.counting)
    }
}

/// `X'(w2 o XQ)`.
pub(super) fn pairs(products: Products<'_>, q: &Matrix, weights: &MomentWeights) -> Matrix {
    products.normal(q, &weights.second)
}

/// The sums for the whitened third moment, over the documents of a table.
pub(super) fn cube(
    rows: &SparseCounts,
    products: Products<'_>,
    w: &Matrix,
    weights: &MomentWeights,
) -> CubeSums {
    let z = products.forward(w);
    let words = products.backward(&z, Some(&weights.third));
    let of_block = |b: usize| {
        let range = rows.block_rows(b);
        let own = z.rows(range.clone());
        let mut scaled = own.clone();
        scaled.scale_rows(&weights.third[range]);
        weighted_grams(&own, &scaled, |c| c)
    };
    let add = |left: &mut Vec<Matrix>, right: Vec<Matrix>| {
        left.iter_mut().zip(&right).for_each(|(left, right)| left.add(1.0, right));
    };
    let documents = rows.sum_blocks(of_block, add);
    CubeSums { documents, words }
}

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

    /// What slices are made of, asked for some features at a time.
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

impl LengthSums {
    pub(crate) fn to_row(self) -> Vec<f64> {
        vec![self.with_pairs, self.with_triples, self.pairs, self.repeats]
    }

    fn from_row([with_pairs, with_triples, pairs, repeats]: [f64; 4]) -> Self {
        Self { with_pairs, with_triples, pairs, repeats }
    }
}

impl FirstSums {
    /// The number of values in the table.
    pub(super) fn size(n: usize) -> usize {
        6 + 3 * n
    }

    pub(crate) fn to_table(&self) -> Vec<f64> {
        let mut table = vec![self.pair_trace, self.squares[0], self.squares[1]];
        table.extend(self.shares);
        self.by_feature.iter().for_each(|sums| table.extend(sums));
        table
    }

    pub(super) fn from_table(table: &[f64], n: usize) -> Result<Self> {
        if table.len() != Self::size(n) {
            return Err(wrong_size(table.len(), Self::size(n)));
        }
        let by_feature = [0, 1, 2].map(|m| table[6 + m * n..6 + (m + 1) * n].to_vec());
        let (squares, shares) = ([table[1], table[2]], [table[3], table[4], table[5]]);
        Ok(Self { by_feature, pair_trace: table[0], squares, shares })
    }
}

impl CubeSums {
    pub(crate) fn to_table(&self) -> Vec<f64> {
        let parts = self.documents.iter().chain([&self.words]);
        parts.flat_map(|part| part.values().iter().copied()).collect()
    }

    fn from_table(table: &[f64], n: usize, k: usize) -> Result<Self> {
        let sizes = (1..=k).rev().map(|side| side * side);
        let needed = sizes.clone().sum::<usize>() + n * k;
        if table.len() != needed {
            return Err(wrong_size(table.len(), needed));
        }
        let mut rest = table;
        let mut take = |n: usize| {
            let (taken, behind) = rest.split_at(n);
            rest = behind;
            taken.to_vec()
        };
        let square = |side: usize, values| Matrix::from_columns(side, side, values);
        let documents = (1..=k).rev().map(|side| square(side, take(side * side))).collect();
        Ok(Self { documents, words: Matrix::from_columns(n, k, take(n * k)) })
    }
}
