//! Changes to bytes that readers of files stumble over.
//!
//! Everything follows the seed, so that two numbers are enough to repeat a finding.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Byte sequences that have a meaning in one of the formats.
const PIECES: [&[u8]; 28] = [
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b",",
    b";",
    b":",
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b"0",
    b"-1",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"1e308",
    b"nan",
    b"0.5",
    b"\xef\xbb\xbf",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\x7f",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x98\x80",
    b"PK\x03\x04",
    b"%%MatrixMarket",
];

/// The longest input that is made.
const LONGEST: usize = 1 << 13;

/// A stream of changed inputs.
pub struct Mutator {
    rng: ChaCha8Rng,
}

impl Mutator {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// A whole number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.rng.next_u64() % n.max(1) as u64) as usize
    }

    /// Random bytes.
    pub fn fresh(&mut self, most: usize) -> Vec<u8> {
        let n = self.below(most + 1);
        let mut bytes = vec![0; n];
        self.rng.fill_bytes(&mut bytes);
        bytes
    }

    /// A seed changed a few times, perhaps with a part of another.
    pub fn mutated(&mut self, seed: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = seed[..seed.len().min(LONGEST)].to_vec();
        for _ in 0..1 + self.below(6) {
            self.change(&mut bytes, other);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(bytes.len() + 1);
        match self.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = self.below(256) as u8,
            2 => {
                let piece = PIECES[self.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            3 => {
                let piece = PIECES[self.below(PIECES.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
            4 => bytes.truncate(at),
            5 => {
                let end = at + self.below(bytes.len() + 1 - at).min(64);
                bytes.drain(at..end);
            }
            6 => {
                let end = at + self.below(bytes.len() + 1 - at).min(64);
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            7 if !other.is_empty() => {
                let start = self.below(other.len());
                let end = start + self.below(other.len() - start).min(256);
                bytes.splice(at..at, other[start..end].iter().copied());
            }
            _ => {
                // A number among the bytes, little-endian, near a power of two.
                let width = 1 << self.below(4);
                if at + width <= bytes.len() {
                    let power = 1_u64.checked_shl(self.below(65) as u32).unwrap_or(0);
                    let value = power.wrapping_add(self.below(3) as u64).wrapping_sub(1);
                    bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_changes() {
        let made = |seed| {
            let mut mutator = Mutator::new(seed);
            (0..100).map(|_| mutator.mutated(b"3\n5\n1\n1 2 1\n", b"xyz")).collect::<Vec<_>>()
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
    }
}
