//! Cores: how a fit of LDA with the polish would scale, **simulated**.
//!
//! ```text
//! cargo bench -p svtd --bench cores -- [--documents 30000] [--topics 50] [--single-topic] [--once]
//! ```
//!
//! The fit runs on one thread, once divided for each number of cores, as the program would divide it there.
//! Every task that cores could share is timed, and what is outside of tasks counts as work for one core
//! alone, also where it is parallel and only not timed. The tasks are then dealt to the cores: a free
//! core takes the next task that is ready. Tasks are assumed to take as long beside others as by themselves, so
//! the memory's bandwidth and caches that cores share are not part of it.
//!
//! *Times as fast*: the same tasks one after the other, over what they take on the cores; on a noisy machine that
//! is more exact than to compare with another run, the fit *not divided*. `--once` runs the fit once only, divided
//! for 32 cores, and compares with the same tasks one after the other. Recorded in `benches/record/cores.md`.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a bench prints")]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use svtd::internals::tasks::{Stretch, record};
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};
use svtd::{Lda, SingleTopic};

const CORES: [usize; 4] = [4, 8, 16, 32];

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let number = |name: &str, usual: usize| {
        let at = given.iter().position(|a| a == name);
        at.and_then(|at| given.get(at + 1)).map_or(usual, |value| value.parse().unwrap())
    };
    let (n_documents, k) = (number("--documents", 30_000), number("--topics", 50));
    let single = given.iter().any(|a| a == "--single-topic");
    let lengths = Lengths::LogNormal { mu: 5.5, sigma: 0.7 };
    let n_words = 100_000;
    let corpus = if single {
        SingleTopicSource::zipf(n_words, 100, 5.0, 2000.0, 5.0, 1).draw(n_documents, &lengths, 2).0
    } else {
        LdaSource::zipf(n_words, 100, 5.0, 2000.0, 5.0, 1).draw(n_documents, &lengths, 2).0
    };
    println!(
        "{} documents, {} counts, {} words, k = {k}, {}; {} blocks",
        corpus.n_documents(),
        corpus.n_nonzeros(),
        corpus.n_present(),
        if single { "single topic" } else { "LDA" },
        corpus.n_blocks(),
    );
    let fit = || {
        if single {
            SingleTopic::params(k).trust(false).fit(&corpus).unwrap();
        } else {
            Lda::params(k).trust(false).fit(&corpus).unwrap();
        }
    };
    let once = given.iter().any(|a| a == "--once");
    let dealt = record(32, fit).1;
    println!("one thread, divided for 32 cores: {:.1} s", seconds(&dealt));
    let one = if once { seconds(&dealt) } else { seconds(&record(1, fit).1) };
    println!("one thread, not divided: {one:.1} s");
    println!(
        "\n| cores (simulated) | work, s | s | times as fast | as not divided |\n|--:|--:|--:|--:|--:|"
    );
    for cores in CORES {
        let own = if once || cores == 32 { None } else { Some(record(cores, fit).1) };
        let divided = own.as_ref().unwrap_or(&dealt);
        let simulated = simulate(divided, cores);
        let work = seconds(divided);
        println!(
            "| {cores} | {work:.1} | {simulated:.1} | {:.1} | {:.1} |",
            work / simulated,
            one / simulated
        );
    }
    let alone = |stretch: &Stretch| match stretch {
        Stretch::Alone(seconds) => Some(*seconds),
        Stretch::Shared(_) => None,
    };
    let mut longest: Vec<f64> = dealt.iter().filter_map(alone).collect();
    let alone: f64 = longest.iter().sum();
    println!(
        "\nalone, outside of every task: {alone:.2} s ({:.1} %)",
        100.0 * alone / seconds(&dealt)
    );
    let mut begins = 0.0;
    let mut few: Vec<(f64, usize, f64)> = Vec::new();
    for stretch in &dealt {
        let own = seconds(std::slice::from_ref(stretch));
        if let Stretch::Shared(tasks) = stretch {
            let leaves = tasks.iter().map(|task| leaves(task)).sum();
            if leaves < 32 && own > 0.001 * one {
                few.push((own, leaves, begins));
            }
        }
        begins += own;
    }
    few.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lost: f64 = few.iter().map(|(seconds, ..)| seconds).sum();
    println!("passes of fewer than 32 tasks that take .1 % or more: {} ({lost:.2} s)", few.len());
    for (seconds, leaves, begins) in few.iter().take(8) {
        println!("  at {begins:.1} s: {seconds:.2} s in {leaves} tasks");
    }
    println!("what 32 cores would wait for most: seconds of work, tasks, seconds on 32 cores");
    let mut waits: Vec<(f64, f64, usize, f64)> = Vec::new();
    let mut at = 0.0;
    for stretch in &dealt {
        let alone = std::slice::from_ref(stretch);
        let (work, simulated) = (seconds(alone), simulate(alone, 32));
        waits.push((at, work, leaves(alone), simulated));
        at += work;
    }
    waits.sort_by(|a, b| (b.3 - b.1 / 32.0).total_cmp(&(a.3 - a.1 / 32.0)));
    for (at, work, leaves, simulated) in waits.iter().take(8) {
        println!("  at {at:.1} s: {work:.3} s, {leaves} tasks, {simulated:.3} s");
    }
    longest.sort_by(|a, b| b.total_cmp(a));
    println!("longest stretches alone: {:.2?} s", &longest[..longest.len().min(8)]);
}

