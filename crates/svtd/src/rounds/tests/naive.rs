//! The naive twin of the answers: plain loops over documents, no blocks and no panels.
//!
//! Two kinds are not here: looks, whose twin is beside the sweeps, and held-out scores, which are those of
//! the evaluation.

use serde_json::json;

use super::*;
use crate::choosing::noise::{Directions, Freed};
use crate::corpus::KeyPart;
use crate::fit::collapsed_vb::Order;
use crate::linalg::Matrix;
use crate::moments::{Counting, Law, Weighing};
use crate::trust::{FeedbackRequest, Scores, Settling};

/// A document: its counts in the order of the question's words.
type Row = Vec<f64>;

fn counted(row: &Row, counting: Counting) -> Row {
    let value = |x: f64| match counting {
        Counting::Raw => x,
        Counting::Damped => 1.0 + x.ln(),
    };
    row.iter().map(|&x| if x > 0.0 { value(x) } else { 0.0 }).collect()
}

fn tuples(c: f64, order: usize) -> f64 {
    [c, c - 1.0, c - 2.0][..order].iter().product()
}

/// What the law of least variance, where two words coincide by the chance `s`, says of a length.
fn value(s: f64, order: usize, c: f64) -> f64 {
    match order {
        _ if c < order as f64 => 0.0,
        1 => c,
        2 => 1.0 / (s * s + 4.0 * s / c + 2.0 / tuples(c, 2)),
        _ => 1.0 / (s.powi(3) + 9.0 * s * s / c + 18.0 * s / (c * c) + 6.0 / tuples(c, 3)),
    }
}

const CHANCE: f64 = 0.15;
const TOTALS: [f64; 3] = [90.0, 12.0, 7.0];

fn weight(order: usize, c: f64) -> f64 {
    if c < order as f64 {
        return 0.0;
    }
    value(CHANCE, order, c) / TOTALS[order - 1] / tuples(c, order)
}

fn times(row: &Row, table: &Matrix) -> Vec<f64> {
    let product = |j| (0..row.len()).map(|i| row[i] * table[(i, j)]).sum();
    (0..table.n_columns()).map(product).collect()
}

fn posterior(row: &Row, logarithms: &Matrix, weights: &[f64]) -> (Vec<f64>, f64) {
    let scores: Vec<f64> =
        times(row, logarithms).iter().zip(weights).map(|(s, w)| s + w.ln()).collect();
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.iter().map(|s| (s - top).exp()).sum();
    (scores.iter().map(|s| (s - top).exp() / total).collect(), top + total.ln())
}

/// A mixture at rest: what the document holds of each topic, and its part of `C'B`.
fn settled(row: &Row, settling: &Settling) -> (Vec<f64>, Vec<f64>) {
    let (n, k) = (row.len(), settling.alpha.len());
    let mut mixture = settling.alpha.clone();
    let (mut held, mut sums) = (vec![0.0; k], vec![0.0; n * k]);
    let stages = settling.stages.iter().enumerate();
    for topics in stages.flat_map(|(s, topics)| vec![topics; if s == 0 { 3 } else { 1 }]) {
        let (mut sum, mut squares) = (vec![0.0; k], vec![0.0; k]);
        sums.fill(0.0);
        for i in (0..n).filter(|&i| row[i] > 0.0) {
            let explained: f64 = (0..k).map(|j| topics[(i, j)] * mixture[j]).sum();
            let share = row[i] / explained;
            for j in 0..k {
                sum[j] += share * topics[(i, j)];
                squares[j] += share * share / row[i] * topics[(i, j)].powi(2);
                sums[j * n + i] = f64::from(share as f32) * mixture[j];
            }
        }
        for j in 0..k {
            let (b, before) = (mixture[j], settling.alpha[j]);
            held[j] = b * sum[j];
            let (m, v) = (held[j] + before, (b * (sum[j] - b * squares[j])).max(0.0));
            mixture[j] = match settling.order {
                Order::Zeroth => m,
                Order::Second => m / (1.0 + v / (2.0 * m * m)),
            };
        }
    }
    (held, sums)
}

/// Numbers of documents and what they hold, in eight ranges to a power of two from 2^-40 on.
fn ranges(held: &[Vec<f64>]) -> Vec<f64> {
    let (k, n) = (held[0].len(), 640);
    let mut sums = vec![0.0; 2 * n * k];
    for row in held {
        for (j, &held) in row.iter().enumerate().filter(|(_, held)| **held > 0.0) {
            let begins = |at: usize| 2_f64.powi(at as i32 / 8 - 40) * (1.0 + (at % 8) as f64 / 8.0);
            let at = (1..n).take_while(|&at| begins(at) <= held).count();
            sums[j * n + at] += 1.0;
            sums[n * k + j * n + at] += held;
        }
    }
    sums
}

