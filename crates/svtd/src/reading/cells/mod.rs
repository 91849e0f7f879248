//! Single-cell counts: cells are documents, genes (or open regions) are words.
//!
//! ```text
//! .h5ad           AnnData: X or a layer, cells x genes; names in obs and var      anndata.rs
//! .h5 of 10x      features x cells, by columns, in one group                      tenx_h5.rs
//! a 10x folder    matrix.mtx, features.tsv (or genes.tsv), barcodes.tsv           tenx_folder.rs
//! ```
//!
//! HDF5 is read by `hdf5-pure`, a single package without C; [`hdf5`] reads in pieces and limits what it may
//! allocate. Every file can be read from bytes as well ([`read_h5`]).
//!
//! Only counts are read. Normalised or scaled values are rejected, with a hint where the same file has counts, if
//! it does.

#[cfg(feature = "hdf5")]
mod anndata;
mod genes;
#[cfg(feature = "hdf5")]
mod hdf5;
mod tenx_folder;
#[cfg(feature = "hdf5")]
mod tenx_h5;

use super::entries::Table;

#[cfg(feature = "hdf5")]
pub(super) use hdf5::H5;
pub(super) use tenx_folder::TenxFolder;

/// The content of a file of cells.
pub(super) struct Cells {
    pub(super) table: Table,
    /// The names of the genes.
    pub(super) genes: Vec<String>,
    /// The names of the cells.
    pub(super) cells: Vec<String>,
    /// A label for each cell, if asked for.
    pub(super) labels: Option<Vec<String>>,
    pub(super) notes: Vec<String>,
}

/// Which part of a file of cells to read.
#[cfg(feature = "hdf5")]
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    /// The layer of an AnnData file; `X` if not named.
    pub(super) layer: Option<String>,
    /// The column of `obs` that holds labels.
    pub(super) label: Option<String>,
}

/// Reads the bytes of an `.h5ad` file or a 10x `.h5` file.
#[cfg(feature = "hdf5")]
pub(super) fn read_h5(file: &H5, part: &Part) -> Result<Cells, String> {
    match file.tenx_group() {
        Some(group) if part.layer.is_none() => tenx_h5::read(file, &group),
        Some(_) => Err("a 10x file has no layers; leave out the layer".to_owned()),
        None if file.has_group("var") && file.has_group("obs") => anndata::read(file, part),
        None if file.has_dataset("var") => {
            Err("an AnnData file from before 0.7; open and write it again with a newer anndata"
                .to_owned())
        }
        None => Err(
            "an HDF5 file, but neither AnnData (.h5ad) nor of 10x Genomics; save the counts as \
             MatrixMarket or .npz"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests;
