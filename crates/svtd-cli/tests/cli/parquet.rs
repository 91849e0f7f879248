//! Parquet through the real program: text, words and counts in columns; damage.

#![cfg(feature = "parquet")]

use std::fs;
use std::path::Path;

use crate::malformed::refuses;
use crate::text::{FIT, TEXTS};
use crate::workspace::Workspace;

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../svtd/tests/data");
    fs::read(folder.join(name)).unwrap()
}

/// With the eight texts as a table and as lines.
fn workspace() -> Workspace {
    let w = Workspace::new();
    w.write("texts.parquet", &fixture("texts.parquet"));
    w.write("plain.txt", TEXTS.join("\n").as_bytes());
    w
}

#[test]
fn text_of_every_type_gives_the_model_that_lines_give() {
    let w = workspace();
    let expected = w.must(&format!("fit plain.txt {FIT}")).stdout;
    for column in ["text", "large", "view", "dictionary"] {
        let ran = w.must(&format!("fit texts.parquet --text-column {column} {FIT}"));
        assert_eq!(ran.stdout, expected, "{column}");
        let line = format!("read texts.parquet as Parquet, text in column \"{column}\"\n");
        assert!(ran.stderr.contains(&line), "{}", ran.stderr);
    }
    let found = w.must(&format!("fit texts.parquet {FIT} -o m.svtd"));
    assert_eq!(found.stdout, expected, "the column is found by its name");
    assert!(w.must("words m.svtd").stdout.contains("stop words (english)"));
}

#[test]
fn new_text_in_a_table_is_split_as_the_text_was_that_the_model_learned_from() {
    let w = workspace();
    w.must("fit texts.parquet -k 2 --model single-topic --stem english -o m.svtd");
    let of_table = w.must("infer m.svtd texts.parquet").stdout;
    let of_lines = w.must("infer m.svtd plain.txt").stdout;
    assert!(of_table.contains("\nd0,") && of_lines.contains("\n1,"));
    let shares = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split_once(',').unwrap().1.to_owned()).collect()
    };
    assert_eq!(shares(&of_table), shares(&of_lines));
    refuses(
        &w,
        "infer m.svtd texts.parquet --stem english",
        2,
        &["--stem cannot be changed for a model"],
    );
    let judged = w.must("evaluate m.svtd texts.parquet --label-column label --json").stdout;
    assert!(judged.contains("\"ari\""), "{judged}");
}

#[test]
fn lists_of_words_pass_the_filters_and_keep_their_case() {
    let w = workspace();
    let kept = |flags: &str| {
        w.must(&format!(
            "fit texts.parquet --tokens-column words -k 2 --model single-topic {flags} \
             -o m.svtd --force"
        ));
        let ran = w.must("words m.svtd --json --top 1000");
        let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let words = found["most_frequent"].as_array().unwrap().clone();
        words.iter().map(|word| word.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let has = |words: &[String], word: &str| words.iter().any(|w| w == word);
    let usual = kept("");
    assert!(has(&usual, "ships") && !has(&usual, "the") && !has(&usual, "storm"));
    assert!(has(&kept("--stop-words none"), "the"));
    assert!(has(&kept("--min-df 1"), "storm"));
    // Under the name of the text a list of words is a list of words.
    let ran = w.must(&format!("fit texts.parquet --text-column words {FIT}"));
    assert!(ran.stderr.contains("words in column \"words\""), "{}", ran.stderr);
}

#[test]
fn several_columns_of_text_are_joined() {
    let w = workspace();
    w.must("fit texts.parquet --text-column title --text-column text -k 2 --model single-topic -o m.svtd");
    let ran = w.must("infer m.svtd texts.parquet --text-column title --text-column text --json");
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["n_without_words"], 0, "{found}");
}

#[test]
fn columns_that_do_not_fit_are_told() {
    let w = workspace();
    for (flags, needle) in [
        (
            "--text-column body",
            "texts.parquet: there is no column \"body\"; the columns are \"id\"",
        ),
        ("--text-column year", "column \"year\" does not hold text"),
        ("--tokens-column text", "column \"text\" does not hold lists of text"),
        ("--indices-column words", "column \"words\" does not hold lists of whole numbers"),
        ("--id-column words", "column \"words\" does not hold one value a row"),
        ("--text-column text --tokens-column words", "and not several of these"),
    ] {
        refuses(&w, &format!("fit texts.parquet {flags} -k 2"), 1, &[needle]);
    }
}

#[test]
fn damage_to_a_table_is_one_sentence() {
    let w = workspace();
    let whole = fixture("texts.parquet");
    let mut n_refused = 0;
    for at in (4..whole.len() - 4).step_by(whole.len() / 60) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x5a;
        w.write("damaged.parquet", &bytes);
        let ran = w.svtd("fit damaged.parquet -k 2 --model single-topic --no-trust -q");
        assert!(matches!(ran.code, Some(0 | 1)), "byte {at}: {ran:?}");
        n_refused += usize::from(ran.code == Some(1));
        let lines = usize::from(ran.code == Some(1));
        assert_eq!(ran.stderr.lines().count(), lines, "byte {at}: {}", ran.stderr);
    }
    assert!(n_refused > 5, "{n_refused}");
    w.write("cut.parquet", &whole[..whole.len() / 2]);
    refuses(&w, "fit cut.parquet -k 2", 1, &["cut.parquet: the Parquet file is damaged"]);
}
