//! Hostile input for svtd: what every target does with some bytes.
//!
//! A target must return: no panic, no endless loop, no memory beyond what the bytes justify. What it
//! finds wrong beyond that (a model that cannot be read again, a number that is not finite) it says
//! by a panic of its own. The same functions are called by libFuzzer (`fuzz/`, which needs a nightly
//! toolchain) and by the plain driver of this crate (`src/main.rs`), which needs none.
//!
//! | target | bytes are |
//! |---|---|
//! | `docword`, `mtx`, `lda-c`, `svmlight`, `counts-csv`, `npz`, `svtdc`, `parquet` | a file of that format |
//! | `lines`, `jsonl`, `csv`, `tsv` | text in that layout |
//! | `any` | a file whose format is detected from its contents, compressed or not |
//! | `vocabulary` | a list of words beside counts |
//! | `tokenizer` | options and a text |
//! | `model` | a model file |
//! | `rounds` | a question to a site, or an answer to a fit |
//! | `fit` | the choices of an odd but valid corpus and of everything that is asked of it |

mod fits;
mod mutate;
mod readers;
mod rounds;

pub use fits::{FITTED, fit};
pub use mutate::Mutator;
pub use readers::{model, tokenizer, vocabulary};
pub use rounds::rounds;
use svtd::reading::Format;

/// A target: its name, what it does, and its seeds.
pub struct Target {
    /// Its name, which is also that of its folder of seeds.
    pub name: &'static str,
    /// What it does with some bytes.
    pub run: fn(&[u8]),
    /// Whether it is one of the readers, which take microseconds.
    pub is_reader: bool,
}

macro_rules! reader {
    ($name:literal, $format:expr) => {
        Target {
            name: $name,
            run: |bytes| readers::read(bytes, Some($format), concat!("fuzz.", $name)),
            is_reader: true,
        }
    };
}

/// Every target.
pub const TARGETS: [Target; 18] = [
    reader!("docword", Format::Docword),
    reader!("mtx", Format::MatrixMarket),
    reader!("lda-c", Format::LdaC),
    reader!("svmlight", Format::SvmLight),
    reader!("counts-csv", Format::CountsCsv),
    reader!("npz", Format::Npz),
    reader!("svtdc", Format::Svtdc),
    reader!("parquet", Format::Parquet),
    reader!("lines", Format::Lines),
    reader!("jsonl", Format::JsonLines),
    reader!("csv", Format::Csv),
    reader!("tsv", Format::Tsv),
    Target { name: "any", run: |bytes| readers::read(bytes, None, "fuzz"), is_reader: true },
    Target { name: "vocabulary", run: vocabulary, is_reader: true },
    Target { name: "tokenizer", run: tokenizer, is_reader: true },
    Target { name: "model", run: model, is_reader: true },
    Target { name: "rounds", run: rounds, is_reader: true },
    Target { name: "fit", run: fit, is_reader: false },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_target_has_seeds_and_takes_them() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
        for target in &TARGETS {
            let folder = std::fs::read_dir(seeds.join(target.name));
            let files: Vec<_> = folder.into_iter().flatten().flatten().collect();
            assert!(!files.is_empty(), "{}", target.name);
            for file in files {
                (target.run)(&std::fs::read(file.path()).unwrap_or_default());
            }
        }
    }
}
