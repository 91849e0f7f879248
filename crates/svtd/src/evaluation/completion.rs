//! Document completion: how well a model predicts words it has not seen.
//!
//! The tokens of a document, in the order of its words, go alternately to an observed and a
//! held-out half. The topics of the document are inferred from the first half, and the second is
//! scored by
//!
//! ```text
//! log P(word i | document) = log sum_j theta_j mu_ij
//! ```
//!
//! with `theta` the mixture (LDA) or the posterior over topics (single topic). Unlike a likelihood
//! bound this can be compared between models of any kind. Words the model has never seen cannot be
//! predicted by it at all; they are left out, and counted.

use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::error::Result;
use crate::inference::posterior::{LEAST, LogTable};
use crate::inference::{Alignment, TopicTable, Words, fixed_point};
use crate::model::{Lda, Model};

/// How well held-out words were predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Mean log probability (natural) of a held-out token; `None` when there was none to predict.
    pub log_likelihood: Option<f64>,
    /// Tokens that were predicted.
    pub n_tokens: u64,
    /// Tokens of words that the model has never seen, left out.
    pub n_unknown_tokens: u64,
}

impl Completion {
    fn of(documents: &[Completed]) -> Self {
        let n_tokens: u64 = documents.iter().map(|d| d.n_tokens).sum();
        let total: f64 = documents.iter().map(|d| d.log_likelihood).sum();
        Self {
            log_likelihood: (n_tokens > 0).then(|| total / n_tokens as f64),
            n_tokens,
            n_unknown_tokens: documents.iter().map(|d| d.n_unknown_tokens).sum(),
        }
    }

    /// The number of equally likely words that would be as hard to guess; lower is better.
    pub fn perplexity(&self) -> Option<f64> {
        self.log_likelihood.map(|mean| (-mean).exp())
    }
}

impl Model {
    /// Predicts the second half of every document from its first half.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    pub fn completion(&self, corpus: &Corpus) -> Result<Completion> {
        Ok(Completion::of(&self.completions(corpus)?))
    }

    /// The same, a document at a time.
    fn completions(&self, corpus: &Corpus) -> Result<Vec<Completed>> {
        let alignment = Alignment::new(self.topics(), corpus)?;
        Ok(self.completions_of(&Halved::new(corpus, &alignment)))
    }

    /// The same for documents that are cut in halves already.
    pub(crate) fn completions_of(&self, halved: &Halved) -> Vec<Completed> {
        let topics = self.topics();
        match self {
            Model::Lda(model) => {
                let table = TopicTable::of_words(topics, model.alpha(), &halved.words);
                halved.complete(&table, |words| fixed_point::mixture(&table, words))
            }
            Model::SingleTopic(_) => {
                let no_alpha = vec![0.0; topics.len()];
                let table = TopicTable::of_words(topics, &no_alpha, &halved.words);
                let logarithms = LogTable::of_words(topics, &halved.words);
                halved.complete(&table, |words| logarithms.posterior(words))
            }
        }
    }
}

impl Lda {
    /// Perplexity of the second half of every document given its first half.
    ///
    /// `None` when no document shares words enough with the model to be completed.
    pub fn completion_perplexity(&self, corpus: &Corpus) -> Option<f64> {
        completion_perplexity(&TopicTable::new(self.topics(), self.alpha()), corpus)
    }
}

/// Perplexity of the second half of every document given its first half, for documents whose words
/// are numbered as the table's. Lower is better; `None` when nothing is left to predict.
pub fn completion_perplexity(table: &TopicTable, corpus: &Corpus) -> Option<f64> {
    let known = |&(word, _): &(u32, u32)| table.word(word).iter().any(|&m| m > 0.0);
    let document = |d: usize| {
        crate::stop::here();
        let mut words: Vec<(u32, u32)> = corpus.document(d).words().filter(known).collect();
        words.sort_unstable();
        let (observed, held_out) = halves(&words);
        completed(table, &held_out, &fixed_point::mixture(table, &observed), 0)
    };
    let documents: Vec<Completed> =
        (0..corpus.n_documents()).into_par_iter().map(document).collect();
    Completion::of(&documents).perplexity()
}

/// A completed document.
pub(crate) struct Completed {
    /// Log probability of its held-out tokens.
    pub log_likelihood: f64,
    /// Tokens that were predicted.
    pub n_tokens: u64,
    n_unknown_tokens: u64,
}

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

