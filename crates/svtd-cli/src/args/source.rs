//! Where a corpus comes from: the flags that `fit`, `infer` and others share.

use std::path::{Path, PathBuf};

use clap::Args;
use svtd::Format;

/// A corpus, as named on the command line.
#[derive(Debug, Args)]
pub struct Source {
    /// The counts: UCI docword, MatrixMarket, LDA-C, SVMlight, SciPy .npz or a dense CSV, plain,
    /// gzip or zstd; - is standard input
    pub input: PathBuf,

    /// The words, one a line [default: vocab.NAME.txt beside docword.NAME.txt]
    #[arg(long, value_name = "FILE")]
    pub vocab: Option<PathBuf>,

    /// The format of INPUT, if it is not to be told by how it begins: docword, mtx, lda-c,
    /// svmlight, npz, counts-csv
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// Take the columns of a matrix for the documents, not its rows
    #[arg(long)]
    pub transpose: bool,
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
