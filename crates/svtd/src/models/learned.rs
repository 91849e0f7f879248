//! The interface of all learned models of records: showing, saving, inference.
//!
//! The command line, the model file and the Python package use models only through this trait. A model of another
//! kind joins by implementing [`Learned`] and by a line in [`saved::load`](super::saved::load).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::engine::FoundAgain;
use super::table::Table;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::model::diagnostics::Standing;
use crate::persist::container::{Array, Container};

/// The values of a column of a [`Listing`].
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Text.
    Text(Vec<String>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Real numbers; `None` where there is no value.
    Real(Vec<Option<f64>>),
}

impl Cells {
    /// Real numbers without missing values.
    pub fn real(values: impl IntoIterator<Item = f64>) -> Self {
        Cells::Real(values.into_iter().map(Some).collect())
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        match self {
            Cells::Text(cells) => cells.len(),
            Cells::Whole(cells) => cells.len(),
            Cells::Real(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A table of results, to be shown, exported or written as JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// Its name: lower case, words joined by `-`, unique among a model's listings.
    pub name: &'static str,
    /// One sentence on what the numbers are.
    pub title: String,
    /// Named columns of equal length.
    pub columns: Vec<(String, Cells)>,
}

impl Listing {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, cells)| cells.len())
    }

    /// One of its rows; none when it has fewer.
    pub fn row(&self, row: usize) -> Self {
        let picked = |cells: &Cells| match cells {
            Cells::Text(cells) => Cells::Text(cells.get(row).cloned().into_iter().collect()),
            Cells::Whole(cells) => Cells::Whole(cells.get(row).copied().into_iter().collect()),
            Cells::Real(cells) => Cells::Real(cells.get(row).copied().into_iter().collect()),
        };
        let columns = self.columns.iter().map(|(name, cells)| (name.clone(), picked(cells)));
        Self { name: self.name, title: self.title.clone(), columns: columns.collect() }
    }

    /// Rows as JSON objects.
    pub fn to_json(&self) -> Value {
        let cell = |cells: &Cells, row: usize| match cells {
            Cells::Text(cells) => json!(cells[row]),
            Cells::Whole(cells) => json!(cells[row]),
            Cells::Real(cells) => json!(cells[row]),
        };
        let object = |row: usize| -> Value {
            let pairs = self.columns.iter().map(|(name, cells)| (name.clone(), cell(cells, row)));
            Value::Object(pairs.collect())
        };
        (0..self.n_rows()).map(object).collect()
    }
}

/// A learned model of records.
pub trait Learned: Send + Sync {
    /// Its kind, as in `--model` and in the model file.
    fn kind(&self) -> &'static str;

    /// The word for its components: class, state, component.
    fn component(&self) -> &'static str;

    /// Number of components.
    fn n_components(&self) -> usize;

    /// The log-likelihood of the records it was learned from, without the prior.
    fn log_likelihood(&self) -> f64;

    /// Its parameters and results, the most important first.
    fn listings(&self) -> Vec<Listing>;

    /// Facts about the fit in a few lines: name and sentence.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// Warnings for the user, one sentence each.
    fn notes(&self) -> Vec<String>;

    /// The fit's options and diagnostics, for `--json` and for the model file.
    fn header(&self) -> Result<Map<String, Value>>;

    /// The numbers of the model file.
    fn arrays(&self) -> BTreeMap<String, Array>;

    /// The inference for records: one row each (or one for each step), the result first.
    ///
    /// # Errors
    /// When the table lacks a column, or holds what the model has never seen.
    fn infer(&self, table: &Table) -> Result<Listing>;

    /// How well it explains records, preferably unseen ones: names and numbers.
    ///
    /// # Errors
    /// As [`Learned::infer`].
    fn evaluate(&self, table: &Table) -> Result<Vec<(&'static str, f64)>>;

    /// The inference for one record, counted from 0, and why: first the result, then the contribution of each
    /// value.
    ///
    /// # Errors
    /// As [`Learned::infer`].
    fn explain(&self, table: &Table, row: usize) -> Result<Vec<Listing>> {
        Ok(vec![self.infer(table)?.row(row)])
    }

    /// What is expected after the last step of every sequence, up to `steps` steps ahead.
    ///
    /// # Errors
    /// As [`Learned::infer`], and for models of records without an order in time.
    fn forecast(&self, _table: &Table, _steps: usize) -> Result<Listing> {
        Err(Error::Records {
            reason: format!(
                "a model of kind {} knows no order in time; hidden Markov models forecast",
                self.kind()
            ),
        })
    }

    /// Its components beside those of another model of its kind: matched, and what changed.
    ///
    /// # Errors
    /// When the other is of another kind, or about other items.
    fn compare(&self, other: &dyn Learned) -> Result<Listing> {
        Err(Error::Records {
            reason: format!(
                "models of kind {} and {} cannot be compared",
                self.kind(),
                other.kind()
            ),
        })
    }

    /// Random records from it.
    ///
    /// # Errors
    /// When the model does not define probabilities of records.
    fn draw(&self, n_records: usize, seed: u64) -> Result<Table>;
}

/// Everything about a fit, as JSON.
///
/// # Errors
/// When the model cannot be serialised.
pub fn to_json(model: &dyn Learned) -> Result<Map<String, Value>> {
    let mut object = model.header()?;
    object.insert("model".to_owned(), json!(model.kind()));
    object.insert(format!("n_{}", plural(model.component())), json!(model.n_components()));
    object.insert("log_likelihood".to_owned(), json!(model.log_likelihood()));
    object.insert("notes".to_owned(), json!(model.notes()));
    for listing in model.listings() {
        object.insert(listing.name.replace('-', "_"), listing.to_json());
    }
    Ok(object)
}

/// The plural of the word for a component.
pub fn plural(component: &str) -> String {
    if component.ends_with('s') { format!("{component}es") } else { format!("{component}s") }
}

/// The parts of a model file, taken one by one; errors are the end of a sentence about the file.
pub struct Parts {
    header: Map<String, Value>,
    arrays: BTreeMap<String, Array>,
}

impl Parts {
    /// The parts of a model file.
    pub(super) fn new(container: Container) -> Self {
        Self { header: container.header, arrays: container.arrays }
    }

