//! Every link in our documents leads to a file that exists.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn links_in_our_documents_lead_to_files() {
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/guides/choosing-k.md",
        "docs/guide.md",
        "docs/corpus-file.md",
        "docs/guides/comparing.md",
        "docs/guides/counts.md",
        "docs/guides/folder.md",
        "docs/guides/growing.md",
        "docs/guides/new-documents.md",
        "docs/guides/sites.md",
        "docs/guides/spark.md",
        "docs/guides/words.md",
        "docs/model-file.md",
        "docs/python.md",
        "benches/record/README.md",
    ];
    let mut n_links = 0;
    for document in documents {
        let path = root().join(document);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{document}: {e}"));
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap();
            if target.starts_with("http") || target.starts_with('#') {
                continue;
            }
            let file = path.parent().unwrap().join(target.split('#').next().unwrap());
            assert!(file.exists(), "{document} links to {target}, which is not there");
            n_links += 1;
        }
    }
    assert!(n_links > 30, "only {n_links} links were found: is the parser broken?");
}

#[test]
fn every_module_of_the_library_is_on_the_map() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let lib = std::fs::read_to_string(root().join("crates/svtd/src/lib.rs")).unwrap();
    for line in lib.lines() {
        let line = line.trim_start_matches("pub ").trim_end_matches(';');
        if let Some(module) = line.strip_prefix("mod ") {
            let named = [format!("src/{module}.rs"), format!("src/{module}/")];
            assert!(named.iter().any(|n| map.contains(n.as_str())), "{module} is not on the map");
        }
    }
}

#[test]
fn constants_stand_where_their_page_says() {
    let page = std::fs::read_to_string(root().join("benches/record/constants.md")).unwrap();
    let quoted = page.split('`').skip(1).step_by(2);
    let files: Vec<&str> = quoted.filter(|word| word.ends_with(".rs")).collect();
    for file in &files {
        let found = ["crates/svtd/src", "crates"].map(|base| root().join(base).join(file).exists());
        assert!(found.contains(&true), "constants.md names {file}, which is not there");
    }
    assert!(files.len() > 30, "only {} files were found: is the parser broken?", files.len());
}
