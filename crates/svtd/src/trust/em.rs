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
//! The answer is linear in `delta`, so it is found for a few mixtures of all groups with signs `+1`
//! and `-1` in place of every group: how much larger it is than its first step tells by how much
//! the errors of each topic grow.
//!
//! # Cost
//! Two half passes over the counts (three if EM had not settled), and for each mixture a few over the
//! documents in doubt, the fewer the more of them there are ([`BUDGET`]).

use rayon::prelude::*;

use super::groups::{GROUPS, Groups, sign};
use super::part::Part;
use super::spread::standard_errors;
use crate::corpus::Corpus;
use crate::fit::spectral::Estimate;
use crate::fit::{em, smoothing};
use crate::linalg::{Matrix, dot};
use crate::moments::Counting;
use crate::moments::panels::{LeftOut, Products};

/// A document is in doubt when its likeliest topic leaves more than this to the others.
const IN_DOUBT: f64 = 1e-3;

/// Steps of conjugate gradients, at least and at most.
const STEPS: std::ops::RangeInclusive<usize> = 2..=8;

/// The squared residual, as a part of the first, at which the feedback is found.
const SOLVED: f64 = 1e-4;

/// A direction of which EM forgets less than this in a step is not followed.
const LOOSE: f64 = 0.02;

/// Mixtures of the groups whose answer is found, for a large corpus and for a small one.
const MIXTURES: [usize; 2] = [1, 4];

/// Half passes over the whole corpus that one mixture may cost.
const BUDGET: f64 = 4.0;

/// A corpus of fewer counts than this is small, and given as many steps as if it had so many.
const SMALL: usize = 1 << 20;

/// Leaves out each group in turn; `estimate` is where EM ended, its posterior is used up.
pub(crate) fn leave_out(
    corpus: &Corpus,
    groups: &Groups,
    estimate: &mut Estimate,
    frequencies: &[f64],
) -> super::Left {
    let products = Products::new(corpus.rows(), corpus.n_present(), Counting::Raw);
    let at_rest = estimate.posterior.take();
    let (word_topic, topic_weights) = (&estimate.word_topic, &estimate.topic_weights);
    let posterior = at_rest.unwrap_or_else(|| em::posterior(&products, word_topic, topic_weights));
    let lengths: Vec<f64> = corpus.lengths().iter().map(|&c| c as f64).collect();
    let strength = smoothing::strength(corpus, topic_weights);
    let state = State::new(&products, posterior, frequencies, strength);
    let own = Own::of(groups, &state, &lengths);
    let steps = products.left_out(&LeftOut {
        members: &groups.members(),
        shares: &state.posterior,
        factors: None,
        whole: &state.word_topic,
        masses: &state.masses,
        own_masses: &own.words,
        mixtures: &mixtures(corpus),
    });
    let mut errors = standard_errors(&steps);
    let mut changes = steps.changes;
    let growth = Feedback::new(corpus, &state).growth(&state, &own, steps.mixed);
    errors.scale_columns(&growth);
    changes.scale_columns(&growth);
    state.add_smoothing(&mut errors);
    let mut holdings = state.posterior;
    holdings.scale_rows(&lengths);
    super::Left { errors, changes, holdings }
}

