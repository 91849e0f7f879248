//! Classical methods for comparison: EM from many starts, and collapsed Gibbs sampling.
//!
//! They learn the same models without moments. Both start at random and take a seed.

mod classical_em;
mod collapsed_gibbs;
