//! A folder: a document a file, in the order of their paths, folders within folders included.
//!
//! Files and folders whose name begins with a dot are passed over, as are links to folders, which
//! may lead in circles. A document is called by its path below the folder, with `/` between names.

use std::collections::VecDeque;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::meter::Meter;
use super::super::unpack::{self, Whole};
use super::{LONGEST_DOCUMENT, Layout, check_start, too_long};
use crate::error::{Error, Result};
use crate::text::{Batch, Records};

pub(super) struct Folder {
    files: VecDeque<Found>,
    layout: Layout,
    meter: Meter,
    bytes: Vec<u8>,
    /// Links to folders, and to nothing.
    n_skipped: u64,
}

/// A file of the folder.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    /// Its path below the folder.
    name: String,
    path: PathBuf,
    size: u64,
}

impl Folder {
    pub(super) fn open(path: &Path, layout: Layout, meter: &Meter) -> Result<Self> {
        let (mut files, mut n_skipped) = (Vec::new(), 0);
        walk(path, "", &mut files, &mut n_skipped)?;
        let n_found = files.len();
        if let Some(pattern) = &layout.files {
            files.retain(|Found { name, .. }| {
                matches(pattern.as_bytes(), name.rsplit('/').next().unwrap_or(name).as_bytes())
            });
        }
        if files.is_empty() {
            let reason = match (&layout.files, n_found) {
                (Some(pattern), 1..) => {
                    format!("none of the {n_found} files in this folder is called {pattern}")
                }
                _ => "there are no files in this folder; expected a text file for each document"
                    .to_owned(),
            };
            return Err(Error::File { path: path.display().to_string(), reason });
        }
        files.sort();
        let meter = meter.of(files.iter().map(|file| file.size).sum());
        Ok(Folder { files: files.into(), layout, meter, bytes: Vec::new(), n_skipped })
    }

    /// The whole file, unpacked.
    fn load(&mut self, path: &Path) -> Result<()> {
        let name = path.display().to_string();
        let io_error = |source| Error::Io { path: name.clone(), source };
        let unpacked = unpack::open(path, Whole::Part(&self.meter)).map_err(io_error)?;
        self.bytes.clear();
        let mut limited = unpacked.bytes.take(LONGEST_DOCUMENT as u64 + 1);
        let read = limited.read_to_end(&mut self.bytes);
        read.map_err(|error| unpacked.packing.failure(&name, None, error))?;
        if self.bytes.len() > LONGEST_DOCUMENT {
            return Err(too_long(&name));
        }
        check_start(&name, &self.bytes)
    }
}

impl Records for Folder {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let Some(Found { name, path, .. }) = self.files.pop_front() else {
            return Ok(false);
        };
        self.load(&path)?;
        let bytes = self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes);
        let text = self.layout.encoding.decode(bytes);
        let text = text.map_err(|error| error.in_file(&path.display().to_string()))?;
        batch.push(Some(name), None, &text);
        Ok(true)
    }

    fn n_skipped_links(&self) -> u64 {
        self.n_skipped
    }

    fn remarks(&self) -> Vec<String> {
        match self.n_skipped {
            0 => Vec::new(),
            n => vec![format!("links to folders, or to nothing, were passed over: {n}")],
        }
    }
}

fn walk(folder: &Path, prefix: &str, files: &mut Vec<Found>, n_skipped: &mut u64) -> Result<()> {
    let io_error = |source| Error::Io { path: folder.display().to_string(), source };
    for entry in fs::read_dir(folder).map_err(io_error)? {
        let entry = entry.map_err(io_error)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let (name, path) = (format!("{prefix}{name}"), entry.path());
        let kind = entry.file_type().map_err(io_error)?;
        if kind.is_dir() {
            walk(&path, &format!("{name}/"), files, n_skipped)?;
        } else if kind.is_file() || path.is_file() {
            // A file that cannot be looked at is told when its turn comes to be read.
            let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
            files.push(Found { name, path, size });
        } else if kind.is_symlink() {
            *n_skipped += 1;
        }
    }
    Ok(())
}

/// Whether a name fits a pattern in which `*` is any characters and `?` any one byte.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => (0..=name.len()).any(|n| matches(rest, &name[n..])),
        (Some((b'?', rest)), Some((_, tail))) => matches(rest, tail),
        (Some((a, rest)), Some((b, tail))) if a == b => matches(rest, tail),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        let fits = |pattern: &str, name: &str| matches(pattern.as_bytes(), name.as_bytes());
        assert!(
            fits("*.txt", "a.txt") && fits("*", "") && fits("a?c*", "abcd") && fits("*a*", "bab")
        );
        assert!(!fits("*.txt", "a.txt.gz") && !fits("a", "ab") && !fits("?", ""));
    }
}
