//! Quasi-random starts, for short series without a prior.
//!
//! There the likelihood has many maxima, most of them spurious, and neither moments nor splits lead to all of them.
//! The starts are points of a Kronecker sequence: coordinate `i` of point `s` is the fractional part of
//! `s sqrt(p_i)`, with `p_i` the i-th prime. Its points stay evenly spread in the hundred coordinates of a chain;
//! those of a Halton sequence, whose later coordinates all grow together, do not.
//!
//! ```text
//! laws      -log u, normalised: uniform among all distributions
//! numbers   one variable: uniform between its least and its largest value; several: an observed step
//! ```
//!
//! Many points are run for a few steps of EM; the best of them are starts.

use rayon::prelude::*;

use super::chain::Chain;
use super::model::HmmModel;
use super::sequences::Emissions;
use crate::logarithm::logarithms;
use crate::models::engine::climb;

/// Number of points, of EM steps from each, and of the best that become starts.
struct Plan {
    points: usize,
    steps: usize,
    kept: usize,
}

/// The plan for states that are distributions over symbols, whose likelihood has the most maxima
/// (`benches/record/models.md`).
const SYMBOLS: Plan = Plan { points: 300, steps: 40, kept: 30 };

/// The plan for states that are means or rates.
const NUMBERS: Plan = Plan { points: 100, steps: 20, kept: 15 };

/// The starts for `k` states, best first.
pub(super) fn starts(model: &HmmModel, k: usize) -> Vec<Chain> {
    let ranges = ranges(model);
    let plan = if are_numbers(model.observations.layout.emissions) { NUMBERS } else { SYMBOLS };
    let mut ends: Vec<_> = (1..=plan.points)
        .into_par_iter()
        .map(|s| climb(model, chain(model, k, s, &ranges), plan.steps))
        .collect();
    ends.sort_by(|a, b| b.objective.total_cmp(&a.objective));
    ends.truncate(plan.kept);
    ends.into_iter().map(|end| end.parameters).collect()
}

fn are_numbers(emissions: Emissions) -> bool {
    matches!(emissions, Emissions::Poisson | Emissions::Gaussian)
}

/// The least and the largest value of every variable, in the units of the fit.
fn ranges(model: &HmmModel) -> Vec<(f64, f64)> {
    let observations = &model.observations;
    let of = |v: usize| {
        let values = (0..observations.n_rows()).map(|u| observations.row(u)[v]);
        let both = values.filter(|x| !x.is_nan());
        both.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
            (least.min(x), most.max(x))
        })
    };
    (0..observations.layout.d).map(of).collect()
}

/// The chain at point `s`.
fn chain(model: &HmmModel, k: usize, s: usize, ranges: &[(f64, f64)]) -> Chain {
    let observations = &model.observations;
    let layout = &observations.layout;
    let mut point = Point { s, primes: Primes::default() };
    let mut chain = Chain::zeros(k, layout.width());
    point.law(chain.initial_mut());
    chain.transitions_mut().chunks_exact_mut(k).for_each(|row| point.law(row));
    for j in 0..k {
        let own = chain.emission_mut(j);
        layout.laws().into_iter().for_each(|law| point.law(&mut own[law]));
        if !are_numbers(layout.emissions) {
            continue;
        }
        own.copy_from_slice(&observations.overall);
        let u = point.next();
        let step = observations.codes[(u * observations.codes.len() as f64) as usize];
        for (v, x) in own[..layout.d].iter_mut().enumerate() {
            let (least, most) = ranges[v];
            let seen = observations.row(step as usize)[v];
            let place = if layout.d == 1 { least + u * (most - least) } else { seen };
            if place.is_finite() {
                *x = place;
            }
            if layout.emissions == Emissions::Poisson {
                // A rate of zero explains nothing but zeros.
                *x = x.max(1e-3 * observations.overall[v]);
            }
        }
    }
    chain
}

/// The coordinates of a point, one after the other.
struct Point {
    s: usize,
    primes: Primes,
}

impl Point {
    fn next(&mut self) -> f64 {
        (self.s as f64 * (self.primes.next_prime() as f64).sqrt()).fract()
    }

    /// A distribution.
    fn law(&mut self, target: &mut [f64]) {
        target.iter_mut().for_each(|x| *x = self.next().max(1e-12));
        logarithms(target);
        let total: f64 = target.iter().sum();
        target.iter_mut().for_each(|x| *x /= total);
    }
}

/// The prime numbers in order.
#[derive(Default)]
struct Primes {
    found: Vec<usize>,
}

impl Primes {
    fn next_prime(&mut self) -> usize {
        let mut candidate = self.found.last().map_or(2, |p| p + 1);
        while self.found.iter().any(|p| candidate.is_multiple_of(*p)) {
            candidate += 1;
        }
        self.found.push(candidate);
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_fractions_of_multiples_of_roots_of_primes() {
        let mut point = Point { s: 3, primes: Primes::default() };
        let first: Vec<f64> = (0..3).map(|_| point.next()).collect();
        let known = [0.242_640_687, 0.196_152_423, 0.708_203_932];
        assert!(first.iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-9), "{first:?}");
        assert_eq!(point.primes.found, [2, 3, 5]);
    }

    #[test]
    fn points_are_spread_evenly_in_late_coordinates_too() {
        // Sixty points in the hundredth coordinate: a tenth of them in every tenth, give or take three.
        let last = |s: usize| {
            let mut point = Point { s, primes: Primes::default() };
            (0..100).map(|_| point.next()).last().unwrap_or(0.0)
        };
        let mut tenths = [0_i32; 10];
        (1..=60).for_each(|s| tenths[(10.0 * last(s)) as usize] += 1);
        assert!(tenths.iter().all(|n| (n - 6).abs() <= 3), "{tenths:?}");
    }
}
