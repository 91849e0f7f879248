//! `--sites` and `--checkpoint`: documents at other sites, and answers kept in a folder.

use std::path::PathBuf;

use clap::Args;

/// Documents at other sites.
#[derive(Debug, Args)]
pub struct AtSites {
    /// Learn from documents at several sites, which stay there: a folder with one subfolder for each site, where
    /// questions are put and svtd answer answers them. What was interrupted continues
    #[arg(long, value_name = "FOLDER")]
    pub sites: Option<PathBuf>,

    /// With --sites: stop when an answer is missing, and continue when run again
    #[arg(long, requires = "sites")]
    pub no_wait: bool,
}

/// Where documents are asked about, if not read and asked in one run.
#[derive(Debug, Args)]
pub struct Elsewhere {
    /// Documents at other sites.
    #[command(flatten)]
    pub at: AtSites,

    /// Keep intermediate results in this folder, so that what was interrupted continues where it stopped when it is
    /// run again
    #[arg(long, value_name = "FOLDER", conflicts_with = "sites")]
    pub checkpoint: Option<PathBuf>,
}
