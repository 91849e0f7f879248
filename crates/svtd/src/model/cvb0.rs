//! The polish of LDA: deterministic CVB0 sweeps over the counts.
//!
//! Collapsed variational Bayes to zeroth order (Asuncion et al. 2009), started from spectral
//! topics. Every stored count of word `i` in document `d` has responsibilities `gamma_dij`, and
//!
//! ```text
//! D_dj = sum_i x_di gamma_dij     S_ij = sum_d x_di gamma_dij     S_j = sum_i S_ij
//!
//! gamma_dij proportional to  max(S_ij - gamma, 0) + eta
//!                            -------------------------- (D_dj - gamma + alpha),   gamma: the old one
//!                            S_j - gamma + n eta
//! ```
//!
//! with `alpha = 0.1`, `eta = 0.05` fixed. (Re-estimating `alpha` from soft counts drifts up and
//! costs perplexity.) `S` is frozen within a sweep, so documents are independent of each other:
//! they run in parallel and their order does not matter.
//!
//! # Memory
//! The responsibilities are `nnz k` numbers, kept in single precision. Above
//! [`MAX_RESPONSIBILITIES`] of them, a fixed number whatever the machine, the same update runs
//! without the `- gamma` terms, which needs only `(N + n) k` and one number per count.
//!
//! # Same bits
//! Documents are cut into up to [`MAX_CHUNKS`] chunks by their counts (fewer when `S` is large);
//! each chunk sums its own `S` in double precision and the chunks are added in order.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::spectral::mixed_with;
use super::stage::{Stage, Step};
use crate::corpus::{Corpus, SparseCounts};
use crate::linalg::Matrix;
use crate::moments::Counting;
use crate::moments::panels::Products;

/// Responsibilities kept at most: one gibibyte of single-precision numbers.
pub const MAX_RESPONSIBILITIES: usize = 1 << 28;

/// The Dirichlet parameter of a document's mixture, per topic.
pub(super) const ALPHA: f64 = 0.1;

/// The Dirichlet parameter of a topic's words, per word.
const ETA: f64 = 0.05;

/// Sweeps of the default polish.
pub(super) const SWEEPS: usize = 20;

/// Passes with fixed topics before the first sweep.
pub(super) const WARM_UP: usize = 3;

/// Pieces the documents are cut into at most, whatever the number of threads.
pub(super) const MAX_CHUNKS: usize = 8;

/// Numbers that the pieces' own sums may take together, before fewer pieces are made.
const SUMS_BUDGET: usize = 1 << 25;

/// Topics are padded to a multiple of this.
const LANES: usize = 16;

/// Topics after the sweeps, in feature order.
pub(super) struct Swept {
    pub word_topic: Matrix,
    pub topic_weights: Vec<f64>,
    /// Whether responsibilities were kept.
    pub exact: bool,
}

/// Runs `sweeps` sweeps from the topics `word_topic`.
pub(super) fn polish(
    corpus: &Corpus,
    word_topic: &Matrix,
    frequencies: &[f64],
    sweeps: usize,
    watch: &dyn Fn(Step),
) -> Swept {
    let start = mixed_with(word_topic, frequencies, 0.01);
    let exact = fits(corpus.n_nonzeros(), word_topic.n_columns());
    let sums = if exact {
        exact_sweeps(corpus, &start, sweeps, watch)
    } else {
        frugal_sweeps(corpus, &start, sweeps, watch)
    };
    let word_topic = smoothed(&sums);
    let masses: Vec<f64> = (0..sums.n_columns()).map(|j| sums.column(j).iter().sum()).collect();
    let total: f64 = masses.iter().sum();
    Swept { word_topic, topic_weights: masses.iter().map(|m| m / total).collect(), exact }
}

/// Whether the responsibilities of so many counts are within the limit.
pub(super) fn fits(n_nonzeros: usize, k: usize) -> bool {
    n_nonzeros.saturating_mul(padded(k)) <= MAX_RESPONSIBILITIES
}

