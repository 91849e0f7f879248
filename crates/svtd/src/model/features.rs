//! Topics by feature, as the numerical code numbers words, and by word, as the vocabulary does.

use crate::corpus::Corpus;
use crate::linalg::Matrix;

/// Rows by feature become rows by word; words that never occur get zeros.
pub(crate) fn to_vocabulary(corpus: &Corpus, features: &Matrix) -> Matrix {
    Matrix::from_filled(corpus.n_words(), features.n_columns(), |j, target| {
        for (value, &word) in features.column(j).iter().zip(corpus.word_of_feature()) {
            target[word as usize] = *value;
        }
    })
}

/// The share of each present feature among all tokens.
pub(crate) fn frequencies(corpus: &Corpus) -> Vec<f64> {
    let total = corpus.n_tokens() as f64;
    corpus.feature_totals()[..corpus.n_present()].iter().map(|&t| t as f64 / total).collect()
}

/// Topics with a share of the corpus' frequencies mixed in, so that no word that occurs has probability zero.
pub(crate) fn mixed_with(word_topic: &Matrix, frequencies: &[f64], share: f64) -> Matrix {
    Matrix::from_filled(word_topic.n_rows(), word_topic.n_columns(), |j, column| {
        let known = word_topic.column(j).iter().zip(frequencies);
        for (value, (own, m1)) in column.iter_mut().zip(known) {
            *value = (1.0 - share) * own + share * m1;
        }
    })
}

/// Raises weights below 1e-4 to that and normalises; returns which were raised.
pub(crate) fn lift(weights: &[f64]) -> (Vec<f64>, Vec<bool>) {
    const LEAST_WEIGHT: f64 = 1e-4;
    let lifted: Vec<bool> = weights.iter().map(|&w| w < LEAST_WEIGHT).collect();
    let raised: Vec<f64> = weights.iter().map(|w| w.max(LEAST_WEIGHT)).collect();
    let total: f64 = raised.iter().sum();
    (raised.iter().map(|w| w / total).collect(), lifted)
}
