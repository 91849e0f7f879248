//! The page of a model: documents, times and labels in, one HTML file out.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use svtd::choosing::Sweep;
use svtd::internals::atomic::write_atomically;
use svtd_report::{Made, Report};

use crate::counts::Counts;
use crate::fitted::Fitted;
use crate::waiting::run;

/// The content of a page, by the names of `model.report`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Page {
    texts: Option<Vec<String>>,
    names: Option<Vec<String>>,
    time: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    sweep: Option<String>,
    title: Option<String>,
    n_documents: Option<usize>,
    n_words: Option<usize>,
    min_documents: usize,
    no_text: bool,
    command: String,
    again: Vec<String>,
}

/// The page of a fitted model; written to `path` if that is given.
#[pyfunction]
#[pyo3(signature = (fitted, counts, page, path, overwrite, threads))]
pub fn report(
    py: Python<'_>,
    fitted: &Fitted,
    counts: Option<&Counts>,
    page: Page,
    path: Option<PathBuf>,
    overwrite: bool,
    threads: usize,
) -> PyResult<String> {
    let saved = fitted.saved();
    let corpus = counts.map(|counts| Arc::clone(&counts.0));
    let sweep: Option<Sweep> = match &page.sweep {
        Some(json) => Some(serde_json::from_str(json).map_err(|error| {
            PyValueError::new_err(format!("sweep must be what svtd.sweep returned: {error}"))
        })?),
        None => None,
    };
    run(py, threads, None, move |_| {
        let texts = page.texts.unwrap_or_default();
        let visit = |visit: &mut dyn FnMut(usize, &str)| {
            texts.iter().enumerate().for_each(|(d, text)| visit(d, text));
            Ok(())
        };
        let made = Made { command: page.command, again: page.again };
        let mut report = Report::new(&saved)
            .made(made)
            .without_text(page.no_text)
            .min_documents(page.min_documents);
        if let Some(corpus) = &corpus {
            report = report.documents(corpus);
        }
        if !texts.is_empty() {
            report = report.texts(&visit);
        }
        if let Some(names) = page.names {
            report = report.names(names);
        }
        if let Some(time) = page.time {
            report = report.times(time);
        }
        if let Some(labels) = page.labels {
            report = report.labels(labels);
        }
        if let Some(sweep) = &sweep {
            report = report.sweep(sweep);
        }
        if let Some(title) = page.title {
            report = report.title(title);
        }
        if let Some(n) = page.n_documents {
            report = report.n_documents(n);
        }
        if let Some(n) = page.n_words {
            report = report.n_words(n);
        }
        let html = report.to_html()?;
        if let Some(path) = path {
            write_atomically(&path, overwrite, |out| out.write_all(html.as_bytes()))?;
        }
        Ok(html)
    })
}
