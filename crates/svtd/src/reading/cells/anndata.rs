//! AnnData on disk (`.h5ad`), from version 0.7 on.
//!
//! ```text
//! X, layers/NAME, raw/X    a dataset (dense), or a group of data, indices, indptr (CSR or CSC)
//! obs, var                 groups of columns; the attribute _index names the one with names
//! ```

use super::super::entries::Table;
use super::hdf5::H5;
use super::{Cells, Part, genes};
use crate::corpus::SparseCounts;
use crate::memory::Limit;

pub(super) fn read(file: &H5, part: &Part) -> Result<Cells, String> {
    let path = match &part.layer {
        None => "X".to_owned(),
        Some(layer) => {
            let layers = file.names("layers");
            if !layers.contains(layer) {
                let there = if layers.is_empty() { "none".to_owned() } else { layers.join(", ") };
                return Err(format!("there is no layer {layer:?}; found {there}"));
            }
            format!("layers/{layer}")
        }
    };
    let table = matrix(file, &path).map_err(|wrong| match wrong {
        Wrong::NoCount(value) => format!(
            "{path} holds {value}, so it is no table of counts (log-normalised or scaled?); {}",
            advice(file, part.layer.as_deref())
        ),
        Wrong::Other(reason) => reason,
    })?;
    let (genes, note) = genes::unique(names(file, "var")?, None);
    let cells = names(file, "obs")?;
    let (n_cells, n_genes) = (table.rows.n_rows(), table.rows.n_columns());
    if cells.len() != n_cells || genes.len() != n_genes {
        return Err(format!(
            "{path} is {n_cells} x {n_genes}, but there are {} cells and {} genes",
            cells.len(),
            genes.len()
        ));
    }
    let labels = part.label.as_ref().map(|label| column(file, "obs", label)).transpose()?;
    Ok(Cells { table, genes, cells, labels, notes: note.into_iter().collect() })
}

/// Why a matrix could not be read.
enum Wrong {
    /// It contains this number, which is not a count.
    NoCount(f64),
    Other(String),
}

impl From<String> for Wrong {
    fn from(reason: String) -> Self {
        Wrong::Other(reason)
    }
}

/// Where the file has counts, if the part asked for has none.
fn advice(file: &H5, asked: Option<&str>) -> String {
    for layer in file.names("layers").iter().filter(|layer| Some(layer.as_str()) != asked) {
        if holds_counts(file, &format!("layers/{layer}")) {
            return format!("layer {layer:?} holds counts (--layer {layer})");
        }
    }
    if asked.is_some() && holds_counts(file, "X") {
        return "X holds counts: leave out the layer".to_owned();
    }
    if holds_counts(file, "raw/X") {
        return "raw holds counts: write adata.raw.to_adata() to a file of its own".to_owned();
    }
    "keep the counts when normalising: adata.layers[\"counts\"] = adata.X.copy()".to_owned()
}

fn holds_counts(file: &H5, path: &str) -> bool {
    let values = if file.has_dataset(path) { path.to_owned() } else { format!("{path}/data") };
    let whole = |value: f64| if is_count(value) { Ok(()) } else { Err(String::new()) };
    (file.has_dataset(&values)) && file.numbers(&values, whole).is_ok()
}

fn is_count(value: f64) -> bool {
    value >= 0.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX)
}

fn count(value: f64) -> Result<u32, Wrong> {
    if is_count(value) { Ok(value as u32) } else { Err(Wrong::NoCount(value)) }
}

/// Reads a matrix of cells x genes.
fn matrix(file: &H5, path: &str) -> Result<Table, Wrong> {
    if file.has_dataset(path) {
        return dense(file, path);
    }
    let old = file.text_attribute(path, "h5sparse_format");
    let encoding = file.text_attribute(path, "encoding-type").or(old);
    let shape = file.pair_attribute(path, "shape");
    let shape = shape.or_else(|| file.pair_attribute(path, "h5sparse_shape"));
    let [n_rows, n_columns] = shape.ok_or_else(|| format!("{path} does not say its shape"))?;
    match encoding.as_deref() {
        Some("csr_matrix" | "csr") => compressed(file, path, n_rows, n_columns),
        Some("csc_matrix" | "csc") => {
            let table = compressed(file, path, n_columns, n_rows)?;
            Ok(Table { rows: table.rows.transpose(), ..table })
        }
        other => {
            let found = other.unwrap_or("nothing");
            Err(format!("{path}: expected a dense, CSR or CSC matrix, found {found}").into())
        }
    }
}

