//! What two halves share of each topic: words, words by chance, and the distance between the halves.

use rayon::prelude::*;

use super::TOP_WORDS;
use crate::evaluation::{l1_distance, l1_distances, l1_distances_among, match_by};
use crate::linalg::Matrix;
use crate::model::diagnostics::Standing;

/// Topics of two halves that are no further apart than this in L1 share at least 85 % of their probability.
const CLOSE: f64 = 0.3;

/// No other topic may be nearer than this many times their distance.
const FAR: f64 = 3.0;

/// How many of its ten likeliest words each topic of the first half shares with its counterpart in
/// the second (both words x topics); `n_words` words occur in all. If one topic was split in two,
/// only one of them counts as found again; what the other shares is counted as chance.
pub(crate) fn shared_words(first: Matrix, second: Matrix, n_words: usize) -> Vec<Returned> {
    let [first, second] = [first, second].map(Likeliest::new);
    let partners = first.matched(&second);
    let pairs =
        Pairs { first: first.words.iter().map(Some).collect(), second: second.words_at(&partners) };
    let apart = first.apart(&second);
    let shared = |j: usize| {
        let apart = partners[j].map(|l| apart(j, l));
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
        let words = shared[j].words;
        if counted.iter().any(|&l| pairs.alike(j, l) >= words.max(1.0)) {
            shared[j] = Returned { by_chance: words, close: false, ..shared[j] };
        } else if shared[j].is_found() {
            counted.push(j);
        }
    }
    shared
}

/// How well a topic was found again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Returned {
    /// Number of the ten likeliest words that are in both halves.
    pub words: f64,
    /// Number of words that would be in both halves by chance: as many as two different topics
    /// share.
    pub by_chance: f64,
    /// The L1 distance between the two halves.
    pub distance: f64,
    /// Whether the two halves are nearly the same topic, and far from all others: see [`Apart::is_close`].
    pub close: bool,
}

impl Returned {
    /// Whether the topic was found again.
    pub fn is_found(&self) -> bool {
        self.close || Standing::of(self.words, self.by_chance) != Standing::NotFoundAgain
    }
}

/// The distance of a topic's counterparts in two halves.
#[derive(Clone, Copy, Default)]
struct Apart {
    /// The L1 distance.
    distance: f64,
    /// The smaller of their distances to the nearest other topic of their own half.
    nearest: f64,
}

impl Apart {
    /// Whether they are closer to each other than to any other topic of their own half.
    fn is_pair(self) -> bool {
        self.distance < self.nearest
    }

    /// Whether they share nearly all of their probability, and no other topic is nearly as close. Then they are the same
    /// topic, whichever words come first: where many words are about equally likely, chance decides which are the
    /// ten likeliest.
    fn is_close(self) -> bool {
        self.distance <= CLOSE && self.nearest >= FAR * self.distance
    }
}

/// The likeliest words of the topics of two halves, those of one topic at the same place; `None` where
/// a half has no such topic.
struct Pairs<'a> {
    first: Vec<Option<&'a Vec<usize>>>,
    second: Vec<Option<&'a Vec<usize>>>,
}

impl Pairs<'_> {
    /// The number of words that two topics of the same half share, in the half where they share fewer.
    fn alike(&self, j: usize, l: usize) -> f64 {
        let in_half = |half: &[Option<&Vec<usize>>]| {
            let (Some(a), Some(b)) = (half[j], half[l]) else { return 0.0 };
            let shared = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
            (TOP_WORDS * shared) as f64 / a.len().max(1) as f64
        };
        in_half(&self.first).min(in_half(&self.second))
    }

    /// How many of the words `own` of topic `j` are in both of its counterparts; and by chance: on
    /// average how many are in one counterpart and in another topic of the other half.
    fn returned(&self, j: usize, own: &[usize], n_words: usize, apart: Apart) -> Returned {
        let (Some(first), Some(second)) = (self.first[j], self.second[j]) else {
            return Returned { words: 0.0, by_chance: 0.0, distance: 2.0, close: false };
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
        // The expected overlap of words drawn at random; the only measure if there is one topic.
        let blindly = (TOP_WORDS * TOP_WORDS) as f64 / n_words.max(TOP_WORDS) as f64;
        let by_others = of_ten(shared as f64 / compared.max(1) as f64);
        let words = of_ten(among(&in_first, second).len() as f64);
        let by_chance = if apart.is_pair() { blindly.max(by_others) } else { words };
        Returned { words, by_chance, distance: apart.distance, close: apart.is_close() }
    }
}

/// Topics, words x topics, with the likeliest words of each.
pub(super) struct Likeliest {
    topics: Matrix,
    /// The likeliest words of each topic, ascending.
    words: Vec<Vec<usize>>,
}

impl Likeliest {
    pub fn new(topics: Matrix) -> Self {
        let columns = (0..topics.n_columns()).into_par_iter();
        let words = columns.map(|j| likeliest(topics.column(j))).collect();
        Self { topics, words }
    }

    /// The distance of each topic to the nearest of the others.
    fn nearest(&self) -> Vec<f64> {
        let distances = l1_distances_among(&self.topics);
        let nearest = |j: usize| {
            let others = (0..self.n_topics()).filter(|&other| other != j);
            others.map(|other| distances[(j, other)]).fold(f64::INFINITY, f64::min)
        };
        (0..self.n_topics()).map(nearest).collect()
    }

