//! Splitting text into words.
//!
//! Words are those of Unicode's default word boundaries (UAX #29): runs of letters and digits, which may contain an
//! apostrophe or a full stop between letters (`don't`, `u.s`) and a comma or a full stop between digits
//! (`3,500.25`). Segments without a letter or digit are not words, and a sign in front that only carries a
//! combining letter is not part of one. Text is first converted to the normal form NFKC, under which `ﬁn` is `fin`
//! and `e` with a combining accent is `é`, and soft hyphens are removed. Words are then put in lower case by the
//! full rules of Unicode (`ΟΔΟΣ` becomes `οδος`, with a final sigma), and typographic apostrophes become plain
//! ones.
//!
//! # The fast path
//! Most bytes of most text are ASCII, for which a table of 256 classes decides everything: see [`Scan`]. When a
//! byte beyond ASCII occurs in a word or right after it, the text from the start of that word to the next white
//! space is split by the general code instead. White space always separates words and never takes part in a
//! composition, so the two paths agree; a property test compares them with a plain transcription of the paragraph
//! above.
//!
//! # Source
//! Unicode Standard Annex #29, rules WB1 to WB999, by way of the crate `unicode-segmentation`.

use std::borrow::Cow;
use std::ops::Range;

use regex::Regex;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_segmentation::UnicodeSegmentation;

use super::language::Apostrophes;
use super::preprocessing::Preprocessing;
use crate::error::{Error, Result};

const SOFT_HYPHEN: char = '\u{ad}';
const TYPOGRAPHIC_APOSTROPHE: char = '\u{2019}';

/// Splits text into words according to a [`Preprocessing`].
#[derive(Debug, Clone)]
pub struct Tokenizer {
    regex: Option<Regex>,
    lowercase: bool,
    apostrophes: Apostrophes,
}

impl Tokenizer {
    /// The splitting of this preprocessing; if the meaning of apostrophes is not resolved, they are kept.
    ///
    /// # Errors
    /// If `token_regex` is not a regular expression.
    pub fn new(preprocessing: &Preprocessing) -> Result<Self> {
        let regex = preprocessing.token_regex.as_deref().map(compiled).transpose()?;
        Ok(Tokenizer {
            regex,
            lowercase: preprocessing.lowercase,
            apostrophes: preprocessing.apostrophes.unwrap_or(Apostrophes::Keep),
        })
    }

