//! One corpus in every dress, and bytes of all kinds.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::io::Write;

use proptest::prelude::*;

use super::*;

/// Reads `text` from a file of this name in a folder of its own.
fn read_as(name: &str, text: &[u8]) -> Result<Corpus> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    Corpus::read(&path)
}

fn read(text: &str) -> Corpus {
    read_as("counts.txt", text.as_bytes()).unwrap()
}

fn expected() -> Corpus {
    let mut builder = Corpus::builder(5);
    builder.push_document([(1, 1), (4, 3)]).unwrap();
    builder.push_document([]).unwrap();
    builder.push_document([(1, 2)]).unwrap();
    builder.build().unwrap()
}

#[test]
fn one_corpus_in_every_dress_is_the_same_corpus() {
    let table = [
        "3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n",
        "3\n5\n3\n1 2 1\n1 5 3\n3 2 2",
        "3\r\n5\r\n3\r\n1 2 1\r\n1 5 3\r\n3 2 2\r\n",
        "\u{feff}3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n",
        " 3\n5 \n3\n1\t2\t1\n 1   5 3 \n3 2 \t 2\n",
        "3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n\n \n\r\n",
        "3\n5\n3\n3 2 2\n1 5 3\n1 2 1\n",
        "3\n5\n3\n1 5 3\n3 2 2\n1 2 1\n",
        "3\n5\n4\n1 2 1\n1 5 3\n2 1 0\n3 2 2\n",
        "3\n5\n3\n001 2 1\n1 00000000000005 3\n3 2 2.0\n",
        "%%MatrixMarket matrix coordinate integer general\n3 5 3\n1 2 1\n1 5 3\n3 2 2\n",
        "%%MatrixMarket matrix coordinate real general\n% a\n%\n\n3 5 3\n1 2 1.0\n1 5 3e0\n3 2 2.\n",
        "%%matrixmarket matrix coordinate unsigned-integer general\n3 5 3\n1 2 1\n1 5 3\n3 2 2\n",
    ];
    for text in table {
        assert_eq!(read(text), expected(), "{text:?}");
    }
}

#[test]
fn a_compressed_file_is_the_same_corpus_whatever_its_name() {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(b"3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n").unwrap();
    let compressed = encoder.finish().unwrap();
    assert_eq!(read_as("counts.txt", &compressed).unwrap(), expected());
}

#[test]
fn every_entry_of_a_pattern_counts_once() {
    let corpus = read("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1\t2\n2 1\n");
    assert_eq!(corpus.lengths(), [2, 1]);
    assert_eq!(corpus.rows().counts(), [1, 1, 1]);
}

#[test]
fn explicit_zeros_are_tallied() {
    let corpus = read("1\n2\n3\n1 1 0\n1 2 4\n1 1 0\n");
    assert_eq!(corpus.report().n_zero_entries, 2);
    assert_eq!(corpus.n_nonzeros(), 1);
}

#[test]
fn the_vocabulary_beside_a_docword_file_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docword.tiny.txt");
    std::fs::write(&path, "1\n2\n1\n1 2 7\n").unwrap();

    let corpus = Corpus::read(&path).unwrap();
    assert!(corpus.vocabulary().is_numbered());
    let note = &corpus.report().notes[0];
    assert!(note.ends_with("no vocabulary found, so the words are called 1 to 2"));

    std::fs::write(folder.path().join("vocab.tiny.txt"), "sole\namor\n").unwrap();
    let corpus = Corpus::read(&path).unwrap();
    assert_eq!(corpus.vocabulary().word(1), "amor");
    assert!(corpus.report().notes.is_empty());

    let other = folder.path().join("other.txt");
    std::fs::write(&other, "luna\nstelle\n").unwrap();
    let corpus = CorpusReader::new().vocabulary_file(&other).read(&path).unwrap();
    assert_eq!(corpus.vocabulary().word(1), "stelle");

    std::fs::write(&other, "luna\n").unwrap();
    let error = CorpusReader::new().vocabulary_file(&other).read(&path).unwrap_err();
    let sentence = error.to_string();
    assert!(sentence.contains("needed 2 words, as "), "{sentence}");
    assert!(sentence.contains("found 1 words in "), "{sentence}");
}

#[test]
fn blocks_and_lines_are_counted_across_the_buffer() {
    // Three megabytes of good lines, then one bad one.
    let n = 250_000;
    let lines: String = (1..=n).map(|d| format!("{d} {} 1\n", d % 9 + 1)).collect();
    assert_eq!(read(&format!("{n}\n9\n{n}\n{lines}")).n_tokens(), n);
    let bad = format!("{n}\n9\n{}\n{lines}1 1 x\n", n + 1);
    let error = read_as("counts.txt", bad.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("line 250004: "), "{error}");
}

/// Distinct `(document, word)` cells, each with a count, in shuffled order.
fn shuffled_entries() -> impl Strategy<Value = Vec<((u32, u32), u32)>> {
    proptest::collection::btree_map((1..8_u32, 1..10_u32), 1..5_u32, 1..40)
        .prop_map(|cells| cells.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

fn docword_text(entries: &[((u32, u32), u32)]) -> String {
    let mut text = format!("7\n9\n{}\n", entries.len());
    text.extend(entries.iter().map(|((d, w), c)| format!("{d} {w} {c}\n")));
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_lines_changes_nothing(entries in shuffled_entries()) {
        let mut sorted = entries.clone();
        sorted.sort();
        let (shuffled, sorted) = (read(&docword_text(&entries)), read(&docword_text(&sorted)));
        prop_assert_eq!(shuffled.digest(), sorted.digest());
        prop_assert_eq!(shuffled, sorted);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(
        text in proptest::collection::vec(
            proptest::sample::select(b"0123459 \t\r\n.-ex%\xff".to_vec()), 0..60),
        after_header in any::<bool>(),
    ) {
        let header: &[u8] = if after_header { b"2\n2\n2\n" } else { b"" };
        let _ = read_as("counts.txt", &[header, &text].concat());
    }
}
