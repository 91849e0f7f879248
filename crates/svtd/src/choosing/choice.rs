//! Chooses the number of topics: the number of directions that stand clearly out of the noise, if the data follow
//! the model; in text, the number of topics that are found again.
//!
//! Each direction of the pair moment is measured on documents that were not used to find it. Its z-score is about
//! standard normal if there is no signal. The number of clear directions is the number of scores above 3. That many
//! topics must then explain how often documents repeat their words ([`repeats`](crate::fit::repeats)), to
//! [`FOLLOWS`] at least. If they do, the documents follow the model, and the number is right:
//!
//! * documents that mix topics have as many topics as clear directions;
//! * documents of one topic each may be about some that are too rare for a direction of their own: a few
//!   topics more are fitted, and those kept that raise the evidence ([`evidence`]; where documents are
//!   elsewhere and words of a few of them are not given away, the clear directions alone decide). Where
//!   only one direction is clear, the distance between topics is unknown, and no rare topic is looked for.
//!
//! If they do not, words come in bursts (overdispersion), as in text, and directions stand out for that reason
//! alone. The same is assumed if there are fewer than twenty documents for each clear direction: so many topics
//! would explain the words of so few documents in any case. Then more and more topics are fitted to halves of the documents, and the result is where the number that
//! both find stops growing ([`counting`](crate::choosing::counting)): a lower bound. If halves find no topic twice,
//! two are taken at most, and the answer says so.
//!
//! # Cost
//! Two whitenings of half the corpus (five of four fifths of it when it is small), for as many directions as turn
//! out to be needed: the search begins with few and doubles while all of them are clear and the documents follow
//! the model, up to a limit. Documents of one topic each also need a spectral estimate and some steps of EM; text
//! also needs the fits of halves.

use crate::choosing::counting::up_to_the_plateau;
use crate::choosing::evidence;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::fit::repeats;
use crate::fit::workload::{Workload, usual_splits};
use crate::memory;
use crate::model::choice;
use crate::model::diagnostics::n_clear;
use crate::model::{Choice, FoundInHalves, Kept, Kind, Options};
use crate::moments::{Counting, DocumentWeights};
use crate::noise::{CrossValidation, PART_TOLERANCE, n_folds, z_scores};

/// Number of directions examined first.
const FIRST_LOOK: usize = 24;

/// The largest number of directions examined, unless the caller gives another.
pub const MOST_TOPICS: usize = 100;

/// Number of topics tried beyond the clear directions, plus one for every two of those.
const MORE: usize = 4;

/// Documents follow the model if topics explain at least this share of the repetition of words.
const FOLLOWS: f64 = 0.92;

/// With fewer documents for each topic than this, even directions that are chance explain the repetition of words.
const DOCUMENTS_TO_EXPLAIN: usize = 20;

/// The sum of the Dirichlet parameter that stands for documents of a single topic: so small that nearly every mixture
/// has one topic.
const NEARLY_ONE: f64 = 1e-6;

/// Number of directions for a first guess, at first and at most: few enough to cost a small part of a fit.
const FIRST_GLANCE: usize = 8;
const GLANCE: usize = 24;

/// Considers up to `limit` topics, with the weights, the whitening and the `alpha0` of `options`.
///
/// # Errors
/// When half the corpus supports no moments at all, or the weights are three drawn words.
pub(crate) fn choose(corpus: &Corpus, options: &Options, limit: usize) -> Result<Choice> {
    memory::caught(|| {
        let (corpus, options) = options.in_key_order(corpus)?;
        choose_in_order(&corpus, &options, limit)
    })
}

