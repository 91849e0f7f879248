//! Trouble around the program: full disks, folders that take no files, the wrong kind of file, and
//! Ctrl-C in every stage. One sentence, the right exit code, and nothing half-written.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::workspace::{Ran, Workspace, docword, mixtures};

/// Runs a line of shell in which `svtd` is the program.
#[cfg(unix)]
fn shell(w: &Workspace, line: &str) -> Ran {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_svtd"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut sh = Command::new("sh");
    sh.args(["-c", line]).env("PATH", path).current_dir(w.path("."));
    sh.output().unwrap().into()
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_leaves_no_half_file() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 --polish none --no-trust -o good.svtd");
    let before = w.names();
    // The shell limits files to half a kilobyte, and the program gets an error instead of a signal.
    for line in [
        "svtd -q fit docword.lda.txt -k 4 --polish none --no-trust -o m.svtd",
        "svtd -q count docword.lda.txt -o c.svtdc",
        "svtd -q infer good.svtd docword.lda.txt -o m.csv",
        "svtd -q export good.svtd --topic-word m.npy",
    ] {
        let ran = shell(&w, &format!("trap \'\' XFSZ; ulimit -f 1; {line}"));
        assert_eq!(ran.code, Some(1), "{line}\n{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}\n{}", ran.stderr);
        assert!(ran.stderr.starts_with("svtd: "), "{line}\n{}", ran.stderr);
        assert_eq!(w.names(), before, "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_told() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 --polish none --no-trust -o m.svtd");
    for line in
        ["svtd topics m.svtd > /dev/full", "svtd -q infer m.svtd docword.lda.txt > /dev/full"]
    {
        let ran = shell(&w, line);
        assert_eq!(ran.code, Some(1), "{line}");
        assert!(ran.stderr.starts_with("svtd: standard output: "), "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_takes_no_files_is_told_before_the_work() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    let w = Workspace::with_mixtures();
    let mut folder = w.path("closed");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.join("try"), "").is_ok() {
        fs::remove_file(folder.join("try")).unwrap();
        // This user may write anywhere but here.
        folder = "/sys".into();
        if fs::write(folder.join("try"), "").is_ok() || !folder.is_dir() {
            // Past the test harness, which hides what a passing test prints.
            let _ = writeln!(std::io::stdout(), "skipped: no folder is closed to this user");
            return;
        }
    }
    let folder = folder.display();
    for line in [
        format!("fit docword.lda.txt -k 4 -o {folder}/m.svtd"),
        format!("count docword.lda.txt -o {folder}/c.svtdc"),
        format!("sweep docword.lda.txt -k 2..3 --svg {folder}/s.svg"),
        format!("generate lda --docs 9 --words 9 -k 2 -o {folder}/drawn"),
    ] {
        let ran = w.svtd(&line);
        assert_eq!(ran.code, Some(2), "{line}\n{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}\n{}", ran.stderr);
        assert!(ran.stderr.contains("cannot create a file in this folder"), "{}", ran.stderr);
    }
}

#[test]
fn what_is_neither_text_nor_counts_is_told_by_its_kind() {
    let w = Workspace::new();
    for (bytes, needle) in [
        (&b"%PDF-1.7\n%\xe2\xe3"[..], "this is a PDF; extract its text first"),
        (b"\x89PNG\r\n\x1a\n\0\0", "this is an image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "this is an image"),
        (b"GIF89a\x01\0", "this is an image"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "this is an old office document"),
        (b"\x7fELF\x02\x01", "this is a program"),
        (b"\x89HDF\r\n\x1a\n", "cannot be read as HDF5"),
        (b"PK\x03\x04word/document.xml", "the archive is cut short or damaged"),
    ] {
        w.write("some.txt", bytes);
        let ran = w.svtd("fit some.txt -k 2 -o m.svtd");
        assert_eq!(ran.code, Some(1), "{needle}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("some.txt: {needle}")), "{}", ran.stderr);
    }
    assert_eq!(w.names(), ["some.txt"]);
}

#[test]
fn a_line_of_fifty_megabytes_is_refused_in_a_table() {
    let w = Workspace::new();
    w.write("long.txt", &[b"2\n3\n1\n".to_vec(), vec![b'1'; 50 << 20]].concat());
    let ran = w.svtd("fit long.txt -k 2 -o m.svtd");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("long.txt, line 4: the line is longer than 1 MB"),
        "{}",
        ran.stderr
    );
}

/// Starts the program, interrupts it as soon as it has reported the end of one stage, and returns its
/// exit code and what it printed from then on.
#[cfg(unix)]
fn interrupted_after(w: &Workspace, line: &str, over: &str) -> (Option<i32>, Vec<String>) {
    let mut child =
        w.interruptible(line).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with(over)), "{over} was never over");
    interrupt(child.id());
    let rest = lines.collect();
    (child.wait().unwrap().code(), rest)
}

/// Waits until the program has a handler for Ctrl-C, however slow the machine is.
#[cfg(unix)]
fn wait_until_signals_are_heard(id: u32) {
    if !cfg!(target_os = "linux") {
        return std::thread::sleep(std::time::Duration::from_millis(1500));
    }
    let caught = || -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    };
    // Ctrl-C is signal 2.
    while caught().is_some_and(|mask| mask & 1 << 1 == 0) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(unix)]
