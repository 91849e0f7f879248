//! Inference of a fitted hidden Markov model: scores, states, paths, forecasts, and random sequences.

use rand::SeedableRng;
use rand::distr::Distribution;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Poisson, StandardNormal, StandardUniform};

use super::chain::{Chain, Layout};
use super::fitted::Hmm;
use super::forward_backward::{Likelihoods, Recursion, Sums};
use super::observations::{Observations, Reference};
use super::sequences::{Emissions, Sequences};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::models::gaussian::position;

/// With fewer training sequences than this, new ones are scored with the stationary distribution.
const ENOUGH_FIRST_STATES: usize = 20;

/// The distribution of a sequence's first state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialLaw {
    /// The learned one if there were at least 20 sequences, otherwise the stationary one: a distribution learned
    /// from one sequence would be certain of its first state.
    #[default]
    Auto,
    /// The learned one.
    Learned,
    /// The stationary distribution of `A`.
    Stationary,
}

/// The forecast after a sequence.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// Probability of every state, steps ahead by state.
    pub states: Matrix,
    /// Expected emission, steps ahead by number: probabilities of categories or symbols, mean
    /// counts, means.
    pub expected: Matrix,
}

impl Hmm {
    /// Log-likelihood of every sequence.
    ///
    /// # Errors
    /// When the sequences are of another kind, or have a category the model has never seen.
    pub fn score(&self, sequences: &Sequences, law: InitialLaw) -> Result<Vec<f64>> {
        self.each(sequences, law, |recursion, codes| recursion.log_likelihood(codes))
    }

