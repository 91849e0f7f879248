//! Text encodings.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The encoding of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// The default; invalid bytes are an error.
    #[default]
    Utf8,
    /// ISO 8859-1: each byte is the character of the same number.
    Latin1,
    /// The western European Windows encoding: Latin-1 with typographic signs.
    Windows1252,
}

/// The characters of the bytes 0x80 to 0x9f in Windows-1252; the five undefined bytes stand for the control
/// characters of the same number, as in browsers.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Where bytes are not text, and why; the reason follows the name of the file in messages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotText {
    /// Bytes before the offending one.
    pub(super) offset: usize,
    pub(super) reason: String,
}

impl NotText {
    /// The error for a file that is one document.
    pub(super) fn in_file(self, path: &str) -> Error {
        let reason = format!("after {} bytes comes {}", self.offset, self.reason);
        Error::File { path: path.to_owned(), reason }
    }
}

impl Encoding {
    /// The characters of these bytes.
    pub(super) fn decode(self, bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
        let text = match self {
            Encoding::Utf8 => std::str::from_utf8(bytes)
                .map(Cow::Borrowed)
                .map_err(|error| not_utf8(bytes, error.valid_up_to()))?,
            _ if bytes.is_ascii() => Cow::Owned(bytes.iter().map(|&b| b as char).collect()),
            Encoding::Latin1 => Cow::Owned(bytes.iter().map(|&b| b as char).collect()),
            Encoding::Windows1252 => Cow::Owned(bytes.iter().map(|&b| windows(b)).collect()),
        };
        match bytes.contains(&0) {
            true => Err(NotText {
                offset: bytes.iter().position(|&b| b == 0).unwrap_or_default(),
                reason: "a zero byte, which text never has; is this a text file?".to_owned(),
            }),
            false => Ok(text),
        }
    }
}

fn not_utf8(bytes: &[u8], offset: usize) -> NotText {
    NotText {
        offset,
        reason: format!(
            "the byte 0x{:02x}, which is not UTF-8; try encoding windows-1252 or latin-1, or \
             convert the file",
            bytes.get(offset).copied().unwrap_or_default()
        ),
    }
}

fn windows(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => byte as char,
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Latin1 => "latin-1",
            Encoding::Windows1252 => "windows-1252",
        })
    }
}

impl FromStr for Encoding {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Ok(Encoding::Utf8),
            "latin-1" | "latin1" | "iso-8859-1" => Ok(Encoding::Latin1),
            "windows-1252" | "cp1252" => Ok(Encoding::Windows1252),
            _ => Err(Error::Option {
                name: "encoding",
                needed: "utf-8, latin-1 or windows-1252".to_owned(),
                found: name.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_encoding_reads_its_own_bytes() {
        assert_eq!(Encoding::Utf8.decode("perché".as_bytes()), Ok("perché".into()));
        assert_eq!(Encoding::Latin1.decode(b"perch\xe9"), Ok("perché".into()));
        assert_eq!(
            Encoding::Windows1252.decode(b"\x93l\x92\xe9t\xe9\x94 \x80"),
            Ok("“l’été” €".into())
        );
        assert_eq!(Encoding::Windows1252.decode(b"plain"), Ok("plain".into()));
    }

    #[test]
    fn the_first_wrong_byte_is_told() {
        let error = Encoding::Utf8.decode(b"perch\xe9 no");
        assert!(error.is_err_and(|e| e.offset == 5 && e.reason.contains("0xe9")));
        let error = Encoding::Latin1.decode(b"ab\0c");
        assert!(error.is_err_and(|e| e.offset == 2 && e.reason.contains("a zero byte")));
    }
}
