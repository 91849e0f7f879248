//! Opening a file: its beginning determines the format.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::CorpusReader;
use super::opened::{Input, Opened};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::reading::Format;
#[cfg(feature = "hdf5")]
use crate::reading::cells;
use crate::reading::cells::TenxFolder;
use crate::reading::documents::{self, Kind, Office};
use crate::reading::format::{self, Detected};
use crate::reading::npz::Npz;
#[cfg(feature = "parquet")]
use crate::reading::parquet::Parquet;
use crate::reading::source::{SAMPLE, Source};
use crate::reading::zip::Archive;

/// A folder name for data in memory, which no file system can have.
const MEMORY: &str = "\0";

impl CorpusReader {
    /// Opens a file and determines its format.
    ///
    /// # Errors
    /// If the file cannot be opened, is not a corpus, or is to be transposed and its format cannot be
    /// transposed.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Opened> {
        let path = path.as_ref();
        if let Some(opened) = self.open_cells_folder(path)? {
            return Ok(opened);
        }
        if path.is_dir() && matches!(self.format, None | Some(Format::Folder)) {
            return self.open_folder(path);
        }
        if self.format == Some(Format::Folder) {
            return Err(Error::Option {
                name: "format",
                needed: "that of a file, or left out, for what is no folder".to_owned(),
                found: format!("folder for {}", path.display()),
            });
        }
        let source = Source::open_watched(path, &self.meter)?.keep_within(&self.limit);
        self.open_source(source.come_live(self.live), path)
    }

    /// Reads a corpus from memory as if it were a file, compressed or not; `name` is used in messages, and its
    /// ending is used like that of a file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_bytes(&self, bytes: Vec<u8>, name: &str) -> Result<Corpus> {
        let source = Source::of_bytes(bytes, name, &self.meter)?.keep_within(&self.limit);
        // There is no file with this name, so nothing is looked for beside it.
        self.open_source(source, &Path::new(MEMORY).join(name))?.read()
    }

    fn open_source(&self, mut source: Source, path: &Path) -> Result<Opened> {
        let name = source.path().to_owned();
        let start = source.peek(SAMPLE)?;
        if start.trim_ascii().is_empty() && start.len() < SAMPLE {
            let reason = match start.is_empty() {
                true => "the file is empty; text or a table of counts is needed",
                false => "the file holds nothing but blanks; text or a table of counts is needed",
            };
            return Err(Error::File { path: name, reason: reason.to_owned() });
        }
        if let Some(what) = format::foreign(start) {
            return Err(Error::File { path: name, reason: format!("this is {what}") });
        }
        let Detected { format, doubt } = match self.format {
            Some(format) => format.into(),
            None => match format::detect(path, start) {
                found if found.format == Format::Lines && self.whole => Format::Document.into(),
                found => found,
            },
        };
        if format.is_in_lines() && format::has_old_line_ends(start) {
            let reason = "lines end in carriage returns alone, as old Mac programs write them, so all \
                          of it would be one line; convert it, for instance with tr '\\r' '\\n'";
            return Err(Error::File { path: name, reason: reason.to_owned() });
        }
        let archived = matches!(format, Format::Xlsx | Format::Office);
        if format.is_text() && !archived {
            documents::check_start(&name, start)?;
        }
        if self.layer.is_some() && format != Format::H5ad {
            return Err(Error::Option {
                name: "layer",
                needed: "left out but for AnnData (.h5ad)".to_owned(),
                found: format!("{name}, which is {format}"),
            });
        }
        if self.transposed && !format.is_matrix() {
            return Err(Error::Option {
                name: "transpose",
                needed: "left out for documents that stand one on a line".to_owned(),
                found: format!("{name}, which is {format}"),
            });
        }
        let refused = |reason| Error::File { path: name.clone(), reason };
        let mut format = format;
        let input = match format {
            Format::Npz | Format::Xlsx | Format::Office => {
                let file = source.into_file(path)?;
                if let Some(found) = archived_text(&file, self.format, &name)? {
                    let (kind, bytes) = found;
                    format = kind;
                    Input::Records(documents::of_archive(&name, kind, &bytes, &self.layout)?)
                } else {
                    Input::Npz(Box::new(Npz::open(file).map_err(refused)?))
                }
            }
            #[cfg(feature = "hdf5")]
            Format::H5ad | Format::TenxH5 => {
                let opened = cells::H5::open(source.into_file(path)?).map_err(refused)?;
                format = if opened.is_tenx() { Format::TenxH5 } else { Format::H5ad };
                Input::H5(Box::new(opened))
            }
            #[cfg(not(feature = "hdf5"))]
            Format::H5ad | Format::TenxH5 => {
                return Err(refused("this build of svtd cannot read HDF5".to_owned()));
            }
            Format::Plink => Input::Plink(source.into_file(path)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let text = &self.layout.text_columns;
                let opened =
                    Parquet::open(source.into_file(path)?, &self.columns, text, &self.meter);
                Input::Parquet(Box::new(opened.map_err(refused)?))
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => {
                return Err(refused("this build of svtd cannot read Parquet".to_owned()));
            }
            _ => Input::Lines(source),
        };
        Ok(Opened { reader: self.clone(), path: path.to_owned(), name, format, doubt, input })
    }

    /// Opens a folder of single cells, if it is one and no other format is asked for.
    fn open_cells_folder(&self, path: &Path) -> Result<Option<Opened>> {
        if !matches!(self.format, None | Some(Format::TenxFolder)) {
            return Ok(None);
        }
        let Some(found) = path.is_dir().then(|| TenxFolder::in_folder(path)).flatten() else {
            if self.format.is_none() {
                return Ok(None);
            }
            return Err(Error::File {
                path: path.display().to_string(),
                reason: "expected a folder with matrix.mtx, features.tsv (or genes.tsv) and \
                         barcodes.tsv, plain or packed with gzip"
                    .to_owned(),
            });
        };
        Ok(Some(Opened {
            reader: self.clone(),
            path: path.to_owned(),
            name: path.display().to_string(),
            format: Format::TenxFolder,
            doubt: None,
            input: Input::TenxFolder(found),
        }))
    }

    fn open_folder(&self, path: &Path) -> Result<Opened> {
        Ok(Opened {
            reader: self.clone(),
            path: path.to_owned(),
            name: path.display().to_string(),
            format: Format::Folder,
            doubt: None,
            input: Input::Records(documents::of_folder(path, self.layout.clone(), &self.meter)?),
        })
    }
}

