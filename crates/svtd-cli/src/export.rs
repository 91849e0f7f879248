//! `svtd export`: writes a model's numbers, and the topics of documents, for other programs.
//!
//! The layouts of other programs are in [`foreign`], our own tables in [`tables`]; here the files are named, checked before any is written, and
//! listed.

mod admixture;
mod foreign;
mod tables;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use svtd::internals::atomic::{Together, write_atomically};
use svtd::linalg::Matrix;
use svtd::model::markers;
use svtd::{Corpus, Model};

use crate::args::{Common, Export, ExportTo, Layout, Source};
use crate::failure::{Failure, Outcome, printable};
use crate::infer;
use crate::mixtures::Mixtures;
use crate::output::{self, CsvCells, Format, Target};
use crate::printable::on_one_line;
use crate::progress::{Detail, Progress};
use crate::{input, json, records, threads};

/// Runs the command.
pub fn run(args: &Export, common: &Common) -> Outcome {
    if let Some(saved) = records::model(&args.model)? {
        return records::export(&saved, args, common);
    }
    threads::pool(common.threads)?.install(|| export(args, common))
}

fn export(args: &Export, common: &Common) -> Outcome {
    let written = match args.to {
        Some(kind) => export_to(args, common, kind)?,
        None => export_arrays(args)?,
    };
    if common.json && !written.is_empty() {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", json::document("written", json!({ "written": written })))?;
        out.flush()?;
    } else if !common.quiet {
        let mut err = io::stderr().lock();
        for path in &written {
            // A message that cannot be printed is no reason to fail.
            let _ = writeln!(err, "saved {}", printable(&path.display().to_string()));
        }
    }
    Ok(())
}

/// A model, and the documents whose topics are exported, if there are any.
struct Exported<'a> {
    model: Model,
    source: Option<(&'a Source, Corpus)>,
    progress: Progress,
}

impl<'a> Exported<'a> {
    fn read(args: &'a Export, common: &Common) -> Outcome<Self> {
        let progress = Progress::new(Detail::chosen(common));
        let saved = input::model(&args.model)?;
        let source = match &args.source.0 {
            Some(source) => Some((source, input::corpus_for(&saved, source, &progress)?)),
            None => None,
        };
        Ok(Self { model: saved.model, source, progress })
    }

    /// The documents, with their topics inferred as a table of this format needs them.
    fn documents(&self, format: Format) -> Outcome<Option<(&Corpus, Mixtures<'_>)>> {
        let Some((source, corpus)) = &self.source else { return Ok(None) };
        let asked = self.model.ask_about(corpus).map_err(Failure::about(&source.name()))?;
        Ok(Some((corpus, Mixtures::new(asked, format, Some(&self.progress)))))
    }

    /// The documents with all their topics, for files that contain them as a whole.
    fn all_documents(&self) -> Outcome<Option<(&Corpus, Matrix)>> {
        let Some((source, corpus)) = &self.source else { return Ok(None) };
        let report = |done, of| self.progress.portion("inference", done, of);
        let inferred = self.model.infer_watched(corpus, &report);
        Ok(Some((corpus, inferred.map_err(Failure::about(&source.name()))?.mixtures)))
    }
}

/// Exports files of one kind; returns those written.
fn export_to(args: &Export, common: &Common, kind: ExportTo) -> Outcome<Vec<PathBuf>> {
    match kind {
        ExportTo::Json | ExportTo::Octis | ExportTo::Pyldavis => export_json(args, common, kind),
        ExportTo::Csv => export_tables(args, common, Format::Csv),
        #[cfg(feature = "parquet")]
        ExportTo::Parquet => export_tables(args, common, Format::Parquet),
        ExportTo::Npy => export_npy(args, common),
        ExportTo::Mallet => export_mallet(args, common),
        ExportTo::Markers => export_markers(args),
        ExportTo::Admixture => admixture::export(args, common),
    }
}

