//! Estimates what a fit will take, before it begins.
//!
//! The method has no restarts and its iterations converge at a known rate, so the work can be estimated from the
//! sizes alone: stage by stage in *operations*, one operation being the cost of multiplying one stored count by one
//! column of a sparse product. A caller with a clock can time one product and estimate seconds
//! ([`Workload::PRODUCT_COLUMNS`]); this module reads no clock.
//!
//! # What is counted
//! `z` stored counts, `N` documents, `n` words, `k` topics, `p` products:
//!
//! ```text
//! moments         4 z, and for LDA some eigenvalues, as whitening has them
//! whitening       p (32 z + r 64 n (3k/2 + 32) / 3)       products, orthogonalisation in r rounds: two
//!                                                         where directions are found exactly
//! decomposition   5 z k + (N + n) k^3 / 7 + 12 k^4         the cube, its rotation
//! recovery        n k^2, or 10 z k from slices
//! polish          EM 4 z k a step; sweeps 2.4 z k each and 4.8 z k before the first, k to whole
//!                 vector registers
//! trust           a split or two: both halves learned from scratch, with a short polish; for the
//!                 error bars tables of n x k, many times, and for LDA sweeps of a part
//! a rival         EM 3 z k a step; Gibbs 4 k for each token a sweep
//! ```
//!
//! Single-topic models take [`CROWDED`] times as many products: their eigenvalues lie closer together. The factors
//! were fitted to the stages of fits of five corpora; `benches/record/forecast.md` compares
//! forecasts with fits. They are only rough guides.
//!
//! # Cost
//! Negligible.

use crate::corpus::Corpus;
use crate::decomposition::Method;
use crate::fit::stage::Stage;
use crate::fit::{collapsed_vb, contest, em, repeats};
use crate::krylov::{BLOCK_COLUMNS, expected_products};
use crate::model::{Kind, Learner, Options, Polish};
use crate::questions::Order;

/// The largest number of simulated tokens for each topic: enough for words with probabilities of some thousandths
/// and more.
pub(crate) const FOR_A_TOPIC: u64 = 1 << 13;

/// One token in this many is simulated, but at least [`FEWEST_SIMULATED`]: the bars hardly change with more.
const SIMULATED: u64 = 4;
const FEWEST_SIMULATED: u64 = 1 << 16;

/// Number of splits where a fit is quick.
const QUICK_SPLITS: usize = 2;

/// Number of operations of a fit that takes about a second.
const QUICK: f64 = 2e9;

/// The sizes of a corpus that determine the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Documents.
    pub n_documents: usize,
    /// Words that occur.
    pub n_words: usize,
    /// Stored counts.
    pub n_nonzeros: usize,
    /// Words with repetition.
    pub n_tokens: u64,
    /// The most bytes of documents kept in memory, if that is limited.
    pub memory_limit: Option<u64>,
}

impl From<&Corpus> for Sizes {
    fn from(corpus: &Corpus) -> Self {
        Self {
            n_documents: corpus.n_documents(),
            n_words: corpus.n_present(),
            n_nonzeros: corpus.n_nonzeros(),
            n_tokens: corpus.n_tokens(),
            memory_limit: corpus.rows().limit().bytes(),
        }
    }
}

impl Sizes {
    /// The sizes of a part of the documents, which has nearly all the words.
    fn part(self, share: f64) -> Self {
        let of = |n: usize| (n as f64 * share).ceil() as usize;
        Self { n_documents: of(self.n_documents), n_nonzeros: of(self.n_nonzeros), ..self }
    }
}

/// A stage of a fit, and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The stage.
    pub stage: Stage,
    /// Its work in operations.
    pub operations: f64,
    /// How often it reads all documents.
    pub passes: f64,
}

/// What a fit will take: an estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The stages in order. A fit may skip some (a polish that does not pay).
    pub parts: Vec<Part>,
    /// Number of topics.
    pub n_topics: usize,
    /// Bytes in use at the peak, including the corpus.
    pub memory: f64,
    /// Bytes in use at the peak, without the corpus and the program.
    pub memory_beside_corpus: f64,
    /// Further operations if candidates have to be compared on held-out documents: a fit of LDA first checks
    /// whether that is necessary.
    pub contest: f64,
}

