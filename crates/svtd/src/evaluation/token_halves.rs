//! Splits the tokens of a document into an observed and a held-out half.
//!
//! Each occurrence of each word falls into one half as if by a coin toss: a hash of the document's content, the
//! word, and the number of the occurrence. So a word that occurs five times is not dealt evenly to both halves,
//! which would reward a model for expecting repetition. The split does not depend on the order of documents or
//! words, on threads or on the model.
//!
//! ```text
//! key of a document   D = m( sum over its words of m(W ^ m(count)) )
//! 64 occurrences      the bits of m(D ^ m(W ^ m(2^32 rank + block))): 0 observed, 1 held out
//! ```
//!
//! with `m` the finishing step of splitmix64 and sums modulo `2^64`. The key `W` of a word comes from its name.
//! Words without names are told apart by where they occur, so that the order of columns does not matter: twice in
//! turn, documents get keys from their counts and words, and words get keys from their counts and documents. Words
//! that occur equally often in the same documents have equal keys; within a document they are ranked by the order
//! that the caller gives (their frequency in a model). All other words have rank 0.

use rayon::prelude::*;

use crate::corpus::{Corpus, mixed};
use crate::tasks;

/// Number of rounds in which documents get keys from their words, and words from their documents, where words have no
/// names.
const KEY_ROUNDS: usize = 2;

/// Keys for the words of a corpus and for its documents.
pub(crate) struct TokenHalves {
    words: Vec<u64>,
    documents: Vec<u64>,
}

/// A word of a document, with the number of its occurrences in each half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halved {
    /// The word of the corpus.
    pub word: u32,
    pub observed: u32,
    pub held_out: u32,
}

impl TokenHalves {
    pub fn new(corpus: &Corpus) -> Self {
        let vocabulary = corpus.vocabulary();
        let words: Vec<u64> = match vocabulary.is_numbered() {
            true => keys_without_names(corpus.n_words(), |words| word_sums(corpus, words)),
            false => vocabulary.iter().map(|name| name_key(name.as_bytes())).collect(),
        };
        Self::of_keys(corpus, words)
    }

    /// Halves by keys of the words.
    pub fn of_keys(corpus: &Corpus, words: Vec<u64>) -> Self {
        let documents = document_keys(corpus, &words);
        Self { words, documents }
    }

    /// The key of a word.
    pub fn word_key(&self, word: u32) -> u64 {
        self.words[word as usize]
    }

    /// For each document, how many have the same words: 1 if there is no copy of it.
    pub fn copies(&self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        order.sort_unstable_by_key(|&d| self.documents[d]);
        let mut copies = vec![1; order.len()];
        for equal in order.chunk_by(|&a, &b| self.documents[a] == self.documents[b]) {
            let n = u32::try_from(equal.len()).unwrap_or(u32::MAX);
            equal.iter().for_each(|&d| copies[d] = n);
        }
        copies
    }

    /// The words of document `d`, each with the number of its occurrences in each half, in an order that does not
    /// depend on their numbering. `before` gives the frequency of a word; it ranks words with equal keys.
    pub fn document(&self, corpus: &Corpus, d: usize, before: impl Fn(u32) -> f64) -> Vec<Halved> {
        let mut entries: Vec<(u64, u32, u32)> = corpus
            .document(d)
            .words()
            .map(|(word, count)| (self.words[word as usize], word, count))
            .collect();
        entries.sort_unstable_by(|a, b| {
            let frequencies = || before(b.1).total_cmp(&before(a.1));
            (a.0, a.2).cmp(&(b.0, b.2)).then_with(frequencies).then(a.1.cmp(&b.1))
        });
        let (mut last, mut rank) = (None, 0);
        let halved = |&(key, word, count): &(u64, u32, u32)| {
            rank = if last == Some(key) { rank + 1 } else { 0 };
            last = Some(key);
            let held_out = held_out(self.documents[d], key, rank, count);
            Halved { word, observed: count - held_out, held_out }
        };
        entries.iter().map(halved).collect()
    }
}

/// Blocks of 64 occurrences that are split by one coin toss per occurrence. Counts can be as large as four billion;
/// beyond this number the split is computed at once.
const COIN_BLOCKS: u32 = 1 << 12;

/// How many of `count` occurrences are held out.
fn held_out(document: u64, word: u64, rank: u64, count: u32) -> u32 {
    let bits = |block: u32| mixed(document ^ mixed(word ^ mixed(rank << 32 | u64::from(block))));
    let flipped = count.min(64 * COIN_BLOCKS);
    let block = |block: u32| {
        let left = flipped - 64 * block;
        let kept = if left < 64 { bits(block) & ((1 << left) - 1) } else { bits(block) };
        kept.count_ones()
    };
    let heads: u32 = (0..flipped.div_ceil(64)).map(block).sum();
    // The remaining occurrences are split by a normal approximation; the sum of 64 bits has a standard deviation of
    // four.
    let rest = f64::from(count - flipped);
    let deviation = (f64::from(bits(COIN_BLOCKS).count_ones()) - 32.0) / 4.0;
    let more = (0.5 * rest + 0.5 * deviation * rest.sqrt()).round().clamp(0.0, rest);
    heads + more as u32
}

fn name_key(name: &[u8]) -> u64 {
    name.iter().fold(mixed(name.len() as u64), |key, &byte| mixed(key ^ u64::from(byte)))
}

