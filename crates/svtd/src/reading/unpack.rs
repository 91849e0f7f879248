//! Opening inputs: a file or standard input, plain or compressed with gzip or zstd.
//!
//! Compression is detected from the first bytes, not from the name, and undone while reading. A small archive can
//! be made to unpack without end, and a reader that counts words in it would never finish. So an archive may unpack
//! to [`FREE`] bytes whatever its size; beyond that to [`RATIO`] times its size and no further. Text compresses to
//! a fifth, tables of small counts to a twentieth, a table of nearly only zeros to a hundredth.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::meter::Meter;
use crate::error::Error;

/// Bytes to which any archive may unpack.
const FREE: u64 = 256 << 20;
/// Beyond that, the largest ratio of unpacked to compressed size.
const RATIO: u64 = 300;
/// Bytes of the archive read at a time.
const BUFFER: usize = 1 << 18;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Returns an error for an archive that declares a far larger unpacked size than its own; the sentence follows its
/// name in messages.
pub(super) fn check_ratio(packed: u64, unpacked: u64) -> Result<(), String> {
    if unpacked <= FREE || unpacked / RATIO <= packed {
        return Ok(());
    }
    Err(format!(
        "it unpacks to over {} MB, more than {RATIO} times its size; if that is right, unpack it \
         first",
        unpacked >> 20
    ))
}

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    fn of(start: &[u8]) -> Self {
        if start.starts_with(&GZIP_MAGIC) {
            Packing::Gzip
        } else if start.starts_with(&ZSTD_MAGIC) {
            Packing::Zstd
        } else {
            Packing::Plain
        }
    }

    fn name(self) -> &'static str {
        match self {
            Packing::Plain => "plain",
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    /// The error for a failed read; `line` is the last line that was read.
    pub(super) fn failure(self, path: &str, line: Option<u64>, error: io::Error) -> Error {
        // Errors of the system have a number; errors inside an archive have none.
        if self == Packing::Plain || error.raw_os_error().is_some() {
            return Error::Io { path: path.to_owned(), source: error };
        }
        let place = line.map_or(String::new(), |line| format!(", after line {line}"));
        let reason = match error.kind() {
            io::ErrorKind::FileTooLarge => error.to_string(),
            io::ErrorKind::UnexpectedEof => {
                format!("the {} data ends early{place}; fetch the file again", self.name())
            }
            _ => format!("the {} data is damaged{place}; fetch the file again", self.name()),
        };
        Error::File { path: path.to_owned(), reason }
    }
}

/// Unpacked bytes, read from front to back.
pub(super) struct Unpacked {
    pub(super) bytes: Box<dyn Read + Send>,
    pub(super) packing: Packing,
    /// Bytes of the file on disk; 0 if it is a pipe.
    pub(super) size: u64,
}

/// The part of a file in the total that is reported.
pub(super) enum Whole<'a> {
    /// It is all there is to read.
    All(&'a Meter),
    /// It is one of several, whose sizes are already summed.
    Part(&'a Meter),
}

impl Whole<'_> {
    fn of(&self, size: u64) -> Meter {
        match self {
            Whole::All(meter) => meter.of(size),
            Whole::Part(meter) => (*meter).clone(),
        }
    }
}

/// Whether this path means standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file, or standard input for `-`; the meter counts what is read.
pub(super) fn open(path: &Path, meter: Whole<'_>) -> io::Result<Unpacked> {
    if is_standard_input(path) {
        return unpacked(io::stdin(), 0, meter.of(0));
    }
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    unpacked(File::open(path)?, metadata.len(), meter.of(metadata.len()))
}

/// Bytes in memory, compressed or not.
pub(super) fn of_bytes(bytes: Vec<u8>, meter: &Meter) -> io::Result<Unpacked> {
    let size = bytes.len() as u64;
    unpacked(io::Cursor::new(bytes), size, meter.of(size))
}

fn unpacked(
    mut input: impl Read + Send + 'static,
    size: u64,
    meter: Meter,
) -> io::Result<Unpacked> {
    let mut start = Vec::with_capacity(ZSTD_MAGIC.len());
    input.by_ref().take(ZSTD_MAGIC.len() as u64).read_to_end(&mut start)?;
    let packing = Packing::of(&start);
    // The bytes already read are put in front again rather than by seeking: pipes cannot seek.
    let whole = io::Cursor::new(start).chain(input);
    let consumed = Arc::new(AtomicU64::new(0));
    let counted = Counted { input: whole, consumed: Arc::clone(&consumed), meter };
    let packed = BufReader::with_capacity(BUFFER, counted);
    let bytes: Box<dyn Read + Send> = match packing {
        Packing::Plain => Box::new(packed.into_inner()),
        Packing::Gzip => Box::new(Bounded::new(MultiGzDecoder::new(packed), consumed)),
        Packing::Zstd => {
            Box::new(Bounded::new(zstd::stream::read::Decoder::with_buffer(packed)?, consumed))
        }
    };
    Ok(Unpacked { bytes, packing, size })
}

/// Counts the bytes read from a file on disk.
struct Counted<R> {
    input: R,
    consumed: Arc<AtomicU64>,
    meter: Meter,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(into)?;
        self.consumed.fetch_add(n as u64, Ordering::Relaxed);
        self.meter.add(n as u64);
        Ok(n)
    }
}

/// Stops an archive that unpacks without end; the error is of kind `FileTooLarge`.
struct Bounded<R> {
    unpacking: R,
    consumed: Arc<AtomicU64>,
    produced: u64,
}

impl<R> Bounded<R> {
    fn new(unpacking: R, consumed: Arc<AtomicU64>) -> Self {
        Bounded { unpacking, consumed, produced: 0 }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.unpacking.read(into)?;
        self.produced += n as u64;
        let ratio = check_ratio(self.consumed.load(Ordering::Relaxed), self.produced);
        ratio.map_err(|sentence| io::Error::new(io::ErrorKind::FileTooLarge, sentence))?;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    fn unpack(bytes: Vec<u8>) -> (Packing, io::Result<u64>) {
        let mut opened = unpacked(io::Cursor::new(bytes), 0, Meter::default()).unwrap();
        (opened.packing, io::copy(&mut opened.bytes, &mut io::sink()))
    }

    #[test]
    fn packing_is_told_by_the_first_bytes() {
        let text = b"sole amor stelle\n".repeat(100);
        let mut gzip = flate2::read::GzEncoder::new(&text[..], flate2::Compression::fast());
        let mut gzipped = Vec::new();
        gzip.read_to_end(&mut gzipped).unwrap();
        let zstd = zstd::encode_all(&text[..], 0).unwrap();
        for (bytes, packing) in
            [(text.clone(), Packing::Plain), (gzipped, Packing::Gzip), (zstd, Packing::Zstd)]
        {
            let (found, n) = unpack(bytes);
            assert_eq!((found, n.unwrap()), (packing, text.len() as u64));
        }
    }

    #[test]
    fn two_zstd_frames_are_one_text() {
        let frame = zstd::encode_all(&b"sole\n"[..], 0).unwrap();
        assert_eq!(unpack(frame.repeat(2)).1.unwrap(), 10);
    }

    #[test]
    fn an_archive_that_unpacks_without_end_is_stopped() {
        let endless = io::repeat(b'\n').take(2 * FREE);
        let archive = zstd::encode_all(endless, 1).unwrap();
        assert!(archive.len() < 100_000);
        let error = unpack(archive).1.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("unpack it first"));
    }
}
