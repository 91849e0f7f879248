//! Showing a document, comparing models and judging them.

use serde_json::Value;

use crate::workspace::{N_WORDS, Workspace, docword, mixtures, vocabulary};

fn fitted() -> Workspace {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    w.must("fit docword.lda.txt -k 4 --model single-topic -o one.svtd");
    w
}

fn json(w: &Workspace, line: &str) -> Value {
    serde_json::from_str(&w.must(&format!("{line} --json")).stdout).unwrap()
}

fn refused(w: &Workspace, line: &str, code: i32, part: &str) {
    let ran = w.svtd(line);
    assert_eq!(ran.code, Some(code), "{line}: {ran:?}");
    assert_eq!(ran.stdout, "", "{line}");
    let mut lines = ran.stderr.lines().filter(|line| !line.starts_with("read "));
    assert!(lines.next().is_some_and(|line| line.contains(part)), "{line}: {}", ran.stderr);
    assert_eq!(lines.next(), None, "{}", ran.stderr);
}

#[test]
fn a_document_is_shown_with_the_words_that_pull_it() {
    let w = fitted();
    let shown = w.must("show m.svtd docword.lda.txt --document 7").stdout;
    assert!(shown.starts_with("document 7: "), "{shown}");
    assert!(shown.contains("words that pull the document there"), "{shown}");
    let shown = json(&w, "show m.svtd docword.lda.txt -d 7 --top 80");
    let inferred = json(&w, "infer m.svtd docword.lda.txt");
    assert_eq!(shown["mixture"], inferred["documents"][6]["mixture"]);
    assert_eq!(shown["unit"], "tokens");
    // Over all topics the pulls add up to the words of the document.
    let pulls: f64 = shown["topics"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|t| t["words"].as_array().unwrap())
        .map(|word| word["pull"].as_f64().unwrap())
        .sum();
    assert!((pulls - shown["n_tokens"].as_f64().unwrap()).abs() < 1e-6);
    assert_eq!(json(&w, "show one.svtd docword.lda.txt -d 7")["unit"], "nats");
}

#[test]
fn one_document_needs_no_name_and_many_do() {
    let w = fitted();
    w.write("docword.alone.txt", docword(&mixtures().subset(&[5])).as_bytes());
    w.write("vocab.alone.txt", vocabulary(N_WORDS).as_bytes());
    let alone = json(&w, "show m.svtd docword.alone.txt");
    assert_eq!(alone["mixture"], json(&w, "show m.svtd docword.lda.txt -d 6")["mixture"]);
    refused(&w, "show m.svtd docword.lda.txt", 2, "holds 400 documents; choose one");
    refused(&w, "show m.svtd docword.lda.txt -d nobody", 2, "no document called");
    refused(&w, "show m.svtd missing.txt -d 1", 2, "no such file");
}

#[test]
fn a_model_does_not_differ_from_itself_and_a_larger_one_has_new_topics() {
    let w = fitted();
    let same = json(&w, "diff m.svtd m.svtd");
    assert_eq!(same["mean_distance"], 0.0);
    for (j, pair) in same["pairs"].as_array().unwrap().iter().enumerate() {
        assert_eq!(
            (pair["old"].as_u64(), pair["new"].as_u64()),
            (Some(j as u64 + 1), Some(j as u64 + 1))
        );
        assert_eq!(pair["gained"].as_array().unwrap().len(), 0);
    }
    w.must("fit docword.lda.txt -k 6 -o six.svtd");
    let grown = json(&w, "diff m.svtd six.svtd");
    assert_eq!(grown["only_new"].as_array().unwrap().len(), 2);
    assert_eq!(grown["only_old"].as_array().unwrap().len(), 0);
    let text = w.must("diff m.svtd six.svtd").stdout;
    assert!(text.starts_with("4 topics matched, mean distance 0."), "{text}");
    assert!(text.contains("; 2 new\n"), "{text}");
    assert!(text.contains("more: "), "{text}");
    refused(&w, "diff m.svtd missing.svtd", 2, "no such file");
    refused(&w, "diff m.svtd docword.lda.txt", 1, "docword.lda.txt");
}

