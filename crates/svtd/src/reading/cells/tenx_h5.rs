//! The HDF5 file of 10x Genomics' Cell Ranger: features x cells, by columns.
//!
//! ```text
//! matrix/data, indices, indptr, shape, barcodes        version 3 on
//! matrix/features/id, name, feature_type
//! GENOME/data, indices, indptr, shape, barcodes        version 2
//! GENOME/genes, gene_names
//! ```
//!
//! Features x cells stored by columns is the same as cells x features stored by rows, which is our own form. Where
//! a file has other kinds of features beside gene expression (antibodies, peaks), only the expression is read, as
//! scanpy does, and a note says how many features were left out.

use super::hdf5::H5;
use super::{Cells, anndata, genes};

pub(super) fn read(file: &H5, group: &str) -> Result<Cells, String> {
    let mut sides = Vec::new();
    file.numbers(&format!("{group}/shape"), |side| {
        sides.push(side);
        Ok(())
    })?;
    let [n_features, n_cells] = sides[..] else {
        return Err(format!("{group}/shape: expected two sides, found {}", sides.len()));
    };
    let table = anndata::sparse(file, group, [n_cells as u64, n_features as u64], |value| {
        let whole = value >= 0.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX);
        if whole { Ok(value as u32) } else { Err(format!("{group}/data holds {value}, no count")) }
    })?;
    let cells = file.strings(&format!("{group}/barcodes"))?;
    let genes::Features { names, ids, kinds } = features(file, group)?;
    if cells.len() != table.rows.n_rows() || names.len() != table.rows.n_columns() {
        return Err(format!(
            "{group} is {n_features} x {n_cells}, but has {} features and {} barcodes",
            names.len(),
            cells.len()
        ));
    }
    Ok(genes::of_features(table, genes::Features { names, ids, kinds }, cells))
}

fn features(file: &H5, group: &str) -> Result<genes::Features, String> {
    let optional = |path: String| file.has_dataset(&path).then(|| file.strings(&path)).transpose();
    if file.has_dataset(&format!("{group}/features/name")) {
        let names = file.strings(&format!("{group}/features/name"))?;
        let ids = optional(format!("{group}/features/id"))?;
        let kinds = optional(format!("{group}/features/feature_type"))?;
        return Ok(genes::Features { names, ids, kinds });
    }
    let ids = optional(format!("{group}/genes"))?;
    let names = file.strings(&format!("{group}/gene_names"))?;
    Ok(genes::Features { names, ids, kinds: None })
}