    /// The words of a text, in order.
    pub fn words(&self, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        self.for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    /// Calls `each` with the words of a text, in order.
    #[inline]
    pub fn for_each_word(&self, text: &str, mut each: impl FnMut(&str)) {
        match &self.regex {
            Some(regex) => self.matches(regex, text, &mut each),
            None => self.boundaries(text, &mut each),
        }
    }

    /// Number of emoji in a text, which are not words; a regular expression may match them.
    pub(crate) fn n_emoji(&self, text: &str) -> u64 {
        if self.regex.is_some() || text.is_ascii() {
            return 0;
        }
        text.chars().filter(|&c| is_emoji(c)).count() as u64
    }

    /// Calls `each` with every word of a text and its range of bytes, in order. The boundaries are those of the
    /// original text; see [`marks`](super::marks).
    pub(crate) fn for_each_place(&self, text: &str, mut each: impl FnMut(Range<usize>, &str)) {
        let mut place = |piece: Range<usize>| {
            let mut words: Vec<String> = Vec::new();
            let normal = normalised(&text[piece.clone()]);
            let collect = &mut |word: &str| words.push(word.to_owned());
            match &self.regex {
                Some(_) => self.finish(&normal, collect),
                None => normal
                    .unicode_words()
                    .for_each(|word| self.finish(without_stray_signs(word), collect)),
            }
            let parts = at_apostrophes(text, piece.clone());
            for (i, word) in words.iter().enumerate() {
                let apart = words.len() > 1 && parts.len() == words.len();
                each(if apart { parts[i].clone() } else { piece.clone() }, word);
            }
        };
        match &self.regex {
            Some(regex) => {
                let mut places = Vec::new();
                self.for_each_match(regex, text, &mut |range| places.push(range));
                places.into_iter().for_each(place);
            }
            None => text.unicode_word_indices().for_each(|(at, word)| place(at..at + word.len())),
        }
    }

    fn matches(&self, regex: &Regex, text: &str, each: &mut impl FnMut(&str)) {
        let text = normalised(text);
        self.for_each_match(regex, &text, &mut |range| self.finish(&text[range], each));
    }

    fn for_each_match(&self, regex: &Regex, text: &str, each: &mut impl FnMut(Range<usize>)) {
        let mut locations = regex.capture_locations();
        let group = usize::from(locations.len() > 1);
        let mut at = 0;
        while regex.captures_read_at(&mut locations, text, at).is_some() {
            let Some((start, end)) = locations.get(0) else { break };
            if let Some((start, end)) = locations.get(group)
                && start < end
            {
                each(start..end);
            }
            // An empty match would be found at the same position for ever.
            at = if end > start { end } else { next_boundary(text, end) };
            if at > text.len() {
                break;
            }
        }
    }

    #[inline]
    fn boundaries(&self, text: &str, each: &mut impl FnMut(&str)) {
        let mut lowered = String::new();
        let mut at = 0;
        while let Some(found) = Scan::next(text.as_bytes(), at) {
            at = found.end;
            let piece = &text[found.start..found.end];
            if found.is_general {
                for word in normalised(piece).unicode_words() {
                    self.finish(without_stray_signs(word), each);
                }
            } else if found.traits & HAS_ALPHANUMERIC != 0 {
                let word = if self.lowercase && found.traits & HAS_UPPER != 0 {
                    lowered.clear();
                    lowered.push_str(piece);
                    lowered.make_ascii_lowercase();
                    &lowered
                } else {
                    piece
                };
                if found.traits & HAS_APOSTROPHE != 0 {
                    self.at_apostrophes(word, each);
                } else {
                    each(word);
                }
            }
        }
    }

    /// Applies lower case, plain apostrophes, and the meaning of apostrophes.
    fn finish(&self, word: &str, each: &mut impl FnMut(&str)) {
        let word = if self.lowercase { Cow::Owned(word.to_lowercase()) } else { word.into() };
        let word = if word.contains(TYPOGRAPHIC_APOSTROPHE) {
            Cow::Owned(word.replace(TYPOGRAPHIC_APOSTROPHE, "'"))
        } else {
            word
        };
        if word.contains('\'') {
            self.at_apostrophes(&word, each);
        } else {
            each(&word);
        }
    }

    fn at_apostrophes(&self, word: &str, each: &mut impl FnMut(&str)) {
        match self.apostrophes {
            Apostrophes::Keep => each(word),
            Apostrophes::Split => {
                word.split('\'').filter(|piece| !piece.is_empty()).for_each(each);
            }
            Apostrophes::Possessive => match word.strip_suffix("'s") {
                Some("") | None => each(word),
                Some(owner) => each(owner),
            },
        }
    }

    /// A word as it would come out of a text: for lists of words written by others.
    pub(super) fn normal_form(&self, word: &str) -> String {
        let word = normalised(word.trim());
        let word = if self.lowercase { word.to_lowercase() } else { word.into_owned() };
        word.replace(TYPOGRAPHIC_APOSTROPHE, "'")
    }
}

/// NFKC without soft hyphens; borrowed where nothing changes.
pub(super) fn normalised(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let normal = is_nfkc_quick(text.chars()) == IsNormalized::Yes;
    match (normal, text.contains(SOFT_HYPHEN)) {
        (true, false) => text.into(),
        (true, true) => text.replace(SOFT_HYPHEN, "").into(),
        (false, _) => text.chars().filter(|&c| c != SOFT_HYPHEN).nfkc().collect(),
    }
}

/// A combining sign that counts as a letter joins whatever precedes it, even a colon or a space. Such a base is not
/// part of the word.
pub(super) fn without_stray_signs(word: &str) -> &str {
    word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The parts between apostrophes, without empty ones.
fn at_apostrophes(text: &str, piece: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut at = piece.start;
    for part in text[piece].split(['\'', TYPOGRAPHIC_APOSTROPHE]) {
        if !part.is_empty() {
            parts.push(at..at + part.len());
        }
        let behind = text[at + part.len()..].chars().next().map_or(0, char::len_utf8);
        at += part.len() + behind;
    }
    parts
}

fn next_boundary(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(text.len() + 1, |c| at + c.len_utf8())
}

fn compiled(pattern: &str) -> Result<Regex> {
    Regex::new(pattern).map_err(|error| {
        // The first lines of the message show the pattern; the last one says what is wrong.
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Error::Option {
            name: "token-regex",
            needed: format!("a regular expression ({reason})"),
            found: pattern.to_owned(),
        }
    })
}

/// The result of the fast path: a word of ASCII, or a stretch that is left to the general code.
struct Scan {
    start: usize,
    end: usize,
    is_general: bool,
    /// The properties of the bytes in the word.
    traits: u8,
}

/// Whether a character is an emoji of its own; modifiers are not counted.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}')
}

// Properties of a byte; those that the rules of UAX #29 need for ASCII.
const HAS_ALPHANUMERIC: u8 = 1;
const HAS_UPPER: u8 = 2;
const HAS_APOSTROPHE: u8 = 4;
const IS_LETTER: u8 = 8;
const IS_DIGIT: u8 = 16;
/// Letters, digits and the underscore, which join.
const JOINS: u8 = 32;
/// Joins letters, digits, or (full stop, apostrophe) both.
const IS_BETWEEN: u8 = 64;
const IS_BEYOND_ASCII: u8 = 128;

static PROPERTIES: [u8; 256] = properties();

const fn properties() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => JOINS | IS_LETTER | HAS_ALPHANUMERIC,
            b'A'..=b'Z' => JOINS | IS_LETTER | HAS_ALPHANUMERIC | HAS_UPPER,
            b'0'..=b'9' => JOINS | IS_DIGIT | HAS_ALPHANUMERIC,
            b'_' => JOINS,
            b'\'' => IS_BETWEEN | IS_LETTER | IS_DIGIT | HAS_APOSTROPHE,
            b'.' => IS_BETWEEN | IS_LETTER | IS_DIGIT,
            b':' => IS_BETWEEN | IS_LETTER,
            b',' | b';' => IS_BETWEEN | IS_DIGIT,
            128.. => IS_BEYOND_ASCII,
            _ => 0,
        };
        byte += 1;
    }
    table
}

