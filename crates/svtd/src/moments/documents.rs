//! The sums over documents that moments are made of.
//!
//! Every quantity that moments need from documents is a sum over documents, whose terms depend on
//! one document and on a table that all holders get. [`Documents`] computes these sums from a table
//! of counts, block by block along a fixed tree. [`Asked`](super::asked::Asked) asks the holders of
//! documents elsewhere, who compute the answer with the same functions ([`rounds`](crate::rounds)).

use super::MomentWeights;
use super::panels::Products;
use super::sums::Sums;
use super::table::Table;
use super::weights::{LengthSums, tuples};
use crate::corpus::SparseCounts;
use crate::error::Result;
use crate::linalg::{Matrix, weighted_grams};
use crate::questions::{Counting, Law, Weighing, wrong_size};

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

impl LengthSums {
    pub(crate) fn to_row(self) -> Vec<f64> {
        vec![self.with_pairs, self.with_triples, self.pairs, self.repeats]
    }

    pub(super) fn from_row([with_pairs, with_triples, pairs, repeats]: [f64; 4]) -> Self {
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

    pub(super) fn from_table(table: &[f64], n: usize, k: usize) -> Result<Self> {
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
