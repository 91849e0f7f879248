//! `svtd fit --every` and `svtd update --every`: models of a stream of documents.
//!
//! Documents enter a [`Window`] as they arrive. At regular intervals a model is made from those in it: the first by
//! a fit, or from the given model, every other one from the previous model. Each is the model that `svtd update`
//! makes from a file with the same documents, byte for byte.

mod announcement;

use std::path::{Path, PathBuf};

use svtd::error::ErrorKind;
use svtd::learning::{SWEEPS, Update as Updated};
use svtd::persist::Saved;
use svtd::stream::{Arrival, Window};
use svtd::text::{Batch, Preprocessing};
use svtd::{Corpus, CorpusReader, Error, Model};

use self::announcement::Announcement;
use crate::args::{Common, Fit, Source, StreamFlags, Update};
use crate::failure::{Failure, Outcome};
use crate::progress::{Detail, Progress};
use crate::{fit, input, messages, output, threads, update, word_flags};

/// How many of the words that gained and lost are listed, for a topic that moved.
const MOVED_WORDS: usize = 4;

/// The placeholders for the number of a model in the name of its file. (Help texts cannot show the shorter one.)
const NUMBERS: [&str; 2] = ["{n}", "{number}"];

/// Runs `svtd fit` on a stream.
pub fn fit(args: &Fit, common: &Common) -> Outcome {
    fit::check(args)?;
    threads::pool(common.threads)?.install(|| from_scratch(args, common))
}

/// Runs `svtd update` on a stream.
pub fn update(args: &Update, common: &Common) -> Outcome {
    update::check(args)?;
    threads::pool(common.threads)?.install(|| from_model(args, common))
}

/// Follows a stream, starting with a fit.
fn from_scratch(args: &Fit, common: &Common) -> Outcome {
    let output = args.output.clone().unwrap_or_default();
    let words = word_flags::chosen(&args.source.words)?;
    let begin =
        Begin { source: &args.source, flags: &args.stream, time: args.page.time.as_deref() };
    let mut models = Models::new(common, output, args.force, None, &begin)?;
    models.first = Some(args);
    follow(&begin, models, words)
}

/// Follows a stream, starting from a model.
fn from_model(args: &Update, common: &Common) -> Outcome {
    let old = input::model(&args.model)?;
    let words = input::words_again(&old, &args.source)?;
    let begin = Begin { source: &args.source, flags: &args.stream, time: args.time.as_deref() };
    // A model that is followed may be replaced: that is the purpose.
    let in_place = output::same_file(&args.output, &args.model);
    let force = args.force || in_place;
    let mut models = Models::new(common, args.output.clone(), force, Some(old), &begin)?;
    models.n_moved_words = args.top;
    models.n_sweeps = args.sweeps;
    if args.cold {
        models.cold_every = Some(1);
    }
    follow(&begin, models, words)
}

/// How a stream is read.
struct Begin<'a> {
    source: &'a Source,
    flags: &'a StreamFlags,
    time: Option<&'a str>,
}

/// Reads documents to the end.
fn follow(begin: &Begin<'_>, mut models: Models<'_>, words: Preprocessing) -> Outcome {
    let Begin { source, flags, time } = *begin;
    let reader = input::stream_reader(source, time)?;
    let last = flags.last.unwrap_or_default();
    let mut window = Window::new(last, input::large_files(&source.room))?;
    let (mut words, mut n_new, mut n_bad) = (words, 0, 0);
    if source.input.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
        return Err(Failure::Request("standard input (-) can be read only once".to_owned()));
    }
    for input in &source.input {
        let about = Failure::about(input);
        let opened = reader.open(input).map_err(&about)?;
        let description = opened.description();
        check(&opened, input, time)?;
        let Some(mut records) = opened.records().map_err(&about)? else { continue };
        messages::say(&format!("reading {description}"));
        let mut batch = Batch::default();
        while records.next_into(&mut batch).map_err(&about)? {
            for document in 0..batch.len() {
                match window.push(&batch, document) {
                    Ok(Arrival::Taken | Arrival::Late) => {}
                    Err(Error::Time { .. }) if source.layout.skip_bad => {
                        window.skip();
                        n_bad += 1;
                    }
                    Err(error) => return Err(about(error)),
                }
                n_new += 1;
                if n_new == flags.every() {
                    models.make(&reader, &mut window, &mut words, n_bad)?;
                    n_new = 0;
                }
            }
            batch = Batch::default();
        }
    }
    if n_new > 0 {
        models.make(&reader, &mut window, &mut words, n_bad)?;
    }
    models.end()
}

/// Returns an error for input without text documents, or without a column for the times.
fn check(opened: &svtd::reading::Opened, input: &Path, time: Option<&str>) -> Outcome {
    let format = opened.format();
    let path = match input.as_os_str() == "-" {
        true => PathBuf::from("standard input"),
        false => input.to_owned(),
    };
    if !opened.is_text() {
        let reason = format!(
            "this is {format}, and a stream is read as text; svtd add puts counts into a corpus, which \
             svtd update follows (--format names another format)"
        );
        return Err(Failure::Refused(path, reason));
    }
    use svtd::reading::Format::{Csv, JsonLines, Parquet, Tsv, Xlsx};
    if let Some(time) = time
        && !matches!(format, Csv | JsonLines | Parquet | Tsv | Xlsx)
    {
        let reason = format!(
            "this is {format}, which has no column {time:?}; times stand in CSV, TSV, JSON Lines or \
             Parquet (--format names another format)"
        );
        return Err(Failure::Refused(path, reason));
    }
    Ok(())
}

