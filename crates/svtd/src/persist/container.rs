//! The container: named arrays and a JSON header in one file that notices damage.
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
//! Everything that is not an array sits under the one metadata key `svtd`, as JSON text of our
//! own. One key, because the safetensors crate keeps its metadata in a hash map, and two keys
//! would come out in either order: the same container must give the same bytes.
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

use crate::error::{Error, Result};
use crate::persist::atomic::write_atomically;

/// The value of the header key `format`.
pub const FORMAT: &str = "svtd-model";

/// The value of the header key `version`: the newest layout this code can read.
pub const VERSION: u64 = 1;

/// How every file continues after its first eight bytes, up to the digits of the digest.
const SIGNATURE: &[u8] = br#"{"__metadata__":{"svtd":"{\"sha256\":\""#;

/// The metadata key that holds our header.
const KEY: &str = "svtd";

/// The header keys that the container writes and checks by itself.
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
    /// What is not an array. The keys `format`, `version` and `sha256` belong to the file: they
    /// are added on writing, checked and taken away on reading, and ignored if present here.
    pub header: Map<String, Value>,
    /// The arrays by name.
    pub arrays: BTreeMap<String, Array>,
}

impl Container {
    /// The bytes of the file; equal containers give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.encode("model file")
    }

    /// Reads the bytes of a file; `name` is what messages call it.
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
        // Asked before opening: to open a pipe is to wait for somebody to write into it.
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
        // The digits lie where the signature ends. Should another release of safetensors arrange
        // its header differently, refuse to write what could not be read.
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
        // Sorted by default, but any crate in a build can switch serde_json to order of insertion.
        header.sort_all_objects();
        let text = serde_json::to_string(&header)
            .map_err(|error| refuse(name, &format!("the header cannot be written: {error}")))?;
        let zeros = "0".repeat(DIGEST_DIGITS);
        Ok(format!(r#"{{"sha256":"{zeros}",{}"#, text.trim_start_matches('{')))
    }
}

/// What the safetensors crate asks of an array it is to write.
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

/// A file about to be read: its bytes, how many there are, and what to call it.
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

    /// The length and the header, as they lie in the file, with the digest in place.
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
        // Our own file with a flipped bit in its first bytes comes here too.
        let safetensors = found.starts_with(br#"{""#);
        Err(self.refuse(match safetensors {
            true => "a safetensors file perhaps, but not a model written by svtd",
            false => "not a model written by svtd",
        }))
    }

    /// Reads `h`, and believes it only if it can be true.
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

    /// Our own part of the header, once format and version are known to be ours.
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

    /// Hands the next `n_bytes` on, piece by piece; every piece but the last is full.
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
mod tests {
    use super::*;
    use serde_json::json;

    /// Two topics over three words, small enough to try every bit.
    fn example() -> Container {
        let header = json!({"model": "lda", "alpha0": 2.5, "nested": {"sha256": "\"sha256\":\""}});
        let f64s = |shape: &[usize], values: &[f64]| Array::F64 {
            shape: shape.to_vec(),
            values: values.to_vec(),
        };
        Container {
            header: header.as_object().unwrap().clone(),
            arrays: BTreeMap::from([
                ("topic_word".to_string(), f64s(&[2, 3], &[0.5, 0.25, 0.25, 0.0, 1.0, -0.0])),
                ("empty".to_string(), f64s(&[0, 3], &[])),
                (
                    "vocabulary_offsets".to_string(),
                    Array::U64 { shape: vec![4], values: vec![0, 1, 3, u64::MAX] },
                ),
                (
                    "vocabulary_bytes".to_string(),
                    Array::U8 { shape: vec![5], values: b"a\xc3\xa8it".to_vec() },
                ),
            ]),
        }
    }

