//! One step of EM, with a light prior on the covariances.
//!
//! ```text
//! E  R_uj = omega_j N(x_u; mu_j, Sigma_j) / sum over j
//! M  mu_j = sum_u R_uj x_u / n_j,   Sigma_j = (S_j + nu lam C) / (n_j + nu),   lam = k^(-2/d)
//! F  = loglik - nu/2 sum_j ( log|Sigma_j| + lam trace(Sigma_j^-1 C) )
//! ```
//!
//! With the prior a component that shrinks onto one record stays bounded. Missing values: where
//! variables may be correlated, a missing value is replaced by its conditional mean and its
//! conditional covariance is added to `S_j`; otherwise only what was observed is counted.
//!
//! # Cost
//! `N k d^2` for matrices, `N k d` otherwise; one pass makes the E step, the sums of the M step
//! and `F` at the parameters it started from.

use pulp::{Arch, Simd, WithSimd};

use super::blocks::{Block, Blocks, WIDTH};
use super::shape::{Covariance, Mixture};
use crate::linalg::{Matrix, symmetric_eigen};

/// Least variance of a component, as a part of the total, where no prior bounds it.
pub(super) const LEAST_VARIANCE: f64 = 1e-6;

/// Sum of responsibilities below which a component keeps its mean.
const NOTHING: f64 = 1e-10;

/// What an EM step needs beside the records: prior and shape.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) blocks: Blocks,
    pub(super) covariance: Covariance,
    /// `C`, the matrix of the prior.
    pub(super) prior: Matrix,
    /// `nu`, the weight of the prior in records; zero is maximum likelihood with a floor.
    pub(super) nu: f64,
}

/// A density ready to be evaluated on the records of one pattern.
struct Density {
    /// Rows of the inverse Cholesky factor over observed variables, packed; or inverse roots of
    /// variances.
    whitening: Vec<f64>,
    /// `log omega - (o log 2pi + log|Sigma_oo|)/2`.
    constant: f64,
    /// Coefficients of missing variables on observed ones, row after row.
    regression: Vec<f64>,
    /// Covariance of missing variables given observed ones, row after row.
    conditional: Vec<f64>,
}

/// Sums of the M step of one component, about its present mean.
#[derive(Clone)]
struct Sums {
    weight: f64,
    /// `sum r`, by variable where only observed values count.
    weight_by_variable: Vec<f64>,
    first: Vec<f64>,
    /// Upper triangle by columns of `sum r y y'`; or its diagonal.
    second: Vec<f64>,
}

impl Sums {
    fn zeros(d: usize, matrix: bool) -> Self {
        Self {
            weight: 0.0,
            weight_by_variable: vec![0.0; if matrix { 0 } else { d }],
            first: vec![0.0; d],
            second: vec![0.0; if matrix { d * (d + 1) / 2 } else { d }],
        }
    }

    fn add(&mut self, other: &Sums) {
        self.weight += other.weight;
        let pairs = [
            (&mut self.weight_by_variable, &other.weight_by_variable),
            (&mut self.first, &other.first),
            (&mut self.second, &other.second),
        ];
        for (own, more) in pairs {
            own.iter_mut().zip(more).for_each(|(x, y)| *x += y);
        }
    }
}

/// What a pass over the records gives.
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

    /// Responsibilities, record by component, in the order of the blocks, and the logarithm of
    /// every record's density.
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

    /// One component with the moments of all records; where values are missing, the prior matrix
    /// stands for their covariance.
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

