//! The documents that are shown: which ones, their topics, and the passages about them.
//!
//! For every topic the documents that show it best are selected. The rest, up to the number asked for, is a sample
//! by content: the documents with the lowest keys, which does not depend on their order.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;
use svtd::inference::{Explanation, best_documents, densest_passage};
use svtd::text::{Marker, Preprocessing, WordSpread};
use svtd::{Corpus, Error, Result};

use super::asked::Asked;
use super::marked::MarkedText;
use super::topics::{Example, ShownTopic, WordTable};
use super::{LONGEST_NAME, LONGEST_WORD};
use crate::Report;
use crate::html::shown;

/// The largest number of documents that illustrate a topic.
const EXAMPLES: usize = 5;

/// Bytes of a document's text that are embedded, and of the passage that illustrates a topic.
const EXCERPT: usize = 1400;
const PASSAGE: usize = 320;

/// Bytes of a text in which a passage is searched.
const LOOKED_AT: usize = 1 << 20;

/// Number of words shown for a document given as counts.
const BAG: usize = 40;

/// Number of words listed that point to the topic.
const PULLS: usize = 8;

/// Topics of a document with a smaller share are left out.
const LEAST_SHARE: f64 = 0.01;

/// The documents of a page.
pub struct Documents {
    /// Number of documents.
    pub n_all: usize,
    /// Number of documents without a word that the model knows.
    pub n_without_words: usize,
    /// The share of the words that the model does not know.
    pub unknown: f64,
    /// Whether the model was fitted to them.
    pub is_fitted_on: bool,
    /// Whether text is embedded.
    pub has_text: bool,
    /// Whether the page leaves out the documents' text.
    pub is_silent: bool,
    /// Words in fewer documents than this are hidden.
    pub min_documents: usize,
    /// The documents shown, in order.
    pub shown: Vec<ShownDocument>,
}

impl Documents {
    /// A sentence on which documents are shown.
    pub fn summary(&self) -> String {
        let fitted = match self.is_fitted_on {
            true => "those the model was fitted on",
            false => "not those the model was fitted on, or counted otherwise",
        };
        let mut summary = format!("{} of {}; {fitted}", self.shown.len(), self.n_all);
        if self.n_without_words > 0 {
            summary += &format!("; {} without a word that the model knows", self.n_without_words);
        }
        if self.unknown > 0.0005 {
            summary +=
                &format!("; {:.1} % of their words are unknown to the model", 100.0 * self.unknown);
        }
        if self.is_silent {
            summary += "; their text was left out";
        }
        if self.min_documents > 1 {
            summary +=
                &format!("; words of fewer than {} documents are hidden", self.min_documents);
        }
        summary
    }
}

/// A document.
pub struct ShownDocument {
    /// Its name, or its number.
    pub name: String,
    /// Its label.
    pub label: Option<String>,
    /// Its time, as given.
    pub time: Option<String>,
    /// How many words it has.
    pub length: u64,
    /// Its topics with their shares, largest first, without the smallest.
    pub mixture: Vec<(usize, f64)>,
    /// A passage of its text.
    pub text: Option<MarkedText>,
    /// Without text: its words, their counts, and the topic each is mostly about.
    pub bag: Vec<(usize, u32, usize)>,
}

