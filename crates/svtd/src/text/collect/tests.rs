#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use proptest::prelude::*;

use super::super::batch::{BATCH_BYTES, Texts};
use super::super::count_texts;
use super::*;
use crate::words::{Frequency, Ngrams, Numbers, StopWords};
use crate::words::{Language, naive};

fn plain() -> Preprocessing {
    Preprocessing::new()
        .language(Some(Language::English))
        .stop_words(StopWords::None)
        .min_df(Frequency::Documents(1))
}

/// The words of a corpus with their counts over all documents.
fn words(texts: &[&str], chosen: &Preprocessing) -> Vec<(String, u64)> {
    let corpus = count_texts(texts, chosen).unwrap();
    let totals = (0..corpus.n_words())
        .map(|word| corpus.feature_totals()[corpus.feature_of_word()[word] as usize]);
    corpus.vocabulary().iter().map(|word| word.into_owned()).zip(totals).collect()
}

fn names(found: &[(String, u64)]) -> Vec<&str> {
    found.iter().map(|(word, _)| word.as_str()).collect()
}

fn as_table(corpus: &Corpus) -> naive::Table {
    let word = |id| corpus.vocabulary().word(id as usize).into_owned();
    (0..corpus.n_documents())
        .map(|d| corpus.document(d).words().map(|(id, n)| (word(id), n)).collect())
        .collect()
}

#[test]
fn words_come_by_falling_frequency_ties_by_spelling() {
    let found = words(&["sole luna sole", "mare luna sole", "aria"], &plain());
    let expected = [("sole", 3), ("luna", 2), ("aria", 1), ("mare", 1)];
    assert_eq!(found, expected.map(|(word, n)| (word.to_owned(), n)));
}

#[test]
fn numbers_and_short_words_are_dropped_or_kept() {
    let text = ["in 1945 the 1970s had 3.5 x"];
    let found = words(&text, &plain());
    assert_eq!(names(&found), ["1970s", "had", "in", "the"]);
    let found = words(&text, &plain().numbers(Numbers::Keep).min_length(1));
    assert_eq!(names(&found), ["1945", "1970s", "3.5", "had", "in", "the", "x"]);
    assert_eq!(names(&words(&text, &plain().min_length(4))), ["1970s"]);
}

#[test]
fn stop_words_are_dropped_in_any_case_and_dress() {
    let listed = |words: &[&str]| StopWords::Listed {
        name: "mine".to_owned(),
        words: words.iter().map(|&w| w.to_owned()).collect(),
    };
    let chosen = plain().stop_words(listed(&["THE", "Perche\u{301}"]));
    assert_eq!(names(&words(&["The sun perché"], &chosen)), ["sun"]);
    assert_eq!(names(&words(&["The sun"], &chosen.lowercase(false))), ["sun"]);
}

#[test]
fn n_grams_are_neighbours_and_a_dropped_word_parts_them() {
    let chosen = plain().stop_words(StopWords::of(Language::English));
    let pairs = chosen.clone().ngrams(Ngrams { min: 1, max: 2 });
    let found = words(&["bank of england notes"], &pairs);
    assert_eq!(names(&found), ["bank", "england", "england_notes", "notes"]);
    let only = chosen.ngrams(Ngrams { min: 2, max: 3 });
    let found = words(&["red green blue"], &only);
    assert_eq!(names(&found), ["green_blue", "red_green", "red_green_blue"]);
}

#[test]
fn stems_join_what_belongs_together_also_in_the_number_of_documents() {
    let chosen = plain().stem(Some(Language::English)).min_df(Frequency::Documents(2));
    let found = words(&["run running", "jump"], &chosen.clone().min_df(Frequency::Documents(1)));
    assert_eq!(found, [("run".to_owned(), 2), ("jump".to_owned(), 1)]);
    // Both forms are in one document, so the stem is too.
    assert!(count_texts(["run running", "jump"], &chosen).is_err());
    let italian = plain().stem(Some(Language::Italian));
    assert_eq!(names(&words(&["amare amava"], &italian)), ["amar", "amav"]);
}

#[test]
fn frequency_filters_count_documents() {
    let texts = ["sole mare", "sole luna mare", "sole luna", "sole luna luna"];
    let with = |min: &str, max: &str| {
        let chosen = plain().min_df(min.parse().unwrap()).max_df(max.parse().unwrap());
        names(&words(&texts, &chosen)).join(" ")
    };
    assert_eq!(with("1", "1.0"), "luna sole mare");
    assert_eq!(with("3", "1.0"), "luna sole");
    assert_eq!(with("1", "3"), "luna mare");
    assert_eq!(with("1", "50%"), "mare");
    assert_eq!(names(&words(&texts, &plain().max_words(Some(1)))), ["luna"]);
}

#[test]
fn a_list_fixes_the_vocabulary_and_spares_its_words() {
    let listed = ["the", "sun", "never"].map(str::to_owned).to_vec();
    let listed = Vocabulary::from_words(listed).unwrap();
    let chosen = plain().stop_words(StopWords::of(Language::English));
    let mut texts = Texts(["the sun of the sea"].iter());
    let corpus = count_records(&mut texts, &chosen, Some(&listed), &Limit::none()).unwrap();
    assert_eq!(corpus.vocabulary(), &listed);
    let mut row: Vec<(u32, u32)> = corpus.document(0).words().collect();
    row.sort_unstable();
    assert_eq!(row, [(0, 2), (1, 1)]);
    let choice = corpus.word_choice().unwrap();
    assert_eq!((choice.n_kept, choice.n_kept_tokens), (2, 3));
    let reasons: Vec<Reason> = choice.dropped.iter().map(|dropped| dropped.reason).collect();
    assert_eq!(reasons, [Reason::StopWord, Reason::NotListed]);
}

