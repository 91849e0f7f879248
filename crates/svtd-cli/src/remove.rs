//! `svtd remove`: removes documents from a corpus file.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::json;
use svtd::reading::CorpusFile;
use svtd::{Corpus, Error};

use crate::args::{Common, Remove};
use crate::count::{corpus_json, write_sizes};
use crate::failure::{Failure, Outcome, printable};
use crate::{input, json, messages, threads};

/// Runs the command.
pub fn run(args: &Remove, common: &Common) -> Outcome {
    if args.documents.is_none() && args.conditions.is_empty() {
        let sentence = "nothing says which documents to remove; give --documents FILE or --where \
                        COLUMN=VALUE";
        return Err(Failure::Request(sentence.to_owned()));
    }
    threads::pool(common.threads)?.install(|| remove(args, common))
}

fn remove(args: &Remove, common: &Common) -> Outcome {
    let file = CorpusFile::open_within(&args.corpus, &input::limit(&args.room)?)?;
    let chosen = match &args.documents {
        Some(list) => named(file.corpus(), list, args)?,
        None => meeting(file.corpus(), args)?,
    };
    let names: Vec<String> =
        chosen.iter().map(|&d| file.corpus().document_name(d).into_owned()).collect();
    let left = file.corpus().remove(&chosen).map_err(Failure::about(&args.corpus))?;
    if !chosen.is_empty() {
        file.replace(&left)?;
    }
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = corpus_json(&left);
        object["hash"] = left.digest().into();
        object["removed"] = json!(names);
        writeln!(out, "{}", json::document("remove", object))?;
    } else {
        writeln!(out, "{:>12}  documents removed", names.len())?;
        write_sizes(&mut out, &left)?;
    }
    Ok(out.flush()?)
}

/// The documents named in a list.
fn named(corpus: &Corpus, list: &Path, args: &Remove) -> Outcome<Vec<usize>> {
    let text = read(list)?;
    let mut of_name: HashMap<String, Vec<usize>> = HashMap::new();
    for d in 0..corpus.n_documents() {
        of_name.entry(corpus.document_name(d).into_owned()).or_default().push(d);
    }
    let (mut chosen, mut missing) = (Vec::new(), Vec::new());
    let names = text.lines().map(|line| line.strip_suffix('\r').unwrap_or(line));
    for name in names.filter(|name| !name.is_empty()) {
        match of_name.get(name) {
            Some(documents) => chosen.extend(documents),
            None => missing.push(name),
        }
    }
    if chosen.is_empty() && missing.is_empty() {
        let reason = "expected the names of documents, one a line, found none".to_owned();
        return Err(Failure::Refused(list.to_owned(), reason));
    }
    chosen.sort_unstable();
    chosen.dedup();
    let Some(first) = missing.first() else { return Ok(chosen) };
    let sentence = format!(
        "{} of the documents named are not in the corpus, such as {first:?}",
        missing.len()
    );
    match args.ignore_missing {
        true => messages::say(&format!("note: {}", printable(&sentence))),
        false => {
            let reason =
                format!("{sentence}; nothing was removed (--ignore-missing passes over them)");
            return Err(Failure::Refused(args.corpus.clone(), reason));
        }
    }
    Ok(chosen)
}

/// The documents that meet all conditions.
fn meeting(corpus: &Corpus, args: &Remove) -> Outcome<Vec<usize>> {
    let mut chosen: Vec<usize> = (0..corpus.n_documents()).collect();
    for (column, value) in &args.conditions {
        let cells = input::kept_column(corpus, &args.corpus, column)?;
        chosen.retain(|&d| cells[d] == *value);
    }
    if chosen.is_empty() {
        let conditions = args.conditions.iter().map(|(column, value)| format!("{column}={value}"));
        let asked = conditions.collect::<Vec<_>>().join(" and ");
        let reason = format!("no document has {asked}; svtd info shows the columns");
        return Err(Failure::Refused(args.corpus.clone(), reason));
    }
    Ok(chosen)
}

fn read(path: &Path) -> Outcome<String> {
    let failed = |source| Failure::Library(Error::Io { path: path.display().to_string(), source });
    let mut bytes = Vec::new();
    match path.as_os_str() == "-" {
        true => io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?,
        false => {
            let mut file = std::fs::File::open(path).map_err(failed)?;
            file.read_to_end(&mut bytes).map_err(failed)?
        }
    };
    String::from_utf8(bytes).map_err(|_| {
        let reason = "expected names of documents in UTF-8, found other bytes".to_owned();
        Failure::Refused(path.to_owned(), reason)
    })
}
