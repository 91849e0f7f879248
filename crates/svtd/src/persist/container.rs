//! The container: named arrays and a JSON header in one file that detects damage.
//!
//! A model file is a valid [safetensors] file, so any tool that reads those can read ours, and a
//! few lines of Python or C can do without such a tool (`docs/model-file.md`):
//!
//! ```text
//! 8 bytes     h, the length of the header, little-endian
//! h bytes     {"__metadata__":{"svtd":"{\"sha256\":\"…\",\"format\":…}"},"topic_word":{…},…}
//! the rest    the arrays, little-endian, row by row, without gaps
//! ```
//!
//! Everything that is not an array is under the one metadata key `svtd`, as JSON text of our own. There is only one
//! key because the safetensors crate keeps its metadata in a hash map, which would write two keys in either order:
//! the same container must give the same bytes.
//!
//! # Damage
//! `sha256` is the digest of the *whole* file, taken while its own 64 digits are zeros. It always
//! comes first, hence always at the same place, and the bytes before it serve as the file's
//! signature. No bit can change anywhere, not even in the padding of the header, without being
//! noticed. The digest guards against accidents, not against forgers.
//!
//! # Cost
//! Reading takes two passes over the file, one to check the digest and one to fill the arrays, and
//! keeps in memory the header, the arrays and one small buffer. Every length is compared with the
//! size of the file before memory is asked for.
//!
//! # Versions
//! The signature, the digest and the keys `format` and `version` keep their place in every
//! version, so that an old reader can tell a newer file from a broken one.
//!
//! [safetensors]: https://huggingface.co/docs/safetensors

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;

use safetensors::tensor::{Dtype, Metadata, TensorInfo, View};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::atomic::write_atomically;
use crate::error::{Error, Result};

/// The value of the header key `format`.
pub const FORMAT: &str = "svtd-model";

/// The value of the header key `version`: the newest layout this code can read.
pub const VERSION: u64 = 1;

/// The bytes of every file after the first eight, up to the digits of the digest.
const SIGNATURE: &[u8] = br#"{"__metadata__":{"svtd":"{\"sha256\":\""#;

/// The metadata key that holds our header.
const KEY: &str = "svtd";

/// The header keys that the container itself writes and checks.
const RESERVED: [&str; 3] = ["format", "version", "sha256"];

/// The longest header safetensors allows, in bytes.
const MAX_HEADER: u64 = 100_000_000;

const LENGTH_BYTES: usize = 8;
const DIGEST_START: usize = LENGTH_BYTES + SIGNATURE.len();
const DIGEST_END: usize = DIGEST_START + DIGEST_DIGITS;
const DIGEST_DIGITS: usize = 64;
const ZEROS: [u8; DIGEST_DIGITS] = [b'0'; DIGEST_DIGITS];

/// How much is read at a time; a multiple of eight, so that no number is cut in two.
const CHUNK: usize = 1 << 16;

/// An array of numbers, row by row.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Floating-point numbers of 64 bits; every bit pattern survives a round trip.
    F64 {
        /// Length along each axis.
        shape: Vec<usize>,
        /// The numbers, last axis fastest.
        values: Vec<f64>,
    },
    /// Whole numbers of 64 bits without sign.
    U64 {
        /// Length along each axis.
        shape: Vec<usize>,
        /// The numbers, last axis fastest.
        values: Vec<u64>,
    },
    /// Bytes.
    U8 {
        /// Length along each axis.
        shape: Vec<usize>,
        /// The bytes, last axis fastest.
        values: Vec<u8>,
    },
}

impl Array {
    /// Length along each axis.
    pub fn shape(&self) -> &[usize] {
        match self {
            Array::F64 { shape, .. } | Array::U64 { shape, .. } | Array::U8 { shape, .. } => shape,
        }
    }

    /// How many numbers there are.
    fn n_values(&self) -> usize {
        match self {
            Array::F64 { values, .. } => values.len(),
            Array::U64 { values, .. } => values.len(),
            Array::U8 { values, .. } => values.len(),
        }
    }
}

