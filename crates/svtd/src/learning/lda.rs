//! Latent Dirichlet Allocation: documents mix topics.
//!
//! The spectral estimate is Algorithm 2 on the moments of Theorem 3.1. Real text repeats words
//! more than the model allows, so with [`Polish::Auto`] three candidates compete:
//!
//! 1. *unpolished*: topics from the moments of the raw counts;
//! 2. *as the model has it*: the same, then sweeps of collapsed variational Bayes over the counts,
//!    with the model's own priors of topics and mixtures;
//! 3. *as text has it*: topics from the moments of damped counts `1 + log x`, then passes over the
//!    raw counts with priors that suit text.
//!
//! On data that follow the model the second is the most accurate; on text the third is. Mostly the
//! counts show at once that they are text, because no `k` topics could explain how often words are
//! repeated ([`repeats`](crate::fit::repeats)). If not, the candidates compete
//! ([`contest`](crate::fit::contest)): all are fitted without a tenth of the documents. The one that best
//! predicts one half of the words of those held-out documents from the other half is fitted again on all
//! documents. A later candidate in the list replaces an earlier one only if it is ahead by more than the
//! standard error of the difference, computed document by document.
//!
//! # Departure
//! The tenth held out is chosen by the documents' content, not by their place in the file: a
//! file sorted by subject then does not decide the comparison, and reordering it changes nothing.

use super::params::shared_params;
use crate::corpus::{Corpus, Dealt};
use crate::decomposition::{Method, ReadOff};
use crate::error::{Error, Result};
use crate::evaluation::Judge;
use crate::fit::accuracy::Accuracy;
use crate::fit::collapsed_vb::{self, Prior};
use crate::fit::contest::{self, Candidate, Contest};
use crate::fit::spectral::{Estimate, Half, Spectral, finish};
use crate::fit::stage::{Stage, Step};
use crate::fit::{documents, learner, refusal, repeats};
use crate::memory;
use crate::model::{
    CollapsedGibbs, DEFAULT_ALPHA0, Kind, Lda, Learner, Model, Options, Polish, PolishOutcome,
};
use crate::moments::{Counting, DocumentWeights, LdaMoments, Rows};
use crate::noise;
use crate::trust;
use crate::whitening::Scaling;

/// If topics explain less than this share of the repeated words, the counts are treated as text
/// (overdispersion). On data that follow the model the share is about one or more. See
/// `benches/record/constants.md`.
const EXPLAINED: f64 = 0.75;

/// How topics are computed from a rotation, by default.
const USUAL: ReadOff = ReadOff::Columns;

impl Lda {
    /// Parameters for `n_topics` topics, all else at its default (`alpha0 = 1`).
    pub fn params(n_topics: usize) -> LdaParams {
        LdaParams { options: Options::lda(n_topics) }
    }
}

/// Parameters of LDA.
#[derive(Clone, Debug)]
pub struct LdaParams {
    pub(crate) options: Options,
}

shared_params!(LdaParams);

impl LdaParams {
    /// The sum of the Dirichlet parameter, which the moments need.
    pub fn alpha0(mut self, alpha0: f64) -> Self {
        self.options.alpha0 = Some(alpha0);
        self
    }

    /// Learn by collapsed Gibbs sampling instead of moments, for comparison. The prior of a document's mixture has
    /// `alpha0 / k` for each topic. Options about the moments and the polish then have no effect.
    pub fn by_gibbs(mut self, gibbs: CollapsedGibbs) -> Self {
        self.options.learner = Learner::Gibbs(gibbs);
        self
    }

    /// Learns `(M, alpha)`.
    ///
    /// # Errors
    /// When the corpus cannot support the request: too few words or visible topics, no document
    /// of three words, or `alpha0` not positive.
    pub fn fit(&self, corpus: &Corpus) -> Result<Lda> {
        self.fit_watched(corpus, &|_| {})
    }

