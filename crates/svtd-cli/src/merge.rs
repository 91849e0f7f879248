//! `svtd merge`: several corpora as one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use svtd::reading::Taken;
use svtd::{Corpus, CorpusReader};

use crate::add::tell_names;
use crate::args::{Common, Merge};
use crate::count::{corpus_json, write_sizes};
use crate::failure::{Failure, Outcome};
use crate::progress::{Detail, Progress};
use crate::{input, json, messages, output, threads};

/// Runs the command.
pub fn run(args: &Merge, common: &Common) -> Outcome {
    let inputs: Vec<&Path> = args.corpora.iter().map(|corpus| corpus.as_path()).collect();
    output::check(&args.output, args.force, &inputs)?;
    threads::pool(common.threads)?.install(|| merge(args, common))
}

fn merge(args: &Merge, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    progress.reading();
    let reader = CorpusReader::new().within(&input::limit(&args.room)?);
    let read = |path: &PathBuf| read(&reader, path);
    let mut parts = args.corpora.iter().map(read).collect::<Outcome<Vec<_>>>()?;
    progress.begin("merging");
    let first = parts.remove(0);
    let taken = if args.replace { Taken::Replace } else { Taken::Refuse };
    let merged = Corpus::merge(first, parts, taken)?;
    progress.begin("writing");
    merged.corpus.save(&args.output, args.force)?;
    progress.finish();
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = corpus_json(&merged.corpus);
        object["hash"] = merged.corpus.digest().into();
        object["same"] = json!(merged.same);
        object["replaced"] = json!(merged.replaced);
        object["saved"] = args.output.display().to_string().into();
        writeln!(out, "{}", json::document("merge", object))?;
    } else {
        write_sizes(&mut out, &merged.corpus)?;
    }
    out.flush()?;
    for note in &merged.corpus.report().notes {
        messages::say(&format!("note: {note}"));
    }
    tell_names("in several corpora, kept once", &merged.same);
    tell_names("replaced", &merged.replaced);
    Ok(())
}

/// A corpus of counts, and its name in messages.
fn read(reader: &CorpusReader, path: &Path) -> Outcome<(String, Corpus)> {
    let opened = reader.open(path).map_err(Failure::about(path))?;
    if opened.is_text() {
        let reason = "this is text; count it first (svtd count), so that its words are chosen";
        return Err(Failure::Refused(path.to_owned(), reason.to_owned()));
    }
    let corpus = opened.read().map_err(Failure::about(path))?;
    Ok((path.display().to_string(), corpus))
}
