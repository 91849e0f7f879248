//! EM's answer without each group, without running EM again.
//!
//! One pass gives what every group adds to the sums of the M step, so the *first* step without a
//! group is a subtraction. It moves the topics by `delta`; then the posteriors of the other
//! documents follow, which moves the topics further. Where EM would come to rest is, to first
//! order, `(I - J)^(-1) delta`, `J` the derivative of an EM step: the share of information that
//! is missing because the documents' topics are not seen (Louis 1982, Meng and Rubin 1991).
//!
//! Only documents whose topic is in doubt feed back. With `l` the change of their log-scores,
//! `P` their posteriors and `X` their counts,
//!
//! ```text
//! dP_d = P_d o (l_d - P_d'l_d)          (Gamma l, positive)
//! l    = X (dM / M) + dOmega / Omega,   dM, dOmega: the M step's answer to dP       (H Gamma l)
//! ```
//!
//! so we solve `(I - H Gamma) l = X (delta / M) + ...` over those documents. `H` and `Gamma` are
//! symmetric and positive: a few steps of conjugate gradients in the product of `Gamma` suffice,
//! where repeating EM would converge as slowly as EM does.
//!
//! # Cost
//! Two passes over the counts, and for each group a few passes over the documents in doubt,
//! the fewer the more of them there are ([`BUDGET`]).

use rayon::prelude::*;

use super::groups::{GROUPS, Groups};
use super::spread::Spread;
use crate::corpus::{Corpus, SparseCounts};
use crate::linalg::{Matrix, dot};
use crate::model::em;
use crate::moments::Counting;
use crate::moments::panels::Products;

/// A document is in doubt when its likeliest topic leaves more than this to the others.
const IN_DOUBT: f64 = 1e-3;

/// Steps of conjugate gradients at most.
const MAX_STEPS: usize = 8;

/// The squared residual, as a part of the first, at which the feedback is found.
const SOLVED: f64 = 1e-4;

/// A direction of which EM forgets less than this in a step is not followed.
const LOOSE: f64 = 0.02;

/// Passes over the whole corpus that all steps of all groups may cost together.
const BUDGET: f64 = 8.0;

/// A corpus of fewer counts than this is given as many steps as if it had so many.
const SMALL: usize = 1 << 20;

/// Leaves out each group in turn; `word_topic` and `topic_weights` are where EM ended.
pub(super) fn leave_out(
    corpus: &Corpus,
    groups: &Groups,
    word_topic: &Matrix,
    topic_weights: &[f64],
    frequencies: &[f64],
) -> super::Left {
    let products = Products::new(corpus.rows(), corpus.n_present(), Counting::Raw);
    let posterior = em::posterior(&products, word_topic, topic_weights);
    let state = State::new(corpus, &products, posterior, frequencies);
    let feedback = Feedback::new(corpus, &state);
    let mut spread = Spread::about(&state.word_topic);
    for g in 0..GROUPS {
        let step = state.step_without(corpus, groups, g, &products);
        spread.add_steps(g, &feedback.settled(&state, groups, g, step));
    }
    let (mut errors, changes) = spread.finish();
    state.add_smoothing(&mut errors);
    let mut holdings = state.posterior;
    let lengths: Vec<f64> = corpus.lengths().iter().map(|&c| c as f64).collect();
    holdings.scale_rows(&lengths);
    super::Left { errors, changes, holdings }
}

/// EM at its solution.
struct State {
    posterior: Matrix,
    /// `X'P`.
    sums: Matrix,
    /// The pseudo-counts of the smoothing.
    prior: Vec<f64>,
    /// Words of each topic, smoothing included.
    masses: Vec<f64>,
    /// Documents of each topic.
    documents: Vec<f64>,
    word_topic: Matrix,
}

/// A change of `M` and of `Omega`.
struct Step {
    words: Matrix,
    weights: Vec<f64>,
}

impl State {
    fn new(
        corpus: &Corpus,
        products: &Products<'_>,
        posterior: Matrix,
        frequencies: &[f64],
    ) -> Self {
        let sums = products.backward(&posterior, None);
        let strength = em::SMOOTHING * corpus.n_present() as f64;
        let prior: Vec<f64> = frequencies.iter().map(|m1| strength * m1).collect();
        let k = sums.n_columns();
        let masses: Vec<f64> =
            (0..k).map(|j| sums.column(j).iter().sum::<f64>() + strength).collect();
        let held = |j: usize| posterior.column(j).iter().sum::<f64>();
        let documents = (0..k).map(|j| held(j).max(f64::MIN_POSITIVE)).collect();
        let word_topic = smoothed(&sums, &prior, &masses);
        Self { posterior, sums, prior, masses, documents, word_topic }
    }

