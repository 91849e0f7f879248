//! From a stream of documents to a corpus, in bounded memory.
//!
//! ```text
//! read a group of batches   ║  count the group before, batch by batch, in parallel
//!                           ▼
//!              merge its counts in the order of the documents
//! ```
//!
//! While one group of batches is counted the next is read, so at most two groups of text are in memory, whatever
//! the size of the corpus. The rows of merged batches are [gathered](super::gathered) and rewritten once, at the
//! end, when it is known which words are kept.

use rayon::prelude::*;

use super::batch::{BATCH_BYTES, Batch, Content, Records};
use super::count::{self, Counted, Rules};
use super::filter::{self, DROPPED, Selection};
use super::gathered::{self, Gathered};
use super::hints;
use super::intern::Interner;
use crate::corpus::{Corpus, CorpusBuilder, Vocabulary};
use crate::error::{Error, Result};
use crate::memory::Limit;
use crate::words::Preprocessing;
use crate::words::{Dropped, Reason, WordChoice};

/// The largest number of batches in a group: up to this many threads can work at once, on 64 MB of text.
const GROUP_BATCHES: usize = 32;
/// A group of batches may take the memory limit divided by this number: the next group, and the counts of both, need
/// room too.
const GROUP_FRACTION: u64 = 16;
/// Batches in the first group, which is read before anything can be counted.
const FIRST_GROUP: usize = 8;
/// The number of bytes of each document, and of all documents together, that are used to guess the language.
const SAMPLE_OF_ONE: usize = 2000;
const SAMPLE_OF_ALL: usize = 100_000;

/// Counts the words of a stream of documents.
///
/// With a `vocabulary` only its words are counted, and they keep their ids. The corpus records how its words were
/// chosen: [`Corpus::word_choice`]. Its counts are kept within `limit`.
///
/// # Errors
/// When the stream fails, the preprocessing contradicts itself, or no word is left.
pub fn count_records(
    records: &mut dyn Records,
    preprocessing: &Preprocessing,
    vocabulary: Option<&Vocabulary>,
    limit: &Limit,
) -> Result<Corpus> {
    let n_batches = group_batches(limit);
    let mut group = read_group(records, FIRST_GROUP)?;
    let (mut settled, mut notes) = preprocessing.resolved(&sample(&group))?;
    settled.fixed_vocabulary = vocabulary.is_some();
    let rules = Rules::new(&settled, vocabulary)?;
    let mut merged = Merged::new(limit);
    while !group.is_empty() {
        let (next, counted) = rayon::join(
            || read_group(records, n_batches),
            || group.par_iter().map(|batch| count::count(batch, &rules)).collect::<Vec<_>>(),
        );
        for (batch, counted) in group.into_iter().zip(counted) {
            merged.add(batch, counted)?;
        }
        group = next?;
    }
    notes.extend(records.remarks());
    merged.n_skipped_links = records.n_skipped_links();
    merged.finish(settled, vocabulary, notes)
}

/// The number of batches that are counted together.
fn group_batches(limit: &Limit) -> usize {
    let room = |bytes: u64| usize::try_from(bytes / GROUP_FRACTION).unwrap_or(usize::MAX);
    limit.bytes().map_or(GROUP_BATCHES, |bytes| (room(bytes) / BATCH_BYTES).clamp(1, GROUP_BATCHES))
}

fn read_group(records: &mut dyn Records, n_batches: usize) -> Result<Vec<Batch>> {
    let mut group = Vec::new();
    while group.len() < n_batches {
        let mut batch = Batch::default();
        while !batch.is_full() && records.next_into(&mut batch)? {}
        if batch.is_empty() {
            break;
        }
        group.push(batch);
    }
    Ok(group)
}

/// The beginnings of the first documents.
fn sample(group: &[Batch]) -> String {
    let mut sample = String::new();
    for content in group.iter().flat_map(Batch::contents) {
        if sample.len() > SAMPLE_OF_ALL {
            break;
        }
        match content {
            Content::Text(text) => sample.push_str(beginning(text)),
            Content::Words { text, start, ends } => {
                Content::for_each_given(text, start, &ends[..ends.len().min(300)], |word| {
                    sample.push_str(beginning(word));
                    sample.push(' ');
                });
            }
        }
        sample.push('\n');
    }
    sample
}

fn beginning(text: &str) -> &str {
    let end = text.char_indices().map(|(at, _)| at).take_while(|&at| at <= SAMPLE_OF_ONE).last();
    if text.len() <= SAMPLE_OF_ONE { text } else { &text[..end.unwrap_or(0)] }
}

/// The counts of all batches so far.
struct Merged {
    items: Interner,
    /// Number of occurrences and of documents of each item.
    totals: Vec<(u64, u64)>,
    rows: Gathered,
    dropped: Interner,
    dropped_totals: Vec<(Reason, u64)>,
    names: Vec<Option<String>>,
    labels: Vec<Option<String>>,
    n_emoji: u64,
    n_skipped_links: u64,
}

