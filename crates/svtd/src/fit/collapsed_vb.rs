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
//! The method as published keeps `nnz k` numbers, the old responsibilities that stand on the right.
//! Here they are found again from `S` and `D` in registers: first as if nothing were excluded, at
//! most `D_dj`, then once more by the formula above. What is kept is `(N + n) k`, whatever the
//! number of counts, and a sweep moves a fraction of the memory.
//!
//! A sweep looks at a document [`LOOKS`] times, and `S` and `D` go [`STRIDE`] times as far as the
//! update says, so that fewer sweeps are needed (`benches/record/text.md` has where they end).
//!
//! # Same bits
//! Documents are cut into [`CHUNKS`] chunks of about equally many counts. Every thread sums its own `S`, in
//! whole numbers ([`tally`]): neither which documents it got nor their order changes what the sums come
//! to.

mod kernel;
mod prior;
mod tally;

use std::sync::{Mutex, PoisonError};

use pulp::bytemuck::cast_slice;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::corpus::{Corpus, SparseCounts};
use crate::fit::spectral::{frequencies, mixed_with};
use crate::fit::stage::{Stage, Step};
use crate::linalg::Matrix;
use crate::memory::Numbers;
use kernel::{Kernel, Row};
pub(crate) use prior::{Order, Prior};
use tally::{Ledger, Tally};

/// Sweeps of the default polish.
pub(crate) const SWEEPS: usize = 18;

/// Looks at a document in a sweep: the first lets its mixture follow the topics, while its words'
/// rows are near, and excludes nothing; only the last one adds to `S`.
const LOOKS: usize = 2;

/// Looks at a document with fixed topics before the first sweep.
const WARM_UP: usize = 4;

/// The same to second order, where they go as far as in a sweep: mixtures that have not come to rest
/// under topics that are nearly right would pull those together.
const LONG_WARM_UP: usize = 11;

/// How far `S` and `D` go towards and beyond their update; the last sweep goes as far as it says.
const STRIDE: f64 = 1.8;

/// Pieces the documents are cut into: enough for every core of a large machine. Each thread at work
/// has sums of its own.
pub(crate) const CHUNKS: usize = 64;

/// Topics are padded to a multiple of this.
pub(crate) const LANES: usize = 16;

/// Topics after the sweeps, in feature order.
pub(crate) struct Swept {
    pub word_topic: Matrix,
    pub topic_weights: Vec<f64>,
}

/// Runs `sweeps` sweeps from the topics `word_topic`.
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

/// The topics' shares of the words.
fn shares(sums: &Matrix) -> Vec<f64> {
    let masses: Vec<f64> = (0..sums.n_columns()).map(|j| sums.column(j).iter().sum()).collect();
    let total: f64 = masses.iter().sum();
    masses.iter().map(|mass| mass / total).collect()
}

pub(crate) fn padded(k: usize) -> usize {
    k.next_multiple_of(LANES)
}

/// `(S_ij + eta_i) / (S_j + sum eta)`.
pub(crate) fn smoothed(sums: &Matrix, eta: &[f64]) -> Matrix {
    let strength: f64 = eta.iter().sum();
    let mut topics = sums.clone();
    for j in 0..topics.n_columns() {
        let column = topics.column_mut(j);
        let total: f64 = column.iter().sum::<f64>() + strength;
        column.iter_mut().zip(eta).for_each(|(value, eta)| *value = (*value + eta) / total);
    }
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
    let rows = corpus.rows();
    let (n_features, k) = (start.n_rows(), start.n_columns());
    let width = padded(k);
    let ledger = Ledger::new(rows, n_features, width);
    let mut chunks = cut(rows, kept_for(prior.order, width), CHUNKS);
    let tallies = Tallies::default();
    watch(Step::new(Stage::Polish, 0, sweeps));
    let mut rates = Rates::fixed(start, prior, width);
    let documents = Documents { rows, ledger: &ledger, tallies: &tallies, order: prior.order };
    run(&mut chunks, documents, &rates, Look::WarmUp);
    let mut sums = Sums::new(n_features, width);
    sums.gather(&tallies, &ledger, 1.0);
    for sweep in 0..sweeps {
        let last = sweep + 1 == sweeps;
        rates.follow(&sums, prior, k);
        run(&mut chunks, documents, &rates, Look::Sweep);
        sums.gather(&tallies, &ledger, if last { 1.0 } else { STRIDE });
        watch(Step::new(Stage::Polish, sweep + 1, sweeps));
    }
    Matrix::from_fn(n_features, k, |i, j| sums.values[i * width + j])
}

