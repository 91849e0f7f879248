//! Found again: does a topic that a fit finds in both of its halves also appear in other halves? Are invented topics
//! detected?
//!
//! `SVTD_DATA=... cargo bench -p svtd --bench found_again` prints what is recorded in
//! `benches/record/found_again.md`. Behind `--`: `text`, `invented`, `separated`, `cost` and `large` (the cost above ten million counts) run a part
//! of it, `choosing` the corpora that thresholds were chosen on in place of those they are shown on.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a bench prints")]

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::time::{ClockId, clock_gettime};
use svtd::evaluation::match_topics;
use svtd::linalg::Matrix;
use svtd::model::{Halves, Kind, Standing};
use svtd::synthetic::{LdaSource, Lengths};
use svtd::{Corpus, Lda, Model, SingleTopic};

/// Number of test splits of each corpus, on which nothing was chosen.
const UNSEEN: usize = 6;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let asked = |name: &str| given.iter().any(|a| a == name);
    let choosing = asked("choosing");
    let parts: [(&str, &dyn Fn()); 5] = [
        ("text", &|| text(choosing)),
        ("invented", &|| invented(if choosing { 51_000 } else { 52_000 })),
        ("separated", &|| separated(if choosing { 53_000 } else { 54_000 })),
        ("cost", &|| cost(usual_corpora())),
        ("large", &|| cost(vec![large_corpus()])),
    ];
    let all = !parts.iter().any(|part| asked(part.0));
    for (_, run) in parts.iter().filter(|part| all || asked(part.0)) {
        run();
    }
}

fn fit(corpus: &Corpus, kind: Kind, k: usize, splits: Option<usize>) -> Model {
    let (trust, splits) = (splits.is_some(), splits.unwrap_or(0));
    if kind == Kind::Lda {
        let params = Lda::params(k).allow_fewer(true).trust(trust).splits(splits);
        Model::Lda(params.fit(corpus).unwrap())
    } else {
        let params = SingleTopic::params(k).allow_fewer(true).trust(trust).splits(splits);
        Model::SingleTopic(params.fit(corpus).unwrap())
    }
}

fn halves(model: &Model) -> Vec<Halves> {
    model.diagnostics().topics.iter().map(|topic| *topic.halves().unwrap()).collect()
}

fn standings(model: &Model) -> Vec<Standing> {
    model.diagnostics().topics.iter().map(|topic| topic.standing().unwrap()).collect()
}

// --- text --------------------------------------------------------------------------------------

/// Corpora by name.
fn corpora(data: &Path, choosing: bool) -> Vec<(String, Corpus, Vec<usize>)> {
    let read = |name: &str| Corpus::read(data.join(format!("docword.{name}.txt.gz"))).unwrap();
    let news = read("20newsgroups");
    let every_sixth = |first: usize| {
        let documents: Vec<usize> = (first..news.n_documents()).step_by(6).collect();
        (format!("20 newsgroups, one in six from {first}"), news.subset(&documents))
    };
    if choosing {
        return [0, 1].map(every_sixth).map(|(n, c)| (n, c, vec![10, 20, 40])).into();
    }
    let labels = std::fs::read_to_string(data.join("labels.20newsgroups.txt")).unwrap();
    let of = |prefixes: &[&str]| {
        let has = |label: &str| prefixes.iter().any(|prefix| label.starts_with(prefix));
        let all: Vec<usize> =
            labels.lines().enumerate().filter(|l| has(l.1)).map(|l| l.0).collect();
        // Documents that no threshold was chosen on.
        let documents: Vec<usize> = all.into_iter().filter(|d| d % 6 > 1).step_by(2).collect();
        news.subset(&documents)
    };
    let (name, sixth) = every_sixth(3);
    vec![
        ("reuters395".to_owned(), read("reuters395"), vec![10, 20]),
        ("state_union".to_owned(), read("state_union"), vec![10]),
        ("divina_commedia".to_owned(), read("divina_commedia"), vec![10]),
        (name, sixth, vec![10, 20, 50]),
        ("20 newsgroups, comp and sci".to_owned(), of(&["comp", "sci"]), vec![10, 20, 50]),
        ("20 newsgroups, rec and talk".to_owned(), of(&["rec", "talk"]), vec![10, 20, 50]),
    ]
}

