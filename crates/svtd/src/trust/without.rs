//! How far topics move in the first step without each group.
//!
//! Topics are `w_ij = (S_ij + eta_i) / m_j`. A group that adds `o_ij` to the sums, `o_j` for all words, takes with it
//!
//! ```text
//! r_j w_ij - o_ij / (m_j - o_j),      r_j = o_j / (m_j - o_j)
//! ```
//!
//! A group has few of the words. All words move by the first term, which is added up for each topic; the second is
//! there only for the words of the group. If a group holds more than half of a topic, both terms are large and nearly
//! cancel; its steps are then computed word by word (there is at most one such group for a topic).
//!
//! # Cost
//! For each group its words times the topics, and a few tables of all words at the end.

use rayon::prelude::*;

use super::groups::{GROUPS, sign};
use super::spread::standard_error;
use crate::linalg::Matrix;

/// What the documents of a group add to the sums.
pub(super) struct Own {
    /// The words that they have, ascending.
    words: Vec<u32>,
    /// Words x topics.
    sums: Matrix,
}

impl Own {
    /// Sums of some words. Words whose sums are zero are left out, so that it does not matter which are given.
    pub fn new(words: Vec<u32>, sums: Matrix) -> Self {
        let has = |&i: &usize| (0..sums.n_columns()).any(|j| sums[(i, j)] != 0.0);
        let kept: Vec<usize> = (0..words.len()).filter(has).collect();
        if kept.len() == words.len() {
            return Self { words, sums };
        }
        let sums = sums.select_rows(&kept);
        Self { words: kept.iter().map(|&i| words[i]).collect(), sums }
    }

    /// Sums of all words.
    pub fn of_all(sums: Matrix) -> Self {
        Self::new((0..sums.n_rows() as u32).collect(), sums)
    }
}

/// How far each topic moves in the first step without each group, summed over the groups left out so far.
pub(super) struct Without<'a> {
    topics: &'a Matrix,
    /// Number of words of each topic, smoothing included.
    masses: &'a [f64],
    columns: Vec<Column>,
    n_signed_sums: usize,
}

/// Sums over the groups for one topic. A step is the change of the topic's word probabilities without a group.
struct Column {
    /// The sums of `r_j` and `r_j^2` over the groups: the part of the steps that is proportional to the topic.
    ratios: [f64; 2],
    /// The sum of the steps and of their squares, without the terms in `ratios`.
    sum: Vec<f64>,
    squares: Vec<f64>,
    /// The L1 distance by which the topic moves without each group.
    changes: Vec<f64>,
    signed_sums: Vec<SignedSum>,
}

/// A sum of the steps of all groups, each with the sign of its group, divided by the square root of their number.
#[derive(Clone)]
struct SignedSum {
    /// The sum of the terms that are proportional to the topic, as a factor of it.
    ratio: f64,
    /// The sum of the other terms, for every word.
    sum: Vec<f64>,
}

/// The result of the first steps without each group.
pub(super) struct Steps {
    /// Standard errors, features x topics.
    pub errors: Matrix,
    /// The L1 distance by which each topic (column) moves without each group (row).
    pub changes: Matrix,
    /// Sums of the steps with the signs of the groups, divided by the square root of their number: each is about as
    /// large as the standard errors.
    pub signed_sums: Vec<Matrix>,
}

impl<'a> Without<'a> {
    /// For these topics, with the number of words of each in `masses`; `n_signed_sums` of the steps are made.
    pub fn new(topics: &'a Matrix, masses: &'a [f64], n_signed_sums: usize) -> Self {
        let n = topics.n_rows();
        let signed_sum = SignedSum { ratio: 0.0, sum: vec![0.0; n] };
        let column = || Column {
            ratios: [0.0; 2],
            sum: vec![0.0; n],
            squares: vec![0.0; n],
            changes: vec![0.0; GROUPS],
            signed_sums: vec![signed_sum.clone(); n_signed_sums],
        };
        let columns = (0..topics.n_columns()).map(|_| column()).collect();
        Self { topics, masses, columns, n_signed_sums }
    }

    /// Leaves out group `g`. A topic that has nothing left without it counts as unchanged.
    pub fn leave_out(&mut self, g: usize, own: &Own) {
        let (topics, masses) = (self.topics, self.masses);
        self.columns.par_iter_mut().enumerate().for_each(|(j, column)| {
            column.leave_out(g, &own.words, own.sums.column(j), topics.column(j), masses[j]);
        });
    }

    pub fn finish(self) -> Steps {
        let (n, k) = (self.topics.n_rows(), self.topics.n_columns());
        let mut changes = Matrix::zeros(GROUPS, k);
        for (j, column) in self.columns.iter().enumerate() {
            changes.column_mut(j).copy_from_slice(&column.changes);
        }
        let errors = Matrix::from_filled(n, k, |j, errors| {
            self.columns[j].errors(self.topics.column(j), errors);
        });
        let signed_sum = |m: usize| {
            Matrix::from_filled(n, k, |j, steps| {
                let SignedSum { ratio, sum } = &self.columns[j].signed_sums[m];
                for ((step, sum), w) in steps.iter_mut().zip(sum).zip(self.topics.column(j)) {
                    *step = ratio * w + sum;
                }
            })
        };
        let signed_sums = (0..self.n_signed_sums).map(signed_sum).collect();
        Steps { errors, changes, signed_sums }
    }
}

