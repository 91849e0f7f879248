//! Where a corpus comes from: the flags that `fit`, `infer` and others share.

use std::path::{Path, PathBuf};

use clap::Args;

/// A corpus, as named on the command line.
#[derive(Debug, Args)]
pub struct Source {
    /// The counts: UCI docword or MatrixMarket (documents are rows), plain or gzip
    pub input: PathBuf,

    /// The words, one a line [default: vocab.NAME.txt beside docword.NAME.txt]
    #[arg(long, value_name = "FILE")]
    pub vocab: Option<PathBuf>,
}

impl Source {
    /// The files that are read, none of which may be written to.
    pub fn files(&self) -> Vec<&Path> {
        [Some(&self.input), self.vocab.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .collect()
    }
}
