//! Counts the [facts](Facts) of the documents of a corpus.

use std::ops::Range;

use super::blocks::Block;
use super::{Corpus, CorpusReport, SparseCounts};
use crate::questions::{Facts, KEY_BINS, WordFacts};
use crate::tasks;

/// A block with at least this many documents is divided into two tasks.
const LARGE_BLOCK: usize = 4096;

impl Facts {
    /// Counts the documents of a corpus; words are its features.
    pub(super) fn count(corpus: &Corpus) -> Self {
        let square = |x: u64| u128::from(x) * u128::from(x);
        let (squared_counts, words) = count_words(corpus.rows());
        let mut by_key = vec![0; KEY_BINS];
        for (d, _) in corpus.lengths().iter().enumerate().filter(|(_, length)| **length > 0) {
            by_key[bin_of(corpus.document_key(d))] += 1;
        }
        let CorpusReport { n_empty, n_one_word, n_two_words, .. } = *corpus.report();
        Self {
            n_documents: corpus.n_documents() as u64,
            n_nonzeros: corpus.n_nonzeros() as u64,
            n_different: count_different(corpus),
            n_short: [n_empty, n_one_word, n_two_words].map(|n| n as u64),
            squared_counts,
            squared_lengths: corpus.lengths().iter().map(|&c| square(c)).sum(),
            by_key,
            words,
        }
    }
}

/// Number of different documents with words; equal ones count once.
fn count_different(corpus: &Corpus) -> u64 {
    let with_words = (0..corpus.n_documents()).filter(|&d| corpus.lengths()[d] > 0);
    let mut keys: Vec<u128> = with_words.map(|d| corpus.keys()[d]).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.len() as u64
}

fn bin_of(key: u64) -> usize {
    (key >> (u64::BITS - KEY_BINS.trailing_zeros())) as usize
}

/// The sum of the squares of all counts, and the facts of every column.
fn count_words(rows: &SparseCounts) -> (u128, Vec<WordFacts>) {
    let add = |left: &mut (u128, Vec<WordFacts>), right: (u128, Vec<WordFacts>)| {
        left.0 += right.0;
        left.1.iter_mut().zip(&right.1).for_each(|(left, right)| left.add(right));
    };
    let of_documents = |block: Block<'_>, documents: Range<usize>| {
        let (mut squares, mut words) = (0, vec![WordFacts::default(); rows.n_columns()]);
        for d in documents {
            let (features, counts) = block.row(d);
            for (&i, &x) in features.iter().zip(counts) {
                squares += u128::from(x) * u128::from(x);
                words[i as usize].add(&WordFacts { total: u64::from(x), largest: x, documents: 1 });
            }
        }
        (squares, words)
    };
    // Whole numbers add up to the same in any order, so a large block can be two tasks.
    let answer = |b: usize| {
        let block = rows.block(b);
        let documents = block.documents();
        if documents.len() < LARGE_BLOCK {
            return of_documents(block, documents);
        }
        let middle = documents.start + documents.len() / 2;
        let halves = (documents.start..middle, middle..documents.end);
        let (mut sum, rest) = tasks::join(
            || of_documents(rows.block(b), halves.0),
            || of_documents(rows.block(b), halves.1),
        );
        add(&mut sum, rest);
        sum
    };
    rows.sum_blocks(answer, add)
}

#[cfg(test)]
mod tests {
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn facts_of_parts_add_up_and_are_counted_right() {
        let corpus = LdaSource::uniform(40, 3, 1.0, 1).draw(500, &Lengths::Uniform(0..=30), 2).0;
        let facts = corpus.facts();
        let squares: u64 = corpus.rows().counts().iter().map(|&x| u64::from(x).pow(2)).sum();
        assert_eq!(facts.squared_counts, u128::from(squares));
        assert_eq!(facts.n_with_words() as usize, 500 - corpus.report().n_empty);
        let totals: Vec<u64> = facts.words.iter().map(|word| word.total).collect();
        assert_eq!(totals, corpus.feature_totals());
        let (evens, odds): (Vec<usize>, Vec<usize>) = (0..500).partition(|d| d % 2 == 0);
        let mut sum = corpus.subset(&evens).facts().clone();
        sum.add(corpus.subset(&odds).facts());
        sum.words = facts.words.clone();
        assert_eq!(sum, *facts);
    }

    #[test]
    fn as_many_documents_as_asked_for_lie_below_a_share_of_the_keys() {
        let corpus = LdaSource::uniform(40, 3, 1.0, 1).draw(300, &Lengths::Uniform(3..=30), 2).0;
        for wanted in [0, 1, 20, 150, 300] {
            let share = corpus.facts().share_of_keys(wanted);
            let below = |d: &usize| (corpus.document_key(*d) as f64) < share * 2_f64.powi(64);
            let n = (0..300).filter(below).count() as u64;
            assert!(n >= wanted && n < wanted + 20, "{wanted}: {n}");
        }
    }
}
