//! Models of records as Python values: tables in, the results of the library's `Learned` out.

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use svtd::models::classes::{ItemChoice, LatentClass, Records};
use svtd::models::engine::{Criterion, Effort};
use svtd::models::learned::{self, Cells, Learned, Listing};
use svtd::models::raters::{RaterColumns, Raters, Ratings};
use svtd::models::saved::{self, SavedRecords};
use svtd::models::table::{Column, Table};

use crate::failure::exception;
use crate::waiting;

/// A column as Python passes it: numbers with NaN for missing, or labels with None.
#[derive(FromPyObject)]
pub enum Values<'py> {
    /// Numbers.
    Numbers(PyReadonlyArray1<'py, f64>),
    /// Labels.
    Labels(Vec<Option<String>>),
}

/// A table from named columns.
pub fn table(columns: Vec<(String, Values<'_>)>) -> PyResult<Table> {
    let column = |(name, values): (String, Values<'_>)| -> PyResult<Column> {
        Ok(match values {
            Values::Numbers(numbers) => Column::from_numbers(name, numbers.as_slice()?),
            Values::Labels(labels) => Column::from_cells(name, labels),
        })
    };
    let columns = columns.into_iter().map(column).collect::<PyResult<_>>()?;
    Table::new(columns).map_err(|error| exception(&error))
}

/// A learned model of records.
#[pyclass(frozen, module = "svtd._svtd")]
pub struct RecordModel {
    saved: SavedRecords,
}

impl RecordModel {
    /// A model that was just learned from `table`.
    pub fn new(model: Box<dyn Learned>, digest: String) -> Self {
        Self { saved: SavedRecords { model, digest } }
    }
}

#[pymethods]
impl RecordModel {
    /// Its kind, as on the command line.
    fn kind(&self) -> &'static str {
        self.saved.model.kind()
    }

    /// Everything about it, as JSON.
    fn json(&self) -> PyResult<String> {
        let object = learned::to_json(&*self.saved.model).map_err(|error| exception(&error))?;
        Ok(serde_json::Value::Object(object).to_string())
    }

    /// Its numbers, by name: arrays of their shape.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let result = PyDict::new(py);
        for (name, array) in self.saved.model.arrays() {
            if let svtd::persist::container::Array::F64 { shape, values } = array {
                result.set_item(name, (shape, values.into_pyarray(py)))?;
            }
        }
        Ok(result)
    }

    /// Its inference for records, column by column.
    fn infer<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<(String, Values<'_>)>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let table = table(columns)?;
        let inferred = py.detach(|| self.saved.model.infer(&table));
        listing(py, &inferred.map_err(|error| exception(&error))?)
    }

    /// How well it explains records.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<(String, Values<'_>)>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let table = table(columns)?;
        let found = py.detach(|| self.saved.model.evaluate(&table));
        let result = PyDict::new(py);
        for (name, value) in found.map_err(|error| exception(&error))? {
            result.set_item(name, value)?;
        }
        Ok(result)
    }

    /// Records drawn from it: names and labels.
    fn draw(&self, n_records: usize, seed: u64) -> PyResult<Vec<(String, Vec<Option<String>>)>> {
        let table = self.saved.model.draw(n_records, seed).map_err(|error| exception(&error))?;
        let cells = |column: &Column| {
            (0..table.n_rows()).map(|row| column.label(row).map(str::to_owned)).collect()
        };
        Ok(table.columns().iter().map(|c| (c.name().to_owned(), cells(c))).collect())
    }

    /// Its tables by name, column by column.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let result = PyDict::new(py);
        for one in self.saved.model.listings() {
            result.set_item(one.name, listing(py, &one)?)?;
        }
        Ok(result)
    }

    /// Writes its file.
    fn save(&self, path: &str, overwrite: bool) -> PyResult<()> {
        saved::save(&*self.saved.model, &self.saved.digest, path, overwrite)
            .map_err(|error| exception(&error))
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = saved::container(&*self.saved.model, &self.saved.digest)
            .and_then(|container| container.to_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(|error| exception(&error))?))
    }
}

