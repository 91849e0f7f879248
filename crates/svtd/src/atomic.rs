//! Files that appear whole or not at all.
//!
//! A file is written beside its final name and takes that name only once every byte is on the
//! disk:
//!
//! ```text
//! create .svtd-XXXXXX.tmp ──► write ──► fsync ──► check ──► rename to the final name ──► fsync the folder
//! ```
//!
//! So a reader never sees half a file, and a failure at any step (a full disk, an error in the writer, a panic)
//! leaves the folder as it was. Without permission to overwrite, the rename itself fails if the name exists, so
//! that of two programs writing the same name only one succeeds. Several files that belong together ([`Together`])
//! are all written before the first gets its name.
//!
//! # Interruption
//! A process that is told to stop runs no destructors. So the temporary files in use are kept in a list, and
//! [`remove_unfinished_for_good`] deletes them; a Ctrl-C handler calls it before it exits. A process that is killed
//! cannot do even that: its temporary files stay until the next write to the same folder finds that no process
//! holds them any more (`leftovers`).
//!
//! # What the file inherits
//! A link is followed, so that it then points to the new contents. A file that is replaced keeps its permissions; a
//! new one gets those of any ordinary new file. Devices, pipes and folders are never replaced.

mod leftovers;
mod together;

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

pub use self::together::Together;
use crate::error::{Error, Result};

/// The beginning and end of the names of temporary files, with six letters or digits between them.
const PREFIX: &str = ".svtd-";
const SUFFIX: &str = ".tmp";

/// Writes a file that appears under `path` complete or not at all.
///
/// `write` receives a buffered writer. If `path` exists and `overwrite` is false, the result is [`Error::Exists`]
/// and `write` is not called.
///
/// # Errors
/// When the file exists already and must not be overwritten, or cannot be written.
pub fn write_atomically(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<()> {
    IN_FLIGHT.write(path, overwrite, write, |_| Ok(()))
}

/// As [`write_atomically`], but the file gets its name only if `check` succeeds; it is given the path of the
/// finished temporary file.
///
/// # Errors
/// As [`write_atomically`], and whatever `check` says.
pub fn write_checked(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    check: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    IN_FLIGHT.write(path, overwrite, write, check)
}

/// Deletes the temporary files of every write now under way.
///
/// A write that continues nevertheless fails at its last step and leaves nothing behind. Files that cannot be
/// deleted are ignored.
pub fn remove_unfinished() {
    IN_FLIGHT.remove_all();
}

/// As [`remove_unfinished`], for a thread that handles Ctrl-C, just before the process exits: a thread that tries
/// to begin another file waits until the process ends.
pub fn remove_unfinished_for_good() {
    std::mem::forget(IN_FLIGHT.emptied());
}

static IN_FLIGHT: Registry = Registry::new(File::sync_all);

/// The temporary files that exist now.
struct Registry {
    paths: Mutex<BTreeSet<PathBuf>>,
    /// Writes a file to the disk; replaced in tests.
    sync: fn(&File) -> io::Result<()>,
}

impl Registry {
    const fn new(sync: fn(&File) -> io::Result<()>) -> Registry {
        Registry { paths: Mutex::new(BTreeSet::new()), sync }
    }

    fn write(
        &self,
        path: &Path,
        overwrite: bool,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
        check: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<()> {
        let staged = self.stage(path, overwrite, write)?;
        check(staged.temporary.file.path())?;
        let folder = staged.target.folder.clone();
        staged.take_the_name()?;
        sync_folder(&folder).map_err(|error| io_error(path, error))
    }

    /// Writes the file under its temporary name.
    fn stage(
        &self,
        path: &Path,
        overwrite: bool,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<Staged<'_>> {
        let target = Target::resolve(path, overwrite)?;
        let temporary = self.create(&target)?;
        fill(&temporary.file, write, self.sync)
            .map_err(|error| io_error(path, nothing_written(error)))?;
        Ok(Staged { target, temporary, asked: path.to_path_buf(), overwrite })
    }

    /// Creates a temporary file and adds it to the list, with no moment between the two at which
    /// [`Registry::remove_all`] could miss it.
    fn create(&self, target: &Target) -> Result<Temporary<'_>> {
        let mut paths = self.lock();
        let file = create_beside(target)?;
        paths.insert(file.path().to_path_buf());
        let listed = Listed { registry: self, path: file.path().to_path_buf() };
        drop(paths);
        leftovers::hold(file.as_file());
        leftovers::clear(&target.folder, file.path());
        Ok(Temporary { file, _listed: listed })
    }

    fn remove_all(&self) {
        drop(self.emptied());
    }

    /// Deletes all files of the list, and keeps the list locked.
    fn emptied(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        let mut paths = self.lock();
        for path in std::mem::take(&mut *paths) {
            let _ = fs::remove_file(path);
        }
        paths
    }

    /// A panic elsewhere cannot leave a set of paths half changed, so a poisoned lock can still be used.
    fn lock(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that is complete under its temporary name.
struct Staged<'r> {
    target: Target,
    temporary: Temporary<'r>,
    /// The final name as the user wrote it, for messages.
    asked: PathBuf,
    overwrite: bool,
}

impl Staged<'_> {
    fn take_the_name(self) -> Result<()> {
        let Staged { target, temporary, asked, overwrite } = self;
        let renamed = match overwrite {
            true => temporary.file.persist(&target.path),
            false => temporary.file.persist_noclobber(&target.path),
        };
        match renamed {
            Ok(_) => Ok(()),
            Err(failure) if !overwrite && failure.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(Error::Exists { path: asked.display().to_string() })
            }
            Err(failure) => Err(io_error(&asked, nothing_written(failure.error))),
        }
    }
}

