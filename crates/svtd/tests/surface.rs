//! What a user sees first is small: about ten names at the root, and the modules a user needs.
//!
//! A name that is added to `lib.rs` should be one that nearly every program writes; everything else is reached through
//! its module. What only other crates of the workspace need is in `internals`, which is hidden from the documentation.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::Path;

/// The names and public modules that a `lib.rs` shows, and the public modules it hides.
#[derive(Default)]
struct Surface {
    names: Vec<String>,
    shown: Vec<String>,
    hidden: Vec<String>,
}

impl Surface {
    fn of(code: &str) -> Self {
        let mut surface = Self::default();
        let mut is_hidden = false;
        for line in code.lines() {
            if let Some(module) = line.strip_prefix("pub mod ") {
                let module = module.trim_end_matches([';', ' ', '{']).to_owned();
                let list = if is_hidden { &mut surface.hidden } else { &mut surface.shown };
                list.push(module);
            }
            is_hidden = line.starts_with("#[doc(hidden)]");
        }
        for statement in code.split("\npub use ").skip(1) {
            let path = statement.split(';').next().unwrap();
            let names = path.rsplit("::").next().unwrap().trim_matches(['{', '}', '\n', ' ']);
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            surface.names.extend(names.map(str::to_owned));
        }
        surface
    }
}

#[test]
fn the_front_page_lists_what_a_user_needs() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let surface = Surface::of(&std::fs::read_to_string(lib).unwrap());
    let mut names = surface.names;
    names.sort();
    let expected = [
        "Corpus",
        "CorpusReader",
        "Error",
        "Lda",
        "Method",
        "Model",
        "Moments",
        "Result",
        "SingleTopic",
        "Vocabulary",
    ];
    assert_eq!(names, expected, "about ten names: reach others through their modules");
    assert_eq!(surface.hidden, ["internals"], "one module for what users do not need");
    let n = surface.shown.len();
    assert!((15..=20).contains(&n), "{n} public modules: {}", surface.shown.join(" "));
}

#[test]
fn the_surface_is_read_as_it_is_written() {
    let code = "mod a;\n#[doc(hidden)]\npub mod b;\npub mod c;\n\npub use a::{One,\n    Two};\npub use c::Three;\n";
    let surface = Surface::of(code);
    assert_eq!(surface.names, ["One", "Two", "Three"]);
    assert_eq!((surface.shown, surface.hidden), (vec!["c".to_owned()], vec!["b".to_owned()]));
}
