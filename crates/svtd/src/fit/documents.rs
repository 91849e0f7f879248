//! The number of documents of each topic, computed from the weights at the end of a polish.

use crate::corpus::Corpus;

/// After EM for the single-topic model, whose weights are `(N_j + 1) / (N + k)`: the documents that have words.
pub(crate) fn after_em(corpus: &Corpus, topic_weights: &[f64]) -> Vec<f64> {
    let n = corpus.n_documents() as f64;
    let with_words = corpus.facts().n_with_words() as f64 / n.max(1.0);
    let counted = n + topic_weights.len() as f64;
    topic_weights.iter().map(|w| (w * counted - 1.0).max(0.0) * with_words).collect()
}

/// Converts shares of words into numbers of documents, as if every document had the usual length.
pub(crate) fn by_words(corpus: &Corpus, topic_weights: &[f64]) -> Vec<f64> {
    let with_words = corpus.facts().n_with_words() as f64;
    let in_all = corpus.n_tokens() as f64 / corpus.usual_length();
    topic_weights.iter().map(|w| (w * in_all).min(with_words)).collect()
}
