//! Several models compared on the same held-out words, by sums over documents.
//!
//! Let `l_d` be the first model's score of a document's `n_d` held-out tokens, and `e_d` the score of another model
//! minus `l_d`. The means and their [errors](super::completion) need the sums of `n`, `n^2`, `l`, `l n`, `l^2`,
//! `e`, `e n` and the products of the `e`. Differences are summed rather than scores: they are small, and their
//! squares would be lost in the rounding of the scores' squares.

use super::completion::{Ahead, Completions, HeldOutWords, frequencies_of};
use super::token_halves::keys_without_names;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::model::Model;
use crate::questions::{HeldOutRequest, Request, wrong_size};
use crate::stop;

const MOST: usize = Judgement::MOST;

/// The number of sums in a [`Judgement`]: three totals, two sums for each model, and one for each pair of models, those
/// of a model with itself included.
const N_SUMS: usize = 3 + 2 * MOST + MOST * (MOST + 1) / 2;

/// The held-out scores of several models, as sums over documents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    /// Number of scored documents, tokens, squared tokens. Then for each model the sums over documents of its score, of
    /// the score times the tokens, and of its products with the scores of this and all later models.
    sums: [f64; N_SUMS],
}

/// Documents that were held out from a training corpus, here or elsewhere, and on which models are scored.
pub(crate) struct Judge<'a> {
    documents: &'a Corpus,
    held: Held,
}

enum Held {
    Here(HeldOutWords),
    Elsewhere {
        /// Keys of the words, if these have no names.
        keys: Option<Vec<u64>>,
        /// Word frequencies in the training corpus.
        frequencies: Vec<f64>,
    },
}

/// The scores of a model, with which it can be compared to others later.
pub(crate) struct Scores {
    pub judgement: Judgement,
    /// The score of each document, if they are here.
    documents: Option<Completions>,
}

impl<'a> Judge<'a> {
    /// `None` when the held-out documents have no words of the training corpus.
    pub(crate) fn new(training: &Corpus, documents: &'a Corpus) -> Option<Self> {
        let held = match documents.is_elsewhere() {
            false => Held::Here(HeldOutWords::new(training, documents)?),
            true => Held::Elsewhere {
                keys: training.vocabulary().is_numbered().then(|| keys_elsewhere(documents)),
                frequencies: frequencies_of(training),
            },
        };
        Some(Self { documents, held })
    }

    /// Scores models of one kind, at most [`Judgement::MOST`]; `None` when no word can be predicted.
    pub(crate) fn judge(&self, models: &[&Model]) -> Option<Judgement> {
        let judged = match &self.held {
            Held::Here(words) => {
                let scores: Vec<Completions> =
                    models.iter().map(|model| words.completions(model)).collect();
                Judgement::of_scores(self.documents, &scores.iter().collect::<Vec<_>>())
            }
            Held::Elsewhere { keys, frequencies } => {
                let of_model = |model: &&Model| {
                    let topics = model.topics();
                    let prior = model.alpha().unwrap_or(topics.weights()).to_vec();
                    (topics.word_topic().clone(), prior)
                };
                let request = || {
                    Request::HeldOut(HeldOutRequest {
                        keys: keys.clone(),
                        frequencies: frequencies.clone(),
                        single_topic: models.iter().all(|model| model.alpha().is_none()),
                        models: models.iter().map(of_model).collect(),
                    })
                };
                let answer = self.documents.asked_of_all_words(request).unwrap_or_default();
                Judgement::from_row(&answer.sums).unwrap_or_else(|error| stop::fail(error))
            }
        };
        (judged.n_tokens() > 0.0).then_some(judged)
    }

    /// Scores a model.
    pub(crate) fn scores(&self, model: &Model) -> Option<Scores> {
        match &self.held {
            Held::Here(words) => {
                let scores = words.completions(model);
                let judgement = Judgement::of_scores(self.documents, &[&scores]);
                Some(Scores { judgement, documents: Some(scores) })
            }
            Held::Elsewhere { .. } => {
                Some(Scores { judgement: self.judge(&[model])?, documents: None })
            }
        }
    }

    /// How far a model is ahead of each of others. Where documents are elsewhere they are asked again, with the
    /// models that `leader` and `other` give.
    pub(crate) fn ahead_of(
        &self,
        first: &Scores,
        others: &[&Scores],
        leader: impl FnOnce() -> Model,
        other: impl Fn(usize) -> Model,
    ) -> Vec<Option<Ahead>> {
        if let Some(own) = &first.documents {
            let ahead = |other: &&Scores| {
                let other = other.documents.as_ref()?;
                Judgement::of_scores(self.documents, &[own, other]).ahead(0, 1)
            };
            return others.iter().map(ahead).collect();
        }
        let leader = leader();
        let mut ahead = Vec::with_capacity(others.len());
        while ahead.len() < others.len() {
            let some = ahead.len()..others.len().min(ahead.len() + MOST - 1);
            let models: Vec<Model> = some.map(&other).collect();
            let compared: Vec<&Model> = [&leader].into_iter().chain(&models).collect();
            let judged = self.judge(&compared);
            ahead.extend((1..compared.len()).map(|i| judged.as_ref()?.ahead(0, i)));
        }
        ahead
    }
}

impl Judgement {
    /// The largest number of models that are compared together.
    pub(crate) const MOST: usize = 3;

