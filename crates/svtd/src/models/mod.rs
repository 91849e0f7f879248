//! Models other than topics: latent classes, raters, hidden Markov models, Gaussian mixtures.
//!
//! All are searched by one [`engine`]. A model is a value of a type that implements
//! [`engine::LatentModel`]: its data, and how one step of EM is made on them.

pub mod engine;
pub mod gaussian;
pub mod hmm;
mod partition;
