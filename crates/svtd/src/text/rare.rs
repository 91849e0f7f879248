//! Words that few documents have, hidden.
//!
//! A text that is shown to others may hold names, numbers and addresses that stand in one document
//! alone. [`WordSpread`] counts in how many documents each word occurs, as it stands but for its
//! case, and hides those of too few. What counts as a word here is every run of letters and digits,
//! whatever the fit kept.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

/// What stands for a hidden word.
pub const HIDDEN: &str = "[…]";

/// In how many documents each word occurs.
#[derive(Debug, Clone, Default)]
pub struct WordSpread {
    /// The document each word was last seen in, from 1, and in how many it was.
    words: HashMap<String, (u32, u32)>,
    n_documents: u32,
}

impl WordSpread {
    /// Takes the words of one more document.
    pub fn add(&mut self, text: &str) {
        self.n_documents += 1;
        for word in text.unicode_words() {
            let (last, n) = self.words.entry(word.to_lowercase()).or_default();
            if *last != self.n_documents {
                (*last, *n) = (self.n_documents, *n + 1);
            }
        }
    }

    /// The text without words that fewer than `least` documents have.
    pub fn hidden(&self, text: &str, least: usize) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut at = 0;
        for (start, word) in text.unicode_word_indices() {
            let n = self.words.get(&word.to_lowercase()).map_or(0, |&(_, n)| n as usize);
            shown.push_str(&text[at..start]);
            shown.push_str(if n < least { HIDDEN } else { word });
            at = start + word.len();
        }
        shown.push_str(&text[at..]);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_few_documents_are_hidden_and_nothing_else() {
        let texts = ["Call Ada at 555-1234, please.", "Please call.", "CALL please!"];
        let mut spread = WordSpread::default();
        texts.iter().for_each(|text| spread.add(text));
        assert_eq!(spread.hidden(texts[0], 2), "Call […] […] […]-[…], please.");
        assert_eq!(spread.hidden(texts[0], 1), texts[0]);
    }
}
