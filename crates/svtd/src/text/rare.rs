//! Hides words that occur in few documents.
//!
//! A text that is shown to others may contain names, numbers and addresses that occur in one document only.
//! [`WordSpread`] counts in how many documents each word occurs, ignoring case, and hides those in too few. A word
//! here is every run of letters and digits, whether or not the fit kept it.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

/// What replaces a hidden word.
pub const HIDDEN: &str = "[…]";

/// In how many documents each word occurs.
#[derive(Debug, Clone, Default)]
pub struct WordSpread {
    /// For each word the last document in which it was seen, from 1, and the number of documents.
    words: HashMap<String, (u32, u32)>,
    n_documents: u32,
}

impl WordSpread {
    /// Counts the words of one more document.
    pub fn add(&mut self, text: &str) {
        self.n_documents += 1;
        for word in text.unicode_words() {
            let (last, n) = self.words.entry(word.to_lowercase()).or_default();
            if *last != self.n_documents {
                (*last, *n) = (self.n_documents, *n + 1);
            }
        }
    }

    /// The text with words hidden that are in fewer than `least` documents.
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
