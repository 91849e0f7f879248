//! What a terminal shows and a pipe does not; JSON, completions and manual pages everywhere.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::workspace::Workspace;

/// Runs a line in a terminal of this many columns; `None` where there is no `script` to make one.
fn in_a_terminal(w: &Workspace, columns: usize, environment: &str, line: &str) -> Option<String> {
    let probe = Command::new("script").arg("--version").output();
    if !probe.is_ok_and(|ran| String::from_utf8_lossy(&ran.stdout).contains("util-linux")) {
        #[allow(clippy::print_stderr, reason = "a skipped test says so")]
        {
            eprintln!("skipped: no `script` from util-linux to make a terminal with");
        }
        return None;
    }
    let program = env!("CARGO_BIN_EXE_svtd");
    let inner = format!("stty cols {columns} rows 24; {environment} {program} {line}");
    let mut command = Command::new("script");
    command.current_dir(w.path("")).args(["-qec", &inner, "/dev/null"]).env_remove("NO_COLOR");
    command.env("TERM", "xterm");
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    Some(String::from_utf8(ran.stdout).unwrap().replace("\r\n", "\n"))
}

#[test]
fn a_table_fits_the_window_and_is_whole_in_a_pipe() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    let piped = w.must("topics m.svtd --top 20").stdout;
    assert_eq!(piped.lines().count(), 5);
    for columns in [60, 80, 140] {
        let Some(shown) = in_a_terminal(&w, columns, "NO_COLOR=1", "topics m.svtd --top 20") else {
            return;
        };
        for line in shown.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&shown), words(&piped), "nothing is lost");
    }
}

#[test]
fn colour_is_for_terminals_and_respects_no_color() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    let escape = '\u{1b}';
    assert!(!w.must("topics m.svtd").stdout.contains(escape));
    assert!(w.must("topics m.svtd --color always").stdout.contains(escape));
    let Some(shown) = in_a_terminal(&w, 80, "", "topics m.svtd") else { return };
    assert!(shown.contains(escape), "{shown}");
    for (environment, flags) in [("NO_COLOR=1", ""), ("TERM=dumb", ""), ("", "--color never")] {
        let shown = in_a_terminal(&w, 80, environment, &format!("topics m.svtd {flags}")).unwrap();
        assert!(!shown.contains(escape), "{environment} {flags}: {shown}");
    }
}

#[test]
fn the_bar_shows_stage_and_share_on_a_terminal_and_nothing_in_a_pipe() {
    let w = Workspace::with_many_documents_and_words();
    let piped = w.must("fit docword.wide.txt -k 3 --polish 30");
    assert!(!piped.stderr.contains('%') || !piped.stderr.contains('█'), "{}", piped.stderr);
    let Some(shown) = in_a_terminal(&w, 100, "", "fit docword.wide.txt -k 3 --polish 30") else {
        return;
    };
    let lines: Vec<&str> = shown.split('\r').filter(|line| line.contains('░')).collect();
    assert!(lines.len() >= 3, "{shown}");
    let percent = |line: &&str| -> f64 {
        let before = line.split('%').next().unwrap();
        before.split_whitespace().last().unwrap().parse().unwrap()
    };
    let shares: Vec<f64> = lines.iter().map(percent).collect();
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
    assert!(lines.iter().any(|line| line.contains("polish")), "{shown}");
    assert!(!in_a_terminal(&w, 100, "", "fit docword.wide.txt -k 3 -q").unwrap().contains('░'));
}

#[test]
fn a_dry_run_tells_the_plan_and_fits_nothing() {
    let w = Workspace::with_mixtures();
    let before = w.names();
    let ran = w.must("fit docword.lda.txt -k 4 -o m.svtd --dry-run");
    for part in [
        "documents    400 with",
        "memory       about ",
        "passes ",
        "estimate",
        "nothing was fitted",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert_eq!(w.names(), before);
    let plan = |flags: &str| -> Value {
        let line = format!("fit docword.lda.txt --dry-run --json {flags}");
        serde_json::from_str(&w.must(&line).stdout).unwrap()
    };
    let (few, many) = (plan("-k 2"), plan("-k 40"));
    for name in ["memory_bytes", "passes", "seconds_estimated"] {
        let (few, many) = (few[name].as_f64().unwrap(), many[name].as_f64().unwrap());
        assert!(few > 0.0 && few.is_finite() && many.is_finite(), "{name}");
    }
    assert!(few["memory_bytes"].as_f64() < many["memory_bytes"].as_f64());
    assert_eq!(w.svtd("fit missing.txt -k 4 --dry-run").code, Some(2));
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let w = Workspace::new();
    let commands =
        ["fit", "topics", "infer", "export", "show", "diff", "evaluate", "demo", "generate"];
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = w.must(&format!("completions {shell}")).stdout;
        for command in commands {
            assert!(script.contains(command), "{shell} {command}");
        }
        assert!(script.contains("dry-run"), "{shell}");
    }
    assert_eq!(w.svtd("completions tcsh").code, Some(2));
    w.must("man -o .");
    for command in commands {
        let page = w.text(&format!("svtd-{command}.1"));
        assert!(page.contains(".SH OPTIONS") && page.contains("Examples:"), "{command}: {page}");
    }
    assert!(w.must("man").stdout.contains(".TH svtd 1"));
    assert_eq!(w.svtd("man -o .").code, Some(2), "pages are not overwritten");
    w.must("man -o . --force");
}

#[test]
fn the_bar_shows_the_share_of_the_text_that_is_read() {
    let w = Workspace::new();
    let text: String = (0..400_000)
        .map(|i| format!("ships and sailors of port{} sing of storms\n", i % 5000))
        .collect();
    w.write("plain.txt", text.as_bytes());
    let Some(shown) = in_a_terminal(&w, 80, "", "count plain.txt -o c.svtdc") else { return };
    let shares: Vec<&str> = shown.split('\r').filter(|line| line.contains("%  reading")).collect();
    assert!(!shares.is_empty(), "{shown:?}");
    // Nothing of the progress line is left on the screen.
    let last = shown.lines().find(|line| line.contains("read plain.txt as")).unwrap();
    assert!(last.rsplit('\r').next().unwrap().starts_with("read plain.txt as text"), "{last:?}");
    let logged = w.must("count plain.txt -o d.svtdc -v").stderr;
    assert!(logged.lines().any(|line| line.starts_with("reading ")), "{logged}");
    assert!(!logged.contains('\r') && !logged.contains('%'), "{logged}");
    assert_eq!(w.must("count plain.txt -o e.svtdc -q").stderr, "");
}

/// The peak memory of a run so far, as Linux reports it.
#[cfg(target_os = "linux")]
fn peak(id: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(1024.0 * line.split_whitespace().nth(1)?.parse::<f64>().ok()?)
}

#[cfg(target_os = "linux")]
#[test]
fn a_fit_takes_the_memory_that_was_foretold() {
    let w = Workspace::with_slow_stages();
    for flags in ["-k 5 --no-trust", "-k 20", "-k 20 --model single-topic"] {
        let line = format!("fit docword.slow.txt {flags} --allow-fewer");
        let plan = w.must(&format!("{line} --dry-run --json -q")).stdout;
        let plan: Value = serde_json::from_str(&plan).unwrap();
        let foretold = plan["memory_bytes"].as_f64().unwrap();
        let mut command = w.command(&line);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut most = 0.0_f64;
        while child.try_wait().unwrap().is_none() {
            most = peak(child.id()).unwrap_or(most).max(most);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let ratio = most / foretold;
        assert!((0.5..2.0).contains(&ratio), "{flags}: {foretold} foretold, {most} taken");
    }
}