/// Documents cut in halves once, for many models of the same vocabulary that know the same words.
pub(crate) struct Halved {
    /// Words of the model that occur, rising. The halves number words by their places here.
    words: Vec<u32>,
    documents: Vec<(Half, Half, u64)>,
}

impl Halved {
    /// Cuts the documents of a corpus.
    pub(crate) fn new(corpus: &Corpus, alignment: &Alignment) -> Self {
        let all = 0..corpus.n_documents();
        let known: Vec<(Half, u64)> =
            all.into_par_iter().map(|d| alignment.document(corpus, d)).collect();
        let mut words: Vec<u32> =
            known.iter().flat_map(|(words, _)| words.iter().map(|&(word, _)| word)).collect();
        words.par_sort_unstable();
        words.dedup();
        let mut place = vec![0; words.last().map_or(0, |&last| last as usize + 1)];
        words.iter().enumerate().for_each(|(at, &word)| place[word as usize] = at as u32);
        let cut = |(mut document, unknown): (Half, u64)| {
            document.iter_mut().for_each(|(word, _)| *word = place[*word as usize]);
            let (observed, held_out) = halves(&document);
            (observed, held_out, unknown)
        };
        let documents = known.into_par_iter().map(cut).collect();
        Self { words, documents }
    }

    fn complete(
        &self,
        table: &TopicTable,
        mixture: impl Fn(&Words) -> Vec<f64> + Sync,
    ) -> Vec<Completed> {
        let one = |(observed, held_out, unknown): &(Half, Half, u64)| {
            crate::stop::here();
            completed(table, held_out, &mixture(observed), *unknown)
        };
        self.documents.par_iter().map(one).collect()
    }
}

/// Words with counts, some of the tokens of a document.
type Half = Vec<(u32, u32)>;

/// Splits the tokens of a document alternately, the first one being observed.
fn halves(words: &Words) -> (Half, Half) {
    let (mut observed, mut held_out) = (Vec::new(), Vec::new());
    let mut position = 0_u64;
    for &(word, x) in words {
        let odd_start = position % 2 == 1;
        let first = if odd_start { x / 2 } else { x.div_ceil(2) };
        for (half, count) in [(&mut observed, first), (&mut held_out, x - first)] {
            if count > 0 {
                half.push((word, count));
            }
        }
        position += u64::from(x);
    }
    (observed, held_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};
    use crate::{SingleTopic, Vocabulary};

    #[test]
    fn halves_alternate_over_all_tokens() {
        let (observed, held_out) = halves(&[(1, 3), (2, 1), (5, 2)]);
        // Tokens 1 1 1 2 5 5: observed at even places 1 1 5, held out 1 2 5.
        assert_eq!(observed, [(1, 2), (5, 1)]);
        assert_eq!(held_out, [(1, 1), (2, 1), (5, 1)]);
    }

    #[test]
    fn one_topic_is_completed_by_its_word_frequencies() {
        // With one topic the document does not matter: every held-out token costs log mu_i.
        let source = SingleTopicSource::zipf(20, 1, 2.0, 10.0, 1.0, 1);
        let corpus = source.draw(60, &Lengths::Fixed(15), 2).0;
        let model = Model::SingleTopic(SingleTopic::params(1).fit(&corpus).unwrap());
        let mut expected = 0.0;
        for d in 0..corpus.n_documents() {
            let mut words: Vec<(u32, u32)> = corpus.document(d).words().collect();
            words.sort_unstable();
            let tokens: Vec<u32> =
                words.iter().flat_map(|&(w, x)| vec![w; x as usize]).skip(1).step_by(2).collect();
            let topic = model.topics().topic(0);
            expected += tokens.iter().map(|&w| topic.probability(w as usize).ln()).sum::<f64>();
        }
        let found = model.completion(&corpus).unwrap();
        assert_eq!((found.n_tokens, found.n_unknown_tokens), (60 * 7, 0));
        assert!((found.log_likelihood.unwrap() - expected / (60.0 * 7.0)).abs() < 1e-12);
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
        let found = model.completion(&named(&["x", "b", "a"], &[&[(0, 5), (1, 2), (2, 2)]]));
        let found = found.unwrap();
        assert_eq!((found.n_tokens, found.n_unknown_tokens), (2, 5));
        assert!((found.perplexity().unwrap() - 2.0).abs() < 1e-9);
    }
}