    /// The first M step without group `g`.
    fn step_without(
        &self,
        corpus: &Corpus,
        groups: &Groups,
        g: usize,
        products: &Products<'_>,
    ) -> Step {
        let n = corpus.n_documents();
        let own: Vec<f64> = groups.only(g, &vec![1.0; n]);
        let mut left = products.backward(&self.posterior, Some(&own));
        let mut masses = self.masses.clone();
        for (j, mass) in masses.iter_mut().enumerate() {
            *mass -= left.column(j).iter().sum::<f64>();
        }
        let rows = left.n_rows().max(1);
        let columns = left.values_mut().par_chunks_exact_mut(rows).zip(&masses).enumerate();
        columns.for_each(|(j, (column, mass))| {
            let whole = self.sums.column(j).iter().zip(self.word_topic.column(j));
            for ((own, prior), (all, whole)) in column.iter_mut().zip(&self.prior).zip(whole) {
                *own = (all - *own + prior) / mass - whole;
            }
        });
        let n_left = n as f64 - own.iter().sum::<f64>();
        let weights =
            self.documents.iter().enumerate().map(|(j, all)| {
                (all - dot(self.posterior.column(j), &own)) / n_left - all / n as f64
            });
        Step { weights: weights.collect(), words: left }
    }

    /// Widens the errors by how far the smoothing pulls each entry.
    fn add_smoothing(&self, errors: &mut Matrix) {
        let strength: f64 = self.prior.iter().sum();
        for j in 0..errors.n_columns() {
            let mass = (self.masses[j] - strength).max(f64::MIN_POSITIVE);
            let column = errors.column_mut(j).iter_mut();
            let pairs = self.sums.column(j).iter().zip(self.word_topic.column(j));
            for (error, (sum, smoothed)) in column.zip(pairs) {
                *error = error.hypot((smoothed - sum / mass) / super::T_FACTOR);
            }
        }
    }
}

/// `(S + prior) / mass`.
fn smoothed(sums: &Matrix, prior: &[f64], masses: &[f64]) -> Matrix {
    let mut topics = sums.clone();
    let n = sums.n_rows().max(1);
    topics.values_mut().par_chunks_exact_mut(n).zip(masses).for_each(|(column, mass)| {
        for (value, prior) in column.iter_mut().zip(prior) {
            *value = (*value + prior) / mass;
        }
    });
    topics
}

/// The documents in doubt, with the words that occur in them.
struct Feedback {
    table: SparseCounts,
    /// The feature of each word here.
    features: Vec<u32>,
    documents: Vec<usize>,
    lengths: Vec<f64>,
    posterior: Matrix,
    /// `1 / (M_ij mass_j)`.
    stiffness: Matrix,
    n_steps: usize,
}

impl Feedback {
    fn new(corpus: &Corpus, state: &State) -> Self {
        let (rows, posterior) = (corpus.rows(), &state.posterior);
        let k = posterior.n_columns();
        let in_doubt = |&d: &usize| {
            let likeliest = (0..k).map(|j| posterior[(d, j)]).fold(0.0, f64::max);
            1.0 - likeliest > IN_DOUBT && corpus.lengths()[d] > 0
        };
        let documents: Vec<usize> = (0..rows.n_rows()).filter(in_doubt).collect();
        const ABSENT: u32 = u32::MAX;
        let mut place = vec![ABSENT; corpus.n_present()];
        documents.iter().for_each(|&d| rows.row(d).0.iter().for_each(|&i| place[i as usize] = 0));
        let features: Vec<u32> =
            (0..place.len() as u32).filter(|&i| place[i as usize] != ABSENT).collect();
        for (here, &i) in features.iter().enumerate() {
            place[i as usize] = here as u32;
        }
        let mut table = SparseCounts::with_columns(features.len());
        let mut words = Vec::new();
        for &d in &documents {
            let (indices, counts) = rows.row(d);
            words.clear();
            words.extend(indices.iter().map(|&i| place[i as usize]));
            table.push_row(&words, counts);
        }
        let whole = BUDGET * rows.n_nonzeros().max(SMALL) as f64;
        let affordable = (whole / (GROUPS * table.n_nonzeros().max(1)) as f64) as usize;
        Self {
            lengths: documents.iter().map(|&d| corpus.lengths()[d] as f64).collect(),
            posterior: Matrix::from_fn(documents.len(), k, |d, j| posterior[(documents[d], j)]),
            stiffness: Matrix::from_fn(features.len(), k, |i, j| {
                1.0 / (state.word_topic[(features[i] as usize, j)] * state.masses[j])
            }),
            n_steps: affordable.clamp(1, MAX_STEPS),
            table,
            features,
            documents,
        }
    }

