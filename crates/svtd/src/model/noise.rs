//! Which directions of the pair moment stand out of the noise: cross-validated eigenvalues.
//!
//! The documents are split into two halves. The eigenvectors `v_j` of one half's scaled pair
//! moment are evaluated on the other half, where they owe nothing to chance:
//!
//! ```text
//! q_dj = w2_d ( (x_d'v_j)^2 - sum_h x_dh v_hj^2 )      tot_j = sum_d q_dj     LDA: - a1 (v_j'M1)^2
//! z_j = tot_j / sqrt( sum_d (q_dj - mean)^2 )          both halves summed
//! ```
//!
//! Without signal `z_j` is about standard normal; a direction that exists gives a `z_j` that grows
//! with the corpus. (The square of `v_j'M1` enters the spread by its linear part.)
//!
//! # Cost
//! Two whitenings of half the corpus: about one of the whole.
//!
//! # Departure
//! The halves are chosen by the documents' content, not by even and odd places, so the order of
//! documents does not matter.

use std::cell::Cell;

use super::diagnostics::{CLEAR, Diagnostics};
use super::options::Options;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot};
use crate::moments::panels::Products;
use crate::moments::{
    Counting, DocumentWeights, LdaMoments, MomentWeights, Moments, SingleTopicMoments,
};
use crate::whitening::Whitening;

/// The z-scores of the leading `k` directions, with how words are counted and to which tolerance
/// directions are found; `None` when half the corpus supports no fit, or when the moments are made
/// of three drawn words.
pub(super) fn z_scores(
    corpus: &Corpus,
    options: &Options,
    k: usize,
    how: (Counting, f64),
    watch: &dyn Fn(usize, usize),
) -> Option<Vec<f64>> {
    let scores = cross_validated(corpus, options, k, how, watch)?;
    Some(scores.iter().map(|score| score.z).collect())
}

/// A direction of the pair moment, measured on documents that had no part in finding it.
pub(super) struct Score {
    /// The mean of the two halves' eigenvalues: what is left of it without chance.
    pub eigenvalue: f64,
    /// That, over its standard error.
    pub z: f64,
}

/// The leading `k` directions measured; `None` as for [`z_scores`].
pub(super) fn cross_validated(
    corpus: &Corpus,
    options: &Options,
    k: usize,
    (counting, tolerance): (Counting, f64),
    watch: &dyn Fn(usize, usize),
) -> Option<Vec<Score>> {
    // Three drawn words are another table of counts than the one evaluated here.
    if matches!(options.weights, DocumentWeights::ThreeWords { .. }) {
        return None;
    }
    let halves = halves(corpus);
    let [first, second] = halves.each_ref().map(|documents| {
        let options = Options { weights: options.weights.of(documents), ..options.clone() };
        (corpus.subset(documents), options)
    });
    let mut sums = vec![(0.0, 0.0); k];
    // Products done in the first half; the second takes about as many.
    let (first_half, last) = (Cell::new(None), Cell::new(0));
    let told = |done, of| {
        last.set(done);
        match first_half.get() {
            None => watch(done, 2 * of),
            Some(before) => watch(before + done, before + of),
        }
    };
    for (training, test) in [(&first, &second), (&second, &first)] {
        let directions =
            directions(&training.0, &training.1, k, (counting, tolerance), &told).ok()?;
        first_half.set(Some(last.get()));
        add_scores(&test.0, &test.1, counting, &training.0, &directions, &mut sums).ok()?;
    }
    let score = |&(total, spread): &(f64, f64)| Score {
        eigenvalue: 0.5 * total,
        z: if spread > 0.0 { total / spread.sqrt() } else { 0.0 },
    };
    Some(sums.iter().map(score).collect())
}

/// Two halves of the documents, alternately by a hash of their content.
fn halves(corpus: &Corpus) -> [Vec<usize>; 2] {
    let mut order: Vec<(u64, usize)> =
        (0..corpus.n_documents()).map(|d| (corpus.document_key(d), d)).collect();
    order.sort_unstable();
    let half = |odd: usize| {
        let mut documents: Vec<usize> =
            order.iter().skip(odd).step_by(2).map(|&(_, d)| d).collect();
        documents.sort_unstable();
        documents
    };
    [half(0), half(1)]
}

/// Moments of either model.
fn with_moments<T>(
    corpus: &Corpus,
    options: &Options,
    counting: Counting,
    then: impl FnOnce(&dyn Moments, &MomentWeights) -> Result<T>,
) -> Result<T> {
    match options.alpha0 {
        Some(alpha0) => {
            let moments = LdaMoments::estimate(corpus, alpha0, &options.weights, counting)?;
            then(&moments, moments.weights())
        }
        None => {
            let moments = SingleTopicMoments::estimate(corpus, &options.weights, counting)?;
            then(&moments, moments.weights())
        }
    }
}

