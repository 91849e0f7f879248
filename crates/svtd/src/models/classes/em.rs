//! EM for latent classes: one pass over the distinct patterns a step.
//!
//! ```text
//! E:  L_uj = omega_j * product over observed items of p_(x_ub) j;   R = L by rows, made to sum to one
//! M:  p_ij = (sum_u w_u R_uj [x_ui = 1] + a M1_i) / (sum over the item's categories)
//! F = sum_u w_u log sum_j L_uj + a sum_ij M1_i log p_ij
//! ```
//!
//! `M1_i` is the observed frequency of category `i` within its item, `a` the prior: one record with average answers
//! for every class (`a = 0`: maximum likelihood). A missing answer adds nothing. Counts are Poisson and real
//! numbers normal within a class, with the same prior record; a variance never falls below [`VARIANCE_FLOOR`] of
//! the item's.
//!
//! # Cost
//! `U (J k)` products and sums and `U` logarithms a step, for `U` patterns and `J` items; with numeric items `U k`
//! exponentials as well.

use std::ops::Range;

use super::items::widths;
use super::model::{ClassModel, normalise_within};
use super::parameters::{ClassParameters, Law, Tables};
use super::pass::{Adding, EachRow, LogLikelihoods, Sums, Visit};
use crate::linalg::Matrix;
use crate::models::engine::{LatentModel, Reach, by_blocks};

/// Number of patterns in one task.
const BLOCK: usize = 1024;

/// The smallest variance of a real item within a class, relative to its variance over all records.
const VARIANCE_FLOOR: f64 = 1e-3;

/// With more patterns than this the search uses a part of them, of this size.
const MANY_PATTERNS: usize = 16_000;
const PART_OF_MANY: usize = 6_000;

/// Moves up and down of latent classes, chosen on 440 drawn sets (`benches/record/classes.md`).
const REACH: Reach = Reach {
    glance: 3,
    look: 12,
    kept_splits: 4,
    kept_merges: 4,
    settle: 30,
    up_then_down: 3,
    down_then_up: 4,
    origins: 3,
};

impl ClassModel {
    fn sums(&self, parameters: &ClassParameters) -> Sums {
        let tables = Tables::new(parameters);
        let (n, width) = (self.records.n_categories(), tables.width);
        let (_, jn) = widths(self.records.items());
        let part = |range: Range<usize>| {
            let mut sums = Sums::zeros(n, jn, width);
            let adding = Adding::new(&self.records, &mut sums);
            self.pass(parameters, &tables, range, adding);
            sums
        };
        by_blocks(self.records.n_patterns(), BLOCK, part, Sums::add)
            .unwrap_or_else(|| Sums::zeros(n, jn, width))
            .of_first(parameters.n_classes())
    }

    /// The M step from given sums, with the prior `a`; `pseudo` records are added to every share.
    fn maximise(&self, sums: &Sums, prior: f64, pseudo: f64) -> ClassParameters {
        let k = sums.shares.len();
        let total: f64 = sums.shares.iter().sum::<f64>() + pseudo * k as f64;
        let shares = sums.shares.iter().map(|mass| (mass + pseudo) / total).collect();
        let n = self.records.n_categories();
        let mut probabilities = sums.counts[..n * k].to_vec();
        for (row, frequency) in probabilities.chunks_exact_mut(k).zip(&self.frequencies) {
            row.iter_mut().for_each(|count| *count += prior * frequency);
        }
        normalise_within(&mut probabilities, self.records.offsets(), k, Some(&self.frequencies));
        let mut centres = Vec::with_capacity(sums.numeric.len());
        let mut variances = Vec::with_capacity(sums.numeric.len());
        for (place, [mass, sum, squares]) in sums.numeric.iter().enumerate() {
            let (law, (mean, variance)) = (self.laws[place / k], self.spreads[place / k]);
            let empty = *mass <= f64::MIN_POSITIVE && prior == 0.0;
            let (centre, own) = match law {
                _ if empty => (mean, variance),
                Law::Poisson => ((sum + prior * mean) / (mass + prior), 1.0),
                Law::Normal => {
                    let centre = sum / mass.max(f64::MIN_POSITIVE);
                    let about = (squares - mass * centre * centre).max(0.0);
                    let own = (about + prior * variance) / (mass + prior);
                    (centre, own.max(VARIANCE_FLOOR * variance))
                }
            };
            centres.push(centre);
            variances.push(own);
        }
        ClassParameters { shares, probabilities, centres, variances }
    }

    /// The logarithm of the prior.
    fn log_prior(&self, parameters: &ClassParameters) -> f64 {
        if self.prior == 0.0 {
            return 0.0;
        }
        let k = parameters.n_classes();
        let rows = parameters.probabilities.chunks_exact(k).zip(&self.frequencies);
        let categorical: f64 =
            rows.map(|(row, m1)| m1 * row.iter().map(|p| p.max(1e-300).ln()).sum::<f64>()).sum();
        let numeric = (0..parameters.centres.len()).map(|place| {
            let (mean, variance) = self.spreads[place / k];
            let (centre, own) = (parameters.centres[place], parameters.variances[place]);
            match self.laws[place / k] {
                Law::Poisson => mean * centre.max(1e-300).ln() - centre,
                Law::Normal => -0.5 * (own.ln() + variance / own),
            }
        });
        self.prior * (categorical + numeric.sum::<f64>())
    }

    /// Log-likelihood of every pattern.
    pub(super) fn pattern_log_likelihoods(&self, parameters: &ClassParameters) -> Vec<f64> {
        let tables = Tables::new(parameters);
        let mut all = Vec::with_capacity(self.records.n_patterns());
        self.pass(
            parameters,
            &tables,
            0..self.records.n_patterns(),
            LogLikelihoods(|_: usize, values: &[f64]| all.extend_from_slice(values)),
        );
        all
    }
}

