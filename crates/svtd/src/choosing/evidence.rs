//! How many topics the documents support: starts with too many and removes those that do not pay.
//!
//! A topic of few documents has no direction of its own in the pair moment: it is smeared over
//! several, none of them clear. The documents know it all the same. With topics Dirichlet around the
//! corpus' frequencies `m` with concentration `S` ([`smoothing`]), and weights Dirichlet(1), the
//! evidence of documents dealt to `k` topics is, parameters integrated out,
//!
//! ```text
//! F = sum_j [ lnG(S) - lnG(S + C_j) + sum_i lnG(S m_i + C_ij) - lnG(S m_i) ]
//!   + lnG(k) - lnG(k + N) + sum_j lnG(1 + N_j)
//! ```
//!
//! with `C_ij` the counts of word `i` and `N_j` the documents dealt to topic `j`: exact, no bound and no
//! approximation. What many topics can fit by chance is paid for in the integrals, so `F` of more
//! topics can be compared with `F` of fewer on the same documents, none held out.
//!
//! It begins at the spectral estimate of more topics than are clear, which covers the smeared ones.
//! Every document is asked where it belongs with its own words left out ([`left_out`]), several times
//! over. Then the topic that is missed least is taken out, its documents go to the others, all are
//! asked again; and so on until the evidence is far below the best. The fewest topics within
//! [`WORTH`] of the best are what the documents speak for.
//!
//! Sources: Biernacki, Celeux and Govaert (2010) integrate multinomial parameters out of a mixture
//! with its documents dealt; Figueiredo and Jain (2002) begin with many components and take out.
//!
//! # Cost
//! A spectral estimate, and some hundred steps that each cost as much as one of EM.

mod gamma;
mod left_out;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::gamma::ln_gamma;
use crate::corpus::{Corpus, SparseCounts};
use crate::decomposition::{Method, ReadOff};
use crate::error::Result;
use crate::fit::em::{posterior, to_posterior};
use crate::fit::options::Options;
use crate::fit::smoothing;
use crate::fit::spectral::{Spectral, frequencies, lift, mixed_with};
use crate::linalg::Matrix;
use crate::moments::panels::Products;
use crate::moments::{Counting, Rows, SingleTopicMoments};

/// Nats of evidence that a topic must contribute: odds of twenty to one.
const WORTH: f64 = 3.0;

/// Fewer topics are no longer tried once the evidence is this many nats below the best.
const FAR: f64 = 60.0;

/// The smallest number of documents of a topic; fewer are outliers.
const LEAST_DOCUMENTS: usize = 3;

/// The largest number of steps at the start, and (`STEPS`) after a topic was removed.
const FIRST_STEPS: usize = 30;
const STEPS: usize = 6;

/// The steps end when one moves fewer than one document in this many.
const FEW_MOVE: usize = 200;

/// The number of topics that the documents support.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Number of topics at the start.
    pub of: usize,
    /// Number of topics that pay.
    pub n_topics: usize,
    /// Nats of evidence that the weakest of them contributes; `None` for a single one.
    pub least: Option<f64>,
}

/// Starts with `of` topics, or as many as are visible, and removes those that do not pay.
pub(crate) fn keep(corpus: &Corpus, options: &Options, of: usize) -> Result<Kept> {
    corpus.must_be_here("a look for topics too rare for a direction of their own")?;
    let options = Options {
        n_topics: of,
        method: Method::Joint,
        rows: Rows::Kept,
        allow_fewer: true,
        ..options.clone()
    };
    let moments = SingleTopicMoments::estimate(corpus, &options.weights, Counting::Raw)?;
    let usual = ReadOff::Diagonals(Rows::Kept);
    let spectral = Spectral::estimate(&moments, &options, usual, &|_| {})?;
    let (weights, _) = lift(&spectral.recovered.topic_weights);
    let documents = Documents::new(corpus, &weights);
    let topics = mixed_with(&spectral.recovered.word_topic, &documents.frequencies, 0.001);
    let of = topics.n_columns();
    let start = posterior(&documents.products, &topics, &weights);
    Ok(fewest(&documents.path(start), of))
}

/// Documents assigned to some topics, and their evidence.
#[derive(Clone, Copy, Debug)]
struct Stop {
    n_topics: usize,
    evidence: f64,
}

