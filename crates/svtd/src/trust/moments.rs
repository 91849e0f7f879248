//! The spectral estimate without each group, from exactly subtracted moments.
//!
//! Moments are sums over documents, so leaving out a group `g` is a subtraction. Seen through the
//! topics' own directions `B = W O` of the whole corpus everything that is subtracted is small:
//!
//! ```text
//! q_g = B' M2_g B      t_g(p, q) = M3_g(b_p, b_q, u_p)      m_g = B' M1_g
//! ```
//!
//! with `u_p = sum_l sqrt(lambda_l) A^l_pp w_l`, the only contraction of the cube on which the joint
//! diagonalisation depends to first order: the angle between topics `p` and `q` turns by
//!
//! ```text
//! (t(p, q) - t(q, p)) / firmness(p, q)              zero for the whole corpus
//! ```
//!
//! and the columns without the group are `M2 B Q^(-1/2) R`: `M2`, `Q = B'M2 B` and the rotation `R`
//! by those angles all without the group. Rows (the single-topic read-off) are
//! `M3_i(b_j, b_j)`, which does not depend on the rotation to first order: `M3_i(b_j, b_q) = 0`.
//!
//! # Cost
//! Columns: seven products with a panel of `k` columns, and `n k^2` five times for each group. Rows: four
//! products. No group is fitted again.
//!
//! # Departure
//! Topics keep their places: a rotation found by angles from the whole corpus' own needs no
//! matching.

use rayon::prelude::*;

use super::groups::{GROUPS, Groups};
use super::holdings::Holdings;
use super::spread::Spread;
use crate::fit::spectral::Spectral;
use crate::linalg::{Matrix, dot, symmetric_eigen};
use crate::moments::documents::FirstSums;
use crate::moments::table::Table;
use crate::moments::weighed::Weighed;
use crate::moments::{LdaMoments, Moments, SingleTopicMoments};
use crate::questions::{Holding, Request};
use crate::recovery::clip_and_normalise;

/// Moments as the jackknife needs them: those of Theorem 2.1 and what Theorem 3.1 subtracts.
pub(crate) struct Frame<'a> {
    raw: &'a SingleTopicMoments<'a>,
    /// `a1` and `c1`: the factors of the products that Theorem 3.1 subtracts; zero for single topics.
    a1: f64,
    c1: f64,
}

impl<'a> From<&'a SingleTopicMoments<'a>> for Frame<'a> {
    fn from(raw: &'a SingleTopicMoments<'a>) -> Self {
        Self { raw, a1: 0.0, c1: 0.0 }
    }
}

impl<'a> From<&'a LdaMoments<'a>> for Frame<'a> {
    fn from(moments: &'a LdaMoments<'a>) -> Self {
        Self { raw: moments.raw(), a1: moments.a1(), c1: moments.c1() }
    }
}

/// The moments of one group in the basis of the directions `B`: what is subtracted when the group is left out.
struct Held {
    /// The group's share of the total document weight in each of the three moments.
    shares: [f64; 3],
    /// `m_g`: word frequencies along the directions.
    first: Vec<f64>,
    /// `q_g`: the pair moment, before the correction of Theorem 3.1.
    second: Matrix,
    /// `t_g`: the third moment contracted with `u_p`, before the correction of Theorem 3.1.
    third: Matrix,
}

/// The moments of one group, in the basis `B` and by word.
struct Part {
    held: Held,
    /// `X'w1`: weighted counts of the words.
    first: Vec<f64>,
    /// `M2_g B`, before the correction of Theorem 3.1.
    pairs: Matrix,
}

/// The moments in the basis of the directions `B`, of all documents or of those outside a group.
struct Seen {
    /// `m = B'M1`.
    first: Vec<f64>,
    /// `Q = B'M2 B`, corrected by Theorem 3.1.
    second: Matrix,
    /// `t(p, q) = M3(b_p, b_q, u_p)`, before the correction of Theorem 3.1.
    third: Matrix,
}

