//! Found again: which topics come back when halves of the documents are learned from scratch.
//!
//! The documents are dealt into two halves by their content. Each half is learned as the whole was,
//! spectral start included, and knows nothing of the other. Both are matched to the whole, topic by
//! topic, so that the distances are least altogether. A topic that is there is there in both halves;
//! what chance or a superfluous topic made of the whole is not. Per topic:
//!
//! * how many of its ten likeliest words are among the ten likeliest in both halves, and
//! * the L1 distance between its two halves,
//!
//! each the mean over the splits. No word returns where the two are no closer to each other than to
//! another topic of their own half: superfluous topics may all be alike, and share words by that alone.
//! Nothing here follows one solution, as leaving out groups does, and
//! nothing assumes that words are drawn as a model says.
//!
//! # Cost
//! Halves share the vocabulary, and what was chosen for the whole is not chosen again. Their directions
//! are found as well as half the documents know them, and serve the z-scores too
//! ([`noise`](crate::choosing::noise)). Of a corpus of more than [`LARGE`] counts, halves are samples.
//! Measured in `benches/record/found_again.md`.

use rayon::prelude::*;

use crate::choosing::noise;
use crate::corpus::{Corpus, mixed};
use crate::error::Result;
use crate::evaluation::{l1_distance, match_by};
use crate::fit::options::Options;
use crate::fit::spectral::to_vocabulary;
use crate::linalg::Matrix;
use crate::model::diagnostics::Halves;
use crate::moments::Counting;

/// Words that stand for a topic.
const TOP_WORDS: usize = 10;

/// A corpus with more counts than this is judged by samples.
const LARGE: usize = 10_000_000;

/// One count in this many is in the samples.
const SAMPLED: usize = 5;

/// Fewer different documents than this make no halves.
const LEAST_DOCUMENTS: usize = 12;

/// Splits where a fit is quick.
const QUICK_SPLITS: usize = 2;

/// Operations of a fit that takes about a second.
const QUICK: f64 = 1e9;

/// Half of the documents, and what was learned from it.
pub(crate) struct Half {
    pub corpus: Corpus,
    pub options: Options,
    /// Features of the half x topics.
    pub topics: Matrix,
    /// The directions they were found in, features x directions.
    pub directions: Matrix,
}

/// Learns some of the documents from scratch.
pub(crate) type Learn<'a> = dyn Fn(&[usize]) -> Result<Half> + Sync + 'a;

/// What the halves say.
pub(crate) struct Found {
    /// Per topic of the whole.
    pub topics: Vec<Halves>,
    /// z-scores of the directions, those of one half measured on the other.
    pub z_scores: Option<Vec<f64>>,
}

/// How many splits are made when nobody says: two where a fit of so many operations is quick.
pub(crate) fn usual_splits(operations: f64) -> usize {
    if operations < QUICK { QUICK_SPLITS } else { 1 }
}

/// Learns both halves of each split and looks for the topics `whole` (features x topics) in them;
/// `None` when the halves cannot be learned.
pub(crate) fn look(
    corpus: &Corpus,
    whole: &Matrix,
    n_splits: usize,
    learn: &Learn<'_>,
    (n_directions, counting): (usize, Counting),
    told: &dyn Fn(usize, usize),
) -> Option<Found> {
    let whole = Likeliest::new(to_vocabulary(corpus, whole));
    let mut sums = vec![(0.0, 0.0); whole.n_topics()];
    let (mut z_scores, mut n_documents) = (None, 0);
    for split in 0..n_splits {
        told(split, n_splits);
        let [first, second] = deal(corpus, split)?;
        n_documents = first.len() + second.len();
        let (first, second) = rayon::join(|| learn(&first), || learn(&second));
        let halves = [first.ok()?, second.ok()?];
        if split == 0 {
            z_scores = noise::z_scores_of_halves(&halves, n_directions, counting);
        }
        let [first, second] =
            halves.map(|half| Likeliest::new(to_vocabulary(&half.corpus, &half.topics)));
        for (sum, (words, distance)) in sums.iter_mut().zip(whole.in_halves(&first, &second)) {
            *sum = (sum.0 + words, sum.1 + distance);
        }
    }
    let mean = |sum: f64| sum / n_splits as f64;
    let halves = |(words, distance): (f64, f64)| Halves {
        found_again: mean(words),
        half_distance: mean(distance),
        n_splits,
        n_documents,
    };
    (n_splits > 0).then(|| Found { topics: sums.into_iter().map(halves).collect(), z_scores })
}

