//! How text becomes words: every choice in one value that is stored with the model.
//!
//! Some choices follow the language ([`StopWords::Auto`], apostrophes) and the language may be
//! guessed; [`Preprocessing::resolved`] settles them from a sample of the text. What a corpus and a
//! model keep is the settled value, stop words spelled out, so that the same words are found in new
//! documents even where a later version of this library has other lists or other guesses.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::language::{self, Guess, Language};
use crate::error::{Error, Result};

/// The choices about words. [`new`](Self::new) has the defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Preprocessing {
    /// The language, if it was told or is clear.
    pub language: Option<Language>,
    /// What a word looks like, instead of the word boundaries of Unicode (UAX #29). With a group in
    /// parentheses, the first group is the word.
    pub token_regex: Option<String>,
    /// Whether words are put in lower case, by the full rules of Unicode.
    pub lowercase: bool,
    /// What an apostrophe inside a word means; by the language if `None`.
    pub apostrophes: Option<Apostrophes>,
    /// Fewest characters of a word.
    pub min_length: usize,
    /// Whether numbers are words.
    pub numbers: Numbers,
    /// How many neighbouring words make a word of the vocabulary.
    pub ngrams: Ngrams,
    /// The language whose Snowball stemmer maps words to stems.
    pub stem: Option<Language>,
    /// The words left out.
    pub stop_words: StopWords,
    /// Words in fewer documents are dropped.
    pub min_df: Frequency,
    /// Words in more documents are dropped.
    pub max_df: Frequency,
    /// At most this many words are kept, the most frequent ones.
    pub max_words: Option<usize>,
    /// Whether a list fixed the vocabulary; then the filters spare its words and drop all others.
    pub fixed_vocabulary: bool,
}

/// What an apostrophe inside a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Apostrophes {
    /// Part of the word: `rock'n'roll`.
    Keep,
    /// The end of one word and the beginning of the next: `l'amore` is `l` and `amore`.
    Split,
    /// Part of the word, but for an English `'s` at its end: `nation's` is `nation`.
    Possessive,
}

/// Whether numbers are words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbers {
    /// They are.
    Keep,
    /// Words without a letter are dropped: `1945`, `3.5`, but not `1970s`.
    Drop,
}

/// From how many to how many neighbouring words make a word of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ngrams {
    /// Fewest; at least 1.
    pub min: usize,
    /// Most; at least `min`.
    pub max: usize,
}

/// The words left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopWords {
    /// Those of the language, if it is told or clear.
    Auto,
    /// None.
    None,
    /// These.
    Listed {
        /// What the list is called: a language or a file.
        name: String,
        /// The words, in the form they have after splitting and lower-casing.
        words: Vec<String>,
    },
}

/// In how many documents, as a number or as a share of all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frequency {
    /// This many documents.
    Documents(u64),
    /// This share of the documents, from 0 to 1.
    Share(f64),
}

/// The most words of an n-gram.
const LONGEST_NGRAM: usize = 8;

