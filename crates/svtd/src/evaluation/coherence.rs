//! Coherence (do the words of a topic occur together in documents?) and diversity (do topics differ?).
//!
//! For the likeliest words of a topic, `D(i)` of `N` documents hold word `i` and `D(i,j)` hold both:
//!
//! ```text
//! NPMI(i,j)  = log( N D(i,j) / (D(i) D(j)) ) / log( N / D(i,j) )      -1 if D(i,j) = 0
//! UMass(i,j) = log( (D(i,j) + 1) / D(j) )                             j the likelier of the two
//! ```
//!
//! and a topic's coherence is the mean over its pairs. NPMI (Bouma 2009) lies between -1 (never
//! together) and 1 (always together), with 0 for words that ignore each other; UMass (Mimno et al.
//! 2011) is a log probability, the closer to 0 the better.
//!
//! # Cost
//! One pass over the documents, 16,384 of them at a time, with one bit of memory for each of these and each word
//! looked at. All sums are of whole numbers, so they are the same for any number of threads, and those of several
//! holders of documents add up.
//!
//! # Departures
//! A word that occurs in no document says nothing about the topic: its pairs are left out, and the number of such
//! words is reported. Two words that are in *every* document have NPMI 0. Mimno et al. add up the pairs; we take
//! their mean, so that ten words can be compared with twenty.

use std::ops::Range;

use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::error::Result;
use crate::inference::Alignment;
use crate::memory;
use crate::model::Topics;
use crate::questions::{Request, wrong_size};
use crate::stop;

/// Documents whose words are marked at a time.
const RUN: usize = 1 << 14;

/// The coherence of all topics.
#[derive(Clone, Debug, PartialEq)]
pub struct Coherence {
    /// Each topic, in the model's order.
    pub topics: Vec<TopicCoherence>,
    /// Number of documents in which the words were counted.
    pub n_documents: usize,
}

/// The coherence of one topic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopicCoherence {
    /// Mean NPMI; `None` when fewer than two of the words occur.
    pub npmi: Option<f64>,
    /// Mean UMass score; `None` when fewer than two of the words occur.
    pub umass: Option<f64>,
    /// Words of the topic that occur in no document, and were left out.
    pub n_unseen_words: usize,
}

impl Coherence {
    /// The mean NPMI of the topics that have one.
    pub fn npmi(&self) -> Option<f64> {
        mean(self.topics.iter().filter_map(|topic| topic.npmi))
    }

    /// The mean UMass score of the topics that have one.
    pub fn umass(&self) -> Option<f64> {
        mean(self.topics.iter().filter_map(|topic| topic.umass))
    }
}

/// Counts how often the `n_words` likeliest words of each topic occur together in the documents, and scores the
/// topics. The documents may be elsewhere: their holders give the counts.
///
/// # Errors
/// When the corpus has no words in common with the model, or somebody who holds documents does not answer.
pub fn coherence(topics: &Topics, corpus: &Corpus, n_words: usize) -> Result<Coherence> {
    let alignment = Alignment::of_words(topics, corpus.vocabulary())?;
    let mut word_of: Vec<Option<u32>> = vec![None; topics.vocabulary().len()];
    for word in 0..corpus.n_words() as u32 {
        if let Some(known) = alignment.word(word) {
            word_of[known as usize] = Some(word);
        }
    }
    let top = |j: usize| topics.topic(j).top_word_ids(n_words);
    let known = |j: usize| top(j).into_iter().filter_map(|word| word_of[word]).collect();
    let lists: Vec<Vec<u32>> = (0..topics.len()).map(known).collect();
    let n_documents = corpus.n_documents();
    let scored = memory::caught(|| Ok(scores_of_lists(corpus, &lists, n_documents)))?;
    let topics = scored.into_iter().enumerate().map(|(j, topic)| {
        let n_unknown = top(j).len() - lists[j].len();
        TopicCoherence { n_unseen_words: topic.n_unseen_words + n_unknown, ..topic }
    });
    Ok(Coherence { topics: topics.collect(), n_documents })
}

/// The mean NPMI of each list of words of a corpus, which may be elsewhere; `None` when fewer than two of the words
/// occur.
pub(crate) fn npmi_of_lists(corpus: &Corpus, lists: &[Vec<u32>]) -> Vec<Option<f64>> {
    let n_documents = corpus.facts().n_with_words() as usize;
    scores_of_lists(corpus, lists, n_documents).iter().map(|list| list.npmi).collect()
}

