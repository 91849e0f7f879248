//! Rounds: a fit that asks questions about documents, which may be anywhere.
//!
//! Everything that a fit needs from documents is a sum over documents of something computed from
//! one document and a small table that all holders get. So a fit need not hold documents. It asks a
//! [`Question`]; every holder of documents gives an [`Answer`]; answers add up.
//!
//! ```text
//!             question (small, the same for all)          answer (a sum)
//!  learner ──────────────────────────────► holder A ─┐
//!                                          holder B ─┤ + ──► learner
//!                                          holder C ─┘
//! ```
//!
//! Questions and answers are defined in `questions`, below the corpus; this module has the holders
//! of documents. [`Corpus::elsewhere`](crate::Corpus::elsewhere) makes a corpus from anything that
//! can be asked ([`Ask`]), and a fit of it takes the same steps as any other, trust included. A
//! [`Respondent`] answers for the documents of a corpus in memory, with the functions that a fit of
//! that corpus uses itself. [`Sites`] asks by files in a folder, so that documents stay where they
//! are; a [`Checkpoint`] keeps answers, so that an interrupted fit can continue.
//!
//! | question | answer | asked by |
//! |---|---|---|
//! | survey | words and how often they occur, numbers of documents | everything |
//! | lengths, law | sums of the lengths, and of the values of a law of weights | weights |
//! | weighted | `X'w1`, `X'w2`, `X'w3` | moments |
//! | pairs | `X'(w2 o XQ)` | whitening |
//! | cube | `sum w3 z z z`, `X'(w3 o Z)` | decomposition |
//! | squares | the rows of `M` | recovery |
//! | slices | a table for each word | the paper's method |
//! | expectation | posteriors summed | EM |
//! | leaving | how posteriors change for documents of small topics, without their own words | EM, at its end |
//! | look | expected counts of words in topics, in fixed point | sweeps |
//! | word keys | hashes that identify words without names | held-out words |
//! | held out | how well models predict held-out words | the choice between candidates |
//! | deal | numbers of documents and counts of words of topics, as documents are assigned to them | rare topics |
//! | directions | how clear directions of the pair moment are | z-scores |
//! | torques, settled, feedback | how an estimate changes when some documents are left out | error bars |
//! | holdings | how many documents hold how much of a topic | trust |
//!
//! A question names the part of the documents that it is about, by their keys: one half of a split,
//! a group of the jackknife, or the held-out documents.
//!
//! # Same numbers
//! Documents are cut into blocks by their keys, and block sums are added along a fixed tree. A holder
//! of whole blocks gives what a fit of all documents would have computed at that node of the tree. Where
//! several holders have documents of the same block, sums differ in their last bits.

mod checkpoint;
mod file;
mod question_file;
mod respondent;
mod runs;
pub mod sites;
mod writing;

pub use checkpoint::Checkpoint;
pub use file::digest_of;
pub use respondent::Respondent;
pub use sites::{Sites, Waiting};

pub use crate::questions::{Answer, Ask, Question};

#[cfg(test)]
mod tests;