impl Default for Preprocessing {
    fn default() -> Self {
        Preprocessing {
            language: None,
            token_regex: None,
            lowercase: true,
            apostrophes: None,
            min_length: 2,
            numbers: Numbers::Drop,
            ngrams: Ngrams { min: 1, max: 1 },
            stem: None,
            stop_words: StopWords::Auto,
            min_df: Frequency::Documents(2),
            max_df: Frequency::Share(1.0),
            max_words: Some(100_000),
            fixed_vocabulary: false,
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        $($(#[$doc])* pub fn $name(mut self, $name: $type) -> Self { self.$name = $name; self })*
    };
}

impl Preprocessing {
    /// The defaults: Unicode words in lower case, at least two characters, no numbers, without the
    /// stop words of the language, in at least two documents, the 100,000 most frequent.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Tells the language instead of guessing it.
        language: Option<Language>;
        /// What a word looks like.
        token_regex: Option<String>;
        /// Whether words are put in lower case.
        lowercase: bool;
        /// What an apostrophe means; by the language if `None`.
        apostrophes: Option<Apostrophes>;
        /// Fewest characters of a word.
        min_length: usize;
        /// Whether numbers are words.
        numbers: Numbers;
        /// How many neighbouring words make a word of the vocabulary.
        ngrams: Ngrams;
        /// The language whose stemmer is applied.
        stem: Option<Language>;
        /// The words left out.
        stop_words: StopWords;
        /// Words in fewer documents are dropped.
        min_df: Frequency;
        /// Words in more documents are dropped.
        max_df: Frequency;
        /// At most this many words are kept.
        max_words: Option<usize>;
    }

    /// The same splitting without the filters that depend on a corpus: what a model asks of new
    /// documents, whose words it then matches with its own.
    pub fn for_new_documents(&self) -> Self {
        Preprocessing {
            min_df: Frequency::Documents(1),
            max_df: Frequency::Share(1.0),
            max_words: None,
            ..self.clone()
        }
    }

    /// Whether the other makes the same words of a text, before any is dropped for being rare or
    /// frequent.
    pub(crate) fn splits_as(&self, other: &Self) -> bool {
        let plain = |p: &Self| Preprocessing { fixed_vocabulary: false, ..p.for_new_documents() };
        plain(self) == plain(other)
    }

    /// Settles what depends on the language, from a sample of the text, and says in sentences what
    /// was guessed and what follows from it.
    ///
    /// # Errors
    /// If the choices contradict each other.
    pub fn resolved(&self, sample: &str) -> Result<(Self, Vec<String>)> {
        self.check()?;
        let mut settled = self.clone();
        let mut notes = Vec::new();
        let open = self.language.is_none()
            && (self.stop_words == StopWords::Auto || self.apostrophes.is_none());
        if open {
            let guess = language::guess(sample);
            notes.extend(self.remark(&guess));
            if let Guess::Known(language) = guess {
                settled.language = Some(language);
            }
        }
        if settled.stop_words == StopWords::Auto {
            settled.stop_words = match settled.language {
                Some(language) => StopWords::of(language),
                None => StopWords::None,
            };
        }
        let habit = settled.language.map_or(Apostrophes::Keep, Language::apostrophes);
        settled.apostrophes.get_or_insert(habit);
        Ok((settled, notes))
    }

    /// Refuses choices that contradict each other.
    pub(super) fn check(&self) -> Result<()> {
        let Ngrams { min, max } = self.ngrams;
        if min < 1 || max < min || max > LONGEST_NGRAM {
            return Err(Error::Option {
                name: "ngrams",
                needed: format!("a range such as 1..2, within 1..{LONGEST_NGRAM}"),
                found: self.ngrams.to_string(),
            });
        }
        if let Some(language) = self.stem
            && language.stemmer().is_none()
        {
            return Err(Error::Option {
                name: "stem",
                needed: "a language with a Snowball stemmer".to_owned(),
                found: language.to_string(),
            });
        }
        if self.max_words == Some(0) {
            return Err(Error::Option {
                name: "max-words",
                needed: "at least 1".to_owned(),
                found: "0".to_owned(),
            });
        }
        Ok(())
    }

    /// What to tell about a guess.
    fn remark(&self, guess: &Guess) -> Option<String> {
        let auto = self.stop_words == StopWords::Auto;
        match guess {
            Guess::Known(language) if auto => Some(format!(
                "the text looks {}, so the stop words of that language are left out; \
                 stop-words none keeps them",
                capital(language.name())
            )),
            Guess::Known(language) => Some(format!("the text looks {}", capital(language.name()))),
            Guess::Foreign(name) if auto => Some(format!(
                "the text looks {name}, for which there is no list of stop words; \
                 give your own as stop-words"
            )),
            Guess::Foreign(name) => Some(format!("the text looks {name}")),
            Guess::Unspaced(_) if self.token_regex.is_some() => None,
            Guess::Unspaced(name) => Some(format!(
                "the text looks {name}, which does not part words by spaces: single characters \
                 became words; put spaces between words with a segmenter first, \
                 then read it with token-regex '\\S+'"
            )),
            Guess::Unclear if auto => Some(
                "the language is not clear, so no stop words are left out; \
                 stop-words english (or another language) leaves them out"
                    .to_owned(),
            ),
            Guess::Unclear => None,
        }
    }
}

impl StopWords {
    /// The list of a language.
    pub fn of(language: Language) -> Self {
        let words = language.stop_words().map(str::to_owned).collect();
        StopWords::Listed { name: language.name().to_owned(), words }
    }

    /// A list from a file in UTF-8, one word a line; lines that are empty or begin with `#` are
    /// passed over.
    ///
    /// # Errors
    /// If the file cannot be read or is not UTF-8.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|source| Error::Io { path: path.display().to_string(), source })?;
        // Models hold no paths: where a file lies is nobody's business but its owner's.
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = text.trim_start_matches('\u{feff}');
        let lines = text.lines().map(str::trim);
        let words = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(StopWords::Listed { name, words: words.map(str::to_owned).collect() })
    }
}

impl Frequency {
    /// In documents, of so many; a share is rounded up for a least, down for a most.
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

