//! The part of a fit that all models share: whitening, rotation, parameters.

use crate::corpus::Corpus;
use crate::decomposition::{Decomposition, Method, ReadOff, joint};
use crate::error::{Error, Result};
use crate::fit::accuracy::Accuracy;
use crate::fit::collapsed_vb::Prior;
use crate::fit::refusal;
use crate::fit::stage::{Stage, Step};
use crate::linalg::Matrix;
use crate::model::diagnostics::{Diagnostics, PolishOutcome, TopicDiagnostics, TopicTrust};
use crate::model::features::{lift, to_vocabulary};
use crate::model::topic::{Topics, canonical_order};
use crate::model::{Kind, Options};
use crate::moments::Moments;
use crate::recovery::{Recovered, recover};
use crate::whitening::Whitening;

/// A spectral estimate in feature order, with intermediate results.
#[derive(Clone)]
pub(crate) struct Spectral {
    pub recovered: Recovered,
    pub whitening: Whitening,
    pub decomposition: Decomposition,
    pub notes: Vec<String>,
    /// The index of the topics that the final estimate kept, in its order.
    pub kept: Vec<usize>,
}

impl Spectral {
    /// Whitens, rotates and computes the parameters, in the `usual` way of the model unless the method prescribes
    /// one.
    pub fn estimate(
        moments: &dyn Moments,
        options: &Options,
        usual: ReadOff,
        watch: &dyn Fn(Step),
    ) -> Result<Self> {
        Self::estimate_to(Accuracy::Result, moments, options, usual, watch)
    }

    /// As [`estimate`](Self::estimate), with the given accuracy.
    pub fn estimate_to(
        accuracy: Accuracy,
        moments: &dyn Moments,
        options: &Options,
        usual: ReadOff,
        watch: &dyn Fn(Step),
    ) -> Result<Self> {
        watch(Stage::Whitening.into());
        let mut notes = Vec::new();
        let whitening = whiten(accuracy.tolerance(), moments, options, &mut notes, watch)?;
        watch(Stage::Decomposition.into());
        let rough = || moments.third_whitened_roughly(whitening.basis());
        let decomposition = match (accuracy, options.method) {
            (Accuracy::Comparison, Method::Joint) => joint::decompose_roughly(&rough(), &whitening),
            (Accuracy::Start, Method::Joint) => joint::decompose(&rough(), &whitening),
            (_, method) => method.decompose(moments, &whitening, options.rows),
        };
        notes.extend(decomposition.note.clone());
        watch(Stage::Recovery.into());
        let read_off = options.method.read_off(usual, options.rows);
        Ok(Self::read_off(moments, whitening, decomposition, read_off, notes))
    }

    /// The parameters for a rotation.
    pub fn read_off(
        moments: &dyn Moments,
        whitening: Whitening,
        decomposition: Decomposition,
        read_off: ReadOff,
        notes: Vec<String>,
    ) -> Self {
        let columns = decomposition.columns(moments, &whitening, read_off);
        Self::of_columns(columns, moments.first(), whitening, decomposition, notes)
    }

    /// The parameters for columns of `M` that are known up to scale and sign.
    pub fn of_columns(
        columns: Matrix,
        first: &[f64],
        whitening: Whitening,
        decomposition: Decomposition,
        mut notes: Vec<String>,
    ) -> Self {
        let recovered = recover(columns, first, whitening.scales());
        if !whitening.converged() {
            notes.push(format!(
                "the eigenpairs of the pair moment were found to {:.0e} only; topics whose values \
                 lie close together may mix",
                whitening.relative_residual()
            ));
        }
        let kept = (0..recovered.topic_weights.len()).collect();
        Self { recovered, whitening, decomposition, notes, kept }
    }
}

/// Whitens for the number of topics asked for, or for as many as are visible if that is allowed.
fn whiten(
    tolerance: f64,
    moments: &dyn Moments,
    options: &Options,
    notes: &mut Vec<String>,
    watch: &dyn Fn(Step),
) -> Result<Whitening> {
    let report = |done, of| watch(Step::new(Stage::Whitening, done, of));
    let fit = |k| Whitening::fit_to(tolerance, moments, k, options.whitening, &report);
    match fit(options.n_topics) {
        Err(Error::FewerTopicsVisible { asked, visible, .. })
            if options.allow_fewer && visible > 0 =>
        {
            notes.push(format!("{asked} topics were asked for; the data shows {visible}"));
            fit(visible)
        }
        outcome => outcome,
    }
}

/// The result of a fit before it becomes a model: parameters in feature order.
pub(crate) struct Estimate {
    pub word_topic: Matrix,
    pub topic_weights: Vec<f64>,
    /// Number of documents of each topic; `None` if the polish does not estimate it.
    pub documents: Option<Vec<f64>>,
    pub lifted: Vec<bool>,
    pub polish: PolishOutcome,
    /// The prior of the polish.
    pub prior: Option<Prior>,
}

