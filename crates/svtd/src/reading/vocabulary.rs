//! A vocabulary from a file with one word per line.

use std::path::Path;

use super::source::Source;
use crate::corpus::Vocabulary;
use crate::error::{Error, Result};

impl Vocabulary {
    /// Reads one word per line, in UTF-8. The file may be compressed with gzip.
    ///
    /// # Errors
    /// If the file cannot be read, a word is repeated, or a line is empty or not UTF-8; empty
    /// lines at the end are forgiven.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let mut source = Source::open(path.as_ref())?;
        let words = read_words(&mut source)?;
        Vocabulary::from_words(words).map_err(|error| match error {
            Error::RepeatedWord { word, first, second } => source
                .error_at(second as u64, format!("the word {word:?} is already on line {first}")),
            other => other,
        })
    }
}

fn read_words(source: &mut Source) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut empty_line = None;
    while let Some(line) = source.next_line()? {
        let word = std::str::from_utf8(line).map(str::to_owned);
        let number = source.line();
        if let Some(empty) = empty_line {
            // After an empty line only empty lines may follow.
            if word.as_ref().is_ok_and(|w| w.trim().is_empty()) {
                continue;
            }
            return Err(source.error_at(empty, "expected a word, found an empty line"));
        }
        match word {
            Ok(word) if word.trim().is_empty() => empty_line = Some(number),
            Ok(word) => words.push(word),
            Err(_) => {
                return Err(source.error_at(
                    number,
                    "expected a word in UTF-8, found bytes that are not; convert the file to UTF-8",
                ));
            }
        }
    }
    Ok(words)
}
