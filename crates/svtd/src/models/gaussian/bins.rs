//! Quantile bins of the variables as items of a latent class model.
//!
//! Given the component, variables that are nearly independent fall into bins nearly independently, so the classes
//! of the binned records are a start. It is close to the moments of the data where the highest likelihood is often
//! that of a spurious component. Needs three variables.

use super::model::GaussianModel;
use super::shape::Mixture;
use crate::linalg::Matrix;
use crate::models::classes::{ClassModel, Item, ItemKind, Records};
use crate::models::engine::{LatentModel, climb};
use crate::models::table::MISSING;

/// Number of bins of each variable.
const BINS: usize = 3;

/// Number of EM steps on the binned records.
const STEPS: usize = 40;

/// The largest number of variables that are binned.
const MAX_VARIABLES: usize = 60;

/// The start from bins; `None` with fewer than three variables, or where the moments of the bins
/// do not show `k` classes.
pub(super) fn start(model: &GaussianModel, k: usize) -> Option<Mixture> {
    let points = model.points();
    let (n, d) = (points.n_records(), points.n_variables());
    if !(3..=MAX_VARIABLES).contains(&d) {
        return None;
    }
    let labels: Vec<String> = (0..BINS).map(|b| b.to_string()).collect();
    let items: Vec<Item> = points
        .names()
        .iter()
        .map(|name| Item {
            name: name.clone(),
            kind: ItemKind::Categorical { labels: labels.clone() },
        })
        .collect();
    let mut answers = vec![MISSING; n * d];
    for a in 0..d {
        let edges = edges(model, a);
        for (u, &i) in model.problem.blocks.order.iter().enumerate() {
            let x = points.record(i)[a];
            if !x.is_nan() {
                answers[u * d + a] = edges.partition_point(|e| *e <= x) as u32;
            }
        }
    }
    let records = Records::from_codes(items, &answers, model.row_weights.clone());
    let pattern_of = records.pattern_of().to_vec();
    let classes = ClassModel::new(records, 1.0);
    let (_, spectral) = classes.starts(k).into_iter().find(|(name, _)| *name == "moments")?;
    let end = climb(&classes, spectral, STEPS);
    let by_pattern = classes.responsibilities(&end.parameters);
    let responsibilities = Matrix::from_fn(n, k, |u, j| match pattern_of[u] {
        Some(pattern) => by_pattern[(pattern as usize, j)],
        None => 1.0 / k as f64,
    });
    Some(model.parameters_from(&responsibilities))
}

/// The quantiles that cut a variable into bins.
fn edges(model: &GaussianModel, a: usize) -> Vec<f64> {
    let points = model.points();
    let mut sorted: Vec<f64> =
        (0..points.n_records()).map(|i| points.record(i)[a]).filter(|x| !x.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    (1..BINS).map(|b| sorted[b * sorted.len() / BINS]).collect()
}
