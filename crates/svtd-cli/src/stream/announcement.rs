//! What is printed about each model of a stream: a line for people, a JSON object on one line for programs.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use svtd::learning::Update;
use svtd::stream::Window;
use svtd::{Corpus, Model};

use crate::args::Common;
use crate::failure::{Failure, Outcome};
use crate::update::{caption, tally, topics_json, vanished_json};
use crate::{json, messages};

/// The largest number of topics and words that a line names.
const SHOWN: usize = 5;

/// What is known about a model.
pub struct Announcement {
    n_seen: u64,
    n_documents: usize,
    n_late: u64,
    n_bad: u64,
    days: Option<(String, String)>,
    drift: Drift,
}

/// How the topics and words changed since the previous model.
#[derive(Default)]
struct Drift {
    /// For people.
    line: String,
    cold: bool,
    topics: Vec<Value>,
    vanished: Vec<Value>,
    words_new: Vec<String>,
    words_gone: Vec<String>,
}

impl Announcement {
    /// The state before there is a model.
    pub fn new(window: &Window, n_documents: usize, n_bad: u64) -> Self {
        Self {
            n_seen: window.n_seen(),
            n_documents,
            n_late: window.n_late(),
            n_bad,
            days: window.days(),
            drift: Drift::default(),
        }
    }

    /// Describes a first model, which has no predecessor.
    pub fn first(&mut self, model: &Model) {
        let topic = |j: usize| {
            json!({
                "topic": j + 1,
                "name": null,
                "words": caption(model, j),
                "share": model.topics().weights()[j],
                "state": "new",
                "old": null,
                "old_share": null,
                "distance": null,
                "expected": null,
                "gained": [],
                "lost": [],
            })
        };
        let k = model.topics().len();
        let topics = (0..k).map(topic).collect();
        self.drift = Drift { line: format!("{k} topics"), cold: true, topics, ..Drift::default() };
    }

    /// Describes a model that was updated from another one.
    pub fn next(&mut self, old: &Model, updated: &Update) {
        let [stayed, moved, new, vanished] = tally(updated);
        let mut line = format!("topics: {stayed} stayed, {moved} moved");
        let far = |j: &usize| updated.topics[*j].has_moved() == Some(true);
        let numbers = |which: &mut dyn Iterator<Item = usize>| -> String {
            let numbers: Vec<String> = which.take(SHOWN).map(|j| (j + 1).to_string()).collect();
            if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(" ")) }
        };
        let topics = || 0..updated.topics.len();
        let distance = |j: usize| {
            let topic = &updated.topics[j];
            let (found, by_chance) =
                (topic.distance.unwrap_or_default(), topic.expected.unwrap_or_default());
            format!("{} by {found:.3}, {by_chance:.3} by chance", j + 1)
        };
        let moved: Vec<String> = topics().filter(far).take(SHOWN).map(distance).collect();
        if !moved.is_empty() {
            line += &format!(" ({})", moved.join("; "));
        }
        let is_new = |j: &usize| updated.topics[*j].old.is_none();
        line += &format!(", {new} new{}", numbers(&mut topics().filter(is_new)));
        line += &format!(", {vanished} vanished{}", numbers(&mut updated.vanished.iter().copied()));
        if updated.topics.iter().any(|topic| topic.old.is_some() && topic.expected.is_none()) {
            line += " (no error bars)";
        }
        let (words_new, words_gone) = (beyond(&updated.model, old), beyond(old, &updated.model));
        line += &format!("; words: {} new", words_new.len());
        if !words_new.is_empty() {
            let shown: Vec<&str> = words_new.iter().take(SHOWN).map(String::as_str).collect();
            line += &format!(" ({})", shown.join(" "));
        }
        line += &format!(", {} gone", words_gone.len());
        let (topics, vanished) = (topics_json(old, updated), vanished_json(old, updated));
        let cold = updated.cold;
        self.drift = Drift { line, cold, topics, vanished, words_new, words_gone };
    }

    /// Prints a model that was saved.
    pub fn saved(
        self,
        common: &Common,
        number: usize,
        path: &Path,
        model: &Model,
        corpus: &Corpus,
    ) -> Outcome {
        let path = path.display().to_string();
        let n_words = model.topics().vocabulary().len();
        let line = format!(
            "model {number}: {}, {n_words} words; {}; saved {path}",
            self.documents(),
            self.drift.line
        );
        let mut object = self.object();
        object["model"] = number.into();
        object["words"] = n_words.into();
        object["tokens"] = corpus.n_tokens().into();
        object["saved"] = path.into();
        tell(common, &line, object)
    }

    /// Prints why there is no model.
    pub fn refuse(self, common: &Common, failure: &Failure) -> Outcome {
        let line = format!("no model: {}; {}", self.documents(), failure.sentence());
        let mut object = self.object();
        object["reason"] = failure.sentence().into();
        tell(common, &line, object)
    }

    fn documents(&self) -> String {
        let mut line =
            format!("{} documents read, {} in the window", self.n_seen, self.n_documents);
        if let Some((first, last)) = &self.days {
            line += &format!(" ({first} to {last})");
        }
        for (n, what) in [(self.n_late, "too old when they came"), (self.n_bad, "without a time")] {
            if n > 0 {
                line += &format!(", {n} {what}");
            }
        }
        line
    }

    fn object(self) -> Value {
        let (from, to) = self.days.unzip();
        let Drift { cold, topics, vanished, words_new, words_gone, .. } = self.drift;
        json!({
            "model": null,
            "seen": self.n_seen,
            "documents": self.n_documents,
            "late": self.n_late,
            "without_time": self.n_bad,
            "from": from,
            "to": to,
            "words": null,
            "tokens": null,
            "words_new": words_new,
            "words_gone": words_gone,
            "cold": cold,
            "topics": topics,
            "vanished": vanished,
            "saved": null,
            "reason": null,
        })
    }
}

fn tell(common: &Common, line: &str, object: Value) -> Outcome {
    if common.json {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", json::line("stream", object))?;
        // The reader of the stream waits for this line.
        out.flush()?;
    }
    messages::say(line);
    Ok(())
}

/// The words of a model that another one does not have, in the order of their numbers.
fn beyond(model: &Model, other: &Model) -> Vec<String> {
    let known: HashSet<_> = other.topics().vocabulary().iter().collect();
    let words = model.topics().vocabulary().iter().filter(|word| !known.contains(word));
    words.map(|word| word.into_owned()).collect()
}