/// The density of component `j` over the observed variables of a pattern.
fn density(mixture: &Mixture, j: usize, pattern: &super::blocks::Pattern) -> Density {
    let (observed, missing) = (&pattern.observed, &pattern.missing);
    let log_two_pi = (2.0 * std::f64::consts::PI).ln();
    let base = mixture.weights()[j].max(1e-300).ln() - 0.5 * observed.len() as f64 * log_two_pi;
    let spread = mixture.spread(j);
    if !mixture.covariance.is_matrix() {
        let variance = |&a: &usize| spread[a.min(spread.len() - 1)];
        let log_root: f64 = observed.iter().map(|a| 0.5 * variance(a).ln()).sum();
        return Density {
            whitening: observed.iter().map(|a| 1.0 / variance(a).sqrt()).collect(),
            constant: base - log_root,
            regression: Vec::new(),
            conditional: Vec::new(),
        };
    }
    let d = mixture.d;
    let (o, m) = (observed.len(), missing.len());
    let at = |a: usize, b: usize| spread[b * d + a];
    let own: Vec<f64> =
        observed.iter().flat_map(|&b| observed.iter().map(move |&a| at(a, b))).collect();
    let lower = lower_factor(&own, o);
    let inverse = inverse_lower(&lower);
    let constant = base - log_diagonal(&lower, o);
    let whitening: Vec<f64> =
        (0..o).flat_map(|a| (0..=a).map(move |b| (a, b))).map(|ab| inverse[ab]).collect();
    // Regression on the whitened observed variables, then on the variables themselves.
    let cross = Matrix::from_fn(m, o, |x, y| {
        (0..=y).map(|b| inverse[(y, b)] * at(missing[x], observed[b])).sum()
    });
    let coefficients = cross.times(&inverse);
    let explained = cross.times(&cross.transpose());
    Density {
        whitening,
        constant,
        regression: (0..m).flat_map(|x| coefficients.row(x)).collect(),
        conditional: (0..m)
            .flat_map(|x| (0..m).map(move |y| (x, y)))
            .map(|(x, y)| at(missing[x], missing[y]) - explained[(x, y)])
            .collect(),
    }
}

/// Scratch space of one task.
struct Workspace {
    /// Posterior of component `j` for record `u` at `j * WIDTH + u`.
    posterior: Vec<f64>,
    log_density: [f64; WIDTH],
    /// Differences to a mean, variable after variable.
    differences: Vec<f64>,
}

impl Workspace {
    fn new(mixture: &Mixture) -> Self {
        Self {
            posterior: vec![0.0; mixture.k * WIDTH],
            log_density: [0.0; WIDTH],
            differences: vec![0.0; mixture.d * WIDTH],
        }
    }

    /// Copies given responsibilities of a block.
    fn take(&mut self, posterior: &Matrix, block: &Block) {
        self.posterior.fill(0.0);
        for j in 0..posterior.n_columns() {
            self.posterior[j * WIDTH..j * WIDTH + block.len]
                .copy_from_slice(&posterior.column(j)[block.first..block.first + block.len]);
        }
    }

    /// Computes the responsibilities of a block and its log densities.
    fn expect(
        &mut self,
        mixture: &Mixture,
        densities: &[Density],
        block: &Block,
        problem: &Problem,
    ) {
        Arch::new().dispatch(Expect { work: self, mixture, densities, block, problem });
        let mut top = [f64::NEG_INFINITY; WIDTH];
        for row in self.posterior.chunks_exact(WIDTH) {
            for (t, &l) in top.iter_mut().zip(row) {
                *t = t.max(l);
            }
        }
        let mut total = [0.0; WIDTH];
        for row in self.posterior.chunks_exact_mut(WIDTH) {
            for u in 0..block.len {
                row[u] = (row[u] - top[u]).exp();
                total[u] += row[u];
            }
            row[block.len..].fill(0.0);
        }
        self.log_density = [0.0; WIDTH];
        for u in 0..block.len {
            self.log_density[u] = top[u] + total[u].ln();
        }
        total[block.len..].fill(1.0);
        for row in self.posterior.chunks_exact_mut(WIDTH) {
            for (r, t) in row.iter_mut().zip(&total) {
                *r /= t;
            }
        }
    }
}

/// Logarithms of `omega_j N(x_u; j)` for a block, compiled for each instruction set.
struct Expect<'a> {
    work: &'a mut Workspace,
    mixture: &'a Mixture,
    densities: &'a [Density],
    block: &'a Block,
    problem: &'a Problem,
}