/// The kind of text in an archive that is not a matrix, with its bytes; `asked` is the format that was asked for,
/// if any.
fn archived_text(
    file: &File,
    asked: Option<Format>,
    name: &str,
) -> Result<Option<(Format, Vec<u8>)>> {
    let io_error = |source| Error::Io { path: name.to_owned(), source };
    if asked == Some(Format::Npz) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let mut again = file.try_clone().map_err(io_error)?;
    let archive = Archive::open(file.try_clone().map_err(io_error)?);
    if archive.is_ok_and(|archive| archive.has("format.npy")) && asked.is_none() {
        return Ok(None);
    }
    again.seek(SeekFrom::Start(0)).map_err(io_error)?;
    again.take(documents::LONGEST_DOCUMENT as u64 + 1).read_to_end(&mut bytes).map_err(io_error)?;
    if bytes.len() > documents::LONGEST_DOCUMENT {
        return Err(documents::too_long(name));
    }
    let kind = Office::open(&bytes).ok().and_then(|office| office.kind());
    Ok(match (asked, kind) {
        (Some(format), _) => Some((format, bytes)),
        (None, Some(Kind::Xlsx)) => Some((Format::Xlsx, bytes)),
        (None, Some(_)) => Some((Format::Office, bytes)),
        (None, None) => None,
    })
}
