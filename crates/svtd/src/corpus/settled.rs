//! A corpus as a file will give it back: with names, columns and a choice of words of its own.

use std::sync::Arc;

use super::Corpus;
use crate::error::{Error, Result};
use crate::words::WordChoice;

impl Corpus {
    /// Keeps a column of the table that the documents came in, a cell for each document; one of the
    /// same name goes. No model looks at it.
    ///
    /// # Errors
    /// When there are not as many cells as documents.
    pub fn with_column(mut self, name: impl Into<String>, cells: Vec<String>) -> Result<Corpus> {
        if cells.len() != self.n_documents() {
            return Err(Error::NameCount { names: cells.len(), documents: self.n_documents() });
        }
        self.names = self.names.settled(cells.len()).with_column(name.into(), cells);
        Ok(self)
    }

    /// These documents as a file will give them back.
    pub(crate) fn settled(&self, documents: &[usize], zero_entries: u64) -> Corpus {
        let mut corpus = self.subset(documents);
        corpus.names = corpus.names.settled(documents.len());
        corpus.report.n_zero_entries = zero_entries;
        corpus.report.notes.clone_from(&self.report.notes);
        match self.word_choice() {
            Some(choice) => corpus.chosen_by(choice),
            None => corpus,
        }
    }

    /// The same corpus, whose words were chosen so. What was dropped stays what it was when they were
    /// chosen; the sizes are those of this corpus.
    pub(crate) fn chosen_by(mut self, choice: &WordChoice) -> Corpus {
        self.word_choice = Some(Arc::new(WordChoice {
            n_documents: self.n_documents() as u64,
            n_kept: self.n_present() as u64,
            n_kept_tokens: self.n_tokens(),
            ..choice.clone()
        }));
        self
    }
}
