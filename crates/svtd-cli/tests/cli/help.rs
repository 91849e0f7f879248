//! Help that teaches by example.

use crate::workspace::Workspace;

#[test]
fn every_help_text_has_examples() {
    let w = Workspace::new();
    let before = ["", "check", "sweep", "plan"];
    let learning =
        ["fit", "topics", "infer", "export", "show", "diff", "evaluate", "report", "names"];
    let living = ["count", "info", "add", "remove", "merge", "trends", "update"];
    let rest = ["demo", "generate", "draw", "reproduce", "completions", "man"];
    for command in before.into_iter().chain(learning).chain(living).chain(rest) {
        let help = w.must(&format!("{command} --help"));
        assert!(help.stdout.contains("Examples:\n  svtd "), "{command}");
        assert_eq!(help.stderr, "");
        for line in help.stdout.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn the_examples_of_fit_are_accepted_by_the_program() {
    let w = Workspace::new();
    let help = w.must("fit --help").stdout;
    let examples = help.lines().filter_map(|line| line.strip_prefix("  svtd "));
    let mut n = 0;
    for example in examples {
        // Past the flags, the missing file is what stops it.
        let command = example.split("    ").next().unwrap().trim();
        let ran = w.svtd(command);
        assert!(ran.stderr.contains("there is no such file or folder"), "{command}: {ran:?}");
        n += 1;
    }
    assert!(n >= 5);
}

#[test]
fn the_version_is_that_of_the_package() {
    let version = Workspace::new().must("--version").stdout;
    assert_eq!(version.trim_end(), concat!("svtd ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn no_command_at_all_shows_the_help_and_is_a_wrong_request() {
    let ran = Workspace::new().svtd("");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("Usage: svtd [OPTIONS] <COMMAND>"));
}

/// The help shows the placeholder for the number of a model as it is typed.
#[test]
fn the_number_of_a_model_has_a_place_in_its_name() {
    let w = Workspace::new();
    for command in ["fit", "update"] {
        assert!(w.must(&format!("{command} --help")).stdout.contains("{number}"), "{command}");
    }
}
