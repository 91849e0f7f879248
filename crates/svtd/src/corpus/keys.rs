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

use super::{SparseCounts, Vocabulary};
use crate::questions::mixed;
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
    fn keys_do_not_change_between_versions() {
        assert_eq!(mixed(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(of_word(b""), SEEDS.map(mixed));
    }
}
