//! Fit, show, ask and export agree with each other.

use crate::workspace::{N_WORDS, Workspace, read_csv, read_npy};

#[test]
fn a_saved_model_shows_the_topics_that_fit_printed() {
    let w = Workspace::with_mixtures();
    let fitted = w.must("fit docword.lda.txt -k 4 -o m.svtd");
    let shown = w.must("topics m.svtd");
    assert_eq!(fitted.stdout, shown.stdout);
    assert_eq!(shown.stdout.lines().count(), 5, "{}", shown.stdout);
    assert!(shown.stderr.is_empty());
    assert!(fitted.stderr.contains("saved m.svtd"), "{}", fitted.stderr);
    for line in ["documents", "effective documents", "spectral gap", "off-diagonal", "polish"] {
        assert!(fitted.stderr.contains(line), "{line}: {}", fitted.stderr);
    }
}

#[test]
fn without_a_target_nothing_is_saved_and_the_user_is_told_how() {
    let w = Workspace::with_mixtures();
    let before = w.names();
    let fitted = w.must("fit docword.lda.txt -k 4");
    assert!(fitted.stderr.contains("nothing was saved; add -o FILE"));
    assert_eq!(w.names(), before);
}

#[test]
fn quiet_leaves_stderr_empty_and_verbose_tells_the_stages() {
    let w = Workspace::with_mixtures();
    assert_eq!(w.must("fit docword.lda.txt -k 4 --quiet").stderr, "");
    let times = |stderr: &str, stage: &str| {
        stderr.lines().filter(|l| l.starts_with(stage) && l.ends_with(" s")).count()
    };
    let stderr = w.must("fit docword.lda.txt -k 4 -v --polish none").stderr;
    for stage in ["reading", "moments", "whitening", "decomposition", "recovery"] {
        assert_eq!(times(&stderr, stage), 1, "{stage}: {stderr}");
    }
    // Two priors of the polish are compared, and the better one is fitted on all documents.
    let stderr = w.must("fit docword.lda.txt -k 4 -v --polish 3").stderr;
    assert_eq!((times(&stderr, "reading"), times(&stderr, "polish")), (1, 3), "{stderr}");
}

