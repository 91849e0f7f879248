//! Files that appear whole or not at all.
//!
//! A file is written beside its final name and takes that name only once every byte is on the
//! disk:
//!
//! ```text
//! create .svtd-XXXXXX.tmp ──► write ──► fsync ──► look at it ──► rename to the final name ──► fsync the folder
//! ```
//!
//! A reader therefore never sees half a file, and a failure at any step (a full disk, an error in
//! the writer, a panic) leaves the folder as it was. Without permission to overwrite, the rename
//! itself refuses an existing name, so that two programs racing for one name cannot both win.
//! Several files that belong together ([`Together`]) are all written before the first takes its name.
//!
//! # Interruption
//! A process that is told to stop runs no destructors. The temporary files in flight are therefore
//! kept in a list, and [`remove_unfinished`] deletes them; a Ctrl-C handler calls it before it
//! exits. A process that is killed cannot do even that: its temporary files stay, until the next
//! write to the same folder finds that nobody holds them any more (`leftovers`).
//!
//! # What the file inherits
//! A link is followed, so that it still points at the new contents. A file that is replaced keeps
//! its permissions; a new one gets those of any ordinary new file. Devices, pipes and folders are
//! never replaced.

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

/// How temporary files begin and end; six letters or digits stand between.
const PREFIX: &str = ".svtd-";
const SUFFIX: &str = ".tmp";

/// Writes a file that appears under `path` complete or not at all.
///
/// `write` receives a buffered writer. If `path` is taken and `overwrite` is false, the answer is
/// [`Error::Exists`] and `write` is not called.
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

/// The same, but the file takes its name only if `check`, which is given the finished file under
/// its temporary name, has nothing against it.
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
/// Meant for the thread that handles Ctrl-C, just before the process exits. A write that goes on
/// regardless fails at its last step and leaves nothing behind. Files that cannot be deleted are
/// passed over: there is nobody left to tell.
pub fn remove_unfinished() {
    IN_FLIGHT.remove_all();
}

static IN_FLIGHT: Registry = Registry::new(File::sync_all);

/// The temporary files that exist at this moment.
struct Registry {
    paths: Mutex<BTreeSet<PathBuf>>,
    /// What brings a file to the disk; tests have their own.
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

    /// Writes everything but the name.
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

    /// Creates a temporary file and enters it in the list, with no moment between the two at which
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
        for path in std::mem::take(&mut *self.lock()) {
            let _ = fs::remove_file(path);
        }
    }

    /// A panic elsewhere cannot leave a set of paths half changed, so a poisoned lock is still good.
    fn lock(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that is written and lacks only its name.
struct Staged<'r> {
    target: Target,
    temporary: Temporary<'r>,
    /// The name as the user wrote it, for the messages.
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

/// A temporary file and its entry in the list. Dropping it deletes the one, then the other.
struct Temporary<'r> {
    file: NamedTempFile,
    _listed: Listed<'r>,
}

/// An entry in the list, struck out when dropped.
struct Listed<'r> {
    registry: &'r Registry,
    path: PathBuf,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.registry.lock().remove(&self.path);
    }
}

/// Where the file goes, once links are followed.
struct Target {
    path: PathBuf,
    folder: PathBuf,
    /// Of the file to be replaced, if there is one.
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

/// The folder of a path; `model.svtd` alone lies in the current one.
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
    // The crate's own default is a private file; the system's umask decides for an ordinary one.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(&target.folder).map_err(|error| refused(target, &error))?;
    if let Some(permissions) = &target.permissions {
        let set = file.as_file().set_permissions(permissions.clone());
        set.map_err(|error| io_error(&target.path, nothing_written(error)))?;
    }
    Ok(file)
}

/// The folder takes no new file. The error at hand names our temporary file, which the user has
/// never heard of, so only its kind is kept.
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

