//! `svtd infer`: what a model says about documents.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};
use svtd::inference::Inferred;
use svtd::{Corpus, Gibbs, Model};

use crate::args::{Common, Infer};
use crate::failure::{Failure, Outcome};
use crate::output::{Table, Target};
use crate::{input, threads, trust};

/// Runs the command.
pub fn run(args: &Infer, common: &Common) -> Outcome {
    if common.json && args.output.is_some() {
        let sentence = "--json prints to standard output and -o writes a table; choose one";
        return Err(Failure::Request(sentence.to_owned()));
    }
    let target = args.output.as_deref().map(|path| target(args, path));
    let target = target.transpose()?;
    threads::pool(common.threads)?.install(|| infer(args, common, target.as_ref()))
}

fn target(args: &Infer, path: &Path) -> Outcome<Target> {
    let mut inputs = args.source.files();
    inputs.push(&args.model);
    Target::new(path, args.force, &inputs)
}

fn infer(args: &Infer, common: &Common, target: Option<&Target>) -> Outcome {
    let saved = input::model(&args.model)?;
    let gibbs = args.gibbs.then(|| Gibbs::default().seed(args.chance.seed));
    if gibbs.is_some() && !matches!(saved.model, Model::Lda(_)) {
        return Err(Failure::Request(format!(
            "--gibbs is for LDA; {} holds a single-topic model, whose answer is exact",
            args.model.display()
        )));
    }
    let corpus = input::corpus_for(&saved, &args.source)?;
    let inferred = match (&saved.model, &gibbs) {
        (Model::Lda(lda), Some(gibbs)) => lda.infer_by_gibbs(&corpus, gibbs),
        _ => saved.model.infer(&corpus),
    };
    let inferred = inferred.map_err(Failure::about(&args.source.input))?;
    write(common, target, &corpus, &inferred)?;
    if !common.quiet {
        // A message that cannot be shown is no reason to fail.
        let _ = write_messages(&corpus, &inferred);
    }
    Ok(())
}

fn write(
    common: &Common,
    target: Option<&Target>,
    corpus: &Corpus,
    inferred: &Inferred,
) -> Outcome {
    let mixtures = &inferred.mixtures;
    let k = mixtures.n_columns();
    let names = |d| corpus.document_name(d).into_owned();
    let numbered = (1..=k).map(|j| format!("topic{j}"));
    let table = Table {
        header: std::iter::once("document".to_owned()).chain(numbered).collect(),
        names: Some(&names),
        shape: (mixtures.n_rows(), Some(k)),
        value: &|d, j| mixtures[(d, j)],
    };
    let mut out = BufWriter::new(io::stdout().lock());
    match target {
        Some(target) => target.write(&table)?,
        None if common.json => writeln!(out, "{}", to_json(corpus, inferred))?,
        None => table.write_csv(&mut out)?,
    }
    Ok(out.flush()?)
}

fn to_json(corpus: &Corpus, inferred: &Inferred) -> Value {
    let documents: Vec<Value> = (0..corpus.n_documents())
        .map(|d| {
            json!({
                "document": corpus.document_name(d),
                "mixture": inferred.mixtures.row(d),
            })
        })
        .collect();
    json!({
        "documents": documents,
        "n_unknown_tokens": inferred.n_unknown_tokens,
        "n_without_words": inferred.n_without_words,
        "matched_by_position": inferred.matched_by_position,
    })
}

fn write_messages(corpus: &Corpus, inferred: &Inferred) -> io::Result<()> {
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
    Ok(())
}
