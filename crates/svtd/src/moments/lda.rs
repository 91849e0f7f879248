//! The moments of documents that mix topics: Theorem 3.1.
//!
//! Given `alpha0`, the sum of the Dirichlet parameter, and the moments of Theorem 2.1,
//!
//! ```text
//! M2a = M2 - a1 M1 M1'                                       a1 = alpha0/(alpha0+1)
//! M3a = M3 - c1 (M2 x M1, in all three ways) + c2 M1^(3)     c1 = alpha0/(alpha0+2)
//!                                                            c2 = 2 alpha0^2/((alpha0+1)(alpha0+2))
//! ```
//!
//! have again one term per topic, with weights `alpha_j/(alpha0(alpha0+1))` and `2
//! alpha_j/(alpha0(alpha0+1)(alpha0+2))`. After whitening by `M2a` the corrections are small dense terms: with `m =
//! W'M1`, and because `W'M2a = E'` and `W'M2a W = I`,
//!
//! ```text
//! T   = T_raw   - c1 sym3(I, m)                     - a1 c1 m^(3)
//! H_i = H_i,raw - c1 (M1_i I + e_i m' + m e_i')     - a1 c1 M1_i m m'
//! ```
//!
//! # Departures from the paper
//! Equation 4 writes `alpha_i` for the topic's `alpha_j`. The scale of the rows of `M` is
//! `(alpha0+2)/2`, which the normalisation of the columns absorbs.

use std::ops::Range;

use super::panels::packed_pairs;
use super::{
    Basis, Counting, Cube, DocumentWeights, MomentWeights, Moments, Rows, SingleTopicMoments,
};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot};

/// Theorem 3.1: moments of a corpus whose documents mix topics.
pub struct LdaMoments<'a> {
    raw: SingleTopicMoments<'a>,
    alpha0: f64,
}

impl<'a> LdaMoments<'a> {
    /// Estimates the moments for a given `alpha0`.
    ///
    /// # Errors
    /// When `alpha0` is not a positive number, or as [`SingleTopicMoments::estimate`].
    pub fn estimate(
        corpus: &'a Corpus,
        alpha0: f64,
        weights: &DocumentWeights,
        counting: Counting,
    ) -> Result<Self> {
        check_alpha0(alpha0)?;
        Ok(Self { raw: SingleTopicMoments::estimate(corpus, weights, counting)?, alpha0 })
    }

    /// The weights of the documents.
    pub fn weights(&self) -> &MomentWeights {
        self.raw.weights()
    }

    /// The effective number of documents behind the pair moment and the triple moment.
    pub(crate) fn effective_documents(&self) -> [f64; 2] {
        self.raw.effective_documents()
    }

    /// The lengths of the documents, as counted here (damped or not).
    pub fn lengths(&self) -> &[f64] {
        self.raw.lengths()
    }

    /// The moments of Theorem 2.1 underneath.
    pub(crate) fn raw(&self) -> &SingleTopicMoments<'a> {
        &self.raw
    }

    pub(crate) fn a1(&self) -> f64 {
        self.alpha0 / (self.alpha0 + 1.0)
    }

    pub(crate) fn c1(&self) -> f64 {
        self.alpha0 / (self.alpha0 + 2.0)
    }

    fn c2(&self) -> f64 {
        2.0 * self.a1() * self.c1()
    }

    fn kept_slices(&self, basis: &Basis, range: Range<usize>) -> Matrix {
        let mut slices = self.raw.kept_slices(basis, range.clone());
        let (a1, c1) = (self.a1(), self.c1());
        let e = basis.factor();
        let m = whitened_first(basis, self.first());
        for (p, (a, b)) in packed_pairs(m.len()).into_iter().enumerate() {
            let on_diagonal = if a == b { 1.0 } else { 0.0 };
            for (target, i) in slices.column_mut(p).iter_mut().zip(range.clone()) {
                let m1 = self.first()[i];
                *target -= c1 * (m1 * on_diagonal + e[(i, a)] * m[b] + m[a] * e[(i, b)])
                    + a1 * c1 * m1 * m[a] * m[b];
            }
        }
        slices
    }

    /// The whitened cube with the corrections for documents that mix topics.
    fn corrected(&self, basis: &Basis, raw: &Cube) -> Cube {
        let m = whitened_first(basis, self.first());
        let (a1, c1) = (self.a1(), self.c1());
        let same = |x: usize, y: usize| if x == y { 1.0 } else { 0.0 };
        Cube::symmetric(raw.side(), |a, b, c| {
            raw.get(a, b, c)
                - c1 * (same(a, b) * m[c] + same(a, c) * m[b] + same(b, c) * m[a])
                - a1 * c1 * m[a] * m[b] * m[c]
        })
    }

    /// Slices with row `i` removed, for any `E`: the correction with `M2 E`, less the contribution of row `i`.
    fn removed_projections(&self, basis: &Basis, range: Range<usize>) -> Matrix {
        let (mut slices, diagonal) = self.raw.removed_projections(basis, range.clone());
        let e = basis.factor();
        let k = e.n_columns();
        let y = self.raw.second_times(e);
        let whole = e.transpose_times(&y);
        let m: Vec<f64> = (0..k).map(|j| dot(e.column(j), self.first())).collect();
        for (target_row, i) in range.enumerate() {
            let (m1, own) = (self.first()[i], diagonal[target_row]);
            let (ei, yi) = (e.row(i), y.row(i));
            let others: Vec<f64> = (0..k).map(|a| m[a] - m1 * ei[a]).collect();
            let v: Vec<f64> = (0..k).map(|a| yi[a] - own * ei[a]).collect();
            for (p, (a, b)) in packed_pairs(k).into_iter().enumerate() {
                let pairs = whole[(a, b)] - ei[a] * yi[b] - yi[a] * ei[b] + own * ei[a] * ei[b];
                slices[(target_row, p)] += self.c2() * m1 * others[a] * others[b]
                    - self.c1() * (m1 * pairs + v[a] * others[b] + others[a] * v[b]);
            }
        }
        slices
    }
}

