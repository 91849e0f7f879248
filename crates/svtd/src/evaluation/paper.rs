//! The errors of the paper's Section 6, without forming the arrays they are defined on.
//!
//! `Err` and `Err2` are norms of `n x n` matrices, `Err3` of an `n x n x n` cube. `Err` lives in the
//! span of `2k` columns and is computed there; `Err2` is computed a few columns at a time; for `Err3`
//! the square is expanded,
//!
//! ```text
//! |A - B|^2 = |A|^2 - 2 <A, B> + |B|^2,    B = sum_j w_j mu_j^(3)
//! <A, B> = sum_j w_j A(mu_j, mu_j, mu_j)    |B|^2 = sum_jl w_j w_l (mu_j'mu_l)^3
//! ```
//!
//! which costs half the digits: an error below `1e-8` of `|M3|` cannot be distinguished from zero. The error of
//! a sample is far above that.
//!
//! # What they measure
//! `Err` compares `M2` with its reconstruction and hardly depends on the rotation: it is small even for topics that
//! are quite wrong. [`topic_error`](super::topic_error) is the better measure.

use super::match_topics;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::linalg::{Matrix, dot, orthonormal_basis};
use crate::moments::{Counting, DocumentWeights, LdaMoments, Moments, SingleTopicMoments};

/// Columns of the pair moment computed at a time.
const COLUMNS_AT_A_TIME: usize = 64;

/// `Err = |M~ diag(w~) M~' - M diag(w) M'|` by Frobenius norm.
///
/// # Panics
/// When the matrices do not have as many rows.
pub fn reconstruction_error(
    truth: &Matrix,
    true_weights: &[f64],
    estimate: &Matrix,
    estimated_weights: &[f64],
) -> f64 {
    let mut both = truth.clone();
    both.append(estimate);
    let signed: Vec<f64> =
        true_weights.iter().copied().chain(estimated_weights.iter().map(|w| -w)).collect();
    // In an orthonormal basis of all columns the difference is a small matrix with the same norm.
    let inside = orthonormal_basis(both.clone()).transpose_times(&both);
    let mut scaled = inside.clone();
    scaled.scale_columns(&signed);
    scaled.times(&inside.transpose()).frobenius_norm()
}

/// `Var_N = |M_N - M_(N-1)|` by Frobenius norm, after matching the topics; a topic that is in only one of them
/// counts with its whole norm.
pub fn drift(before: &Matrix, after: &Matrix) -> f64 {
    let matched = match_topics(before, after);
    let square = |column: &[f64]| dot(column, column);
    let mut sum = 0.0;
    for (j, partner) in matched.iter().enumerate() {
        sum += match partner {
            Some(l) => before
                .column(j)
                .iter()
                .zip(after.column(*l))
                .map(|(x, y)| (x - y) * (x - y))
                .sum::<f64>(),
            None => square(before.column(j)),
        };
    }
    let alone = (0..after.n_columns()).filter(|l| !matched.contains(&Some(*l)));
    (sum + alone.map(|l| square(after.column(l))).sum::<f64>()).sqrt()
}

/// How far estimated moments are from those of the true parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentErrors {
    /// `Err2 = |M2~ - M2|` by Frobenius norm.
    pub second: f64,
    /// `Err3 = |M3~ - M3|` by Frobenius norm.
    pub third: f64,
}

/// `Err2` and `Err3` of the single-topic moments of a corpus, given the true `(M, Omega)` over its vocabulary
/// (words x topics). Words that never occur in the corpus count with their true probabilities.
///
/// `O(nnz n)` for the pair moment; for the triple moment see the head of this module.
///
/// # Errors
/// When the corpus has no moments: no document of three words, or weights that do not fit.
///
/// # Panics
/// When the truth does not have one row for each word.
pub fn moment_errors(
    corpus: &Corpus,
    weights: &DocumentWeights,
    word_topic: &Matrix,
    topic_weights: &[f64],
) -> Result<MomentErrors> {
    assert_eq!(word_topic.n_rows(), corpus.n_words(), "one row for each word");
    corpus.must_be_here("the error of the moments")?;
    let moments = SingleTopicMoments::estimate(corpus, weights, Counting::Raw)?;
    let words = &corpus.word_of_feature()[..corpus.n_present()];
    let present = Matrix::from_fn(words.len(), word_topic.n_columns(), |i, j| {
        word_topic[(words[i] as usize, j)]
    });
    let whole = word_topic.transpose_times(word_topic);
    let seen = present.transpose_times(&present);
    let power = |gram: &Matrix, exponent: i32| weighted_powers(gram, topic_weights, exponent);
    let absent = (power(&whole, 2) - power(&seen, 2)).max(0.0);
    let second = pair_difference_squared(&moments, &present, topic_weights) + absent;
    let along = moments.third_along(&present);
    let third = moments.third_norm_squared() - 2.0 * dot(&along, topic_weights) + power(&whole, 3);
    Ok(MomentErrors { second: second.sqrt(), third: third.max(0.0).sqrt() })
}

