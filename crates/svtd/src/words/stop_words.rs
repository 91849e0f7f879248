//! Looking up stop words: a list as a set.
//!
//! # Our lists
//! Lists of stop words that circulate run from a hundred words to well over a thousand, and long
//! ones drop words that carry meaning (*computer*, *value*, *world*). Ours hold function words
//! alone: articles, pronouns, prepositions, conjunctions, auxiliary verbs in their common forms, and
//! adverbs such as *very* and *not*. Between about 80 and 250 words a language; what else is too
//! frequent to tell documents apart is for `max_df` to drop.

use std::collections::HashSet;

use super::preprocessing::StopWords;
use super::split::Tokenizer;

/// The words of a list in the form in which they are met, in lower case.
pub(crate) fn set(stop_words: &StopWords, tokenizer: &Tokenizer) -> HashSet<String> {
    match stop_words {
        StopWords::Auto | StopWords::None => HashSet::new(),
        StopWords::Listed { words, .. } => {
            words.iter().map(|word| tokenizer.normal_form(word).to_lowercase()).collect()
        }
    }
}