    /// The parts of a model in memory.
    ///
    /// # Errors
    /// When it cannot be serialised.
    pub fn of(model: &dyn Learned) -> Result<Self> {
        Ok(Self { header: model.header()?, arrays: model.arrays() })
    }

    /// A field of the header.
    ///
    /// # Errors
    /// When it is missing or of another shape.
    pub fn field<T: serde::de::DeserializeOwned>(
        &self,
        name: &str,
    ) -> std::result::Result<T, String> {
        let value = self.header.get(name).cloned().ok_or_else(|| format!("has no {name}"))?;
        serde_json::from_value(value)
            .map_err(|error| format!("has {name} that cannot be read: {error}"))
    }

    /// An array of `len` finite numbers.
    ///
    /// # Errors
    /// When it is missing, or of another size.
    pub fn numbers(&mut self, name: &str, len: usize) -> std::result::Result<Vec<f64>, String> {
        match self.arrays.remove(name) {
            Some(Array::F64 { values, .. })
                if values.len() == len && values.iter().all(|x| x.is_finite()) =>
            {
                Ok(values)
            }
            _ => Err(format!("has no {name} of {len} numbers")),
        }
    }

    /// An array of `len` finite numbers, or `None` when there is no array of that name.
    ///
    /// # Errors
    /// When it is of another size.
    pub fn perhaps_numbers(
        &mut self,
        name: &str,
        len: usize,
    ) -> std::result::Result<Option<Vec<f64>>, String> {
        match self.arrays.contains_key(name) {
            true => self.numbers(name, len).map(Some),
            false => Ok(None),
        }
    }

    /// The length of an array, 0 when there is none.
    pub fn length(&self, name: &str) -> usize {
        match self.arrays.get(name) {
            Some(Array::F64 { values, .. }) => values.len(),
            _ => 0,
        }
    }
}

/// An array of numbers for the model file.
pub fn array(shape: &[usize], values: &[f64]) -> Array {
    Array::F64 { shape: shape.to_vec(), values: values.to_vec() }
}

/// Checks that numbers are a distribution.
///
/// # Errors
/// When one is negative, or they do not sum to one.
pub fn check_distribution(name: &str, values: &[f64]) -> std::result::Result<(), String> {
    let sum: f64 = values.iter().sum();
    if values.iter().all(|v| *v >= 0.0) && (sum - 1.0).abs() < 1e-6 {
        return Ok(());
    }
    Err(format!("has a {name} that is not a distribution"))
}

/// A value as JSON.
///
/// # Errors
/// When it cannot be serialised.
pub fn json_of(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::ModelFile {
        path: "the model".to_owned(),
        reason: format!("cannot be written as JSON: {error}"),
    })
}

/// Columns with how well every component is found again in halves of the records; none where that was not measured.
pub(super) fn found_again_columns(found: &[FoundAgain]) -> Vec<(String, Cells)> {
    if found.is_empty() {
        return Vec::new();
    }
    let words = found.iter().map(|one| one.standing().name().to_owned());
    vec![
        ("found_again".to_owned(), Cells::real(found.iter().map(|one| one.shared))),
        ("standing".to_owned(), Cells::Text(words.collect())),
    ]
}

/// How many components are found again, as a sentence; `None` where that was not measured.
pub(super) fn found_again_fact(found: &[FoundAgain]) -> Option<(&'static str, String)> {
    let count = |wanted: Standing| found.iter().filter(|one| one.standing() == wanted).count();
    (!found.is_empty()).then(|| {
        let sentence = format!(
            "{} of {} reproduce in halves of the records, {} partly, {} not",
            count(Standing::Reproduces),
            found.len(),
            count(Standing::Partly),
            count(Standing::NotFoundAgain)
        );
        ("found again", sentence)
    })
}

/// The table with the component of each record: the likeliest, then the probability of each.
pub fn membership(component: &str, posterior: &Matrix, likeliest: &[usize]) -> Listing {
    let n = posterior.n_rows();
    let mut columns = vec![
        ("record".to_owned(), Cells::Whole((1..=n as i64).collect())),
        (component.to_owned(), Cells::Whole(likeliest.iter().map(|&j| j as i64 + 1).collect())),
    ];
    for j in 0..posterior.n_columns() {
        let name = format!("{component}{}", j + 1);
        columns.push((name, Cells::real(posterior.column(j).iter().copied())));
    }
    Listing {
        name: "records",
        title: format!("the likeliest {component} of every record, and the probability of each"),
        columns,
    }
}
