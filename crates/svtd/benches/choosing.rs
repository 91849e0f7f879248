//! Before a fit: is what we say about noise, numbers of topics, costs and sample sizes true?
//!
//! `cargo bench --workspace --bench choosing` prints the tables recorded in
//! `benches/record/choosing.md`. Behind `--`: a number is the first seed; `noise`, `auto`, `plan` and
//! `cost` run a part of it; `small` is the part of `auto` with 500 documents, on forty corpora a row;
//! `quick` makes everything small, to see it run.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a bench prints")]

use rayon::prelude::*;
use svtd::choosing::{MOST_TOPICS, PairNoise, PlanSource};
use svtd::evaluation::topic_error;
use svtd::linalg::Matrix;
use svtd::model::Kind;
use svtd::moments::{Counting, DocumentWeights, Moments, SingleTopicMoments};
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};
use svtd::{Corpus, Lda, SingleTopic};

const TEXT_LIKE: Lengths = Lengths::NegativeBinomial { mean: 50.0, shape: 2.0 };

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let quick = given.iter().any(|a| a == "quick");
    let seed = given.iter().find_map(|a| a.parse().ok()).unwrap_or(20_261_116);
    println!("first seed {seed}{}\n", if quick { ", quick" } else { "" });
    let parts: [(&str, &dyn Fn()); 5] = [
        ("noise", &|| noise(seed, if quick { 2 } else { 8 })),
        ("auto", &|| auto(seed, if quick { 2 } else { 20 }, &|_| true)),
        ("small", &|| auto(seed, if quick { 2 } else { 40 }, &|documents| documents == 500)),
        ("plan", &|| plan(seed, if quick { 1 } else { 3 })),
        ("cost", &|| cost(seed, if quick { 400 } else { 2000 })),
    ];
    let chosen = |name: &str| given.iter().any(|a| a == name);
    let all = !parts.iter().any(|part| chosen(part.0));
    for (_, run) in parts.iter().filter(|part| all && part.0 != "small" || chosen(part.0)) {
        run();
    }
}

/// A source of either kind.
enum Source {
    Single(SingleTopicSource),
    Lda(LdaSource),
}

impl Source {
    fn draw(&self, n: usize, lengths: &Lengths, seed: u64) -> Corpus {
        match self {
            Source::Single(source) => source.draw(n, lengths, seed).0,
            Source::Lda(source) => source.draw(n, lengths, seed).0,
        }
    }

    /// `M` and `C`, such that the plain pair moment is `M C M'`.
    fn pairs(&self) -> (&Matrix, Matrix) {
        match self {
            Source::Single(source) => {
                let w = &source.topic_weights;
                let k = w.len();
                (&source.word_topic, Matrix::from_fn(k, k, |a, b| if a == b { w[a] } else { 0.0 }))
            }
            Source::Lda(source) => {
                let alpha = &source.alpha;
                let (k, alpha0) = (alpha.len(), alpha.iter().sum::<f64>());
                let c = Matrix::from_fn(k, k, |a, b| {
                    let own = if a == b { alpha[a] } else { 0.0 };
                    (alpha[a] * alpha[b] + own) / (alpha0 * (alpha0 + 1.0))
                });
                (&source.word_topic, c)
            }
        }
    }
}

/// `|M2~ - M2|` by its definition: the pair moment written out.
fn observed_noise(corpus: &Corpus, source: &Source, law: &DocumentWeights) -> f64 {
    let moments = SingleTopicMoments::estimate(corpus, law, Counting::Raw).unwrap();
    let n = corpus.n_present();
    let estimated = moments.second_times(&Matrix::identity(n));
    let (m, c) = source.pairs();
    let exact = m.times(&c).times(&m.transpose());
    let words = corpus.word_of_feature();
    let mut inside = 0.0;
    let mut sum = 0.0;
    for a in 0..n {
        for b in 0..n {
            let truth = exact[(words[a] as usize, words[b] as usize)];
            inside += truth * truth;
            sum += (estimated[(a, b)] - truth).powi(2);
        }
    }
    // Words that never occurred add their entries of the true moment.
    (sum + exact.frobenius_norm().powi(2) - inside).max(0.0).sqrt()
}

