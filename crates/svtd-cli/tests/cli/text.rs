//! Text in every form: folders, lines, JSON Lines, tables, pipes, archives.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::malformed::refuses;
use crate::round_trip::gzip;
use crate::workspace::{Ran, Workspace};

/// Two subjects, four documents each, in plain English.
pub const TEXTS: [&str; 8] = [
    "The ships sailed from the harbour and the sailors sang of the sea",
    "The farmers planted the wheat and the harvest filled the barns",
    "Sailors and ships crossed the sea toward another harbour",
    "Wheat and barns, farmers and harvest: the fields were full of wheat",
    "A storm on the sea drove the ships back into the harbour with their sailors",
    "The harvest of wheat was good, said the farmers, and the barns were full",
    "The sea was calm; the sailors rested in the harbour beside their ships",
    "Farmers store wheat in barns after the harvest",
];

fn json_lines() -> String {
    let line = |(i, text): (usize, &&str)| {
        format!(
            "{{\"id\":\"d{i}\",\"label\":\"l{}\",\"other\":[1,{{}}],\"text\":{text:?}}}\n",
            i % 2
        )
    };
    TEXTS.iter().enumerate().map(line).collect()
}

pub fn csv(separator: char) -> String {
    let row =
        |(i, text): (usize, &&str)| format!("d{i}{separator}\"{text}\"{separator}l{}\n", i % 2);
    let rows: String = TEXTS.iter().enumerate().map(row).collect();
    format!("id{separator}text{separator}label\n{rows}")
}

pub fn folder(w: &Workspace) {
    fs::create_dir_all(w.path("docs/deep")).unwrap();
    for (i, text) in TEXTS.iter().enumerate() {
        let place = if i % 2 == 0 { "docs" } else { "docs/deep" };
        w.write(&format!("{place}/d{i}.txt"), text.as_bytes());
    }
    w.write("docs/.hidden", b"\0\0");
}

pub const FIT: &str = "-k 2 --model single-topic --min-df 2";

/// The topics of a fit, without what is said about it.
fn topics(ran: &Ran) -> String {
    ran.stdout.clone()
}

fn piped(w: &Workspace, line: &str, bytes: &[u8]) -> Ran {
    let mut command = w.command(line);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A program that refuses early does not read to the end.
    let _ = input.write_all(bytes);
    drop(input);
    child.wait_with_output().unwrap().into()
}

#[test]
fn one_corpus_in_every_dress_gives_the_same_topics() {
    let w = Workspace::new();
    let lines = TEXTS.join("\n") + "\n";
    w.write("plain.txt", lines.as_bytes());
    w.write("windows.txt", lines.replace('\n', "\r\n").as_bytes());
    w.write("marked.txt", [b"\xef\xbb\xbf", lines.as_bytes()].concat().as_slice());
    w.write("packed.txt.gz", &gzip(lines.as_bytes()));
    w.write("objects.jsonl", json_lines().as_bytes());
    w.write("table.csv", csv(',').as_bytes());
    w.write("semicolons.csv", csv(';').as_bytes());
    w.write("table.tsv", csv('\t').as_bytes());
    folder(&w);
    let expected = w.must(&format!("fit plain.txt {FIT}"));
    assert!(expected.stdout.contains("harbour") && expected.stdout.contains("wheat"));
    assert!(expected.stderr.contains("the text looks English"), "{}", expected.stderr);
    assert!(expected.stderr.contains("read plain.txt as text, a document a line"));
    for (file, said) in [
        ("windows.txt", "a document a line"),
        ("marked.txt", "a document a line"),
        ("packed.txt.gz", "a document a line"),
        ("objects.jsonl", "as JSON Lines"),
        ("table.csv", "as CSV"),
        ("semicolons.csv", "as CSV"),
        ("table.tsv", "as TSV"),
        ("docs", "as a folder of text files"),
    ] {
        let ran = w.must(&format!("fit {file} {FIT}"));
        assert_eq!(topics(&ran), topics(&expected), "{file}");
        assert!(ran.stderr.contains(said), "{file}: {}", ran.stderr);
    }
    let ran = piped(&w, &format!("fit - {FIT}"), lines.as_bytes());
    assert_eq!((ran.code, topics(&ran)), (Some(0), topics(&expected)), "{}", ran.stderr);
    let ran = piped(&w, &format!("fit - {FIT}"), &gzip(json_lines().as_bytes()));
    assert_eq!((ran.code, topics(&ran)), (Some(0), topics(&expected)), "{}", ran.stderr);
}

