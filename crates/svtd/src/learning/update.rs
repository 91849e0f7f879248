//! A model of documents that have changed; it starts from the topics of an earlier model and keeps their numbers.
//!
//! ```text
//! old topics over the new words ──► a few sweeps (LDA), or EM (single topic) ──► matched with the old
//! ```
//!
//! No moments are computed, no candidates are compared and no halves are fitted, so an update costs a small part of
//! a fit. In return it finds no topic that was not there before, and cannot say which topics would be found again.
//! It has error bars if the old model has them. A [cold](Update::cold) update is a fit from scratch with the
//! options of the old model, whose topics then get the numbers of those that they match.
//!
//! # Numbers and names
//! Topics are matched one to one as two models are [compared](crate::evaluation::Comparison). A topic
//! that matches keeps the number and the name of the old one. A pair that is no closer than either is to
//! another topic of its own model is no match: the old topic has vanished, and the other one is new.
//!
//! # What moved
//! Error bars say how far two estimates of one topic from different documents are apart by chance. The
//! distance of two topics (total variation) is then about
//!
//! ```text
//! expected = 1/2 sum_i sqrt(2/pi) sqrt(old error_i^2 + new error_i^2)
//! ```
//!
//! and a topic has moved when its distance is more than [`MOVED`] times that. If one of the models has no error
//! bars, those of the other are used, scaled by the square root of the numbers of documents. Most documents of an
//! update are in both corpora, so the error bars are rather too wide than too narrow.

use super::{LdaParams, SingleTopicParams};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::evaluation::{Comparison, TopicPair};
use crate::fit::collapsed_vb::{self, Prior};
use crate::fit::spectral::Estimate;
use crate::fit::stage::{Stage, Step};
use crate::fit::{documents, em, learner, refusal};
use crate::linalg::Matrix;
use crate::memory;
use crate::model::features::{frequencies, lift, to_vocabulary};
use crate::model::{
    Diagnostics, Lda, Model, Options, PolishOutcome, SingleTopic, Smoothing, Topics,
};
use crate::trust;

/// A topic has moved when its distance is more than this many times the one expected from the error bars.
pub const MOVED: f64 = 2.0;

/// Number of sweeps of an update of LDA. A fit makes more, because it starts further away.
pub const SWEEPS: usize = 8;

/// A model of documents that have changed.
#[derive(Debug)]
pub struct Update {
    /// The new model, with the numbers and names of the old one where topics match.
    pub model: Model,
    /// Whether it was fitted from scratch.
    pub cold: bool,
    /// What happened to each topic, in the order of the new model.
    pub topics: Vec<TopicUpdate>,
    /// Topics of the old model that no topic of the new one matches, from zero.
    pub vanished: Vec<usize>,
}

/// What happened to a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicUpdate {
    /// Its number in the old model, from zero; `None` when it is new.
    pub old: Option<usize>,
    /// How far it is from the old one, as total variation from 0 to 1.
    pub distance: Option<f64>,
    /// The distance expected from the error bars; `None` when there are none.
    pub expected: Option<f64>,
    /// The match, with the words that gained and lost.
    pub pair: Option<TopicPair>,
}

impl TopicUpdate {
    /// Whether it moved beyond its error bars; `None` when it is new, or there are none.
    pub fn has_moved(&self) -> Option<bool> {
        Some(self.distance? > MOVED * self.expected?)
    }
}

impl Update {
    /// Updates a model to a corpus, starting from its topics; `n_words` words that gained and lost are listed for
    /// each. If the old model's topics come from the moments alone, or from a rival, there is no polish to
    /// continue, and the update is [cold](Self::cold).
    ///
    /// # Errors
    /// When the corpus has no word in common with the model, or cannot support as many topics.
    pub fn warm(
        old: &Model,
        corpus: &Corpus,
        n_words: usize,
        watch: &dyn Fn(Step),
    ) -> Result<Self> {
        Self::warm_by(SWEEPS, old, corpus, n_words, watch)
    }

    /// As [`warm`](Self::warm), with a given number of sweeps instead of [`SWEEPS`], for LDA.
    ///
    /// # Errors
    /// As [`warm`](Self::warm).
    pub fn warm_by(
        n_sweeps: usize,
        old: &Model,
        corpus: &Corpus,
        n_words: usize,
        watch: &dyn Fn(Step),
    ) -> Result<Self> {
        let started = memory::caught(|| {
            let (ordered, _) = corpus.in_key_order(None);
            Ok::<_, Error>(match (old, &old.diagnostics().polish) {
                (Model::Lda(old), PolishOutcome::Sweeps { drawn_to_corpus, .. }) => {
                    let as_model = drawn_to_corpus.is_some();
                    Some(Model::Lda(swept(n_sweeps, old, &ordered, as_model, watch)?))
                }
                (Model::SingleTopic(old), PolishOutcome::Em { .. }) => {
                    Some(Model::SingleTopic(climbed(old, &ordered, watch)?))
                }
                _ => None,
            })
        })?;
        match started {
            Some(started) => Self::matched(old, started, false, n_words),
            None => Self::cold(old, corpus, n_words, watch),
        }
    }

