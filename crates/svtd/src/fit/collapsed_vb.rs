//! The polish of LDA: deterministic sweeps of collapsed variational Bayes over the counts.
//!
//! Started from spectral topics. Every stored count of word `i` in document `d` has
//! responsibilities `gamma_dij`, and
//!
//! ```text
//! D_dj = sum_i x_di gamma_dij     S_ij = sum_d x_di gamma_dij     S_j = sum_i S_ij
//! V_dj = sum_i x_di gamma_dij (1 - gamma_dij)
//!
//! gamma_dij proportional to  max(S_ij - gamma_dij, 0) + eta_i
//!                            -------------------------------- m / (1 + v / 2m^2)
//!                               S_j - gamma_dij + sum eta
//!
//! m = D_dj - gamma_dij + alpha_j      v = V_dj - gamma_dij (1 - gamma_dij)
//! ```
//!
//! To zeroth order (CVB0, Asuncion et al. 2009) `v` is left out, which serves text better. Where
//! documents follow the model it counts (to second order; Teh, Newman and Welling 2007), and the topics
//! come out as close to the truth as those of long Gibbs sampling (`benches/record/peers.md`).
//! `alpha` and `eta` are the [`Prior`]'s. (Re-estimating the sum of `alpha` from soft counts drifts
//! up and costs perplexity.) `S` is frozen within a sweep, so documents are independent of each
//! other: they run in parallel and their order does not matter.
//!
//! # Departure: responsibilities are not kept
//! The method as published stores `nnz k` numbers, the old responsibilities on the right-hand side.
//! Here they are recomputed from `S` and `D` in registers. A sweep looks at a document twice: first
//! without excluding anything, while `D` follows the topics, then by the formula above. The old
//! responsibilities in it are those under the present `S` and `D`, normalised by the sum of the
//! first look, and at most `D_dj`. Only `(N + n) k` numbers are stored, however many counts there
//! are, and a sweep moves a fraction of the memory.
//!
//! Over-relaxation: `S` and `D` move [`STRIDE`] times as far as the update says, so that fewer
//! sweeps are needed (`benches/record/text.md`).
//!
//! # Same bits
//! Documents are cut into chunks of about equally many counts. Every thread adds to its own `S`, in
//! whole numbers ([`tally`]), so the sums do not depend on which documents a thread got, or on
//! their order.

mod kernel;
mod lanes;
mod mixtures;
mod prior;
mod tally;

use std::sync::Arc;

use rayon::prelude::*;

use crate::aligned::Aligned;
use crate::corpus::{Corpus, mixed};
use crate::fit::stage::{Stage, Step};
use crate::linalg::Matrix;
use crate::model::features::{frequencies, mixed_with};
use crate::questions::{Look, LookRequest, Order, Rates, Request, WordFacts};
use crate::stop;
use crate::tasks;
pub(crate) use mixtures::{Mixtures, Tallies, warm_up};
pub(crate) use prior::Prior;
pub(crate) use tally::{Ledger, Tally};

/// Number of sweeps of the default polish. Chosen on 20 newsgroups: `benches/record/text.md`.
pub(crate) const SWEEPS: usize = 18;

/// Over-relaxation: in each sweep `S` and `D` move this many times the update; in the last sweep
/// exactly the update. Chosen on 20 newsgroups: `benches/record/text.md`.
const STRIDE: f64 = 1.8;

/// Sums over topics are kept as this many partial sums; topic `j` belongs to partial sum `j` modulo
/// this number.
pub(crate) const LANES: usize = 16;

/// With at most [`MOST_NARROW`] topics, rows are padded to a multiple of this instead of [`LANES`],
/// and registers of that width are used.
pub(crate) const NARROW: usize = 8;

/// The largest number of topics for which rows are padded to a multiple of [`NARROW`]. With more,
/// at most an eighth of a row is padding, and wide registers are faster
/// (`benches/record/builds.md`).
const MOST_NARROW: usize = 56;

/// The topics after the sweeps, in feature order.
pub(crate) struct Swept {
    pub word_topic: Matrix,
    pub topic_weights: Vec<f64>,
}

/// Makes this many sweeps, starting from the topics `word_topic`.
pub(crate) fn polish(
    corpus: &Corpus,
    word_topic: &Matrix,
    prior: &Prior,
    sweeps: usize,
    watch: &dyn Fn(Step),
) -> Swept {
    let start = mixed_with(word_topic, &frequencies(corpus), 0.01);
    let sums = swept(corpus, &start, prior, sweeps, watch);
    Swept { word_topic: smoothed(&sums, &prior.eta), topic_weights: shares(&sums) }
}