fn add(sums: &mut [f64], more: impl IntoIterator<Item = f64>) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// `x_i f_j` for every word and column.
fn outer<'a>(row: &'a [f64], f: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    f.iter().flat_map(move |f| row.iter().map(move |x| x * f))
}

fn measured(
    directions: &Directions,
    z: &[f64],
    own: &[f64],
    zeta: &[f64],
    w: [f64; 3],
) -> Vec<f64> {
    let Directions { means, a1, freed, .. } = directions;
    let k = means.len();
    let term = |x: f64, y: f64, mean_x: f64, mean_y: f64| {
        w[1] * x * y - a1 * w[0] * (x * mean_y + y * mean_x)
    };
    let mut sums = Vec::new();
    let Some(Freed { means: freed_means, clear, .. }) = freed else {
        (0..k * k).for_each(|at| sums.push(w[1] * z[at % k] * z[at / k]));
        for j in 0..k {
            let term = term(z[j], z[j], means[j], means[j]);
            sums.extend([term, term * term]);
        }
        return sums;
    };
    (0..k).for_each(|j| sums.push(w[1] * (zeta[j] * zeta[j] - own[j])));
    for j in 0..k {
        let term = w[1] * (zeta[j] * zeta[j] - own[j]) - 2.0 * a1 * w[0] * zeta[j] * freed_means[j];
        sums.extend([term, term * term]);
    }
    for &b in clear {
        for j in 0..k {
            let term = if j > b { term(zeta[b], z[j], freed_means[b], means[j]) } else { 0.0 };
            sums.extend([term, term * term]);
        }
    }
    sums
}

/// What a document adds to the answer, but for holdings.
fn of_document(raw: &Row, request: &Request) -> Vec<f64> {
    let n = raw.len();
    let weighed = |counting: &Counting| {
        let row = counted(raw, *counting);
        let c: f64 = row.iter().sum();
        (row, c, [1, 2, 3].map(|order| weight(order, c)))
    };
    match request {
        Request::Lengths(counting) => {
            let (row, c, _) = weighed(counting);
            let repeats: f64 = row.iter().map(|x| x * (x - 1.0)).sum();
            let long = f64::from(c >= 2.0);
            vec![long, f64::from(c >= 3.0), long * tuples(c, 2), long * repeats]
        }
        Request::Totals(counting, _) => {
            let (_, c, _) = weighed(counting);
            [1, 2, 3].map(|order| value(CHANCE, order, c)).to_vec()
        }
        Request::Weighted(counting, _) => {
            let (row, c, w) = weighed(counting);
            let repeats: f64 = row.iter().map(|x| x * (x - 1.0)).sum();
            let shares = [w[0] * c, w[1] * tuples(c, 2), w[2] * tuples(c, 3)];
            let mut sums = vec![w[1] * repeats, shares[1].powi(2), shares[2].powi(2)];
            sums.extend(shares);
            sums.extend(outer(&row, &w));
            sums
        }
        Request::Pairs(counting, _, q) => {
            let (row, _, w) = weighed(counting);
            let z: Vec<f64> = times(&row, q).iter().map(|z| w[1] * z).collect();
            outer(&row, &z).collect()
        }
        Request::Cube(counting, _, table) => {
            let (row, _, w) = weighed(counting);
            let (z, k) = (times(&row, table), table.n_columns());
            let mut sums = Vec::new();
            for c in 0..k {
                for a in c..k {
                    // The table is symmetric, and one half of it is left out.
                    let half = |b: usize| if b < a { 0.0 } else { w[2] * z[c] * z[a] * z[b] };
                    sums.extend((c..k).map(half));
                }
            }
            let z: Vec<f64> = z.iter().map(|z| w[2] * z).collect();
            sums.extend(outer(&row, &z));
            sums
        }
        Request::Squares(counting, _, b) => {
            let (row, _, w) = weighed(counting);
            let image = times(&row, b);
            let mut sums = Vec::new();
            for (j, z) in image.iter().enumerate() {
                let own: f64 = (0..n).map(|h| row[h] * b[(h, j)].powi(2)).sum();
                sums.extend(row.iter().map(|x| w[2] * x * (z * z - own)));
                sums.extend(row.iter().map(|x| w[2] * x * z));
            }
            sums
        }
        Request::Expectation(logarithms, weights) => {
            let (p, likelihood) = posterior(raw, logarithms, weights);
            let mut sums = vec![likelihood];
            sums.extend(&p);
            sums.extend(outer(raw, &p));
            sums
        }
        Request::Torques(counting, _, b, v) => {
            let (row, _, w) = weighed(counting);
            let (beta, upsilon) = (times(&row, b), times(&row, v));
            let k = beta.len();
            let scaled = |z: &[f64]| z.iter().map(|z| w[2] * z).collect::<Vec<f64>>();
            let torque = |at: usize| w[2] * beta[at % k] * upsilon[at % k] * beta[at / k];
            let mut sums: Vec<f64> = (0..k * k).map(torque).collect();
            sums.extend(outer(&row, &scaled(&beta)));
            sums.extend(outer(&row, &scaled(&upsilon)));
            sums
        }
        Request::Directions(counting, _, directions) => {
            let (row, _, w) = weighed(counting);
            let z = times(&row, &directions.v);
            let mixing = directions.freed.as_ref().map(|freed| freed.mixing.clone());
            let mixing = mixing.unwrap_or_else(|| Matrix::identity(z.len()));
            let mut u = directions.v.times(&mixing);
            let zeta = times(&row, &u);
            u.values_mut().iter_mut().for_each(|u| *u *= *u);
            measured(directions, &z, &times(&row, &u), &zeta, w)
        }
        Request::Settled(settling) => settled(raw, settling).1,
        Request::Feedback(FeedbackRequest { logarithms, weights, scores, clamped }) => {
            let (p, _) = posterior(raw, logarithms, weights);
            let (c, k) = (raw.iter().sum::<f64>(), p.len());
            let in_doubt = c > 0.0 && 1.0 - p.iter().copied().fold(0.0, f64::max) > 1e-3;
            if !in_doubt {
                return vec![0.0; n * k + 2 * k + 1];
            }
            let image = times(raw, &scores.words);
            let l = |j: usize| image[j] + scores.constants[j] - c * scores.per_word[j];
            let mean: f64 = (0..k).map(|j| p[j] * l(j)).sum();
            let moved = |j: usize| {
                let moved = p[j] * (l(j) - mean);
                if *clamped { moved.clamp(-p[j], 1.0 - p[j]) } else { moved }
            };
            let moved: Vec<f64> = (0..k).map(moved).collect();
            let mut sums: Vec<f64> = outer(raw, &moved).collect();
            sums.extend(&moved);
            sums.extend(moved.iter().map(|m| c * m));
            sums.push(raw.iter().filter(|x| **x > 0.0).count() as f64);
            sums
        }
        other => unreachable!("{other:?} has no twin"),
    }
}