impl Workload {
    /// Columns of a product with the pair moment; it costs two operations per stored count and column.
    pub const PRODUCT_COLUMNS: usize = BLOCK_COLUMNS;

    /// The operations of one product with the pair moment of a corpus.
    pub fn product_operations(sizes: Sizes) -> f64 {
        2.0 * (BLOCK_COLUMNS * sizes.n_nonzeros) as f64
    }

    /// All operations, if candidates have to be compared.
    pub fn operations_at_most(&self) -> f64 {
        self.operations() + self.contest
    }

    /// All operations.
    pub fn operations(&self) -> f64 {
        self.parts.iter().map(|part| part.operations).sum()
    }

    /// How often all documents are read.
    pub fn passes(&self) -> f64 {
        self.parts.iter().map(|part| part.passes).sum()
    }

    pub(crate) fn new(options: &Options, sizes: Sizes) -> Self {
        let is_start = options.kind() == Kind::Lda && options.polish != Polish::None;
        let rounds = if is_start { 1.0 } else { 2.0 };
        let mut plan = Plan { options, rounds, parts: Vec::new(), contest: 0.0 };
        match &options.learner {
            Learner::Moments => plan.moments(sizes),
            Learner::Em(em) => plan.rival(sizes.n_nonzeros as f64, 3 * em.n_steps()),
            Learner::Gibbs(gibbs) => plan.rival(sizes.n_tokens as f64, 4 * gibbs.n_sweeps()),
        }
        let peak = memory(options, sizes);
        let memory_beside_corpus = peak - corpus_bytes(sizes);
        let memory = PROGRAM + peak;
        let Plan { parts, contest, .. } = plan;
        Self { parts, n_topics: options.n_topics, memory, memory_beside_corpus, contest }
    }
}

/// Parts as they are added.
struct Plan<'a> {
    options: &'a Options,
    /// How often directions are orthogonalised: twice where they are found exactly, otherwise once.
    rounds: f64,
    parts: Vec<Part>,
    contest: f64,
}