pub(super) fn gather(
    report: &Report<'_>,
    asked: &Asked<'_>,
    topics: &mut [ShownTopic],
    words: &mut WordTable,
) -> Result<Documents> {
    let (model, corpus) = (&report.saved.model, asked.corpus);
    let best = best_examples(report, asked);
    let chosen = choose(report, corpus, &best);
    let explainer = model.explainer(corpus)?;
    let explained: Vec<Explanation> = chosen.par_iter().map(|&d| explainer.explain(d)).collect();
    let texts = match report.texts.filter(|_| !report.without_text) {
        Some(texts) => read(texts, &chosen, corpus.n_documents(), report.min_documents)?,
        None => HashMap::new(),
    };
    let marked = mark(report, &chosen, &explained, &texts)?;
    let labels = asked.labels(report);
    let visible = |id: usize| asked.frequencies[id] >= report.min_documents;
    let mut shown_documents = Vec::with_capacity(chosen.len());
    for ((&d, explained), marked) in chosen.iter().zip(&explained).zip(&marked) {
        let main = explained.topics()[0];
        shown_documents.push(ShownDocument {
            name: match &report.names {
                Some(names) => shown(&names[d], LONGEST_NAME).into_owned(),
                None => shown(&corpus.document_name(d), LONGEST_NAME).into_owned(),
            },
            label: labels.as_ref().map(|labels| shown(&labels[d], LONGEST_NAME).into_owned()),
            time: report.times.as_ref().map(|times| shown(&times[d], LONGEST_NAME).into_owned()),
            length: corpus.lengths()[d],
            mixture: mixture(explained),
            text: marked.as_ref().map(|marked| marked.passage(explained, main, EXCERPT)),
            bag: match marked.is_some() || report.without_text {
                true => Vec::new(),
                false => bag(explained, &visible, words),
            },
        });
    }
    for (j, (topic, best)) in topics.iter_mut().zip(&best).enumerate() {
        for d in best {
            let Ok(place) = chosen.binary_search(d) else { continue };
            let explained = &explained[place];
            let pulls = match report.without_text {
                true => Vec::new(),
                false => pulls(explained, j, &visible),
            };
            topic.examples.push(Example {
                document: place,
                share: explained.mixture[j],
                passage: marked[place].as_ref().map(|m| m.passage(explained, j, PASSAGE)),
                pulls,
            });
        }
    }
    let (n_tokens, unknown) = (corpus.n_tokens(), asked.inferred.n_unknown_tokens);
    Ok(Documents {
        n_all: corpus.n_documents(),
        n_without_words: asked.inferred.n_without_words,
        unknown: unknown as f64 / n_tokens.max(1) as f64,
        is_fitted_on: asked.is_fitted_on,
        has_text: marked.iter().any(Option::is_some),
        is_silent: report.without_text,
        min_documents: report.min_documents,
        shown: shown_documents,
    })
}

/// The documents that illustrate each topic, as many as the page has room for.
fn best_examples(report: &Report<'_>, asked: &Asked<'_>) -> Vec<Vec<usize>> {
    let k = asked.inferred.mixtures.n_columns();
    let each = match report.n_documents {
        0 => 0,
        n => (n / k).clamp(1, EXAMPLES),
    };
    let mut best = best_documents(&asked.inferred.mixtures, asked.corpus.lengths(), each);
    // With fewer documents asked for than topics, the largest topics have priority.
    let mut room = report.n_documents;
    for examples in &mut best {
        examples.truncate(room);
        room = room.saturating_sub(examples.len());
    }
    best
}

/// The documents that are shown, in order.
fn choose(report: &Report<'_>, corpus: &Corpus, best: &[Vec<usize>]) -> Vec<usize> {
    let n = corpus.n_documents();
    if n <= report.n_documents {
        return (0..n).collect();
    }
    let mut chosen: Vec<usize> = best.iter().flatten().copied().collect();
    chosen.sort_unstable();
    chosen.dedup();
    let mut others: Vec<(u64, usize)> = (0..n)
        .filter(|d| chosen.binary_search(d).is_err())
        .map(|d| (corpus.document_key(d), d))
        .collect();
    others.sort_unstable();
    let room = report.n_documents.saturating_sub(chosen.len());
    chosen.extend(others.into_iter().take(room).map(|(_, d)| d));
    chosen.sort_unstable();
    chosen
}

/// The texts of some documents; words in few documents are hidden if asked for.
fn read(
    texts: &crate::Texts<'_>,
    chosen: &[usize],
    n_documents: usize,
    min_documents: usize,
) -> Result<HashMap<usize, String>> {
    let (mut kept, mut spread) = (HashMap::new(), WordSpread::default());
    let mut n = 0;
    texts(&mut |d, text| {
        n += 1;
        let text = beginning(text);
        if min_documents > 1 {
            spread.add(text);
        }
        if chosen.binary_search(&d).is_ok() {
            kept.insert(d, text.to_owned());
        }
    })?;
    if n != n_documents {
        return Err(Error::Option {
            name: "texts",
            needed: format!("one for each of {n_documents} documents"),
            found: n.to_string(),
        });
    }
    if min_documents > 1 {
        kept.values_mut().for_each(|text| *text = spread.hidden(text, min_documents));
    }
    Ok(kept)
}

