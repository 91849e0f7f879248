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
//! Columns: seven products with a panel of `k` columns, `n k^2` for each group, and four times that
//! for its own words. Rows: four products. No group is fitted again.
//!
//! # Departure
//! Topics keep their places: a rotation found by angles from the whole corpus' own needs no
//! matching.

use rayon::prelude::*;

use super::groups::{GROUPS, Groups};
use super::part::Part;
use super::spread::Spread;
use crate::fit::spectral::Spectral;
use crate::linalg::{Matrix, dot, symmetric_eigen};
use crate::moments::{LdaMoments, Moments, SingleTopicMoments};
use crate::recovery::clip_and_normalise;

/// Moments as the jackknife needs them: those of Theorem 2.1 and what Theorem 3.1 subtracts.
pub(crate) struct Frame<'a> {
    raw: &'a SingleTopicMoments<'a>,
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

/// What one group holds, through the directions `B`.
struct Held {
    shares: [f64; 3],
    /// `m_g`.
    first: Vec<f64>,
    /// `q_g`, raw.
    second: Matrix,
    /// `t_g`, raw.
    third: Matrix,
}

/// Everything through the directions `B`, of all documents or without a group.
struct Seen {
    first: Vec<f64>,
    second: Matrix,
    third: Matrix,
}