fn text(choosing: bool) {
    let Some(data) = std::env::var_os("SVTD_DATA").map(PathBuf::from) else {
        println!("skipped: SVTD_DATA is not set, and this part reads the corpora it points to");
        return;
    };
    println!("## Text: our halves against {UNSEEN} splits that nobody has seen\n");
    println!(
        "| corpus | documents | model | k | rank correlation with the overlap, one split | two | an \
         unseen split with the others | two | with L1, one | two | an unseen split with the others | \
         two | reproduces with one split | of these below 5 elsewhere | with two | of these below 5 elsewhere \
         |\n|{}",
        "---|".repeat(16)
    );
    let mut all = [[0.0; 8]; 2];
    let mut rows = [0.0; 2];
    let mut firm = [[0; 4]; 2];
    for (name, corpus, numbers) in corpora(&data, choosing) {
        for kind in Kind::ALL {
            for &k in &numbers {
                let models = [1, 2].map(|n| fit(&corpus, kind, k, Some(n)));
                let splits = unseen(&corpus, kind, k, models[0].topics().word_topic());
                let mut row = [0.0; 8];
                for (place, ours) in models.iter().map(halves).enumerate() {
                    let words: Vec<f64> = ours.iter().map(|h| h.found_again).collect();
                    let near: Vec<f64> = ours.iter().map(|h| -h.half_distance).collect();
                    row[place] = spearman(&words, &mean(&splits, |s| &s.overlap));
                    row[2 + place] = attainable(&splits, place + 1, |s| &s.overlap);
                    row[4 + place] = spearman(&near, &mean(&splits, |s| &s.nearness));
                    row[6 + place] = attainable(&splits, place + 1, |s| &s.nearness);
                }
                let overlap = mean(&splits, |s| &s.overlap);
                let called_and_lost = |model: &Model| {
                    let pairs = standings(model).into_iter().zip(&overlap);
                    let called = pairs.filter(|(s, _)| *s == Standing::Reproduces);
                    let called: Vec<f64> = called.map(|(_, overlap)| *overlap).collect();
                    [called.len(), called.iter().filter(|overlap| **overlap < 5.0).count()]
                };
                let [[a, b], [c, d]] = [0, 1].map(|place| called_and_lost(&models[place]));
                let model = usize::from(kind == Kind::Lda);
                firm[model].iter_mut().zip([a, b, c, d]).for_each(|(sum, n)| *sum += n);
                rows[model] += 1.0;
                all[model].iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                let shown = if kind == Kind::Lda { "LDA" } else { "single topic" };
                println!(
                    "| {name} | {} | {shown} | {k} | {} | {a} | {b} | {c} | {d} |",
                    corpus.n_documents(),
                    row.map(|r| format!("{r:.2}")).join(" | "),
                );
            }
        }
    }
    for (model, kind) in ["single topic", "LDA"].into_iter().enumerate() {
        let row = all[model].map(|sum| format!("{:.2}", sum / rows[model]));
        let firm = firm[model].map(|n| n.to_string()).join(" | ");
        println!("| mean | | {kind} | | {} | {firm} |", row.join(" | "));
    }
    println!();
}

/// What one test split says about each topic.
struct Unseen {
    /// How many of ten words both halves have.
    overlap: Vec<f64>,
    /// Similarity of the two halves' topics: the negative of their distance.
    nearness: Vec<f64>,
}

/// The mean over splits.
fn mean<'a>(
    splits: impl IntoIterator<Item = &'a Unseen>,
    what: impl Fn(&'a Unseen) -> &'a Vec<f64>,
) -> Vec<f64> {
    let (mut sums, mut n) = (Vec::new(), 0.0);
    for values in splits.into_iter().map(what) {
        sums.resize(values.len(), 0.0);
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        n += 1.0;
    }
    sums.into_iter().map(|sum| sum / n).collect()
}

/// The best that can be reached: how well `n` test splits predict the other test splits, averaged over the choice of
/// the `n`.
fn attainable<'a>(
    splits: &'a [Unseen],
    n: usize,
    what: impl Fn(&'a Unseen) -> &'a Vec<f64>,
) -> f64 {
    let of = |first: usize| {
        let chosen = |i: &usize| (i + splits.len() - first) % splits.len() < n;
        let places = || 0..splits.len();
        let some = mean(places().filter(|i| chosen(i)).map(|i| &splits[i]), &what);
        let rest = mean(places().filter(|i| !chosen(i)).map(|i| &splits[i]), &what);
        spearman(&some, &rest)
    };
    (0..splits.len()).map(of).sum::<f64>() / splits.len() as f64
}

