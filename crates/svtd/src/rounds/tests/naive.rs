//! The naive twin of the answers: plain loops over documents, no blocks and no panels.
//!
//! Every kind of question is asked of odd but valid corpora: whoever holds the documents, in whatever order,
//! and into however many blocks they are cut.

mod cuts;
mod deal;
mod held_out;
mod looks;
mod survey;
mod trust;

use serde_json::json;

use super::*;
use crate::linalg::Matrix;
use crate::questions::{
    ConjugateDirections, Counting, Directions, FeedbackRequest, Holding, Law, LeavingRequest,
    Order, Rows, Scores, Settling, SliceRequest, Weighing,
};

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

/// The value of a document of length `c` under the law of least variance; `s` is the probability
/// that two words coincide.
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
    // Topics far below the best one get nothing of a document, as in the library: it matters where
    // holdings are counted.
    let part = |s: &f64| if s - top < -50.0 { 0.0 } else { (s - top).exp() };
    let total: f64 = scores.iter().map(part).sum();
    (scores.iter().map(|s| part(s) / total).collect(), top + total.ln())
}

/// How the posterior changes when a document is compared with small topics without its own words.
fn left(row: &Row, request: &LeavingRequest) -> Vec<f64> {
    let LeavingRequest { logarithms, weights, small, counts, documents, prior, total } = request;
    let (before, _) = posterior(row, logarithms, weights);
    let (n, k, c) = (row.len(), weights.len(), row.iter().sum::<f64>());
    if c == 0.0 || small.iter().all(|&j| before[j] <= 1e-4) {
        return vec![0.0; (n + 1) * k];
    }
    let strength: f64 = prior.iter().sum();
    let mut scores: Vec<f64> =
        times(row, logarithms).iter().zip(weights).map(|(s, w)| s + w.ln()).collect();
    for (a, &j) in small.iter().enumerate().filter(|(_, j)| before[**j] > 1e-4) {
        let share = before[j];
        let mass = strength + counts.column(a).iter().sum::<f64>();
        let word = |i: usize| {
            let others = (counts[(i, a)] + prior[i] - share * row[i]).max(prior[i]);
            if row[i] > 0.0 { row[i] * others.ln() } else { 0.0 }
        };
        scores[j] = (0..n).map(word).sum::<f64>() - c * (mass - share * c).max(strength).ln()
            + (((documents[a] - share).max(0.0) + 1.0) / total).ln();
    }
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|s| (s - top).exp()).sum();
    let change = |(s, before): (&f64, &f64)| (s - top).exp() / sum - before;
    let change: Vec<f64> = scores.iter().zip(&before).map(change).collect();
    let mut sums: Vec<f64> = outer(row, &change).collect();
    sums.extend(&change);
    sums
}

fn add(sums: &mut [f64], more: impl IntoIterator<Item = f64>) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// `x_i f_j` for every word and column.
fn outer<'a>(row: &'a [f64], f: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    f.iter().flat_map(move |f| row.iter().map(move |x| x * f))
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
        Request::Slices(counting, _, SliceRequest { rows, features, table: b }) => {
            let (row, _, w) = weighed(counting);
            let (z, k) = (times(&row, b), b.n_columns());
            let own = &row[features.clone()];
            let mut sums = Vec::new();
            for a in 0..k {
                for c in a..k {
                    let same: f64 = (0..n).map(|h| row[h] * b[(h, a)] * b[(h, c)]).sum();
                    sums.extend(own.iter().map(|x| w[2] * x * (z[a] * z[c] - same)));
                }
            }
            let power = if *rows == Rows::Kept { 1 } else { 2 };
            z.iter().for_each(|z| sums.extend(own.iter().map(|x| w[2] * x.powi(power) * z)));
            if *rows == Rows::Removed {
                sums.extend(own.iter().map(|x| w[2] * (x.powi(3) + x.powi(2))));
                sums.extend(own.iter().map(|x| w[1] * x * (x - 1.0)));
            }
            sums
        }
        Request::Towards(counting, _, table, direction) => {
            let (row, _, w) = weighed(counting);
            let z = times(&row, table);
            let s: f64 = row.iter().zip(direction).map(|(x, d)| x * d).sum();
            let mut sums: Vec<f64> =
                z.iter().flat_map(|a| z.iter().map(move |b| w[2] * s * a * b)).collect();
            sums.extend(outer(&row, &z.iter().map(|z| w[2] * z).collect::<Vec<f64>>()));
            sums.extend(row.iter().map(|x| w[2] * x * s));
            sums
        }
        Request::Expectation(logarithms, weights) => {
            let (p, likelihood) = posterior(raw, logarithms, weights);
            let mut sums = vec![likelihood];
            sums.extend(&p);
            sums.extend(outer(raw, &p));
            sums
        }
        Request::Leaving(leaving) => left(raw, leaving),
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
            let mixing = directions.conjugate.as_ref().map(|conjugate| conjugate.mixing.clone());
            let mixing = mixing.unwrap_or_else(|| Matrix::identity(z.len()));
            let mut u = directions.v.times(&mixing);
            let zeta = times(&row, &u);
            u.values_mut().iter_mut().for_each(|u| *u *= *u);
            trust::measured(directions, &z, &times(&row, &u), &zeta, w)
        }
        Request::Settled(settling) => trust::settled(raw, settling).1,
        Request::Feedback(feedback) => trust::feedback(raw, feedback),
        other => unreachable!("{other:?} has no twin"),
    }
}