/// Exports one JSON file, or prints it.
fn export_json(args: &Export, common: &Common, kind: ExportTo) -> Outcome<Vec<PathBuf>> {
    if kind == ExportTo::Pyldavis && args.source.0.is_none() {
        return Err(Failure::Request(
            "pyLDAvis shows a model on its documents; name them after the model".to_owned(),
        ));
    }
    if let Some(path) = &args.output {
        output::check(path, args.force, &inputs(args))?;
    }
    let exported = Exported::read(args, common)?;
    let documents = exported.all_documents()?;
    let value = match (kind, &documents) {
        (ExportTo::Pyldavis, Some((corpus, mixtures))) => {
            foreign::pyldavis(&exported.model, corpus, mixtures)?
        }
        (ExportTo::Octis, documents) => {
            foreign::octis(&exported.model, documents.as_ref().map(|(_, m)| m), args.top)
        }
        (_, documents) => foreign::plain(&exported.model, documents.as_ref(), args.top),
    };
    match &args.output {
        Some(path) => {
            let text = export_text(kind, value);
            write_atomically(path, args.force, |out| writeln!(out, "{text}"))?;
            Ok(vec![path.clone()])
        }
        None => {
            let mut out = io::stdout().lock();
            writeln!(out, "{}", export_text(kind, value))?;
            out.flush()?;
            Ok(Vec::new())
        }
    }
}

/// Our own JSON names its schema; that of other programs follows theirs.
fn export_text(kind: ExportTo, value: serde_json::Value) -> String {
    match kind {
        ExportTo::Json => json::line("export", value),
        _ => json::escaped(&value.to_string()),
    }
}

fn export_tables(args: &Export, common: &Common, format: Format) -> Outcome<Vec<PathBuf>> {
    let mut names = vec!["topics", "topic-words"];
    names.extend(args.source.0.as_ref().map(|_| "documents"));
    let ending = format.ending();
    let targets: Outcome<Vec<Target>> = names
        .iter()
        .map(|name| {
            let path = beside(args, &format!("{name}.{ending}"))?;
            let target = Target::new(&path, Some(format), args.force, &inputs(args))?;
            Ok(target.cells(CsvCells::chosen(args.safe_csv)))
        })
        .collect();
    let (targets, exported) = (targets?, Exported::read(args, common)?);
    let documents = exported.documents(format)?;
    let mut tables =
        vec![tables::topics(&exported.model, args.top), tables::words(&exported.model)];
    if let Some((corpus, mixtures)) = &documents {
        tables.push(infer::table(&exported.model, corpus, mixtures, Layout::Wide, None));
    }
    let mut files = Together::default();
    for (target, table) in targets.iter().zip(&tables) {
        target.write_with(&mut files, table)?;
    }
    finished(files)
}

fn export_npy(args: &Export, common: &Common) -> Outcome<Vec<PathBuf>> {
    let inputs = inputs(args);
    let target =
        |name: &str| Target::new(&beside(args, &format!("{name}.npy"))?, None, args.force, &inputs);
    let names = |name: &str| -> Outcome<PathBuf> {
        let path = beside(args, &format!("{name}.txt"))?;
        output::check(&path, args.force, &inputs)?;
        Ok(path)
    };
    let (topic_word, weights, alpha) =
        (target("topic-word")?, target("topic-weights")?, target("alpha")?);
    let vocabulary = names("vocab")?;
    let documents = match &args.source.0 {
        Some(_) => Some((target("document-topic")?, names("documents")?)),
        None => None,
    };
    let exported = Exported::read(args, common)?;
    let topics = exported.model.topics();
    let mut files = Together::default();
    topic_word.write_with(&mut files, &tables::by_topic(&exported.model, topics.word_topic()))?;
    weights.write_with(&mut files, &tables::list("weight", topics.weights()))?;
    let words = topics.vocabulary().iter().map(|word| on_one_line(&word));
    write_lines(&mut files, &vocabulary, args.force, words)?;
    if let Model::Lda(lda) = &exported.model {
        alpha.write_with(&mut files, &tables::list("alpha", lda.alpha()))?;
    }
    let asked = exported.documents(Format::Npy)?;
    if let (Some((target, names)), Some((corpus, mixtures))) = (documents, &asked) {
        let table = infer::table(&exported.model, corpus, mixtures, Layout::Wide, None);
        target.write_with(&mut files, &table)?;
        let all = (0..corpus.n_documents()).map(|d| on_one_line(&corpus.document_name(d)));
        write_lines(&mut files, &names, args.force, all)?;
    }
    finished(files)
}

fn export_mallet(args: &Export, common: &Common) -> Outcome<Vec<PathBuf>> {
    let mut paths = vec![beside(args, "keys.txt")?];
    if args.source.0.is_some() {
        paths.push(beside(args, "doc-topics.txt")?);
    }
    for path in &paths {
        output::check(path, args.force, &inputs(args))?;
    }
    let exported = Exported::read(args, common)?;
    let mut files = Together::default();
    write_lines(
        &mut files,
        &paths[0],
        args.force,
        foreign::mallet_keys(&exported.model, args.top),
    )?;
    if let Some((corpus, mixtures)) = &exported.documents(Format::Csv)? {
        let documents = foreign::mallet_documents(corpus, mixtures);
        write_lines(&mut files, &paths[1], args.force, documents)?;
    }
    finished(files)
}

