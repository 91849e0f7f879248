//! `svtd names`: names of the topics of a model.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use svtd::persist::Saved;

use crate::args::{Common, Names};
use crate::failure::{Failure, Outcome, printable};
use crate::{input, listing, messages, output};

/// Number of words that describe a topic without a name.
const WORDS: usize = 6;

/// Runs the command.
pub fn run(args: &Names, common: &Common) -> Outcome {
    let mut saved = input::model(&args.model)?;
    if let Some(file) = &args.names {
        let names = read(file, &saved)?;
        saved.model.set_names(names).map_err(Failure::about(file))?;
        match &args.output {
            Some(path) => {
                output::check(path, args.force, &[&args.model, file])?;
                saved.save(path, args.force)?;
            }
            None => saved.save(&args.model, true)?,
        }
        let path = args.output.as_ref().unwrap_or(&args.model);
        messages::say(&format!("saved {}", printable(&path.display().to_string())));
    }
    let mut out = io::stdout().lock();
    if common.json {
        let names: Vec<Option<&str>> = saved.model.topics().iter().map(|t| t.name()).collect();
        writeln!(out, "{:#}", json!({ "names": names, "corpus": saved.corpus_digest }))?;
    } else {
        writeln!(out, "topic   share  name")?;
        for topic in saved.model.topics().iter() {
            let (number, share) = (topic.index() + 1, 100.0 * topic.weight());
            let name = match topic.name() {
                Some(name) => printable(name),
                None => {
                    format!("({})", listing::words(&saved.model, topic.index(), WORDS).join(" "))
                }
            };
            writeln!(out, "{number:5}  {share:5.1}%  {name}")?;
        }
    }
    Ok(out.flush()?)
}

/// The names of a file, one for each topic.
fn read(path: &Path, saved: &Saved) -> Outcome<Vec<Option<String>>> {
    let k = saved.model.topics().len();
    let refused = |reason: String| Failure::Refused(path.to_owned(), reason);
    let text = fs::read_to_string(path).map_err(|source| {
        Failure::Library(svtd::Error::Io { path: path.display().to_string(), source })
    })?;
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        refused(format!("expected JSON as a page saves it, found otherwise: {error}"))
    })?;
    let list = value.get("names").unwrap_or(&value);
    let list = list.as_array().ok_or_else(|| {
        refused("expected a list of names, or an object with one as \"names\"".to_owned())
    })?;
    if list.len() != k {
        let n = list.len();
        return Err(refused(format!(
            "{n} names for a model of {k} topics; give one or null for each"
        )));
    }
    let corpus = value.get("corpus").and_then(Value::as_str);
    if corpus.is_some_and(|corpus| corpus != saved.corpus_digest) {
        messages::say("note: these names were given to a model of another corpus");
    }
    let name = |(j, value): (usize, &Value)| match value {
        Value::Null => Ok(None),
        Value::String(name) => Ok(Some(name.clone())),
        other => {
            Err(refused(format!("expected a name or null for topic {}, found {other}", j + 1)))
        }
    };
    list.iter().enumerate().map(name).collect()
}
