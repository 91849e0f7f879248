//! `svtd reproduce`: the paper's experiments, run again.

use crate::workspace::Workspace;

/// Small enough for a test; what it finds is for the tests of the experiments themselves.
const SMALL: &str = "reproduce moments --quick --seeds 2";

#[test]
fn an_unknown_experiment_is_refused_with_the_names_of_all() {
    let w = Workspace::new();
    let ran = w.svtd("reproduce figure-7");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("figure-7") && ran.stderr.contains("moments"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1);
}

#[test]
fn numbers_figures_and_report_appear_together() {
    let w = Workspace::new();
    let ran = w.must(&format!("{SMALL} -o out"));
    assert!(ran.stdout.contains("does not hold  Theorem 2.2"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "5 files in out\n");
    for name in ["moments.csv", "moments.json", "moments.svg", "report.html", "report.md"] {
        assert!(!w.text(&format!("out/{name}")).is_empty(), "{name}");
    }
    let csv = w.text("out/moments.csv");
    assert!(csv.starts_with("documents,corpus,estimator,err2,err3\n"));
    // Two sizes, two corpora, four estimators.
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 4);
    assert!(w.text("out/report.html").contains("<svg "));
}

#[test]
fn a_folder_with_something_in_it_is_left_alone_unless_forced() {
    let w = Workspace::new();
    w.must(&format!("{SMALL} -o out"));
    let before = w.text("out/report.md");
    let refused = w.svtd(&format!("{SMALL} -o out"));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("not empty") && refused.stderr.contains("--force"));
    assert_eq!(w.text("out/report.md"), before);
    w.must(&format!("{SMALL} -o out --force"));
    assert_eq!(w.text("out/report.md"), before, "the same seeds give the same bytes");
}

#[test]
fn a_folder_that_cannot_be_made_is_told_before_any_work() {
    let w = Workspace::new();
    w.write("file", b"in the way");
    let ran = w.svtd("reproduce all -o file/out");
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("file/out"), "{}", ran.stderr);
}

#[test]
fn json_is_one_object_and_names_the_files() {
    let w = Workspace::new();
    let ran = w.must(&format!("{SMALL} --json -o out"));
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["experiments"][0]["experiment"], "moments");
    assert_eq!(json["files"].as_array().unwrap().len(), 5);
    assert!(json["experiments"][0]["claims"].as_array().unwrap().len() > 2);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let w = Workspace::new();
    w.must(&format!("{SMALL} --threads 1 -o one"));
    w.must(&format!("{SMALL} --threads 4 -o four"));
    for name in ["moments.csv", "moments.json", "moments.svg", "report.html", "report.md"] {
        assert!(w.read(&format!("one/{name}")) == w.read(&format!("four/{name}")), "{name}");
    }
}

#[test]
fn without_a_folder_nothing_is_written_and_that_is_said() {
    let w = Workspace::new();
    let ran = w.must(SMALL);
    assert!(ran.stderr.contains("-o DIR"));
    assert!(w.names().is_empty());
    assert_eq!(w.must(&format!("{SMALL} --quiet")).stderr, "");
}

#[test]
fn without_the_commedia_one_sentence_tells_how_to_get_it() {
    let w = Workspace::new();
    let ran = w.svtd("reproduce dante --data .");
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("1012") && ran.stderr.contains("inferno-01.txt"), "{}", ran.stderr);
    let ran = w.svtd("reproduce state-union --data nowhere");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("nowhere: there is no such"), "{}", ran.stderr);
}

#[test]
fn an_incomplete_commedia_is_told_by_the_canto_that_is_missing() {
    let w = Workspace::new();
    std::fs::create_dir(w.path("divina_commedia")).unwrap();
    w.write("divina_commedia/inferno-01.txt", b"una selva oscura");
    let ran = w.svtd("reproduce dante --data . -o out");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("inferno-02.txt: there is no such"), "{}", ran.stderr);
    assert!(!w.path("out").exists(), "a folder made for nothing stays");
}

#[test]
fn the_addresses_come_with_the_program() {
    let w = Workspace::new();
    let ran = w.must("reproduce state-union --quick --data .");
    assert!(ran.stdout.contains("on built-in counts, ARI "), "{}", ran.stdout);
}