/// The smallest number of topics whose evidence is within `WORTH` of the best.
fn fewest(path: &[Stop], of: usize) -> Kept {
    let best = |stops: &mut dyn Iterator<Item = &Stop>| {
        stops.map(|stop| stop.evidence).fold(f64::NEG_INFINITY, f64::max)
    };
    let most = best(&mut path.iter());
    let good = path.iter().filter(|stop| stop.evidence >= most - WORTH);
    let n_topics = good.map(|stop| stop.n_topics).min().unwrap_or(1);
    let here = best(&mut path.iter().filter(|stop| stop.n_topics == n_topics));
    let below = best(&mut path.iter().filter(|stop| stop.n_topics < n_topics));
    let least = (below > f64::NEG_INFINITY).then_some(here - below);
    Kept { of, n_topics, least }
}

/// Posterior assignments of documents to topics, with the resulting counts.
struct Split {
    /// `P`, documents x topics.
    posterior: Matrix,
    /// `C`, features x topics.
    counts: Matrix,
    /// `C_j`.
    words: Vec<f64>,
    /// `N_j`.
    documents: Vec<f64>,
}

impl Split {
    fn n_topics(&self) -> usize {
        self.documents.len()
    }
}

/// The documents, and the prior on topics.
struct Documents<'a> {
    rows: &'a SparseCounts,
    products: Products<'a>,
    /// `m`.
    frequencies: Vec<f64>,
    /// `S`.
    strength: f64,
    /// `S m`.
    prior: Vec<f64>,
}

impl<'a> Documents<'a> {
    fn new(corpus: &'a Corpus, weights: &[f64]) -> Self {
        let frequencies = frequencies(corpus);
        let strength = smoothing::strength(corpus, weights);
        Self {
            rows: corpus.rows(),
            products: Products::new(corpus.rows(), corpus.n_present(), Counting::Raw),
            prior: frequencies.iter().map(|m| strength * m).collect(),
            frequencies,
            strength,
        }
    }

    /// The evidence for fewer and fewer topics.
    fn path(&self, start: Matrix) -> Vec<Stop> {
        let mut path: Vec<Stop> = Vec::new();
        let mut best = f64::NEG_INFINITY;
        let mut scores = self.asked(start, FIRST_STEPS);
        loop {
            let dealt = without_tiny(&mut scores);
            let split = self.split(one_hot(&dealt, scores.n_columns()));
            let own = self.of_topics(&split);
            let stop = Stop { n_topics: own.len(), evidence: evidence(&own, dealt.len()) };
            path.push(stop);
            best = best.max(stop.evidence);
            if stop.n_topics == 1 || stop.evidence < best - FAR {
                return path;
            }
            let out = self.least_missed(&split, &own, &scores, &dealt);
            let rest: Vec<usize> = (0..stop.n_topics).filter(|&j| j != out).collect();
            scores = self.asked(shares(scores.select_columns(&rest)), STEPS);
        }
    }

    /// Recomputes the posterior of every document, until few move or `steps` times.
    fn asked(&self, mut posterior: Matrix, steps: usize) -> Matrix {
        let mut dealt = best_of_rows(&posterior);
        let mut step = 1;
        loop {
            let scores = left_out::scores(self, &self.split(posterior));
            let now = best_of_rows(&scores);
            let moved = now.iter().zip(&dealt).filter(|(a, b)| a != b).count();
            if step >= steps || moved * FEW_MOVE < now.len() {
                return scores;
            }
            step += 1;
            dealt = now;
            posterior = shares(scores);
        }
    }

    fn split(&self, posterior: Matrix) -> Split {
        let counts = self.products.backward(&posterior, None);
        let sums = |matrix: &Matrix| -> Vec<f64> {
            let columns = (0..matrix.n_columns()).into_par_iter();
            columns.map(|j| matrix.column(j).iter().sum()).collect()
        };
        let (words, documents) = (sums(&counts), sums(&posterior));
        Split { posterior, counts, words, documents }
    }

