//! Latent classes: which hidden groups answer a questionnaire, and how each of them answers.
//!
//! A record answers `J` items. Given its class, answers are independent (naive Bayes): category `i`
//! of an item has probability `p_ij` in class `j`, and class `j` has share `omega_j`. Answers may be
//! missing at random; records may have weights; beside categories, items may be counts (Poisson
//! within a class) and real numbers (normal within a class).
//!
//! ```
//! use svtd::models::classes::{ItemChoice, LatentClass, Records};
//! use svtd::models::table::{Column, Table};
//!
//! # fn main() -> svtd::Result<()> {
//! // Two kinds of people, four questions: one kind says yes throughout, with one slip.
//! let answers = ["yyyy", "yyyy", "yyny", "nnnn", "nnnn", "nynn", "yyyy", "nnnn"];
//! let question = |b: usize| {
//!     let cells = answers.iter().map(|record| record.get(b..=b));
//!     Column::from_cells(format!("q{}", b + 1), cells)
//! };
//! let table = Table::new((0..4).map(question).collect())?;
//! let records = Records::from_table(&table, &ItemChoice::default())?;
//! let classes = LatentClass::params(2).fit(&records)?;
//! let found = classes.infer(&records)?.classes();
//! assert_eq!(found[0], found[2]);
//! assert_ne!(found[0], found[3]);
//! # Ok(())
//! # }
//! ```
//!
//! The steps are those of all models here: moments give a start ([`spectral`]), the [engine](super::engine)
//! searches from it and from others, [`Identifiability`] says beforehand how many classes the items can identify,
//! [`Summary`] afterwards how reliable the result is. No random numbers are used, and records in another order give
//! the same bits.

mod coding;
mod data;
mod dealing;
mod diagnostics;
mod em;
mod fit;
mod fitted;
mod identify;
mod items;
mod learned;
mod model;
mod options;
mod parameters;
mod pass;
pub mod spectral;
mod starts;
#[cfg(test)]
mod tests;

pub use data::Records;
pub use diagnostics::{PairResidual, Summary};
pub use fit::{ClassParams, MAX_CHOSEN};
pub use fitted::{ClassInference, Estimate, ItemLaw, LatentClass};
pub(crate) use identify::measured_rank;
pub use identify::{Identifiability, Visible, exact_records, most_classes};
pub use items::{Item, ItemChoice, ItemKind};
pub use model::ClassModel;
pub use options::{ClassCount, ClassOptions};
pub use parameters::ClassParameters;
