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
use crate::model::Lda;
use crate::questions::{HeldOutRequest, Request, wrong_size};
use crate::stop;

const MOST: usize = Judgement::MOST;

/// How many sums are kept, for one document or many.
const N_SUMS: usize = 3 + 2 * MOST + MOST * (MOST + 1) / 2;

/// The held-out scores of several models, as sums over documents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    /// Number of scored documents, tokens, squared tokens; then the sums of each model's scores, and of the
    /// products of two models' scores.
    sums: [f64; N_SUMS],
}

impl Judgement {
    /// The largest number of models that are compared together.
    pub(crate) const MOST: usize = 3;

    /// Scores LDA models that were fitted to a training corpus on held-out documents; `None` when these have no
    /// words of it.
    pub(crate) fn of(training: &Corpus, documents: &Corpus, models: &[Lda]) -> Option<Self> {
        let request = || {
            let of_model =
                |model: &Lda| (model.topics().word_topic().clone(), model.alpha().to_vec());
            Request::HeldOut(HeldOutRequest {
                keys: training.vocabulary().is_numbered().then(|| keys_elsewhere(documents)),
                frequencies: frequencies_of(training),
                models: models.iter().map(of_model).collect(),
            })
        };
        if let Some(answer) = documents.asked_of_all_words(request) {
            let judged = Self::from_row(&answer.sums).unwrap_or_else(|error| stop::fail(error));
            return (judged.n_tokens() > 0.0).then_some(judged);
        }
        let words = HeldOutWords::new(training, documents)?;
        let of_model =
            |model: &Lda| words.completions_of_topics(model.topics().word_topic(), model.alpha());
        let scores: Vec<Completions> = models.iter().map(of_model).collect();
        Some(Self::of_scores(documents, &scores))
    }

    /// Sums the scores of documents.
    pub(crate) fn of_scores(documents: &Corpus, models: &[Completions]) -> Self {
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
        let (n, tokens) = (self.sums[0], self.n_tokens());
        if n <= 1.0 || tokens == 0.0 {
            return None;
        }
        let mean = values / tokens;
        let squares = square - 2.0 * mean * with_tokens + mean * mean * self.sums[2];
        let standard_error = (n / (n - 1.0) * squares.max(0.0)).sqrt() / tokens;
        Some(Ahead { per_token: mean, standard_error })
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

/// The keys of words without names, which documents elsewhere tell apart.
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
    use crate::model::Model;
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn sums_tell_what_documents_one_by_one_tell() {
        let source = LdaSource::zipf(200, 4, 5.0, 200.0, 1.0, 3);
        let [training, test] =
            [1, 2].map(|seed| source.draw(400, &Lengths::Uniform(0..=60), seed).0.into_key_order());
        let models = [1, 4, 3].map(|k| Lda::params(k).trust(false).fit(&training).unwrap());
        let judged = Judgement::of(&training, &test, &models).unwrap();
        let words = HeldOutWords::new(&training, &test).unwrap();
        let scores: Vec<Completions> =
            models.iter().map(|model| words.completions(&Model::Lda(model.clone()))).collect();
        for a in 0..3 {
            let expected = scores[a].total().perplexity().unwrap();
            assert!((judged.perplexity(a).unwrap() / expected - 1.0).abs() < 1e-12);
            for b in 0..3 {
                let (found, expected) =
                    (judged.ahead(a, b).unwrap(), scores[a].ahead_of(&scores[b]).unwrap());
                assert!((found.per_token - expected.per_token).abs() < 1e-12);
                assert!((found.standard_error - expected.standard_error).abs() < 1e-10);
            }
        }
    }
}