impl WithSimd for Expect<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let observed = &self.problem.blocks.patterns[self.block.pattern].observed;
        let matrix = self.problem.covariance.is_matrix();
        for (j, density) in self.densities.iter().enumerate() {
            differences(&mut self.work.differences, self.mixture.mean(j), self.block, observed);
            let mut squares = [0.0; WIDTH];
            if matrix {
                let mut at = 0;
                for a in 0..observed.len() {
                    let mut z = [0.0; WIDTH];
                    for &b in &observed[..=a] {
                        add_scaled(&mut z, density.whitening[at], &self.work.differences, b);
                        at += 1;
                    }
                    for (s, z) in squares.iter_mut().zip(&z) {
                        *s += z * z;
                    }
                }
            } else {
                for (&a, &root) in observed.iter().zip(&density.whitening) {
                    let row = &self.work.differences[a * WIDTH..(a + 1) * WIDTH];
                    for (s, y) in squares.iter_mut().zip(row) {
                        let z = root * y;
                        *s += z * z;
                    }
                }
            }
            let target = &mut self.work.posterior[j * WIDTH..(j + 1) * WIDTH];
            for (t, s) in target.iter_mut().zip(&squares) {
                *t = density.constant - 0.5 * s;
            }
        }
    }
}

/// Adds a block to the sums of the M step, compiled for each instruction set.
struct Accumulate<'a> {
    work: &'a mut Workspace,
    mixture: &'a Mixture,
    densities: &'a [Density],
    block: &'a Block,
    problem: &'a Problem,
    sums: &'a mut [Sums],
}

impl WithSimd for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let pattern = &self.problem.blocks.patterns[self.block.pattern];
        let matrix = self.problem.covariance.is_matrix();
        let d = self.mixture.d;
        for (j, sum) in self.sums.iter_mut().enumerate() {
            let mut r = [0.0; WIDTH];
            let posterior = &self.work.posterior[j * WIDTH..(j + 1) * WIDTH];
            for ((r, p), w) in r.iter_mut().zip(posterior).zip(&self.block.weights) {
                *r = p * w;
            }
            let weight = sum_of(&r);
            sum.weight += weight;
            let y = &mut self.work.differences;
            differences(y, self.mixture.mean(j), self.block, &pattern.observed);
            if !matrix {
                for &a in &pattern.observed {
                    let (first, second) = first_and_second(&r, &y[a * WIDTH..(a + 1) * WIDTH]);
                    sum.weight_by_variable[a] += weight;
                    sum.first[a] += first;
                    sum.second[a] += second;
                }
                continue;
            }
            fill_missing(y, pattern, &self.densities[j], weight, sum);
            for b in 0..d {
                let mut ry = [0.0; WIDTH];
                for ((t, r), y) in ry.iter_mut().zip(&r).zip(&y[b * WIDTH..(b + 1) * WIDTH]) {
                    *t = r * y;
                }
                sum.first[b] += sum_of(&ry);
                for a in 0..=b {
                    sum.second[b * (b + 1) / 2 + a] +=
                        product_of(&ry, &y[a * WIDTH..(a + 1) * WIDTH]);
                }
            }
        }
    }
}

/// `x_a - mu_a` for the observed variables of a block.
#[inline(always)]
fn differences(target: &mut [f64], mean: &[f64], block: &Block, observed: &[usize]) {
    for &a in observed {
        let range = a * WIDTH..(a + 1) * WIDTH;
        for (t, x) in target[range.clone()].iter_mut().zip(&block.values[range]) {
            *t = x - mean[a];
        }
    }
}