impl LatentModel for ClassModel {
    type Parameters = ClassParameters;

    fn n_rows(&self) -> usize {
        self.records.n_patterns()
    }

    fn n_components(&self, parameters: &ClassParameters) -> usize {
        parameters.n_classes()
    }

    fn step(&self, parameters: &ClassParameters) -> (ClassParameters, f64) {
        let sums = self.sums(parameters);
        let objective = sums.log_likelihood - self.log_scale + self.log_prior(parameters);
        (self.maximise(&sums, self.prior, 0.0), objective)
    }

    fn objective(&self, parameters: &ClassParameters) -> f64 {
        self.log_likelihood(parameters) + self.log_prior(parameters)
    }

    fn log_likelihood(&self, parameters: &ClassParameters) -> f64 {
        let tables = Tables::new(parameters);
        let weights = self.records.weights();
        let part = |range: Range<usize>| {
            let mut sum = 0.0;
            let add = |first: usize, values: &[f64]| {
                values
                    .iter()
                    .zip(&weights[first..])
                    .for_each(|(value, weight)| sum += weight * value);
            };
            self.pass(parameters, &tables, range, LogLikelihoods(add));
            sum
        };
        let sum = by_blocks(self.records.n_patterns(), BLOCK, part, |sum, more| *sum += more);
        sum.unwrap_or(0.0) - self.log_scale
    }

    fn n_free_parameters(&self, k: usize) -> usize {
        let (jc, _) = widths(self.records.items());
        let numeric: usize =
            self.laws.iter().map(|law| if *law == Law::Normal { 2 } else { 1 }).sum();
        k - 1 + k * (self.records.n_categories() - jc + numeric)
    }

    fn responsibilities(&self, parameters: &ClassParameters) -> Matrix {
        let tables = Tables::new(parameters);
        let (n, k) = (self.records.n_patterns(), parameters.n_classes());
        let part = |range: Range<usize>| {
            let mut rows = Vec::with_capacity(range.len() * k);
            let keep = |_: usize, r: &[f64]| rows.extend_from_slice(&r[..k]);
            self.pass(parameters, &tables, range, EachRow(keep));
            rows
        };
        let rows = by_blocks(n, BLOCK, part, |all, more| all.extend(more)).unwrap_or_default();
        Matrix::from_columns(k, n, rows).transpose()
    }

    fn row_weights(&self) -> Option<&[f64]> {
        Some(self.records.weights())
    }

    fn parameters_from(&self, responsibilities: &Matrix) -> ClassParameters {
        let (n, k) = (self.records.n_categories(), responsibilities.n_columns());
        let (_, jn) = widths(self.records.items());
        let by_rows = responsibilities.transpose();
        let part = |range: Range<usize>| {
            let mut sums = Sums::zeros(n, jn, k);
            let mut adding = Adding::new(&self.records, &mut sums);
            let mut row = vec![0.0; k];
            range.for_each(|u| {
                row.copy_from_slice(by_rows.column(u));
                adding.row(u, &mut row);
            });
            sums
        };
        let sums = by_blocks(self.records.n_patterns(), BLOCK, part, Sums::add);
        self.maximise(&sums.unwrap_or_else(|| Sums::zeros(n, jn, k)), 1.0, 1.0)
    }

    fn cuts(
        &self,
        parameters: &ClassParameters,
        responsibilities: &Matrix,
        c: usize,
    ) -> Vec<Vec<f64>> {
        vec![self.cut_score(parameters, responsibilities.column(c), c)]
    }

    fn starts(&self, k: usize) -> Vec<(&'static str, ClassParameters)> {
        self.own_starts(k)
    }

    fn flatten(&self, parameters: &ClassParameters) -> Vec<f64> {
        let ClassParameters { shares, probabilities, centres, variances } = parameters;
        [shares, probabilities, centres, variances].into_iter().flatten().copied().collect()
    }

    fn project(&self, flat: &[f64], safe: &ClassParameters) -> ClassParameters {
        let k = safe.n_classes();
        let mended = |x: f64, safe: f64| if x > 0.0 { x } else { safe / 10.0 };
        let (shares, rest) = flat.split_at(k);
        let (probabilities, rest) = rest.split_at(safe.probabilities.len());
        let (centres, variances) = rest.split_at(safe.centres.len());
        let zipped = |values: &[f64], safe: &[f64]| -> Vec<f64> {
            values.iter().zip(safe).map(|(&x, &s)| mended(x, s)).collect()
        };
        let mut shares = zipped(shares, &safe.shares);
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        let mut probabilities = zipped(probabilities, &safe.probabilities);
        normalise_within(&mut probabilities, self.records.offsets(), k, Some(&self.frequencies));
        let centre = |(place, (&x, &s)): (usize, (&f64, &f64))| match self.laws[place / k] {
            Law::Poisson => mended(x, s),
            Law::Normal => x,
        };
        let centres = centres.iter().zip(&safe.centres).enumerate().map(centre).collect();
        let variances =
            variances.iter().zip(&safe.variances).map(|(x, s)| x.max(s / 10.0)).collect();
        ClassParameters { shares, probabilities, centres, variances }
    }

    fn reach(&self) -> Reach {
        REACH
    }

    fn coarse(&self) -> Option<Self> {
        let n = self.records.n_patterns();
        (n > MANY_PATTERNS).then(|| Self::new(self.records.thinned(n / PART_OF_MANY), self.prior))
    }
}
