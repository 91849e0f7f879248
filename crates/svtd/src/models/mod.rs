//! Models of records: latent classes, raters, hidden Markov models, Gaussian mixtures.
//!
//! Topics are learned from documents, these from a [`table`] of records. All are searched by one [`engine`]: a
//! model is a value of a type that implements [`engine::LatentModel`], with its data and one step of EM on them.
//! The learned model implements [`learned::Learned`], through which the command line, the model file and the Python
//! package use it.

pub mod classes;
mod columns;
pub mod engine;
mod fitting;
pub mod gaussian;
pub mod hmm;
pub mod learned;
pub mod raters;
pub mod saved;
mod scores;
pub mod table;

pub use fitting::{FitRecord, Watch};
