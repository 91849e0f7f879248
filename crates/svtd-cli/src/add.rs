//! `svtd add`: adds documents to a corpus file.

use std::io::{self, Write};

use serde_json::{Value, json};
use svtd::reading::{Addition, CorpusFile, Taken};

use crate::args::{Add, Common};
use crate::count::{corpus_json, write_sizes};
use crate::failure::{Failure, Outcome};
use crate::progress::{Detail, Progress};
use crate::{input, json, messages, output, threads};

/// The largest number of words and names that a message lists, and (`LISTED_IN_JSON`) that the JSON lists.
const SHOWN: usize = 8;
const LISTED_IN_JSON: usize = 1000;

/// Runs the command.
pub fn run(args: &Add, common: &Common) -> Outcome {
    if args.source.files().iter().any(|file| output::same_file(file, &args.corpus)) {
        let sentence = format!("{} cannot be added to itself", args.corpus.display());
        return Err(Failure::Request(sentence));
    }
    threads::pool(common.threads)?.install(|| add(args, common))
}

fn add(args: &Add, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    let file = CorpusFile::open_within(&args.corpus, &input::limit(&args.source.room)?)?;
    let more = input::addition(file.corpus(), &args.source, &progress)?;
    let taken = if args.replace { Taken::Replace } else { Taken::Refuse };
    let name = args.source.name();
    let addition = file.corpus().add(&more, &name.display().to_string(), taken);
    let addition = addition.map_err(Failure::about(&name))?;
    if addition.n_added > 0 {
        progress.begin("writing");
        file.replace(&addition.corpus)?;
    }
    progress.finish();
    let mut out = io::stdout().lock();
    if common.json {
        writeln!(out, "{}", json::document("add", to_json(&addition)))?;
    } else {
        writeln!(out, "{:>12}  documents added", addition.n_added)?;
        write_sizes(&mut out, &addition.corpus)?;
    }
    out.flush()?;
    tell(&addition);
    Ok(())
}

fn tell(addition: &Addition) {
    tell_names("there already, passed over", &addition.same);
    tell_names("replaced", &addition.replaced);
    if addition.n_without_words > 0 {
        let n = addition.n_without_words;
        messages::say(&format!("note: documents given without a word of the vocabulary: {n}"));
    }
    if addition.new_words.is_empty() {
        return;
    }
    let shown: Vec<String> =
        addition.new_words.iter().take(SHOWN).map(|new| new.word.clone()).collect();
    messages::say(&format!(
        "note: {} words are new and left out, such as {}; to let them in, count everything again, or \
         count these documents alone and merge",
        addition.new_words.len(),
        shown.join(" ")
    ));
}

/// Prints a note with the number of documents that `what` describes, and the first of their names.
pub fn tell_names(what: &str, names: &[String]) {
    if !names.is_empty() {
        let shown: Vec<String> = names.iter().take(SHOWN).cloned().collect();
        let dots = if names.len() > SHOWN { " ..." } else { "" };
        let n = names.len();
        messages::say(&format!("note: documents {what}: {n} ({}{dots})", shown.join(" ")));
    }
}

fn to_json(addition: &Addition) -> Value {
    let mut object = corpus_json(&addition.corpus);
    let new_words = addition.new_words.iter().take(LISTED_IN_JSON);
    object["hash"] = addition.corpus.digest().into();
    object["added"] = addition.n_added.into();
    object["same"] = json!(addition.same);
    object["replaced"] = json!(addition.replaced);
    object["without_words"] = addition.n_without_words.into();
    object["n_new_words"] = addition.new_words.len().into();
    object["new_words"] =
        new_words.map(|new| json!({ "word": new.word, "documents": new.n_documents })).collect();
    object
}
