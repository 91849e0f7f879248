//! How many topics the documents support: starts with too many and removes those that lower the evidence.
//!
//! A topic of few documents has no direction of its own in the pair moment: it is spread over
//! several, none of them clear. The evidence (marginal likelihood) of the documents can still show it. With a
//! Dirichlet prior on topics around the corpus' frequencies `m` with concentration `S` ([`smoothing`]), and
//! weights Dirichlet(1), the evidence of documents assigned to `k` topics, with parameters integrated out, is
//!
//! ```text
//! F = sum_j [ lnG(S) - lnG(S + C_j) + sum_i lnG(S m_i + C_ij) - lnG(S m_i) ]
//!   + lnG(k) - lnG(k + N) + sum_j lnG(1 + N_j)
//! ```
//!
//! with `C_ij` the counts of word `i` and `N_j` the documents assigned to topic `j`: exact, no bound and no
//! approximation. The integrals penalise what many topics fit by chance, so `F` of more
//! topics can be compared with `F` of fewer on the same documents, none held out.
//!
//! The search begins at the spectral estimate of more topics than are clear, which covers the rare ones.
//! Several times over, the posterior of every document is computed with its own words left out of the topics
//! ([`left_out`]). Then the topic whose loss costs least is removed, its documents go to the others, all
//! posteriors are computed again; and so on until the evidence is far below the best. The result is the smallest
//! number of topics whose evidence is within [`WORTH`] of the best.
//!
//! Sources: Biernacki, Celeux and Govaert (2010) integrate multinomial parameters out of a mixture
//! with its documents assigned; Figueiredo and Jain (2002) begin with many components and remove some.
//!
//! # Cost
//! A spectral estimate, and some hundred steps that each cost as much as one of EM.

pub(crate) mod dealing;
mod gamma;
mod left_out;

use rayon::prelude::*;

use self::dealing::{Moved, StepSums};
use self::gamma::ln_gamma;
use crate::corpus::{Corpus, mixed};
use crate::decomposition::{Method, ReadOff};
use crate::error::Result;
use crate::fit::expectation::logarithms_of;
use crate::fit::smoothing;
use crate::fit::spectral::Spectral;
use crate::linalg::Matrix;
use crate::model::features::{frequencies, lift, mixed_with};
use crate::model::{Kept, Options};
use crate::moments::{Counting, Rows, SingleTopicMoments};
use crate::questions::{Answer, Deal, DealRequest, Others, Request, wrong_size};
use crate::stop;

/// Nats of evidence that a topic must contribute: odds of twenty to one.
const WORTH: f64 = 3.0;

/// Fewer topics are no longer tried once the evidence is this many nats below the best.
const FAR: f64 = 60.0;

/// The share of the corpus' word frequencies in the topics at the start, so that no word has probability zero.
const CORPUS_SHARE: f64 = 0.001;

/// The smallest number of documents of a topic; fewer are outliers.
const LEAST_DOCUMENTS: u64 = 3;

/// The largest number of steps at the start, and (`STEPS`) after a topic was removed.
const FIRST_STEPS: usize = 30;
const STEPS: usize = 6;

/// The steps end when one moves fewer than one document in this many.
const FEW_MOVE: u64 = 200;

/// Starts with `of` topics, or as many as are visible, and returns the smallest number whose evidence is within
/// [`WORTH`] of the best.
///
/// # Errors
/// When so many topics cannot be found, or a holder of documents gives no sums over few documents: a rare
/// topic has few. A holder that does not answer ends the fit.
pub(crate) fn keep(corpus: &Corpus, options: &Options, of: usize) -> Result<Kept> {
    if corpus.least_share() > 0.0 {
        corpus.must_be_here("a look for topics too rare for a direction of their own")?;
    }
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
    let mut documents = Documents::new(corpus, &weights);
    let topics = mixed_with(&spectral.recovered.word_topic, &documents.frequencies, CORPUS_SHARE);
    let of = topics.n_columns();
    let begun = documents.after(Deal::Begin(logarithms_of(&topics), weights));
    Ok(fewest(&documents.path(&begun), of))
}

