//! One step of EM, with a light prior on the covariances.
//!
//! ```text
//! E  R_uj = omega_j N(x_u; mu_j, Sigma_j) / sum over j
//! M  mu_j = sum_u R_uj x_u / n_j,   Sigma_j = (S_j + nu lam C) / (n_j + nu),   lam = k^(-2/d)
//! F  = loglik - nu/2 sum_j ( log|Sigma_j| + lam trace(Sigma_j^-1 C) )
//! ```
//!
//! With the prior the objective stays bounded when a component shrinks onto one record. Missing values: where
//! variables may be correlated, a missing value is replaced by its conditional mean and its conditional covariance
//! is added to `S_j`; otherwise only observed values are counted.
//!
//! # Cost
//! `N k d^2` for matrices, `N k d` otherwise; one pass makes the E step, the sums of the M step
//! and `F` at the parameters it started from.

use pulp::Arch;

use super::blocks::WIDTH;
use super::density::{Density, density};
use super::factor::{between_factors, log_diagonal, lower_factor, trace_of_quotient};
use super::kernels::{Accumulate, Sums, Workspace, weighted_sum};
use super::problem::Problem;
use super::shape::{Covariance, Mixture};
use crate::linalg::{Matrix, symmetric_eigen};

/// The smallest variance of a component, relative to the total, where no prior bounds it.
pub(super) const LEAST_VARIANCE: f64 = 1e-6;

/// A component with a smaller sum of responsibilities than this keeps its mean.
const NOTHING: f64 = 1e-10;

/// The result of a pass over the records.
pub(super) struct Pass {
    /// Log-likelihood, in the coordinates of the fit.
    pub(super) log_likelihood: f64,
    sums: Vec<Sums>,
}

impl Problem {
    /// The scale of the prior, `lam = k^(-2/d)`.
    fn prior_scale(&self, k: usize) -> f64 {
        (k as f64).powf(-2.0 / self.blocks.n_variables as f64)
    }

    /// One EM step: the next parameters, and `F` at the present ones.
    pub(super) fn step(&self, mixture: &Mixture) -> (Mixture, f64) {
        let pass = self.pass(mixture, None);
        let objective = pass.log_likelihood + self.log_prior(mixture);
        (self.maximised(mixture, &pass.sums, self.nu, 0.0), objective)
    }

    /// `F` and the log-likelihood at these parameters.
    pub(super) fn objective(&self, mixture: &Mixture) -> (f64, f64) {
        let log_likelihood = self.pass(mixture, None).log_likelihood;
        (log_likelihood + self.log_prior(mixture), log_likelihood)
    }

    /// Responsibilities, record by component, in the order of the blocks, and the log density of every record.
    pub(super) fn responsibilities(&self, mixture: &Mixture) -> (Matrix, Vec<f64>) {
        let n = self.blocks.n_records();
        let densities = self.densities(mixture);
        let parts = self.blocks.by_task(|blocks| {
            let mut work = Workspace::new(mixture);
            let mut rows = Vec::new();
            for block in blocks {
                work.expect(mixture, &densities[block.pattern], block, self);
                rows.push((block.first, block.len, work.posterior.clone(), work.log_density));
            }
            rows
        });
        let mut posterior = Matrix::zeros(n, mixture.k);
        let mut log_densities = vec![0.0; n];
        for (first, len, values, density) in parts.into_iter().flatten() {
            for j in 0..mixture.k {
                posterior.column_mut(j)[first..first + len]
                    .copy_from_slice(&values[j * WIDTH..j * WIDTH + len]);
            }
            log_densities[first..first + len].copy_from_slice(&density[..len]);
        }
        (posterior, log_densities)
    }

    /// Parameters from responsibilities, with a pseudo-record in every component so that none is
    /// degenerate. Missing values count as the overall mean.
    pub(super) fn of_responsibilities(&self, posterior: &Matrix) -> Mixture {
        let k = posterior.n_columns();
        let mut rough = self.single();
        if k > 1 {
            let one = rough.clone();
            rough = Mixture::zeros(self.covariance, k, one.d);
            for j in 0..k {
                rough.weights_mut()[j] = 1.0 / k as f64;
                rough.mean_mut(j).copy_from_slice(one.mean(0));
                rough.spread_mut(j).copy_from_slice(one.spread(0));
            }
        }
        let pass = self.pass(&rough, Some(posterior));
        self.maximised(&rough, &pass.sums, self.nu.max(1.0), 1.0)
    }