    /// Fits the corpus from scratch, with the options of the old model, and numbers the topics as in that model.
    ///
    /// # Errors
    /// As a fit, and when the corpus has no word in common with the model.
    pub fn cold(
        old: &Model,
        corpus: &Corpus,
        n_words: usize,
        watch: &dyn Fn(Step),
    ) -> Result<Self> {
        let mut options = old.options().clone();
        // The number of topics was chosen for the old corpus.
        options.chosen = None;
        let fitted = match old {
            Model::Lda(_) => Model::Lda(LdaParams { options }.fit_watched(corpus, watch)?),
            Model::SingleTopic(_) => {
                Model::SingleTopic(SingleTopicParams { options }.fit_watched(corpus, watch)?)
            }
        };
        Self::matched(old, fitted, true, n_words)
    }

    /// Gives the topics the numbers and names of those that they match.
    fn matched(old: &Model, new: Model, cold: bool, n_words: usize) -> Result<Self> {
        let comparison = Comparison::new(old.topics(), new.topics(), n_words)?;
        let (k, sure) = (new.topics().len(), |pair: &&TopicPair| !pair.doubtful);
        let mut order: Vec<Option<usize>> = vec![None; k];
        for pair in comparison.pairs.iter().filter(sure).filter(|pair| pair.old < k) {
            order[pair.old] = Some(pair.new);
        }
        let taken: Vec<usize> = order.iter().flatten().copied().collect();
        let mut left = (0..k).filter(|j| !taken.contains(j));
        // As many topics are left as numbers are free.
        let order: Vec<usize> =
            order.iter().map(|place| place.or_else(|| left.next()).unwrap_or_default()).collect();
        let mut model = reordered(&new, &order);
        let ratio = old.diagnostics().n_documents as f64 / new.diagnostics().n_documents as f64;
        let topic = |&j: &usize| {
            let pair = comparison.pairs.iter().filter(sure).find(|pair| pair.new == j);
            TopicUpdate {
                old: pair.map(|pair| pair.old),
                distance: pair.map(|pair| pair.distance),
                expected: pair.and_then(|pair| expected(old.topics(), new.topics(), pair, ratio)),
                pair: pair.cloned(),
            }
        };
        let topics: Vec<TopicUpdate> = order.iter().map(topic).collect();
        let name = |topic: &TopicUpdate| {
            topic.old.and_then(|j| old.topics().topic(j).name().map(str::to_owned))
        };
        model.set_names(topics.iter().map(name).collect())?;
        let stayed = |j: &usize| topics.iter().any(|topic| topic.old == Some(*j));
        let vanished = (0..old.topics().len()).filter(|j| !stayed(j)).collect();
        Ok(Self { model, cold, topics, vanished })
    }
}

/// The expected distance of two estimates of a topic, from their error bars. `ratio` is the number of old documents
/// over that of new ones.
fn expected(old: &Topics, new: &Topics, pair: &TopicPair, ratio: f64) -> Option<f64> {
    let sum = |old: Option<&[f64]>, new: Option<&[f64]>| -> Option<f64> {
        // Squared errors are proportional to the inverse of the number of documents.
        let (errors, factor) = match (old, new) {
            (Some(old), Some(new)) if old.len() == new.len() => {
                let both = old.iter().zip(new).map(|(a, b)| (a * a + b * b).sqrt());
                return Some(both.sum());
            }
            (_, Some(new)) => (new, 1.0 + 1.0 / ratio),
            (Some(old), None) => (old, 1.0 + ratio),
            (None, None) => return None,
        };
        Some(factor.sqrt() * errors.iter().sum::<f64>())
    };
    // Words have the same numbers only if the vocabularies are the same.
    let same = old.vocabulary() == new.vocabulary();
    let old_errors = old.errors().map(|errors| errors.column(pair.old));
    let new_errors = new.errors().map(|errors| errors.column(pair.new));
    let old_errors = if same || new_errors.is_none() { old_errors } else { None };
    Some(0.5 * (2.0 / std::f64::consts::PI).sqrt() * sum(old_errors, new_errors)?)
}

/// The topics of a model over the words that occur in a corpus, as its features. A word that is not in the model
/// begins with its frequency in the corpus, in every topic.
fn over_features(old: &Topics, corpus: &Corpus) -> Result<Matrix> {
    let vocabulary = corpus.vocabulary();
    let named = !vocabulary.is_numbered() && !old.vocabulary().is_numbered();
    let old_id = |feature: usize| {
        let word = corpus.word_of_feature()[feature] as usize;
        match named {
            true => old.vocabulary().id(&vocabulary.word(word)).map(|id| id as usize),
            false => (word < old.vocabulary().len()).then_some(word),
        }
    };
    let ids: Vec<Option<usize>> = (0..corpus.n_present()).map(old_id).collect();
    if ids.iter().all(Option::is_none) {
        return Err(Error::VocabularyMismatch {
            needed: format!("some of the {} words of the model", old.vocabulary().len()),
            found: format!("{} others", corpus.n_words()),
        });
    }
    let frequencies = frequencies(corpus);
    let mut start = Matrix::zeros(ids.len(), old.len());
    for j in 0..old.len() {
        let probability = |(feature, id): (usize, &Option<usize>)| match id {
            Some(id) => old.word_topic()[(*id, j)],
            None => frequencies[feature],
        };
        let column: Vec<f64> = ids.iter().enumerate().map(probability).collect();
        let total: f64 = column.iter().sum();
        // A topic without any remaining word begins with the frequencies of the corpus.
        for (feature, value) in start.column_mut(j).iter_mut().enumerate() {
            *value = if total > 0.0 { column[feature] / total } else { frequencies[feature] };
        }
    }
    Ok(start)
}

