//! Which words were kept, which were dropped, and why: stored with a corpus and a model.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::preprocessing::Preprocessing;

/// Number of dropped words stored as examples for each reason.
const EXAMPLES: usize = 20;

/// How the words of a corpus were chosen, and which were dropped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WordChoice {
    /// How text is split into words, with the language resolved.
    pub preprocessing: Preprocessing,
    /// Number of documents counted.
    pub n_documents: u64,
    /// Number of different words that were kept and occur.
    pub n_kept: u64,
    /// Number of occurrences of the kept words.
    pub n_kept_tokens: u64,
    /// What was dropped, by reason; reasons that dropped nothing are not listed.
    pub dropped: Vec<Dropped>,
    /// Number of emoji that were skipped: they are not words.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_emoji: u64,
    /// Number of links in a folder that were skipped: links to other folders, and broken ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_skipped_links: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl WordChoice {
    /// Adds the choice of further documents, made with the same options.
    ///
    /// A word is counted once for each set of documents from which it was dropped. The caller sets how many
    /// different words were kept.
    pub(crate) fn add(&mut self, other: &WordChoice) {
        self.n_documents += other.n_documents;
        self.n_kept_tokens += other.n_kept_tokens;
        for more in &other.dropped {
            match self.dropped.iter_mut().find(|dropped| dropped.reason == more.reason) {
                Some(dropped) => dropped.add(more),
                None => self.dropped.push(more.clone()),
            }
        }
        self.dropped.sort_by_key(|dropped| dropped.reason);
    }
}

impl Dropped {
    fn add(&mut self, other: &Dropped) {
        self.n_words += other.n_words;
        self.n_tokens += other.n_tokens;
        let kept = self.examples.len().max(other.examples.len());
        for (word, n) in &other.examples {
            match self.examples.iter_mut().find(|(known, _)| known == word) {
                Some((_, total)) => *total += n,
                None => self.examples.push((word.clone(), *n)),
            }
        }
        self.examples.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        self.examples.truncate(kept);
    }
}

/// What was dropped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dropped {
    /// The reason.
    pub reason: Reason,
    /// Number of different words.
    pub n_words: u64,
    /// Number of their occurrences.
    pub n_tokens: u64,
    /// The most frequent of them with their number of occurrences.
    pub examples: Vec<(String, u64)>,
}

/// Why a word was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// On the list of stop words.
    StopWord,
    /// Without a letter.
    Number,
    /// Fewer characters than asked for.
    TooShort,
    /// More characters than any word has.
    TooLong,
    /// Not on the list that fixes the vocabulary.
    NotListed,
    /// In too few documents.
    MinDf,
    /// In too many documents.
    MaxDf,
    /// Beyond the largest number of words that may be kept.
    MaxWords,
}

impl Reason {
    /// All reasons, in the order in which they are applied.
    pub const ALL: [Reason; 8] = [
        Reason::StopWord,
        Reason::Number,
        Reason::TooShort,
        Reason::TooLong,
        Reason::NotListed,
        Reason::MinDf,
        Reason::MaxDf,
        Reason::MaxWords,
    ];
}

/// The option behind the reason, as spelled on the command line and in files.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::StopWord => "stop-words",
            Reason::Number => "numbers",
            Reason::TooShort => "min-length",
            Reason::TooLong => "too long",
            Reason::NotListed => "vocab",
            Reason::MinDf => "min-df",
            Reason::MaxDf => "max-df",
            Reason::MaxWords => "max-words",
        })
    }
}

impl Dropped {
    /// Summarises words that were dropped for the same reason; each comes with its occurrences.
    pub(crate) fn sum(reason: Reason, mut words: Vec<(&str, u64)>) -> Option<Self> {
        if words.is_empty() {
            return None;
        }
        let (n_words, n_tokens) = (words.len() as u64, words.iter().map(|(_, n)| n).sum());
        let order = |a: &(&str, u64), b: &(&str, u64)| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0));
        if words.len() > EXAMPLES {
            words.select_nth_unstable_by(EXAMPLES, order);
            words.truncate(EXAMPLES);
        }
        words.sort_unstable_by(order);
        let examples = words.into_iter().map(|(word, n)| (word.to_owned(), n)).collect();
        Some(Dropped { reason, n_words, n_tokens, examples })
    }
}

impl WordChoice {
    /// One sentence on what was dropped.
    pub(crate) fn sentence(&self) -> String {
        let parts: Vec<String> = self
            .dropped
            .iter()
            .map(|dropped| format!("{} by {}", dropped.n_words, dropped.reason))
            .collect();
        parts.join(", ")
    }

    /// Whether most of the words that were too short are in a script without spaces between words.
    pub(crate) fn is_unspaced(&self) -> bool {
        let short = self.dropped.iter().find(|dropped| dropped.reason == Reason::TooShort);
        let Some(short) = short else { return false };
        let unspaced = short.examples.iter().filter(|(word, _)| word.chars().any(has_no_blanks));
        2 * unspaced.count() > short.examples.len()
    }

    /// The reason that dropped most words: the one to relax first.
    pub(crate) fn main_reason(&self) -> Option<Reason> {
        let most = self.dropped.iter().max_by_key(|dropped| dropped.n_words)?;
        Some(most.reason)
    }
}

/// Han, kana, Thai, Lao, Khmer and Burmese: scripts without spaces between words.
pub(super) fn has_no_blanks(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}
