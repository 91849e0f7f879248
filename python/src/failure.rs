//! The library's errors as Python exceptions.
//!
//! | what is at fault | exception |
//! |---|---|
//! | the request: an option out of range | `ValueError` |
//! | the data, which will not support the request | `svtd.FitError`, a `ValueError` |
//! | a file in the way | `FileExistsError` |
//! | the disk | `OSError`, of the kind the system names |
//!
//! The message is the library's; where it gives advice, the advice uses Python's names.

use std::io;

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyValueError};
use svtd::Error;
use svtd::error::ErrorKind;

create_exception!(
    svtd,
    FitError,
    PyValueError,
    "The data is malformed, or does not support what was asked of it."
);

/// The Python exception for an error of the library.
pub fn exception(error: &Error) -> PyErr {
    let sentence = spelled(error);
    match (error, error.kind()) {
        (Error::Exists { .. }, _) => PyFileExistsError::new_err(sentence),
        (Error::Io { source, .. }, _) => of_the_system(source, sentence),
        (_, ErrorKind::Request) => PyValueError::new_err(sentence),
        _ => FitError::new_err(sentence),
    }
}

/// `OSError` becomes `FileNotFoundError` and the like when it is given the system's error number.
fn of_the_system(source: &io::Error, sentence: String) -> PyErr {
    let usual = match source.kind() {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::NotADirectory => Some(20),
        io::ErrorKind::IsADirectory => Some(21),
        _ => None,
    };
    match source.raw_os_error().or(usual) {
        Some(number) => PyOSError::new_err((number, sentence)),
        None => PyOSError::new_err(sentence),
    }
}

fn spelled(error: &Error) -> String {
    let sentence = error.to_string();
    match error {
        Error::Exists { .. } => {
            sentence.replace("allow overwriting", "allow overwriting (overwrite=True)")
        }
        Error::NoMixtures => sentence.replace("is for lda", "is for model='lda'"),
        Error::FewerTopicsVisible { visible, .. } if *visible > 0 => {
            format!("{sentence} (n_components={visible}), or accept them (allow_fewer=True)")
        }
        _ => sentence,
    }
}