#[test]
fn a_model_is_judged_on_documents() {
    let w = fitted();
    let truth = json(&w, "evaluate m.svtd docword.lda.txt");
    assert_eq!(truth["fitted_on_these_documents"], true);
    let perplexity = truth["completion"]["perplexity"].as_f64().unwrap();
    let mean = truth["completion"]["log_likelihood_per_token"].as_f64().unwrap();
    assert!((perplexity.ln() + mean).abs() < 1e-9);
    assert!(perplexity > 1.0 && perplexity < N_WORDS as f64, "{perplexity}");
    assert_eq!(truth["topics"].as_array().unwrap().len(), 4);
    let ran = w.must("evaluate m.svtd docword.lda.txt");
    assert!(ran.stdout.starts_with("held-out words   perplexity "), "{}", ran.stdout);
    assert!(ran.stderr.contains("fitted on these very documents"), "{}", ran.stderr);
    // The program cannot tell whether other documents were held out.
    w.write("docword.some.txt", docword(&mixtures().subset(&[1, 2, 3, 4])).as_bytes());
    w.write("vocab.some.txt", vocabulary(N_WORDS).as_bytes());
    assert_eq!(json(&w, "evaluate m.svtd docword.some.txt")["fitted_on_these_documents"], false);
}

#[test]
fn a_difference_within_its_error_is_called_no_difference_and_a_clear_one_has_its_sign() {
    let w = fitted();
    w.must("fit docword.lda.txt -k 1 -q --no-trust -o few.svtd");
    let said = |line: &str| {
        let text = w.must(line).stdout;
        text.lines().find(|line| line.starts_with("against")).unwrap().to_owned()
    };
    let same = said("evaluate m.svtd docword.lda.txt --against m.svtd");
    assert!(same.contains("m.svtd: no difference, +0.0000 ± 0.0000"), "{same}");
    let ahead = said("evaluate m.svtd docword.lda.txt --against few.svtd");
    assert!(ahead.contains("few.svtd: ahead, +"), "{ahead}");
    let behind = said("evaluate few.svtd docword.lda.txt --against m.svtd");
    assert!(behind.contains("m.svtd: behind, -"), "{behind}");
    // Copies of one document are no second document.
    w.write("docword.same.txt", docword(&mixtures().subset(&[3; 9])).as_bytes());
    w.write("vocab.same.txt", vocabulary(N_WORDS).as_bytes());
    refused(
        &w,
        "evaluate m.svtd docword.same.txt --against few.svtd",
        2,
        "two different documents",
    );
    assert!(json(&w, "evaluate m.svtd docword.same.txt")["completion"]["standard_error"].is_null());
}

#[test]
fn labels_are_compared_with_the_likeliest_topics() {
    let w = fitted();
    let inferred = json(&w, "infer one.svtd docword.lda.txt --top 1");
    let labels: String = inferred["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| format!("group {}\n", d["topics"][0]["topic"]))
        .collect();
    w.write("labels.txt", labels.as_bytes());
    let judged = json(&w, "evaluate one.svtd docword.lda.txt --labels labels.txt");
    assert_eq!(judged["labels"]["ari"], 1.0);
    assert!((judged["labels"]["nmi"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    w.write("short.txt", b"a\nb\n");
    refused(&w, "evaluate one.svtd docword.lda.txt --labels short.txt", 1, "2 labels for 400");
    refused(&w, "evaluate one.svtd docword.lda.txt --labels none.txt", 2, "no such file");
    w.write("latin.txt", b"caf\xe9\n");
    refused(&w, "evaluate one.svtd docword.lda.txt --labels latin.txt", 1, "UTF-8");
}

#[test]
fn words_are_ranked_as_asked() {
    let w = fitted();
    let words = |flags: &str| json(&w, &format!("topics m.svtd --top 5 {flags}"))["topics"].clone();
    assert_eq!(words("")[0]["words"][0].get("score"), None);
    assert_eq!(
        words("--lambda 0")[0]["words"][0]["word"],
        words("--order lift")[0]["words"][0]["word"]
    );
    let relevance = words("--order relevance");
    let scores: Vec<f64> = relevance[1]["words"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word["score"].as_f64().unwrap())
        .collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]));
    assert!(
        w.must("topics m.svtd --order frex").stdout.starts_with("topic   share  words by FREX")
    );
    refused(&w, "topics m.svtd --lambda 1.5", 2, "from 0 to 1");
    refused(&w, "topics m.svtd --order lift --lambda 0.5", 2, "--lambda is for --order relevance");
}
