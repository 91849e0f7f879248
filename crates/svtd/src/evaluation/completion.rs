//! Document completion: how well a model predicts words it has not seen.
//!
//! Each token of a document falls independently into an observed or a held-out half
//! ([`token_halves`](super::token_halves)). The topics of the document are inferred from the observed half, and the
//! held-out half is scored by
//!
//! ```text
//! log P(word i | document) = log sum_j theta_j mu_ij
//! ```
//!
//! with `theta` the mixture (LDA) or the posterior over topics (single topic). Unlike a likelihood
//! bound this can be compared between models of any kind. Words that are not in the model's vocabulary cannot be
//! predicted by it; they are left out and counted.
//!
//! # Errors
//! Documents are what is independent, so they give the standard error: with `l_d` the score of a
//! document's `n_d` held-out tokens and `L = sum l_d / sum n_d`,
//!
//! ```text
//! se(L)^2 = N / (N - 1)  sum_d (l_d - L n_d)^2  /  (sum_d n_d)^2
//! ```
//!
//! A copy of a document is no further evidence: the `l_d` and `n_d` of equal documents are added up before they are
//! squared, and `N` is the number of different documents. (Not so in the sums of
//! [`judgement`](super::judgement): who holds a document need not hold its copies.)
//!
//! Two models are compared on the same halves of the same documents, with the differences of their `l_d` in place
//! of `l_d` ([`Completions::ahead_of`]). A difference has a far smaller error than either score; a difference
//! within its standard error is not called a difference.

#[cfg(test)]
mod tests;

use std::borrow::Borrow;

use rayon::prelude::*;

use crate::corpus::{Corpus, Vocabulary, mixed};
use crate::error::Result;
use crate::evaluation::token_halves::TokenHalves;
use crate::inference::posterior::{LEAST, LogTable};
use crate::inference::{Alignment, TopicTable, fixed_point};
use crate::linalg::Matrix;
use crate::model::features::{frequencies, mixed_with, to_vocabulary};
use crate::model::{Lda, Model, Topics};
use crate::tasks;

/// How well held-out words were predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Mean log probability (natural) of a held-out token; `None` when there was none to predict.
    pub log_likelihood: Option<f64>,
    /// The standard error of that mean over the documents; `None` when fewer than two different ones were scored.
    pub standard_error: Option<f64>,
    /// Tokens that were predicted.
    pub n_tokens: u64,
    /// Tokens of words that the model has never seen, left out.
    pub n_unknown_tokens: u64,
}

impl Completion {
    /// The number of equally likely words that would be as hard to guess; lower is better.
    pub fn perplexity(&self) -> Option<f64> {
        self.log_likelihood.map(|mean| (-mean).exp())
    }
}

/// How well the held-out words of each document were predicted, document by document.
#[derive(Clone, Debug, PartialEq)]
pub struct Completions {
    documents: Vec<Completed>,
}

/// The difference between two models on the same held-out words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// The difference of the mean log probabilities of a token; negative when the first model is worse.
    pub per_token: f64,
    /// The standard error of the difference over the documents.
    pub standard_error: f64,
}

impl Ahead {
    /// Whether the first model is better by more than one standard error.
    pub fn is_clear(&self) -> bool {
        self.per_token > self.standard_error
    }
}

/// The score of one document.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Completed {
    /// Sum of the log probabilities of its held-out tokens.
    log_likelihood: f64,
    /// Tokens that were predicted.
    n_tokens: u64,
    n_unknown_tokens: u64,
    /// A hash of the tokens that were predicted.
    predicted: u64,
    /// How many documents have the same words, itself included.
    n_copies: u32,
}

impl Completions {
    /// The score of all documents together.
    pub fn total(&self) -> Completion {
        let n_tokens = self.n_tokens();
        let scores: Vec<f64> = self.documents.iter().map(|d| d.log_likelihood).collect();
        let mean = self.mean(&scores);
        Completion {
            log_likelihood: mean,
            standard_error: mean.and_then(|mean| self.error(&scores, mean)),
            n_tokens,
            n_unknown_tokens: self.documents.iter().map(|d| d.n_unknown_tokens).sum(),
        }
    }

