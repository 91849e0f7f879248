//! Topics and their words.

use std::collections::HashMap;

use svtd::Result;
use svtd::evaluation::TopicMap;
use svtd::model::{Standing, Topics, WordOrder};
use svtd::trust::T_FACTOR;

use super::asked::Asked;
use super::marked::MarkedText;
use super::{LONGEST_NAME, LONGEST_WORD};
use crate::Report;
use crate::html::shown;

/// Number of steps of the relevance slider: every word that comes first for one of its lambdas is in the page.
pub const LAMBDAS: usize = 20;

/// Topics with a smaller share of a word are not listed for it.
const LEAST_OF_WORD: f64 = 0.01;

/// Number of nearest topics that are listed.
const NEAREST: usize = 3;

/// The words of a page, each once.
#[derive(Default)]
pub struct WordTable {
    places: HashMap<usize, usize>,
    ids: Vec<usize>,
    /// Number of words that belong to topics, which come first; the others occur only in documents.
    pub n_of_topics: usize,
    /// The spelling of each word.
    pub names: Vec<String>,
    /// The probability of each topic word in all topics together.
    pub shares: Vec<f64>,
    /// For each topic word, the topics it belongs to with their shares, largest first.
    pub topics: Vec<Vec<(usize, f64)>>,
}

impl WordTable {
    /// The index of a word of the vocabulary, assigned when it is first needed.
    pub fn place(&mut self, id: usize) -> usize {
        let next = self.ids.len();
        *self.places.entry(id).or_insert_with(|| {
            self.ids.push(id);
            next
        })
    }

    pub(super) fn end_of_topics(&mut self) {
        self.n_of_topics = self.ids.len();
    }

    /// Fills in the details of each word.
    pub(super) fn name(&mut self, topics: &Topics) {
        let name = |&id: &usize| shown(&topics.vocabulary().word(id), LONGEST_WORD).into_owned();
        self.names = self.ids.iter().map(name).collect();
        let all = topics.word_shares();
        let of_topics = &self.ids[..self.n_of_topics];
        self.shares = of_topics.iter().map(|&id| all[id]).collect();
        let belongs = |&id: &usize| {
            let parts = topics.topics_of_word(id).into_iter().enumerate();
            let mut parts: Vec<(usize, f64)> = parts.filter(|p| p.1 >= LEAST_OF_WORD).collect();
            parts.sort_by(|a, b| b.1.total_cmp(&a.1));
            parts
        };
        self.topics = of_topics.iter().map(belongs).collect();
    }
}

/// A word of a topic.
pub struct ShownWord {
    /// Its index in the table of words.
    pub word: usize,
    /// Its probability.
    pub probability: f64,
    /// Half the width of its 95 % interval, if that is known.
    pub reach: Option<f64>,
}

/// A document that illustrates a topic.
pub struct Example {
    /// Its index among the documents shown.
    pub document: usize,
    /// The share of the topic in it.
    pub share: f64,
    /// The passage where the words of the topic are densest.
    pub passage: Option<MarkedText>,
    /// The words that point to the topic, and how strongly.
    pub pulls: Vec<(String, f64)>,
}

/// A topic.
pub struct ShownTopic {
    /// The name that people gave it.
    pub name: Option<String>,
    /// Its share.
    pub share: f64,
    /// Remarks about it; never empty.
    pub flags: Vec<String>,
    /// Whether it is found again in halves of the documents; also stated in the first flag.
    pub standing: Option<Standing>,
    /// Documents' worth of evidence.
    pub documents: f64,
    /// Further evidence, as text.
    pub evidence: Vec<String>,
    /// Its words: all that come first in some order, likeliest first.
    pub words: Vec<ShownWord>,
    /// Its first words by FREX, as indices in the table of words.
    pub frex: Vec<usize>,
    /// The nearest topics and their distances.
    pub nearest: Vec<(usize, f64)>,
    /// Documents that illustrate it best.
    pub examples: Vec<Example>,
}

impl ShownTopic {
    /// Its likeliest words as one string.
    pub fn caption(&self, words: &WordTable, n: usize) -> String {
        let names: Vec<&str> =
            self.words.iter().take(n).map(|w| words.names[w.word].as_str()).collect();
        names.join(" ")
    }
}

pub(super) fn gather(
    report: &Report<'_>,
    map: &TopicMap,
    asked: Option<&Asked<'_>>,
    table: &mut WordTable,
) -> Result<Vec<ShownTopic>> {
    let (model, n) = (&report.saved.model, report.n_words);
    let topics = model.topics();
    // The number of documents of a word is known only for the documents that the topics were learned from. Other
    // documents may lack words that the topics have.
    let shown_word = |id: usize| match asked.filter(|asked| asked.is_fitted_on) {
        Some(asked) => asked.frequencies[id] >= report.min_documents,
        None => true,
    };
    let mut ids: Vec<Vec<usize>> = vec![Vec::new(); topics.len()];
    let orders = (0..=LAMBDAS)
        .map(|step| WordOrder::Relevance { lambda: step as f64 / LAMBDAS as f64 })
        .chain([WordOrder::Probability]);
    for order in orders {
        for (ids, words) in ids.iter_mut().zip(topics.ranked_words_among(order, n, shown_word)?) {
            ids.extend(words.iter().filter(|w| w.probability > 0.0).map(|w| w.id));
        }
    }
    let frex = topics.ranked_words_among(WordOrder::Frex { frequency: 0.5 }, n, shown_word)?;
    let mut gathered = Vec::with_capacity(topics.len());
    for (topic, (mut ids, frex)) in topics.iter().zip(ids.into_iter().zip(frex)) {
        ids.extend(frex.iter().filter(|w| w.probability > 0.0).map(|w| w.id));
        ids.sort_unstable();
        ids.dedup();
        let falling =
            |a: &usize, b: &usize| topic.probability(*b).total_cmp(&topic.probability(*a));
        ids.sort_by(falling);
        let known = &model.diagnostics().topics[topic.index()];
        let mut flags = known.remarks();
        if flags.is_empty() {
            flags.push("not judged".to_owned());
        }
        gathered.push(ShownTopic {
            name: topic.name().map(|name| shown(name, LONGEST_NAME).into_owned()),
            share: topic.weight(),
            flags,
            standing: known.standing(),
            documents: known.documents,
            evidence: evidence(known),
            words: ids
                .iter()
                .map(|&id| ShownWord {
                    word: table.place(id),
                    probability: topic.probability(id),
                    reach: topic.error(id).map(|error| T_FACTOR * error),
                })
                .collect(),
            frex: frex.iter().map(|w| table.place(w.id)).collect(),
            nearest: map.nearest(topic.index()).into_iter().take(NEAREST).collect(),
            examples: Vec::new(),
        });
    }
    Ok(gathered)
}

/// The evidence for a topic, in numbers.
fn evidence(known: &svtd::model::TopicDiagnostics) -> Vec<String> {
    let mut said = vec![known.worth()];
    let Some(trust) = &known.trust else { return said };
    if let Some(z) = trust.z {
        said.push(format!("z-score {z:.1}"));
    }
    if let Some(halves) = &trust.halves {
        said.push(halves.sentence());
    }
    if let Some(stability) = &trust.stability {
        let lost = 50.0 * stability.expected_error;
        said.push(format!("about {lost:.0} % of its weight expected on the wrong words"));
    }
    if trust.driven.documents > 0 {
        let plural = if trust.driven.documents == 1 { "" } else { "s" };
        said.push(format!("half of it in {} document{plural}", trust.driven.documents));
    }
    said
}
