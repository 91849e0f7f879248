//! Text of documents in a temporary file, one after the other; some may no longer be needed.
//!
//! ```text
//! words? (1 byte) │ name: length + 1 (4) and bytes │ text: length (4) and bytes │ words: number (4) and ends (4 each)
//! ```
//!
//! Numbers are little-endian. Removed documents stay in the file until they are the larger part of it; then the
//! others are copied to a new file.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::text::{Batch, Content, Records};

/// A file smaller than this is never copied.
const WORTH_COPYING: u64 = 1 << 24;

/// Bytes written and read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// The start and size of a document in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    start: u64,
    size: u64,
}

#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    file: BufWriter<File>,
    end: u64,
    /// Whether the file was read since the last write, so that its position has moved.
    was_read: bool,
}

impl Spool {
    pub(super) fn new(folder: &Path) -> Result<Self> {
        let made = tempfile::tempfile_in(folder);
        let file =
            made.map_err(|source| Error::Io { path: folder.display().to_string(), source })?;
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(Self { folder: folder.to_owned(), file, end: 0, was_read: false })
    }

    /// Stores a document.
    pub(super) fn push(&mut self, batch: &Batch, document: usize) -> Result<Place> {
        let written = self.write(batch, document);
        let size = written.map_err(|source| self.no_room(source))?;
        let place = Place { start: self.end, size };
        self.end += size;
        Ok(place)
    }

    fn write(&mut self, batch: &Batch, document: usize) -> io::Result<u64> {
        if self.was_read {
            self.file.seek(SeekFrom::Start(self.end))?;
            self.was_read = false;
        }
        let Some(content) = batch.contents().nth(document) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let name = batch.names().nth(document).flatten();
        let (text, start, ends): (&str, usize, Option<&[usize]>) = match content {
            Content::Text(text) => (text, 0, None),
            Content::Words { text, start, ends } => {
                (&text[start..ends.last().copied().unwrap_or(start)], start, Some(ends))
            }
        };
        let mut n_bytes = 1;
        self.file.write_all(&[u8::from(ends.is_some())])?;
        n_bytes += self.number(name.map_or(0, |name| name.len() + 1))?;
        n_bytes += self.bytes(name.unwrap_or_default().as_bytes())?;
        n_bytes += self.number(text.len())?;
        n_bytes += self.bytes(text.as_bytes())?;
        if let Some(ends) = ends {
            n_bytes += self.number(ends.len())?;
            for end in ends {
                n_bytes += self.number(end - start)?;
            }
        }
        Ok(n_bytes)
    }

    /// Writes a number in four bytes; no document is larger than 1 GB, so its sizes fit.
    fn number(&mut self, number: usize) -> io::Result<u64> {
        let number = u32::try_from(number).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.bytes(&number.to_le_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<u64> {
        self.file.write_all(bytes)?;
        Ok(bytes.len() as u64)
    }

    /// The documents at these places, which must be ascending.
    pub(super) fn records(&mut self, places: Vec<Place>) -> Result<Spooled<'_>> {
        let ready = self.file.flush().and_then(|()| self.file.get_ref().seek(SeekFrom::Start(0)));
        ready.map_err(|source| self.no_room(source))?;
        self.was_read = true;
        let file = BufReader::with_capacity(BUFFER_BYTES, self.file.get_ref());
        let name = self.folder.display().to_string();
        Ok(Spooled { file, name, at: 0, places: places.into_iter() })
    }

    /// Copies the documents at these places to a new file if they are the smaller part of this one, and updates the
    /// places.
    pub(super) fn tidy<'p>(&mut self, places: impl Iterator<Item = &'p mut Place>) -> Result<()> {
        if self.end < WORTH_COPYING {
            return Ok(());
        }
        let places: Vec<&mut Place> = places.collect();
        if 2 * places.iter().map(|place| place.size).sum::<u64>() > self.end {
            return Ok(());
        }
        let mut tidied = Spool::new(&self.folder)?;
        let mut from = self.records(Vec::new())?;
        let copy = || -> io::Result<()> {
            for place in places {
                from.go_to(*place)?;
                io::copy(&mut (&mut from.file).take(place.size), &mut tidied.file)?;
                from.at += place.size;
                place.start = tidied.end;
                tidied.end += place.size;
            }
            Ok(())
        };
        copy().map_err(|source| self.no_room(source))?;
        *self = tidied;
        Ok(())
    }

    /// Size of the file in bytes.
    #[cfg(test)]
    pub(super) fn size(&self) -> u64 {
        self.end
    }

    fn no_room(&self, source: io::Error) -> Error {
        Error::NoRoom { folder: self.folder.display().to_string(), source }
    }
}

/// Documents that are being read back.
pub(crate) struct Spooled<'s> {
    file: BufReader<&'s File>,
    name: String,
    at: u64,
    places: std::vec::IntoIter<Place>,
}

impl Spooled<'_> {
    fn go_to(&mut self, place: Place) -> io::Result<()> {
        let distance = place.start.wrapping_sub(self.at) as i64;
        self.at = place.start;
        self.file.seek_relative(distance)
    }

    fn number(&mut self) -> io::Result<usize> {
        let mut bytes = [0; 4];
        self.file.read_exact(&mut bytes)?;
        self.at += 4;
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn text(&mut self, n_bytes: usize) -> io::Result<String> {
        let mut bytes = vec![0; n_bytes];
        self.file.read_exact(&mut bytes)?;
        self.at += n_bytes as u64;
        String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn next(&mut self, place: Place, batch: &mut Batch) -> io::Result<()> {
        self.go_to(place)?;
        let mut kind = [0];
        self.file.read_exact(&mut kind)?;
        self.at += 1;
        let name = match self.number()? {
            0 => None,
            length => Some(self.text(length - 1)?),
        };
        let length = self.number()?;
        let text = self.text(length)?;
        if kind == [0] {
            batch.push(name, None, &text);
            return Ok(());
        }
        let mut words = Vec::new();
        let mut start = 0;
        for _ in 0..self.number()? {
            let end = self.number()?;
            words.push(text.get(start..end).ok_or(io::ErrorKind::InvalidData)?);
            start = end;
        }
        batch.push_words(name, None, words);
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io { path: self.name.clone(), source }
    }
}

impl Records for Spooled<'_> {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let Some(place) = self.places.next() else { return Ok(false) };
        self.next(place, batch).map_err(|source| self.failed(source))?;
        Ok(true)
    }
}
