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
//! each the mean over the splits. Nothing here follows one solution, as leaving out groups does, and
//! nothing assumes that words are drawn as a model says.
//!
//! # Chance
//! Topics that are not the same share words too: a corpus may have few of them, and superfluous topics
//! all resemble the corpus. How many of a topic's words return in one half and in *another* topic of the
//! other half, on average, is what would return by chance; all of them, where its two halves are no
//! nearer to each other than to another topic of their own half (one topic split in two, or two that
//! both resemble the corpus). A topic counts as found again only if it returns clearly beyond that ([`Standing::of`](crate::model::diagnostics::Standing::of)). Of fewer than
//! [`LEAST_WORDS`] words any ten share half with any other ten: there nothing is said.
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
use crate::model::diagnostics::{Diagnostics, Halves, Standing};
use crate::moments::Counting;

/// Words that stand for a topic.
const TOP_WORDS: usize = 10;

/// A corpus with more counts than this is judged by samples.
const LARGE: usize = 10_000_000;

/// One count in this many is in the samples.
const SAMPLED: usize = 5;

/// Fewer different documents than this make no halves.
const LEAST_DOCUMENTS: usize = 12;

/// With fewer words in use than this nothing can be told: any ten of them share half with any other.
pub(crate) const LEAST_WORDS: usize = 2 * TOP_WORDS;

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
    /// Per topic of the whole; `None` when there are too few words to tell.
    pub topics: Option<Vec<Halves>>,
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
    let n_words = corpus.n_present();
    let mut sums = vec![Returned::default(); whole.n_topics()];
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
        sums.iter_mut().zip(whole.in_halves(&first, &second, n_words)).for_each(|(s, r)| s.add(r));
    }
    let mean = |sum: f64| sum / n_splits as f64;
    let halves = |sum: Returned| Halves {
        found_again: mean(sum.words),
        by_chance: mean(sum.by_chance),
        half_distance: mean(sum.distance),
        n_splits,
        n_documents,
    };
    let topics = (n_words >= LEAST_WORDS).then(|| sums.into_iter().map(halves).collect());
    (n_splits > 0).then_some(Found { topics, z_scores })
}

/// What to tell of a fit that cannot say whether its topics come back.
pub(crate) fn note(d: &Diagnostics) -> Option<String> {
    let asked = d.topics.iter().any(|topic| topic.trust.is_some());
    (asked && d.n_words_present < LEAST_WORDS).then(|| {
        format!(
            "whether topics come back in halves of the documents cannot be told: {} words are too few, \
             since any two topics share most of their ten likeliest",
            d.n_words_present
        )
    })
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

/// What the topics of two halves, words x topics both and matched to each other, share of their ten
/// likeliest words; `n_words` are in use. One topic split in two returns once: what its copy shares is
/// chance.
pub(crate) fn shared_words(first: Matrix, second: Matrix, n_words: usize) -> Vec<Returned> {
    let [first, second] = [first, second].map(Likeliest::new);
    let partners = first.matched(&second);
    let pairs =
        Pairs { first: first.words.iter().map(Some).collect(), second: second.words_at(&partners) };
    let shared = |j: usize| {
        let apart = partners[j].map(|l| first.apart(j, &second, l));
        pairs.returned(j, &first.words[j], n_words, apart.unwrap_or_default())
    };
    let mut shared: Vec<Returned> = (0..first.n_topics()).map(shared).collect();
    let mut order: Vec<usize> = (0..shared.len()).collect();
    order.sort_by(|&a, &b| {
        let more = shared[b].words.total_cmp(&shared[a].words);
        more.then(shared[a].distance.total_cmp(&shared[b].distance))
    });
    let mut counted: Vec<usize> = Vec::new();
    for j in order.into_iter().filter(|&j| partners[j].is_some()) {
        let Returned { words, by_chance, .. } = shared[j];
        if counted.iter().any(|&l| pairs.alike(j, l) >= words) {
            shared[j].by_chance = words;
        } else if Standing::of(words, by_chance) != Standing::NotFoundAgain {
            counted.push(j);
        }
    }
    shared
}

/// What came back of a topic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Returned {
    /// Of ten words.
    pub words: f64,
    /// Of ten words, in topics that are not the same.
    pub by_chance: f64,
    /// The L1 distance between the two halves.
    distance: f64,
}

