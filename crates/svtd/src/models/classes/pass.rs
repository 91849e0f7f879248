//! One pass over the patterns: the responsibilities of each, and what is made of them.
//!
//! Probabilities of answers are multiplied. Rows whose products are too small for a number, and those with numeric
//! items, are summed as logarithms instead.

use std::ops::Range;

use pulp::Arch;

use super::data::Records;
use super::em::ClassModel;
use super::items::widths;
use super::parameters::{ClassParameters, SMALLEST, Tables};
use crate::logarithm::ln;

/// A likelihood above this is a sum of products that lost nothing that matters.
const SMALLEST_PRODUCT: f64 = 1e-200;

/// Sums over rows that an M step needs.
pub(super) struct Sums {
    pub(super) log_likelihood: f64,
    pub(super) shares: Vec<f64>,
    /// Weight of every category in every class; the last row is of missing answers.
    pub(super) counts: Vec<f64>,
    /// Weight, sum and sum of squares of every numeric item in every class.
    pub(super) numeric: Vec<[f64; 3]>,
}

impl Sums {
    pub(super) fn zeros(n: usize, jn: usize, k: usize) -> Self {
        Self {
            log_likelihood: 0.0,
            shares: vec![0.0; k],
            counts: vec![0.0; (n + 1) * k],
            numeric: vec![[0.0; 3]; jn * k],
        }
    }

    /// The sums of the first `k` classes.
    pub(super) fn of_first(mut self, k: usize) -> Self {
        let width = self.shares.len();
        if k < width {
            self.shares.truncate(k);
            self.counts =
                self.counts.chunks_exact(width).flat_map(|row| &row[..k]).copied().collect();
            self.numeric =
                self.numeric.chunks_exact(width).flat_map(|row| &row[..k]).copied().collect();
        }
        self
    }

    pub(super) fn add(&mut self, other: Sums) {
        self.log_likelihood += other.log_likelihood;
        add_all(&mut self.shares, &other.shares);
        add_all(&mut self.counts, &other.counts);
        for (sum, more) in self.numeric.iter_mut().zip(other.numeric) {
            add_all(sum, &more);
        }
    }
}

pub(super) fn add_all(sums: &mut [f64], more: &[f64]) {
    sums.iter_mut().zip(more).for_each(|(sum, value)| *sum += value);
}

/// What is done with the responsibilities of a row.
pub(super) trait Visit {
    /// Row `u`, the responsibilities of its classes followed by zeros, and its log-likelihood; `W` is how many these
    /// are where the compiler knows it, else 0.
    fn row<const W: usize>(&mut self, u: usize, r: &[f64], log_likelihood: f64);
}

impl<F: FnMut(usize, &[f64], f64)> Visit for F {
    #[inline(always)]
    fn row<const W: usize>(&mut self, u: usize, r: &[f64], log_likelihood: f64) {
        self(u, r, log_likelihood);
    }
}

/// Adds rows to the sums of an M step, whose classes may be followed by empty ones.
pub(super) struct Adding<'a> {
    pub(super) records: &'a Records,
    pub(super) sums: &'a mut Sums,
}

impl Visit for Adding<'_> {
    #[inline(always)]
    fn row<const W: usize>(&mut self, u: usize, r: &[f64], log_likelihood: f64) {
        let k = if W == 0 { r.len() } else { W };
        let r = &r[..k];
        let (jc, jn) = widths(self.records.items());
        let (rows, weight) = (&self.records.rows, self.records.weights()[u]);
        self.sums.log_likelihood += weight * log_likelihood;
        for (sum, value) in self.sums.shares[..k].iter_mut().zip(r) {
            *sum += weight * value;
        }
        for &code in &rows.codes[u * jc..(u + 1) * jc] {
            let target = &mut self.sums.counts[code as usize * k..][..k];
            for (sum, value) in target.iter_mut().zip(r) {
                *sum += weight * value;
            }
        }
        add_numeric(&mut self.sums.numeric, &rows.values[u * jn..(u + 1) * jn], r, weight);
    }
}