/// The share of each topic in the words.
fn shares(sums: &Matrix) -> Vec<f64> {
    let masses: Vec<f64> = (0..sums.n_columns()).map(|j| sums.column(j).iter().sum()).collect();
    let total: f64 = masses.iter().sum();
    masses.iter().map(|mass| mass / total).collect()
}

pub(crate) fn padded(k: usize) -> usize {
    k.next_multiple_of(if k <= MOST_NARROW { NARROW } else { LANES })
}

/// `(S_ij + eta_i) / (S_j + sum eta)`.
pub(crate) fn smoothed(sums: &Matrix, eta: &[f64]) -> Matrix {
    let strength: f64 = eta.iter().sum();
    let mut topics = sums.clone();
    topics.for_each_column(|_, column| {
        let total: f64 = column.iter().sum::<f64>() + strength;
        column.iter_mut().zip(eta).for_each(|(value, eta)| *value = (*value + eta) / total);
    });
    topics
}

/// The sums `S` after the sweeps, features x topics.
fn swept(
    corpus: &Corpus,
    start: &Matrix,
    prior: &Prior,
    sweeps: usize,
    watch: &dyn Fn(Step),
) -> Matrix {
    swept_in_rows(corpus, start, prior, sweeps, padded(start.n_columns()), watch)
}

/// The same with rows of `width` topics, which changes no bit.
fn swept_in_rows(
    corpus: &Corpus,
    start: &Matrix,
    prior: &Prior,
    sweeps: usize,
    width: usize,
    watch: &dyn Fn(Step),
) -> Matrix {
    let (n_features, k) = (start.n_rows(), start.n_columns());
    let known = &corpus.facts().words[..n_features];
    let tallies = Tallies::default();
    let mut documents = SweptDocuments::new(corpus, known, prior.order, width);
    let ledger = documents.ledger.clone();
    let mut look = |rates: &Rates, look| documents.look(&tallies, rates, look);
    watch(Step::new(Stage::Polish, 0, sweeps));
    let mut rates = Rates::fixed(start, prior, width);
    look(&rates, Look::WarmUp);
    let mut sums = Sums::new(n_features, width);
    sums.gather(&tallies, &ledger, 1.0);
    for sweep in 0..sweeps {
        let last = sweep + 1 == sweeps;
        rates.follow(&sums, prior, k);
        look(&rates, Look::Sweep);
        sums.gather(&tallies, &ledger, if last { 1.0 } else { STRIDE });
        watch(Step::new(Stage::Polish, sweep + 1, sweeps));
    }
    Matrix::from_filled(n_features, k, |j, column| {
        let rows = sums.values.chunks_exact(width);
        column.iter_mut().zip(rows).for_each(|(value, row)| *value = row[j]);
    })
}

/// The documents that the sweeps go through, here or elsewhere.
struct SweptDocuments<'a> {
    corpus: &'a Corpus,
    known: &'a [WordFacts],
    ledger: Arc<Ledger>,
    order: Order,
    /// The mixtures, if the documents are here.
    mixtures: Option<Mixtures>,
    /// The number of this run of sweeps, and the number of looks so far. Holders elsewhere store
    /// both with the mixtures they keep.
    run: u64,
    turn: u64,
}

impl<'a> SweptDocuments<'a> {
    fn new(corpus: &'a Corpus, known: &'a [WordFacts], order: Order, width: usize) -> Self {
        let here = !corpus.is_elsewhere();
        // Sums from elsewhere do not contain the rounding constant.
        let documents = |word: &WordFacts| if here { word.documents } else { 0 };
        let words: Vec<WordFacts> =
            known.iter().map(|word| WordFacts { documents: documents(word), ..*word }).collect();
        Self {
            corpus,
            known,
            ledger: Arc::new(Ledger::new(&words, width)),
            order,
            mixtures: here.then(|| Mixtures::new(corpus.rows(), order, width)),
            run: 0,
            turn: 0,
        }
    }

    fn look(&mut self, tallies: &Tallies, rates: &Rates, look: Look) {
        if let Some(mixtures) = &mut self.mixtures {
            return mixtures.look(self.corpus.rows(), &self.ledger, tallies, rates, look);
        }
        if look == Look::WarmUp {
            (self.run, self.turn) = (rates.fingerprint(), 0);
        }
        let request = || {
            Request::Look(LookRequest {
                look,
                order: self.order,
                run: self.run,
                turn: self.turn,
                rates: rates.clone(),
                known: self.known.to_vec(),
            })
        };
        let answer = self.corpus.asked_or_fail(request).unwrap_or_default();
        let tally = Tally::from_whole(&self.ledger, &answer.whole);
        tallies.set(tally.unwrap_or_else(|error| stop::fail(error)));
        self.turn += 1;
    }
}

