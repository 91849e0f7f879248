//! The demonstration runs without any file.

use crate::workspace::Workspace;

#[test]
fn the_demo_shows_topics_a_timeline_trust_and_what_to_do_next() {
    let w = Workspace::new();
    let ran = w.must("demo");
    assert_eq!(ran.stderr, "");
    for part in [
        "10 topics of 233 State of the Union addresses, 1790 to 2021, in 11957 passages",
        "topic   share  words",
        "Mean share by 20 years",
        "1790 1810 1830",
        "█",
        "effective documents",
        "What to try next:",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    // What a stranger sees first: most topics come back, and none is lost.
    let count = |what: &str| ran.stdout.matches(what).count();
    assert!(count("[reproduces: ") >= 7, "{}", ran.stdout);
    assert_eq!(count("[not found again: "), 0, "{}", ran.stdout);
    assert_eq!(w.must("demo").stdout, ran.stdout);
    assert!(w.names().is_empty());
}

#[test]
fn the_demo_takes_another_number_of_topics() {
    let w = Workspace::new();
    let shown = w.must("demo -k 3").stdout;
    assert!(shown.starts_with("3 topics of 233"), "{shown}");
    assert_eq!(w.svtd("demo -k 0").code, Some(2));
    let refused = w.svtd("demo -k 5000");
    assert_eq!(refused.code, Some(1));
    assert_eq!(refused.stderr.lines().count(), 1);
}
