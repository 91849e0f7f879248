//! Every way we know to write a count table wrongly, and the sentence each one gets.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::io::Write;

use crate::corpus::Corpus;

use super::CorpusReader;
use crate::error::ErrorKind;

const MTX: &str = "%%MatrixMarket matrix coordinate";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The sentence for a file of these bytes, without the folder it is in.
fn sentence(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts.txt");
    std::fs::write(&path, bytes).unwrap();
    let error = Corpus::read(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data, "{error}");
    let place = format!("{}/", folder.path().display());
    error.to_string().replace(&place, "")
}

fn check(table: &[(&[u8], &str)]) {
    for (bytes, expected) in table {
        let found = sentence(bytes);
        let shown = bytes.escape_ascii();
        assert!(found.starts_with(expected), "{shown}\nneeded {expected}\nfound  {found}");
        assert!(!found.ends_with('.') && !found.contains('\n'), "{found}");
    }
}

/// A file of two documents, three words and the given entries.
fn table(entries: &[&str]) -> Vec<u8> {
    format!("2\n3\n{}\n{}\n", entries.len(), entries.join("\n")).into_bytes()
}

#[test]
fn documents_that_are_columns_are_not_believed_either() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts.txt");
    std::fs::write(&path, "4\n51844674\n1\n1 1 2\n").unwrap();
    let error = CorpusReader::new().transposed(true).read(&path).unwrap_err().to_string();
    assert!(error.contains("51844674 documents declared for 1 entries"), "{error}");
}

#[test]
fn a_malformed_header_is_told_with_its_line() {
    check(&[
        (b"", "counts.txt: the file is empty"),
        (b"\xef\xbb\xbf", "counts.txt: the file is empty"),
        (
            // A letter makes it text.
            b"x\n",
            "every word was dropped (1 by min-length; documents: 1); relax min-length first",
        ),
        (b"\n2\n3\n", "counts.txt, line 1: expected the number of documents"),
        (b"-1\n3\n1\n1 1 1\n", "counts.txt, line 1: expected the number of documents"),
        (b"2.5\n3\n1\n1 1 1\n", "counts.txt, line 1: expected the number of documents"),
        (b"2 3 1\n1 1 1\n", "counts.txt, line 1: expected the number of documents"),
        (
            b"\xff\xfe2\n3\n1\n",
            "counts.txt, line 1: expected the number of documents (docword) or another table of counts, \
             found \"\\xff\\xfe2\", which is not UTF-8",
        ),
        (b"2\n", "counts.txt: the file ends before the number of words"),
        (b"2\n3\n", "counts.txt: the file ends before the number of entries"),
        (b"2\n\n1\n1 1 1\n", "counts.txt, line 2: expected the number of words, found \"\""),
        (
            b"2\n3\nmany\n1 1 1\n",
            "counts.txt, line 3: expected the number of entries, found \"many\"",
        ),
        (
            b"5000000000\n3\n1\n1 1 1\n",
            "counts.txt, line 1: 5000000000 documents declared, more than can be numbered",
        ),
        (
            b"2\n5000000000\n1\n1 1 1\n",
            "counts.txt, line 2: 5000000000 words declared, more than can be numbered",
        ),
        (
            b"99999999999999999999999\n3\n1\n",
            "counts.txt, line 1: expected the number of documents",
        ),
    ]);
}

#[test]
fn a_header_that_lies_is_told_and_not_believed() {
    check(&[
        (
            b"2\n3\n500\n1 1 1\n1 2 1\n",
            "counts.txt: declared 500 entries, found 2: is the file cut short?",
        ),
        (
            b"2\n3\n18446744073709551615\n1 1 1\n",
            "counts.txt: declared 18446744073709551615 entries, found 1",
        ),
        (b"2\n3\n1\n", "counts.txt: declared 1 entries, found 0"),
        (b"2\n3\n1\n\n\n", "counts.txt: declared 1 entries, found 0"),
        (
            b"2\n3\n1\n1 1 1\n1 2 1\n",
            "counts.txt, line 5: declared 1 entries, and here is one more",
        ),
        (b"2\n3\n0\n1 1 1\n", "counts.txt, line 4: declared 0 entries, and here is one more"),
        (
            b"4000000000\n3\n3\n1 1 1\n2 1 1\n4000000000 1 1\n",
            "counts.txt, line 1: 4000000000 documents declared for 3 entries; is the header right?",
        ),
        (
            b"2\n4000000000\n2\n1 1 1\n2 4000000000 1\n",
            "counts.txt, line 2: 4000000000 words declared for 2 entries; if that is right, give a vocabulary file",
        ),
    ]);
}