/// Seconds of work.
fn seconds(stretches: &[Stretch]) -> f64 {
    let of = |stretch: &Stretch| match stretch {
        Stretch::Alone(seconds) => *seconds,
        Stretch::Shared(tasks) => tasks.iter().map(|task| seconds(task)).sum(),
    };
    stretches.iter().map(of).sum()
}

/// Tasks that are not divided further.
fn leaves(task: &[Stretch]) -> usize {
    let within: usize = task
        .iter()
        .map(|stretch| match stretch {
            Stretch::Alone(_) => 0,
            Stretch::Shared(tasks) => tasks.iter().map(|task| leaves(task)).sum(),
        })
        .sum();
    within.max(1)
}

/// A task on its way.
struct Running<'a> {
    stretches: &'a [Stretch],
    next: usize,
    parent: Option<usize>,
    /// Tasks it waits for.
    waits_for: usize,
}

/// When the last task is done, if a free core takes the next that is ready.
fn simulate(work: &[Stretch], cores: usize) -> f64 {
    let mut tasks = vec![Running { stretches: work, next: 0, parent: None, waits_for: 0 }];
    let mut ready = VecDeque::from([0]);
    // Moments in picoseconds, so that they can be ordered.
    let mut busy: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut now = 0;
    loop {
        while busy.len() < cores
            && let Some(task) = ready.pop_back()
        {
            let (stretches, next) = (tasks[task].stretches, tasks[task].next);
            tasks[task].next += 1;
            match stretches.get(next) {
                Some(Stretch::Alone(seconds)) => {
                    busy.push(Reverse((now + (seconds * 1e12) as u64, task)));
                }
                Some(Stretch::Shared(parts)) if !parts.is_empty() => {
                    tasks[task].waits_for = parts.len();
                    for part in parts.iter().rev() {
                        ready.push_back(tasks.len());
                        tasks.push(Running {
                            stretches: part,
                            next: 0,
                            parent: Some(task),
                            waits_for: 0,
                        });
                    }
                }
                Some(Stretch::Shared(_)) => ready.push_back(task),
                None => {
                    let Some(parent) = tasks[task].parent else { return now as f64 / 1e12 };
                    tasks[parent].waits_for -= 1;
                    if tasks[parent].waits_for == 0 {
                        ready.push_back(parent);
                    }
                }
            }
        }
        let Some(Reverse((at, task))) = busy.pop() else { return now as f64 / 1e12 };
        now = at;
        ready.push_back(task);
    }
}
