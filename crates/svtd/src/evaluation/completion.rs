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
//! Two models are compared on the same halves of the same documents, with the differences of their `l_d` in place
//! of `l_d` ([`Completions::ahead_of`]). A difference has a far smaller error than either score; a difference
//! within its standard error is not called a difference.

use rayon::prelude::*;

use crate::corpus::{Corpus, Vocabulary};
use crate::error::Result;
use crate::evaluation::token_halves::TokenHalves;
use crate::inference::posterior::{LEAST, LogTable};
use crate::inference::{Alignment, TopicTable, Words, fixed_point};
use crate::linalg::Matrix;
use crate::model::features::{frequencies, mixed_with, to_vocabulary};
use crate::model::{Lda, Model, Topics};
use crate::tasks;

/// How well held-out words were predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Mean log probability (natural) of a held-out token; `None` when there was none to predict.
    pub log_likelihood: Option<f64>,
    /// The standard error of that mean over the documents; `None` when fewer than two were scored.
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
    /// words, or fewer than two documents were scored.
    pub fn ahead_of(&self, other: &Completions) -> Option<Ahead> {
        let tokens = |all: &Self| all.documents.iter().map(|d| d.n_tokens).collect::<Vec<u64>>();
        if tokens(self) != tokens(other) {
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
        let n = scored().count() as f64;
        let squares: f64 = scored().map(|(d, v)| (v - mean * d.n_tokens as f64).powi(2)).sum();
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
        let alignment = Alignment::new(self.topics(), corpus)?;
        let frequencies = self.topics().mean_word_probabilities();
        let halves = TokenHalves::new(corpus);
        let halved = Halved::new(corpus, &halves, &alignment, |word| frequencies[word as usize]);
        Ok(halved.completed_by(self.topics(), self.alpha()))
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
    halved: Halved,
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
        let frequency = |word: u32| frequencies[word as usize];
        let halved = Halved::new(documents, halves, &alignment, frequency);
        let any = halved.documents.iter().any(|(_, held_out, _)| !held_out.is_empty());
        any.then_some(Self { halved, frequencies })
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
        self.halved.completed_by(&topics, (!single_topic).then_some(prior))
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
fn completed(table: &TopicTable, held_out: &Words, mixture: &[f64], unknown: u64) -> Completed {
    let score = |&(word, x): &(u32, u32)| {
        let parts = table.word(word).iter().zip(mixture);
        let probability: f64 = parts.map(|(m, t)| m * t).sum();
        f64::from(x) * probability.max(LEAST).ln()
    };
    Completed {
        log_likelihood: held_out.iter().map(score).sum(),
        n_tokens: held_out.iter().map(|&(_, x)| u64::from(x)).sum(),
        n_unknown_tokens: unknown,
    }
}

/// Documents split into halves once, for several models with the same vocabulary.
struct Halved {
    /// The words of the model that occur, ascending. The halves number words by their position in this list.
    words: Vec<u32>,
    documents: Vec<(Half, Half, u64)>,
}

impl Halved {
    /// Cuts the documents of a corpus; `frequency` is of words of the model, to rank words without
    /// names that occur alike.
    fn new(
        corpus: &Corpus,
        halves: &TokenHalves,
        alignment: &Alignment,
        frequency: impl Fn(u32) -> f64 + Sync,
    ) -> Self {
        let before = |word: u32| alignment.word(word).map_or(0.0, &frequency);
        let cut = |d: usize| {
            let (mut observed, mut held_out, mut unknown) = (Vec::new(), Vec::new(), 0);
            for entry in halves.document(corpus, d, before) {
                match alignment.word(entry.word) {
                    Some(word) => {
                        let sides =
                            [(&mut observed, entry.observed), (&mut held_out, entry.held_out)];
                        for (side, count) in sides {
                            if count > 0 {
                                side.push((word, count));
                            }
                        }
                    }
                    None => unknown += u64::from(entry.observed) + u64::from(entry.held_out),
                }
            }
            (observed, held_out, unknown)
        };
        let cut = |d| tasks::branch(|| cut(d));
        let mut documents: Vec<(Half, Half, u64)> =
            tasks::fork(|| (0..corpus.n_documents()).into_par_iter().map(cut).collect());
        let entries = || documents.iter().flat_map(|(a, b, _)| a.iter().chain(b));
        let mut place = vec![0; entries().map(|&(word, _)| word + 1).max().unwrap_or(0) as usize];
        entries().for_each(|&(word, _)| place[word as usize] = 1);
        let mut words = Vec::new();
        for (word, place) in (0..).zip(&mut place) {
            if std::mem::replace(place, words.len() as u32) == 1 {
                words.push(word);
            }
        }
        let renumber = |(observed, held_out, _): &mut (Half, Half, u64)| {
            let entries = observed.iter_mut().chain(held_out);
            entries.for_each(|(word, _)| *word = place[*word as usize]);
        };
        let renumber = |document| tasks::branch(|| renumber(document));
        tasks::fork(|| documents.par_iter_mut().for_each(renumber));
        Self { words, documents }
    }

    /// The scores of topics: mixed by the Dirichlet parameter `alpha`, or one for each document.
    fn completed_by(&self, topics: &Topics, alpha: Option<&[f64]>) -> Completions {
        match alpha {
            Some(alpha) => {
                let table = TopicTable::of_words(topics, alpha, &self.words);
                self.complete(&table, |words| fixed_point::mixture(&table, words))
            }
            None => {
                let no_alpha = vec![0.0; topics.len()];
                let table = TopicTable::of_words(topics, &no_alpha, &self.words);
                let logarithms = LogTable::of_words(topics, &self.words);
                self.complete(&table, |words| logarithms.posterior(words))
            }
        }
    }

    fn complete(
        &self,
        table: &TopicTable,
        mixture: impl Fn(&Words) -> Vec<f64> + Sync,
    ) -> Completions {
        let one = |(observed, held_out, unknown): &(Half, Half, u64)| {
            crate::stop::here();
            completed(table, held_out, &mixture(observed), *unknown)
        };
        let one = |document| tasks::branch(|| one(document));
        Completions { documents: tasks::fork(|| self.documents.par_iter().map(one).collect()) }
    }
}

/// Some of the tokens of a document, as `(word, count)`.
type Half = Vec<(u32, u32)>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SingleTopic;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};

    #[test]
    fn one_topic_is_completed_by_its_word_frequencies() {
        // With one topic the document does not matter: every held-out token costs log mu_i.
        let source = SingleTopicSource::zipf(20, 1, 2.0, 10.0, 1.0, 1);
        let corpus = source.draw(60, &Lengths::Fixed(15), 2).0;
        let model = Model::SingleTopic(SingleTopic::params(1).fit(&corpus).unwrap());
        let halves = TokenHalves::new(&corpus);
        let topic = model.topics().topic(0);
        let mut scores = Vec::new();
        for d in 0..corpus.n_documents() {
            let words = halves.document(&corpus, d, |word| topic.probability(word as usize));
            let score = |h: &crate::evaluation::token_halves::Halved| {
                f64::from(h.held_out) * topic.probability(h.word as usize).ln()
            };
            let n: u32 = words.iter().map(|h| h.held_out).sum();
            scores.push((words.iter().map(score).sum::<f64>(), f64::from(n)));
        }
        let (total, tokens) = scores.iter().fold((0.0, 0.0), |a, s| (a.0 + s.0, a.1 + s.1));
        let found = model.completion(&corpus).unwrap();
        assert_eq!((found.n_tokens as f64, found.n_unknown_tokens), (tokens, 0));
        assert!((found.log_likelihood.unwrap() - total / tokens).abs() < 1e-12);
        let squares: f64 = scores.iter().map(|s| (s.0 - total / tokens * s.1).powi(2)).sum();
        let error = (squares * 60.0 / 59.0).sqrt() / tokens;
        assert!((found.standard_error.unwrap() - error).abs() < 1e-12);
    }

    #[test]
    fn words_are_matched_by_name_and_unknown_ones_counted() {
        let named = |words: &[&str], documents: &[&[(u32, u32)]]| {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            let mut builder =
                Corpus::builder(words.len()).vocabulary(Vocabulary::from_words(words).unwrap());
            for document in documents {
                builder.push_document(document.iter().copied()).unwrap();
            }
            builder.build().unwrap()
        };
        let training = named(&["a", "b"], &[&[(0, 3), (1, 1)], &[(0, 1), (1, 3)]]);
        let model = Model::SingleTopic(SingleTopic::params(1).fit(&training).unwrap());
        let found = model.completion(&named(&["x", "b", "a"], &[&[(0, 5), (1, 20), (2, 20)]]));
        let found = found.unwrap();
        assert_eq!(found.n_unknown_tokens, 5);
        assert!((10..=30).contains(&found.n_tokens), "{found:?}");
        assert!((found.perplexity().unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(found.standard_error, None);
        // The same documents with their words in another order.
        let turned = model.completion(&named(&["a", "b", "x"], &[&[(0, 20), (1, 20), (2, 5)]]));
        assert_eq!(turned.unwrap(), found);
    }

    #[test]
    fn a_better_model_is_clearly_ahead_and_none_is_ahead_of_itself() {
        let source = LdaSource::zipf(200, 4, 5.0, 200.0, 1.0, 3);
        let [training, test] =
            [1, 2].map(|seed| source.draw(600, &Lengths::Uniform(20..=60), seed).0);
        let [one, four] = [1, 4].map(|k| {
            let model = Model::Lda(Lda::params(k).trust(false).fit(&training).unwrap());
            model.completions(&test).unwrap()
        });
        let ahead = four.ahead_of(&one).unwrap();
        let (a, b) = (four.total(), one.total());
        let difference = a.log_likelihood.unwrap() - b.log_likelihood.unwrap();
        assert!((ahead.per_token - difference).abs() < 1e-12);
        assert!(ahead.is_clear() && !one.ahead_of(&four).unwrap().is_clear(), "{ahead:?}");
        let itself = four.ahead_of(&four).unwrap();
        assert_eq!((itself.per_token, itself.standard_error), (0.0, 0.0));
        assert!(!itself.is_clear());
        // Pairs are known better than either score.
        assert!(ahead.standard_error < 0.5 * a.standard_error.unwrap(), "{ahead:?} {a:?}");
    }
}
