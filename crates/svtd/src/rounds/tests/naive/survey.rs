//! Surveys, and fingerprints of documents, by plain loops.

use sha2::{Digest, Sha256};

use super::*;
use crate::corpus::{KeyPart, KeyRange};
use crate::questions::{Facts, WordFacts};

/// The finishing step of splitmix64.
pub(super) fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// One half of a word's hash: eight bytes at a time, its length last.
fn hash(word: &str, seed: u64) -> u64 {
    let mut state = seed;
    for bytes in word.as_bytes().chunks(8) {
        let number = bytes.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
        state = mixed(state ^ number);
    }
    mixed(state ^ word.len() as u64)
}

/// The two halves of a document's key.
fn key(row: &Row, names: &[String]) -> [u64; 2] {
    [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f].map(|seed| {
        let mut sum = 0_u64;
        for (word, x) in names.iter().zip(row).filter(|(_, x)| **x > 0.0) {
            sum = sum.wrapping_add(mixed(hash(word, seed) ^ *x as u64));
        }
        mixed(sum)
    })
}

/// What there is in some documents, over all words of the vocabulary.
fn facts(rows: &[&Row], names: &[String], vocabulary: &[String]) -> Facts {
    let length = |row: &Row| row.iter().sum::<f64>() as u64;
    let shorts = |n: u64| rows.iter().filter(|row| length(row) == n).count() as u64;
    let mut facts = Facts {
        n_documents: rows.len() as u64,
        n_short: [0, 1, 2].map(shorts),
        by_key: vec![0; 64],
        words: vec![WordFacts::default(); vocabulary.len()],
        ..Facts::default()
    };
    for (d, row) in rows.iter().enumerate() {
        facts.squared_lengths += u128::from(length(row)).pow(2);
        if length(row) > 0 {
            facts.by_key[(key(row, names)[0] >> 58) as usize] += 1;
            facts.n_different += u64::from(!rows[..d].contains(row));
        }
        for (name, x) in names.iter().zip(*row).filter(|(_, x)| **x > 0.0) {
            facts.n_nonzeros += 1;
            facts.squared_counts += (*x as u128).pow(2);
            let at = vocabulary.iter().position(|word| word == name).unwrap();
            let word = &mut facts.words[at];
            word.total += *x as u64;
            word.documents += 1;
            word.largest = word.largest.max(*x as u32);
        }
    }
    facts
}

#[test]
fn a_survey_is_that_of_plain_loops() {
    for example in Example::all() {
        let vocabulary: Vec<String> =
            example.corpus.vocabulary().iter().map(|word| word.into_owned()).collect();
        for holders in example.holders() {
            for range in [KeyRange::ALL, KeyRange::between(0.0, 0.4), KeyRange::between(0.4, 1.0)] {
                let question = Question::survey(KeyPart::from(range));
                let found = asked(&holders, &question).survey.unwrap();
                let inside = |row: &&Row| range.contains(key(row, &example.names)[0]);
                let rows: Vec<&Row> = example.rows.iter().filter(inside).collect();
                let mut expected = facts(&rows, &example.names, &vocabulary);
                if holders.len() > 1 {
                    // Each of them counts copies among its own documents.
                    expected.n_different = found.facts.n_different;
                    assert!(found.facts.n_different <= expected.n_documents);
                }
                assert_eq!(found.facts, expected);
                assert_eq!(found.words, vocabulary);
                assert_eq!(found.numbered, example.corpus.vocabulary().is_numbered());
            }
        }
    }
}

#[test]
fn a_fingerprint_is_that_of_plain_loops() {
    for example in Example::all() {
        let mut expected = vec![0_u64; 8];
        for row in &example.rows {
            let [high, low] = key(row, &example.names);
            let mut bytes = low.to_le_bytes().to_vec();
            bytes.extend(high.to_le_bytes());
            for (sum, limb) in expected.iter_mut().zip(Sha256::digest(bytes).chunks(4)) {
                *sum += limb.iter().rev().fold(0_u64, |n, &byte| n << 8 | u64::from(byte));
            }
        }
        for holders in example.holders() {
            for n_blocks in [1, 8] {
                let question = example.question(n_blocks, Request::Digest);
                assert_eq!(asked(&holders, &question).whole, expected);
            }
        }
    }
}