/// A header and arrays, as a model file holds them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Container {
    /// Everything that is not an array. The keys `format`, `version` and `sha256` belong to the file: they are
    /// added when it is written, checked and removed when it is read, and ignored if present here.
    pub header: Map<String, Value>,
    /// The arrays by name.
    pub arrays: BTreeMap<String, Array>,
}

impl Container {
    /// The bytes of the file; equal containers give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.encode("model file")
    }

    /// Reads the bytes of a file; `name` is used in messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Container> {
        Source { reader: Cursor::new(bytes), length: bytes.len() as u64, name }.read()
    }

    /// Writes the file, complete or not at all.
    pub fn write(&self, path: &Path, overwrite: bool) -> Result<()> {
        let bytes = self.encode(&path.display().to_string())?;
        write_atomically(path, overwrite, |out| out.write_all(&bytes))
    }

    /// Reads a file written by [`Container::write`].
    pub fn read(path: &Path) -> Result<Container> {
        let name = path.display().to_string();
        let io_error = |source| Error::Io { path: name.clone(), source };
        // Checked before opening: opening a pipe would wait for somebody to write into it.
        let found = fs::metadata(path).map_err(io_error)?;
        if !found.is_file() {
            return Err(refuse(&name, "a model is read from an ordinary file, and this is none"));
        }
        let reader = File::open(path).map_err(io_error)?;
        let length = reader.metadata().map_err(io_error)?.len();
        Source { reader, length, name: &name }.read()
    }

    fn encode(&self, name: &str) -> Result<Vec<u8>> {
        self.check(name)?;
        let metadata = HashMap::from([(KEY.to_string(), self.header_text(name)?)]);
        let mut bytes = safetensors::serialize(&self.arrays, Some(metadata))
            .map_err(|error| refuse(name, &format!("the model cannot be written: {error}")))?;
        let digest = hex(&Sha256::digest(&bytes));
        // The digits are where the signature ends. If another release of safetensors arranges its header
        // differently, refuse to write a file that could not be read.
        match bytes.get_mut(DIGEST_START..DIGEST_END) {
            Some(digits) if *digits == ZEROS => digits.copy_from_slice(digest.as_bytes()),
            _ => return Err(refuse(name, "the header has no place for the checksum")),
        }
        Ok(bytes)
    }

    fn check(&self, name: &str) -> Result<()> {
        if self.arrays.contains_key("__metadata__") {
            return Err(refuse(name, "an array may not be called __metadata__"));
        }
        for (array_name, array) in &self.arrays {
            let asked = array.shape().iter().try_fold(1usize, |n, &length| n.checked_mul(length));
            if asked != Some(array.n_values()) {
                let (n_values, shape) = (array.n_values(), array.shape());
                let reason =
                    format!("array {array_name} has {n_values} values for shape {shape:?}");
                return Err(refuse(name, &reason));
            }
        }
        Ok(())
    }

    /// The header as JSON text, its digest first and still zero.
    fn header_text(&self, name: &str) -> Result<String> {
        let mut header = self.header.clone();
        header.remove("sha256");
        header.insert("format".to_string(), FORMAT.into());
        header.insert("version".to_string(), VERSION.into());
        let mut header = Value::Object(header);
        // Sorted by default, but any crate in a build can make serde_json keep the order of insertion.
        header.sort_all_objects();
        let text = serde_json::to_string(&header)
            .map_err(|error| refuse(name, &format!("the header cannot be written: {error}")))?;
        let zeros = "0".repeat(DIGEST_DIGITS);
        Ok(format!(r#"{{"sha256":"{zeros}",{}"#, text.trim_start_matches('{')))
    }
}

/// What the safetensors crate needs to know about an array to write it.
impl View for &Array {
    fn dtype(&self) -> Dtype {
        match self {
            Array::F64 { .. } => Dtype::F64,
            Array::U64 { .. } => Dtype::U64,
            Array::U8 { .. } => Dtype::U8,
        }
    }

    fn shape(&self) -> &[usize] {
        Array::shape(self)
    }

    fn data(&self) -> Cow<'_, [u8]> {
        match self {
            Array::F64 { values, .. } => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Array::U64 { values, .. } => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Array::U8 { values, .. } => values.into(),
        }
    }

    fn data_len(&self) -> usize {
        match self {
            Array::F64 { .. } | Array::U64 { .. } => 8 * self.n_values(),
            Array::U8 { .. } => self.n_values(),
        }
    }
}

