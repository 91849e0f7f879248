//! Calibration: do error bars cover, do flags mean something, what does trust cost?
//!
//! `cargo bench --workspace --bench calibration` prints what is recorded in
//! `benches/record/calibration.md`. `-- intervals`, `-- flags` and `-- cost` run a part of it,
//! `-- quick` takes a third of the corpora, and a number is the first seed. `-- rows=TEXT`: only the intervals
//! whose row has this text in it (`rows=LDA`, `rows=bursts`).

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a bench prints")]

use std::time::Instant;

use rayon::prelude::*;
use svtd::evaluation::match_topics;
use svtd::linalg::Matrix;
use svtd::model::{Kind, Polish, Topics};
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};
use svtd::trust::T_FACTOR;
use svtd::{Corpus, Lda, Model, SingleTopic};

/// The default first seed: nothing was chosen on these corpora.
const SEED: u64 = 77_000;

/// How often each fit is timed.
const TURNS: usize = 3;

/// Entries of the truth that are checked.
const LEAST_PROBABILITY: f64 = 2e-3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let parts = ["intervals", "flags", "cost"];
    let chosen: Vec<&str> =
        parts.into_iter().filter(|part| arguments.iter().any(|a| a == part)).collect();
    let wanted = |part: &str| chosen.is_empty() || chosen.contains(&part);
    let corpora = if arguments.iter().any(|a| a == "quick") { 2 } else { 6 };
    let seed = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(SEED);
    println!("first seed {seed}\n");
    if wanted("intervals") {
        let rows = arguments.iter().find_map(|a| a.strip_prefix("rows=")).unwrap_or("");
        intervals(corpora, seed, rows);
    }
    if wanted("flags") {
        flags(2 * corpora, seed);
    }
    if wanted("cost") {
        cost();
    }
}

// --- intervals ---------------------------------------------------------------------------------

/// A distribution to draw corpora from.
#[derive(Clone, Copy)]
enum Words {
    Uniform,
    Zipf,
}

struct Setting {
    name: &'static str,
    kind: Kind,
    words: Words,
    n_words: usize,
    n_topics: usize,
    n_documents: usize,
    lengths: Lengths,
    polish: Polish,
    /// The concentration of bursts of words (LDA).
    bursts: Option<f64>,
}

fn settings() -> Vec<Setting> {
    let setting = |name, kind, words, [n_words, n_topics, n_documents]: [usize; 3], lengths| {
        let polish = Polish::Auto;
        let bursts = None;
        Setting { name, kind, words, n_words, n_topics, n_documents, lengths, polish, bursts }
    };
    let bursty = |name, concentration: f64| {
        let lengths = Lengths::NegativeBinomial { mean: 120.0, shape: 3.0 };
        let bursts = Some(concentration);
        Setting { bursts, ..setting(name, Kind::Lda, Zipf, [1000, 10, 4000], lengths) }
    };
    let with = |polish: Polish, setting: Setting| Setting { polish, ..setting };
    let even = || Lengths::Uniform(3..=99);
    let text = || Lengths::NegativeBinomial { mean: 50.0, shape: 2.0 };
    let long_tailed = || Lengths::LogNormal { mu: 4.0, sigma: 1.0 };
    use Words::{Uniform, Zipf};
    vec![
        setting("uniform words", Kind::SingleTopic, Uniform, [100, 5, 1000], even()),
        setting("uniform words", Kind::SingleTopic, Uniform, [300, 5, 1500], even()),
        setting("Zipf words", Kind::SingleTopic, Zipf, [1000, 10, 2000], text()),
        setting("Zipf words", Kind::SingleTopic, Zipf, [1000, 10, 8000], text()),
        setting(
            "Zipf words, log-normal lengths",
            Kind::SingleTopic,
            Zipf,
            [1000, 10, 3000],
            long_tailed(),
        ),
        setting("Zipf words", Kind::SingleTopic, Zipf, [2000, 20, 8000], text()),
        setting(
            "Zipf words, 12 words each",
            Kind::SingleTopic,
            Zipf,
            [500, 5, 6000],
            Lengths::Fixed(12),
        ),
        with(
            Polish::None,
            setting("Zipf words", Kind::SingleTopic, Zipf, [1000, 10, 4000], text()),
        ),
        setting("uniform words", Kind::Lda, Uniform, [100, 5, 2000], even()),
        setting("Zipf words", Kind::Lda, Zipf, [1000, 10, 4000], text()),
        setting("Zipf words, log-normal lengths", Kind::Lda, Zipf, [500, 6, 3000], long_tailed()),
        setting("Zipf words", Kind::Lda, Zipf, [2000, 20, 12000], Lengths::Fixed(80)),
        with(Polish::Steps(12), setting("Zipf words", Kind::Lda, Zipf, [1000, 10, 4000], text())),
        bursty("Zipf words, bursts of 1000", 1000.0),
        bursty("Zipf words, bursts of 300", 300.0),
        bursty("Zipf words, bursts of 100", 100.0),
    ]
}