/// LDA: sweeps from the old topics, with the same kind of prior as before.
fn swept(
    n_sweeps: usize,
    old: &Lda,
    corpus: &Corpus,
    as_model: bool,
    watch: &dyn Fn(Step),
) -> Result<Lda> {
    let k = old.topics().len();
    learner::check(corpus, k)?;
    let start = over_features(old.topics(), corpus)?;
    let alpha0 = old.options().alpha0.unwrap_or(1.0);
    let prior = match as_model {
        true => Prior::of_model(corpus, alpha0, k),
        false => Prior::of_text(start.n_rows()),
    };
    let swept = collapsed_vb::polish(corpus, &start, &prior, n_sweeps, watch);
    let polish = PolishOutcome::Sweeps {
        sweeps: n_sweeps,
        held_out: None,
        repeats_explained: None,
        drawn_to_corpus: as_model.then(|| prior.strength()),
    };
    let alpha = prior.alpha(&swept.topic_weights);
    let estimate = Estimate {
        word_topic: swept.word_topic,
        documents: Some(documents::by_words(corpus, &swept.topic_weights)),
        topic_weights: swept.topic_weights,
        lifted: vec![false; k],
        polish,
        prior: Some(prior),
    };
    let before = (old.options(), old.diagnostics());
    let (topics, diagnostics) = finish(before, corpus, estimate, watch);
    refusal::check(&topics, &alpha, &diagnostics)?;
    Ok(Lda::from_parts(topics, alpha, diagnostics, old.options().clone()))
}

/// The single-topic model: EM from the old topics.
fn climbed(old: &SingleTopic, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<SingleTopic> {
    learner::check(corpus, old.topics().len())?;
    let start = over_features(old.topics(), corpus)?;
    let (weights, lifted) = lift(old.topics().weights());
    let how = em::EmOptions::to_the_end(Smoothing::Estimated);
    let found = em::polish(corpus, &start, &weights, &frequencies(corpus), how, watch);
    let estimate = Estimate {
        word_topic: found.word_topic,
        topic_weights: found.topic_weights,
        documents: Some(found.documents),
        lifted,
        polish: PolishOutcome::Em { steps: found.steps, settled: found.settled },
        prior: None,
    };
    let before = (old.options(), old.diagnostics());
    let (topics, diagnostics) = finish(before, corpus, estimate, watch);
    refusal::check(&topics, &[], &diagnostics)?;
    Ok(SingleTopic::from_parts(topics, diagnostics, old.options().clone()))
}

/// Topics over the words of the corpus, with error bars if the old model has them.
fn finish(
    (options, before): (&Options, &Diagnostics),
    corpus: &Corpus,
    estimate: Estimate,
    watch: &dyn Fn(Step),
) -> (Topics, Diagnostics) {
    let errors = match options.trust {
        true => {
            watch(Stage::Trust.into());
            trust::errors(corpus, &estimate)
        }
        false => None,
    };
    let errors = errors.map(|errors| to_vocabulary(corpus, &errors));
    let note = format!(
        "updated from a model of {} documents: no moments were taken, so nothing says which topics \
         would be found again",
        before.n_documents
    );
    let documents = estimate.documents_of(corpus.n_documents() as f64);
    let Estimate { word_topic, topic_weights, polish, .. } = estimate;
    let diagnostics = learner::without_moments(corpus, &documents, polish, vec![note]);
    let word_topic = to_vocabulary(corpus, &word_topic);
    let topics = Topics::new(corpus.vocabulary().clone(), word_topic, topic_weights);
    (topics.with_errors(errors), diagnostics)
}

/// The same model with its topics in another order.
fn reordered(model: &Model, order: &[usize]) -> Model {
    let topics = model.topics().reordered(order);
    let mut diagnostics = model.diagnostics().clone();
    diagnostics.topics = order
        .iter()
        .map(|&j| {
            let mut topic = model.diagnostics().topics[j].clone();
            topic.trust = topic.trust.map(|trust| trust.renumbered(order));
            topic
        })
        .collect();
    let options = model.options().clone();
    match model {
        Model::Lda(lda) => {
            let alpha = order.iter().map(|&j| lda.alpha()[j]).collect();
            Model::Lda(Lda::from_parts(topics, alpha, diagnostics, options))
        }
        Model::SingleTopic(_) => {
            Model::SingleTopic(SingleTopic::from_parts(topics, diagnostics, options))
        }
    }
}

#[cfg(test)]
mod tests;
