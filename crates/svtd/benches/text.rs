//! Real text: completion perplexity, clusters against labels, and CPU seconds by stage.
//!
//! `SVTD_DATA=... cargo bench -p svtd --bench text` prints the tables recorded in
//! `benches/record/text.md`. Protocol: documents 5, 10, 15, ... are the test part; the vocabulary
//! is the words of the training part; tokens of a test document are observed and held out
//! each by itself (`evaluation::Completions`). For the one-in-five sample of 20newsgroups
//! the vocabulary is the words in at least five documents of the sample.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a bench prints")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use svtd::evaluation::{most_probable, normalised_mutual_information};
use svtd::learning::{LdaParams, Step};
use svtd::model::{Polish, PolishOutcome};
use svtd::{Corpus, Lda, SingleTopic};

fn main() {
    let Some(data) = std::env::var_os("SVTD_DATA").map(PathBuf::from) else {
        println!("skipped: SVTD_DATA is not set, and this bench reads the corpora it points to");
        return;
    };
    let reuters = read(&data, "reuters395");
    let newsgroups = read(&data, "20newsgroups");
    let fifth: Vec<usize> = (0..newsgroups.n_documents()).step_by(5).collect();
    let sample = newsgroups.subset(&fifth);
    println!("Completion perplexity, k = 20 (reference in brackets)\n");
    println!("| corpus | unpolished | default | chosen by the guard | 100 sweeps |");
    println!("|---|---|---|---|---|");
    perplexities("reuters395", &reuters, [1560.0, 1462.0, 1455.0]);
    perplexities("20newsgroups (1/5)", &frequent(&sample, 5), [2543.0, 2199.0, 2134.0]);
    clusters(&data, &sample, &fifth);
    stages(&newsgroups);
}

fn read(data: &Path, name: &str) -> Corpus {
    Corpus::read(data.join(format!("docword.{name}.txt.gz"))).unwrap()
}

/// Documents 5, 10, 15, ... apart from the rest.
fn split(corpus: &Corpus) -> (Corpus, Corpus) {
    let (test, train): (Vec<usize>, Vec<usize>) =
        (0..corpus.n_documents()).partition(|d| d % 5 == 4);
    (corpus.subset(&train), corpus.subset(&test))
}

fn perplexities(name: &str, corpus: &Corpus, reference: [f64; 3]) {
    let (train, test) = split(corpus);
    let score =
        |params: LdaParams| params.fit(&train).unwrap().completion_perplexity(&test).unwrap();
    let unpolished = score(Lda::params(20).polish(Polish::None));
    let model = Lda::params(20).fit(&train).unwrap();
    let chosen = match &model.diagnostics().polish {
        PolishOutcome::Sweeps { .. } => "polished",
        _ => "unpolished",
    };
    println!(
        "| {name} | {unpolished:.0} ({:.0}) | {:.0} ({:.0}) | {chosen} | {:.0} ({:.0}) |",
        reference[0],
        model.completion_perplexity(&test).unwrap(),
        reference[1],
        score(Lda::params(20).polish(Polish::Steps(100))),
        reference[2],
    );
}

/// The corpus without words in fewer than `least` documents.
fn frequent(corpus: &Corpus, least: usize) -> Corpus {
    let columns = corpus.columns();
    let kept: Vec<u32> = (0..corpus.n_words() as u32)
        .filter(|&w| columns.row(corpus.feature_of_word()[w as usize] as usize).0.len() >= least)
        .collect();
    let new_id: BTreeMap<u32, u32> = kept.iter().zip(0..).map(|(&w, i)| (w, i)).collect();
    let mut builder = Corpus::builder(kept.len());
    for d in 0..corpus.n_documents() {
        let words = corpus.document(d).words();
        let known: Vec<(u32, u32)> =
            words.filter_map(|(w, x)| new_id.get(&w).map(|&i| (i, x))).collect();
        builder.push_document(known).unwrap();
    }
    builder.build().unwrap()
}

fn clusters(data: &Path, sample: &Corpus, documents: &[usize]) {
    let labels = std::fs::read_to_string(data.join("labels.20newsgroups.txt")).unwrap();
    let labels: Vec<&str> = labels.lines().collect();
    let labels: Vec<&str> = documents.iter().map(|&d| labels[d]).collect();
    let nmi = |params: svtd::learning::SingleTopicParams| {
        let model = params.fit(sample).unwrap();
        let clusters = most_probable(&model.infer(sample).unwrap().mixtures);
        normalised_mutual_information(&clusters, &labels)
    };
    println!(
        "\nNMI with the newsgroups, 20newsgroups (1/5), single topic, k = 20 (reference in brackets)\n"
    );
    println!("| default | paper mode + EM |");
    println!("|---|---|");
    println!(
        "| {:.3} (0.385) | {:.3} (0.350) |",
        nmi(SingleTopic::params(20)),
        nmi(SingleTopic::params(20).paper().polish(Polish::Auto))
    );
}

/// CPU and wall seconds of each stage of the default fit on all of 20newsgroups.
fn stages(corpus: &Corpus) {
    let (train, test) = split(corpus);
    println!(
        "\nAll of 20newsgroups: perplexity of documents 5, 10, ..., and CPU seconds by stage of the default fit (threads: {})\n",
        rayon::current_num_threads()
    );
    println!(
        "| k | perplexity | choice | moments | whitening | decomposition | recovery | polish | held-out | trust | total CPU | wall |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for k in [20, 50, 100] {
        let clock = RefCell::new(StageClock::new());
        let wall = Instant::now();
        let model =
            Lda::params(k).fit_watched(&train, &|step| clock.borrow_mut().enter(step)).unwrap();
        let wall = wall.elapsed().as_secs_f64();
        clock.borrow_mut().leave();
        let seconds = clock.into_inner().seconds;
        let of = |name: &str| seconds.get(name).copied().unwrap_or(0.0);
        let choice = match model.diagnostics().polish {
            PolishOutcome::Sweeps { .. } => "polished",
            _ => "unpolished",
        };
        println!(
            "| {k} | {:.0} | {choice} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {wall:.2} |",
            model.completion_perplexity(&test).unwrap(),
            of("moments"),
            of("whitening"),
            of("decomposition"),
            of("recovery"),
            of("polish"),
            of("held-out comparison"),
            of("trust"),
            seconds.values().sum::<f64>(),
        );
    }
}

/// Adds up CPU seconds by stage.
struct StageClock {
    seconds: BTreeMap<&'static str, f64>,
    current: Option<(&'static str, f64)>,
}

impl StageClock {
    fn new() -> Self {
        Self { seconds: BTreeMap::new(), current: None }
    }

    fn enter(&mut self, step: Step) {
        self.leave();
        self.current = Some((step.stage.name(), cpu_seconds()));
    }

    fn leave(&mut self) {
        if let Some((name, since)) = self.current.take() {
            *self.seconds.entry(name).or_default() += cpu_seconds() - since;
        }
    }
}

/// CPU seconds of this process so far, all threads.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
