//! Temporary files of processes that have ended.
//!
//! A process that is killed leaves its temporary file behind. The writing process holds a lock on the temporary
//! file, which the system releases when the process ends, however it ends. So a file with such a name that is not
//! locked, and is older than one being made now, is of no use to anyone. The next write to the same folder deletes
//! it.
//!
//! Files with merely similar names are left alone, and so is everything on a file system without locks, where
//! nothing can be known.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use super::{PREFIX, SUFFIX};

/// Number of letters and digits between prefix and suffix.
const LETTERS: usize = 6;

/// A file is created shortly before it is locked; files that are not older than the new one by this much may be in
/// between.
const MOMENT: Duration = Duration::from_secs(2);

/// Locks a file until it is closed, to show that somebody is writing it.
pub(super) fn hold(file: &File) {
    // Without locks a leftover stays where it is; nothing else depends on them.
    let _ = file.try_lock();
}

/// Deletes temporary files that nobody has locked and that are older than `own`.
pub(super) fn clear(folder: &Path, own: &Path) {
    let Ok(made) = fs::metadata(own).and_then(|own| own.modified()) else { return };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_ours(&entry.file_name())) {
        let path = entry.path();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let modified = entry.metadata().and_then(|found| found.modified());
        let is_older = modified.is_ok_and(|modified| modified + MOMENT < made);
        if is_file && is_older && nobody_holds(&path) {
            // If it cannot be deleted it stays.
            let _ = fs::remove_file(&path);
        }
    }
}

fn nobody_holds(path: &Path) -> bool {
    // Opened for writing, because some file systems lock only such files.
    File::options().write(true).open(path).is_ok_and(|file| file.try_lock().is_ok())
}

fn is_ours(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let middle = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    middle.is_some_and(|m| m.len() == LETTERS && m.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::super::write_atomically;
    use super::*;
    use std::time::SystemTime;

    fn aged(path: &Path) -> File {
        let file = File::create(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
        file
    }

    #[test]
    fn the_next_write_clears_what_a_killed_one_left_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let left = [".svtd-Ab3xYz.tmp", ".svtd-000000.tmp"];
        let kept = [".svtd-abc.tmp", ".svtd-abcdef.txt", "svtd-abcdef.tmp", ".svtd-abcde!.tmp"];
        left.iter().chain(&kept).for_each(|name| drop(aged(&at(name))));
        fs::create_dir(at(".svtd-folder.tmp")).unwrap();
        let held = aged(&at(".svtd-held00.tmp"));
        held.lock().unwrap();
        drop(File::create(at(".svtd-young0.tmp")).unwrap());
        write_atomically(&at("model.svtd"), false, |out| out.write_all(b"new")).unwrap();
        for name in left {
            assert!(!at(name).exists(), "{name}");
        }
        for name in kept.into_iter().chain([".svtd-held00.tmp", ".svtd-young0.tmp"]) {
            assert!(at(name).exists(), "{name}");
        }
        assert!(at(".svtd-folder.tmp").is_dir());
        drop(held);
        write_atomically(&at("model.svtd"), true, |out| out.write_all(b"newer")).unwrap();
        assert!(!at(".svtd-held00.tmp").exists(), "its owner is gone now");
    }
}
