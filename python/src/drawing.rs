//! Corpora whose truth is known: `svtd generate` in memory, the same numbers from the same seed.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use svtd::Corpus;
use svtd::linalg::Matrix;
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource, documents_seed};

use crate::counts::{Rows, rows};
use crate::fitted::by_rows;

/// Counts; topics x words; the weights or `alpha`; the topic of every document, or its mixture.
type Drawn<'py> =
    (Rows<'py>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyAny>);

/// Draws a corpus of so many documents, words and topics. Without `alpha0` documents are about one topic each.
#[pyfunction]
pub fn draw<'py>(
    py: Python<'py>,
    sizes: (usize, usize, usize),
    lengths: (u32, u32),
    alpha0: Option<f64>,
    zipf: bool,
    seed: u64,
) -> PyResult<Drawn<'py>> {
    let (n_documents, n_words, n_topics) = sizes;
    if lengths.0 > lengths.1 || lengths.0 == 0 {
        return Err(PyValueError::new_err("lengths must be two numbers from 1, the smaller first"));
    }
    let lengths = Lengths::Uniform(lengths.0..=lengths.1);
    let documents = documents_seed(seed);
    if let Some(alpha0) = alpha0 {
        let (source, (corpus, mixtures)) = py.detach(|| {
            let source = if zipf {
                LdaSource::like_text(n_words, n_topics, alpha0, seed)
            } else {
                LdaSource::uniform(n_words, n_topics, alpha0, seed)
            };
            let drawn = source.draw(n_documents, &lengths, documents);
            (source, drawn)
        });
        let mixtures = by_rows(py, &mixtures)?.into_any();
        return drawn(py, &corpus, &source.word_topic, source.alpha, mixtures);
    }
    let (source, (corpus, topics)) = py.detach(|| {
        let source = if zipf {
            SingleTopicSource::like_text(n_words, n_topics, seed)
        } else {
            SingleTopicSource::uniform(n_words, n_topics, seed)
        };
        let drawn = source.draw(n_documents, &lengths, documents);
        (source, drawn)
    });
    let topics: Vec<i64> = topics.into_iter().map(|topic| topic as i64).collect();
    drawn(py, &corpus, &source.word_topic, source.topic_weights, topics.into_pyarray(py).into_any())
}

fn drawn<'py>(
    py: Python<'py>,
    corpus: &Corpus,
    word_topic: &Matrix,
    weights: Vec<f64>,
    documents: Bound<'py, PyAny>,
) -> PyResult<Drawn<'py>> {
    let components = by_rows(py, &word_topic.transpose())?;
    Ok((rows(py, corpus), components, weights.into_pyarray(py), documents))
}
