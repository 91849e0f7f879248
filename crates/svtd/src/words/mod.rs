//! Words: how text is split into them, and which of them are kept.
//!
//! [`Preprocessing`] says what a word is and which words are kept; [`WordChoice`] records which were kept and
//! dropped. Counting is done in [`text`](crate::text).

mod choice;
mod language;
#[cfg(test)]
pub(crate) mod naive;
mod preprocessing;
mod split;
pub(crate) mod stop_words;

pub use self::choice::{Dropped, Reason, WordChoice};
pub use self::language::{Apostrophes, Language};
pub use self::preprocessing::{Frequency, Ngrams, Numbers, Preprocessing, StopWords};
pub use self::split::Tokenizer;
