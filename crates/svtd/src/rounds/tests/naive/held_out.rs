//! Held-out scores, by plain loops.

use super::survey::mixed;
use super::*;
use crate::questions::HeldOutRequest;

/// How many of a word's occurrences are held out: a coin for each of the first, and as many of the rest as
/// 64 further coins say.
fn held_out(document: u64, word: u64, rank: u64, count: u64) -> u64 {
    let coins = |block: u64| mixed(document ^ mixed(word ^ mixed(rank << 32 | block)));
    let flipped = count.min(64 << 12);
    let mut n = 0;
    for occurrence in 0..flipped {
        n += coins(occurrence / 64) >> (occurrence % 64) & 1;
    }
    let rest = (count - flipped) as f64;
    let deviation = (f64::from(coins(1 << 12).count_ones()) - 32.0) / 4.0;
    n + (0.5 * rest + 0.5 * deviation * rest.sqrt()).round() as u64
}

fn key_of_document(row: &Row, words: &[u64]) -> u64 {
    let key = |(x, word): (&f64, &u64)| mixed(word ^ mixed(*x as u64));
    let present = row.iter().zip(words).filter(|(x, _)| **x > 0.0);
    mixed(present.map(key).fold(0, u64::wrapping_add))
}

/// The keys of words by their names.
fn keys_of_names(names: &[String]) -> Vec<u64> {
    let key = |name: &String| {
        name.bytes().fold(mixed(name.len() as u64), |key, byte| mixed(key ^ u64::from(byte)))
    };
    names.iter().map(key).collect()
}

/// What documents make of each word, given keys of the words.
fn word_sums(rows: &[Row], words: &[u64]) -> Vec<u64> {
    let mut sums = vec![0_u64; words.len()];
    for row in rows {
        let document = key_of_document(row, words);
        for (sum, x) in sums.iter_mut().zip(row).filter(|(_, x)| **x > 0.0) {
            *sum = sum.wrapping_add(mixed(document ^ mixed(*x as u64)));
        }
    }
    sums
}

/// Words with their occurrences.
type Half = Vec<(usize, f64)>;

/// The observed and the held-out half of a document, without words that the models have never seen.
fn halves(row: &Row, words: &[u64], frequencies: &[f64]) -> [Half; 2] {
    let document = key_of_document(row, words);
    let mut present: Vec<usize> = (0..row.len()).filter(|&i| row[i] > 0.0).collect();
    // Words of equal keys are ranked: by their counts, then by how frequent they are.
    present.sort_by(|&a, &b| {
        let counts = row[a].total_cmp(&row[b]);
        words[a].cmp(&words[b]).then(counts).then(frequencies[b].total_cmp(&frequencies[a]))
    });
    let mut halves = [Half::new(), Half::new()];
    for (at, &i) in present.iter().enumerate() {
        let rank = present[..at].iter().filter(|&&other| words[other] == words[i]).count();
        let held = held_out(document, words[i], rank as u64, row[i] as u64) as f64;
        for (half, count) in halves.iter_mut().zip([row[i] - held, held]) {
            if count > 0.0 && frequencies[i] > 0.0 {
                half.push((i, count));
            }
        }
    }
    halves
}

/// The mixture of the observed half: each word in turn without itself, until little changes.
fn mixture(observed: &Half, topics: &Matrix, alpha: &[f64]) -> Vec<f64> {
    let k = alpha.len();
    let shares = |values: Vec<f64>| -> Vec<f64> {
        let total: f64 = values.iter().sum();
        values.iter().map(|value| value / total).collect()
    };
    let start =
        |&(i, _): &(usize, f64)| shares((0..k).map(|j| topics[(i, j)] * alpha[j]).collect());
    let mut gamma: Vec<Vec<f64>> = observed.iter().map(start).collect();
    let mut held: Vec<f64> = vec![0.0; k];
    for (&(_, x), gamma) in observed.iter().zip(&gamma) {
        (0..k).for_each(|j| held[j] += x * gamma[j]);
    }
    let length: f64 = observed.iter().map(|(_, x)| x).sum();
    for _ in 0..20 {
        let before = held.clone();
        for (&(i, x), old) in observed.iter().zip(&mut gamma) {
            let rate = |j: usize| topics[(i, j)] * (held[j] - old[j] + alpha[j]).max(0.0);
            let fresh = shares((0..k).map(rate).collect());
            (0..k).for_each(|j| held[j] += x * (fresh[j] - old[j]));
            *old = fresh;
        }
        let change: f64 = held.iter().zip(&before).map(|(a, b)| (a - b).abs()).sum();
        if change < 1e-3 * length {
            break;
        }
    }
    let total = length + alpha.iter().sum::<f64>();
    (0..k).map(|j| (held[j] + alpha[j]) / total).collect()
}

/// The posterior over topics of the observed half, where topics have these weights.
fn topic(observed: &Half, topics: &Matrix, weights: &[f64]) -> Vec<f64> {
    let score = |j: usize| {
        let words = observed.iter().map(|&(i, x)| x * topics[(i, j)].ln());
        weights[j].ln() + words.sum::<f64>()
    };
    let scores: Vec<f64> = (0..weights.len()).map(score).collect();
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.iter().map(|s| (s - top).exp()).sum();
    scores.iter().map(|s| (s - top).exp() / total).collect()
}

