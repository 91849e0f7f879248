//! EM's result without each group, without running EM again.
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
//! where repeating EM would converge as slowly as EM does. All such `l` are made of a table of words x
//! topics, and the steps ask for sums over documents only ([`feedback`](super::feedback)).
//!
//! The answer is linear in `delta`. So it is not computed for every group, but for one or two sums of the steps of
//! all groups with signs `+1` and `-1`. The ratio of the answer to its first step is the factor by which the errors of
//! each topic grow.
//!
//! # Cost
//! Two half passes over the counts (three if EM had not converged), and for each signed sum a few over the
//! documents in doubt, the fewer the more of them there are ([`BUDGET`]).

use rayon::prelude::*;

use super::feedback::{Doubters, Followed, posterior_of};
use super::groups::{GROUPS, Groups, sign};
use super::holdings::Holdings;
use super::pull;
use super::without::{Own, Steps, Without};
use crate::corpus::Corpus;
use crate::fit::expectation::{self, Expected};
use crate::fit::smoothing;
use crate::fit::spectral::Estimate;
use crate::linalg::Matrix;
use crate::moments::Counting;
use crate::moments::panels::Products;
use crate::questions::{Holding, Request, Scores};

/// The smallest and largest number of conjugate gradient steps.
const STEPS: std::ops::RangeInclusive<usize> = 2..=8;

/// The squared residual, relative to the first, at which the solution is accepted.
const SOLVED: f64 = 1e-4;

/// A direction along which EM contracts by less than this fraction in a step is not followed.
const LOOSE: f64 = 0.02;

/// Number of signed sums over the groups for which the response is computed, for a large corpus and for a small one.
const SIGNED_SUMS: [usize; 2] = [1, 2];

/// Half passes over the whole corpus that one signed sum may cost.
const BUDGET: f64 = 4.0;

/// A corpus of fewer counts than this is small; its budget is that of a corpus of this size.
const SMALL: usize = 1 << 20;

/// Leaves out each group in turn; `estimate` is the result of EM.
pub(crate) fn leave_out(
    groups: &Groups<'_>,
    estimate: &Estimate,
    frequencies: &[f64],
) -> super::Left {
    let corpus = groups.corpus();
    let Estimate { word_topic, topic_weights, .. } = estimate;
    let logarithms = expectation::logarithms_of(word_topic);
    let strength = smoothing::strength(corpus, topic_weights);
    let all = Expected::ask(corpus, &logarithms, topic_weights);
    let state = State::new(&all, corpus, frequencies, strength);
    // The posterior is kept only if the documents are here: the groups and the documents in doubt
    // need it again.
    let posterior = all.into_posterior();
    let n_signed_sums = SIGNED_SUMS[usize::from(corpus.n_nonzeros() < SMALL)];
    let mut without = Without::new(&state.word_topic, &state.masses, n_signed_sums);
    let mut weights = vec![vec![0.0; topic_weights.len()]; n_signed_sums];
    for g in 0..GROUPS {
        let (topics, own) = match &posterior {
            Some(all) => own_of(corpus, all, &groups.part(g).documents(corpus)),
            None => {
                let among = groups.among(g);
                let own = Expected::ask(&among, &logarithms, topic_weights);
                (own.topics.clone(), Own::of_all(own.words(&among)))
            }
        };
        without.leave_out(g, &own);
        let step = state.weights_without(&topics);
        for (m, sum) in weights.iter_mut().enumerate() {
            let factor = sign(m, g) / (GROUPS as f64).sqrt();
            sum.iter_mut().zip(&step).for_each(|(sum, step)| *sum += factor * step);
        }
    }
    let Steps { mut errors, mut changes, signed_sums } = without.finish();
    let steps = signed_sums.into_iter().zip(weights);
    let steps = steps.map(|(words, weights)| Step { words, weights }).collect();
    let asked = (logarithms.clone(), topic_weights.clone());
    let doubters = Doubters::new(corpus, asked, posterior.as_ref());
    let feedback = Feedback { doubters, state: &state, n_nonzeros: corpus.n_nonzeros() };
    let growth = feedback.growth(steps);
    errors.scale_columns(&growth);
    changes.scale_columns(&growth);
    pull::widen(&mut errors, &state.word_topic, &state.masses, &state.prior);
    let request =
        || Request::Holdings(Holding::Posteriors(logarithms.clone(), topic_weights.clone()));
    let holdings = Holdings::ask(corpus, topic_weights.len(), request, || match posterior {
        Some(posterior) => held(corpus, posterior),
        None => held_words(corpus, &logarithms, topic_weights),
    });
    super::Left { errors, changes, holdings }
}

