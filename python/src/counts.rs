//! Compressed rows of any integer or float type, read in place.
//!
//! A matrix arrives as NumPy arrays and is read in place, once to check and once to count; the only copy is the
//! corpus itself. Its rows may be in any order, but a word must not have two counts in one row.
//!
//! Only non-negative whole numbers are counts. A matrix of tf-idf or other weights is rejected, because the moments
//! of weights are not those of any model here.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{
    Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use svtd::corpus::CorpusBuilder;
use svtd::reading::Limit;
use svtd::{Corpus, Vocabulary};

use crate::failure::exception;
use crate::values::in_json;
use crate::waiting::run;

/// `indptr`, `indices`, `data`.
type Arrays<'py> =
    (Bound<'py, PyUntypedArray>, Bound<'py, PyUntypedArray>, Bound<'py, PyUntypedArray>);

/// Number of entries read between two checks for signals.
const BETWEEN_LOOKS: usize = 1 << 22;

/// A corpus.
#[pyclass(frozen, module = "svtd._svtd")]
pub struct Counts(pub Arc<Corpus>);

#[pymethods]
impl Counts {
    /// Reads the rows of a matrix of counts: `indptr`, `indices` and `data` as in SciPy, or several of them one
    /// below the other. Without `words` they are numbered. A corpus to which a model is only applied may be empty.
    /// Counts beyond `memory` bytes are kept in a temporary file in `folder`.
    #[new]
    #[pyo3(signature = (parts, n_words, threads, words=None, may_be_empty=false, memory=None))]
    fn new(
        py: Python<'_>,
        parts: &Bound<'_, PyAny>,
        n_words: usize,
        threads: usize,
        words: Option<Vec<String>>,
        may_be_empty: bool,
        memory: Option<(u64, PathBuf)>,
    ) -> PyResult<Self> {
        let mut builder = Corpus::builder(n_words).within(&limit(memory)?);
        for part in parts.try_iter()? {
            let (indptr, indices, data): Arrays<'_> = part?.extract()?;
            let offsets = offsets(&indptr)?;
            let rows = (&mut builder, &offsets[..]);
            if let Ok(indices) = indices.cast::<PyArray1<i32>>() {
                with_data(py, rows, indices.readonly(), &data, n_words)?;
            } else if let Ok(indices) = indices.cast::<PyArray1<i64>>() {
                with_data(py, rows, indices.readonly(), &data, n_words)?;
            } else {
                return Err(not_understood("indices", "int32 or int64", &indices));
            }
        }
        if may_be_empty {
            builder = builder.may_be_empty();
        }
        let build = move |_: &_| {
            let builder = match words {
                Some(words) => builder.vocabulary(Vocabulary::from_words(words)?),
                None => builder,
            };
            builder.build()
        };
        Ok(Counts(Arc::new(run(py, threads, None, build)?)))
    }

    /// How many documents there are.
    #[getter]
    fn n_documents(&self) -> usize {
        self.0.n_documents()
    }

    /// How many words the vocabulary has.
    #[getter]
    fn n_words(&self) -> usize {
        self.0.n_words()
    }

    /// The number of words of each document, with repetition.
    #[getter]
    fn lengths(&self) -> Vec<u64> {
        self.0.lengths().to_vec()
    }

    /// The words in the order of their numbers, or `None` if they have no names.
    fn words(&self) -> Option<Vec<String>> {
        names(self.0.vocabulary())
    }

    /// `indptr`, `indices` and `data` of the counts, words ascending.
    fn rows<'py>(&self, py: Python<'py>) -> Rows<'py> {
        rows(py, &self.0)
    }

    /// How text was split into words, as JSON; `None` for what was not counted from text.
    fn word_choice(&self) -> PyResult<Option<String>> {
        self.0.word_choice().map(in_json).transpose()
    }

    /// The notes of the reader.
    fn notes(&self) -> Vec<String> {
        self.0.report().notes.clone()
    }

    /// SHA-256 of the sizes, the words and the counts.
    fn digest(&self) -> String {
        self.0.digest()
    }
}

