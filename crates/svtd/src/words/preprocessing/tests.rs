//! Choices as they are written, settled and stored.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use super::*;

const ENGLISH: &str = "we count how often each word occurs in every letter, and then ask which of the letters have something in common that the others do not have";

#[test]
fn a_frequency_is_a_number_or_a_share() {
    let parse = |text: &str| text.parse::<Frequency>().ok();
    assert_eq!(parse("5"), Some(Frequency::Documents(5)));
    assert_eq!(parse("1"), Some(Frequency::Documents(1)));
    assert_eq!(parse("1.0"), Some(Frequency::Share(1.0)));
    assert_eq!(parse("50%"), Some(Frequency::Share(0.5)));
    for text in ["-1", "1.5", "101%", "x", "", "nan", "inf"] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn a_share_of_the_documents_is_exact_where_it_is_whole() {
    let share = Frequency::Share(0.1);
    assert_eq!((share.at_least(30), share.at_most(30)), (3, 3));
    assert_eq!((share.at_least(31), share.at_most(31)), (4, 3));
}

#[test]
fn a_largest_frequency_of_nothing_is_no_choice() {
    for none in ["0", "0%"] {
        let chosen = Preprocessing::new().max_df(none.parse().unwrap());
        let message = chosen.resolved(ENGLISH).unwrap_err().to_string();
        assert!(message.starts_with("max-df must be at least 1 document"), "{message}");
    }
    // A share of few documents may be less than one of them; only the corpus can say.
    let chosen = Preprocessing::new().max_df("0.001".parse().unwrap());
    assert!(chosen.resolved(ENGLISH).is_ok());
}

#[test]
fn n_grams_are_a_range_or_a_number() {
    let parse = |text: &str| text.parse::<Ngrams>().ok();
    assert_eq!(parse("1..2"), Some(Ngrams { min: 1, max: 2 }));
    assert_eq!(parse("2"), Some(Ngrams { min: 2, max: 2 }));
    for text in ["0", "2..1", "1..9", "..", "a"] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn the_language_decides_what_was_left_open() {
    let (settled, notes) = Preprocessing::new().resolved(ENGLISH).unwrap();
    assert_eq!(settled.language, Some(Language::English));
    assert_eq!(settled.stop_words, StopWords::of(Language::English));
    assert_eq!(settled.apostrophes, Some(Apostrophes::Possessive));
    assert!(notes[0].starts_with("the text looks English, so the stop words"), "{notes:?}");
}

#[test]
fn what_was_told_is_not_guessed() {
    let italian = Preprocessing::new().language(Some(Language::Italian));
    let (settled, notes) = italian.resolved(ENGLISH).unwrap();
    assert_eq!(settled.stop_words, StopWords::of(Language::Italian));
    assert_eq!(settled.apostrophes, Some(Apostrophes::Split));
    assert_eq!(notes, Vec::<String>::new());
}

#[test]
fn a_settled_value_stays_as_it_is() {
    let (settled, _) = Preprocessing::new().resolved(ENGLISH).unwrap();
    let (again, notes) = settled.resolved("道可道,非常道").unwrap();
    assert_eq!((again, notes.len()), (settled, 0));
}

#[test]
fn a_value_survives_json() {
    let (settled, _) =
        Preprocessing::new().ngrams(Ngrams { min: 1, max: 3 }).resolved(ENGLISH).unwrap();
    let text = serde_json::to_string(&settled).unwrap();
    assert_eq!(serde_json::from_str::<Preprocessing>(&text).unwrap(), settled);
}
