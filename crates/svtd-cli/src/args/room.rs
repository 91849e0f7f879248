//! Flags about the memory that documents take.

use std::path::PathBuf;

use clap::Args;

/// How much of the documents is kept in memory, and where the rest is.
#[derive(Debug, Args)]
pub struct Room {
    /// Keep at most about this much of the documents in memory, such as 2GB, and the rest in a temporary file. The
    /// result is the same, byte for byte. Tables of words x topics need memory in addition; .npz, Parquet counts,
    /// single cells and genotypes are first read completely
    #[arg(long, value_name = "SIZE", value_parser = svtd::internals::memory::bytes_of)]
    pub memory: Option<u64>,

    /// The folder for temporary files of --memory [default: the folder named by TMPDIR, else /var/tmp]
    #[arg(long, value_name = "FOLDER", requires = "memory")]
    pub temp_dir: Option<PathBuf>,
}