/// A memory limit of this many bytes, with a folder for what exceeds it.
pub fn limit(memory: Option<(u64, PathBuf)>) -> PyResult<Limit> {
    match memory {
        Some((bytes, folder)) => Limit::of(bytes, folder).map_err(|error| exception(&error)),
        None => Ok(Limit::none()),
    }
}

/// The number of bytes of a size such as `2GB`.
#[pyfunction]
pub fn bytes_of(text: &str) -> PyResult<u64> {
    svtd::internals::memory::bytes_of(text)
        .map_err(|reason| PyValueError::new_err(format!("memory: {reason}")))
}

/// The words, unless they are only numbers.
pub fn names(vocabulary: &Vocabulary) -> Option<Vec<String>> {
    (!vocabulary.is_numbered()).then(|| vocabulary.iter().map(Cow::into_owned).collect())
}

/// Row starts, columns, counts.
pub type Rows<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyAny>);

/// The counts of every document by ascending word, in 32 bits if all of them fit.
pub fn rows<'py>(py: Python<'py>, corpus: &Corpus) -> Rows<'py> {
    let mut indptr = Vec::with_capacity(corpus.n_documents() + 1);
    let mut indices = Vec::with_capacity(corpus.n_nonzeros());
    let mut counts = Vec::with_capacity(corpus.n_nonzeros());
    indptr.push(0);
    for d in 0..corpus.n_documents() {
        let mut words: Vec<(u32, u32)> = corpus.document(d).words().collect();
        words.sort_unstable();
        indices.extend(words.iter().map(|&(word, _)| word as i32));
        counts.extend(words.iter().map(|&(_, count)| count));
        indptr.push(indices.len() as i64);
    }
    let small: Option<Vec<i32>> = counts.iter().map(|&count| i32::try_from(count).ok()).collect();
    let counts = match small {
        Some(counts) => counts.into_pyarray(py).into_any(),
        None => counts.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py).into_any(),
    };
    (indptr.into_pyarray(py), indices.into_pyarray(py), counts)
}

/// A number that may be a column or the start of a row.
trait Index: Element + Copy + Send + Sync {
    fn index(self) -> Option<usize>;
}

/// A number that may be a count.
trait Count: Element + Copy + Send + Sync {
    /// The count, or the reason why the number is not one.
    fn count(self) -> Result<u32, Refused>;
}

/// Why a number is not a count.
enum Refused {
    NotFinite(String),
    Negative(String),
    Fraction(String),
    TooLarge(String),
}

