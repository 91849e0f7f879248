//! Real text, if the folder `SVTD_DATA` is there.

use std::io::Write;
use std::path::PathBuf;

use crate::workspace::{Workspace, read_csv};

/// The file of counts, or a printed message that the test was skipped.
fn counts(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("SVTD_DATA") else {
        // Past the test harness, which hides what a passing test prints.
        let _ = writeln!(std::io::stdout(), "skipped: {name} (SVTD_DATA is not set)");
        return None;
    };
    let path = PathBuf::from(folder).join(format!("docword.{name}.txt.gz"));
    assert!(path.is_file(), "SVTD_DATA is set but {} is missing", path.display());
    Some(path)
}

#[test]
fn reuters_is_fitted_and_inferred() {
    let Some(path) = counts("reuters395") else {
        return;
    };
    let w = Workspace::new();
    let path = path.display();
    for model in ["lda", "single-topic"] {
        let fitted = w.must(&format!("fit {path} -k 5 --model {model} -o {model}.svtd"));
        assert_eq!(fitted.stdout.lines().count(), 6);
        let rows = read_csv(&w.must(&format!("infer {model}.svtd {path}")).stdout, 1);
        assert_eq!(rows.len(), 395);
        for row in rows {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
    // The reports on Mother Teresa are a topic of their own.
    let topics = w.must("topics lda.svtd --top 5").stdout;
    let line = topics.lines().find(|line| line.contains("teresa"));
    assert!(line.is_some_and(|line| line.contains("mother")), "{topics}");
}