/// What some documents add to the number of documents of each topic, and to `X'P`.
fn own_of(corpus: &Corpus, posterior: &Matrix, documents: &[usize]) -> (Vec<f64>, Own) {
    let (rows, words) = corpus.rows().picked_with_words(documents, corpus);
    let posterior = posterior.select_rows(documents);
    let topics = expectation::documents_of(&rows, &posterior);
    let sums = Products::new(&rows, words.len(), Counting::Raw).backward(&posterior, None);
    (topics, Own::new(words, sums))
}

/// The number of words that documents hold of each topic, given the logarithms of the topics and their weights.
pub(crate) fn held_words(corpus: &Corpus, logarithms: &Matrix, weights: &[f64]) -> Matrix {
    held(corpus, posterior_of(corpus, logarithms, weights))
}

fn held(corpus: &Corpus, posterior: Matrix) -> Matrix {
    let mut held = posterior;
    held.scale_rows(&corpus.lengths().iter().map(|&c| c as f64).collect::<Vec<f64>>());
    held
}

/// EM at its solution.
struct State {
    /// The pseudo-counts of the smoothing.
    prior: Vec<f64>,
    /// Number of words of each topic, including smoothing.
    masses: Vec<f64>,
    /// Number of documents of each topic, including the one that the weights add.
    documents: Vec<f64>,
    word_topic: Matrix,
}

/// A change of `M` and of `Omega`.
struct Step {
    words: Matrix,
    weights: Vec<f64>,
}

impl State {
    fn new(all: &Expected, corpus: &Corpus, frequencies: &[f64], strength: f64) -> Self {
        let documents = all.topics.iter().map(|n| n + 1.0).collect();
        let sums = all.words(corpus);
        let prior: Vec<f64> = frequencies.iter().map(|m1| strength * m1).collect();
        let masses: Vec<f64> = column_sums(&sums).iter().map(|sum| sum + strength).collect();
        let word_topic = smoothed(&sums, &prior, &masses);
        Self { prior, masses, documents, word_topic }
    }

    /// How the first M step without a group of so many documents of each topic moves the weights.
    fn weights_without(&self, own: &[f64]) -> Vec<f64> {
        let n: f64 = self.documents.iter().sum();
        let size: f64 = own.iter().sum();
        let weight = |(all, own): (&f64, &f64)| (all - own) / (n - size) - all / n;
        self.documents.iter().zip(own).map(weight).collect()
    }

    /// The change of log-scores that follows from a change of the parameters.
    fn scores(&self, step: &Step) -> Scores {
        let n: f64 = self.documents.iter().sum();
        let mut words = step.words.clone();
        let pairs = words.values_mut().par_iter_mut().zip(self.word_topic.values());
        pairs.for_each(|(value, m)| *value /= m);
        let relative = |(change, held): (&f64, &f64)| change * n / held;
        let constants = step.weights.iter().zip(&self.documents).map(relative).collect();
        Scores { words, constants, per_word: vec![0.0; self.masses.len()] }
    }

    /// `H dP`: the change of log-scores that follows from the M step's response to a change of posteriors.
    fn answered(&self, followed: &Followed) -> Scores {
        let mut words = followed.words.clone();
        let n = words.n_rows().max(1);
        let columns = words.values_mut().par_chunks_exact_mut(n).enumerate();
        columns.for_each(|(j, column)| {
            for (value, m) in column.iter_mut().zip(self.word_topic.column(j)) {
                *value /= m * self.masses[j];
            }
        });
        let over = |sums: &[f64], masses: &[f64]| -> Vec<f64> {
            sums.iter().zip(masses).map(|(sum, mass)| sum / mass).collect()
        };
        let constants = over(&followed.documents, &self.documents);
        Scores { words, constants, per_word: over(&followed.tokens, &self.masses) }
    }
}