fn answer(rows: &[Row], request: &Request) -> Vec<f64> {
    if let Request::Holdings(holding) = request {
        return trust::ranges(
            &rows.iter().map(|row| trust::held(row, holding)).collect::<Vec<_>>(),
        );
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
    let slices = |rows, features| SliceRequest { rows, features, table: table(1.3, 3) };
    let mut asked = Vec::new();
    for c in [Counting::Raw, Counting::Damped] {
        let directions =
            Directions { v: table(0.3, 3), a1: 0.5, means: vec![0.1, -0.2, 0.3], conjugate: None };
        let mut mixing = Matrix::identity(3);
        (mixing[(0, 1)], mixing[(1, 2)]) = (-0.3, 0.2);
        let conjugate =
            Some(ConjugateDirections { mixing, means: vec![0.2, 0.1, -0.1], clear: vec![0, 2] });
        asked.extend([
            Request::Lengths(c),
            Request::Totals(c, law),
            Request::Weighted(c, weighing),
            Request::Pairs(c, weighing, table(0.2, 18)),
            Request::Cube(c, weighing, table(0.4, 3)),
            Request::Squares(c, weighing, table(0.5, 3)),
            Request::Towards(c, weighing, table(0.4, 3), table(1.2, 1).values().to_vec()),
            Request::Torques(c, weighing, table(0.6, 3), table(0.9, 3)),
            Request::Slices(c, weighing, slices(Rows::Kept, 0..n)),
            Request::Slices(c, weighing, slices(Rows::Removed, 0..n)),
            Request::Slices(c, weighing, slices(Rows::Removed, 1..n - 1)),
            Request::Directions(c, weighing, Directions { conjugate, ..directions.clone() }),
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
    asked.push(Request::Leaving(LeavingRequest {
        logarithms: logarithms.clone(),
        weights: weights.clone(),
        small: vec![0, 2],
        counts: Matrix::from_fn(n, 2, |i, a| (i % (3 + a)) as f64),
        documents: vec![2.5, 0.25],
        prior: topics.column(1).iter().map(|m| 5.0 * m).collect(),
        total: 60.0,
    }));
    asked.push(Request::Holdings(Holding::Posteriors(logarithms, weights)));
    asked
}

/// A corpus, from which holders of all or of some documents are made.
struct Example {
    corpus: Corpus,
    /// The words that occur, in the order of the questions.
    names: Arc<[String]>,
    rows: Vec<Row>,
}

impl Example {
    fn new(corpus: Corpus) -> Self {
        let words = &corpus.word_of_feature()[..corpus.n_present()];
        let names: Arc<[String]> =
            words.iter().map(|&id| corpus.vocabulary().word(id as usize).into_owned()).collect();
        let row = |d: usize| {
            let mut row = vec![0.0; names.len()];
            for (id, x) in corpus.document(d).words() {
                let at = words.iter().position(|word| *word == id).unwrap();
                row[at] = f64::from(x);
            }
            row
        };
        let rows = (0..corpus.n_documents()).map(row).collect();
        Self { names, rows, corpus }
    }

    /// Empty documents, copies, a word repeated a million times; one document; one word; documents by the
    /// hundred.
    fn all() -> Vec<Example> {
        let of = |documents: &[&[(u32, u32)]]| {
            let words =
                ["a", "in", "the", "word", "größe", "twelve words", "eight888", "Zeitgeists"];
            let words = words.map(str::to_owned).to_vec();
            let mut builder =
                Corpus::builder(8).vocabulary(crate::Vocabulary::from_words(words).unwrap());
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
        let corpora = [of(&odd), of(&[&[(0, 3), (1, 2), (2, 4)]]), drawn];
        corpora.into_iter().map(Self::new).collect()
    }

    /// One holder of all documents; the same with the documents reversed; three holders of some
    /// documents each.
    fn holders(&self) -> Vec<Vec<Respondent>> {
        let n = self.corpus.n_documents();
        let backwards: Vec<usize> = (0..n).rev().collect();
        let mut parts = vec![vec![self.corpus.clone()], vec![self.corpus.subset(&backwards)]];
        if n >= 3 {
            parts.push(dealt(&self.corpus, 3));
        }
        let respondents = |parts: Vec<Corpus>| {
            parts.into_iter().map(|part| Respondent::new(part, 0)).collect::<Vec<_>>()
        };
        parts.into_iter().map(respondents).collect()
    }

    fn question(&self, n_blocks: usize, request: Request) -> Question {
        let words = Arc::clone(&self.names);
        Question { n_blocks, words, request, ..Question::first() }
    }
}

/// What holders answer together.
fn asked(holders: &[Respondent], question: &Question) -> Answer {
    let mut sum = holders[0].ask(question).unwrap();
    holders[1..].iter().for_each(|holder| sum.add(&holder.ask(question).unwrap()).unwrap());
    sum
}

#[test]
fn every_sum_is_that_of_plain_loops() {
    for example in Example::all() {
        for holders in example.holders() {
            for (n_blocks, request) in [1, 8]
                .into_iter()
                .flat_map(|b| requests(example.names.len()).into_iter().map(move |r| (b, r)))
            {
                let expected = answer(&example.rows, &request);
                let question = example.question(n_blocks, request);
                let (found, name) = (asked(&holders, &question).sums, question.name());
                assert_eq!(found.len(), expected.len(), "{name}");
                let largest = expected.iter().map(|x| x.abs()).fold(0.0, f64::max);
                for (at, (x, y)) in found.iter().zip(&expected).enumerate() {
                    let apart = (x - y).abs();
                    assert!(apart <= 1e-10 * largest.max(1e-3), "{name} {at}: {x} {y}");
                }
            }
        }
    }
}