/// Mixtures of all groups, as large as a single one: a factor for each group.
fn mixtures(corpus: &Corpus) -> Vec<Vec<f64>> {
    let n = MIXTURES[usize::from(corpus.n_nonzeros() < SMALL)];
    let factor = |mixture: usize, g: usize| sign(mixture, g) / (GROUPS as f64).sqrt();
    (0..n).map(|mixture| (0..GROUPS).map(|g| factor(mixture, g)).collect()).collect()
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

/// What each group (row) holds of each topic (column).
struct Own {
    words: Matrix,
    documents: Matrix,
    /// Documents of each group.
    sizes: Vec<f64>,
}

impl Own {
    fn of(groups: &Groups, state: &State, lengths: &[f64]) -> Self {
        let k = state.posterior.n_columns();
        let (mut words, mut documents) = (Matrix::zeros(GROUPS, k), Matrix::zeros(GROUPS, k));
        let mut sizes = vec![0.0; GROUPS];
        (0..lengths.len()).for_each(|d| sizes[groups.of(d)] += 1.0);
        let columns = words.values_mut().par_chunks_exact_mut(GROUPS);
        let columns = columns.zip(documents.values_mut().par_chunks_exact_mut(GROUPS));
        columns.enumerate().for_each(|(j, (words, documents))| {
            for (d, (p, length)) in state.posterior.column(j).iter().zip(lengths).enumerate() {
                words[groups.of(d)] += p * length;
                documents[groups.of(d)] += p;
            }
        });
        Self { words, documents, sizes }
    }
}

/// A change of `M` and of `Omega`.
struct Step {
    words: Matrix,
    weights: Vec<f64>,
}

impl State {
    fn new(products: &Products<'_>, posterior: Matrix, frequencies: &[f64], strength: f64) -> Self {
        let sums = products.backward(&posterior, None);
        let prior: Vec<f64> = frequencies.iter().map(|m1| strength * m1).collect();
        let k = sums.n_columns();
        let masses: Vec<f64> =
            (0..k).map(|j| sums.column(j).iter().sum::<f64>() + strength).collect();
        let held = |j: usize| posterior.column(j).iter().sum::<f64>();
        let documents = (0..k).map(|j| held(j).max(f64::MIN_POSITIVE)).collect();
        let word_topic = smoothed(&sums, &prior, &masses);
        Self { posterior, sums, prior, masses, documents, word_topic }
    }

    /// How the weights move at the first M steps without each group, summed as a mixture.
    fn mixed_weights(&self, own: &Own, mixture: usize) -> Vec<f64> {
        let n: f64 = own.sizes.iter().sum();
        let scale = 1.0 / (GROUPS as f64).sqrt();
        let weight = |(j, all): (usize, &f64)| {
            let without = |g: usize| (all - own.documents[(g, j)]) / (n - own.sizes[g]) - all / n;
            (0..GROUPS).map(|g| sign(mixture, g) * scale * without(g)).sum()
        };
        self.documents.iter().enumerate().map(weight).collect()
    }

    /// Widens the errors by how far the smoothing pulls each entry.
    fn add_smoothing(&self, errors: &mut Matrix) {
        let strength: f64 = self.prior.iter().sum();
        let n = errors.n_rows().max(1);
        errors.values_mut().par_chunks_exact_mut(n).enumerate().for_each(|(j, column)| {
            let mass = (self.masses[j] - strength).max(f64::MIN_POSITIVE);
            let pairs = self.sums.column(j).iter().zip(self.word_topic.column(j));
            for (error, (sum, smoothed)) in column.iter_mut().zip(pairs) {
                // A topic without words is pulled all the way.
                let pull = (smoothed - sum / mass).clamp(-1.0, 1.0) / super::T_FACTOR;
                *error = (*error * *error + pull * pull).sqrt();
            }
        });
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
    part: Part,
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
        let likeliest = em::by_document(posterior, 0.0, f64::max);
        let in_doubt =
            |&d: &u32| 1.0 - likeliest[d as usize] > IN_DOUBT && corpus.lengths()[d as usize] > 0;
        let documents: Vec<u32> = (0..rows.n_rows() as u32).filter(in_doubt).collect();
        let part = Part::of(rows, corpus.n_present(), documents, Counting::Raw);
        // A mixture costs `2 + 2 n_steps` half passes over the documents in doubt.
        let whole = BUDGET * rows.n_nonzeros().max(SMALL) as f64;
        let affordable = (0.5 * whole / part.n_nonzeros().max(1) as f64 - 1.0) as usize;
        let stiffness = |i: usize, j: usize| {
            1.0 / (state.word_topic[(part.features[i] as usize, j)] * state.masses[j])
        };
        Self {
            lengths: part.documents.iter().map(|&d| corpus.lengths()[d as usize] as f64).collect(),
            posterior: part.of_documents(posterior),
            stiffness: Matrix::from_fn(part.features.len(), k, stiffness),
            n_steps: affordable.clamp(*STEPS.start(), *STEPS.end()),
            part,
        }
    }

    /// By how much each topic's answer is larger in the end than at first, in L1: a few words that
    /// move much further than the others do not speak for all.
    fn growth(&self, state: &State, own: &Own, mixed: Vec<Matrix>) -> Vec<f64> {
        let k = state.masses.len();
        if self.part.documents.is_empty() {
            return vec![1.0; k];
        }
        let (mut first, mut last) = (vec![0.0; k], vec![0.0; k]);
        let add = |sizes: &mut [f64], steps: &Matrix| {
            sizes.par_iter_mut().enumerate().for_each(|(j, size)| {
                *size += steps.column(j).iter().map(|step| step.abs()).sum::<f64>();
            });
        };
        for (mixture, words) in mixed.into_iter().enumerate() {
            add(&mut first, &words);
            let step = Step { words, weights: state.mixed_weights(own, mixture) };
            add(&mut last, &self.settled(state, step));
        }
        let ratio = |(last, first): (&f64, &f64)| {
            let ratio = last / first;
            if ratio.is_finite() { ratio.max(1.0) } else { 1.0 }
        };
        last.iter().zip(&first).map(ratio).collect()
    }

    /// How far the topics move once the posteriors have followed a first step.
    fn settled(&self, state: &State, first: Step) -> Matrix {
        let mut topics = first.words;
        let here = Matrix::from_fn(self.part.features.len(), topics.n_columns(), |i, j| {
            let feature = self.part.features[i] as usize;
            topics[(feature, j)] / state.word_topic[(feature, j)]
        });
        let mut target = self.part.products().forward(&here);
        let n: f64 = state.documents.iter().sum();
        for (j, change) in first.weights.iter().enumerate() {
            let relative = change * n / state.documents[j];
            target.column_mut(j).iter_mut().for_each(|value| *value += relative);
        }
        let mut moved = self.moved(&self.solve(state, target));
        // A posterior ends at nought and one, however far a straight line would lead.
        let pairs = moved.values_mut().iter_mut().zip(self.posterior.values());
        pairs.for_each(|(change, p)| *change = change.clamp(-p, 1.0 - p));
        self.add_response(state, &moved, &mut topics);
        topics
    }

    /// `Gamma l`: how posteriors follow a change of log-scores.
    fn moved(&self, scores: &Matrix) -> Matrix {
        let mut means = vec![0.0; scores.n_rows()];
        for j in 0..scores.n_columns() {
            let pairs = self.posterior.column(j).iter().zip(scores.column(j));
            means.iter_mut().zip(pairs).for_each(|(mean, (p, l))| *mean += p * l);
        }
        let mut moved = scores.clone();
        let n = scores.n_rows().max(1);
        let columns = moved.values_mut().par_chunks_exact_mut(n);
        columns.zip(self.posterior.values().par_chunks_exact(n)).for_each(|(column, p)| {
            for ((value, mean), p) in column.iter_mut().zip(&means).zip(p) {
                *value = p * (*value - mean);
            }
        });
        moved
    }

    /// `H dP`: how log-scores follow the M step's answer to a change of posteriors.
    fn answered(&self, state: &State, moved: &Matrix) -> Matrix {
        let mut words = self.part.products().backward(moved, None);
        let n = words.n_rows().max(1);
        let columns = words.values_mut().par_chunks_exact_mut(n);
        columns.zip(self.stiffness.values().par_chunks_exact(n)).for_each(|(column, stiffness)| {
            column.iter_mut().zip(stiffness).for_each(|(v, s)| *v *= s);
        });
        let mut scores = self.part.products().forward(&words);
        for j in 0..scores.n_columns() {
            let per_word = dot(moved.column(j), &self.lengths) / state.masses[j];
            let constant = moved.column(j).iter().sum::<f64>() / state.documents[j];
            let column = scores.column_mut(j).iter_mut();
            column.zip(&self.lengths).for_each(|(value, c)| *value += constant - c * per_word);
        }
        scores
    }

    /// Conjugate gradients for `(I - H Gamma) l = target` in the product of `Gamma`.
    fn solve(&self, state: &State, target: Matrix) -> Matrix {
        let mut solution = Matrix::zeros(target.n_rows(), target.n_columns());
        let mut residual = target;
        let mut direction = residual.clone();
        let product = |a: &Matrix, b: &Matrix| dot(a.values(), b.values());
        let mut size = product(&residual, &self.moved(&residual));
        let first = size;
        for _ in 0..self.n_steps {
            if size <= SOLVED * first {
                break;
            }
            let moved = self.moved(&direction);
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
            let next = product(&residual, &self.moved(&residual));
            let mut turned = residual.clone();
            turned.add(next / size, &direction);
            direction = turned;
            size = next;
        }
        solution
    }

    /// Adds the M step's answer to a change of posteriors.
    fn add_response(&self, state: &State, moved: &Matrix, topics: &mut Matrix) {
        let words = self.part.products().backward(moved, None);
        let n = topics.n_rows().max(1);
        topics.values_mut().par_chunks_exact_mut(n).enumerate().for_each(|(j, column)| {
            let (mass, total) = (state.masses[j], dot(moved.column(j), &self.lengths));
            for (value, m) in column.iter_mut().zip(state.word_topic.column(j)) {
                *value -= m * total / mass;
            }
            for (&feature, more) in self.part.features.iter().zip(words.column(j)) {
                column[feature as usize] += more / mass;
            }
        });
    }
}
