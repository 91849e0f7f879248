//! An open file: what it is, and reading it.

use std::fs::File;
use std::path::PathBuf;

use super::CorpusReader;
use super::finishing::{Counts, turn};
use crate::corpus::{Corpus, Vocabulary};
use crate::error::{Error, Result};
use crate::memory;
use crate::reading::Format;
#[cfg(feature = "hdf5")]
use crate::reading::cells;
use crate::reading::cells::TenxFolder;
use crate::reading::documents;
use crate::reading::npz::Npz;
#[cfg(feature = "parquet")]
use crate::reading::parquet::{Parquet, counts, texts::Texts};
use crate::reading::source::Source;
use crate::reading::{dense, lda_c, plink, svmlight};
use crate::text::{Preprocessing, Records, count_records};

/// An open file whose format is known.
pub struct Opened {
    pub(super) reader: CorpusReader,
    pub(super) path: PathBuf,
    /// The name in messages.
    pub(super) name: String,
    pub(super) format: Format,
    pub(super) doubt: Option<String>,
    pub(super) input: Input,
}

/// The content of a file, as far as it is known when it is opened.
pub(super) enum Input {
    Lines(Source),
    Npz(Box<Npz>),
    #[cfg(feature = "parquet")]
    Parquet(Box<Parquet>),
    /// Text that is not in lines: a folder, a spreadsheet, a document.
    Records(Box<dyn Records>),
    #[cfg(feature = "hdf5")]
    H5(Box<cells::H5>),
    TenxFolder(TenxFolder),
    Plink(File),
}

impl Opened {
    /// The format in which it is read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What is read and as what, in half a sentence: `counts.npz as SciPy CSR`. Where the contents are ambiguous,
    /// it says why this format was chosen and how to choose the other.
    pub fn description(&self) -> String {
        let name = &self.name;
        let on_its_side = if self.reader.transposed { ", documents as columns" } else { "" };
        let doubt = self.doubt.as_ref().map(|doubt| format!(" {doubt}")).unwrap_or_default();
        match &self.input {
            Input::Npz(npz) => format!("{name} as SciPy {}{on_its_side}", npz.layout),
            #[cfg(feature = "parquet")]
            Input::Parquet(parquet) => format!("{name} as {}", parquet.description()),
            #[cfg(feature = "hdf5")]
            Input::H5(_) => {
                let part = self.reader.layer.as_ref().map(|layer| format!(", layer {layer}"));
                format!("{name} as {}{}", self.format, part.unwrap_or_default())
            }
            Input::Lines(_) | Input::Records(_) | Input::TenxFolder(_) | Input::Plink(_) => {
                format!("{name} as {}{on_its_side}{doubt}", self.format)
            }
        }
    }

    /// The documents themselves, in the order in which [`read`](Self::read) counts them; `None` when the file
    /// contains counts and no text.
    ///
    /// # Errors
    /// When a table has not the columns asked for.
    pub fn records(self) -> Result<Option<Box<dyn Records>>> {
        if self.is_text() { self.into_records().map(Some) } else { Ok(None) }
    }

    /// Whether it contains text, to be split into words.
    pub fn is_text(&self) -> bool {
        match &self.input {
            #[cfg(feature = "parquet")]
            Input::Parquet(parquet) => !parquet.is_counted(),
            Input::Records(_) => true,
            #[cfg(feature = "hdf5")]
            Input::H5(_) => false,
            Input::TenxFolder(_) | Input::Plink(_) | Input::Npz(_) => false,
            Input::Lines(_) => self.format.is_text(),
        }
    }

    /// Its documents, one after the other; for text only.
    pub(super) fn into_records(self) -> Result<Box<dyn Records>> {
        match self.input {
            #[cfg(feature = "parquet")]
            Input::Parquet(parquet) => Ok(Box::new(Texts::new(*parquet, self.name))),
            Input::Records(records) => Ok(records),
            Input::Lines(source) => documents::of_file(self.format, source, self.reader.layout),
            _ => Err(Error::File {
                path: self.name,
                reason: "this is a table of counts, not text".to_owned(),
            }),
        }
    }

    /// Reads the corpus.
    ///
    /// # Errors
    /// As [`CorpusReader::read`].
    pub fn read(self) -> Result<Corpus> {
        let words = match self.is_text() {
            true => self.reader.given_vocabulary()?,
            false => None,
        };
        let preprocessing = self.reader.preprocessing.clone();
        memory::caught(|| self.read_with(&preprocessing, words.as_ref()))
    }

    /// The name in messages.
    pub(in crate::reading) fn name(&self) -> &str {
        &self.name
    }

    /// Reads the corpus; text is split as given, and counted over these words if there are any.
    pub(in crate::reading) fn read_with(
        self,
        preprocessing: &Preprocessing,
        words: Option<&Vocabulary>,
    ) -> Result<Corpus> {
        if self.is_text() {
            let limit = self.reader.limit.clone();
            return count_records(&mut *self.into_records()?, preprocessing, words, &limit);
        }
        let Opened { reader, path, name, format, input, .. } = self;
        let refused = |reason| Error::File { path: name.clone(), reason };
        let mut source = match input {
            #[cfg(feature = "parquet")]
            Input::Parquet(mut parquet) => {
                let found = counts::read(&mut parquet).map_err(refused)?;
                let (names, labels) = (found.names, found.labels);
                let counts = Counts { open_ended: true, names, labels, ..found.table.into() };
                return reader.finish(counts, &name);
            }
            Input::Npz(npz) => {
                let matrix = npz.read().map_err(refused)?;
                let turned = matrix.by_columns != reader.transposed;
                return reader.finish(turn(matrix.table, turned).into(), &name);
            }
            #[cfg(feature = "hdf5")]
            Input::H5(file) => {
                let found = cells::read_h5(&file, &reader.part()).map_err(refused)?;
                return reader.finish(found.into(), &name);
            }
            Input::TenxFolder(folder) => {
                return reader.finish(folder.read(&reader.meter)?.into(), &name);
            }
            Input::Plink(file) => {
                let found = plink::read(&path, file, &reader.meter)?;
                let (words, names) = (Some(found.words), Some(found.names));
                let notes = found.notes;
                let counts = Counts { words, names, notes, ..found.table.into() };
                return reader.finish(counts, &name);
            }
            // Text was read above.
            Input::Records(_) => return Err(refused("this is text".to_owned())),
            Input::Lines(source) => source,
        };
        if format == Format::Svtdc {
            return reader.read_counted(&mut source);
        }
        let n_words = reader.given_vocabulary()?.map_or(0, |words| words.len());
        match format {
            Format::LdaC => {
                let table = lda_c::read(&mut source, n_words)?;
                reader.finish(Counts { open_ended: true, ..table.into() }, &name)
            }
            Format::SvmLight => {
                let found = svmlight::read(&mut source, n_words, reader.index_base)?;
                let base = u8::from(!found.from_zero);
                let note = format!("{name}: words are numbered from {base}");
                let notes = if reader.index_base.is_some() { vec![] } else { vec![note] };
                let labels = Some(found.labels);
                let counts = Counts { open_ended: true, labels, notes, ..found.table.into() };
                reader.finish(counts, &name)
            }
            Format::CountsCsv => {
                let dense = dense::read(&mut source)?;
                let (words, names) = match reader.transposed {
                    true => (dense.rows, Some(dense.columns)),
                    false => (Some(dense.columns), dense.rows),
                };
                let table = turn(dense.table, reader.transposed);
                reader.finish(Counts { words, names, ..table.into() }, &name)
            }
            _ => reader.read_entries(source, &path),
        }
    }
}
