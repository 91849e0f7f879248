//! Distinct observations, their likelihoods, and emission parameters from weights of states.
//!
//! Symbols and counts repeat: likelihoods are computed once for every distinct observation, and
//! the M step sums over distinct observations. Real numbers hardly repeat; there every step is
//! its own.

use std::collections::HashMap;

use super::chain::{Chain, Layout};
use super::forward_backward::Likelihoods;
use super::sequences::{Emissions, Sequences};

/// The smallest variance of a state, relative to that of the variable.
const LEAST_VARIANCE: f64 = 1e-3;

/// A state with a smaller sum of weights than this keeps the overall distribution.
const NOTHING: f64 = 1e-10;

/// Steps as codes of distinct observations.
#[derive(Clone, Debug)]
pub(super) struct Observations {
    pub(super) layout: Layout,
    /// The observation of every step.
    pub(super) codes: Vec<u32>,
    /// Whether every step has its own observation, in order.
    pub(super) own: bool,
    /// Distinct observations, row after row; numbers standardised.
    pub(super) rows: Vec<f64>,
    /// The part of each row's log-likelihood that does not depend on parameters.
    base: Vec<f64>,
    /// The overall distribution: frequencies of categories or symbols, mean counts; means and variances of
    /// standardised numbers are 0 and 1.
    pub(super) overall: Vec<f64>,
    /// Mean and standard deviation of each real variable.
    pub(super) units: Vec<(f64, f64)>,
}

/// Quantities that depend only on the training data, shared by every part of it.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) layout: Layout,
    pub(super) overall: Vec<f64>,
    pub(super) units: Vec<(f64, f64)>,
}

impl Reference {
    /// The overall distribution of sequences.
    pub(super) fn of(sequences: &Sequences) -> Self {
        let d = sequences.n_variables();
        let layout = Layout::new(sequences.emissions(), d, sequences.categories());
        let mut overall = vec![0.0; layout.width()];
        let mut units = vec![(0.0, 1.0); d];
        for v in 0..d {
            let observed: Vec<f64> = sequences.variable(v).filter(|x| !x.is_nan()).collect();
            let n = observed.len().max(1) as f64;
            let mean = observed.iter().sum::<f64>() / n;
            match layout.emissions {
                Emissions::Categorical => {
                    observed
                        .iter()
                        .for_each(|&x| overall[layout.offsets[v] + x as usize] += 1.0 / n);
                }
                Emissions::Poisson | Emissions::Multinomial => overall[v] = mean,
                Emissions::Gaussian => {
                    let variance = observed.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
                    units[v] = (mean, variance.sqrt().max(f64::MIN_POSITIVE));
                    overall[d + v] = 1.0;
                }
            }
        }
        if layout.emissions == Emissions::Multinomial {
            let total: f64 = overall.iter().sum();
            overall.iter_mut().for_each(|x| *x /= total.max(f64::MIN_POSITIVE));
        }
        Self { layout, overall, units }
    }
}