fn noise(seed: u64, n_corpora: u64) {
    println!("## Noise of the pair moment: estimated over observed\n");
    println!(
        "| corpus | documents | weights | mean ratio | least | most |\n|---|---|---|---|---|---|"
    );
    let zipf = |k| Source::Single(SingleTopicSource::zipf(500, k, 5.0, 1000.0, 5.0, seed + 1));
    let log_normal = |sigma| Lengths::LogNormal { mu: 3.5, sigma };
    let settings: Vec<(&str, Source, usize, Lengths, DocumentWeights)> = vec![
        ("Zipf k=5", zipf(5), 500, TEXT_LIKE, DocumentWeights::Optimal),
        ("Zipf k=10", zipf(10), 2000, TEXT_LIKE, DocumentWeights::Optimal),
        ("Zipf k=10", zipf(10), 2000, TEXT_LIKE, DocumentWeights::Paper),
        ("Zipf k=10, log-normal 1", zipf(10), 2000, log_normal(1.0), DocumentWeights::Optimal),
        ("Zipf k=10, log-normal 1.5", zipf(10), 2000, log_normal(1.5), DocumentWeights::Optimal),
        ("Zipf k=10, log-normal 1", zipf(10), 2000, log_normal(1.0), DocumentWeights::Paper),
        ("Zipf k=10, log-normal 1", zipf(10), 2000, log_normal(1.0), DocumentWeights::Zou),
        (
            "uniform n=100 k=5",
            Source::Single(SingleTopicSource::uniform(100, 5, seed + 2)),
            300,
            Lengths::Uniform(3..=100),
            DocumentWeights::Optimal,
        ),
        (
            "LDA Zipf k=5, alpha0 1",
            Source::Lda(LdaSource::zipf(500, 5, 5.0, 1000.0, 1.0, seed + 3)),
            1000,
            TEXT_LIKE,
            DocumentWeights::Optimal,
        ),
        (
            "LDA uniform k=5, alpha0 2",
            Source::Lda(LdaSource::uniform(100, 5, 2.0, seed + 4)),
            1000,
            Lengths::Fixed(100),
            DocumentWeights::Optimal,
        ),
    ];
    let mut means = Vec::new();
    for (name, source, n, lengths, law) in &settings {
        let ratios: Vec<f64> = (0..n_corpora)
            .into_par_iter()
            .map(|c| {
                let corpus = source.draw(*n, lengths, seed + 100 + c);
                let k = source.pairs().0.n_columns();
                let estimated = PairNoise::estimate(&corpus, law, k).unwrap().noise;
                estimated / observed_noise(&corpus, source, law)
            })
            .collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let (least, most) =
            ratios.iter().fold((9.9_f64, 0.0_f64), |(l, m), r| (l.min(*r), m.max(*r)));
        println!("| {name} | {n} | {law:?} | {mean:.3} | {least:.3} | {most:.3} |");
        means.push(mean);
    }
    println!("\nmean over the settings {:.3}\n", means.iter().sum::<f64>() / means.len() as f64);
}

