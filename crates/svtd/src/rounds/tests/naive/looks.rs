//! Looks of the sweeps, by plain loops.
//!
//! A look rounds every responsibility to a whole number of units, so its answer is exact. The twin computes
//! in single precision as the sweeps do, a topic at a time.

use super::*;
use crate::questions::{Look, LookRequest, Rates, WordFacts};

/// Topics, and numbers in a row of them: the rest is nothing.
const K: usize = 20;
const WIDTH: usize = 32;

/// The over-relaxation of a sweep.
const STRIDE: f32 = 1.8;

type Topics = [f32; WIDTH];

/// What is kept of a document.
#[derive(Clone)]
struct Kept {
    mixture: Topics,
    variance: Topics,
}

impl Kept {
    /// Moves `stride` times the way to the new mixture; the new variance is `sum - squares`.
    fn follow(&mut self, sum: &Topics, squares: &Topics, stride: f32) {
        for j in 0..WIDTH {
            let step = stride * (sum[j] - self.mixture[j]);
            self.mixture[j] = (self.mixture[j] + step).max(0.0);
            self.variance[j] = (sum[j] - squares[j]).max(0.0);
        }
    }
}

/// The sum over topics, in the order that the library defines: values 16 apart are added, then 8
/// apart and so on.
fn total(values: &Topics) -> f32 {
    let mut sums = [0.0; 16];
    (0..WIDTH).for_each(|j| sums[j % 16] += values[j]);
    for apart in [8, 4, 2, 1] {
        (0..apart).for_each(|j| sums[j] += sums[j + apart]);
    }
    sums[0]
}

fn inverse(total: f32) -> f32 {
    if total > 0.0 { 1.0 / total } else { 0.0 }
}

/// The geometric mean of a number of this mean and variance, nearly.
fn geometric(mean: f32, variance: f32) -> f32 {
    let double = mean * mean + mean * mean;
    mean * (double / (double + variance + f32::MIN_POSITIVE))
}

/// Goes through a document; the responsibilities of its words, times their counts.
fn looked(row: &Row, kept: &mut Kept, request: &LookRequest) -> Vec<(usize, Topics)> {
    let LookRequest { look, order, rates, .. } = request;
    let second = *order == Order::Second;
    let (looks, stride) = match (look, order) {
        (Look::WarmUp, Order::Zeroth) => (4, 1.0),
        (Look::WarmUp, Order::Second) => (11, STRIDE),
        (Look::Sweep, _) => (2, STRIDE),
    };
    let mean = |mean: f32, variance: f32| if second { geometric(mean, variance) } else { mean };
    let words: Vec<(usize, f32)> =
        row.iter().enumerate().filter(|(_, x)| **x > 0.0).map(|(i, &x)| (i, x as f32)).collect();
    let rate = |i: usize, j: usize| rates.words[i * WIDTH + j];
    // What normalised each word in the look before; in the warm-up no word is excluded.
    let mut inverses = vec![0.0_f32; words.len()];
    let scaled = |kept: &Kept| -> Topics {
        std::array::from_fn(|j| {
            mean(kept.mixture[j] + rates.alpha[j], kept.variance[j]) * rates.inverse[j]
        })
    };
    for _ in 1..looks {
        let (mut sum, mut squares) = ([0.0_f32; WIDTH], [0.0_f32; WIDTH]);
        let scaled = scaled(kept);
        for (&(i, x), kept_inverse) in words.iter().zip(&mut inverses) {
            let inverse = inverse(total(&std::array::from_fn(|j| rate(i, j) * scaled[j])));
            let scale = inverse * x;
            for j in 0..WIDTH {
                sum[j] += rate(i, j) * scale;
                squares[j] += (rate(i, j) * scale) * (rate(i, j) * inverse);
            }
            if *look == Look::Sweep {
                *kept_inverse = inverse;
            }
        }
        let sum = std::array::from_fn(|j| sum[j] * scaled[j]);
        let squares = std::array::from_fn(|j| (scaled[j] * scaled[j]) * squares[j]);
        kept.follow(&sum, &squares, stride);
    }
    let mut dealt = Vec::new();
    let (mut sum, mut squares) = ([0.0_f32; WIDTH], [0.0_f32; WIDTH]);
    let before: Topics = std::array::from_fn(|j| kept.mixture[j] + rates.alpha[j]);
    let scaled = scaled(kept);
    for (&(i, x), before_inverse) in words.iter().zip(&inverses) {
        let eta = if *look == Look::Sweep { rates.eta[i] } else { 0.0 };
        let left: Topics = std::array::from_fn(|j| {
            let own = ((rate(i, j) * scaled[j]) * before_inverse).min(kept.mixture[j]);
            let others = (rate(i, j) - own).max(eta);
            let inverse = rates.inverse[j] + own * (rates.inverse[j] * rates.inverse[j]);
            let variance = (kept.variance[j] - own * (1.0 - own)).max(0.0);
            (others * inverse) * mean(before[j] - own, variance)
        });
        let inverse = inverse(total(&left));
        let scale = inverse * x;
        for j in 0..WIDTH {
            sum[j] += left[j] * scale;
            squares[j] += (left[j] * scale) * (left[j] * inverse);
        }
        dealt.push((i, left.map(|left| left * scale)));
    }
    kept.follow(&sum, &squares, stride);
    dealt
}

