//! The `.npy` arrays inside a NumPy archive: a short description, then plain numbers.
//!
//! ```text
//! \x93NUMPY 1 0   length   {'descr': '<i4', 'fortran_order': False, 'shape': (3,), }   numbers
//! ```
//!
//! The description is a Python dictionary, of which we read three entries. The arrays here are vectors, so the
//! order of axes does not matter.

use super::zip::Member;

/// Bytes decoded at a time; a multiple of every width.
const CHUNK: usize = 1 << 16;
/// The longest description, in bytes.
const LONGEST_DESCRIPTION: u64 = 1 << 16;

/// The type of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Signed,
    Unsigned,
    Real,
    /// Text with one byte per character (`S`) or four (`U`).
    Text,
}

/// An array whose description was read and whose numbers follow.
pub(super) struct Array {
    member: Member,
    name: String,
    kind: Kind,
    width: usize,
    big_endian: bool,
    len: u64,
}

impl Array {
    /// Reads the description; the error is the reason why it cannot be read.
    pub(super) fn open(mut member: Member, name: &str) -> Result<Self, String> {
        let damaged = || format!("{name} is not an array that can be read");
        let mut start = [0; 8];
        member.read_exact(&mut start)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(damaged());
        }
        let mut length = [0; 4];
        let n_length = if start[6] == 1 { 2 } else { 4 };
        member.read_exact(&mut length[..n_length])?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > LONGEST_DESCRIPTION.min(member.left()) {
            return Err(damaged());
        }
        let mut description = vec![0; length as usize];
        member.read_exact(&mut description)?;
        let description = String::from_utf8(description).map_err(|_| damaged())?;
        let (kind, width, big_endian) = descr(&description).ok_or_else(|| {
            format!("{name} has a type that is not numbers: {}", description.trim())
        })?;
        let len = length_of(&description).ok_or_else(damaged)?;
        if len.checked_mul(width as u64) != Some(member.left()) {
            return Err(format!("{name} does not hold as many values as it says"));
        }
        Ok(Array { member, name: name.to_owned(), kind, width, big_endian, len })
    }

    /// The number of values, checked against the directory of the archive.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Calls a function with every value as a whole number; other values are an error.
    pub(super) fn for_each(
        mut self,
        mut visit: impl FnMut(u64) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut buffer = vec![0; CHUNK.min(self.member.left() as usize)];
        while self.member.left() > 0 {
            let n = (CHUNK as u64).min(self.member.left()) as usize;
            self.member.read_exact(&mut buffer[..n])?;
            for bytes in buffer[..n].chunks_exact(self.width) {
                visit(self.whole(bytes)?)?;
            }
        }
        Ok(())
    }

    /// The characters of a text array.
    pub(super) fn text(mut self) -> Result<String, String> {
        if self.kind != Kind::Text || self.member.left() > 64 {
            return Err(format!("{} is not a short text", self.name));
        }
        let mut bytes = vec![0; self.member.left() as usize];
        self.member.read_exact(&mut bytes)?;
        // With four bytes per character, three are zero for ASCII.
        bytes.retain(|&byte| byte != 0);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn whole(&self, bytes: &[u8]) -> Result<u64, String> {
        let mut value = 0_u64;
        for i in 0..bytes.len() {
            let byte = if self.big_endian { bytes[i] } else { bytes[bytes.len() - 1 - i] };
            value = value << 8 | u64::from(byte);
        }
        let unused = 64_u32.saturating_sub(8 * bytes.len() as u32);
        let found = match self.kind {
            Kind::Unsigned => return Ok(value),
            Kind::Signed => {
                let signed = ((value << unused) as i64) >> unused;
                match u64::try_from(signed) {
                    Ok(whole) => return Ok(whole),
                    Err(_) => signed.to_string(),
                }
            }
            Kind::Real => {
                let real = match bytes.len() {
                    4 => f64::from(f32::from_bits(value as u32)),
                    _ => f64::from_bits(value),
                };
                if real >= 0.0 && real < u64::MAX as f64 && real.fract() == 0.0 {
                    return Ok(real as u64);
                }
                real.to_string()
            }
            Kind::Text => "text".to_owned(),
        };
        let name = &self.name;
        let advice = match self.kind {
            Kind::Real => "; if these are weights such as tf-idf, use the counts they came from",
            _ => "",
        };
        Err(format!("{name}: expected whole numbers, found {found}{advice}"))
    }
}

/// Kind, bytes and byte order of `'descr': '<i4'`.
fn descr(description: &str) -> Option<(Kind, usize, bool)> {
    let text = after(description, "'descr':")?.trim_start().strip_prefix('\'')?;
    let text = &text[..text.find('\'')?];
    let (order, rest) = text.split_at_checked(1)?;
    let (kind, width) = rest.split_at_checked(1)?;
    let width: usize = width.parse().ok()?;
    let (kind, width) = match (kind, width) {
        ("i", 1 | 2 | 4 | 8) => (Kind::Signed, width),
        ("u", 1 | 2 | 4 | 8) | ("b", 1) => (Kind::Unsigned, width),
        ("f", 4 | 8) => (Kind::Real, width),
        ("S", 1..=16) => (Kind::Text, width),
        ("U", 1..=16) => (Kind::Text, 4 * width),
        _ => return None,
    };
    Some((kind, width, order == ">"))
}

/// The number of values of `'shape': (3,)`; `()` means one.
fn length_of(description: &str) -> Option<u64> {
    let text = after(description, "'shape':")?.trim_start().strip_prefix('(')?;
    let text = &text[..text.find(')')?];
    let mut lengths = text.split(',').map(str::trim).filter(|length| !length.is_empty());
    lengths.try_fold(1_u64, |product, length| product.checked_mul(length.parse().ok()?))
}

fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    Some(&text[text.find(key)? + key.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_gives_kind_width_and_length() {
        let text = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
        assert_eq!(descr(text), Some((Kind::Signed, 4, false)));
        assert_eq!(length_of(text), Some(3));
        let text = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }";
        assert_eq!(descr(text), Some((Kind::Text, 3, false)));
        assert_eq!(length_of(text), Some(1));
        assert_eq!(descr("{'descr': '|O', 'shape': ()}"), None);
        assert_eq!(length_of("{'shape': (99999999999, 99999999999)}"), None);
    }
}