/// Test splits, each half fitted like the whole corpus.
fn unseen(corpus: &Corpus, kind: Kind, k: usize, whole: &Matrix) -> Vec<Unseen> {
    let split = |seed: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(77 + seed as u64);
        let mut order: Vec<(u64, usize)> =
            (0..corpus.n_documents()).map(|d| (rng.next_u64(), d)).collect();
        order.sort_unstable();
        let learned = [0, 1].map(|half| {
            let documents: Vec<usize> =
                order.iter().skip(half).step_by(2).map(|place| place.1).collect();
            let model = fit(&corpus.subset(&documents), kind, k, None);
            let matched = match_topics(whole, model.topics().word_topic());
            (model, matched)
        });
        let [(a, of_a), (b, of_b)] = &learned;
        let compared = |j: usize| {
            let (x, y) = of_a[j].zip(of_b[j])?;
            let words = |model: &Model, j: usize| model.topics().topic(j).top_word_ids(10);
            let (one, other) = (words(a, x), words(b, y));
            let shared = one.iter().filter(|word| other.contains(word)).count();
            let pairs = a.topics().word_topic().column(x).iter();
            let apart: f64 =
                pairs.zip(b.topics().word_topic().column(y)).map(|(p, q)| (p - q).abs()).sum();
            Some((shared as f64, -apart))
        };
        let found = (0..whole.n_columns()).map(|j| compared(j).unwrap_or((0.0, -2.0)));
        let (overlap, nearness) = found.unzip();
        Unseen { overlap, nearness }
    };
    (0..UNSEEN).map(split).collect()
}

/// The rank correlation of two lists.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(p, q)| (p - mean) * (q - mean)).sum()
    };
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    if spread > 0.0 { product(&a, &b) / spread } else { 1.0 }
}

/// Ranks from zero, ties sharing their mean.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |x: &f64| {
        let below = values.iter().filter(|y| *y < x).count() as f64;
        let equal = values.iter().filter(|y| *y == x).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

// --- drawn corpora -----------------------------------------------------------------------------

/// Words drawn independently, or in bursts of this concentration.
fn draw(source: &LdaSource, n: usize, bursts: Option<f64>, seed: u64) -> Corpus {
    let lengths = Lengths::NegativeBinomial { mean: 120.0, shape: 3.0 };
    match bursts {
        Some(concentration) => source.draw_bursty(n, &lengths, concentration, seed),
        None => source.draw(n, &lengths, seed).0,
    }
}

fn bursts_named(bursts: Option<f64>) -> String {
    bursts.map_or("none".to_owned(), |c| format!("{c}"))
}

fn invented(seed: u64) {
    println!(
        "## Half as many topics again as there are (LDA, 3000 words, 120 a document), two corpora a row\n"
    );
    println!(
        "| K | documents | bursts | area under the curve | invented: reproduces | partly | not found \
         again | true: reproduces | partly | not found again |\n|{}",
        "---|".repeat(10)
    );
    for (k, n) in [(10, 1500), (10, 4000), (20, 4000), (20, 8000)] {
        for bursts in [None, Some(300.0), Some(100.0)] {
            let (mut real, mut made) = (Vec::new(), Vec::new());
            for corpus in 0..2 {
                let seed = seed + 10 * corpus + k as u64;
                let source = LdaSource::zipf(3000, k, 5.0, 300.0, 1.0, seed);
                let corpus = draw(&source, n, bursts, seed ^ 0x5EED);
                let model = fit(&corpus, Kind::Lda, k + k / 2, Some(if n < 4000 { 2 } else { 1 }));
                let matched: Vec<usize> =
                    match_topics(&source.word_topic, model.topics().word_topic())
                        .into_iter()
                        .flatten()
                        .collect();
                for (j, found) in halves(&model).into_iter().zip(standings(&model)).enumerate() {
                    if matched.contains(&j) { &mut real } else { &mut made }.push(found);
                }
            }
            let [a, b] = [&made, &real].map(|all| {
                let count =
                    |of: Standing| all.iter().filter(|(_, standing)| *standing == of).count();
                [Standing::Reproduces, Standing::Partly, Standing::NotFoundAgain]
                    .map(|of| count(of).to_string())
                    .join(" | ")
            });
            println!(
                "| {k} | {n} | {} | {:.3} | {a} | {b} |",
                bursts_named(bursts),
                area(&real, &made)
            );
        }
    }
    println!();
}

