//! Corpora with known parameters: `svtd generate` in memory, with the same numbers from the same seed.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use svtd::Corpus;
use svtd::linalg::Matrix;
use svtd::model::Kind;
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource, documents_seed};

use crate::choices;
use crate::counts::{Rows, rows};
use crate::failure::exception;
use crate::values::by_rows;
use crate::waiting::run;

/// Counts; topics x words; the weights or `alpha`; the topic of every document, or its mixture.
type Drawn<'py> =
    (Rows<'py>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyAny>);

/// A corpus, words x topics, the weights or `alpha`, and what its documents are about.
struct Truth {
    corpus: Corpus,
    word_topic: Matrix,
    weights: Vec<f64>,
    documents: Documents,
}

/// What documents are about.
enum Documents {
    Topics(Vec<usize>),
    Mixtures(Matrix),
}

/// Generates a corpus of this many documents, words and topics.
#[pyfunction]
pub fn draw<'py>(
    py: Python<'py>,
    sizes: (usize, usize, usize),
    lengths: (u32, u32),
    model: (String, Option<f64>),
    zipf: bool,
    seed: u64,
    threads: usize,
) -> PyResult<Drawn<'py>> {
    let kind = choices::kind(&model.0)?;
    let alpha0 = kind.alpha0(model.1).map_err(|error| exception(&error))?;
    let lengths = Lengths::Uniform(lengths.0..=lengths.1);
    let work = move |_: &_| {
        Ok(match kind {
            Kind::Lda => mixtures(sizes, &lengths, alpha0, zipf, seed),
            Kind::SingleTopic => single_topics(sizes, &lengths, zipf, seed),
        })
    };
    let drawn = run(py, threads, None, work)?;
    let documents = match drawn.documents {
        Documents::Mixtures(mixtures) => by_rows(py, &mixtures)?.into_any(),
        Documents::Topics(topics) => {
            let topics: Vec<i64> = topics.into_iter().map(|topic| topic as i64).collect();
            topics.into_pyarray(py).into_any()
        }
    };
    let components = by_rows(py, &drawn.word_topic.transpose())?;
    Ok((rows(py, &drawn.corpus), components, drawn.weights.into_pyarray(py), documents))
}

fn mixtures(
    (n_documents, n_words, n_topics): (usize, usize, usize),
    lengths: &Lengths,
    alpha0: f64,
    zipf: bool,
    seed: u64,
) -> Truth {
    let source = if zipf {
        LdaSource::like_text(n_words, n_topics, alpha0, seed)
    } else {
        LdaSource::uniform(n_words, n_topics, alpha0, seed)
    };
    let (corpus, mixtures) = source.draw(n_documents, lengths, documents_seed(seed));
    let documents = Documents::Mixtures(mixtures);
    Truth { corpus, word_topic: source.word_topic, weights: source.alpha, documents }
}

fn single_topics(
    (n_documents, n_words, n_topics): (usize, usize, usize),
    lengths: &Lengths,
    zipf: bool,
    seed: u64,
) -> Truth {
    let source = if zipf {
        SingleTopicSource::like_text(n_words, n_topics, seed)
    } else {
        SingleTopicSource::uniform(n_words, n_topics, seed)
    };
    let (corpus, topics) = source.draw(n_documents, lengths, documents_seed(seed));
    let documents = Documents::Topics(topics);
    Truth { corpus, word_topic: source.word_topic, weights: source.topic_weights, documents }
}