    /// The contribution of each topic to `F`, for assigned documents.
    fn of_topics(&self, split: &Split) -> Vec<f64> {
        let topic = |j: usize| {
            let counts = split.counts.column(j).iter().zip(&self.prior);
            let words = counts.filter(|(count, _)| **count > 0.0);
            let of_words: f64 =
                words.map(|(count, prior)| ln_gamma(prior + count) - ln_gamma(*prior)).sum();
            of_words + self.of_size(split.words[j], split.documents[j])
        };
        (0..split.n_topics()).into_par_iter().map(topic).collect()
    }

    /// The contribution to `F` of the size of a topic, whatever its words.
    fn of_size(&self, words: f64, documents: f64) -> f64 {
        ln_gamma(self.strength) - ln_gamma(self.strength + words) + ln_gamma(1.0 + documents)
    }

    /// The topic without which most of `F` is left, its documents dealt to their next best; `own` is
    /// what each topic adds.
    fn least_missed(&self, split: &Split, own: &[f64], scores: &Matrix, dealt: &[usize]) -> usize {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); own.len()];
        dealt.iter().enumerate().for_each(|(d, &j)| members[j].push(d));
        let left: Vec<f64> = (0..own.len())
            .into_par_iter()
            .map(|j| self.gained_without(j, &members[j], split, scores) - own[j])
            .collect();
        (0..left.len()).max_by(|&a, &b| left[a].total_cmp(&left[b])).unwrap_or(0)
    }

    /// The contribution of the other topics to `F` when the documents of topic `out` are assigned to them.
    fn gained_without(&self, out: usize, members: &[usize], split: &Split, scores: &Matrix) -> f64 {
        let mut moved: Vec<Vec<usize>> = vec![Vec::new(); split.n_topics()];
        for &d in members {
            let others = (0..split.n_topics()).filter(|&j| j != out);
            let next = others.max_by(|&a, &b| scores[(d, a)].total_cmp(&scores[(d, b)]));
            moved[next.unwrap_or(out)].push(d);
        }
        let gained = |(to, documents): (usize, &Vec<usize>)| {
            let mut words: Vec<(u32, u32)> = Vec::new();
            for &d in documents {
                let (features, counts) = self.rows.row(d);
                words.extend(features.iter().copied().zip(counts.iter().copied()));
            }
            words.sort_unstable();
            let mut more = 0.0;
            let mut of_words = 0.0;
            for same in words.chunk_by(|a, b| a.0 == b.0) {
                let extra: f64 = same.iter().map(|(_, count)| f64::from(*count)).sum();
                let word = same[0].0 as usize;
                let base = self.prior[word] + split.counts[(word, to)];
                more += extra;
                of_words += ln_gamma(base + extra) - ln_gamma(base);
            }
            let (had, size) = (split.words[to], split.documents[to]);
            of_words + self.of_size(had + more, size + documents.len() as f64)
                - self.of_size(had, size)
        };
        let moved = moved.iter().enumerate().filter(|(_, documents)| !documents.is_empty());
        moved.map(gained).sum()
    }
}

/// `F`, given the contribution of each topic.
fn evidence(of_topics: &[f64], n_documents: usize) -> f64 {
    let (k, n) = (of_topics.len() as f64, n_documents as f64);
    of_topics.iter().sum::<f64>() + ln_gamma(k) - ln_gamma(k + n)
}

/// Log-shares as shares that sum to one in every row.
fn shares(mut scores: Matrix) -> Matrix {
    let even = vec![1.0; scores.n_columns()];
    to_posterior(&mut scores, &even);
    scores
}

/// The column of the largest number in each row; ties go to the first.
fn best_of_rows(matrix: &Matrix) -> Vec<usize> {
    let mut largest = vec![f64::NEG_INFINITY; matrix.n_rows()];
    let mut best = vec![0; matrix.n_rows()];
    for j in 0..matrix.n_columns() {
        for ((largest, best), value) in largest.iter_mut().zip(&mut best).zip(matrix.column(j)) {
            if *value > *largest {
                (*largest, *best) = (*value, j);
            }
        }
    }
    best
}

