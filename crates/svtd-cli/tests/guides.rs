//! Every command in our guides is run, so that they cannot rot.
//!
//! A ```` ```console ```` block is a session in a shell: a line that begins with `$` is run, in a
//! folder with the example data, and must succeed; the lines below it must begin lines of what it
//! prints, in their order. `...` stands for any lines, and standard error counts as printed.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "whatever panics fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command and what is shown below it.
#[derive(Debug, Default, PartialEq)]
struct Step {
    command: String,
    shown: Vec<String>,
}

fn guides() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides")
}

/// The commands of all console blocks of a page.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (false, _) => {}
            (true, line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    steps.push(Step { command: command.to_owned(), ..Step::default() });
                }
                (None, Some(step)) => step.shown.push(line.to_owned()),
                (None, None) => panic!("output before any command: {line}"),
            },
        }
    }
    steps
}

/// Runs a page in a folder of its own.
fn run(path: &Path) {
    let page = fs::read_to_string(path).unwrap();
    let steps = steps(&page);
    assert!(!steps.is_empty(), "{} shows no command", path.display());
    let folder = tempfile::tempdir().unwrap();
    copy(&guides().join("data"), folder.path());
    let program = Path::new(env!("CARGO_BIN_EXE_svtd")).parent().unwrap().display().to_string();
    let search = format!("{program}:{}", std::env::var("PATH").unwrap());
    for step in steps {
        let mut shell = Command::new("sh");
        shell.args(["-c", &step.command]).env("PATH", &search).current_dir(folder.path());
        let ran = shell.output().unwrap();
        let printed = [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap());
        let context = format!("{}: {}\n{}", path.display(), step.command, printed.concat());
        assert!(ran.status.success(), "{context}");
        check(&step.shown, &printed, &context);
    }
}

/// Copies a folder with all folders in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(fs::copy(from, to).unwrap()),
        }
    }
}

/// What is shown must be there, in order; standard output and error each have an order of their own.
fn check(shown: &[String], printed: &[String; 2], context: &str) {
    let mut lines: Vec<&str> = printed.iter().flat_map(|text| text.lines()).collect();
    for expected in shown.iter().filter(|line| line.as_str() != "...") {
        let found = lines.iter().position(|line| line.starts_with(expected.as_str()));
        let Some(at) = found else { panic!("not printed: {expected}\n{context}") };
        lines.drain(..=at);
    }
}

#[test]
fn from_a_folder_to_topics() {
    run(&guides().join("folder.md"));
}

#[test]
fn choosing_words() {
    run(&guides().join("words.md"));
}

#[test]
fn comparing_two_models() {
    run(&guides().join("comparing.md"));
}

#[test]
fn from_counts_to_topics() {
    run(&guides().join("counts.md"));
}

#[test]
fn new_documents() {
    run(&guides().join("new-documents.md"));
}

#[test]
fn a_corpus_that_grows() {
    run(&guides().join("growing.md"));
}

#[test]
fn three_hospitals() {
    run(&guides().join("sites.md"));
}

#[test]
fn choosing_k() {
    run(&guides().join("choosing-k.md"));
}

#[test]
fn a_page_to_mail() {
    run(&guides().join("report.md"));
}

#[test]
fn a_survey_with_missing_answers() {
    run(&guides().join("survey.md"));
}

#[test]
fn seven_pathologists() {
    run(&guides().join("pathologists.md"));
}

#[test]
fn states_of_a_patient_over_visits() {
    run(&guides().join("visits.md"));
}

#[test]
fn the_geyser() {
    // Needs published tables that are not ours to keep.
    if std::env::var_os("SVTD_DATA").is_some() {
        run(&guides().join("geyser.md"));
    }
}

/// Python alone; the Python tests run it where the texts are (`python/tests/test_documents.py`).
#[test]
fn letters_of_the_commedia_are_shown_in_python_only() {
    let page = fs::read_to_string(guides().join("letters.md")).unwrap();
    assert!(steps(&page).is_empty() && page.contains(">>> "));
}

/// Python alone, and only where an engine is; `python/tests/test_engines.py` runs it.
#[test]
fn engines_are_shown_in_python_only() {
    let page = fs::read_to_string(guides().join("spark.md")).unwrap();
    assert!(steps(&page).is_empty() && page.contains("```python"));
}

#[test]
fn can_i_trust_this_topic() {
    run(&guides().join("../trust.md"));
}

#[test]
fn every_guide_is_run() {
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guides.rs"));
    let source = source.unwrap();
    for entry in fs::read_dir(guides()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let run = source.contains(&format!("join(\"{name}\")"));
        assert!(run || !name.ends_with(".md"), "{name} is not run by any test");
    }
}

#[test]
fn a_page_is_cut_into_commands_and_what_they_show() {
    let page = "text\n```console\n$ a b\nc\n...\n$ d\n```\n$ e\n```rust\n$ f\n```\n";
    let shown = vec!["c".to_owned(), "...".to_owned()];
    let expected = [
        Step { command: "a b".to_owned(), shown },
        Step { command: "d".to_owned(), shown: vec![] },
    ];
    assert_eq!(steps(page), expected);
}
