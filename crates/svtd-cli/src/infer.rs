//! `svtd infer`: the topics of documents.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use serde_json::{Value, json};
use svtd::inference::{Asked, Gibbs};
use svtd::model::Kind;
use svtd::{Corpus, Model};

use crate::args::{Common, Infer, Layout};
use crate::failure::{Failure, Outcome, printable};
use crate::mixtures::Mixtures;
use crate::output::{Column, CsvCells, Format, Table, Target};
use crate::progress::{Detail, Progress};
use crate::{input, json, records, threads, trust};

/// Runs the command.
pub fn run(args: &Infer, common: &Common) -> Outcome {
    if let Some(saved) = records::model(&args.model)? {
        return records::infer(&saved, args, common);
    }
    if args.forecast.is_some() {
        return Err(Failure::Request("--forecast is for hidden Markov models".to_owned()));
    }
    let layout = layout(args)?;
    let target = args.output.as_deref().map(|path| target(args, path)).transpose()?;
    let format = target.as_ref().map_or(args.to.unwrap_or(Format::Csv), Target::format);
    if format == Format::Npy && layout == Layout::Long {
        return Err(Failure::Request(
            "an .npy file holds the wide table; leave out --layout long and --top".to_owned(),
        ));
    }
    if target.is_none() && !matches!(format, Format::Csv | Format::Jsonl) {
        let ending = format.ending();
        return Err(Failure::Request(format!("{ending} cannot go to a terminal; add -o FILE")));
    }
    threads::pool(common.threads)?.install(|| infer(args, common, layout, format, target.as_ref()))
}

/// The layout of the table: documents differ in their largest topics, so only the long table can contain them.
fn layout(args: &Infer) -> Outcome<Layout> {
    match (args.layout, args.top) {
        (Some(Layout::Wide), Some(_)) => Err(Failure::Request(
            "--top needs --layout long: documents differ in their largest topics".to_owned(),
        )),
        (Some(layout), _) => Ok(layout),
        (None, Some(_)) => Ok(Layout::Long),
        (None, None) => Ok(Layout::Wide),
    }
}

fn target(args: &Infer, path: &Path) -> Outcome<Target> {
    let mut inputs = args.source.files();
    inputs.push(&args.model);
    let target = Target::new(path, args.to, args.force, &inputs)?;
    Ok(target.cells(CsvCells::chosen(args.safe_csv)))
}

fn infer(
    args: &Infer,
    common: &Common,
    layout: Layout,
    format: Format,
    target: Option<&Target>,
) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    progress.reading();
    let saved = input::model(&args.model)?;
    let gibbs = args.gibbs.then(|| Gibbs::default().seed(args.chance.seed));
    if gibbs.is_some() && saved.model.kind() != Kind::Lda {
        return Err(Failure::Request(format!(
            "--gibbs is for LDA; {} holds a single-topic model, whose answer is exact",
            args.model.display()
        )));
    }
    let corpus = input::corpus_for(&saved, &args.source, &progress)?;
    progress.begin("inference");
    let asked = match (&saved.model, &gibbs) {
        (Model::Lda(lda), Some(gibbs)) => Asked::by_gibbs(lda, &corpus, gibbs),
        (model, _) => model.ask_about(&corpus),
    };
    let asked = asked.map_err(Failure::about(&args.source.name()))?;
    // On a terminal rows would be mixed with the progress line.
    let rows_are_seen = target.is_none() && io::stdout().is_terminal();
    if rows_are_seen {
        progress.finish();
    }
    let mixtures = Mixtures::new(asked, format, (!rows_are_seen).then_some(&progress));
    let mut out = BufWriter::new(io::stdout().lock());
    match target {
        Some(target) => {
            target.write(&table(&saved.model, &corpus, &mixtures, layout, args.top))?;
            if common.json {
                let value = written_json(target, &mixtures);
                writeln!(out, "{}", json::document("infer-written", value))?;
            }
        }
        None if common.json => {
            let value = to_json(&saved.model, &corpus, &mixtures, args.top);
            writeln!(out, "{}", json::line("infer", value))?;
        }
        None if format == Format::Jsonl => {
            table(&saved.model, &corpus, &mixtures, layout, args.top).write_jsonl(&mut out)?;
        }
        None => {
            // A terminal shows names without control characters; a program gets them unchanged.
            let cells = match io::stdout().is_terminal() {
                true => CsvCells::Shown,
                false => CsvCells::chosen(args.safe_csv),
            };
            table(&saved.model, &corpus, &mixtures, layout, args.top).write_csv(&mut out, cells)?;
        }
    }
    out.flush()?;
    progress.finish();
    if !common.quiet {
        // A message that cannot be printed is no reason to fail.
        let _ = write_messages(&corpus, &mixtures, target);
    }
    Ok(())
}