pub(super) fn padded(k: usize) -> usize {
    k.next_multiple_of(LANES)
}

/// `(S_ij + eta) / (S_j + n eta)`.
pub(super) fn smoothed(sums: &Matrix) -> Matrix {
    let n = sums.n_rows() as f64;
    let mut topics = sums.clone();
    for j in 0..topics.n_columns() {
        let column = topics.column_mut(j);
        let total: f64 = column.iter().sum::<f64>() + n * ETA;
        column.iter_mut().for_each(|value| *value = (*value + ETA) / total);
    }
    topics
}

// --- with responsibilities -------------------------------------------------------------------

/// The sums `S` after the sweeps, features x topics.
fn exact_sweeps(corpus: &Corpus, start: &Matrix, sweeps: usize, watch: &dyn Fn(Step)) -> Matrix {
    let rows = corpus.rows();
    let (n_features, k) = (start.n_rows(), start.n_columns());
    let width = padded(k);
    let n_chunks = (SUMS_BUDGET / (n_features * width)).clamp(2, MAX_CHUNKS);
    let mut chunks = cut(rows, width, n_chunks);
    let topics = padded_rows(start, width);
    let alpha: Vec<f32> = (0..width).map(|j| if j < k { ALPHA as f32 } else { 0.0 }).collect();
    watch(Step::new(Stage::Polish, 0, sweeps));
    chunks.par_iter_mut().with_max_len(1).for_each(|chunk| {
        let topics = &topics;
        Arch::new().dispatch(WarmUp { chunk, rows, topics, alpha: &alpha, n_features });
    });
    let mut sums = Sums::gather(&chunks, n_features, width);
    for sweep in 0..sweeps {
        chunks.par_iter_mut().with_max_len(1).for_each(|chunk| {
            let sums = &sums;
            Arch::new().dispatch(Sweep { chunk, rows, sums, alpha: &alpha });
        });
        sums = Sums::gather(&chunks, n_features, width);
        watch(Step::new(Stage::Polish, sweep + 1, sweeps));
    }
    Matrix::from_fn(n_features, k, |i, j| sums.exact[i * width + j])
}

/// The start of one chunk, compiled for each instruction set and chosen at run time.
struct WarmUp<'a> {
    chunk: &'a mut Chunk,
    rows: &'a SparseCounts,
    topics: &'a [f32],
    alpha: &'a [f32],
    n_features: usize,
}

impl WithSimd for WarmUp<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let kernel = Kernel::new(simd);
        self.chunk.warm_up(kernel, self.rows, self.topics, self.alpha);
        self.chunk.sum(self.rows, self.n_features, self.alpha.len());
    }
}

/// A sweep over one chunk, likewise.
struct Sweep<'a> {
    chunk: &'a mut Chunk,
    rows: &'a SparseCounts,
    sums: &'a Sums,
    alpha: &'a [f32],
}

impl WithSimd for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.chunk.sweep(Kernel::new(simd), self.rows, self.sums, self.alpha);
    }
}

/// `S` and what a sweep needs of it.
struct Sums {
    exact: Vec<f64>,
    /// `S_ij` in single precision.
    words: Vec<f32>,
    /// `S_j + n eta`.
    totals: Vec<f32>,
}

impl Sums {
    /// Adds the chunks' sums, in order.
    fn gather(chunks: &[Chunk], n_features: usize, width: usize) -> Self {
        let mut exact = vec![0.0; n_features * width];
        exact.par_chunks_mut(width * 256).enumerate().for_each(|(piece, target)| {
            let first = piece * width * 256;
            for chunk in chunks {
                for (value, more) in target.iter_mut().zip(&chunk.sums[first..]) {
                    *value += more;
                }
            }
        });
        let mut totals = vec![n_features as f64 * ETA; width];
        for row in exact.chunks_exact(width) {
            for (total, value) in totals.iter_mut().zip(row) {
                *total += value;
            }
        }
        Self {
            words: exact.par_iter().map(|&v| v as f32).collect(),
            totals: totals.iter().map(|&v| v as f32).collect(),
            exact,
        }
    }
}

