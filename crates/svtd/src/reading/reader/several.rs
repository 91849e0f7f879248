//! Several inputs as one corpus.

use super::{CorpusReader, Opened};
use crate::corpus::Corpus;
use crate::corpus::united::{self, Part};
use crate::error::Result;
use crate::memory;
use crate::text::{Batch, Records, count_records};

impl CorpusReader {
    /// Reads several inputs as one corpus, documents in the order of the inputs.
    ///
    /// Text is counted as if it were one input. Counts are matched by word. If there are both, and the counts were
    /// once counted from text, text is split as it was then, and its words are those of the counts.
    ///
    /// # Errors
    /// As [`read`](Self::read); when inputs do not fit together, the message says which and why.
    pub fn read_all(&self, inputs: Vec<Opened>) -> Result<Corpus> {
        memory::caught(|| self.read_all_within(inputs))
    }

    fn read_all_within(&self, inputs: Vec<Opened>) -> Result<Corpus> {
        let (texts, counted): (Vec<Opened>, Vec<Opened>) =
            inputs.into_iter().partition(Opened::is_text);
        let mut parts = Vec::new();
        for opened in counted {
            let name = opened.name.clone();
            parts.push(Part { name, corpus: opened.read()? });
        }
        if let Some(first) = texts.first() {
            let name = first.name.clone();
            let known = match parts.is_empty() {
                true => None,
                false => Some(united::unite(std::mem::take(&mut parts))?),
            };
            let choice = known.as_ref().and_then(Corpus::word_choice);
            let (preprocessing, words) = match (choice, &known) {
                (Some(choice), Some(known)) => {
                    (choice.preprocessing.for_new_documents(), Some(known.vocabulary().clone()))
                }
                _ => (self.preprocessing.clone(), self.given_vocabulary()?),
            };
            let mut records =
                Chained::new(texts.into_iter().map(Opened::into_records).rev().collect());
            let corpus = count_records(&mut records, &preprocessing, words.as_ref(), &self.limit)?;
            let choice = choice.cloned();
            parts.extend(known.map(|corpus| Part { name: name.clone(), corpus }));
            parts.push(Part { name, corpus });
            let all = united::unite(parts)?;
            // The words were chosen when the counts were made, as when documents are added to a corpus.
            return Ok(match choice {
                Some(choice) => all.chosen_by(&choice),
                None => all,
            });
        }
        united::unite(parts)
    }
}

/// Streams of documents, one after the other.
struct Chained {
    /// The remaining streams, the next one last.
    streams: Vec<Result<Box<dyn Records>>>,
    /// The remarks of the finished streams.
    remarks: Vec<String>,
    n_skipped_links: u64,
}

impl Chained {
    fn new(streams: Vec<Result<Box<dyn Records>>>) -> Self {
        Chained { streams, remarks: Vec::new(), n_skipped_links: 0 }
    }
}

impl Records for Chained {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        while let Some(mut records) = self.streams.pop().transpose()? {
            if records.next_into(batch)? {
                self.streams.push(Ok(records));
                return Ok(true);
            }
            self.remarks.extend(records.remarks());
            self.n_skipped_links += records.n_skipped_links();
        }
        Ok(false)
    }

    fn n_skipped_links(&self) -> u64 {
        self.n_skipped_links
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }
}
