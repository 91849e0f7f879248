//! Every way we know to ask wrongly: one line that says what and where, and no file left behind.

use crate::round_trip::gzip;
use crate::workspace::Workspace;

const MTX: &str = "%%MatrixMarket matrix coordinate";

/// Two groups of documents that share no word: fine for two topics.
const GOOD: &str = "6\n4\n12\n1 1 4\n1 2 3\n2 1 2\n2 2 5\n3 3 4\n3 4 3\n4 3 2\n4 4 6\n5 1 3\n5 2 3\n6 3 5\n6 4 2\n";

/// Runs a command that must fail with one line that holds all of `needles`, and leave no file.
pub fn refuses(w: &Workspace, line: &str, code: i32, needles: &[&str]) {
    let before = w.names();
    let ran = w.svtd(line);
    assert_eq!(ran.code, Some(code), "svtd {line}\n{ran:?}");
    assert_eq!(ran.stdout, "", "svtd {line}");
    // The line about a file that could be read comes first.
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| !line.starts_with("read ")).collect();
    assert_eq!(lines.len(), 1, "svtd {line}\n{}", ran.stderr);
    assert!(lines[0].starts_with("svtd: "), "{}", ran.stderr);
    assert!(ran.stderr.ends_with('\n') && !ran.stderr.ends_with(".\n"), "{}", ran.stderr);
    for needle in needles {
        assert!(ran.stderr.contains(needle), "svtd {line}\nneeded {needle}\nfound {}", ran.stderr);
    }
    assert_eq!(w.names(), before, "svtd {line}");
}

/// Fits these bytes as `bad.txt`, which must be refused as data.
fn counts_are_refused(bytes: &[u8], needle: &str) {
    let w = Workspace::new();
    w.write("bad.txt", bytes);
    refuses(&w, "fit bad.txt -k 2 -o m.svtd", 1, &[needle]);
}

#[test]
fn the_good_corpus_is_good() {
    let w = Workspace::new();
    w.write("good.txt", GOOD.as_bytes());
    w.must("fit good.txt -k 2 --model single-topic -o m.svtd");
}

#[test]
fn malformed_docword_files_are_told_with_file_and_line() {
    let table: [(&str, &str); 33] = [
        ("", "bad.txt: the file is empty"),
        ("hello\n", "bad.txt: every word was dropped (1 by --min-df; documents: 1)"),
        ("-1\n3\n1\n1 1 1\n", "bad.txt, line 1: "),
        ("2.5\n3\n1\n1 1 1\n", "bad.txt, line 1: "),
        ("2 3 1\n1 1 1\n", "bad.txt, line 1: "),
        ("2\n", "bad.txt: the file ends before"),
        ("2\n3\n", "bad.txt: the file ends before"),
        ("2\n\n1\n1 1 1\n", "bad.txt, line 2: "),
        ("2\n3\nmany\n1 1 1\n", "bad.txt, line 3: "),
        ("5000000000\n3\n1\n1 1 1\n", "bad.txt, line 1: "),
        ("2\n5000000000\n1\n1 1 1\n", "bad.txt, line 2: "),
        ("4000000000\n3\n1\n1 1 1\n", "bad.txt, line 1: "),
        ("2\n4000000000\n1\n1 1 1\n", "bad.txt, line 2: "),
        ("99999999999999999999999\n3\n1\n", "bad.txt, line 1: "),
        ("2\n3\n500\n1 1 1\n", "bad.txt: declared 500 entries, found 1"),
        ("2\n3\n18446744073709551615\n1 1 1\n", "bad.txt: declared 18446744073709551615"),
        ("2\n3\n1\n1 1 1\n1 2 1\n", "bad.txt, line 5: "),
        ("2\n3\n0\n1 1 1\n", "bad.txt, line 4: "),
        ("2\n3\n1\n3 1 1\n", "bad.txt, line 4: expected a document from 1 to 2"),
        ("2\n3\n1\n0 1 1\n", "bad.txt, line 4: expected a document from 1 to 2"),
        ("2\n3\n1\n1 4 1\n", "bad.txt, line 4: expected a word from 1 to 3"),
        ("2\n3\n1\n1 0 1\n", "bad.txt, line 4: expected a word from 1 to 3"),
        ("2\n3\n1\n1 1 -1\n", "bad.txt, line 4: expected a whole number"),
        ("2\n3\n1\n1 1 3.5\n", "bad.txt, line 4: expected a whole number"),
        ("2\n3\n1\n1 1 NaN\n", "bad.txt, line 4: expected a whole number"),
        ("2\n3\n1\n1 1 inf\n", "bad.txt, line 4: a count of \"inf\" is too large"),
        ("2\n3\n1\n1 1 4294967296\n", "bad.txt, line 4: a count of"),
        ("2\n3\n1\n1 1\n", "bad.txt, line 4: expected three numbers"),
        ("2\n3\n1\n1,1,1\n", "bad.txt, line 4: expected three numbers"),
        ("2\n3\n2\n1 1 1\n1 1 1\n", "bad.txt, line 5: word 1 of document 1 was already"),
        ("2\n3\n3\n1 1 1\n\n1 2 1\n", "bad.txt, line 5: "),
        ("5\n3\n0\n", "bad.txt: the corpus has no words"),
        ("1\n2\n1\n1 1 0\n", "bad.txt: the corpus has no words"),
    ];
    for (text, needle) in table {
        counts_are_refused(text.as_bytes(), needle);
    }
    counts_are_refused(b"\xff\xfe2\n3\n1\n", "bad.txt, line 1: ");
    counts_are_refused(b"\x00\x01\x02\x03", "bad.txt, line 1: ");
}

