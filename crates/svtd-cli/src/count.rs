//! `svtd count`: reads a corpus in any format and writes a corpus file.

use std::io::{self, Write};

use serde_json::{Value, json};
use svtd::Corpus;

use crate::args::{Common, Count};
use crate::failure::Outcome;
use crate::progress::{Detail, Progress};
use crate::{input, json, output, threads, trust};

/// Runs the command.
pub fn run(args: &Count, common: &Common) -> Outcome {
    output::check(&args.output, args.force, &args.source.files())?;
    threads::pool(common.threads)?.install(|| count(args, common))
}

fn count(args: &Count, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    progress.reading();
    let names = args.keep.iter().map(String::as_str);
    let kept = input::kept_columns(&args.source, "--keep", names)?;
    let corpus = input::with_columns(input::corpus(&args.source, &progress)?, kept)?;
    progress.begin("writing");
    corpus.save(&args.output, args.force)?;
    progress.finish();
    print(args, common, &corpus)
}

fn print(args: &Count, common: &Common, corpus: &Corpus) -> Outcome {
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = corpus_json(corpus);
        object["saved"] = args.output.display().to_string().into();
        writeln!(out, "{}", json::document("count", object))?;
    } else {
        write_sizes(&mut out, corpus)?;
    }
    out.flush()?;
    if !common.quiet {
        // A message that cannot be printed is no reason to fail.
        let _ = trust::write_remarks(&mut io::stderr().lock(), corpus.report());
    }
    Ok(())
}

/// The sizes of a corpus, a line each.
pub fn write_sizes(out: &mut dyn Write, corpus: &Corpus) -> io::Result<()> {
    let sizes = [
        (corpus.n_documents() as u64, "documents"),
        (corpus.n_words() as u64, "words in the vocabulary"),
        (corpus.n_nonzeros() as u64, "different words in documents"),
        (corpus.n_tokens(), "words with repetition"),
    ];
    for (size, what) in sizes {
        writeln!(out, "{size:>12}  {what}")?;
    }
    Ok(())
}

/// The sizes of a corpus, for programs.
pub fn corpus_json(corpus: &Corpus) -> Value {
    json!({
        "documents": corpus.n_documents(),
        "words": corpus.n_words(),
        "entries": corpus.n_nonzeros(),
        "tokens": corpus.n_tokens(),
    })
}