    /// Probability of every state at every step, given the whole sequence, and the log-likelihood
    /// of every sequence.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn posterior(&self, sequences: &Sequences, law: InitialLaw) -> Result<(Matrix, Vec<f64>)> {
        let k = self.n_states;
        let parts = self.each(sequences, law, |recursion, codes| {
            let mut sums =
                Sums { log_likelihood: 0.0, initial: vec![0.0; k], pairs: vec![0.0; k * k] };
            let mut rows = vec![0.0; codes.len() * k];
            recursion.run(codes, &mut Vec::new(), &mut sums, &mut |t, gamma: &[f64]| {
                rows[t * k..(t + 1) * k].copy_from_slice(gamma);
            });
            (rows, sums.log_likelihood)
        })?;
        let rows: Vec<f64> = parts.iter().flat_map(|(rows, _)| rows).copied().collect();
        let scores = parts.iter().map(|(_, score)| *score).collect();
        Ok((Matrix::from_columns(k, sequences.n_steps(), rows).transpose(), scores))
    }

    /// The most probable path of states (Viterbi), all sequences one after the other, and the
    /// logarithm of each path's probability.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn decode(&self, sequences: &Sequences, law: InitialLaw) -> Result<(Vec<usize>, Vec<f64>)> {
        let paths = self.each(sequences, law, |recursion, codes| recursion.best_path(codes))?;
        let scores = paths.iter().map(|(_, score)| *score).collect();
        Ok((paths.into_iter().flat_map(|(path, _)| path).collect(), scores))
    }

    /// The forecast after each sequence, up to `horizon` steps ahead.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn forecast(
        &self,
        sequences: &Sequences,
        horizon: usize,
        law: InitialLaw,
    ) -> Result<Vec<Forecast>> {
        let last = self.each(sequences, law, |recursion, codes| recursion.filtered(codes))?;
        Ok(last.into_iter().map(|law| self.ahead(law, horizon)).collect())
    }

    fn ahead(&self, mut law: Vec<f64>, horizon: usize) -> Forecast {
        let k = self.n_states;
        let width = match self.emissions {
            Emissions::Gaussian => self.names.len(),
            _ => self.emission.n_columns(),
        };
        let mut states = Matrix::zeros(horizon, k);
        let mut expected = Matrix::zeros(horizon, width);
        for h in 0..horizon {
            law = (0..k).map(|j| (0..k).map(|i| law[i] * self.transitions[(i, j)]).sum()).collect();
            for (j, p) in law.iter().enumerate() {
                states[(h, j)] = *p;
                for c in 0..width {
                    expected[(h, c)] += p * self.emission[(j, c)];
                }
            }
        }
        Forecast { states, expected }
    }

    /// A random sequence of `n` steps from the model, and its states. Multinomial steps have `n_trials` symbols.
    pub fn sample(&self, n: usize, seed: u64, n_trials: u64) -> (Vec<f64>, Vec<usize>) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = || -> f64 { StandardUniform.sample(&mut rng) };
        let mut states = Vec::with_capacity(n);
        let first_law = self.initial_law(InitialLaw::Auto);
        let mut state = position(&first_law, uniform());
        for t in 0..n {
            if t > 0 {
                state = position(&self.transitions.row(state), uniform());
            }
            states.push(state);
        }
        let mut values = Vec::with_capacity(n * self.names.len());
        for &j in &states {
            self.emit(j, n_trials, &mut rng, &mut values);
        }
        (values, states)
    }

    fn emit(&self, j: usize, n_trials: u64, rng: &mut ChaCha8Rng, values: &mut Vec<f64>) {
        let d = self.names.len();
        let emission = self.emission(j);
        match self.emissions {
            Emissions::Categorical => {
                for range in self.layout().laws() {
                    let uniform: f64 = StandardUniform.sample(rng);
                    values.push(position(&emission[range], uniform) as f64);
                }
            }
            Emissions::Poisson => {
                for rate in &emission {
                    values.push(Poisson::new(rate.max(1e-12)).map_or(0.0, |law| law.sample(rng)));
                }
            }
            Emissions::Gaussian => {
                for v in 0..d {
                    let noise: f64 = StandardNormal.sample(rng);
                    values.push(emission[v] + emission[d + v].sqrt() * noise);
                }
            }
            Emissions::Multinomial => {
                let mut counts = vec![0.0; d];
                for _ in 0..n_trials {
                    let uniform: f64 = StandardUniform.sample(rng);
                    counts[position(&emission, uniform)] += 1.0;
                }
                values.extend(counts);
            }
        }
    }

    /// The distribution of the first state.
    pub fn initial_law(&self, law: InitialLaw) -> Vec<f64> {
        let learned = match law {
            InitialLaw::Auto => self.n_sequences >= ENOUGH_FIRST_STATES,
            InitialLaw::Learned => true,
            InitialLaw::Stationary => false,
        };
        if learned { self.initial.clone() } else { self.stationary() }
    }

    pub(super) fn layout(&self) -> Layout {
        Layout::new(self.emissions, self.names.len(), &self.categories)
    }

    pub(super) fn flat_transitions(&self) -> Vec<f64> {
        (0..self.n_states).flat_map(|i| self.transitions.row(i)).collect()
    }

    /// Calls a function for every sequence.
    fn each<T>(
        &self,
        sequences: &Sequences,
        law: InitialLaw,
        ask: impl Fn(&Recursion<'_>, &[u32]) -> T,
    ) -> Result<Vec<T>> {
        sequences.check_same(self.emissions, &self.names, &self.categories)?;
        let (observations, likelihoods) = self.likelihoods(sequences);
        let initial = self.initial_law(law);
        let transitions = self.flat_transitions();
        let recursion = Recursion {
            k: self.n_states,
            initial: &initial,
            transitions: &transitions,
            likelihoods: &likelihoods,
        };
        let mut start = 0;
        let answers = sequences.lengths().iter().map(|length| {
            let codes = &observations.codes[start..start + length];
            start += length;
            ask(&recursion, codes)
        });
        Ok(answers.collect())
    }

    fn likelihoods(&self, sequences: &Sequences) -> (Observations, Likelihoods) {
        let layout = self.layout();
        let width = layout.width();
        let reference =
            Reference { overall: vec![0.0; width], units: vec![(0.0, 1.0); layout.d], layout };
        let observations = Observations::new(sequences, &reference);
        let mut chain = Chain::zeros(self.n_states, width);
        for j in 0..self.n_states {
            chain.emission_mut(j).copy_from_slice(&self.emission(j));
        }
        let likelihoods = observations.likelihoods(&chain);
        (observations, likelihoods)
    }
}
