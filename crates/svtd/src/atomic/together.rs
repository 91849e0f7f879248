//! Several files that appear together or not at all.
//!
//! All of them are written under temporary names first; when all bytes are on the disk they get their names, one
//! after the other. So a full disk leaves nothing behind. If a rename fails after others have succeeded (a name
//! taken meanwhile, a folder removed), those are undone: new files are deleted, replaced ones are restored.
//!
//! # What is not promised
//! A process that is killed between two renames leaves the first files new and the others old. No
//! file is ever half written.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::{IN_FLIGHT, PREFIX, SUFFIX, Staged, io_error, sync_folder};
use crate::error::Result;

/// Files being written that will get their names together.
///
/// # Example
/// ```
/// use svtd::internals::atomic::Together;
/// # let folder = tempfile::tempdir()?;
/// # let at = |name: &str| folder.path().join(name);
///
/// let mut files = Together::default();
/// files.write(&at("a.txt"), false, |out| writeln!(out, "one"))?;
/// files.write(&at("b.txt"), false, |out| writeln!(out, "two"))?;
/// assert!(!at("a.txt").exists(), "not yet");
/// files.finish()?;
/// assert!(at("a.txt").exists() && at("b.txt").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Together {
    staged: Vec<Staged<'static>>,
}

impl Together {
    /// Writes a file under a temporary name. After an error everything written so far is discarded when this value
    /// is dropped.
    ///
    /// # Errors
    /// As [`write_atomically`](super::write_atomically).
    pub fn write(
        &mut self,
        path: &Path,
        overwrite: bool,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<()> {
        self.staged.push(IN_FLIGHT.stage(path, overwrite, write)?);
        Ok(())
    }

    /// The files, as the caller named them.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.staged.iter().map(|staged| staged.asked.clone()).collect()
    }

    /// Gives all files their names.
    ///
    /// # Errors
    /// When a file cannot get its final name; then none of them gets it.
    pub fn finish(self) -> Result<()> {
        let mut done: Vec<Done> = Vec::with_capacity(self.staged.len());
        for staged in self.staged {
            match Done::of(staged) {
                Ok(one) => done.push(one),
                Err(error) => {
                    done.into_iter().rev().for_each(Done::undo);
                    return Err(error);
                }
            }
        }
        let mut folders: Vec<&PathBuf> = done.iter().map(|one| &one.folder).collect();
        folders.dedup();
        folders
            .into_iter()
            .try_for_each(|folder| sync_folder(folder).map_err(|error| io_error(folder, error)))
    }
}

/// A file that has got its name.
struct Done {
    path: PathBuf,
    folder: PathBuf,
    /// The file that was there before, under another name.
    before: Option<TempPath>,
}

impl Done {
    fn of(staged: Staged<'_>) -> Result<Self> {
        let (path, folder) = (staged.target.path.clone(), staged.target.folder.clone());
        let before = match staged.target.permissions {
            Some(_) => Some(kept(&path, &folder).map_err(|error| io_error(&staged.asked, error))?),
            None => None,
        };
        staged.take_the_name()?;
        Ok(Self { path, folder, before })
    }

    /// Restores the previous state; what cannot be restored is ignored.
    fn undo(self) {
        match self.before {
            Some(before) => drop(before.persist(&self.path)),
            None => drop(fs::remove_file(&self.path)),
        }
    }
}

/// The old file under a second name, which is deleted when it is no longer needed.
fn kept(path: &Path, folder: &Path) -> io::Result<TempPath> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    let linked = builder.make_in(folder, |second| fs::hard_link(path, second));
    match linked {
        Ok(second) => Ok(second.into_temp_path()),
        // Some file systems do not support second names (hard links).
        Err(_) => {
            let copy = builder.tempfile_in(folder)?;
            fs::copy(path, copy.path())?;
            Ok(copy.into_temp_path())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::tests::names_in;
    use crate::error::Error;

    #[test]
    fn a_disk_that_is_full_at_the_second_file_leaves_neither() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("b"), b"old").unwrap();
        let mut files = Together::default();
        files.write(&at("a"), true, |out| out.write_all(b"new")).unwrap();
        let full = files.write(&at("b"), true, |_| Err(io::ErrorKind::StorageFull.into()));
        assert!(full.unwrap_err().to_string().ends_with("nothing was written"));
        drop(files);
        assert_eq!(names_in(folder.path()), ["b"]);
        assert_eq!(fs::read(at("b")).unwrap(), b"old");
    }

    #[test]
    fn a_name_taken_meanwhile_undoes_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old"), b"old").unwrap();
        let mut files = Together::default();
        files.write(&at("old"), true, |out| out.write_all(b"new")).unwrap();
        files.write(&at("a"), false, |out| out.write_all(b"new")).unwrap();
        files.write(&at("b"), false, |out| out.write_all(b"new")).unwrap();
        fs::write(at("b"), b"theirs").unwrap();
        assert!(matches!(files.finish(), Err(Error::Exists { .. })));
        assert_eq!(names_in(folder.path()), ["b", "old"]);
        assert_eq!(fs::read(at("old")).unwrap(), b"old");
        assert_eq!(fs::read(at("b")).unwrap(), b"theirs");
    }

    #[test]
    fn all_of_them_appear_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("b"), b"old").unwrap();
        let mut files = Together::default();
        files.write(&at("a"), false, |out| out.write_all(b"one")).unwrap();
        files.write(&at("b"), true, |out| out.write_all(b"two")).unwrap();
        assert_eq!(files.paths(), [at("a"), at("b")]);
        files.finish().unwrap();
        assert_eq!(names_in(folder.path()), ["a", "b"]);
        assert_eq!(fs::read(at("b")).unwrap(), b"two");
    }
}
