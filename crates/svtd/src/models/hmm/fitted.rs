//! A fitted hidden Markov model: its numbers, and what it says of sequences.

use rand::SeedableRng;
use rand::distr::Distribution;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Poisson, StandardNormal, StandardUniform};

use super::chain::{Chain, Layout, stationary};
use super::fit::{dwell, in_units};
use super::forward_backward::{Likelihoods, Recursion, Sums};
use super::model::HmmModel;
use super::observations::{Observations, Reference};
use super::sequences::{Emissions, Sequences};
use super::table::SequenceColumns;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::models::engine::{Criteria, Found, LatentModel, StartEnd};
use crate::models::gaussian::{data, position};

/// Training sequences below which new ones are scored with the stationary law.
const ENOUGH_FIRST_STATES: usize = 20;

/// Standard errors of a hidden Markov model.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBars {
    /// Of `A`, row by column.
    pub transitions: Matrix,
    /// Of the emission parameters, state by parameter.
    pub emissions: Matrix,
    /// Of the dwell times.
    pub dwell_times: Vec<f64>,
    /// Of the stationary law.
    pub stationary: Vec<f64>,
}

impl ErrorBars {
    /// Standard errors in the order in which the numbers are told.
    pub(super) fn of(errors: Vec<f64>, k: usize, width: usize) -> Self {
        let emissions = k * k + k * width;
        Self {
            transitions: Matrix::from_fn(k, k, |i, j| errors[i * k + j]),
            emissions: Matrix::from_fn(k, width, |j, c| errors[k * k + j * width + c]),
            dwell_times: errors[emissions..emissions + k].to_vec(),
            stationary: errors[emissions + k..].to_vec(),
        }
    }
}

/// The law of a sequence's first state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialLaw {
    /// The learned one where at least 20 sequences were learned from, else the stationary one: a
    /// law learned from one sequence is certain of its first state.
    #[default]
    Auto,
    /// The learned one.
    Learned,
    /// The stationary law of `A`.
    Stationary,
}

/// What comes after a sequence.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// Probability of every state, steps ahead by state.
    pub states: Matrix,
    /// Expected emission, steps ahead by number: probabilities of categories or symbols, mean
    /// counts, means.
    pub expected: Matrix,
}

/// A fitted hidden Markov model.
#[derive(Clone, Debug)]
pub struct Hmm {
    pub(super) emissions: Emissions,
    pub(super) names: Vec<String>,
    /// The columns of the table it was learned from.
    pub(super) columns: SequenceColumns,
    pub(super) categories: Vec<Vec<String>>,
    pub(super) n_states: usize,
    pub(super) initial: Vec<f64>,
    pub(super) transitions: Matrix,
    /// Emission parameters in the data's units, state by parameter.
    pub(super) emission: Matrix,
    pub(super) prior: f64,
    pub(super) n_sequences: usize,
    pub(super) objective: f64,
    pub(super) converged: bool,
    pub(super) steps: usize,
    pub(super) starts: Vec<StartEnd>,
    pub(super) criteria: Criteria,
    pub(super) error_bars: Option<ErrorBars>,
    pub(super) path: Vec<(usize, Criteria)>,
    pub(super) notes: Vec<String>,
}

impl Hmm {
    pub(super) fn new(
        model: &HmmModel,
        chain: &Chain,
        found: &Found<Chain>,
        error_bars: Option<ErrorBars>,
        path: Vec<(usize, Criteria)>,
    ) -> Self {
        let k = chain.k;
        let sequences = &model.sequences;
        let told: Vec<Vec<f64>> = (0..k).map(|j| in_units(model, chain.emission(j))).collect();
        let log_likelihood = model.log_likelihood(chain);
        let steps = sequences.n_steps() as f64;
        let mut hmm = Self {
            emissions: sequences.emissions(),
            names: sequences.names().to_vec(),
            columns: SequenceColumns::default(),
            categories: sequences.categories().to_vec(),
            n_states: k,
            initial: chain.initial().to_vec(),
            transitions: Matrix::from_fn(k, k, |i, j| chain.transitions()[i * k + j]),
            emission: Matrix::from_fn(k, chain.width, |j, c| told[j][c]),
            prior: model.prior,
            n_sequences: sequences.lengths().len(),
            objective: found.objective,
            converged: found.converged,
            steps: found.steps,
            starts: found.starts.clone(),
            criteria: Criteria::new(log_likelihood, model.n_free_parameters(k), steps),
            error_bars,
            path,
            notes: Vec::new(),
        };
        hmm.note(&model.responsibilities(chain));
        hmm
    }

