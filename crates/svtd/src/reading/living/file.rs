//! Changing a corpus file in place: by one process at a time, completely or not at all.
//!
//! The process that changes the file holds a lock on it from before it is read until the new file has its name.
//! Otherwise one of two simultaneous additions could be lost. A process that is killed at any moment leaves the old
//! file or the new one, and the system releases its lock.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use crate::corpus::Corpus;

use crate::atomic::write_checked;
use crate::error::{Error, Result};
use crate::memory::Limit;
use crate::reading::{CorpusReader, Format, svtdc};

/// A corpus file that nobody else can change while this value exists.
#[derive(Debug)]
pub struct CorpusFile {
    path: PathBuf,
    corpus: Corpus,
    /// Holds the lock; `None` on file systems without locks.
    _held: Option<File>,
}

impl CorpusFile {
    /// Reads a corpus file in order to change it.
    ///
    /// # Errors
    /// When it cannot be read, is no `.svtdc` file, or another process is changing it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_within(path, &Limit::none())
    }

    /// Reads a corpus file as [`open`](Self::open) does, and keeps its counts within a memory limit.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_within(path: impl AsRef<Path>, limit: &Limit) -> Result<Self> {
        let path = path.as_ref();
        let held = hold(path)?;
        let corpus = reader(limit).read(path)?;
        Ok(Self { path: path.to_owned(), corpus, _held: held })
    }

    /// The content of the file.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Replaces the content by another corpus. The new file is read back before it gets its name.
    ///
    /// # Errors
    /// When it cannot be written; the old file is then still there.
    pub fn replace(self, corpus: &Corpus) -> Result<()> {
        let limit = self.corpus.rows().limit().clone();
        let read_back = |written: &Path| reader(&limit).read(written).map(|_| ());
        write_checked(&self.path, true, |out| svtdc::write(corpus, out), read_back)
    }
}

fn reader(limit: &Limit) -> CorpusReader {
    CorpusReader::new().format(Format::Svtdc).within(limit)
}

/// Takes the lock. The file may have been replaced between opening and locking it, so this is repeated until the
/// locked file is the one with the name.
fn hold(path: &Path) -> Result<Option<File>> {
    let failed = |source: io::Error| Error::Io { path: path.display().to_string(), source };
    loop {
        let mut file = File::open(path).map_err(failed)?;
        check_magic(path, &mut file)?;
        match file.try_lock() {
            Ok(()) if is_named(path, &file) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::File {
                    path: path.display().to_string(),
                    reason: "another svtd is changing this corpus; try again when it is done"
                        .to_owned(),
                });
            }
            // No locks here; with a single process nothing changes.
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

fn check_magic(path: &Path, file: &mut File) -> Result<()> {
    let failed = |source: io::Error| Error::Io { path: path.display().to_string(), source };
    let mut start = Vec::new();
    let mut head = Read::by_ref(file).take(svtdc::MAGIC.len() as u64);
    head.read_to_end(&mut start).map_err(failed)?;
    file.rewind().map_err(failed)?;
    match start == svtdc::MAGIC {
        true => Ok(()),
        false => Err(Error::File {
            path: path.display().to_string(),
            reason: "expected a corpus file, as svtd count writes it (NAME.svtdc)".to_owned(),
        }),
    }
}

/// Whether this open file is the one that has the name now.
#[cfg(unix)]
fn is_named(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(path), file.metadata()) {
        (Ok(named), Ok(open)) => (named.dev(), named.ino()) == (open.dev(), open.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_named(path: &Path, _: &File) -> bool {
    fs::metadata(path).is_ok()
}
