//! Which directions of the pair moment stand out of the noise: cross-validated eigenvalues.
//!
//! The documents are divided into folds. The eigenvectors `v_j` of the scaled pair moment without a fold are
//! evaluated on that fold, where they are not affected by overfitting:
//!
//! ```text
//! q_dj = w2_d ( (x_d'u_j)^2 - sum_h x_dh u_hj^2 )      tot_j = sum_d q_dj     LDA: - a1 (u_j'M1)^2
//! z_j = tot_j / sqrt( sum_d (q_dj - mean)^2 )          all folds summed
//! ```
//!
//! Without signal `z_j` is about standard normal; a real direction has a `z_j` that grows with the corpus. (The
//! square of `u_j'M1` enters the variance by its linear part.)
//!
//! A weak topic is spread over several directions, all of which would score. So a direction is measured by what it
//! adds to the previous ones: with `Q` the pair moment of the fold,
//!
//! ```text
//! u_j = v_j - sum_b u_b (u_b'Q v_j) / (u_b'Q u_b)           over the clear directions b < j
//! tot_j += sum_b Var(u_b'Q v_j) / (u_b'Q u_b)               what fitting the coefficients took away
//! ```
//!
//! # Cost
//! A whitening of the rest of the corpus for each fold: with two folds, about one of the whole.
//!
//! # Departures
//! Folds are determined by the documents' content, not by their positions, so the order of the documents changes
//! nothing. Directions are made conjugate to the previous ones, which is necessary for the count of `z > 3` to be
//! right with many topics or few documents.

mod measured;

use std::cell::Cell;

use rayon::prelude::*;

use self::measured::{Conjugate, Measured};
use crate::corpus::{Corpus, Dealt};
use crate::error::{Error, Result};
use crate::fit::estimated::Estimated;
use crate::fit::spectral::Half;
use crate::linalg::Matrix;
use crate::model::Options;
use crate::model::diagnostics::{CLEAR, first_unclear, n_clear};
use crate::moments::{Counting, DocumentWeights};
use crate::questions::Directions;
use crate::whitening::Whitening;

/// Number of folds when the number of topics is chosen: more folds find more topics and cost more.
pub(crate) fn n_folds(corpus: &Corpus) -> usize {
    let affordable = corpus.n_nonzeros() <= FIVE_FOLDS_UP_TO;
    if affordable && corpus.n_documents() >= FIVE_FOLDS_FROM { 5 } else { 2 }
}

/// The tolerance of directions of a part of the documents when topics are counted, relative to the last eigenvalue:
/// the part does not determine them more accurately.
pub(crate) const PART_TOLERANCE: f64 = 0.1;

/// A corpus with at most this many counts gets five folds.
const FIVE_FOLDS_UP_TO: usize = 1 << 20;

/// With fewer documents than this, a fifth of them is too few.
const FIVE_FOLDS_FROM: usize = 100;

/// The salt that is mixed with keys to assign documents to folds.
const FOLD_SALT: u64 = 2 << 32;

/// The settings of a cross-validation of directions.
#[derive(Clone, Copy)]
pub(crate) struct CrossValidation {
    /// How words are counted.
    pub counting: Counting,
    /// The tolerance of the directions, relative to the last eigenvalue.
    pub tolerance: f64,
    /// Number of folds of documents, at least two.
    pub n_folds: usize,
}

/// The z-scores of the leading `k` directions; `None` when no model can be fitted to a part of the corpus, or when
/// the moments are those of three drawn words.
pub(crate) fn z_scores(
    corpus: &Corpus,
    options: &Options,
    k: usize,
    how: CrossValidation,
    watch: &dyn Fn(usize, usize),
) -> Option<Vec<f64>> {
    let scores = cross_validated(corpus, options, k, how, watch)?;
    Some(scores.iter().map(|score| score.z).collect())
}

/// A direction of the pair moment, measured on documents that were not used to find it.
pub(crate) struct Score {
    /// The mean of the folds' eigenvalues: an estimate without overfitting.
    pub eigenvalue: f64,
    /// What the direction adds to the previous ones, in standard errors.
    pub z: f64,
}

/// Measures the leading `k` directions; `None` as for [`z_scores`].
pub(crate) fn cross_validated(
    corpus: &Corpus,
    options: &Options,
    k: usize,
    how: CrossValidation,
    watch: &dyn Fn(usize, usize),
) -> Option<Vec<Score>> {
    // Three drawn words are a different table of counts from the one evaluated here.
    if matches!(options.weights, DocumentWeights::ThreeWords { .. }) {
        return None;
    }
    let mut sums = vec![Sums::default(); k];
    // Products in earlier folds; each needs about as many.
    let (before, last) = (Cell::new(0), Cell::new(0));
    let share = 1.0 / how.n_folds as f64;
    if corpus.facts().n_with_words() == 0 || !corpus.answers_for(share) {
        return None;
    }
    let part = |fold: usize, inside: bool| {
        let dealt = Dealt::between(FOLD_SALT, fold as f64 * share, (fold + 1) as f64 * share);
        let (part, documents) = corpus.part(if inside { dealt } else { dealt.others() });
        (part, Options { weights: options.weights.of(&documents), ..options.clone() })
    };
    let mut parts = (part(0, false), part(0, true));
    for fold in 0..how.n_folds {
        if fold > 0 {
            // With two folds, directions found on one are measured on the other.
            parts = match how.n_folds {
                2 => (parts.1, parts.0),
                _ => (part(fold, false), part(fold, true)),
            };
        }
        let (training, test) = &parts;
        let report = |done, of: usize| {
            last.set(done);
            watch(before.get() + done, before.get() + of * (how.n_folds - fold));
        };
        let directions = directions(&training.0, &training.1, k, how, &report).ok()?;
        before.set(before.get() + last.get());
        add_scores(&test.0, &test.1, how.counting, &training.0, &directions, &mut sums).ok()?;
    }
    let score =
        |sums: &Sums| Score { eigenvalue: sums.eigenvalue / how.n_folds as f64, z: sums.z() };
    Some(sums.iter().map(score).collect())
}

