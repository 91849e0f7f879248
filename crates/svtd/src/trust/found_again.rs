//! Found again: which topics are found when halves of the documents are fitted from scratch.
//!
//! The documents are dealt into two halves by their content. Each half is fitted as the whole was,
//! spectral start included, without any information from the other half or from the whole. The
//! topics of both halves are matched to those of the whole so that the sum of the distances is
//! smallest. A real topic is found in both halves; a topic that comes from chance, or is
//! superfluous, is not. Per topic:
//!
//! * how many of its ten likeliest words are among the ten likeliest in both halves, and
//! * the L1 distance between its two halves,
//!
//! each the mean over the splits. Unlike the jackknife, this also shows when another solution would
//! be found, and it does not assume that words are drawn as a model says.
//!
//! # Chance
//! Different topics share words too: the vocabulary may be small, and superfluous topics all
//! resemble the corpus. The number expected by chance is the mean number of a topic's words that
//! return in one half and in *another* topic of the other half. It is all of them where the two
//! counterparts of a topic are no closer to each other than to another topic of their own half (one
//! topic split in two, or two that both resemble the corpus). A topic counts as found again only if
//! it returns clearly beyond that ([`Standing::of`](crate::model::diagnostics::Standing::of)); or if its two
//! counterparts are nearly the same distribution and far from all other topics, because where many words are about
//! equally likely, chance decides which ten come first. With
//! fewer than [`LEAST_WORDS`] words any ten share half with any other ten, so nothing is reported.
//!
//! # Cost
//! Halves use the vocabulary and the candidate that were chosen for the whole. Their directions are
//! found with a large tolerance (`Accuracy::Comparison`), because sampling errors are larger, and
//! are also used for the z-scores ([`noise`](crate::noise)). In a corpus of more than [`LARGE`]
//! counts, halves are samples. Measured in `benches/record/found_again.md`.

mod returned;

use self::returned::Likeliest;
pub(crate) use self::returned::{Returned, shared_words};
use crate::corpus::{Corpus, Dealt};
use crate::error::Result;
use crate::fit::spectral::Half;
use crate::linalg::Matrix;
use crate::model::diagnostics::Halves;
use crate::model::features::to_vocabulary;
use crate::moments::Counting;
use crate::noise;

/// Number of likeliest words that represent a topic.
const TOP_WORDS: usize = 10;

/// In a corpus with more counts than this, halves are samples of the documents.
const LARGE: usize = 10_000_000;

/// Both samples together hold one document in this many.
const SAMPLED: usize = 8;

/// With fewer different documents than this there are no halves.
const LEAST_DOCUMENTS: usize = 12;

/// With fewer words in use than this nothing is said: any ten of them share half with any other ten.
pub(crate) const LEAST_WORDS: usize = 2 * TOP_WORDS;

/// Fits some of the documents from scratch.
pub(crate) type Learn<'a> = dyn Fn(Dealt) -> Result<Half> + Sync + 'a;

/// The results of fitting halves of the documents.
pub(crate) struct Found {
    /// The results for each topic of the whole; `None` when there are too few words to tell.
    pub topics: Option<Vec<Halves>>,
    /// z-scores of the directions; those of one half are measured on the other.
    pub z_scores: Option<Vec<f64>>,
}

/// Learns both halves of each split and looks for the topics `whole` (features x topics) in them;
/// `None` when the halves cannot be learned.
pub(crate) fn look(
    corpus: &Corpus,
    whole: &Matrix,
    n_splits: usize,
    learn: &Learn<'_>,
    (n_directions, counting): (usize, Counting),
    progress: &dyn Fn(usize, usize),
) -> Option<Found> {
    let whole = Likeliest::new(to_vocabulary(corpus, whole));
    let n_words = corpus.n_present();
    let mut sums = vec![Sum::default(); whole.n_topics()];
    let (mut z_scores, mut n_documents) = (None, 0);
    for split in 0..n_splits {
        progress(split, n_splits);
        let [first, second] = deal(corpus, split)?;
        let (first, second) = one_by_one(corpus, || learn(first), || learn(second));
        let halves = [first.ok()?, second.ok()?];
        let sizes = halves.each_ref().map(|half| half.corpus.facts().n_with_words() as usize);
        n_documents = sizes[0] + sizes[1];
        if split == 0 {
            z_scores = noise::z_scores_of_halves(&halves, n_directions, counting);
        }
        let [first, second] =
            halves.map(|half| Likeliest::new(to_vocabulary(&half.corpus, &half.topics)));
        sums.iter_mut().zip(whole.in_halves(&first, &second, n_words)).for_each(|(s, r)| s.add(r));
    }
    let mean = |sum: f64| sum / n_splits as f64;
    let halves = |sum: Sum| Halves {
        found_again: mean(sum.words),
        by_chance: mean(sum.by_chance),
        half_distance: mean(sum.distance),
        close: sum.n_close == n_splits,
        n_splits,
        n_documents,
        held_by_few: false,
    };
    let topics = (n_words >= LEAST_WORDS).then(|| sums.into_iter().map(halves).collect());
    (n_splits > 0).then_some(Found { topics, z_scores })
}

