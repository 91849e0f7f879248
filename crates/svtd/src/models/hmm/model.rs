//! A hidden Markov model with its sequences: Baum-Welch with a light prior.
//!
//! ```text
//! A_ij = (xi_ij + a)/row sum,  pi_j = (p0_j + a)/sum,  emissions with a records of the overall law
//! F    = loglik + a sum log A + a sum log pi + the emissions' prior          a = 0: maximum likelihood
//! ```

use rayon::prelude::*;

use super::chain::Chain;
use super::forward_backward::{Recursion, Sums};
use super::observations::{Observations, Reference};
use super::sequences::{Emissions, Sequences};
use crate::linalg::Matrix;

/// The smallest number of steps that one task handles.
const TASK_STEPS: usize = 8192;

/// Sequences with the prior of a fit.
#[derive(Clone, Debug)]
pub(super) struct HmmModel {
    pub(super) sequences: Sequences,
    pub(super) reference: Reference,
    pub(super) observations: Observations,
    /// First step of each sequence, and the number of steps at the end.
    pub(super) bounds: Vec<usize>,
    /// Sequences of each task.
    pub(super) tasks: Vec<std::ops::Range<usize>>,
    /// `a`, the weight of the prior.
    pub(super) prior: f64,
    /// A solution that is used as a further start.
    pub(super) known: Vec<(&'static str, Chain)>,
}

impl HmmModel {
    /// The model of sequences with prior weight `a`.
    pub(super) fn new(sequences: Sequences, prior: f64) -> Self {
        let reference = Reference::of(&sequences);
        Self::with_reference(sequences, reference, prior)
    }

    /// The model of sequences, in the units of other sequences.
    pub(super) fn with_reference(sequences: Sequences, reference: Reference, prior: f64) -> Self {
        let observations = Observations::new(&sequences, &reference);
        let mut bounds = vec![0];
        for length in sequences.lengths() {
            bounds.push(bounds.last().copied().unwrap_or(0) + length);
        }
        let mut tasks = Vec::new();
        let mut first = 0;
        for s in 0..sequences.lengths().len() {
            if bounds[s + 1] - bounds[first] >= TASK_STEPS || s + 1 == sequences.lengths().len() {
                tasks.push(first..s + 1);
                first = s + 1;
            }
        }
        let known = Vec::new();
        Self { sequences, reference, observations, bounds, tasks, prior, known }
    }

    /// The same model for some parts of the steps.
    pub(super) fn on(&self, stretches: &[std::ops::Range<usize>]) -> Self {
        let part = self.sequences.stretches(stretches);
        Self::with_reference(part, self.reference.clone(), self.prior)
    }

    /// The sequences as ranges of steps.
    pub(super) fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        self.bounds.windows(2).map(|w| w[0]..w[1]).collect()
    }

    /// The E step: sums, and the weights of states on distinct observations.
    pub(super) fn expect(&self, chain: &Chain) -> (Sums, Vec<f64>) {
        let k = chain.k;
        let likelihoods = self.observations.likelihoods(chain);
        let recursion = Recursion {
            k,
            initial: chain.initial(),
            transitions: chain.transitions(),
            likelihoods: &likelihoods,
        };
        let (own, n_rows) = (self.observations.own, self.observations.n_rows());
        let task = |range: &std::ops::Range<usize>| {
            let mut sums =
                Sums { log_likelihood: 0.0, initial: vec![0.0; k], pairs: vec![0.0; k * k] };
            let first = self.bounds[range.start];
            let n = if own { self.bounds[range.end] - first } else { n_rows };
            let mut weights = vec![0.0; n * k];
            let mut alpha = Vec::new();
            for s in range.clone() {
                let steps = self.bounds[s]..self.bounds[s + 1];
                let codes = &self.observations.codes[steps.clone()];
                recursion.run(codes, &mut alpha, &mut sums, &mut |t, gamma: &[f64]| {
                    let row = if own { steps.start + t - first } else { codes[t] as usize };
                    let target = &mut weights[row * k..row * k + k];
                    target.iter_mut().zip(gamma).for_each(|(w, g)| *w += g);
                });
            }
            (sums, weights)
        };
        let parts: Vec<(Sums, Vec<f64>)> = if self.tasks.len() == 1 {
            vec![task(&self.tasks[0])]
        } else {
            self.tasks.par_iter().map(task).collect()
        };
        let mut parts = parts.into_iter();
        let Some((mut sums, mut weights)) = parts.next() else {
            let none = Sums { log_likelihood: 0.0, initial: vec![0.0; k], pairs: vec![0.0; k * k] };
            return (none, vec![0.0; n_rows * k]);
        };
        for (more, own_weights) in parts {
            sums.log_likelihood += more.log_likelihood;
            sums.initial.iter_mut().zip(&more.initial).for_each(|(x, y)| *x += y);
            sums.pairs.iter_mut().zip(&more.pairs).for_each(|(x, y)| *x += y);
            if own {
                weights.extend(own_weights);
            } else {
                weights.iter_mut().zip(&own_weights).for_each(|(x, y)| *x += y);
            }
        }
        (sums, weights)
    }

    /// The logarithm of the prior.
    pub(super) fn log_prior(&self, chain: &Chain) -> f64 {
        if self.prior == 0.0 {
            return 0.0;
        }
        let logs = |values: &[f64]| values.iter().map(|x| x.max(1e-300).ln()).sum::<f64>();
        self.prior * (logs(chain.transitions()) + logs(chain.initial()))
            + self.observations.log_prior(chain, self.prior)
    }

    /// Transitions, initial law and emissions from their expected counts.
    pub(super) fn maximised(
        &self,
        initial: &[f64],
        pairs: &[f64],
        weights: &[f64],
        a: f64,
    ) -> Chain {
        let k = initial.len();
        let mut chain = Chain::zeros(k, self.observations.layout.width());
        normalised(initial, a, chain.initial_mut());
        for i in 0..k {
            let row = i * k..(i + 1) * k;
            normalised(&pairs[row.clone()], a, &mut chain.transitions_mut()[row]);
        }
        self.observations.maximise(weights, &mut chain, a);
        chain
    }

    /// Weights of states on distinct observations from responsibilities of steps.
    pub(super) fn weights_of(&self, responsibilities: &Matrix) -> Vec<f64> {
        let k = responsibilities.n_columns();
        let mut weights = vec![0.0; self.observations.n_rows() * k];
        for j in 0..k {
            for (&code, r) in self.observations.codes.iter().zip(responsibilities.column(j)) {
                weights[code as usize * k + j] += r;
            }
        }
        weights
    }
}

/// Counts with `a` added to each, normalised; uniform where nothing was counted.
fn normalised(counts: &[f64], a: f64, law: &mut [f64]) {
    let total: f64 = counts.iter().sum::<f64>() + a * counts.len() as f64;
    for (target, count) in law.iter_mut().zip(counts) {
        *target = if total > 1e-300 { (count + a) / total } else { 1.0 / counts.len() as f64 };
    }
}

/// Emission parameters in the units of the data.
pub(super) fn in_units(model: &HmmModel, emission: &[f64]) -> Vec<f64> {
    let layout = &model.observations.layout;
    if layout.emissions != Emissions::Gaussian {
        return emission.to_vec();
    }
    let units = &model.observations.units;
    let means = (0..layout.d).map(|v| units[v].0 + units[v].1 * emission[v]);
    let variances = (0..layout.d).map(|v| units[v].1.powi(2) * emission[layout.d + v]);
    means.chain(variances).collect()
}
