//! Parts of the documents that are determined by their keys alone, so that every holder of documents can select its
//! own.
//!
//! Keys behave like random numbers, and so do keys mixed with a salt. The documents whose mixed keys lie in a range
//! of a tenth of all numbers are about a tenth of the documents; another salt selects another tenth. Equal
//! documents have equal keys and belong to the same part, so that a copy does not count as independent evidence.
//! Documents without words belong to no part.

use serde::{Deserialize, Serialize};

/// A range of keys, by their leading 64 bits: a part of the documents that every holder of documents can determine
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct KeyRange {
    pub first: u64,
    /// The last key in the range.
    pub last: u64,
}

impl KeyRange {
    /// All keys.
    pub(crate) const ALL: KeyRange = KeyRange { first: 0, last: u64::MAX };

    /// The keys between two shares of all keys. Keys behave like random numbers, so about the same share of the
    /// documents lies in the range.
    pub(crate) fn between(from: f64, to: f64) -> Self {
        let edge = |share: f64| (share * 2_f64.powi(64)) as u64;
        let last = if to >= 1.0 { u64::MAX } else { edge(to).saturating_sub(1) };
        Self { first: edge(from), last }
    }

    pub(crate) fn contains(self, key: u64) -> bool {
        (self.first..=self.last).contains(&key)
    }

    /// The intersection of two ranges.
    pub(crate) fn and(self, other: KeyRange) -> Self {
        Self { first: self.first.max(other.first), last: self.last.min(other.last) }
    }
}

/// A selection of documents by their keys, mixed with a salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dealt {
    salt: u64,
    range: KeyRange,
    /// Whether the documents inside the range are selected, or those outside.
    inside: bool,
}

impl Dealt {
    /// Selects the documents whose mixed keys lie between two shares of all numbers.
    pub(crate) fn between(salt: u64, from: f64, to: f64) -> Self {
        Self { salt, range: KeyRange::between(from, to), inside: true }
    }

    /// Selects all other documents.
    pub(crate) fn others(self) -> Self {
        Self { inside: !self.inside, ..self }
    }

    pub(crate) fn contains(self, key: u64) -> bool {
        self.range.contains(mixed(key ^ mixed(self.salt))) == self.inside
    }
}

/// A part of the documents: a range of keys, possibly restricted further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyPart {
    pub range: KeyRange,
    /// The documents must be in all of these selections; documents without words are in none.
    pub dealt: Vec<Dealt>,
}

impl From<KeyRange> for KeyPart {
    fn from(range: KeyRange) -> Self {
        Self { range, dealt: Vec::new() }
    }
}

impl From<Dealt> for KeyPart {
    fn from(dealt: Dealt) -> Self {
        Self { range: KeyRange::ALL, dealt: vec![dealt] }
    }
}

impl KeyPart {
    /// The part that contains all documents.
    pub(crate) fn all() -> Self {
        KeyRange::ALL.into()
    }

    /// The intersection of two parts.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let dealt = self.dealt.iter().chain(&other.dealt).copied().collect();
        Self { range: self.range.and(other.range), dealt }
    }
}

/// Spreads the bits of a number over all 64: the finishing step of the splitmix64 generator.
pub(crate) fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_hold_every_key_once() {
        let edges = [0.0, 0.1, 1.0 / 3.0, 0.5, 0.999, 1.0];
        let ranges: Vec<KeyRange> =
            edges.windows(2).map(|edge| KeyRange::between(edge[0], edge[1])).collect();
        assert_eq!((ranges[0].first, ranges[4].last), (0, u64::MAX));
        assert!(ranges.windows(2).all(|pair| pair[0].last.checked_add(1) == Some(pair[1].first)));
        let holding = |key: u64| ranges.iter().filter(|range| range.contains(key)).count();
        assert!((0..1000).all(|i| holding(mixed(i)) == 1));
        assert_eq!(ranges[1].and(KeyRange::ALL), ranges[1]);
    }
}