/// What a topic's halves share, summed over the splits.
#[derive(Clone, Copy, Default)]
struct Sum {
    words: f64,
    by_chance: f64,
    distance: f64,
    /// Number of splits whose halves are close.
    n_close: usize,
}

impl Sum {
    fn add(&mut self, returned: Returned) {
        self.words += returned.words;
        self.by_chance += returned.by_chance;
        self.distance += returned.distance;
        self.n_close += usize::from(returned.close);
    }
}

/// The note for a fit that cannot say whether its topics are found again.
pub(crate) fn note(corpus: &Corpus) -> Option<String> {
    let n_words = corpus.n_present();
    (n_words < LEAST_WORDS).then(|| {
        format!(
            "whether topics come back in halves of the documents cannot be told: {n_words} words are too few, \
             since any two topics share most of their ten likeliest"
        )
    })
}

/// Runs two computations in parallel, or one after the other if the documents are elsewhere: their holders must get
/// the questions in a fixed order.
pub(crate) fn one_by_one<T: Send>(
    corpus: &Corpus,
    first: impl FnOnce() -> T + Send,
    second: impl FnOnce() -> T + Send,
) -> (T, T) {
    match corpus.is_elsewhere() {
        true => (first(), second()),
        false => rayon::join(first, second),
    }
}

/// Two halves of the documents that have words, dealt by a hash of their content, equal documents
/// into the same half. So their order in the file changes nothing, a holder of a document can
/// compute its half, and a copy does not count as independent evidence. `None` when there are too
/// few different ones.
pub(crate) fn deal(corpus: &Corpus, split: usize) -> Option<[Dealt; 2]> {
    let share = if corpus.n_nonzeros() > LARGE { 1.0 / SAMPLED as f64 } else { 1.0 };
    let half = 0.5 * share;
    let dealt = |from, to| Dealt::between(split as u64, from, to);
    (corpus.facts().n_different >= LEAST_DOCUMENTS as u64 && corpus.answers_for(half))
        .then(|| [dealt(0.0, half), dealt(half, share)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::KeyPart;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};
    use crate::{Lda, SingleTopic};

    #[test]
    fn halves_are_disjoint_even_and_follow_the_content() {
        let source = SingleTopicSource::uniform(30, 3, 5);
        let corpus = source.draw(100, &Lengths::Uniform(3..=20), 7).0;
        let twice: Vec<usize> = (0..100).chain((0..100).rev()).collect();
        let doubled = corpus.subset(&twice);
        let documents = |corpus: &Corpus, split: usize| {
            deal(corpus, split).unwrap().map(|half| KeyPart::from(half).documents(corpus))
        };
        for split in 0..3 {
            let [first, second] = documents(&corpus, split);
            assert_eq!(first.len() + second.len(), 100);
            assert!((35..=65).contains(&first.len()), "{}", first.len());
            assert!(first.iter().all(|d| !second.contains(d)));
            let [again, _] = documents(&doubled, split);
            let originals: Vec<usize> = again.into_iter().filter(|&d| d < 100).collect();
            assert_eq!(originals, first);
        }
        assert_ne!(documents(&corpus, 0), documents(&corpus, 1));
        assert!(deal(&corpus.subset(&[0; 100]), 0).is_none());
    }

    #[test]
    fn with_few_words_nothing_is_said() {
        let lengths = Lengths::Uniform(20..=40);
        for (n_words, enough_words) in [(12, false), (60, true)] {
            let corpus = SingleTopicSource::uniform(n_words, 2, 5).draw(300, &lengths, 7).0;
            let model = SingleTopic::params(2).fit(&corpus).unwrap();
            let d = model.diagnostics();
            assert_eq!(d.topics.iter().all(|topic| topic.halves().is_some()), enough_words);
            let noted = d.notes.iter().any(|note| note.contains("12 words are too few"));
            assert_eq!(noted, !enough_words, "{:?}", d.notes);
            assert!(d.z_scores.is_some());
        }
    }

    #[test]
    fn topics_that_are_there_return_and_invented_ones_do_not() {
        let lengths = Lengths::Uniform(60..=100);
        let mixed = LdaSource::zipf(600, 4, 5.0, 300.0, 1.0, 3);
        let corpus = mixed.draw(1200, &lengths, 4).0;
        let params = Lda::params(8).allow_fewer(true).splits(2);
        let model = params.fit(&corpus).unwrap();
        let found: Vec<f64> = model
            .diagnostics()
            .topics
            .iter()
            .map(|topic| topic.halves().unwrap().found_again)
            .collect();
        let n = found.iter().filter(|words| **words >= 7.0).count();
        assert!((4..=5).contains(&n), "{found:?}");
        let single = SingleTopicSource::zipf(600, 4, 5.0, 300.0, 20.0, 5);
        let model = SingleTopic::params(4).fit(&single.draw(1200, &lengths, 6).0).unwrap();
        for topic in &model.diagnostics().topics {
            let halves = topic.halves().unwrap();
            assert!(halves.found_again >= 7.0 && halves.half_distance < 0.5, "{halves:?}");
            assert_eq!((halves.n_splits, halves.n_documents), (2, 1200));
        }
    }
}
