//! Reads what the user names: corpora and models.

use std::io;
use std::path::{Path, PathBuf};

use svtd::persist::Saved;
use svtd::reading::{Format, Limit, Opened};
use svtd::text::{Batch, Preprocessing};
use svtd::{Corpus, CorpusReader, Error, Model};

use crate::args::{self, Room, Source};
use crate::failure::{Failure, Outcome};
use crate::progress::Progress;
use crate::{messages, word_flags};

/// Reads the corpus named on the command line, reporting progress.
pub fn corpus(source: &Source, progress: &Progress) -> Outcome<Corpus> {
    let chosen = word_flags::chosen(&source.words)?;
    read(source, progress, |reader| reader.preprocessing(chosen))
}

/// Reads a corpus to which a model will be applied: its text is split into words like the text from which the model
/// was learned.
pub fn corpus_for(model: &Saved, source: &Source, progress: &Progress) -> Outcome<Corpus> {
    for_model(model, source, progress, false)
}

/// As [`corpus_for`], but a file of plain text is one document.
pub fn document_for(model: &Saved, source: &Source, progress: &Progress) -> Outcome<Corpus> {
    for_model(model, source, progress, true)
}

fn for_model(model: &Saved, source: &Source, progress: &Progress, whole: bool) -> Outcome<Corpus> {
    let Some(choice) = &model.word_choice else {
        // The model was learned from counts, so the flags decide; rare words are kept, because the model decides.
        let chosen = word_flags::chosen(&source.words)?.for_new_documents();
        return read(source, progress, |reader| reader.preprocessing(chosen).whole(whole));
    };
    refuse_word_flags(source, "model", "fitted (svtd words shows how)")?;
    let chosen = choice.preprocessing.for_new_documents();
    read(source, progress, |reader| reader.preprocessing(chosen).whole(whole))
}

/// Reads a corpus to which a model is fitted again: its words are chosen as those of the model were.
pub fn corpus_again(model: &Saved, source: &Source, progress: &Progress) -> Outcome<Corpus> {
    let Some(choice) = &model.word_choice else { return corpus(source, progress) };
    refuse_word_flags(source, "model", "fitted (svtd words shows how)")?;
    let is_pipe = source.input.iter().any(|input| input.as_os_str() == "-");
    let chosen = match !is_pipe && is_text(source)? {
        true => words_again(model, source)?,
        false => choice.preprocessing.clone(),
    };
    read(source, progress, |reader| reader.preprocessing(chosen))
}

/// Returns an error for flags about words where these were chosen before.
fn refuse_word_flags(source: &Source, what: &str, when: &str) -> Outcome {
    match source.words.given() {
        None => Ok(()),
        Some(flag) => Err(Failure::Request(format!(
            "{flag} cannot be changed for a {what}: its words were chosen when it was {when}; leave it \
             out"
        ))),
    }
}

/// Returns an error for flags about text where there is none: counts were made from words that are chosen already.
fn refuse_text_flags(source: &Source, opened: &[Opened]) -> Outcome {
    let flag = source.words.given().or_else(|| source.layout.of_text());
    match flag.filter(|_| !opened.iter().any(Opened::is_text)) {
        None => Ok(()),
        Some(flag) => Err(Failure::Request(format!(
            "{flag} is about text, and {} holds counts, whose words are chosen already; leave it out, or read \
             the text that was counted",
            source.name().display()
        ))),
    }
}

