//! The vocabulary: which word each id stands for.
//!
//! A word's id is its position in the list, from 0. Many things hold a vocabulary at once (a
//! corpus, its subsets, every model learned from them), so the list is stored once and shared;
//! cloning a [`Vocabulary`] copies a pointer. When no list is known the words are simply the
//! numbers `1` to `n`, and nothing is stored at all.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};

/// The words of a corpus, in the order of their ids.
#[derive(Clone)]
pub struct Vocabulary(Arc<Words>);

enum Words {
    /// The numbers from 1 to this one.
    Numbered(usize),
    Listed {
        words: Vec<String>,
        /// Only readers of text look words up, so the map waits until it is asked for.
        ids: OnceLock<HashMap<Box<str>, u32>>,
    },
}

impl Vocabulary {
    /// The words in the order of their ids.
    ///
    /// # Errors
    /// If a word is listed twice, or if there are more words than a `u32` can number.
    pub fn from_words(words: Vec<String>) -> Result<Self> {
        check_size(words.len())?;
        check_repeats(&words)?;
        let ids = OnceLock::new();
        Ok(Vocabulary(Arc::new(Words::Listed { words, ids })))
    }

    /// A vocabulary of `n` words without a list: they are called `1`, `2`, and so on to `n`.
    pub fn numbered(n: usize) -> Self {
        Vocabulary(Arc::new(Words::Numbered(n)))
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        match &*self.0 {
            Words::Numbered(n) => *n,
            Words::Listed { words, .. } => words.len(),
        }
    }

    /// Whether there are no words at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The word with this id.
    ///
    /// # Panics
    /// If the id is not below [`len`](Self::len).
    pub fn word(&self, id: usize) -> Cow<'_, str> {
        match &*self.0 {
            Words::Numbered(n) => {
                assert!(id < *n, "word {id} of a vocabulary of {n}");
                Cow::Owned((id + 1).to_string())
            }
            Words::Listed { words, .. } => Cow::Borrowed(&words[id]),
        }
    }

    /// The id of this word, if it is in the vocabulary.
    pub fn id(&self, word: &str) -> Option<u32> {
        match &*self.0 {
            Words::Numbered(n) => numbered_id(*n, word),
            Words::Listed { words, ids } => ids.get_or_init(|| index(words)).get(word).copied(),
        }
    }

    /// Whether the words are only numbers because no list was given.
    pub fn is_numbered(&self) -> bool {
        matches!(&*self.0, Words::Numbered(_))
    }

    /// All words, in the order of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|id| self.word(id))
    }
}

/// Equal if the words and their order are equal, however they are stored.
impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.iter().eq(other.iter())
    }
}

impl Eq for Vocabulary {}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocabulary")
            .field("len", &self.len())
            .field("is_numbered", &self.is_numbered())
            .finish_non_exhaustive()
    }
}

/// Returns an error for more words than a `u32` can number.
pub(super) fn check_size(n_words: usize) -> Result<()> {
    match u32::try_from(n_words) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::TooManyWords { found: n_words }),
    }
}

fn check_repeats(words: &[String]) -> Result<()> {
    let mut seen = HashMap::with_capacity(words.len());
    for (position, word) in (1..).zip(words) {
        if let Some(first) = seen.insert(word.as_str(), position) {
            return Err(Error::RepeatedWord { word: word.clone(), first, second: position });
        }
    }
    Ok(())
}

fn index(words: &[String]) -> HashMap<Box<str>, u32> {
    words.iter().map(|w| w.as_str().into()).zip(0..).collect()
}

/// The id of a numbered word; only the spelling given by [`Vocabulary::word`] is recognised: `7` is a word, `07` is
/// not.
fn numbered_id(n: usize, word: &str) -> Option<u32> {
    let number: u32 = word.parse().ok()?;
    let known = number >= 1 && number as usize <= n && number.to_string() == word;
    known.then(|| number - 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    fn listed(words: &[&str]) -> Result<Vocabulary> {
        Vocabulary::from_words(words.iter().map(|&w| w.to_owned()).collect())
    }

    fn read(bytes: &[u8]) -> Result<Vocabulary, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vocab.txt");
        std::fs::write(&path, bytes).unwrap();
        Vocabulary::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn words_and_ids_are_inverse() {
        for vocabulary in [listed(&["sole", "amor", "stelle"]).unwrap(), Vocabulary::numbered(3)] {
            for (id, word) in (0..).zip(vocabulary.iter()) {
                assert_eq!(vocabulary.id(&word), Some(id));
            }
            assert_eq!(vocabulary.id("luna"), None);
        }
    }

    #[test]
    fn a_numbered_word_has_one_spelling() {
        let vocabulary = Vocabulary::numbered(10);
        assert_eq!(vocabulary.word(9), "10");
        for stranger in ["0", "11", "07", "+7", " 7", ""] {
            assert_eq!(vocabulary.id(stranger), None, "{stranger:?}");
        }
    }

    #[test]
    fn a_list_of_numbers_equals_the_numbered_vocabulary() {
        assert_eq!(listed(&["1", "2"]).unwrap(), Vocabulary::numbered(2));
        assert_ne!(listed(&["2", "1"]).unwrap(), Vocabulary::numbered(2));
        assert_ne!(Vocabulary::numbered(3), Vocabulary::numbered(2));
    }

    #[test]
    fn a_repeated_word_is_refused_with_both_positions() {
        let error = listed(&["sole", "amor", "sole"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the word \"sole\" is listed twice in the vocabulary, at positions 1 and 3"
        );
    }

    #[test]
    fn line_ends_marks_and_a_missing_last_newline_are_forgiven() {
        let expected = listed(&["sole", "più"]).unwrap();
        for text in [
            "sole\npiù\n",
            "sole\npiù",
            "sole\r\npiù\r\n",
            "\u{feff}sole\npiù\n",
            "sole\npiù\n\n\n",
        ] {
            assert_eq!(read(text.as_bytes()).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_malformed_vocabulary_is_refused_with_its_line() {
        let table: [(&[u8], &str); 4] = [
            (b"a\n\nb\n", "vocab.txt, line 2: expected a word, found an empty line"),
            (b"a\nb\n\xff\n", "vocab.txt, line 3: expected a word in UTF-8"),
            (b"a\nb\na\n", "vocab.txt, line 3: the word \"a\" is already on line 1"),
            (b"\x1f\x8b\x08\x00", "vocab.txt: the gzip data ends early"),
        ];
        for (bytes, sentence) in table {
            let error = read(bytes).unwrap_err();
            assert!(error.contains(sentence), "{error}");
        }
    }
}
