//! Readers that leave, and Ctrl-C.

use crate::workspace::Workspace;

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    for line in ["topics m.svtd", "topics m.svtd --json", "infer m.svtd docword.lda.txt -q"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = w.command(line).stdout(writer).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{line}");
        assert!(ran.stderr.is_empty(), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_fit_ends_with_130_and_leaves_nothing() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use crate::workspace::Running;

    let w = Workspace::with_mixtures();
    let before = w.names();
    // This many passes would never end.
    let mut fit = w.interruptible("fit docword.lda.txt -k 4 --polish 1000000000 -v -o m.svtd");
    let mut fit = Running(fit.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap());
    let mut lines = BufReader::new(fit.0.stderr.take().unwrap()).lines();
    let recovered = |line: &Result<String, _>| line.as_ref().unwrap().starts_with("recovery");
    assert!(lines.by_ref().any(|line| recovered(&line)), "the polish has begun");
    let sent = Command::new("kill").args(["-INT", &fit.0.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert_eq!(fit.0.wait().unwrap().code(), Some(130));
    assert_eq!(w.names(), before);
}