/// Two halves of the documents that have words, dealt by content so that their order in the file
/// changes nothing, equal documents into the same half: a copy is no evidence of its own. `None` when
/// there are too few different ones.
pub(crate) fn deal(corpus: &Corpus, split: usize) -> Option<[Vec<usize>; 2]> {
    let mut order: Vec<(u64, usize)> = (0..corpus.n_documents())
        .filter(|&d| corpus.lengths()[d] > 0)
        .map(|d| (mixed(corpus.document_key(d) ^ mixed(split as u64)), d))
        .collect();
    order.sort_unstable();
    let counts = corpus.n_nonzeros();
    let most = if counts > LARGE { counts / SAMPLED } else { counts };
    let mut halves = [Vec::new(), Vec::new()];
    let (mut n_different, mut taken) = (0, 0);
    for equals in order.chunk_by(|a, b| a.0 == b.0) {
        if taken >= most {
            break;
        }
        let smaller = usize::from(halves[1].len() < halves[0].len());
        halves[smaller].extend(equals.iter().map(|&(_, d)| d));
        taken += equals.iter().map(|&(_, d)| corpus.document(d).n_distinct()).sum::<usize>();
        n_different += 1;
    }
    halves.iter_mut().for_each(|half| half.sort_unstable());
    (n_different >= LEAST_DOCUMENTS).then_some(halves)
}

/// How many of their ten likeliest words the topics of two halves share, matched to each other; words
/// x topics both.
pub(crate) fn shared_words(first: Matrix, second: Matrix) -> Vec<f64> {
    let [first, second] = [first, second].map(Likeliest::new);
    let shared = |(j, partner): (usize, Option<usize>)| {
        let partner = partner.filter(|&l| first.pair(j, &second, l).1)?;
        let others = &second.words[partner];
        let own = &first.words[j];
        let n = own.iter().filter(|word| others.binary_search(word).is_ok()).count();
        Some(TOP_WORDS as f64 * n as f64 / own.len().max(1) as f64)
    };
    let matched = first.matched(&second).into_iter().enumerate();
    matched.map(|pair| shared(pair).unwrap_or(0.0)).collect()
}

/// Topics, words x topics, with the likeliest words of each.
struct Likeliest {
    topics: Matrix,
    /// Rising.
    words: Vec<Vec<usize>>,
    /// How far each is from the nearest of the others.
    apart: Vec<f64>,
}

impl Likeliest {
    fn new(topics: Matrix) -> Self {
        let columns = (0..topics.n_columns()).into_par_iter();
        let words = columns.clone().map(|j| likeliest(topics.column(j))).collect();
        let apart = |j: usize| {
            let others = (0..topics.n_columns()).filter(|&other| other != j);
            let distances = others.map(|other| l1_distance(topics.column(j), topics.column(other)));
            distances.fold(f64::INFINITY, f64::min)
        };
        let apart = columns.map(apart).collect();
        Self { topics, words, apart }
    }

    /// The distance of topic `j` to topic `l` of another half, and whether they are a pair: closer to
    /// each other than to any of their own.
    fn pair(&self, j: usize, other: &Self, l: usize) -> (f64, bool) {
        let distance = l1_distance(self.topics.column(j), other.topics.column(l));
        (distance, distance < self.apart[j] && distance < other.apart[l])
    }

    fn n_topics(&self) -> usize {
        self.words.len()
    }