/// The z-scores of the leading `k` directions of two halves that are already fitted, each measured on the other;
/// `None` when the moments are those of three drawn words.
pub(crate) fn z_scores_of_halves(
    halves: &[Half; 2],
    k: usize,
    counting: Counting,
) -> Option<Vec<f64>> {
    let mut sums = vec![Sums::default(); k];
    for (training, test) in [(&halves[0], &halves[1]), (&halves[1], &halves[0])] {
        if matches!(test.options.weights, DocumentWeights::ThreeWords { .. }) {
            return None;
        }
        let directions = &training.directions;
        let scored = add_scores(
            &test.corpus,
            &test.options,
            counting,
            &training.corpus,
            directions,
            &mut sums,
        );
        scored.ok()?;
    }
    Some(sums.iter().map(Sums::z).collect())
}

/// Sums of a direction over the folds.
#[derive(Clone, Default)]
struct Sums {
    /// `v'Q v`: the eigenvalue, summed over the folds.
    eigenvalue: f64,
    /// The eigenvalue that remains after the direction is made conjugate to the clear ones before it.
    added: f64,
    /// The variance of `added`.
    spread: f64,
}

impl Sums {
    fn z(&self) -> f64 {
        if self.spread > 0.0 { self.added / self.spread.sqrt() } else { 0.0 }
    }
}

/// `diag(g) U`: at most `k` leading directions of a corpus, in its feature order.
fn directions(
    corpus: &Corpus,
    options: &Options,
    k: usize,
    how: CrossValidation,
    watch: &dyn Fn(usize, usize),
) -> Result<Matrix> {
    let moments = Estimated::of(corpus, options, how.counting)?;
    let fit = |k| Whitening::fit_to(how.tolerance, moments.moments(), k, options.whitening, watch);
    let whitening = match fit(k) {
        Err(Error::FewerTopicsVisible { visible, .. }) if visible > 0 => fit(visible)?,
        outcome => outcome?,
    };
    Ok(whitened(&whitening))
}

/// `diag(g) U` of a whitening.
pub(crate) fn whitened(whitening: &Whitening) -> Matrix {
    let mut directions = whitening.unmixing().clone();
    let roots: Vec<f64> = whitening.eigenvalues().iter().map(|v| v.max(0.0).sqrt()).collect();
    directions.scale_columns(&roots);
    directions
}

/// Adds the scores of every direction on the documents of `test`.
fn add_scores(
    test: &Corpus,
    options: &Options,
    counting: Counting,
    training: &Corpus,
    directions: &Matrix,
    sums: &mut [Sums],
) -> Result<()> {
    let v = translated(training, test, directions);
    let moments = Estimated::of(test, options, counting)?;
    let (moments, raw) = (moments.moments(), moments.raw());
    let a1 = options.alpha0() / (options.alpha0() + 1.0);
    let (documents, n, k) = (raw.weighed(), test.n_documents(), v.n_columns());
    let directions = Directions::new(v, a1, moments.first());
    let Measured { gram, rough } = directions.measured(&documents);
    let mut own = directions.v.clone();
    own.scale_rows(raw.pair_diagonal());
    let mut q = gram;
    q.add(-1.0, &own.transpose_times(&directions.v));
    let means = &directions.means;
    q.add(-a1, &Matrix::from_fn(k, k, |i, j| means[i] * means[j]));
    let errors: Vec<f64> = rough.iter().map(|spread| spread.variance(n).sqrt()).collect();
    let conjugate = Conjugate::new(&q, &errors);
    let directions = directions.conjugate(&conjugate, moments.first());
    let measured = directions.measured_conjugate(&documents);
    let conjugate_means =
        directions.conjugate.as_ref().map_or(&[][..], |conjugate| &conjugate.means);
    for (j, (sum, mean)) in sums.iter_mut().zip(conjugate_means).enumerate() {
        let total = measured.totals[j] - a1 * mean * mean;
        let taken = measured.products_before(j);
        let taken = taken.map(|(b, product)| product.variance(n) / conjugate.strengths[b]);
        sum.eigenvalue += q[(j, j)];
        sum.added += total + taken.sum::<f64>();
        sum.spread += measured.spreads[j].variance(n);
    }
    Ok(())
}

/// Converts rows by the features of one corpus to rows by the features of another; a word that only the other one
/// has gets zeros.
pub(crate) fn translated(from: &Corpus, to: &Corpus, rows: &Matrix) -> Matrix {
    let words = &to.word_of_feature()[..to.n_present()];
    let feature = |&word: &u32| from.feature_of_word()[word as usize] as usize;
    let features: Vec<usize> = words.iter().map(feature).collect();
    let mut translated = Matrix::zeros(features.len(), rows.n_columns());
    let columns = translated.values_mut().par_chunks_exact_mut(features.len().max(1));
    columns.enumerate().for_each(|(j, column)| {
        let known = rows.column(j);
        for (value, &feature) in column.iter_mut().zip(&features) {
            *value = known.get(feature).copied().unwrap_or(0.0);
        }
    });
    translated
}

/// A note for the user when some directions may be noise.
pub(crate) fn note(z_scores: &[f64]) -> Option<String> {
    let next = first_unclear(z_scores)?;
    Some(format!(
        "{} of {} directions stand clearly out of the noise (z > {CLEAR}); the next has \
         z = {next:.1}: the topics beyond may be chance",
        n_clear(z_scores),
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
