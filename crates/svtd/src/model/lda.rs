//! Latent Dirichlet Allocation: documents mix topics.
//!
//! The spectral estimate is Algorithm 2 on the moments of Theorem 3.1. Real text repeats words
//! more than the model allows, so with [`Polish::Auto`] two candidates compete:
//!
//! 1. *unpolished*: topics from the moments of the raw counts;
//! 2. *polished*: topics from the moments of damped counts `1 + log x`, then CVB0 sweeps on the
//!    raw counts.
//!
//! On data that follow the model the first wins, and is the more accurate one; on text the second
//! does. Mostly the counts tell at once, because no `k` topics could explain how often words are
//! repeated ([`repeats`](super::repeats)). If not, both are fitted without a tenth of the
//! documents, and whichever predicts the second half of those documents from their first half
//! better is fitted again on all.
//!
//! # Departure
//! The tenth held out is chosen by the documents' content, not by their place in the file: a
//! file sorted by subject then does not decide the comparison, and reordering it changes nothing.

use super::collapsed_gibbs::CollapsedGibbs;
use super::cvb0;
use super::diagnostics::{Diagnostics, PolishOutcome};
use super::learner::{self, Learner};
use super::options::{Options, Polish, shared_params};
use super::repeats;
use super::spectral::{Estimate, Spectral, finish, frequencies, lift};
use super::stage::{Stage, Step};
use super::topic::Topics;
use super::trust;
use crate::corpus::Corpus;
use crate::decomposition::{Method, ReadOff};
use crate::error::{Error, Result};
use crate::evaluation::completion_perplexity;
use crate::inference::TopicTable;
use crate::moments::{Counting, DocumentWeights, LdaMoments, Rows};
use crate::whitening::{Scaling, TOLERANCE, check_n_topics};

/// One document in this many is held out to judge the polish.
const HELD_OUT: usize = 10;

/// Fewer held-out documents than this cannot judge.
const LEAST_HELD_OUT: usize = 2;

/// The part of the repeated words below which topics do not explain them. Data that follow the
/// model come to about one or more.
const EXPLAINED: f64 = 0.75;

/// To what part of the k-th eigenvalue the eigenpairs are found when candidates are compared, and
/// for topics that sweeps only start from.
const ROUGHLY: f64 = 1e-2;

/// How topics are read off a rotation.
const USUAL: ReadOff = ReadOff::Columns;

/// The default `alpha0`; after the polish its value hardly matters.
const DEFAULT_ALPHA0: f64 = 1.0;

/// A fitted LDA model `(M, alpha)`.
#[derive(Clone, Debug)]
pub struct Lda {
    topics: Topics,
    alpha: Vec<f64>,
    diagnostics: Diagnostics,
    options: Options,
}

impl Lda {
    /// Parameters for `n_topics` topics, all else at its default (`alpha0 = 1`).
    pub fn params(n_topics: usize) -> LdaParams {
        let mut options = Options::new(n_topics);
        options.alpha0 = Some(DEFAULT_ALPHA0);
        LdaParams { options }
    }

    /// The topics: `M` and the topics' shares.
    pub fn topics(&self) -> &Topics {
        &self.topics
    }

    /// `alpha`: the Dirichlet parameter of the mixtures, used by inference.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// How far to believe the fit.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// The options the model was fitted with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn from_parts(
        topics: Topics,
        alpha: Vec<f64>,
        diagnostics: Diagnostics,
        options: Options,
    ) -> Self {
        Self { topics, alpha, diagnostics, options }
    }
}

/// Parameters of LDA.
#[derive(Clone, Debug)]
pub struct LdaParams {
    pub(super) options: Options,
}

shared_params!(LdaParams);

impl LdaParams {
    /// The sum of the Dirichlet parameter, which the moments need to know.
    pub fn alpha0(mut self, alpha0: f64) -> Self {
        self.options.alpha0 = Some(alpha0);
        self
    }

    /// Let collapsed Gibbs sampling learn instead of the moments, to compare with; the prior of a
    /// document's mixture has `alpha0 / k` for each topic. What is chosen about the moments and the
    /// polish then has no effect.
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

    /// As [`fit`](Self::fit), telling each stage as it begins and as it goes on.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<Lda> {
        self.options.check()?;
        crate::moments::check_alpha0(self.alpha0_value())?;
        if let Learner::Gibbs(gibbs) = &self.options.learner {
            return self.fit_by_gibbs(gibbs, corpus, watch);
        }
        check_n_topics(self.options.n_topics, corpus.n_present())?;
        match self.options.polish {
            Polish::Auto => self.fit_better(corpus, watch),
            Polish::None => self.fit_candidate(corpus, Candidate::Unpolished, watch),
            Polish::Steps(sweeps) => {
                self.fit_candidate(corpus, Candidate::Polished { sweeps }, watch)
            }
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
        Ok(Lda { topics, alpha: vec![alpha; k], diagnostics, options: self.options.clone() })
    }