/// `data`, `indices` and `indptr` of a group, `n_rows` by `n_columns`.
pub(super) fn sparse(
    file: &H5,
    path: &str,
    [n_rows, n_columns]: [u64; 2],
    mut number: impl FnMut(f64) -> Result<u32, String>,
) -> Result<Table, String> {
    let side = |side: u64| {
        u32::try_from(side).map_err(|_| format!("{path}: a side of {side} is too large to number"))
    };
    let (n_rows, n_columns) = (side(n_rows)?, side(n_columns)?);
    let (mut counts, mut n_zeros) = (Vec::new(), 0);
    file.numbers(&format!("{path}/data"), |value| {
        let count = number(value)?;
        n_zeros += u64::from(count == 0);
        counts.push(count);
        Ok(())
    })?;
    let mut indices = Vec::new();
    file.numbers(&format!("{path}/indices"), |index| {
        if !(index >= 0.0 && index < f64::from(n_columns)) {
            return Err(format!("{path}/indices: expected below {n_columns}, found {index}"));
        }
        indices.push(index as u32);
        Ok(())
    })?;
    if indices.len() != counts.len() {
        let (n, of) = (indices.len(), counts.len());
        return Err(format!("{path} has {n} indices for {of} values"));
    }
    let mut offsets: Vec<usize> = Vec::new();
    file.numbers(&format!("{path}/indptr"), |offset| {
        let before = offsets.last().copied().unwrap_or(0);
        if !(offset >= before as f64 && offset <= counts.len() as f64) {
            return Err(format!("{path}/indptr does not ascend from row to row"));
        }
        offsets.push(offset as usize);
        Ok(())
    })?;
    let covers = offsets.first() == Some(&0) && offsets.last() == Some(&counts.len());
    if offsets.len() as u64 != u64::from(n_rows) + 1 || !covers {
        return Err(format!("{path}/indptr does not cover {n_rows} rows and all values"));
    }
    let rows = SparseCounts::from_parts(offsets, indices, counts, n_columns as usize);
    let rows = rows.summed().ok_or("a sum of repeated entries is too large to count")?;
    Ok(Table { rows, n_zeros })
}

fn compressed(file: &H5, path: &str, n_rows: u64, n_columns: u64) -> Result<Table, Wrong> {
    let mut odd = None;
    let number = |value| match count(value) {
        Ok(count) => Ok(count),
        Err(_) => {
            odd = Some(value);
            Err(String::new())
        }
    };
    let read = sparse(file, path, [n_rows, n_columns], number);
    match odd {
        Some(value) => Err(Wrong::NoCount(value)),
        None => Ok(read?),
    }
}

fn dense(file: &H5, path: &str) -> Result<Table, Wrong> {
    let shape = file.shape(path)?;
    let [n_rows, n_columns] = shape[..] else {
        return Err(format!("{path}: expected two sides, found {}", shape.len()).into());
    };
    let n_columns = u32::try_from(n_columns)
        .ok()
        .filter(|&n| n > 0)
        .ok_or_else(|| format!("{path} has {n_columns} columns"))?;
    let mut rows = SparseCounts::with_columns(n_columns as usize, &Limit::none());
    let (mut indices, mut counts) = (Vec::new(), Vec::new());
    let (mut column, mut odd) = (0, None);
    let read = file.numbers(path, |value| {
        match count(value) {
            Ok(0) => {}
            Ok(count) => {
                indices.push(column);
                counts.push(count);
            }
            Err(_) => {
                odd = Some(value);
                return Err(String::new());
            }
        }
        column += 1;
        if column == n_columns {
            rows.push_row(&indices, &counts);
            indices.clear();
            counts.clear();
            column = 0;
        }
        Ok(())
    });
    if let Some(value) = odd {
        return Err(Wrong::NoCount(value));
    }
    read?;
    if rows.n_rows() as u64 != n_rows {
        return Err(format!("{path} has {} rows of {n_rows}", rows.n_rows()).into());
    }
    Ok(Table { rows, n_zeros: 0 })
}

/// The names of the rows of `obs` or `var`.
fn names(file: &H5, frame: &str) -> Result<Vec<String>, String> {
    let index = file.text_attribute(frame, "_index").unwrap_or_else(|| "_index".to_owned());
    column(file, frame, &index)
}

/// A column of strings or categories.
fn column(file: &H5, frame: &str, name: &str) -> Result<Vec<String>, String> {
    let path = format!("{frame}/{name}");
    if file.has_dataset(&path) {
        return file.strings(&path).or_else(|_| spelled(file, &path));
    }
    if file.has_dataset(&format!("{path}/categories")) {
        let categories_at = format!("{path}/categories");
        let spell = |_| spelled(file, &categories_at);
        let categories = file.strings(&categories_at).or_else(spell)?;
        let mut values = Vec::new();
        file.numbers(&format!("{path}/codes"), |code| {
            // -1 stands for a missing value.
            let category = if code >= 0.0 { categories.get(code as usize) } else { None };
            values.push(category.cloned().unwrap_or_default());
            Ok(())
        })?;
        return Ok(values);
    }
    if file.has_dataset(&format!("{path}/values")) {
        return file.strings(&format!("{path}/values"));
    }
    let there: Vec<String> = file.names(frame).into_iter().take(12).collect();
    Err(format!("{frame} has no column {name:?}; found {}", there.join(", ")))
}

/// A column of numbers, as text.
fn spelled(file: &H5, path: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    file.numbers(path, |value| {
        values.push(value.to_string());
        Ok(())
    })?;
    Ok(values)
}