/// The probability that a value of the first list is above one of the second (the area under the ROC curve).
fn area(above: &[(Halves, Standing)], below: &[(Halves, Standing)]) -> f64 {
    let wins = |(x, _): &(Halves, Standing)| -> f64 {
        let one = |(y, _): &(Halves, Standing)| match x.found_again.total_cmp(&y.found_again) {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        };
        below.iter().map(one).sum()
    };
    above.iter().map(wins).sum::<f64>() / (above.len() * below.len()) as f64
}

fn separated(seed: u64) {
    println!("## Well separated topics, as many as there are\n");
    println!("| K | documents | topics | reproduce |\n|---|---|---|---|");
    let (mut all, mut firm) = (0, 0);
    for (k, n) in [(5, 1500), (10, 3000), (20, 6000)] {
        let (mut topics, mut reproduce) = (0, 0);
        for corpus in 0..3 {
            let seed = seed + 10 * corpus + k as u64;
            let source = LdaSource::zipf(2000, k, 5.0, 100.0, 0.3, seed);
            let corpus = draw(&source, n, None, seed ^ 0x5EED);
            let found = standings(&fit(&corpus, Kind::Lda, k, Some(1)));
            topics += found.len();
            reproduce += found.iter().filter(|s| **s == Standing::Reproduces).count();
        }
        println!("| {k} | {n} | {topics} | {reproduce} |");
        all += topics;
        firm += reproduce;
    }
    println!("| all | | {all} | {firm} |\n");
}

// --- cost --------------------------------------------------------------------------------------

/// Corpora of 2,000 to 20,000 documents, with two numbers of topics each.
fn usual_corpora() -> Vec<(&'static str, Corpus, [usize; 2])> {
    let mut corpora = Vec::new();
    if let Some(data) = std::env::var_os("SVTD_DATA").map(PathBuf::from) {
        let news = Corpus::read(data.join("docword.20newsgroups.txt.gz")).unwrap();
        let fifth: Vec<usize> = (0..news.n_documents()).step_by(5).collect();
        corpora.push(("20 newsgroups (1/5)", news.subset(&fifth), [20, 50]));
        corpora.push(("20 newsgroups", news, [20, 50]));
    }
    let source = LdaSource::zipf(3000, 10, 5.0, 300.0, 1.0, 5);
    corpora.push(("drawn, bursts of 300, N = 4000", draw(&source, 4000, Some(300.0), 6), [10, 20]));
    corpora
}

/// A corpus of more than ten million counts.
fn large_corpus() -> (&'static str, Corpus, [usize; 2]) {
    let source = LdaSource::zipf(20_000, 20, 5.0, 3000.0, 1.0, 7);
    let large = draw(&source, 130_000, None, 8);
    assert!(large.n_nonzeros() > 10_000_000, "{}", large.n_nonzeros());
    ("drawn, N = 130,000", large, [20, 50])
}

fn cost(corpora: Vec<(&str, Corpus, [usize; 2])>) {
    println!("## Processor seconds of a fit without trust, and with it (medians of three)\n");
    println!(
        "| corpus | model | k | without | with one split | with two | trust with one split, as a part of the fit | with \
         two | splits by default |\n|{}",
        "---|".repeat(9)
    );
    for (name, corpus, numbers) in &corpora {
        for kind in Kind::ALL {
            for &k in numbers {
                let [without, one, two] = [None, Some(1), Some(2)].map(|splits| {
                    let mut seconds = [0; 3].map(|_| {
                        let start = processor_seconds();
                        fit(corpus, kind, k, splits);
                        processor_seconds() - start
                    });
                    seconds.sort_unstable_by(f64::total_cmp);
                    seconds[1]
                });
                let usual = halves(&usual_fit(corpus, kind, k))[0].n_splits;
                let shown = if kind == Kind::Lda { "LDA" } else { "single topic" };
                println!(
                    "| {name} | {shown} | {k} | {without:.2} | {one:.2} | {two:.2} | {:.2} | {:.2} | {usual} |",
                    one / without - 1.0,
                    two / without - 1.0,
                );
            }
        }
    }
    println!();
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

fn usual_fit(corpus: &Corpus, kind: Kind, k: usize) -> Model {
    if kind == Kind::Lda {
        Model::Lda(Lda::params(k).allow_fewer(true).fit(corpus).unwrap())
    } else {
        Model::SingleTopic(SingleTopic::params(k).allow_fewer(true).fit(corpus).unwrap())
    }
}
