//! Counts in every format, through the real program.

use std::io::Write;
use std::process::Stdio;

use svtd::Corpus;

use crate::workspace::{Ran, Workspace, docword, mixtures};

const FIT: &str = "-k 4 --polish none --no-trust";

/// A document a line, each with as many pairs as it says.
fn lda_c(corpus: &Corpus) -> String {
    lines(corpus, 0, |_, n_pairs| n_pairs.to_string())
}

/// A document a line behind a label, words from 1.
fn svmlight(corpus: &Corpus) -> String {
    lines(corpus, 1, |d, _| format!("class{}", d % 3))
}

fn lines(corpus: &Corpus, base: u32, front: impl Fn(usize, usize) -> String) -> String {
    let mut text = String::new();
    for d in 0..corpus.n_documents() {
        let mut words: Vec<_> = corpus.document(d).words().collect();
        words.sort_unstable();
        text.push_str(&front(d, words.len()));
        text.extend(words.iter().map(|(word, count)| format!(" {}:{count}", word + base)));
        text.push('\n');
    }
    text
}

fn dense(corpus: &Corpus) -> String {
    let heads: Vec<String> = (1..=corpus.n_words()).map(|w| format!("w{w}")).collect();
    let mut text = heads.join(",") + "\n";
    for d in 0..corpus.n_documents() {
        let mut counts = vec![0; corpus.n_words()];
        for (word, count) in corpus.document(d).words() {
            counts[word as usize] = count;
        }
        let cells: Vec<String> = counts.iter().map(u32::to_string).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    text
}

/// Runs the program with these bytes on its standard input.
fn piped(w: &Workspace, line: &str, bytes: &[u8]) -> Ran {
    let mut command = w.command(line);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses early may close the pipe before it is empty.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    child.wait_with_output().unwrap().into()
}

#[test]
fn one_corpus_in_every_format_gives_the_same_topics() {
    let w = Workspace::new();
    let corpus = mixtures();
    w.write("counts.txt", docword(&corpus).as_bytes());
    w.write("counts.dat", lda_c(&corpus).as_bytes());
    w.write("counts.svm", svmlight(&corpus).as_bytes());
    w.write("counts.csv", dense(&corpus).as_bytes());
    let words: String = (1..=corpus.n_words()).map(|w| format!("w{w}\n")).collect();
    w.write("words.txt", words.as_bytes());
    let expected = w.must(&format!("fit counts.txt --vocab words.txt {FIT}"));
    assert!(expected.stderr.contains("read counts.txt as UCI docword\n"), "{}", expected.stderr);
    for (file, line) in [
        ("counts.dat", "read counts.dat as LDA-C\n"),
        ("counts.svm", "read counts.svm as SVMlight\n"),
        ("counts.csv", "read counts.csv as a dense table of counts\n"),
    ] {
        let ran = w.must(&format!("fit {file} --vocab words.txt {FIT}"));
        assert_eq!(ran.stdout, expected.stdout, "{file}");
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
    assert_eq!(w.must(&format!("fit counts.csv -q {FIT}")).stderr, "");
}

#[test]
fn standard_input_may_be_anything_that_a_file_may_be() {
    let w = Workspace::new();
    let corpus = mixtures();
    w.write("counts.txt", docword(&corpus).as_bytes());
    let expected = w.must(&format!("fit counts.txt {FIT} --json -q"));
    let packed = zstd::encode_all(lda_c(&corpus).as_bytes(), 3).unwrap();
    for bytes in [docword(&corpus).into_bytes(), lda_c(&corpus).into_bytes(), packed] {
        let ran = piped(&w, &format!("fit - {FIT} --json"), &bytes);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ran.stdout, expected.stdout);
        let said = piped(&w, &format!("fit - {FIT}"), &bytes).stderr;
        assert!(said.contains("read standard input as "), "{said}");
    }
    for (bytes, needle) in [
        (&b""[..], "svtd: standard input: the file is empty"),
        (b"2\n3\n1\n1 1 x\n", "svtd: standard input, line 4: "),
        (b"2\n3\n2\n1 1 1\n1 1 1\n", "svtd: standard input: word 1 of document 1 is counted twice"),
    ] {
        let ran = piped(&w, "fit - -k 2 -o m.svtd", bytes);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.starts_with(needle), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn a_format_can_be_forced_and_a_matrix_turned() {
    let w = Workspace::new();
    w.write(
        "counts.txt",
        b"3 1:1 2:2 4:1\n3 2:3 3:3 4:1\n3 1:1 2:2 3:1\n2 1:4 3:2\n3 1:1 3:3 4:2\n",
    );
    let stderr = w.must("fit counts.txt -k 2 --allow-fewer --polish none").stderr;
    assert!(stderr.contains("read counts.txt as LDA-C"), "{stderr}");
    let stderr = w.must("fit counts.txt -k 2 --allow-fewer --polish none --format svmlight").stderr;
    assert!(stderr.contains("read counts.txt as SVMlight"), "{stderr}");
    let refused = w.svtd("fit counts.txt -k 2 --format excel");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("expected one of docword, mtx, lda-c"), "{}", refused.stderr);
    let refused = w.svtd("fit counts.txt -k 2 --transpose");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("documents that stand one on a line"), "{}", refused.stderr);
    let refused = w.svtd("fit counts.txt -k 2 --format docword");
    assert_eq!(refused.code, Some(1));
    assert!(!refused.stderr.contains("--format names another"), "{}", refused.stderr);
}

#[test]
fn an_archive_that_unpacks_without_end_is_refused() {
    let w = Workspace::new();
    let mut endless = b"400000000\n5\n400000000\n".to_vec();
    endless.resize(300 << 20, b'\n');
    w.write("bomb.zst", &zstd::encode_all(&endless[..], 1).unwrap());
    let ran = w.svtd("fit bomb.zst -k 2 -o m.svtd");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("bomb.zst: it unpacks to over 256 MB"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1);
    assert_eq!(w.names(), ["bomb.zst"]);
}

#[test]
fn the_number_of_the_first_word_can_be_said() {
    let w = Workspace::new();
    w.write("a.svm", b"x 1:2 2:1\ny 2:2 3:4\nx 1:3 3:1\ny 2:5 1:1\nx 1:1 2:2 3:3\n");
    let fit = "fit a.svm -k 2 --format svmlight --allow-fewer --polish none";
    assert!(w.must(fit).stderr.contains("words are numbered from 1"));
    let said = w.must(&format!("{fit} --index-base 0 --json"));
    assert!(!said.stderr.contains("numbered from"), "{}", said.stderr);
    w.write("zero.svm", b"x 0:2 2:1\n");
    let ran = w.svtd("fit zero.svm -k 2 --format svmlight --index-base 1");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("zero.svm, line 1: a word has the number 0"), "{}", ran.stderr);
    assert_eq!(w.svtd("fit a.svm -k 2 --index-base 2").code, Some(2));
}
