//! An existing file is kept, and the error comes before any work is done.

use crate::workspace::{Ran, Workspace};

fn is_refused(ran: &Ran, sentence: &str) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.stdout, "", "{ran:?}");
    assert_eq!(ran.stderr.trim_end(), format!("svtd: {sentence}"));
}

#[test]
fn no_command_overwrites_unless_forced() {
    let w = Workspace::with_mixtures();
    let commands = [
        ("fit docword.lda.txt -k 2 -o", "m.svtd"),
        ("infer m.svtd docword.lda.txt -o", "mixtures.csv"),
        ("export m.svtd --topic-weights", "weights.npy"),
    ];
    for (command, target) in commands {
        w.must(&format!("{command} {target}"));
        let first = w.read(target);
        let refused = w.svtd(&format!("{command} {target}"));
        is_refused(
            &refused,
            &format!("{target} already exists; allow overwriting (--force) or choose another name"),
        );
        w.must(&format!("{command} {target} --force"));
        assert!(w.read(target) == first);
    }
}

#[test]
fn a_target_in_the_way_is_told_before_the_counts_are_read() {
    let w = Workspace::new();
    w.write("m.svtd", b"mine");
    let refused = w.svtd("fit missing.txt -k 2 -o m.svtd");
    is_refused(
        &refused,
        "m.svtd already exists; allow overwriting (--force) or choose another name",
    );
    let refused = w.svtd("fit missing.txt -k 2 -o none/m.svtd");
    is_refused(&refused, "none: no such folder; create it first");
    assert_eq!(w.names(), ["m.svtd"]);
}

#[test]
fn all_targets_of_an_export_are_checked_before_any_is_written() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 2 -o m.svtd");
    w.must("fit docword.lda.txt -k 2 --model single-topic -o one.svtd");
    w.write("taken.csv", b"mine");
    let before = w.names();
    for line in [
        "export m.svtd --topic-word new.npy --topic-weights taken.csv",
        "export m.svtd --topic-word new.npy --topic-weights none/new.csv",
        "export m.svtd --topic-word new.npy --topic-weights new.txt",
        "export m.svtd --topic-word new.npy --topic-weights ./new.npy",
        "export one.svtd --topic-word new.npy --alpha alpha.npy",
    ] {
        let refused = w.svtd(line);
        assert_eq!(refused.code, Some(2), "{line}: {refused:?}");
        assert_eq!(w.names(), before, "{line}");
    }
    assert_eq!(w.read("taken.csv"), b"mine");
}

#[test]
fn an_input_is_never_overwritten_even_when_forced() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 2 -o m.csv");
    let (counts, model) = (w.read("docword.lda.txt"), w.read("m.csv"));
    for line in [
        "fit docword.lda.txt -k 2 --force -o docword.lda.txt",
        "fit docword.lda.txt -k 2 --force -o ./docword.lda.txt",
        "fit docword.lda.txt -k 2 --force --vocab vocab.lda.txt -o vocab.lda.txt",
        "infer m.csv docword.lda.txt --force -o m.csv",
        "export m.csv --force --topic-word m.csv",
    ] {
        let refused = w.svtd(line);
        assert_eq!(refused.code, Some(2), "{line}: {refused:?}");
        assert!(refused.stderr.contains("cannot be its output"), "{refused:?}");
    }
    assert!(w.read("docword.lda.txt") == counts);
    assert!(w.read("m.csv") == model);
}