    /// The number of predicted tokens of document `d`, and the sum of their log probabilities.
    pub(crate) fn score(&self, d: usize) -> (f64, f64) {
        let Completed { log_likelihood, n_tokens, .. } = self.documents[d];
        (n_tokens as f64, log_likelihood)
    }

    /// The difference of these predictions to another model's; `None` when the two models did not predict the same
    /// words, or fewer than two different documents were scored.
    pub fn ahead_of(&self, other: &Completions) -> Option<Ahead> {
        let predicted = |all: &Self| {
            let words = |d: &Completed| (d.n_tokens, d.predicted);
            all.documents.iter().map(words).collect::<Vec<(u64, u64)>>()
        };
        if predicted(self) != predicted(other) {
            return None;
        }
        let pairs = self.documents.iter().zip(&other.documents);
        let differences: Vec<f64> =
            pairs.map(|(a, b)| a.log_likelihood - b.log_likelihood).collect();
        let per_token = self.mean(&differences)?;
        Some(Ahead { per_token, standard_error: self.error(&differences, per_token)? })
    }

    fn n_tokens(&self) -> u64 {
        self.documents.iter().map(|d| d.n_tokens).sum()
    }

    /// The mean per token of values given for each document.
    fn mean(&self, values: &[f64]) -> Option<f64> {
        let n_tokens = self.n_tokens();
        (n_tokens > 0).then(|| values.iter().sum::<f64>() / n_tokens as f64)
    }

    fn error(&self, values: &[f64], mean: f64) -> Option<f64> {
        let scored = || self.documents.iter().zip(values).filter(|(d, _)| d.n_tokens > 0);
        let n = scored().map(|(d, _)| 1.0 / f64::from(d.n_copies)).sum::<f64>().round();
        let square = |(d, v): (&Completed, &f64)| {
            f64::from(d.n_copies) * (v - mean * d.n_tokens as f64).powi(2)
        };
        let squares: f64 = scored().map(square).sum();
        (n > 1.0).then(|| (n / (n - 1.0) * squares).sqrt() / self.n_tokens() as f64)
    }
}

impl Model {
    /// Predicts one half of every document's words from the other.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    pub fn completion(&self, corpus: &Corpus) -> Result<Completion> {
        Ok(self.completions(corpus)?.total())
    }

    /// As [`completion`](Self::completion), with one score for each document, to compare models with.
    ///
    /// # Errors
    /// As [`completion`](Self::completion).
    pub fn completions(&self, corpus: &Corpus) -> Result<Completions> {
        // All words of the vocabulary occurred where the model was fitted: one that no topic has is known, and
        // impossible.
        let alignment = match self.diagnostics().n_words_present == self.topics().vocabulary().len()
        {
            true => Alignment::with_impossible_words(self.topics(), corpus)?,
            false => Alignment::new(self.topics(), corpus)?,
        };
        let frequencies = self.topics().mean_word_probabilities();
        let halves = TokenHalves::new(corpus);
        let halving = Halving {
            impossible: frequencies.iter().map(|p| *p <= 0.0).collect(),
            ..Halving::new(corpus, &halves, &alignment)
        };
        let frequency = |word: u32| frequencies[word as usize];
        // A document's halves are dropped once it is scored, so that the documents can be more than memory holds.
        Ok(completions((self.topics(), self.alpha()), &halving.words, corpus.n_documents(), |d| {
            halving.document(d, &frequency)
        }))
    }

    /// The Dirichlet parameter of the mixtures; `None` for a single-topic model.
    pub(super) fn alpha(&self) -> Option<&[f64]> {
        match self {
            Model::Lda(model) => Some(model.alpha()),
            Model::SingleTopic(_) => None,
        }
    }
}

impl Lda {
    /// Perplexity of one half of every document's words given the other; `None` when no document
    /// shares words with the model.
    pub fn completion_perplexity(&self, corpus: &Corpus) -> Option<f64> {
        Model::Lda(self.clone()).completion(corpus).ok()?.perplexity()
    }
}

