//! Odd but valid corpora through every command: a sentence or a result, within the predicted memory.

use std::fmt::Write as _;

use crate::workspace::Workspace;

/// A docword file of these rows of `(word, count)`, words from 0.
fn table(n_words: usize, rows: &[Vec<(usize, u64)>]) -> String {
    let entries: usize = rows.iter().map(Vec::len).sum();
    let mut text = format!("{}\n{n_words}\n{entries}\n", rows.len());
    for (d, row) in rows.iter().enumerate() {
        for (word, count) in row {
            let _ = writeln!(text, "{} {} {count}", d + 1, word + 1);
        }
    }
    text
}

/// Long documents, one word, huge counts, copies, empty documents, as many topics as documents.
fn corpora() -> Vec<(&'static str, String)> {
    let two_kinds = |d: usize, scale: u64| -> Vec<(usize, u64)> {
        (0..6).map(|i| ((d % 2) * 6 + i, 1 + (d * 7 + i * 3) as u64 % 5 * scale)).collect()
    };
    let many = |n: usize, scale: u64| (0..n).map(|d| two_kinds(d, scale)).collect::<Vec<_>>();
    let mut huge = many(60, 1);
    huge[3][0].1 = u64::from(u32::MAX);
    let mut sparse = many(60, 1);
    (0..60).step_by(2).for_each(|d| sparse[d].clear());
    vec![
        ("long", table(12, &many(50, 20_000))),
        ("one-word", table(1, &vec![vec![(0, 5)]; 50])),
        ("huge", table(12, &huge)),
        ("copies", table(12, &vec![vec![(0, 2), (3, 1), (7, 4)]; 80])),
        ("empty", table(12, &sparse)),
        ("few", table(12, &many(4, 1))),
        ("one-document", table(12, &many(1, 3))),
        ("short", table(12, &(0..90).map(|d| vec![(d % 12, 1)]).collect::<Vec<_>>())),
    ]
}

#[test]
fn every_command_on_every_odd_corpus_ends_with_a_code_of_ours() {
    let w = Workspace::new();
    for (name, text) in corpora() {
        w.write("odd.txt", text.as_bytes());
        let mut lines = vec![
            "check odd.txt".to_owned(),
            "sweep odd.txt -k 1..4".to_owned(),
            "fit odd.txt -k auto".to_owned(),
            "fit odd.txt -k 4 --allow-fewer".to_owned(),
            "fit odd.txt -k 3 --dry-run".to_owned(),
            "fit odd.txt -k 2 --paper".to_owned(),
        ];
        for model in ["lda", "single-topic"] {
            lines.push(format!("fit odd.txt -k 2 --model {model} --force -o {model}.svtd"));
            for asked in [
                format!("topics {model}.svtd --trust"),
                format!("infer {model}.svtd odd.txt"),
                format!("evaluate {model}.svtd odd.txt"),
                format!("show {model}.svtd odd.txt --document 1"),
                format!("export {model}.svtd odd.txt --to json"),
                format!("plan --model {model}.svtd"),
            ] {
                lines.push(asked);
            }
        }
        for line in lines {
            let ran = w.svtd(&format!("{line} --json --threads 1"));
            assert!(
                matches!(ran.code, Some(0..=2)),
                "{name}: {line}: {:?}\n{}",
                ran.code,
                ran.stderr
            );
            if ran.code == Some(0) {
                let read: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
                assert!(read["schema"].as_str().is_some_and(|s| s.starts_with("svtd/")), "{line}");
                assert!(!ran.stdout.contains("NaN"), "{name}: {line}");
            } else {
                let last = ran.stderr.lines().last().unwrap_or_default();
                let error: serde_json::Value = serde_json::from_str(last).unwrap();
                assert!(error["error"].is_string() && error["kind"].is_string(), "{last}");
            }
        }
        let _ = std::fs::remove_file(w.path("lda.svtd"));
        let _ = std::fs::remove_file(w.path("single-topic.svtd"));
    }
}

/// Regression: the first document in key order was longer than the budget of simulated tokens for the bias of the
/// polish.
#[test]
fn long_documents_are_fitted_and_judged() {
    use crate::workspace::docword;
    use svtd::synthetic::{LdaSource, Lengths};

    let w = Workspace::new();
    let source = LdaSource::zipf(60, 3, 2.0, 10.0, 1.0, 7);
    let corpus = source.draw(50, &Lengths::Fixed(100_000), 8).0;
    w.write("long.txt", docword(&corpus).as_bytes());
    for k in [2, 3] {
        w.must(&format!("fit long.txt -k {k} --polish 3 -o {k}.svtd"));
        let report = w.must(&format!("topics {k}.svtd --trust --json")).stdout;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let topics = report["diagnostics"]["topics"].as_array().unwrap();
        let error =
            |topic: &serde_json::Value| topic["trust"]["stability"]["expected_error"].as_f64();
        assert_eq!(topics.len(), k);
        assert!(
            topics.iter().all(|topic| error(topic).is_some_and(|e| e > 0.0 && e < 2.0)),
            "{report}"
        );
    }
}

