//! `svtd show`: one document, its topics, and which words point to which topic.

use std::io::{self, Write};

use serde_json::{Value, json};
use svtd::inference::{ExplainedWord, Explanation};
use svtd::{Corpus, Model};

use crate::args::{Common, Show};
use crate::failure::{Failure, Outcome, printable};
use crate::progress::{Detail, Progress};
use crate::terminal::Screen;
use crate::{input, json, records, threads};

/// How many names are suggested when the one asked for does not exist.
const OFFERED: usize = 5;

/// Smaller pulls would be printed as zero.
const LEAST_PULL: f64 = 0.05;

/// Topics with a smaller share are left out of the text; the JSON has them all.
const LEAST_SHARE: f64 = 0.01;

/// Width of the columns before the words.
const MARGIN: usize = 15;

/// Runs the command.
pub fn run(args: &Show, common: &Common) -> Outcome {
    if let Some(saved) = records::model(&args.model)? {
        return records::show(&saved, args, common);
    }
    threads::pool(common.threads)?.install(|| show(args, common))
}

fn show(args: &Show, common: &Common) -> Outcome {
    let saved = input::model(&args.model)?;
    let progress = Progress::new(Detail::chosen(common));
    // If no document is named, the text itself is the document.
    let corpus = match args.document {
        Some(_) => input::corpus_for(&saved, &args.source, &progress)?,
        None => input::document_for(&saved, &args.source, &progress)?,
    };
    progress.finish();
    let d = find(args, &corpus)?;
    let explained = saved.model.explain(&corpus, d);
    let explained = explained.map_err(Failure::about(&args.source.name()))?;
    let mut out = io::stdout().lock();
    if common.json {
        let value = to_json(args, &saved.model, &corpus, d, &explained);
        writeln!(out, "{}", json::document("show", value))?;
    } else {
        let screen = Screen::stdout(common);
        write_text(&mut out, args, &screen, &saved.model, &corpus, d, &explained)?;
    }
    Ok(out.flush()?)
}

/// The document that was asked for.
fn find(args: &Show, corpus: &Corpus) -> Outcome<usize> {
    let n = corpus.n_documents();
    let name = args.source.name();
    let path = name.display();
    let offered = || {
        let names: Vec<_> =
            (0..n.min(OFFERED)).map(|d| printable(&corpus.document_name(d))).collect();
        let more = if n > OFFERED { ", ..." } else { "" };
        format!("{}{more}", names.join(", "))
    };
    match &args.document {
        None if n == 1 => Ok(0),
        None => Err(Failure::Request(format!(
            "{path} holds {n} documents; choose one with --document ({})",
            offered()
        ))),
        Some(name) => (0..n).find(|&d| corpus.document_name(d) == name.as_str()).ok_or_else(|| {
            Failure::Request(format!(
                "{path} holds no document called {name:?}; its documents are {}",
                offered()
            ))
        }),
    }
}

fn write_text(
    out: &mut dyn Write,
    args: &Show,
    screen: &Screen,
    model: &Model,
    corpus: &Corpus,
    d: usize,
    explained: &Explanation,
) -> io::Result<()> {
    let name = printable(&corpus.document_name(d));
    let (length, unknown) = (corpus.document(d).length(), n_unknown(explained));
    let title = format!("document {name}: {length} words, {unknown} of them unknown to the model");
    writeln!(out, "{}\n", screen.bold(&title))?;
    writeln!(out, "{}", screen.bold("topic   share  words that pull the document there"))?;
    let shown = shown_topics(args, explained);
    for &j in &shown {
        let share = 100.0 * explained.mixture[j];
        let mut strongest = explained.strongest(j, args.top);
        strongest.retain(|word| word.pulls[j] >= LEAST_PULL);
        let words: Vec<String> = strongest.iter().map(|word| pull(word, j)).collect();
        let words = if words.is_empty() { vec!["(none)".to_owned()] } else { words };
        writeln!(out, "{:5}  {share:5.1}%  {}", j + 1, screen.wrapped(&words, MARGIN))?;
        let about: Vec<String> = crate::listing::words(model, j, 5);
        let about = format!("({} ...)", about.join(" "));
        writeln!(out, "{:MARGIN$}{}", "", screen.dim(&about))?;
    }
    let left = explained.mixture.len() - shown.len();
    if left > 0 {
        let rest = 1.0 - shown.iter().map(|&j| explained.mixture[j]).sum::<f64>();
        let plural = if left == 1 { "" } else { "s" };
        let rest = 100.0 * rest.max(0.0);
        writeln!(out, "{:>5}  {rest:5.1}%  {left} other topic{plural}", "")?;
    }
    if !explained.unknown.is_empty() {
        let words: Vec<String> =
            explained.unknown.iter().take(args.top).map(|(word, _)| printable(word)).collect();
        let more = explained.unknown.len() - words.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        writeln!(out, "\nunknown: {}{more}", words.join(" "))?;
    }
    Ok(())
}

/// The largest topics, without those of negligible share; at least one.
fn shown_topics(args: &Show, explained: &Explanation) -> Vec<usize> {
    let mut topics = explained.topics();
    topics.truncate(args.topics);
    let n = topics.iter().take_while(|&&j| explained.mixture[j] >= LEAST_SHARE).count();
    topics.truncate(n.max(1));
    topics
}

/// A word with its pull, kept on one line.
fn pull(word: &ExplainedWord, topic: usize) -> String {
    format!("{}\u{a0}{:.1}", printable(&word.word), word.pulls[topic])
}

fn n_unknown(explained: &Explanation) -> u64 {
    explained.unknown.iter().map(|(_, count)| u64::from(*count)).sum()
}

fn to_json(
    args: &Show,
    model: &Model,
    corpus: &Corpus,
    d: usize,
    explained: &Explanation,
) -> Value {
    let word = |j: usize| move |word: &&ExplainedWord| json!({ "word": word.word, "count": word.count, "pull": word.pulls[j] });
    let topic = |&j: &usize| {
        let words: Vec<Value> = explained.strongest(j, args.top).iter().map(word(j)).collect();
        json!({ "topic": j + 1, "share": explained.mixture[j], "words": words })
    };
    let shown = explained.topics();
    let topics: Vec<Value> = shown.iter().take(args.topics).map(topic).collect();
    let unknown: Vec<Value> = explained
        .unknown
        .iter()
        .map(|(word, count)| json!({ "word": word, "count": count }))
        .collect();
    json!({
        "document": corpus.document_name(d),
        "n_tokens": corpus.document(d).length(),
        "n_unknown_tokens": n_unknown(explained),
        "unit": match model {
            Model::Lda(_) => "tokens",
            Model::SingleTopic(_) => "nats",
        },
        "mixture": explained.mixture,
        "topics": topics,
        "unknown": unknown,
    })
}
