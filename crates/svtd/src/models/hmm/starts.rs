//! Deterministic starts of a hidden Markov model.
//!
//! 1. Moments of three consecutive symbols, and of three consecutive windows where states
//!    persist ([`three_views`](super::three_views));
//! 2. trigrams as a latent class model: previous, current and next symbol are three items that
//!    are independent given the current state, exactly;
//! 3. partitions of the observations, plain and averaged over three steps;
//! 4. quasi-random points for short series without a prior, where many maxima are spurious and no
//!    start is reliable ([`quasi_random`]).
//!
//! The engine adds the ladder of splits.

use super::chain::Chain;
use super::emissions::{BELIEVED, clipped, from_emissions};
use super::model::HmmModel;
use super::quasi_random;
use super::symbols::{MISSING, Symbols};
use super::three_views::{TripleMoments, second_value};
use super::trigrams;
use crate::Method;
use crate::models::engine::{LatentModel, partition_responsibilities, pca_partition};
use crate::moments::MAX_FEATURES;

/// Lengths of windows that are tried.
const WINDOWS: [usize; 4] = [3, 10, 30, 100];

/// A window's second singular value must exceed its jackknife error this many times.
const WINDOW_SIGNAL: f64 = 4.0;

/// Below this `T k^2` fits without a prior also start at quasi-random points.
const SHORT: usize = 20_000;

/// All starts that the data allow.
pub(super) fn starts(model: &HmmModel, k: usize) -> Vec<(&'static str, Chain)> {
    let mut found: Vec<(&'static str, Chain)> = Vec::new();
    if let Some(symbols) = Symbols::new(model, k) {
        if let Some(chain) = moments_of(model, &symbols, k, 1) {
            found.push(("moments", chain));
        }
        if let Some(window) = best_window(model, &symbols)
            && let Some(chain) = moments_of(model, &symbols, k, window)
        {
            found.push(("windows", chain));
        }
        if let Some(chain) = trigrams::start(model, &symbols, k) {
            found.push(("trigrams", chain));
        }
    }
    let features = model.step_features();
    let mut averaged = features.clone();
    averaged.add(1.0, &model.neighbour_sums(&features));
    for (name, rows) in [("partition", &features), ("averaged partition", &averaged)] {
        if let Some(labels) = pca_partition(rows, None, k, 20) {
            let start = partition_responsibilities(&labels, k, BELIEVED);
            found.push((name, model.parameters_from(&start)));
        }
    }
    if model.prior == 0.0 && model.n_rows() * k * k < SHORT {
        found.extend(quasi_random::starts(model, k).into_iter().map(|c| ("quasi-random", c)));
    }
    found
}

/// The three-view estimate with windows of `width` symbols, as a chain.
fn moments_of(model: &HmmModel, symbols: &Symbols, k: usize, width: usize) -> Option<Chain> {
    if symbols.n_symbols > MAX_FEATURES {
        return None;
    }
    let moments = triples(model, symbols, width, |_| true)?;
    let found = moments.decompose(k, Method::Joint)?;
    let frequencies = symbols.frequencies();
    Some(from_emissions(model, symbols, &clipped(&found.emissions, &frequencies), &found.weights))
}

/// Moments of three consecutive windows; `keep` chooses by the number of the triple.
fn triples(
    model: &HmmModel,
    symbols: &Symbols,
    width: usize,
    keep: impl Fn(usize) -> bool,
) -> Option<TripleMoments> {
    let mut moments = TripleMoments::zeros(symbols.n_symbols);
    let mut counted = 0.0;
    let mut number = 0;
    for steps in model.ranges() {
        let own = &symbols.of[steps];
        // Single symbols overlap; windows do not, so that no symbol is in two of them.
        for start in (0..own.len()).step_by(width.div_ceil(2)) {
            let Some(window) = own.get(start..start + 3 * width) else { break };
            number += 1;
            if !keep(number - 1) || window.contains(&MISSING) {
                continue;
            }
            let views: Vec<Vec<(usize, f64)>> = window.chunks(width).map(shares).collect();
            moments.add([&views[0], &views[1], &views[2]], 1.0);
            counted += 1.0;
        }
    }
    (counted > 0.0).then(|| moments.scaled(1.0 / counted))
}

/// Shares of the symbols of a window.
fn shares(window: &[u32]) -> Vec<(usize, f64)> {
    let mut sorted: Vec<usize> = window.iter().map(|&s| s as usize).collect();
    sorted.sort_unstable();
    let one = 1.0 / window.len() as f64;
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64 * one)).collect()
}

/// The window whose second singular value exceeds its jackknife error most.
fn best_window(model: &HmmModel, symbols: &Symbols) -> Option<usize> {
    const GROUPS: usize = 10;
    if symbols.n_symbols > MAX_FEATURES {
        return None;
    }
    let mut best: Option<(f64, usize)> = None;
    for width in WINDOWS {
        if model.n_rows() < 60 * width {
            continue;
        }
        let value = |keep: &dyn Fn(usize) -> bool| {
            triples(model, symbols, width, keep).map(|m| second_value(&m.first_third))
        };
        // Blocks of consecutive windows, so that dependence between neighbours stays inside a block.
        let block = (model.n_rows() / width.div_ceil(2)).div_ceil(GROUPS).max(1);
        let whole = value(&|_| true)?;
        let without: Vec<f64> =
            (0..GROUPS).filter_map(|g| value(&|number| number / block != g)).collect();
        let n = without.len() as f64;
        let mean = without.iter().sum::<f64>() / n;
        let error =
            ((n - 1.0) / n * without.iter().map(|v| (v - mean).powi(2)).sum::<f64>()).sqrt();
        let signal = whole / error.max(1e-300);
        if signal > WINDOW_SIGNAL && best.is_none_or(|(most, _)| signal > most) {
            best = Some((signal, width));
        }
    }
    best.map(|(_, width)| width)
}
