//! Hidden Markov models: arrays in, arrays out.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use svtd::linalg::Matrix;
use svtd::models::hmm::{Emissions, Hmm, InitialLaw, Sequences};

use crate::failure::exception;
use crate::gaussian::{Trial, borrowed, effort, tell_record};
use crate::values::by_rows;
use crate::waiting::run;

/// Sequences as Python passes them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SequenceArrays<'py> {
    emissions: String,
    values: PyReadonlyArray2<'py, f64>,
    lengths: Vec<usize>,
    names: Vec<String>,
    categories: Vec<Vec<String>>,
}

impl SequenceArrays<'_> {
    fn sequences(&self) -> PyResult<Sequences> {
        let values = self.values.as_array();
        let emissions = kind(&self.emissions)?;
        let made = || {
            let flat = values.iter().copied().collect();
            let sequences = Sequences::new(emissions, values.ncols(), flat, self.lengths.clone())?
                .with_names(self.names.clone())?;
            if emissions == Emissions::Categorical && !self.categories.is_empty() {
                return sequences.with_categories(self.categories.clone());
            }
            Ok(sequences)
        };
        made().map_err(|error| exception(&error))
    }
}

/// Options of a fit, by their names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct HmmOptions {
    n_components: Option<usize>,
    max_components: usize,
    prior: f64,
    effort: usize,
    error_bars: bool,
}

/// Learns a model from sequences.
#[pyfunction]
#[pyo3(signature = (sequences, options, threads, callback = None))]
pub fn hmm_fit<'py>(
    py: Python<'py>,
    sequences: SequenceArrays<'py>,
    options: HmmOptions,
    threads: usize,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let sequences = sequences.sequences()?;
    let params = match options.n_components {
        Some(k) => Hmm::params(k),
        None => Hmm::params_auto(options.max_components),
    };
    let params =
        params.prior(options.prior).effort(effort(options.effort)?).error_bars(options.error_bars);
    let model = run(py, threads, callback, move |steps| {
        params.fit_watched(&sequences, &|done, of| steps.learned(done, of))
    })?;
    attributes(py, &model)
}

/// Continues from another program's model under our objective; for comparisons.
#[pyfunction]
pub fn hmm_climb<'py>(
    py: Python<'py>,
    sequences: SequenceArrays<'py>,
    arrays: HmmArrays<'py>,
    prior: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let (sequences, (start, _)) = (sequences.sequences()?, arrays.model()?);
    let params = Hmm::params(start.n_states()).prior(prior).error_bars(false);
    let model = run(py, 1, None, move |_| params.climb_from(&sequences, &start))?;
    attributes(py, &model)
}

/// One start of a model after some steps of EM, or a fit without some of its starts; for comparisons.
#[pyfunction]
pub fn hmm_starts<'py>(
    py: Python<'py>,
    sequences: SequenceArrays<'py>,
    options: HmmOptions,
    trial: Trial,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let sequences = sequences.sequences()?;
    let params = Hmm::params(options.n_components.unwrap_or(1))
        .prior(options.prior)
        .effort(effort(options.effort)?)
        .error_bars(options.error_bars);
    let model = run(py, 1, None, move |_| match &trial {
        Trial::Start(name, steps) => params.from_start(&sequences, name, *steps),
        Trial::Without(names) => params.without_starts(&borrowed(names)).fit(&sequences).map(Some),
    })?;
    model.map(|model| attributes(py, &model)).transpose()
}

fn attributes<'py>(py: Python<'py>, model: &Hmm) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let k = model.n_states();
    let width = model.emission(0).len();
    let emission = Matrix::from_fn(k, width, |j, c| model.emission(j)[c]);
    result.set_item("initial", model.initial().to_vec().into_pyarray(py))?;
    result.set_item("transitions", by_rows(py, model.transitions())?)?;
    result.set_item("emission", by_rows(py, &emission)?)?;
    result.set_item("stationary", model.stationary().into_pyarray(py))?;
    let dwell: Vec<f64> = (0..k).map(|j| model.dwell_time(j)).collect();
    result.set_item("dwell_times", dwell.into_pyarray(py))?;
    result.set_item("categories", model.categories())?;
    result.set_item("n_sequences", model.n_sequences())?;
    if let Some(bars) = model.error_bars() {
        result.set_item("transitions_error", by_rows(py, &bars.transitions)?)?;
        result.set_item("emission_error", by_rows(py, &bars.emissions)?)?;
        result.set_item("dwell_times_error", bars.dwell_times.clone().into_pyarray(py))?;
        result.set_item("stationary_error", bars.stationary.clone().into_pyarray(py))?;
    }
    tell_record(&result, model.record())?;
    Ok(result)
}