    fn reason(bytes: &[u8]) -> String {
        match Container::from_bytes(bytes, "a.svtd") {
            Err(Error::ModelFile { path, reason }) => {
                assert_eq!(path, "a.svtd");
                assert!(!reason.ends_with('.') && !reason.contains('\n'), "{reason}");
                reason
            }
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    /// Changes the text of a header of equal length and puts the right digest in.
    fn reseal(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        let mut bytes = bytes.to_vec();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        bytes[DIGEST_START..DIGEST_END].copy_from_slice(&ZEROS);
        let digest = hex(&Sha256::digest(&bytes));
        bytes[DIGEST_START..DIGEST_END].copy_from_slice(digest.as_bytes());
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = example().to_bytes().unwrap();
        let read = Container::from_bytes(&bytes, "a.svtd").unwrap();
        assert_eq!(read, example());
        assert_eq!(read.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn an_empty_container_is_a_file_too() {
        let bytes = Container::default().to_bytes().unwrap();
        assert_eq!(Container::from_bytes(&bytes, "a.svtd").unwrap(), Container::default());
    }

    #[test]
    fn every_bit_pattern_of_a_number_survives() {
        let values = vec![f64::from_bits(0x7ff8_0000_dead_beef), f64::NEG_INFINITY, 5e-324, -0.0];
        let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        let array = Array::F64 { shape: vec![4], values };
        let container =
            Container { arrays: [("a".to_string(), array)].into(), ..Default::default() };
        let read = Container::from_bytes(&container.to_bytes().unwrap(), "a.svtd").unwrap();
        let Some(Array::F64 { values, .. }) = read.arrays.get("a") else { panic!("{read:?}") };
        assert_eq!(values.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), bits);
    }

    #[test]
    fn an_array_longer_than_the_buffer_is_read_whole() {
        let values: Vec<u64> = (0..CHUNK as u64 / 4).collect();
        let bytes_after = Array::U8 { shape: vec![CHUNK + 3], values: vec![7; CHUNK + 3] };
        let array = Array::U64 { shape: vec![2, values.len() / 2], values };
        let arrays = [("a".to_string(), array), ("b".to_string(), bytes_after)].into();
        let container = Container { arrays, ..Default::default() };
        let bytes = container.to_bytes().unwrap();
        assert_eq!(Container::from_bytes(&bytes, "a.svtd").unwrap(), container);
    }

    #[test]
    fn equal_containers_give_equal_bytes() {
        let mut reversed = Container::default();
        for (key, value) in example().header.iter().rev() {
            reversed.header.insert(key.clone(), value.clone());
        }
        for (name, array) in example().arrays.into_iter().rev() {
            reversed.arrays.insert(name, array);
        }
        assert_eq!(reversed.to_bytes().unwrap(), example().to_bytes().unwrap());
    }

    /// The layout is a promise to readers in other languages: a change here needs a new version.
    #[test]
    fn the_bytes_do_not_drift() {
        let bytes = example().to_bytes().unwrap();
        assert_eq!(
            std::str::from_utf8(&bytes[DIGEST_START..DIGEST_END]).unwrap(),
            "4d7208b5abf6952caaf3e628cc6c087a7f49e96d523d9d24992aecb258131c88"
        );
    }

    #[test]
    fn the_file_is_a_safetensors_file_with_aligned_arrays() {
        let bytes = example().to_bytes().unwrap();
        let (header_length, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
        assert_eq!(header_length % 8, 0);
        assert_eq!(metadata.info("topic_word").unwrap().data_offsets.0 % 8, 0);
        assert_eq!(metadata.metadata().as_ref().unwrap().len(), 1);
    }

    #[test]
    fn every_flipped_bit_is_refused() {
        let mut bytes = example().to_bytes().unwrap();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            reason(&bytes);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(Container::from_bytes(&bytes, "a.svtd").is_ok());
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = example().to_bytes().unwrap();
        assert_eq!(reason(&[]), "the file is empty");
        for length in 1..bytes.len() {
            let reason = reason(&bytes[..length]);
            assert!(length <= LENGTH_BYTES || reason.contains("cut short"), "{length}: {reason}");
        }
    }

    #[test]
    fn bytes_after_the_end_are_refused() {
        let mut bytes = example().to_bytes().unwrap();
        bytes.push(0);
        assert_eq!(reason(&bytes), "the file is damaged: bytes follow after its end");
    }

    #[test]
    fn foreign_files_are_told_apart() {
        let other = safetensors::serialize(&example().arrays, None).unwrap();
        let described = HashMap::from([("format".to_string(), "pt".to_string())]);
        let described = safetensors::serialize(&example().arrays, Some(described)).unwrap();
        let ours = "not a model written by svtd";
        let theirs = "a safetensors file perhaps, but not a model written by svtd";
        let table: [(&[u8], &str); 8] = [
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01", ours),
            (b"Nel mezzo del cammin di nostra vita\nmi ritrovai per una selva oscura", ours),
            (b"short", ours),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", ours),
            (br#"{"format": "svtd-model", "version": 1}"#, ours),
            (&[0; 4096], ours),
            (&other, theirs),
            (&described, theirs),
        ];
        for (bytes, expected) in table {
            assert_eq!(reason(bytes), expected);
        }
    }

    #[test]
    fn another_version_or_format_is_named() {
        let bytes = example().to_bytes().unwrap();
        let version = |to| reason(&reseal(&bytes, r#"\"version\":1"#, to));
        assert_eq!(
            version(r#"\"version\":7"#),
            "format version 7, and this svtd reads up to 1; try a newer svtd"
        );
        assert_eq!(version(r#"\"version\":0"#), "the file states no format version that ever was");
        assert_eq!(
            reason(&reseal(&bytes, "svtd-model", "svtd-moods")),
            "written by svtd, but not a model"
        );
    }

    #[test]
    fn a_lying_header_length_asks_for_no_memory() {
        let bytes = example().to_bytes().unwrap();
        let with_length = |length: u64| [&length.to_le_bytes(), &bytes[8..]].concat();
        assert!(reason(&with_length(u64::MAX)).contains("over the limit of 100 MB"));
        assert!(reason(&with_length(MAX_HEADER + 1)).contains("over the limit of 100 MB"));
        assert!(reason(&with_length(MAX_HEADER)).contains("cut short"));
        assert!(reason(&with_length(20)).contains("ends before the checksum"));
        assert!(reason(&with_length(0)).contains("ends before the checksum"));
    }

    #[test]
    fn a_well_sealed_but_impossible_table_is_refused() {
        let bytes = example().to_bytes().unwrap();
        for (from, to, expected) in [
            (r#""dtype":"U64""#, r#""dtype":"I64""#, "array vocabulary_offsets has type I64"),
            (r#""shape":[2,3]"#, r#""shape":[9,3]"#, "header cannot be read"),
            (r#""shape":[0,3]"#, r#""shape":[x,3]"#, "header cannot be read"),
        ] {
            let reason = reason(&reseal(&bytes, from, to));
            assert!(reason.contains(expected), "{reason}");
        }
    }

    #[test]
    fn what_cannot_be_read_back_is_not_written() {
        let array = |shape: &[usize]| Array::U8 { shape: shape.to_vec(), values: vec![1, 2] };
        for (name, array, expected) in [
            ("a", array(&[3]), "model file: array a has 2 values for shape [3]"),
            ("a", array(&[usize::MAX, 2]), "array a has 2 values for shape"),
            ("__metadata__", array(&[2]), "may not be called __metadata__"),
        ] {
            let arrays = [(name.to_string(), array)].into();
            let container = Container { arrays, ..Default::default() };
            let message = container.to_bytes().unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn the_reserved_keys_of_a_caller_are_ignored() {
        let mut container = example();
        for key in RESERVED {
            container.header.insert(key.to_string(), "mine".into());
        }
        assert_eq!(container.to_bytes().unwrap(), example().to_bytes().unwrap());
    }

    #[test]
    fn a_file_is_written_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svtd");
        example().write(&path, false).unwrap();
        assert_eq!(Container::read(&path).unwrap(), example());
        assert_eq!(fs::read(&path).unwrap(), example().to_bytes().unwrap());
        assert!(matches!(example().write(&path, false), Err(Error::Exists { .. })));
        example().write(&path, true).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_file_and_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Container::read(&folder.path().join("none.svtd"));
        assert!(matches!(missing, Err(Error::Io { .. })));
        let message = Container::read(folder.path()).unwrap_err().to_string();
        assert!(message.ends_with("a model is read from an ordinary file, and this is none"));
    }
}
