//! Keys: a 128-bit hash of a document's content, independent of its position.
//!
//! A key is made of the document's words and counts, by *word* and not by word id. So it does not
//! depend on the order of the vocabulary, on the other documents, or on the file the document came
//! from. Equal documents have equal keys.
//!
//! ```text
//! key(d) = mix( sum over the words i of d of mix(hash(word_i), x_di) )      twice, with two seeds
//! ```
//!
//! A sum does not depend on the order of the words, so no sorting is needed. Documents sorted by their keys are in
//! an order that is a function of the *set* of documents; every sum over documents in that order has the same bits
//! however the documents were read.
//!
//! # Cost
//! One pass over the counts, in parallel; one hash of every word of the vocabulary.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{SparseCounts, Vocabulary};
use crate::tasks;

/// Seeds of the two halves of a key.
const SEEDS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];

/// The keys of all documents of a table whose columns stand for these words.
pub(super) fn of_rows(
    rows: &SparseCounts,
    vocabulary: &Vocabulary,
    word_of_feature: &[u32],
) -> Vec<u128> {
    let words: Vec<[u64; 2]> = word_of_feature
        .par_iter()
        .map(|&word| of_word(vocabulary.word(word as usize).as_bytes()))
        .collect();
    let key = |d: usize| {
        let (features, counts) = rows.row(d);
        let mut sums = [0_u64; 2];
        for (&feature, &count) in features.iter().zip(counts) {
            let word = words[feature as usize];
            for (sum, word) in sums.iter_mut().zip(word) {
                *sum = sum.wrapping_add(mixed(word ^ u64::from(count)));
            }
        }
        u128::from(mixed(sums[0])) << 64 | u128::from(mixed(sums[1]))
    };
    let key = |d| tasks::branch(|| key(d));
    let documents = (0..rows.n_rows()).into_par_iter().with_min_len(256);
    tasks::fork(|| documents.map(key).collect())
}

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

/// The two hashes of a word: eight bytes at a time, its length last.
fn of_word(word: &[u8]) -> [u64; 2] {
    SEEDS.map(|seed| {
        let mut state = seed;
        for chunk in word.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            state = mixed(state ^ u64::from_le_bytes(bytes));
        }
        mixed(state ^ word.len() as u64)
    })
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
    fn words_have_hashes_of_their_own() {
        let words = ["", "a", "b", "ab", "ba", "abcdefgh", "abcdefghi", "abcdefgh\0", "\0"];
        for (i, word) in words.iter().enumerate() {
            for other in &words[..i] {
                let (one, two) = (of_word(word.as_bytes()), of_word(other.as_bytes()));
                assert!(one[0] != two[0] && one[1] != two[1], "{word:?} and {other:?}");
            }
            assert_ne!(of_word(word.as_bytes())[0], of_word(word.as_bytes())[1]);
        }
    }

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

    #[test]
    fn keys_do_not_change_between_versions() {
        assert_eq!(mixed(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(of_word(b""), SEEDS.map(mixed));
    }
}
