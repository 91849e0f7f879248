//! The folder of 10x Genomics' Cell Ranger: a MatrixMarket file of features x cells and two lists.
//!
//! ```text
//! matrix.mtx      features are rows here, cells are columns
//! features.tsv    id, name, kind         (genes.tsv with id and name before version 3)
//! barcodes.tsv    a cell a line
//! ```
//!
//! Each may be packed with gzip, as Cell Ranger does.

use std::path::{Path, PathBuf};

use super::super::entries::{self, Table};
use super::super::matrix_market::read_header;
use super::super::meter::Meter;
use super::super::source::Source;
use super::Cells;
use super::genes::{Features, of_features};
use crate::error::{Error, Result};

/// The three files.
#[derive(Debug, Clone)]
pub(in super::super) struct TenxFolder {
    matrix: PathBuf,
    features: PathBuf,
    barcodes: PathBuf,
}

impl TenxFolder {
    /// The files, if the folder has all three.
    pub(in super::super) fn in_folder(folder: &Path) -> Option<Self> {
        let named = |names: &[&str]| {
            let each = names.iter().flat_map(|name| [format!("{name}.gz"), (*name).to_owned()]);
            each.map(|name| folder.join(name)).find(|path| path.is_file())
        };
        Some(TenxFolder {
            matrix: named(&["matrix.mtx"])?,
            features: named(&["features.tsv", "genes.tsv"])?,
            barcodes: named(&["barcodes.tsv"])?,
        })
    }

    pub(in super::super) fn read(&self, meter: &Meter) -> Result<Cells> {
        let barcodes: Vec<String> =
            lines(&self.barcodes)?.into_iter().map(|mut line| line.swap_remove(0)).collect();
        let rows = lines(&self.features)?;
        let column = |at: usize| -> Option<Vec<String>> {
            rows.iter().map(|row| row.get(at).cloned()).collect()
        };
        let ids = column(0).unwrap_or_default();
        let names = column(1).unwrap_or_else(|| ids.clone());
        let mut source = Source::open_watched(&self.matrix, meter)?;
        let header = read_header(&mut source, true)?;
        let sides = (header.n_rows as usize, header.n_columns as usize);
        if sides != (names.len(), barcodes.len()) {
            let reason = format!(
                "{} x {}, but there are {} features and {} barcodes beside it",
                sides.0,
                sides.1,
                names.len(),
                barcodes.len()
            );
            return Err(Error::File { path: source.path().to_owned(), reason });
        }
        let table = entries::read(&mut source, &header)?;
        let table = Table { rows: table.rows.transpose(), ..table };
        Ok(of_features(table, Features { names, ids: Some(ids), kinds: column(2) }, barcodes))
    }
}

/// The cells of every line that is not empty.
fn lines(path: &Path) -> Result<Vec<Vec<String>>> {
    let mut source = Source::open(path)?;
    let mut rows = Vec::new();
    while let Some(line) = source.next_line()? {
        let text = String::from_utf8_lossy(line.trim_ascii_end());
        if !text.is_empty() {
            rows.push(text.split('\t').map(str::to_owned).collect());
        }
    }
    Ok(rows)
}
