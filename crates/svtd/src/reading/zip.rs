//! The part of zip that NumPy archives and office documents need: find a member by name, read it, check its
//! checksum.
//!
//! The directory is at the end of the file and says where each member begins. Members are stored as they are or
//! deflated; archives over 4 GB keep their large numbers in an extra field (zip64), which `numpy` writes even for
//! small ones. Only the directory is allocated by a declared size, and that size is compared with the file's.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::unpack::check_ratio;

const END_MAGIC: u32 = 0x0605_4b50;
const END64_MAGIC: u32 = 0x0606_4b50;
const LOCATOR64_MAGIC: u32 = 0x0706_4b50;
const DIRECTORY_MAGIC: u32 = 0x0201_4b50;
const MEMBER_MAGIC: u32 = 0x0403_4b50;
/// The end record, and the longest comment that may follow it.
const END_LENGTH: u64 = 22;
const LONGEST_COMMENT: u64 = 1 << 16;
/// Marks a number that is in the extra field.
const ELSEWHERE: u64 = 0xffff_ffff;

/// Bytes with random access, from several places in turn.
pub(super) trait Bytes: Read + Seek + Sized {
    /// The same bytes again. All copies share one position.
    fn again(&self) -> io::Result<Self>;
}

impl Bytes for File {
    fn again(&self) -> io::Result<Self> {
        self.try_clone()
    }
}

/// An archive that is in memory.
impl Bytes for Cursor<Arc<[u8]>> {
    fn again(&self) -> io::Result<Self> {
        Ok(self.clone())
    }
}

/// An archive and its directory.
pub(super) struct Archive<B = File> {
    file: B,
    members: Vec<Listed>,
    /// Bytes to which the members read so far unpack.
    unpacked: u64,
}

/// A member as the directory lists it.
#[derive(Debug, Clone)]
struct Listed {
    name: Vec<u8>,
    method: u16,
    sum: u32,
    packed: u64,
    size: u64,
    start: u64,
}

impl<B: Bytes> Archive<B> {
    /// Reads the directory; the error is the reason why it cannot be read.
    pub(super) fn open(mut file: B) -> Result<Self, String> {
        let directory = directory(&mut file).map_err(|error| read_failed(&error))?;
        let directory = directory.ok_or("the archive is cut short or damaged: no directory")?;
        let members = listed(&directory).ok_or("the directory of the archive is damaged")?;
        Ok(Archive { file, members, unpacked: 0 })
    }

    /// Whether there is a member of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name.as_bytes())
    }

    /// All of a member, which must not be longer than `most` bytes.
    pub(super) fn whole(&mut self, name: &str, most: u64) -> Result<Vec<u8>, String>
    where
        B: 'static,
    {
        let mut member = self.member(name)?;
        if member.left() > most {
            return Err(format!("{name} would unpack to more than {most} bytes"));
        }
        let mut bytes = Vec::new();
        let mut piece = vec![0; 1 << 16];
        while member.left() > 0 {
            let n = member.left().min(piece.len() as u64) as usize;
            member.read_exact(&mut piece[..n])?;
            bytes.extend_from_slice(&piece[..n]);
        }
        Ok(bytes)
    }

    /// A member, to be read from the beginning to the end.
    pub(super) fn member(&mut self, name: &str) -> Result<Member, String>
    where
        B: 'static,
    {
        let listed = self.members.iter().find(|member| member.name == name.as_bytes());
        let listed = listed.ok_or_else(|| format!("the archive has no {name}"))?.clone();
        // All members that are read count together, relative to the whole file.
        self.unpacked = self.unpacked.saturating_add(listed.size);
        let size = self.file.again().and_then(|mut file| file.seek(SeekFrom::End(0)));
        let size = size.map_err(|error| read_failed(&error))?;
        check_ratio(size, self.unpacked)?;
        let packed = self.packed(&listed).map_err(|error| read_failed(&error))?;
        let bytes: Box<dyn Read> = match listed.method {
            0 => Box::new(packed),
            8 => Box::new(DeflateDecoder::new(packed)),
            other => {
                return Err(format!("{name} is packed by method {other}; deflate is needed"));
            }
        };
        Ok(Member { name: name.to_owned(), bytes, sum: Crc::new(), left: listed.size, listed })
    }

    fn packed(&self, listed: &Listed) -> io::Result<BufReader<io::Take<B>>> {
        let mut file = self.file.again()?;
        file.seek(SeekFrom::Start(listed.start))?;
        let mut header = [0; 30];
        file.read_exact(&mut header)?;
        if number(&header, 0, 4) != Some(u64::from(MEMBER_MAGIC)) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let names = number(&header, 26, 2).unwrap_or(0) + number(&header, 28, 2).unwrap_or(0);
        file.seek(SeekFrom::Current(names as i64))?;
        Ok(BufReader::with_capacity(1 << 16, file.take(listed.packed)))
    }
}

