//! Whether a topic is found again in independent halves of the documents.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// How a topic fares when two independent halves of the documents are each fitted from scratch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Halves {
    /// How many of the topic's ten likeliest words are among the ten likeliest of its counterparts in both halves:
    /// from 0 to 10, the mean over the splits.
    pub found_again: f64,
    /// How many words would return by chance: of the ten words, the mean number that is in the topic's counterpart
    /// in one half and in *another* topic of the other half. All ten, in a split whose counterparts are no closer
    /// to each other than to another topic. 0 in files written before this was measured.
    #[serde(default)]
    pub by_chance: f64,
    /// The L1 distance between the topic's counterparts in the two halves: from 0 to 2, the mean over the splits.
    pub half_distance: f64,
    /// Whether the two counterparts are nearly the same in every split (at most .3 apart) and far from all other
    /// topics: the topic is found again, whichever of its words come first. False in older files.
    #[serde(default)]
    pub close: bool,
    /// How often the documents were split into two halves.
    pub n_splits: usize,
    /// Number of documents in both halves together; smaller than the corpus where halves are samples.
    pub n_documents: usize,
    /// Whether documents mix topics and three or fewer of them hold half of this one; false in older files.
    #[serde(default)]
    pub held_by_few: bool,
}

impl Halves {
    /// Whether the topic can be relied on. The threshold is higher after one split than after several, and a topic
    /// that few documents hold never reproduces: which words return depends on where these fall.
    pub fn standing(&self) -> Standing {
        match self.by_words() {
            _ if self.close && !self.held_by_few => Standing::Reproduces,
            Standing::NotFoundAgain if self.close => Standing::Partly,
            standing => standing,
        }
    }

    /// The standing by the number of words that return.
    fn by_words(&self) -> Standing {
        let once = self.n_splits < 2 && self.found_again < REPRODUCES_ONCE;
        match Standing::of(self.found_again, self.by_chance) {
            Standing::Reproduces if once || self.held_by_few => Standing::Partly,
            standing => standing,
        }
    }

    /// The result of the halves as a sentence.
    pub fn sentence(&self) -> String {
        let words = tenths(self.found_again);
        let mut text =
            format!("{words} of its 10 words return in independent halves of the documents");
        if self.by_chance >= WORTH_SAYING {
            let _ = write!(text, ", {} would by chance", tenths(self.by_chance));
        }
        if self.standing() != self.by_words() {
            let _ = write!(
                text,
                "; but the halves agree on the topic ({:.2} apart in L1): many of its words are about equally likely",
                self.half_distance
            );
        }
        text
    }

    /// A short form for lists: the standing and the number of words found again, plus the number by chance where
    /// that decided.
    pub fn flag(&self) -> String {
        let standing = self.standing();
        let mut text = format!("{}: {} of 10 words", standing.name(), tenths(self.found_again));
        if standing != self.by_words() {
            let _ = write!(text, ", halves {:.2} apart", self.half_distance);
            return text;
        }
        if Standing::of(self.found_again, self.by_chance) != Standing::of(self.found_again, 0.0) {
            let _ = write!(text, ", {} by chance", tenths(self.by_chance));
        }
        text
    }
}

/// Whether a topic is found again in independent halves of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Standing {
    /// Seven or more of its ten words return, eight or more where the documents were split only once, or the halves
    /// agree on the whole topic; and in LDA more than three documents hold half of it.
    #[serde(rename = "reproduces")]
    Reproduces,
    /// Five or more of its words return, but fewer than for `Reproduces`.
    #[serde(rename = "partly")]
    Partly,
    /// Fewer than five of its words return, or hardly more than would by chance.
    #[serde(rename = "not found again")]
    NotFoundAgain,
}

impl Standing {
    /// The standing of a topic of whose ten words `words` return where `by_chance` would return by chance. A topic
    /// is found again only if it exceeds chance by more than four tenths of the largest possible excess, `10 -
    /// by_chance`; if chance brings all ten, no topic is.
    pub fn of(words: f64, by_chance: f64) -> Self {
        if words < PARTLY || words - by_chance <= BEYOND_CHANCE * (10.0 - by_chance) {
            Standing::NotFoundAgain
        } else if words < REPRODUCES {
            Standing::Partly
        } else {
            Standing::Reproduces
        }
    }

    /// The name, as shown to people and as written to files.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Reproduces => "reproduces",
            Standing::Partly => "partly",
            Standing::NotFoundAgain => "not found again",
        }
    }
}

/// A number with at most one decimal.
fn tenths(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A topic reproduces if at least this many of its ten words are found in both halves
/// (`benches/record/found_again.md`).
const REPRODUCES: f64 = 7.0;

/// The threshold where the documents were split only once, which says less about other splits. How it was chosen
/// and how well it works: `benches/record/found_again.md`.
const REPRODUCES_ONCE: f64 = 8.0;

/// With fewer words than this a topic is not found again.
const PARTLY: f64 = 5.0;

/// A topic must exceed chance by this share of the largest possible excess. In generated corpora 95 of 100 invented
/// topics lie below .35 and 95 of 100 true ones above .47 (above .29 with vocabularies of 300 words or fewer):
/// `benches/record/found_again.md`.
const BEYOND_CHANCE: f64 = 0.4;

/// The number of words by chance is mentioned from this value on.
const WORTH_SAYING: f64 = 1.0;
