//! Reading what the user names: count tables and models.

use std::io;
use std::path::Path;

use svtd::corpus::Opened;
use svtd::memory::Limit;
use svtd::persist::Saved;
use svtd::text::Batch;
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

/// Hands the text of every document to `visit`, in the order of the corpus.
pub fn texts(source: &Source, visit: &mut dyn FnMut(usize, &str)) -> svtd::Result<()> {
    let reader = reader(source, CorpusReader::new());
    let mut d = 0;
    for input in &source.input {
        let Some(mut records) = reader.open(input)?.records()? else { return Ok(()) };
        // A document at a time: no more text is in memory than one of them.
        let mut batch = Batch::default();
        while records.next_into(&mut batch)? {
            for text in batch.texts() {
                visit(d, &text);
                d += 1;
            }
            batch = Batch::default();
        }
    }
    Ok(())
}

/// Whether the source holds text rather than counts.
pub fn is_text(source: &Source) -> Outcome<bool> {
    let reader = reader(source, CorpusReader::new());
    for input in &source.input {
        let about = Failure::about(input);
        let opened = reader.open(input).map_err(&about)?;
        if opened.records().map_err(about)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The cells of one more column of the tables that the documents stand in.
pub fn column(source: &Source, name: &str) -> Outcome<Vec<String>> {
    if source.input.iter().any(|input| input.as_os_str() == "-") {
        let sentence = "--time reads INPUT once more, which standard input cannot be; name a file";
        return Err(Failure::Request(sentence.to_owned()));
    }
    let mut wanted = columns(&source.columns);
    // Labels are what a reader gives for a column of its own, so the column is read as such.
    wanted.label = Some(name.to_owned());
    let reader = reader(source, CorpusReader::new()).columns(wanted);
    let mut cells = Vec::new();
    for input in &source.input {
        let about = Failure::about(input);
        let opened = reader.open(input).map_err(&about)?;
        let format = opened.format();
        if !matches!(format, Format::JsonLines | Format::Csv | Format::Tsv | Format::Parquet) {
            return Err(Failure::Request(format!(
                "--time {name}: {} is read as {format}, which has no columns; documents with times \
                 stand in CSV, TSV, JSON Lines or Parquet",
                input.display()
            )));
        }
        if format == Format::Parquet {
            let corpus = opened.read().map_err(&about)?;
            let labels = corpus.labels().unwrap_or_default();
            cells.extend(labels.into_iter().map(str::to_owned));
            continue;
        }
        let Some(mut records) = opened.records().map_err(&about)? else { continue };
        let mut batch = Batch::default();
        while records.next_into(&mut batch).map_err(&about)? {
            cells.extend(batch.labels().map(|cell| cell.unwrap_or_default().to_owned()));
            batch = Batch::default();
        }
    }
    Ok(cells)
}

fn read(
    source: &Source,
    progress: &Progress,
    prepare: impl FnOnce(CorpusReader) -> CorpusReader,
) -> Outcome<Corpus> {
    let watching = progress.clone();
    progress.reading();
    let reader = prepare(CorpusReader::new()).watched(move |done, of| watching.read(done, of));
    let reader = self::reader(source, reader).within(&limit(source)?);
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

/// The bound that `--memory` sets.
fn limit(source: &Source) -> Outcome<Limit> {
    let Some(bytes) = source.memory else { return Ok(Limit::none()) };
    // The folder for small files is often itself in memory, so it is taken only if it is asked for.
    let large = Path::new("/var/tmp");
    let folder = match (&source.temp_dir, std::env::var_os("TMPDIR")) {
        (Some(folder), _) => folder.clone(),
        (None, None) if large.is_dir() => large.to_owned(),
        _ => std::env::temp_dir(),
    };
    Limit::of(bytes, folder).map_err(|error| match error {
        Error::MemoryLimit { .. } => Failure::Request(format!("--memory: {error}")),
        error => error.into(),
    })
}

/// A reader that knows what the flags say about the source.
fn reader(source: &Source, reader: CorpusReader) -> CorpusReader {
    let mut reader = reader.transposed(source.transpose).columns(columns(&source.columns));
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
    reader.skip_bad(layout.skip_bad)
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