fn interrupt(id: u32) {
    let sent = Command::new("kill").args(["-INT", &id.to_string()]).status();
    assert!(sent.unwrap().success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_in_each_stage_of_a_fit_leaves_nothing() {
    let w = Workspace::with_slow_stages();
    let before = w.names();
    let fit = "fit docword.slow.txt -k 40 -v -o m.svtd";
    for (over, stage, flags) in [
        ("reading", "moments", "--polish none"),
        ("moments", "whitening", "--polish none"),
        ("whitening", "decomposition", "--polish none"),
        ("decomposition", "recovery", "--polish none --model single-topic"),
        ("recovery", "held-out comparison", ""),
        ("recovery", "polish", "--polish 1000000000"),
        ("recovery", "trust", "--polish none"),
        ("trust", "writing", "--polish none"),
        ("reading", "search", "--method gibbs"),
        ("reading", "choosing k", "--topics auto"),
    ] {
        let line = format!(
            "{} {flags}",
            if flags.contains("auto") { fit.replace("-k 40", "") } else { fit.to_owned() }
        );
        // A short stage may be over before the signal arrives: then once more.
        let in_time = (0..200).any(|_| {
            let (code, rest) = interrupted_after(&w, &line, over);
            let in_time = code == Some(130) && !rest.iter().any(|line| line.starts_with(stage));
            if in_time {
                assert_eq!(w.names(), before, "{stage}");
            } else {
                let _ = std::fs::remove_file(w.path("m.svtd"));
            }
            in_time
        });
        assert!(in_time, "{stage} was never interrupted");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_a_file_is_written_leaves_no_half_of_it() {
    let w = Workspace::with_slow_stages();
    w.must("fit docword.slow.txt -k 40 --polish none --no-trust -o m.svtd");
    let before = w.names();
    for (line, finished) in [
        ("infer m.svtd docword.slow.txt --layout long -o shares.csv", "shares.csv"),
        ("generate lda --docs 200000 --words 3000 -k 3 -o big", "docword.big.txt"),
    ] {
        let in_time = (0..200).any(|_| {
            let mut command = w.interruptible(line);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // Something new in the folder: the output under its temporary name.
            while w.names() == before && child.try_wait().unwrap().is_none() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            interrupt(child.id());
            let code = child.wait().unwrap().code();
            let whole = w.names().iter().any(|name| name == finished);
            if !whole {
                assert_eq!((code, w.names()), (Some(130), before.clone()), "{line}");
            }
            for name in w.names() {
                if !before.contains(&name) {
                    std::fs::remove_file(w.path(&name)).unwrap();
                }
            }
            !whole
        });
        assert!(in_time, "{line} was never interrupted");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_text_is_counted_leaves_nothing() {
    let w = Workspace::new();
    let text: String =
        (0..60_000).map(|i| format!("ships and sailors of word{i} sing\n")).collect();
    for line in
        ["fit - -k 4 -o m.svtd", "count - -o c.svtdc", "fit - --format jsonl -k 4 -o m.svtd"]
    {
        let mut command = w.interruptible(line);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let bytes = match line.contains("jsonl") {
            true => text.lines().map(|l| format!("{{\"text\":\"{l}\"}}\n")).collect(),
            false => text.clone(),
        };
        // The pipe holds a fraction of this, so the program is in the middle of it; then it waits.
        input.write_all(bytes.as_bytes()).unwrap();
        interrupt(child.id());
        let ran: Ran = child.wait_with_output().unwrap().into();
        assert_eq!(ran.code, Some(130), "{line}\n{}", ran.stderr);
        assert_eq!(w.names(), Vec::<String>::new(), "{line}");
        drop(input);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_reading_leaves_nothing() {
    let w = Workspace::new();
    for line in ["fit - -k 4 -o m.svtd", "count - -o c.svtdc"] {
        let mut command = w.interruptible(line);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The program waits for the rest.
        let mut input = child.stdin.take().unwrap();
        let text = docword(&mixtures());
        input.write_all(&text.as_bytes()[..text.len() - 100]).unwrap();
        // The pipe takes it all before the program has begun.
        wait_until_signals_are_heard(child.id());
        std::thread::sleep(std::time::Duration::from_millis(500));
        interrupt(child.id());
        let ran: Ran = child.wait_with_output().unwrap().into();
        assert_eq!(ran.code, Some(130), "{line}\n{}", ran.stderr);
        assert!(
            ran.stderr.ends_with("interrupted; nothing half-written was left\n"),
            "{}",
            ran.stderr
        );
        assert_eq!(w.names(), Vec::<String>::new(), "{line}");
        drop(input);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_writing_ends_with_130() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 --polish none --no-trust -o m.svtd");
    // A table larger than a pipe holds: the same documents many times.
    let names: String = (0..4000).map(|d| format!("{d} 0:3 1:4 5:2\n")).collect();
    w.write("many.svm", names.as_bytes());
    // Nobody reads the other end, so the program waits in the middle of its table.
    let (reader, writer) = std::io::pipe().unwrap();
    let mut child = w
        .interruptible("infer m.svtd many.svm --vocab vocab.lda.txt")
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_signals_are_heard(child.id());
    std::thread::sleep(std::time::Duration::from_millis(1000));
    assert!(child.try_wait().unwrap().is_none(), "it must be waiting for a reader");
    interrupt(child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(reader);
}

#[test]
fn a_limit_on_memory_is_a_size_and_changes_no_byte() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o whole.svtd");
    w.must("fit docword.lda.txt -k 4 --memory 16MiB -o limited.svtd");
    assert_eq!(w.read("whole.svtd"), w.read("limited.svtd"));
    w.must("fit docword.lda.txt -k 4 --memory 1GB --temp-dir . --force -o limited.svtd");
    assert_eq!(w.read("whole.svtd"), w.read("limited.svtd"));
    assert!(w.names().iter().all(|name| !name.contains("tmp")), "{:?}", w.names());
    for (flags, code, needle) in [
        ("--memory 2", 2, "such as 400MB or 2GB"),
        ("--memory 1MB", 2, "is too low; ask for 17 MB or more"),
        ("--memory 1GB --temp-dir absent", 2, "absent"),
        ("--temp-dir .", 2, "--memory"),
        ("--memory 1GB --model classes", 2, "--memory is for models of topics"),
    ] {
        let ran = w.svtd(&format!("fit docword.lda.txt -k 4 {flags} -o new.svtd"));
        assert_eq!(ran.code, Some(code), "{flags}: {}", ran.stderr);
        assert!(ran.stderr.contains(needle), "{flags}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{flags}: {}", ran.stderr);
    }
}