/// What a document holds of each topic.
fn held(raw: &Row, holding: &Holding) -> Vec<f64> {
    match holding {
        Holding::Pairs(counting, _, b) => {
            let row = counted(raw, *counting);
            let w2 = weight(2, row.iter().sum());
            let own = |j: usize| (0..row.len()).map(|h| row[h] * b[(h, j)].powi(2)).sum::<f64>();
            let pairs = |(j, z): (usize, &f64)| w2 * (z * z - own(j)).max(0.0);
            times(&row, b).iter().enumerate().map(pairs).collect()
        }
        Holding::Posteriors(logarithms, weights) => {
            let c: f64 = raw.iter().sum();
            posterior(raw, logarithms, weights).0.iter().map(|p| c * p).collect()
        }
        Holding::Settled(settling) => settled(raw, settling).0,
    }
}

fn answer(rows: &[Row], request: &Request) -> Vec<f64> {
    if let Request::Holdings(holding) = request {
        return ranges(&rows.iter().map(|row| held(row, holding)).collect::<Vec<_>>());
    }
    let mut sums = of_document(&rows[0], request);
    rows[1..].iter().for_each(|row| add(&mut sums, of_document(row, request)));
    sums
}

/// Every kind of question about `n` words.
fn requests(n: usize) -> Vec<Request> {
    let table = |seed: f64, k: usize| {
        Matrix::from_fn(n, k, |i, j| ((1.0 + i as f64) * (seed + j as f64)).sin())
    };
    let mut topics = table(0.7, 3);
    topics.values_mut().iter_mut().for_each(|value| *value = value.abs() + 0.1);
    let sums: Vec<f64> = (0..3).map(|j| 1.0 / topics.column(j).iter().sum::<f64>()).collect();
    topics.scale_columns(&sums);
    let mut logarithms = topics.clone();
    logarithms.values_mut().iter_mut().for_each(|value| *value = value.ln());
    let weights = vec![0.5, 0.3, 0.2];
    let law = json!({"least-variance": CHANCE});
    let weighing: Weighing = serde_json::from_value(json!({"law": law, "totals": TOTALS})).unwrap();
    let law: Law = serde_json::from_value(law).unwrap();
    let mut asked = Vec::new();
    for c in [Counting::Raw, Counting::Damped] {
        let directions =
            Directions { v: table(0.3, 3), a1: 0.5, means: vec![0.1, -0.2, 0.3], freed: None };
        let mut mixing = Matrix::identity(3);
        (mixing[(0, 1)], mixing[(1, 2)]) = (-0.3, 0.2);
        let freed = Some(Freed { mixing, means: vec![0.2, 0.1, -0.1], clear: vec![0, 2] });
        asked.extend([
            Request::Lengths(c),
            Request::Totals(c, law),
            Request::Weighted(c, weighing),
            Request::Pairs(c, weighing, table(0.2, 18)),
            Request::Cube(c, weighing, table(0.4, 3)),
            Request::Squares(c, weighing, table(0.5, 3)),
            Request::Torques(c, weighing, table(0.6, 3), table(0.9, 3)),
            Request::Directions(c, weighing, Directions { freed, ..directions.clone() }),
            Request::Directions(c, weighing, directions),
            Request::Holdings(Holding::Pairs(c, weighing, table(0.8, 3))),
        ]);
    }
    for order in [Order::Zeroth, Order::Second] {
        let stages = vec![topics.clone(), topics.clone()];
        let settling = Settling { stages, alpha: vec![0.1, 0.2, 0.3], order, nudge: 0.0 };
        asked.push(Request::Settled(settling.clone()));
        asked.push(Request::Holdings(Holding::Settled(settling)));
    }
    for clamped in [false, true] {
        let (constants, per_word) = (vec![0.1, -0.1, 0.2], vec![0.01, 0.02, -0.01]);
        let scores = Scores { words: table(1.1, 3), constants, per_word };
        let (logarithms, weights) = (logarithms.clone(), weights.clone());
        asked.push(Request::Feedback(FeedbackRequest { logarithms, weights, scores, clamped }));
    }
    asked.push(Request::Expectation(logarithms.clone(), weights.clone()));
    asked.push(Request::Holdings(Holding::Posteriors(logarithms, weights)));
    asked
}