fn listing<'py>(py: Python<'py>, found: &Listing) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    for (name, cells) in &found.columns {
        match cells {
            Cells::Text(cells) => result.set_item(name, cells)?,
            Cells::Whole(cells) => result.set_item(name, cells.clone().into_pyarray(py))?,
            Cells::Real(cells) => {
                let values: Vec<f64> = cells.iter().map(|x| x.unwrap_or(f64::NAN)).collect();
                result.set_item(name, values.into_pyarray(py))?;
            }
        }
    }
    Ok(result)
}

/// Reads the bytes of a model file; `None` when it contains topics.
#[pyfunction]
pub fn restore_records(bytes: &[u8]) -> PyResult<Option<RecordModel>> {
    let found = saved::from_bytes(bytes, "the model").map_err(|error| exception(&error))?;
    Ok(found.map(|saved| RecordModel { saved }))
}

/// Reads a model file; `None` when it contains topics.
#[pyfunction]
pub fn load_records(path: &str) -> PyResult<Option<RecordModel>> {
    let found = saved::load(path).map_err(|error| exception(&error))?;
    Ok(found.map(|saved| RecordModel { saved }))
}

/// Which columns have which meaning.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ClassChoices {
    n_components: Option<usize>,
    prior: f64,
    effort: String,
    criterion: String,
    error_bars: bool,
    real: Vec<String>,
    counts: Vec<String>,
    categorical: Vec<String>,
    weights: Option<String>,
}

/// Learns latent classes; without `n_components` the data choose their number.
#[pyfunction]
pub fn fit_classes(
    py: Python<'_>,
    columns: Vec<(String, Values<'_>)>,
    choices: ClassChoices,
    threads: usize,
    callback: Option<Py<PyAny>>,
) -> PyResult<RecordModel> {
    let table = table(columns)?;
    waiting::run(py, threads, callback, move |steps| {
        let choice = ItemChoice {
            items: Vec::new(),
            real: choices.real,
            counts: choices.counts,
            categorical: choices.categorical,
            weights: choices.weights,
        };
        let records = Records::from_table(&table, &choice)?;
        let params = match choices.n_components {
            Some(k) => LatentClass::params(k),
            None => LatentClass::auto(),
        };
        let model = params
            .prior(choices.prior)
            .effort(effort(&choices.effort)?)
            .criterion(criterion(&choices.criterion)?)
            .error_bars(choices.error_bars)
            .fit_watched(&records, &|done, of| steps.learned(done, of))?;
        Ok(RecordModel::new(Box::new(model), table.digest()))
    })
}

/// Learns raters from ratings: columns of items, raters and labels.
#[pyfunction]
pub fn fit_raters(
    py: Python<'_>,
    columns: Vec<(String, Values<'_>)>,
    prior: f64,
    error_bars: bool,
    threads: usize,
) -> PyResult<RecordModel> {
    let table = table(columns)?;
    waiting::run(py, threads, None, move |_| {
        let ratings = Ratings::from_table(&table, &RaterColumns::default())?;
        let model = Raters::params().prior(prior).error_bars(error_bars).fit(&ratings)?;
        Ok(RecordModel::new(Box::new(model), table.digest()))
    })
}

fn unknown(name: &'static str, needed: &str, found: &str) -> svtd::Error {
    svtd::Error::Option { name, needed: needed.to_owned(), found: format!("{found:?}") }
}

/// How much to search, by name.
pub fn effort(name: &str) -> svtd::Result<Effort> {
    match name {
        "starts" => Ok(Effort::Starts),
        "best" => Ok(Effort::Best),
        "best-two" => Ok(Effort::BestTwo),
        other => Err(unknown("effort", "'starts', 'best' or 'best-two'", other)),
    }
}

/// A criterion by its name.
pub fn criterion(name: &str) -> svtd::Result<Criterion> {
    match name {
        "aic3" => Ok(Criterion::Aic3),
        "aic" => Ok(Criterion::Aic),
        "bic" => Ok(Criterion::Bic),
        "adjusted-bic" => Ok(Criterion::SampleAdjustedBic),
        "caic" => Ok(Criterion::Caic),
        other => Err(unknown("criterion", "'aic3', 'aic', 'bic', 'adjusted-bic' or 'caic'", other)),
    }
}