/// Looks at a document before the first sweep, and how far each goes.
pub(crate) fn warm_up(order: Order) -> (usize, f32) {
    match order {
        Order::Zeroth => (WARM_UP, 1.0),
        Order::Second => (LONG_WARM_UP, STRIDE as f32),
    }
}

/// Numbers that are kept of a document between sweeps: `D`, and to second order `V`.
pub(crate) fn kept_for(order: Order, width: usize) -> usize {
    match order {
        Order::Zeroth => width,
        Order::Second => 2 * width,
    }
}

/// How documents are gone through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// From nothing, with fixed topics, a few times each; topics that do not depend on the
    /// documents have nothing to exclude.
    WarmUp,
    /// From where they were left.
    Sweep,
}

/// What all sweeps have in common.
#[derive(Clone, Copy)]
struct Documents<'a> {
    rows: &'a SparseCounts,
    ledger: &'a Ledger,
    tallies: &'a Tallies,
    order: Order,
}

/// Tallies that nobody is adding to: as many in all as there were ever threads at work.
#[derive(Default)]
struct Tallies(Mutex<Vec<Tally>>);

impl Tallies {
    fn take(&self, ledger: &Ledger) -> Tally {
        let idle = self.idle().pop();
        idle.unwrap_or_else(|| Tally::new(ledger))
    }

    fn give_back(&self, tally: Tally) {
        self.idle().push(tally);
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Tally>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(chunks: &mut [Chunk], documents: Documents<'_>, rates: &Rates, look: Look) {
    chunks.par_iter_mut().with_max_len(1).for_each(|chunk| {
        crate::stop::here();
        documents.rows.limit().touch(size_of_val(&*chunk.mixtures));
        let mut tally = documents.tallies.take(documents.ledger);
        Arch::new().dispatch(Pass { chunk, tally: &mut tally, documents, rates, look });
        documents.tallies.give_back(tally);
    });
}

/// A pass over one chunk, compiled for each instruction set and chosen at run time.
struct Pass<'a> {
    chunk: &'a mut Chunk,
    tally: &'a mut Tally,
    documents: Documents<'a>,
    rates: &'a Rates,
    look: Look,
}

impl WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.documents.order {
            Order::Zeroth => self.run_to::<S, false>(simd),
            Order::Second => self.run_to::<S, true>(simd),
        }
    }
}

impl Pass<'_> {
    /// Goes through the documents with as many registers as the topics need.
    #[inline(always)]
    fn run_to<S: Simd, const SECOND: bool>(self, simd: S) {
        let zero = simd.splat_f32s(0.0);
        let n_registers = self.rates.alpha.len() / S::F32_LANES;
        match n_registers {
            1 => self.run::<S, _, SECOND>(simd, [zero; 1]),
            2 => self.run::<S, _, SECOND>(simd, [zero; 2]),
            3 => self.run::<S, _, SECOND>(simd, [zero; 3]),
            4 => self.run::<S, _, SECOND>(simd, [zero; 4]),
            5 => self.run::<S, _, SECOND>(simd, [zero; 5]),
            6 => self.run::<S, _, SECOND>(simd, [zero; 6]),
            7 => self.run::<S, _, SECOND>(simd, [zero; 7]),
            8 => self.run::<S, _, SECOND>(simd, [zero; 8]),
            _ => self.run::<S, _, SECOND>(simd, vec![zero; n_registers]),
        }
    }

    /// Goes through the documents; leaves their mixtures and adds their part of the new `S`.
    ///
    /// A row of topics lies in as many registers as `blank`; they are registers indeed when their
    /// number is known to the compiler, and memory near by when it is not.
    #[inline(always)]
    fn run<S: Simd, R: Row<S>, const SECOND: bool>(self, simd: S, blank: R) {
        let Pass { chunk, tally, documents, rates, look } = self;
        let Documents { rows, ledger, order, .. } = documents;
        let width = rates.alpha.len();
        let mut kernel = Kernel::<S, R, SECOND>::new(simd, blank, rates);
        let mixtures = chunk.mixtures.chunks_exact_mut(kept_for(order, width));
        let (looks, stride) = match look {
            Look::WarmUp => warm_up(order),
            Look::Sweep => (LOOKS, STRIDE as f32),
        };
        for (d, mixture) in chunk.documents.clone().zip(mixtures) {
            let (features, counts) = rows.row(d);
            kernel.open(mixture);
            for turn in 1..=looks {
                let last = turn == looks;
                kernel.begin();
                for (&i, &x) in features.iter().zip(counts) {
                    let word = i as usize * width..(i as usize + 1) * width;
                    let eta = (look == Look::Sweep && last).then(|| rates.eta[i as usize]);
                    kernel.add(&rates.words[word], x as f32, eta);
                    if last {
                        tally.add(ledger, i, cast_slice(kernel.fresh.as_ref()));
                    }
                }
                kernel.settle(stride);
            }
            kernel.close(mixture);
        }
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

    /// Goes `stride` times the way to the sum of the tallies, which begin anew.
    fn gather(&mut self, tallies: &Tallies, ledger: &Ledger, stride: f64) {
        const WORDS: usize = 256;
        let width = self.width;
        let mut tallies = tallies.idle();
        self.values.par_chunks_mut(WORDS * width).enumerate().for_each(|(p, values)| {
            let mut fresh = vec![0.0; width];
            for (i, values) in values.chunks_exact_mut(width).enumerate() {
                tally::sum_of(&tallies, ledger, p * WORDS + i, &mut fresh);
                for (value, fresh) in values.iter_mut().zip(&fresh) {
                    *value = (*value + stride * (fresh - *value)).max(0.0);
                }
            }
        });
        tallies.par_iter_mut().for_each(Tally::clear);
    }
}

