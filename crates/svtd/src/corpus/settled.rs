//! A corpus as it will be read back from a file: with its own names, columns and choice of words.

use std::sync::Arc;

use super::Corpus;
use crate::error::{Error, Result};
use crate::words::WordChoice;

impl Corpus {
    /// Keeps a column of the table from which the documents were read, one cell for each document; it replaces a
    /// column of the same name. Models do not use it.
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

    /// These documents as they will be read back from a file.
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

    /// This corpus, recorded as having this choice of words. The numbers of dropped words stay those of the
    /// original choice; the sizes are those of this corpus.
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