/// Calls `visit` with the text of every document, in the order of the corpus.
pub fn texts(source: &Source, visit: &mut dyn FnMut(usize, &str)) -> svtd::Result<()> {
    let reader = reader(source, CorpusReader::new());
    let mut d = 0;
    for input in &source.input {
        let Some(mut records) = reader.open(input)?.records()? else { return Ok(()) };
        // One document at a time, so that no more text is in memory.
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

/// Whether the source contains text rather than counts.
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

/// The cells of one more column of the tables that contain the documents, or of a corpus file that kept it; `flag`
/// is the flag that needs it. Documents are in the order of the corpus: those from counts first, then those from
/// text.
pub fn column(source: &Source, flag: &str, name: &str) -> Outcome<Vec<String>> {
    if source.input.iter().any(|input| input.as_os_str() == "-") {
        return Err(Failure::Request(format!(
            "{flag} reads INPUT once more, which standard input cannot be; name a file"
        )));
    }
    let mut wanted = columns(&source.columns);
    // A reader returns one extra column as labels, so the column is read as such.
    wanted.label = Some(name.to_owned());
    let reader = reader(source, CorpusReader::new()).columns(wanted);
    let (mut of_counts, mut of_text) = (Vec::new(), Vec::new());
    for input in &source.input {
        let about = Failure::about(input);
        let opened = reader.open(input).map_err(&about)?;
        let format = opened.format();
        match format {
            Format::Svtdc => {
                of_counts.extend(kept_column(&opened.read().map_err(&about)?, input, name)?)
            }
            Format::Parquet if !opened.is_text() => {
                let corpus = opened.read().map_err(&about)?;
                let labels = corpus.labels().unwrap_or_default();
                of_counts.extend(labels.into_iter().map(str::to_owned));
            }
            Format::JsonLines | Format::Csv | Format::Tsv | Format::Parquet => {
                let Some(mut records) = opened.records().map_err(&about)? else { continue };
                let mut batch = Batch::default();
                while records.next_into(&mut batch).map_err(&about)? {
                    of_text.extend(batch.labels().map(|cell| cell.unwrap_or_default().to_owned()));
                    batch = Batch::default();
                }
            }
            _ => {
                return Err(Failure::Request(format!(
                    "{flag} {name}: {} is read as {format}, which has no columns; they stand in CSV, \
                     TSV, JSON Lines, Parquet, or a corpus counted with --keep",
                    input.display()
                )));
            }
        }
    }
    of_counts.extend(of_text);
    Ok(of_counts)
}

/// A column that a corpus has kept; `label` is that of the labels.
pub fn kept_column(corpus: &Corpus, path: &Path, name: &str) -> Outcome<Vec<String>> {
    let documents = || 0..corpus.n_documents();
    if corpus.column_names().any(|column| column == name) {
        let cell = |d| corpus.cell(name, d).unwrap_or_default().to_owned();
        return Ok(documents().map(cell).collect());
    }
    if name == "label"
        && let Some(labels) = corpus.labels()
    {
        return Ok(labels.into_iter().map(str::to_owned).collect());
    }
    let mut known: Vec<&str> = corpus.column_names().collect();
    if corpus.n_documents() > 0 && corpus.label(0).is_some() {
        known.push("label");
    }
    let known = match known.is_empty() {
        true => "it keeps none; svtd count --keep COLUMN keeps some".to_owned(),
        false => format!("it keeps {}", known.join(", ")),
    };
    let reason = format!("the corpus has no column {name:?}; {known}");
    Err(Failure::Refused(path.to_owned(), reason))
}

/// Reads documents that will be added to a corpus: text is split into words like its text, and the columns that it
/// keeps are read too.
pub fn addition(onto: &Corpus, source: &Source, progress: &Progress) -> Outcome<Corpus> {
    if onto.word_choice().is_some() {
        refuse_word_flags(source, "corpus", "counted (svtd info shows how)")?;
    }
    let kept = kept_columns(source, "a kept column", onto.column_names())?;
    let chosen = word_flags::chosen(&source.words)?;
    let prepare = |reader: CorpusReader| reader.preprocessing(chosen);
    let more = read_by(source, progress, prepare, |reader, opened| reader.read_onto(opened, onto))?;
    with_columns(more, kept)
}

/// Columns of the source, each with its name. They are read before the documents, so that a missing one is reported
/// at once.
pub fn kept_columns<'n>(
    source: &Source,
    flag: &str,
    names: impl Iterator<Item = &'n str>,
) -> Outcome<Vec<(&'n str, Vec<String>)>> {
    names.map(|name| Ok((name, column(source, flag, name)?))).collect()
}

/// The corpus with these columns.
pub fn with_columns(mut corpus: Corpus, columns: Vec<(&str, Vec<String>)>) -> Outcome<Corpus> {
    for (name, cells) in columns {
        corpus = corpus.with_column(name, cells)?;
    }
    Ok(corpus)
}

fn read(
    source: &Source,
    progress: &Progress,
    prepare: impl FnOnce(CorpusReader) -> CorpusReader,
) -> Outcome<Corpus> {
    read_by(source, progress, prepare, |reader, opened| reader.read_all(opened))
}

fn read_by(
    source: &Source,
    progress: &Progress,
    prepare: impl FnOnce(CorpusReader) -> CorpusReader,
    take: impl FnOnce(&CorpusReader, Vec<Opened>) -> svtd::Result<Corpus>,
) -> Outcome<Corpus> {
    let watching = progress.clone();
    progress.reading();
    let reader = prepare(CorpusReader::new()).watched(move |done, of| watching.read(done, of));
    let reader = self::reader(source, reader).within(&limit(&source.room)?);
    let about = Failure::about(&source.name());
    if source.input.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
        return Err(Failure::Request("standard input (-) can be read only once".to_owned()));
    }
    for (place, input) in source.input.iter().enumerate() {
        if source.input[..place].contains(input) {
            let name = input.display();
            messages::say(&format!("note: {name} is named twice, so its documents count twice"));
        }
    }
    let opened: Vec<Opened> = source
        .input
        .iter()
        .map(|input| reader.open(input).map_err(Failure::about(input)))
        .collect::<Outcome<_>>()?;
    refuse_text_flags(source, &opened)?;
    let descriptions: Vec<String> = opened.iter().map(Opened::description).collect();
    let format = opened[0].format();
    let guessed = source.format.is_none() && opened.iter().all(|one| one.format() == format);
    let corpus = take(&reader, opened)
        .map_err(|error| about(if guessed { with_format(error, format) } else { error }))?;
    // The message says how the input was read, so it is printed only after reading has succeeded.
    progress.make_room();
    for description in descriptions {
        messages::say(&format!("read {description}"));
    }
    Ok(corpus)
}

