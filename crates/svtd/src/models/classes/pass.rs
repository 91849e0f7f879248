//! One pass over the patterns: the responsibilities of each, and functions of them.
//!
//! Probabilities of answers are multiplied. For rows whose products underflow, and for those with numeric items,
//! logarithms are added instead.

use std::ops::Range;

use pulp::Arch;

use super::data::Records;
use super::items::widths;
use super::model::{ClassModel, add_all};
use super::parameters::{ClassParameters, SMALLEST, Tables};
use crate::logarithm::logarithms;

/// A likelihood above this is a sum of products without relevant underflow.
const SMALLEST_PRODUCT: f64 = 1e-200;

/// Number of rows whose logarithms are taken together.
const ROWS: usize = 64;

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

/// What a pass does with the rows.
pub(super) trait Visit {
    /// Row `u` and the responsibilities of its classes, followed by zeros; they may be overwritten.
    fn row(&mut self, u: usize, r: &mut impl Lanes);

    /// The log-likelihoods of the rows from `first` on.
    fn log_likelihoods(&mut self, first: usize, values: &[f64]);
}

/// Calls a function with the responsibilities of every row.
pub(super) struct EachRow<F>(pub(super) F);

impl<F: FnMut(usize, &[f64])> Visit for EachRow<F> {
    #[inline(always)]
    fn row(&mut self, u: usize, r: &mut impl Lanes) {
        self.0(u, r.as_slice());
    }

    fn log_likelihoods(&mut self, _: usize, _: &[f64]) {}
}

/// Calls a function with the log-likelihoods of consecutive rows, and the number of the first.
pub(super) struct LogLikelihoods<F>(pub(super) F);

impl<F: FnMut(usize, &[f64])> Visit for LogLikelihoods<F> {
    #[inline(always)]
    fn row(&mut self, _: usize, _: &mut impl Lanes) {}

    fn log_likelihoods(&mut self, first: usize, values: &[f64]) {
        self.0(first, values);
    }
}

/// Adds rows to the sums of an M step, whose classes may be followed by empty ones.
pub(super) struct Adding<'a> {
    records: &'a Records,
    sums: &'a mut Sums,
    /// Numbers of categorical and of numeric items.
    widths: (usize, usize),
}

impl<'a> Adding<'a> {
    pub(super) fn new(records: &'a Records, sums: &'a mut Sums) -> Self {
        Self { records, sums, widths: widths(records.items()) }
    }
}

impl Visit for Adding<'_> {
    #[inline(always)]
    fn row(&mut self, u: usize, r: &mut impl Lanes) {
        let k = r.width();
        let (jc, jn) = self.widths;
        let (rows, weight) = (&self.records.rows, self.records.weights()[u]);
        r.scale(weight);
        r.add_to(&mut self.sums.shares);
        let counts = self.sums.counts.as_mut_slice();
        for &code in &rows.codes[u * jc..(u + 1) * jc] {
            r.add_to(&mut counts[code as usize * k..]);
        }
        if jn > 0 {
            let values = &rows.values[u * jn..(u + 1) * jn];
            add_numeric(&mut self.sums.numeric, values, r.clone().as_slice());
        }
    }

    fn log_likelihoods(&mut self, first: usize, values: &[f64]) {
        for (value, weight) in values.iter().zip(&self.records.weights()[first..]) {
            self.sums.log_likelihood += weight * value;
        }
    }
}

impl ClassModel {
    /// Passes the responsibilities and log-likelihoods of the rows in `range` to `visit`.
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
                1 => self.pass_of([0.0; 1], parameters, tables, range, visit),
                2 => self.pass_of([0.0; 2], parameters, tables, range, visit),
                4 => self.pass_of([0.0; 4], parameters, tables, range, visit),
                8 => self.pass_of([0.0; 8], parameters, tables, range, visit),
                width => self.pass_of(vec![0.0; width], parameters, tables, range, visit),
            },
        );
    }

    /// The pass with one number per class in lanes like `r`.
    #[inline(always)]
    fn pass_of<L: Lanes>(
        &self,
        mut r: L,
        parameters: &ClassParameters,
        tables: &Tables,
        range: Range<usize>,
        mut visit: impl Visit,
    ) {
        let (k, width) = (parameters.n_classes(), r.width());
        let (jc, jn) = widths(self.records.items());
        let codes = self.records.rows.codes.as_slice();
        let (shares, probabilities) = (tables.shares.as_slice(), tables.probabilities.as_slice());
        let mut joint = vec![0.0; k];
        // The likelihood of a row is `sum` times the exponential of `shift`; logarithms are taken of many at once.
        let (mut sums, mut shifts) = ([0.0; ROWS], [0.0; ROWS]);
        for first in range.clone().step_by(ROWS) {
            let rows_here = first..(first + ROWS).min(range.end);
            for (u, (sum, shift)) in rows_here.clone().zip(sums.iter_mut().zip(&mut shifts)) {
                r.set(shares);
                for &code in &codes[u * jc..(u + 1) * jc] {
                    r.multiply(&probabilities[code as usize * width..]);
                }
                (*sum, *shift) = (r.total(), 0.0);
                if jn > 0 || *sum <= SMALLEST_PRODUCT {
                    *shift = self.joint(parameters, u, &mut joint);
                    r.set(&joint);
                    *sum = r.total();
                }
                r.scale(1.0 / *sum);
                visit.row(u, &mut r);
            }
            let values = &mut sums[..rows_here.len()];
            logarithms(values);
            values.iter_mut().zip(&shifts).for_each(|(value, shift)| *value += shift);
            visit.log_likelihoods(first, values);
        }
    }

    /// Joint probabilities of row `u` and each class, by logarithms, divided by the largest of them; returns the
    /// logarithm of the largest.
    #[inline(never)]
    fn joint(&self, parameters: &ClassParameters, u: usize, r: &mut [f64]) -> f64 {
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
        let largest = r.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        r.iter_mut().for_each(|value| *value = (*value - largest).exp());
        largest
    }
}