fn beginning(text: &str) -> &str {
    let end = (0..=LOOKED_AT.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

/// The text of a document with the words that the model knows.
struct Known {
    text: String,
    marks: Vec<svtd::text::Mark>,
}

fn mark(
    report: &Report<'_>,
    chosen: &[usize],
    explained: &[Explanation],
    texts: &HashMap<usize, String>,
) -> Result<Vec<Option<Known>>> {
    let default = Preprocessing::new();
    let how = report.saved.word_choice.as_ref().map_or(&default, |choice| &choice.preprocessing);
    let marker = Marker::new(how, report.saved.model.topics().vocabulary())?;
    let known = |(d, _): (&usize, &Explanation)| {
        let text = shown(texts.get(d)?, LOOKED_AT).into_owned();
        let marks = marker.marks(&text);
        Some(Known { text, marks })
    };
    Ok(chosen.par_iter().zip(explained).map(known).collect())
}

impl Known {
    /// The passage of a given length where a topic is densest, with all topics marked.
    fn passage(&self, explained: &Explanation, topic: usize, most: usize) -> MarkedText {
        let words: HashMap<usize, &[f64]> =
            explained.words.iter().map(|word| (word.id, word.pulls.as_slice())).collect();
        let counts: HashMap<usize, f64> =
            explained.words.iter().map(|word| (word.id, f64::from(word.count))).collect();
        let pull = |mark: &svtd::text::Mark| {
            let pulls = words.get(&mark.word)?;
            // The pull of all occurrences, divided equally among them.
            Some((mark.range.clone(), pulls[topic] / counts[&mark.word]))
        };
        let pulls: Vec<(Range<usize>, f64)> = self.marks.iter().filter_map(pull).collect();
        let range = densest_passage(&self.text, &pulls, most);
        let inside = |mark: &&svtd::text::Mark| {
            mark.range.start >= range.start && mark.range.end <= range.end
        };
        let moved = |mark: &svtd::text::Mark| {
            let place = mark.range.start - range.start..mark.range.end - range.start;
            Some((place, strongest(words.get(&mark.word)?)))
        };
        MarkedText {
            marks: self.marks.iter().filter(inside).filter_map(moved).collect(),
            cut: [range.start > 0, range.end < self.text.trim_end().len()],
            text: self.text[range].to_owned(),
        }
    }
}

/// The topic to which a word points most.
fn strongest(pulls: &[f64]) -> usize {
    (1..pulls.len()).fold(0, |best, j| if pulls[j] > pulls[best] { j } else { best })
}

fn mixture(explained: &Explanation) -> Vec<(usize, f64)> {
    let order = explained.topics().into_iter().map(|j| (j, explained.mixture[j]));
    let mut mixture: Vec<(usize, f64)> = order.collect();
    let n = mixture.iter().take_while(|(_, share)| *share >= LEAST_SHARE).count();
    mixture.truncate(n.max(1));
    mixture
}

/// The words of a document with the strongest pulls, to any topic.
fn bag(
    explained: &Explanation,
    visible: &dyn Fn(usize) -> bool,
    words: &mut WordTable,
) -> Vec<(usize, u32, usize)> {
    let mut order: Vec<_> = explained.words.iter().filter(|word| visible(word.id)).collect();
    let most = |pulls: &[f64]| pulls[strongest(pulls)];
    order.sort_by(|a, b| most(&b.pulls).total_cmp(&most(&a.pulls)));
    let entry = |word: &svtd::inference::ExplainedWord| {
        (words.place(word.id), word.count, strongest(&word.pulls))
    };
    order.into_iter().take(BAG).map(entry).collect()
}

fn pulls(
    explained: &Explanation,
    topic: usize,
    visible: &dyn Fn(usize) -> bool,
) -> Vec<(String, f64)> {
    let strongest = explained.strongest(topic, explained.words.len());
    let visible = strongest.into_iter().filter(|word| visible(word.id)).take(PULLS);
    visible.map(|word| (shown(&word.word, LONGEST_WORD).into_owned(), word.pulls[topic])).collect()
}
