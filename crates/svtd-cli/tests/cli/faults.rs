//! Faults injected on purpose: kills, signals, small disks, files that change while they are read.
//!
//! What is promised: a file under its final name is complete, whatever happened; the exit code is 0, 1, 2 or
//! that of a signal; temporary files do not stay for ever.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use crate::workspace::{Ran, Running, Workspace, docword, with_usual_signals};
use svtd::synthetic::{LdaSource, Lengths};

/// Kills in an ordinary run of the tests; `SVTD_KILLS` asks for more.
const KILLS: usize = 30;

/// Runs a line of shell in which `svtd` is the program.
fn shell(w: &Workspace, line: &str) -> Ran {
    shell_command(w, line).output().unwrap().into()
}

fn shell_command(w: &Workspace, line: &str) -> Command {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_svtd"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut sh = with_usual_signals("sh");
    sh.args(["-c", line]).env("PATH", path).current_dir(w.path("."));
    sh
}

fn signal(running: &Running, name: &str) {
    let sent = Command::new("kill").args([name, &running.0.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Waits until the program has reported the spectral estimate, so that the polish has begun.
fn in_the_polish(w: &Workspace, before: &str, log: &str) -> Running {
    let line = format!(
        "{before} exec svtd fit docword.lda.txt -k 4 --polish 1000000000 -v -o m.svtd 2> {log}"
    );
    let running = Running(shell_command(w, &line).stdout(Stdio::null()).spawn().unwrap());
    let began = Instant::now();
    while !fs::read_to_string(w.path(log)).is_ok_and(|text| text.contains("recovery")) {
        assert!(began.elapsed() < Duration::from_secs(600), "the polish never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    running
}

#[test]
fn terminate_and_hang_up_end_with_their_own_codes() {
    for (name, code) in [("-TERM", 143), ("-HUP", 129), ("-INT", 130)] {
        let w = Workspace::with_mixtures();
        let mut running = in_the_polish(&w, "", "log");
        signal(&running, name);
        assert_eq!(running.0.wait().unwrap().code(), Some(code), "{name}");
        assert!(!w.names().iter().any(|name| name.contains("svtd")), "{:?}", w.names());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_was_ignored_from_the_start_stays_ignored() {
    for (ignored, name) in [("HUP", "-HUP"), ("INT", "-INT"), ("TERM", "-TERM")] {
        let w = Workspace::with_mixtures();
        let mut running = in_the_polish(&w, &format!("trap '' {ignored};"), "log");
        signal(&running, name);
        std::thread::sleep(Duration::from_millis(300));
        assert!(running.0.try_wait().unwrap().is_none(), "{ignored} must be ignored");
        let (other, code) = if ignored == "TERM" { ("-INT", 130) } else { ("-TERM", 143) };
        signal(&running, other);
        assert_eq!(running.0.wait().unwrap().code(), Some(code));
    }
}

/// Commands that write, and what they write.
const WRITERS: [(&str, &[&str]); 7] = [
    ("fit docword.lda.txt -k 4 --force -o new.svtd", &["new.svtd"]),
    ("count docword.lda.txt --force -o new.svtdc", &["new.svtdc"]),
    ("infer m.svtd docword.lda.txt --force -o new.csv", &["new.csv"]),
    (
        "export m.svtd docword.lda.txt --to csv --force -o all",
        &["all.topics.csv", "all.topic-words.csv", "all.documents.csv"],
    ),
    (
        "export m.svtd docword.lda.txt --to npy --force -o all",
        &["all.topic-word.npy", "all.vocab.txt", "all.documents.txt"],
    ),
    (
        "generate lda --docs 300 --words 50 -k 3 --force -o drawn",
        &["docword.drawn.txt", "drawn.mixtures.npy"],
    ),
    ("sweep docword.lda.txt -k 2..4 --svg new.svg --force", &["new.svg"]),
];

/// A generator of random points in time, the same in every run.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        below.mul_f64((self.0 >> 40) as f64 / (1_u64 << 24) as f64)
    }
}

#[test]
fn a_kill_at_any_moment_leaves_every_file_whole_and_the_next_write_clears_the_rest() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 --polish none --no-trust -o m.svtd");
    let mut whole: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let mut durations = Vec::new();
    for (line, files) in WRITERS {
        let began = Instant::now();
        w.must(&format!("{line} -q"));
        durations.push(began.elapsed());
        files.iter().for_each(|&name| drop(whole.insert(name, w.read(name))));
    }
    let asked = std::env::var("SVTD_KILLS").ok().and_then(|n| n.parse().ok());
    let (kills, mut moments) = (asked.unwrap_or(KILLS), Moments(1));
    let mut n_left = 0;
    for kill in 0..kills {
        let at = kill % WRITERS.len();
        let (line, files) = WRITERS[at];
        for name in files {
            // Half of the time there is an old file to replace.
            if (kill / WRITERS.len()).is_multiple_of(2) {
                let _ = fs::remove_file(w.path(name));
            }
        }
        let mut command = w.command(&format!("{line} -q"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moments.next(durations[at]));
        let _ = child.kill();
        let _ = child.wait();
        for name in files.iter().filter(|name| w.path(name).exists()) {
            assert!(w.read(name) == whole[name], "{name} after kill {kill} of {line}");
        }
        n_left += w.names().iter().filter(|name| name.starts_with(".svtd-")).count();
    }
    for name in w.names().iter().filter(|name| name.starts_with(".svtd-")) {
        let file = File::options().write(true).open(w.path(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    }
    w.must("count docword.lda.txt --force -q -o new.svtdc");
    let left: Vec<String> = w.names().into_iter().filter(|n| n.starts_with(".svtd-")).collect();
    assert!(left.is_empty(), "{left:?}");
    println!("{kills} kills; temporary files seen afterwards: {n_left}; all cleared");
}

#[test]
fn several_files_on_a_small_disk_are_all_there_or_none() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 --polish none --no-trust -o m.svtd");
    let before = w.names();
    for line in [
        "svtd export m.svtd docword.lda.txt --to csv -o all",
        "svtd export m.svtd docword.lda.txt --to npy -o all",
        "svtd export m.svtd docword.lda.txt --to mallet -o all",
        "svtd generate lda --docs 500 --words 50 -k 3 -o drawn",
        "svtd fit docword.lda.txt -k 4 --polish none -o new.svtd",
        "svtd count docword.lda.txt -o new.svtdc",
        "svtd infer m.svtd docword.lda.txt -o new.csv",
    ] {
        // Two kilobytes to a file; the program is not asked to ignore the signal that comes with it.
        let ran = shell(&w, &format!("ulimit -f 4; {line} -q"));
        assert_eq!(ran.code, Some(1), "{line}\n{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}\n{}", ran.stderr);
        assert!(ran.stderr.contains("nothing was written"), "{line}\n{}", ran.stderr);
        assert_eq!(w.names(), before, "{line}");
    }
}

#[test]
fn a_full_disk_under_a_limit_on_memory_is_one_sentence() {
    let source = LdaSource::zipf(2000, 3, 2.0, 100.0, 1.0, 23);
    let w = Workspace::new();
    let text = docword(&source.draw(10_000, &Lengths::Fixed(40), 24).0);
    w.write("docword.large.txt", text.as_bytes());
    w.write("docword.small.txt", docword(&source.draw(20, &Lengths::Fixed(40), 25).0).as_bytes());
    w.must("count docword.small.txt -q -o small.svtdc");
    let before = w.names();
    for line in [
        "svtd count docword.large.txt -o new",
        "svtd fit docword.large.txt -k 3 -o new",
        "svtd add small.svtdc docword.large.txt",
        "svtd sweep docword.large.txt -k 2..3",
    ] {
        // Two hundred kilobytes to a file, where arrays of a megabyte are to lie.
        let line = format!("{line} --memory 16MiB --temp-dir . -q");
        let ran = shell(&w, &format!("ulimit -f 400; {line}"));
        assert_eq!(ran.code, Some(1), "{line}\n{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}\n{}", ran.stderr);
        assert!(ran.stderr.contains("temporary file in . could not grow"), "{}", ran.stderr);
        assert_eq!(w.names(), before, "{line}");
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_told_or_read_as_it_is() {
    let source = LdaSource::zipf(2000, 3, 2.0, 100.0, 1.0, 21);
    let text = docword(&source.draw(30_000, &Lengths::Fixed(40), 22).0);
    let w = Workspace::new();
    for after in [0, 5, 20, 60] {
        w.write("shrinks.txt", text.as_bytes());
        let mut command = w.command("count shrinks.txt --force -q -o c.svtdc");
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(after));
        let file = File::options().write(true).open(w.path("shrinks.txt")).unwrap();
        file.set_len(text.len() as u64 / 3).unwrap();
        let ran: Ran = child.wait_with_output().unwrap().into();
        assert!(matches!(ran.code, Some(0 | 1)), "{:?} {}", ran.code, ran.stderr);
        assert!(ran.stderr.lines().count() <= 1, "{}", ran.stderr);
    }
    // The same of a model: cut at every eighth of its length, it is a damaged file.
    w.write("docword.t.txt", text.as_bytes());
    w.must("fit docword.t.txt -k 3 --polish none --no-trust -q -o m.svtd");
    let whole = w.read("m.svtd");
    for eighth in 0..8 {
        w.write("cut.svtd", &whole[..whole.len() * eighth / 8]);
        let ran = w.svtd("topics cut.svtd");
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1), "{}", ran.stderr);
    }
}

#[test]
fn bytes_that_come_one_by_one_are_read_as_if_they_came_together() {
    let w = Workspace::with_mixtures();
    w.must("count docword.lda.txt -q -o whole.svtdc");
    let slowly = "dd if=docword.lda.txt bs=1 count=3000 2>/dev/null; tail -c +3001 docword.lda.txt";
    let line = format!("({slowly}) | svtd count - --vocab vocab.lda.txt -q -o slow.svtdc");
    let ran = shell(&w, &line);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(w.read("whole.svtdc") == w.read("slow.svtdc"));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_cannot_be_had_is_a_sentence() {
    let w = Workspace::new();
    let source = LdaSource::zipf(20_000, 3, 2.0, 1000.0, 1.0, 21);
    w.write("wide.txt", docword(&source.draw(2000, &Lengths::Fixed(80), 22).0).as_bytes());
    let ran = shell(&w, "ulimit -v 1500000; svtd fit wide.txt -k 1500 --threads 1 -q");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("a fit of 1500 topics takes about "), "{}", ran.stderr);
    // Far too little even to read: whatever fails, it is not a crash.
    for kilobytes in [120_000, 160_000, 200_000] {
        let ran =
            shell(&w, &format!("ulimit -v {kilobytes}; svtd fit wide.txt -k 300 --threads 1"));
        assert!(matches!(ran.code, Some(0 | 1)), "{kilobytes}: {:?} {}", ran.code, ran.stderr);
    }
}