/// Consecutive documents with their responsibilities and their share of `S`.
struct Chunk {
    documents: std::ops::Range<usize>,
    /// One row of topics per stored count.
    gamma: Vec<f32>,
    sums: Vec<f64>,
}

/// Cuts the documents so that all chunks hold about equally many counts.
fn cut(rows: &SparseCounts, width: usize, n_chunks: usize) -> Vec<Chunk> {
    let offsets = rows.offsets();
    let total = rows.n_nonzeros();
    let edge = |c: usize| offsets.partition_point(|&o| o < total * c / n_chunks).min(rows.n_rows());
    (0..n_chunks)
        .map(|c| {
            let last = if c + 1 == n_chunks { rows.n_rows() } else { edge(c + 1) };
            let documents = edge(c)..last.max(edge(c));
            let n = offsets[documents.end] - offsets[documents.start];
            Chunk { documents, gamma: vec![0.0; n * width], sums: Vec::new() }
        })
        .collect()
}

impl Chunk {
    /// Responsibilities from fixed topics: the inference update of new documents.
    #[inline(always)]
    fn warm_up<S: Simd>(
        &mut self,
        kernel: Kernel<S>,
        rows: &SparseCounts,
        topics: &[f32],
        alpha: &[f32],
    ) {
        let width = alpha.len();
        let mut gamma = &mut self.gamma[..];
        let (mut mixture, mut fresh) = (vec![0.0; width], vec![0.0; width]);
        for d in self.documents.clone() {
            let (features, counts) = rows.row(d);
            let (own, rest) = gamma.split_at_mut(features.len() * width);
            gamma = rest;
            mixture.fill(0.0);
            for pass in 0..=WARM_UP {
                let entries = own.chunks_exact_mut(width).zip(features.iter().zip(counts));
                for (old, (&i, &x)) in entries {
                    let words = &topics[i as usize * width..][..width];
                    let total = kernel.expected(old, words, &mixture, alpha, &mut fresh);
                    // The first pass starts from nothing: it must not see its own additions.
                    if pass == 0 {
                        kernel.settle(old, &fresh, total);
                    } else {
                        kernel.update(old, &fresh, total, x as f32, &mut mixture);
                    }
                }
                if pass == 0 {
                    kernel.recount(own, counts, &mut mixture);
                }
            }
        }
    }

    /// One sweep with `S` frozen; leaves this chunk's part of the new `S`.
    #[inline(always)]
    fn sweep<S: Simd>(
        &mut self,
        kernel: Kernel<S>,
        rows: &SparseCounts,
        sums: &Sums,
        alpha: &[f32],
    ) {
        let width = alpha.len();
        self.sums.fill(0.0);
        let mut gamma = &mut self.gamma[..];
        let (mut mixture, mut fresh) = (vec![0.0; width], vec![0.0; width]);
        for d in self.documents.clone() {
            let (features, counts) = rows.row(d);
            let (own, rest) = gamma.split_at_mut(features.len() * width);
            gamma = rest;
            kernel.recount(own, counts, &mut mixture);
            let entries = own.chunks_exact_mut(width).zip(features.iter().zip(counts));
            for (old, (&i, &x)) in entries {
                let at = i as usize * width;
                let words = &sums.words[at..at + width];
                let total = kernel.collapsed(old, words, &sums.totals, &mixture, alpha, &mut fresh);
                kernel.update(old, &fresh, total, x as f32, &mut mixture);
                add_exactly(&mut self.sums[at..at + width], old, x);
            }
        }
    }