impl Estimate {
    /// The spectral estimate without polish. Weights of topics that documents mix are raised, so that inference can
    /// use them.
    pub fn unpolished(spectral: &Spectral, kind: Kind) -> Self {
        let (word_topic, weights) =
            (spectral.recovered.word_topic.clone(), &spectral.recovered.topic_weights);
        let (topic_weights, lifted) = match kind {
            Kind::Lda => lift(weights),
            Kind::SingleTopic => (weights.clone(), vec![false; weights.len()]),
        };
        let polish = PolishOutcome::None;
        Self { word_topic, topic_weights, documents: None, lifted, polish, prior: None }
    }

    /// Number of documents of each topic: as the polish estimates it, otherwise the topic's weight times `effective`,
    /// the effective number of documents.
    pub fn documents_of(&self, effective: f64) -> Vec<f64> {
        let by_weight = || self.topic_weights.iter().map(|w| w * effective).collect();
        self.documents.clone().unwrap_or_else(by_weight)
    }
}

/// What is known about the errors of an estimate, topics in the estimate's order.
pub(crate) struct Evidence {
    /// z-scores of the directions of the pair moment.
    pub z_scores: Option<Vec<f64>>,
    /// Standard errors of the word probabilities, features x topics.
    pub errors: Option<Matrix>,
    /// The results for each topic.
    pub topics: Vec<TopicTrust>,
    /// Sentences a user should read.
    pub notes: Vec<String>,
}

/// Half of the documents, and the topics fitted to it.
pub(crate) struct Half {
    pub corpus: Corpus,
    pub options: Options,
    /// Features of the half x topics.
    pub topics: Matrix,
    /// The directions in which they were found, features x directions.
    pub directions: Matrix,
}

/// Orders the topics, converts them to vocabulary order and computes the diagnostics.
pub(crate) fn finish(
    corpus: &Corpus,
    effective_documents: [f64; 2],
    spectral: &Spectral,
    estimate: Estimate,
    evidence: Option<Evidence>,
) -> (Topics, Diagnostics, Vec<usize>) {
    let Spectral { recovered, whitening, decomposition, notes, .. } = spectral;
    let [effective_pairs, effective_triples] = effective_documents;
    let documents = estimate.documents_of(effective_triples);
    let in_vocabulary = to_vocabulary(corpus, &estimate.word_topic);
    let order = canonical_order(&in_vocabulary, &estimate.topic_weights);
    let topics = order
        .iter()
        .map(|&j| TopicDiagnostics {
            clipped: recovered.clipped[j],
            degenerate: recovered.degenerate[j],
            lifted: estimate.lifted[j],
            documents: documents[j],
            trust: evidence.as_ref().map(|evidence| evidence.topics[j].renumbered(&order)),
        })
        .collect();
    let report = corpus.report();
    let mut diagnostics = Diagnostics {
        n_documents: corpus.n_documents(),
        n_short_documents: [report.n_empty, report.n_one_word, report.n_two_words],
        n_words_present: corpus.n_present(),
        n_tokens: corpus.n_tokens(),
        effective_documents_pairs: effective_pairs,
        effective_documents_triples: effective_triples,
        eigenvalues: whitening.eigenvalues().to_vec(),
        z_scores: evidence.as_ref().and_then(|evidence| evidence.z_scores.clone()),
        spectral_gap: Some(whitening.spectral_gap()).filter(|gap| gap.is_finite()),
        eigenpairs_converged: Some(whitening.converged()),
        eigenpairs_residual: Some(whitening.relative_residual()),
        n_products: whitening.n_products(),
        pivot: decomposition.pivot.map(|feature| {
            corpus.vocabulary().word(corpus.word_of_feature()[feature] as usize).into_owned()
        }),
        separation: Some(decomposition.separation),
        off_diagonal: Some(decomposition.residual),
        polish: estimate.polish,
        rival: None,
        topics,
        notes: notes.clone(),
    };
    let weights = order.iter().map(|&j| estimate.topic_weights[j]).collect();
    let word_topic = in_vocabulary.select_columns(&order);
    let errors = evidence.and_then(|evidence| {
        diagnostics.notes.extend(evidence.notes);
        evidence.errors
    });
    let errors = errors.filter(|errors| errors.values().iter().all(|error| error.is_finite()));
    refusal::drop_not_finite(&mut diagnostics);
    let errors = errors.map(|errors| to_vocabulary(corpus, &errors).select_columns(&order));
    let topics = Topics::new(corpus.vocabulary().clone(), word_topic, weights).with_errors(errors);
    (topics, diagnostics, order)
}