/// `S`, row by row.
struct Sums {
    width: usize,
    values: Vec<f64>,
}

impl Sums {
    fn new(n_features: usize, width: usize) -> Self {
        Self { width, values: vec![0.0; n_features * width] }
    }

    /// Moves `stride` times the way to the sum of the tallies, which are then cleared.
    fn gather(&mut self, tallies: &Tallies, ledger: &Ledger, stride: f64) {
        const WORDS: usize = 256;
        let width = self.width;
        let mut tallies = tallies.idle();
        let gather = |(p, values): (usize, &mut [f64])| {
            let mut fresh = vec![0.0; width];
            for (i, values) in values.chunks_exact_mut(width).enumerate() {
                tally::sum_of(&tallies, ledger, p * WORDS + i, &mut fresh);
                for (value, fresh) in values.iter_mut().zip(&fresh) {
                    *value = (*value + stride * (fresh - *value)).max(0.0);
                }
            }
        };
        let parts = self.values.par_chunks_mut(WORDS * width).enumerate();
        tasks::fork(|| parts.for_each(|part| tasks::branch(|| gather(part))));
        let tallies = tallies.par_iter_mut();
        tasks::fork(|| tallies.for_each(|tally| tasks::branch(|| tally.clear())));
    }
}

impl Rates {
    /// Rates of fixed topics, which do not depend on the documents.
    fn fixed(topics: &Matrix, prior: &Prior, width: usize) -> Self {
        const WORDS: usize = 1024;
        let mut words = Aligned::zeros(topics.n_rows() * width);
        let lay = |(part, words): (usize, &mut [f32])| {
            for j in 0..topics.n_columns() {
                let column = &topics.column(j)[part * WORDS..];
                let rows = words.chunks_exact_mut(width);
                rows.zip(column).for_each(|(row, value)| row[j] = *value as f32);
            }
        };
        let parts = words.par_chunks_mut(WORDS * width).enumerate();
        tasks::fork(|| parts.for_each(|part| tasks::branch(|| lay(part))));
        let k = topics.n_columns();
        let alpha = alpha(prior, &vec![1.0 / k as f64; k], width);
        let eta = prior.eta.iter().map(|&eta| eta as f32).collect();
        Self { words, inverse: vec![1.0; width], alpha, eta }
    }

    /// A hash that other rates are unlikely to have.
    fn fingerprint(&self) -> u64 {
        let bits = self.words.iter().chain(&self.alpha).map(|rate| u64::from(rate.to_bits()));
        bits.fold(self.words.len() as u64, |state, bits| mixed(state ^ bits))
    }

    /// Sets the rates from sums, of which the first `k` columns are used.
    fn follow(&mut self, sums: &Sums, prior: &Prior, k: usize) {
        // A fixed number of words at a time, so that the sums do not depend on the number of threads.
        const WORDS: usize = 1024;
        let width = sums.width;
        let follow = |((words, rows), eta): ((&mut [f32], &[f64]), &[f64])| {
            let mut masses = vec![0.0; width];
            let rows = words.chunks_exact_mut(width).zip(rows.chunks_exact(width));
            for ((words, row), eta) in rows.zip(eta) {
                for j in 0..k {
                    words[j] = (row[j] + eta) as f32;
                    masses[j] += row[j];
                }
            }
            masses
        };
        let parts =
            self.words.par_chunks_mut(WORDS * width).zip(sums.values.par_chunks(WORDS * width));
        let parts = parts.zip(prior.eta.par_chunks(WORDS));
        let follow = |part| tasks::branch(|| follow(part));
        let part_masses: Vec<Vec<f64>> = tasks::fork(|| parts.map(follow).collect());
        let mut masses = vec![0.0; width];
        for part in &part_masses {
            masses.iter_mut().zip(part).for_each(|(mass, part)| *mass += part);
        }
        let strength = prior.strength();
        self.inverse = masses.iter().map(|mass| (1.0 / (mass + strength)) as f32).collect();
        let total: f64 = masses.iter().sum();
        let shares: Vec<f64> = masses[..k].iter().map(|mass| mass / total).collect();
        self.alpha = alpha(prior, &shares, width);
    }
}

/// `alpha`, padded with zeros to `width`.
fn alpha(prior: &Prior, shares: &[f64], width: usize) -> Vec<f32> {
    let mut alpha: Vec<f32> = prior.alpha(shares).iter().map(|&alpha| alpha as f32).collect();
    alpha.resize(width, 0.0);
    alpha
}

#[cfg(test)]
mod tests;