impl Observations {
    /// The observations of sequences, in the units of a reference.
    pub(super) fn new(sequences: &Sequences, reference: &Reference) -> Self {
        let layout = reference.layout.clone();
        let n = sequences.n_steps();
        let place = |t: usize| -> Vec<f64> {
            let units = sequences.step(t).iter().zip(&reference.units);
            units.map(|(x, (mean, deviation))| (x - mean) / deviation).collect()
        };
        let own = layout.emissions == Emissions::Gaussian;
        let (mut codes, mut rows) = (Vec::with_capacity(n), Vec::new());
        if own {
            codes.extend(0..n as u32);
            rows.extend((0..n).flat_map(place));
        } else {
            let mut seen: HashMap<Vec<u64>, u32> = HashMap::new();
            for t in 0..n {
                let row = sequences.step(t);
                let key = row.iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() });
                let next = seen.len() as u32;
                let code = *seen.entry(key.collect()).or_insert_with(|| {
                    rows.extend_from_slice(row);
                    next
                });
                codes.push(code);
            }
        }
        let base = rows.chunks_exact(layout.d).map(|row| base(&layout, row, &reference.units));
        Self {
            base: base.collect(),
            layout,
            codes,
            own,
            rows,
            overall: reference.overall.clone(),
            units: reference.units.clone(),
        }
    }

    /// Number of distinct observations.
    pub(super) fn n_rows(&self) -> usize {
        self.base.len()
    }

    /// A distinct observation.
    pub(super) fn row(&self, u: usize) -> &[f64] {
        &self.rows[u * self.layout.d..(u + 1) * self.layout.d]
    }

    /// Likelihoods of all distinct observations under all states.
    pub(super) fn likelihoods(&self, chain: &Chain) -> Likelihoods {
        let k = chain.k;
        let tables: Vec<Vec<f64>> = (0..k).map(|j| self.table(chain.emission(j))).collect();
        let mut scaled = vec![0.0; self.n_rows() * k];
        let mut log_scale = Vec::with_capacity(self.n_rows());
        for (u, target) in scaled.chunks_exact_mut(k).enumerate() {
            let row = self.row(u);
            let mut top = f64::NEG_INFINITY;
            for (value, table) in target.iter_mut().zip(&tables) {
                *value = self.log_likelihood(row, table);
                top = top.max(*value);
            }
            target.iter_mut().for_each(|x| *x = (*x - top).exp());
            log_scale.push(top + self.base[u]);
        }
        Likelihoods { scaled, log_scale }
    }

    /// Logarithms, or inverse variances, of a state's emission parameters.
    fn table(&self, emission: &[f64]) -> Vec<f64> {
        let d = self.layout.d;
        let log = |x: &f64| x.max(1e-300).ln();
        match self.layout.emissions {
            Emissions::Categorical | Emissions::Multinomial => emission.iter().map(log).collect(),
            Emissions::Poisson => emission.iter().flat_map(|x| [log(x), *x]).collect(),
            Emissions::Gaussian => {
                let pairs = (0..d).flat_map(|v| {
                    let variance = emission[d + v];
                    [emission[v], 0.5 / variance, 0.5 * variance.ln()]
                });
                pairs.collect()
            }
        }
    }

    #[inline(always)]
    fn log_likelihood(&self, row: &[f64], table: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (v, &x) in row.iter().enumerate() {
            if x.is_nan() {
                continue;
            }
            sum += match self.layout.emissions {
                Emissions::Categorical => table[self.layout.offsets[v] + x as usize],
                Emissions::Multinomial => x * table[v],
                Emissions::Poisson => x * table[2 * v] - table[2 * v + 1],
                Emissions::Gaussian => {
                    let y = x - table[3 * v];
                    -y * y * table[3 * v + 1] - table[3 * v + 2]
                }
            };
        }
        sum
    }

    /// Emission parameters of all states from the weights of states on distinct observations,
    /// with `a` records of the overall law.
    pub(super) fn maximise(&self, weights: &[f64], chain: &mut Chain, a: f64) {
        let (k, d) = (chain.k, self.layout.d);
        match self.layout.emissions {
            Emissions::Categorical | Emissions::Multinomial => {
                let mut counts = vec![0.0; k * self.layout.width()];
                self.count(weights, k, &mut counts);
                for j in 0..k {
                    let own = &counts[j * self.layout.width()..(j + 1) * self.layout.width()];
                    for law in self.layout.laws() {
                        let total: f64 = own[law.clone()].iter().sum::<f64>() + a;
                        for c in law {
                            chain.emission_mut(j)[c] = if total > NOTHING {
                                (own[c] + a * self.overall[c]) / total
                            } else {
                                self.overall[c]
                            };
                        }
                    }
                }
            }
            Emissions::Poisson | Emissions::Gaussian => {
                let (totals, firsts) = self.first_sums(weights, k);
                for j in 0..k {
                    for v in 0..d {
                        let (n, s) = (totals[j * d + v], firsts[j * d + v]);
                        chain.emission_mut(j)[v] = match self.layout.emissions {
                            Emissions::Poisson if n + a > NOTHING => {
                                (s + a * self.overall[v]) / (n + a)
                            }
                            Emissions::Gaussian if n > NOTHING => s / n,
                            _ => self.overall[v],
                        };
                    }
                }
                if self.layout.emissions == Emissions::Gaussian {
                    self.maximise_variances(weights, &totals, chain, a);
                }
            }
        }
    }

    fn count(&self, weights: &[f64], k: usize, counts: &mut [f64]) {
        let width = self.layout.width();
        for (u, own) in weights.chunks_exact(k).enumerate() {
            for (v, &x) in self.row(u).iter().enumerate() {
                if x.is_nan() {
                    continue;
                }
                let (place, factor) = match self.layout.emissions {
                    Emissions::Categorical => (self.layout.offsets[v] + x as usize, 1.0),
                    _ => (v, x),
                };
                for (j, w) in own.iter().enumerate() {
                    counts[j * width + place] += w * factor;
                }
            }
        }
    }

    /// Sums of weights, and of weights times values, by state and variable.
    fn first_sums(&self, weights: &[f64], k: usize) -> (Vec<f64>, Vec<f64>) {
        let d = self.layout.d;
        let (mut totals, mut firsts) = (vec![0.0; k * d], vec![0.0; k * d]);
        for (u, own) in weights.chunks_exact(k).enumerate() {
            for (v, &x) in self.row(u).iter().enumerate() {
                if !x.is_nan() {
                    for (j, w) in own.iter().enumerate() {
                        totals[j * d + v] += w;
                        firsts[j * d + v] += w * x;
                    }
                }
            }
        }
        (totals, firsts)
    }

    fn maximise_variances(&self, weights: &[f64], totals: &[f64], chain: &mut Chain, a: f64) {
        let (k, d) = (chain.k, self.layout.d);
        let means: Vec<f64> = (0..k).flat_map(|j| chain.emission(j)[..d].to_vec()).collect();
        let mut squares = vec![0.0; k * d];
        for (u, own) in weights.chunks_exact(k).enumerate() {
            for (v, &x) in self.row(u).iter().enumerate() {
                if !x.is_nan() {
                    for (j, w) in own.iter().enumerate() {
                        squares[j * d + v] += w * (x - means[j * d + v]).powi(2);
                    }
                }
            }
        }
        for j in 0..k {
            for v in 0..d {
                let divisor = totals[j * d + v] + a;
                let variance =
                    if divisor > NOTHING { (squares[j * d + v] + a) / divisor } else { 1.0 };
                chain.emission_mut(j)[d + v] = variance.max(LEAST_VARIANCE);
            }
        }
    }

    /// The logarithm of the prior on emissions, for `a` records of the overall law.
    pub(super) fn log_prior(&self, chain: &Chain, a: f64) -> f64 {
        if a == 0.0 {
            return 0.0;
        }
        let d = self.layout.d;
        let log = |x: f64| x.max(1e-300).ln();
        let of = |emission: &[f64]| -> f64 {
            let overall = self.overall.iter();
            match self.layout.emissions {
                Emissions::Categorical | Emissions::Multinomial => {
                    overall.zip(emission).map(|(m, b)| m * log(*b)).sum()
                }
                Emissions::Poisson => overall.zip(emission).map(|(m, l)| m * log(*l) - l).sum(),
                Emissions::Gaussian => {
                    emission[d..].iter().map(|v| -0.5 * (v.ln() + 1.0 / v)).sum()
                }
            }
        };
        a * (0..chain.k).map(|j| of(chain.emission(j))).sum::<f64>()
    }
}