fn auto(seed: u64, n_corpora: u64, wanted: &dyn Fn(usize) -> bool) {
    println!("## -k auto\n");
    println!(
        "| corpus | documents | topics | exact | within 1 | answers |\n|---|---|---|---|---|---|"
    );
    let settings = [
        ("Zipf n=1000", 1000, 500, 10),
        ("Zipf n=1000", 1000, 2000, 10),
        ("Zipf n=1000", 1000, 8000, 10),
        ("Zipf n=2000", 2000, 500, 20),
        ("Zipf n=2000", 2000, 2000, 20),
        ("Zipf n=2000", 2000, 8000, 20),
        ("one topic", 1000, 500, 1),
        ("one topic", 1000, 2000, 1),
        ("LDA Zipf n=1000", 1000, 4000, 10),
        ("LDA, one topic", 1000, 2000, 1),
    ];
    for (name, words, documents, topics) in settings.into_iter().filter(|s| wanted(s.2)) {
        let n_corpora = if documents > 4000 { n_corpora.div_ceil(2) } else { n_corpora };
        let mut answers: Vec<usize> = (0..n_corpora)
            .into_par_iter()
            .map(|c| {
                let seed = seed + 1000 + c;
                if name.starts_with("LDA") {
                    let source = LdaSource::zipf(words, topics, 5.0, 1000.0, 1.0, seed);
                    let corpus = source.draw(documents, &TEXT_LIKE, seed + 500);
                    let params = Lda::params(1).choose_topics(&corpus.0, MOST_TOPICS).unwrap();
                    return params.chosen().unwrap().n_topics;
                }
                let source = SingleTopicSource::zipf(words, topics, 5.0, 1000.0, 5.0, seed);
                let corpus = source.draw(documents, &TEXT_LIKE, seed + 500).0;
                let params = SingleTopic::params(1).choose_topics(&corpus, MOST_TOPICS).unwrap();
                params.chosen().unwrap().n_topics
            })
            .collect();
        answers.sort_unstable();
        let share = |by: usize| {
            let near = answers.iter().filter(|&&k| k.abs_diff(topics) <= by).count();
            100.0 * near as f64 / answers.len() as f64
        };
        let runs: Vec<String> = answers
            .chunk_by(|a, b| a == b)
            .map(|run| format!("{} x {}", run.len(), run[0]))
            .collect();
        println!(
            "| {name} | {documents} | {topics} | {:.0}% | {:.0}% | {} |",
            share(0),
            share(1),
            runs.join(", ")
        );
    }
    println!();
}

fn plan(seed: u64, n_corpora: u64) {
    println!("## Predicted error of a topic\n");
    println!("| corpus | documents | observed L1 | predicted | ratio |\n|---|---|---|---|---|");
    let mut ratios = [Vec::new(), Vec::new()];
    for (words, topics, length, kind, alpha0) in [
        (300, 5, 50, Kind::SingleTopic, None),
        (1000, 10, 50, Kind::SingleTopic, None),
        (1000, 10, 150, Kind::SingleTopic, None),
        (2000, 20, 50, Kind::SingleTopic, None),
        (300, 5, 50, Kind::Lda, Some(1.0)),
        (1000, 10, 50, Kind::Lda, Some(1.0)),
        (1000, 10, 150, Kind::Lda, Some(0.5)),
        (500, 5, 100, Kind::Lda, Some(2.0)),
    ] {
        for documents in [1000, 4000] {
            let runs: Vec<(f64, f64)> = (0..n_corpora)
                .into_par_iter()
                .map(|c| {
                    run_plan([words, topics, documents], length, kind, alpha0, seed + 7000 + c)
                })
                .collect();
            let n = runs.len() as f64;
            let observed = runs.iter().map(|r| r.0).sum::<f64>() / n;
            let predicted = runs.iter().map(|r| r.1).sum::<f64>() / n;
            let name = alpha0.map_or("single-topic".to_owned(), |a| format!("LDA, alpha0 {a}"));
            println!(
                "| {name}, n={words} k={topics} c={length} | {documents} | {observed:.3} | \
                 {predicted:.3} | {:.2} |",
                observed / predicted
            );
            ratios[usize::from(kind == Kind::Lda)].push(observed / predicted);
        }
    }
    for (name, ratios) in ["single-topic", "LDA"].iter().zip(ratios) {
        let mean = ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64;
        println!("\n{name}: geometric mean of the ratios {:.3}", mean.exp());
    }
    println!();
}

