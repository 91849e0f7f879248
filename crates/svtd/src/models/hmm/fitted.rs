//! A fitted hidden Markov model: its parameters.

use super::chain::{Chain, Layout, dwell, stationary};
use super::model::{HmmModel, in_units};
use super::sequences::Emissions;
use super::table::SequenceColumns;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::models::engine::{Criteria, Found, LatentModel};
use crate::models::fitting::{FitRecord, Path};
use crate::models::gaussian::data;

/// Standard errors of a hidden Markov model.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBars {
    /// Standard errors of `A`, row by column.
    pub transitions: Matrix,
    /// Standard errors of the emission parameters, state by parameter.
    pub emissions: Matrix,
    /// Standard errors of the dwell times.
    pub dwell_times: Vec<f64>,
    /// Standard errors of the stationary distribution.
    pub stationary: Vec<f64>,
}

impl ErrorBars {
    /// Standard errors in the order of the parameters.
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
    pub(super) n_sequences: usize,
    pub(super) error_bars: Option<ErrorBars>,
    pub(super) record: FitRecord,
}

impl Hmm {
    pub(super) fn new(
        model: &HmmModel,
        chain: &Chain,
        found: &Found<Chain>,
        error_bars: Option<ErrorBars>,
        path: Path,
    ) -> Self {
        let k = chain.k;
        let sequences = &model.sequences;
        let emissions: Vec<Vec<f64>> = (0..k).map(|j| in_units(model, chain.emission(j))).collect();
        let log_likelihood = model.log_likelihood(chain);
        let steps = sequences.n_steps() as f64;
        let criteria = Criteria::new(log_likelihood, model.n_free_parameters(k), steps);
        let mut hmm = Self {
            emissions: sequences.emissions(),
            names: sequences.names().to_vec(),
            columns: SequenceColumns::default(),
            categories: sequences.categories().to_vec(),
            n_states: k,
            initial: chain.initial().to_vec(),
            transitions: Matrix::from_fn(k, k, |i, j| chain.transitions()[i * k + j]),
            emission: Matrix::from_fn(k, chain.width, |j, c| emissions[j][c]),
            n_sequences: sequences.lengths().len(),
            error_bars,
            record: FitRecord::new(model.prior, found, criteria, path),
        };
        hmm.note(&model.responsibilities(chain));
        hmm
    }

    /// A model from its parameters: `A` row by column, emission parameters in the data's units
    /// state by parameter, laid out as described at [`emission`](Self::emission), categories of
    /// each variable, and the number of sequences they were learned from.
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
            n_sequences,
            error_bars: None,
            record: FitRecord::unknown(),
        })
    }

    fn note(&mut self, responsibilities: &Matrix) {
        for j in 0..self.n_states {
            let visits: f64 = responsibilities.column(j).iter().sum();
            if visits < 1.0 {
                self.record.notes.push(format!(
                    "state {} is visited for {visits:.2} steps in all; ask for fewer states",
                    j + 1
                ));
            }
        }
        self.record.note("steps", "fewer states");
    }

    /// The same model with its variables in another order.
    pub(super) fn in_columns(mut self, order: &[usize]) -> Self {
        let places = self.layout().places(order);
        let by_state =
            |m: &Matrix| Matrix::from_fn(m.n_rows(), places.len(), |j, c| m[(j, places[c])]);
        self.names = order.iter().map(|&v| self.names[v].clone()).collect();
        self.categories = order.iter().map(|&v| self.categories[v].clone()).collect();
        self.emission = by_state(&self.emission);
        if let Some(bars) = &mut self.error_bars {
            bars.emissions = by_state(&bars.emissions);
        }
        self
    }

    /// The same model, with the columns of its table stored.
    pub fn with_columns(mut self, columns: SequenceColumns) -> Self {
        self.columns = columns;
        self
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

    /// `pi`, the learned distribution of the first state.
    pub fn initial(&self) -> &[f64] {
        &self.initial
    }

    /// `A`, from the state of the row to that of the column.
    pub fn transitions(&self) -> &Matrix {
        &self.transitions
    }

    /// The stationary distribution of the states.
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

    /// Number of sequences learned from.
    pub fn n_sequences(&self) -> usize {
        self.n_sequences
    }

    /// How the fit went: criteria, starts, steps, notes.
    pub fn record(&self) -> &FitRecord {
        &self.record
    }

    /// Standard errors, when they were asked for.
    pub fn error_bars(&self) -> Option<&ErrorBars> {
        self.error_bars.as_ref()
    }
}
