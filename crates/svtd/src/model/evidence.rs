//! How many topics the documents speak for: too many to begin with, those that do not pay taken out.
//!
//! A topic of few documents has no direction of its own in the pair moment: it is smeared over
//! several, none of them clear. The documents know it all the same. With topics Dirichlet around the
//! corpus' frequencies `m` with concentration `S` ([`smoothing`]), weights Dirichlet(1), and `P` the
//! posterior of the documents' topics, the log evidence of `k` topics is about
//!
//! ```text
//! F = sum_j [ lnG(S) - lnG(S + C_j) + sum_i lnG(S m_i + C_ij) - lnG(S m_i) ]       C = X'P
//!   + lnG(k) - lnG(k + N) + sum_j lnG(1 + N_j)  -  sum_dj P_dj ln P_dj  +  ln k!     N_j = sum_d P_dj
//! ```
//!
//! (variational, parameters integrated out, their counts replaced by their means; `k!` orders of the
//! topics are one model). What many parameters can fit by chance is paid for in the integrals, so `F`
//! of more topics can be compared with `F` of fewer on the same documents, none held out.
//!
//! EM starts at the spectral estimate of a few topics more than are clear, which covers the smeared
//! ones. Then, as long as a topic is not worth [`WORTH`] nats: two topics are merged (from `C` and `P`
//! alone, no pass over the data), or the lightest is taken out and its documents go to the others.
//!
//! Sources: Figueiredo and Jain (2002) begin with many components and take out; Biernacki, Celeux and
//! Govaert (2010) integrate multinomial parameters out.
//!
//! # Cost
//! A spectral estimate and some twenty steps of EM.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::em::{posterior, smooth};
use super::options::Options;
use super::smoothing;
use super::spectral::{Spectral, frequencies, lift, mixed_with};
use crate::corpus::Corpus;
use crate::decomposition::{Method, ReadOff};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::moments::panels::Products;
use crate::moments::{Counting, Rows, SingleTopicMoments};

/// Nats of evidence that a topic has to bring: odds of twenty thousand to one. `F` is a bound, and its
/// optimum one of several; differences of a few nats say nothing.
const WORTH: f64 = 10.0;

/// Steps of EM at the start, and after topics went.
const FIRST_STEPS: usize = 5;
const STEPS: usize = 2;

/// The lightest topics that are tried without.
const LIGHTEST: usize = 6;

/// The topics most like a topic that it may be merged with.
const LIKEST: usize = 3;

/// What the documents speak for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Topics at the start.
    pub of: usize,
    /// Topics that pay.
    pub n_topics: usize,
    /// Nats of evidence that the least of them brings; `None` for a single one.
    pub least: Option<f64>,
}

/// Begins with `of` topics, or as many as can be seen, and takes out those that do not pay.
pub(super) fn keep(corpus: &Corpus, options: &Options, of: usize) -> Result<Kept> {
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
    let mut split = documents.stepped(documents.split(&topics, &weights), FIRST_STEPS);
    let of = split.n_topics();
    loop {
        while let Some((_, fewer)) = documents.merged(&split).filter(|(gain, _)| *gain > -WORTH) {
            split = documents.stepped(fewer, 1);
        }
        split = documents.stepped(split, STEPS);
        let merging = documents.merged(&split).map(|(gain, _)| gain);
        if merging.is_some_and(|gain| gain > -WORTH) {
            continue;
        }
        let (gain, fewer) = match documents.without_a_light_one(&split) {
            Some(outcome) => outcome,
            None => return Ok(Kept { of, n_topics: split.n_topics(), least: None }),
        };
        if gain <= -WORTH {
            let least = merging.map(|merging| -merging.max(gain));
            return Ok(Kept { of, n_topics: split.n_topics(), least });
        }
        split = documents.stepped(fewer, 1);
    }
}

/// Documents dealt to topics, with the counts that follow.
struct Split {
    /// `P`, documents x topics.
    posterior: Matrix,
    /// `C`, features x topics.
    counts: Matrix,
    /// `N_j`.
    documents: Vec<f64>,
}

impl Split {
    fn n_topics(&self) -> usize {
        self.documents.len()
    }

