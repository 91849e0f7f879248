//! What a classical rival learned, as a model.
//!
//! A rival replaces everything between the counts and the topics. It uses no moments, so document weights,
//! whitening, method, rows and polish do not apply to it, and its [`Diagnostics`] have no eigenvalue, no residual
//! and no z-score; instead they have a [`RivalOutcome`]. Both rivals start at random from a seed.

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::model::diagnostics::{Diagnostics, PolishOutcome, RivalOutcome, TopicDiagnostics};
use crate::model::features::to_vocabulary;
use crate::model::topic::{Topics, canonical_order};
use crate::whitening::check_n_topics;

/// Returns an error for more topics than words, or than documents that have words.
pub(crate) fn check(corpus: &Corpus, n_topics: usize) -> Result<()> {
    check_n_topics(n_topics, corpus.n_present())?;
    let with_words = corpus.n_documents() - corpus.report().n_empty;
    if n_topics > with_words {
        return Err(Error::Option {
            name: "the number of topics",
            needed: format!("at most {with_words}, as many as documents that have words"),
            found: n_topics.to_string(),
        });
    }
    Ok(())
}

/// What a rival learned, in feature order.
pub(crate) struct Learned {
    pub word_topic: Matrix,
    pub topic_weights: Vec<f64>,
    /// Number of documents of each topic.
    pub documents: Vec<f64>,
    pub outcome: RivalOutcome,
    pub notes: Vec<String>,
}

/// Orders the topics, converts them to vocabulary order, and computes the diagnostics.
pub(crate) fn finish(corpus: &Corpus, learned: Learned) -> (Topics, Diagnostics) {
    let in_vocabulary = to_vocabulary(corpus, &learned.word_topic);
    let order = canonical_order(&in_vocabulary, &learned.topic_weights);
    let weights: Vec<f64> = order.iter().map(|&j| learned.topic_weights[j]).collect();
    let documents: Vec<f64> = order.iter().map(|&j| learned.documents[j]).collect();
    let mut diagnostics = without_moments(corpus, &documents, PolishOutcome::None, learned.notes);
    diagnostics.rival = Some(learned.outcome);
    let word_topic = in_vocabulary.select_columns(&order);
    (Topics::new(corpus.vocabulary().clone(), word_topic, weights), diagnostics)
}

/// The diagnostics of a fit without moments, given the number of documents of each topic.
pub(crate) fn without_moments(
    corpus: &Corpus,
    documents: &[f64],
    polish: PolishOutcome,
    notes: Vec<String>,
) -> Diagnostics {
    let report = corpus.report();
    let with_words = corpus.n_documents() - report.n_empty;
    let with_pairs = with_words - report.n_one_word;
    let topic = |&documents: &f64| TopicDiagnostics {
        clipped: 0.0,
        degenerate: false,
        lifted: false,
        documents,
        trust: None,
    };
    Diagnostics {
        n_documents: corpus.n_documents(),
        n_short_documents: [report.n_empty, report.n_one_word, report.n_two_words],
        n_words_present: corpus.n_present(),
        n_tokens: corpus.n_tokens(),
        effective_documents_pairs: with_pairs as f64,
        effective_documents_triples: (with_pairs - report.n_two_words) as f64,
        eigenvalues: Vec::new(),
        spectral_gap: None,
        z_scores: None,
        eigenpairs_converged: None,
        eigenpairs_residual: None,
        n_products: 0,
        pivot: None,
        separation: None,
        off_diagonal: None,
        polish,
        rival: None,
        topics: documents.iter().map(topic).collect(),
        notes,
    }
}