/// The answer, and how large what adds up to it is.
fn answer(rows: &[Row], names: &[String], request: &HeldOutRequest) -> [Vec<f64>; 2] {
    let HeldOutRequest { keys, frequencies, single_topic, models } = request;
    let words = keys.clone().unwrap_or_else(|| keys_of_names(names));
    let mixed_in = |(topics, alpha): &(Matrix, Vec<f64>)| {
        let value = |i: usize, j: usize| 0.99 * topics[(i, j)] + 0.01 * frequencies[i];
        (Matrix::from_fn(topics.n_rows(), topics.n_columns(), value), alpha.clone())
    };
    let models: Vec<(Matrix, Vec<f64>)> = models.iter().map(mixed_in).collect();
    let mut sums = [vec![0.0; 15], vec![0.0; 15]];
    for row in rows {
        let [observed, held_out] = halves(row, &words, frequencies);
        let tokens: f64 = held_out.iter().map(|(_, x)| x).sum();
        if tokens == 0.0 {
            continue;
        }
        let mut scores = [0.0; 3];
        for (score, (topics, alpha)) in scores.iter_mut().zip(&models) {
            let theta = match single_topic {
                true => topic(&observed, topics, alpha),
                false => mixture(&observed, topics, alpha),
            };
            for &(i, x) in &held_out {
                let p: f64 = (0..alpha.len()).map(|j| topics[(i, j)] * theta[j]).sum();
                *score += x * p.ln();
            }
        }
        let ahead = |m: usize| if m > 0 && m < models.len() { scores[m] - scores[0] } else { 0.0 };
        let values = [scores[0], ahead(1), ahead(2)];
        for (sums, values) in sums.iter_mut().zip([values, scores.map(f64::abs)]) {
            let mut terms = vec![1.0, tokens, tokens * tokens];
            for a in 0..3 {
                terms.extend([values[a], values[a] * tokens]);
                terms.extend((a..3).map(|b| values[a] * values[b]));
            }
            add(sums, terms);
        }
    }
    sums
}

/// Models of different sizes; the last of several words is one that they have never seen.
fn request(n: usize, n_models: usize, keys: Option<Vec<u64>>) -> HeldOutRequest {
    let shares = |values: Vec<f64>| -> Vec<f64> {
        let total: f64 = values.iter().sum();
        values.iter().map(|value| value / total).collect()
    };
    let frequency = |i: usize| if i > 4 && i + 1 == n { 0.0 } else { 1.0 / (1.0 + i as f64) };
    let model = |m: usize| {
        let topic = |j: usize| {
            shares(
                (0..n).map(|i| 1.1 + ((1 + i) as f64 * (0.3 + (m * 3 + j) as f64)).sin()).collect(),
            )
        };
        let topics = Matrix::from_columns(n, m + 2, (0..m + 2).flat_map(topic).collect());
        (topics, (0..m + 2).map(|j| 0.2 + 0.1 * j as f64).collect())
    };
    let frequencies = shares((0..n).map(frequency).collect());
    let models = (0..n_models).map(model).collect();
    HeldOutRequest { keys, frequencies, single_topic: false, models }
}

#[test]
fn held_out_scores_are_those_of_plain_loops() {
    for example in Example::all() {
        for (holders, n_blocks) in example.holders().into_iter().zip([1, 8, 4]) {
            // Words without names are told apart by the documents that have them, twice over.
            let mut keys = vec![0; example.names.len()];
            for _ in 0..2 {
                let expected = word_sums(&example.rows, &keys);
                let question = example.question(n_blocks, Request::WordKeys(keys));
                assert_eq!(asked(&holders, &question).whole, expected);
                keys = expected.into_iter().map(mixed).collect();
            }
            let n_models = [(3, None), (2, None), (1, None), (3, Some(keys))];
            for ((n_models, keys), single_topic) in
                n_models.into_iter().flat_map(|asked| [(asked.clone(), false), (asked, true)])
            {
                let request = request(example.names.len(), n_models, keys);
                let request = HeldOutRequest { single_topic, ..request };
                let [expected, sizes] = answer(&example.rows, &example.names, &request);
                let question = example.question(n_blocks, Request::HeldOut(request));
                let found = asked(&holders, &question).sums;
                assert_eq!(found.len(), expected.len());
                for at in 0..found.len() {
                    let (x, y) = (found[at], expected[at]);
                    let size = sizes[at].max(y.abs()).max(1.0);
                    assert!((x - y).abs() <= 1e-10 * size, "{n_models} models, {at}: {x} {y}");
                }
            }
        }
    }
}

/// For each list of words, in how many documents each two of them occur, and each of them.
pub(super) fn found_together(rows: &[Row], lists: &[Vec<u32>]) -> Vec<u64> {
    let mut counts = Vec::new();
    for list in lists {
        for (at, &a) in list.iter().enumerate() {
            for &b in &list[at..] {
                let both = |row: &&Row| row[a as usize] > 0.0 && row[b as usize] > 0.0;
                counts.push(rows.iter().filter(both).count() as u64);
            }
        }
    }
    counts
}

#[test]
fn words_are_found_together_as_by_plain_loops() {
    for example in Example::all() {
        let n = example.names.len() as u32;
        let lists = vec![(0..n).collect(), vec![n - 1], vec![], vec![n / 2, 0, n - 1]];
        let expected = found_together(&example.rows, &lists);
        for (holders, n_blocks) in example.holders().into_iter().zip([1, 8, 4]) {
            let question = example.question(n_blocks, Request::Together(lists.clone()));
            assert_eq!(asked(&holders, &question).whole, expected);
        }
        let question = example.question(1, Request::Together(vec![vec![n]]));
        let refused = example.holders()[0][0].ask(&question).unwrap_err().to_string();
        assert!(refused.contains("damaged"), "{refused}");
    }
}
