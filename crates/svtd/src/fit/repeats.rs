//! Whether topics can explain how often documents repeat their words.
//!
//! Under the model the pair moment is a sum of `k` terms, and its trace, the probability that two words of a
//! document coincide (less what `alpha0` explains by itself), is the sum of its `k` eigenvalues. The estimate is
//! unbiased, including the diagonal, so on data that follow the model
//!
//! ```text
//! (lambda_1 + ... + lambda_k) / trace(M2a)
//! ```
//!
//! is about one, and rather more than less, because noise increases the leading eigenvalues. In text a word that
//! occurs once is likely to occur again, whatever the topic (overdispersion): all of these repeats are in the
//! trace, but hardly any in the leading eigenvalues, and the share is far below one for any reasonable `k` (0.35
//! with 20 topics on 20 newsgroups).
//!
//! # Cost
//! The leading [`MOST_EIGENVALUES`] eigenvalues, approximately; none of the others is larger than the last of those. For a
//! corpus of more than [`SAMPLE`] counts a sample of its documents is used, chosen by content.

use crate::corpus::{Corpus, KeyRange};
use crate::krylov::leading_eigenpairs;
use crate::linalg::dot;
use crate::model::Options;
use crate::moments::{Counting, LdaMoments, Moments};

/// The largest number of eigenvalues that are computed.
pub(crate) const MOST_EIGENVALUES: usize = 32;

/// Their tolerance, relative to the last of them.
const EIGENVALUE_TOLERANCE: f64 = 0.1;

/// The largest number of counts that are used; a share needs fewer than an estimate of topics.
pub(crate) const SAMPLE: usize = 1 << 21;

/// The largest share of the repeats that the topics asked for could explain; `None` when the corpus has no pairs of
/// words.
pub(crate) fn explained_at_most(corpus: &Corpus, alpha0: f64, options: &Options) -> Option<f64> {
    let share = SAMPLE as f64 / corpus.n_nonzeros().max(1) as f64;
    let (sample, weights) = match share < 1.0 {
        true => {
            let (sample, documents) = corpus.part(KeyRange::between(0.0, share));
            (Some(sample), options.weights.of(&documents))
        }
        false => (None, options.weights.clone()),
    };
    let corpus = sample.as_ref().unwrap_or(corpus);
    let moments = LdaMoments::estimate(corpus, alpha0, &weights, Counting::Raw).ok()?;
    let first = moments.first();
    let trace = moments.raw().pair_trace() - moments.a1() * dot(first, first);
    let k = options.n_topics;
    let found = k.min(MOST_EIGENVALUES);
    let times = |block: &_| moments.second_times(block);
    let values =
        leading_eigenpairs(moments.n_features(), found, EIGENVALUE_TOLERANCE, times).values;
    let last = *values.get(found - 1)?;
    let sum = values[..found].iter().sum::<f64>() + (k - found) as f64 * last.max(0.0);
    Some(sum / trace).filter(|share| trace > 0.0 && share.is_finite())
}

/// Repeats every word three times, which no topic explains.
#[cfg(test)]
pub(crate) fn tripled(corpus: &Corpus) -> Corpus {
    let mut tripled = Corpus::builder(corpus.n_words());
    for d in 0..corpus.n_documents() {
        let (features, counts) = corpus.rows().row(d);
        let words = features.iter().zip(counts);
        tripled.push_document(words.map(|(&i, &x)| (i, 3 * x))).unwrap();
    }
    tripled.build().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths};

    fn options(k: usize) -> Options {
        Options::new(k)
    }

    #[test]
    fn topics_explain_the_repeats_of_documents_drawn_from_them() {
        for seed in 0..5 {
            for (n, k) in [(100, 5), (500, 20), (500, 40)] {
                let source = LdaSource::uniform(n, k, 1.0, seed);
                let corpus = source.draw(800, &Lengths::Uniform(20..=100), seed + 7).0;
                let share = explained_at_most(&corpus, 1.0, &options(k)).unwrap();
                assert!(share > 0.95, "n = {n}, k = {k}, seed {seed}: {share}");
            }
        }
    }

    #[test]
    fn words_that_call_for_themselves_are_not_explained() {
        for seed in 0..5 {
            let source = LdaSource::uniform(500, 5, 1.0, seed);
            let corpus = source.draw(800, &Lengths::Uniform(20..=100), seed + 7).0;
            let share = explained_at_most(&tripled(&corpus), 1.0, &options(5)).unwrap();
            assert!(share < 0.7, "seed {seed}: {share}");
        }
    }
}