    /// A model from its parameters: `A` row by column, emission parameters in the data's units
    /// state by parameter, laid out as [`emission`](Self::emission) tells, categories of each
    /// variable, and the number of sequences they were learned from.
    ///
    /// # Errors
    /// When sizes differ or a number is not finite.
    pub fn from_parameters(
        emissions: Emissions,
        names: Vec<String>,
        categories: Vec<Vec<String>>,
        (initial, transitions, emission): (Vec<f64>, Matrix, Matrix),
        n_sequences: usize,
    ) -> Result<Self> {
        let k = initial.len();
        let layout = Layout::new(emissions, names.len(), &categories);
        let sizes = k > 0
            && categories.len() == names.len()
            && (transitions.n_rows(), transitions.n_columns()) == (k, k)
            && (emission.n_rows(), emission.n_columns()) == (k, layout.width());
        let numbers = initial.iter().chain(transitions.values()).chain(emission.values());
        if !sizes || !numbers.into_iter().all(|x| x.is_finite()) {
            return Err(data(format!(
                "the parameters are not those of {k} states with {} emissions",
                emissions.name()
            )));
        }
        Ok(Self {
            emissions,
            names,
            columns: SequenceColumns::default(),
            categories,
            n_states: k,
            initial,
            transitions,
            emission,
            prior: 0.0,
            n_sequences,
            objective: f64::NEG_INFINITY,
            converged: true,
            steps: 0,
            starts: Vec::new(),
            criteria: Criteria::new(0.0, 0, 0.0),
            error_bars: None,
            path: Vec::new(),
            notes: Vec::new(),
        })
    }

    fn note(&mut self, responsibilities: &Matrix) {
        for j in 0..self.n_states {
            let visits: f64 = responsibilities.column(j).iter().sum();
            if visits < 1.0 {
                self.notes.push(format!(
                    "state {} is visited for {visits:.2} steps in all; ask for fewer states",
                    j + 1
                ));
            }
        }
        if self.criteria.n_parameters as f64 > self.criteria.n_records {
            self.notes.push(format!(
                "{} parameters were fitted to {} steps; ask for fewer states",
                self.criteria.n_parameters, self.criteria.n_records
            ));
        }
        if !self.converged {
            self.notes.push("EM had not converged when its steps ran out".to_owned());
        }
    }

    /// The same model, remembering the columns of its table.
    pub fn with_columns(mut self, columns: SequenceColumns) -> Self {
        self.columns = columns;
        self
    }

    /// Adds sentences for the user.
    pub fn add_notes(&mut self, notes: Vec<String>) {
        self.notes.extend(notes);
    }

    /// Number of states, `k`.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// What a state emits.
    pub fn emissions(&self) -> Emissions {
        self.emissions
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Labels of the categories of each variable.
    pub fn categories(&self) -> &[Vec<String>] {
        &self.categories
    }

    /// `pi`, the learned law of the first state.
    pub fn initial(&self) -> &[f64] {
        &self.initial
    }

    /// `A`, from the state of the row to that of the column.
    pub fn transitions(&self) -> &Matrix {
        &self.transitions
    }

    /// The law of states in the long run.
    pub fn stationary(&self) -> Vec<f64> {
        stationary(&self.flat_transitions(), self.n_states)
    }

    /// Expected number of steps that state `j` lasts once entered.
    pub fn dwell_time(&self, j: usize) -> f64 {
        dwell(self.transitions[(j, j)])
    }

    /// Emission parameters of state `j` in the data's units: probabilities of all categories,
    /// variable after variable; rates; means, then variances; or probabilities of all symbols.
    pub fn emission(&self, j: usize) -> Vec<f64> {
        self.emission.row(j)
    }

    /// Ranges of a state's emission parameters that belong to each variable's categories.
    pub fn category_ranges(&self) -> Vec<std::ops::Range<usize>> {
        self.layout().laws()
    }

    /// The weight of the prior.
    pub fn prior(&self) -> f64 {
        self.prior
    }

    /// Number of sequences learned from.
    pub fn n_sequences(&self) -> usize {
        self.n_sequences
    }

    /// The objective reached: log-likelihood and logarithm of the prior.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// Log-likelihood at the estimate, number of parameters, and the criteria made of them.
    pub fn criteria(&self) -> &Criteria {
        &self.criteria
    }

    /// Criteria of every number of states that was compared, when the data chose it.
    pub fn path(&self) -> &[(usize, Criteria)] {
        &self.path
    }

    /// Every start and where it led.
    pub fn starts(&self) -> &[StartEnd] {
        &self.starts
    }

    /// Steps of EM in all, and whether the last climb converged.
    pub fn steps(&self) -> (usize, bool) {
        (self.steps, self.converged)
    }

    /// Standard errors, when they were asked for.
    pub fn error_bars(&self) -> Option<&ErrorBars> {
        self.error_bars.as_ref()
    }

    /// Sentences for the user about what the data did not support.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

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

    /// What comes after each sequence, up to `horizon` steps ahead.
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

    /// A sequence of `n` steps drawn from the model, step after step, and its states. Multinomial
    /// steps have `n_trials` symbols.
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

    /// The law of a first state.
    pub fn initial_law(&self, law: InitialLaw) -> Vec<f64> {
        let learned = match law {
            InitialLaw::Auto => self.n_sequences >= ENOUGH_FIRST_STATES,
            InitialLaw::Learned => true,
            InitialLaw::Stationary => false,
        };
        if learned { self.initial.clone() } else { self.stationary() }
    }

    fn layout(&self) -> Layout {
        Layout::new(self.emissions, self.names.len(), &self.categories)
    }

    fn flat_transitions(&self) -> Vec<f64> {
        (0..self.n_states).flat_map(|i| self.transitions.row(i)).collect()
    }

    /// Asks a question of every sequence.
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