impl Returned {
    fn add(&mut self, other: Self) {
        self.words += other.words;
        self.by_chance += other.by_chance;
        self.distance += other.distance;
    }
}

/// How far what two halves make of a topic is apart.
#[derive(Clone, Copy, Default)]
struct Apart {
    /// In L1.
    distance: f64,
    /// Whether they are nearer to each other than to any other topic of their own half.
    is_pair: bool,
}

/// The likeliest words of the topics of two halves, those of one topic at the same place; `None` where
/// a half has no such topic.
struct Pairs<'a> {
    first: Vec<Option<&'a Vec<usize>>>,
    second: Vec<Option<&'a Vec<usize>>>,
}

impl Pairs<'_> {
    /// How many of ten words two topics of the same half share, in the half where they share fewer.
    fn alike(&self, j: usize, l: usize) -> f64 {
        let in_half = |half: &[Option<&Vec<usize>>]| {
            let (Some(a), Some(b)) = (half[j], half[l]) else { return 0.0 };
            let shared = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
            (TOP_WORDS * shared) as f64 / a.len().max(1) as f64
        };
        in_half(&self.first).min(in_half(&self.second))
    }

    /// How many of the words `own` of topic `j` are in both halves; and on average in one half of it and
    /// in the other half of another topic.
    fn returned(&self, j: usize, own: &[usize], n_words: usize, apart: Apart) -> Returned {
        let (Some(first), Some(second)) = (self.first[j], self.second[j]) else {
            return Returned { words: 0.0, by_chance: 0.0, distance: 2.0 };
        };
        let among = |words: &[usize], all: &[usize]| -> Vec<usize> {
            words.iter().copied().filter(|word| all.binary_search(word).is_ok()).collect()
        };
        let (in_first, in_second) = (among(own, first), among(second, own));
        let of_ten = |n: f64| TOP_WORDS as f64 * n / own.len().max(1) as f64;
        let (mut shared, mut compared) = (0, 0);
        for l in (0..self.first.len()).filter(|&l| l != j) {
            let pairs = [(&in_first, self.second[l]), (&in_second, self.first[l])];
            for (words, other) in pairs.into_iter().filter_map(|(w, o)| Some((w, o?))) {
                shared += among(words, other).len();
                compared += 1;
            }
        }
        // Words drawn blindly; the only measure where there is one topic.
        let blindly = (TOP_WORDS * TOP_WORDS) as f64 / n_words.max(TOP_WORDS) as f64;
        let by_others = of_ten(shared as f64 / compared.max(1) as f64);
        let words = of_ten(among(&in_first, second).len() as f64);
        let by_chance = if apart.is_pair { blindly.max(by_others) } else { words };
        Returned { words, by_chance, distance: apart.distance }
    }
}

/// Topics, words x topics, with the likeliest words of each.
struct Likeliest {
    topics: Matrix,
    /// Rising.
    words: Vec<Vec<usize>>,
    /// How far each is from the nearest of the others.
    nearest: Vec<f64>,
}

impl Likeliest {
    fn new(topics: Matrix) -> Self {
        let columns = (0..topics.n_columns()).into_par_iter();
        let words = columns.clone().map(|j| likeliest(topics.column(j))).collect();
        let nearest = |j: usize| {
            let others = (0..topics.n_columns()).filter(|&other| other != j);
            let distances = others.map(|other| l1_distance(topics.column(j), topics.column(other)));
            distances.fold(f64::INFINITY, f64::min)
        };
        let nearest = columns.map(nearest).collect();
        Self { topics, words, nearest }
    }

    fn n_topics(&self) -> usize {
        self.words.len()
    }

    /// The L1 distance of topic `j` to topic `l` of another half.
    fn distance(&self, j: usize, other: &Self, l: usize) -> f64 {
        l1_distance(self.topics.column(j), other.topics.column(l))
    }

    /// Topic `j` and topic `l` of another half.
    fn apart(&self, j: usize, other: &Self, l: usize) -> Apart {
        let distance = self.distance(j, other, l);
        Apart { distance, is_pair: distance < self.nearest[j].min(other.nearest[l]) }
    }

    /// The likeliest words of the topics at these places.
    fn words_at(&self, places: &[Option<usize>]) -> Vec<Option<&Vec<usize>>> {
        places.iter().map(|place| place.map(|l| &self.words[l])).collect()
    }