/// The part of an observation's log-likelihood that does not depend on parameters.
fn base(layout: &Layout, row: &[f64], units: &[(f64, f64)]) -> f64 {
    let observed = || row.iter().zip(units).filter(|(x, _)| !x.is_nan());
    match layout.emissions {
        Emissions::Categorical => 0.0,
        Emissions::Poisson => -observed().map(|(x, _)| log_factorial(*x)).sum::<f64>(),
        Emissions::Multinomial => {
            let total: f64 = observed().map(|(x, _)| x).sum();
            log_factorial(total) - observed().map(|(x, _)| log_factorial(*x)).sum::<f64>()
        }
        Emissions::Gaussian => {
            let log_root = 0.5 * (2.0 * std::f64::consts::PI).ln();
            -observed().map(|(_, (_, deviation))| log_root + deviation.ln()).sum::<f64>()
        }
    }
}

/// `log x!` for a whole number: a sum for small ones, Stirling's series beyond.
fn log_factorial(x: f64) -> f64 {
    if x < 32.0 {
        return (2..=x as u64).map(|i| (i as f64).ln()).sum();
    }
    let z = x + 1.0;
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_factorials_join_smoothly() {
        let direct = |x: u64| (2..=x).map(|i| (i as f64).ln()).sum::<f64>();
        for x in [0, 1, 5, 31, 32, 33, 60, 170] {
            assert!((log_factorial(x as f64) - direct(x)).abs() < 1e-11 * direct(x).max(1.0));
        }
    }
}