    fn products(&self) -> Products<'_> {
        Products::new(&self.table, self.features.len(), Counting::Raw)
    }

    /// How far the topics move once the posteriors of the other groups have followed a first step.
    fn settled(&self, state: &State, groups: &Groups, g: usize, first: Step) -> Matrix {
        let mut topics = first.words;
        if !self.documents.is_empty() {
            let here = Matrix::from_fn(self.features.len(), topics.n_columns(), |i, j| {
                let feature = self.features[i] as usize;
                topics[(feature, j)] / state.word_topic[(feature, j)]
            });
            let mut target = self.products().forward(&here);
            let n: f64 = state.documents.iter().sum();
            for (j, change) in first.weights.iter().enumerate() {
                let relative = change * n / state.documents[j];
                target.column_mut(j).iter_mut().for_each(|value| *value += relative);
            }
            let stays: Vec<f64> = self
                .documents
                .iter()
                .map(|&d| if groups.holds(g, d) { 0.0 } else { 1.0 })
                .collect();
            let scores = self.solve(state, &stays, target);
            let mut moved = self.moved(&scores, &stays);
            // A posterior ends at nought and one, however far a straight line would lead.
            let pairs = moved.values_mut().iter_mut().zip(self.posterior.values());
            pairs.for_each(|(change, p)| *change = change.clamp(-p, 1.0 - p));
            self.add_response(state, &moved, &mut topics);
        }
        topics
    }

    /// `Gamma l`: how posteriors follow a change of log-scores.
    fn moved(&self, scores: &Matrix, stays: &[f64]) -> Matrix {
        let mut means = vec![0.0; scores.n_rows()];
        for j in 0..scores.n_columns() {
            let pairs = self.posterior.column(j).iter().zip(scores.column(j));
            means.iter_mut().zip(pairs).for_each(|(mean, (p, l))| *mean += p * l);
        }
        let mut moved = scores.clone();
        let n = scores.n_rows().max(1);
        let columns = moved.values_mut().par_chunks_exact_mut(n);
        columns.zip(self.posterior.values().par_chunks_exact(n)).for_each(|(column, p)| {
            for (((value, mean), p), stays) in column.iter_mut().zip(&means).zip(p).zip(stays) {
                *value = stays * p * (*value - mean);
            }
        });
        moved
    }

    /// `H dP`: how log-scores follow the M step's answer to a change of posteriors.
    fn answered(&self, state: &State, moved: &Matrix) -> Matrix {
        let mut words = self.products().backward(moved, None);
        words.values_mut().iter_mut().zip(self.stiffness.values()).for_each(|(v, s)| *v *= s);
        let mut scores = self.products().forward(&words);
        for j in 0..scores.n_columns() {
            let per_word = dot(moved.column(j), &self.lengths) / state.masses[j];
            let constant = moved.column(j).iter().sum::<f64>() / state.documents[j];
            let column = scores.column_mut(j).iter_mut();
            column.zip(&self.lengths).for_each(|(value, c)| *value += constant - c * per_word);
        }
        scores
    }

    /// Conjugate gradients for `(I - H Gamma) l = target` in the product of `Gamma`.
    fn solve(&self, state: &State, stays: &[f64], target: Matrix) -> Matrix {
        let mut solution = Matrix::zeros(target.n_rows(), target.n_columns());
        let mut residual = target;
        let mut direction = residual.clone();
        let product = |a: &Matrix, b: &Matrix| dot(a.values(), b.values());
        let mut size = product(&residual, &self.moved(&residual, stays));
        let first = size;
        for _ in 0..self.n_steps {
            if size <= SOLVED * first {
                break;
            }
            let moved = self.moved(&direction, stays);
            let mut image = direction.clone();
            image.add(-1.0, &self.answered(state, &moved));
            let curvature = product(&image, &moved);
            // Hardly anything holds this direction, or EM has not come to rest along it.
            if curvature <= LOOSE * product(&direction, &moved) {
                break;
            }
            let length = size / curvature;
            solution.add(length, &direction);
            residual.add(-length, &image);
            let next = product(&residual, &self.moved(&residual, stays));
            let mut turned = residual.clone();
            turned.add(next / size, &direction);
            direction = turned;
            size = next;
        }
        solution
    }

    /// Adds the M step's answer to a change of posteriors.
    fn add_response(&self, state: &State, moved: &Matrix, topics: &mut Matrix) {
        let words = self.products().backward(moved, None);
        let n = topics.n_rows().max(1);
        topics.values_mut().par_chunks_exact_mut(n).enumerate().for_each(|(j, column)| {
            let (mass, total) = (state.masses[j], dot(moved.column(j), &self.lengths));
            for (value, m) in column.iter_mut().zip(state.word_topic.column(j)) {
                *value -= m * total / mass;
            }
            for (&feature, more) in self.features.iter().zip(words.column(j)) {
                column[feature as usize] += more / mass;
            }
        });
    }
}
