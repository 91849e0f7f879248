//! Streams: `svtd fit --every` and `svtd update --every`.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::workspace::{Ran, Workspace};

/// A post: its day in 2024, and its words.
struct Post {
    day: usize,
    line: String,
}

/// Posts of ten a day, some of them up to four days late, and one of them more than that.
fn posts(n: usize) -> Vec<Post> {
    let subjects = [
        "ship sail sea wind harbour captain deck anchor",
        "bread oven flour salt yeast baker dough crust",
        "rocket moon orbit launch star comet planet crater",
    ];
    let post = |i: usize| {
        let late = if i == 250 { 24 } else { (i * i) % 5 };
        let day = (i / 10).saturating_sub(late);
        let words: Vec<&str> = subjects[(i * 7 + i / 90) % 3].split(' ').collect();
        let mut chosen: Vec<&str> =
            (0..12).map(|w| words[(i * 31 + w * w * 7 + w * (i % 11)) % 8]).collect();
        // A word that is new, and one that does not occur again.
        chosen.push(if day < 15 { "fax" } else { "phone" });
        let (month, of_month) = (1 + day / 28, 1 + day % 28);
        let text = chosen.join(" ");
        let line = format!(
            "{{\"id\":\"p{i}\",\"date\":\"2024-{month:02}-{of_month:02}\",\"text\":\"{text}\"}}\n"
        );
        Post { day, line }
    };
    (0..n).map(post).collect()
}

fn lines<'p>(posts: impl IntoIterator<Item = &'p Post>) -> String {
    posts.into_iter().map(|post| post.line.as_str()).collect()
}

/// Runs the program with this on its standard input.
fn piped(w: &Workspace, line: &str, input: &[u8]) -> Ran {
    let mut command: Command = w.command(line);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that refuses early does not read to the end.
        let _ = stdin.write_all(&bytes);
    });
    let ran = child.wait_with_output().unwrap().into();
    writer.join().unwrap();
    ran
}

/// The days of January and February as the calendar has them: our months have 28 days of posts.
fn calendar(day: usize) -> usize {
    if day < 28 { day } else { day + 3 }
}

#[test]
fn each_model_is_that_of_a_file_with_the_documents_of_its_window() {
    let w = Workspace::new();
    let posts = posts(330);
    let flags = "--every 100 --last 14d --time date --cold-every 3";
    let fit = "-k 3 --model single-topic --language english";
    let line = format!("fit - {fit} {flags} -o m{{n}}.svtd --json");
    let ran = piped(&w, &line, lines(&posts).as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let announcements: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(announcements.len(), 4);
    for (n, seen) in (1..).zip([100, 200, 300, 330]) {
        let newest = posts[..seen].iter().map(|post| calendar(post.day)).max().unwrap();
        let inside = |post: &&Post| calendar(post.day) + 14 > newest;
        let window: Vec<&Post> = posts[..seen].iter().filter(inside).collect();
        let one = &announcements[n - 1];
        assert_eq!((&one["model"], &one["seen"]), (&n.into(), &seen.into()));
        assert_eq!(one["documents"], window.len());
        assert_eq!(one["late"], if seen > 250 { 1 } else { 0 });
        w.write("window.jsonl", lines(window).as_bytes());
        match (n, n - 1) {
            (1, _) => w.must(&format!("fit window.jsonl {fit} -q -o again{n}.svtd")),
            (3, old) => {
                w.must(&format!("update m{old}.svtd window.jsonl --cold -q -o again{n}.svtd"))
            }
            (_, old) => w.must(&format!("update m{old}.svtd window.jsonl -q -o again{n}.svtd")),
        };
        assert!(w.read(&format!("m{n}.svtd")) == w.read(&format!("again{n}.svtd")), "model {n}");
    }
    // The words are those of the window.
    assert_eq!(announcements[1]["words_new"], serde_json::json!(["phone"]));
    assert_eq!(announcements[2]["words_gone"], serde_json::json!(["fax"]));
    assert_eq!(announcements[1]["from"], "2024-01-07");
}

#[test]
fn a_model_that_is_given_is_followed_in_place_within_a_limit_on_memory() {
    let w = Workspace::new();
    let posts = posts(300);
    w.write("first.jsonl", lines(&posts[..120]).as_bytes());
    w.write("second.jsonl", lines(&posts[120..250]).as_bytes());
    let fit = "fit first.jsonl -k 3 --polish 18 --language english -q -o";
    w.must(&format!("{fit} m.svtd"));
    w.must(&format!("{fit} plain.svtd"));
    let line = "update m.svtd second.jsonl - -o m.svtd --every 60 --last 100 --memory 20MB";
    let ran = piped(&w, line, lines(&posts[250..]).as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let models: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("model ")).collect();
    assert_eq!(models.len(), 3, "{}", ran.stderr);
    assert!(models[2].starts_with("model 3: 180 documents read, 100 in the window, "));
    assert!(models[2].contains("; topics: 3 stayed, 0 moved, 0 new, 0 vanished; words: "));
    assert!(models[2].ends_with("; saved m.svtd"));
    // The same, step by step.
    for (start, end) in [(120, 180), (140, 240), (200, 300)] {
        w.write("window.jsonl", lines(&posts[start..end]).as_bytes());
        w.must("update plain.svtd window.jsonl -q -o next.svtd --force");
        w.write("plain.svtd", &w.read("next.svtd"));
    }
    assert!(w.read("m.svtd") == w.read("plain.svtd"));
    // It is the file of the model alone that may be written over.
    let refused = w.svtd("update plain.svtd first.jsonl -o m.svtd --every 60");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("m.svtd"), "{}", refused.stderr);
}