impl Setting {
    /// The model and what is drawn.
    fn label(&self) -> String {
        let model = if self.kind == Kind::Lda { "LDA" } else { "single topic" };
        let polish = match self.polish {
            Polish::Auto => "",
            Polish::None => ", no EM",
            Polish::Steps(_) => ", swept",
        };
        format!("{model}{polish} | {}", self.name)
    }

    /// A corpus and the topics it was drawn from.
    fn draw(&self, seed: u64) -> (Corpus, Matrix) {
        let (n, k, draw) = (self.n_words, self.n_topics, seed ^ 0x5EED);
        if self.kind == Kind::Lda {
            let source = match self.words {
                Words::Uniform => LdaSource::uniform(n, k, 1.0, seed),
                Words::Zipf => LdaSource::zipf(n, k, 5.0, 500.0, 1.0, seed),
            };
            let corpus = match self.bursts {
                Some(c) => source.draw_bursty(self.n_documents, &self.lengths, c, draw),
                None => source.draw(self.n_documents, &self.lengths, draw).0,
            };
            (corpus, source.word_topic)
        } else {
            let source = match self.words {
                Words::Uniform => SingleTopicSource::uniform(n, k, seed),
                Words::Zipf => SingleTopicSource::zipf(n, k, 5.0, 1000.0, 5.0, seed),
            };
            (source.draw(self.n_documents, &self.lengths, draw).0, source.word_topic)
        }
    }

    fn fit(&self, corpus: &Corpus) -> Model {
        fit(corpus, self.kind, self.n_topics, self.polish, true)
    }
}

fn fit(corpus: &Corpus, kind: Kind, k: usize, polish: Polish, trust: bool) -> Model {
    if kind == Kind::Lda {
        let params = Lda::params(k).polish(polish).allow_fewer(true).trust(trust);
        Model::Lda(params.fit(corpus).unwrap())
    } else {
        let params = SingleTopic::params(k).polish(polish).allow_fewer(true).trust(trust);
        Model::SingleTopic(params.fit(corpus).unwrap())
    }
}