/// The folder for large temporary files. The folder for small ones is often itself in memory, so it is used only if
/// asked for.
pub fn large_files(room: &Room) -> PathBuf {
    let large = Path::new("/var/tmp");
    match (&room.temp_dir, std::env::var_os("TMPDIR")) {
        (Some(folder), _) => folder.clone(),
        (None, None) if large.is_dir() => large.to_owned(),
        _ => std::env::temp_dir(),
    }
}

/// The limit set by `--memory`.
pub fn limit(room: &Room) -> Outcome<Limit> {
    let Some(bytes) = room.memory else { return Ok(Limit::none()) };
    Limit::of(bytes, large_files(room)).map_err(|error| match error {
        Error::MemoryLimit { .. } => Failure::Request(format!("--memory: {error}")),
        error => error.into(),
    })
}

/// A reader of a stream; `time` is the column with the times of documents, which are read as labels.
pub fn stream_reader(source: &Source, time: Option<&str>) -> Outcome<CorpusReader> {
    let mut wanted = columns(&source.columns);
    wanted.label = time.map(str::to_owned).or(wanted.label);
    let reader = reader(source, CorpusReader::new()).columns(wanted).live(true);
    Ok(reader.within(&limit(&source.room)?))
}

/// How words are chosen in documents to which a model is fitted again.
pub fn words_again(model: &Saved, source: &Source) -> Outcome<Preprocessing> {
    let Some(choice) = &model.word_choice else { return word_flags::chosen(&source.words) };
    refuse_word_flags(source, "model", "fitted (svtd words shows how)")?;
    let chosen = choice.preprocessing.clone();
    match chosen.fixed_vocabulary && source.vocab.is_none() {
        true => Err(Failure::Request(
            "the words of the model were given as a list; give the list again (--vocab FILE)"
                .to_owned(),
        )),
        false => Ok(chosen),
    }
}

/// A reader with the options of the flags.
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

fn columns(asked: &args::Columns) -> svtd::reading::Columns {
    svtd::reading::Columns {
        tokens: asked.tokens_column.clone(),
        indices: asked.indices_column.clone(),
        counts: asked.counts_column.clone(),
        id: asked.id_column.clone(),
        label: asked.label_column.clone(),
    }
}

/// A malformed line may belong to another format, so the message says as which format it was read.
fn with_format(error: Error, format: Format) -> Error {
    match error {
        Error::Line { path, line, reason } => {
            let reason = format!("{reason} (read as {format}); --format names another");
            Error::Line { path, line, reason }
        }
        other => other,
    }
}

/// Reads a model.
pub fn model(path: &Path) -> Outcome<Saved> {
    if path.is_dir() {
        // Not an error of the data, as a damaged model would be.
        return Err(Failure::Library(Error::Io {
            path: path.display().to_string(),
            source: io::ErrorKind::IsADirectory.into(),
        }));
    }
    Model::load(path).map_err(Failure::about(path))
}
