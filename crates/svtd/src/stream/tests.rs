//! Windows against lists kept by hand.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use super::*;
use crate::CorpusReader;
use crate::text::Preprocessing;

fn reader() -> CorpusReader {
    CorpusReader::new().preprocessing(Preprocessing::new().min_df("1".parse().unwrap()))
}

fn batch(documents: &[(&str, &str)]) -> Batch {
    let mut batch = Batch::default();
    for (time, text) in documents {
        batch.push(Some(format!("of {time}")), Some((*time).to_owned()), text);
    }
    batch
}

fn names(window: &mut Window) -> Vec<String> {
    let corpus = reader().read_window(window).unwrap();
    (0..corpus.n_documents()).map(|d| corpus.document_name(d).into_owned()).collect()
}

#[test]
fn documents_go_when_they_are_too_old_and_late_ones_take_their_place() {
    let mut window = Window::new("3d".parse().unwrap(), std::env::temp_dir()).unwrap();
    assert_eq!((window.settle().unwrap(), window.days()), (0, None));
    let batch = batch(&[
        ("2024-03-01", "sun"),
        ("2024-03-03", "moon"),
        ("2024-03-02", "sea"),
        ("2024-03-04", "sun moon"),
        ("2024-03-01", "late"),
        ("soon", "never"),
    ]);
    let taken: Vec<Arrival> = (0..5).map(|d| window.push(&batch, d).unwrap()).collect();
    assert_eq!(taken[..4], [Arrival::Taken; 4]);
    assert_eq!((taken[4], window.n_late(), window.n_seen()), (Arrival::Late, 1, 5));
    let error = window.push(&batch, 5).unwrap_err().to_string();
    assert!(error.starts_with("document 6: expected a day, such as 2024-03-09"), "{error}");
    window.skip();
    assert_eq!(window.n_seen(), 6);
    assert_eq!(names(&mut window), ["of 2024-03-03", "of 2024-03-02", "of 2024-03-04"]);
    assert_eq!(window.days(), Some(("2024-03-02".to_owned(), "2024-03-04".to_owned())));
    // Reading takes nothing, and more can follow.
    window.push(&batch, 2).unwrap();
    assert_eq!(names(&mut window).len(), 4);
}

#[test]
fn a_window_of_documents_keeps_the_last_ones_with_their_words() {
    let mut window = Window::new(Last::Documents(2), std::env::temp_dir()).unwrap();
    let mut batch = Batch::default();
    batch.push(None, None, "gone");
    batch.push_words(None, None, ["New York", "", "sea"]);
    batch.push(None, None, "");
    for d in 0..3 {
        window.push(&batch, d).unwrap();
    }
    let corpus = reader().read_window(&mut window).unwrap();
    let words: Vec<_> = corpus.vocabulary().iter().collect();
    assert_eq!((corpus.n_documents(), words), (2, vec!["New York".into(), "sea".into()]));
}

#[test]
fn a_file_of_which_most_is_gone_is_copied() {
    let mut window = Window::new(Last::Documents(3), std::env::temp_dir()).unwrap();
    let text = "sun moon sea ".repeat(1 << 16);
    for round in 0..40 {
        let word = format!("w{round}");
        window.push(&batch(&[("", &text), ("", &word)]), 0).unwrap();
        window.push(&batch(&[("", &text), ("", &word)]), 1).unwrap();
        assert_eq!(window.settle().unwrap(), if round == 0 { 2 } else { 3 });
    }
    let corpus = reader().read_window(&mut window).unwrap();
    let words: Vec<_> = corpus.vocabulary().iter().collect();
    assert_eq!(words, ["moon", "sea", "sun", "w38", "w39"]);
    assert!(window.spool.size() < 20_000_000, "{}", window.spool.size());
}