/// Regression: a NaN among the diagnostics was saved as `null`, and no command could read the model again.
#[test]
fn a_model_of_a_huge_count_is_opened_by_every_command() {
    let w = Workspace::new();
    let mut rows: Vec<Vec<(usize, u64)>> = (0..60)
        .map(|d| (0..6).map(|i| ((d % 2) * 6 + i, 1 + (d * d + i * 3) as u64 % 17)).collect())
        .collect();
    rows[3][0].1 = u64::from(u32::MAX);
    w.write("huge.txt", table(12, &rows).as_bytes());
    for model in ["lda", "single-topic"] {
        w.must(&format!("fit huge.txt -k 2 --model {model} -o {model}.svtd"));
        for line in ["topics", "infer", "evaluate", "export --to json"] {
            let (command, options) = line.split_once(' ').unwrap_or((line, ""));
            let input = if command == "topics" { "--trust" } else { "huge.txt" };
            let ran = w.must(&format!("{command} {model}.svtd {input} {options} --json"));
            let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            assert!(report["schema"].is_string(), "{line}");
        }
    }
}

/// The peak memory of a run of the program, as the system counts it.
#[cfg(target_os = "linux")]
fn peak(w: &Workspace, line: &str) -> Option<f64> {
    let mut command = w.command(line);
    let mut child = command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = None;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        most = kilobytes.map(|n| n * 1024.0).or(most);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    most
}

#[cfg(target_os = "linux")]
#[test]
fn a_fit_takes_no_more_memory_than_was_foretold() {
    use crate::workspace::docword;
    use svtd::synthetic::{LdaSource, Lengths};

    let w = Workspace::new();
    for (n_words, n_documents, k) in [(300, 400, 5), (4000, 300, 40), (500, 5000, 20)] {
        let source = LdaSource::zipf(n_words, 8, 2.0, 200.0, 1.0, 5);
        let corpus = source.draw(n_documents, &Lengths::Uniform(20..=60), 6).0;
        w.write("corpus.txt", docword(&corpus).as_bytes());
        for model in ["lda", "single-topic"] {
            let line = format!("fit corpus.txt -k {k} --model {model} -q --threads 2");
            let foretold = w.must(&format!("{line} --dry-run --json"));
            let foretold: serde_json::Value = serde_json::from_str(&foretold.stdout).unwrap();
            let foretold = foretold["memory_bytes"].as_f64().unwrap();
            let taken = peak(&w, &line).unwrap();
            assert!(
                taken < 1.3 * foretold && foretold < 2.5 * taken,
                "{n_words} words, {n_documents} documents, k = {k}, {model}: said {foretold:.2e}, \
                 took {taken:.2e}"
            );
        }
    }
}

/// Words of counts are chosen already: a flag about words would do nothing.
#[test]
fn flags_about_text_are_refused_for_counts() {
    let w = Workspace::with_mixtures();
    w.must("count docword.lda.txt -o c.svtdc -q");
    for input in ["docword.lda.txt", "c.svtdc"] {
        for flag in ["--min-df 5", "--max-words 100", "--stop-words english", "--text-column body"]
        {
            let ran = w.svtd(&format!("fit {input} -k 3 {flag}"));
            let name = flag.split(' ').next().unwrap();
            assert_eq!(ran.code, Some(2), "{flag}: {}", ran.stderr);
            assert!(ran.stderr.contains(&format!("{name} is about text")), "{}", ran.stderr);
        }
    }
    let ran = w.must("check docword.lda.txt docword.lda.txt");
    assert!(ran.stderr.contains("docword.lda.txt is named twice"), "{}", ran.stderr);
}

/// Allowing fewer topics changes nothing where as many as asked for are there, although the documents that candidates
/// are compared with show fewer.
#[test]
fn allowing_fewer_topics_than_there_are_changes_nothing() {
    let w = Workspace::new();
    let row = |d: usize| (0..9).map(|i| ((3 * d + i) % 90, 1 + (d + i) as u64 % 3)).collect();
    w.write("odd.txt", table(90, &(0..30).map(row).collect::<Vec<_>>()).as_bytes());
    let fitted = |flag: &str| {
        let ran = w.must(&format!("fit odd.txt -k 26 --no-trust --force -o m.svtd {flag}"));
        let polish = ran.stderr.lines().find(|line| line.starts_with("polish")).unwrap().to_owned();
        (polish, w.must("topics m.svtd --top 50").stdout)
    };
    let plain = fitted("");
    assert!(plain.0.contains("held-out perplexity"), "{}", plain.0);
    assert_eq!(plain, fitted("--allow-fewer"));
}
