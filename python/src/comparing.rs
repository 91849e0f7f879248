//! Two models side by side, as Python values.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use svtd::evaluation::{Comparison, MovedWord};

use crate::fitted::Fitted;
use crate::waiting::run;

/// Which topics of two models are the same, and which words changed.
#[pyfunction]
pub fn compare<'py>(
    py: Python<'py>,
    old: &Fitted,
    new: &Fitted,
    n_words: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (old, new) = (old.saved(), new.saved());
    let work = move |_: &_| Comparison::new(old.model.topics(), new.model.topics(), n_words);
    let compared = run(py, 1, None, work)?;
    let result = PyDict::new(py);
    result.set_item("mean_distance", compared.mean_distance())?;
    result.set_item("only_old", &compared.only_old)?;
    result.set_item("only_new", &compared.only_new)?;
    result.set_item("n_shared_words", compared.n_shared_words)?;
    result.set_item("n_words_only_old", compared.n_words_only_old)?;
    result.set_item("n_words_only_new", compared.n_words_only_new)?;
    let pairs: Vec<_> = compared
        .pairs
        .iter()
        .map(|pair| {
            let (gained, lost) = (names(&pair.gained), names(&pair.lost));
            (pair.old, pair.new, pair.distance, pair.doubtful, gained, lost)
        })
        .collect();
    result.set_item("pairs", pairs)?;
    Ok(result)
}

fn names(words: &[MovedWord]) -> Vec<&str> {
    words.iter().map(|moved| moved.word.as_str()).collect()
}