    /// For each topic, how many of ten words return in both halves, and the distance of those.
    fn in_halves(&self, first: &Self, second: &Self) -> Vec<(f64, f64)> {
        let (a, b) = (self.matched(first), self.matched(second));
        let topic = |j: usize| match (a[j], b[j]) {
            (Some(a), Some(b)) => {
                let own = &self.words[j];
                let returns = |word: &&usize| {
                    let among = |words: &Vec<usize>| words.binary_search(word).is_ok();
                    among(&first.words[a]) && among(&second.words[b])
                };
                let share = own.iter().filter(returns).count() as f64 / own.len().max(1) as f64;
                let (distance, pair) = first.pair(a, second, b);
                (if pair { TOP_WORDS as f64 * share } else { 0.0 }, distance)
            }
            _ => (0.0, 2.0),
        };
        (0..self.n_topics()).map(topic).collect()
    }

    /// For each topic the one of `half` it is matched to.
    fn matched(&self, half: &Self) -> Vec<Option<usize>> {
        let pairs: Vec<usize> = (0..self.n_topics() * half.n_topics()).collect();
        let distance = |pair: &usize| {
            let (j, other) = (pair / half.n_topics(), pair % half.n_topics());
            l1_distance(self.topics.column(j), half.topics.column(other))
        };
        let distances: Vec<f64> = pairs.par_iter().map(distance).collect();
        match_by(self.n_topics(), half.n_topics(), |j, other| {
            distances[j * half.n_topics() + other]
        })
    }
}

/// The ten likeliest words, fewer when fewer have any probability; ties go to the first.
fn likeliest(topic: &[f64]) -> Vec<usize> {
    let mut words: Vec<usize> = (0..topic.len()).filter(|&i| topic[i] > 0.0).collect();
    let by = |&a: &usize, &b: &usize| topic[b].total_cmp(&topic[a]).then(a.cmp(&b));
    if words.len() > TOP_WORDS {
        words.select_nth_unstable_by(TOP_WORDS - 1, by);
        words.truncate(TOP_WORDS);
    }
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};
    use crate::{Lda, SingleTopic};

    #[test]
    fn halves_are_disjoint_even_and_follow_the_content() {
        let source = SingleTopicSource::uniform(30, 3, 5);
        let corpus = source.draw(100, &Lengths::Uniform(3..=20), 7).0;
        let twice: Vec<usize> = (0..100).chain((0..100).rev()).collect();
        let doubled = corpus.subset(&twice);
        for split in 0..3 {
            let [first, second] = deal(&corpus, split).unwrap();
            assert_eq!((first.len(), second.len()), (50, 50));
            assert!(first.iter().all(|d| !second.contains(d)));
            let [again, _] = deal(&doubled, split).unwrap();
            let originals: Vec<usize> = again.into_iter().filter(|&d| d < 100).collect();
            assert_eq!(originals, first);
        }
        assert_ne!(deal(&corpus, 0).unwrap(), deal(&corpus, 1).unwrap());
        assert!(deal(&corpus.subset(&[0; 100]), 0).is_none());
    }

    #[test]
    fn words_return_when_both_halves_have_them() {
        let topics =
            |columns: [[f64; 4]; 2]| Likeliest::new(Matrix::from_columns(4, 2, columns.concat()));
        let whole = topics([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]);
        // The first half has the topics the other way round; the second lost a word of the first.
        let first = topics([[0.0, 0.0, 0.4, 0.6], [0.5, 0.5, 0.0, 0.0]]);
        let second = topics([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]);
        let found = whole.in_halves(&first, &second);
        assert_eq!(found[0], (5.0, 1.0));
        assert_eq!(found[1].0, 10.0);
        assert!((found[1].1 - 0.2).abs() < 1e-12);
        let fewer = Likeliest::new(Matrix::from_columns(4, 1, vec![0.5, 0.5, 0.0, 0.0]));
        assert_eq!(whole.in_halves(&fewer, &second)[1], (0.0, 2.0));
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
