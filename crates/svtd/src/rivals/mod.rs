//! Classical methods for comparison: EM from many starts, and collapsed Gibbs sampling.
//!
//! They learn the same models without moments. Both start at random and take a seed.

pub(crate) mod classical_em;
pub(crate) mod collapsed_gibbs;

pub use classical_em::{Em, Start};
pub use collapsed_gibbs::CollapsedGibbs;