    /// Topics `a` and `b` as one.
    fn with_merged(&self, a: usize, b: usize) -> Split {
        let rest: Vec<usize> = (0..self.n_topics()).filter(|&j| j != b).collect();
        let merged = |matrix: &Matrix| {
            let mut matrix = matrix.clone();
            let other = matrix.column(b).to_vec();
            matrix.column_mut(a).iter_mut().zip(other).for_each(|(x, y)| *x += y);
            matrix.select_columns(&rest)
        };
        let mut documents = self.documents.clone();
        documents[a] += documents[b];
        documents.remove(b);
        Split { posterior: merged(&self.posterior), counts: merged(&self.counts), documents }
    }
}

/// The documents, and what is believed of topics beforehand.
struct Documents<'a> {
    products: Products<'a>,
    /// `m`.
    frequencies: Vec<f64>,
    /// `S`.
    strength: f64,
}

impl<'a> Documents<'a> {
    fn new(corpus: &'a Corpus, weights: &[f64]) -> Self {
        Self {
            products: Products::new(corpus.rows(), corpus.n_present(), Counting::Raw),
            frequencies: frequencies(corpus),
            strength: smoothing::strength(corpus, weights),
        }
    }

    fn split(&self, topics: &Matrix, weights: &[f64]) -> Split {
        let posterior = posterior(&self.products, topics, weights);
        let counts = self.products.backward(&posterior, None);
        let documents = (0..posterior.n_columns())
            .into_par_iter()
            .map(|j| posterior.column(j).iter().sum())
            .collect();
        Split { posterior, counts, documents }
    }

    /// The parameters that a split stands for.
    fn parameters(&self, split: &Split) -> (Matrix, Vec<f64>) {
        let mut topics = split.counts.clone();
        smooth(&mut topics, &self.frequencies, self.strength);
        let n: f64 = split.documents.iter().sum();
        let weight = |documents: &f64| (documents / n).max(f64::MIN_POSITIVE);
        (topics, split.documents.iter().map(weight).collect())
    }

    fn stepped(&self, mut split: Split, steps: usize) -> Split {
        for _ in 0..steps {
            let (topics, weights) = self.parameters(&split);
            split = self.split(&topics, &weights);
        }
        split
    }

    /// `F`.
    fn evidence(&self, split: &Split) -> f64 {
        let topic = |j: usize| {
            let entropy: f64 = split.posterior.column(j).iter().map(|p| entropy(*p)).sum();
            self.of_topic(split.counts.column(j), split.documents[j]) + entropy
        };
        let topics: Vec<f64> = (0..split.n_topics()).into_par_iter().map(topic).collect();
        topics.iter().sum::<f64>() + of_number(split.n_topics(), split.posterior.n_rows())
    }

    /// What the counts of a topic and its number of documents add to `F`.
    fn of_topic(&self, counts: &[f64], documents: f64) -> f64 {
        let total: f64 = counts.iter().sum();
        let of_word = |(count, m): (&f64, &f64)| {
            let prior = self.strength * m;
            if *count > 0.0 { ln_gamma(prior + count) - ln_gamma(prior) } else { 0.0 }
        };
        let words: f64 = counts.iter().zip(&self.frequencies).map(of_word).sum();
        words + ln_gamma(self.strength) - ln_gamma(self.strength + total)
            + ln_gamma(1.0 + documents)
    }

    /// The best merger of a topic with one like it, and what it adds to `F`.
    fn merged(&self, split: &Split) -> Option<(f64, Split)> {
        let k = split.n_topics();
        let own: Vec<f64> = (0..k)
            .into_par_iter()
            .map(|j| self.of_topic(split.counts.column(j), split.documents[j]))
            .collect();
        let fewer = of_number(k.checked_sub(1)?, split.posterior.n_rows())
            - of_number(k, split.posterior.n_rows());
        let gain = |&(a, b): &(usize, usize)| {
            let sum = |m: &Matrix| -> Vec<f64> {
                m.column(a).iter().zip(m.column(b)).map(|(x, y)| x + y).collect()
            };
            let [p, q] = [a, b].map(|j| split.posterior.column(j));
            let surer: f64 =
                p.iter().zip(q).map(|(p, q)| entropy(p + q) - entropy(*p) - entropy(*q)).sum();
            let documents = split.documents[a] + split.documents[b];
            self.of_topic(&sum(&split.counts), documents) - own[a] - own[b] + surer + fewer
        };
        let pairs = likest_pairs(&self.parameters(split).0);
        let gains: Vec<f64> = pairs.par_iter().map(gain).collect();
        let best = (0..pairs.len()).max_by(|&x, &y| gains[x].total_cmp(&gains[y]))?;
        let (a, b) = pairs[best];
        Some((gains[best], split.with_merged(a, b)))
    }

