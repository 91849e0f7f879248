//! Text to counts: the preprocessing of the command line.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use svtd::text::{Batch, Language, Preprocessing, Records, StopWords, count_records};

use crate::counts::{Counts, limit};
use crate::values::in_json;
use crate::waiting::run;

/// Counts the words of texts with the options `preprocessing`, which is JSON; for new documents without the filters
/// that depend on a corpus. Counts beyond `memory` bytes are kept in a temporary file.
#[pyfunction]
#[pyo3(signature = (texts, preprocessing, new_documents, threads, memory=None))]
pub fn count(
    py: Python<'_>,
    texts: Vec<String>,
    preprocessing: &str,
    new_documents: bool,
    threads: usize,
    memory: Option<(u64, PathBuf)>,
) -> PyResult<Counts> {
    let chosen: Preprocessing = serde_json::from_str(preprocessing)
        .map_err(|error| PyValueError::new_err(format!("the choices about words: {error}")))?;
    let chosen = if new_documents { chosen.for_new_documents() } else { chosen };
    let limit = limit(memory)?;
    let mut texts = Texts(texts.into_iter());
    let counted = move |_: &_| {
        svtd::internals::memory::caught(|| count_records(&mut texts, &chosen, None, &limit))
    };
    Ok(Counts(Arc::new(run(py, threads, None, counted)?)))
}

/// Texts in memory, without names.
struct Texts(std::vec::IntoIter<String>);

impl Records for Texts {
    fn next_into(&mut self, batch: &mut Batch) -> svtd::Result<bool> {
        let next = self.0.next();
        if let Some(text) = &next {
            batch.push(None, None, text);
        }
        Ok(next.is_some())
    }
}

/// The default options for words, as JSON.
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