/// A number of topics, and the evidence for it.
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
    /// `C`: the number of times each word occurs in each topic, features x topics.
    counts: Matrix,
    /// `C_j`: the number of words of each topic.
    words: Vec<f64>,
    /// `N_j`: the number of documents of each topic.
    documents: Vec<f64>,
    /// Number of documents whose best topic has changed.
    n_moved: u64,
    /// Number of documents with each best topic.
    sizes: Vec<u64>,
}

/// The documents, here or elsewhere, and the prior on topics.
struct Documents<'a> {
    corpus: &'a Corpus,
    /// `m`: the frequency of each word in the corpus.
    frequencies: Vec<f64>,
    /// `S`: the concentration of the Dirichlet prior on topics.
    strength: f64,
    /// `S m`: the Dirichlet parameter of the topics.
    prior: Vec<f64>,
    /// The scores of documents that are here.
    scores: Matrix,
    n_topics: usize,
    /// The number of this run of steps, and of its next step. Holders elsewhere store both with
    /// their state.
    run: u64,
    turn: u64,
}

impl<'a> Documents<'a> {
    fn new(corpus: &'a Corpus, weights: &[f64]) -> Self {
        let frequencies = frequencies(corpus);
        let strength = smoothing::strength(corpus, weights);
        Self {
            corpus,
            prior: frequencies.iter().map(|m| strength * m).collect(),
            frequencies,
            strength,
            scores: Matrix::zeros(0, 0),
            n_topics: weights.len(),
            run: 0,
            turn: 0,
        }
    }

    /// The sums of a step.
    fn step(&mut self, deal: Deal) -> StepSums {
        match &deal {
            Deal::Begin(logarithms, _) => {
                let bits = logarithms.values().iter().map(|value| value.to_bits());
                (self.run, self.turn) = (bits.fold(1, |state, bits| mixed(state ^ bits)), 0);
                self.n_topics = logarithms.n_columns();
            }
            Deal::Keep(topics) => self.n_topics = topics.len(),
            Deal::Ask(_) | Deal::Best | Deal::Next(_) => {}
        }
        if !self.corpus.is_elsewhere() {
            let sums = dealing::step(self.corpus, &mut self.scores, &deal);
            return sums.unwrap_or_else(|error| stop::fail(error));
        }
        let (run, turn) = (self.run, self.turn);
        self.turn += 1;
        let request = || Request::Deal(DealRequest { run, turn, deal });
        let answer = self.corpus.asked_or_fail(request);
        let Answer { sums, whole, .. } = answer.unwrap_or_default();
        StepSums { sums, whole }
    }

    /// The posterior assignments after a step.
    fn after(&mut self, deal: Deal) -> Split {
        let StepSums { sums, whole } = self.step(deal);
        let (n, k) = (self.corpus.n_present(), self.n_topics);
        if sums.len() != n * k + k || whole.len() != 1 + k {
            stop::fail(wrong_size(sums.len() + whole.len(), n * k + 2 * k + 1));
        }
        let counts = Matrix::from_columns(n, k, sums[..n * k].to_vec());
        let (words, documents) = (column_sums(&counts), sums[n * k..].to_vec());
        Split { counts, words, documents, n_moved: whole[0], sizes: whole[1..].to_vec() }
    }