    /// One component with the moments of all records; if values are missing, the prior matrix is used as their
    /// covariance.
    pub(super) fn single(&self) -> Mixture {
        let d = self.blocks.n_variables;
        let mut mixture = Mixture::zeros(self.covariance, 1, d);
        mixture.weights_mut()[0] = 1.0;
        let spread = mixture.spread_mut(0);
        match self.covariance {
            Covariance::Full | Covariance::Tied => spread.copy_from_slice(self.prior.values()),
            _ => spread.fill(1.0),
        }
        mixture
    }

    /// `-nu/2 sum ( log|Sigma| + lam trace(Sigma^-1 C) )` over the different covariances.
    fn log_prior(&self, mixture: &Mixture) -> f64 {
        if self.nu == 0.0 {
            return 0.0;
        }
        let scale = self.prior_scale(mixture.k);
        let of = |j: usize| {
            let spread = mixture.spread(j);
            match self.covariance {
                Covariance::Full | Covariance::Tied => {
                    let lower = lower_factor(spread, mixture.d);
                    2.0 * log_diagonal(&lower, mixture.d)
                        + scale * trace_of_quotient(&lower, &self.prior)
                }
                Covariance::Diagonal => spread.iter().map(|v| v.ln() + scale / v).sum(),
                Covariance::Spherical => mixture.d as f64 * (spread[0].ln() + scale / spread[0]),
            }
        };
        -0.5 * self.nu * (0..mixture.n_spreads()).map(of).sum::<f64>()
    }

    /// Densities by pattern, then by component.
    fn densities(&self, mixture: &Mixture) -> Vec<Vec<Density>> {
        let of = |pattern: &super::blocks::Pattern| {
            (0..mixture.k).map(|j| density(mixture, j, pattern)).collect()
        };
        self.blocks.patterns.iter().map(of).collect()
    }

    /// The E step and the sums of the M step; with `given`, responsibilities are not computed.
    fn pass(&self, mixture: &Mixture, given: Option<&Matrix>) -> Pass {
        let densities = self.densities(mixture);
        let matrix = self.covariance.is_matrix();
        let parts = self.blocks.by_task(|blocks| {
            let mut work = Workspace::new(mixture);
            let mut sums = vec![Sums::zeros(mixture.d, matrix); mixture.k];
            let mut log_likelihood = 0.0;
            for block in blocks {
                let densities = &densities[block.pattern];
                match given {
                    Some(posterior) => work.take(posterior, block),
                    None => work.expect(mixture, densities, block, self),
                }
                log_likelihood += weighted_sum(&block.weights, &work.log_density);
                Arch::new().dispatch(Accumulate {
                    work: &mut work,
                    mixture,
                    densities,
                    block,
                    problem: self,
                    sums: &mut sums,
                });
            }
            (log_likelihood, sums)
        });
        let mut total =
            Pass { log_likelihood: 0.0, sums: vec![Sums::zeros(mixture.d, matrix); mixture.k] };
        for (log_likelihood, sums) in parts {
            total.log_likelihood += log_likelihood;
            total.sums.iter_mut().zip(&sums).for_each(|(own, more)| own.add(more));
        }
        total
    }