impl Plan<'_> {
    fn add(&mut self, stage: Stage, operations: f64, passes: f64) {
        self.parts.push(Part { stage, operations, passes });
    }

    fn k(&self) -> f64 {
        self.options.n_topics as f64
    }

    fn moments(&mut self, sizes: Sizes) {
        let is_lda = self.options.kind() == Kind::Lda;
        match self.options.polish {
            Polish::None => self.spectral(sizes),
            Polish::Auto if is_lda => self.best_of_several(sizes, collapsed_vb::SWEEPS),
            Polish::Auto => self.with_em(sizes, em::typical_steps(sizes.n_documents)),
            Polish::Steps(steps) if is_lda => self.best_of_several(sizes, steps),
            Polish::Steps(steps) => self.with_em(sizes, steps),
        }
        if self.options.trust {
            self.trust(sizes);
        }
    }

    /// Passes over counts or tokens, each with all topics.
    fn rival(&mut self, entries: f64, passes: usize) {
        let passes = passes as f64;
        self.add(Stage::Rival, passes * entries * self.k(), passes);
    }

    fn spectral(&mut self, sizes: Sizes) {
        let (nnz, n, k) = (sizes.n_nonzeros as f64, sizes.n_words as f64, self.k());
        let rows = (sizes.n_documents + sizes.n_words) as f64;
        let is_lda = self.options.kind() == Kind::Lda;
        let crowded = if is_lda { 1.0 } else { CROWDED };
        let products = crowded * expected_products(self.options.n_topics) as f64;
        self.add(Stage::Moments, 4.0 * nnz, 2.0);
        let whitening = crowded * whitening(sizes, self.options.n_topics, self.rounds);
        self.add(Stage::Whitening, whitening, products);
        let slices = self.options.method == Method::Svtd;
        let decomposition = if slices {
            nnz * k * k + n * k.powi(3) / 3.0
        } else {
            5.0 * nnz * k + rows * k.powi(3) / 7.0 + 12.0 * k.powi(4)
        };
        self.add(Stage::Decomposition, decomposition, 2.0);
        let from_slices = slices || !is_lda;
        let recovery = if from_slices { 10.0 * nnz * k } else { n * k * k };
        self.add(Stage::Recovery, recovery, if from_slices { 2.0 } else { 0.0 });
    }

    fn with_em(&mut self, sizes: Sizes, steps: usize) {
        self.spectral(sizes);
        let step = 4.0 * sizes.n_nonzeros as f64 * self.k();
        self.add(Stage::Polish, steps as f64 * step, 2.0 * steps as f64);
    }

    fn sweeps(&mut self, sizes: Sizes, sweeps: usize) {
        let width = collapsed_vb::padded(self.options.n_topics) as f64;
        // Four words updated side by side take .6 of the time of one after the other
        // (benches/record/builds.md).
        let looks = 2.4 * sweeps as f64 + 1.2 * collapsed_vb::warm_up(Order::Zeroth).0 as f64;
        let passes = (sweeps + 1) as f64;
        self.add(Stage::Polish, looks * sizes.n_nonzeros as f64 * width, passes);
    }

    /// The check of repeated words, then the sweeps of the polish: the usual case for text.
    /// Otherwise candidates are compared, and the work of that is counted separately (`contest`).
    fn best_of_several(&mut self, sizes: Sizes, sweeps: usize) {
        let products =
            expected_products(self.options.n_topics.min(repeats::MOST_EIGENVALUES)) as f64;
        let looked_at =
            sizes.part((repeats::SAMPLE as f64 / sizes.n_nonzeros.max(1) as f64).min(1.0));
        let topics = self.options.n_topics.min(repeats::MOST_EIGENVALUES);
        self.add(Stage::Moments, whitening(looked_at, topics, 1.0), products);
        self.spectral(sizes);
        self.sweeps(sizes, sweeps);
        // Two spectral estimates of a part of the documents, the sweeps of both kinds over it, and finally
        // second-order sweeps over all documents, at twice the cost.
        let so_far = |stage| self.parts.iter().rev().find(|part| part.stage == stage);
        let once = |stage| so_far(stage).map_or(0.0, |part| part.operations);
        let spectral: f64 =
            [Stage::Moments, Stage::Whitening, Stage::Decomposition, Stage::Recovery]
                .map(once)
                .iter()
                .sum();
        let polish = once(Stage::Polish);
        let part = contest::share_learned_from(sizes.n_nonzeros);
        self.contest = part * (2.0 * spectral + 3.0 * polish) + polish;
    }

    /// Halves of the documents fitted from scratch, including a short polish, and some passes for the groups that
    /// are left out.
    fn trust(&mut self, sizes: Sizes) {
        let alone: f64 = self.parts.iter().map(|part| part.operations).sum();
        let splits = self.options.splits.unwrap_or_else(|| usual_splits(alone)) as f64;
        let mut half = Plan { options: self.options, rounds: 1.0, parts: Vec::new(), contest: 0.0 };
        let half_sizes = sizes.part(0.5);
        match (self.options.polish, self.options.kind()) {
            (Polish::None, _) => half.spectral(half_sizes),
            (_, Kind::Lda) => {
                half.spectral(half_sizes);
                half.sweeps(half_sizes, HALF_SWEEPS);
            }
            (_, Kind::SingleTopic) => half.with_em(half_sizes, HALF_STEPS),
        }
        // Directions of halves are found only approximately, which takes fewer products.
        let roughly = |part: &Part| match part.stage {
            Stage::Whitening if self.options.kind() == Kind::SingleTopic => {
                part.operations / CROWDED
            }
            _ => part.operations,
        };
        let learned: f64 = half.parts.iter().map(roughly).sum();
        let passes: f64 = half.parts.iter().map(|part| part.passes).sum();
        let table = sizes.n_words as f64 * self.k();
        let polish: f64 = self
            .parts
            .iter()
            .filter(|part| part.stage == Stage::Polish)
            .map(|p| p.operations)
            .sum();
        let bars = match self.options.kind() {
            Kind::Lda => {
                450.0 * table + polish * share_simulated(sizes.n_tokens, self.options.n_topics)
            }
            Kind::SingleTopic => 250.0 * table,
        };
        let compared = 3.5 * table * self.k();
        self.add(Stage::Trust, splits * (2.0 * learned + compared) + bars, splits * passes + 4.0);
    }
}