fn run_plan(
    [words, topics, documents]: [usize; 3],
    length: u32,
    kind: Kind,
    alpha0: Option<f64>,
    seed: u64,
) -> (f64, f64) {
    let lengths = Lengths::Fixed(length);
    let (truth, weights, observed) = match kind {
        Kind::SingleTopic => {
            let source = SingleTopicSource::zipf(words, topics, 5.0, 1000.0, 5.0, seed);
            let corpus = source.draw(documents, &lengths, seed + 50).0;
            let model = SingleTopic::params(topics).trust(false).allow_fewer(true);
            let model = model.fit(&corpus).unwrap();
            let error = topic_error(&source.word_topic, model.topics().word_topic());
            (source.word_topic, source.topic_weights, error)
        }
        Kind::Lda => {
            let alpha0 = kind.alpha0(alpha0).unwrap();
            let source = LdaSource::zipf(words, topics, 5.0, 1000.0, alpha0, seed);
            let corpus = source.draw(documents, &lengths, seed + 50).0;
            let model = Lda::params(topics).alpha0(alpha0).trust(false).allow_fewer(true);
            let model = model.fit(&corpus).unwrap();
            let error = topic_error(&source.word_topic, model.topics().word_topic());
            (source.word_topic, vec![1.0 / topics as f64; topics], error)
        }
    };
    let source = PlanSource::new(truth, weights, length, kind, alpha0).unwrap();
    (observed, source.expected_error(documents as f64).unwrap())
}

fn cost(seed: u64, documents: usize) {
    println!("## A sweep over 1..60 against one default fit of 60 topics (processor time)\n");
    println!("| corpus | fit | sweep | ratio |\n|---|---|---|---|");
    let lda = LdaSource::zipf(3000, 30, 5.0, 1000.0, 1.0, seed);
    let corpus = lda.draw(documents, &Lengths::Fixed(100), seed + 1).0;
    let fit = processor_seconds(|| drop(Lda::params(60).fit(&corpus).unwrap()));
    let sweep =
        processor_seconds(|| drop(Lda::params(1).sweep(&corpus, 1..=60, &mut |_| {}).unwrap()));
    println!("| LDA, N={documents} n=3000 | {fit:.2} s | {sweep:.2} s | {:.2} |", sweep / fit);
    let single = SingleTopicSource::zipf(3000, 30, 5.0, 1000.0, 5.0, seed);
    for documents in [documents, 10 * documents] {
        let corpus = single.draw(documents, &Lengths::Fixed(100), seed + 1).0;
        let fit = processor_seconds(|| drop(SingleTopic::params(60).fit(&corpus).unwrap()));
        let sweep = processor_seconds(|| {
            drop(SingleTopic::params(1).sweep(&corpus, 1..=60, &mut |_| {}).unwrap());
        });
        println!(
            "| single-topic, N={documents} n=3000 | {fit:.2} s | {sweep:.2} s | {:.2} |",
            sweep / fit
        );
    }
    println!("\n## -k auto against one default fit (processor time)\n");
    println!("| corpus | fit | choosing | ratio |\n|---|---|---|---|");
    let corpus = single.draw(5 * documents, &Lengths::Fixed(100), seed + 2).0;
    let fit = processor_seconds(|| drop(SingleTopic::params(30).fit(&corpus).unwrap()));
    let choosing = processor_seconds(|| {
        drop(SingleTopic::params(1).choose_topics(&corpus, MOST_TOPICS).unwrap());
    });
    println!(
        "| single-topic, N={} n=3000 k=30 | {fit:.2} s | {choosing:.2} s | {:.2} |",
        5 * documents,
        choosing / fit
    );
}

/// Seconds that all threads of the process spent on processors: unlike wall time it hardly
/// depends on what else the machine does. Linux only; elsewhere not a number.
fn processor_seconds(work: impl FnOnce()) -> f64 {
    let ticks = || -> Option<f64> {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        Some(fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?)
    };
    let before = ticks();
    work();
    match (before, ticks()) {
        (Some(before), Some(after)) => (after - before) / 100.0,
        _ => f64::NAN,
    }
}
