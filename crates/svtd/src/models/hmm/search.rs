//! A hidden Markov model as the engine searches it.

use rayon::prelude::*;

use super::chain::Chain;
use super::forward_backward::{Recursion, Sums};
use super::model::HmmModel;
use super::sequences::Emissions;
use super::{cuts, starts};
use crate::linalg::Matrix;
use crate::models::engine::LatentModel;
use crate::models::gaussian::mend_weights;

/// Number of steps on which a search is made when there are more, and the length of each part of them.
const SEARCHED_STEPS: usize = 30_000;
const STRETCH: usize = 1_000;

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