/// A model from its arrays.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct HmmArrays<'py> {
    emissions: String,
    names: Vec<String>,
    categories: Vec<Vec<String>>,
    initial: PyReadonlyArray1<'py, f64>,
    transitions: PyReadonlyArray2<'py, f64>,
    emission: PyReadonlyArray2<'py, f64>,
    n_sequences: usize,
    law: String,
}

impl HmmArrays<'_> {
    fn model(&self) -> PyResult<(Hmm, InitialLaw)> {
        let matrix = |array: &PyReadonlyArray2<'_, f64>| {
            let array = array.as_array();
            Matrix::from_fn(array.nrows(), array.ncols(), |i, j| array[[i, j]])
        };
        let law = match self.law.as_str() {
            "auto" => InitialLaw::Auto,
            "learned" => InitialLaw::Learned,
            "stationary" => InitialLaw::Stationary,
            other => {
                return Err(PyValueError::new_err(format!(
                    "first_state must be 'auto', 'learned' or 'stationary', got {other:?}"
                )));
            }
        };
        let parameters =
            (self.initial.as_array().to_vec(), matrix(&self.transitions), matrix(&self.emission));
        let (names, categories) = (self.names.clone(), self.categories.clone());
        Hmm::from_parameters(
            kind(&self.emissions)?,
            names,
            categories,
            parameters,
            self.n_sequences,
        )
        .map(|model| (model, law))
        .map_err(|error| exception(&error))
    }
}

/// Log-likelihood of every sequence.
#[pyfunction]
pub fn hmm_score(
    py: Python<'_>,
    sequences: SequenceArrays<'_>,
    arrays: HmmArrays<'_>,
) -> PyResult<Vec<f64>> {
    let (sequences, (model, law)) = (sequences.sequences()?, arrays.model()?);
    run(py, 1, None, move |_| model.score(&sequences, law))
}

/// Probability of every state at every step, and the log-likelihood of every sequence.
#[pyfunction]
pub fn hmm_posterior<'py>(
    py: Python<'py>,
    sequences: SequenceArrays<'py>,
    arrays: HmmArrays<'py>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<f64>)> {
    let (sequences, (model, law)) = (sequences.sequences()?, arrays.model()?);
    let (posterior, scores) = run(py, 1, None, move |_| model.posterior(&sequences, law))?;
    Ok((by_rows(py, &posterior)?, scores))
}

/// The most probable path of states, and the logarithm of each path's probability.
#[pyfunction]
pub fn hmm_decode(
    py: Python<'_>,
    sequences: SequenceArrays<'_>,
    arrays: HmmArrays<'_>,
) -> PyResult<(Vec<usize>, Vec<f64>)> {
    let (sequences, (model, law)) = (sequences.sequences()?, arrays.model()?);
    run(py, 1, None, move |_| model.decode(&sequences, law))
}

/// Probabilities of the states, and expected emissions, step by step.
type Forecast<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// States and expected emissions after each sequence.
#[pyfunction]
pub fn hmm_forecast<'py>(
    py: Python<'py>,
    sequences: SequenceArrays<'py>,
    arrays: HmmArrays<'py>,
    horizon: usize,
) -> PyResult<Vec<Forecast<'py>>> {
    let (sequences, (model, law)) = (sequences.sequences()?, arrays.model()?);
    let ahead = run(py, 1, None, move |_| model.forecast(&sequences, horizon, law))?;
    ahead.iter().map(|f| Ok((by_rows(py, &f.states)?, by_rows(py, &f.expected)?))).collect()
}

/// A sequence drawn from the model, and its states.
#[pyfunction]
pub fn hmm_sample<'py>(
    py: Python<'py>,
    arrays: HmmArrays<'py>,
    n: usize,
    seed: u64,
    n_trials: u64,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<usize>)> {
    let (model, _) = arrays.model()?;
    let (values, states) = model.sample(n, seed, n_trials);
    Ok((values.into_pyarray(py), states))
}

fn kind(name: &str) -> PyResult<Emissions> {
    [Emissions::Categorical, Emissions::Poisson, Emissions::Gaussian, Emissions::Multinomial]
        .into_iter()
        .find(|emissions| emissions.name() == name)
        .ok_or_else(|| {
            PyValueError::new_err(format!(
                "emissions must be 'categorical', 'poisson', 'gaussian' or 'multinomial', got {name:?}"
            ))
        })
}
