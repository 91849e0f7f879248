//! Documents dealt to topics, by plain loops.

use super::*;
use crate::questions::{Deal, DealRequest, Others};

/// `ln [ a (a + 1) ... (a + x - 1) ]`, a sum of up to a million terms, whose rounding errors are summed too.
fn ln_rising(a: f64, x: f64) -> f64 {
    let (mut sum, mut error) = (0.0_f64, 0.0);
    for t in 0..x as u64 {
        let term = (a + t as f64).ln() - error;
        let next = sum + term;
        error = (next - sum) - term;
        sum = next;
    }
    sum
}

fn shares(scores: &[f64]) -> Vec<f64> {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.iter().map(|score| (score - top).exp()).sum();
    scores.iter().map(|score| (score - top).exp() / total).collect()
}

/// Where the largest score is, but for one.
fn best(scores: &[f64], but: Option<usize>) -> usize {
    let better = |&a: &usize, &b: &usize| scores[a].total_cmp(&scores[b]);
    (0..scores.len()).filter(|&j| Some(j) != but).max_by(better).unwrap()
}

/// The scores of a document whose own words are taken out of the counts.
fn left_out(row: &Row, scores: &[f64], others: &Others) -> Vec<f64> {
    let Others { counts, documents, prior, strength } = others;
    let (p, c) = (shares(scores), row.iter().sum::<f64>());
    let topic = |j: usize| {
        let own = if p[j] > 1e-4 { p[j] } else { 0.0 };
        let word = |i: usize| {
            let base = prior[i] + counts[(i, j)] - own * row[i];
            ln_rising(base.max(prior[i]), row[i])
        };
        let all: f64 = counts.column(j).iter().sum();
        let words: f64 = (0..row.len()).map(word).sum();
        let total = (strength + all - p[j] * c).max(*strength);
        words - ln_rising(total, c) + (documents[j] - p[j] + 1.0).ln()
    };
    (0..p.len()).map(topic).collect()
}

/// The documents after a step, and what they tell.
fn step(rows: &[Row], scores: &mut [Vec<f64>], deal: &Deal) -> (Vec<f64>, Vec<u64>) {
    let n = rows[0].len();
    let before: Vec<Option<usize>> =
        scores.iter().map(|scores| (!scores.is_empty()).then(|| best(scores, None))).collect();
    for (row, scores) in rows.iter().zip(scores.iter_mut()) {
        *scores = match deal {
            Deal::Begin(logarithms, weights) => {
                times(row, logarithms).iter().zip(weights).map(|(s, w)| s + w.ln()).collect()
            }
            Deal::Ask(others) => left_out(row, scores, others),
            Deal::Keep(topics) => topics.iter().map(|&j| scores[j]).collect(),
            Deal::Best | Deal::Next(_) => scores.clone(),
        };
    }
    let k = scores[0].len();
    if let Deal::Next(topics) = deal {
        let mut whole = vec![0; topics.len() * k * (n + 1)];
        for (row, scores) in rows.iter().zip(scores.iter()) {
            let out = best(scores, None);
            if topics.contains(&out) {
                let at = ((out - topics.start) * k + best(scores, Some(out))) * (n + 1);
                whole[at] += 1;
                (0..n).for_each(|i| whole[at + 1 + i] += row[i] as u64);
            }
        }
        return (Vec::new(), whole);
    }
    let one_hot = |scores: &Vec<f64>| {
        (0..k).map(|j| f64::from(u8::from(j == best(scores, None)))).collect::<Vec<f64>>()
    };
    let mut sums = vec![0.0; n * k];
    let (mut documents, mut whole) = (vec![0.0; k], vec![0; 1 + k]);
    for (row, (scores, before)) in rows.iter().zip(scores.iter().zip(&before)) {
        let p = if *deal == Deal::Best { one_hot(scores) } else { shares(scores) };
        add(&mut sums, outer(row, &p));
        add(&mut documents, p);
        let now = best(scores, None);
        whole[0] += u64::from(matches!(deal, Deal::Ask(_)) && *before != Some(now));
        whole[1 + now] += 1;
    }
    if *deal == Deal::Best {
        return (sums, Vec::new());
    }
    sums.extend(documents);
    (sums, whole)
}

/// The counts that documents get after a step: of these documents, and of others that nobody holds.
/// The latter separate the topics clearly, so that the document of a million words has one topic:
/// its own words are subtracted from the counts, and a little uncertainty about its topic would
/// outweigh all other words.
fn others(sums: &[f64], n: usize) -> Others {
    let k = sums.len() / (n + 1);
    let unlike = |i: usize, j: usize| if i > 0 { 4.0 * j as f64 } else { 0.0 };
    let more = |i: usize, j: usize| 0.05 * ((3 * i + 5 * j) % 7) as f64 + unlike(i, j);
    Others {
        counts: Matrix::from_fn(n, k, |i, j| sums[j * n + i] + more(i, j)),
        documents: (0..k).map(|j| sums[n * k + j] + 0.1 * j as f64).collect(),
        prior: (0..n).map(|i| 0.3 + 0.1 * i as f64).collect(),
        strength: (0..n).map(|i| 0.3 + 0.1 * i as f64).sum(),
    }
}

#[test]
fn dealing_is_that_of_plain_loops() {
    for example in Example::all() {
        let n = example.names.len();
        for (holders, n_blocks) in example.holders().into_iter().zip([1, 8, 4]) {
            let table = Matrix::from_fn(n, 4, |i, j| {
                ((1 + i) as f64 * (0.4 + j as f64)).sin() - (2.0 + n as f64).ln()
            });
            let mut next = Deal::Begin(table, vec![0.4, 0.3, 0.2, 0.1]);
            let mut scores: Vec<Vec<f64>> = vec![Vec::new(); example.rows.len()];
            for turn in 0..7 {
                let (sums, whole) = step(&example.rows, &mut scores, &next);
                let request = DealRequest { run: 3, turn, deal: next };
                let question = example.question(n_blocks, Request::Deal(request));
                let found = asked(&holders, &question);
                assert_eq!(found.whole, whole, "step {turn}");
                assert_eq!(found.sums.len(), sums.len());
                let largest = sums.iter().copied().fold(0.0, f64::max);
                for (x, y) in found.sums.iter().zip(&sums) {
                    assert!((x - y).abs() <= 1e-10 * largest, "step {turn}: {x} {y}");
                }
                next = match turn {
                    0 | 1 | 3 => Deal::Ask(others(&sums, n)),
                    2 => Deal::Keep(vec![0, 1, 3]),
                    4 => Deal::Next(1..3),
                    _ => Deal::Best,
                };
            }
        }
    }
}
