//! The numbers of the page for its script. Keys are short and numbers are rounded, because the file is mailed.

use serde_json::{Value, json};

use crate::context::{Context, MarkedText, ShownDocument, ShownTopic};

/// All data of a page.
pub fn of(context: &Context) -> Value {
    let words = &context.words;
    let parts = |topics: &Vec<(usize, f64)>| -> Vec<usize> {
        topics.iter().flat_map(|&(topic, part)| [topic, per_mille(part)]).collect()
    };
    let documents = context.documents.as_ref();
    json!({
        "corpus": context.corpus_digest,
        "unit": if context.is_mixed { "how many of its words are about the topic" } else { "evidence in nats" },
        "nw": context.n_words,
        "words": words.names,
        "ws": words.shares.iter().map(|s| rounded(*s)).collect::<Vec<_>>(),
        "wt": words.topics.iter().map(parts).collect::<Vec<_>>(),
        "topics": context.topics.iter().map(topic).collect::<Vec<_>>(),
        "docs": documents.map_or(Vec::new(), |d| d.shown.iter().map(document).collect()),
    })
}

fn topic(topic: &ShownTopic) -> Value {
    let words: Vec<Value> = topic
        .words
        .iter()
        .flat_map(|w| [json!(w.word), rounded(w.probability), w.reach.map_or(Value::Null, rounded)])
        .collect();
    let nearest: Vec<Value> = topic.nearest.iter().map(|(j, d)| json!([j, fixed(*d)])).collect();
    let examples: Vec<Value> = topic
        .examples
        .iter()
        .map(|e| {
            let pulls: Vec<Value> = e.pulls.iter().map(|(word, pull)| json!([word, fixed(*pull)])).collect();
            json!({ "d": e.document, "s": fixed(e.share), "p": e.passage.as_ref().map(marked), "u": pulls })
        })
        .collect();
    json!({
        "s": rounded(topic.share),
        "f": topic.flags,
        "st": topic.standing.map(svtd::model::Standing::name),
        "e": topic.evidence,
        "w": words,
        "x": topic.frex,
        "n": nearest,
        "ex": examples,
    })
}

fn document(document: &ShownDocument) -> Value {
    let mixture: Vec<usize> =
        document.mixture.iter().flat_map(|&(topic, share)| [topic, per_mille(share)]).collect();
    let mut value = json!({ "n": document.name, "c": document.length, "m": mixture });
    if let Some(label) = &document.label {
        value["l"] = json!(label);
    }
    if let Some(time) = &document.time {
        value["t"] = json!(time);
    }
    if let Some(text) = &document.text {
        value["x"] = marked(text);
    }
    if !document.bag.is_empty() {
        let bag = document.bag.iter();
        let flat: Vec<Value> = bag
            .flat_map(|(word, count, topic)| [json!(word), json!(count), json!(topic)])
            .collect();
        value["b"] = json!(flat);
    }
    value
}

/// A text, and its marks as gap, length and topic, in UTF-16 units as script strings have them.
fn marked(marked: &MarkedText) -> Value {
    let mut marks = Vec::with_capacity(3 * marked.marks.len());
    let mut at = 0;
    let units = |text: &str| text.encode_utf16().count();
    for (range, topic) in &marked.marks {
        marks.extend([
            units(&marked.text[at..range.start]),
            units(&marked.text[range.clone()]),
            *topic,
        ]);
        at = range.end;
    }
    json!({ "t": marked.text, "k": marks, "c": marked.cut })
}

fn per_mille(share: f64) -> usize {
    (1000.0 * share).round() as usize
}

/// Five significant digits.
fn rounded(value: f64) -> Value {
    let text = format!("{value:.4e}");
    text.parse::<f64>().map_or(Value::Null, |value| json!(value))
}

/// Four decimals.
fn fixed(value: f64) -> Value {
    json!((value * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_as_scripts_count() {
        let text = MarkedText {
            text: "😀 sea, 海!".to_owned(),
            marks: vec![(5..8, 0), (10..13, 4)],
            cut: [false, true],
        };
        let value = marked(&text);
        assert_eq!(value["k"], json!([3, 3, 0, 2, 1, 4]));
        assert_eq!(value["c"], json!([false, true]));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(rounded(0.012_345_678).to_string(), "0.012346");
        assert_eq!(rounded(0.0).to_string(), "0.0");
        assert_eq!(fixed(1.0 / 3.0).to_string(), "0.3333");
    }
}
