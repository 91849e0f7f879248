//! Documents in place of those of a corpus: drawn from a model, or the documents themselves without the repetitions
//! of bursts.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::corpus::{Corpus, CorpusBuilder, KeyRange};
use crate::fit::profile::Profile;
use crate::linalg::Matrix;
use crate::questions::Redraw;
use crate::synthetic::{Drawn, draw_mixtures, unit};

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

    /// The same if documents have converged; `place` is where the profile has a document.
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
/// longer than `longest` also loses words at random, in that proportion.
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
        let kept = (longest as f64 / corpus.lengths()[d] as f64).min(1.0);
        // Mixtures are not normalised: `scale` times the sum over topics below is `c p` of the head
        // of `bursts`.
        let scale = concentration / mixture.iter().sum::<f64>();
        let (features, counts) = corpus.rows().row(d);
        let thinned = features.iter().zip(counts).map(|(&i, &count)| {
            let p = topics.probabilities(i).iter().zip(mixture).map(|(a, m)| a * m);
            let new = scale * p.sum::<f64>();
            let is_new = |t: &u32| unit(&mut rng) * (new + f64::from(*t)) < kept * new;
            (i, (0..count).filter(is_new).count() as u32)
        });
        let entries: Vec<(u32, u32)> = thinned.filter(|(_, count)| *count > 0).collect();
        // Words are those of a corpus, counted once each, so this cannot fail.
        let _ = builder.push_document(entries);
    }
    match builder.build() {
        Ok(corpus) => corpus,
        Err(error) => unreachable!("a thinned corpus is well formed: {error}"),
    }
}
