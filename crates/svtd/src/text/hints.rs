//! Hints about the text: markup that was left in it, phrases that are in every document, a script without spaces.
//!
//! Nothing is dropped because of a hint. It is a note beside the counts that names the option to use.

use crate::words::{Reason, WordChoice};

/// What remains of HTML after splitting into words. Entities come first, because they are hardly ever words.
const LEFTOVERS: [&str; 16] = [
    "nbsp", "amp", "quot", "ldquo", "rdquo", "rsquo", "lsquo", "mdash", "ndash", "hellip", "href",
    "https", "http", "www", "div", "span",
];

/// A word in at least this share of the documents is called boilerplate.
const NEARLY_ALL: f64 = 0.95;

/// With fewer documents than this boilerplate is not reported: in a few documents any word may be in all.
const FEWEST: u64 = 20;

/// The largest number of words named in a hint.
const WORDS_NAMED: usize = 5;

/// The hints for words with the number of documents each occurs in.
pub(super) fn about<'a>(
    words: impl Iterator<Item = (&'a str, u64)>,
    n_documents: u64,
    choice: &WordChoice,
) -> Vec<String> {
    let (mut leftovers, mut everywhere) = (Vec::new(), Vec::new());
    for (word, documents) in words {
        if LEFTOVERS.contains(&word) {
            leftovers.push((documents, word));
        } else if documents as f64 >= NEARLY_ALL * n_documents as f64 {
            everywhere.push((documents, word));
        }
    }
    let mut hints = Vec::new();
    if !leftovers.is_empty() {
        hints.push(format!(
            "some words look like HTML that was left in the text: {}; strip the markup first, or list \
             them in stop-words",
            named(leftovers)
        ));
    }
    if n_documents >= FEWEST && !everywhere.is_empty() {
        hints.push(format!(
            "{} in nearly all documents, as boilerplate is: {}; max-df {NEARLY_ALL} drops such words",
            if everywhere.len() == 1 { "a word is".to_owned() } else { format!("{} words are", everywhere.len()) },
            named(everywhere)
        ));
    }
    let short = choice.dropped.iter().find(|dropped| dropped.reason == Reason::TooShort);
    if let Some(short) = short.filter(|short| short.n_tokens > choice.n_kept_tokens)
        && choice.is_unspaced()
    {
        hints.push(format!(
            "{} occurrences of single characters were dropped by min-length: the text puts no blanks \
             between its words; split it into words first",
            short.n_tokens
        ));
    }
    hints
}

/// The most widespread words.
fn named(mut words: Vec<(u64, &str)>) -> String {
    words.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let shown: Vec<String> =
        words.iter().take(WORDS_NAMED).map(|(_, word)| format!("{word:?}")).collect();
    let rest = if words.len() > WORDS_NAMED { ", ..." } else { "" };
    format!("{}{rest}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::count_texts;
    use crate::words::{Language, Preprocessing, StopWords};

    fn notes(texts: &[String]) -> Vec<String> {
        let chosen = Preprocessing::new()
            .language(Some(Language::English))
            .stop_words(StopWords::None)
            .min_df("1".parse().unwrap());
        count_texts(texts, &chosen).unwrap().report().notes.clone()
    }

    #[test]
    fn markup_and_boilerplate_are_pointed_out() {
        let texts: Vec<String> =
            (0..30).map(|i| format!("unsubscribe sea&nbsp;ships harbour{}", i % 7)).collect();
        let notes = notes(&texts).join("\n");
        assert!(notes.contains("look like HTML that was left in the text: \"nbsp\";"), "{notes}");
        assert!(notes.contains("3 words are in nearly all documents"), "{notes}");
        assert!(notes.contains("\"sea\", \"ships\", \"unsubscribe\"; max-df 0.95"), "{notes}");
    }

    #[test]
    fn plain_text_gets_no_hint() {
        let texts: Vec<String> =
            (0..30).map(|i| format!("sea{} ships{} harbour{}", i % 3, i % 5, i % 7)).collect();
        assert_eq!(notes(&texts), Vec::<String>::new());
    }

    #[test]
    fn a_script_without_blanks_is_named_when_nothing_is_left() {
        let error = count_texts(["我们在天上的父", "愿人都尊你的名为圣"], &Preprocessing::new());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("puts no blanks between its words"), "{error}");
    }
}