/// The words that distinguish the topics, one per row.
fn export_markers(args: &Export) -> Outcome<Vec<PathBuf>> {
    let path = beside(args, "markers.csv")?;
    let target = Target::new(&path, Some(Format::Csv), args.force, &inputs(args))?;
    let model = input::model(&args.model)?.model;
    target.write(&tables::markers(&model, &markers(model.topics(), args.top)))?;
    Ok(vec![path])
}

/// Single arrays in separate files.
fn export_arrays(args: &Export) -> Outcome<Vec<PathBuf>> {
    if args.source.0.is_some() {
        return Err(Failure::Request(
            "documents are exported with --to; for their topics alone there is `svtd infer`"
                .to_owned(),
        ));
    }
    let paths =
        [&args.topic_word, &args.topic_weights, &args.alpha, &args.topic_word_error, &args.trust];
    let given: Vec<&Path> = paths.iter().filter_map(|path| path.as_deref()).collect();
    output::check_distinct(&given)?;
    let [topic_word, topic_weights, alpha, errors, trust] = paths.map(|path| {
        let check = |path| {
            let target = Target::new(path, None, args.force, &[args.model.as_path()])?;
            Ok::<Target, Failure>(target.cells(CsvCells::chosen(args.safe_csv)))
        };
        path.as_deref().map(check).transpose()
    });
    let (topic_word, topic_weights, alpha) = (topic_word?, topic_weights?, alpha?);
    let (errors, trust) = (errors?, trust?);
    let model = input::model(&args.model)?.model;
    let alpha = match alpha {
        Some(target) => Some((target, alpha_of(args, &model)?)),
        None => None,
    };
    let errors = match errors {
        Some(target) => Some((target, errors_of(args, &model)?)),
        None => None,
    };
    let mut files = Together::default();
    if let Some(target) = topic_word {
        target.write_with(&mut files, &tables::by_topic(&model, model.topics().word_topic()))?;
    }
    if let Some((target, errors)) = errors {
        target.write_with(&mut files, &tables::by_topic(&model, errors))?;
    }
    if let Some(target) = trust {
        target.write_with(&mut files, &tables::trust(&model))?;
    }
    if let Some(target) = topic_weights {
        target.write_with(&mut files, &tables::list("weight", model.topics().weights()))?;
    }
    if let Some((target, alpha)) = alpha {
        target.write_with(&mut files, &tables::list("alpha", alpha))?;
    }
    files.finish()?;
    Ok(given.into_iter().map(Path::to_owned).collect())
}

/// Gives all files their names at once; returns them.
fn finished(files: Together) -> Outcome<Vec<PathBuf>> {
    let paths = files.paths();
    files.finish()?;
    Ok(paths)
}

fn alpha_of<'m>(args: &Export, model: &'m Model) -> Outcome<&'m [f64]> {
    match model {
        Model::Lda(model) => Ok(model.alpha()),
        Model::SingleTopic(_) => Err(Failure::Request(format!(
            "--alpha is for LDA; {} holds a single-topic model",
            args.model.display()
        ))),
    }
}

fn errors_of<'m>(args: &Export, model: &'m Model) -> Outcome<&'m Matrix> {
    model.topics().errors().ok_or_else(|| {
        Failure::Request(format!(
            "{} holds no standard errors; fit it again without --no-trust, and with 40 different \
             documents or more",
            args.model.display()
        ))
    })
}

fn write_lines(
    files: &mut Together,
    path: &Path,
    force: bool,
    lines: impl Iterator<Item = String>,
) -> Outcome {
    let mut lines = lines;
    files.write(path, force, |out| lines.try_for_each(|line| writeln!(out, "{line}")))?;
    Ok(())
}

fn inputs(args: &Export) -> Vec<&Path> {
    let mut inputs = args.source.0.as_ref().map_or(Vec::new(), |source| source.files());
    inputs.push(&args.model);
    inputs
}

/// A file name that begins with the argument of `-o`.
fn beside(args: &Export, ending: &str) -> Outcome<PathBuf> {
    let named = args.output.as_deref().and_then(|path| Some((path, path.file_name()?.to_str()?)));
    let Some((path, name)) = named else {
        let sentence = "several files are written; say what their names begin with (-o NAME)";
        return Err(Failure::Request(sentence.to_owned()));
    };
    Ok(path.with_file_name(format!("{name}.{ending}")))
}
