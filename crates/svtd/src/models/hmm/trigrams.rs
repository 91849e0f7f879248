//! Trigrams as a latent class model of three items.
//!
//! Given the current state, the previous, the current and the next symbol are independent: that is
//! exactly a latent class model whose classes are the current states and whose middle item has the
//! emissions. Its cost does not depend on the number of steps once trigrams are counted.

use std::collections::BTreeMap;

use super::chain::Chain;
use super::emissions::{clipped, from_emissions};
use super::model::HmmModel;
use super::symbols::{MISSING, Symbols};
use crate::linalg::Matrix;
use crate::models::classes::{ClassModel, Item, ItemKind, Records};
use crate::models::engine::{Effort, Search};

/// The smallest number of trigrams for each state.
const TRIGRAMS_PER_STATE: f64 = 5.0;

/// The largest number of symbols whose trigrams are fitted.
const MAX_SYMBOLS: usize = 60;

/// The start from trigrams; `None` where there are too few, or too many symbols.
pub(super) fn start(model: &HmmModel, symbols: &Symbols, k: usize) -> Option<Chain> {
    let n = symbols.n_symbols;
    if n > MAX_SYMBOLS {
        return None;
    }
    let mut counts: BTreeMap<[u32; 3], f64> = BTreeMap::new();
    for steps in model.ranges() {
        for w in symbols.of[steps].windows(3).filter(|w| !w.contains(&MISSING)) {
            *counts.entry([w[0], w[1], w[2]]).or_default() += 1.0;
        }
    }
    if counts.values().sum::<f64>() < TRIGRAMS_PER_STATE * k as f64 {
        return None;
    }
    let labels: Vec<String> = (0..n).map(|s| s.to_string()).collect();
    let item = |name: &str| Item {
        name: name.to_owned(),
        kind: ItemKind::Categorical { labels: labels.clone() },
    };
    let items = vec![item("previous"), item("current"), item("next")];
    let answers: Vec<u32> = counts.keys().flatten().copied().collect();
    let records = Records::from_codes(items, &answers, counts.values().copied().collect());
    let classes = ClassModel::new(records, 1.0);
    let found = Search::new(&classes).effort(Effort::Starts).fit(k).parameters;
    let laws = Matrix::from_fn(n, k, |x, j| found.probabilities[(n + x) * k + j]);
    let clipped = clipped(&laws, &symbols.frequencies());
    Some(from_emissions(model, symbols, &clipped, &found.shares))
}