/// `Err2` and `Err3` of the LDA moments of a corpus (Theorem 3.1), given the true `(M, alpha)` over its vocabulary;
/// `alpha0` is the sum of `alpha`.
///
/// `M3a` is the triple moment less `c1 sym3(M2, M1)` plus `c2 M1^(3)`; all products of these three
/// are expanded as the square is, and cost no more than `|M3|^2` and `Err2` do.
///
/// # Errors
/// As [`moment_errors`], or when `alpha0` is not a positive number.
///
/// # Panics
/// When the truth does not have one row for each word.
pub fn lda_moment_errors(
    corpus: &Corpus,
    weights: &DocumentWeights,
    word_topic: &Matrix,
    alpha: &[f64],
) -> Result<MomentErrors> {
    assert_eq!(word_topic.n_rows(), corpus.n_words(), "one row for each word");
    corpus.must_be_here("the error of the moments")?;
    let alpha0: f64 = alpha.iter().sum();
    let moments = LdaMoments::estimate(corpus, alpha0, weights, Counting::Raw)?;
    let words = &corpus.word_of_feature()[..corpus.n_present()];
    let present = Matrix::from_fn(words.len(), word_topic.n_columns(), |i, j| {
        word_topic[(words[i] as usize, j)]
    });
    let pair_weights: Vec<f64> = alpha.iter().map(|a| a / (alpha0 * (alpha0 + 1.0))).collect();
    let triple_weights: Vec<f64> = pair_weights.iter().map(|w| 2.0 * w / (alpha0 + 2.0)).collect();
    let whole = word_topic.transpose_times(word_topic);
    let seen = present.transpose_times(&present);
    let absent =
        weighted_powers(&whole, &pair_weights, 2) - weighted_powers(&seen, &pair_weights, 2);
    let second = pair_difference_squared(&moments, &present, &pair_weights) + absent.max(0.0);
    let (norm, along) = lda_third(&moments, &present, alpha0);
    let third =
        norm - 2.0 * dot(&along, &triple_weights) + weighted_powers(&whole, &triple_weights, 3);
    Ok(MomentErrors { second: second.sqrt(), third: third.max(0.0).sqrt() })
}

/// `|M3a|^2`, and `M3a(mu_j, mu_j, mu_j)` for every topic.
fn lda_third(moments: &LdaMoments<'_>, topics: &Matrix, alpha0: f64) -> (f64, Vec<f64>) {
    let raw = moments.raw();
    let m1 = raw.first();
    let (c1, c2) =
        (alpha0 / (alpha0 + 2.0), 2.0 * alpha0 * alpha0 / ((alpha0 + 1.0) * (alpha0 + 2.0)));
    let column = Matrix::from_columns(m1.len(), 1, m1.to_vec());
    let image = raw.second_times(&column);
    let square = dot(m1, m1);
    // |M2|^2 and <M3(M1), M2>, a block of columns at a time.
    let (mut pairs, mut shared) = (0.0, 0.0);
    for unit in unit_blocks(m1.len()) {
        let second = raw.second_times(&unit);
        pairs += dot(second.values(), second.values());
        shared += dot(raw.third_towards_times(m1, &unit).values(), second.values());
    }
    let correction = 3.0 * pairs * square + 6.0 * dot(image.column(0), image.column(0));
    let norm = raw.third_norm_squared() + c1 * c1 * correction + c2 * c2 * square.powi(3)
        - 2.0 * c1 * 3.0 * shared
        + 2.0 * c2 * raw.third_along(&column)[0]
        - 2.0 * c1 * c2 * 3.0 * dot(m1, image.column(0)) * square;
    let images = raw.second_times(topics);
    let along = raw.third_along(topics);
    let along = (0..topics.n_columns())
        .map(|j| {
            let (mu, first) = (topics.column(j), dot(topics.column(j), m1));
            along[j] - 3.0 * c1 * dot(mu, images.column(j)) * first + c2 * first.powi(3)
        })
        .collect();
    (norm, along)
}

/// `sum_jl w_j w_l G_jl^p`.
fn weighted_powers(gram: &Matrix, weights: &[f64], exponent: i32) -> f64 {
    let row = |j: usize| -> f64 {
        weights.iter().enumerate().map(|(l, w)| w * gram[(j, l)].powi(exponent)).sum()
    };
    weights.iter().enumerate().map(|(j, w)| w * row(j)).sum()
}

