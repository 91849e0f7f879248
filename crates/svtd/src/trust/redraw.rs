//! Documents in place of those of a corpus: drawn from a model, or the documents themselves without the repetitions
//! of bursts.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::corpus::{Corpus, CorpusBuilder, KeyRange};
use crate::fit::profile::Profile;
use crate::linalg::Matrix;
use crate::questions::Redraw;
use crate::synthetic::{Drawn, draw_mixtures, unit};

/// Up to this many occurrences of a word in a document are drawn one by one. Later ones are skipped by geometric
/// steps, so that a count of a billion costs no more than a few thousand draws.
const ONE_BY_ONE: u32 = 256;

/// The seed that is mixed with the documents' own keys.
const SEED: u64 = 0x5EED;

impl Redraw {
    /// Whether the tables have consistent sizes for this many features, and can be sampled from.
    pub(crate) fn fits(&self, n: usize) -> bool {
        let some = |topics: &Matrix, j: usize| topics.column(j).iter().any(|p| *p > 0.0);
        let possible = |topics: &Matrix| {
            topics.values().iter().all(|p| (0.0..=1.0).contains(p))
                && (0..topics.n_columns()).all(|j| some(topics, j))
        };
        let k = self.settling.alpha.len();
        let believed = self.believed.iter().all(|alpha| {
            alpha.len() == k && alpha.iter().all(|alpha| *alpha > 0.0 && alpha.is_finite())
        });
        let thinned = self.thinned.is_none_or(|c| c > 0.0 && c.is_finite());
        self.settling.fits(n) && believed && thinned && self.settling.stages.iter().all(possible)
    }

    /// Documents in place of those of a corpus that is here; words are its features.
    pub(crate) fn of(&self, corpus: &Corpus) -> Corpus {
        match &self.believed {
            Some(believed) if self.thinned.is_none() => self.drawn(corpus, |_| believed.clone()),
            _ => self.settled(corpus, &self.settling.of(corpus), |d| d),
        }
    }

    /// Documents in place of those of `corpus`, given converged mixtures: document `d` is row `place(d)` of `profile`.
    fn settled(
        &self,
        corpus: &Corpus,
        profile: &Profile<'_>,
        place: impl Fn(usize) -> usize,
    ) -> Corpus {
        match self.thinned {
            Some(c) => thinned(corpus, |d| profile.mixture(place(d)), profile, c, self.longest),
            None => self.drawn(corpus, |d| profile.mixture(place(d)).to_vec()),
        }
    }

    /// Documents drawn from the topics, with these Dirichlet parameters of their mixtures.
    fn drawn(&self, corpus: &Corpus, shapes: impl Fn(usize) -> Vec<f64>) -> Corpus {
        let with_words = (0..corpus.n_documents()).filter(|&d| corpus.lengths()[d] > 0);
        let drawn: Vec<Drawn> = with_words
            .map(|d| Drawn {
                seed: SEED ^ corpus.document_key(d),
                shapes: shapes(d),
                length: corpus.lengths()[d].min(self.longest),
            })
            .collect();
        draw_mixtures(&self.settling.stages[0], &drawn)
    }
}

impl Corpus {
    /// Documents in place of those of a range of keys, here or elsewhere. If the documents of this corpus have
    /// converged under the same topics, their `profile` saves those passes.
    pub(super) fn redrawn(
        &self,
        range: KeyRange,
        redraw: Redraw,
        profile: Option<&Profile<'_>>,
    ) -> Corpus {
        let part = range.into();
        let among = self.among(&part);
        if let Some(elsewhere) = among.redrawn_elsewhere(&redraw) {
            return elsewhere;
        }
        match profile {
            Some(profile) if redraw.believed.is_none() => {
                let documents = part.documents(self);
                redraw.settled(&among, profile, |d| documents[d])
            }
            _ => redraw.of(&among),
        }
    }
}