/// What a word says for a topic, `A_ij / a_j`, and what is believed before.
struct Rates {
    /// `A`: `S_ij + eta_i`, or topics that stay as they are.
    words: Vec<f32>,
    /// `1 / a`: of `S_j + sum eta`, or ones.
    inverse: Vec<f32>,
    /// `alpha`, nothing for topics that only fill a register.
    alpha: Vec<f32>,
    eta: Vec<f32>,
}

impl Rates {
    /// Topics that do not depend on the documents.
    fn fixed(topics: &Matrix, prior: &Prior, width: usize) -> Self {
        let mut words = vec![0.0; topics.n_rows() * width];
        for j in 0..topics.n_columns() {
            for (i, value) in topics.column(j).iter().enumerate() {
                words[i * width + j] = *value as f32;
            }
        }
        let k = topics.n_columns();
        let alpha = alpha(prior, &vec![1.0 / k as f64; k], width);
        let eta = prior.eta.iter().map(|&eta| eta as f32).collect();
        Self { words, inverse: vec![1.0; width], alpha, eta }
    }

    /// The rates of sums, of which the first `k` columns count.
    fn follow(&mut self, sums: &Sums, prior: &Prior, k: usize) {
        // A fixed number of words at a time, so that the masses do not depend on the threads.
        const WORDS: usize = 1024;
        let width = sums.width;
        let parts =
            self.words.par_chunks_mut(WORDS * width).zip(sums.values.par_chunks(WORDS * width));
        let part_masses: Vec<Vec<f64>> = parts
            .zip(prior.eta.par_chunks(WORDS))
            .map(|((words, rows), eta)| {
                let mut masses = vec![0.0; width];
                let rows = words.chunks_exact_mut(width).zip(rows.chunks_exact(width));
                for ((words, row), eta) in rows.zip(eta) {
                    for j in 0..k {
                        words[j] = (row[j] + eta) as f32;
                        masses[j] += row[j];
                    }
                }
                masses
            })
            .collect();
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

/// `alpha`, and nothing up to `width`.
fn alpha(prior: &Prior, shares: &[f64], width: usize) -> Vec<f32> {
    let mut alpha: Vec<f32> = prior.alpha(shares).iter().map(|&alpha| alpha as f32).collect();
    alpha.resize(width, 0.0);
    alpha
}

/// Consecutive documents with their mixtures.
struct Chunk {
    documents: std::ops::Range<usize>,
    /// `D`, one row of topics per document, to second order followed by `V`.
    mixtures: Numbers<f32>,
}

/// Cuts the documents so that all chunks hold about equally many counts.
fn cut(rows: &SparseCounts, kept: usize, n_chunks: usize) -> Vec<Chunk> {
    let offsets = rows.offsets();
    let total = rows.n_nonzeros();
    let edge = |c: usize| offsets.partition_point(|&o| o < total * c / n_chunks).min(rows.n_rows());
    (0..n_chunks)
        .map(|c| {
            let last = if c + 1 == n_chunks { rows.n_rows() } else { edge(c + 1) };
            let documents = edge(c)..last.max(edge(c));
            let mixtures = Numbers::zeros(documents.len() * kept, rows.limit());
            Chunk { documents, mixtures }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::profile::Profile;
    use crate::synthetic::{LdaSource, Lengths};

    fn text(start: &Matrix) -> Prior {
        Prior::of_text(start.n_rows())
    }

    fn example() -> (Corpus, Matrix) {
        let source = LdaSource::uniform(60, 4, 1.0, 3);
        let corpus = source.draw(120, &Lengths::Uniform(20..=60), 9).0;
        let frequencies = frequencies(&corpus);
        let k = 4;
        let start = Matrix::from_fn(corpus.n_present(), k, |i, j| {
            frequencies[i] * (1.0 + 0.5 * ((i * (j + 2)) as f64).sin())
        });
        (corpus, start)
    }

    #[test]
    fn topics_and_weights_are_distributions_and_mass_is_kept() {
        let (corpus, start) = example();
        let result = polish(&corpus, &start, &text(&start), 5, &|_| {});
        for j in 0..4 {
            let total: f64 = result.word_topic.column(j).iter().sum();
            assert!((total - 1.0).abs() < 1e-9);
        }
        let sums = swept(&corpus, &start, &text(&start), 5, &|_| {});
        let mass: f64 = sums.values().iter().sum();
        assert!((mass / corpus.n_tokens() as f64 - 1.0).abs() < 1e-5, "{mass}");
    }

    /// The published update, which keeps every responsibility and sees each word's change at once.
    fn as_published(corpus: &Corpus, start: &Matrix, prior: &Prior, sweeps: usize) -> Matrix {
        let (rows, n, k) = (corpus.rows(), start.n_rows(), start.n_columns());
        let normalised = |row: Vec<f64>| -> Vec<f64> {
            let total: f64 = row.iter().sum();
            row.iter().map(|v| v / total).collect()
        };
        let mut gamma: Vec<Vec<Vec<f64>>> = (0..rows.n_rows())
            .map(|d| {
                let words = rows.row(d).0.iter();
                words
                    .map(|&i| normalised((0..k).map(|j| start[(i as usize, j)]).collect()))
                    .collect()
            })
            .collect();
        let mut sums = Matrix::zeros(n, k);
        for _ in 0..=sweeps {
            sums = Matrix::zeros(n, k);
            for (d, document) in gamma.iter().enumerate() {
                let (features, counts) = rows.row(d);
                for ((&i, &x), g) in features.iter().zip(counts).zip(document) {
                    (0..k).for_each(|j| sums[(i as usize, j)] += f64::from(x) * g[j]);
                }
            }
            let totals: Vec<f64> =
                (0..k).map(|j| sums.column(j).iter().sum::<f64>() + prior.strength()).collect();
            let alpha = prior.alpha(&shares(&sums));
            for (d, document) in gamma.iter_mut().enumerate() {
                let (features, counts) = rows.row(d);
                let (mut mixture, mut variance) = (vec![0.0; k], vec![0.0; k]);
                for (&x, g) in counts.iter().zip(document.iter()) {
                    (0..k).for_each(|j| mixture[j] += f64::from(x) * g[j]);
                    (0..k).for_each(|j| variance[j] += f64::from(x) * g[j] * (1.0 - g[j]));
                }
                for ((&i, &x), g) in features.iter().zip(counts).zip(document) {
                    let fresh = (0..k).map(|j| {
                        let word = (sums[(i as usize, j)] - g[j]).max(0.0) + prior.eta[i as usize];
                        let m = mixture[j] - g[j] + alpha[j];
                        let v = match prior.order {
                            Order::Zeroth => 0.0,
                            Order::Second => variance[j] - g[j] * (1.0 - g[j]),
                        };
                        word / (totals[j] - g[j]) * m / (1.0 + v.max(0.0) / (2.0 * m * m))
                    });
                    let fresh = normalised(fresh.collect());
                    for j in 0..k {
                        let (new, old) = (fresh[j], g[j]);
                        mixture[j] += f64::from(x) * (new - old);
                        variance[j] += f64::from(x) * (new * (1.0 - new) - old * (1.0 - old));
                    }
                    *g = fresh;
                }
            }
        }
        sums
    }

    /// The update that excludes nothing.
    fn without_exclusion(corpus: &Corpus, start: &Matrix, prior: &Prior, sweeps: usize) -> Matrix {
        let even = vec![0.25; 4];
        let mut profile = Profile::new(corpus, start, prior, &even);
        for _ in 0..sweeps {
            profile.settle();
            profile.set_topics(&smoothed(&profile.sums(None), &prior.eta));
        }
        profile.settle();
        profile.sums(None)
    }

    #[test]
    fn the_sweeps_end_near_where_the_published_update_does() {
        let (corpus, start) = example();
        for prior in [text(&start), Prior::of_model(&corpus, 1.0, 4)] {
            let published = smoothed(&as_published(&corpus, &start, &prior, 300), &prior.eta);
            let distance = |sums: Matrix| -> f64 {
                let values = smoothed(&sums, &prior.eta);
                let pairs = values.values().iter().zip(published.values());
                pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 4.0
            };
            let ours = distance(swept(&corpus, &start, &prior, 300, &|_| {}));
            let plain = distance(without_exclusion(&corpus, &start, &prior, 300));
            assert!(
                ours < 0.1 && ours < 0.5 * plain,
                "{ours}, excluding nothing {plain}: {prior:?}"
            );
        }
    }

    #[test]
    fn where_documents_follow_the_model_the_variance_of_mixtures_counts() {
        // Swept from the truth itself: what is far from it in the end is the sweeps' doing.
        let mut means = [0.0; 2];
        for seed in 0..4 {
            let source = LdaSource::zipf(300, 5, 5.0, 300.0, 1.0, seed);
            let corpus = source.draw(4000, &Lengths::Uniform(20..=60), seed + 50).0;
            let words = &corpus.word_of_feature()[..corpus.n_present()];
            let truth =
                Matrix::from_fn(words.len(), 5, |i, j| source.word_topic[(words[i] as usize, j)]);
            let second = Prior::of_model(&corpus, 1.0, 5);
            let mut zeroth = second.clone();
            zeroth.order = Order::Zeroth;
            for (mean, prior) in means.iter_mut().zip([second, zeroth]) {
                let swept = polish(&corpus, &truth, &prior, SWEEPS, &|_| {}).word_topic;
                let pairs = swept.values().iter().zip(truth.values());
                *mean += pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 20.0;
            }
        }
        assert!(means[0] < 0.85 * means[1], "{means:?}");
    }

    #[test]
    fn topics_that_nobody_needs_change_nothing_however_many_there_are() {
        // The same topics, followed by topics without words: more than there are registers.
        let (corpus, start) = example();
        let wide = |k: usize| {
            Matrix::from_fn(start.n_rows(), k, |i, j| if j < 4 { start[(i, j)] } else { 0.0 })
        };
        let alone = warmed_up(&corpus, &start);
        for k in [40, 120, 200] {
            let among = warmed_up(&corpus, &wide(k));
            for j in 0..4 {
                for (a, b) in among.column(j).iter().zip(alone.column(j)) {
                    assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "k = {k}: {a} and {b}");
                }
            }
        }
    }

    /// The sums after the passes with fixed topics.
    fn warmed_up(corpus: &Corpus, start: &Matrix) -> Matrix {
        swept(corpus, start, &text(start), 0, &|_| {})
    }

    #[test]
    fn short_documents_keep_their_mass() {
        let mut builder = Corpus::builder(4);
        for d in 0..40 {
            let words = [(d % 4, 1), ((d + 2) % 4, 1)];
            builder.push_document(words[..1 + d as usize % 2].iter().copied()).unwrap();
        }
        let corpus = builder.build().unwrap();
        let start = Matrix::from_fn(4, 2, |i, j| if i % 2 == j { 0.4 } else { 0.1 });
        let sums = swept(&corpus, &start, &text(&start), 20, &|_| {});
        let mass: f64 = sums.values().iter().sum();
        assert!((mass - 60.0).abs() < 1e-3, "{mass}");
    }
}
