//! Looking up stop words.
//!
//! # Our lists
//! Published lists of stop words have from a hundred to over a thousand words, and long ones drop words that carry
//! meaning (*computer*, *value*, *world*). Ours have function words only: articles, pronouns, prepositions,
//! conjunctions, auxiliary verbs in their common forms, and adverbs such as *very* and *not*. There are about 80 to
//! 250 words per language; other words that are too frequent to tell documents apart can be dropped with `max_df`.

use std::collections::HashSet;

use super::preprocessing::StopWords;
use super::split::Tokenizer;

/// The words of a list as they are after splitting, in lower case.
pub(crate) fn set(stop_words: &StopWords, tokenizer: &Tokenizer) -> HashSet<String> {
    match stop_words {
        StopWords::Auto | StopWords::None => HashSet::new(),
        StopWords::Listed { words, .. } => {
            words.iter().map(|word| tokenizer.normal_form(word).to_lowercase()).collect()
        }
    }
}
