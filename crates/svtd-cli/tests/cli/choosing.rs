//! Before a fit: what the corpus can say, and how many topics to ask for.

use serde_json::Value;

use crate::workspace::Workspace;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Documents of very unequal lengths, `docword.uneven.txt`.
fn uneven() -> Workspace {
    let w = Workspace::new();
    w.must(
        "generate single-topic --docs 10000 --words 300 -k 4 --zipf --lengths lognormal:3,1.2 \
         -o uneven",
    );
    w
}

#[test]
fn check_names_the_longest_documents_and_what_the_moments_are_worth() {
    let w = uneven();
    let ran = w.must("check docword.uneven.txt --model single-topic --json");
    let found = json(&ran.stdout);
    let mut lengths = vec![0.0_f64; 10_000];
    for line in w.text("docword.uneven.txt").lines().skip(3) {
        let numbers: Vec<usize> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        lengths[numbers[0] - 1] += numbers[2] as f64;
    }
    let triples = |c: f64| c * (c - 1.0) * (c - 2.0);
    let total: f64 = lengths.iter().map(|&c| triples(c)).sum();
    let squares: f64 = lengths.iter().map(|&c| triples(c).powi(2)).sum();
    let paper = &found["weightings"][1];
    assert_eq!(paper["law"], "paper");
    let effective = paper["effective_documents_triples"].as_f64().unwrap();
    assert!((effective / (total * total / squares) - 1.0).abs() < 1e-9);
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    assert_eq!(found["longest"][0]["length"].as_f64(), Some(longest));
    let name: usize = found["longest"][0]["name"].as_str().unwrap().parse().unwrap();
    assert_eq!(lengths[name - 1], longest);
    let text = w.must("check docword.uneven.txt --model single-topic").stdout;
    assert!(text.contains(&format!("{name} ({longest} words)")), "{text}");
    assert!(text.contains("keep the default weights"), "{text}");
}

#[test]
fn check_of_a_corpus_without_triples_says_so_and_ends_with_1() {
    let w = Workspace::new();
    w.write("docword.short.txt", b"3\n3\n4\n1 1 1\n2 2 1\n2 3 1\n3 1 1\n");
    let ran = w.svtd("check docword.short.txt");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("cannot be fitted: no document has three words"), "{ran:?}");
    assert!(ran.stderr.contains("docword.short.txt: no document has three words"), "{ran:?}");
}

#[test]
fn k_auto_finds_the_topics_says_why_and_the_model_keeps_it() {
    let w = Workspace::with_single_topics();
    let ran = w.must("fit docword.one.txt -k auto --model single-topic -o one.svtd");
    assert!(ran.stderr.contains("4, by -k auto: 4 stand clearly out of the noise"), "{ran:?}");
    let kept = json(&w.must("topics one.svtd --json").stdout);
    assert_eq!(kept["options"]["n_topics"], 4);
    assert_eq!(kept["options"]["chosen"]["n_topics"], 4);
    assert!(kept["options"]["chosen"]["z_scores"][3].as_f64().unwrap() > 3.0);
}

#[test]
fn k_auto_is_refused_in_one_sentence_where_it_cannot_know() {
    let w = Workspace::new();
    w.write("docword.few.txt", b"2\n3\n4\n1 1 3\n1 2 2\n2 2 1\n2 3 4\n");
    let ran = w.svtd("fit docword.few.txt -k auto");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said: Vec<&str> = ran.stderr.lines().collect();
    assert!(said.len() == 2 && said[0].starts_with("read docword.few.txt as"), "{ran:?}");
    assert!(said[1].starts_with("svtd: "), "{ran:?}");
    let ran = w.svtd("fit docword.few.txt -k some");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("at least 1, or auto"), "{ran:?}");
}

#[test]
fn a_sweep_recommends_a_range_says_why_and_draws_it() {
    let w = Workspace::with_single_topics();
    let ran = w.must("sweep docword.one.txt --model single-topic -k 2..8 --svg curves.svg");
    assert!(ran.stdout.contains("topics:\n  4 directions stand clearly out"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Held-out words: log probability per token"), "{}", ran.stdout);
    let svg = w.text("curves.svg");
    assert!(svg.contains("Directions of the pair moment") && !svg.contains("NaN"));
    let again = w.svtd("sweep docword.one.txt --model single-topic -k 2..8 --svg curves.svg");
    assert_eq!(again.code, Some(2), "an existing file is kept: {again:?}");
    let found = json(&w.must("sweep docword.one.txt --model single-topic -k 2..8 --json").stdout);
    assert_eq!(found["fits"].as_array().unwrap().len(), 7);
    assert_eq!(found["fits"][0]["n_topics"], 2);
    let why = &found["recommendation"];
    assert!(why["low"].as_u64().unwrap() <= 4 && why["high"].as_u64().unwrap() >= 4, "{why}");
    assert!(!found["reasons"].as_array().unwrap().is_empty());
}

#[test]
fn a_sweep_has_the_same_bytes_for_any_number_of_threads() {
    let w = Workspace::with_mixtures();
    let run = |threads: usize| {
        w.must(&format!("sweep docword.lda.txt -k 2..6 --json --threads {threads}")).stdout
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_sweep_of_nonsense_is_refused() {
    let w = Workspace::with_mixtures();
    for line in ["-k 9..3", "-k 0..4", "--model single-topic --alpha0 1"] {
        let ran = w.svtd(&format!("sweep docword.lda.txt {line}"));
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(2), 1), "{line}: {ran:?}");
    }
    let ran = w.svtd("sweep docword.lda.txt -k 900..901");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}

#[test]
fn a_plan_asks_for_more_documents_for_more_accuracy() {
    let w = Workspace::with_single_topics();
    let documents = |line: &str| {
        let found = json(&w.must(&format!("plan {line} --json")).stdout);
        found["n_documents"].as_f64().unwrap()
    };
    let base = "--words 500 --topics 5 --length 60";
    assert!(documents(&format!("{base} --accuracy 0.1")) > documents(base));
    assert!(documents(&format!("{base} --kind single-topic")) < documents(base));
    let text = w.must(&format!("plan {base}")).stdout;
    assert!(text.contains("Theorem 2.2 (corrected) guarantees"), "{text}");
    assert!(!text.contains("Theorem 5.1"), "it does not speak of mixtures: {text}");
    let text = w.must(&format!("plan {base} --kind single-topic")).stdout;
    assert!(text.contains("documents until Theorem 5.1 (corrected) says anything"), "{text}");
    w.must("fit docword.one.txt -k 4 --model single-topic -o one.svtd");
    let text = w.must("plan --model one.svtd").stdout;
    assert!(text.contains("fitted               400 documents, expected error"), "{text}");
}

#[test]
fn a_plan_without_its_numbers_is_refused_in_one_line() {
    let w = Workspace::new();
    for line in [
        "",
        "--words 500",
        "--words 500 --topics 5 --length 2",
        "--words 5 --topics 9 --length 60",
        "--words 500 --topics 5 --length 60 --accuracy 3",
        "--model none.svtd",
    ] {
        let ran = w.svtd(&format!("plan {line}"));
        assert_ne!(ran.code, Some(0), "{line}");
        assert_eq!(ran.stderr.lines().count(), 1, "{line}: {ran:?}");
        assert_eq!(ran.stdout, "");
    }
}
