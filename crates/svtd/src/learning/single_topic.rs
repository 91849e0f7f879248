//! Fitting the single-topic model: Algorithm 2 on the moments of Theorem 2.1, then EM.

use super::params::shared_params;
use crate::corpus::{Corpus, Dealt};
use crate::decomposition::{Method, ReadOff};
use crate::error::Result;
use crate::fit::accuracy::Accuracy;
use crate::fit::spectral::{Estimate, Half, Spectral, finish};
use crate::fit::stage::{Stage, Step};
use crate::fit::{em, learner, refusal};
use crate::memory;
use crate::model::features::{frequencies, lift};
use crate::model::{Em, Kind, Learner, Options, Polish, PolishOutcome, SingleTopic, Smoothing};
use crate::moments::{Counting, DocumentWeights, Rows, SingleTopicMoments};
use crate::noise;
use crate::trust;
use crate::whitening::Scaling;

/// How topics are computed from a rotation, by default.
const USUAL: ReadOff = ReadOff::Diagonals(Rows::Kept);

impl SingleTopic {
    /// Parameters for `n_topics` topics, all else at its default.
    pub fn params(n_topics: usize) -> SingleTopicParams {
        SingleTopicParams { options: Options::new(n_topics) }
    }
}

/// Parameters of the single-topic model.
#[derive(Clone, Debug)]
pub struct SingleTopicParams {
    pub(crate) options: Options,
}

shared_params!(SingleTopicParams);

impl SingleTopicParams {
    /// Learn by EM with restarts instead of moments, for comparison. Options about the moments and the polish then
    /// have no effect.
    pub fn by_em(mut self, em: Em) -> Self {
        self.options.learner = Learner::Em(em);
        self
    }

    /// Learns `(M, Omega)`: Algorithm 2 on the moments of Theorem 2.1, then EM.
    ///
    /// # Errors
    /// When the corpus cannot support the request: too few words or visible topics, no document
    /// of three words.
    pub fn fit(&self, corpus: &Corpus) -> Result<SingleTopic> {
        self.fit_watched(corpus, &|_| {})
    }

    /// As [`fit`](Self::fit), reporting each stage as it begins and continues.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<SingleTopic> {
        self.options.check()?;
        refusal::elsewhere(corpus, &self.options)?;
        memory::caught(|| {
            let (corpus, options) = self.options.in_key_order(corpus)?;
            let model = SingleTopicParams { options }.fit_in_order(&corpus, watch)?;
            Ok(model.with_options(self.options.clone()))
        })
    }

    /// Learns from documents in the order of their keys.
    fn fit_in_order(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<SingleTopic> {
        let options = &self.options;
        if let Some(options) = options.at_most(corpus.n_present()) {
            return SingleTopicParams { options }.fit_in_order(corpus, watch);
        }
        if let Learner::Em(em) = &options.learner {
            em.check()?;
            learner::check(corpus, options.n_topics)?;
            let learned = em.learn(corpus, options.n_topics, watch);
            let (topics, diagnostics) = learner::finish(corpus, learned);
            refusal::check(&topics, &[], &diagnostics)?;
            return Ok(SingleTopic::from_parts(topics, diagnostics, options.clone()));
        }
        let n_topics = refusal::attainable(corpus, options)?;
        let mut model = self.with_n_topics(n_topics).fit_by_moments(corpus, watch)?;
        model.diagnostics.notes.extend(refusal::fewer(options.n_topics, n_topics));
        refusal::check(&model.topics, &[], &model.diagnostics)?;
        model.options = options.clone();
        Ok(model)
    }

    fn fit_by_moments(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<SingleTopic> {
        let options = &self.options;
        watch(Stage::Moments.into());
        let moments = SingleTopicMoments::estimate(corpus, &options.weights, Counting::Raw)?;
        let mut spectral = Spectral::estimate(&moments, options, USUAL, watch)?;
        let to_the_end = em::EmOptions::to_the_end(Smoothing::Estimated);
        let estimate = self.polished(corpus, &mut spectral, to_the_end, watch);
        let evidence = options.trust.then(|| {
            let frame = trust::Frame::from(&moments);
            let learn = |half: Dealt| self.learn_part(corpus, half);
            let counting = Counting::Raw;
            let refitting =
                trust::Refitting { usual: USUAL, counting, learn: &learn, kind: Kind::SingleTopic };
            trust::assess(corpus, &frame, &spectral, &estimate, options, &refitting, watch)
        });
        let (topics, diagnostics, _) =
            finish(corpus, moments.effective_documents(), &spectral, estimate, evidence);
        Ok(SingleTopic::from_parts(topics, diagnostics, options.clone()))
    }

    /// Fits a part of the documents from scratch, as accurately as a comparison needs.
    fn learn_part(&self, corpus: &Corpus, half: Dealt) -> Result<Half> {
        let (part, documents) = corpus.part(half);
        let params = SingleTopicParams { options: self.options.of_part(&documents) };
        let (topics, directions) = {
            let moments =
                SingleTopicMoments::estimate(&part, &params.options.weights, Counting::Raw)?;
            let accuracy = Accuracy::Comparison;
            let mut spectral =
                Spectral::estimate_to(accuracy, &moments, &params.options, USUAL, &|_| {})?;
            let how = em::EmOptions::to_compare(Smoothing::Estimated);
            let topics = params.polished(&part, &mut spectral, how, &|_| {}).word_topic;
            (topics, noise::whitened(&spectral.whitening))
        };
        Ok(Half { corpus: part, options: params.options, topics, directions })
    }

    /// The spectral estimate after EM, in the `usual` way unless a number of steps was asked for.
    fn polished(
        &self,
        corpus: &Corpus,
        spectral: &mut Spectral,
        usual: em::EmOptions,
        watch: &dyn Fn(Step),
    ) -> Estimate {
        let how = match self.options.polish {
            Polish::None => return Estimate::unpolished(spectral, Kind::SingleTopic),
            Polish::Auto => usual,
            Polish::Steps(max_steps) => {
                em::EmOptions { max_steps, settled_below: None, leaving: false, ..usual }
            }
        };
        let (weights, lifted) = lift(&spectral.recovered.topic_weights);
        let frequencies = frequencies(corpus);
        let start = &spectral.recovered.word_topic;
        let polished = em::polish(corpus, start, &weights, &frequencies, how, watch);
        let outcome = PolishOutcome::Em { steps: polished.steps, settled: polished.settled };
        merged(spectral, polished, lifted, outcome)
    }
}

/// The polished topics, with identical ones merged.
fn merged(
    spectral: &mut Spectral,
    polished: em::Polished,
    lifted: Vec<bool>,
    polish: PolishOutcome,
) -> Estimate {
    let (merged, note) = em::merge_identical(polished);
    spectral.notes.extend(note);
    let (recovered, leaders) = (&mut spectral.recovered, &merged.leaders);
    recovered.clipped = leaders.iter().map(|&j| recovered.clipped[j]).collect();
    recovered.degenerate = leaders.iter().map(|&j| recovered.degenerate[j]).collect();
    spectral.kept = leaders.clone();
    let em::Merged { ref leaders, ref topic_weights, .. } = merged;
    // EM finds weights of its own: only a topic that is still next to nothing was raised to what it has.
    let (_, small) = lift(topic_weights);
    let lifted = leaders.iter().zip(small).map(|(&j, small)| lifted[j] && small).collect();
    let em::Merged { word_topic, topic_weights, documents, .. } = merged;
    Estimate { word_topic, topic_weights, documents: Some(documents), lifted, polish, prior: None }
}
