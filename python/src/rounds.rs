//! Fits and comparisons of documents that an engine holds: questions and answers are passed as bytes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use svtd::persist::Saved;
use svtd::rounds::{Answer, Ask, Checkpoint, Question, Respondent, digest_of};
use svtd::{Corpus, Error};

use crate::choices::{Choices, Request};
use crate::counts::Counts;
use crate::failure::exception;
use crate::fitted::Fitted;
use crate::values::in_json;
use crate::waiting::{Steps, run};

/// Answers questions for the documents of a block.
#[pyclass(frozen, module = "svtd._svtd")]
pub struct Holder(Arc<Respondent>);

#[pymethods]
impl Holder {
    #[new]
    fn new(py: Python<'_>, counts: &Counts) -> Self {
        let corpus = Arc::clone(&counts.0);
        Self(Arc::new(py.detach(move || Respondent::new((*corpus).clone(), 0))))
    }

    /// The answer to a question.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        question: &[u8],
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (holder, question) = (Arc::clone(&self.0), question.to_vec());
        let work = move |_: &_| {
            let read = Question::from_bytes(&question, "the question")?;
            holder.ask(&read)?.to_bytes(&digest_of(&question))
        };
        Ok(PyBytes::new(py, &run(py, threads, None, work)?))
    }

    /// The state kept for the next question; `None` when there is none.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let state = py.detach(|| self.0.state()).map_err(|error| exception(&error))?;
        Ok(state.map(|state| PyBytes::new(py, &state)))
    }

    /// Continues from a kept state.
    fn resume(&self, py: Python<'_>, state: &[u8], question: &[u8]) -> PyResult<()> {
        let resume = || {
            let question = Question::from_bytes(question, "the question")?;
            self.0.resume(state, "the state", &question)
        };
        py.detach(resume).map_err(|error| exception(&error))
    }
}

/// The group of every document, by the leading bits of its key.
#[pyfunction]
pub fn groups(py: Python<'_>, counts: &Counts, bits: u32) -> Vec<u64> {
    let corpus = Arc::clone(&counts.0);
    let group = |key: u64| if bits == 0 { 0 } else { key >> (u64::BITS - bits) };
    py.detach(|| (0..corpus.n_documents()).map(|d| group(corpus.document_key(d))).collect())
}

/// The first question of a fit.
#[pyfunction]
pub fn first_question(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
    let bytes = Question::first().to_bytes().map_err(|error| exception(&error))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The kind of a question, in one word.
#[pyfunction]
pub fn question_name(question: &[u8]) -> PyResult<&'static str> {
    let question = Question::from_bytes(question, "the question");
    Ok(question.map_err(|error| exception(&error))?.name())
}

/// Whether a question is the first of a run of questions that build on each other.
#[pyfunction]
pub fn is_first_look(question: &[u8]) -> PyResult<bool> {
    let question = Question::from_bytes(question, "the question");
    Ok(question.map_err(|error| exception(&error))?.begins_run())
}

/// The number of blocks into which a fit cuts the documents of a survey.
#[pyfunction]
pub fn n_blocks(question: &[u8], answer: &[u8]) -> PyResult<Option<usize>> {
    let answer = Answer::from_bytes(answer, "an answer", &digest_of(question));
    Ok(answer.map_err(|error| exception(&error))?.n_blocks())
}

/// The sum of the answers to a question; those of groups are added along their tree, `None` for a group without
/// documents.
#[pyfunction]
pub fn sum_answers<'py>(
    py: Python<'py>,
    question: &[u8],
    answers: Vec<Option<Vec<u8>>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let sum = || -> svtd::Result<Vec<u8>> {
        let digest = digest_of(question);
        let read = |answer: Option<Vec<u8>>| {
            answer.map(|answer| Answer::from_bytes(&answer, "an answer", &digest)).transpose()
        };
        let answers = answers.into_iter().map(read).collect::<svtd::Result<Vec<_>>>()?;
        let sum = Answer::sum_along_tree(answers)?;
        let nobody = || Error::Round { reason: "there are no documents".to_owned() };
        sum.ok_or_else(nobody)?.to_bytes(&digest)
    };
    let sum = py.detach(sum).map_err(|error| exception(&error))?;
    Ok(PyBytes::new(py, &sum))
}

/// Learns a model from documents about which a function answers questions; answers are kept in a folder if one is
/// given.
#[pyfunction]
#[pyo3(signature = (ask, choices, threads, callback=None, checkpoint=None))]
pub fn fit_elsewhere(
    py: Python<'_>,
    ask: Py<PyAny>,
    choices: Choices,
    threads: usize,
    callback: Option<Py<PyAny>>,
    checkpoint: Option<PathBuf>,
) -> PyResult<Fitted> {
    let request = Request::try_from(choices)?;
    let source = Source { ask, checkpoint };
    let saved = source.run(py, threads, callback, move |corpus, steps| {
        Ok(Saved::new(request.fit(corpus, steps)?, corpus))
    });
    Ok(Fitted::new(saved?))
}

/// Compares every number of topics from `least` to `most` on documents about which a function answers questions; as
/// JSON. Answers are kept in a folder if one is given.
#[pyfunction]
#[pyo3(signature = (ask, choices, least, most, threads, checkpoint=None))]
pub fn sweep_elsewhere(
    py: Python<'_>,
    ask: Py<PyAny>,
    choices: Choices,
    least: usize,
    most: usize,
    threads: usize,
    checkpoint: Option<PathBuf>,
) -> PyResult<String> {
    let request = Request::try_from(choices)?;
    let source = Source { ask, checkpoint };
    let swept = source.run(py, threads, None, move |corpus, _| request.sweep(corpus, least..=most));
    in_json(&swept?)
}

/// Where answers come from.
struct Source {
    /// A Python function that takes a question and returns an answer.
    ask: Py<PyAny>,
    /// A folder that keeps the answers.
    checkpoint: Option<PathBuf>,
}

impl Source {
    /// Does work with the documents that the function answers for.
    fn run<T: Send + 'static>(
        self,
        py: Python<'_>,
        threads: usize,
        callback: Option<Py<PyAny>>,
        work: impl FnOnce(&Corpus, &Steps) -> svtd::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let raised = Arc::new(Mutex::new(None));
        let engine = Engine { ask: self.ask, raised: Arc::clone(&raised) };
        let checkpoint = self.checkpoint;
        let done = run(py, threads, callback, move |steps| {
            let who: Arc<dyn Ask> = match checkpoint {
                Some(folder) => Arc::new(Checkpoint::new(engine, folder)?),
                None => Arc::new(engine),
            };
            svtd::internals::memory::caught(|| work(&Corpus::elsewhere(who)?, steps))
        });
        // The exception raised by the engine says more than our message about it.
        match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => done,
        }
    }
}

/// A Python function that takes a question and returns an answer.
struct Engine {
    ask: Py<PyAny>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Ask for Engine {
    fn ask(&self, question: &Question) -> svtd::Result<Answer> {
        let bytes = question.to_bytes()?;
        let answer = Python::attach(|py| -> PyResult<Vec<u8>> {
            self.ask.call1(py, (PyBytes::new(py, &bytes),))?.extract(py)
        });
        let answer = answer.map_err(|error| {
            let reason = format!("the engine did not answer: {error}");
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Round { reason }
        })?;
        Answer::from_bytes(&answer, "the answer of the engine", &digest_of(&bytes))
    }
}
