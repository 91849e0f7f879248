//! Reading numbers and strings from an HDF5 file, in pieces and within bounds.
//!
//! The library limits what it reads of the file's own structure by the length of the file. But it cannot know how
//! large a dataset may reasonably be: a few bytes can declare a dataset of terabytes that consists of the fill
//! value. So before anything is allocated every dataset must pass the bounds of an archive, a fixed allowance and a
//! multiple of the file's size. It is then read in pieces.

use std::fs::File;

use hdf5_pure::{AttrValue, Dataset, Group, ReadSeekSource, VlenStringReadOptions};

/// Elements read at a time.
const PIECE: u64 = 1 << 20;
/// Bytes to which the datasets of any file may unpack.
const FREE: u64 = 256 << 20;
/// Beyond that, the largest ratio of unpacked size to file size.
const RATIO: u64 = 300;

/// An open HDF5 file.
pub(in super::super) struct H5 {
    file: hdf5_pure::File,
    size: u64,
}

impl H5 {
    /// Opens a file.
    pub(in super::super) fn open(file: File) -> Result<Self, String> {
        let size = file.metadata().map_err(|error| error.to_string())?.len();
        let source = ReadSeekSource::new(file).map_err(damaged)?;
        Ok(H5 { file: hdf5_pure::File::from_source(source).map_err(damaged)?, size })
    }

    /// Reads a file that is in memory.
    pub(in super::super) fn from_bytes(bytes: Vec<u8>) -> Result<Self, String> {
        let size = bytes.len() as u64;
        Ok(H5 { file: hdf5_pure::File::from_bytes(bytes).map_err(damaged)?, size })
    }

    /// The group that holds the matrix of a 10x file: `matrix`, or one named after a genome.
    pub(super) fn tenx_group(&self) -> Option<String> {
        let root = self.file.root();
        let is_matrix = |group: &Group| {
            ["data", "indices", "indptr", "shape", "barcodes"]
                .iter()
                .all(|name| group.dataset(name).is_ok())
        };
        let groups = root.groups().ok()?;
        groups.into_iter().find(|name| root.group(name).is_ok_and(|group| is_matrix(&group)))
    }

    /// Whether this is a file of 10x Genomics.
    pub(in super::super) fn is_tenx(&self) -> bool {
        self.tenx_group().is_some()
    }

    pub(super) fn has_group(&self, path: &str) -> bool {
        self.file.group(path).is_ok()
    }

    pub(super) fn has_dataset(&self, path: &str) -> bool {
        self.file.dataset(path).is_ok()
    }

    /// The names in a group, datasets and groups.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let Ok(group) = self.file.group(path) else { return Vec::new() };
        let (datasets, groups) = (group.datasets(), group.groups());
        let mut names = datasets.unwrap_or_default();
        names.extend(groups.unwrap_or_default());
        names.sort();
        names
    }

    /// A string attribute of a group or dataset.
    pub(super) fn text_attribute(&self, path: &str, name: &str) -> Option<String> {
        self.attribute(path, name)?.as_str().map(str::to_owned)
    }

    /// An attribute of two whole numbers, such as a shape.
    pub(super) fn pair_attribute(&self, path: &str, name: &str) -> Option<[u64; 2]> {
        let whole: Vec<u64> = match self.attribute(path, name)? {
            AttrValue::I64Array(values) => values.iter().map(|&v| v.try_into().ok()).collect(),
            AttrValue::U64Array(values) => Some(values),
            AttrValue::I32Array(values) => values.iter().map(|&v| v.try_into().ok()).collect(),
            AttrValue::U32Array(values) => Some(values.into_iter().map(u64::from).collect()),
            _ => None,
        }?;
        whole.try_into().ok()
    }

    fn attribute(&self, path: &str, name: &str) -> Option<AttrValue> {
        let mut attributes = match self.file.group(path) {
            Ok(group) => group.attrs().ok()?,
            Err(_) => self.file.dataset(path).ok()?.attrs().ok()?,
        };
        attributes.remove(name)
    }

    /// The size of a dataset along each axis.
    pub(super) fn shape(&self, path: &str) -> Result<Vec<u64>, String> {
        self.dataset(path)?.shape().map_err(|error| at(path, error))
    }

    /// Calls `each` with the numbers of a dataset in turn, row after row.
    pub(super) fn numbers(
        &self,
        path: &str,
        mut each: impl FnMut(f64) -> Result<(), String>,
    ) -> Result<(), String> {
        let dataset = self.dataset(path)?;
        let (n_rows, rows_at_once) = self.rows(path, &dataset)?;
        let mut start = 0;
        while start < n_rows {
            let n = rows_at_once.min(n_rows - start);
            let piece = dataset.read_f64_rows(start, n).map_err(|error| at(path, error))?;
            piece.into_iter().try_for_each(&mut each)?;
            start += n;
        }
        Ok(())
    }

    /// The strings of a dataset.
    pub(super) fn strings(&self, path: &str) -> Result<Vec<String>, String> {
        let dataset = self.dataset(path)?;
        let (n_rows, _) = self.rows(path, &dataset)?;
        // Strings of variable length are stored outside of the dataset and have their own bound.
        let variable = dataset.vlen_string_payload_size();
        let read = match variable {
            Ok(bytes) if bytes > self.most_bytes() => return Err(too_large(path, bytes)),
            Ok(_) => dataset.read_vlen_strings(VlenStringReadOptions::default()),
            Err(_) => dataset.read_string(),
        };
        let strings = read.map_err(|error| at(path, error))?;
        if strings.len() as u64 != n_rows {
            return Err(format!("{path} has {} strings for {n_rows} rows", strings.len()));
        }
        Ok(strings.into_iter().map(|text| text.trim_end_matches('\0').to_owned()).collect())
    }

    /// The number of rows of a dataset, and how many of them are read at a time; an error if it is larger than the
    /// file can reasonably hold.
    fn rows(&self, path: &str, dataset: &Dataset) -> Result<(u64, u64), String> {
        let shape = dataset.shape().map_err(|error| at(path, error))?;
        let width = dataset.element_size().map_err(|error| at(path, error))?;
        let n_rows = shape.first().copied().unwrap_or(1);
        let across = shape.iter().skip(1).try_fold(1_u64, |n, &side| n.checked_mul(side));
        let bytes = across.and_then(|n| n.checked_mul(n_rows)).and_then(|n| n.checked_mul(width));
        match (across, bytes) {
            (Some(across), Some(bytes)) if bytes <= self.most_bytes() => {
                Ok((n_rows, (PIECE / across.max(1)).max(1)))
            }
            (_, bytes) => Err(too_large(path, bytes.unwrap_or(u64::MAX))),
        }
    }

    fn most_bytes(&self) -> u64 {
        self.size.saturating_mul(RATIO).saturating_add(FREE)
    }

    fn dataset(&self, path: &str) -> Result<Dataset, String> {
        self.file.dataset(path).map_err(|_| format!("the file has no {path}"))
    }
}

fn too_large(path: &str, bytes: u64) -> String {
    format!("{path} would unpack to {bytes} bytes, more than the file can hold; is it damaged?")
}

fn at(path: &str, error: hdf5_pure::Error) -> String {
    format!("{path}: {error}")
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("cannot be read as HDF5: {error}")
}
