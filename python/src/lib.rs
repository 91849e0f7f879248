//! The compiled half of the Python package `svtd`.
//!
//! Nothing is computed here. Arrays become a [`Corpus`], names become options, the library runs in its own threads
//! while Python waits for it or for Ctrl-C, and numbers become arrays. What users see (estimators, docstrings, data
//! frames) is plain Python beside this crate.
//!
//! | file | idea |
//! |---|---|
//! | `counts.rs` | compressed rows of any integer or float type, read in place |
//! | `choices.rs` | the options of a fit by their names |
//! | `fitted.rs` | a fitted model: its numbers, its file, and its inference |
//! | `waiting.rs` | work without the interpreter lock, progress, and interruption |
//! | `texts.rs` | text to counts |
//! | `choosing.rs` | the check of a corpus, and the choice of the number of topics |
//! | `comparing.rs` | two models side by side |
//! | `report.rs` | the page of a model |
//! | `drawing.rs` | corpora with known parameters |
//! | `records.rs` | models of records: classes, raters |
//! | `gaussian.rs`, `hmm.rs` | mixtures and hidden Markov models, arrays in and out |
//! | `rounds.rs` | a fit to documents held by an engine |
//! | `values.rs` | results as JSON and arrays |
//! | `failure.rs` | the library's errors as Python exceptions |
//!
//! [`Corpus`]: svtd::Corpus

mod choices;
mod choosing;
mod comparing;
mod counts;
mod drawing;
mod failure;
mod fitted;
mod gaussian;
mod hmm;
mod records;
mod report;
mod rounds;
mod texts;
mod values;
mod waiting;

use pyo3::prelude::*;

/// Private: use the names of `svtd`.
#[pymodule]
mod _svtd {
    #[pymodule_export]
    use crate::choosing::{check, sweep};
    #[pymodule_export]
    use crate::comparing::compare;
    #[pymodule_export]
    use crate::counts::{Counts, bytes_of};
    #[pymodule_export]
    use crate::drawing::draw;
    #[pymodule_export]
    use crate::failure::FitError;
    #[pymodule_export]
    use crate::fitted::{Fitted, fit, load, restore};
    #[pymodule_export]
    use crate::gaussian::{
        gaussian_climb, gaussian_fit, gaussian_infer, gaussian_sample, gaussian_starts,
    };
    #[pymodule_export]
    use crate::hmm::{
        hmm_climb, hmm_decode, hmm_fit, hmm_forecast, hmm_posterior, hmm_sample, hmm_score,
        hmm_starts,
    };
    #[pymodule_export]
    use crate::records::{RecordModel, fit_classes, fit_raters, load_records, restore_records};
    #[pymodule_export]
    use crate::report::report;
    #[pymodule_export]
    use crate::rounds::{
        Holder, first_question, fit_elsewhere, groups, is_first_look, n_blocks, question_name,
        sum_answers, sweep_elsewhere,
    };
    #[pymodule_export]
    use crate::texts::{count, default_preprocessing, stop_words};
    #[pymodule_export]
    use crate::waiting::n_threads;

    /// The version of the library, which is that of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