/// A temporary file and its entry in the list. Dropping it deletes first the file, then the entry.
struct Temporary<'r> {
    file: NamedTempFile,
    _listed: Listed<'r>,
}

/// An entry in the list, removed when dropped.
struct Listed<'r> {
    registry: &'r Registry,
    path: PathBuf,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.registry.lock().remove(&self.path);
    }
}

/// The final place of the file, after links are followed.
struct Target {
    path: PathBuf,
    folder: PathBuf,
    /// The permissions of the file to be replaced, if there is one.
    permissions: Option<Permissions>,
}

impl Target {
    fn resolve(path: &Path, overwrite: bool) -> Result<Target> {
        if !overwrite && fs::symlink_metadata(path).is_ok() {
            return Err(Error::Exists { path: path.display().to_string() });
        }
        if path.file_name().is_none() {
            return Err(io_error(path, invalid("this names a folder, not a file")));
        }
        let replaced = fs::metadata(path).ok();
        if replaced.as_ref().is_some_and(|found| !found.is_file()) {
            return Err(io_error(path, invalid("only an ordinary file can be overwritten")));
        }
        let path = match replaced {
            Some(_) => fs::canonicalize(path).map_err(|error| io_error(path, error))?,
            None => path.to_path_buf(),
        };
        let permissions = replaced.map(|found| found.permissions());
        Ok(Target { folder: folder_of(&path), path, permissions })
    }
}

/// The folder of a path; `model.svtd` alone is in the current one.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn create_beside(target: &Target) -> Result<NamedTempFile> {
    if !target.folder.is_dir() {
        let missing = io::Error::new(io::ErrorKind::NotFound, "no such folder; create it first");
        return Err(io_error(&target.folder, missing));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // The crate's own default is a private file; for an ordinary one the system's umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(&target.folder).map_err(|error| refused(target, &error))?;
    if let Some(permissions) = &target.permissions {
        let set = file.as_file().set_permissions(permissions.clone());
        set.map_err(|error| io_error(&target.path, nothing_written(error)))?;
    }
    Ok(file)
}

/// The folder accepts no new file. The error contains the name of the temporary file, which means nothing to the
/// user, so only its kind is kept.
fn refused(target: &Target, error: &io::Error) -> Error {
    let sentence = format!("cannot create a file in this folder: {}", error.kind());
    io_error(&target.folder, io::Error::new(error.kind(), sentence))
}

fn fill(
    file: &NamedTempFile,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    sync: fn(&File) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffered = BufWriter::new(file.as_file());
    write(&mut buffered)?;
    buffered.flush()?;
    sync(file.as_file())
}

/// Makes sure that the new name survives a power cut.
///
/// Some file systems cannot do this for a folder, and some folders may be written but not read;
/// the file is whole in either case, so neither is an error.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match File::open(folder).and_then(|opened| opened.sync_all()) {
        Err(error) if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => {
            Ok(())
        }
        other => other,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn nothing_written(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{error}; nothing was written"))
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

fn io_error(path: &Path, source: io::Error) -> Error {
    Error::Io { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests;