impl Column {
    fn leave_out(&mut self, g: usize, words: &[u32], own: &[f64], topic: &[f64], mass: f64) {
        let own_mass: f64 = own.iter().sum();
        let left = mass - own_mass;
        if left <= 0.0 || left.is_nan() {
            return;
        }
        let (ratio, share) = (own_mass / left, 1.0 / left);
        if ratio > 1.0 {
            return self.leave_out_most(g, (words, own), topic, (mass, left));
        }
        // The probability of the words that the group lacks, and the distance by which its own move.
        let (mut lacked, mut moved) = (1.0, 0.0);
        for (&i, own) in words.iter().zip(own) {
            let i = i as usize;
            let (usual, less) = (ratio * topic[i], share * own);
            self.sum[i] -= less;
            self.squares[i] += less * (less - 2.0 * usual);
            lacked -= topic[i];
            moved += (usual - less).abs();
        }
        self.changes[g] = moved + ratio * lacked.max(0.0);
        self.ratios[0] += ratio;
        self.ratios[1] += ratio * ratio;
        for (m, signed_sum) in self.signed_sums.iter_mut().enumerate() {
            let factor = sign(m, g) / (GROUPS as f64).sqrt();
            signed_sum.ratio += factor * ratio;
            for (&i, own) in words.iter().zip(own) {
                signed_sum.sum[i as usize] -= factor * share * own;
            }
        }
    }

    /// Leaves out a group that holds more than half of the topic; of `mass`, the rest is `left`.
    fn leave_out_most(
        &mut self,
        g: usize,
        (words, own): (&[u32], &[f64]),
        topic: &[f64],
        (mass, left): (f64, f64),
    ) {
        let mut rest: Vec<f64> = topic.iter().map(|w| mass * w).collect();
        words.iter().zip(own).for_each(|(&i, own)| rest[i as usize] -= own);
        for (i, (rest, w)) in rest.iter().zip(topic).enumerate() {
            let step = rest.max(0.0) / left - w;
            self.sum[i] += step;
            self.squares[i] += step * step;
            self.changes[g] += step.abs();
            for (m, signed_sum) in self.signed_sums.iter_mut().enumerate() {
                signed_sum.sum[i] += sign(m, g) / (GROUPS as f64).sqrt() * step;
            }
        }
    }

    fn errors(&self, topic: &[f64], errors: &mut [f64]) {
        let sums = self.sum.iter().zip(&self.squares);
        for ((error, w), (sum, squares)) in errors.iter_mut().zip(topic).zip(sums) {
            let (all, all_squares) = (self.ratios[0] * w, self.ratios[1] * w * w);
            *error = standard_error(squares + all_squares, sum + all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::spread::Spread;

    /// What each group adds to the sums of three words and two topics; each group lacks a word.
    fn own(g: usize) -> Matrix {
        Matrix::from_fn(3, 2, |i, j| match i == g % 3 {
            true => 0.0,
            false => 1.0 + ((7 * g + 3 * i + j) as f64).sin(),
        })
    }

    #[test]
    fn steps_are_those_of_the_topics_without_each_group() {
        check(&own, 1e-14);
    }

    #[test]
    fn a_group_that_holds_nearly_all_of_a_topic_does_not_lose_digits() {
        for most in [1e3, 1e8] {
            let heavy = |g: usize| {
                let mut own = own(g);
                own.scale_columns(&[if g == 4 { most } else { 1.0 }, 1.0]);
                own
            };
            check(&heavy, 1e-15 * most);
        }
    }

    fn check(own: &dyn Fn(usize) -> Matrix, tolerance: f64) {
        let eta = 0.5;
        let mut sums = Matrix::zeros(3, 2);
        (0..GROUPS).for_each(|g| sums.add(1.0, &own(g)));
        let topics_of = |sums: &Matrix| {
            let mass = |j: usize| sums.column(j).iter().sum::<f64>() + 3.0 * eta;
            let masses = [mass(0), mass(1)];
            (Matrix::from_fn(3, 2, |i, j| (sums[(i, j)] + eta) / masses[j]), masses)
        };
        let (topics, masses) = topics_of(&sums);
        let mut without = Without::new(&topics, &masses, 2);
        let mut spread = Spread::about(&topics);
        let mut signed_sum = Matrix::zeros(3, 2);
        for g in 0..GROUPS {
            without.leave_out(g, &Own::of_all(own(g)));
            let mut left = sums.clone();
            left.add(-1.0, &own(g));
            let mut step = topics_of(&left).0;
            spread.add(g, step.clone());
            step.add(-1.0, &topics);
            signed_sum.add(sign(1, g) / (GROUPS as f64).sqrt(), &step);
        }
        let (errors, changes) = spread.finish();
        let steps = without.finish();
        let pairs = [(errors, steps.errors), (changes, steps.changes)];
        for (a, b) in pairs.iter().chain(&[(signed_sum, steps.signed_sums[1].clone())]) {
            let apart = a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < tolerance, "{a:?} and {b:?}");
        }
    }
}