    /// The evidence for fewer and fewer topics.
    fn path(&mut self, begun: &Split) -> Vec<Stop> {
        let mut path: Vec<Stop> = Vec::new();
        let mut best = f64::NEG_INFINITY;
        let mut sizes = self.asked(begun, FIRST_STEPS);
        loop {
            sizes = self.without_tiny(sizes);
            let split = self.best(&sizes);
            let own = self.of_topics(&split);
            let n_documents = sizes.iter().sum();
            let stop = Stop { n_topics: own.len(), evidence: evidence(&own, n_documents) };
            path.push(stop);
            best = best.max(stop.evidence);
            if stop.n_topics == 1 || stop.evidence < best - FAR {
                return path;
            }
            let out = self.least_missed(&split, &own);
            let rest = (0..stop.n_topics).filter(|&j| j != out).collect();
            let left = self.after(Deal::Keep(rest));
            sizes = self.asked(&left, STEPS);
        }
    }

    /// Recomputes the posterior of every document, until few move or `steps` times. Returns the number of
    /// documents of each topic.
    fn asked(&mut self, begun: &Split, steps: usize) -> Vec<u64> {
        let mut split = self.ask(begun);
        for _ in 1..steps {
            if split.n_moved * FEW_MOVE < split.sizes.iter().sum() {
                break;
            }
            split = self.ask(&split);
        }
        split.sizes
    }

    fn ask(&mut self, split: &Split) -> Split {
        let (counts, documents) = (split.counts.clone(), split.documents.clone());
        let (prior, strength) = (self.prior.clone(), self.strength);
        self.after(Deal::Ask(Others { counts, documents, prior, strength }))
    }

    /// Removes topics of too few documents, whose documents go to other topics, unless no other is left.
    fn without_tiny(&mut self, mut sizes: Vec<u64>) -> Vec<u64> {
        loop {
            let most = sizes.iter().max().copied().unwrap_or(0);
            let kept = |j: &usize| sizes[*j] >= LEAST_DOCUMENTS.min(most);
            let full: Vec<usize> = (0..sizes.len()).filter(kept).collect();
            if full.len() == sizes.len() {
                return sizes;
            }
            sizes = self.after(Deal::Keep(full)).sizes;
        }
    }

    /// Assigns every document to its best topic.
    fn best(&mut self, sizes: &[u64]) -> Split {
        let (n, k) = (self.corpus.n_present(), self.n_topics);
        let StepSums { sums, .. } = self.step(Deal::Best);
        if sums.len() != n * k {
            stop::fail(wrong_size(sums.len(), n * k));
        }
        let counts = Matrix::from_columns(n, k, sums);
        let documents = sizes.iter().map(|&size| size as f64).collect();
        Split { words: column_sums(&counts), counts, documents, n_moved: 0, sizes: sizes.to_vec() }
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
        (0..split.documents.len()).into_par_iter().map(topic).collect()
    }

    /// The contribution to `F` of the size of a topic, whatever its words.
    fn of_size(&self, words: f64, documents: f64) -> f64 {
        ln_gamma(self.strength) - ln_gamma(self.strength + words) + ln_gamma(1.0 + documents)
    }

    /// The topic whose removal leaves the largest `F` when its documents go to their second best
    /// topics; `own` is the contribution of each topic to `F`.
    fn least_missed(&mut self, split: &Split, own: &[f64]) -> usize {
        let moved = self.moved();
        let gained = moved.par_iter().map(|moved| self.gained(split, moved));
        let left: Vec<f64> = gained.zip(own).map(|(gained, own)| gained - own).collect();
        (0..left.len()).max_by(|&a, &b| left[a].total_cmp(&left[b])).unwrap_or(0)
    }

    /// Where the documents of each topic would go if it were removed.
    fn moved(&mut self) -> Vec<Vec<Moved>> {
        let (n, k) = (self.corpus.n_present(), self.n_topics);
        if !self.corpus.is_elsewhere() {
            return dealing::moved(self.corpus.rows(), &self.scores, &(0..k));
        }
        let (mut moved, step) = (Vec::new(), dealing::at_once(n, k));
        for first in (0..k).step_by(step) {
            let topics = first..k.min(first + step);
            let n_out = topics.len();
            let StepSums { whole, .. } = self.step(Deal::Next(topics));
            let read = dealing::from_whole(&whole, n_out, n, k);
            moved.extend(read.unwrap_or_else(|error| stop::fail(error)));
        }
        moved
    }