#[test]
fn malformed_matrices_are_told_with_file_and_line() {
    let table = [
        ("%%MatrixMarket\n".to_owned(), "bad.txt, line 1: "),
        ("%%MatrixMarket matrix array integer general\n2 2\n".to_owned(), "bad.txt, line 1: "),
        (format!("{MTX} complex general\n1 1 1\n"), "bad.txt, line 1: "),
        (format!("{MTX} integer symmetric\n1 1 1\n"), "bad.txt, line 1: "),
        (format!("{MTX} integer general\n"), "bad.txt: the file ends before"),
        (format!("{MTX} integer general\n%\n2 3\n"), "bad.txt, line 3: "),
        (format!("{MTX} integer general\n5000000000 3 1\n"), "bad.txt, line 2: "),
        (format!("{MTX} real general\n2 3 1\n1 1 0.25\n"), "bad.txt, line 3: "),
        (format!("{MTX} real general\n2 3 1\n1 1 nan\n"), "bad.txt, line 3: "),
        (format!("{MTX} integer general\n2 3 1\n3 1 1\n"), "bad.txt, line 3: "),
        (format!("{MTX} pattern general\n2 3 1\n1 1 1\n"), "bad.txt, line 3: "),
        (format!("{MTX} pattern general\n2 3 2\n1 1\n1 1\n"), "bad.txt, line 4: "),
        (format!("{MTX} integer general\n2 3 9\n1 1 1\n"), "bad.txt: declared 9 entries"),
    ];
    for (text, needle) in table {
        counts_are_refused(text.as_bytes(), needle);
    }
}

#[test]
fn broken_gzip_is_told_as_such() {
    let whole = gzip(GOOD.as_bytes());
    let mut wrong_sum = whole.clone();
    let end = whole.len() - 8;
    wrong_sum[end] ^= 1;
    counts_are_refused(&whole[..whole.len() / 2], "bad.txt: the gzip data ends early");
    counts_are_refused(&whole[..whole.len() - 3], "bad.txt: the gzip data ends early");
    counts_are_refused(&wrong_sum, "bad.txt: the gzip data is damaged");
    counts_are_refused(&gzip(b""), "bad.txt: the file is empty");
    counts_are_refused(&gzip(b"2\n3\n1\n1 1 x\n"), "bad.txt, line 4: ");
}

#[test]
fn vocabularies_that_do_not_fit_are_told_by_name() {
    let w = Workspace::new();
    w.write("good.txt", GOOD.as_bytes());
    w.write("short.txt", b"a\nb\nc\n");
    w.write("long.txt", b"a\nb\nc\nd\ne\n");
    w.write("twice.txt", b"a\nb\na\nd\n");
    w.write("hole.txt", b"a\n\nc\nd\n");
    w.write("latin.txt", b"a\nperch\xe9\nc\nd\n");
    for (words, code, needle) in [
        ("short.txt", 1, "found 3 words in short.txt"),
        ("long.txt", 1, "found 5 words in long.txt"),
        ("twice.txt", 1, "twice.txt, line 3: "),
        ("hole.txt", 1, "hole.txt, line 2: "),
        ("latin.txt", 1, "latin.txt, line 2: "),
        ("none.txt", 2, "none.txt: there is no such file"),
        (".", 2, ".: this is a folder"),
    ] {
        refuses(&w, &format!("fit good.txt -k 2 --vocab {words} -o m.svtd"), code, &[needle]);
    }
}

