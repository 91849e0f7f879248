//! The moments of documents about one topic each: Theorem 2.1, for any document weights.
//!
//! With `x_d` the counts of document `d` and `1_l` the l-th coordinate vector,
//!
//! ```text
//! M1 = X'w1
//! M2 = X' diag(w2) X - diag(X'w2)
//! M3 = sum_d w3_d [ x_d^(3) - sym3(diag(x_d), x_d) + 2 sum_l x_dl 1_l^(3) ]
//! ```
//!
//! The subtractions remove pairs and triples that use the same token twice: the diagonals
//! become `x(x-1)` and `x(x-1)(x-2)`. After whitening nothing larger than the data appears; with `Z = X W`, `R =
//! X'(w3 o Z)`, `m3 = X'w3` (rows `z_d`, `w_i`, `r_i`)
//!
//! ```text
//! M3(W,W,W) = sum_d w3_d z_d^(3) - sum_i sym3(w_i w_i', r_i) + 2 sum_i m3_i w_i^(3)
//! H_i = sum_d w3_d x_di (z_d z_d' - sum_h x_dh w_h w_h') - (w_i r_i' + r_i w_i') + 2 m3_i w_i w_i'
//! ```
//!
//! # Cost
//! A product with `M2`: four flops per count and column. The cube: as much for `2k` columns, and `(N + n) k^3` in
//! dense products. The slices: `nnz k^2`, needed only by the paper's method.

mod norm;
mod three_words;

use std::borrow::Cow;
use std::ops::Range;

use super::asked::Asked;
use super::documents::{self, CubeSums, Documents, FirstSums};
use super::panels::{Products, packed_pairs};
use super::slices::SliceSums;
use super::table::Table;
use super::towards::{TowardsSums, towards_sums};
use super::weighed::{Source, Weighed};
use super::{Basis, Cube, DocumentWeights, MomentWeights, Moments, Rows, check_custom};
use crate::corpus::{Corpus, CorpusReport, KeyPart, SparseCounts};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot, weighted_grams, weighted_grams_roughly};
use crate::questions::{Counting, Request, SliceRequest, Weighing};

/// Theorem 2.1: moments of a corpus, as if each document were about one topic.
pub struct SingleTopicMoments<'a> {
    rows: RowSource<'a>,
    n_features: usize,
    counting: Counting,
    lengths: Vec<f64>,
    weights: MomentWeights,
    effective_documents: [f64; 2],
    first: Vec<f64>,
    pair_trace: f64,
    /// `X'w2`: what must be subtracted from the diagonal of `X' diag(w2) X`.
    pair_diagonal: Vec<f64>,
    /// `X'w3`.
    triple_diagonal: Vec<f64>,
}