#[test]
fn a_malformed_entry_is_told_with_its_line() {
    let count = "expected a whole number of occurrences, found";
    let rows: [(&[&str], String); 25] = [
        (&["1 1 3.5"], format!("4: {count} \"3.5\"; if these are weights such as tf-idf")),
        (&["1 1 1", "1 2 1", "2 1 0.017"], format!("6: {count} \"0.017\"; if these are weights")),
        (&["1 1 -1"], format!("4: {count} \"-1\"")),
        (&["1 1 NaN"], format!("4: {count} \"NaN\"")),
        (&["1 1 1", "1 2 x"], format!("5: {count} \"x\"")),
        (&["1 1 3,5"], format!("4: {count} \"3,5\"")),
        (&["1 1 0x3"], format!("4: {count} \"0x3\"")),
        (&["1 1 1e-3"], format!("4: {count} \"1e-3\"; if these are weights")),
        (&["1 1 1e400"], "4: a count of \"1e400\" is too large; the most is 4294967295".into()),
        (&["1 1 inf"], "4: a count of \"inf\" is too large".into()),
        (&["1 1 99999999999"], "4: a count of \"99999999999\" is too large".into()),
        (&["1 1 4294967296"], "4: a count of \"4294967296\" is too large".into()),
        (&["3 1 1"], "4: expected a document from 1 to 2, found \"3\"".into()),
        (&["0 1 1"], "4: expected a document from 1 to 2, found \"0\"".into()),
        (&["-1 1 1"], "4: expected a document from 1 to 2, found \"-1\"".into()),
        (&["1.0 1 1"], "4: expected a document from 1 to 2, found \"1.0\"".into()),
        (&["4294967297 1 1"], "4: expected a document from 1 to 2, found \"4294967297\"".into()),
        (&["1 4 1"], "4: expected a word from 1 to 3, found \"4\"".into()),
        (&["1 0 1"], "4: expected a word from 1 to 3, found \"0\"".into()),
        (&["1 sole 1"], "4: expected a word from 1 to 3, found \"sole\"".into()),
        (&["1 1"], "4: expected three numbers (document, word, count), found \"1 1\"".into()),
        (
            &["1 1 1 1"],
            "4: expected three numbers (document, word, count), found \"1 1 1 1\"".into(),
        ),
        (&["1,1,1"], "4: expected three numbers (document, word, count), found \"1,1,1\"".into()),
        (
            &["1 1 1", "", "1 2 1"],
            "5: expected three numbers (document, word, count), found an empty line".into(),
        ),
        (
            &["1 1 1", " \t", "x"],
            "5: expected three numbers (document, word, count), found an empty line".into(),
        ),
    ];
    for (entries, expected) in rows {
        check(&[(&table(entries), &format!("counts.txt, line {expected}"))]);
    }
    check(&[
        (
            b"2\n3\n1\n1 1 \xff\n",
            "counts.txt, line 4: expected a whole number of occurrences, found \"\\xff\", which is not UTF-8",
        ),
        (
            b"2\n3\n1\n1 \xc3 1\n",
            "counts.txt, line 4: expected a word from 1 to 3, found \"\\xc3\", which is not UTF-8",
        ),
        (b"2\n3\n1\r1 1 1\r", "counts.txt, line 3: expected the number of entries"),
    ]);
}

#[test]
fn a_word_counted_twice_is_told_with_both_lines() {
    check(&[
        (
            &table(&["1 2 1", "1 3 1", "1 2 1"]),
            "counts.txt, line 6: word 2 of document 1 was already counted on line 4",
        ),
        (
            &table(&["2 1 4", "1 1 1", "2 1 5"]),
            "counts.txt, line 6: word 1 of document 2 was already counted on line 4",
        ),
        (
            &table(&["1 1 1", "1 1 1"]),
            "counts.txt, line 5: word 1 of document 1 was already counted on line 4",
        ),
    ]);
}

#[test]
fn a_table_without_words_is_told_as_such() {
    check(&[
        (b"0\n0\n0\n", "the corpus has no words: not one occurrence in 0 documents"),
        (b"5\n3\n0\n", "the corpus has no words: not one occurrence in 5 documents"),
        (&table(&["1 1 0", "2 3 0"]), "the corpus has no words: not one occurrence in 2 documents"),
    ]);
}

