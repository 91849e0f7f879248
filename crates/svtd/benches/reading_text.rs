//! Reading text: how fast it becomes counts, beside the limit measured in the same run.
//!
//! `cargo bench -p svtd --bench reading_text` prints what is recorded in `benches/record/reading.md`.
//! Rates are megabytes of text per second of processor time on one core, the best of several
//! rounds in which all loops take turns; the ratios are what counts on a noisy machine. Real text
//! is added when `SVTD_DATA` names a folder that has it.
//!
//! The limit is a loop that anybody would write: Unicode words, lower case, one hash table for the
//! whole text. Ours does that and more: documents apart, stop words and numbers dropped, document
//! frequencies, a sorted vocabulary, sparse rows.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a bench prints")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;

use hashbrown::HashMap;
use rustix::time::{ClockId, clock_gettime};
use svtd::text::{Language, Preprocessing, count_texts};
use unicode_segmentation::UnicodeSegmentation;

const ROUNDS: usize = 7;

fn main() {
    println!("| text | MB | loop | MB/s per core | ours / loop |");
    println!("|---|---|---|---|---|");
    measure("generated, English-like", &generated(0), Language::English);
    measure("generated, 1 word in 10 accented", &generated(10), Language::Italian);
    match std::env::var("SVTD_DATA") {
        Ok(folder) => {
            let folder = Path::new(&folder);
            measure(
                "20newsgroups",
                &json_texts(&folder.join("20newsgroups.jsonl.gz")),
                Language::English,
            );
            measure("divina_commedia", &files(&folder.join("divina_commedia")), Language::Italian);
        }
        Err(_) => println!("\nSVTD_DATA is not set: real text was skipped"),
    }
}

fn measure(name: &str, texts: &[String], language: Language) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let chosen = Preprocessing::new().language(Some(language));
    let stemmed = chosen.clone().stem(Some(language));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let ours = |chosen: &Preprocessing| {
        pool.install(|| black_box(count_texts(texts, chosen).unwrap().n_nonzeros()));
    };
    let loops: [(&str, &dyn Fn()); 6] = [
        ("ours: text to corpus", &|| ours(&chosen)),
        ("ours, with stems", &|| ours(&stemmed)),
        ("limit: unicode words + to_lowercase + count", &|| unicode_count(texts)),
        ("unicode words, no counting", &|| unicode_only(texts)),
        ("byte table + ASCII lower case + count", &|| bytes_count(texts)),
        ("byte table + ASCII lower case, no counting", &|| bytes_only(texts)),
    ];
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for (i, (_, run)) in loops.iter().enumerate() {
            let start = processor_seconds();
            run();
            let rate = bytes as f64 / 1e6 / (processor_seconds() - start);
            let entry = best.entry(i).or_insert(0.0);
            *entry = entry.max(rate);
        }
    }
    for (i, (label, _)) in loops.iter().enumerate() {
        let (rate, ratio) = (best[&i], best[&0] / best[&i]);
        println!("| {name} | {:.1} | {label} | {rate:.0} | {ratio:.2} |", bytes as f64 / 1e6);
    }
}

fn unicode_count(texts: &[String]) {
    let mut counts: HashMap<String, u32> = HashMap::new();
    for word in texts.iter().flat_map(|text| text.unicode_words()) {
        *counts.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    black_box(counts.len());
}

fn unicode_only(texts: &[String]) {
    black_box(texts.iter().flat_map(|text| text.unicode_words()).map(str::len).sum::<usize>());
}

/// Runs of ASCII letters, digits and bytes beyond ASCII, lower-cased byte by byte.
fn for_each_run(texts: &[String], mut each: impl FnMut(&[u8])) {
    let mut table = [0_u8; 256];
    for byte in 0..=255_u8 {
        if byte.is_ascii_alphanumeric() || byte >= 0x80 {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
    }
    let mut word = Vec::new();
    for text in texts {
        for &byte in text.as_bytes() {
            match table[byte as usize] {
                0 if word.is_empty() => {}
                0 => {
                    each(&word);
                    word.clear();
                }
                lower => word.push(lower),
            }
        }
        if !word.is_empty() {
            each(&word);
            word.clear();
        }
    }
}

fn bytes_count(texts: &[String]) {
    let mut counts: HashMap<Vec<u8>, u32> = HashMap::new();
    for_each_run(texts, |word| *counts.entry_ref(word).or_insert(0) += 1);
    black_box(counts.len());
}

fn bytes_only(texts: &[String]) {
    let mut total = 0;
    for_each_run(texts, |word| total += word.len());
    black_box(total);
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// 16 MB in 4000 documents: 60,000 spellings by Zipf's law, sentences, punctuation.
fn generated(accented: u64) -> Vec<String> {
    let mut draw = Draw(1);
    let spellings: Vec<String> =
        (0..60_000).map(|rank| spelling(rank, accented, &mut draw)).collect();
    (0..4000)
        .map(|_| {
            let mut text = String::new();
            while text.len() < 4000 {
                let length = 5 + draw.below(20);
                for i in 0..length {
                    let share = draw.below(1 << 30) as f64 / (1_u64 << 30) as f64;
                    let word = &spellings[(60_000_f64.powf(share) - 1.0) as usize];
                    match i {
                        0 => text.extend(
                            word[..1]
                                .chars()
                                .map(|c| c.to_ascii_uppercase())
                                .chain(word[1..].chars()),
                        ),
                        _ => text.push_str(word),
                    }
                    text.push_str(if draw.below(12) == 0 { ", " } else { " " });
                }
                text.pop();
                text.push_str(".\n");
            }
            text
        })
        .collect()
}

/// Short for frequent words, longer for rare ones, as in any language.
fn spelling(rank: u64, accented: u64, draw: &mut Draw) -> String {
    let length = 2 + rank.max(1).ilog2() as u64 / 2 + draw.below(3);
    let mut word: String = (0..length).map(|_| (b'a' + draw.below(26) as u8) as char).collect();
    if accented > 0 && draw.below(accented) == 0 {
        word.push('è');
    }
    word
}

struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn json_texts(path: &Path) -> Vec<String> {
    let file = std::fs::File::open(path).unwrap();
    let stream = serde_json::Deserializer::from_reader(std::io::BufReader::new(
        flate2::read::GzDecoder::new(file),
    ));
    let objects = stream.into_iter::<serde_json::Value>();
    objects.map(|object| object.unwrap()["text"].as_str().unwrap().to_owned()).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}
