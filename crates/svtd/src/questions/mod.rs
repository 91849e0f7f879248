//! Questions about documents, and answers: the plain data of [`rounds`](crate::rounds).
//!
//! A [`Question`] names a part of the documents by their keys ([`part`]), the words in the order in which its tables
//! number them, and a [`Request`]: what is wanted, with the tables that whoever holds documents needs for it. An
//! [`Answer`] holds sums, which add up.
//!
//! Nothing is computed here. The tables are defined here so that a corpus can pass them on. The
//! module that asks for a sum also computes it for documents in memory, so that a fit of documents
//! here and of documents elsewhere use the same function.

mod answer;
mod choosing;
mod facts;
mod leaving;
mod moments;
mod part;
mod question;
mod sweeps;
mod trust;

pub use self::answer::Answer;
pub(crate) use self::answer::{Survey, wrong_size};
pub(crate) use self::choosing::{
    ConjugateDirections, Deal, DealRequest, Directions, HeldOutRequest, Others,
};
pub(crate) use self::facts::{Facts, KEY_BINS, WordFacts};
pub(crate) use self::leaving::LeavingRequest;
pub use self::moments::{Counting, Rows};
pub(crate) use self::moments::{Law, SliceRequest, Weighing};
pub(crate) use self::part::{Dealt, KeyPart, KeyRange, mixed};
pub use self::question::Question;
pub(crate) use self::question::{Named, NamedDeal, NamedSettling, Request};
pub(crate) use self::sweeps::{Look, LookRequest, Order, Rates};
pub(crate) use self::trust::{FeedbackRequest, Holding, Redraw, Redrawing, Scores, Settling};

use crate::error::Result;

/// Whoever can be asked about documents.
pub trait Ask: Send + Sync {
    /// The sum of the answers of all holders of documents.
    ///
    /// # Errors
    /// When somebody cannot or will not answer.
    fn ask(&self, question: &Question) -> Result<Answer>;
}