    /// This chunk's part of `S` from its responsibilities.
    #[inline(always)]
    fn sum(&mut self, rows: &SparseCounts, n_features: usize, width: usize) {
        self.sums.clear();
        self.sums.resize(n_features * width, 0.0);
        let mut gamma = self.gamma.chunks_exact(width);
        for d in self.documents.clone() {
            let (features, counts) = rows.row(d);
            for ((&i, &x), own) in features.iter().zip(counts).zip(&mut gamma) {
                add_exactly(&mut self.sums[i as usize * width..][..width], own, x);
            }
        }
    }
}

/// Topics side by side in registers. Whatever the width of a register, a sum over topics adds the
/// same numbers in the same order, so every instruction set gives the same bits.
#[derive(Clone, Copy)]
struct Kernel<S: Simd> {
    simd: S,
    zero: S::f32s,
    eta: S::f32s,
}

impl<S: Simd> Kernel<S> {
    /// Registers to [`LANES`] topics.
    const REGISTERS: usize = LANES / S::F32_LANES;

    #[inline(always)]
    fn new(simd: S) -> Self {
        Self { simd, zero: simd.splat_f32s(0.0), eta: simd.splat_f32s(ETA as f32) }
    }

    /// `target += x gamma`.
    #[inline(always)]
    fn add_counts(self, target: &mut [f32], gamma: &[f32], x: f32) {
        let (simd, x) = (self.simd, self.simd.splat_f32s(x));
        let (target, gamma) = (S::as_mut_simd_f32s(target).0, S::as_simd_f32s(gamma).0);
        for (target, &gamma) in target.iter_mut().zip(gamma) {
            *target = simd.add_f32s(*target, simd.mul_f32s(x, gamma));
        }
    }

    /// `D_dj` from the responsibilities of one document.
    #[inline(always)]
    fn recount(self, own: &[f32], counts: &[u32], mixture: &mut [f32]) {
        mixture.fill(0.0);
        for (row, &x) in own.chunks_exact(mixture.len()).zip(counts) {
            self.add_counts(mixture, row, x as f32);
        }
    }

    /// `M_ij (D_j - gamma + alpha_j)` and its sum.
    #[inline(always)]
    fn expected(
        self,
        old: &[f32],
        words: &[f32],
        mixture: &[f32],
        alpha: &[f32],
        fresh: &mut [f32],
    ) -> f32 {
        let simd = self.simd;
        let (old, words) = (S::as_simd_f32s(old).0, S::as_simd_f32s(words).0);
        let (mixture, alpha) = (S::as_simd_f32s(mixture).0, S::as_simd_f32s(alpha).0);
        let topics = old.iter().zip(words).zip(mixture.iter().zip(alpha));
        self.fill(fresh, topics, |((&old, &word), (&mixture, &alpha))| {
            let others = simd.add_f32s(simd.sub_f32s(mixture, old), alpha);
            simd.mul_f32s(word, simd.max_f32s(others, self.zero))
        })
    }

    /// The collapsed update and its sum.
    #[inline(always)]
    fn collapsed(
        self,
        old: &[f32],
        words: &[f32],
        totals: &[f32],
        mixture: &[f32],
        alpha: &[f32],
        fresh: &mut [f32],
    ) -> f32 {
        let simd = self.simd;
        let (old, words) = (S::as_simd_f32s(old).0, S::as_simd_f32s(words).0);
        let (mixture, alpha) = (S::as_simd_f32s(mixture).0, S::as_simd_f32s(alpha).0);
        let totals = S::as_simd_f32s(totals).0;
        let topics = old.iter().zip(words).zip(totals).zip(mixture.iter().zip(alpha));
        self.fill(fresh, topics, |(((&old, &word), &total), (&mixture, &alpha))| {
            let word = simd.max_f32s(simd.sub_f32s(word, old), self.zero);
            let document = simd.add_f32s(simd.sub_f32s(mixture, old), alpha);
            let document = simd.max_f32s(document, self.zero);
            let product = simd.mul_f32s(simd.add_f32s(word, self.eta), document);
            simd.div_f32s(product, simd.sub_f32s(total, old))
        })
    }