impl Topics {
    /// The probability of each word in all topics together.
    fn mean_word_probabilities(&self) -> Vec<f64> {
        let mut means = vec![0.0; self.vocabulary().len()];
        for (j, weight) in self.weights().iter().enumerate() {
            for (mean, p) in means.iter_mut().zip(self.word_topic().column(j)) {
                *mean += weight * p;
            }
        }
        means
    }
}

/// Documents that were held out from a training corpus, split into observed and held-out words, to score all models
/// fitted to that corpus. A small share of the corpus's word frequencies is mixed into every topic, so that no word
/// of the corpus has probability zero.
pub(crate) struct HeldOutWords {
    documents: Vec<Halves>,
    /// The words of the corpus that occur in the documents; the halves number words by their position here.
    words: Vec<u32>,
    /// Word frequencies in the training corpus, in the order of its vocabulary.
    frequencies: Vec<f64>,
}

impl HeldOutWords {
    /// Splits the held-out documents; `None` when they have no word of the training corpus.
    pub fn new(training: &Corpus, documents: &Corpus) -> Option<Self> {
        let halves = TokenHalves::new(documents);
        Self::of_words(training.vocabulary(), frequencies_of(training), documents, &halves)
    }

    /// As [`new`](Self::new), with the frequencies of the words in the training corpus given.
    pub fn of_words(
        vocabulary: &Vocabulary,
        frequencies: Vec<f64>,
        documents: &Corpus,
        halves: &TokenHalves,
    ) -> Option<Self> {
        let words = Matrix::from_columns(frequencies.len(), 1, frequencies.clone());
        let known = Topics::new(vocabulary.clone(), words, vec![1.0]);
        let alignment = Alignment::new(&known, documents).ok()?;
        let halving = Halving::new(documents, halves, &alignment);
        let documents = halving.documents(|word| frequencies[word as usize]);
        let any = documents.iter().any(|halves| !halves.held_out.is_empty());
        any.then_some(Self { words: halving.words, documents, frequencies })
    }

    /// The scores of a model fitted to the training corpus.
    pub fn completions(&self, model: &Model) -> Completions {
        let topics = model.topics();
        let alpha = model.alpha();
        let prior = alpha.unwrap_or(topics.weights());
        self.completions_of(topics.word_topic(), prior, alpha.is_none())
    }

    /// The scores of topics over the words of the training corpus. `prior` is the Dirichlet parameter of the
    /// mixtures or, if each document has a single topic, the weights of the topics.
    pub fn completions_of(
        &self,
        word_topic: &Matrix,
        prior: &[f64],
        single_topic: bool,
    ) -> Completions {
        let mixed = mixed_with(word_topic, &self.frequencies, CORPUS_SHARE);
        let topics = Topics::new(Vocabulary::numbered(mixed.n_rows()), mixed, prior.to_vec());
        let model = (&topics, (!single_topic).then_some(prior));
        completions(model, &self.words, self.documents.len(), |d| &self.documents[d])
    }
}

/// The relative frequency of each word of the vocabulary in a corpus.
pub(crate) fn frequencies_of(corpus: &Corpus) -> Vec<f64> {
    let present = Matrix::from_columns(corpus.n_present(), 1, frequencies(corpus));
    to_vocabulary(corpus, &present).column(0).to_vec()
}

/// The share of the corpus's word frequencies that is mixed into every topic before it is scored.
const CORPUS_SHARE: f64 = 0.01;

/// The score of a document's held-out words.
fn completed(table: &TopicTable, halves: &Halves, mixture: &[f64]) -> Completed {
    let &Halves { ref held_out, n_unknown, predicted, n_copies, .. } = halves;
    let score = |&(word, x): &(u32, u32)| {
        let parts = table.word(word).iter().zip(mixture);
        let probability: f64 = parts.map(|(m, t)| m * t).sum();
        f64::from(x) * probability.max(LEAST).ln()
    };
    Completed {
        log_likelihood: held_out.iter().map(score).sum(),
        n_tokens: held_out.iter().map(|&(_, x)| u64::from(x)).sum(),
        n_unknown_tokens: n_unknown,
        predicted,
        n_copies,
    }
}