pub(super) fn column_sums(table: &Matrix) -> Vec<f64> {
    let columns = (0..table.n_columns()).into_par_iter();
    columns.map(|j| table.column(j).iter().sum()).collect()
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

/// EM's response to a first step, after the posteriors of the documents in doubt have changed.
struct Feedback<'a> {
    doubters: Doubters<'a>,
    state: &'a State,
    /// Number of stored counts of all documents.
    n_nonzeros: usize,
}

impl Feedback<'_> {
    /// For each topic, the ratio of its final response to its first, in the L1 norm: so that a few
    /// words that move much further than the others do not dominate.
    fn growth(&self, steps: Vec<Step>) -> Vec<f64> {
        let k = self.state.masses.len();
        let (mut first, mut last) = (vec![0.0; k], vec![0.0; k]);
        let add = |sizes: &mut [f64], steps: &Matrix| {
            sizes.par_iter_mut().enumerate().for_each(|(j, size)| {
                *size += steps.column(j).iter().map(|step| step.abs()).sum::<f64>();
            });
        };
        for step in steps {
            add(&mut first, &step.words);
            match self.settled(step) {
                Some(settled) => add(&mut last, &settled),
                None => return vec![1.0; k],
            }
        }
        let ratio = |(last, first): (&f64, &f64)| {
            let ratio = last / first;
            if ratio.is_finite() { ratio.max(1.0) } else { 1.0 }
        };
        last.iter().zip(&first).map(ratio).collect()
    }

    /// How far the topics move once the posteriors have followed a first step; `None` when no document is
    /// in doubt.
    fn settled(&self, first: Step) -> Option<Matrix> {
        let target = self.state.scores(&first);
        let followed = self.doubters.follow(&target, false);
        if followed.n_nonzeros == 0.0 {
            return None;
        }
        let moved = self.doubters.follow(&self.solve(target, followed), true);
        let mut topics = first.words;
        self.add_response(&moved, &mut topics);
        Some(topics)
    }

    /// Conjugate gradients for `(I - H Gamma) l = target` in the product of `Gamma`; `followed` is how
    /// posteriors follow the target.
    fn solve(&self, target: Scores, followed: Followed) -> Scores {
        // A signed sum costs `2 + 2 n_steps` half passes over the documents in doubt.
        let whole = BUDGET * self.n_nonzeros.max(SMALL) as f64;
        let affordable = (0.5 * whole / followed.n_nonzeros - 1.0) as usize;
        let n_steps = affordable.clamp(*STEPS.start(), *STEPS.end());
        let mut solution = target.clone();
        solution.add(-1.0, &target);
        let mut residual = target;
        let mut direction = residual.clone();
        let mut size = residual.product(&followed);
        // How posteriors follow the direction, which is known from how they follow residuals.
        let mut moved = followed;
        let first = size;
        for _ in 0..n_steps {
            if size <= SOLVED * first {
                break;
            }
            let mut image = direction.clone();
            image.add(-1.0, &self.state.answered(&moved));
            let curvature = image.product(&moved);
            // Along this direction EM contracts too slowly, or has not converged: it is not
            // followed.
            if curvature <= LOOSE * direction.product(&moved) {
                break;
            }
            let length = size / curvature;
            solution.add(length, &direction);
            residual.add(-length, &image);
            let followed = self.doubters.follow(&residual, false);
            let next = residual.product(&followed);
            let mut turned = residual.clone();
            turned.add(next / size, &direction);
            direction = turned;
            moved.follow(&followed, next / size);
            size = next;
        }
        solution
    }

    /// Adds the M step's response to a change of posteriors.
    fn add_response(&self, moved: &Followed, topics: &mut Matrix) {
        let n = topics.n_rows().max(1);
        topics.values_mut().par_chunks_exact_mut(n).enumerate().for_each(|(j, column)| {
            let (mass, total) = (self.state.masses[j], moved.tokens[j]);
            let words = self.state.word_topic.column(j).iter().zip(moved.words.column(j));
            for (value, (m, more)) in column.iter_mut().zip(words) {
                *value += (more - m * total) / mass;
            }
        });
    }
}