    /// Fills a row with what `value` makes of its topics; its sum, lane by lane and then across.
    #[inline(always)]
    fn fill<T>(
        self,
        fresh: &mut [f32],
        topics: impl Iterator<Item = T>,
        value: impl Fn(T) -> S::f32s,
    ) -> f32 {
        let mut sums = [self.zero; LANES];
        let fresh = S::as_mut_simd_f32s(fresh).0;
        for (v, (fresh, topic)) in fresh.iter_mut().zip(topics).enumerate() {
            *fresh = value(topic);
            let sum = &mut sums[v % Self::REGISTERS];
            *sum = self.simd.add_f32s(*sum, *fresh);
        }
        let mut lanes = [0.0; LANES];
        S::as_mut_simd_f32s(&mut lanes).0.copy_from_slice(&sums[..Self::REGISTERS]);
        across(lanes)
    }

    /// Replaces the old responsibilities, unless nothing explains the word.
    #[inline(always)]
    fn settle(self, old: &mut [f32], fresh: &[f32], total: f32) {
        if total > 0.0 {
            let scale = self.simd.splat_f32s(1.0 / total);
            let (old, fresh) = (S::as_mut_simd_f32s(old).0, S::as_simd_f32s(fresh).0);
            for (old, &fresh) in old.iter_mut().zip(fresh) {
                *old = self.simd.mul_f32s(fresh, scale);
            }
        }
    }

    /// As [`settle`](Self::settle), carrying the change into the document's mixture.
    #[inline(always)]
    fn update(self, old: &mut [f32], fresh: &[f32], total: f32, x: f32, mixture: &mut [f32]) {
        if total > 0.0 {
            let simd = self.simd;
            let (scale, x) = (simd.splat_f32s(1.0 / total), simd.splat_f32s(x));
            let (old, fresh) = (S::as_mut_simd_f32s(old).0, S::as_simd_f32s(fresh).0);
            let mixture = S::as_mut_simd_f32s(mixture).0;
            for ((old, &fresh), mixture) in old.iter_mut().zip(fresh).zip(mixture) {
                let new = simd.mul_f32s(fresh, scale);
                let change = simd.mul_f32s(x, simd.sub_f32s(new, *old));
                *mixture = simd.add_f32s(*mixture, change);
                *old = new;
            }
        }
    }
}

/// `target += x gamma` in double precision, so that the order of documents hardly matters.
#[inline(always)]
fn add_exactly(target: &mut [f64], gamma: &[f32], count: u32) {
    let x = f64::from(count);
    for (value, g) in target.iter_mut().zip(gamma) {
        *value += x * f64::from(*g);
    }
}

