//! Scale: stages, rates and memory of a spectral fit on 7 and 70 million counts.
//!
//! `cargo bench -p svtd --bench scale` prints what is recorded in `benches/record/scale.md`. The
//! machine's limits are measured in the same run, before and after the fits, because machines are
//! noisy and only ratios within a run mean anything. `-- quick` stops at 7 million.
//!
//! Corpus: Zipf words (Dirichlet topics around them), log-normal lengths.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a bench prints")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use svtd::learning::{Stage, Step};
use svtd::linalg::Matrix;
use svtd::model::{Diagnostics, Kind, Polish};
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};
use svtd::{Corpus, Lda, SingleTopic};

/// What LIMITS expects of one spectral fit of 70 million counts on two cores, in seconds, f64
/// panels, without scoring features (the default method scores none): k = 50 and 100. Its rates
/// were taken beside these limits: 43.7 GB/s L3 reads, 65.6 GFLOP/s for `A'A` (110 x 50k x 110) per core.
const EXPECTED_SPARSE: [f64; 2] = [0.3 + 6.5 + 0.6 + 1.0, 0.3 + 11.8 + 1.2 + 2.0];
const EXPECTED_DENSE: [f64; 2] = [0.2 + 0.03, 0.6 + 0.1];
const EXPECTED_SCORING: [f64; 2] = [4.6, 13.3];
const LIMIT_L3: f64 = 43.7;
const LIMIT_GEMM: f64 = 65.6;