/// How documents are split into halves for models with the same vocabulary.
struct Halving<'a> {
    corpus: &'a Corpus,
    halves: &'a TokenHalves,
    alignment: &'a Alignment,
    /// The words of the model that occur, ascending. The halves number words by their position in this list.
    words: Vec<u32>,
    /// The position of each word of the model in `words`.
    places: Vec<u32>,
    /// How many documents have the same words as each.
    copies: Vec<u32>,
    /// Words of the model that no topic has: nothing is inferred from them. Empty if there are none.
    impossible: Vec<bool>,
}

impl<'a> Halving<'a> {
    fn new(corpus: &'a Corpus, halves: &'a TokenHalves, alignment: &'a Alignment) -> Self {
        let present = &corpus.word_of_feature()[..corpus.n_present()];
        let mut words: Vec<u32> = present.iter().filter_map(|&word| alignment.word(word)).collect();
        words.sort_unstable();
        let mut places = vec![0; words.last().map_or(0, |&last| last as usize + 1)];
        words.iter().zip(0..).for_each(|(&word, place)| places[word as usize] = place);
        let (copies, impossible) = (halves.copies(), Vec::new());
        Self { corpus, halves, alignment, words, places, copies, impossible }
    }

    /// The halves of document `d`; `frequency` is of words of the model, to rank words without names that occur
    /// alike.
    fn document(&self, d: usize, frequency: &impl Fn(u32) -> f64) -> Halves {
        let before = |word: u32| self.alignment.word(word).map_or(0.0, frequency);
        let mut split = Halves { n_copies: self.copies[d], ..Halves::default() };
        for entry in self.halves.document(self.corpus, d, before) {
            match self.alignment.word(entry.word) {
                Some(word) => {
                    let place = self.places[word as usize];
                    let held_out = mixed(u64::from(entry.held_out));
                    let token = mixed(self.halves.word_key(entry.word) ^ held_out);
                    split.predicted = split.predicted.wrapping_add(token);
                    let Halves { observed, held_out, .. } = &mut split;
                    let tells = !self.impossible.get(word as usize).is_some_and(|never| *never);
                    let sides =
                        [(observed, entry.observed, tells), (held_out, entry.held_out, true)];
                    for (side, count, wanted) in sides {
                        if count > 0 && wanted {
                            side.push((place, count));
                        }
                    }
                }
                None => split.n_unknown += u64::from(entry.observed) + u64::from(entry.held_out),
            }
        }
        split
    }

    /// The halves of all documents.
    fn documents(&self, frequency: impl Fn(u32) -> f64 + Sync) -> Vec<Halves> {
        let one = |d| tasks::branch(|| self.document(d, &frequency));
        tasks::fork(|| (0..self.corpus.n_documents()).into_par_iter().map(one).collect())
    }
}

/// The scores of topics for documents that are split by `halves_of`: mixed by the Dirichlet parameter `alpha`, or
/// one topic for each document. `words` are the words of the topics that the halves number.
fn completions<H: Borrow<Halves>>(
    (topics, alpha): (&Topics, Option<&[f64]>),
    words: &[u32],
    n_documents: usize,
    halves_of: impl Fn(usize) -> H + Sync,
) -> Completions {
    let no_alpha = vec![0.0; topics.len()];
    let table = TopicTable::of_words(topics, alpha.unwrap_or(&no_alpha), words);
    let logarithms = alpha.is_none().then(|| LogTable::of_words(topics, words));
    let one = |d: usize| {
        crate::stop::here();
        let halves = halves_of(d);
        let halves = halves.borrow();
        let mixture = match &logarithms {
            Some(logarithms) => logarithms.posterior(&halves.observed),
            None => fixed_point::mixture(&table, &halves.observed),
        };
        completed(&table, halves, &mixture)
    };
    let one = |d| tasks::branch(|| one(d));
    let documents = tasks::fork(|| (0..n_documents).into_par_iter().map(one).collect());
    Completions { documents }
}

/// The two halves of the tokens of a document.
#[derive(Default)]
struct Halves {
    observed: Half,
    held_out: Half,
    /// Tokens that the model does not know, in either half.
    n_unknown: u64,
    /// A hash of the held-out tokens.
    predicted: u64,
    /// How many documents have the same words, itself included.
    n_copies: u32,
}

/// Some of the tokens of a document, as `(word, count)`.
type Half = Vec<(u32, u32)>;
