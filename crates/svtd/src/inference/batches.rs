//! Documents answered a batch at a time.
//!
//! A document's topics depend on no other document, so only one batch need be in memory: `svtd infer` writes each
//! batch before it asks for the next.

use std::ops::Range;

use rayon::prelude::*;

use super::{Alignment, Gibbs, Inferred, TopicTable, Words, fixed_point, posterior};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::model::{Lda, SingleTopic, Topics};

/// How many documents are inferred at a time.
pub const BATCH: usize = 4096;

/// How the words of a document become its topics.
type Infer<'a> = Box<dyn Fn(&Words) -> Vec<f64> + Sync + 'a>;

/// A model, ready to infer the topics of the documents of a corpus.
pub struct Asked<'a> {
    corpus: &'a Corpus,
    n_topics: usize,
    alignment: Alignment,
    infer: Infer<'a>,
}

/// The topics of a run of consecutive documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Documents x topics, a document's numbers side by side.
    pub mixtures: Vec<f64>,
    /// Tokens that were left out because the model has never seen their words.
    pub n_unknown_tokens: u64,
    /// Documents without a single known word.
    pub n_without_words: usize,
}

impl<'a> Asked<'a> {
    /// The posterior of single topics.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    pub fn single_topic(model: &'a SingleTopic, corpus: &'a Corpus) -> Result<Self> {
        let table = posterior::LogTable::new(model.topics());
        Self::new(model.topics(), corpus, Box::new(move |words| table.posterior(words)))
    }

    /// Mixtures of LDA by the fixed point.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    pub fn lda(model: &'a Lda, corpus: &'a Corpus) -> Result<Self> {
        let table = TopicTable::new(model.topics(), model.alpha());
        let infer = move |words: &Words| fixed_point::mixture(&table, words);
        Self::new(model.topics(), corpus, Box::new(infer))
    }

    /// Mixtures of LDA by Gibbs sampling.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model, or a document is longer than
    /// [`gibbs::MAX_LENGTH`](super::gibbs::MAX_LENGTH).
    pub fn by_gibbs(model: &'a Lda, corpus: &'a Corpus, gibbs: &'a Gibbs) -> Result<Self> {
        Gibbs::check(corpus)?;
        let table = TopicTable::new(model.topics(), model.alpha());
        let infer = move |words: &Words| gibbs.mixture(&table, words);
        Self::new(model.topics(), corpus, Box::new(infer))
    }

    fn new(topics: &Topics, corpus: &'a Corpus, infer: Infer<'a>) -> Result<Self> {
        corpus.must_be_here("inference")?;
        let alignment = Alignment::new(topics, corpus)?;
        Ok(Self { corpus, n_topics: topics.len(), alignment, infer })
    }

    /// Number of documents in the corpus.
    pub fn n_documents(&self) -> usize {
        self.corpus.n_documents()
    }

    /// Number of topics of the model.
    pub fn n_topics(&self) -> usize {
        self.n_topics
    }

    /// Whether words were matched by their numbers, because only one side has names for them.
    pub fn matched_by_position(&self) -> bool {
        self.alignment.by_position
    }

    /// The topics of a range of documents. Before every [`BATCH`] of them, `watch` is called with the number of the
    /// next document and the number of all documents.
    pub fn over(&self, documents: Range<usize>, watch: &dyn Fn(usize, usize)) -> Batch {
        let mut all = Batch::default();
        for first in documents.clone().step_by(BATCH) {
            watch(first, self.n_documents());
            self.add(first..documents.end.min(first + BATCH), &mut all);
        }
        all
    }

    fn add(&self, documents: Range<usize>, batch: &mut Batch) {
        let answer = |d: usize| {
            crate::stop::here();
            let (words, unknown) = self.alignment.document(self.corpus, d);
            ((self.infer)(&words), unknown, words.is_empty())
        };
        let answers: Vec<(Vec<f64>, u64, bool)> = documents.into_par_iter().map(answer).collect();
        for (mixture, unknown, without_words) in answers {
            batch.mixtures.extend(mixture);
            batch.n_unknown_tokens += unknown;
            batch.n_without_words += usize::from(without_words);
        }
    }

    /// The topics of all documents. `watch` is called now and then with the number of documents done and the number
    /// of all documents.
    pub fn all(&self, watch: &dyn Fn(usize, usize)) -> Inferred {
        let n = self.n_documents();
        let all = self.over(0..n, watch);
        Inferred {
            mixtures: Matrix::from_columns(self.n_topics, n, all.mixtures).transpose(),
            n_unknown_tokens: all.n_unknown_tokens,
            n_without_words: all.n_without_words,
            matched_by_position: self.matched_by_position(),
        }
    }
}