impl Frame<'_> {
    /// Standard errors and changes of the columns `E O`.
    pub(crate) fn columns(
        &self,
        spectral: &Spectral,
        groups: &Groups<'_>,
        whole: &Matrix,
    ) -> Option<(Matrix, Matrix)> {
        let curvature = spectral.decomposition.joint.as_ref()?;
        let rotation = &spectral.decomposition.rotation;
        let roots: Vec<f64> = spectral.whitening.eigenvalues().iter().map(|v| v.sqrt()).collect();
        let mut pulls = curvature.diagonals.clone();
        pulls.scale_rows(&roots);
        let mut strengths = curvature.diagonals.clone();
        strengths.scale_rows(&roots.iter().map(|r| 1.0 / r).collect::<Vec<f64>>());
        let turning = Turning {
            pulls: rotation.transpose_times(&pulls),
            strengths: (0..whole.n_columns())
                .map(|p| dot(rotation.column(p), strengths.column(p)))
                .collect(),
            firmness: &curvature.firmness,
        };
        let w = spectral.whitening.unmixing();
        let (b, v) = (w.times(rotation), w.times(&pulls));
        let total = self.held(&self.raw.weighed(), &b, &v).held;
        let all = self.seen(&total, None);
        let at_rest = self.torques(&all, &all, &turning);
        // M2 B of Theorem 2.1, before the correction of Theorem 3.1.
        let mut pairs = spectral.whitening.factor().times(rotation);
        add_outer(&mut pairs, self.a1, self.raw.first(), &all.first);
        let mut spread = Spread::about(whole);
        for g in 0..GROUPS {
            let part = self.raw.weighed_among(groups.corpus(), &groups.part(g));
            let part = self.held(&part, &b, &v);
            let seen = self.seen(&total, Some(&part.held));
            let torques = self.torques(&seen, &all, &turning);
            let turn = turning.turn(&seen.second, &torques, &at_rest)?;
            let left = self.pairs_without(&part, &seen, &pairs, &b);
            let mut columns = left.times(&turn);
            (0..columns.n_columns()).for_each(|j| {
                clip_and_normalise(columns.column_mut(j));
            });
            spread.add(g, columns);
        }
        Some(spread.finish())
    }

    /// Standard errors and changes of the rows `M3_i(b_j, b_j)`.
    pub(crate) fn rows(
        &self,
        spectral: &Spectral,
        groups: &Groups<'_>,
        whole: &Matrix,
    ) -> (Matrix, Matrix) {
        let b = spectral.whitening.unmixing().times(&spectral.decomposition.rotation);
        let all =
            self.raw.third_diagonals(spectral.whitening.basis(), &spectral.decomposition.rotation);
        let mut spread = Spread::about(whole);
        for g in 0..GROUPS {
            let part = self.raw.weighed_among(groups.corpus(), &groups.part(g));
            let [_, _, diagonal] = part.first().by_feature;
            let mut left = all.clone();
            left.add(-1.0, &self.raw.with_own_words(&b, &part.squares(&b), &diagonal));
            (0..left.n_columns()).for_each(|j| {
                clip_and_normalise(left.column_mut(j));
            });
            spread.add(g, left);
        }
        spread.finish()
    }

    /// What each document adds to `b_j' M2 b_j = 1`: its share of the evidence for topic `j`.
    pub(crate) fn holdings(&self, spectral: &Spectral) -> Holdings {
        let b = spectral.whitening.unmixing().times(&spectral.decomposition.rotation);
        let (documents, k) = (self.raw.weighed(), b.n_columns());
        let request =
            |counting, weighing| Request::Holdings(Holding::Pairs(counting, weighing, b.clone()));
        let sums = documents.sum(Holdings::size(k), request, |table| {
            Holdings::sums(table.rows, &held_pairs(table, &b))
        });
        Holdings::from_sums(sums, k)
    }

    fn held(&self, documents: &Weighed<'_>, b: &Matrix, v: &Matrix) -> Part {
        let FirstSums { by_feature: [first, second, third], shares, .. } = documents.first();
        let (n, k) = (b.n_rows(), b.n_columns());
        let request =
            |counting, weighing| Request::Torques(counting, weighing, b.clone(), v.clone());
        let torques = documents.sum(k * k + 2 * n * k, request, |table| torque_sums(table, b, v));
        let mut own = documents.pairs(b);
        own.values_mut()
            .par_chunks_exact_mut(n.max(1))
            .zip(b.values().par_chunks_exact(n.max(1)))
            .for_each(|(own, b)| {
                for (own, (count, b)) in own.iter_mut().zip(second.iter().zip(b)) {
                    *own -= count * b;
                }
            });
        let held = Held {
            shares,
            first: (0..k).map(|j| dot(b.column(j), &first)).collect(),
            second: b.transpose_times(&own),
            third: third_of(&torques, &third, b, v),
        };
        Part { held, first, pairs: own }
    }

    /// `M2 B` without a part, corrected by Theorem 3.1; `pairs` is that of Theorem 2.1 for all documents.
    fn pairs_without(&self, part: &Part, seen: &Seen, pairs: &Matrix, b: &Matrix) -> Matrix {
        let own = self.raw.first().iter().zip(&part.first);
        let first: Vec<f64> = own.map(|(all, own)| all - own).collect();
        let weight = 1.0 / (1.0 - part.held.shares[1]);
        let mixing = self.a1 / (1.0 - part.held.shares[0]);
        let mut left = pairs.clone();
        let n = b.n_rows().max(1);
        let columns = left.values_mut().par_chunks_exact_mut(n).enumerate();
        columns.for_each(|(j, column)| {
            let mixing = mixing * seen.first[j];
            let words = part.pairs.column(j).iter().zip(&first);
            for (value, (own, m1)) in column.iter_mut().zip(words) {
                *value = (*value - own) * weight - mixing * m1;
            }
        });
        left
    }

    /// The moments in the basis `B`, the second corrected by Theorem 3.1.
    fn seen(&self, total: &Held, without: Option<&Held>) -> Seen {
        let less = |all: f64, own: fn(&Held, usize, usize) -> f64, order: usize, p, q| {
            without.map_or(all, |held| (all - own(held, p, q)) / (1.0 - held.shares[order]))
        };
        let k = total.first.len();
        let first: Vec<f64> =
            (0..k).map(|p| less(total.first[p], |held, p, _| held.first[p], 0, p, 0)).collect();
        let second = Matrix::from_fn(k, k, |p, q| {
            less(total.second[(p, q)], |held, p, q| held.second[(p, q)], 1, p, q)
                - self.a1 * first[p] * first[q]
        });
        let third = Matrix::from_fn(k, k, |p, q| {
            less(total.third[(p, q)], |held, p, q| held.third[(p, q)], 2, p, q)
        });
        Seen { first, second, third }
    }

    /// `t(p, q)` corrected by Theorem 3.1, and whitened by `Q^(-1/2)` to first order.
    fn torques(&self, seen: &Seen, all: &Seen, turning: &Turning<'_>) -> Matrix {
        let (q2, m) = (&seen.second, &seen.first);
        let pulls = &turning.pulls;
        let along: Vec<f64> = (0..m.len()).map(|p| dot(m, pulls.column(p))).collect();
        let images = q2.times(pulls);
        Matrix::from_fn(m.len(), m.len(), |p, q| {
            let mixing = q2[(p, q)] * along[p] + images[(p, p)] * m[q] + images[(q, p)] * m[p];
            let whitened = 0.5
                * (q2[(p, q)] - all.second[(p, q)])
                * (turning.strengths[q] * pulls[(q, p)] + turning.strengths[p] * pulls[(p, p)]);
            seen.third[(p, q)]
                - self.c1 * mixing
                - self.a1 * self.c1 * m[p] * m[q] * along[p]
                - whitened
        })
    }
}

