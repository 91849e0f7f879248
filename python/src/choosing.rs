//! The check of a corpus, and the choice of the number of topics: the library's results as JSON.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::choices::{Choices, Request};
use crate::counts::Counts;
use crate::values::in_json;
use crate::waiting::run;

/// What can be learned from a corpus, before fitting; as JSON.
#[pyfunction]
#[pyo3(signature = (counts, choices, n_topics, threads))]
pub fn check(
    py: Python<'_>,
    counts: &Counts,
    choices: Choices,
    n_topics: Option<usize>,
    threads: usize,
) -> PyResult<String> {
    let request = Request::try_from(choices)?;
    let corpus = Arc::clone(&counts.0);
    in_json(&run(py, threads, None, move |_| request.check(&corpus, n_topics))?)
}

/// Compares every number of topics from `least` to `most`, from the same passes; as JSON.
#[pyfunction]
pub fn sweep(
    py: Python<'_>,
    counts: &Counts,
    choices: Choices,
    least: usize,
    most: usize,
    threads: usize,
) -> PyResult<String> {
    let request = Request::try_from(choices)?;
    let corpus = Arc::clone(&counts.0);
    let work = move |_: &_| request.sweep(&corpus, least..=most);
    in_json(&run(py, threads, None, work)?)
}