/// Products with the pair moment, and orthogonalising the directions in so many rounds.
fn whitening(sizes: Sizes, k: usize, rounds: f64) -> f64 {
    let basis = 1.5 * k as f64 + 2.0 * BLOCK_COLUMNS as f64;
    let dense = rounds * 4.0 * (BLOCK_COLUMNS * sizes.n_words) as f64 * basis / 3.0;
    expected_products(k) as f64 * (Workload::product_operations(sizes) + dense)
}

/// Ratio of the number of products for single-topic models to that for LDA.
const CROWDED: f64 = 2.5;

/// Number of sweeps, and of EM steps, after which halves of the documents are compared.
const HALF_SWEEPS: usize = 8;
const HALF_STEPS: usize = 8;

/// The memory of the program without any data, and of the stacks of its threads (benches/record/forecast.md).
const PROGRAM: f64 = 19e6;

/// The bytes for a document that a limit does not bound: its key, its length, its weights, its place
/// (benches/record/forecast.md).
const NUMBERS: f64 = 145.0;

/// The memory of the corpus itself.
fn corpus_bytes(sizes: Sizes) -> f64 {
    limited(8.0 * sizes.n_nonzeros as f64, sizes)
}

/// These bytes of documents, but at most the memory limit.
fn limited(bytes: f64, sizes: Sizes) -> f64 {
    sizes.memory_limit.map_or(bytes, |limit| bytes.min(limit as f64))
}

/// The largest memory that whitening, polish and trust use, with the corpus.
///
/// Each is a sum of the sizes there are: copies of the counts (`nnz`), blocks of `n x 32`, matrices
/// of `n x k` and `N x k`, the cube of `k^3`. How many of each are alive at the peak was counted by
/// measuring 84 fits of seven corpora, with trust by 40 fits of five; benches/record/forecast.md compares with others.
/// A memory limit bounds the corpus, the copies of the counts and, for LDA, the matrices of `N x k` together.
fn memory(options: &Options, sizes: Sizes) -> f64 {
    let (nnz, rows, n) = (sizes.n_nonzeros as f64, sizes.n_documents as f64, sizes.n_words as f64);
    let k = options.n_topics as f64;
    let held = |counts: f64, blocks: f64, words: f64, documents: f64, cubes: f64| {
        let kept = 8.0 * (nnz + counts * nnz);
        let mixtures = 8.0 * documents * rows * k;
        let tables = blocks * n * BLOCK_COLUMNS as f64 + words * n * k + cubes * k.powi(3);
        8.0 * tables
            + match (sizes.memory_limit, options.kind()) {
                (None, _) => kept + mixtures,
                (Some(_), Kind::Lda) => limited(kept + mixtures, sizes) + NUMBERS * rows,
                (Some(_), Kind::SingleTopic) => limited(kept, sizes) + mixtures + NUMBERS * rows,
            }
    };
    if options.learner != Learner::Moments {
        // Tokens with their topics, and tables of words and documents by topics.
        return held(1.0, 0.0, 6.0, 4.0, 0.0) + 4.0 * sizes.n_tokens as f64;
    }
    let is_lda = options.kind() == Kind::Lda;
    let mut peak = held(1.0, 10.0, 6.7, 2.0, 2.5);
    if is_lda && options.polish != Polish::None {
        peak = peak.max(held(1.3, 8.0, 9.7, 2.0, 2.7));
    }
    if options.trust {
        peak = peak.max(match is_lda {
            // Two threads learn two halves at a time.
            true if rayon::current_num_threads() == 1 => held(4.0, 12.0, 22.0, 6.5, 1.5),
            true => held(4.0, 12.0, 24.0, 6.5, 1.5),
            false => held(3.0, 18.0, 21.0, 3.5, 2.0),
        });
    }
    peak
}