    fn alpha0_value(&self) -> f64 {
        self.options.alpha0.unwrap_or(DEFAULT_ALPHA0)
    }

    /// The better of two candidates on held-out documents, fitted on all.
    fn fit_better(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<Lda> {
        let polished = Candidate::Polished { sweeps: cvb0::SWEEPS };
        watch(Stage::Moments.into());
        // If the polished candidate cannot be fitted, the comparison says why.
        let share = repeats::explained_at_most(corpus, self.alpha0_value(), &self.options);
        if let Some(share) = share.filter(|share| *share < EXPLAINED)
            && let Ok(mut model) = self.fit_candidate(corpus, polished, watch)
        {
            if let PolishOutcome::Sweeps { repeats_explained, .. } = &mut model.diagnostics.polish {
                *repeats_explained = Some(share);
            }
            return Ok(model);
        }
        let scores = self.compare(corpus, polished, watch);
        let chosen = match &scores {
            Ok([Ok(unpolished), Ok(with)]) if with < unpolished => polished,
            Ok([Err(_), Ok(_)]) => polished,
            _ => Candidate::Unpolished,
        };
        let mut model = self.fit_candidate(corpus, chosen, watch)?;
        let both = match &scores {
            Ok([Ok(unpolished), Ok(with)]) => Some([*unpolished, *with]),
            _ => None,
        };
        match &mut model.diagnostics.polish {
            PolishOutcome::Sweeps { held_out, .. } => *held_out = both,
            other => *other = PolishOutcome::Declined { held_out: both },
        }
        model.diagnostics.notes.extend(why_not_compared(&scores));
        Ok(model)
    }

    /// Completion perplexities of both candidates on a tenth of the documents that neither saw;
    /// instead of a number, why there is none.
    fn compare(
        &self,
        corpus: &Corpus,
        polished: Candidate,
        watch: &dyn Fn(Step),
    ) -> Result<[Result<f64, String>; 2], String> {
        let (kept, held_out) = split_by_content(corpus)?;
        let (training, test) = (corpus.subset(&kept), corpus.subset(&held_out));
        let mut options = self.options.clone();
        options.weights = options.weights.of(&kept);
        options.trust = false;
        let params = LdaParams { options };
        let score = |model: Result<Lda>| {
            let model = model.map_err(|error| error.to_string())?;
            watch(Stage::HeldOut.into());
            let alpha = vec![cvb0::ALPHA; model.topics.len()];
            let table = TopicTable::new(model.topics(), &alpha);
            completion_perplexity(&table, &test)
                .filter(|perplexity| perplexity.is_finite())
                .ok_or_else(|| {
                    "the held-out documents share too few words with the rest".to_owned()
                })
        };
        let unpolished = params.spectral(&training, Counting::Raw, ROUGHLY, watch);
        let unpolished = unpolished
            .map(|found| params.finished(&training, &found, Candidate::Unpolished, watch));
        let with = params.fit_candidate(&training, polished, watch);
        Ok([score(unpolished), score(with)])
    }

    fn fit_candidate(
        &self,
        corpus: &Corpus,
        candidate: Candidate,
        watch: &dyn Fn(Step),
    ) -> Result<Lda> {
        let found = self.spectral(corpus, candidate.counting(), candidate.tolerance(), watch)?;
        Ok(self.finished(corpus, &found, candidate, watch))
    }

    /// The estimate from the moments alone.
    fn spectral<'a>(
        &self,
        corpus: &'a Corpus,
        counting: Counting,
        tolerance: f64,
        watch: &dyn Fn(Step),
    ) -> Result<Found<'a>> {
        watch(Stage::Moments.into());
        let moments =
            LdaMoments::estimate(corpus, self.alpha0_value(), &self.options.weights, counting)?;
        let spectral = Spectral::estimate_to(tolerance, &moments, &self.options, USUAL, watch)?;
        Ok(Found { moments, spectral, counting })
    }

    /// The model that the estimate and what follows it make.
    fn finished(
        &self,
        corpus: &Corpus,
        found: &Found,
        candidate: Candidate,
        watch: &dyn Fn(Step),
    ) -> Lda {
        let Found { moments, spectral, counting } = found;
        let mut estimate = candidate.polish(corpus, spectral, watch);
        let unordered: Vec<f64> = match candidate {
            Candidate::Unpolished => {
                estimate.topic_weights.iter().map(|w| w * self.alpha0_value()).collect()
            }
            Candidate::Polished { .. } => vec![cvb0::ALPHA; estimate.topic_weights.len()],
        };
        let evidence = self.options.trust.then(|| {
            let frame = trust::Frame::from(moments);
            let how = (USUAL, *counting);
            trust::assess(corpus, &frame, spectral, &mut estimate, &self.options, how, watch)
        });
        let (topics, diagnostics, order) = finish(
            corpus,
            moments.lengths(),
            moments.weights(),
            spectral.clone(),
            estimate,
            evidence,
        );
        let alpha = order.iter().map(|&j| unordered[j]).collect();
        Lda { topics, alpha, diagnostics, options: self.options.clone() }
    }
}