/// How the rotation responds to a change of the moments.
struct Turning<'a> {
    /// `u_p` in the basis of the topics, in columns.
    pulls: Matrix,
    /// `T(o_p, o_p, o_p)`: the third moment along each topic, whitened.
    strengths: Vec<f64>,
    /// The curvature of the joint diagonalisation in the angle between two topics.
    firmness: &'a Matrix,
}

impl Turning<'_> {
    /// `Q^(-1/2) R`; `None` when `Q` is not positive.
    fn turn(&self, second: &Matrix, torques: &Matrix, at_rest: &Matrix) -> Option<Matrix> {
        let k = second.n_rows();
        let mut turn = inverse_root(second)?;
        for p in 0..k {
            for q in p + 1..k {
                let torque =
                    (torques[(p, q)] - torques[(q, p)]) - (at_rest[(p, q)] - at_rest[(q, p)]);
                let angle = 0.25 * (4.0 * torque).atan2(self.firmness[(p, q)]);
                let (cosine, sine) = (angle.cos(), angle.sin());
                for i in 0..k {
                    let (x, y) = (turn[(i, p)], turn[(i, q)]);
                    turn[(i, p)] = cosine * x + sine * y;
                    turn[(i, q)] = cosine * y - sine * x;
                }
            }
        }
        Some(turn)
    }
}

