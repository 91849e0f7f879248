//! Trigrams as a latent class model of three items.

use super::chain::Chain;
use super::model::HmmModel;
use super::symbols::Symbols;

/// The start from trigrams; `None` where there are too few.
pub(super) fn start(_: &HmmModel, _: &Symbols, _: usize) -> Option<Chain> {
    None
}
