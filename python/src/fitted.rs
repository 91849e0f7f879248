//! A fitted model: its numbers, its file, and its inference.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use svtd::Model;
use svtd::linalg::Matrix;
use svtd::model::{RankedWord, WordOrder};
use svtd::persist::Saved;

use crate::choices::{Choices, Request};
use crate::counts::{Counts, names};
use crate::failure::exception;
use crate::values::{by_rows, in_json};
use crate::waiting::run;

/// Words of a document, their counts, and their pulls towards every topic.
type Pulls<'py> = (Vec<String>, Vec<u32>, Bound<'py, PyArray2<f64>>);

/// A fitted model, with the fingerprint of the corpus to which it was fitted.
#[pyclass(frozen, module = "svtd._svtd")]
pub struct Fitted(Arc<Saved>);

/// Learns a model from counts.
#[pyfunction]
#[pyo3(signature = (counts, choices, threads, callback=None))]
pub fn fit(
    py: Python<'_>,
    counts: &Counts,
    choices: Choices,
    threads: usize,
    callback: Option<Py<PyAny>>,
) -> PyResult<Fitted> {
    let request = Request::try_from(choices)?;
    let corpus = Arc::clone(&counts.0);
    let work = move |steps: &_| {
        let model = request.fit(&corpus, steps)?;
        Ok(Saved::new(model, &corpus))
    };
    Ok(Fitted(Arc::new(run(py, threads, callback, work)?)))
}

/// Reads a model file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Fitted> {
    let saved = py.detach(|| Model::load(path)).map_err(|error| exception(&error))?;
    Ok(Fitted(Arc::new(saved)))
}

/// A model from the bytes of its file.
#[pyfunction]
pub fn restore(bytes: &[u8]) -> PyResult<Fitted> {
    let saved = Saved::from_bytes(bytes, "the model").map_err(|error| exception(&error))?;
    Ok(Fitted(Arc::new(saved)))
}

impl Fitted {
    /// A model as its file holds it.
    pub fn new(saved: Saved) -> Self {
        Self(Arc::new(saved))
    }

    /// The content of the file.
    pub fn saved(&self) -> Arc<Saved> {
        Arc::clone(&self.0)
    }
}

