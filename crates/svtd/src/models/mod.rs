//! Models of records: latent classes, raters, hidden Markov models, Gaussian mixtures.
//!
//! Where topics are learned from documents, these are learned from a [`table`] of records. All are
//! searched by one [`engine`]: a model is a value of a type that implements
//! [`engine::LatentModel`], its data and how one step of EM is made on them. What was learned
//! implements [`learned::Learned`], by which the command line, the model file and the Python package know it.

pub mod classes;
pub mod engine;
mod fitting;
pub mod gaussian;
pub mod hmm;
pub mod learned;
pub mod raters;
mod scores;
pub mod table;

pub use fitting::{FitRecord, Watch};
