//! No module of the library imports its user: the layers of `ARCHITECTURE.md` hold.
//!
//! The order of the modules at the top stands in one place, the block under "Layers" in `ARCHITECTURE.md`: a layer to a
//! line, the users first. A module may name modules of lower lines only. Modules of one folder need no list: the test
//! finds who imports whom, and no way may lead back to where it began. The same holds in the other crates. Tests are
//! left out, since a test may ask anybody. What is not seen: a method that a higher module adds to a type of a lower
//! one, which needs no import.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::{BTreeMap, BTreeSet};
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

/// All source files of the library but those of tests.
fn sources() -> Vec<Source> {
    sources_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

/// All source files of a crate but those of tests.
fn sources_in(src: &Path) -> Vec<Source> {
    let (mut found, mut folders) = (Vec::new(), vec![src.to_owned()]);
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
        let name = path.strip_prefix(src).unwrap().to_str().unwrap().replace('\\', "/");
        let modules = name.trim_end_matches(".rs").trim_end_matches("/mod").split('/');
        let modules = modules.map(str::to_owned).collect();
        Source { name, modules, code: std::fs::read_to_string(path).unwrap() }
    };
    let all: Vec<Source> = found.iter().map(source).collect();
    let tests: Vec<Vec<String>> = all.iter().flat_map(test_modules).collect();
    let is_test = |source: &Source| tests.iter().any(|test| source.modules.starts_with(test));
    all.into_iter()
        .filter(|source| !["lib.rs", "main.rs"].contains(&source.name.as_str()) && !is_test(source))
        .map(|source| Source { code: without_tests(&source.code), ..source })
        .collect()
}

/// The modules in files of their own that a file declares for tests only.
fn test_modules(source: &Source) -> Vec<Vec<String>> {
    let after = |part: &str| {
        let line = part.lines().map(str::trim).find(|line| !line.is_empty())?;
        let name = line.split("mod ").nth(1)?.strip_suffix(';')?;
        let at_top = ["lib.rs", "main.rs"].contains(&source.name.as_str());
        let parent = if at_top { &[][..] } else { &source.modules };
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
    let named = paths(source).into_iter().filter_map(|path| path.first().cloned());
    named.map(|name| exported.get(&name).cloned().unwrap_or(name)).collect()
}

/// The paths in the code of a file that begin with `crate`, `super` or `self`, from the top of the library.
fn paths(source: &Source) -> Vec<Vec<String>> {
    let starts = ["crate::", "super::", "self::"];
    let mut found = Vec::new();
    for (at, _) in starts.iter().flat_map(|start| source.code.match_indices(start)) {
        // In the middle of a path or of a name.
        if source.code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        found.extend(branches(&source.code[at..]).into_iter().filter_map(|path| {
            let n_supers = path.iter().take_while(|name| *name == "super").count();
            let (from, rest) = match path[0].as_str() {
                "crate" => (0, 1),
                "self" => (source.modules.len(), 1),
                _ => (source.modules.len().checked_sub(n_supers)?, n_supers),
            };
            Some([&source.modules[..from], &path[rest..]].concat())
        }));
    }
    found
}

/// The paths that a text begins with: one, or as many as its lists in braces hold.
fn branches(text: &str) -> Vec<Vec<String>> {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        let (mut depth, mut start, mut found) = (0, 0, Vec::new());
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    found.extend(branches(&list[start..at]));
                    start = at + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => (),
            }
        }
        return found;
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = (text[..end].to_owned(), &text[end..]);
    let below = rest.strip_prefix("::").map(branches).unwrap_or_default();
    match below.is_empty() {
        true if name.is_empty() => Vec::new(),
        true => vec![vec![name]],
        false => below.into_iter().map(|path| [vec![name.clone()], path].concat()).collect(),
    }
}

/// What modules hand on from others: the module and the name, with the path behind it.
fn handed_on(sources: &[Source]) -> BTreeMap<(Vec<String>, String), Vec<String>> {
    let mut found = BTreeMap::new();
    for source in sources {
        let lines = source.code.split("pub").skip(1).filter_map(|part| {
            let after = part.split_once("use ")?;
            let visibility = after.0.trim();
            (visibility.is_empty() || visibility.starts_with('(')).then_some(after.1)
        });
        for path in lines.flat_map(|line| branches(line.split(';').next().unwrap())) {
            let name = path.last().unwrap().clone();
            let (from, rest) = match path[0].as_str() {
                "crate" => (0, 1),
                "super" => (source.modules.len() - 1, 1),
                "self" => (source.modules.len(), 1),
                _ => (source.modules.len(), 0),
            };
            let path = [&source.modules[..from], &path[rest..]].concat();
            found.insert((source.modules.clone(), name), path);
        }
    }
    found
}