#[test]
fn documents_are_called_by_path_id_or_line() {
    let w = Workspace::new();
    folder(&w);
    w.write("objects.jsonl", json_lines().as_bytes());
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    w.must(&format!("fit docs {FIT} -o m.svtd"));
    let first = |input: &str| {
        let ran = w.must(&format!("infer m.svtd {input}"));
        let line = ran.stdout.lines().nth(1).unwrap().to_owned();
        line.split(',').next().unwrap().to_owned()
    };
    assert_eq!(first("docs"), "d0.txt");
    assert_eq!(first("objects.jsonl"), "d0");
    assert_eq!(first("plain.txt"), "1");
    let ran = w.must("infer m.svtd docs");
    assert!(ran.stdout.contains("\ndeep/d1.txt,"), "{}", ran.stdout);
}

#[test]
fn new_text_is_split_as_the_text_was_that_the_model_learned_from() {
    let w = Workspace::new();
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    w.must("fit plain.txt -k 2 --model single-topic --stem english --ngrams 1..2 -o m.svtd");
    // One short document, from which no language could be guessed and where nothing is frequent.
    w.write("new.txt", b"HARBOURS, sailor!\n");
    let ran = w.must("infer m.svtd new.txt --json");
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    // Both stems are known; the pair they form is not.
    assert_eq!(found["n_unknown_tokens"], 1, "{found}");
    assert_eq!(found["n_without_words"], 0, "{found}");
    refuses(&w, "infer m.svtd new.txt --min-df 3", 2, &["--min-df cannot be changed for a model"]);
}

#[test]
fn a_counted_corpus_remembers_how_its_words_were_chosen() {
    let w = Workspace::new();
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    w.must("count plain.txt --stem english -o plain.svtdc");
    w.must("fit plain.svtdc -k 2 --model single-topic -o counted.svtd");
    w.must("fit plain.txt --stem english -k 2 --model single-topic -o direct.svtd");
    assert_eq!(w.read("counted.svtd"), w.read("direct.svtd"));
}

#[test]
fn the_words_of_a_model_are_shown_with_what_was_dropped() {
    let w = Workspace::new();
    w.write("plain.txt", (TEXTS.join("\n") + " 1945 x").as_bytes());
    w.must(&format!("fit plain.txt {FIT} -o m.svtd"));
    let ran = w.must("words m.svtd");
    for needle in [
        "words kept, ",
        "language english",
        "stop words (english)",
        "numbers                                        1            1  1945",
        "in fewer documents than 2 (--min-df)",
    ] {
        assert!(ran.stdout.contains(needle), "needed {needle}\n{}", ran.stdout);
    }
    let found: serde_json::Value =
        serde_json::from_str(&w.must("words m.svtd --json").stdout).unwrap();
    assert_eq!(found["words"]["preprocessing"]["language"], "english");
    assert_eq!(found["words"]["dropped"][0]["reason"], "stop-word");
    assert_eq!(found["words"]["dropped"][0]["examples"][0][0], "the");
    let counts = Workspace::with_single_topics();
    counts.must("fit docword.one.txt -k 4 --model single-topic -o m.svtd");
    assert!(counts.must("words m.svtd").stdout.contains("fitted on counts"));
}

