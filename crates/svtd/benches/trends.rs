//! Trends: do the bands of shares over time cover?
//!
//! `cargo bench --workspace --bench trends` prints what is recorded in `benches/record/trends.md`.
//! A number is how many corpora of each kind are drawn.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a bench prints")]

use rayon::prelude::*;
use svtd::corpus::Taken;
use svtd::evaluation::{Shares, Unmixing, match_topics};
use svtd::linalg::Matrix;
use svtd::synthetic::{LdaSource, Lengths};
use svtd::{Corpus, Lda};

/// A kind of corpus.
struct Kind {
    n_words: usize,
    k: usize,
    years: usize,
    per_year: usize,
    lengths: std::ops::RangeInclusive<u32>,
    bursty: bool,
}

/// How many bands there were, how many covered, and how wide they were.
#[derive(Default, Clone, Copy)]
struct Tally {
    n: usize,
    covered: usize,
    width: f64,
}

fn main() {
    let corpora = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(40);
    println!("{corpora} corpora of each kind; bands for all topics and years\n");
    println!("words  k  years x documents, length       by         coverage  mean width");
    let kind = |n_words, k, years, per_year, lengths, bursty| Kind {
        n_words,
        k,
        years,
        per_year,
        lengths,
        bursty,
    };
    let kinds = [
        kind(200, 4, 10, 50, 10..=40, false),
        kind(500, 5, 20, 100, 40..=120, false),
        kind(1000, 10, 20, 100, 40..=120, false),
        kind(500, 5, 40, 20, 100..=300, false),
        kind(500, 5, 20, 100, 40..=120, true),
    ];
    for kind in &kinds {
        let tallies: Vec<[Tally; 2]> =
            (0..corpora).into_par_iter().map(|seed| kind.run(9000 + seed)).collect();
        for (at, by) in ["unmixing", "inference"].into_iter().enumerate() {
            let mut sum = Tally::default();
            for tally in &tallies {
                sum.n += tally[at].n;
                sum.covered += tally[at].covered;
                sum.width += tally[at].width;
            }
            let (rate, width) = (sum.covered as f64 / sum.n as f64, sum.width / sum.n as f64);
            let bursty = if kind.bursty { " bursty" } else { "" };
            let size = format!("{} x {}, {:?}{bursty}", kind.years, kind.per_year, kind.lengths);
            let (n_words, k) = (kind.n_words, kind.k);
            println!("{n_words:5} {k:2}  {size:28}  {by:9}  {rate:.3}     {width:.3}");
        }
    }
}

impl Kind {
    /// Shares of a year: waves, none below a hundredth.
    fn truth(&self, year: usize) -> Vec<f64> {
        let wave = |j: usize| {
            let at = year as f64 / self.years as f64 + j as f64 / self.k as f64;
            0.05 + 0.5 * (1.0 + (std::f64::consts::TAU * at).sin())
        };
        let total: f64 = (0..self.k).map(wave).sum();
        (0..self.k).map(|j| wave(j) / total).collect()
    }

    fn run(&self, seed: u64) -> [Tally; 2] {
        let source = LdaSource::like_text(self.n_words, self.k, 1.0, seed);
        let lengths = Lengths::Uniform(self.lengths.clone());
        let mut years = (0..self.years).map(|year| {
            let of_year = LdaSource { alpha: self.truth(year), ..source.clone() };
            let drawn = 1_000_000 * seed + year as u64;
            let corpus = match self.bursty {
                true => of_year.draw_bursty(self.per_year, &lengths, 200.0, drawn),
                false => of_year.draw(self.per_year, &lengths, drawn).0,
            };
            (year.to_string(), corpus)
        });
        let first = years.next().unwrap();
        let corpus = Corpus::merge(first, years.collect(), Taken::Refuse).unwrap().corpus;
        let fitted = Lda::params(self.k).trust(false).fit(&corpus).unwrap();
        let matched = match_topics(&source.word_topic, fitted.topics().word_topic());
        let order: Vec<usize> = matched.iter().map(|j| j.unwrap()).collect();
        [
            self.tally(&Unmixing::new(fitted.topics()).unwrap().shares(&corpus), &order),
            self.tally(&fitted.infer(&corpus).unwrap().mixtures, &order),
        ]
    }

    /// How many bands cover, topic `j` of the truth being `order[j]` of the estimates.
    fn tally(&self, estimates: &Matrix, order: &[usize]) -> Tally {
        let groups: Vec<Option<usize>> =
            (0..estimates.n_rows()).map(|d| Some(d / self.per_year)).collect();
        let shares = Shares::by_group(estimates, &groups, self.years);
        let mut tally = Tally::default();
        for year in 0..self.years {
            for (j, share) in self.truth(year).into_iter().enumerate() {
                let [low, high] = shares.interval(year, order[j]).unwrap();
                tally.n += 1;
                tally.covered += usize::from((low..=high).contains(&share));
                tally.width += high - low;
            }
        }
        tally
    }
}
