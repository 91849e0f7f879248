//! Gaussian mixtures: arrays in, arrays out.

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use svtd::linalg::Matrix;
use svtd::models::FitRecord;
use svtd::models::engine::Effort;
use svtd::models::gaussian::{Covariance, GaussianMixture, Points, Prior};

use crate::failure::exception;
use crate::values::{by_rows, in_json};
use crate::waiting::run;

/// Probabilities of the components, and log densities.
type Placed<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// Options of a fit, by their names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct GaussianOptions {
    n_components: Option<usize>,
    max_components: usize,
    covariance: String,
    prior: Option<f64>,
    effort: usize,
    error_bars: bool,
}

/// Learns a mixture from records, with NaN for missing values.
#[pyfunction]
#[pyo3(signature = (values, weights, names, options, threads, callback = None))]
pub fn gaussian_fit<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    names: Vec<String>,
    options: GaussianOptions,
    threads: usize,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let points = points(&values, weights, Some(names))?;
    let covariance = shape(&options.covariance)?;
    let params = match options.n_components {
        Some(k) => GaussianMixture::params(k),
        None => GaussianMixture::params_auto(options.max_components),
    };
    let params = params
        .covariance(covariance)
        .prior(options.prior.map_or(Prior::Auto, Prior::Records))
        .effort(effort(options.effort)?)
        .error_bars(options.error_bars);
    let model = run(py, threads, callback, move |steps| {
        params.fit_watched(&points, &|done, of| steps.learned(done, of))
    })?;
    attributes(py, &model)
}

/// Continues from another program's mixture under our objective; for comparisons.
#[pyfunction]
pub fn gaussian_climb<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    arrays: GaussianArrays<'py>,
    prior: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let points = points(&values, None, None)?;
    let start = arrays.model()?;
    let params = GaussianMixture::params(start.n_components())
        .covariance(start.covariance())
        .prior(Prior::Records(prior))
        .error_bars(false);
    let model = run(py, 1, None, move |_| params.climb_from(&points, &start))?;
    attributes(py, &model)
}

/// One start of a mixture after some steps of EM, or a fit without some of its starts; for comparisons.
#[pyfunction]
pub fn gaussian_starts<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    options: GaussianOptions,
    trial: Trial,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let points = points(&values, None, None)?;
    let params = GaussianMixture::params(options.n_components.unwrap_or(1))
        .covariance(shape(&options.covariance)?)
        .prior(options.prior.map_or(Prior::Auto, Prior::Records))
        .effort(effort(options.effort)?)
        .error_bars(options.error_bars);
    let model = run(py, 1, None, move |_| match &trial {
        Trial::Start(name, steps) => params.from_start(&points, name, *steps),
        Trial::Without(names) => params.without_starts(&borrowed(names)).fit(&points).map(Some),
    })?;
    model.map(|model| attributes(py, &model)).transpose()
}

/// What is asked of starts: one of them with a number of EM steps, or a fit without these.
#[derive(FromPyObject)]
pub enum Trial {
    Start(String, usize),
    Without(Vec<String>),
}

/// Names as they are passed to the library.
pub fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn attributes<'py>(py: Python<'py>, model: &GaussianMixture) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let k = model.n_components();
    result.set_item("weights", model.weights().to_vec().into_pyarray(py))?;
    result.set_item("means", by_rows(py, model.means())?)?;
    let covariances = (0..k).map(|j| by_rows(py, model.covariance_of(j)));
    result.set_item("covariances", covariances.collect::<PyResult<Vec<_>>>()?)?;
    if let Some(bars) = model.error_bars() {
        result.set_item("weights_error", bars.weights.clone().into_pyarray(py))?;
        result.set_item("means_error", by_rows(py, &bars.means)?)?;
    }
    tell_record(&result, model.record())?;
    Ok(result)
}

/// Adds how a fit went to its result.
pub fn tell_record(result: &Bound<'_, PyDict>, record: &FitRecord) -> PyResult<()> {
    result.set_item("prior", record.prior)?;
    result.set_item("objective", record.objective)?;
    result.set_item("steps", record.steps)?;
    result.set_item("converged", record.converged)?;
    result.set_item("notes", &record.notes)?;
    result.set_item("criteria", in_json(&record.criteria)?)?;
    result.set_item("path", in_json(&record.path)?)?;
    result.set_item("starts", in_json(&record.starts)?)?;
    let again = &record.found_again;
    result.set_item("found_again", again.iter().map(|one| one.shared).collect::<Vec<f64>>())?;
    let standing: Vec<&str> = again.iter().map(|one| one.standing().name()).collect();
    result.set_item("standing", standing)
}

/// A mixture from its arrays.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct GaussianArrays<'py> {
    covariance: String,
    weights: PyReadonlyArray1<'py, f64>,
    means: PyReadonlyArray2<'py, f64>,
    covariances: PyReadonlyArray3<'py, f64>,
}

impl GaussianArrays<'_> {
    fn model(&self) -> PyResult<GaussianMixture> {
        let covariance = shape(&self.covariance)?;
        let means = self.means.as_array();
        let covariances = self.covariances.as_array();
        let d = means.ncols();
        let matrices = covariances
            .outer_iter()
            .map(|c| Matrix::from_fn(c.nrows(), c.ncols(), |a, b| c[[a, b]]))
            .collect();
        let names = (1..=d).map(|a| format!("x{a}")).collect();
        let weights = self.weights.as_array().to_vec();
        let means = Matrix::from_fn(means.nrows(), d, |j, a| means[[j, a]]);
        GaussianMixture::from_parameters(names, covariance, weights, means, matrices)
            .map_err(|error| exception(&error))
    }
}

/// Probability of every component for every record, and the logarithm of every density.
#[pyfunction]
pub fn gaussian_infer<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    arrays: GaussianArrays<'py>,
    threads: usize,
) -> PyResult<Placed<'py>> {
    let points = points(&values, None, None)?;
    let model = arrays.model()?;
    let placed = run(py, threads, None, move |_| model.infer(&points))?;
    Ok((by_rows(py, &placed.responsibilities)?, placed.log_densities.into_pyarray(py)))
}

/// Records drawn from a mixture, and their components.
#[pyfunction]
pub fn gaussian_sample<'py>(
    py: Python<'py>,
    arrays: GaussianArrays<'py>,
    n: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<usize>)> {
    let (values, components) = arrays.model()?.sample(n, seed);
    Ok((values.into_pyarray(py), components))
}

fn points(
    values: &PyReadonlyArray2<'_, f64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    names: Option<Vec<String>>,
) -> PyResult<Points> {
    let array = values.as_array();
    let made = || {
        let mut points = Points::new(array.ncols(), array.iter().copied().collect())?;
        if let Some(names) = names {
            points = points.with_names(names)?;
        }
        match weights {
            Some(weights) => points.with_weights(weights.as_array().to_vec()),
            None => Ok(points),
        }
    };
    made().map_err(|error| exception(&error))
}

fn shape(name: &str) -> PyResult<Covariance> {
    [Covariance::Full, Covariance::Diagonal, Covariance::Spherical, Covariance::Tied]
        .into_iter()
        .find(|shape| shape.name() == name)
        .ok_or_else(|| PyValueError::new_err(format!("there is no covariance {name:?}")))
}

/// How much to search, from 0 to 2.
pub fn effort(level: usize) -> PyResult<Effort> {
    match level {
        0 => Ok(Effort::Starts),
        1 => Ok(Effort::Best),
        2 => Ok(Effort::BestTwo),
        _ => Err(PyValueError::new_err(format!("effort must be 0, 1 or 2, got {level}"))),
    }
}
