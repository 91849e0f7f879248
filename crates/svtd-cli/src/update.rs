//! `svtd update`: a model of a corpus that has changed, with the topic numbers of the old one.

use std::io::{self, Write};

use serde_json::{Value, json};
use svtd::Model;
use svtd::evaluation::MovedWord;
use svtd::learning::{TopicUpdate, Update};
use svtd::persist::Saved;

use crate::args::{Common, Update as Arguments};
use crate::diff::write_moved;
use crate::failure::{Failure, Outcome, printable};
use crate::progress::{Detail, Progress};
use crate::terminal::{Screen, cut};
use crate::{input, json, listing, messages, output, records, threads};

/// Number of words that describe a topic.
const CAPTION: usize = 5;

/// Width of the columns before the words.
const MARGIN: usize = 47;

/// Runs the command.
pub fn run(args: &Arguments, common: &Common) -> Outcome {
    check(args)?;
    if args.time.is_some() {
        return Err(Failure::Request("--time is for streams; add --every N".to_owned()));
    }
    let mut inputs = args.source.files();
    inputs.push(&args.model);
    output::check(&args.output, args.force, &inputs)?;
    threads::pool(common.threads)?.install(|| update(args, common))
}

/// Returns an error for a model of records, and for flags that contradict each other.
pub fn check(args: &Arguments) -> Outcome {
    if records::model(&args.model)?.is_some() {
        let reason = "this is a model of records, which svtd fit learns anew from all of them; update \
                      is for topics";
        return Err(Failure::Refused(args.model.clone(), reason.to_owned()));
    }
    match args.stream.contradiction(args.time.as_deref()) {
        Some(sentence) => Err(Failure::Request(sentence)),
        None => Ok(()),
    }
}

fn update(args: &Arguments, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    let old = input::model(&args.model)?;
    let corpus = input::corpus_again(&old, &args.source, &progress)?.into_key_order();
    let watch = |step| progress.step(step);
    let updated = match args.cold {
        true => Update::cold(&old.model, &corpus, args.top, &watch),
        false => Update::warm_by(args.sweeps, &old.model, &corpus, args.top, &watch),
    };
    let updated = updated.map_err(Failure::about(&args.source.name()))?;
    progress.begin("writing");
    updated.model.save(&args.output, &corpus, args.force)?;
    progress.finish();
    let mut out = io::stdout().lock();
    if common.json {
        writeln!(out, "{}", json::document("update", to_json(args, &old, &updated)))?;
    } else {
        write_text(&mut out, &Screen::stdout(common), &old.model, &updated)?;
    }
    out.flush()?;
    if updated.cold && !args.cold {
        messages::say("note: fitted from nothing: the topics of the old model were not polished");
    }
    messages::say(&format!("saved {}", printable(&args.output.display().to_string())));
    Ok(())
}

/// How many topics stayed, moved, are new and vanished.
pub fn tally(updated: &Update) -> [usize; 4] {
    let count =
        |what: &dyn Fn(&TopicUpdate) -> bool| updated.topics.iter().filter(|t| what(t)).count();
    let moved = count(&|topic| topic.has_moved() == Some(true));
    let new = count(&|topic| topic.old.is_none());
    [updated.topics.len() - moved - new, moved, new, updated.vanished.len()]
}

fn write_text(
    out: &mut dyn Write,
    screen: &Screen,
    old: &Model,
    updated: &Update,
) -> io::Result<()> {
    let [stayed, moved, new, vanished] = tally(updated);
    let (before, after) = (old.diagnostics().n_documents, updated.model.diagnostics().n_documents);
    writeln!(
        out,
        "{before} documents before, {after} now; topics: {stayed} stayed, {moved} moved, {new} new, \
         {vanished} vanished\n"
    )?;
    writeln!(out, "{}", screen.bold("topic   share before  distance  expected          words"))?;
    let width = screen.width.map_or(usize::MAX, |width| width.saturating_sub(MARGIN).max(10));
    for (j, topic) in updated.topics.iter().enumerate() {
        let share = 100.0 * updated.model.topics().weights()[j];
        let before = topic.old.map(|old_j| 100.0 * old.topics().weights()[old_j]);
        let before = before.map_or("-".to_owned(), |share| format!("{share:.1}%"));
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
        let words = cut(&listing::words(&updated.model, j, CAPTION).join(" "), width);
        writeln!(
            out,
            "{:5}  {share:5.1}% {before:>6}  {:>8}  {:>8}  {:8}  {words}",
            j + 1,
            number(topic.distance),
            number(topic.expected),
            state(topic)
        )?;
        if let Some(pair) = topic.pair.as_ref().filter(|_| topic.has_moved() == Some(true)) {
            write_moved(out, screen, "more", &pair.gained)?;
            write_moved(out, screen, "less", &pair.lost)?;
        }
    }
    for &j in &updated.vanished {
        let share = 100.0 * old.topics().weights()[j];
        let words = cut(&listing::words(old, j, CAPTION).join(" "), width);
        writeln!(
            out,
            "{:5}      - {share:5.1}%  {:>8}  {:>8}  {:8}  {words}",
            j + 1,
            "-",
            "-",
            "vanished"
        )?;
    }
    if updated.topics.iter().any(|topic| topic.old.is_some() && topic.expected.is_none()) {
        let sentence =
            "the old model has no error bars, so nothing says which distances are chance";
        writeln!(out, "{}", screen.warning(sentence))?;
    }
    Ok(())
}

fn state(topic: &TopicUpdate) -> &'static str {
    match (topic.old, topic.has_moved()) {
        (None, _) => "new",
        (_, Some(true)) => "moved",
        (_, Some(false)) => "stayed",
        (_, None) => "matched",
    }
}

fn to_json(args: &Arguments, old: &Saved, updated: &Update) -> Value {
    json!({
        "cold": updated.cold,
        "documents": updated.model.diagnostics().n_documents,
        "old_documents": old.model.diagnostics().n_documents,
        "topics": topics_json(&old.model, updated),
        "vanished": vanished_json(&old.model, updated),
        "saved": args.output.display().to_string(),
    })
}

/// The topics of the old model that are gone.
pub fn vanished_json(old: &Model, updated: &Update) -> Vec<Value> {
    let vanished = |&j: &usize| json!({ "topic": j + 1, "words": caption(old, j) });
    updated.vanished.iter().map(vanished).collect()
}

/// What happened to each topic.
pub fn topics_json(old: &Model, updated: &Update) -> Vec<Value> {
    let moved = |words: Option<&Vec<MovedWord>>| -> Vec<Value> {
        let word = |w: &MovedWord| json!({ "word": w.word, "old": w.old, "new": w.new });
        words.into_iter().flatten().map(word).collect()
    };
    let topic = |(j, topic): (usize, &TopicUpdate)| {
        json!({
            "topic": j + 1,
            "name": updated.model.topics().topic(j).name(),
            "words": caption(&updated.model, j),
            "share": updated.model.topics().weights()[j],
            "state": state(topic),
            "old": topic.old.map(|old| old + 1),
            "old_share": topic.old.map(|j| old.topics().weights()[j]),
            "distance": topic.distance,
            "expected": topic.expected,
            "gained": moved(topic.pair.as_ref().map(|pair| &pair.gained)),
            "lost": moved(topic.pair.as_ref().map(|pair| &pair.lost)),
        })
    };
    updated.topics.iter().enumerate().map(topic).collect()
}

/// The words that stand for a topic.
pub fn caption(model: &Model, j: usize) -> Vec<String> {
    let top = model.topics().topic(j).top_words(CAPTION);
    top.into_iter().map(|(word, _)| word.into_owned()).collect()
}
