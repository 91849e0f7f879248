//! A hidden Markov model with its sequences, for the engine: Baum-Welch with a light prior.
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
use super::{cuts, starts};
use crate::linalg::Matrix;
use crate::models::engine::LatentModel;
use crate::models::gaussian::mend_weights;

/// The smallest number of steps that one task handles.
const TASK_STEPS: usize = 8192;

/// Number of steps on which a search is made when there are more, and the length of each part of them.
const SEARCHED_STEPS: usize = 30_000;
const STRETCH: usize = 1_000;

/// Sequences with the prior of a fit.
#[derive(Clone, Debug)]
pub(super) struct HmmModel {
    pub(super) sequences: Sequences,
    pub(super) reference: Reference,
    pub(super) observations: Observations,
    /// First step of each sequence, and the number of steps at the end.
    pub(super) bounds: Vec<usize>,
    /// Sequences of each task.
    tasks: Vec<std::ops::Range<usize>>,
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
    fn expect(&self, chain: &Chain) -> (Sums, Vec<f64>) {
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
    fn log_prior(&self, chain: &Chain) -> f64 {
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

impl LatentModel for HmmModel {
    type Parameters = Chain;

    fn n_rows(&self) -> usize {
        self.observations.codes.len()
    }

    fn n_components(&self, chain: &Chain) -> usize {
        chain.k
    }

    fn step(&self, chain: &Chain) -> (Chain, f64) {
        let (sums, weights) = self.expect(chain);
        let pairs: Vec<f64> =
            sums.pairs.iter().zip(chain.transitions()).map(|(n, a)| n * a).collect();
        let objective = sums.log_likelihood + self.log_prior(chain);
        (self.maximised(&sums.initial, &pairs, &weights, self.prior), objective)
    }

    fn objective(&self, chain: &Chain) -> f64 {
        self.log_likelihood(chain) + self.log_prior(chain)
    }

    fn log_likelihood(&self, chain: &Chain) -> f64 {
        let likelihoods = self.observations.likelihoods(chain);
        let recursion = Recursion {
            k: chain.k,
            initial: chain.initial(),
            transitions: chain.transitions(),
            likelihoods: &likelihoods,
        };
        let of = |range: &std::ops::Range<usize>| -> f64 {
            let steps = range.clone().map(|s| self.bounds[s]..self.bounds[s + 1]);
            steps.map(|steps| recursion.log_likelihood(&self.observations.codes[steps])).sum()
        };
        let parts: Vec<f64> = self.tasks.par_iter().map(of).collect();
        parts.iter().sum()
    }

    fn n_free_parameters(&self, k: usize) -> usize {
        k * (k - 1) + k * self.observations.layout.n_free()
    }

    fn responsibilities(&self, chain: &Chain) -> Matrix {
        let k = chain.k;
        let likelihoods = self.observations.likelihoods(chain);
        let recursion = Recursion {
            k,
            initial: chain.initial(),
            transitions: chain.transitions(),
            likelihoods: &likelihoods,
        };
        let mut result = Matrix::zeros(self.n_rows(), k);
        let mut alpha = Vec::new();
        let mut sums = Sums { log_likelihood: 0.0, initial: vec![0.0; k], pairs: vec![0.0; k * k] };
        for steps in self.ranges() {
            let codes = &self.observations.codes[steps.clone()];
            recursion.run(codes, &mut alpha, &mut sums, &mut |t, gamma: &[f64]| {
                for (j, g) in gamma.iter().enumerate() {
                    result[(steps.start + t, j)] = *g;
                }
            });
        }
        result
    }

    fn parameters_from(&self, responsibilities: &Matrix) -> Chain {
        let k = responsibilities.n_columns();
        let mut initial = vec![0.0; k];
        let mut pairs = vec![0.0; k * k];
        let r = responsibilities.transpose();
        for steps in self.ranges() {
            initial.iter_mut().zip(r.column(steps.start)).for_each(|(x, y)| *x += y);
            for t in steps.start..steps.end - 1 {
                let (here, next) = (r.column(t), r.column(t + 1));
                for i in 0..k {
                    for j in 0..k {
                        pairs[i * k + j] += here[i] * next[j];
                    }
                }
            }
        }
        let weights = self.weights_of(responsibilities);
        self.maximised(&initial, &pairs, &weights, self.prior.max(1.0))
    }

    fn cuts(&self, chain: &Chain, responsibilities: &Matrix, c: usize) -> Vec<Vec<f64>> {
        cuts::cuts(self, chain, responsibilities, c)
    }

    fn starts(&self, k: usize) -> Vec<(&'static str, Chain)> {
        let known = self.known.iter().filter(|(_, chain)| chain.k == k).cloned();
        starts::starts(self, k).into_iter().chain(known).collect()
    }

    fn flatten(&self, chain: &Chain) -> Vec<f64> {
        chain.values.clone()
    }

    fn project(&self, flat: &[f64], safe: &Chain) -> Chain {
        let mut chain = Chain { values: flat.to_vec(), ..safe.clone() };
        let (k, layout) = (chain.k, &self.observations.layout);
        mend_weights(chain.initial_mut(), safe.initial());
        for i in 0..k {
            let row = i * k..(i + 1) * k;
            mend_weights(&mut chain.transitions_mut()[row.clone()], &safe.transitions()[row]);
        }
        for j in 0..k {
            let (own, fallback) = (chain.emission_mut(j), safe.emission(j));
            for law in layout.laws() {
                mend_weights(&mut own[law.clone()], &fallback[law]);
            }
            let positive = match layout.emissions {
                Emissions::Poisson => 0..layout.d,
                Emissions::Gaussian => layout.d..2 * layout.d,
                _ => 0..0,
            };
            for at in positive {
                let least = 0.1 * fallback[at];
                own[at] = if own[at].is_finite() { own[at].max(least) } else { fallback[at] };
            }
        }
        chain
    }

    fn tolerance(&self, objective: f64) -> f64 {
        1e-7 + 1e-10 * objective.abs()
    }

    fn max_steps(&self) -> usize {
        1500
    }

    fn searches_rungs(&self) -> bool {
        true
    }

    fn coarse(&self) -> Option<Self> {
        let n = self.n_rows();
        if n <= SEARCHED_STEPS {
            return None;
        }
        let stretches: Vec<std::ops::Range<usize>> = self
            .ranges()
            .into_iter()
            .flat_map(|r| {
                let end = r.end;
                r.step_by(STRETCH).map(move |start| start..end.min(start + STRETCH))
            })
            .collect();
        let every = n.div_ceil(SEARCHED_STEPS);
        let kept: Vec<std::ops::Range<usize>> =
            stretches.into_iter().step_by(every).filter(|r| r.len() > 1).collect();
        let mut part = self.on(&kept);
        part.known.clone_from(&self.known);
        Some(part)
    }
}