/// The scores of lists of words among this many documents of a corpus, which may be elsewhere.
fn scores_of_lists(corpus: &Corpus, lists: &[Vec<u32>], n_documents: usize) -> Vec<TopicCoherence> {
    let counts = match corpus.asked_of_all_words(|| Request::Together(lists.to_vec())) {
        Some(answer) => answer.whole,
        None => together(corpus, lists),
    };
    let needed = lists.iter().map(|list| n_pairs(list.len())).sum();
    if counts.len() != needed {
        stop::fail(wrong_size(counts.len(), needed));
    }
    let mut rest = counts.as_slice();
    let of_list = |list: &Vec<u32>| {
        let (own, behind) = rest.split_at(n_pairs(list.len()));
        rest = behind;
        scores(own, list.len(), n_documents)
    };
    lists.iter().map(of_list).collect()
}

/// For each list of words, in how many documents two of them occur, and each of them: the packed upper triangle, row
/// by row. The counts of two sets of documents add up.
pub(crate) fn together(corpus: &Corpus, lists: &[Vec<u32>]) -> Vec<u64> {
    let looked_at = LookedAt::new(corpus.n_words(), lists);
    let mut counts: Vec<Vec<u64>> = lists.iter().map(|list| vec![0; n_pairs(list.len())]).collect();
    let n = corpus.n_documents();
    for first in (0..n).step_by(RUN) {
        stop::here();
        looked_at.add(&looked_at.bits(corpus, first..n.min(first + RUN)), &mut counts);
    }
    counts.concat()
}

/// Number of pairs of some words, those of a word with itself among them.
fn n_pairs(n_words: usize) -> usize {
    n_words * (n_words + 1) / 2
}

/// The share of different words among the `n_words` likeliest of every topic (Dieng et al. 2020):
/// 1 when no two topics share one.
pub fn topic_diversity(topics: &Topics, n_words: usize) -> f64 {
    let mut words: Vec<usize> =
        topics.iter().flat_map(|topic| topic.top_word_ids(n_words)).collect();
    let all = words.len();
    words.sort_unstable();
    words.dedup();
    if all == 0 { 1.0 } else { words.len() as f64 / all as f64 }
}

/// Words that are looked at, each with a place of its own, and the lists they come from.
struct LookedAt {
    /// By word of the corpus; `None` for words that are in no list.
    places: Vec<Option<usize>>,
    n_places: usize,
    /// The places of the words of each list.
    lists: Vec<Vec<usize>>,
}

impl LookedAt {
    fn new(n_words: usize, lists: &[Vec<u32>]) -> Self {
        let mut places = vec![None; n_words];
        let mut n_places = 0;
        let mut place_of = |&word: &u32| {
            *places[word as usize].get_or_insert_with(|| {
                n_places += 1;
                n_places - 1
            })
        };
        let lists = lists.iter().map(|list| list.iter().map(&mut place_of).collect()).collect();
        Self { places, n_places, lists }
    }

    /// Which of some consecutive documents hold which words: for every 64 documents, one 64-bit number for each place.
    fn bits(&self, corpus: &Corpus, documents: Range<usize>) -> Vec<u64> {
        let mut bits = vec![0_u64; documents.len().div_ceil(64) * self.n_places];
        let mark = |(at, target): (usize, &mut [u64])| {
            let first = documents.start + 64 * at;
            for d in first..documents.end.min(first + 64) {
                let words = corpus.document(d).words();
                for place in words.filter_map(|(word, _)| self.places[word as usize]) {
                    target[place] |= 1 << (d - first);
                }
            }
        };
        bits.par_chunks_exact_mut(self.n_places.max(1)).enumerate().for_each(mark);
        bits
    }

    /// Adds for each list in how many documents two of its words occur: how often two words occur together is the
    /// size of an intersection.
    fn add(&self, bits: &[u64], counts: &mut [Vec<u64>]) {
        let add = |(counts, places): (&mut Vec<u64>, &Vec<usize>)| {
            for row in bits.chunks_exact(self.n_places.max(1)) {
                let pairs = places.iter().enumerate();
                let pairs = pairs.flat_map(|(at, &i)| places[at..].iter().map(move |&j| (i, j)));
                for (count, (i, j)) in counts.iter_mut().zip(pairs) {
                    *count += u64::from((row[i] & row[j]).count_ones());
                }
            }
        };
        counts.par_iter_mut().zip(&self.lists).for_each(add);
    }
}