/// `diag(g) U`: at most `k` leading directions of a corpus, in its feature order.
fn directions(
    corpus: &Corpus,
    options: &Options,
    k: usize,
    (counting, tolerance): (Counting, f64),
    watch: &dyn Fn(usize, usize),
) -> Result<Matrix> {
    with_moments(corpus, options, counting, |moments, _| {
        let fit = |k| Whitening::fit_to(tolerance, moments, k, options.whitening, watch);
        let whitening = match fit(k) {
            Err(Error::FewerTopicsVisible { visible, .. }) if visible > 0 => fit(visible)?,
            outcome => outcome?,
        };
        let mut directions = whitening.unmixing().clone();
        let roots: Vec<f64> = whitening.eigenvalues().iter().map(|v| v.max(0.0).sqrt()).collect();
        directions.scale_columns(&roots);
        Ok(directions)
    })
}

/// Adds every direction's total and spread on the documents of `test`.
fn add_scores(
    test: &Corpus,
    options: &Options,
    counting: Counting,
    training: &Corpus,
    directions: &Matrix,
    sums: &mut [(f64, f64)],
) -> Result<()> {
    let v = translated(training, test, directions);
    with_moments(test, options, counting, |moments, weights| {
        let products = Products::new(test.rows(), test.n_present(), counting);
        let z = products.forward(&v);
        let mut squares = v.clone();
        squares.values_mut().iter_mut().for_each(|value| *value *= *value);
        let own = products.forward(&squares);
        let a1 = options.alpha0.map_or(0.0, |alpha0| alpha0 / (alpha0 + 1.0));
        for (j, sum) in sums.iter_mut().enumerate().take(v.n_columns()) {
            let mean = dot(moments.first(), v.column(j));
            let terms = z.column(j).iter().zip(own.column(j)).enumerate();
            let pairs: Vec<f64> =
                terms.map(|(d, (z, own))| weights.second[d] * (z * z - own)).collect();
            sum.0 += pairs.iter().sum::<f64>() - a1 * mean * mean;
            let scores: Vec<f64> = pairs
                .iter()
                .enumerate()
                .map(|(d, q)| q - 2.0 * a1 * weights.first[d] * z[(d, j)] * mean)
                .collect();
            let centre = scores.iter().sum::<f64>() / scores.len() as f64;
            sum.1 += scores.iter().map(|q| (q - centre).powi(2)).sum::<f64>();
        }
        Ok(())
    })
}

/// Rows by the features of one corpus become rows by the features of another; a word that only
/// the other one has gets zeros.
fn translated(from: &Corpus, to: &Corpus, rows: &Matrix) -> Matrix {
    let words = &to.word_of_feature()[..to.n_present()];
    Matrix::from_fn(words.len(), rows.n_columns(), |i, j| {
        let feature = from.feature_of_word()[words[i] as usize] as usize;
        if feature < rows.n_rows() { rows[(feature, j)] } else { 0.0 }
    })
}

/// A note for the user when some directions may be noise.
pub(super) fn note(diagnostics: &Diagnostics) -> Option<String> {
    let z_scores = diagnostics.z_scores.as_ref()?;
    let n_clear = diagnostics.n_clear_directions()?;
    let next = z_scores.get(n_clear)?;
    Some(format!(
        "{n_clear} of {} directions stand clearly out of the noise (z > {CLEAR}); the next has \
         z = {next:.1}: the topics beyond may be chance",
        z_scores.len(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};
    use crate::{Lda, SingleTopic};

    #[test]
    fn as_many_directions_are_clear_as_there_are_topics() {
        let lengths = Lengths::Uniform(30..=90);
        for seed in 0..3 {
            let source = SingleTopicSource::zipf(500, 6, 5.0, 300.0, 20.0, seed);
            let corpus = source.draw(3000, &lengths, seed + 10).0;
            let model = SingleTopic::params(10).fit(&corpus).unwrap();
            let z = model.diagnostics().z_scores.clone().unwrap();
            assert_eq!(model.diagnostics().n_clear_directions(), Some(6), "{z:?}");
            let source = LdaSource::zipf(500, 6, 5.0, 300.0, 1.0, seed);
            let corpus = source.draw(3000, &lengths, seed + 20).0;
            let model = Lda::params(10).fit(&corpus).unwrap();
            let z = model.diagnostics().z_scores.clone().unwrap();
            assert_eq!(model.diagnostics().n_clear_directions(), Some(6), "{z:?}");
            assert!(model.diagnostics().notes.iter().any(|n| n.starts_with("6 of 10")));
        }
    }

    #[test]
    fn without_signal_scores_are_about_standard_normal() {
        // One topic: all directions but the first are chance.
        let mut large = 0;
        let mut n = 0;
        for seed in 0..12 {
            let source = SingleTopicSource::zipf(200, 1, 5.0, 300.0, 1.0, seed);
            let corpus = source.draw(600, &Lengths::Uniform(10..=60), seed + 30).0;
            let model = SingleTopic::params(5).allow_fewer(true).fit(&corpus).unwrap();
            let z = model.diagnostics().z_scores.clone().unwrap();
            assert!(z[0] > 10.0, "{z:?}");
            large += z[1..].iter().filter(|z| z.abs() > CLEAR).count();
            n += z.len() - 1;
        }
        assert!(large <= 1, "{large} of {n} beyond 3");
    }
}
