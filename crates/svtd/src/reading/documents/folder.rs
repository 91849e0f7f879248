//! A folder: one document per file, in the order of their paths, including subfolders.
//!
//! Files and folders whose name begins with a dot are skipped, as are links to folders, which may lead in circles.
//! The name of a document is its path below the folder, with `/` between names.
//!
//! HTML pages, documents of word processors and electronic books are read as text. PDFs are skipped, and a note
//! says how to convert them. Any other file that cannot be read ends the reading, unless such files are to be
//! skipped as well; then they are listed with the reason.

use std::collections::VecDeque;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::format::{PDF_MAGIC, ZIP_MAGIC, has_ending, is_html};
use super::super::meter::Meter;
use super::super::unpack::{self, Whole};
use super::office::Office;
use super::{LONGEST_DOCUMENT, Layout, check_start, markup, too_long};
use crate::error::{Error, Result};
use crate::text::{Batch, Records};

pub(super) struct Folder {
    path: String,
    files: VecDeque<Found>,
    layout: Layout,
    meter: Meter,
    bytes: Vec<u8>,
    n_read: usize,
    /// PDFs that were skipped.
    pdfs: Vec<String>,
    /// Other files that were skipped, with the reason.
    bad: Vec<String>,
    /// Number of links to folders, and broken links.
    n_skipped: u64,
}

/// The largest number of files that a note names.
const NAMED: usize = 10;

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
        Ok(Folder {
            path: path.display().to_string(),
            files: files.into(),
            layout,
            meter,
            bytes: Vec::new(),
            n_read: 0,
            pdfs: Vec::new(),
            bad: Vec::new(),
            n_skipped,
        })
    }

    /// Reads the whole file, unpacked.
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
        Ok(())
    }

    /// The text of a file; `None` for a PDF, which is skipped.
    fn text(&mut self, path: &Path) -> Result<Option<String>> {
        self.load(path)?;
        let name = path.display().to_string();
        if self.bytes.starts_with(PDF_MAGIC) {
            return Ok(None);
        }
        if self.bytes.starts_with(ZIP_MAGIC) {
            let text = Office::open(&self.bytes).and_then(|mut office| office.text());
            let refused = |reason| Error::File { path: name, reason: format!("this is {reason}") };
            return text.map(Some).map_err(refused);
        }
        check_start(&name, &self.bytes)?;
        let bytes = self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes);
        let text = self.layout.encoding.decode(bytes).map_err(|error| error.in_file(&name))?;
        if is_html(bytes) || has_ending(path, &["html", "htm", "xhtml"]) {
            return Ok(Some(markup::visible(&text)));
        }
        Ok(Some(text.into_owned()))
    }

    /// Returns an error for a folder of which nothing could be read.
    fn at_end(&self) -> Result<bool> {
        let passed_over = self.remarks().join("; ");
        if self.n_read > 0 || passed_over.is_empty() {
            return Ok(false);
        }
        Err(Error::File {
            path: self.path.clone(),
            reason: format!("there is no text in this folder: {passed_over}"),
        })
    }
}

impl Records for Folder {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        while let Some(Found { name, path, .. }) = self.files.pop_front() {
            match self.text(&path) {
                Ok(Some(text)) => {
                    self.n_read += 1;
                    batch.push(Some(name), None, &text);
                    return Ok(true);
                }
                Ok(None) => self.pdfs.push(name),
                Err(error) if self.layout.skip_bad => self.bad.push(error.to_string()),
                Err(Error::File { path, reason }) => {
                    let reason = format!("{reason}; skip-bad passes over files like this one");
                    return Err(Error::File { path, reason });
                }
                Err(error) => return Err(error),
            }
        }
        self.at_end()
    }

    fn remarks(&self) -> Vec<String> {
        let listed = |all: &[String]| {
            let more = all.len().saturating_sub(NAMED);
            let mut named = all[..all.len().min(NAMED)].join(", ");
            if more > 0 {
                named.push_str(&format!(" and {more} more"));
            }
            named
        };
        let mut notes = Vec::new();
        if self.n_skipped > 0 {
            let n = self.n_skipped;
            notes.push(format!("links to folders, or to nothing, were passed over: {n}"));
        }
        if !self.pdfs.is_empty() {
            notes.push(format!(
                "{} PDFs were skipped; convert them to text first, for instance with pdftotext: {}",
                self.pdfs.len(),
                listed(&self.pdfs)
            ));
        }
        // All of them, so that the user can see what was skipped.
        notes.extend(self.bad.iter().map(|reason| format!("skipped: {reason}")));
        notes
    }

    fn n_skipped_links(&self) -> u64 {
        self.n_skipped
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
            // A file that cannot be inspected is reported when it is read.
            let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
            files.push(Found { name, path, size });
        } else if kind.is_symlink() {
            *n_skipped += 1;
        }
    }
    Ok(())
}

/// Whether a name matches a pattern in which `*` stands for any characters and `?` for any one byte.
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