    /// Sums the scores of documents.
    pub(crate) fn of_scores(documents: &Corpus, models: &[&Completions]) -> Self {
        let sums = documents.rows().sum_rows(|d| {
            let mut sums = [0.0; N_SUMS];
            let Some((tokens, first)) = models.first().map(|model| model.score(d)) else {
                return sums;
            };
            if tokens == 0.0 {
                return sums;
            }
            let mut values = [0.0; MOST];
            values[0] = first;
            for (value, model) in values.iter_mut().zip(models).skip(1) {
                *value = model.score(d).1 - first;
            }
            (sums[0], sums[1], sums[2]) = (1.0, tokens, tokens * tokens);
            let mut at = 3;
            let mut put = |value: f64| {
                sums[at] = value;
                at += 1;
            };
            for a in 0..MOST {
                put(values[a]);
                put(values[a] * tokens);
                (a..MOST).for_each(|b| put(values[a] * values[b]));
            }
            sums
        });
        Self { sums }
    }

    pub(crate) fn to_row(&self) -> Vec<f64> {
        self.sums.to_vec()
    }

    fn from_row(row: &[f64]) -> Result<Self> {
        let sums = row.try_into().map_err(|_| wrong_size(row.len(), N_SUMS))?;
        Ok(Self { sums })
    }

    fn n_tokens(&self) -> f64 {
        self.sums[1]
    }

    /// The mean log probability of a token under the first model; `None` when none was predicted.
    pub(crate) fn log_likelihood(&self) -> Option<f64> {
        (self.n_tokens() > 0.0).then(|| self.value(0) / self.n_tokens())
    }

    /// The standard error of that mean over the documents; `None` when fewer than two were scored.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        let mean = self.log_likelihood()?;
        let with_tokens = self.sums[self.place(0) + 1];
        self.error(mean, with_tokens, self.product(0, 0))
    }

    /// The perplexity of one model.
    pub(crate) fn perplexity(&self, model: usize) -> Option<f64> {
        let mut score = self.value(0);
        if model > 0 {
            score += self.value(model);
        }
        (self.n_tokens() > 0.0).then(|| (-score / self.n_tokens()).exp())
    }

    /// The difference between two models; `None` when fewer than two documents were scored.
    pub(crate) fn ahead(&self, model: usize, other: usize) -> Option<Ahead> {
        // Both scores are kept as differences to the first model, whose own difference is zero.
        let part = |model: usize, sum: &dyn Fn(usize) -> f64| match model {
            0 => 0.0,
            model => sum(model),
        };
        let difference = |sum: &dyn Fn(usize) -> f64| part(model, sum) - part(other, sum);
        let values = difference(&|a| self.value(a));
        let with_tokens = difference(&|a| self.sums[self.place(a) + 1]);
        let square = part(model, &|a| self.product(a, a)) + part(other, &|b| self.product(b, b))
            - 2.0 * part(model, &|a| part(other, &|b| self.product(a, b)));
        if self.n_tokens() == 0.0 {
            return None;
        }
        let mean = values / self.n_tokens();
        Some(Ahead { per_token: mean, standard_error: self.error(mean, with_tokens, square)? })
    }

    /// The standard error of a mean per token, from the sums over documents of a value times the tokens and of its
    /// square; `None` when fewer than two documents were scored.
    fn error(&self, mean: f64, with_tokens: f64, square: f64) -> Option<f64> {
        let n = self.sums[0];
        let squares = square - 2.0 * mean * with_tokens + mean * mean * self.sums[2];
        (n > 1.0).then(|| (n / (n - 1.0) * squares.max(0.0)).sqrt() / self.n_tokens())
    }

    /// Where the sums of a model begin.
    fn place(&self, model: usize) -> usize {
        3 + (0..model).map(|a| 2 + MOST - a).sum::<usize>()
    }

    fn value(&self, model: usize) -> f64 {
        self.sums[self.place(model)]
    }

    /// The sum of products of two models' values.
    fn product(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (a.min(b), a.max(b));
        self.sums[self.place(a) + 2 + b - a]
    }
}

/// The keys of words without names, computed from the documents of all holders.
fn keys_elsewhere(documents: &Corpus) -> Vec<u64> {
    let n = documents.n_words();
    keys_without_names(n, |words| {
        let request = || Request::WordKeys(words.to_vec());
        let sums = documents.asked_of_all_words(request).unwrap_or_default().whole;
        match sums.len() == n {
            true => sums,
            false => stop::fail(wrong_size(sums.len(), n)),
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::Lda;
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn sums_tell_what_documents_one_by_one_tell() {
        let source = LdaSource::zipf(200, 4, 5.0, 200.0, 1.0, 3);
        let [training, test] =
            [1, 2].map(|seed| source.draw(400, &Lengths::Uniform(0..=60), seed).0.into_key_order());
        let models =
            [1, 4, 3].map(|k| Model::Lda(Lda::params(k).trust(false).fit(&training).unwrap()));
        let judge = Judge::new(&training, &test).unwrap();
        let judged = judge.judge(&models.each_ref()).unwrap();
        let words = HeldOutWords::new(&training, &test).unwrap();
        let scores = models.each_ref().map(|model| words.completions(model));
        for a in 0..3 {
            let total = scores[a].total();
            let expected = total.perplexity().unwrap();
            assert!((judged.perplexity(a).unwrap() / expected - 1.0).abs() < 1e-12);
            let alone = judge.scores(&models[a]).unwrap().judgement;
            let difference = alone.log_likelihood().unwrap() - total.log_likelihood.unwrap();
            assert!(difference.abs() < 1e-12);
            let difference = alone.standard_error().unwrap() - total.standard_error.unwrap();
            assert!(difference.abs() < 1e-10);
            for b in 0..3 {
                let (found, expected) =
                    (judged.ahead(a, b).unwrap(), scores[a].ahead_of(&scores[b]).unwrap());
                assert!((found.per_token - expected.per_token).abs() < 1e-12);
                assert!((found.standard_error - expected.standard_error).abs() < 1e-10);
            }
        }
    }
}
