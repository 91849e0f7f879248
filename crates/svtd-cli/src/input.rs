//! Reading what the user names: count tables and models.

use std::io;
use std::path::Path;

use svtd::corpus::Opened;
use svtd::persist::Saved;
use svtd::{Corpus, CorpusReader, Error, Format, Model};

use crate::args::{self, Source};
use crate::failure::{Failure, Outcome};
use crate::progress::Progress;
use crate::{messages, word_flags};

/// Reads the corpus that the command line names, telling how far it is.
pub fn corpus(source: &Source, progress: &Progress) -> Outcome<Corpus> {
    let chosen = word_flags::chosen(&source.words)?;
    read(source, progress, |reader| reader.preprocessing(chosen))
}

/// Reads a corpus that a model will be asked about: text is split into words as the text was that
/// the model learned from.
pub fn corpus_for(model: &Saved, source: &Source, progress: &Progress) -> Outcome<Corpus> {
    for_model(model, source, progress, false)
}

/// The same, but a file of plain text is one document.
pub fn document_for(model: &Saved, source: &Source, progress: &Progress) -> Outcome<Corpus> {
    for_model(model, source, progress, true)
}

fn for_model(model: &Saved, source: &Source, progress: &Progress, whole: bool) -> Outcome<Corpus> {
    let Some(choice) = &model.word_choice else {
        // The model learned from counts, so the flags decide; rare words are the model's affair.
        let chosen = word_flags::chosen(&source.words)?.for_new_documents();
        return read(source, progress, |reader| reader.preprocessing(chosen).whole(whole));
    };
    if let Some(flag) = source.words.given() {
        return Err(Failure::Request(format!(
            "{flag} cannot be changed for a model: its words were chosen when it was fitted \
             (svtd words shows how); leave it out"
        )));
    }
    let chosen = choice.preprocessing.for_new_documents();
    read(source, progress, |reader| reader.preprocessing(chosen).whole(whole))
}

fn read(
    source: &Source,
    progress: &Progress,
    prepare: impl FnOnce(CorpusReader) -> CorpusReader,
) -> Outcome<Corpus> {
    let watching = progress.clone();
    progress.reading();
    let mut reader = prepare(CorpusReader::new())
        .transposed(source.transpose)
        .watched(move |done, of| watching.read(done, of));
    reader = reader.columns(columns(&source.columns));
    if let Some(words) = &source.vocab {
        reader = reader.vocabulary_file(words);
    }
    if let Some(format) = source.format {
        reader = reader.format(format);
    }
    let layout = &source.layout;
    reader = reader.text_columns(&layout.text_column);
    if let Some(encoding) = layout.encoding {
        reader = reader.encoding(encoding);
    }
    if let Some(base) = source.columns.index_base {
        reader = reader.index_base(base);
    }
    if let Some(pattern) = &layout.files {
        reader = reader.files(pattern);
    }
    if let Some(layer) = &source.layer {
        reader = reader.layer(layer);
    }
    reader = reader.skip_bad(layout.skip_bad);
    let about = Failure::about(&source.name());
    if source.input.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
        return Err(Failure::Request("standard input (-) can be read only once".to_owned()));
    }
    let opened: Vec<Opened> = source
        .input
        .iter()
        .map(|input| reader.open(input).map_err(Failure::about(input)))
        .collect::<Outcome<_>>()?;
    let descriptions: Vec<String> = opened.iter().map(Opened::description).collect();
    let format = opened[0].format();
    let guessed = source.format.is_none() && opened.iter().all(|one| one.format() == format);
    let corpus = reader
        .read_all(opened)
        .map_err(|error| about(if guessed { told(error, format) } else { error }))?;
    // Said once it is true; until then a failure is the one line there is.
    progress.make_room();
    for description in descriptions {
        messages::say(&format!("read {description}"));
    }
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
