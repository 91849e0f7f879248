//! Work without the interpreter lock, its progress, and its interruption.
//!
//! The library runs in its own thread pool. The thread that called from Python releases the interpreter lock and
//! waits; every [`BLINK`] it takes the lock briefly to check for signals (Ctrl-C), and passes every reported step
//! on to the caller's function.
//!
//! An exception from either ends the wait at once and sets the flag that the threads of the pool check
//! ([`svtd::internals::stop`]): the work unwinds from the current loop. The work holds no Python objects. The pool exists
//! only during the call, so a forked process inherits no missing threads.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use svtd::learning::Step;

use crate::failure::exception;

/// How long the caller's thread sleeps between two checks for signals.
const BLINK: Duration = Duration::from_millis(50);

/// Messages from the work to the waiting thread.
enum News<T> {
    /// Stage, number of steps done, and their total.
    Step(&'static str, usize, usize),
    /// The work has ended; `None` when it was stopped or panicked.
    Over(Option<svtd::Result<T>>),
}

type Teller = Box<dyn Fn(&'static str, usize, usize) + Send + Sync>;

/// Where the work reports its steps.
pub struct Steps {
    tell: Option<Teller>,
}

impl Steps {
    /// Reports a step to the caller.
    pub fn tell(&self, step: Step) {
        if let Some(tell) = &self.tell {
            tell(step.stage.name(), step.done, step.of);
        }
    }

    /// Reports how much of a model of records is learned, and stops the work if nobody waits for it.
    pub fn learned(&self, done: usize, of: usize) {
        svtd::internals::stop::here();
        if let Some(tell) = &self.tell {
            tell("learning", done, of);
        }
    }
}

/// The number of threads for `n_jobs`: a positive number itself but at most the number of processors, or all
/// processors but `-n_jobs - 1`.
#[pyfunction]
pub fn n_threads(n_jobs: isize) -> PyResult<usize> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    match usize::try_from(n_jobs) {
        Ok(0) => Err(PyValueError::new_err("n_jobs must not be 0; give -1 for all processors")),
        Ok(threads) => Ok(threads.min(processors)),
        Err(_) => Ok((processors + 1).saturating_sub(n_jobs.unsigned_abs()).max(1)),
    }
}

/// Runs `work` on `threads` threads while the caller waits without the interpreter lock; `callback` receives every
/// step.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(&Steps) -> svtd::Result<T> + Send + 'static,
) -> PyResult<T> {
    let given_up = Arc::new(AtomicBool::new(false));
    let heeded = Arc::clone(&given_up);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |_| svtd::internals::stop::heed(Arc::clone(&heeded)))
        .build()
        .map_err(|error| {
            PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}"))
        })?;
    let (sender, news) = channel();
    let steps = Steps { tell: teller(&callback, &sender) };
    let worker = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(move || work(&steps))));
        // The receiver may be gone.
        let _ = sender.send(News::Over(outcome.ok()));
    };
    thread::Builder::new()
        .spawn(worker)
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    let heard = py.detach(move || wait(news, callback.as_ref()));
    given_up.store(true, Ordering::Relaxed);
    heard
}

fn teller<T: Send + 'static>(
    callback: &Option<Py<PyAny>>,
    sender: &Sender<News<T>>,
) -> Option<Teller> {
    callback.as_ref()?;
    let sender = sender.clone();
    Some(Box::new(move |stage, done, of| {
        let _ = sender.send(News::Step(stage, done, of));
    }))
}

fn wait<T>(news: Receiver<News<T>>, callback: Option<&Py<PyAny>>) -> PyResult<T> {
    loop {
        match news.recv_timeout(BLINK) {
            Ok(News::Over(Some(outcome))) => return outcome.map_err(|error| exception(&error)),
            Ok(News::Step(stage, done, of)) => Python::attach(|py| {
                py.check_signals()?;
                callback.map_or(Ok(()), |function| function.call1(py, (stage, done, of)).map(drop))
            })?,
            Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
            Ok(News::Over(None)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "svtd stopped by a fault of its own; please report it with the data that shows it",
                ));
            }
        }
    }
}
