//! Hidden Markov models: a chain of hidden states, observed through what they emit.
//!
//! ```text
//! state_1 ~ pi,   state_(t+1) ~ A(state_t, .),   x_t ~ emission of state_t
//! ```
//!
//! Emissions are categorical, Poisson, Gaussian (diagonal) or multinomial. Learned by the common
//! [`engine`](crate::models::engine): starts from three consecutive observations or windows, from
//! trigrams and partitions, a ladder of splits, moves up and down, accelerated Baum-Welch.
//! Observations may be missing, and there may be many sequences.
//!
//! ```
//! use svtd::models::hmm::{Emissions, Hmm, Sequences};
//!
//! # fn main() -> svtd::Result<()> {
//! // Quiet years and busy years, in turns of ten.
//! let counts: Vec<f64> = (0..100)
//!     .map(|t| if (t / 10) % 2 == 0 { 3.0 + (t % 3) as f64 } else { 18.0 + (t % 5) as f64 })
//!     .collect();
//! let sequences = Sequences::new(Emissions::Poisson, 1, counts, vec![100])?;
//! let model = Hmm::params(2).fit(&sequences)?;
//! assert!((model.emission(0)[0] - 4.0).abs() < 0.5);
//! assert!((model.dwell_time(0) - 10.0).abs() < 5.0);
//! # Ok(())
//! # }
//! ```
//!
//! # The prior
//! One record of the overall distribution in every state and one transition of every kind (`a = 1`) keep
//! probabilities away from 0, so that new sequences have finite scores. `a = 0` is maximum likelihood; the solution
//! with the prior is then one more start.

mod asking;
mod chain;
mod check;
mod cuts;
mod emissions;
mod features;
mod fit;
mod fitted;
mod forward_backward;
mod learned;
mod model;
mod observations;
mod quasi_random;
mod search;
mod sequences;
mod starts;
mod symbols;
mod table;
mod three_views;
mod trigrams;

pub use asking::{Forecast, InitialLaw};
pub use check::SequenceCheck;
pub use fit::HmmParams;
pub use fitted::{ErrorBars, Hmm};
pub use sequences::{Emissions, Sequences};
pub use table::{SequenceColumns, SequenceTable};
pub use three_views::{ThreeViews, TripleMoments};