impl Frame<'_> {
    /// Standard errors and changes of the columns `E O`.
    pub(crate) fn columns(
        &self,
        spectral: &Spectral,
        groups: &Groups,
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
        let parts = || groups.members().into_iter().map(|documents| self.part(documents));
        let held: Vec<Held> = parts().map(|part| self.held(&part, &b, &v)).collect();
        let total = Held::sum(&held);
        let all = self.seen(&total, None);
        let at_rest = self.torques(&all, &all, &turning);
        // M2 B of Theorem 2.1, before what Theorem 3.1 subtracts.
        let mut pairs = spectral.whitening.factor().times(rotation);
        add_outer(&mut pairs, self.a1, self.raw.first(), &all.first);
        let mut spread = Spread::about(whole);
        for (g, (held, part)) in held.iter().zip(parts()).enumerate() {
            let seen = self.seen(&total, Some(held));
            let torques = self.torques(&seen, &all, &turning);
            let turn = turning.turn(&seen.second, &torques, &at_rest)?;
            let left = self.pairs_without(&part, held, &seen, &pairs, &b);
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
        groups: &Groups,
        whole: &Matrix,
    ) -> (Matrix, Matrix) {
        let b = spectral.whitening.unmixing().times(&spectral.decomposition.rotation);
        let all =
            self.raw.third_diagonals(spectral.whitening.basis(), &spectral.decomposition.rotation);
        let mut spread = Spread::about(whole);
        for g in 0..GROUPS {
            let weights = groups.only(g, &self.raw.weights().third);
            let diagonal = self.raw.weighted_counts(&weights);
            let mut left = all.clone();
            left.add(-1.0, &self.raw.third_squares_weighing(&b, &weights, &diagonal));
            (0..left.n_columns()).for_each(|j| {
                clip_and_normalise(left.column_mut(j));
            });
            spread.add(g, left);
        }
        spread.finish()
    }

    /// What each document adds to `b_j' M2 b_j = 1`: its share of the evidence for topic `j`.
    pub(crate) fn holdings(&self, spectral: &Spectral) -> Matrix {
        let b = spectral.whitening.unmixing().times(&spectral.decomposition.rotation);
        let mut squares = b.clone();
        squares.values_mut().iter_mut().for_each(|value| *value *= *value);
        let products = self.raw.products();
        let mut held = products.forward(&b);
        let own = products.forward(&squares);
        for (value, own) in held.values_mut().iter_mut().zip(own.values()) {
            *value = (*value * *value - own).max(0.0);
        }
        held.scale_rows(&self.raw.weights().second);
        held
    }

    fn part(&self, documents: Vec<u32>) -> Part {
        let (table, counting) = self.raw.counts();
        Part::of(table, self.raw.n_features(), documents, counting)
    }

    fn held(&self, part: &Part, b: &Matrix, v: &Matrix) -> Held {
        let weights = self.raw.weights();
        let (b, v) = (part.of_words(b), part.of_words(v));
        let (beta, upsilon) = (part.products().forward(&b), part.products().forward(&v));
        let [w1, w2, w3] =
            [&weights.first, &weights.second, &weights.third].map(|w| part.weights(w));
        let first_counts = part.weighted_counts(&w1);
        let first = (0..b.n_columns()).map(|j| dot(b.column(j), &first_counts)).collect();
        let mut second = gram(&beta, &w2);
        second.add(-1.0, &gram(&b, &part.weighted_counts(&w2)));
        let is_held: Vec<bool> = {
            let mut is_held = vec![false; weights.first.len()];
            part.documents.iter().for_each(|&d| is_held[d as usize] = true);
            is_held
        };
        Held {
            shares: weights.shares(self.raw.lengths(), |d| is_held[d]),
            first,
            second,
            third: third_of(part, &w3, [&b, &v], [&beta, &upsilon]),
        }
    }

    /// `M2 B` without a part, as Theorem 3.1 wants it; `pairs` is that of Theorem 2.1 for all.
    fn pairs_without(
        &self,
        part: &Part,
        held: &Held,
        seen: &Seen,
        pairs: &Matrix,
        b: &Matrix,
    ) -> Matrix {
        let weights = self.raw.weights();
        let b = part.of_words(b);
        let w2 = part.weights(&weights.second);
        let own = part.products().normal(&b, &w2);
        let own_counts = part.weighted_counts(&w2);
        let mut first = self.raw.first().to_vec();
        let first_counts = part.weighted_counts(&part.weights(&weights.first));
        part.features.iter().zip(first_counts).for_each(|(&i, own)| first[i as usize] -= own);
        let weight = 1.0 / (1.0 - held.shares[1]);
        let mixing = self.a1 / (1.0 - held.shares[0]);
        let mut left = pairs.clone();
        let n = left.n_rows().max(1);
        left.values_mut().par_chunks_exact_mut(n).enumerate().for_each(|(j, column)| {
            let words = part.features.iter().zip(own.column(j));
            for ((&i, own), (b, count)) in words.zip(b.column(j).iter().zip(&own_counts)) {
                column[i as usize] -= own - count * b;
            }
            let mixing = mixing * seen.first[j];
            for (value, m1) in column.iter_mut().zip(&first) {
                *value = *value * weight - mixing * m1;
            }
        });
        left
    }

    /// The moments through `B`, as Theorem 3.1 wants the second.
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

    /// `t(p, q)` as Theorem 3.1 wants it, whitened by `Q^(-1/2)` to first order.
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

impl Held {
    fn sum(held: &[Held]) -> Held {
        let k = held[0].first.len();
        let mut total = Held {
            shares: [0.0; 3],
            first: vec![0.0; k],
            second: Matrix::zeros(k, k),
            third: Matrix::zeros(k, k),
        };
        for one in held {
            total.first.iter_mut().zip(&one.first).for_each(|(sum, more)| *sum += more);
            total.second.add(1.0, &one.second);
            total.third.add(1.0, &one.third);
        }
        total
    }
}

/// How the rotation answers a change of the moments.
struct Turning<'a> {
    /// `u_p` in the basis of the topics, in columns.
    pulls: Matrix,
    /// `T(o_p, o_p, o_p)`.
    strengths: Vec<f64>,
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

/// `t(p, q) = M3(b_p, b_q, u_p)` of a part, with the given weights of its documents.
fn third_of(
    part: &Part,
    w3: &[f64],
    [b, v]: [&Matrix; 2],
    [beta, upsilon]: [&Matrix; 2],
) -> Matrix {
    let products = part.products();
    let mut left = entrywise(beta, upsilon);
    left.scale_rows(w3);
    let mut third = left.transpose_times(beta);
    let back = products.backward(beta, Some(w3));
    let mut words = products.backward(upsilon, Some(w3));
    let own = part.weighted_counts(w3);
    let n = words.n_rows().max(1);
    words.values_mut().par_chunks_exact_mut(n).enumerate().for_each(|(j, column)| {
        let pairs = b.column(j).iter().zip(v.column(j));
        let terms = pairs.zip(back.column(j).iter().zip(&own));
        for (value, ((b, v), (back, own))) in column.iter_mut().zip(terms) {
            *value = b * *value + v * (back - 2.0 * own * b);
        }
    });
    third.add(-1.0, &words.transpose_times(b));
    third.add(-1.0, &entrywise(b, v).transpose_times(&back));
    third
}

/// `A' diag(w) A`.
fn gram(matrix: &Matrix, weights: &[f64]) -> Matrix {
    let mut scaled = matrix.clone();
    scaled.scale_rows(weights);
    scaled.transpose_times(matrix)
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