    /// As [`fit`](Self::fit), reporting each stage as it begins and continues.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<Lda> {
        self.options.check()?;
        refusal::elsewhere(corpus, &self.options)?;
        crate::moments::check_alpha0(self.alpha0_value())?;
        memory::caught(|| {
            let (corpus, options) = self.options.in_key_order(corpus)?;
            let model = LdaParams { options }.fit_in_order(&corpus, watch)?;
            Ok(model.with_options(self.options.clone()))
        })
    }

    /// Learns from documents in the order of their keys.
    fn fit_in_order(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<Lda> {
        if let Some(options) = self.options.at_most(corpus.n_present()) {
            return LdaParams { options }.fit_in_order(corpus, watch);
        }
        if let Learner::Gibbs(gibbs) = &self.options.learner {
            return self.fit_by_gibbs(gibbs, corpus, watch);
        }
        let n_topics = refusal::attainable(corpus, &self.options)?;
        let mut model = self.with_n_topics(n_topics).fit_by_moments(corpus, watch)?;
        model.diagnostics.notes.extend(refusal::fewer(self.options.n_topics, n_topics));
        refusal::check(&model.topics, &model.alpha, &model.diagnostics)?;
        model.options = self.options.clone();
        Ok(model)
    }

    fn fit_by_moments(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<Lda> {
        match self.options.polish {
            Polish::Auto => {
                self.fit_best(corpus, Some(Candidate::Unpolished), collapsed_vb::SWEEPS, watch)
            }
            Polish::None => self.fit_candidate(corpus, Candidate::Unpolished, watch),
            Polish::Steps(sweeps) => self.fit_best(corpus, None, sweeps, watch),
        }
    }

    fn fit_by_gibbs(
        &self,
        gibbs: &CollapsedGibbs,
        corpus: &Corpus,
        watch: &dyn Fn(Step),
    ) -> Result<Lda> {
        let k = self.options.n_topics;
        learner::check(corpus, k)?;
        gibbs.check(corpus)?;
        let alpha = self.alpha0_value() / k as f64;
        let (topics, diagnostics) = learner::finish(corpus, gibbs.learn(corpus, k, alpha, watch));
        let alpha = vec![alpha; k];
        refusal::check(&topics, &alpha, &diagnostics)?;
        Ok(Lda::from_parts(topics, alpha, diagnostics, self.options.clone()))
    }

    fn alpha0_value(&self) -> f64 {
        self.options.alpha0.unwrap_or(DEFAULT_ALPHA0)
    }

    /// The best candidate on held-out documents, fitted to all: the two ways of polishing, and
    /// `unpolished` where that is allowed.
    fn fit_best(
        &self,
        corpus: &Corpus,
        unpolished: Option<Candidate>,
        sweeps: usize,
        watch: &dyn Fn(Step),
    ) -> Result<Lda> {
        let (as_text, as_model) = (Candidate::AsText { sweeps }, Candidate::AsModel { sweeps });
        watch(Stage::Moments.into());
        // If the candidate for text cannot be fitted, the comparison says why.
        let share = repeats::explained_at_most(corpus, self.alpha0_value(), &self.options);
        if let Some(share) = share.filter(|share| *share < EXPLAINED)
            && let Ok(mut model) = self.fit_candidate(corpus, as_text, watch)
        {
            if let PolishOutcome::Sweeps { repeats_explained, .. } =
                &mut model.diagnostics_mut().polish
            {
                *repeats_explained = Some(share);
            }
            return Ok(model);
        }
        let candidates: Vec<Candidate> =
            unpolished.into_iter().chain([as_model, as_text]).collect();
        let contest = self.compare(corpus, &candidates, watch);
        let usual = unpolished.unwrap_or(as_text);
        let chosen = contest.best().unwrap_or_else(|| contest.or_usual(usual));
        let mut model = self.fit_candidate(corpus, chosen, watch)?;
        let both = contest.without_and_with();
        match &mut model.diagnostics_mut().polish {
            PolishOutcome::Sweeps { held_out, .. } => *held_out = both,
            other => *other = PolishOutcome::Declined { held_out: both },
        }
        model.diagnostics_mut().notes.extend(contest.why_not_all(chosen));
        Ok(model)
    }

    /// The comparison of the candidates on documents that none of them saw, or the reason why there is none.
    fn compare(&self, corpus: &Corpus, candidates: &[Candidate], watch: &dyn Fn(Step)) -> Contest {
        let [training, test] = match contest::parts(corpus) {
            Ok(parts) => parts,
            Err(reason) => return Contest::none(reason),
        };
        let ((training, kept), (test, _)) = (corpus.part(training), corpus.part(test));
        let mut options = self.options.clone();
        options.weights = options.weights.of(&kept);
        options.trust = false;
        // A part of the documents may show fewer topics than all of them do.
        options.allow_fewer = true;
        let params = LdaParams { options };
        let raw = params.spectral(&training, Counting::Raw, Accuracy::Start, watch);
        let fit = |candidate: Candidate| match candidate.counting() {
            Counting::Raw => match &raw {
                Ok(found) => Ok(params.finished(&training, found, candidate, watch)),
                Err(error) => Err(error.to_string()),
            },
            Counting::Damped => {
                params.fit_candidate(&training, candidate, watch).map_err(|error| error.to_string())
            }
        };
        let mut models = Vec::new();
        let fitted = candidates
            .iter()
            .map(|&candidate| {
                let place = fit(candidate).map(|model| {
                    models.push(Model::Lda(model));
                    models.len() - 1
                });
                watch(Stage::HeldOut.into());
                (candidate, place)
            })
            .collect();
        let judge = Judge::new(&training, &test);
        let models: Vec<&Model> = models.iter().collect();
        Contest::new(fitted, judge.and_then(|judge| judge.judge(&models)))
    }

    fn fit_candidate(
        &self,
        corpus: &Corpus,
        candidate: Candidate,
        watch: &dyn Fn(Step),
    ) -> Result<Lda> {
        let found = self.spectral(corpus, candidate.counting(), candidate.accuracy(), watch)?;
        Ok(self.finished(corpus, &found, candidate, watch))
    }

    /// The estimate from the moments alone.
    fn spectral<'a>(
        &self,
        corpus: &'a Corpus,
        counting: Counting,
        accuracy: Accuracy,
        watch: &dyn Fn(Step),
    ) -> Result<Found<'a>> {
        watch(Stage::Moments.into());
        let moments =
            LdaMoments::estimate(corpus, self.alpha0_value(), &self.options.weights, counting)?;
        let spectral = Spectral::estimate_to(accuracy, &moments, &self.options, USUAL, watch)?;
        Ok(Found { moments, spectral, counting })
    }

    /// The model from an estimate after its polish.
    fn finished(
        &self,
        corpus: &Corpus,
        found: &Found,
        candidate: Candidate,
        watch: &dyn Fn(Step),
    ) -> Lda {
        let Found { moments, spectral, counting } = found;
        let estimate = self.polished(corpus, spectral, candidate, watch);
        let unordered: Vec<f64> = match &estimate.prior {
            Some(prior) => prior.alpha(&estimate.topic_weights),
            None => estimate.topic_weights.iter().map(|w| w * self.alpha0_value()).collect(),
        };
        let evidence = self.options.trust.then(|| {
            let frame = trust::Frame::from(moments);
            let learn = |half: Dealt| self.learn_part(corpus, half, candidate);
            let refitting = trust::Refitting {
                usual: USUAL,
                counting: *counting,
                learn: &learn,
                kind: Kind::Lda,
            };
            trust::assess(corpus, &frame, spectral, &estimate, &self.options, &refitting, watch)
        });
        let effective = moments.effective_documents();
        let (topics, diagnostics, order) = finish(corpus, effective, spectral, estimate, evidence);
        let alpha = order.iter().map(|&j| unordered[j]).collect();
        Lda::from_parts(topics, alpha, diagnostics, self.options.clone())
    }

    /// Some of the documents learned from scratch, as far as a comparison needs it.
    fn learn_part(&self, corpus: &Corpus, half: Dealt, candidate: Candidate) -> Result<Half> {
        let (part, documents) = corpus.part(half);
        let options = self.options.of_part(&documents);
        let params = LdaParams { options: options.clone() };
        let (topics, directions) = {
            let accuracy = Accuracy::Comparison;
            let found = params.spectral(&part, candidate.counting(), accuracy, &|_| {})?;
            let learned = params.polished(&part, &found.spectral, candidate.to_compare(), &|_| {});
            (learned.word_topic, noise::whitened(&found.spectral.whitening))
        };
        Ok(Half { corpus: part, options, topics, directions })
    }

    /// The spectral estimate after the candidate's polish.
    fn polished(
        &self,
        corpus: &Corpus,
        spectral: &Spectral,
        candidate: Candidate,
        watch: &dyn Fn(Step),
    ) -> Estimate {
        let start = &spectral.recovered.word_topic;
        let (prior, sweeps) = match candidate {
            Candidate::Unpolished => return Estimate::unpolished(spectral, Kind::Lda),
            Candidate::AsText { sweeps } => (Prior::of_text(start.n_rows()), sweeps),
            Candidate::AsModel { sweeps } => {
                (Prior::of_model(corpus, self.alpha0_value(), start.n_columns()), sweeps)
            }
        };
        let swept = collapsed_vb::polish(corpus, start, &prior, sweeps, watch);
        let as_model = matches!(candidate, Candidate::AsModel { .. });
        let drawn_to_corpus = as_model.then(|| prior.strength());
        Estimate {
            word_topic: swept.word_topic,
            lifted: vec![false; swept.topic_weights.len()],
            documents: Some(documents::by_words(corpus, &swept.topic_weights)),
            topic_weights: swept.topic_weights,
            polish: PolishOutcome::Sweeps {
                sweeps,
                held_out: None,
                repeats_explained: None,
                drawn_to_corpus,
            },
            prior: Some(prior),
        }
    }
}

/// The moments and the spectral estimate.
struct Found<'a> {
    moments: LdaMoments<'a>,
    spectral: Spectral,
    counting: Counting,
}

impl Error {
    /// The number of topics that are visible, if fewer could have been fitted.
    pub fn visible_topics(&self) -> Option<usize> {
        match self {
            Error::FewerTopicsVisible { visible, .. } => Some(*visible),
            _ => None,
        }
    }
}