    /// The documents without one of the lightest topics, the first that is not worth its place, else
    /// the one that is worth least; and what that adds to `F`. `None` for a single topic.
    fn without_a_light_one(&self, split: &Split) -> Option<(f64, Split)> {
        let k = split.n_topics();
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|&a, &b| split.documents[a].total_cmp(&split.documents[b]));
        let (topics, weights) = self.parameters(split);
        let before = self.evidence(split);
        let mut best: Option<(f64, Split)> = None;
        for &j in order.iter().take(if k > 1 { LIGHTEST } else { 0 }) {
            let rest: Vec<usize> = (0..k).filter(|&other| other != j).collect();
            let left: f64 = rest.iter().map(|&other| weights[other]).sum();
            let weights: Vec<f64> = rest.iter().map(|&other| weights[other] / left).collect();
            let fewer = self.split(&topics.select_columns(&rest), &weights);
            let gain = self.evidence(&fewer) - before;
            if best.as_ref().is_none_or(|best| gain > best.0) {
                best = Some((gain, fewer));
            }
            if gain > -WORTH {
                break;
            }
        }
        best
    }
}

/// Each topic with those most like it, by the angle of their roots, every pair once.
fn likest_pairs(topics: &Matrix) -> Vec<(usize, usize)> {
    let mut roots = topics.clone();
    roots.values_mut().par_iter_mut().for_each(|p| *p = p.sqrt());
    let likeness = roots.transpose_times(&roots);
    let k = likeness.n_columns();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for a in 0..k {
        let mut others: Vec<usize> = (0..k).filter(|&b| b != a).collect();
        others.sort_by(|&x, &y| likeness[(y, a)].total_cmp(&likeness[(x, a)]));
        pairs.extend(others.iter().take(LIKEST).map(|&b| (a.min(b), a.max(b))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// What the mere number of topics adds to `F`.
fn of_number(n_topics: usize, n_documents: usize) -> f64 {
    let (k, n) = (n_topics as f64, n_documents as f64);
    ln_gamma(k) - ln_gamma(k + n) + ln_gamma(k + 1.0)
}

fn entropy(p: f64) -> f64 {
    if p > 0.0 { -p * p.ln() } else { 0.0 }
}

/// The logarithm of the gamma function for positive numbers: Stirling's series, from 8 on.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 8.0 {
        product *= x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - product.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};

    const LENGTHS: Lengths = Lengths::NegativeBinomial { mean: 50.0, shape: 2.0 };

    #[test]
    fn the_gamma_function_is_that_of_factorials_and_of_a_half() {
        let mut factorial: f64 = 1.0;
        for n in 1..30 {
            assert!((ln_gamma(f64::from(n)) - factorial.ln()).abs() < 1e-10, "{n}");
            factorial *= f64::from(n);
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-10);
        assert!((ln_gamma(1e-3) - (ln_gamma(1.001) - 1e-3_f64.ln())).abs() < 1e-10);
    }

    #[test]
    fn a_merger_adds_the_difference_of_the_evidence() {
        let source = SingleTopicSource::zipf(60, 4, 5.0, 100.0, 5.0, 1);
        let corpus = source.draw(200, &Lengths::Fixed(10), 2).0;
        let words = &corpus.word_of_feature()[..corpus.n_present()];
        let topics = Matrix::from_fn(words.len(), 4, |i, j| {
            source.word_topic[(words[i] as usize, j)].max(1e-6)
        });
        let documents = Documents::new(&corpus, &source.topic_weights);
        let split = documents.split(&topics, &source.topic_weights);
        let (gain, merged) = documents.merged(&split).unwrap();
        let direct = documents.evidence(&merged) - documents.evidence(&split);
        assert_eq!(merged.n_topics(), 3);
        assert!((gain - direct).abs() < 1e-8, "{gain} {direct}");
    }

    #[test]
    fn topics_too_rare_for_a_direction_are_kept_and_the_others_go() {
        let mut exact = 0;
        for seed in 900..906 {
            let source = SingleTopicSource::zipf(1000, 10, 5.0, 1000.0, 5.0, seed);
            let corpus = source.draw(1000, &LENGTHS, seed + 50).0;
            let kept = keep(&corpus, &Options::new(1), 15).unwrap();
            assert!(kept.n_topics.abs_diff(10) <= 1, "{kept:?}");
            assert!(kept.least.unwrap() >= WORTH);
            exact += usize::from(kept.n_topics == 10);
        }
        assert!(exact >= 5, "{exact} of 6");
    }
}