    /// The contribution of the other topics to `F` when these documents are assigned to them.
    fn gained(&self, split: &Split, moved: &[Moved]) -> f64 {
        let gained = |Moved { to, documents, words }: &Moved| {
            let mut more = 0.0;
            let mut of_words = 0.0;
            for &(word, extra) in words {
                let (base, extra) = (self.prior[word] + split.counts[(word, *to)], extra as f64);
                more += extra;
                of_words += ln_gamma(base + extra) - ln_gamma(base);
            }
            let (had, size) = (split.words[*to], split.documents[*to]);
            of_words + self.of_size(had + more, size + *documents as f64) - self.of_size(had, size)
        };
        moved.iter().map(gained).sum()
    }
}

fn column_sums(matrix: &Matrix) -> Vec<f64> {
    let columns = (0..matrix.n_columns()).into_par_iter();
    columns.map(|j| matrix.column(j).iter().sum()).collect()
}

/// `F`, given what each topic adds.
fn evidence(of_topics: &[f64], n_documents: u64) -> f64 {
    let (k, n) = (of_topics.len() as f64, n_documents as f64);
    of_topics.iter().sum::<f64>() + ln_gamma(k) - ln_gamma(k + n)
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

    /// Documents that begin in these topics.
    fn begun(documents: &mut Documents<'_>, dealt: &[usize], k: usize) -> Split {
        documents.scores = dealing::one_hot(dealt, k);
        documents.scores.values_mut().iter_mut().for_each(|share| *share = share.ln());
        documents.after(Deal::Keep((0..k).collect()))
    }

    #[test]
    fn what_is_left_without_a_topic_is_the_difference_of_the_evidence() {
        let (corpus, truth) = ten(200, 1);
        let mut documents = Documents::new(&corpus, &[0.1; 10]);
        let begun = begun(&mut documents, &truth, 10);
        let sizes = documents.asked(&begun, 2);
        let sizes = documents.without_tiny(sizes);
        let split = documents.best(&sizes);
        let own = documents.of_topics(&split);
        let (moved, scores, k) = (documents.moved(), documents.scores.clone(), own.len());
        for out in 0..k {
            let rest: Vec<usize> = (0..k).filter(|&j| j != out).collect();
            let left = documents.after(Deal::Keep(rest));
            let after = documents.best(&left.sizes);
            let after = documents.of_topics(&after);
            let direct = after.iter().sum::<f64>() - own.iter().sum::<f64>();
            let left = documents.gained(&split, &moved[out]) - own[out];
            assert!((left - direct).abs() < 1e-7, "{out}: {left} {direct}");
            (documents.scores, documents.n_topics) = (scores.clone(), k);
        }
    }

    /// EM would stay about where it began; documents left out of their own topics do not.
    #[test]
    fn a_start_that_knows_nothing_ends_where_the_truth_does() {
        for seed in 0..3 {
            let (corpus, truth) = ten(600, 20 + seed);
            let mut documents = Documents::new(&corpus, &[0.1; 10]);
            let best = |path: &[Stop]| path.iter().map(|s| s.evidence).fold(f64::MIN, f64::max);
            let from_truth = begun(&mut documents, &truth, 10);
            let from_truth = documents.path(&from_truth);
            let in_turn: Vec<usize> = (0..600).map(|d| d % 14).collect();
            let from_nothing = begun(&mut documents, &in_turn, 14);
            let from_nothing = documents.path(&from_nothing);
            assert!(
                best(&from_nothing) > best(&from_truth) - WORTH,
                "{from_nothing:?} {from_truth:?}"
            );
            assert_eq!(fewest(&from_nothing, 14).n_topics, fewest(&from_truth, 10).n_topics);
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