/// The models of a stream.
struct Models<'a> {
    common: &'a Common,
    output: PathBuf,
    overwrite: bool,
    n_moved_words: usize,
    n_sweeps: usize,
    cold_every: Option<usize>,
    /// How the first model is learned, if there is none yet.
    first: Option<&'a Fit>,
    old: Option<Model>,
    n_made: usize,
    /// Why there was no model, the last time.
    refused: Option<Failure>,
}

impl<'a> Models<'a> {
    fn new(
        common: &'a Common,
        output: PathBuf,
        overwrite: bool,
        old: Option<Saved>,
        begin: &Begin<'_>,
    ) -> Outcome<Self> {
        let models = Self {
            common,
            output,
            overwrite,
            n_moved_words: MOVED_WORDS,
            n_sweeps: SWEEPS,
            cold_every: begin.flags.cold_every,
            first: None,
            old: old.map(|saved| saved.model),
            n_made: 0,
            refused: None,
        };
        output::check(&models.file(1), overwrite, &begin.source.files())?;
        Ok(models)
    }

    /// The file of a model.
    fn file(&self, number: usize) -> PathBuf {
        if !self.is_numbered() {
            return self.output.clone();
        }
        let name = self.output.to_string_lossy().into_owned();
        let number = number.to_string();
        PathBuf::from(NUMBERS.iter().fold(name, |name, place| name.replace(place, &number)))
    }

    /// Whether every model has a file of its own.
    fn is_numbered(&self) -> bool {
        let name = self.output.to_string_lossy();
        NUMBERS.iter().any(|place| name.contains(place))
    }

    /// Makes a model from the documents in the window, or reports why there is none. `words` is how words are
    /// chosen; it is fixed once there is a model.
    fn make(
        &mut self,
        reader: &CorpusReader,
        window: &mut Window,
        words: &mut Preprocessing,
        n_bad: u64,
    ) -> Outcome {
        let n_documents = window.settle()?;
        let learned = reader
            .clone()
            .preprocessing(words.clone())
            .read_window(window)
            .map(Corpus::into_key_order)
            .and_then(|corpus| {
                svtd::internals::memory::caught(|| self.learn(&corpus)).map(|l| (corpus, l))
            });
        let mut announcement = Announcement::new(window, n_documents, n_bad);
        let (corpus, learned) = match learned {
            Ok(learned) => learned,
            Err(error) if may_pass(&error) => {
                let failure = Failure::Library(error);
                announcement.refuse(self.common, &failure)?;
                self.refused = Some(failure);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        self.n_made += 1;
        let path = self.file(self.n_made);
        let model = match learned {
            Learned::First(model) => {
                announcement.first(&model);
                *model
            }
            Learned::Next(updated) => {
                if let Some(old) = &self.old {
                    announcement.next(old, &updated);
                }
                updated.model
            }
        };
        model.save(&path, &corpus, self.overwrite)?;
        // Whatever existed before, the next model replaces one of this stream.
        self.overwrite |= !self.is_numbered();
        announcement.saved(self.common, self.n_made, &path, &model, &corpus)?;
        if let Some(choice) = corpus.word_choice() {
            words.clone_from(&choice.preprocessing);
        }
        self.old = Some(model);
        Ok(())
    }

    fn learn(&self, corpus: &Corpus) -> svtd::Result<Learned> {
        let progress = Progress::new(Detail::Silent);
        let Some(old) = &self.old else {
            // Without a model, begin with a fit.
            let Some(args) = self.first else { return Err(Error::NoWords { documents: 0 }) };
            let params = fit::params(args, corpus, &progress)?;
            return params.fit_watched(corpus, &|_| {}).map(Box::new).map(Learned::First);
        };
        let number = self.n_made + 1;
        let cold = self.cold_every.is_some_and(|every| number.is_multiple_of(every));
        let updated = match cold {
            true => Updated::cold(old, corpus, self.n_moved_words, &|_| {}),
            false => Updated::warm_by(self.n_sweeps, old, corpus, self.n_moved_words, &|_| {}),
        };
        updated.map(Box::new).map(Learned::Next)
    }

    /// A stream that ends without a model is a failure.
    fn end(self) -> Outcome {
        match (self.n_made, self.refused) {
            (0, Some(failure)) => Err(failure),
            _ => Ok(()),
        }
    }
}

enum Learned {
    First(Box<Model>),
    Next(Box<Updated>),
}

/// Whether more documents may help.
fn may_pass(error: &Error) -> bool {
    let for_good = matches!(error, Error::NoRoom { .. } | Error::Memory { .. });
    error.kind() == ErrorKind::Data && !for_good
}