#[pymethods]
impl Fitted {
    /// `lda` or `single-topic`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.model.kind().name()
    }

    /// The topics, topics x words; every row sums to one.
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let topics = self.0.model.topics();
        // Words x topics stored by columns is the same as topics x words stored by rows.
        let values = topics.word_topic().values().to_vec();
        values.into_pyarray(py).reshape([topics.len(), topics.vocabulary().len()])
    }

    /// The weight of each topic.
    fn topic_weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.model.topics().weights().to_vec().into_pyarray(py)
    }

    /// The Dirichlet parameter of the mixtures, for LDA.
    fn alpha<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.0.model {
            Model::Lda(model) => Some(model.alpha().to_vec().into_pyarray(py)),
            Model::SingleTopic(_) => None,
        }
    }

    /// The words in the order of the columns, or `None` if they have no names.
    fn words(&self) -> Option<Vec<String>> {
        names(self.0.model.topics().vocabulary())
    }

    /// How text was split into words, as JSON; `None` when the model was fitted to counts.
    fn word_choice(&self) -> PyResult<Option<String>> {
        self.0.word_choice.as_ref().map(in_json).transpose()
    }

    /// How reliable the fit is, as JSON.
    fn diagnostics(&self) -> PyResult<String> {
        in_json(self.0.model.diagnostics())
    }

    /// The options of the fit, as JSON.
    fn options(&self) -> PyResult<String> {
        in_json(self.0.model.options())
    }

    /// The warnings about each topic, as text.
    fn flags(&self) -> Vec<Vec<String>> {
        self.0.model.diagnostics().topics.iter().map(|topic| topic.flags()).collect()
    }

    /// Whether each topic is found again in independent halves of the documents; `None` when not known.
    fn standings(&self) -> Vec<Option<&'static str>> {
        let topics = &self.0.model.diagnostics().topics;
        topics.iter().map(|topic| topic.standing().map(|standing| standing.name())).collect()
    }

    /// The names of the topics, one for each; `None` for those without a name.
    fn names(&self) -> Vec<Option<String>> {
        self.0.model.topics().iter().map(|topic| topic.name().map(str::to_owned)).collect()
    }

    /// The same model with other names of its topics.
    fn with_names(&self, names: Vec<Option<String>>) -> PyResult<Self> {
        let mut saved = Saved::clone(&self.0);
        saved.model.set_names(names).map_err(|error| exception(&error))?;
        Ok(Self(Arc::new(saved)))
    }

    /// SHA-256 of the corpus the model was fitted on.
    #[getter]
    fn corpus_digest(&self) -> &str {
        &self.0.corpus_digest
    }

    /// The model with the topics of each group merged; a merged topic has the name of its heaviest part.
    fn merged(&self, groups: Vec<Vec<usize>>) -> PyResult<Self> {
        let merged = self.0.model.merge_topics(&groups).map_err(|error| exception(&error))?;
        let heaviest = merged.parts.iter().map(|part| part[0]);
        let mut model = merged.model;
        if let Some(names) = self.0.model.topics().names() {
            let kept = heaviest.map(|j| names[j].clone()).collect();
            model.set_names(kept).map_err(|error| exception(&error))?;
        }
        Ok(Fitted(Arc::new(Saved { model, ..(*self.0).clone() })))
    }

    /// The topics of every document: documents x topics, every row sums to one.
    fn infer<'py>(
        &self,
        py: Python<'py>,
        counts: &Counts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (saved, corpus) = (Arc::clone(&self.0), Arc::clone(&counts.0));
        let inferred = run(py, threads, None, move |_| saved.model.infer(&corpus))?;
        by_rows(py, &inferred.mixtures)
    }

    /// Mean log-likelihood of the words of one half of each document given the other, and its standard
    /// error.
    fn completion(
        &self,
        py: Python<'_>,
        counts: &Counts,
        threads: usize,
    ) -> PyResult<(Option<f64>, Option<f64>)> {
        let (saved, corpus) = (Arc::clone(&self.0), Arc::clone(&counts.0));
        let work = move |_: &_| {
            let found = saved.model.completion(&corpus)?;
            Ok((found.log_likelihood, found.standard_error))
        };
        run(py, threads, None, work)
    }

    /// The difference of the predictions to another model's, per word, and its standard error; `None` when the two
    /// do not know the same words.
    fn ahead_of(
        &self,
        py: Python<'_>,
        other: &Fitted,
        counts: &Counts,
        threads: usize,
    ) -> PyResult<Option<(f64, f64)>> {
        let (saved, other) = (Arc::clone(&self.0), Arc::clone(&other.0));
        let corpus = Arc::clone(&counts.0);
        let work = move |_: &_| {
            let ours = saved.model.completions(&corpus)?;
            let ahead = ours.ahead_of(&other.model.completions(&corpus)?);
            Ok(ahead.map(|ahead| (ahead.per_token, ahead.standard_error)))
        };
        run(py, threads, None, work)
    }

    /// The words of each topic by relevance, from how typical they are of it (0) to how frequent they are in it
    /// (1).
    fn top_words(&self, n: usize, relevance: f64) -> PyResult<Vec<Vec<String>>> {
        let order = WordOrder::Relevance { lambda: relevance };
        let ranked = self.0.model.topics().ranked_words(order, n);
        let ranked = ranked.map_err(|error| exception(&error))?;
        let words = |words: Vec<RankedWord<'_>>| {
            words.into_iter().map(|ranked| ranked.word.into_owned()).collect()
        };
        Ok(ranked.into_iter().map(words).collect())
    }

    /// The standard error of each word's probability, topics x words; `None` when not known.
    fn component_errors<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let topics = self.0.model.topics();
        let shape = [topics.len(), topics.vocabulary().len()];
        let array = |errors: &Matrix| errors.values().to_vec().into_pyarray(py).reshape(shape);
        topics.errors().map(array).transpose()
    }

    /// Why document `d` has its topics: its words, their counts, and their pulls towards every topic (words x
    /// topics).
    fn explain<'py>(&self, py: Python<'py>, counts: &Counts, d: usize) -> PyResult<Pulls<'py>> {
        if d >= counts.0.n_documents() {
            let found = counts.0.n_documents();
            return Err(pyo3::exceptions::PyIndexError::new_err(format!(
                "there is no document {d}: there are {found}, and the first has number 0"
            )));
        }
        let explained = self.0.model.explain(&counts.0, d).map_err(|error| exception(&error))?;
        let n_topics = explained.mixture.len();
        let pulls =
            Matrix::from_fn(explained.words.len(), n_topics, |i, j| explained.words[i].pulls[j]);
        let pulls = by_rows(py, &pulls)?;
        let counts = explained.words.iter().map(|word| word.count).collect();
        Ok((explained.words.into_iter().map(|word| word.word).collect(), counts, pulls))
    }

    /// Writes the model file.
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        py.detach(|| self.0.save(path, overwrite)).map_err(|error| exception(&error))
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.0.to_bytes().map_err(|error| exception(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Pickles as the bytes of the model file.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = py.import("svtd._svtd")?.getattr("restore")?;
        Ok((restore, (self.to_bytes(py)?,)))
    }
}