/// The inverse square root of a symmetric positive matrix.
fn inverse_root(matrix: &Matrix) -> Option<Matrix> {
    let (values, vectors) = symmetric_eigen(matrix);
    if !values.iter().all(|value| *value > 0.0) {
        return None;
    }
    let mut scaled = vectors.clone();
    scaled.scale_columns(&values.iter().map(|value| 1.0 / value.sqrt()).collect::<Vec<f64>>());
    Some(scaled.times(&vectors.transpose()))
}

/// What a document holds of the pairs of each direction, `w2 ((x'b)^2 - sum_h x_h b_h^2)`.
pub(crate) fn held_pairs(table: &Table<'_>, b: &Matrix) -> Matrix {
    let mut squares = b.clone();
    squares.values_mut().iter_mut().for_each(|value| *value *= *value);
    let mut held = table.products.forward(b);
    let own = table.products.forward(&squares);
    for (value, own) in held.values_mut().iter_mut().zip(own.values()) {
        *value = (*value * *value - own).max(0.0);
    }
    held.scale_rows(&table.weights.second);
    held
}

/// `sum_d w3 (x'b_p) (x'v_p) (x'b_q)`, then `X'(w3 o XB)` and `X'(w3 o XV)`.
pub(crate) fn torque_sums(table: &Table<'_>, b: &Matrix, v: &Matrix) -> Vec<f64> {
    let (products, w3) = (table.products, &table.weights.third);
    let (beta, upsilon) = (products.forward(b), products.forward(v));
    let k = b.n_columns();
    let mut sums = table.sums(k * k, |range, sums| {
        let beta = beta.rows(range.clone());
        let mut left = entrywise(&beta, &upsilon.rows(range.clone()));
        left.scale_rows(&w3[range]);
        sums.copy_from_slice(left.transpose_times(&beta).values());
    });
    sums.extend(products.backward(&beta, Some(w3)).values());
    sums.extend(products.backward(&upsilon, Some(w3)).values());
    sums
}

/// `t(p, q) = M3(b_p, b_q, u_p)` of documents with these sums; `own` is `X'w3`.
fn third_of(sums: &[f64], own: &[f64], b: &Matrix, v: &Matrix) -> Matrix {
    let (n, k) = (b.n_rows(), b.n_columns());
    let (documents, words) = sums.split_at(k * k);
    let (back, words) = words.split_at(n * k);
    let table = |values: &[f64]| Matrix::from_columns(n, k, values.to_vec());
    let (back, mut words) = (table(back), table(words));
    words.values_mut().par_chunks_exact_mut(n.max(1)).enumerate().for_each(|(j, column)| {
        let pairs = b.column(j).iter().zip(v.column(j));
        let terms = pairs.zip(back.column(j).iter().zip(own));
        for (value, ((b, v), (back, own))) in column.iter_mut().zip(terms) {
            *value = b * *value + v * (back - 2.0 * own * b);
        }
    });
    let mut third = Matrix::from_columns(k, k, documents.to_vec());
    third.add(-1.0, &words.transpose_times(b));
    third.add(-1.0, &entrywise(b, v).transpose_times(&back));
    third
}

fn entrywise(left: &Matrix, right: &Matrix) -> Matrix {
    let mut product = left.clone();
    product.values_mut().iter_mut().zip(right.values()).for_each(|(x, y)| *x *= y);
    product
}

/// `matrix += factor * rows columns'`.
fn add_outer(matrix: &mut Matrix, factor: f64, rows: &[f64], columns: &[f64]) {
    if factor == 0.0 {
        return;
    }
    for (j, column) in columns.iter().enumerate() {
        let scale = factor * column;
        matrix.column_mut(j).iter_mut().zip(rows).for_each(|(target, row)| *target += scale * row);
    }
}