    /// The M step: parameters from sums about the means of `old`, with `pseudo` records shared
    /// evenly by the weights.
    fn maximised(&self, old: &Mixture, sums: &[Sums], nu: f64, pseudo: f64) -> Mixture {
        let (k, d) = (old.k, old.d);
        let total: f64 = sums.iter().map(|s| s.weight).sum();
        let scale = self.prior_scale(k);
        let mut new = old.clone();
        let mut tied = Matrix::zeros(d, d);
        for (j, sum) in sums.iter().enumerate() {
            new.weights_mut()[j] = (sum.weight + pseudo / k as f64) / (total + pseudo);
            let shift = self.shift(sum);
            let moved = old.mean(j).iter().zip(&shift).map(|(mean, shift)| mean + shift);
            new.mean_mut(j).iter_mut().zip(moved).for_each(|(mean, moved)| *mean = moved);
            match self.covariance {
                Covariance::Full => {
                    let scatter = scatter(sum, &shift);
                    let divisor = sum.weight + nu;
                    if divisor > NOTHING {
                        let spread = new.spread_mut(j);
                        for (at, value) in spread.iter_mut().enumerate() {
                            let more = nu * scale * self.prior.values()[at];
                            *value = (scatter.values()[at] + more) / divisor;
                        }
                    }
                }
                Covariance::Tied => tied.add(1.0, &scatter(sum, &shift)),
                Covariance::Diagonal | Covariance::Spherical => {
                    self.maximise_variances(&mut new, j, sum, &shift, nu * scale, nu);
                }
            }
        }
        if self.covariance == Covariance::Tied {
            tied.add(nu * scale, &self.prior);
            tied.scale_columns(&vec![1.0 / (total + nu); d]);
            new.spread_mut(0).copy_from_slice(tied.values());
        }
        if nu == 0.0 {
            self.floor(&mut new);
        }
        new
    }

    /// How far the mean of a component moves.
    fn shift(&self, sum: &Sums) -> Vec<f64> {
        let count = |a: usize| {
            if self.covariance.is_matrix() { sum.weight } else { sum.weight_by_variable[a] }
        };
        let quotient = |(a, s): (usize, &f64)| if count(a) > NOTHING { s / count(a) } else { 0.0 };
        sum.first.iter().enumerate().map(quotient).collect()
    }

    fn maximise_variances(
        &self,
        new: &mut Mixture,
        j: usize,
        sum: &Sums,
        shift: &[f64],
        more: f64,
        nu: f64,
    ) {
        let d = shift.len();
        let square = |a: usize| {
            let counted = sum.weight_by_variable[a];
            ((sum.second[a] - counted * shift[a] * shift[a]).max(0.0), counted)
        };
        if self.covariance == Covariance::Diagonal {
            for (a, value) in new.spread_mut(j).iter_mut().enumerate() {
                let (squares, counted) = square(a);
                if counted + nu > NOTHING {
                    *value = (squares + more) / (counted + nu);
                }
            }
            return;
        }
        let (squares, counted) =
            (0..d).map(square).fold((0.0, 0.0), |(s, c), (s2, c2)| (s + s2, c + c2));
        let divisor = counted + nu * d as f64;
        if divisor > NOTHING {
            new.spread_mut(j)[0] = (squares + more * d as f64) / divisor;
        }
    }

    /// Lifts variances to [`LEAST_VARIANCE`] of the total where no prior bounds them.
    fn floor(&self, mixture: &mut Mixture) {
        let d = mixture.d;
        for j in 0..mixture.n_spreads() {
            if !self.covariance.is_matrix() {
                mixture.spread_mut(j).iter_mut().for_each(|v| *v = v.max(LEAST_VARIANCE));
                continue;
            }
            let prior_root = lower_factor(self.prior.values(), d);
            let whitened = between_factors(&prior_root, mixture.spread(j), d);
            let (values, vectors) = symmetric_eigen(&whitened);
            if values[d - 1] >= LEAST_VARIANCE {
                continue;
            }
            let roots: Vec<f64> = values.iter().map(|v| v.max(LEAST_VARIANCE).sqrt()).collect();
            let mut half = prior_root.times(&vectors);
            half.scale_columns(&roots);
            let lifted = half.times(&half.transpose());
            mixture.spread_mut(j).copy_from_slice(lifted.values());
        }
    }
}

/// `sum r (x - mu)(x - mu)'` about the new mean.
fn scatter(sum: &Sums, shift: &[f64]) -> Matrix {
    let d = shift.len();
    Matrix::from_fn(d, d, |a, b| {
        let (low, high) = (a.min(b), a.max(b));
        sum.second[high * (high + 1) / 2 + low] - sum.weight * shift[a] * shift[b]
    })
}