/// The scores of a topic from the numbers of documents that contain two words (or one, on the diagonal).
fn scores(table: &[u64], side: usize, n_documents: usize) -> TopicCoherence {
    let count = |i: usize, j: usize| table[n_pairs(side) - n_pairs(side - i) + j - i] as f64;
    let seen: Vec<usize> = (0..side).filter(|&i| count(i, i) > 0.0).collect();
    let (mut npmi, mut umass) = (Vec::new(), Vec::new());
    for (at, &j) in seen.iter().enumerate() {
        for &i in &seen[at + 1..] {
            npmi.push(npmi_of(count(j, i), count(j, j), count(i, i), n_documents as f64));
            umass.push(((count(j, i) + 1.0) / count(j, j)).ln());
        }
    }
    TopicCoherence {
        npmi: mean(npmi.into_iter()),
        umass: mean(umass.into_iter()),
        n_unseen_words: side - seen.len(),
    }
}

fn npmi_of(both: f64, first: f64, second: f64, n: f64) -> f64 {
    if both == 0.0 {
        -1.0
    } else if both == n {
        0.0
    } else {
        (n * both / (first * second)).ln() / (n / both).ln()
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Vocabulary;
    use crate::linalg::Matrix;

    fn topics(words: &[&str], columns: Vec<f64>) -> Topics {
        let (n, k) = (words.len(), columns.len() / words.len());
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        let weights = vec![1.0 / k as f64; k];
        Topics::new(
            Vocabulary::from_words(words).unwrap(),
            Matrix::from_columns(n, k, columns),
            weights,
        )
    }

    fn corpus(words: &[&str], documents: &[&[u32]]) -> Corpus {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let mut builder =
            Corpus::builder(words.len()).vocabulary(Vocabulary::from_words(words).unwrap());
        for document in documents {
            builder.push_document(document.iter().map(|&w| (w, 2))).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn scores_agree_with_a_count_by_hand() {
        let words = ["a", "b", "c", "d"];
        let topics = topics(&words, vec![0.5, 0.3, 0.2, 0.0]);
        // D(a) = 3, D(b) = 2, D(c) = 1, together: ab 2, ac 0, bc 0; four documents.
        let corpus = corpus(&words, &[&[0, 1], &[1, 0, 3], &[0], &[2]]);
        let found = coherence(&topics, &corpus, 3).unwrap();
        let npmi_ab = (4.0 * 2.0 / 6.0_f64).ln() / (4.0 / 2.0_f64).ln();
        let topic = found.topics[0];
        assert!((topic.npmi.unwrap() - (npmi_ab - 2.0) / 3.0).abs() < 1e-12);
        let umass = ((3.0 / 3.0_f64).ln() + (1.0 / 3.0_f64).ln() + (1.0 / 2.0_f64).ln()) / 3.0;
        assert!((topic.umass.unwrap() - umass).abs() < 1e-12);
        assert_eq!((topic.n_unseen_words, found.n_documents), (0, 4));
    }

    #[test]
    fn words_in_no_document_are_left_out_and_counted() {
        let topics = topics(&["a", "b", "c"], vec![0.5, 0.3, 0.2]);
        let corpus = corpus(&["b", "x", "a"], &[&[0, 2], &[0, 2], &[1]]);
        let found = coherence(&topics, &corpus, 3).unwrap().topics[0];
        assert_eq!(found.n_unseen_words, 1);
        assert!((found.npmi.unwrap() - 1.0).abs() < 1e-12);
        let alone = coherence(&topics, &corpus, 1).unwrap();
        assert_eq!((alone.npmi(), alone.umass()), (None, None));
    }

    #[test]
    fn words_in_every_document_say_nothing() {
        let topics = topics(&["a", "b"], vec![0.5, 0.5]);
        let corpus = corpus(&["a", "b"], &[&[0, 1], &[0, 1]]);
        assert_eq!(coherence(&topics, &corpus, 2).unwrap().npmi(), Some(0.0));
    }

    #[test]
    fn diversity_is_the_share_of_different_words() {
        let topics = topics(&["a", "b", "c"], vec![0.6, 0.3, 0.1, 0.1, 0.6, 0.3]);
        assert_eq!(topic_diversity(&topics, 1), 1.0);
        assert_eq!(topic_diversity(&topics, 2), 0.75);
        assert_eq!(topic_diversity(&topics, 99), 0.5);
    }
}