#[test]
fn a_window_with_too_few_documents_waits_for_more() {
    let w = Workspace::new();
    let posts = posts(200);
    let line = "fit - -k 3 --model single-topic --language english --every 2 -o m.svtd --json";
    let ran = piped(&w, line, lines(&posts[..60]).as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let announcements: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(announcements.len(), 30);
    assert!(announcements[0]["model"].is_null() && announcements[0]["saved"].is_null());
    assert!(
        announcements[0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()),
        "{}",
        announcements[0]
    );
    assert_eq!(announcements[29]["saved"], "m.svtd");
    // If no model could be made at all, the run fails with the last reason.
    let ran = piped(&w, &line.replace("m.svtd", "n.svtd"), lines(&posts[..2]).as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(!w.path("n.svtd").exists());
    // One document dated far ahead is then alone in the window, which is reported.
    let far = "{\"id\":\"x\",\"date\":\"2924-01-01\",\"text\":\"ship sail\"}\n";
    let input = lines(&posts[..100]) + far;
    let line = "fit - -k 3 --model single-topic --language english --every 100 -o o.svtd";
    let ran = piped(&w, &format!("{line} --last 30d --time date"), input.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let last = ran.stderr.lines().last().unwrap();
    let expected = "no model: 101 documents read, 1 in the window (2924-01-01 to 2924-01-01); ";
    assert!(last.starts_with(expected), "{last}");
}

#[test]
fn what_cannot_be_a_stream_is_refused_in_one_sentence() {
    let w = Workspace::with_mixtures();
    let posts = posts(40);
    let all = lines(&posts);
    let bad = all.replacen("2024-01-02", "soon", 1);
    let coarse = all.replacen("2024-01-02", "2024", 1);
    w.write("m.svtd", b"");
    w.write("all.jsonl", all.as_bytes());
    w.must("fit all.jsonl -k 2 --model single-topic --language english --no-trust -q -o k.svtd");
    // What was made before a document that cannot be read stays there.
    let fit = "fit - -k 2 --model single-topic -o n.svtd --force";
    let window = "--every 10 --last 30d --time date";
    for (line, input, sentence) in [
        (format!("{fit} {window}"), bad.as_str(), "found \"soon\"; --skip-bad passes over such"),
        (format!("{fit} {window}"), &coarse, "expected a day, such as 2024-03-09, in the column"),
        (format!("{fit} --every 5 --last 12h --time date"), &all, "expected a time of day"),
        (format!("{fit} --every 5 --last 30d --time when"), &all, "there is no column \"when\""),
        (format!("{fit} --every 5"), "", "standard input: the file is empty"),
        (
            format!("{fit} --every 5"),
            "{\"text\":\n",
            "standard input, line 1: expected a JSON object",
        ),
        (format!("{fit} {window}"), "ship sail\nsea wind\n", "which has no column \"date\""),
        (format!("{fit} --every 5"), "3\n4\n2\n1 1 2\n", "a stream is read as text"),
        (format!("{fit} --every 5 --last 30d"), &all, "add --time COLUMN"),
        (format!("{fit} --every 5 --time date"), &all, "add --last 30d"),
        (format!("{fit} --last 30d --time date"), &all, "--time is about the page"),
        (format!("{fit} --last 30d"), &all, "--last is for streams; add --every N"),
        (format!("{fit} --every 0"), &all, "expected a whole number of at least 1"),
        (format!("{fit} --every 5 --last soon"), &all, "such as 12h, 30d, 8w, 6m or 1y"),
        (format!("{fit} --every 5 --report p.html"), &all, "a page shows one model"),
        (format!("{fit} --every 5 --dry-run"), &all, "--dry-run reads all of INPUT first"),
        ("fit - -k 2 --every 5".to_owned(), &all, "a stream needs a place for its models"),
        ("fit - - -k 2 --every 5 -o o.svtd".to_owned(), &all, "can be read only once"),
        ("fit - -k 2 --every 5 -o m.svtd".to_owned(), &all, "m.svtd"),
        ("update m.svtd - --every 5 -o n.svtd".to_owned(), &all, "m.svtd: "),
        ("update k.svtd - --time date -o o.svtd".to_owned(), &all, "--time is for streams"),
        (
            "update k.svtd - --every 5 --min-df 3 -o o.svtd".to_owned(),
            &all,
            "--min-df cannot be changed",
        ),
    ] {
        let refused = piped(&w, &line, input.as_bytes());
        assert!(matches!(refused.code, Some(1 | 2)), "{line}: {refused:?}");
        assert!(refused.stderr.contains(sentence), "{line}: {}", refused.stderr);
        let failures = refused.stderr.lines().filter(|line| line.starts_with("svtd: "));
        assert_eq!(failures.count(), 1, "{line}: {}", refused.stderr);
    }
    let line = format!("{fit} {window} --skip-bad --language english");
    let ran = piped(&w, &line, bad.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("40 documents read, 39 in the window"), "{}", ran.stderr);
    assert!(ran.stderr.contains(", 1 without a time"), "{}", ran.stderr);
}

/// A model is there as soon as its documents are, and stays when the stream is interrupted.
#[cfg(unix)]
#[test]
fn a_stream_is_read_as_it_comes_and_can_be_interrupted() {
    use std::time::{Duration, Instant};

    use crate::workspace::Running;

    let w = Workspace::new();
    let posts = posts(100);
    for (format, header) in [("jsonl", ""), ("csv", "text\n")] {
        let line = format!(
            "fit - --format {format} -k 3 --model single-topic --every 90 -o {format}.svtd -q \
             --language english"
        );
        let mut child = w.interruptible(&line).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut running = Running(child);
        stdin.write_all(header.as_bytes()).unwrap();
        for post in &posts[..95] {
            let text = post.line.rsplit('"').nth(1).unwrap();
            let line = if header.is_empty() { post.line.clone() } else { format!("{text}\n") };
            stdin.write_all(line.as_bytes()).unwrap();
        }
        stdin.flush().unwrap();
        // The pipe stays open: what was written is all that the program has.
        let (file, begin) = (w.path(&format!("{format}.svtd")), Instant::now());
        while !file.exists() && begin.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let ran = w.must(&format!("topics {format}.svtd"));
        assert!(ran.stdout.contains("topic"), "{ran:?}");
        let pid = running.0.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        assert_eq!(running.0.wait().unwrap().code(), Some(130));
        drop(stdin);
        w.must(&format!("topics {format}.svtd"));
    }
    assert_eq!(w.names(), ["csv.svtd", "jsonl.svtd"]);
}
