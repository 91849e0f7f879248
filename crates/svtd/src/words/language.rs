//! Languages: what we know about each, and which one a text is in.
//!
//! A language has a list of stop words, usually a Snowball stemmer, and a rule for apostrophes. The language of a
//! corpus is guessed from trigrams (by the crate `whatlang`) in a sample of its first documents. A guess is used
//! only when it is clear; it is reported to the user and recorded with the model.

use std::fmt;
use std::str::FromStr;

use rust_stemmers::Algorithm;
use serde::{Deserialize, Serialize};
use whatlang::{Detector, Lang, Script};

use crate::error::Error;

/// The meaning of an apostrophe inside a word.
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

/// Number of characters of the sample that are used; more would not change the guess.
const SAMPLE_CHARACTERS: usize = 20_000;

macro_rules! languages {
    ($($name:ident, $text:literal, $code:ident, $stemmer:expr, $apostrophes:ident;)*) => {
        /// A language with a list of stop words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Language {
            $(#[doc = concat!("As in ", $text, ".")] $name,)*
        }

        impl Language {
            /// All of them, by name.
            pub const ALL: &[Language] = &[$(Language::$name,)*];

            /// The name that options and files use, in lower case.
            pub fn name(self) -> &'static str {
                match self { $(Language::$name => $text,)* }
            }

            /// The stop words: articles, pronouns, prepositions, conjunctions, auxiliaries and a few
            /// adverbs, one a line in the source.
            pub fn stop_words(self) -> impl Iterator<Item = &'static str> {
                let list = match self {
                    $(Language::$name => include_str!(concat!("stop_words/", $text, ".txt")),)*
                };
                list.split_whitespace()
            }

            pub(crate) fn stemmer(self) -> Option<Algorithm> {
                match self { $(Language::$name => $stemmer,)* }
            }

            /// What an apostrophe usually means.
            pub(super) fn apostrophes(self) -> Apostrophes {
                match self { $(Language::$name => Apostrophes::$apostrophes,)* }
            }

            fn of(code: Lang) -> Option<Self> {
                match code { $(Lang::$code => Some(Language::$name),)* _ => None }
            }
        }
    };
}

languages! {
    Danish, "danish", Dan, Some(Algorithm::Danish), Keep;
    Dutch, "dutch", Nld, Some(Algorithm::Dutch), Keep;
    English, "english", Eng, Some(Algorithm::English), Possessive;
    Finnish, "finnish", Fin, Some(Algorithm::Finnish), Keep;
    French, "french", Fra, Some(Algorithm::French), Split;
    German, "german", Deu, Some(Algorithm::German), Keep;
    Greek, "greek", Ell, Some(Algorithm::Greek), Keep;
    Hungarian, "hungarian", Hun, Some(Algorithm::Hungarian), Keep;
    Italian, "italian", Ita, Some(Algorithm::Italian), Split;
    Norwegian, "norwegian", Nob, Some(Algorithm::Norwegian), Keep;
    Polish, "polish", Pol, None, Keep;
    Portuguese, "portuguese", Por, Some(Algorithm::Portuguese), Keep;
    Romanian, "romanian", Ron, Some(Algorithm::Romanian), Keep;
    Russian, "russian", Rus, Some(Algorithm::Russian), Keep;
    Spanish, "spanish", Spa, Some(Algorithm::Spanish), Keep;
    Swedish, "swedish", Swe, Some(Algorithm::Swedish), Keep;
    Turkish, "turkish", Tur, Some(Algorithm::Turkish), Keep;
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let named = |language: &&Language| language.name().eq_ignore_ascii_case(text);
        Language::ALL.iter().find(named).copied().ok_or_else(|| Error::Option {
            name: "language",
            needed: format!("one of {}", names()),
            found: text.to_owned(),
        })
    }
}

/// All names, for a message.
pub(super) fn names() -> String {
    let names: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
    names.join(", ")
}

/// The guessed language of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Guess {
    /// Clearly in a language we know.
    Known(Language),
    /// Clearly in another one, of this name.
    Foreign(&'static str),
    /// In a script that does not separate words by spaces; its name.
    Unspaced(&'static str),
    /// Not clear.
    Unclear,
}

/// Guesses the language of a sample.
pub(super) fn guess(sample: &str) -> Guess {
    let sample: String = sample.chars().take(SAMPLE_CHARACTERS).collect();
    let detector = Detector::new();
    if let Some(script) = detector.detect_script(&sample).and_then(unspaced) {
        return Guess::Unspaced(script);
    }
    match detector.detect(&sample) {
        Some(info) if info.is_reliable() => match Language::of(info.lang()) {
            Some(language) => Guess::Known(language),
            None => Guess::Foreign(info.lang().eng_name()),
        },
        _ => Guess::Unclear,
    }
}

fn unspaced(script: Script) -> Option<&'static str> {
    match script {
        Script::Mandarin => Some("Chinese"),
        Script::Hiragana | Script::Katakana => Some("Japanese"),
        Script::Thai => Some("Thai"),
        Script::Khmer => Some("Khmer"),
        Script::Myanmar => Some("Burmese"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_reads_back_from_its_name() {
        for &language in Language::ALL {
            assert_eq!(language.name().parse::<Language>().ok(), Some(language));
        }
        let error = "klingon".parse::<Language>().map_err(|e| e.to_string());
        assert!(error.is_err_and(|e| e.contains("one of danish, dutch, english")));
    }

    #[test]
    fn every_list_is_lower_case_and_without_repetition() {
        assert!(Language::ALL.len() >= 15);
        for &language in Language::ALL {
            let words: Vec<&str> = language.stop_words().collect();
            let mut sorted = words.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), words.len(), "{language}");
            assert!((80..400).contains(&words.len()), "{language}: {}", words.len());
            assert!(words.iter().all(|w| *w == w.to_lowercase()), "{language}");
        }
    }

    #[test]
    fn clear_text_is_recognised() {
        let samples = [
            (
                "We count how often each word occurs in every letter, and then ask which of the \
                 letters have something in common that the others do not have.",
                Language::English,
            ),
            (
                "Contiamo quante volte ogni parola compare nelle lettere, e poi chiediamo quali \
                 lettere hanno qualcosa in comune che le altre non hanno; così nascono i gruppi.",
                Language::Italian,
            ),
            (
                "Nous comptons combien de fois chaque mot apparaît dans les lettres, puis nous \
                 demandons lesquelles ont quelque chose en commun que les autres n'ont pas.",
                Language::French,
            ),
            (
                "Wir zählen, wie oft jedes Wort in den Briefen vorkommt, und fragen dann, welche \
                 Briefe etwas gemeinsam haben, das die anderen nicht haben.",
                Language::German,
            ),
            (
                "Мы считаем, сколько раз каждое слово встречается в письмах, а потом спрашиваем, \
                 какие письма имеют что-то общее, чего нет у других.",
                Language::Russian,
            ),
        ];
        for (text, language) in samples {
            assert_eq!(guess(text), Guess::Known(language), "{text}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_recognised() {
        assert_eq!(guess("道可道,非常道。名可名,非常名。"), Guess::Unspaced("Chinese"));
        assert_eq!(guess("吾輩は猫である。名前はまだ無い。"), Guess::Unspaced("Japanese"));
        assert_eq!(guess("มนุษย์ทั้งหลายเกิดมามีอิสระ"), Guess::Unspaced("Thai"));
    }

    #[test]
    fn nothing_is_guessed_from_next_to_nothing() {
        assert_eq!(guess(""), Guess::Unclear);
        assert_eq!(guess("12 34 --"), Guess::Unclear);
    }
}
