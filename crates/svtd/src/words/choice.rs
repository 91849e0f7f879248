//! Which words were kept, which were dropped, and why: what a corpus and a model remember.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::preprocessing::Preprocessing;

/// How many dropped words are remembered for each reason.
const EXAMPLES: usize = 20;

/// How the words of a corpus were chosen, and what became of the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WordChoice {
    /// How text became words, with everything settled.
    pub preprocessing: Preprocessing,
    /// Documents that were counted.
    pub n_documents: u64,
    /// Different words that were kept and occur.
    pub n_kept: u64,
    /// Their occurrences.
    pub n_kept_tokens: u64,
    /// What was dropped, by reason; reasons that dropped nothing are not listed.
    pub dropped: Vec<Dropped>,
    /// Emoji that were passed over: signs, not words.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_emoji: u64,
    /// Entries of a folder that were passed over: links to other folders, and to nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_skipped_links: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl WordChoice {
    /// Adds what became of the words of further documents, chosen in the same way.
    ///
    /// A word is counted once for each set of documents it was dropped from. How many different
    /// words were kept is for the caller to say.
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
    /// Different words.
    pub n_words: u64,
    /// Their occurrences.
    pub n_tokens: u64,
    /// The most frequent of them with their occurrences.
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
    /// Less frequent than as many others as may be kept.
    MaxWords,
}

impl Reason {
    /// All of them, in the order in which they are applied.
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

/// The option behind the reason, as it is spelled on the command line and in files.
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
    /// Sums up words, each with its occurrences, that share a reason.
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
    /// What was dropped, in one sentence.
    pub(crate) fn sentence(&self) -> String {
        let parts: Vec<String> = self
            .dropped
            .iter()
            .map(|dropped| format!("{} by {}", dropped.n_words, dropped.reason))
            .collect();
        parts.join(", ")
    }

    /// Whether most of what was too short is written in a script that has no blanks between words.
    pub(crate) fn is_unspaced(&self) -> bool {
        let short = self.dropped.iter().find(|dropped| dropped.reason == Reason::TooShort);
        let Some(short) = short else { return false };
        let unspaced = short.examples.iter().filter(|(word, _)| word.chars().any(has_no_blanks));
        2 * unspaced.count() > short.examples.len()
    }

    /// The reason that dropped most words, which is the one to relax first.
    pub(crate) fn main_reason(&self) -> Option<Reason> {
        let most = self.dropped.iter().max_by_key(|dropped| dropped.n_words)?;
        Some(most.reason)
    }
}

/// Han, kana, Thai, Lao, Khmer and Burmese: scripts that put no blanks between words.
pub(super) fn has_no_blanks(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}
