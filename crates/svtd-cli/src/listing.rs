//! The topics of a model, listed: as a table for people, as JSON for programs.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use svtd::Model;
use svtd::model::{Topic, TopicDiagnostics};

use crate::failure::printable;

/// Words shown of each topic unless asked otherwise.
pub const TOP_WORDS: usize = 10;

/// One line a topic: number, share, likeliest words, and what to beware of.
///
/// A warning that holds for every topic tells them apart from nothing: it is given once, below.
pub fn write_table(out: &mut dyn Write, model: &Model, n_words: usize) -> io::Result<()> {
    writeln!(out, "topic   share  words")?;
    let diagnostics = &model.diagnostics().topics;
    let all_weak = diagnostics.len() > 1 && diagnostics.iter().all(TopicDiagnostics::is_weak);
    for (topic, diagnostics) in model.topics().iter().zip(diagnostics) {
        let (number, share) = (topic.index() + 1, 100.0 * topic.weight());
        write!(out, "{number:5}  {share:5.1}%  {}", words(topic, n_words).join(" "))?;
        let mut flags = diagnostics.flags();
        flags.retain(|flag| !(all_weak && flag.starts_with("weak")));
        if flags.is_empty() {
            writeln!(out)?;
        } else {
            writeln!(out, "  [{}]", flags.join("; "))?;
        }
    }
    if all_weak {
        let worth = |pick: fn(f64, f64) -> f64, start| {
            diagnostics.iter().map(|t| t.documents).fold(start, pick).floor()
        };
        let (least, most) = (worth(f64::min, f64::INFINITY), worth(f64::max, 0.0));
        let range = if least == most { format!("{most}") } else { format!("{least} to {most}") };
        writeln!(out, "all weak: {range} documents' worth of evidence each")?;
    }
    Ok(())
}

/// The likeliest words of a topic, safe to print.
pub fn words(topic: Topic<'_>, n: usize) -> Vec<String> {
    let top = topic.top_words(n);
    top.iter().map(|(word, _)| printable(word)).collect()
}

/// A model as JSON: how it was fitted, how far to believe it, and its topics.
pub fn to_json(model: &Model, n_words: usize) -> Map<String, Value> {
    let topics: Vec<Value> =
        model.topics().iter().map(|topic| topic_json(model, topic, n_words)).collect();
    let mut object = Map::new();
    object.insert("model".to_owned(), json!(model.kind()));
    object.insert("options".to_owned(), json!(model.options()));
    object.insert("diagnostics".to_owned(), json!(model.diagnostics()));
    object.insert("topics".to_owned(), Value::Array(topics));
    object
}

fn topic_json(model: &Model, topic: Topic<'_>, n_words: usize) -> Value {
    let top = topic.top_words(n_words);
    let words: Vec<Value> = top
        .iter()
        .map(|(word, probability)| json!({ "word": word, "probability": probability }))
        .collect();
    let mut value = json!({
        "number": topic.index() + 1,
        "weight": topic.weight(),
        "words": words,
        "flags": model.diagnostics().topics[topic.index()].flags(),
    });
    if let Model::Lda(lda) = model {
        value["alpha"] = json!(lda.alpha()[topic.index()]);
    }
    value
}
