//! Rounds: a fit that asks questions about documents, which may be anywhere.
//!
//! Everything that a learner wants of documents is a sum, over documents, of something that is made of
//! one document and a small table that everybody has. So a learner need not hold documents. It asks a
//! [`Question`]; whoever holds some of the documents gives an [`Answer`]; answers add up.
//!
//! ```text
//!             question (small, the same for all)          answer (a sum)
//!  learner ──────────────────────────────► holder A ─┐
//!                                          holder B ─┤ + ──► learner
//!                                          holder C ─┘
//! ```
//!
//! The data of questions and answers stand in `questions`, below the corpus; here stand those who answer.
//! [`Corpus::elsewhere`](crate::Corpus::elsewhere) makes a corpus of whoever can be asked
//! ([`Ask`]). A fit of it goes the same road as any other, trust included. A [`Respondent`] answers for
//! the documents of a corpus at hand, with the functions that a fit of that corpus uses itself. [`Sites`]
//! asks by files in a folder, so that documents stay where they are; a [`Checkpoint`] keeps answers, so that
//! a fit that was interrupted goes on where it was.
//!
//! | question | answer | asked by |
//! |---|---|---|
//! | survey | words and how often they occur, numbers of documents | everything |
//! | lengths, law | what lengths, and values of a law, add up to | weights |
//! | weighted | `X'w1`, `X'w2`, `X'w3` | moments |
//! | pairs | `X'(w2 o XQ)` | whitening |
//! | cube | `sum w3 z z z`, `X'(w3 o Z)` | decomposition |
//! | squares | the rows of `M` | recovery |
//! | slices | a table for each word | the paper's method |
//! | expectation | posteriors summed | EM |
//! | look | words dealt to topics, in whole numbers | sweeps |
//! | word keys | what tells words without names apart | held-out words |
//! | held out | how well models predict held-out words | the choice between candidates |
//! | deal | documents and words of topics, as documents are dealt to them | rare topics |
//! | directions | how clear directions of the pair moment are | z-scores |
//! | torques, settled, feedback | how an estimate moves without some documents | error bars |
//! | holdings | how many documents hold how much of a topic | trust |
//!
//! A question names the part of the documents that it is about, by their keys: a half of a split, a group of
//! the jackknife, what is held out.
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