/// The document-topic table, wide (one column for each topic) or long (one row for each topic of each document,
/// largest first), with all topics or the `top` largest.
pub fn table<'a>(
    model: &'a Model,
    corpus: &'a Corpus,
    mixtures: &'a Mixtures<'_>,
    layout: Layout,
    top: Option<usize>,
) -> Table<'a> {
    let (n, k) = (mixtures.n_documents(), mixtures.n_topics());
    if layout == Layout::Wide {
        let mut columns = vec![Column::text("document", |d| corpus.document_name(d).into_owned())];
        columns.extend(
            (0..k).map(|j| Column::real(column_name(model, j), move |d| mixtures.share(d, j))),
        );
        return Table { n_rows: n, columns, is_list: false };
    }
    let each = top.unwrap_or(k).min(k).max(1);
    let topic = move |row: usize| mixtures.largest(row / each, row % each);
    let mut columns = vec![
        Column::text("document", move |row| corpus.document_name(row / each).into_owned()),
        Column::whole("topic", move |row| topic(row) as i64 + 1),
        Column::real("share", move |row| mixtures.share(row / each, topic(row))),
    ];
    if model.topics().names().is_some() {
        let name = move |row: usize| model.topics().topic(topic(row)).name().unwrap_or_default();
        columns.insert(2, Column::text("name", move |row| name(row).to_owned()));
    }
    Table { n_rows: n * each, columns, is_list: false }
}

/// The column of topic `j`: its number, and its name if it has one.
pub fn column_name(model: &Model, j: usize) -> String {
    match model.topics().topic(j).name() {
        Some(name) => format!("topic{} {name}", j + 1),
        None => format!("topic{}", j + 1),
    }
}

fn to_json(model: &Model, corpus: &Corpus, mixtures: &Mixtures<'_>, top: Option<usize>) -> Value {
    let document = |d: usize| {
        let name = corpus.document_name(d);
        match top {
            None => json!({ "document": name, "mixture": mixtures.row(d) }),
            Some(n) => {
                let topic = |rank: usize| {
                    let j = mixtures.largest(d, rank);
                    json!({ "topic": j + 1, "share": mixtures.share(d, j) })
                };
                let topics: Vec<Value> = (0..n.min(mixtures.n_topics())).map(topic).collect();
                json!({ "document": name, "topics": topics })
            }
        }
    };
    let documents: Value = (0..corpus.n_documents()).map(document).collect();
    let mut object = counts_json(mixtures);
    if let Some(names) = model.topics().names() {
        object["names"] = json!(names);
    }
    object["documents"] = documents;
    object
}

/// What was skipped; known after all rows were inferred.
fn counts_json(mixtures: &Mixtures<'_>) -> Value {
    json!({
        "n_unknown_tokens": mixtures.n_unknown_tokens(),
        "n_without_words": mixtures.n_without_words(),
        "matched_by_position": mixtures.matched_by_position(),
    })
}

fn written_json(target: &Target, mixtures: &Mixtures<'_>) -> Value {
    let mut object = counts_json(mixtures);
    object["written"] = json!([target.path()]);
    object["n_documents"] = json!(mixtures.n_documents());
    object["n_topics"] = json!(mixtures.n_topics());
    object
}

fn write_messages(
    corpus: &Corpus,
    mixtures: &Mixtures<'_>,
    target: Option<&Target>,
) -> io::Result<()> {
    let mut err = io::stderr().lock();
    trust::write_remarks(&mut err, corpus.report())?;
    if mixtures.matched_by_position() {
        writeln!(err, "note: words were matched by their numbers; give --vocab to match by name")?;
    }
    let (unknown, all) = (mixtures.n_unknown_tokens(), corpus.n_tokens());
    if unknown > 0 {
        writeln!(
            err,
            "note: {unknown} of {all} words are unknown to the model and were passed over"
        )?;
    }
    let n = mixtures.n_without_words();
    if n > 0 {
        writeln!(
            err,
            "note: documents without a known word, which get the prior of the model: {n}"
        )?;
    }
    if let Some(target) = target {
        writeln!(err, "saved {}", printable(&target.path().display().to_string()))?;
    }
    Ok(())
}
