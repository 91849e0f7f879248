//! Results as Python values: JSON, and matrices as arrays.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use svtd::linalg::Matrix;

/// A value as JSON.
pub fn in_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value)
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}

/// A matrix in NumPy's default order, row after row.
pub fn by_rows<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = matrix.transpose().values().to_vec();
    rows.into_pyarray(py).reshape([matrix.n_rows(), matrix.n_columns()])
}