/// The module with a file of its own in which the thing at a path stands.
fn home(
    path: &[String],
    modules: &BTreeSet<Vec<String>>,
    handed_on: &BTreeMap<(Vec<String>, String), Vec<String>>,
) -> Vec<String> {
    let n = (1..=path.len()).take_while(|&n| modules.contains(&path[..n])).count();
    let behind = path.get(n).and_then(|name| handed_on.get(&(path[..n].to_vec(), name.clone())));
    match behind {
        Some(behind) if *behind != path[..=n] => home(behind, modules, handed_on),
        _ => path[..n].to_vec(),
    }
}

/// Who imports whom among the children of each module.
type Siblings = BTreeMap<Vec<String>, BTreeMap<String, BTreeSet<String>>>;

fn siblings(sources: &[Source]) -> Siblings {
    let modules: BTreeSet<Vec<String>> = sources.iter().map(|s| s.modules.clone()).collect();
    let handed_on = handed_on(sources);
    let mut found = Siblings::new();
    for source in sources {
        for path in paths(source) {
            let other = home(&path, &modules, &handed_on);
            let n =
                source.modules.iter().zip(&other).take_while(|(own, other)| own == other).count();
            if let (Some(own), Some(other)) = (source.modules.get(n), other.get(n)) {
                let parent = found.entry(source.modules[..n].to_vec()).or_default();
                parent.entry(own.clone()).or_default().insert(other.clone());
            }
        }
    }
    found
}

/// The modules that import themselves by way of others.
fn in_cycles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<&String> {
    let reaches_itself = |module: &&String| {
        let (mut seen, mut ahead) = (BTreeSet::new(), vec![*module]);
        while let Some(next) = ahead.pop() {
            ahead.extend(
                imports.get(next).into_iter().flatten().filter(|other| seen.insert(*other)),
            );
        }
        seen.contains(*module)
    };
    imports.keys().filter(reaches_itself).collect()
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
fn no_two_modules_of_a_folder_import_each_other() {
    let found = siblings(&sources());
    let n_imports: usize = found.values().flat_map(BTreeMap::values).map(BTreeSet::len).sum();
    assert!(n_imports > 500, "only {n_imports} imports were found: is the parser broken?");
    let cycles = found.iter().filter(|(parent, _)| !parent.is_empty());
    let cycles = cycles.map(|(parent, imports)| (parent.join("/"), in_cycles(imports)));
    let cycles: Vec<(String, Vec<&String>)> = cycles.filter(|(_, own)| !own.is_empty()).collect();
    assert!(cycles.is_empty(), "modules of one folder that import each other: {cycles:?}");
}

#[test]
fn no_two_modules_of_the_other_crates_import_each_other() {
    let crates = ["crates/svtd-cli", "crates/svtd-report", "crates/svtd-experiments", "python"];
    for name in crates {
        let found = siblings(&sources_in(&root().join(name).join("src")));
        let cycles = found.iter().map(|(parent, imports)| (parent.join("/"), in_cycles(imports)));
        let cycles: Vec<_> = cycles.filter(|(_, own)| !own.is_empty()).collect();
        assert!(!found.is_empty(), "no import was found in {name}: is the parser broken?");
        assert!(cycles.is_empty(), "modules of {name} that import each other: {cycles:?}");
    }
}

#[test]
fn a_cycle_is_found_through_what_a_module_hands_on() {
    let source = |name: &str, code: &str| {
        let modules = name.split('/').map(str::to_owned).collect();
        Source { name: format!("{name}.rs"), modules, code: code.to_owned() }
    };
    let all = |of_c: &str| {
        let a = source("top/a", "use super::B;\nuse self::inner::X;");
        let (top, c) = (source("top", "pub(crate) use b::{B, b1::Deep};"), source("top/c", of_c));
        let found = siblings(&[top, a, source("top/b", "use crate::top::c::C;"), c]);
        let imports = &found[&vec!["top".to_owned()]];
        in_cycles(imports).into_iter().cloned().collect::<Vec<String>>()
    };
    assert_eq!(all("struct C;"), Vec::<String>::new());
    assert_eq!(all("use super::{super::linalg, a::{A, Other as O}};"), ["a", "b", "c"]);
    assert_eq!(all("fn f() -> crate::top::Deep {}"), ["b", "c"]);
}

#[test]
fn imports_are_found_however_they_are_written() {
    assert_eq!(branches("fit::em;"), [["fit", "em"]]);
    let several = branches("{fit::{em, spectral}, stop, Corpus as C};").into_iter();
    let several: Vec<String> = several.map(|path| path.join("::")).collect();
    assert_eq!(several, ["fit::em", "fit::spectral", "stop", "Corpus"]);
    let code = "use super::super::memory;\n/// crate::not_this\nuse crate::Lda;\n";
    let code = without_tests(&format!("{code}#[cfg(test)]\nmod tests {{ use crate::nor_this; }}"));
    let modules = vec!["fit".to_owned(), "em".to_owned()];
    let source = Source { name: "fit/em.rs".to_owned(), modules, code };
    assert_eq!(named(&source, &exported()), ["model", "memory"]);
    let test = Source { code: "#[cfg(test)]\npub(crate) mod naive;".to_owned(), ..source };
    assert_eq!(test_modules(&test), [["fit", "em", "naive"]]);
}