    /// What returns of each topic in both halves of `n_words` words.
    fn in_halves(&self, first: &Self, second: &Self, n_words: usize) -> Vec<Returned> {
        let (a, b) = (self.matched(first), self.matched(second));
        let pairs = Pairs { first: first.words_at(&a), second: second.words_at(&b) };
        let returned = |j: usize| {
            let apart = a[j].zip(b[j]).map(|(a, b)| first.apart(a, second, b));
            pairs.returned(j, &self.words[j], n_words, apart.unwrap_or_default())
        };
        (0..self.n_topics()).into_par_iter().map(returned).collect()
    }

    /// For each topic the one of `half` it is matched to.
    fn matched(&self, half: &Self) -> Vec<Option<usize>> {
        let pairs: Vec<usize> = (0..self.n_topics() * half.n_topics()).collect();
        let distance = |pair: &usize| {
            let (j, other) = (pair / half.n_topics(), pair % half.n_topics());
            self.distance(j, half, other)
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
        let found = whole.in_halves(&first, &second, 400);
        assert_eq!(found[0], Returned { words: 5.0, by_chance: 0.25, distance: 1.0 });
        assert_eq!((found[1].words, found[1].by_chance), (10.0, 0.25));
        assert!((found[1].distance - 0.2).abs() < 1e-12);
        let fewer = Likeliest::new(Matrix::from_columns(4, 1, vec![0.5, 0.5, 0.0, 0.0]));
        let lost = whole.in_halves(&fewer, &second, 400)[1];
        assert_eq!(lost, Returned { words: 0.0, by_chance: 0.0, distance: 2.0 });
    }

    #[test]
    fn what_other_topics_share_is_chance() {
        // Three words are in every topic, seven are a topic's own.
        let topic = |own: usize| (0..3).chain(10 * own + 3..10 * own + 10).collect::<Vec<_>>();
        let words: Vec<Vec<usize>> = (0..4).map(topic).collect();
        let halves: Vec<Option<&Vec<usize>>> = words.iter().map(Some).collect();
        let pairs = Pairs { first: halves.clone(), second: halves };
        let near = Apart { distance: 0.1, is_pair: true };
        for (j, own) in words.iter().enumerate() {
            let found = pairs.returned(j, own, 1000, near);
            assert_eq!((found.words, found.by_chance), (10.0, 3.0));
            let found = pairs.returned(j, own, 1000, Apart { is_pair: false, ..near });
            assert_eq!((found.words, found.by_chance), (10.0, 10.0));
        }
        // One topic: what ten of forty words share with ten others of them.
        let one = Pairs { first: vec![Some(&words[0])], second: vec![Some(&words[1])] };
        let found = one.returned(0, &words[0], 40, near);
        assert_eq!((found.words, found.by_chance), (3.0, 2.5));
    }

    #[test]
    fn a_topic_that_both_halves_split_in_two_is_counted_once() {
        // Both copies have the same ten words; one has more of the first five, one of the others.
        let copy = |heavy: usize| -> Vec<f64> {
            let own = |i: usize| if i / 5 == heavy { 0.15 } else { 0.05 };
            (0..40).map(|i| if i < 10 { own(i) } else { 0.0 }).collect()
        };
        let other: Vec<f64> = (0..40).map(|i| if i >= 30 { 0.1 } else { 0.0 }).collect();
        let half = || Matrix::from_columns(40, 3, [copy(0), copy(1), other.clone()].concat());
        let shared = shared_words(half(), half(), 40);
        assert!(shared.iter().all(|returned| returned.words == 10.0));
        let found = |r: &&Returned| Standing::of(r.words, r.by_chance) == Standing::Reproduces;
        assert_eq!(shared.iter().filter(found).count(), 2, "{shared:?}");
    }

    #[test]
    fn with_few_words_nothing_is_said() {
        let lengths = Lengths::Uniform(20..=40);
        for (n_words, told) in [(12, false), (60, true)] {
            let corpus = SingleTopicSource::uniform(n_words, 2, 5).draw(300, &lengths, 7).0;
            let model = SingleTopic::params(2).fit(&corpus).unwrap();
            let d = model.diagnostics();
            assert_eq!(d.topics.iter().all(|topic| topic.halves().is_some()), told);
            let noted = d.notes.iter().any(|note| note.contains("12 words are too few"));
            assert_eq!(noted, !told, "{:?}", d.notes);
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