/// The documents without repetitions by bursts; words are the features of `corpus`. A document
/// from which more than `longest` words would be left also loses words at random, in that proportion.
fn thinned<'a>(
    corpus: &Corpus,
    mixture: impl Fn(usize) -> &'a [f64],
    topics: &Profile<'_>,
    concentration: f64,
    longest: u64,
) -> Corpus {
    let mut builder: CorpusBuilder = Corpus::builder(topics.n_features()).may_be_empty();
    for d in (0..corpus.n_documents()).filter(|&d| corpus.lengths()[d] > 0) {
        crate::stop::here();
        let mut rng = ChaCha8Rng::seed_from_u64(SEED ^ corpus.document_key(d));
        let mixture = mixture(d);
        // Mixtures are not normalised: `scale` times the sum over topics below is `c p` of the head
        // of `bursts`.
        let scale = concentration / mixture.iter().sum::<f64>();
        let (features, counts) = corpus.rows().row(d);
        let words = features.iter().zip(counts).map(|(&i, &count)| {
            let p = topics.probabilities(i).iter().zip(mixture).map(|(a, m)| a * m);
            (i, scale * p.sum::<f64>(), count)
        });
        let words: Vec<(u32, f64, u32)> = words.collect();
        let expected: f64 = words.iter().map(|&(_, new, count)| expected_new(new, count)).sum();
        let kept = (longest as f64 / expected).min(1.0);
        let thinned = words.iter().map(|&(i, new, count)| (i, n_new(&mut rng, new, kept, count)));
        let entries: Vec<(u32, u32)> = thinned.filter(|(_, count)| *count > 0).collect();
        // Words are those of a corpus, counted once each, so this cannot fail.
        let _ = builder.push_document(entries);
    }
    match builder.build() {
        Ok(corpus) => corpus,
        Err(error) => unreachable!("a thinned corpus is well formed: {error}"),
    }
}

/// About how many of `count` occurrences of a word are new: the first is, and occurrence `t` with probability
/// `new / (new + t)`.
fn expected_new(new: f64, count: u32) -> f64 {
    let others = new * ((new + f64::from(count) - 0.5) / (new + 0.5)).ln();
    (1.0 + others).min(f64::from(count))
}

/// Of `count` occurrences of a word, the number that is new and kept. Occurrence `t`, counted from 0, is so with
/// probability `kept new / (new + t)`, independently of the others.
fn n_new(rng: &mut ChaCha8Rng, new: f64, kept: f64, count: u32) -> u32 {
    let probability = |t: f64| kept * new / (new + t);
    let is_new = |t: &u32| unit(rng) * (new + f64::from(*t)) < kept * new;
    let mut n = (0..count.min(ONE_BY_ONE)).filter(is_new).count() as u32;
    // Probabilities fall with `t`. The next candidate comes as if they stayed as they are, after a geometric
    // number of occurrences, and is accepted with the ratio of the two: the same law.
    let mut t = f64::from(ONE_BY_ONE);
    while t < f64::from(count) {
        let here = probability(t);
        let leap = match here > 0.0 {
            true => ((1.0 - unit(rng)).ln() / (-here).ln_1p()).floor(),
            false => f64::INFINITY,
        };
        let candidate = t + leap;
        if candidate < f64::from(count) && unit(rng) * here < probability(candidate) {
            n += 1;
        }
        t = candidate + 1.0;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaps_keep_as_many_occurrences_as_looking_at_each() {
        for (new, kept, count) in [(3.0, 1.0, 20_000), (400.0, 0.5, 3_000), (0.02, 1.0, 60_000)] {
            let expected: f64 = (0..count).map(|t| kept * new / (new + f64::from(t))).sum();
            let variance: f64 =
                (0..count).map(|t| kept * new / (new + f64::from(t))).map(|p| p * (1.0 - p)).sum();
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let runs = 4000;
            let draws: Vec<f64> =
                (0..runs).map(|_| f64::from(n_new(&mut rng, new, kept, count))).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(runs);
            let spread = draws.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / f64::from(runs);
            let error = (variance / f64::from(runs)).sqrt();
            assert!((mean - expected).abs() < 4.0 * error, "{mean} for {expected}");
            assert!((spread / variance - 1.0).abs() < 0.15, "{spread} for {variance}");
        }
    }

    #[test]
    fn as_many_occurrences_are_new_as_expected() {
        for (new, count) in [(0.02, 1), (0.02, 60_000), (3.0, 20_000), (400.0, 7), (1e6, 3_000)] {
            let exact: f64 = (0..count).map(|t| new / (new + f64::from(t))).sum();
            let about = expected_new(new, count);
            assert!((about / exact - 1.0).abs() < 0.03, "{about} for {exact}");
        }
    }

    #[test]
    fn a_count_as_large_as_counts_can_be_costs_few_draws() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let kept = 20_000.0 / f64::from(u32::MAX);
        let n = n_new(&mut rng, 1e12, kept, u32::MAX);
        assert!((19_000..21_000).contains(&n), "{n}");
        assert_eq!(n_new(&mut rng, 0.0, 1.0, u32::MAX), 0);
        assert!(n_new(&mut rng, 1e-300, 1.0, u32::MAX) <= 1);
    }
}
