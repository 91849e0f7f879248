//! Reading what the user names: count tables and models.

use std::io;
use std::path::Path;

use svtd::persist::Saved;
use svtd::{Corpus, CorpusReader, Error, Format, Model};

use crate::args::{self, Source};
use crate::failure::{Failure, Outcome};
use crate::messages;

/// Reads the corpus that the command line names.
pub fn corpus(source: &Source) -> Outcome<Corpus> {
    let mut reader =
        CorpusReader::new().transposed(source.transpose).columns(columns(&source.columns));
    if let Some(words) = &source.vocab {
        reader = reader.vocabulary_file(words);
    }
    if let Some(format) = source.format {
        reader = reader.format(format);
    }
    let about = Failure::about(&source.input);
    let opened = reader.open(&source.input).map_err(&about)?;
    let (format, description) = (opened.format(), opened.description());
    let guessed = source.format.is_none();
    let corpus =
        opened.read().map_err(|error| about(if guessed { told(error, format) } else { error }))?;
    // Said once it is true; until then a failure is the one line there is.
    messages::say(&format!("read {description}"));
    Ok(corpus)
}

fn columns(asked: &args::Columns) -> svtd::corpus::Columns {
    svtd::corpus::Columns {
        tokens: asked.tokens_column.clone(),
        indices: asked.indices_column.clone(),
        counts: asked.counts_column.clone(),
        id: asked.id_column.clone(),
        label: asked.label_column.clone(),
    }
}

/// A malformed line may be one of another format, so the sentence says what it was taken for.
fn told(error: Error, format: Format) -> Error {
    match error {
        Error::Line { path, line, reason } => {
            let reason = format!("{reason} (read as {format}; --format names another)");
            Error::Line { path, line, reason }
        }
        other => other,
    }
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
