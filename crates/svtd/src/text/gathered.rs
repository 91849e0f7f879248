//! Rows that were counted before it was known which words are kept.
//!
//! Without a memory [`Limit`] a batch keeps its rows with its own word numbers and a table that maps them to the
//! common ones; it is freed once its rows are rewritten. With a limit, rows are written to a temporary file with
//! the common numbers.

use super::filter::{DROPPED, Selection};
use crate::corpus::SparseCounts;
use crate::memory::{Limit, Numbers};

/// The rows of all batches so far.
pub(super) struct Gathered {
    rows: Rows,
    limit: Limit,
}

enum Rows {
    InMemory(Vec<Batch>),
    Spilled { ends: Vec<usize>, entries: Numbers<[u32; 2]> },
}

/// The rows of a batch, with the batch's own word numbers.
pub(super) struct Batch {
    /// The common number of each item.
    pub item_of: Vec<u32>,
    /// Where each row ends.
    pub ends: Vec<usize>,
    /// Items and their counts.
    pub entries: Vec<(u32, u32)>,
}

impl Gathered {
    pub(super) fn new(limit: &Limit) -> Self {
        let rows = match limit.bytes() {
            None => Rows::InMemory(Vec::new()),
            Some(_) => Rows::Spilled { ends: Vec::new(), entries: Numbers::new(limit) },
        };
        Self { rows, limit: limit.clone() }
    }

    /// Appends the rows of a batch.
    pub(super) fn add(&mut self, batch: Batch) {
        match &mut self.rows {
            Rows::InMemory(batches) => batches.push(batch),
            Rows::Spilled { ends, entries } => {
                let before = entries.len();
                ends.extend(batch.ends.iter().map(|end| before + end));
                let common = |&(local, count): &(u32, u32)| [batch.item_of[local as usize], count];
                let fresh: Vec<[u32; 2]> = batch.entries.iter().map(common).collect();
                entries.extend_from_slice(&fresh);
            }
        }
    }

    /// All rows with word ids, without the dropped words.
    pub(super) fn over(
        self,
        selection: &Selection,
        n_documents: usize,
        n_entries: usize,
    ) -> SparseCounts {
        let mut table = SparseCounts::with_columns(selection.vocabulary.len(), &self.limit);
        table.reserve(n_documents, n_entries);
        let (mut words, mut counts) = (Vec::new(), Vec::new());
        let mut push = |row: &mut dyn Iterator<Item = (u32, u32)>| {
            words.clear();
            counts.clear();
            for (item, count) in row {
                let word = selection.word_of_item[item as usize];
                if word != DROPPED {
                    words.push(word);
                    counts.push(count);
                }
            }
            table.push_row(&words, &counts);
        };
        match self.rows {
            // Batches are freed one by one, so that old and new rows are never both complete in memory.
            Rows::InMemory(batches) => {
                for batch in batches {
                    let item =
                        |&(local, count): &(u32, u32)| (batch.item_of[local as usize], count);
                    let mut start = 0;
                    for &end in &batch.ends {
                        push(&mut batch.entries[start..end].iter().map(item));
                        start = end;
                    }
                }
            }
            Rows::Spilled { ends, entries } => {
                let mut start = 0;
                for end in ends {
                    self.limit.touch((end - start) * size_of::<[u32; 2]>());
                    push(&mut entries[start..end].iter().map(|&[item, count]| (item, count)));
                    start = end;
                }
            }
        }
        table
    }
}