macro_rules! index {
    ($($number:ty),*) => {$(
        impl Index for $number {
            fn index(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
        }
    )*};
}

macro_rules! whole {
    ($($number:ty),*) => {$(
        impl Count for $number {
            #[allow(unused_comparisons, reason = "the same for unsigned numbers")]
            fn count(self) -> Result<u32, Refused> {
                u32::try_from(self).map_err(|_| {
                    if self < 0 {
                        Refused::Negative(self.to_string())
                    } else {
                        Refused::TooLarge(self.to_string())
                    }
                })
            }
        }
    )*};
}

macro_rules! float {
    ($($number:ty),*) => {$(
        impl Count for $number {
            fn count(self) -> Result<u32, Refused> {
                let value = f64::from(self);
                if !value.is_finite() {
                    Err(Refused::NotFinite(self.to_string()))
                } else if value < 0.0 {
                    Err(Refused::Negative(self.to_string()))
                } else if value.fract() != 0.0 {
                    Err(Refused::Fraction(self.to_string()))
                } else if value > f64::from(u32::MAX) {
                    Err(Refused::TooLarge(self.to_string()))
                } else {
                    Ok(value as u32)
                }
            }
        }
    )*};
}

index!(i32, i64);
whole!(i8, i16, i32, i64, u8, u16, u32, u64);
float!(f32, f64);

impl Count for bool {
    fn count(self) -> Result<u32, Refused> {
        Ok(u32::from(self))
    }
}

fn offsets(indptr: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<usize>> {
    let offsets: Option<Vec<usize>> = if let Ok(array) = indptr.cast::<PyArray1<i32>>() {
        array.readonly().as_slice()?.iter().map(|&offset| offset.index()).collect()
    } else if let Ok(array) = indptr.cast::<PyArray1<i64>>() {
        array.readonly().as_slice()?.iter().map(|&offset| offset.index()).collect()
    } else {
        return Err(not_understood("indptr", "int32 or int64", indptr));
    };
    match offsets {
        Some(offsets) if offsets.first() == Some(&0) && offsets.is_sorted() => Ok(offsets),
        _ => Err(PyValueError::new_err("indptr must begin with 0 and never fall")),
    }
}

fn not_understood(name: &str, needed: &str, found: &Bound<'_, PyUntypedArray>) -> PyErr {
    PyTypeError::new_err(format!("{name} must be one row of {needed}, got {}", found.dtype()))
}

/// Determines the type of the counts.
fn with_data<I: Index>(
    py: Python<'_>,
    (builder, offsets): (&mut CorpusBuilder, &[usize]),
    indices: PyReadonlyArray1<'_, I>,
    data: &Bound<'_, PyUntypedArray>,
    n_words: usize,
) -> PyResult<()> {
    macro_rules! first_that_fits {
        ($($number:ty),*) => {
            $(if let Ok(data) = data.cast::<PyArray1<$number>>() {
                let (indices, data) = (indices.as_slice()?, data.readonly());
                let data = data.as_slice()?;
                return py.detach(|| read(builder, offsets, indices, data, n_words));
            })*
        };
    }
    first_that_fits!(i64, i32, f64, f32, u8, u16, u32, u64, i8, i16, bool);
    Err(not_understood("data", "counts", data))
}

fn read<I: Index, C: Count>(
    builder: &mut CorpusBuilder,
    offsets: &[usize],
    indices: &[I],
    data: &[C],
    n_words: usize,
) -> PyResult<()> {
    let n_entries = offsets.last().copied().unwrap_or(0);
    if n_entries != indices.len() || n_entries != data.len() {
        return Err(PyValueError::new_err(format!(
            "indptr ends with {n_entries}, but there are {} indices and {} counts",
            indices.len(),
            data.len()
        )));
    }
    builder.reserve(offsets.len() - 1, n_entries);
    let mut next_look = BETWEEN_LOOKS;
    for (document, span) in offsets.windows(2).map(|pair| pair[0]..pair[1]).enumerate() {
        if span.end > next_look {
            Python::attach(|py| py.check_signals())?;
            next_look = span.end + BETWEEN_LOOKS;
        }
        let (indices, data) = (&indices[span.clone()], &data[span]);
        check(document, indices, data, n_words)?;
        let entry = |(word, count): (&I, &C)| {
            let word = word.index().and_then(|word| u32::try_from(word).ok());
            (word.unwrap_or(u32::MAX), count.count().unwrap_or(0))
        };
        let entries = indices.iter().zip(data).map(entry);
        builder.push_document(entries).map_err(|error| exception(&error))?;
    }
    Ok(())
}

/// Returns an error for invalid words or counts, with their position.
fn check<I: Index, C: Count>(
    document: usize,
    indices: &[I],
    data: &[C],
    n_words: usize,
) -> PyResult<()> {
    for (word, count) in indices.iter().zip(data) {
        let Some(word) = word.index().filter(|&word| word < n_words) else {
            return Err(PyValueError::new_err(format!(
                "row {document} has a column outside of 0 to {}",
                n_words.saturating_sub(1)
            )));
        };
        if let Err(refused) = count.count() {
            return Err(PyValueError::new_err(refusal(document, word, &refused)));
        }
    }
    Ok(())
}

fn refusal(document: usize, word: usize, refused: &Refused) -> String {
    let found = |number: &str, needed: &str| {
        format!("row {document}, column {word} holds {number}; {needed}")
    };
    match refused {
        Refused::NotFinite(number) => found(number, "fill or drop it first"),
        Refused::Negative(number) => {
            found(number, "Negative values in data cannot be counts of words")
        }
        Refused::Fraction(number) => found(
            number,
            "counts of words must be whole numbers. Is this tf-idf? The moments of weights are not \
             those of a topic model: give the counts they were made from (CountVectorizer, or \
             svtd.Vectorizer)",
        ),
        Refused::TooLarge(number) => {
            found(number, &format!("the largest count that can be stored is {}", u32::MAX))
        }
    }
}