#[test]
fn data_that_cannot_show_the_topics_is_told_with_the_file() {
    let w = Workspace::new();
    w.write("good.txt", GOOD.as_bytes());
    let same: String = (1..=30).map(|d| format!("{d} 1 3\n{d} 2 2\n{d} 3 1\n")).collect();
    w.write("same.txt", format!("30\n3\n90\n{same}").as_bytes());
    w.write("ones.txt", b"3\n3\n3\n1 1 1\n2 2 1\n3 3 1\n");
    w.write("pairs.txt", b"3\n3\n3\n1 1 2\n2 2 2\n3 3 2\n");
    for (line, needle) in [
        ("good.txt -k 5", "good.txt: 5 topics asked of a vocabulary of 4 words"),
        ("good.txt -k 4000000000", "good.txt: 4000000000 topics asked of"),
        ("same.txt -k 2", "same.txt: the corpus shows "),
        ("same.txt -k 2 --model single-topic", "same.txt: the corpus shows "),
        ("same.txt -k 3 --paper", "same.txt: the corpus shows "),
        ("ones.txt -k 2", "ones.txt: no document has "),
        ("pairs.txt -k 2", "pairs.txt: no document has three words"),
    ] {
        refuses(&w, &format!("fit {line} -o m.svtd"), 1, &[needle]);
    }
}

#[test]
fn wrong_options_are_told_in_one_line() {
    let w = Workspace::new();
    w.write("good.txt", GOOD.as_bytes());
    for (line, needle) in [
        ("good.txt", "-k is needed: how many topics to learn, or auto"),
        ("-k 2", "<INPUT>"),
        ("good.txt -k 0", "at least 1"),
        ("good.txt -k -2", "at least 1"),
        ("good.txt -k 2.5", "at least 1"),
        ("good.txt -k two", "at least 1"),
        ("good.txt -k 99999999999999999999", "at least 1"),
        ("good.txt -k 2 --alpha0 0", "a positive number"),
        ("good.txt -k 2 --alpha0 -1", "a positive number"),
        ("good.txt -k 2 --alpha0 NaN", "a positive number"),
        ("good.txt -k 2 --alpha0 inf", "a positive number"),
        ("good.txt -k 2 --alpha0 x", "a positive number"),
        ("good.txt -k 2 --alpha0 1 --model single-topic", "--alpha0 is for --model lda"),
        ("good.txt -k 2 --polish abc", "auto, none or a number"),
        ("good.txt -k 2 --polish -1", "auto, none or a number"),
        ("good.txt -k 2 --threads 100000", "from 1 to 1024"),
        ("good.txt -k 2 --threads -1", "from 1 to 1024"),
        ("good.txt -k 2 --seed -1", "a whole number from 0"),
        ("good.txt -k 2 --seed 18446744073709551616", "a whole number from 0"),
        ("good.txt -k 2 --model topics", "lda, single-topic"),
        ("good.txt -k 2 --method nosuch", "joint, svtd"),
        ("good.txt -k 2 --weights heavy", "optimal, paper, zou, three-words"),
        ("good.txt -k 2 --whitening white", "scaled, plain"),
        ("good.txt -k 2 --rows all", "kept, removed"),
        ("good.txt -k 2 --verbose --quiet", "cannot be used with"),
        ("good.txt -k 2 --tpoics 3", "--tpoics"),
        ("good.txt other.txt -k 2", "other.txt"),
        ("none.txt -k 2", "none.txt: there is no such file or folder"),
        ("good.txt/x -k 2", "good.txt/x: "),
    ] {
        refuses(&w, &format!("fit {line} -o m.svtd"), 2, &[needle]);
    }
    for (target, needle) in [
        ("none/m.svtd", "none: no such folder"),
        (".", "."),
        ("good.txt --force", "good.txt is read by this command"),
    ] {
        refuses(&w, &format!("fit good.txt -k 2 --model single-topic -o {target}"), 2, &[needle]);
    }
}

#[test]
fn a_newline_in_a_name_does_not_break_the_line() {
    let w = Workspace::new();
    let ran = w.command("fit -k 2").arg("a\nb").output().unwrap();
    let stderr = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(stderr, "svtd: a\\nb: there is no such file or folder\n");
}

/// A folder with a good model of each kind and its counts.
fn with_models() -> Workspace {
    let w = Workspace::new();
    w.write("good.txt", GOOD.as_bytes());
    w.write("vocab.txt", b"sun\nmoon\nsea\nland\n");
    w.must("fit good.txt --vocab vocab.txt -k 2 --model single-topic -o one.svtd");
    w.must("fit good.txt -k 2 --model single-topic -o numbered.svtd");
    w
}

