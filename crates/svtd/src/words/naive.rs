//! A reference implementation of the tokenizer and the counter in plain loops, too simple to be wrong; tests only.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use rust_stemmers::Stemmer;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::language::Apostrophes;
use super::preprocessing::{Numbers, Preprocessing, StopWords};
use super::split::Tokenizer;

/// The words of a text: normal form, word boundaries, lower case, apostrophes.
pub(crate) fn words(text: &str, lowercase: bool, apostrophes: Apostrophes) -> Vec<String> {
    let text: String = text.chars().filter(|&c| c != '\u{ad}').nfkc().collect();
    let mut words = Vec::new();
    for word in text.unicode_words() {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let word = if lowercase { word.to_lowercase() } else { word.to_owned() };
        let word = word.replace('’', "'");
        match apostrophes {
            Apostrophes::Keep => words.push(word),
            Apostrophes::Split => {
                words.extend(word.split('\'').filter(|p| !p.is_empty()).map(str::to_owned));
            }
            Apostrophes::Possessive if word.ends_with("'s") && word.len() > 2 => {
                words.push(word[..word.len() - 2].to_owned());
            }
            Apostrophes::Possessive => words.push(word),
        }
    }
    words
}

/// A corpus as plain maps: for each document, its words with their counts.
pub(crate) type Table = Vec<BTreeMap<String, u32>>;

/// Counts words and n-grams by the definitions, one text after the other.
pub(crate) fn table(texts: &[String], chosen: &Preprocessing) -> Table {
    let tokenizer = Tokenizer::new(chosen).unwrap();
    let stop_words: BTreeSet<&str> = match &chosen.stop_words {
        StopWords::Listed { words, .. } => words.iter().map(String::as_str).collect(),
        _ => BTreeSet::new(),
    };
    let stemmer = chosen.stem.map(|language| Stemmer::create(language.stemmer().unwrap()));
    let stem = |word: &str| match &stemmer {
        Some(stemmer) => stemmer.stem(word).into_owned(),
        None => word.to_owned(),
    };
    let dropped = |word: &str| {
        let number = word.chars().any(char::is_numeric) && !word.chars().any(char::is_alphabetic);
        stop_words.contains(word)
            || word.chars().count() < chosen.min_length
            || (chosen.numbers == Numbers::Drop && number)
    };
    let mut table: Table = texts
        .iter()
        .map(|text| {
            let mut counts = BTreeMap::new();
            let words = tokenizer.words(text);
            for n in chosen.ngrams.min..=chosen.ngrams.max {
                for run in words.windows(n) {
                    if !run.iter().any(|word| dropped(word)) {
                        let parts: Vec<String> = run.iter().map(|word| stem(word)).collect();
                        *counts.entry(parts.join("_")).or_insert(0) += 1;
                    }
                }
            }
            counts
        })
        .collect();
    keep(&mut table, chosen);
    table
}

/// Applies the filters over the whole table.
fn keep(table: &mut Table, chosen: &Preprocessing) {
    let n = table.len() as u64;
    let mut words: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (word, count) in table.iter().flatten() {
        let total = words.entry(word.clone()).or_default();
        *total = (total.0 + u64::from(*count), total.1 + 1);
    }
    let (fewest, most) = (chosen.min_df.at_least(n), chosen.max_df.at_most(n));
    let mut kept: Vec<(u64, String)> = words
        .into_iter()
        .filter(|(_, (_, documents))| (fewest..=most).contains(documents))
        .map(|(word, (total, _))| (total, word))
        .collect();
    kept.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    kept.truncate(chosen.max_words.unwrap_or(usize::MAX));
    let kept: BTreeSet<String> = kept.into_iter().map(|(_, word)| word).collect();
    for document in table {
        document.retain(|word, _| kept.contains(word));
    }
}
