//! `svtd infer`: what a model says about documents.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::rc::Rc;

use serde_json::{Value, json};
use svtd::inference::Inferred;
use svtd::linalg::Matrix;
use svtd::{Corpus, Gibbs, Model};

use crate::args::{Common, Infer, Layout};
use crate::failure::{Failure, Outcome, printable};
use crate::output::{Column, CsvCells, Format, Table, Target};
use crate::progress::{Detail, Progress};
use crate::{input, json, records, threads, trust};

/// Runs the command.
pub fn run(args: &Infer, common: &Common) -> Outcome {
    if let Some(saved) = records::model(&args.model)? {
        return records::infer(&saved, args, common);
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

/// How the table is laid out: the largest topics of a document are not the same for all, so only
/// the long table can hold them.
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
    if gibbs.is_some() && !matches!(saved.model, Model::Lda(_)) {
        return Err(Failure::Request(format!(
            "--gibbs is for LDA; {} holds a single-topic model, whose answer is exact",
            args.model.display()
        )));
    }
    let corpus = input::corpus_for(&saved, &args.source, &progress)?;
    progress.begin("inference");
    let inferred = match (&saved.model, &gibbs) {
        (Model::Lda(lda), Some(gibbs)) => lda.infer_by_gibbs(&corpus, gibbs),
        _ => {
            saved.model.infer_watched(&corpus, &|done, of| progress.portion("inference", done, of))
        }
    };
    let inferred = inferred.map_err(Failure::about(&args.source.name()))?;
    progress.finish();
    let mut out = BufWriter::new(io::stdout().lock());
    match target {
        Some(target) => {
            target.write(&table(&saved.model, &corpus, &inferred.mixtures, layout, args.top))?;
            if common.json {
                let told = written_json(target, &corpus, &inferred);
                writeln!(out, "{}", json::document("infer-written", told))?;
            }
        }
        None if common.json => {
            let told = to_json(&saved.model, &corpus, &inferred, args.top);
            writeln!(out, "{}", json::line("infer", told))?;
        }
        None if format == Format::Jsonl => {
            table(&saved.model, &corpus, &inferred.mixtures, layout, args.top)
                .write_jsonl(&mut out)?;
        }
        None => {
            // A person sees names without what would upset the terminal; a program gets them all.
            let cells = match io::stdout().is_terminal() {
                true => CsvCells::Shown,
                false => CsvCells::chosen(args.safe_csv),
            };
            table(&saved.model, &corpus, &inferred.mixtures, layout, args.top)
                .write_csv(&mut out, cells)?;
        }
    }
    out.flush()?;
    if !common.quiet {
        // A message that cannot be shown is no reason to fail.
        let _ = write_messages(&corpus, &inferred, target);
    }
    Ok(())
}

/// The document-topic table, wide (a column for each topic) or long (a row for each topic of each
/// document, the largest first), with all topics or the `top` largest.
pub fn table<'a>(
    model: &'a Model,
    corpus: &'a Corpus,
    mixtures: &'a Matrix,
    layout: Layout,
    top: Option<usize>,
) -> Table<'a> {
    let (n, k) = (mixtures.n_rows(), mixtures.n_columns());
    if layout == Layout::Wide {
        let mut columns = vec![Column::text("document", |d| corpus.document_name(d).into_owned())];
        columns
            .extend((0..k).map(|j| Column::real(column_name(model, j), move |d| mixtures[(d, j)])));
        return Table { n_rows: n, columns, is_list: false };
    }
    let each = top.unwrap_or(k).min(k).max(1);
    let topics: Vec<usize> = (0..n).flat_map(|d| largest(mixtures, d, each)).collect();
    let topics = Rc::new(topics);
    let (shares, named) = (Rc::clone(&topics), Rc::clone(&topics));
    let mut columns = vec![
        Column::text("document", move |row| corpus.document_name(row / each).into_owned()),
        Column::whole("topic", move |row| topics[row] as i64 + 1),
        Column::real("share", move |row| mixtures[(row / each, shares[row])]),
    ];
    if model.topics().names().is_some() {
        let name = move |row: usize| model.topics().topic(named[row]).name().unwrap_or_default();
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

/// The `n` topics with the largest shares in a document; equal ones by number.
fn largest(mixtures: &Matrix, d: usize, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..mixtures.n_columns()).collect();
    order.sort_by(|&a, &b| mixtures[(d, b)].total_cmp(&mixtures[(d, a)]));
    order.truncate(n);
    order
}

fn to_json(model: &Model, corpus: &Corpus, inferred: &Inferred, top: Option<usize>) -> Value {
    let mixtures = &inferred.mixtures;
    let document = |d: usize| {
        let name = corpus.document_name(d);
        match top {
            None => json!({ "document": name, "mixture": mixtures.row(d) }),
            Some(n) => {
                let topic = |&j: &usize| json!({ "topic": j + 1, "share": mixtures[(d, j)] });
                let topics: Vec<Value> = largest(mixtures, d, n).iter().map(topic).collect();
                json!({ "document": name, "topics": topics })
            }
        }
    };
    let mut object = counts_json(inferred);
    if let Some(names) = model.topics().names() {
        object["names"] = json!(names);
    }
    object["documents"] = (0..corpus.n_documents()).map(document).collect();
    object
}

fn counts_json(inferred: &Inferred) -> Value {
    json!({
        "n_unknown_tokens": inferred.n_unknown_tokens,
        "n_without_words": inferred.n_without_words,
        "matched_by_position": inferred.matched_by_position,
    })
}

fn written_json(target: &Target, corpus: &Corpus, inferred: &Inferred) -> Value {
    let mut object = counts_json(inferred);
    object["written"] = json!([target.path()]);
    object["n_documents"] = json!(corpus.n_documents());
    object["n_topics"] = json!(inferred.mixtures.n_columns());
    object
}

fn write_messages(corpus: &Corpus, inferred: &Inferred, target: Option<&Target>) -> io::Result<()> {
    let mut err = io::stderr().lock();
    trust::write_remarks(&mut err, corpus.report())?;
    if inferred.matched_by_position {
        writeln!(err, "note: words were matched by their numbers; give --vocab to match by name")?;
    }
    if inferred.n_unknown_tokens > 0 {
        let (unknown, all) = (inferred.n_unknown_tokens, corpus.n_tokens());
        writeln!(
            err,
            "note: {unknown} of {all} words are unknown to the model and were passed over"
        )?;
    }
    if inferred.n_without_words > 0 {
        let n = inferred.n_without_words;
        writeln!(err, "note: documents without a known word, which get the model's average: {n}")?;
    }
    if let Some(target) = target {
        writeln!(err, "saved {}", printable(&target.path().display().to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_topics_come_first_and_ties_by_number() {
        let mixtures = Matrix::from_columns(1, 4, vec![0.2, 0.5, 0.2, 0.1]);
        assert_eq!(largest(&mixtures, 0, 3), [1, 0, 2]);
    }
}