impl Merged {
    fn new(limit: &Limit) -> Self {
        Merged {
            items: Interner::default(),
            totals: Vec::new(),
            rows: Gathered::new(limit),
            dropped: Interner::default(),
            dropped_totals: Vec::new(),
            names: Vec::new(),
            labels: Vec::new(),
            n_emoji: 0,
            n_skipped_links: 0,
        }
    }

    fn add(&mut self, batch: Batch, counted: Counted) -> Result<()> {
        let (names, labels) = batch.into_names();
        self.names.extend(names);
        self.labels.extend(labels);
        if self.items.len() + counted.items.len() >= DROPPED as usize {
            return Err(Error::TooManyWords { found: self.items.len() + counted.items.len() });
        }
        let mut item_of = Vec::with_capacity(counted.items.len());
        for (local, &(occurrences, documents)) in (0_u32..).zip(&counted.totals) {
            let (item, is_new) = self.items.intern(counted.items.word(local));
            if is_new {
                self.totals.push((0, 0));
            }
            let total = &mut self.totals[item as usize];
            *total = (total.0 + occurrences, total.1 + u64::from(documents));
            item_of.push(item);
        }
        self.n_emoji += counted.n_emoji;
        for (word, reason, n) in counted.dropped {
            let (id, is_new) = self.dropped.intern(&word);
            if is_new {
                self.dropped_totals.push((reason, 0));
            }
            self.dropped_totals[id as usize].1 += n;
        }
        self.rows.add(gathered::Batch { item_of, ends: counted.ends, entries: counted.entries });
        Ok(())
    }

    fn finish(
        self,
        settled: Preprocessing,
        vocabulary: Option<&Vocabulary>,
        notes: Vec<String>,
    ) -> Result<Corpus> {
        let n_documents = self.names.len();
        let selection =
            filter::select(&self.items, &self.totals, n_documents as u64, &settled, vocabulary)?;
        let mut notes = notes;
        let choice = self.choice(settled, &selection);
        notes.extend(self.hints(&selection, &choice));
        if choice.n_kept == 0 {
            return Err(nothing_left(n_documents, &choice));
        }
        let Merged { items, totals, rows, names, labels, .. } = self;
        drop(items);
        let n_entries = entries_kept(&totals, &selection.word_of_item);
        drop(totals);
        let rows = rows.over(&selection, n_documents, n_entries);
        CorpusBuilder::from_rows(rows)
            .vocabulary(selection.vocabulary)
            .optional_names(names)
            .optional_labels(labels)
            .word_choice(choice)
            .notes(notes)
            .build()
    }

    /// Hints about the text that the words themselves give.
    fn hints(&self, selection: &Selection, choice: &WordChoice) -> Vec<String> {
        let kept = (0_u32..).zip(&selection.word_of_item).zip(&self.totals);
        let kept = kept.filter(|((_, word), _)| **word != DROPPED);
        let words = kept.map(|((item, _), &(_, documents))| (self.items.word(item), documents));
        hints::about(words, self.names.len() as u64, choice)
    }

    fn choice(&self, preprocessing: Preprocessing, selection: &Selection) -> WordChoice {
        let of_reason = |reason| {
            let words = (0_u32..).zip(&self.dropped_totals).filter(|(_, (r, _))| *r == reason);
            let words = words.map(|(id, &(_, n))| (self.dropped.word(id), n)).collect();
            Dropped::sum(reason, words)
        };
        let mut dropped: Vec<Dropped> = Reason::ALL.iter().filter_map(|&r| of_reason(r)).collect();
        dropped.extend(selection.dropped.iter().cloned());
        let kept = selection.word_of_item.iter().zip(&self.totals);
        let kept = kept.filter(|(word, (n, _))| **word != DROPPED && *n > 0);
        let (n_kept, n_kept_tokens) =
            kept.fold((0, 0), |(words, tokens), (_, (n, _))| (words + 1, tokens + n));
        WordChoice {
            preprocessing,
            n_documents: self.names.len() as u64,
            n_kept,
            n_kept_tokens,
            dropped,
            n_emoji: self.n_emoji,
            n_skipped_links: self.n_skipped_links,
        }
    }
}

/// The number of entries of the kept words: one for each document of a word.
fn entries_kept(totals: &[(u64, u64)], word_of_item: &[u32]) -> usize {
    let kept = totals.iter().zip(word_of_item).filter(|(_, word)| **word != DROPPED);
    kept.map(|((_, documents), _)| *documents as usize).sum()
}

fn nothing_left(documents: usize, choice: &WordChoice) -> Error {
    match choice.main_reason() {
        None => Error::NoWords { documents },
        Some(reason) => {
            let unspaced = reason == Reason::TooShort && choice.is_unspaced();
            let (dropped, relax) = (choice.sentence(), reason.to_string());
            Error::NoWordsLeft { documents, dropped, relax, unspaced }
        }
    }
}

#[cfg(test)]
mod tests;