    /// `5` is five documents; `5%` and `0.05` are a share.
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

    /// `2` is pairs alone, `1..2` words and pairs.
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

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|c| c.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    const ENGLISH: &str = "we count how often each word occurs in every letter, and then ask which of the letters have something in common that the others do not have";

    #[test]
    fn a_frequency_is_a_number_or_a_share() {
        let parse = |text: &str| text.parse::<Frequency>().ok();
        assert_eq!(parse("5"), Some(Frequency::Documents(5)));
        assert_eq!(parse("1"), Some(Frequency::Documents(1)));
        assert_eq!(parse("1.0"), Some(Frequency::Share(1.0)));
        assert_eq!(parse("50%"), Some(Frequency::Share(0.5)));
        for text in ["-1", "1.5", "101%", "x", "", "nan", "inf"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_share_of_the_documents_is_exact_where_it_is_whole() {
        let share = Frequency::Share(0.1);
        assert_eq!((share.at_least(30), share.at_most(30)), (3, 3));
        assert_eq!((share.at_least(31), share.at_most(31)), (4, 3));
    }

    #[test]
    fn n_grams_are_a_range_or_a_number() {
        let parse = |text: &str| text.parse::<Ngrams>().ok();
        assert_eq!(parse("1..2"), Some(Ngrams { min: 1, max: 2 }));
        assert_eq!(parse("2"), Some(Ngrams { min: 2, max: 2 }));
        for text in ["0", "2..1", "1..9", "..", "a"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_language_decides_what_was_left_open() {
        let (settled, notes) = Preprocessing::new().resolved(ENGLISH).unwrap();
        assert_eq!(settled.language, Some(Language::English));
        assert_eq!(settled.stop_words, StopWords::of(Language::English));
        assert_eq!(settled.apostrophes, Some(Apostrophes::Possessive));
        assert!(notes[0].starts_with("the text looks English, so the stop words"), "{notes:?}");
    }

    #[test]
    fn what_was_told_is_not_guessed() {
        let told = Preprocessing::new().language(Some(Language::Italian));
        let (settled, notes) = told.resolved(ENGLISH).unwrap();
        assert_eq!(settled.stop_words, StopWords::of(Language::Italian));
        assert_eq!(settled.apostrophes, Some(Apostrophes::Split));
        assert_eq!(notes, Vec::<String>::new());
    }

    #[test]
    fn a_settled_value_stays_as_it_is() {
        let (settled, _) = Preprocessing::new().resolved(ENGLISH).unwrap();
        let (again, notes) = settled.resolved("道可道,非常道").unwrap();
        assert_eq!((again, notes.len()), (settled, 0));
    }

    #[test]
    fn a_value_survives_json() {
        let (settled, _) =
            Preprocessing::new().ngrams(Ngrams { min: 1, max: 3 }).resolved(ENGLISH).unwrap();
        let text = serde_json::to_string(&settled).unwrap();
        assert_eq!(serde_json::from_str::<Preprocessing>(&text).unwrap(), settled);
    }
}