/// One number per class: an array, which stays in the registers of the processor, or a vector of any length.
pub(super) trait Lanes: Clone {
    fn width(&self) -> usize;
    fn as_slice(&self) -> &[f64];
    /// Copies the first numbers of `values`, padded with zeros.
    fn set(&mut self, values: &[f64]);
    /// Multiplies by the first numbers of `values`.
    fn multiply(&mut self, values: &[f64]);
    /// Adds to the first numbers of `sums`.
    fn add_to(&self, sums: &mut [f64]);
    fn scale(&mut self, by: f64);
    fn total(&self) -> f64;
}

impl<const W: usize> Lanes for [f64; W] {
    #[inline(always)]
    fn width(&self) -> usize {
        W
    }

    #[inline(always)]
    fn as_slice(&self) -> &[f64] {
        self
    }

    #[inline(always)]
    fn set(&mut self, values: &[f64]) {
        *self = match values.first_chunk() {
            Some(all) => *all,
            None => std::array::from_fn(|j| values.get(j).copied().unwrap_or(0.0)),
        };
    }

    #[inline(always)]
    fn multiply(&mut self, values: &[f64]) {
        let values = &values[..W];
        *self = std::array::from_fn(|j| self[j] * values[j]);
    }

    #[inline(always)]
    fn add_to(&self, sums: &mut [f64]) {
        let sums = &mut sums[..W];
        let added: [f64; W] = std::array::from_fn(|j| sums[j] + self[j]);
        sums.copy_from_slice(&added);
    }

    #[inline(always)]
    fn scale(&mut self, by: f64) {
        *self = self.map(|own| own * by);
    }

    /// Adds by halves, which takes fewer dependent steps than adding one after the other.
    #[inline(always)]
    fn total(&self) -> f64 {
        let mut sums = *self;
        let mut half = W / 2;
        while half > 0 {
            for j in 0..half {
                sums[j] += sums[j + half];
            }
            half /= 2;
        }
        sums[0]
    }
}

impl Lanes for Vec<f64> {
    fn width(&self) -> usize {
        self.len()
    }

    fn as_slice(&self) -> &[f64] {
        self
    }

    fn set(&mut self, values: &[f64]) {
        self.fill(0.0);
        self.iter_mut().zip(values).for_each(|(own, value)| *own = *value);
    }

    #[inline(always)]
    fn multiply(&mut self, values: &[f64]) {
        let values = &values[..self.len()];
        self.iter_mut().zip(values).for_each(|(own, value)| *own *= value);
    }

    #[inline(always)]
    fn add_to(&self, sums: &mut [f64]) {
        let sums = &mut sums[..self.len()];
        sums.iter_mut().zip(self).for_each(|(sum, own)| *sum += own);
    }

    #[inline(always)]
    fn scale(&mut self, by: f64) {
        self.iter_mut().for_each(|own| *own *= by);
    }

    #[inline(always)]
    fn total(&self) -> f64 {
        self.iter().sum()
    }
}

/// Adds to the sums of numeric items; `r` are responsibilities times the weight of the row.
#[inline(never)]
fn add_numeric(sums: &mut [[f64; 3]], values: &[f64], r: &[f64]) {
    for (own, &x) in sums.chunks_exact_mut(r.len()).zip(values).filter(|(_, x)| !x.is_nan()) {
        for (sum, mass) in own.iter_mut().zip(r) {
            add_all(sum, &[*mass, mass * x, mass * x * x]);
        }
    }
}
