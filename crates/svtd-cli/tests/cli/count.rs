//! `svtd count` and the files it writes.

use crate::workspace::Workspace;

#[test]
fn a_counted_corpus_is_read_by_every_command_as_the_original_is() {
    let w = Workspace::with_mixtures();
    let ran = w.must("count docword.lda.txt -o c.svtdc");
    assert!(ran.stdout.contains("         400  documents\n"), "{}", ran.stdout);
    let fit = "-k 4 --polish none --no-trust";
    w.must(&format!("fit docword.lda.txt {fit} -o a.svtd"));
    let fitted = w.must(&format!("fit c.svtdc {fit} -o b.svtd"));
    assert!(fitted.stderr.contains("read c.svtdc as a counted corpus\n"), "{}", fitted.stderr);
    assert_eq!(w.read("a.svtd"), w.read("b.svtd"));
    let inferred = w.must("infer a.svtd docword.lda.txt").stdout;
    assert_eq!(w.must("infer a.svtd c.svtdc").stdout, inferred);
    assert!(w.read("c.svtdc").len() < w.read("docword.lda.txt").len());
}

#[test]
fn a_corpus_file_has_the_same_bytes_for_any_number_of_threads_and_from_any_format() {
    let w = Workspace::with_mixtures();
    w.must("count docword.lda.txt -o one.svtdc --threads 1");
    w.must("count docword.lda.txt -o four.svtdc --threads 4");
    w.must("count one.svtdc -o again.svtdc");
    assert_eq!(w.read("one.svtdc"), w.read("four.svtdc"));
    assert_eq!(w.read("one.svtdc"), w.read("again.svtdc"));
    let sizes = w.must("count one.svtdc -o json.svtdc --json -q");
    let sizes: serde_json::Value = serde_json::from_str(&sizes.stdout).unwrap();
    assert_eq!((&sizes["documents"], &sizes["words"]), (&400.into(), &80.into()));
}

#[test]
fn a_corpus_file_is_not_overwritten_unasked_and_damage_is_told() {
    let w = Workspace::with_mixtures();
    w.must("count docword.lda.txt -o c.svtdc");
    let refused = w.svtd("count docword.lda.txt -o c.svtdc");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("c.svtdc already exists"), "{}", refused.stderr);
    w.must("count docword.lda.txt -o c.svtdc --force");
    let refused = w.svtd("count c.svtdc -o c.svtdc --force");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("cannot be its output"), "{}", refused.stderr);
    let mut bytes = w.read("c.svtdc");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    w.write("bad.svtdc", &bytes);
    let refused = w.svtd("fit bad.svtdc -k 4 -o m.svtd");
    assert_eq!(refused.code, Some(1));
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("bad.svtdc: the corpus file is damaged"), "{}", refused.stderr);
    w.write("cut.svtdc", &bytes[..middle]);
    let refused = w.svtd("fit cut.svtdc -k 4 -o m.svtd");
    assert!(
        refused.stderr.contains("cut.svtdc: the corpus file is cut short"),
        "{}",
        refused.stderr
    );
}
