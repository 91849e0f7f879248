//! Raters: how often each is right, without a gold standard (Dawid and Skene 1979).
//!
//! Items have a true label that nobody knows; each rater gives some of them a label. Rater `r`
//! calls an item of true label `t` by label `l` with probability `c_r(t, l)`, independently of the
//! other raters. From the ratings alone: how common each label is, every rater's confusions, and
//! the probable label of every item.
//!
//! ```
//! use svtd::models::raters::{RaterColumns, Ratings, Raters};
//! use svtd::models::table::{Column, Table};
//!
//! # fn main() -> svtd::Result<()> {
//! // Three careful raters and one who says "cat" to everything, on twelve pictures.
//! let (mut items, mut raters, mut labels) = (Vec::new(), Vec::new(), Vec::new());
//! for item in 0..12 {
//!     for rater in ["ann", "bob", "cleo", "dan"] {
//!         items.push(Some(format!("picture {item}")));
//!         raters.push(Some(rater));
//!         labels.push(Some(if rater == "dan" || item % 2 == 0 { "cat" } else { "dog" }));
//!     }
//! }
//! let table = Table::new(vec![
//!     Column::from_cells("item", items),
//!     Column::from_cells("rater", raters),
//!     Column::from_cells("label", labels),
//! ])?;
//! let raters = Raters::params().fit(&Ratings::from_table(&table, &RaterColumns::default())?)?;
//! assert!(raters.accuracy(0).value > 0.9 && raters.accuracy(3).value < 0.7);
//! # Ok(())
//! # }
//! ```
//!
//! # Method
//! EM from two starts: the majority of the ratings, and moments. For the latter raters are pooled
//! into a few groups, whose majorities are items of a latent class model in closed form
//! ([`spectral`](crate::models::classes::spectral)); a spectral start followed by EM is rate-optimal
//! (Zhang, Chen, Zhou and Jordan 2016). Classes are matched with labels by the confusions; the
//! higher objective wins.
//!
//! # Prior
//! For every rater and true label `a` ratings of which half are right and half follow the label
//! frequencies; `a = 0` is maximum likelihood.

mod data;
mod em;
mod fitted;
mod learned;

pub use data::{RaterColumns, Ratings};
pub use em::RaterParameters;
pub use fitted::{RaterOptions, RaterParams, RaterSummary, Raters};