/// The counts: borrowed from a corpus, sampled from it, or held elsewhere.
enum RowSource<'a> {
    Corpus(&'a SparseCounts),
    Drawn(SparseCounts),
    Elsewhere(Asked<'a>),
}

impl<'a> SingleTopicMoments<'a> {
    /// Estimates the moments of the words that occur in a corpus.
    ///
    /// # Errors
    /// When no document has three words, or weights of the caller's own do not fit.
    pub fn estimate(
        corpus: &'a Corpus,
        weights: &DocumentWeights,
        counting: Counting,
    ) -> Result<Self> {
        let elsewhere = Asked::new(corpus, weights, counting).map_err(|e| damped(corpus, e))?;
        if let Some((asked, first)) = elsewhere {
            return Ok(Self::elsewhere(corpus, asked, counting, first));
        }
        let (rows, counting) = match weights {
            // Among three words drawn from a document repetition is too rare to need damping.
            DocumentWeights::ThreeWords { seed } => {
                (RowSource::Drawn(three_words::draw(corpus, *seed)), Counting::Raw)
            }
            _ => (RowSource::Corpus(corpus.rows()), counting),
        };
        let n_features = corpus.n_present();
        let documents = Documents::new(rows.table(), n_features, counting);
        let sums = documents.length_sums();
        sums.check().map_err(|error| damped(corpus, error))?;
        let own = weights.own();
        own.map_or(Ok(()), |own| check_custom(own, &documents.lengths))?;
        let weighing = Weighing::find(weights, &sums, |law| documents.totals(law, own));
        let weights = documents.weights(&weighing, own);
        let first = documents.first(&weights);
        let lengths = documents.lengths;
        Ok(Self::of_sums(rows, n_features, counting, lengths, weights, first))
    }

    /// The moments of documents held elsewhere, whose lengths and weights are not known here.
    fn elsewhere(corpus: &Corpus, asked: Asked<'a>, counting: Counting, first: FirstSums) -> Self {
        let weights = MomentWeights { first: vec![], second: vec![], third: vec![] };
        let rows = RowSource::Elsewhere(asked);
        Self::of_sums(rows, corpus.n_present(), counting, Vec::new(), weights, first)
    }

    fn of_sums(
        rows: RowSource<'a>,
        n_features: usize,
        counting: Counting,
        lengths: Vec<f64>,
        weights: MomentWeights,
        first: FirstSums,
    ) -> Self {
        let FirstSums { by_feature, pair_trace, squares, .. } = first;
        let effective_documents = squares.map(|squares| 1.0 / squares);
        let [first, pair_diagonal, triple_diagonal] = by_feature;
        Self {
            rows,
            n_features,
            counting,
            lengths,
            weights,
            effective_documents,
            first,
            pair_trace,
            pair_diagonal,
            triple_diagonal,
        }
    }

    /// The effective number of documents behind the pair moment and the triple moment.
    pub(crate) fn effective_documents(&self) -> [f64; 2] {
        self.effective_documents
    }

    /// The trace of `M2`: the probability that two words of a document coincide.
    pub(crate) fn pair_trace(&self) -> f64 {
        self.pair_trace
    }

    /// The documents with their weights.
    pub(crate) fn weighed(&self) -> Weighed<'_> {
        match &self.rows {
            RowSource::Elsewhere(asked) => asked.weighed(None),
            rows => self.weighed_here(Cow::Borrowed(rows.table()), Cow::Borrowed(&self.weights)),
        }
    }

    /// The documents of a part of the corpus, with the weights they have among all documents.
    pub(crate) fn weighed_among(&self, corpus: &Corpus, part: &KeyPart) -> Weighed<'_> {
        if let RowSource::Elsewhere(asked) = &self.rows {
            return asked.weighed(Some(part));
        }
        let documents = part.documents(corpus);
        let rows = self.rows.table().picked(&documents, corpus);
        self.weighed_here(Cow::Owned(rows), Cow::Owned(self.weights.of(&documents)))
    }

    fn weighed_here<'b>(
        &self,
        rows: Cow<'b, SparseCounts>,
        weights: Cow<'b, MomentWeights>,
    ) -> Weighed<'b> {
        let source = Source::Here { rows, weights };
        Weighed { source, n_features: self.n_features, counting: self.counting }
    }

    /// `X'w2`.
    pub(crate) fn pair_diagonal(&self) -> &[f64] {
        &self.pair_diagonal
    }

    /// The weights of the documents.
    pub fn weights(&self) -> &MomentWeights {
        &self.weights
    }

    /// The lengths of the documents, as counted here (damped or not).
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// `M3_i(v_j, v_j)` for every feature `i` and column `v_j` of a block.
    fn third_squares(&self, block: &Matrix) -> Matrix {
        let sums = match &self.rows {
            RowSource::Elsewhere(asked) => asked.squares(block),
            _ => self.products().squares(block, &self.weights.third),
        };
        self.with_own_words(block, &sums, &self.triple_diagonal)
    }

    /// `M3_i(v_j, v_j)` from the two products of Section 2.4 over any documents; `diagonal` is their `X'w3`.
    pub(crate) fn with_own_words(&self, block: &Matrix, sums: &Matrix, diagonal: &[f64]) -> Matrix {
        let n = self.n_features;
        Matrix::from_fn(n, block.n_columns(), |i, j| {
            let own = block[(i, j)];
            sums[(i, j)] - 2.0 * own * sums[(n + i, j)] + 2.0 * diagonal[i] * own * own
        })
    }

    /// `M3(v_j, v_j, v_j)` for every column of a block.
    pub(crate) fn third_along(&self, block: &Matrix) -> Vec<f64> {
        let squares = self.third_squares(block);
        (0..block.n_columns()).map(|j| dot(squares.column(j), block.column(j))).collect()
    }

    /// `M3(eta) V`, the third moment along a direction times a block of columns.
    pub(crate) fn third_towards_times(&self, direction: &[f64], block: &Matrix) -> Matrix {
        let w3 = &self.weights.third;
        let column = Matrix::from_columns(direction.len(), 1, direction.to_vec());
        let along = self.products().forward(&column);
        let q = self.products().backward(&along, Some(w3));
        let weights: Vec<f64> = along.column(0).iter().zip(w3).map(|(s, w)| s * w).collect();
        let mut product = self.products().normal(block, &weights);
        let mut behind = self.products().normal(block, w3);
        behind.scale_rows(direction);
        product.add(-1.0, &behind);
        let mut turned = block.clone();
        turned.scale_rows(direction);
        product.add(-1.0, &self.products().normal(&turned, w3));
        let own: Vec<f64> = (0..self.n_features)
            .map(|i| 2.0 * direction[i] * self.triple_diagonal[i] - q[(i, 0)])
            .collect();
        let mut diagonal = block.clone();
        diagonal.scale_rows(&own);
        product.add(1.0, &diagonal);
        product
    }

    /// The table of counts behind these moments, ready for products.
    pub(crate) fn products(&self) -> Products<'_> {
        Products::new(self.rows.table(), self.n_features, self.counting)
    }

    /// The whitened slices of a range with their rows kept, packed, one per row.
    pub(super) fn kept_slices(&self, basis: &Basis, range: Range<usize>) -> Matrix {
        let w = basis.unmixing();
        let SliceSums { mut slices, words: r, .. } = self.slice_sums(Rows::Kept, w, &range);
        for (p, (a, b)) in packed_pairs(w.n_columns()).into_iter().enumerate() {
            let column = slices.column_mut(p);
            for ((row, target), i) in column.iter_mut().enumerate().zip(range.clone()) {
                let (wa, wb) = (w[(i, a)], w[(i, b)]);
                *target +=
                    2.0 * self.triple_diagonal[i] * wa * wb - (wa * r[(row, b)] + r[(row, a)] * wb);
            }
        }
        slices
    }

    /// `E_i' M3_i E_i` with row `i` removed from both, packed, one feature per row; and the diagonal of
    /// `M2`.
    pub(super) fn removed_projections(
        &self,
        basis: &Basis,
        range: Range<usize>,
    ) -> (Matrix, Vec<f64>) {
        let e = basis.factor();
        let SliceSums { mut slices, words: q, own } = self.slice_sums(Rows::Removed, e, &range);
        for (entry, (a, b)) in packed_pairs(e.n_columns()).into_iter().enumerate() {
            let column = slices.column_mut(entry);
            for ((row, target), i) in column.iter_mut().enumerate().zip(range.clone()) {
                let (ea, eb) = (e[(i, a)], e[(i, b)]);
                *target += own[(row, 0)] * ea * eb - (ea * q[(row, b)] + q[(row, a)] * eb);
            }
        }
        (slices, own.column(1).to_vec())
    }

    /// The whitened third moment, its correction for the words themselves by the given products.
    fn cube(&self, basis: &Basis, grams: impl Fn(&Matrix, &Matrix) -> Vec<Matrix>) -> Cube {
        let w = basis.unmixing();
        let CubeSums { documents, words: mut r } = match &self.rows {
            RowSource::Elsewhere(asked) => asked.cube(w),
            _ => documents::cube(self.rows.table(), self.products(), w, &self.weights),
        };
        // 2 m3 w^(3) is -sym3(w w', r) with r = -2/3 m3 w: both corrections in one product.
        for c in 0..w.n_columns() {
            let column = r.column_mut(c).iter_mut();
            for ((target, m3), w) in column.zip(&self.triple_diagonal).zip(w.column(c)) {
                *target -= 2.0 / 3.0 * m3 * w;
            }
        }
        let words = grams(w, &r);
        Cube::symmetric(w.n_columns(), |a, b, c| {
            documents[a][(c - a, b - a)] - (words[c][(b, a)] + words[b][(c, a)] + words[a][(c, b)])
        })
    }

    /// The sums over documents for the slices of a range of features.
    fn slice_sums(&self, rows: Rows, through: &Matrix, range: &Range<usize>) -> SliceSums {
        let request = SliceRequest { rows, features: range.clone(), table: through.clone() };
        match &self.rows {
            RowSource::Elsewhere(asked) => asked.slices(&request),
            rows => {
                let (n, counting) = (self.n_features, self.counting);
                request.sums(&Table::new(rows.table(), n, counting, &self.weights), counting)
            }
        }
    }
}