/// Conditional means in the place of missing values, and their conditional covariance.
#[inline(always)]
fn fill_missing(
    y: &mut [f64],
    pattern: &super::blocks::Pattern,
    density: &Density,
    weight: f64,
    sum: &mut Sums,
) {
    let (o, m) = (pattern.observed.len(), pattern.missing.len());
    for (x, &a) in pattern.missing.iter().enumerate() {
        let mut mean = [0.0; WIDTH];
        for (c, &b) in pattern.observed.iter().enumerate() {
            add_scaled(&mut mean, density.regression[x * o + c], y, b);
        }
        y[a * WIDTH..(a + 1) * WIDTH].copy_from_slice(&mean);
        for (z, &b) in pattern.missing.iter().enumerate().take(x + 1) {
            let (low, high) = (a.min(b), a.max(b));
            sum.second[high * (high + 1) / 2 + low] += weight * density.conditional[x * m + z];
        }
    }
}

#[inline(always)]
fn add_scaled(target: &mut [f64; WIDTH], factor: f64, rows: &[f64], a: usize) {
    for (t, y) in target.iter_mut().zip(&rows[a * WIDTH..(a + 1) * WIDTH]) {
        *t += factor * y;
    }
}

/// Eight partial sums, added in their order.
#[inline(always)]
fn lanes(entry: impl Fn(usize) -> f64) -> f64 {
    let mut parts = [0.0; 8];
    for start in (0..WIDTH).step_by(8) {
        for (lane, part) in parts.iter_mut().enumerate() {
            *part += entry(start + lane);
        }
    }
    parts.iter().sum()
}

#[inline(always)]
fn sum_of(values: &[f64; WIDTH]) -> f64 {
    lanes(|u| values[u])
}

#[inline(always)]
fn product_of(left: &[f64; WIDTH], right: &[f64]) -> f64 {
    let right = &right[..WIDTH];
    lanes(|u| left[u] * right[u])
}

#[inline(always)]
fn first_and_second(r: &[f64; WIDTH], y: &[f64]) -> (f64, f64) {
    let y = &y[..WIDTH];
    (lanes(|u| r[u] * y[u]), lanes(|u| r[u] * y[u] * y[u]))
}

fn weighted_sum(weights: &[f64; WIDTH], values: &[f64; WIDTH]) -> f64 {
    lanes(|u| weights[u] * values[u])
}

/// The lower Cholesky factor of a covariance given column by column; a pivot lost in rounding is
/// replaced by a small part of its diagonal.
pub(super) fn lower_factor(values: &[f64], d: usize) -> Matrix {
    let mut lower = Matrix::zeros(d, d);
    for j in 0..d {
        for i in j..d {
            let mut value = values[j * d + i];
            for l in 0..j {
                value -= lower[(i, l)] * lower[(j, l)];
            }
            lower[(i, j)] = if i == j {
                value.max(1e-14 * values[j * d + j].abs()).max(1e-300).sqrt()
            } else {
                value / lower[(j, j)]
            };
        }
    }
    lower
}

/// The inverse of a lower triangular matrix.
pub(super) fn inverse_lower(lower: &Matrix) -> Matrix {
    let d = lower.n_rows();
    let mut inverse = Matrix::zeros(d, d);
    for j in 0..d {
        inverse[(j, j)] = 1.0 / lower[(j, j)];
        for i in j + 1..d {
            let sum: f64 = (j..i).map(|l| lower[(i, l)] * inverse[(l, j)]).sum();
            inverse[(i, j)] = -sum / lower[(i, i)];
        }
    }
    inverse
}

/// Half the log determinant, from a Cholesky factor.
fn log_diagonal(lower: &Matrix, d: usize) -> f64 {
    (0..d).map(|a| lower[(a, a)].ln()).sum()
}

/// `trace(Sigma^-1 C)` from the Cholesky factor of `Sigma`.
fn trace_of_quotient(lower: &Matrix, prior: &Matrix) -> f64 {
    let inverse = inverse_lower(lower);
    let product = inverse.times(prior);
    product.values().iter().zip(inverse.values()).map(|(a, b)| a * b).sum()
}

/// `L^-1 S L^-T`.
fn between_factors(lower: &Matrix, values: &[f64], d: usize) -> Matrix {
    let inverse = inverse_lower(lower);
    let middle = Matrix::from_columns(d, d, values.to_vec());
    inverse.times(&middle).times(&inverse.transpose())
}
