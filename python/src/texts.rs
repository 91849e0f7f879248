//! Text to counts: the preprocessing of the command line.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use svtd::Corpus;
use svtd::text::{Language, Preprocessing, StopWords, count_texts};

use crate::counts::Counts;
use crate::fitted::in_json;
use crate::waiting::run;

/// Compressed rows: where each row begins, columns, counts.
pub type Rows<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>);

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

/// The counts of every document by ascending word.
pub fn rows<'py>(py: Python<'py>, corpus: &Corpus) -> Rows<'py> {
    let mut indptr = Vec::with_capacity(corpus.n_documents() + 1);
    let mut indices = Vec::with_capacity(corpus.n_nonzeros());
    let mut counts = Vec::with_capacity(corpus.n_nonzeros());
    indptr.push(0);
    for d in 0..corpus.n_documents() {
        let mut words: Vec<(u32, u32)> = corpus.document(d).words().collect();
        words.sort_unstable();
        indices.extend(words.iter().map(|&(word, _)| word as i32));
        counts.extend(words.iter().map(|&(_, count)| count as i32));
        indptr.push(indices.len() as i64);
    }
    (indptr.into_pyarray(py), indices.into_pyarray(py), counts.into_pyarray(py))
}
