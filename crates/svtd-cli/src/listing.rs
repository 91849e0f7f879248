//! Lists the topics of a model: as a table for people, as JSON for programs.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use svtd::Model;
use svtd::model::{RankedWord, TopicDiagnostics, WordOrder};

use crate::failure::{Outcome, printable};
use crate::terminal::Screen;

/// The default number of words of each topic.
pub const TOP_WORDS: usize = 10;

/// Width of the columns before the words.
const MARGIN: usize = 15;

/// The topics of a model with their words in some order.
pub struct Listing<'m> {
    model: &'m Model,
    order: WordOrder,
    words: Vec<Vec<RankedWord<'m>>>,
}

impl<'m> Listing<'m> {
    /// The first `n_words` words of each topic.
    pub fn new(model: &'m Model, order: WordOrder, n_words: usize) -> Outcome<Self> {
        Ok(Self { model, order, words: model.topics().ranked_words(order, n_words)? })
    }

    /// One entry for each topic: number, share, words, and warnings.
    ///
    /// A warning that applies to every topic does not distinguish them: it is printed once, below.
    pub fn write_table(&self, out: &mut dyn Write, screen: &Screen) -> io::Result<()> {
        let words = match self.order {
            WordOrder::Probability => "words".to_owned(),
            WordOrder::Relevance { lambda } => format!("words by relevance (lambda {lambda})"),
            WordOrder::Frex { .. } => "words by FREX".to_owned(),
            WordOrder::Lift => "words by lift".to_owned(),
        };
        writeln!(out, "{}", screen.bold(&format!("topic   share  {words}")))?;
        let diagnostics = &self.model.diagnostics().topics;
        let all_weak = diagnostics.len() > 1 && diagnostics.iter().all(TopicDiagnostics::is_weak);
        for (topic, diagnostics) in self.model.topics().iter().zip(diagnostics) {
            let (number, share) = (topic.index() + 1, 100.0 * topic.weight());
            let mut words: Vec<String> =
                self.words[topic.index()].iter().map(|w| printable(&w.word)).collect();
            if let Some(name) = topic.name() {
                let name = format!("{}:", printable(name));
                words.splice(0..0, name.split(' ').map(str::to_owned));
            }
            let mut flags = diagnostics.remarks();
            flags.retain(|flag| !(all_weak && flag.starts_with("weak")));
            if !flags.is_empty() {
                // An empty word separates them.
                let flags = format!(" [{}]", flags.join("; "));
                words.extend(flags.split(' ').map(str::to_owned));
            }
            let words = screen.wrapped(&words, MARGIN);
            writeln!(out, "{number:5}  {share:5.1}%  {words}")?;
        }
        if all_weak {
            writeln!(out, "{}", screen.warning(&all_weak_line(diagnostics)))?;
        }
        Ok(())
    }

    /// A model as JSON: how it was fitted, how reliable it is, and its topics.
    pub fn to_json(&self) -> Map<String, Value> {
        let model = self.model;
        let topics: Vec<Value> = (0..model.topics().len()).map(|j| self.topic_json(j)).collect();
        let mut object = Map::new();
        object.insert("model".to_owned(), json!(model.kind()));
        object.insert("options".to_owned(), json!(model.options()));
        object.insert("diagnostics".to_owned(), json!(model.diagnostics()));
        object.insert("order".to_owned(), json!(self.order.name()));
        object.insert("topics".to_owned(), Value::Array(topics));
        object
    }

    fn topic_json(&self, j: usize) -> Value {
        let word = |ranked: &RankedWord<'_>| {
            let mut word = json!({ "word": ranked.word, "probability": ranked.probability });
            if let Some(error) = self.model.topics().topic(j).error(ranked.id) {
                word["error"] = json!(error);
            }
            if self.order != WordOrder::Probability && ranked.score.is_finite() {
                word["score"] = json!(ranked.score);
            }
            word
        };
        let words: Vec<Value> = self.words[j].iter().map(word).collect();
        let known = &self.model.diagnostics().topics[j];
        let mut value = json!({
            "number": j + 1,
            "weight": self.model.topics().weights()[j],
            "words": words,
            "found_again": known.halves().map(|halves| halves.found_again),
            "half_distance": known.halves().map(|halves| halves.half_distance),
            "standing": known.standing(),
            "flags": known.flags(),
        });
        if let Some(name) = self.model.topics().topic(j).name() {
            value["name"] = json!(name);
        }
        if let Model::Lda(lda) = self.model {
            value["alpha"] = json!(lda.alpha()[j]);
        }
        value
    }
}

fn all_weak_line(diagnostics: &[TopicDiagnostics]) -> String {
    let worth = |pick: fn(f64, f64) -> f64, start| {
        diagnostics.iter().map(|t| t.documents).fold(start, pick).floor()
    };
    let (least, most) = (worth(f64::min, f64::INFINITY), worth(f64::max, 0.0));
    match diagnostics.first() {
        Some(topic) if least == most => format!("all weak: {} each", topic.worth()),
        _ => format!("all weak: {least} to {most} documents' worth of evidence each"),
    }
}

/// The likeliest words of topic `j`, safe to print.
pub fn words(model: &Model, j: usize, n: usize) -> Vec<String> {
    let top = model.topics().topic(j).top_words(n);
    top.iter().map(|(word, _)| printable(word)).collect()
}