#[test]
fn flags_decide_which_words_there_are() {
    let w = Workspace::new();
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    w.write("mine.txt", b"# mine\nships\n\nSEA\n");
    w.write("list.txt", b"wheat\nharbour\nbarns\nsea\n");
    let kept = |flags: &str| {
        w.must(&format!("fit plain.txt -k 2 --model single-topic {flags} -o m.svtd --force"));
        let ran = w.must("words m.svtd --json --top 1000");
        let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let words = found["most_frequent"].as_array().unwrap().clone();
        words.iter().map(|word| word.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let has = |words: &[String], word: &str| words.iter().any(|w| w == word);
    assert!(!has(&kept(""), "the"));
    assert!(has(&kept("--stop-words none"), "the"));
    let mine = kept("--stop-words mine.txt");
    assert!(has(&mine, "the") && !has(&mine, "ships") && !has(&mine, "sea"));
    assert!(
        has(&kept("--keep-case"), "Sailors") || has(&kept("--keep-case --min-df 1"), "Sailors")
    );
    assert!(has(&kept("--stem english"), "sailor"));
    assert!(has(&kept("--ngrams 1..2 --min-df 1"), "sailors_sang"));
    assert_eq!(kept("--max-words 8").len(), 8);
    assert_eq!(kept("--vocab list.txt").len(), 4);
    assert!(kept("--min-length 7 --min-df 1").iter().all(|word| word.len() >= 7));
    assert!(
        kept("--token-regex [a-z]+s\\b --min-df 1 --stop-words none")
            .iter()
            .all(|word| word.ends_with('s'))
    );
}

#[test]
fn a_text_whose_words_are_all_dropped_names_the_filter() {
    let w = Workspace::new();
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    w.write("stops.txt", b"the of and\nof the and\n");
    w.write("same.txt", "ships and sailors\n".repeat(20).as_bytes());
    refuses(
        &w,
        "fit plain.txt -k 2 --min-df 9",
        1,
        &[
            "plain.txt: every word was dropped (",
            "by --min-df; documents: 8); relax --min-df first",
        ],
    );
    refuses(
        &w,
        "fit stops.txt -k 2 --language english",
        1,
        &["3 by --stop-words", "relax --stop-words"],
    );
    refuses(&w, "fit same.txt -k 2 --language english", 1, &["same.txt: "]);
}

#[test]
fn a_frequency_that_no_word_can_have_is_a_wrong_request() {
    let w = Workspace::new();
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    for none in ["0", "0%", "0.0"] {
        refuses(
            &w,
            &format!("fit plain.txt -k 2 --max-df {none}"),
            2,
            &["--max-df must be at least 1 document, or a share above 0", "got 0"],
        );
    }
    // As a minimum it drops nothing.
    w.must("fit plain.txt -k 2 --model single-topic --min-df 0 --no-trust -q -o m.svtd");
}

#[test]
fn a_line_of_fifty_megabytes_is_a_document_like_any_other() {
    let w = Workspace::new();
    let long = "ships sailors harbour ".repeat(50 * 1_000_000 / 22);
    w.write("long.txt", (TEXTS.join("\n") + "\n" + &long).as_bytes());
    w.must(&format!("fit long.txt {FIT}"));
}

#[test]
fn packed_text_that_is_damaged_or_endless_is_told_in_every_format() {
    let w = Workspace::new();
    let long = TEXTS.join("\n").repeat(2000);
    let cut = |text: &str| {
        let whole = gzip(text.as_bytes());
        whole[..whole.len() / 2].to_vec()
    };
    w.write("cut.txt.gz", &cut(&long));
    w.write("cut.jsonl.gz", &cut(&json_lines().repeat(2000)));
    w.write("cut.csv.gz", &cut(&csv(',').repeat(2000)));
    fs::create_dir(w.path("cut")).unwrap();
    w.write("cut/a.txt.gz", &cut(&long));
    for name in ["cut.txt.gz", "cut.jsonl.gz", "cut.csv.gz", "cut"] {
        refuses(&w, &format!("fit {name} -k 2"), 1, &["the gzip data ends early"]);
    }
    let mut endless = b"id,text\n1,".to_vec();
    endless.resize(300 << 20, b'x');
    let bomb = zstd::encode_all(&endless[..], 1).unwrap();
    fs::create_dir(w.path("bomb")).unwrap();
    for name in ["bomb.txt.zst", "bomb.csv.zst", "bomb/a.txt.zst"] {
        w.write(name, &bomb);
    }
    for name in ["bomb.txt.zst", "bomb.csv.zst", "bomb"] {
        refuses(
            &w,
            &format!("fit {name} -k 2"),
            1,
            &["it unpacks to over 256 MB", "unpack it first"],
        );
    }
}

#[test]
fn too_few_documents_are_told() {
    let w = Workspace::new();
    fs::create_dir(w.path("one")).unwrap();
    w.write("one/a.txt", TEXTS[0].as_bytes());
    w.write("empty.txt", b"");
    w.write("blank.txt", b"\n\n\n");
    w.write("one.txt", TEXTS[0].as_bytes());
    w.write("same.txt", format!("{}\n", TEXTS[0]).repeat(30).as_bytes());
    w.write("empty.jsonl", b"\n");
    for (line, needle) in [
        ("one", "one: every word was dropped ("),
        ("one --min-df 1", "one: "),
        ("empty.txt", "empty.txt: the file is empty"),
        ("empty.txt --format lines", "empty.txt: the file is empty"),
        ("blank.txt --format lines", "blank.txt: the file holds nothing but blanks"),
        ("one.txt", "one.txt: every word was dropped ("),
        ("one.txt --min-df 1", "one.txt: "),
        ("same.txt", "same.txt: the corpus shows 1 topic, not 2"),
        ("empty.jsonl", "empty.jsonl: the file holds nothing but blanks"),
        ("missing.txt", "missing.txt: "),
    ] {
        let code = if line.starts_with("missing") { 2 } else { 1 };
        refuses(&w, &format!("fit {line} -k 2"), code, &[needle]);
    }
}

#[test]
fn one_text_file_is_shown_as_one_document() {
    let w = Workspace::new();
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    w.must(&format!("fit plain.txt {FIT} -o m.svtd"));
    w.write("letter.txt", b"The ships sailed\nfrom the harbour\n\nand the sailors sang\n");
    let shown = w.must("show m.svtd letter.txt").stdout;
    assert!(shown.starts_with("document letter.txt: 5 words"), "{shown}");
    let ran = piped(&w, "show m.svtd -", b"Ships\nin the harbour\n");
    assert!(ran.stdout.starts_with("document standard input: 2 words"), "{ran:?}");
    // With a name to look for, lines are documents as everywhere else.
    let shown = w.must("show m.svtd plain.txt --document 2").stdout;
    assert!(shown.starts_with("document 2: "), "{shown}");
    let whole = w.must("infer m.svtd letter.txt --format document").stdout;
    assert_eq!(whole.lines().count(), 2, "{whole}");
}

#[test]
fn a_list_of_stop_words_is_not_written_over() {
    let w = Workspace::new();
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    w.write("mine.txt", b"the\n");
    let ran = w.svtd("fit plain.txt -k 2 --stop-words mine.txt -o mine.txt --force");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert_eq!(w.text("mine.txt"), "the\n");
}

#[test]
fn text_without_spaces_gets_a_hint() {
    let w = Workspace::new();
    let texts = "道可道非常道名可名非常名\n天下皆知美之為美斯惡已\n道可道美之為美天下皆知\n名可名非常名斯惡已天下\n";
    w.write("dao.txt", texts.as_bytes());
    let ran = w.svtd("fit dao.txt -k 2 --min-length 1 --allow-fewer");
    assert!(ran.stderr.contains("does not separate words by spaces"), "{ran:?}");
}
