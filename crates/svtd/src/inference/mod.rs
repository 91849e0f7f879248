//! Inference: what a fitted model says about documents.
//!
//! | model | question | answer |
//! |---|---|---|
//! | single topic | which topic is this document about? | [`posterior`], Remark 2.1 |
//! | LDA | which mixture of topics? | [`fixed_point`], without random numbers; or [`gibbs`], Remark 3.1 |
//!
//! [`Model::explain`] shows which words of a document pull it towards which topic, [`densest_passage`] where in its
//! text they are.
//!
//! A document is taken by itself, its words in the order of the model's vocabulary. So the answer
//! depends on nothing but the model and the document: training documents get, bit for bit, what
//! the same documents get as new ones.

mod batches;
mod examples;
mod explanation;
pub mod fixed_point;
pub mod gibbs;
mod passage;
pub mod posterior;

use rayon::prelude::*;

use crate::corpus::{Corpus, Vocabulary};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::model::{Lda, Model, SingleTopic, Topics};
use crate::tasks;

/// Words whose probabilities one task lays out.
const WORDS_PER_TASK: usize = 1024;
pub use batches::{Asked, BATCH, Batch};
pub use examples::best_documents;
pub use explanation::{ExplainedWord, Explainer, Explanation};
pub use gibbs::Gibbs;
pub use passage::densest_passage;

/// What a model says about the documents of a corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// Documents x topics; every row sums to one. A document without known words has the prior.
    pub mixtures: Matrix,
    /// Tokens that were left out because the model has never seen their words.
    pub n_unknown_tokens: u64,
    /// Documents without a single known word.
    pub n_without_words: usize,
    /// Only one side had names for its words, so they were matched by their numbers.
    pub matched_by_position: bool,
}

impl SingleTopic {
    /// The probability of every topic for every document (Remark 2.1).
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    pub fn infer(&self, corpus: &Corpus) -> Result<Inferred> {
        Ok(Asked::single_topic(self, corpus)?.all(&|_, _| {}))
    }
}

impl Lda {
    /// The mixture of topics of every document, by the deterministic fixed point.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    pub fn infer(&self, corpus: &Corpus) -> Result<Inferred> {
        Ok(Asked::lda(self, corpus)?.all(&|_, _| {}))
    }

    /// The mixture of topics of every document, by Gibbs sampling (Remark 3.1).
    ///
    /// # Errors
    /// When the corpus has no words in common with the model, or a document is longer than
    /// [`gibbs::MAX_LENGTH`].
    pub fn infer_by_gibbs(&self, corpus: &Corpus, gibbs: &Gibbs) -> Result<Inferred> {
        Ok(Asked::by_gibbs(self, corpus, gibbs)?.all(&|_, _| {}))
    }
}

impl Model {
    /// The topics of every document: posterior or mixture, whichever the model has.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    pub fn infer(&self, corpus: &Corpus) -> Result<Inferred> {
        self.infer_watched(corpus, &|_, _| {})
    }

    /// As [`infer`](Self::infer); `watch` is called now and then with the number of documents done and the number
    /// of all documents.
    ///
    /// # Errors
    /// As [`infer`](Self::infer).
    pub fn infer_watched(&self, corpus: &Corpus, watch: &dyn Fn(usize, usize)) -> Result<Inferred> {
        Ok(self.ask_about(corpus)?.all(watch))
    }

    /// As [`infer`](Self::infer), but one batch of documents at a time, for corpora whose mixtures would fill the
    /// memory.
    ///
    /// # Errors
    /// As [`infer`](Self::infer).
    pub fn ask_about<'a>(&'a self, corpus: &'a Corpus) -> Result<Asked<'a>> {
        match self {
            Model::SingleTopic(model) => Asked::single_topic(model, corpus),
            Model::Lda(model) => Asked::lda(model, corpus),
        }
    }
}

/// Word probabilities row by row, as inference reads them, with the Dirichlet parameter.
pub struct TopicTable {
    k: usize,
    rows: Vec<f64>,
    alpha: Vec<f64>,
}

impl TopicTable {
    /// Lays out the topics of a model.
    pub fn new(topics: &Topics, alpha: &[f64]) -> Self {
        Self {
            k: topics.len(),
            rows: topics.word_topic().transpose().values().to_vec(),
            alpha: alpha.to_vec(),
        }
    }

    /// A table of some words only; each word is numbered by its position in `words`.
    pub(crate) fn of_words(topics: &Topics, alpha: &[f64], words: &[u32]) -> Self {
        Self { k: topics.len(), rows: rows_of(topics, words), alpha: alpha.to_vec() }
    }

