//! Reading: how near the readers come to what the machine can do.
//!
//! `cargo bench -p svtd --bench reading` prints what is recorded in `benches/record/reading.md`.
//! Machines are shared and noisy, so every rate is bytes by processor time of one thread, limit
//! and reader take turns in one run, and what counts is their ratio.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a bench prints"
)]

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use svtd::{Corpus, CorpusReader};

/// Rounds; the best of each counts.
const ROUNDS: usize = 9;
const DOCUMENTS: u32 = 50_000;
const WORDS: u32 = 100_000;
const ENTRIES: u32 = 100 * DOCUMENTS;

fn main() {
    // One thread, so that the processor time of a thread is that of the work.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(counts);
}

/// A docword file into rows, against a plain loop over its bytes.
fn counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docword.large.txt");
    write_docword(&path);
    let megabytes = std::fs::metadata(&path).unwrap().len() as f64 / 1e6;
    let counted = folder.path().join("large.svtdc");
    Corpus::read(&path).unwrap().save(&counted, false).unwrap();
    let counted_megabytes = std::fs::metadata(&counted).unwrap().len() as f64 / 1e6;

    let mut best = [f64::INFINITY; 4];
    let mut limit = PlainLoop::default();
    for _ in 0..ROUNDS {
        let seconds = [
            seconds_of(|| limit.read(&path)),
            seconds_of(|| CorpusReader::new().read_rows(&path).unwrap().n_nonzeros()),
            seconds_of(|| Corpus::read(&path).unwrap().n_nonzeros()),
            seconds_of(|| Corpus::read(&counted).unwrap().n_nonzeros()),
        ];
        for (best, seconds) in best.iter_mut().zip(seconds) {
            *best = best.min(seconds);
        }
    }
    let lines = f64::from(ENTRIES) / 1e6;
    println!(
        "docword of {lines:.0} million lines, {megabytes:.0} MB; best of {ROUNDS} rounds, one thread\n"
    );
    println!("| | seconds of processor time | MB/s | million lines/s | share of the limit |");
    println!("|---|--:|--:|--:|--:|");
    let names = [
        "limit: plain byte loop to rows (u32 word, u16 count), buffers reused",
        "docword to rows, every number checked",
        "docword to a corpus (words ranked, rows sorted)",
        "the same corpus from its .svtdc file",
    ];
    for (name, seconds) in names.into_iter().zip(best) {
        println!(
            "| {name} | {seconds:.3} | {:.0} | {:.0} | {:.0} % |",
            megabytes / seconds,
            lines / seconds,
            100.0 * best[0] / seconds
        );
    }
    println!(
        "\nThe .svtdc file has {counted_megabytes:.0} MB; its MB/s are those of the docword file it stands for."
    );
    let share = best[0] / best[1];
    println!(
        "Target: rows at 60 % of the limit or more: {}",
        if share >= 0.6 { "met" } else { "missed" }
    );
}

/// What the machine can do: digits and blanks, and nothing checked.
#[derive(Default)]
struct PlainLoop {
    buffer: Vec<u8>,
    offsets: Vec<usize>,
    words: Vec<u32>,
    counts: Vec<u16>,
}

impl PlainLoop {
    fn read(&mut self, path: &Path) -> usize {
        self.buffer.resize(1 << 20, 0);
        self.offsets.clear();
        self.words.clear();
        self.counts.clear();
        let mut file = File::open(path).unwrap();
        let (mut n_kept, mut n_header, mut row) = (0, 3, 0);
        loop {
            let n = file.read(&mut self.buffer[n_kept..]).unwrap();
            if n == 0 {
                break;
            }
            let end = n_kept + n;
            let whole = self.buffer[..end].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            let (lines, mut at) = (&self.buffer[..whole], 0);
            while n_header > 0 {
                number(lines, &mut at);
                n_header -= 1;
            }
            while at < whole {
                let document = number(lines, &mut at);
                let word = number(lines, &mut at);
                let count = number(lines, &mut at);
                while row < document {
                    self.offsets.push(self.words.len());
                    row += 1;
                }
                self.words.push(word - 1);
                self.counts.push(count as u16);
            }
            self.buffer.copy_within(whole..end, 0);
            n_kept = end - whole;
        }
        self.offsets.push(self.words.len());
        self.words.len()
    }
}

/// Digits up to the byte behind them.
#[inline(always)]
fn number(bytes: &[u8], at: &mut usize) -> u32 {
    let mut value = 0;
    loop {
        let digit = bytes[*at].wrapping_sub(b'0');
        *at += 1;
        if digit > 9 {
            return value;
        }
        value = 10 * value + u32::from(digit);
    }
}

/// Words ascend by uneven steps, as in a real file.
fn write_docword(path: &Path) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let per_document = ENTRIES / DOCUMENTS;
    writeln!(file, "{DOCUMENTS}\n{WORDS}\n{ENTRIES}").unwrap();
    for document in 1..=DOCUMENTS {
        let mut word = 0;
        for i in 0..per_document {
            let noise = (document ^ i.wrapping_mul(2_654_435_761)).wrapping_mul(0x9e37_79b9);
            word += 1 + (noise >> 16) % (WORDS / per_document);
            writeln!(file, "{document} {word} {}", 1 + (noise >> 28) / 6).unwrap();
        }
    }
    file.flush().unwrap();
}

/// Processor time of this thread; the answer is checked and kept from being optimised away.
fn seconds_of(work: impl FnOnce() -> usize) -> f64 {
    let start = thread_seconds();
    assert_eq!(black_box(work()), ENTRIES as usize);
    thread_seconds() - start
}

fn thread_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")
        .expect("processor time of a thread is told by Linux alone");
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
