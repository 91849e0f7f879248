//! The inner loops of an EM step, over blocks of [`WIDTH`] records, variable after variable.
//!
//! Every loop runs over the records of a block, so that it is compiled to the vector instructions
//! of the processor. Sums are computed in eight lanes that are added in a fixed order: the same
//! bits for all instruction sets.

use pulp::{Arch, Simd, WithSimd};

use super::blocks::{Block, Pattern, WIDTH};
use super::density::Density;
use super::problem::Problem;
use super::shape::Mixture;
use crate::linalg::Matrix;

/// Sums of the M step of one component, about its present mean.
#[derive(Clone)]
pub(super) struct Sums {
    pub(super) weight: f64,
    /// `sum r`, by variable where only observed values count.
    pub(super) weight_by_variable: Vec<f64>,
    pub(super) first: Vec<f64>,
    /// Upper triangle by columns of `sum r y y'`; or its diagonal.
    pub(super) second: Vec<f64>,
}

impl Sums {
    pub(super) fn zeros(d: usize, matrix: bool) -> Self {
        Self {
            weight: 0.0,
            weight_by_variable: vec![0.0; if matrix { 0 } else { d }],
            first: vec![0.0; d],
            second: vec![0.0; if matrix { d * (d + 1) / 2 } else { d }],
        }
    }

    pub(super) fn add(&mut self, other: &Sums) {
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

/// Scratch space of one task.
pub(super) struct Workspace {
    /// Posterior of component `j` for record `u` at `j * WIDTH + u`.
    pub(super) posterior: Vec<f64>,
    pub(super) log_density: [f64; WIDTH],
    /// Differences to a mean, variable after variable.
    differences: Vec<f64>,
}

impl Workspace {
    pub(super) fn new(mixture: &Mixture) -> Self {
        Self {
            posterior: vec![0.0; mixture.k * WIDTH],
            log_density: [0.0; WIDTH],
            differences: vec![0.0; mixture.d * WIDTH],
        }
    }

    /// Copies given responsibilities of a block.
    pub(super) fn take(&mut self, posterior: &Matrix, block: &Block) {
        self.posterior.fill(0.0);
        for j in 0..posterior.n_columns() {
            self.posterior[j * WIDTH..j * WIDTH + block.len]
                .copy_from_slice(&posterior.column(j)[block.first..block.first + block.len]);
        }
    }

    /// Computes the responsibilities of a block and its log densities.
    pub(super) fn expect(
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
pub(super) struct Accumulate<'a> {
    pub(super) work: &'a mut Workspace,
    pub(super) mixture: &'a Mixture,
    pub(super) densities: &'a [Density],
    pub(super) block: &'a Block,
    pub(super) problem: &'a Problem,
    pub(super) sums: &'a mut [Sums],
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
fn fill_missing(y: &mut [f64], pattern: &Pattern, density: &Density, weight: f64, sum: &mut Sums) {
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

/// `sum w x` over a block.
pub(super) fn weighted_sum(weights: &[f64; WIDTH], values: &[f64; WIDTH]) -> f64 {
    lanes(|u| weights[u] * values[u])
}
