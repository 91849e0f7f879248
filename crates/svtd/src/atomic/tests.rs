use super::*;

pub(super) fn names_in(folder: &Path) -> Vec<String> {
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
    assert!(message.ends_with("model.svtd: no storage space; nothing was written"), "{message}");
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
    assert!(message.starts_with("/proc/self: cannot create a file in this folder:"), "{message}");
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