/// Moments and what they say.
struct Found<'a> {
    moments: LdaMoments<'a>,
    spectral: Spectral,
    counting: Counting,
}

/// What follows the moments, and so which counts they are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Candidate {
    Unpolished,
    Polished { sweeps: usize },
}

impl Candidate {
    fn counting(self) -> Counting {
        match self {
            Candidate::Unpolished => Counting::Raw,
            Candidate::Polished { .. } => Counting::Damped,
        }
    }

    fn tolerance(self) -> f64 {
        match self {
            Candidate::Unpolished => TOLERANCE,
            Candidate::Polished { .. } => ROUGHLY,
        }
    }

    fn polish(self, corpus: &Corpus, spectral: &Spectral, watch: &dyn Fn(Step)) -> Estimate {
        match self {
            Candidate::Unpolished => unpolished(spectral),
            Candidate::Polished { sweeps } => {
                let start = &spectral.recovered.word_topic;
                let swept = cvb0::polish(corpus, start, &frequencies(corpus), sweeps, watch);
                Estimate {
                    word_topic: swept.word_topic,
                    lifted: vec![false; swept.topic_weights.len()],
                    topic_weights: swept.topic_weights,
                    polish: PolishOutcome::Sweeps {
                        sweeps,
                        held_out: None,
                        repeats_explained: None,
                    },
                    posterior: None,
                }
            }
        }
    }
}

/// The spectral estimate with weights that inference can use.
pub(super) fn unpolished(spectral: &Spectral) -> Estimate {
    let (topic_weights, lifted) = lift(&spectral.recovered.topic_weights);
    let word_topic = spectral.recovered.word_topic.clone();
    Estimate { word_topic, topic_weights, lifted, polish: PolishOutcome::None, posterior: None }
}

/// A note for the user when the two candidates could not be compared.
fn why_not_compared(scores: &Result<[Result<f64, String>; 2], String>) -> Option<String> {
    match scores {
        Err(reason) => Some(format!("{reason}, so the estimate was left unpolished")),
        Ok([Ok(_), Ok(_)]) => None,
        Ok([Err(reason), Err(_)]) => Some(format!(
            "polish and no polish could not be compared without the held-out documents ({reason}), \
             so the estimate was left unpolished"
        )),
        Ok([Err(reason), Ok(_)]) => Some(format!(
            "the unpolished estimate failed without the held-out documents ({reason}), so the \
             polished one was kept"
        )),
        Ok([Ok(_), Err(reason)]) => Some(format!(
            "the polished estimate failed without the held-out documents ({reason}), so the \
             unpolished one was kept"
        )),
    }
}

/// All documents but a tenth, and that tenth: chosen by a hash of their content among those that
/// have words. In place of them, why there are too few.
pub(super) fn split_by_content(corpus: &Corpus) -> Result<(Vec<usize>, Vec<usize>), String> {
    let mut order: Vec<(u64, usize)> = (0..corpus.n_documents())
        .filter(|&d| corpus.lengths()[d] > 0)
        .map(|d| (corpus.document_key(d), d))
        .collect();
    order.sort_unstable();
    let n_held_out = order.len() / HELD_OUT;
    if n_held_out < LEAST_HELD_OUT {
        return Err(format!("{} documents are too few to hold some out", order.len()));
    }
    let mut is_held_out = vec![false; corpus.n_documents()];
    order[..n_held_out].iter().for_each(|&(_, d)| is_held_out[d] = true);
    let (held_out, kept) = (0..corpus.n_documents()).partition(|&d| is_held_out[d]);
    Ok((kept, held_out))
}

impl Error {
    /// Whether fewer topics would have been possible.
    pub fn visible_topics(&self) -> Option<usize> {
        match self {
            Error::FewerTopicsVisible { visible, .. } => Some(*visible),
            _ => None,
        }
    }
}