/// The key of each document, from the keys of the words.
fn document_keys(corpus: &Corpus, words: &[u64]) -> Vec<u64> {
    let key = |d: usize| {
        let entries = corpus.document(d).words();
        let sum = entries.fold(0_u64, |sum, (word, count)| {
            sum.wrapping_add(mixed(words[word as usize] ^ mixed(u64::from(count))))
        });
        mixed(sum)
    };
    let key = |d| tasks::branch(|| key(d));
    tasks::fork(|| (0..corpus.n_documents()).into_par_iter().map(key).collect())
}

/// The keys of `n` words without names. `sums` computes [`word_sums`] of all documents.
pub(crate) fn keys_without_names(n: usize, sums: impl Fn(&[u64]) -> Vec<u64>) -> Vec<u64> {
    let told_apart = |words: Vec<u64>| sums(&words).into_iter().map(mixed).collect();
    (0..KEY_ROUNDS).fold(vec![0; n], |words, _| told_apart(words))
}

/// For each word, the sum of hashes of the documents that have it, from keys of the words. The sums of two sets of
/// documents add up, modulo `2^64`.
pub(crate) fn word_sums(corpus: &Corpus, words: &[u64]) -> Vec<u64> {
    let mut sums = vec![0_u64; corpus.n_words()];
    for (d, document) in document_keys(corpus, words).iter().enumerate() {
        for (word, count) in corpus.document(d).words() {
            let sum = &mut sums[word as usize];
            *sum = sum.wrapping_add(mixed(document ^ mixed(u64::from(count))));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;
    use crate::synthetic::{Lengths, SingleTopicSource};

    fn drawn(n: usize) -> Corpus {
        SingleTopicSource::uniform(50, 2, 3).draw(n, &Lengths::Uniform(1..=80), 4).0
    }

    /// The same counts with the words in another order; word `i` becomes word `place[i]`.
    fn permuted(corpus: &Corpus, place: &[u32]) -> Corpus {
        let mut builder = Corpus::builder(corpus.n_words());
        for d in 0..corpus.n_documents() {
            let mut words: Vec<(u32, u32)> =
                corpus.document(d).words().map(|(w, x)| (place[w as usize], x)).collect();
            words.sort_unstable();
            builder.push_document(words).unwrap();
        }
        builder.build().unwrap()
    }

    fn sides(corpus: &Corpus, d: usize) -> Vec<(u32, u32)> {
        let halves = TokenHalves::new(corpus);
        let all = halves.document(corpus, d, |_| 0.0);
        all.iter().map(|h| (h.observed, h.held_out)).collect()
    }

    #[test]
    fn the_largest_count_is_halved_at_once() {
        for word in 0..200 {
            let count = u32::MAX - word;
            let held_out = held_out(1, u64::from(word), 0, count);
            let z =
                (f64::from(held_out) - 0.5 * f64::from(count)) / (0.5 * f64::from(count).sqrt());
            assert!(z.abs() < 5.0, "{held_out} of {count}");
        }
    }

    #[test]
    fn occurrences_fall_independently_and_evenly() {
        // 400 words said 7 times each: how many of them are held out is binomial.
        let mut builder = Corpus::builder(400);
        builder.push_document((0..400).map(|word| (word, 7))).unwrap();
        let names = (0..400).map(|i| format!("w{i}")).collect();
        let corpus = builder.vocabulary(Vocabulary::from_words(names).unwrap()).build().unwrap();
        let mut seen = [0; 8];
        sides(&corpus, 0).iter().for_each(|&(_, held_out)| seen[held_out as usize] += 1);
        let binomial = [1, 7, 21, 35, 35, 21, 7, 1].map(|ways| 400.0 * f64::from(ways) / 128.0);
        let chi: f64 =
            seen.iter().zip(binomial).map(|(s, b)| (f64::from(*s) - b).powi(2) / b).sum();
        assert!(chi < 18.5, "chi-squared {chi} of 7 degrees of freedom: {seen:?}");
    }

    #[test]
    fn large_counts_are_cut_without_going_through_them_one_by_one() {
        for count in [1, 63, 64, 65, 1000, 4_000_000_000] {
            let half = held_out(1, 2, 0, count);
            let error =
                (f64::from(half) - 0.5 * f64::from(count)) / (0.5 * f64::from(count).sqrt());
            assert!(half <= count && error.abs() < 4.5, "{half} of {count}");
        }
        // More occurrences leave the first ones where they are.
        let all: Vec<u32> = (0..200).map(|count| held_out(5, 6, 0, count)).collect();
        assert!(all.windows(2).all(|pair| pair[1] - pair[0] <= 1));
    }

    #[test]
    fn neither_the_order_of_columns_nor_of_documents_changes_a_half() {
        let corpus = drawn(40);
        let place: Vec<u32> = (0..50).map(|i| (i * 13 + 5) % 50).collect();
        let other = permuted(&corpus, &place);
        let backwards: Vec<usize> = (0..40).rev().collect();
        let turned = corpus.subset(&backwards);
        for d in 0..40 {
            assert_eq!(sides(&corpus, d), sides(&other, d));
            assert_eq!(sides(&corpus, d), sides(&turned, 39 - d));
        }
    }

    #[test]
    fn words_that_occur_alike_are_told_apart_by_rank() {
        // One document, no names, every word once: they must not all fall to one side.
        let mut builder = Corpus::builder(64);
        builder.push_document((0..64).map(|word| (word, 1))).unwrap();
        let corpus = builder.build().unwrap();
        let held_out: u32 = sides(&corpus, 0).iter().map(|side| side.1).sum();
        assert!((16..=48).contains(&held_out), "{held_out} of 64");
    }
}