    pub fn n_topics(&self) -> usize {
        self.words.len()
    }

    /// The distances of topics of this half to topics of another.
    fn apart<'a>(&'a self, other: &'a Self) -> impl Fn(usize, usize) -> Apart + Sync + 'a {
        let (own, others) = (self.nearest(), other.nearest());
        move |j, l| {
            let distance = l1_distance(self.topics.column(j), other.topics.column(l));
            Apart { distance, nearest: own[j].min(others[l]) }
        }
    }

    /// The likeliest words of the topics at these places.
    fn words_at(&self, places: &[Option<usize>]) -> Vec<Option<&Vec<usize>>> {
        places.iter().map(|place| place.map(|l| &self.words[l])).collect()
    }

    /// What both halves share of each topic, out of `n_words` words.
    pub fn in_halves(&self, first: &Self, second: &Self, n_words: usize) -> Vec<Returned> {
        let (a, b) = (self.matched(first), self.matched(second));
        let pairs = Pairs { first: first.words_at(&a), second: second.words_at(&b) };
        let apart = first.apart(second);
        let returned = |j: usize| {
            let apart = a[j].zip(b[j]).map(|(a, b)| apart(a, b));
            pairs.returned(j, &self.words[j], n_words, apart.unwrap_or_default())
        };
        (0..self.n_topics()).into_par_iter().map(returned).collect()
    }

    /// For each topic the matched topic of `half`.
    fn matched(&self, half: &Self) -> Vec<Option<usize>> {
        let distances = l1_distances(&self.topics, &half.topics);
        match_by(self.n_topics(), half.n_topics(), |j, other| distances[(j, other)])
    }
}

/// The ten likeliest words, or fewer if fewer have positive probability; ties go to the first.
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

    #[test]
    fn words_return_when_both_halves_have_them() {
        let topics =
            |columns: [[f64; 4]; 2]| Likeliest::new(Matrix::from_columns(4, 2, columns.concat()));
        let whole = topics([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]);
        // The first half has the topics the other way round; the second lost a word of the first.
        let first = topics([[0.0, 0.0, 0.4, 0.6], [0.5, 0.5, 0.0, 0.0]]);
        let second = topics([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]);
        let found = whole.in_halves(&first, &second, 400);
        assert_eq!(found[0], Returned { words: 5.0, by_chance: 0.25, distance: 1.0, close: false });
        assert_eq!((found[1].words, found[1].by_chance), (10.0, 0.25));
        assert!((found[1].distance - 0.2).abs() < 1e-12 && found[1].close);
        let fewer = Likeliest::new(Matrix::from_columns(4, 1, vec![0.5, 0.5, 0.0, 0.0]));
        let lost = whole.in_halves(&fewer, &second, 400)[1];
        assert_eq!(lost, Returned { words: 0.0, by_chance: 0.0, distance: 2.0, close: false });
    }

    #[test]
    fn what_other_topics_share_is_chance() {
        // Three words are in every topic, seven are a topic's own.
        let topic = |own: usize| (0..3).chain(10 * own + 3..10 * own + 10).collect::<Vec<_>>();
        let words: Vec<Vec<usize>> = (0..4).map(topic).collect();
        let halves: Vec<Option<&Vec<usize>>> = words.iter().map(Some).collect();
        let pairs = Pairs { first: halves.clone(), second: halves };
        let near = Apart { distance: 0.1, nearest: 0.2 };
        for (j, own) in words.iter().enumerate() {
            let found = pairs.returned(j, own, 1000, near);
            assert_eq!((found.words, found.by_chance), (10.0, 3.0));
            let found = pairs.returned(j, own, 1000, Apart { nearest: 0.1, ..near });
            assert_eq!((found.words, found.by_chance), (10.0, 10.0));
        }
        // One topic: what ten of forty words share with ten others of them.
        let one = Pairs { first: vec![Some(&words[0])], second: vec![Some(&words[1])] };
        let found = one.returned(0, &words[0], 40, near);
        assert_eq!((found.words, found.by_chance), (3.0, 2.5));
    }

    #[test]
    fn topics_of_words_that_are_equally_likely_are_found_again_though_their_likeliest_words_change()
    {
        // Sixty words a topic; the ten that chance puts first are others in each half.
        let topic = |own: usize, first: usize| -> Vec<f64> {
            let ahead = |i: usize| if i / 10 == 6 * own + first { 0.002 } else { -0.0004 };
            (0..120).map(|i| if i / 60 == own { 1.0 / 60.0 + ahead(i) } else { 0.0 }).collect()
        };
        let half = |first: usize| {
            Matrix::from_columns(120, 2, [topic(0, first), topic(1, first)].concat())
        };
        for found in shared_words(half(0), half(3), 120) {
            assert!(found.words == 0.0 && found.distance < 0.1 && found.is_found(), "{found:?}");
        }
        // Two copies of one topic in each half are close to each other, so neither is told by its closeness.
        let copies = |first: usize| {
            Matrix::from_columns(120, 2, [topic(0, first), topic(0, first + 1)].concat())
        };
        assert!(shared_words(copies(0), copies(3), 120).iter().all(|found| !found.close));
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
}