fn main() {
    let quick = std::env::args().any(|a| a == "quick");
    println!("threads: {}\n", rayon::current_num_threads());
    let before = Limits::measure();
    before.print("before the fits");
    let mut totals: BTreeMap<(&str, usize), Vec<(usize, f64)>> = BTreeMap::new();
    println!(
        "\n| corpus | model, k | moments s | whitening s (products) | decomposition s | recovery s | total s | sparse GFLOP/s | GB/s through the caches (share of L3) | peak MB (sparse data MB, limit MB) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let sizes: &[usize] = if quick { &[30_000] } else { &[30_000, 300_000] };
    for &n_documents in sizes {
        for kind in [Kind::SingleTopic, Kind::Lda] {
            let corpus = generate(n_documents, kind);
            for k in [50, 100] {
                let run = fit(&corpus, kind, k);
                let name = if kind == Kind::Lda { "lda" } else { "single topic" };
                run.print(&corpus, name, k, &before);
                totals.entry((name, k)).or_default().push((corpus.n_nonzeros(), run.total()));
            }
        }
    }
    let after = Limits::measure();
    println!();
    after.print("after the fits");
    if !quick {
        targets(&totals, &before, &after);
    }
}

fn generate(n_documents: usize, kind: Kind) -> Corpus {
    let lengths = Lengths::LogNormal { mu: 5.5, sigma: 0.7 };
    let n_words = 100_000;
    if kind == Kind::Lda {
        LdaSource::zipf(n_words, 100, 5.0, 2000.0, 5.0, 1).draw(n_documents, &lengths, 2).0
    } else {
        SingleTopicSource::zipf(n_words, 100, 5.0, 2000.0, 5.0, 1).draw(n_documents, &lengths, 2).0
    }
}

struct Run {
    seconds: BTreeMap<&'static str, f64>,
    diagnostics: Diagnostics,
    peak_mb: f64,
}

fn fit(corpus: &Corpus, kind: Kind, k: usize) -> Run {
    reset_peak();
    let clock = RefCell::new((BTreeMap::new(), None::<(&'static str, Instant)>));
    let turn = |name: Option<&'static str>| {
        let mut clock = clock.borrow_mut();
        if let Some((stage, since)) = clock.1.take() {
            *clock.0.entry(stage).or_insert(0.0) += since.elapsed().as_secs_f64();
        }
        clock.1 = name.map(|name| (name, Instant::now()));
    };
    let watch = |step: Step| {
        turn(Some(match step.stage {
            Stage::Moments => "moments",
            Stage::Whitening => "whitening",
            Stage::Decomposition => "decomposition",
            _ => "recovery",
        }));
    };
    let diagnostics = if kind == Kind::Lda {
        let params = Lda::params(k).polish(Polish::None).trust(false);
        params.fit_watched(corpus, &watch).unwrap().diagnostics().clone()
    } else {
        let params = SingleTopic::params(k).polish(Polish::None).trust(false);
        params.fit_watched(corpus, &watch).unwrap().diagnostics().clone()
    };
    turn(None);
    Run { seconds: clock.into_inner().0, diagnostics, peak_mb: peak_mb() }
}

impl Run {
    fn total(&self) -> f64 {
        self.seconds.values().sum()
    }

    fn print(&self, corpus: &Corpus, model: &str, k: usize, limits: &Limits) {
        let nnz = corpus.n_nonzeros() as f64;
        let of = |name: &str| self.seconds.get(name).copied().unwrap_or(0.0);
        // Gather and scatter: four flops, and 24 bytes moved, per count and column.
        let columns = self.diagnostics.n_products as f64 * 16.0;
        let sparse = nnz * columns;
        let data = corpus.rows().memory_bytes() as f64 / 1e6;
        let rate = sparse * 24.0 / of("whitening") / 1e9;
        println!(
            "| N={} nnz={:.1}M | {model}, {k} | {:.2} | {:.2} ({}) | {:.2} | {:.2} | {:.2} | {:.1} | {rate:.1} ({:.0} %) | {:.0} ({data:.0}, {:.0}) |",
            corpus.n_documents(),
            nnz / 1e6,
            of("moments"),
            of("whitening"),
            self.diagnostics.n_products,
            of("decomposition"),
            of("recovery"),
            self.total(),
            sparse * 4.0 / of("whitening") / 1e9,
            100.0 * rate / limits.l3,
            self.peak_mb,
            3.0 * data + 1000.0,
        );
    }
}

fn targets(totals: &BTreeMap<(&str, usize), Vec<(usize, f64)>>, before: &Limits, after: &Limits) {
    let l3 = 0.5 * (before.l3 + after.l3);
    let gemm = 0.5 * (before.gemm + after.gemm);
    println!(
        "\n| model, k | seconds | expected in this run | ratio (target 2) | ratio with feature scoring in the expectation | growth exponent 7M to 70M (target 1.1) |"
    );
    println!("|---|---|---|---|---|---|");
    for ((model, k), runs) in totals {
        let i = usize::from(*k == 100);
        let [(small, fast), (large, slow)] = runs[..] else {
            continue;
        };
        let size = large as f64 / 70e6;
        let sparse = EXPECTED_SPARSE[i] * LIMIT_L3 / l3;
        let dense = EXPECTED_DENSE[i] * LIMIT_GEMM / gemm;
        let scoring = EXPECTED_SCORING[i] * LIMIT_GEMM / gemm;
        let expected = size * (sparse + dense);
        let exponent = (slow / fast).ln() / (large as f64 / small as f64).ln();
        println!(
            "| {model}, {k} | {slow:.1} | {expected:.1} | {:.2} | {:.2} | {exponent:.2} |",
            slow / expected,
            slow / (expected + size * scoring),
        );
    }
}

/// What the machine can do, best of several short windows.
struct Limits {
    /// Reads of 32 MiB, all threads, GB/s.
    l3: f64,
    /// Reads of 1 GiB, all threads, GB/s.
    dram: f64,
    /// Register-only fused multiply-adds, all threads, GFLOP/s.
    fma: f64,
    /// Dense product `A'A`, 110 x 50k x 110, per core, GFLOP/s.
    gemm: f64,
}

impl Limits {
    fn measure() -> Self {
        Self {
            l3: read_rate(32 << 20),
            dram: read_rate(1 << 30),
            fma: fma_rate(),
            gemm: gemm_rate(),
        }
    }

    fn print(&self, when: &str) {
        println!(
            "limits {when}: L3 read {:.1} GB/s, DRAM read {:.1} GB/s, FMA {:.1} GFLOP/s, dense product {:.1} GFLOP/s per core",
            self.l3, self.dram, self.fma, self.gemm
        );
    }
}

fn read_rate(bytes: usize) -> f64 {
    let data = vec![1.0_f64; bytes / 8];
    let threads = rayon::current_num_threads();
    let pieces: Vec<&[f64]> = data.chunks(data.len() / threads).collect();
    let once = || {
        let start = Instant::now();
        let sums: Vec<f64> =
            pieces.par_iter().map(|piece| Arch::new().dispatch(Sum(piece))).collect();
        black_box(sums);
        bytes as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    let repeats = ((4_usize << 30) / bytes).clamp(6, 60);
    (0..repeats).map(|_| once()).fold(0.0, f64::max)
}

struct Sum<'a>(&'a [f64]);

impl WithSimd for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut lanes = [0.0; 32];
        for chunk in self.0.chunks_exact(32) {
            for (lane, value) in lanes.iter_mut().zip(chunk) {
                *lane += value;
            }
        }
        lanes.iter().sum()
    }
}

fn fma_rate() -> f64 {
    const STEPS: usize = 2_000_000;
    const LANES: usize = 96;
    let once = || {
        let start = Instant::now();
        let sums: Vec<f64> = (0..rayon::current_num_threads())
            .into_par_iter()
            .with_max_len(1)
            .map(|t| Arch::new().dispatch(Fma::<LANES>(STEPS, 1.0 + t as f64 * 1e-9)))
            .collect();
        black_box(&sums);
        (sums.len() * STEPS * LANES * 2) as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..8).map(|_| once()).fold(0.0, f64::max)
}

struct Fma<const L: usize>(usize, f64);

impl<const L: usize> WithSimd for Fma<L> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut lanes = [1.0_f64; L];
        let (a, b) = (black_box(self.1), black_box(1e-9));
        for _ in 0..self.0 {
            for lane in &mut lanes {
                *lane = lane.mul_add(a, b);
            }
        }
        lanes.iter().sum()
    }
}

fn gemm_rate() -> f64 {
    let (n, m) = (50_000, 110);
    let a = Matrix::from_fn(n, m, |i, j| ((i + j) % 7) as f64);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let once = || {
        let start = Instant::now();
        black_box(pool.install(|| a.transpose_times(&a)));
        (2 * n * m * m) as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..8).map(|_| once()).fold(0.0, f64::max)
}

/// Forgets the peak so far (Linux).
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak resident memory since the last reset, in megabytes (Linux).
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("");
    let kb = line.split_whitespace().nth(1).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0);
    kb * 1024.0 / 1e6
}