impl Moments for SingleTopicMoments<'_> {
    fn n_features(&self) -> usize {
        self.n_features
    }

    fn first(&self) -> &[f64] {
        &self.first
    }

    fn second_times(&self, block: &Matrix) -> Matrix {
        let mut product = match &self.rows {
            RowSource::Elsewhere(asked) => asked.pairs(block),
            _ => documents::pairs(self.products(), block, &self.weights),
        };
        for j in 0..block.n_columns() {
            let column = product.column_mut(j);
            for ((target, own), v) in
                column.iter_mut().zip(&self.pair_diagonal).zip(block.column(j))
            {
                *target -= own * v;
            }
        }
        product
    }

    fn third_whitened(&self, basis: &Basis) -> Cube {
        self.cube(basis, |w, r| weighted_grams(w, r, |_| 0))
    }

    fn third_whitened_roughly(&self, basis: &Basis) -> Cube {
        self.cube(basis, |w, r| weighted_grams_roughly(w, r, |_| 0))
    }

    fn third_slices(&self, basis: &Basis, rows: Rows, features: Range<usize>) -> Matrix {
        match rows {
            Rows::Kept => self.kept_slices(basis, features),
            Rows::Removed => {
                let (projections, _) = self.removed_projections(basis, features.clone());
                basis.unproject(features.clone(), projections, || self.kept_slices(basis, features))
            }
        }
    }

    /// The formula of `H_i`, summed over `i` first, so that nothing of size `n k^2` appears.
    fn third_towards(&self, basis: &Basis, direction: &[f64]) -> Matrix {
        let w = basis.unmixing();
        let (n, k) = (w.n_rows(), w.n_columns());
        let request = |counting, weighing| {
            Request::Towards(counting, weighing, w.clone(), direction.to_vec())
        };
        let here = |table: &Table<'_>| towards_sums(table, w, direction);
        let sums = self.weighed().sum(TowardsSums::size(n, k), request, here);
        let TowardsSums { documents: mut sum, words: r, along: q } = TowardsSums::of(&sums, n, k);
        let weighted = |matrix: &Matrix, weights: &[f64]| {
            let mut scaled = matrix.clone();
            scaled.scale_rows(weights);
            scaled
        };
        let by_feature: Vec<f64> =
            (0..n).map(|i| 2.0 * direction[i] * self.triple_diagonal[i] - q[i]).collect();
        sum.add(1.0, &w.transpose_times(&weighted(w, &by_feature)));
        let cross = w.transpose_times(&weighted(&r, direction));
        sum.add(-1.0, &cross);
        sum.add(-1.0, &cross.transpose());
        sum
    }

    fn third_diagonals(&self, basis: &Basis, rotation: &Matrix) -> Matrix {
        self.third_squares(&basis.unmixing().times(rotation))
    }
}

impl RowSource<'_> {
    fn table(&self) -> &SparseCounts {
        match self {
            RowSource::Corpus(rows) => rows,
            RowSource::Drawn(rows) => rows,
            RowSource::Elsewhere(_) => {
                unreachable!("what only rows can tell is refused of documents elsewhere")
            }
        }
    }
}

/// If the documents are too short only because of damping, the error says so.
fn damped(corpus: &Corpus, error: Error) -> Error {
    let CorpusReport { n_empty, n_one_word, n_two_words, .. } = *corpus.report();
    match error {
        Error::NoPairs | Error::NoTriples
            if corpus.n_documents() > n_empty + n_one_word + n_two_words =>
        {
            Error::NoDampedTriples
        }
        other => other,
    }
}