#[test]
fn a_matrix_that_cannot_be_counts_is_told_by_name() {
    let rows = [
        (
            "%%MatrixMarket\n".to_owned(),
            ", line 1: expected \"%%MatrixMarket matrix coordinate integer general\" or the like",
        ),
        (
            "%%MatrixMarket vector coordinate integer general\n".to_owned(),
            ", line 1: expected a \"matrix\", found a \"vector\"",
        ),
        (
            "%%MatrixMarket matrix array integer general\n".to_owned(),
            ", line 1: expected a sparse matrix (\"coordinate\"), found \"array\"",
        ),
        (
            format!("{MTX} complex general\n1 1 1\n"),
            ", line 1: expected counts (\"integer\", \"real\" or \"pattern\"), found \"complex\"",
        ),
        (
            format!("{MTX} integer symmetric\n1 1 1\n"),
            ", line 1: expected a \"general\" matrix of documents by words, found \"symmetric\"",
        ),
        (format!("{MTX} integer\n"), ", line 1: expected \"%%MatrixMarket"),
        (format!("{MTX} integer general\n"), ": the file ends before the line of sizes"),
        (format!("{MTX} integer general\n% only\n%\n"), ": the file ends before the line of sizes"),
        (
            format!("{MTX} integer general\n%\n2 3\n1 1 1\n"),
            ", line 3: expected three numbers (documents, words, entries), found \"2 3\"",
        ),
        (
            format!("{MTX} integer general\n2 3 1 1\n"),
            ", line 2: expected three numbers (documents, words, entries)",
        ),
        (
            format!("{MTX} integer general\n5000000000 3 1\n"),
            ", line 2: 5000000000 documents declared",
        ),
        (
            format!("{MTX} integer general\n2 3 1\n1 1 2.5\n"),
            ", line 3: expected a whole number of occurrences, found \"2.5\"",
        ),
        (
            format!("{MTX} real general\n2 3 1\n%\n1 1 2.5\n"),
            ", line 3: expected three numbers (document, word, count), found \"%\"",
        ),
        (
            format!("{MTX} real general\n2 3 1\n3 1 2.0\n"),
            ", line 3: expected a document from 1 to 2",
        ),
        (
            format!("{MTX} pattern general\n2 3 1\n1 1 1\n"),
            ", line 3: expected two numbers (document, word), found \"1 1 1\"",
        ),
        (
            format!("{MTX} pattern general\n2 3 1\n1 7\n"),
            ", line 3: expected a word from 1 to 3, found \"7\"",
        ),
        (
            format!("{MTX} pattern general\n2 3 2\n1 1\n1 1\n"),
            ", line 4: word 1 of document 1 was already counted on line 3",
        ),
        (format!("{MTX} integer general\n2 3 2\n1 1 1\n"), ": declared 2 entries, found 1"),
    ];
    for (text, expected) in rows {
        check(&[(text.as_bytes(), &format!("counts.txt{expected}"))]);
    }
}

#[test]
fn broken_gzip_is_told_as_such() {
    let mut text = b"9000\n9\n81000\n".to_vec();
    for d in 1..=9000 {
        text.extend((1..=9).flat_map(|w| format!("{d} {w} {}\n", (d * w) % 7 + 1).into_bytes()));
    }
    let whole = gzip(&text);
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0xa5);
    let mut wrong_sum = whole.clone();
    let end = wrong_sum.len() - 8;
    wrong_sum[end] ^= 1;
    let followed = [&whole[..], b"more"].concat();
    check(&[
        (&whole[..whole.len() / 2], "counts.txt: the gzip data ends early, after line "),
        (&whole[..whole.len() - 3], "counts.txt: the gzip data ends early, after line 81003;"),
        (&whole[..1], "counts.txt, line 1: expected the number of documents"),
        (&whole[..5], "counts.txt: the gzip data ends early, after line 0"),
        (&wrong_sum, "counts.txt: the gzip data is damaged, after line 81003;"),
        (&followed, "counts.txt: the gzip data "),
        (&gzip(b""), "counts.txt: the file is empty"),
        (&gzip(b"2\n3\n1\n1 1 x\n"), "counts.txt, line 4: expected a whole number"),
    ]);
    // Damage may also surface as digits that changed: any sentence about the file will do.
    assert!(sentence(&damaged).starts_with("counts.txt"));
}

#[test]
fn what_is_not_a_file_is_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let error = Corpus::read(folder.path().join("none.txt")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().ends_with("none.txt: there is no such file or folder"), "{error}");
    let error = Corpus::read(folder.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);
    assert!(error.to_string().contains("there are no files in this folder"), "{error}");
}
