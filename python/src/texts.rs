//! Text to counts: the preprocessing of the command line.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use svtd::text::{Language, Preprocessing, StopWords, count_texts};

use crate::counts::Counts;
use crate::fitted::in_json;
use crate::waiting::run;

/// Counts the words of texts by the choices of `preprocessing`, which is JSON; of new documents
/// without the filters that depend on a corpus.
#[pyfunction]
pub fn count(
    py: Python<'_>,
    texts: Vec<String>,
    preprocessing: &str,
    new_documents: bool,
    threads: usize,
) -> PyResult<Counts> {
    let chosen: Preprocessing = serde_json::from_str(preprocessing)
        .map_err(|error| PyValueError::new_err(format!("the choices about words: {error}")))?;
    let chosen = if new_documents { chosen.for_new_documents() } else { chosen };
    let corpus = run(py, threads, None, move |_| count_texts(texts, &chosen))?;
    Ok(Counts(Arc::new(corpus)))
}

/// The default choices about words, as JSON.
#[pyfunction]
pub fn default_preprocessing() -> PyResult<String> {
    in_json(&Preprocessing::new())
}

/// The stop words of a language, as JSON.
#[pyfunction]
pub fn stop_words(language: &str) -> PyResult<String> {
    let known: Language = language.parse().map_err(|error| crate::failure::exception(&error))?;
    in_json(&StopWords::of(known))
}