/// As [`choose`], for documents that are in the order of their keys.
fn choose_in_order(corpus: &Corpus, options: &Options, limit: usize) -> Result<Choice> {
    if matches!(options.weights, DocumentWeights::ThreeWords { .. }) {
        return Err(Error::Option {
            name: "the number of topics",
            needed: "given when moments are made of three drawn words".to_owned(),
            found: "auto".to_owned(),
        });
    }
    let limit = limit.clamp(1, corpus.n_present().max(1));
    let mut look = FIRST_LOOK.min(limit);
    let counting = options.counting();
    loop {
        let how = CrossValidation { counting, tolerance: PART_TOLERANCE, n_folds: n_folds(corpus) };
        let Some((z_scores, counting)) = scores(corpus, options, look, how) else {
            return Err(Error::TooFewToChoose { documents: corpus.n_documents() });
        };
        let n_clear = n_clear(&z_scores);
        // A few scores of noise after the last clear one show that it is the last.
        let all_clear = n_clear + 2 > look;
        if all_clear && look < limit && follow(explained(corpus, options, limit)) {
            look = (2 * look).min(limit);
            continue;
        }
        let repeats_explained = explained(corpus, options, n_clear.max(1));
        let is_text = is_text(corpus, n_clear, repeats_explained);
        let mut choice = Choice {
            n_topics: n_clear.max(1),
            z_scores,
            limit,
            kept: None,
            not_asked: None,
            counting,
            repeats_explained,
            is_text,
            counted: Vec::new(),
        };
        // Where every direction up to the limit is clear, halves with so few topics may tell nothing.
        let must_tell = !is_text || all_clear && !too_many(corpus, n_clear);
        if (is_text || all_clear)
            && let Some(counted) = come_back(corpus, options, limit, must_tell)
        {
            choice.counted = counted;
            choice.n_topics = match choice::n_topics(&choice.counted) {
                // In text directions do not count topics: no more are taken than a comparison needs.
                0 => choice.n_topics.min(2),
                n => n,
            };
            return Ok(choice);
        }
        match rare(corpus, options, n_clear, limit) {
            Some(Ok(kept)) => {
                choice.n_topics = kept.n_topics;
                choice.kept = Some(kept);
            }
            Some(Err(error)) => choice.not_asked = Some(error.to_string()),
            None => {}
        }
        return Ok(choice);
    }
}

/// z-scores of `look` directions, and of which counts. Where words are few and every document has most of them, damped
/// counts show a single direction, whatever the number of topics: then those of the raw counts, if the documents
/// follow the model.
fn scores(
    corpus: &Corpus,
    options: &Options,
    look: usize,
    how: CrossValidation,
) -> Option<(Vec<f64>, Counting)> {
    let damped = z_scores(corpus, options, look, how, &|_, _| {})?;
    let one_alone = damped.iter().skip(1).all(|z| *z <= 0.0);
    if how.counting == Counting::Damped && look > 1 && one_alone {
        let how = CrossValidation { counting: Counting::Raw, ..how };
        let raw = z_scores(corpus, options, look, how, &|_, _| {}).filter(|z| n_clear(z) > 1);
        let follows = |n: usize| !is_text(corpus, n, explained(corpus, options, n));
        if let Some(raw) = raw.filter(|z| follows(n_clear(z))) {
            return Some((raw, Counting::Raw));
        }
    }
    Some((damped, how.counting))
}

/// The share of the repetition of words that `n_topics` topics explain.
pub(crate) fn explained(corpus: &Corpus, options: &Options, n_topics: usize) -> Option<f64> {
    let options = Options { n_topics, ..options.clone() };
    let alpha0 = match options.kind() {
        Kind::Lda => options.alpha0(),
        Kind::SingleTopic => NEARLY_ONE,
    };
    repeats::explained_at_most(corpus, alpha0, &options)
}

/// Whether the number of clear directions says nothing about the number of topics: as in text, which repeats words more
/// often than topics explain, or where documents are few.
pub(crate) fn is_text(corpus: &Corpus, n_clear: usize, explained: Option<f64>) -> bool {
    too_many(corpus, n_clear) || !follow(explained)
}

/// Whether there are so few documents that this many directions explain the repetition of words even if they are
/// chance. Then the explained share says nothing about how many topics there are.
fn too_many(corpus: &Corpus, n_clear: usize) -> bool {
    n_clear * DOCUMENTS_TO_EXPLAIN > corpus.n_documents()
}

/// Whether documents follow the model, judging by the explained share of the repetition.
fn follow(explained: Option<f64>) -> bool {
    explained.is_none_or(|share| share >= FOLLOWS)
}

/// The number of topics found again in halves; `None` when halves cannot be fitted. With `must_tell` also when
/// nothing is found again, or when halves can be fitted with only one number of topics, which shows no plateau.
fn come_back(
    corpus: &Corpus,
    options: &Options,
    limit: usize,
    must_tell: bool,
) -> Option<Vec<FoundInHalves>> {
    let counted = up_to_the_plateau(corpus, options, limit, n_splits(corpus, options))?;
    let tells = counted.len() > 1 && choice::n_topics(&counted) > 0;
    (tells || !must_tell).then_some(counted)
}