/// The sum across lanes, by halves.
#[inline(always)]
fn across(lanes: [f32; LANES]) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|j| lanes[j] + lanes[j + 8]);
    let four: [f32; 4] = std::array::from_fn(|j| eight[j] + eight[j + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// A matrix row by row in single precision, rows padded with zeros.
fn padded_rows(matrix: &Matrix, width: usize) -> Vec<f32> {
    let mut rows = vec![0.0; matrix.n_rows() * width];
    for j in 0..matrix.n_columns() {
        for (i, value) in matrix.column(j).iter().enumerate() {
            rows[i * width + j] = *value as f32;
        }
    }
    rows
}

// --- without responsibilities ----------------------------------------------------------------

/// The same update without the `- gamma` terms:
///
/// ```text
/// c_di = x_di / sum_j A_ij B_dj        A = (S + eta)/(S_j + n eta),  B = D + alpha
/// D = B o (C A),   S = A o (C'B)       C: the numbers c on the pattern of the counts
/// ```
fn frugal_sweeps(corpus: &Corpus, start: &Matrix, sweeps: usize, watch: &dyn Fn(Step)) -> Matrix {
    let mut profile = Profile::new(corpus, start);
    (0..WARM_UP).for_each(|_| profile.settle());
    let mut sums = Matrix::zeros(start.n_rows(), start.n_columns());
    for sweep in 0..=sweeps {
        watch(Step::new(Stage::Polish, sweep, sweeps));
        profile.settle();
        sums = profile.sums(None);
        profile.set_topics(&smoothed(&sums));
    }
    sums
}

/// Topics, and the mixtures of all documents under them; rows padded to whole lanes.
#[derive(Clone)]
pub(super) struct Profile<'a> {
    rows: &'a SparseCounts,
    n_features: usize,
    alpha: Vec<f64>,
    /// `A`.
    topics: Vec<f64>,
    /// `B` after the last update, and before it.
    mixtures: Vec<f64>,
    before: Vec<f64>,
    /// `c`, in the order of the counts; made with `before`.
    shares: Vec<f32>,
}

impl<'a> Profile<'a> {
    /// All mixtures even.
    pub fn new(corpus: &'a Corpus, topics: &Matrix) -> Self {
        let (rows, k) = (corpus.rows(), topics.n_columns());
        let alpha: Vec<f64> = (0..padded(k)).map(|j| if j < k { ALPHA } else { 0.0 }).collect();
        let mixtures = alpha.repeat(rows.n_rows());
        let mut profile = Self {
            rows,
            n_features: topics.n_rows(),
            alpha,
            topics: Vec::new(),
            before: mixtures.clone(),
            mixtures,
            shares: vec![0.0; rows.n_nonzeros()],
        };
        profile.set_topics(topics);
        profile
    }

    /// Goes on with other topics.
    pub fn set_topics(&mut self, topics: &Matrix) {
        let width = self.alpha.len();
        let mut rows = vec![0.0; topics.n_rows() * width];
        for j in 0..topics.n_columns() {
            for (row, value) in rows.chunks_exact_mut(width).zip(topics.column(j)) {
                row[j] = *value;
            }
        }
        self.topics = rows;
    }

    /// Updates every document's `B = D + alpha` and leaves the shares `c` it used.
    pub fn settle(&mut self) {
        const DOCUMENTS: usize = 512;
        let (rows, width) = (self.rows, self.alpha.len());
        self.before.copy_from_slice(&self.mixtures);
        let mut pieces = Vec::new();
        let mut rest = &mut self.shares[..];
        for first in (0..rows.n_rows()).step_by(DOCUMENTS) {
            let last = rows.n_rows().min(first + DOCUMENTS);
            let (own, tail) = rest.split_at_mut(rows.offsets()[last] - rows.offsets()[first]);
            pieces.push(own);
            rest = tail;
        }
        let (topics, alpha) = (&self.topics, &self.alpha);
        let work = self.mixtures.par_chunks_mut(DOCUMENTS * width).zip(pieces).enumerate();
        work.for_each(|(piece, (mixtures, shares))| {
            let first = piece * DOCUMENTS;
            Arch::new().dispatch(Mix { rows, first, topics, alpha, mixtures, shares });
        });
    }

    /// The sums `S` of the last update, each document times its weight.
    pub fn sums(&self, weights: Option<&[f64]>) -> Matrix {
        let (width, k) = (self.alpha.len(), self.n_topics());
        let products = Products::new(self.rows, self.n_features, Counting::Raw);
        let before = unpadded(&self.before, width, k);
        let mut sums = products.backward_given(&self.shares, &before, weights);
        for j in 0..k {
            for (i, value) in sums.column_mut(j).iter_mut().enumerate() {
                *value *= self.topics[i * width + j];
            }
        }
        sums
    }

    /// `B`, documents x topics.
    pub fn mixtures(&self) -> Matrix {
        unpadded(&self.mixtures, self.alpha.len(), self.n_topics())
    }

    fn n_topics(&self) -> usize {
        self.alpha.iter().filter(|alpha| **alpha > 0.0).count()
    }
}

/// Updates the mixtures of some documents, compiled for each instruction set and chosen at run
/// time.
struct Mix<'a> {
    rows: &'a SparseCounts,
    first: usize,
    topics: &'a [f64],
    alpha: &'a [f64],
    mixtures: &'a mut [f64],
    shares: &'a mut [f32],
}