/// The topic of each document. Topics of too few documents are taken out of `scores`, and their
/// documents go elsewhere, unless no other is left.
fn without_tiny(scores: &mut Matrix) -> Vec<usize> {
    loop {
        let dealt = best_of_rows(scores);
        let mut sizes = vec![0; scores.n_columns()];
        dealt.iter().for_each(|&j| sizes[j] += 1);
        let most = sizes.iter().max().copied().unwrap_or(0);
        let kept = |j: &usize| sizes[*j] >= LEAST_DOCUMENTS.min(most);
        let full: Vec<usize> = (0..sizes.len()).filter(kept).collect();
        if full.len() == sizes.len() {
            return dealt;
        }
        *scores = scores.select_columns(&full);
    }
}

fn one_hot(dealt: &[usize], k: usize) -> Matrix {
    let mut matrix = Matrix::zeros(dealt.len(), k);
    dealt.iter().enumerate().for_each(|(d, &j)| matrix[(d, j)] = 1.0);
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};

    const LENGTHS: Lengths = Lengths::NegativeBinomial { mean: 50.0, shape: 2.0 };

    /// Ten topics, unlike enough; a corpus, and the topic of each document.
    fn ten(n: usize, seed: u64) -> (Corpus, Vec<usize>) {
        let source = SingleTopicSource::zipf(1000, 10, 5.0, 1000.0, 5.0, seed);
        source.draw(n, &LENGTHS, seed + 50)
    }

    #[test]
    fn what_is_left_without_a_topic_is_the_difference_of_the_evidence() {
        let (corpus, truth) = ten(200, 1);
        let documents = Documents::new(&corpus, &[0.1; 10]);
        let mut scores = documents.asked(one_hot(&truth, 10), 2);
        let dealt = without_tiny(&mut scores);
        let k = scores.n_columns();
        let split = documents.split(one_hot(&dealt, k));
        let own = documents.of_topics(&split);
        for out in 0..k {
            let rest: Vec<usize> = (0..k).filter(|&j| j != out).collect();
            let moved = best_of_rows(&scores.select_columns(&rest));
            let after = documents.of_topics(&documents.split(one_hot(&moved, k - 1)));
            let direct = after.iter().sum::<f64>() - own.iter().sum::<f64>();
            let members: Vec<usize> = (0..200).filter(|&d| dealt[d] == out).collect();
            let left = documents.gained_without(out, &members, &split, &scores) - own[out];
            assert!((left - direct).abs() < 1e-7, "{out}: {left} {direct}");
        }
    }

    /// EM would stay about where it began; documents left out of their own topics do not.
    #[test]
    fn a_start_that_knows_nothing_ends_where_the_truth_does() {
        for seed in 0..3 {
            let (corpus, truth) = ten(600, 20 + seed);
            let documents = Documents::new(&corpus, &[0.1; 10]);
            let best = |path: &[Stop]| path.iter().map(|s| s.evidence).fold(f64::MIN, f64::max);
            let told = documents.path(one_hot(&truth, 10));
            let in_turn: Vec<usize> = (0..600).map(|d| d % 14).collect();
            let untold = documents.path(one_hot(&in_turn, 14));
            assert!(best(&untold) > best(&told) - WORTH, "{untold:?} {told:?}");
            assert_eq!(fewest(&untold, 14).n_topics, fewest(&told, 10).n_topics);
        }
    }

    #[test]
    fn the_fewest_topics_within_reach_of_the_best_are_kept() {
        let stop = |n_topics, evidence| Stop { n_topics, evidence };
        let path = [stop(5, -20.0), stop(4, 0.0), stop(4, -1.0), stop(3, -2.5), stop(2, -70.0)];
        assert_eq!(fewest(&path, 6), Kept { of: 6, n_topics: 3, least: Some(67.5) });
        assert_eq!(fewest(&path[..1], 6), Kept { of: 6, n_topics: 5, least: None });
    }

    #[test]
    fn topics_too_rare_for_a_direction_are_kept_and_the_others_go() {
        let mut exact = 0;
        for seed in 900..906 {
            let kept = keep(&ten(1000, seed).0, &Options::new(1), 15).unwrap();
            assert!(kept.n_topics.abs_diff(10) <= 1, "{kept:?}");
            assert!(kept.least.unwrap() >= WORTH);
            exact += usize::from(kept.n_topics == 10);
        }
        assert!(exact >= 5, "{exact} of 6");
    }
}
