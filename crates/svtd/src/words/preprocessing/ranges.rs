//! Parsing of ranges: number of words of an n-gram, number of documents of a word.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The smallest and largest number of adjacent words that make a word of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ngrams {
    /// The smallest; at least 1.
    pub min: usize,
    /// The largest; at least `min`.
    pub max: usize,
}

/// A number of documents, or a share of all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frequency {
    /// This many documents.
    Documents(u64),
    /// This share of the documents, from 0 to 1.
    Share(f64),
}

/// The largest number of words in an n-gram.
pub(super) const LONGEST_NGRAM: usize = 8;

impl Frequency {
    /// As a number of documents, given how many there are; a share is rounded up for a minimum, down for a maximum.
    pub(crate) fn at_least(self, n_documents: u64) -> u64 {
        match self {
            Frequency::Documents(n) => n,
            Frequency::Share(share) => (share * n_documents as f64 - 1e-9).ceil().max(0.0) as u64,
        }
    }

    pub(crate) fn at_most(self, n_documents: u64) -> u64 {
        match self {
            Frequency::Documents(n) => n,
            Frequency::Share(share) => (share * n_documents as f64 + 1e-9).floor() as u64,
        }
    }

    /// Whether no number of documents is this small, however many documents there are.
    pub(super) fn is_zero(self) -> bool {
        matches!(self, Frequency::Documents(0)) || self == Frequency::Share(0.0)
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Frequency::Documents(n) => write!(f, "{n}"),
            Frequency::Share(share) => write!(f, "{}%", 100.0 * share),
        }
    }
}

impl FromStr for Frequency {
    type Err = Error;

    /// `5` is five documents; `5%` and `0.05` are shares.
    fn from_str(text: &str) -> Result<Self, Error> {
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().ok().map(|p| p / 100.0),
            None => match text.parse() {
                Ok(n) => return Ok(Frequency::Documents(n)),
                Err(_) => text.parse().ok(),
            },
        };
        match share {
            Some(share) if (0.0..=1.0).contains(&share) => Ok(Frequency::Share(share)),
            _ => Err(Error::Option {
                name: "a document frequency",
                needed: "a number of documents such as 5, or a share such as 0.5 or 50%".to_owned(),
                found: text.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Ngrams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.min, self.max)
    }
}

impl FromStr for Ngrams {
    type Err = Error;

    /// `2` means pairs only, `1..2` words and pairs.
    fn from_str(text: &str) -> Result<Self, Error> {
        let (min, max) = text.split_once("..").unwrap_or((text, text));
        match (min.trim().parse(), max.trim_start_matches('=').trim().parse()) {
            (Ok(min), Ok(max)) if 1 <= min && min <= max && max <= LONGEST_NGRAM => {
                Ok(Ngrams { min, max })
            }
            _ => Err(Error::Option {
                name: "ngrams",
                needed: format!("a range such as 1..2, within 1..{LONGEST_NGRAM}"),
                found: text.to_owned(),
            }),
        }
    }
}
