//! Reading what the user names: count tables and models.

use std::io;
use std::path::Path;

use svtd::persist::Saved;
use svtd::{Corpus, CorpusReader, Error, Model};

use crate::failure::{Failure, Outcome};

/// Reads a table of counts, with the words of `vocabulary` if one is given.
pub fn corpus(path: &Path, vocabulary: Option<&Path>) -> Outcome<Corpus> {
    let reader = match vocabulary {
        Some(words) => CorpusReader::new().vocabulary_file(words),
        None => CorpusReader::new(),
    };
    reader.read(path).map_err(Failure::about(path))
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