    /// Number of topics.
    pub fn n_topics(&self) -> usize {
        self.k
    }

    /// `mu_ij` over the topics, for word `i`.
    pub fn word(&self, word: u32) -> &[f64] {
        &self.rows[word as usize * self.k..][..self.k]
    }

    /// `alpha`.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }
}

/// Word probabilities row by row, for some words.
fn rows_of(topics: &Topics, words: &[u32]) -> Vec<f64> {
    let columns: Vec<&[f64]> = (0..topics.len()).map(|j| topics.word_topic().column(j)).collect();
    let k = columns.len().max(1);
    let mut rows = vec![0.0; words.len() * columns.len()];
    let lay = |(rows, words): (&mut [f64], &[u32])| {
        for (row, &word) in rows.chunks_exact_mut(k).zip(words) {
            row.iter_mut().zip(&columns).for_each(|(value, column)| *value = column[word as usize]);
        }
    };
    let parts = rows.par_chunks_mut(WORDS_PER_TASK * k).zip(words.par_chunks(WORDS_PER_TASK));
    tasks::fork(|| parts.for_each(|part| tasks::branch(|| lay(part))));
    rows
}

/// The words of a document with their counts, by ascending word id of the model.
pub type Words = [(u32, u32)];

/// Which word of the model each word of a corpus is.
pub(crate) struct Alignment {
    /// By word of the corpus; `None` for words the model has never seen.
    model_word: Vec<Option<u32>>,
    /// Whether one side has names and the other has not.
    by_position: bool,
}

impl Alignment {
    /// Matches words by name, or by number when either side has only numbers.
    pub(crate) fn new(topics: &Topics, corpus: &Corpus) -> Result<Self> {
        corpus.must_be_here("a look at single documents")?;
        Self::of_words(topics, corpus.vocabulary())
    }

    /// As [`new`](Self::new), for a corpus that may be elsewhere.
    pub(crate) fn of_words(topics: &Topics, other: &Vocabulary) -> Result<Self> {
        let model = topics.vocabulary();
        let seen = |word: u32| topics.iter().any(|t| t.probability(word as usize) > 0.0);
        let by_name = !model.is_numbered() && !other.is_numbered();
        if !by_name && model.len() != other.len() {
            return Err(mismatch(model, other, 0));
        }
        let lookup = |i: usize| {
            if by_name { model.id(&other.word(i)) } else { u32::try_from(i).ok() }
        };
        let shared: Vec<Option<u32>> = (0..other.len()).map(lookup).collect();
        let n_shared = shared.iter().flatten().count();
        if n_shared == 0 {
            return Err(mismatch(model, other, n_shared));
        }
        Ok(Self {
            model_word: shared.into_iter().map(|w| w.filter(|&i| seen(i))).collect(),
            by_position: model.is_numbered() != other.is_numbered(),
        })
    }

    /// With the words of the model's vocabulary that no topic has, too.
    pub(crate) fn with_impossible_words(topics: &Topics, corpus: &Corpus) -> Result<Self> {
        let seen = Self::new(topics, corpus)?;
        let (model, other) = (topics.vocabulary(), corpus.vocabulary());
        let by_name = !model.is_numbered() && !other.is_numbered();
        let word = |i: usize| match by_name {
            true => model.id(&other.word(i)),
            false => u32::try_from(i).ok(),
        };
        Ok(Self { model_word: (0..other.len()).map(word).collect(), ..seen })
    }

    /// Whether the model has never seen this word of the corpus.
    fn is_unknown(&self, word: u32) -> bool {
        self.model_word[word as usize].is_none()
    }

    /// The word of the model that a word of the corpus is.
    pub(crate) fn word(&self, word: u32) -> Option<u32> {
        self.model_word[word as usize]
    }

    /// The words of document `d` that the model knows, and how many tokens it does not know.
    pub(crate) fn document(&self, corpus: &Corpus, d: usize) -> (Vec<(u32, u32)>, u64) {
        let mut unknown = 0;
        let mut words = Vec::new();
        for (word, count) in corpus.document(d).words() {
            match self.model_word[word as usize] {
                Some(known) => words.push((known, count)),
                None => unknown += u64::from(count),
            }
        }
        words.sort_unstable();
        (words, unknown)
    }
}

fn mismatch(model: &Vocabulary, corpus: &Vocabulary, n_shared: usize) -> Error {
    Error::VocabularyMismatch {
        needed: format!("the {} words of the model", model.len()),
        found: format!("{} words of which it knows {n_shared}", corpus.len()),
    }
}