/// A file to be read: its bytes, its size, and its name for messages.
struct Source<'a, R> {
    reader: R,
    length: u64,
    name: &'a str,
}

impl<R: Read + Seek> Source<'_, R> {
    fn read(mut self) -> Result<Container> {
        let start = self.read_start()?;
        self.check_digest(&start)?;
        let metadata = self.parse(&start)?;
        let header = self.header(&metadata)?;
        self.reader.seek(io::SeekFrom::Start(start.len() as u64)).map_err(|e| self.failed(e))?;
        let arrays = self.read_arrays(&metadata)?;
        Ok(Container { header, arrays })
    }

    /// The length and the header as they are in the file, with the digest in place.
    fn read_start(&mut self) -> Result<Vec<u8>> {
        let mut start = self.read_bytes(self.length.min(DIGEST_END as u64))?;
        self.check_signature(&start)?;
        let n_missing =
            self.header_length(&start)?.saturating_sub((SIGNATURE.len() + DIGEST_DIGITS) as u64);
        start.extend(self.read_bytes(n_missing)?);
        Ok(start)
    }

    fn check_signature(&self, start: &[u8]) -> Result<()> {
        let found = start.get(LENGTH_BYTES..).unwrap_or_default();
        let n = found.len().min(SIGNATURE.len());
        if n > 0 && found[..n] == SIGNATURE[..n] {
            return match start.len() == DIGEST_END {
                true => Ok(()),
                false => Err(self.refuse("the file is cut short, within its first bytes")),
            };
        }
        if self.length == 0 {
            return Err(self.refuse("the file is empty"));
        }
        // A file of ours with a flipped bit in its first bytes ends here too.
        let safetensors = found.starts_with(br#"{""#);
        Err(self.refuse(match safetensors {
            true => "a safetensors file perhaps, but not a model written by svtd",
            false => "not a model written by svtd",
        }))
    }

    /// Reads `h`, and accepts it only if it is possible.
    fn header_length(&self, start: &[u8]) -> Result<u64> {
        let mut length = [0; LENGTH_BYTES];
        length.copy_from_slice(&start[..LENGTH_BYTES]);
        let length = u64::from_le_bytes(length);
        let available = self.length - LENGTH_BYTES as u64;
        if length > MAX_HEADER {
            let reason =
                format!("a header of {length} bytes is announced, over the limit of 100 MB");
            return Err(self.refuse(&reason));
        }
        if length > available {
            let reason =
                format!("the file is cut short: {length} bytes of header, {available} left");
            return Err(self.refuse(&reason));
        }
        if length < (DIGEST_END - LENGTH_BYTES) as u64 {
            return Err(self.refuse("the file is damaged: its header ends before the checksum"));
        }
        Ok(length)
    }

    fn check_digest(&mut self, start: &[u8]) -> Result<()> {
        let mut hasher = Sha256::new();
        hasher.update(&start[..DIGEST_START]);
        hasher.update(ZEROS);
        hasher.update(&start[DIGEST_END..]);
        let n_left = self.length - start.len() as u64;
        self.for_each_chunk(n_left, |chunk| hasher.update(chunk))?;
        if hex(&hasher.finalize()).as_bytes() == &start[DIGEST_START..DIGEST_END] {
            return Ok(());
        }
        // If the header is still readable, it may tell what kind of damage this is.
        self.parse(start)?;
        Err(self.refuse("the file is damaged: its contents do not match its checksum"))
    }

    /// The table of arrays, checked against the size of the file.
    fn parse(&self, start: &[u8]) -> Result<Metadata> {
        let metadata: Metadata = serde_json::from_slice(&start[LENGTH_BYTES..])
            .map_err(|_| self.refuse("the file is damaged: its header cannot be read"))?;
        let announced = (start.len() as u64).checked_add(metadata.data_len() as u64);
        match announced.map(|n| n.cmp(&self.length)) {
            Some(std::cmp::Ordering::Equal) => Ok(metadata),
            Some(std::cmp::Ordering::Less) => {
                Err(self.refuse("the file is damaged: bytes follow after its end"))
            }
            _ => Err(self.refuse("the file is cut short, within its arrays")),
        }
    }

    /// Our own part of the header, after checking format and version.
    fn header(&self, metadata: &Metadata) -> Result<Map<String, Value>> {
        let text = metadata.metadata().as_ref().and_then(|entries| entries.get(KEY));
        let parsed = text.and_then(|text| serde_json::from_str(text).ok());
        let Some(Value::Object(mut header)) = parsed else {
            return Err(self.refuse("the file is damaged: its header cannot be read"));
        };
        if header.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(self.refuse("written by svtd, but not a model"));
        }
        match header.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(newer) if newer > VERSION => {
                let reason = format!(
                    "format version {newer}, and this svtd reads up to {VERSION}; try a newer svtd"
                );
                return Err(self.refuse(&reason));
            }
            _ => return Err(self.refuse("the file states no format version that ever was")),
        }
        header.retain(|key, _| !RESERVED.contains(&key.as_str()));
        Ok(header)
    }

    fn read_arrays(&mut self, metadata: &Metadata) -> Result<BTreeMap<String, Array>> {
        let mut arrays = BTreeMap::new();
        for name in metadata.offset_keys() {
            if let Some(info) = metadata.info(&name) {
                let array = self.read_array(&name, info)?;
                arrays.insert(name, array);
            }
        }
        Ok(arrays)
    }

    fn read_array(&mut self, name: &str, info: &TensorInfo) -> Result<Array> {
        let n_bytes = info.data_offsets.1 - info.data_offsets.0;
        let shape = info.shape.clone();
        match info.dtype {
            Dtype::F64 => {
                let values = self.read_values(n_bytes, f64::from_le_bytes)?;
                Ok(Array::F64 { shape, values })
            }
            Dtype::U64 => {
                let values = self.read_values(n_bytes, u64::from_le_bytes)?;
                Ok(Array::U64 { shape, values })
            }
            Dtype::U8 => Ok(Array::U8 { shape, values: self.read_bytes(n_bytes as u64)? }),
            other => {
                let reason = format!("array {name} has type {other}; F64, U64 and U8 can be read");
                Err(self.refuse(&reason))
            }
        }
    }

    fn read_values<T>(&mut self, n_bytes: usize, decode: fn([u8; 8]) -> T) -> Result<Vec<T>> {
        let mut values = self.room_for(n_bytes / 8)?;
        self.for_each_chunk(n_bytes as u64, |chunk| {
            values.extend(chunk.as_chunks().0.iter().map(|&eight| decode(eight)));
        })?;
        Ok(values)
    }

    fn read_bytes(&mut self, n_bytes: u64) -> Result<Vec<u8>> {
        let mut bytes = self.room_for(usize::try_from(n_bytes).unwrap_or(usize::MAX))?;
        self.for_each_chunk(n_bytes, |chunk| bytes.extend_from_slice(chunk))?;
        Ok(bytes)
    }

    fn room_for<T>(&self, n_values: usize) -> Result<Vec<T>> {
        let mut values = Vec::new();
        match values.try_reserve_exact(n_values) {
            Ok(()) => Ok(values),
            Err(_) => Err(self.refuse("there is not enough memory to read this model")),
        }
    }

    /// Passes the next `n_bytes` on in chunks; every chunk but the last is full.
    fn for_each_chunk(&mut self, n_bytes: u64, mut take: impl FnMut(&[u8])) -> Result<()> {
        let mut buffer = vec![0; n_bytes.min(CHUNK as u64) as usize];
        let mut n_left = n_bytes;
        while n_left > 0 {
            let chunk = &mut buffer[..n_left.min(CHUNK as u64) as usize];
            match self.reader.read_exact(chunk) {
                Ok(()) => take(chunk),
                Err(error) => return Err(self.failed(error)),
            }
            n_left -= chunk.len() as u64;
        }
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.refuse("the file became shorter while it was read")
            }
            _ => Error::Io { path: self.name.to_string(), source },
        }
    }

    fn refuse(&self, reason: &str) -> Error {
        refuse(self.name, reason)
    }
}

fn refuse(name: &str, reason: &str) -> Error {
    Error::ModelFile { path: name.to_string(), reason: reason.to_string() }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