#[test]
fn json_holds_the_options_the_diagnostics_and_the_words() {
    let w = Workspace::with_mixtures();
    let fitted =
        w.must("fit docword.lda.txt -k 4 --alpha0 0.5 --seed 9 --weights three-words --json");
    let fitted: serde_json::Value = serde_json::from_str(&fitted.stdout).unwrap();
    assert_eq!(fitted["model"], "lda");
    assert_eq!(fitted["options"]["n_topics"], 4);
    assert_eq!(fitted["options"]["alpha0"], 0.5);
    assert_eq!(fitted["options"]["weights"]["three-words"]["seed"], 9);
    assert_eq!(fitted["diagnostics"]["n_documents"], 400);
    assert_eq!(fitted["topics"][3]["number"], 4);
    assert_eq!(fitted["topics"][0]["words"].as_array().unwrap().len(), 10);
    assert_eq!(fitted["saved"], serde_json::Value::Null);

    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    let shown = w.must("topics m.svtd --top 3 --json").stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["topics"][0]["words"].as_array().unwrap().len(), 3);
    assert_eq!(shown["corpus"]["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn paper_is_a_shorthand_that_explicit_flags_override() {
    let w = Workspace::with_mixtures();
    let options = |line: &str| {
        let fitted = w.must(&format!("fit docword.lda.txt -k 3 --json {line}"));
        let fitted: serde_json::Value = serde_json::from_str(&fitted.stdout).unwrap();
        fitted["options"].clone()
    };
    let paper = options("--paper");
    let spelled = "--weights paper --whitening plain --method svtd --rows removed --polish none";
    assert_eq!(paper, options(spelled));
    let mixed = options("--method joint --paper --polish 2 --weights zou");
    assert_eq!(mixed["method"], "joint");
    assert_eq!(mixed["polish"]["steps"], 2);
    assert_eq!(mixed["weights"], "zou");
    assert_eq!(mixed["whitening"], "plain");
    assert_eq!(mixed["rows"], "kept", "the joint method has no row to remove");
}

#[test]
fn exported_topics_are_distributions_and_csv_and_npy_agree() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    w.must("export m.svtd --topic-word t.npy --topic-weights w.npy --alpha a.npy");
    w.must("export m.svtd --topic-word t.csv --topic-weights w.csv --alpha a.csv");

    let (shape, numbers) = read_npy(&w.read("t.npy"));
    assert_eq!(shape, format!("4, {N_WORDS}"));
    let rows: Vec<Vec<f64>> = numbers.chunks(N_WORDS).map(<[f64]>::to_vec).collect();
    for row in &rows {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
    let text = w.text("t.csv");
    assert!(text.starts_with("\"one,two\",word1,word2,"), "{text:.40}");
    assert_eq!(read_csv(&text, 0), rows);

    for (name, head) in [("w", "weight\n"), ("a", "alpha\n")] {
        let (shape, numbers) = read_npy(&w.read(&format!("{name}.npy")));
        assert_eq!(shape, "4,");
        let text = w.text(&format!("{name}.csv"));
        assert!(text.starts_with(head), "{text}");
        assert_eq!(read_csv(&text, 0).concat(), numbers);
    }
}

#[test]
fn compressed_counts_and_a_matrix_give_the_same_model() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 3 -o a.svtd");
    let text = w.text("docword.lda.txt");
    w.write("docword.gz", &gzip(text.as_bytes()));
    let sizes: Vec<&str> = text.lines().take(3).collect();
    let entries: String = text.lines().skip(3).map(|line| format!("{line}\n")).collect();
    let banner = "%%MatrixMarket matrix coordinate integer general";
    w.write("c.mtx", format!("{banner}\n{}\n{entries}", sizes.join(" ")).as_bytes());
    w.must("fit docword.gz --vocab vocab.lda.txt -k 3 -o b.svtd");
    w.must("fit c.mtx --vocab vocab.lda.txt -k 3 -o c.svtd");
    assert!(w.read("a.svtd") == w.read("b.svtd"));
    assert!(w.read("a.svtd") == w.read("c.svtd"));
}

#[test]
fn what_is_odd_about_the_counts_is_told_after_the_fit() {
    let w = Workspace::new();
    // Four documents of substance, then an empty one, one of one word, one of two; word 5 absent.
    w.write(
        "odd.txt",
        b"7\n5\n12\n1 1 4\n1 2 3\n2 1 2\n2 2 5\n3 3 4\n3 4 3\n4 3 2\n4 4 6\n6 1 1\n7 2 2\n1 3 0\n1 4 0\n",
    );
    let stderr = w.must("fit odd.txt -k 2 --model single-topic").stderr;
    for line in [
        "note: odd.txt: no vocabulary found, so the words are called 1 to 5",
        "note: short documents: 1 empty, 1 of one word, 1 of two words",
        "note: entries with a count of zero, left out: 2",
        "note: words of the vocabulary that never occur: 1",
        "3 too short for triples",
    ] {
        assert!(stderr.contains(line), "{line}\n{stderr}");
    }
}

#[test]
fn fewer_topics_are_accepted_when_allowed() {
    let w = Workspace::new();
    let rows = (1..=30).map(|d| match d % 2 {
        0 => format!("{d} 1 4\n{d} 2 3\n"),
        _ => format!("{d} 3 4\n{d} 4 3\n"),
    });
    w.write("two.txt", format!("30\n4\n60\n{}", rows.collect::<String>()).as_bytes());
    let line = "fit two.txt -k 3 --model single-topic --polish none";
    let refused = w.svtd(line);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("--allow-fewer"), "{refused:?}");
    let fitted = w.must(&format!("{line} --allow-fewer"));
    assert_eq!(fitted.stdout.lines().filter(|line| line.contains('%')).count(), 2);
    assert!(fitted.stderr.contains("3 topics were asked for; the data shows 2"));
}

/// Compresses.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