fn intervals(n_corpora: u64, seed: u64, rows: &str) {
    println!("nominal 95 % intervals, entries of the truth above {LEAST_PROBABILITY}\n");
    println!(
        "| model | corpora | n, k, N | entries | covered | worst corpus | expected / actual L1 error | flagged topics |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let wanted = |setting: &Setting| setting.label().contains(rows);
    for setting in settings().into_iter().filter(wanted) {
        let runs: Vec<Coverage> =
            (0..n_corpora).into_par_iter().map(|c| cover(&setting, seed + c)).collect();
        let total = |f: fn(&Coverage) -> f64| runs.iter().map(f).sum::<f64>();
        let worst = runs.iter().map(|run| run.covered / run.entries.max(1.0)).fold(1.0, f64::min);
        println!(
            "| {} ({n_corpora}) | {}, {}, {} | {:.0} | {:.3} | {worst:.3} | {:.2} | {:.0} of {:.0} |",
            setting.label(),
            setting.n_words,
            setting.n_topics,
            setting.n_documents,
            total(|run| run.entries),
            total(|run| run.covered) / total(|run| run.entries),
            total(|run| run.expected) / total(|run| run.actual),
            total(|run| run.flagged),
            total(|run| run.topics),
        );
    }
}

#[derive(Default)]
struct Coverage {
    entries: f64,
    covered: f64,
    expected: f64,
    actual: f64,
    flagged: f64,
    topics: f64,
}

fn cover(setting: &Setting, seed: u64) -> Coverage {
    let (corpus, truth) = setting.draw(seed);
    let model = setting.fit(&corpus);
    let topics = model.topics();
    let errors = topics.errors().unwrap();
    let mut run = Coverage::default();
    for judged in judge(&model, &truth) {
        let Judged { truth: a, estimate: b, .. } = judged;
        for (i, &p) in truth.column(a).iter().enumerate() {
            if p > LEAST_PROBABILITY {
                let off = (topics.word_topic()[(i, b)] - p).abs();
                run.entries += 1.0;
                run.covered += f64::from(u8::from(off <= T_FACTOR * errors[(i, b)]));
            }
        }
        run.actual += judged.error;
        run.expected += judged.expected;
        run.flagged += f64::from(u8::from(judged.flagged));
        run.topics += 1.0;
    }
    run
}

/// A matched topic: its estimates and its true values.
struct Judged {
    truth: usize,
    estimate: usize,
    error: f64,
    expected: f64,
    flagged: bool,
    /// How far it moves when the group with the largest effect is left out.
    moves: f64,
}

fn judge(model: &Model, truth: &Matrix) -> Vec<Judged> {
    let topics: &Topics = model.topics();
    let matched = match_topics(truth, topics.word_topic());
    let judged = matched.iter().enumerate().filter_map(|(a, b)| {
        let b = (*b)?;
        let pairs = truth.column(a).iter().zip(topics.word_topic().column(b));
        let said = &model.diagnostics().topics[b];
        let stability = said.trust.as_ref()?.stability.as_ref()?;
        Some(Judged {
            truth: a,
            estimate: b,
            error: pairs.map(|(x, y)| (x - y).abs()).sum(),
            expected: stability.expected_error,
            flagged: !said.flags().is_empty(),
            moves: stability.largest_change,
        })
    });
    judged.collect()
}

// --- flags -------------------------------------------------------------------------------------

fn flags(n_corpora: u64, seed: u64) {
    println!("\none topic of small weight among six, {n_corpora} corpora a row\n");
    println!(
        "| documents | weight | topics flagged, of them the small one | L1 error flagged | not flagged | ratio |"
    );
    println!("|---|---|---|---|---|---|");
    let mut all: Vec<Judged> = Vec::new();
    for documents in [1000, 3000] {
        for weight in [0.005, 0.01, 0.02, 0.05] {
            let runs: Vec<Vec<Judged>> = (0..n_corpora)
                .into_par_iter()
                .map(|c| one_small(documents, weight, seed + 1000 + c))
                .collect();
            let judged: Vec<Judged> = runs.into_iter().flatten().collect();
            print_flags(&format!("{documents} | {weight}"), &judged, |j| j.flagged);
            all.extend(judged);
        }
    }
    print_flags("all | all", &all, |j| j.flagged);
    println!("\nthe same topics, told by how far they move without the worst of twenty groups\n");
    println!(
        "| moves by | of | topics told, of them the small one | L1 error told | not told | ratio |"
    );
    println!("|---|---|---|---|---|---|");
    for least in [0.05, 0.075, 0.1, 0.15, 0.2, 0.3] {
        print_flags(&format!("{least} | all"), &all, |j| j.moves > least);
    }
}

/// Six topics, the first of them of the given weight.
fn one_small(documents: usize, weight: f64, seed: u64) -> Vec<Judged> {
    let mut source = SingleTopicSource::zipf(500, 6, 5.0, 300.0, 20.0, seed);
    let rest: f64 = source.topic_weights[1..].iter().sum();
    source.topic_weights[0] = weight;
    source.topic_weights[1..].iter_mut().for_each(|w| *w *= (1.0 - weight) / rest);
    let lengths = Lengths::NegativeBinomial { mean: 50.0, shape: 2.0 };
    let corpus = source.draw(documents, &lengths, seed ^ 0x5EED).0;
    let model = fit(&corpus, Kind::SingleTopic, 6, Polish::Auto, true);
    judge(&model, &source.word_topic)
}

fn print_flags(row: &str, judged: &[Judged], is_flagged: impl Fn(&Judged) -> bool) {
    let (flagged, rest): (Vec<&Judged>, Vec<&Judged>) = judged.iter().partition(|&j| is_flagged(j));
    let mean =
        |these: &[&Judged]| these.iter().map(|j| j.error).sum::<f64>() / (these.len() as f64);
    println!(
        "| {row} | {} of {}, {} | {:.3} | {:.3} | {:.1} |",
        flagged.len(),
        judged.len(),
        flagged.iter().filter(|j| j.truth == 0).count(),
        mean(&flagged),
        mean(&rest),
        mean(&flagged) / mean(&rest),
    );
}

// --- cost --------------------------------------------------------------------------------------

fn cost() {
    println!("\nprocessor and wall seconds of a default fit, k = 50\n");
    println!("| corpus | model | without trust | with | ratio of processor, wall seconds |");
    println!("|---|---|---|---|---|");
    let lengths = Lengths::LogNormal { mu: 5.5, sigma: 0.7 };
    for kind in [Kind::SingleTopic, Kind::Lda] {
        let corpus = if kind == Kind::Lda {
            LdaSource::zipf(100_000, 100, 5.0, 2000.0, 5.0, 1).draw(30_000, &lengths, 2).0
        } else {
            SingleTopicSource::zipf(100_000, 100, 5.0, 2000.0, 5.0, 1).draw(30_000, &lengths, 2).0
        };
        let timed = |trust: bool| {
            let (before, start) = (cpu_seconds(), Instant::now());
            let model = fit(&corpus, kind, 50, Polish::Auto, trust);
            ([cpu_seconds() - before, start.elapsed().as_secs_f64()], model)
        };
        // By turns, and the median of each: the machine is not as fast at all times.
        let mut runs = [Vec::new(), Vec::new()];
        let mut fitted = None;
        for turn in 0..2 * TURNS {
            let trust = turn % 2 == 1;
            let (seconds, model) = timed(trust);
            runs[usize::from(trust)].push(seconds);
            fitted = Some(model);
        }
        let median = |runs: &[[f64; 2]], which: usize| {
            let mut seconds: Vec<f64> = runs.iter().map(|run| run[which]).collect();
            seconds.sort_by(f64::total_cmp);
            seconds[seconds.len() / 2]
        };
        let [without, with] = [0, 1].map(|i| [0, 1].map(|which| median(&runs[i], which)));
        let model = fitted.unwrap();
        println!(
            "| N={} nnz={:.1}M | {} ({:?}) | {:.1}, {:.1} | {:.1}, {:.1} | {:.2}, {:.2} |",
            corpus.n_documents(),
            corpus.n_nonzeros() as f64 / 1e6,
            if kind == Kind::Lda { "LDA" } else { "single topic" },
            model.diagnostics().polish,
            without[0],
            without[1],
            with[0],
            with[1],
            with[0] / without[0],
            with[1] / without[1],
        );
    }
}

/// CPU time of this process so far, user and system.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let fields: Vec<f64> =
        after_name.split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect();
    // Fields 14 and 15 of the line, in ticks of a hundredth of a second.
    fields.get(11).zip(fields.get(12)).map_or(f64::NAN, |(user, system)| (user + system) / 100.0)
}
