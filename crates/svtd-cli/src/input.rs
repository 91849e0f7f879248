//! Reading what the user names: count tables and models.

use std::io;
use std::path::Path;

use svtd::persist::Saved;
use svtd::{Corpus, CorpusReader, Error, Model};

use crate::args::Source;
use crate::failure::{Failure, Outcome};

/// Reads the corpus that the command line names.
pub fn corpus(source: &Source) -> Outcome<Corpus> {
    let reader = match &source.vocab {
        Some(words) => CorpusReader::new().vocabulary_file(words),
        None => CorpusReader::new(),
    };
    reader.read(&source.input).map_err(Failure::about(&source.input))
}

/// Reads a corpus that a model will be asked about.
pub fn corpus_for(_model: &Saved, source: &Source) -> Outcome<Corpus> {
    corpus(source)
}

/// Reads a model.
pub fn model(path: &Path) -> Outcome<Saved> {
    if path.is_dir() {
        // Not the data's fault, as a damaged model would be.
        return Err(Failure::Library(Error::Io {
            path: path.display().to_string(),
            source: io::ErrorKind::IsADirectory.into(),
        }));
    }
    Model::load(path).map_err(Failure::about(path))
}
