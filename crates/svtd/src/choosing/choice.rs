//! How many topics the data shows: the leading directions that stand clearly out of the noise.
//!
//! The z-scores of the pair moment's directions, each measured on documents that had no part in
//! finding it, are falling from far above any chance to about standard normal. The number of
//! directions is that of the leading scores above 3.
//!
//! Documents that mix topics have as many topics as clear directions. Documents of one topic each may
//! be about some that are too rare for a direction of their own: a few topics more are fitted, and
//! those kept that the documents speak for ([`evidence`]). Where only one direction is clear, nothing
//! tells how far apart topics are, and none is looked for.
//!
//! # Cost
//! Two whitenings of half the corpus (five of four fifths of it when it is small), for as many
//! directions as turn out to be needed: the search begins with few and doubles while all of them are
//! clear, up to a limit. Text is not made of
//! few topics, so on a large corpus of text the limit may be what ends it; [`Choice`] tells. For
//! documents of one topic each a spectral estimate and some steps of EM come on top.

use serde::{Deserialize, Serialize};

use crate::choosing::evidence::{self, Kept};
use crate::choosing::noise::{Look, ROUGH, n_folds, z_scores};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::fit::options::{Options, Polish};
use crate::model::diagnostics::CLEAR;
use crate::moments::{Counting, DocumentWeights};

/// Directions looked at first.
const FIRST_LOOK: usize = 24;

/// Directions looked at in the last resort, unless the caller says otherwise.
pub const MOST_TOPICS: usize = 100;

/// Topics tried beyond the clear directions, and one for each two of those.
const MORE: usize = 4;

/// A number of topics, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The number chosen.
    pub n_topics: usize,
    /// How clearly each direction stands out of the noise, falling with the eigenvalues.
    pub z_scores: Vec<f64>,
    /// The most topics that were looked for.
    pub limit: usize,
    /// What the documents themselves speak for, when each is about one topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    /// Why the documents themselves could not be asked, where they should have been: the clear
    /// directions alone decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unheard: Option<String>,
    /// Which counts were looked at.
    #[serde(default = "raw")]
    pub counting: Counting,
}

/// What files say that do not tell how they counted.
fn raw() -> Counting {
    Counting::Raw
}

impl Choice {
    /// Whether all directions up to the limit were clear, so that more topics may be there.
    pub fn limit_reached(&self) -> bool {
        self.n_clear() >= self.limit
    }

    /// Leading directions that are clear.
    pub fn n_clear(&self) -> usize {
        n_clear(&self.z_scores)
    }
}

/// How many leading scores are clear of the noise.
pub(crate) fn n_clear(z_scores: &[f64]) -> usize {
    z_scores.iter().take_while(|z| **z > CLEAR).count()
}

/// Looks for up to `limit` topics with the weights, the whitening and the `alpha0` of `options`.
///
/// # Errors
/// When half the corpus supports no moments at all, or the weights are three drawn words.
pub(crate) fn choose(corpus: &Corpus, options: &Options, limit: usize) -> Result<Choice> {
    if matches!(options.weights, DocumentWeights::ThreeWords { .. }) {
        return Err(Error::Option {
            name: "the number of topics",
            needed: "given when moments are made of three drawn words".to_owned(),
            found: "auto".to_owned(),
        });
    }
    let limit = limit.clamp(1, corpus.n_present().max(1));
    let mut look = FIRST_LOOK.min(limit);
    let counting = counting(options);
    loop {
        let how = Look { counting, tolerance: ROUGH, n_folds: n_folds(corpus) };
        let Some(z_scores) = z_scores(corpus, options, look, how, &|_, _| {}) else {
            return Err(Error::TooFewToChoose { documents: corpus.n_documents() });
        };
        let n_clear = n_clear(&z_scores);
        // A few scores of noise behind the last clear one, so that it is seen to be the last.
        if n_clear + 2 <= look || look == limit {
            let (kept, unheard) = match rare(corpus, options, n_clear, limit) {
                Some(Ok(kept)) => (Some(kept), None),
                Some(Err(error)) => (None, Some(error.to_string())),
                None => (None, None),
            };
            let n_topics = kept.map_or(n_clear.max(1), |kept| kept.n_topics);
            return Ok(Choice { n_topics, z_scores, limit, kept, unheard, counting });
        }
        look = (2 * look).min(limit);
    }
}

/// What the documents say where directions may be too few: each about one topic, and the limit far.
fn rare(corpus: &Corpus, options: &Options, n_clear: usize, limit: usize) -> Option<Result<Kept>> {
    let of = (n_clear + MORE + n_clear / 2).min(limit);
    let wanted = options.alpha0.is_none() && n_clear > 1 && n_clear < limit;
    wanted.then(|| evidence::keep(corpus, options, of))
}

/// The counts whose moments a fit with these options may rest on: damped ones where LDA is
/// polished, since text repeats its words.
pub(crate) fn counting(options: &Options) -> Counting {
    match (options.alpha0, options.polish) {
        (None, _) | (_, Polish::None) => Counting::Raw,
        (Some(_), _) => Counting::Damped,
    }
}

#[cfg(test)]
mod tests {
    use crate::corpus::Corpus;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};
    use crate::{Error, Lda, SingleTopic};

    const LENGTHS: Lengths = Lengths::NegativeBinomial { mean: 50.0, shape: 2.0 };

    #[test]
    fn as_many_topics_are_chosen_as_there_are() {
        for (seed, k) in [(1, 3), (2, 8), (3, 30)] {
            let source = SingleTopicSource::zipf(600, k, 5.0, 300.0, 20.0, seed);
            let corpus = source.draw(200 * k, &LENGTHS, seed + 10).0;
            let chosen = SingleTopic::params(1).choose_topics(&corpus, 100).unwrap();
            let choice = chosen.chosen().unwrap();
            assert_eq!(choice.n_topics, k, "{:?}", choice.z_scores);
            assert!(!choice.limit_reached());
            let capped = SingleTopic::params(1).choose_topics(&corpus, 2).unwrap();
            assert_eq!(capped.chosen().unwrap().n_topics, 2);
            assert!(capped.chosen().unwrap().limit_reached());
        }
        let source = LdaSource::zipf(600, 5, 5.0, 300.0, 1.0, 4);
        let corpus = source.draw(3000, &LENGTHS, 5).0;
        let chosen = Lda::params(1).choose_topics(&corpus, 100).unwrap();
        assert_eq!(chosen.chosen().unwrap().n_topics, 5);
        assert_eq!(chosen.trust(false).fit(&corpus).unwrap().topics().len(), 5);
    }

    #[test]
    fn noise_is_one_topic_and_one_topic_can_be_fitted() {
        let source = SingleTopicSource::zipf(300, 1, 5.0, 300.0, 1.0, 7);
        let corpus = source.draw(800, &LENGTHS, 8).0;
        let params = SingleTopic::params(1).choose_topics(&corpus, 100).unwrap();
        let model = params.fit(&corpus).unwrap();
        assert_eq!(model.topics().weights(), [1.0]);
        assert_eq!(model.options().chosen.as_ref().unwrap().n_topics, 1);
    }

    #[test]
    fn half_of_too_few_documents_tells_nothing() {
        let mut builder = Corpus::builder(3);
        builder.push_document([(0, 2), (1, 2)]).unwrap();
        let corpus = builder.build().unwrap();
        let refused = SingleTopic::params(1).choose_topics(&corpus, 100);
        assert!(matches!(refused, Err(Error::TooFewToChoose { documents: 1 })));
    }
}
