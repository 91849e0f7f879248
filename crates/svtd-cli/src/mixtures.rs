//! Mixtures of documents, inferred when a table needs its rows.
//!
//! Tables are written row after row or, as Parquet, column after column within groups of rows. In both cases two
//! windows of documents are enough: each document is inferred once, and memory does not grow with their number.

use std::cell::RefCell;
use std::collections::BTreeMap;

use svtd::inference::{Asked, BATCH, Batch};

use crate::output::Format;
use crate::progress::Progress;

/// Documents in a window where rows are needed in groups: as many as a group has rows.
#[cfg(feature = "parquet")]
const GROUP: usize = 1 << 16;

/// The mixtures of the documents of a corpus.
pub struct Mixtures<'a> {
    asked: Asked<'a>,
    window: usize,
    progress: Option<&'a Progress>,
    held: RefCell<Held>,
}

/// What was inferred so far.
#[derive(Default)]
struct Held {
    /// The two most recent windows, by their number, the later one last.
    windows: Vec<(usize, Vec<f64>)>,
    /// Unknown tokens, and documents without known words, of every window.
    passed_over: BTreeMap<usize, (u64, usize)>,
    /// The most recent document, and its topics from the largest to the smallest.
    order: Option<(usize, Vec<usize>)>,
}

impl<'a> Mixtures<'a> {
    /// The mixtures for a table that will be written as `format`; progress is reported to `progress`.
    pub fn new(asked: Asked<'a>, format: Format, progress: Option<&'a Progress>) -> Self {
        let window = match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => GROUP,
            _ => BATCH,
        };
        Self { asked, window, progress, held: RefCell::default() }
    }

    /// Number of documents.
    pub fn n_documents(&self) -> usize {
        self.asked.n_documents()
    }

    /// Number of topics.
    pub fn n_topics(&self) -> usize {
        self.asked.n_topics()
    }

    /// The share of topic `j` in document `d`.
    pub fn share(&self, d: usize, j: usize) -> f64 {
        self.with_row(d, |row| row[j])
    }

    /// The shares of all topics in document `d`.
    pub fn row(&self, d: usize) -> Vec<f64> {
        self.with_row(d, <[f64]>::to_vec)
    }

    /// The topic of rank `rank` in document `d`, largest first; ties in order of number.
    pub fn largest(&self, d: usize, rank: usize) -> usize {
        let known = |held: &Held| match &held.order {
            Some((of, order)) if *of == d => Some(order[rank]),
            _ => None,
        };
        if let Some(topic) = known(&self.held.borrow()) {
            return topic;
        }
        let order = self.with_row(d, falling);
        let topic = order[rank];
        self.held.borrow_mut().order = Some((d, order));
        topic
    }

    /// Number of tokens that the model does not know, in the documents inferred so far.
    pub fn n_unknown_tokens(&self) -> u64 {
        self.held.borrow().passed_over.values().map(|(tokens, _)| tokens).sum()
    }

    /// Number of documents without a known word, among those inferred so far.
    pub fn n_without_words(&self) -> usize {
        self.held.borrow().passed_over.values().map(|(_, documents)| documents).sum()
    }

    /// Whether words were matched by their numbers.
    pub fn matched_by_position(&self) -> bool {
        self.asked.matched_by_position()
    }

    fn with_row<T>(&self, d: usize, read: impl Fn(&[f64]) -> T) -> T {
        let (number, k) = (d / self.window, self.n_topics());
        let at = (d % self.window) * k;
        let of = |held: &Held| {
            let (_, values) = held.windows.iter().find(|(own, _)| *own == number)?;
            Some(read(&values[at..at + k]))
        };
        if let Some(found) = of(&self.held.borrow()) {
            return found;
        }
        let Batch { mixtures, n_unknown_tokens, n_without_words } = self.inferred(number);
        let mut held = self.held.borrow_mut();
        held.passed_over.insert(number, (n_unknown_tokens, n_without_words));
        let found = read(&mixtures[at..at + k]);
        if held.windows.len() == 2 {
            held.windows.remove(0);
        }
        held.windows.push((number, mixtures));
        found
    }

    fn inferred(&self, number: usize) -> Batch {
        let n = self.n_documents();
        let (first, last) = (number * self.window, n.min((number + 1) * self.window));
        self.asked.over(first..last, &|done, of| {
            if let Some(progress) = self.progress {
                progress.portion("inference", done, of);
            }
        })
    }
}

/// Topics in order of falling share; ties in order of number.
fn falling(shares: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use svtd::{Corpus, Model, SingleTopic};

    /// Documents of two kinds, one of each length.
    fn corpus() -> Corpus {
        let mut builder = Corpus::builder(6);
        for d in 0..32_u32 {
            let of = 3 * (d % 2);
            builder.push_document((0..3).map(|i| (of + i, 1 + (d + i) % 5))).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn rows_asked_for_in_any_order_are_those_of_all_documents_at_once() {
        let corpus = corpus();
        let model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus).unwrap());
        let whole = model.infer(&corpus).unwrap();
        let asked = || model.ask_about(&corpus).unwrap();
        let orders: [Vec<usize>; 3] =
            [(0..32).collect(), (0..32).rev().collect(), (0..96).map(|i| i * 13 % 32).collect()];
        for order in orders {
            let mixtures = Mixtures { window: 5, ..Mixtures::new(asked(), Format::Csv, None) };
            for d in order {
                assert_eq!(mixtures.row(d), whole.mixtures.row(d), "document {d}");
                let largest = falling(&whole.mixtures.row(d));
                assert_eq!([mixtures.largest(d, 0), mixtures.largest(d, 1)], largest[..]);
            }
            assert_eq!(mixtures.n_unknown_tokens(), whole.n_unknown_tokens);
            assert_eq!(mixtures.n_without_words(), whole.n_without_words);
            assert!(mixtures.held.borrow().windows.len() <= 2);
        }
    }

    #[test]
    fn the_largest_topics_come_first_and_ties_by_number() {
        assert_eq!(falling(&[0.2, 0.5, 0.2, 0.1]), [1, 0, 2, 3]);
    }
}