impl Scan {
    /// The next word or stretch from `at` on.
    #[inline]
    fn next(text: &[u8], at: usize) -> Option<Scan> {
        let of = |i: usize| text.get(i).map_or(0, |&byte| PROPERTIES[byte as usize]);
        let skipped = text[at..]
            .iter()
            .position(|&b| PROPERTIES[b as usize] & (JOINS | IS_BEYOND_ASCII) != 0)?;
        let start = at + skipped;
        let (mut end, mut traits, mut last) = (start, 0, 0);
        loop {
            let here = of(end);
            if here & JOINS != 0 {
                traits |= here;
                last = here;
                end += 1;
            } else if here & IS_BETWEEN != 0 {
                let next = of(end + 1);
                if next & IS_BEYOND_ASCII != 0 {
                    return Some(Scan::general(text, start));
                }
                // Between two letters, or between two digits.
                if here & last & next & (IS_LETTER | IS_DIGIT) == 0 || next & JOINS == 0 {
                    break;
                }
                traits |= here;
                last = next;
                end += 1;
            } else if here & IS_BEYOND_ASCII != 0 {
                return Some(Scan::general(text, start));
            } else {
                break;
            }
        }
        Some(Scan { start, end, is_general: false, traits })
    }

    /// The stretch from here to the next white space.
    fn general(text: &[u8], start: usize) -> Scan {
        let length = text[start..].iter().position(u8::is_ascii_whitespace);
        let end = length.map_or(text.len(), |length| start + length);
        Scan { start, end, is_general: true, traits: 0 }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use proptest::prelude::*;

    use super::super::naive;
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Tokenizer::new(&Preprocessing::new()).unwrap().words(text)
    }