/// Returns an error for an `alpha0` that is not a positive number.
pub(crate) fn check_alpha0(alpha0: f64) -> Result<()> {
    if alpha0.is_finite() && alpha0 > 0.0 {
        return Ok(());
    }
    Err(Error::Option {
        name: "alpha0",
        needed: "a positive number".to_owned(),
        found: alpha0.to_string(),
    })
}

/// `m = W'M1`.
fn whitened_first(basis: &Basis, first: &[f64]) -> Vec<f64> {
    let w = basis.unmixing();
    (0..w.n_columns()).map(|j| dot(w.column(j), first)).collect()
}

impl Moments for LdaMoments<'_> {
    fn n_features(&self) -> usize {
        self.raw.n_features()
    }

    fn first(&self) -> &[f64] {
        self.raw.first()
    }

    fn second_times(&self, block: &Matrix) -> Matrix {
        let mut product = self.raw.second_times(block);
        for j in 0..block.n_columns() {
            let share = self.a1() * dot(self.first(), block.column(j));
            for (target, m1) in product.column_mut(j).iter_mut().zip(self.raw.first()) {
                *target -= share * m1;
            }
        }
        product
    }

    fn third_whitened(&self, basis: &Basis) -> Cube {
        self.corrected(basis, &self.raw.third_whitened(basis))
    }

    fn third_whitened_roughly(&self, basis: &Basis) -> Cube {
        self.corrected(basis, &self.raw.third_whitened_roughly(basis))
    }

    fn third_slices(&self, basis: &Basis, rows: Rows, features: Range<usize>) -> Matrix {
        match rows {
            Rows::Kept => self.kept_slices(basis, features),
            Rows::Removed => {
                let projections = self.removed_projections(basis, features.clone());
                basis.unproject(features.clone(), projections, || self.kept_slices(basis, features))
            }
        }
    }

    fn third_towards(&self, basis: &Basis, direction: &[f64]) -> Matrix {
        let mut sum = self.raw.third_towards(basis, direction);
        let (a1, c1) = (self.a1(), self.c1());
        let m = whitened_first(basis, self.first());
        let e = basis.factor();
        let along: Vec<f64> = (0..m.len()).map(|a| dot(e.column(a), direction)).collect();
        let m1 = dot(self.first(), direction);
        for a in 0..m.len() {
            for b in 0..m.len() {
                let on_diagonal = if a == b { m1 } else { 0.0 };
                sum[(a, b)] -= c1 * (on_diagonal + along[a] * m[b] + m[a] * along[b])
                    + a1 * c1 * m1 * m[a] * m[b];
            }
        }
        sum
    }

    fn third_diagonals(&self, basis: &Basis, rotation: &Matrix) -> Matrix {
        let raw = self.raw.third_diagonals(basis, rotation);
        let columns = basis.factor().times(rotation);
        let m = whitened_first(basis, self.first());
        let rotated: Vec<f64> = (0..m.len()).map(|j| dot(rotation.column(j), &m)).collect();
        let (a1, c1) = (self.a1(), self.c1());
        Matrix::from_fn(raw.n_rows(), raw.n_columns(), |i, j| {
            let m1 = self.first()[i];
            raw[(i, j)]
                - c1 * (m1 + 2.0 * columns[(i, j)] * rotated[j])
                - a1 * c1 * m1 * rotated[j] * rotated[j]
        })
    }
}
