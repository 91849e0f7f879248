//! Latent variable models by the method of moments: deterministic, with the same result every time.
//!
//! Which hidden groups are there in count data? `svtd` estimates the first three moments of the data, whitens the
//! second, and decomposes the third with the Singular-Value-based Tensor Decomposition of Ruffini, Casanellas and
//! Gavaldà ("A New Spectral Method for Latent Variable Models", called *the paper* throughout) or with a joint
//! diagonalisation. It needs no random start and no restarts.
//!
//! ```text
//! corpus ──► moments ──► whitening ──► decomposition ──► model ──► inference
//!   X        M1 M2 M3      E, W            O             (M, Ω)     Y or h
//! ```
//!
//! # Example
//! ```
//! use svtd::{Corpus, SingleTopic};
//!
//! # fn main() -> svtd::Result<()> {
//! // Six small documents over four words: two groups that share nothing.
//! let mut builder = Corpus::builder(4);
//! for _ in 0..3 {
//!     builder.push_document([(0, 3), (1, 2)])?;
//!     builder.push_document([(2, 4), (3, 1)])?;
//! }
//! let corpus = builder.build()?;
//!
//! let model = SingleTopic::params(2).fit(&corpus)?;
//! for topic in model.topics().iter() {
//!     let words: Vec<_> = topic.top_words(2).into_iter().map(|(word, _)| word).collect();
//!     println!("{:.2} {words:?}", topic.weight());
//! }
//! let inferred = model.infer(&corpus)?;
//! assert!(inferred.mixtures[(0, 0)] > 0.99 || inferred.mixtures[(0, 1)] > 0.99);
//! # Ok(())
//! # }
//! ```
//!
//! # Promises
//! * Exact moments give exact parameters (Theorem 4.1).
//! * The same bits for any number of threads. Work runs in the caller's rayon pool.
//! * A topic model never forms `M2` or `M3`; cost is linear in the stored counts.
//! * Nothing is printed, nothing panics on data, nothing comes back as NaN.

/// The example of the README is tested too.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod aligned;
mod atomic;
mod bytes;
mod calendar;
pub mod choosing;
pub mod corpus;
pub mod decomposition;
pub mod error;
pub mod evaluation;
mod fit;
pub mod inference;
#[doc(hidden)]
pub mod internals;
mod krylov;
pub mod learning;
pub mod linalg;
mod logarithm;
mod memory;
pub mod model;
pub mod models;
pub mod moments;
mod noise;
mod pace;
pub mod persist;
mod questions;
pub mod reading;
pub mod recovery;
mod rivals;
pub mod rounds;
mod stop;
pub mod stream;
pub mod synthetic;
mod tasks;
pub mod text;
mod tree;
pub mod trust;
pub mod whitening;
mod words;

pub use corpus::{Corpus, Vocabulary};
pub use decomposition::Method;
pub use error::{Error, Result};
pub use model::{Lda, Model, SingleTopic};
pub use moments::Moments;
pub use reading::CorpusReader;
