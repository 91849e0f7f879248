//! A limit on the memory for the counts of documents; what exceeds it is kept in temporary files.
//!
//! Large arrays of a corpus, and the data that collapsed variational Bayes keeps for every document, are then
//! [`Numbers`](super::Numbers) in a file that is mapped into memory. The system loads its pages as they are used.
//! Code reports how many bytes it is about to use ([`Limit::touch`]); once that reaches the limit, all pages are
//! released. They are loaded again when needed, so a limit changes how long the work takes but never a bit of the
//! result.

use std::any::Any;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::pages::{Pages, Returnable};
use crate::error::{Error, Result};
use crate::stop;

/// The smallest limit; with less, pages would be released all the time.
const LEAST_BYTES: u64 = 16 << 20;

/// Arrays smaller than the limit divided by this number stay in memory.
const SMALL_FRACTION: u64 = 64;

/// Bytes that the system loads around one that is used, where its file cache uses large pages: about 400 kB were
/// seen on Linux 6.18.
const AROUND: usize = 1 << 19;

/// A limit on the memory that documents take. Without one they are kept in memory entirely.
///
/// It does not cover the tables of a model (words x topics) and a few numbers for every document.
#[derive(Debug, Clone, Default)]
pub struct Limit(Option<Arc<Shared>>);

#[derive(Debug)]
struct Shared {
    bytes: u64,
    folder: PathBuf,
    touched: AtomicU64,
    mapped: Mutex<Vec<Returnable>>,
}

impl Limit {
    /// No limit: all documents are kept in memory.
    pub fn none() -> Self {
        Self(None)
    }

    /// Keeps about `bytes` bytes of documents in memory at most, and the rest in temporary files in this folder.
    /// The files have no name and disappear with the process, however it ends.
    ///
    /// # Errors
    /// If the limit is below 16 MB, or no file can be made in the folder.
    pub fn of(bytes: u64, folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref().to_owned();
        if bytes < LEAST_BYTES {
            return Err(Error::MemoryLimit { asked: bytes, least: LEAST_BYTES });
        }
        let io = |source| Error::Io { path: folder.display().to_string(), source };
        tempfile::tempfile_in(&folder).map_err(io)?;
        let (touched, mapped) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        Ok(Self(Some(Arc::new(Shared { bytes, folder, touched, mapped }))))
    }

    /// The bytes of the limit, if there is one.
    pub fn bytes(&self) -> Option<u64> {
        self.0.as_ref().map(|shared| shared.bytes)
    }

    /// Whether an array of this size is kept in a file.
    pub(super) fn is_exceeded_by(&self, bytes: usize) -> bool {
        self.0.as_ref().is_some_and(|shared| bytes as u64 > shared.bytes / SMALL_FRACTION)
    }

    /// Reports that this many bytes are about to be used.
    #[inline(always)]
    pub(crate) fn touch(&self, bytes: usize) {
        if let Some(shared) = &self.0 {
            shared.touch(bytes as u64);
        }
    }

    /// Reports that a few bytes in each of two files are about to be used, far from the previous ones: the system
    /// loads their surroundings too.
    #[inline(always)]
    pub(crate) fn touch_scattered(&self) {
        self.touch(2 * AROUND);
    }

    /// A file without a name, for an array.
    pub(super) fn file(&self) -> io::Result<File> {
        match &self.0 {
            Some(shared) => tempfile::tempfile_in(&shared.folder),
            None => tempfile::tempfile(),
        }
    }

    /// Includes these pages when pages are released.
    pub(super) fn register(&self, pages: &Pages) {
        if let Some(shared) = &self.0 {
            let mut mapped = shared.mapped.lock().unwrap_or_else(PoisonError::into_inner);
            mapped.retain(Returnable::is_mapped);
            mapped.push(pages.returnable());
        }
    }

    /// Ends work for which there is no room left on the disk; [`caught`] turns this into an error.
    pub(super) fn leave(&self, source: io::Error) -> ! {
        let folder = self.0.as_ref().map(|shared| shared.folder.display().to_string());
        stop::fail(Error::NoRoom { folder: folder.unwrap_or_default(), source })
    }
}

impl Shared {
    /// Half of the limit is for pages; the other half is for what is allocated meanwhile.
    fn touch(&self, bytes: u64) {
        let before = self.touched.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > self.bytes / 2 && before <= self.bytes / 2 {
            self.touched.store(0, Ordering::Relaxed);
            let mapped = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
            mapped.iter().for_each(Returnable::give_back);
        }
    }
}

/// Runs work, and returns an error if it ran out of disk space, or if the holders of documents
/// [elsewhere](crate::Corpus::elsewhere) did not answer.
///
/// Reading, fitting and comparing numbers of topics use this themselves. Other work on a corpus with a memory limit,
/// such as [`Check`](crate::choosing::Check), should be run inside it.
///
/// # Errors
/// Those of the work; [`Error::NoRoom`] and [`Error::Round`].
pub fn caught<T, E: From<Error>>(
    work: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|payload: Box<dyn Any + Send>| match payload.downcast::<Error>() {
        Ok(error) => Err((*error).into()),
        Err(payload) => resume_unwind(payload),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    #[test]
    fn a_limit_needs_a_size_and_a_folder_that_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Limit::of(1 << 30, folder.path()).unwrap().bytes(), Some(1 << 30));
        assert_eq!(Limit::none().bytes(), None);
        let small = Limit::of(1 << 20, folder.path()).unwrap_err().to_string();
        assert!(small.contains("1 MB") || small.contains("2 MB"), "{small}");
        assert!(Limit::of(1 << 30, folder.path().join("absent")).is_err());
    }

    #[test]
    fn a_full_disk_is_an_error_and_other_panics_stay_what_they_are() {
        let full = caught::<(), Error>(|| {
            Limit::none().leave(io::Error::from(io::ErrorKind::StorageFull));
        });
        assert!(matches!(full, Err(Error::NoRoom { .. })));
        assert!(caught(|| Ok::<_, Error>(3)).is_ok_and(|three| three == 3));
        let other = catch_unwind(|| caught::<(), Error>(|| resume_unwind(Box::new("other"))));
        assert_eq!(*other.unwrap_err().downcast::<&str>().unwrap(), "other");
    }
}
