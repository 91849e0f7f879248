//! The demonstration runs without any file.

use crate::workspace::Workspace;

#[test]
fn the_demo_shows_topics_a_timeline_trust_and_what_to_do_next() {
    let w = Workspace::new();
    let ran = w.must("demo");
    assert_eq!(ran.stderr, "");
    for part in [
        "8 topics of 233 State of the Union addresses, 1790 to 2021, in 11957 passages",
        "topic   share  words",
        "Share by 5 years, each to its own height; the largest with its 95 % band",
        "1800      1850      1900      1950      2000",
        "█",
        "1995–1999 72% (68-76)",
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

#[test]
fn the_demo_tells_every_period_with_its_band() {
    let w = Workspace::new();
    let demo: serde_json::Value = serde_json::from_str(&w.must("demo --json").stdout).unwrap();
    let years = demo["first_years"].as_array().unwrap();
    assert_eq!((years.len(), &years[0], &years[46]), (47, &1790.into(), &2020.into()));
    for (period, bands) in demo["bands_by_period"].as_array().unwrap().iter().enumerate() {
        for (topic, band) in bands.as_array().unwrap().iter().enumerate() {
            let share = demo["shares_by_period"][period][topic].as_f64().unwrap();
            let (low, high) = (band[0].as_f64().unwrap(), band[1].as_f64().unwrap());
            assert!(low <= share && share <= high && low < high, "{period} {topic}: {band}");
        }
    }
}