impl ClassModel {
    /// Responsibilities of the rows in `range`, handed to `visit` row by row.
    pub(super) fn pass(
        &self,
        parameters: &ClassParameters,
        tables: &Tables,
        range: Range<usize>,
        visit: impl Visit,
    ) {
        Arch::new().dispatch(
            #[inline(always)]
            || match tables.width {
                1 => self.pass_of::<1>(parameters, tables, range, visit),
                2 => self.pass_of::<2>(parameters, tables, range, visit),
                4 => self.pass_of::<4>(parameters, tables, range, visit),
                8 => self.pass_of::<8>(parameters, tables, range, visit),
                _ => self.pass_of::<0>(parameters, tables, range, visit),
            },
        );
    }

    /// The pass with the width of the tables known to the compiler; 0 stands for any.
    #[inline(always)]
    fn pass_of<const W: usize>(
        &self,
        parameters: &ClassParameters,
        tables: &Tables,
        range: Range<usize>,
        mut visit: impl Visit,
    ) {
        let (k, width) = (parameters.n_classes(), if W == 0 { tables.width } else { W });
        let (jc, jn) = widths(self.records.items());
        let rows = &self.records.rows;
        let mut fixed = [0.0; 8];
        let mut any = vec![0.0; if W == 0 { width } else { 0 }];
        let r: &mut [f64] = if W == 0 { &mut any } else { &mut fixed[..width] };
        for u in range {
            r.copy_from_slice(&tables.shares[..width]);
            for &code in &rows.codes[u * jc..(u + 1) * jc] {
                let row = &tables.probabilities[code as usize * width..][..width];
                for (product, probability) in r.iter_mut().zip(row) {
                    *product *= probability;
                }
            }
            let mut sum: f64 = r.iter().sum();
            let log_likelihood = if jn == 0 && sum > SMALLEST_PRODUCT {
                ln(sum)
            } else {
                let r = &mut r[..k];
                self.log_joint(parameters, u, r);
                let largest = r.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
                r.iter_mut().for_each(|value| *value = (*value - largest).exp());
                sum = r.iter().sum();
                largest + sum.ln()
            };
            let scale = 1.0 / sum;
            r.iter_mut().for_each(|value| *value *= scale);
            visit.row::<W>(u, r, log_likelihood);
        }
    }

    /// Logarithms of the joint probability of row `u` and each class.
    #[inline(never)]
    fn log_joint(&self, parameters: &ClassParameters, u: usize, r: &mut [f64]) {
        let k = r.len();
        let (jc, jn) = widths(self.records.items());
        let rows = &self.records.rows;
        let log = |p: f64| p.max(SMALLEST).ln();
        r.iter_mut().zip(&parameters.shares).for_each(|(sum, &share)| *sum = log(share));
        for &code in &rows.codes[u * jc..(u + 1) * jc] {
            // A missing answer has no row.
            let row = parameters.probabilities.chunks_exact(k).nth(code as usize);
            for (sum, &probability) in r.iter_mut().zip(row.into_iter().flatten()) {
                *sum += log(probability);
            }
        }
        for (l, &x) in rows.values[u * jn..(u + 1) * jn].iter().enumerate() {
            if !x.is_nan() {
                for (j, sum) in r.iter_mut().enumerate() {
                    let (c, v) = (parameters.centres[l * k + j], parameters.variances[l * k + j]);
                    *sum += self.laws[l].log_density(x, c, v);
                }
            }
        }
    }
}

fn add_numeric(sums: &mut [[f64; 3]], values: &[f64], r: &[f64], weight: f64) {
    for (own, &x) in sums.chunks_exact_mut(r.len()).zip(values).filter(|(_, x)| !x.is_nan()) {
        for (sum, value) in own.iter_mut().zip(r) {
            let mass = weight * value;
            add_all(sum, &[mass, mass * x, mass * x * x]);
        }
    }
}