/// Number of splits into halves.
pub(crate) fn n_splits(corpus: &Corpus, options: &Options) -> usize {
    let typical = Options { n_topics: FIRST_LOOK, trust: false, ..options.clone() };
    usual_splits(Workload::new(&typical, corpus.into()).operations())
}

/// A first guess for a check of a corpus: at most [`GLANCE`] directions, measured on two halves, without the search
/// for topics too rare for a direction; [`FIRST_GLANCE`] where all of these are clear and do not count topics.
///
/// # Errors
/// As [`choose`].
pub(crate) fn glance(corpus: &Corpus, options: &Options) -> Result<Choice> {
    let (corpus, options) = options.in_key_order(corpus)?;
    let (corpus, options) = (&*corpus, &options);
    let limit = GLANCE.clamp(1, corpus.n_present().max(1));
    let counting = options.counting();
    let how = CrossValidation { counting, tolerance: PART_TOLERANCE, n_folds: 2 };
    let mut look = FIRST_GLANCE.min(limit);
    loop {
        let Some((z_scores, counting)) = scores(corpus, options, look, how) else {
            return Err(Error::TooFewToChoose { documents: corpus.n_documents() });
        };
        let n_clear = n_clear(&z_scores);
        let repeats_explained = explained(corpus, options, n_clear.max(1));
        // Where directions do not count topics, no more of them are looked at.
        let is_text = is_text(corpus, n_clear, repeats_explained);
        if n_clear + 2 <= look || look == limit || is_text {
            return Ok(Choice {
                n_topics: n_clear.max(1),
                z_scores,
                limit: look,
                kept: None,
                not_asked: None,
                counting,
                repeats_explained,
                is_text,
                counted: Vec::new(),
            });
        }
        look = limit;
    }
}

/// The search for topics too rare for a clear direction, if each document is about one topic and fewer than `limit`
/// directions are clear.
fn rare(corpus: &Corpus, options: &Options, n_clear: usize, limit: usize) -> Option<Result<Kept>> {
    let of = (n_clear + MORE + n_clear / 2).min(limit);
    let wanted = options.kind() == Kind::SingleTopic && n_clear > 1 && n_clear < limit;
    wanted.then(|| evidence::keep(corpus, options, of))
}

#[cfg(test)]
mod tests {
    use crate::corpus::Corpus;
    use crate::model::Options;
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
    fn in_few_documents_with_bursts_directions_do_not_count_topics() {
        let source = LdaSource::zipf(1500, 4, 5.0, 300.0, 1.0, 3);
        for (length, concentration) in [(120, 100.0), (3000, 200.0)] {
            let lengths = Lengths::Uniform(length / 2..=2 * length);
            let corpus = source.draw_bursty(70, &lengths, concentration, 4);
            let chosen = Lda::params(1).choose_topics(&corpus, 100).unwrap();
            let choice = chosen.chosen().unwrap();
            assert!(choice.n_topics <= 4 && choice.n_clear() > 4, "{choice:?}");
            assert!(choice.nothing_came_back() == (choice.counted.iter().all(|c| c.n_found < 1.0)));
        }
    }

    #[test]
    fn a_first_guess_looks_no_further_where_directions_do_not_count_topics() {
        let source = LdaSource::zipf(600, 12, 5.0, 300.0, 1.0, 3);
        let lengths = Lengths::Uniform(60..=120);
        let text = source.draw_bursty(1500, &lengths, 100.0, 4);
        let options = Options::of(crate::model::Kind::Lda, 1);
        let guess = super::glance(&text, &options).unwrap();
        assert!(guess.is_text && guess.limit_reached(), "{guess:?}");
        assert_eq!(guess.z_scores.len(), super::FIRST_GLANCE);
        let guess = super::glance(&source.draw(1500, &lengths, 4).0, &options).unwrap();
        assert!(!guess.is_text && guess.n_clear() == 12, "{guess:?}");
    }

    #[test]
    fn few_words_that_every_document_has_do_not_hide_the_topics_of_mixtures() {
        let source = LdaSource::zipf(25, 3, 5.0, 25.0, 0.5, 3);
        let corpus = source.draw(1500, &Lengths::Fixed(60), 4).0;
        let chosen = Lda::params(1).choose_topics(&corpus, 100).unwrap();
        let choice = chosen.chosen().unwrap();
        assert_eq!((choice.n_topics, choice.n_clear()), (3, 3), "{choice:?}");
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
