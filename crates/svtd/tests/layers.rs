//! No module of the library imports its user: the layers of `ARCHITECTURE.md` hold.
//!
//! The order stands in one place, the block under "Layers" in `ARCHITECTURE.md`: a layer to a line, the users first. A
//! module may name modules of lower lines only. Tests are left out, since a test may ask anybody. What is not seen:
//! a method that a higher module adds to a type of a lower one, which needs no import.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The layer of every module, counted from the top.
fn layers() -> BTreeMap<String, usize> {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let block = map.split("### Layers").nth(1).unwrap();
    let block = block.split("```").nth(1).unwrap();
    let mut layers = BTreeMap::new();
    for (layer, line) in block.lines().skip(1).enumerate() {
        let modules = line.split('#').next().unwrap();
        for module in modules.split_whitespace() {
            let before = layers.insert(module.to_owned(), layer);
            assert_eq!(before, None, "ARCHITECTURE.md names the layer of {module} twice");
        }
    }
    layers
}

/// A source file, and the modules it is in, from the top: `trust/found_again/returned.rs` is in three.
struct Source {
    name: String,
    modules: Vec<String>,
    code: String,
}

/// All source files but those of tests.
fn sources() -> Vec<Source> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut folders) = (Vec::new(), vec![src.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let source = |path: &PathBuf| {
        let name = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
        let modules = name.trim_end_matches(".rs").trim_end_matches("/mod").split('/');
        let modules = modules.map(str::to_owned).collect();
        Source { name, modules, code: std::fs::read_to_string(path).unwrap() }
    };
    let all: Vec<Source> = found.iter().map(source).collect();
    let tests: Vec<Vec<String>> = all.iter().flat_map(test_modules).collect();
    let is_test = |source: &Source| tests.iter().any(|test| source.modules.starts_with(test));
    all.into_iter()
        .filter(|source| source.name != "lib.rs" && !is_test(source))
        .map(|source| Source { code: without_tests(&source.code), ..source })
        .collect()
}

/// The modules in files of their own that a file declares for tests only.
fn test_modules(source: &Source) -> Vec<Vec<String>> {
    let after = |part: &str| {
        let line = part.lines().map(str::trim).find(|line| !line.is_empty())?;
        let name = line.split("mod ").nth(1)?.strip_suffix(';')?;
        let parent = if source.name == "lib.rs" { &[][..] } else { &source.modules };
        Some(parent.iter().cloned().chain([name.to_owned()]).collect())
    };
    source.code.split("#[cfg(test)]").skip(1).filter_map(after).collect()
}

/// The code without comments, up to the module of tests at its end.
fn without_tests(code: &str) -> String {
    let end =
        code.match_indices("#[cfg(test)]\nmod tests {").next().map_or(code.len(), |(at, _)| at);
    let lines = code[..end].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<&str>>().join("\n")
}

/// The modules at the top that the code of a file names.
fn named(source: &Source, exported: &BTreeMap<String, String>) -> Vec<String> {
    let from_root = "super::".repeat(source.modules.len());
    let mut named = Vec::new();
    for prefix in ["crate::", from_root.as_str()] {
        for (at, _) in source.code.match_indices(prefix) {
            named.extend(first_names(&source.code[at + prefix.len()..]));
        }
    }
    let module = |name: String| exported.get(&name).cloned().unwrap_or(name);
    named.into_iter().map(module).collect()
}

/// The first name of a path, or those of a list in braces.
fn first_names(path: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = |text: &str| text.split(|c| !is_word(c)).next().unwrap().to_owned();
    let Some(list) = path.strip_prefix('{') else { return vec![word(path)] };
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(word(list[start..at].trim_start()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(word(list[start..at].trim_start()));
                start = at + 1;
            }
            _ => (),
        }
    }
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

/// The names that `lib.rs` exports from modules, each with its module.
fn exported() -> BTreeMap<String, String> {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let lib = std::fs::read_to_string(lib).unwrap();
    let uses = lib.lines().filter_map(|line| line.strip_prefix("pub use ")?.strip_suffix(';'));
    let pairs = uses.filter_map(|path| path.split_once("::")).flat_map(|(module, names)| {
        let names = names.trim_matches(['{', '}']).split(", ");
        names.map(move |name| (name.to_owned(), module.to_owned()))
    });
    pairs.collect()
}

#[test]
fn no_module_imports_its_user() {
    let (layers, exported) = (layers(), exported());
    let (mut n_imports, mut wrong) = (0, Vec::new());
    for source in sources() {
        let own = &source.modules[0];
        let Some(layer) = layers.get(own) else {
            panic!("ARCHITECTURE.md gives the module {own} no layer");
        };
        for other in named(&source, &exported) {
            if other == *own {
                continue;
            }
            let Some(below) = layers.get(&other) else {
                panic!("{} imports {other}, to which ARCHITECTURE.md gives no layer", source.name);
            };
            n_imports += 1;
            if below <= layer {
                wrong.push(format!("{} imports {other}, which is not below {own}", source.name));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(n_imports > 500, "only {n_imports} imports were found: is the parser broken?");
    assert!(
        wrong.is_empty(),
        "a module may import lower layers of ARCHITECTURE.md only:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn imports_are_found_however_they_are_written() {
    assert_eq!(first_names("fit::em;"), ["fit"]);
    assert_eq!(first_names("{fit::{em, spectral}, stop, Corpus as C};"), ["fit", "stop", "Corpus"]);
    let code = "use super::super::memory;\n/// crate::not_this\nuse crate::Lda;\n";
    let code = without_tests(&format!("{code}#[cfg(test)]\nmod tests {{ use crate::nor_this; }}"));
    let modules = vec!["fit".to_owned(), "em".to_owned()];
    let source = Source { name: "fit/em.rs".to_owned(), modules, code };
    assert_eq!(named(&source, &exported()), ["model", "memory"]);
    let test = Source { code: "#[cfg(test)]\npub(crate) mod naive;".to_owned(), ..source };
    assert_eq!(test_modules(&test), [["fit", "em", "naive"]]);
}