impl WithSimd for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let width = self.alpha.len();
        let mut sum = vec![0.0; width];
        let mut position = 0;
        for (offset, mixture) in self.mixtures.chunks_exact_mut(width).enumerate() {
            let (features, counts) = self.rows.row(self.first + offset);
            sum.fill(0.0);
            for (&i, &x) in features.iter().zip(counts) {
                let words = &self.topics[i as usize * width..][..width];
                let mut lanes = [0.0; LANES];
                for (a, b) in words.chunks_exact(LANES).zip(mixture.chunks_exact(LANES)) {
                    for l in 0..LANES {
                        lanes[l] += a[l] * b[l];
                    }
                }
                let explained: f64 = lanes.iter().sum();
                let share = if explained > 0.0 { f64::from(x) / explained } else { 0.0 };
                self.shares[position] = share as f32;
                position += 1;
                for (value, a) in sum.iter_mut().zip(words) {
                    *value += share * a;
                }
            }
            for ((b, value), alpha) in mixture.iter_mut().zip(&sum).zip(self.alpha) {
                *b = *b * value + alpha;
            }
        }
    }
}

/// The first `k` numbers of every row.
fn unpadded(rows: &[f64], width: usize, k: usize) -> Matrix {
    let mut matrix = Matrix::zeros(rows.len() / width, k);
    for j in 0..k {
        for (value, row) in matrix.column_mut(j).iter_mut().zip(rows.chunks_exact(width)) {
            *value = row[j];
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths};

    fn example() -> (Corpus, Matrix, Vec<f64>) {
        let source = LdaSource::uniform(60, 4, 1.0, 3);
        let corpus = source.draw(120, &Lengths::Uniform(20..=60), 9).0;
        let frequencies = super::super::spectral::frequencies(&corpus);
        let k = 4;
        let start = Matrix::from_fn(corpus.n_present(), k, |i, j| {
            frequencies[i] * (1.0 + 0.5 * ((i * (j + 2)) as f64).sin())
        });
        (corpus, start, frequencies)
    }

    #[test]
    fn topics_and_weights_are_distributions_and_mass_is_kept() {
        let (corpus, start, frequencies) = example();
        let swept = polish(&corpus, &start, &frequencies, 5, &|_| {});
        assert!(swept.exact);
        for j in 0..4 {
            let total: f64 = swept.word_topic.column(j).iter().sum();
            assert!((total - 1.0).abs() < 1e-9);
        }
        let sums = exact_sweeps(&corpus, &start, 5, &|_| {});
        let mass: f64 = sums.values().iter().sum();
        assert!((mass / corpus.n_tokens() as f64 - 1.0).abs() < 1e-5, "{mass}");
    }

    #[test]
    fn the_frugal_variant_keeps_the_mass_too_and_agrees_roughly() {
        let (corpus, start, _) = example();
        let exact = smoothed(&exact_sweeps(&corpus, &start, 10, &|_| {}));
        let sums = frugal_sweeps(&corpus, &start, 10, &|_| {});
        let mass: f64 = sums.values().iter().sum();
        assert!((mass / corpus.n_tokens() as f64 - 1.0).abs() < 1e-5, "{mass}");
        let frugal = smoothed(&sums);
        let distance: f64 =
            exact.values().iter().zip(frugal.values()).map(|(a, b)| (a - b).abs()).sum();
        assert!(distance / 4.0 < 0.5, "mean L1 distance {}", distance / 4.0);
    }

    #[test]
    fn the_limit_is_a_fixed_number() {
        assert!(fits(1 << 24, 16));
        assert!(!fits((1 << 24) + 1, 16));
        assert!(!fits(usize::MAX, 100));
    }
}