/// Empty documents, copies, a word repeated a million times; one document; documents by the hundred.
fn odd_corpora() -> Vec<Corpus> {
    let of = |documents: &[&[(u32, u32)]]| {
        let mut builder = Corpus::builder(8);
        documents.iter().for_each(|words| builder.push_document(words.to_vec()).unwrap());
        builder.build().unwrap()
    };
    let odd: [&[(u32, u32)]; 8] = [
        &[],
        &[(0, 1_000_000)],
        &[(0, 1), (1, 1), (2, 1)],
        &[(3, 2), (4, 1)],
        &[(5, 1)],
        &[(3, 2), (4, 1)],
        &[],
        &[(0, 2), (6, 300)],
    ];
    let drawn = LdaSource::uniform(12, 3, 1.0, 5).draw(400, &Lengths::Uniform(0..=30), 6).0;
    vec![of(&odd), of(&[&[(0, 3), (1, 2), (2, 4)]]), drawn]
}

#[test]
fn every_answer_is_that_of_plain_loops() {
    for corpus in odd_corpora() {
        let words = &corpus.word_of_feature()[..corpus.n_present()];
        let names: Arc<[String]> =
            words.iter().map(|&id| corpus.vocabulary().word(id as usize).into_owned()).collect();
        let n = names.len();
        let row = |d: usize| {
            let mut row = vec![0.0; n];
            for (id, x) in corpus.document(d).words() {
                let at = words.iter().position(|word| *word == id).unwrap();
                row[at] = f64::from(x);
            }
            row
        };
        let rows: Vec<Row> = (0..corpus.n_documents()).map(row).collect();
        let holder = Respondent::new(corpus, 0);
        for n_blocks in [1, 8] {
            for request in requests(n) {
                let expected = answer(&rows, &request);
                let question = Question {
                    part: KeyPart::all(),
                    n_blocks,
                    words: Arc::clone(&names),
                    request,
                    redrawing: None,
                    asked_of: None,
                };
                let found = holder.ask(&question).unwrap().sums;
                assert_eq!(found.len(), expected.len(), "{}", question.name());
                let largest = expected.iter().map(|x| x.abs()).fold(0.0, f64::max);
                for (at, (x, y)) in found.iter().zip(&expected).enumerate() {
                    let apart = (x - y).abs();
                    let name = question.name();
                    assert!(apart <= 1e-10 * largest.max(1e-3), "{name} {at}: {x} {y}");
                }
            }
        }
    }
}