/// The default number of splits: two if a fit with this many operations is quick.
pub(crate) fn usual_splits(operations: f64) -> usize {
    if operations < QUICK { QUICK_SPLITS } else { 1 }
}

/// The share of the tokens that is simulated for this many topics, however few documents that is.
pub(crate) fn share_simulated(n_tokens: u64, n_topics: usize) -> f64 {
    let most = (n_tokens / SIMULATED).max(FEWEST_SIMULATED).min(FOR_A_TOPIC * n_topics as u64);
    (most as f64 / n_tokens.max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::repeats::tripled;
    use crate::synthetic::{LdaSource, Lengths};
    use crate::{Lda, SingleTopic};
    use std::cell::RefCell;

    const SIZES: Sizes = Sizes {
        n_documents: 1000,
        n_words: 500,
        n_nonzeros: 40_000,
        n_tokens: 50_000,
        memory_limit: None,
    };

    #[test]
    fn a_fit_goes_through_the_stages_that_were_foretold() {
        let drawn = LdaSource::zipf(200, 3, 2.0, 50.0, 1.0, 1).draw(400, &Lengths::Fixed(30), 2).0;
        let corpus = tripled(&drawn);
        for polish in [Polish::Auto, Polish::None, Polish::Steps(3)] {
            let params = Lda::params(3).polish(polish);
            let seen: RefCell<Vec<Stage>> = RefCell::default();
            let watch = |step: crate::fit::Step| {
                let mut seen = seen.borrow_mut();
                if step.done == 0 || seen.last() != Some(&step.stage) {
                    seen.push(step.stage);
                }
            };
            params.fit_watched(&corpus, &watch).unwrap();
            let mut seen = seen.into_inner();
            seen.dedup();
            let mut foretold: Vec<Stage> =
                params.workload((&corpus).into()).parts.iter().map(|part| part.stage).collect();
            foretold.dedup();
            assert_eq!(seen, foretold, "{polish:?}");
        }
    }

    #[test]
    fn more_data_and_more_topics_take_more() {
        let larger = Sizes {
            n_documents: 10_000,
            n_words: 500,
            n_nonzeros: 400_000,
            n_tokens: 500_000,
            memory_limit: None,
        };
        for (few, many) in [
            (Lda::params(5).workload(SIZES), Lda::params(50).workload(SIZES)),
            (Lda::params(5).workload(SIZES), Lda::params(5).workload(larger)),
            (SingleTopic::params(5).workload(SIZES), SingleTopic::params(5).workload(larger)),
            (Lda::params(5).polish(Polish::None).workload(SIZES), Lda::params(5).workload(SIZES)),
            (Lda::params(5).trust(false).workload(SIZES), Lda::params(5).workload(SIZES)),
        ] {
            assert!(few.operations() < many.operations());
            assert!(few.memory <= many.memory);
            assert!(few.passes() <= many.passes());
        }
    }

    #[test]
    fn a_limit_on_the_memory_of_documents_bounds_them_and_not_the_tables() {
        let large = Sizes { n_documents: 100_000, n_nonzeros: 100_000_000, ..SIZES };
        let limited = Sizes { memory_limit: Some(400_000_000), ..large };
        let [large, limited, small] =
            [large, limited, SIZES].map(|sizes| Lda::params(5).workload(sizes));
        assert!(limited.memory < small.memory + 420e6, "{}", limited.memory);
        assert!(limited.memory > 400e6 && limited.memory < large.memory);
        assert_eq!(limited.operations(), large.operations());
    }
}