    fn with(change: impl Fn(Preprocessing) -> Preprocessing, text: &str) -> Vec<String> {
        Tokenizer::new(&change(Preprocessing::new())).unwrap().words(text)
    }

    #[test]
    fn words_are_those_of_unicode_in_lower_case() {
        assert_eq!(
            words("Don't panic: 3,500.25 U.S. ships_A-b!"),
            ["don't", "panic", "3,500.25", "u.s", "ships_a", "b"]
        );
        assert_eq!(words("_ __ . ' \t\n"), Vec::<String>::new());
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn forms_that_look_alike_are_one_word() {
        assert_eq!(
            words("ﬁn cafe\u{301} soft\u{ad}hyphen Ｆｕｌｌ ΟΔΟΣ İ don’t"),
            ["fin", "café", "softhyphen", "full", "οδος", "i\u{307}", "don't"]
        );
    }

    #[test]
    fn apostrophes_mean_what_the_language_means_by_them() {
        let of = |apostrophes| {
            with(|p| p.apostrophes(Some(apostrophes)), "L'amor dell’anima nation's 's rock'n'roll")
        };
        assert_eq!(of(Apostrophes::Keep), ["l'amor", "dell'anima", "nation's", "s", "rock'n'roll"]);
        assert_eq!(
            of(Apostrophes::Split),
            ["l", "amor", "dell", "anima", "nation", "s", "s", "rock", "n", "roll"]
        );
        assert_eq!(
            of(Apostrophes::Possessive),
            ["l'amor", "dell'anima", "nation", "s", "rock'n'roll"]
        );
    }

    #[test]
    fn case_can_be_kept() {
        assert_eq!(with(|p| p.lowercase(false), "The Élan"), ["The", "Élan"]);
    }

    #[test]
    fn a_regex_decides_what_a_word_is() {
        let by = |pattern: &str, text| with(|p| p.token_regex(Some(pattern.to_owned())), text);
        assert_eq!(by(r"\S+", "C++ e-mail  #Tag"), ["c++", "e-mail", "#tag"]);
        assert_eq!(by(r"#(\w+)", "a #Tag and #two"), ["tag", "two"]);
        assert_eq!(by(r"x*", "axxbé"), ["xx"]);
        assert_eq!(by(r"\w+", "caﬁ"), ["cafi"]);
        let wrong = Preprocessing::new().token_regex(Some("(".to_owned()));
        let error = Tokenizer::new(&wrong).unwrap_err().to_string();
        assert!(
            error.contains("token-regex must be a regular expression (unclosed group), got ("),
            "{error}"
        );
    }

    #[test]
    fn text_without_any_space_is_split_too() {
        assert_eq!(words(&"a—".repeat(5000)).len(), 5000);
    }

    /// Characters with every property that the rules of UAX #29 ask for, and some that NFKC changes.
    const CHARACTERS: &str = "[aZ9_ .,:;'\"\n\r\u{301}\u{ad}\u{2019}é\u{200d}ﬁאב\u{5f3}カ한漢\u{200b}ß\u{fb1d}Σ…²½\u{a0}\u{338}=\u{1f600}\u{202f}ｶﾞ-]{0,12}";

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn the_fast_path_agrees_with_the_plain_one(text in CHARACTERS) {
            for apostrophes in [Apostrophes::Keep, Apostrophes::Split, Apostrophes::Possessive] {
                for lowercase in [false, true] {
                    let p = Preprocessing::new().lowercase(lowercase).apostrophes(Some(apostrophes));
                    let found = Tokenizer::new(&p).unwrap().words(&text);
                    prop_assert_eq!(found, naive::words(&text, lowercase, apostrophes), "{:?}", text);
                }
            }
        }

        #[test]
        fn any_text_at_all_is_split_as_the_plain_path_does(text in "\\PC{0,40}") {
            let p = Preprocessing::new().apostrophes(Some(Apostrophes::Keep));
            let found = Tokenizer::new(&p).unwrap().words(&text);
            prop_assert_eq!(found, naive::words(&text, true, Apostrophes::Keep));
        }
    }
}
