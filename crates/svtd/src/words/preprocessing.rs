//! How text is split into words: all options in one value that is stored with the model.
//!
//! Some options depend on the language ([`StopWords::Auto`], apostrophes), and the language may be guessed;
//! [`Preprocessing::resolved`] resolves them from a sample of the text. A corpus and a model store the resolved
//! value with all stop words, so that the same words are found in new documents even if a later version of this
//! library has other lists or guesses.

mod ranges;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::language::{self, Apostrophes, Guess, Language};
use crate::error::{Error, Result};

use self::ranges::LONGEST_NGRAM;
pub use self::ranges::{Frequency, Ngrams};

/// The options for words. [`new`](Self::new) has the defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Preprocessing {
    /// The language, if it was given or is clear.
    pub language: Option<Language>,
    /// A regular expression for words, instead of the word boundaries of Unicode (UAX #29). If it has a group in
    /// parentheses, the first group is the word.
    pub token_regex: Option<String>,
    /// Whether words are put in lower case, by the full rules of Unicode.
    pub lowercase: bool,
    /// The meaning of an apostrophe inside a word; if `None`, that of the language.
    pub apostrophes: Option<Apostrophes>,
    /// The smallest number of characters of a word.
    pub min_length: usize,
    /// Whether numbers count as words.
    pub numbers: Numbers,
    /// How many neighbouring words make a word of the vocabulary.
    pub ngrams: Ngrams,
    /// The language whose Snowball stemmer maps words to stems.
    pub stem: Option<Language>,
    /// The words that are left out.
    pub stop_words: StopWords,
    /// Words in fewer documents are dropped.
    pub min_df: Frequency,
    /// Words in more documents are dropped.
    pub max_df: Frequency,
    /// At most this many words are kept, the most frequent ones.
    pub max_words: Option<usize>,
    /// Whether a list fixed the vocabulary; then its words are always kept and all others dropped.
    pub fixed_vocabulary: bool,
}

/// Whether numbers count as words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbers {
    /// Numbers are words.
    Keep,
    /// Words without a letter are dropped: `1945`, `3.5`, but not `1970s`.
    Drop,
}

/// The words that are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopWords {
    /// Those of the language, if it is given or clear.
    Auto,
    /// None.
    None,
    /// The words of a list.
    Listed {
        /// The name of the list: a language or a file.
        name: String,
        /// The words, as they are after splitting and lower-casing.
        words: Vec<String>,
    },
}

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
        /// The language, instead of a guess.
        language: Option<Language>;
        /// A regular expression for words.
        token_regex: Option<String>;
        /// Whether words are put in lower case.
        lowercase: bool;
        /// The meaning of an apostrophe; if `None`, that of the language.
        apostrophes: Option<Apostrophes>;
        /// The smallest number of characters of a word.
        min_length: usize;
        /// Whether numbers count as words.
        numbers: Numbers;
        /// How many neighbouring words make a word of the vocabulary.
        ngrams: Ngrams;
        /// The language whose stemmer is used.
        stem: Option<Language>;
        /// The words that are left out.
        stop_words: StopWords;
        /// Words in fewer documents are dropped.
        min_df: Frequency;
        /// Words in more documents are dropped.
        max_df: Frequency;
        /// At most this many words are kept.
        max_words: Option<usize>;
    }

    /// The same splitting without the filters that depend on a corpus. It is applied to new documents, whose words
    /// are then matched with those of the model.
    pub fn for_new_documents(&self) -> Self {
        Preprocessing {
            min_df: Frequency::Documents(1),
            max_df: Frequency::Share(1.0),
            max_words: None,
            ..self.clone()
        }
    }

    /// Whether the other gives the same words for a text, before any is dropped for being rare or frequent.
    pub(crate) fn splits_as(&self, other: &Self) -> bool {
        let plain = |p: &Self| Preprocessing { fixed_vocabulary: false, ..p.for_new_documents() };
        plain(self) == plain(other)
    }

    /// Resolves what depends on the language from a sample of the text, and returns sentences about what was
    /// guessed and what follows from it.
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

    /// Returns an error for options that contradict each other.
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
        if self.max_df.is_zero() {
            return Err(Error::Option {
                name: "max-df",
                needed: "at least 1 document, or a share above 0: a word that is kept is in one"
                    .to_owned(),
                found: self.max_df.to_string(),
            });
        }
        Ok(())
    }

    /// A remark about a guess for the user.
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
                "the text looks {name}, which does not separate words by spaces: single characters \
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
    /// The stop words of a language.
    pub fn of(language: Language) -> Self {
        let words = language.stop_words().map(str::to_owned).collect();
        StopWords::Listed { name: language.name().to_owned(), words }
    }

    /// A list from a file in UTF-8, one word a line; lines that are empty or begin with `#` are ignored.
    ///
    /// # Errors
    /// If the file cannot be read or is not UTF-8.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|source| Error::Io { path: path.display().to_string(), source })?;
        // Models contain no paths, which are private to the user.
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = text.trim_start_matches('\u{feff}');
        let lines = text.lines().map(str::trim);
        let words = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(StopWords::Listed { name, words: words.map(str::to_owned).collect() })
    }
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|c| c.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
