//! Observations as a few symbols, for starts that use counts.
//!
//! Categories of one variable are already symbols; a count or a number falls into one of `max(2k, 6)` quantile
//! bins; several variables are divided into as many cells by a partition.

use super::model::HmmModel;
use super::sequences::Emissions;
use crate::linalg::Matrix;
use crate::models::engine::pca_partition;

/// A step whose observation is missing.
pub(super) const MISSING: u32 = u32::MAX;

/// Steps as symbols.
pub(super) struct Symbols {
    pub(super) n_symbols: usize,
    /// The symbol of every step.
    pub(super) of: Vec<u32>,
    /// Whether symbols are the categories of the only variable.
    pub(super) are_categories: bool,
}

impl Symbols {
    /// Symbols for a fit of `k` states; `None` where only one would be seen.
    pub(super) fn new(model: &HmmModel, k: usize) -> Option<Self> {
        let observations = &model.observations;
        let layout = &observations.layout;
        let n_bins = (2 * k).max(6);
        if layout.emissions == Emissions::Categorical && layout.d == 1 {
            let of = |&code: &u32| {
                let x = observations.row(code as usize)[0];
                if x.is_nan() { MISSING } else { x as u32 }
            };
            let n_symbols = layout.width();
            let of = observations.codes.iter().map(of).collect();
            return Some(Self { n_symbols, of, are_categories: true });
        }
        let by_row = match (layout.emissions, layout.d) {
            (Emissions::Poisson | Emissions::Gaussian, 1) => bins(model, n_bins),
            _ => cells(model, n_bins),
        };
        let n_symbols =
            by_row.iter().filter(|&&s| s != MISSING).max().map_or(0, |m| *m as usize + 1);
        let of = observations.codes.iter().map(|&code| by_row[code as usize]).collect();
        (n_symbols > 1).then_some(Self { n_symbols, of, are_categories: false })
    }

    /// Frequencies of the symbols.
    pub(super) fn frequencies(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.n_symbols];
        let mut total = 0.0;
        for &s in self.of.iter().filter(|&&s| s != MISSING) {
            counts[s as usize] += 1.0;
            total += 1.0;
        }
        counts.iter().map(|c| c / f64::max(total, 1.0)).collect()
    }

    /// Counts of neighbouring symbols, previous in the row and next in the column.
    pub(super) fn bigrams(&self, model: &HmmModel) -> Matrix {
        let n = self.n_symbols;
        let mut counts = Matrix::zeros(n, n);
        for steps in model.ranges() {
            for pair in self.of[steps].windows(2).filter(|p| !p.contains(&MISSING)) {
                counts[(pair[0] as usize, pair[1] as usize)] += 1.0;
            }
        }
        counts
    }
}

/// The quantile bin of every distinct observation of one variable.
fn bins(model: &HmmModel, n_bins: usize) -> Vec<u32> {
    let observations = &model.observations;
    let value = |code: u32| observations.row(code as usize)[0];
    let mut sorted: Vec<f64> =
        observations.codes.iter().map(|&code| value(code)).filter(|x| !x.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let mut edges: Vec<f64> = (1..n_bins).map(|b| sorted[b * sorted.len() / n_bins]).collect();
    edges.dedup();
    // An edge at the smallest value leaves nothing below it.
    edges.retain(|e| *e > sorted[0]);
    let bin = |x: f64| {
        if x.is_nan() { MISSING } else { edges.partition_point(|e| *e <= x) as u32 }
    };
    (0..observations.n_rows()).map(|u| bin(observations.row(u)[0])).collect()
}

/// The cell of every distinct observation of several variables.
fn cells(model: &HmmModel, n_cells: usize) -> Vec<u32> {
    let features = model.row_features();
    let mut weights = vec![0.0; model.observations.n_rows()];
    model.observations.codes.iter().for_each(|&code| weights[code as usize] += 1.0);
    // Observations of few different values fall into fewer cells.
    let labels = (2..=n_cells).rev().find_map(|n| pca_partition(&features, Some(&weights), n, 20));
    match labels {
        Some(labels) => labels.iter().map(|&l| l as u32).collect(),
        None => vec![0; features.n_rows()],
    }
}