#[test]
fn what_was_dropped_is_told_by_reason_with_examples() {
    let chosen = plain().stop_words(StopWords::of(Language::English)).min_df("2".parse().unwrap());
    let corpus = count_texts(["the sun 12", "the the sun moon 7 x"], &chosen).unwrap();
    let choice = corpus.word_choice().unwrap();
    let dropped: Vec<(Reason, u64, u64, &str)> = choice
        .dropped
        .iter()
        .map(|d| (d.reason, d.n_words, d.n_tokens, d.examples[0].0.as_str()))
        .collect();
    assert_eq!(
        dropped,
        [
            (Reason::StopWord, 1, 3, "the"),
            (Reason::Number, 2, 2, "12"),
            (Reason::TooShort, 1, 1, "x"),
            (Reason::MinDf, 1, 1, "moon"),
        ]
    );
    assert_eq!((choice.n_documents, choice.n_kept, choice.n_kept_tokens), (2, 1, 2));
}

#[test]
fn the_filter_that_left_nothing_is_named() {
    let error = |texts: &[&str], chosen: &Preprocessing| {
        count_texts(texts, chosen).unwrap_err().to_string()
    };
    let chosen = plain().min_df("2".parse().unwrap());
    assert!(
        error(&["sun moon", "sea"], &chosen).contains("3 by min-df; documents: 2); relax min-df")
    );
    let chosen = plain().stop_words(StopWords::of(Language::English));
    assert!(error(&["the of and 7"], &chosen).contains("3 by stop-words, 1 by numbers"));
    assert!(error(&["", " ... "], &plain()).contains("the corpus has no words"));
    assert!(error(&[], &plain()).contains("in 0 documents"));
}

#[test]
fn a_word_longer_than_any_is_dropped_without_being_kept() {
    let long = "x".repeat(3 * BATCH_BYTES);
    let texts = [format!("sun {long}"), "sun".to_owned()];
    let corpus = count_texts(&texts, &plain()).unwrap();
    let dropped = &corpus.word_choice().unwrap().dropped[0];
    assert_eq!((dropped.reason, dropped.n_tokens), (Reason::TooLong, 1));
    assert!(dropped.examples[0].0.len() < 100);
}

/// Documents of many lengths over many words, several batches of them.
fn many() -> Vec<String> {
    let mut state = 7_u64;
    let mut next = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % n
    };
    let word = |i: u64| format!("w{}{}", "é".repeat((i % 2) as usize), i * i % 9973);
    (0..4000)
        .map(|_| {
            let words: Vec<String> = (0..next(400)).map(|_| word(next(3000))).collect();
            words.join(" ")
        })
        .collect()
}

#[test]
fn any_number_of_threads_gives_the_same_corpus() {
    let texts = many();
    assert!(texts.iter().map(String::len).sum::<usize>() > 2 * BATCH_BYTES);
    let chosen = plain().ngrams(Ngrams { min: 1, max: 2 }).min_df("2".parse().unwrap());
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| count_texts(&texts, &chosen).unwrap())
    };
    let one = with(1);
    for threads in [2, 3, 8] {
        let other = with(threads);
        assert!(one == other && one.digest() == other.digest(), "{threads} threads");
        assert_eq!(one.word_choice(), other.word_choice(), "{threads} threads");
    }
}

/// Counts how much text has been asked for but not yet dropped: all of it is in batches.
struct Endless {
    left: usize,
}

impl Records for Endless {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        assert!(!batch.is_full(), "a full batch is asked to take more");
        self.left -= usize::from(self.left > 0);
        if self.left > 0 {
            batch.push(None, None, &"sun moon stars ".repeat(1000));
        }
        Ok(self.left > 0)
    }
}

#[test]
fn a_group_of_batches_is_bounded_whatever_the_corpus() {
    let mut records = Endless { left: 100_000 };
    let group = read_group(&mut records, GROUP_BATCHES).unwrap();
    assert_eq!(group.len(), GROUP_BATCHES);
    let taken = (100_000 - records.left) * 15_000;
    assert!(taken <= GROUP_BATCHES * (BATCH_BYTES + 15_000), "{taken} bytes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn counts_agree_with_plain_loops(
        texts in prop::collection::vec("([a-d]{1,3}|the|of|run|running|7|l'a|é|A)( [a-d]{1,3}| the| running| run| 12| é){0,8}", 1..7),
        n in 1_usize..3, more in 0_usize..2, length in 1_usize..3,
        fewest in 1_u64..3, most in prop::sample::select(vec!["100%", "60%", "2"]),
        stem in any::<bool>(), stop in any::<bool>(), numbers in any::<bool>(),
        max_words in prop::option::of(1_usize..5),
    ) {
        let chosen = plain()
            .apostrophes(Some(crate::words::Apostrophes::Split))
            .ngrams(Ngrams { min: n, max: n + more })
            .min_length(length)
            .min_df(Frequency::Documents(fewest))
            .max_df(most.parse().unwrap())
            .stem(stem.then_some(Language::English))
            .stop_words(if stop { StopWords::of(Language::English) } else { StopWords::None })
            .numbers(if numbers { Numbers::Keep } else { Numbers::Drop })
            .max_words(max_words);
        let expected = naive::table(&texts, &chosen);
        match count_texts(&texts, &chosen) {
            Ok(corpus) => prop_assert_eq!(as_table(&corpus), expected),
            Err(_) => prop_assert!(expected.iter().all(|document| document.is_empty())),
        }
    }
}
