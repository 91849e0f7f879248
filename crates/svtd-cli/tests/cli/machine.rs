//! `--json`: every command has an answer for programs, which is one JSON value on standard output.

use serde_json::Value;

use crate::workspace::Workspace;

/// With two models, one of counts and one of text, and what they learned from.
fn workspace() -> Workspace {
    let w = Workspace::with_mixtures();
    let text: String = (0..40)
        .map(|i| match i % 2 {
            0 => "ships sailors harbour storm\n",
            _ => "wheat barns harvest farmers\n",
        })
        .collect();
    w.write("text.txt", text.as_bytes());
    w.write("labels.txt", "a\nb\n".repeat(200).as_bytes());
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    w.must("fit docword.lda.txt -k 3 -o other.svtd");
    w.must("fit text.txt -k 2 --model single-topic --stop-words none -o text.svtd");
    w
}

#[test]
fn every_command_answers_in_json() {
    let w = workspace();
    let lines: [(&str, &[&str]); 29] = [
        ("fit docword.lda.txt -k 3", &["topics", "diagnostics", "saved"]),
        ("fit docword.lda.txt -k 3 --dry-run", &["memory_bytes", "seconds_estimated", "stages"]),
        ("fit docword.lda.txt -k auto -o auto.svtd", &["topics", "saved"]),
        ("topics m.svtd", &["topics"]),
        ("topics m.svtd --order frex", &["topics"]),
        ("words text.svtd", &["words", "most_frequent"]),
        ("words m.svtd", &["words"]),
        ("infer m.svtd docword.lda.txt", &["documents", "n_unknown_tokens"]),
        ("infer m.svtd docword.lda.txt --top 2", &["documents"]),
        ("infer m.svtd docword.lda.txt -o shares.csv", &["written", "n_documents"]),
        ("export m.svtd --to csv -o tables", &["written"]),
        ("export m.svtd --topic-word words.npy", &["written"]),
        ("export m.svtd --to json", &["topics"]),
        ("export m.svtd docword.lda.txt --to pyldavis", &["topic_term_dists"]),
        ("show m.svtd docword.lda.txt --document 3", &["document", "mixture", "topics"]),
        ("show text.svtd text.txt", &["document", "mixture", "unknown"]),
        ("diff m.svtd other.svtd", &["pairs"]),
        ("evaluate m.svtd docword.lda.txt", &["perplexity", "npmi"]),
        ("evaluate m.svtd docword.lda.txt --labels labels.txt", &["ari", "nmi"]),
        ("check docword.lda.txt", &["n_documents", "visible", "cost", "seconds"]),
        ("sweep docword.lda.txt -k 2..4", &["fits", "recommendation"]),
        ("plan --model m.svtd", &["fitted_documents", "fitted_accuracy"]),
        ("plan --words 500 -k 5 --length 50", &["n_documents"]),
        ("count docword.lda.txt -o c.svtdc", &["documents", "saved"]),
        ("generate lda --docs 50 --words 20 -k 2 -o drawn", &["written"]),
        ("demo -k 2", &["topics"]),
        ("completions bash", &[]),
        ("man", &[]),
        ("man -o .", &["written"]),
    ];
    for (line, keys) in lines {
        let ran = w.must(&format!("{line} --json -q"));
        assert_eq!(ran.stderr, "", "svtd {line}");
        let found: Value = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("svtd {line}: {error}\n{}", ran.stdout));
        assert!(found.is_object(), "svtd {line}");
        for key in keys {
            assert!(has(&found, key), "svtd {line}: no {key} in\n{found:#}");
        }
    }
}

/// Whether a key stands anywhere in the value.
fn has(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(members) => {
            members.iter().any(|(name, below)| name == key || has(below, key))
        }
        Value::Array(items) => items.iter().any(|item| has(item, key)),
        _ => false,
    }
}

#[test]
fn numbers_in_json_are_those_of_the_tables() {
    let w = workspace();
    let found: Value =
        serde_json::from_str(&w.must("infer m.svtd docword.lda.txt --json").stdout).unwrap();
    let table = w.must("infer m.svtd docword.lda.txt").stdout;
    let first: Vec<f64> =
        table.lines().nth(1).unwrap().split(',').skip(1).map(|c| c.parse().unwrap()).collect();
    let mixture: Vec<f64> = found["documents"][0]["mixture"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect();
    assert_eq!(mixture, first);
}