/// `|M2~ - M diag(w) M'|^2`, a block of columns at a time.
fn pair_difference_squared(moments: &dyn Moments, topics: &Matrix, weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (block, unit) in unit_blocks(moments.n_features()).enumerate() {
        let (start, width) = (block * COLUMNS_AT_A_TIME, unit.n_columns());
        let mut difference = moments.second_times(&unit);
        let rows =
            Matrix::from_fn(weights.len(), width, |l, j| weights[l] * topics[(start + j, l)]);
        difference.add(-1.0, &topics.times(&rows));
        sum += dot(difference.values(), difference.values());
    }
    sum
}

/// The columns of the identity, a block at a time.
fn unit_blocks(n: usize) -> impl Iterator<Item = Matrix> {
    (0..n).step_by(COLUMNS_AT_A_TIME).map(move |start| {
        let entry = |i: usize, j: usize| if i == start + j { 1.0 } else { 0.0 };
        Matrix::from_fn(n, COLUMNS_AT_A_TIME.min(n - start), entry)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};

    /// `Err2` and `Err3` by their definitions, all triples of tokens' counts in plain loops.
    fn dense_errors(
        corpus: &Corpus,
        law: &DocumentWeights,
        source: &SingleTopicSource,
    ) -> MomentErrors {
        let n = corpus.n_words();
        let moments = SingleTopicMoments::estimate(corpus, law, Counting::Raw).unwrap();
        let (w2, w3) = (&moments.weights().second, &moments.weights().third);
        let (mut second, mut third) = (vec![0.0; n * n], vec![0.0; n * n * n]);
        for d in 0..corpus.n_documents() {
            let mut x = vec![0.0; n];
            corpus.document(d).words().for_each(|(word, c)| x[word as usize] = f64::from(c));
            for i in 0..n {
                for h in 0..n {
                    let pair = x[i] * (x[h] - f64::from(u8::from(h == i)));
                    second[i * n + h] += w2[d] * pair;
                    for l in 0..n {
                        let taken = f64::from(u8::from(l == i)) + f64::from(u8::from(l == h));
                        third[(i * n + h) * n + l] += w3[d] * pair * (x[l] - taken);
                    }
                }
            }
        }
        let m = &source.word_topic;
        for (j, weight) in source.topic_weights.iter().enumerate() {
            for i in 0..n {
                for h in 0..n {
                    let pair = weight * m[(i, j)] * m[(h, j)];
                    second[i * n + h] -= pair;
                    for l in 0..n {
                        third[(i * n + h) * n + l] -= pair * m[(l, j)];
                    }
                }
            }
        }
        MomentErrors { second: dot(&second, &second).sqrt(), third: dot(&third, &third).sqrt() }
    }

    #[test]
    fn moment_errors_agree_with_their_definitions() {
        let laws = [DocumentWeights::Paper, DocumentWeights::Zou, DocumentWeights::Optimal];
        for (seed, law) in (0..6).flat_map(|seed| laws.iter().map(move |law| (seed, law))) {
            let source = SingleTopicSource::uniform(9, 3, seed);
            // So few documents that some words never occur.
            let (corpus, _) = source.draw(3 + seed as usize, &Lengths::Uniform(1..=6), seed + 40);
            if corpus.lengths().iter().all(|&c| c < 3) {
                continue;
            }
            let found =
                moment_errors(&corpus, law, &source.word_topic, &source.topic_weights).unwrap();
            let expected = dense_errors(&corpus, law, &source);
            assert!((found.second - expected.second).abs() < 1e-12, "{found:?} {expected:?}");
            assert!((found.third - expected.third).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn lda_moment_errors_agree_with_their_definitions() {
        let laws = [DocumentWeights::Paper, DocumentWeights::Optimal];
        for (seed, law) in (0..6).flat_map(|seed| laws.iter().map(move |law| (seed, law))) {
            let mut source = LdaSource::uniform(8, 3, 1.0, seed);
            source.alpha = vec![0.2, 0.5, 1.1];
            let (corpus, _) = source.draw(4 + seed as usize, &Lengths::Uniform(2..=7), seed + 3);
            if corpus.lengths().iter().all(|&c| c < 3) {
                continue;
            }
            let found = lda_moment_errors(&corpus, law, &source.word_topic, &source.alpha).unwrap();
            let expected = dense_lda_errors(&corpus, law, &source);
            assert!((found.second - expected.second).abs() < 1e-12, "{found:?} {expected:?}");
            assert!((found.third - expected.third).abs() < 1e-9, "{found:?} {expected:?}");
        }
    }

    /// Theorem 3.1 in plain loops over dense arrays, less the truth.
    fn dense_lda_errors(
        corpus: &Corpus,
        law: &DocumentWeights,
        source: &LdaSource,
    ) -> MomentErrors {
        let n = corpus.n_words();
        let alpha0: f64 = source.alpha.iter().sum();
        let moments = SingleTopicMoments::estimate(corpus, law, Counting::Raw).unwrap();
        let w = moments.weights();
        let (mut m1, mut m2, mut m3) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n * n * n]);
        for d in 0..corpus.n_documents() {
            let mut x = vec![0.0; n];
            corpus.document(d).words().for_each(|(word, c)| x[word as usize] = f64::from(c));
            let same = |a: usize, b: usize| f64::from(u8::from(a == b));
            for i in 0..n {
                m1[i] += w.first[d] * x[i];
                for h in 0..n {
                    let pair = x[i] * (x[h] - same(i, h));
                    m2[i * n + h] += w.second[d] * pair;
                    for l in 0..n {
                        let triple = pair * (x[l] - same(l, i) - same(l, h));
                        m3[(i * n + h) * n + l] += w.third[d] * triple;
                    }
                }
            }
        }
        let (mut second, mut third) = (0.0_f64, 0.0_f64);
        for i in 0..n {
            for h in 0..n {
                let truth = |factor: f64, rest: &dyn Fn(usize) -> f64| -> f64 {
                    let m = &source.word_topic;
                    (0..3).map(|j| factor * source.alpha[j] * m[(i, j)] * m[(h, j)] * rest(j)).sum()
                };
                let corrected = m2[i * n + h] - alpha0 / (alpha0 + 1.0) * m1[i] * m1[h];
                let pair = 1.0 / (alpha0 * (alpha0 + 1.0));
                second += (corrected - truth(pair, &|_| 1.0)).powi(2);
                for l in 0..n {
                    let mixed =
                        m2[i * n + h] * m1[l] + m2[h * n + l] * m1[i] + m2[l * n + i] * m1[h];
                    let c2 = 2.0 * alpha0 * alpha0 / ((alpha0 + 1.0) * (alpha0 + 2.0));
                    let corrected = m3[(i * n + h) * n + l] - alpha0 / (alpha0 + 2.0) * mixed
                        + c2 * m1[i] * m1[h] * m1[l];
                    let truth = truth(2.0 * pair / (alpha0 + 2.0), &|j| source.word_topic[(l, j)]);
                    third += (corrected - truth).powi(2);
                }
            }
        }
        MomentErrors { second: second.sqrt(), third: third.sqrt() }
    }

    #[test]
    fn moment_errors_of_three_drawn_words_use_the_drawn_words() {
        let source = SingleTopicSource::uniform(8, 2, 1);
        let (corpus, _) = source.draw(30, &Lengths::Fixed(3), 2);
        // Of three words all three are drawn, each document counting alike.
        let of = |law| moment_errors(&corpus, &law, &source.word_topic, &source.topic_weights);
        let drawn = of(DocumentWeights::ThreeWords { seed: 9 }).unwrap();
        let all = of(DocumentWeights::Zou).unwrap();
        assert!((drawn.second - all.second).abs() < 1e-12);
        assert!((drawn.third - all.third).abs() < 1e-12);
    }

    #[test]
    fn reconstruction_error_agrees_with_its_definition() {
        let (a, b) = (SingleTopicSource::uniform(7, 3, 1), SingleTopicSource::uniform(7, 5, 2));
        let dense = |source: &SingleTopicSource| {
            let mut scaled = source.word_topic.clone();
            scaled.scale_columns(&source.topic_weights);
            scaled.times(&source.word_topic.transpose())
        };
        let mut difference = dense(&a);
        difference.add(-1.0, &dense(&b));
        let error = |x: &SingleTopicSource, y: &SingleTopicSource| {
            reconstruction_error(&x.word_topic, &x.topic_weights, &y.word_topic, &y.topic_weights)
        };
        assert!((error(&a, &b) - difference.frobenius_norm()).abs() < 1e-13);
        assert!(error(&a, &a) < 1e-15, "no digits are lost near zero");
    }

    #[test]
    fn drift_ignores_the_order_of_topics_and_counts_what_appears() {
        let before = Matrix::from_columns(2, 2, vec![1.0, 0.0, 0.0, 1.0]);
        let after = Matrix::from_columns(2, 2, vec![0.3, 0.7, 1.0, 0.0]);
        assert!((drift(&before, &after) - 0.18_f64.sqrt()).abs() < 1e-15);
        assert!((drift(&before, &before.select_columns(&[1])) - 1.0).abs() < 1e-15);
        assert!((drift(&before.select_columns(&[1]), &before) - 1.0).abs() < 1e-15);
    }
}