/// A member that is being read. Only one is read at a time, because all share the position in the file.
pub(super) struct Member {
    name: String,
    bytes: Box<dyn Read>,
    sum: Crc,
    left: u64,
    listed: Listed,
}

impl Member {
    /// Number of bytes not yet read, according to the directory.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Fills `into`; at the end of the member its checksum is verified.
    pub(super) fn read_exact(&mut self, into: &mut [u8]) -> Result<(), String> {
        let name = &self.name;
        self.left = (self.left.checked_sub(into.len() as u64))
            .ok_or_else(|| format!("{name} is shorter than it says"))?;
        self.bytes.read_exact(into).map_err(|error| format!("{name}: {}", read_failed(&error)))?;
        self.sum.update(into);
        if self.left == 0 && self.sum.sum() != self.listed.sum {
            return Err(format!("{name} is damaged: it does not match its checksum"));
        }
        Ok(())
    }
}

/// The bytes of the directory, if it can be found.
fn directory(file: &mut impl Bytes) -> io::Result<Option<Vec<u8>>> {
    let size = file.seek(SeekFrom::End(0))?;
    let tail = read_at(file, size.saturating_sub(END_LENGTH + LONGEST_COMMENT), size)?;
    let last = tail.len().saturating_sub(END_LENGTH as usize);
    let is_end = |&at: &usize| number(&tail, at, 4) == Some(u64::from(END_MAGIC));
    let Some(at) = (0..=last).rev().find(is_end) else {
        return Ok(None);
    };
    let (mut length, mut start) = (number(&tail, at + 12, 4), number(&tail, at + 16, 4));
    if length == Some(ELSEWHERE) || start == Some(ELSEWHERE) {
        let locator = at.checked_sub(20);
        let locator =
            locator.filter(|&at| number(&tail, at, 4) == Some(u64::from(LOCATOR64_MAGIC)));
        let Some(end64) = locator.and_then(|at| number(&tail, at + 8, 8)) else {
            return Ok(None);
        };
        let record = read_at(file, end64.min(size), end64.saturating_add(56).min(size))?;
        if number(&record, 0, 4) != Some(u64::from(END64_MAGIC)) {
            return Ok(None);
        }
        (length, start) = (number(&record, 40, 8), number(&record, 48, 8));
    }
    match (length, start) {
        (Some(length), Some(start)) if start.checked_add(length).is_some_and(|end| end <= size) => {
            read_at(file, start, start + length).map(Some)
        }
        _ => Ok(None),
    }
}

fn read_at(file: &mut impl Bytes, start: u64, end: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.by_ref().take(end - start).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The members of a directory; `None` if it is not one.
fn listed(directory: &[u8]) -> Option<Vec<Listed>> {
    let mut members = Vec::new();
    let mut at = 0;
    while at < directory.len() {
        if number(directory, at, 4)? != u64::from(DIRECTORY_MAGIC) {
            return None;
        }
        let length = |offset| number(directory, at + offset, 2).map(|n| n as usize);
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        let extra_at = at + 46 + name;
        let mut numbers = [
            number(directory, at + 24, 4)?,
            number(directory, at + 20, 4)?,
            number(directory, at + 42, 4)?,
        ];
        take_large_numbers(directory.get(extra_at..extra_at + extra)?, &mut numbers)?;
        let [size, packed, start] = numbers;
        members.push(Listed {
            name: directory.get(at + 46..extra_at)?.to_vec(),
            method: length(10)? as u16,
            sum: number(directory, at + 16, 4)? as u32,
            packed,
            size,
            start,
        });
        at = extra_at + extra + comment;
    }
    Some(members)
}

/// Replaces each marked number by the next one of the zip64 field.
fn take_large_numbers(mut extra: &[u8], numbers: &mut [u64; 3]) -> Option<()> {
    while extra.len() >= 4 {
        let (tag, length) = (number(extra, 0, 2)?, number(extra, 2, 2)? as usize);
        let field = extra.get(4..4 + length)?;
        if tag == 1 {
            let mut at = 0;
            for value in numbers.iter_mut().filter(|value| **value == ELSEWHERE) {
                *value = number(field, at, 8)?;
                at += 8;
            }
        }
        extra = &extra[4 + length..];
    }
    Some(())
}

/// A little-endian number of up to eight bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

fn read_failed(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the archive is cut short; fetch it again".to_owned(),
        _ if error.raw_os_error().is_none() => "the archive is damaged; fetch it again".to_owned(),
        _ => error.to_string(),
    }
}