/// What is known of the words.
fn known(rows: &[Row]) -> Vec<WordFacts> {
    let word = |i: usize| {
        let counts = || rows.iter().map(|row| row[i] as u32).filter(|x| *x > 0);
        WordFacts {
            total: counts().map(u64::from).sum(),
            largest: counts().max().unwrap_or(0),
            documents: counts().count() as u64,
        }
    };
    (0..rows[0].len()).map(word).collect()
}

/// Units to one, and whether a word's sums have 32 bits: as fine as largest count and total allow.
fn units(word: &WordFacts) -> (f64, bool) {
    let bits = |value: u64| (0..64).find(|bits| value <= 1 << bits).unwrap();
    let fine = 22 - bits(u64::from(word.largest));
    let fine = fine.min(31 - bits(word.total + 1));
    if fine >= 14 { (2_f64.powi(fine), true) } else { (2_f64.powi(20), false) }
}

/// The answer to a look.
fn answer(rows: &[Row], kept: &mut [Kept], request: &LookRequest) -> Vec<u64> {
    let mut sums = vec![vec![0_u64; WIDTH]; request.known.len()];
    for (row, kept) in rows.iter().zip(kept) {
        for (i, fresh) in looked(row, kept, request) {
            let units = units(&request.known[i]).0;
            for (sum, fresh) in sums[i].iter_mut().zip(fresh) {
                *sum += (f64::from(fresh) * units).round_ties_even() as u64;
            }
        }
    }
    let of = |short: bool| {
        let words = sums.iter().zip(&request.known);
        words.filter(move |(_, word)| units(word).1 == short).flat_map(|(sums, _)| sums.clone())
    };
    of(true).chain(of(false)).collect()
}

/// A warm-up, then sweeps with rates that change.
fn looks(n: usize, order: Order, known: &[WordFacts]) -> Vec<LookRequest> {
    let look = |turn: u64| {
        let value = |at: usize| 1.0 + ((at as f64 + 1.0) * (0.37 + turn as f64)).sin();
        let rate = |i: usize, j: usize| match (j < K, turn) {
            (false, _) => 0.0,
            (_, 0) => (value(i * K + j) / n as f64) as f32,
            _ => (known[i].total as f64 * value(i * K + j) / K as f64 + 0.05) as f32,
        };
        let inverse = |j: usize| if turn == 0 { 1.0 } else { (1.0 / (9.0 + value(j))) as f32 };
        let alpha = |j: usize| if j < K { 0.1 + 0.01 * j as f32 } else { 0.0 };
        let rates = Rates {
            words: (0..n * WIDTH).map(|at| rate(at / WIDTH, at % WIDTH)).collect::<Vec<_>>().into(),
            inverse: (0..WIDTH).map(inverse).collect(),
            alpha: (0..WIDTH).map(alpha).collect(),
            eta: vec![0.05; n],
        };
        let look = if turn == 0 { Look::WarmUp } else { Look::Sweep };
        LookRequest { look, order, run: 7, turn, rates, known: known.to_vec() }
    };
    (0..4).map(look).collect()
}

#[test]
fn looks_are_those_of_plain_loops() {
    for example in Example::all() {
        let known = known(&example.rows);
        for order in [Order::Zeroth, Order::Second] {
            let looks = looks(known.len(), order, &known);
            for (holders, n_blocks) in example.holders().into_iter().zip([1, 8, 4]) {
                let nothing = Kept { mixture: [0.0; WIDTH], variance: [0.0; WIDTH] };
                let mut kept = vec![nothing; example.rows.len()];
                for look in &looks {
                    let expected = answer(&example.rows, &mut kept, look);
                    let question = example.question(n_blocks, Request::Look(look.clone()));
                    let found = asked(&holders, &question).whole;
                    assert_eq!(found, expected, "{order:?}, look {}", look.turn);
                }
            }
        }
    }
}