#[test]
fn broken_model_files_are_told_by_name_whoever_reads_them() {
    let w = with_models();
    let good = w.read("one.svtd");
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let with_header_of = |length: u64| [&length.to_le_bytes()[..], &good[8..]].concat();
    let foreign_tensors = {
        let header = br#"{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}  "#;
        [&(header.len() as u64).to_le_bytes()[..], header, &[0; 8]].concat()
    };
    let table: [(&str, Vec<u8>); 17] = [
        ("empty", vec![]),
        ("one-byte", vec![7]),
        ("only-length", good[..8].to_vec()),
        ("half-header", good[..60].to_vec()),
        ("half", good[..good.len() / 2].to_vec()),
        ("one-short", good[..good.len() - 1].to_vec()),
        ("one-long", [&good[..], b"x"].concat()),
        ("flipped-header", flipped(130)),
        ("flipped-digest", flipped(50)),
        ("flipped-number", flipped(good.len() - 9)),
        ("flipped-length", flipped(0)),
        ("huge-header", with_header_of(u64::MAX)),
        ("large-header", with_header_of(99_000_000)),
        ("no-header", with_header_of(0)),
        ("text", GOOD.into()),
        ("gzip", gzip(&good)),
        ("safetensors", foreign_tensors),
    ];
    for (name, bytes) in table {
        assert!(bytes != good, "{name}");
        let file = format!("{name}.svtd");
        w.write(&file, &bytes);
        let needle = format!("{file}: ");
        refuses(&w, &format!("topics {file}"), 1, &[&needle]);
        refuses(&w, &format!("infer {file} good.txt -o new.csv"), 1, &[&needle]);
        refuses(&w, &format!("export {file} --topic-word new.npy"), 1, &[&needle]);
    }
    for (file, needle) in
        [("none.svtd", "none.svtd: there is no such file"), (".", ".: this is a folder")]
    {
        refuses(&w, &format!("topics {file}"), 2, &[needle]);
        refuses(&w, &format!("infer {file} good.txt -o new.csv"), 2, &[needle]);
        refuses(&w, &format!("export {file} --topic-word new.npy"), 2, &[needle]);
    }
}

#[test]
fn no_flipped_bit_of_a_model_file_goes_unnoticed() {
    let w = with_models();
    let good = w.read("one.svtd");
    for at in (0..good.len()).step_by(good.len() / 40) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        w.write("bad.svtd", &bytes);
        refuses(&w, "topics bad.svtd", 1, &["bad.svtd: "]);
    }
}

#[test]
fn wrong_questions_to_a_good_model_are_told_in_one_line() {
    let w = with_models();
    w.write("other.txt", b"2\n3\n2\n1 1 4\n2 3 1\n");
    w.write("foreign.txt", b"ape\nbee\ncow\n");
    for (line, code, needle) in [
        ("topics one.svtd --top 0", 2, "at least 1"),
        ("topics one.svtd --top x", 2, "at least 1"),
        ("topics", 2, "<MODEL>"),
        ("infer one.svtd", 2, "<INPUT>"),
        ("infer one.svtd none.txt -o new.csv", 2, "none.txt: there is no such file"),
        ("infer one.svtd good.txt -o new.xls", 2, "new.xls: expected a name that ends in"),
        ("infer one.svtd good.txt -o new", 2, "new: expected a name that ends in"),
        ("infer one.svtd good.txt -o none/new.csv", 2, "none: no such folder"),
        ("infer one.svtd good.txt --gibbs -o new.csv", 2, "--gibbs is for LDA; one.svtd"),
        ("infer one.svtd good.txt --top 2 --layout wide", 2, "needs --layout long"),
        ("infer numbered.svtd other.txt -o new.csv", 1, "other.txt: the vocabularies do not"),
        ("infer one.svtd other.txt --vocab foreign.txt -o new.csv", 1, "other.txt: the vocab"),
        ("export one.svtd", 2, "--topic-word <FILE>"),
        ("export one.svtd --topic-word new.txt", 2, "new.txt: expected a name that ends in"),
        ("export one.svtd --alpha new.npy", 2, "--alpha is for LDA; one.svtd holds"),
        ("export one.svtd --topic-word a.npy --alpha a.npy", 2, "a.npy is named twice"),
        ("frobnicate", 2, "frobnicate"),
    ] {
        refuses(&w, line, code, &[needle]);
    }
}