/// Makes the new name itself survive a power cut.
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
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn hello(out: &mut (dyn Write + Send)) -> io::Result<()> {
        out.write_all(b"hello")
    }

    #[test]
    fn a_finished_file_stands_alone_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        write_atomically(&path, false, hello).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"hello");
        assert_eq!(names_in(folder.path()), ["model.svtd"]);
    }

    #[test]
    fn an_existing_file_is_kept_unless_overwriting_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        fs::write(&path, b"old").unwrap();
        let refused = write_atomically(&path, false, |_| panic!("must not be asked to write"));
        assert!(matches!(refused, Err(Error::Exists { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write_atomically(&path, true, hello).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"hello");
        assert_eq!(names_in(folder.path()), ["model.svtd"]);
    }

    #[test]
    fn a_name_taken_during_the_write_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        let raced = write_atomically(&path, false, |out| {
            fs::write(&path, b"theirs")?;
            hello(out)
        });
        assert!(matches!(raced, Err(Error::Exists { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(names_in(folder.path()), ["model.svtd"]);
    }

    #[test]
    fn a_full_disk_is_one_sentence_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        let full = write_atomically(&path, false, |out| {
            hello(out)?;
            Err(io::ErrorKind::StorageFull.into())
        });
        let message = full.unwrap_err().to_string();
        assert!(
            message.ends_with("model.svtd: no storage space; nothing was written"),
            "{message}"
        );
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        fs::write(&path, b"old").unwrap();
        write_atomically(&path, true, |_| Err(io::Error::other("no"))).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(folder.path()), ["model.svtd"]);
    }

    #[test]
    fn a_panicking_writer_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        let outcome = std::panic::catch_unwind(|| write_atomically(&path, false, |_| panic!("oh")));
        assert!(outcome.is_err());
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models").join("model.svtd");
        let message = write_atomically(&path, false, hello).unwrap_err().to_string();
        assert!(message.ends_with("models: no such folder; create it first"), "{message}");
        assert!(names_in(folder.path()).is_empty());
    }

    /// Not even the superuser can create a file in `/proc`.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_files_is_named() {
        let message = write_atomically(Path::new("/proc/self/model.svtd"), false, hello);
        let message = message.unwrap_err().to_string();
        assert!(
            message.starts_with("/proc/self: cannot create a file in this folder:"),
            "{message}"
        );
        assert!(!message.contains(".tmp"), "{message}");
    }

    #[test]
    fn a_folder_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models");
        fs::create_dir(&path).unwrap();
        for path in [path.as_path(), &path.join(".."), Path::new("/")] {
            assert!(write_atomically(path, true, hello).is_err(), "{}", path.display());
        }
        assert_eq!(names_in(folder.path()), ["models"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_never_replaced() {
        let message = write_atomically(Path::new("/dev/null"), true, hello).unwrap_err();
        assert_eq!(message.to_string(), "/dev/null: only an ordinary file can be overwritten");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_permissions_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&file, b"old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write_atomically(&link, true, hello).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"hello");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn an_interrupted_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        // A list of its own: the shared one would delete the files of other tests.
        let registry = Registry::new(File::sync_all);
        let remove_all = |out: &mut (dyn Write + Send)| {
            hello(out)?;
            assert_eq!(names_in(folder.path()).len(), 1);
            registry.remove_all();
            assert!(names_in(folder.path()).is_empty());
            Ok(())
        };
        let interrupted = registry.write(&path, false, remove_all, |_| Ok(()));
        assert!(interrupted.is_err());
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn the_list_is_empty_again_after_success_and_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        let registry = Registry::new(File::sync_all);
        registry.write(&path, false, hello, |_| Ok(())).unwrap();
        let failed = registry.write(&path, true, |_| Err(io::Error::other("no")), |_| Ok(()));
        failed.unwrap_err();
        assert!(registry.lock().is_empty());
    }

    #[test]
    fn a_failing_fsync_leaves_nothing_and_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let (new, old) = (folder.path().join("new.svtd"), folder.path().join("old.svtd"));
        fs::write(&old, b"old").unwrap();
        let registry = Registry::new(|_| Err(io::Error::from_raw_os_error(5)));
        for path in [&new, &old] {
            let message = registry.write(path, true, hello, |_| Ok(())).unwrap_err().to_string();
            assert!(message.ends_with("; nothing was written"), "{message}");
        }
        assert_eq!(fs::read(&old).unwrap(), b"old");
        assert_eq!(names_in(folder.path()), ["old.svtd"]);
    }

    #[test]
    fn a_file_that_is_found_wanting_does_not_take_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        fs::write(&path, b"old").unwrap();
        let refused = write_checked(&path, true, hello, |written| {
            assert_eq!(fs::read(written).unwrap(), b"hello");
            Err(Error::NoTriples)
        });
        assert!(matches!(refused, Err(Error::NoTriples)));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(folder.path()), ["model.svtd"]);
    }

    /// A writer that is interrupted by signals, and takes little at a time.
    struct Reluctant<W> {
        out: W,
        turn: usize,
    }

    impl<W: Write> Write for Reluctant<W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.turn += 1;
            if self.turn % 2 == 1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            self.out.write(&bytes[..bytes.len().min(3)])
        }

        fn flush(&mut self) -> io::Result<()> {
            self.out.flush()
        }
    }

    #[test]
    fn interrupted_and_short_writes_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.svtd");
        let text: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        write_atomically(&path, false, |out| {
            BufWriter::new(Reluctant { out, turn: 0 }).write_all(&text)
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), text);
    }
}
