//! The content of a page, gathered from library calls.
//!
//! Nothing is computed here that the library does not compute: this module asks, selects and shortens. The content
//! of a [`Context`] is safe to show (control characters replaced, long strings cut) but not yet escaped for HTML;
//! [`render`](crate::render) does that.

mod asked;
mod documents;
mod groups;
mod marked;
mod topics;

use sha2::{Digest, Sha256};
use svtd::choosing::{Choice, Sweep};
use svtd::evaluation::TopicMap;
use svtd::model::{Diagnostics, Kind, Verdict};
use svtd::{Error, Model, Result};

pub use self::documents::{Documents, ShownDocument};
pub use self::groups::{Groups, Span};
pub use self::marked::MarkedText;
pub use self::topics::{Example, ShownTopic, ShownWord, WordTable};
use crate::Report;
use crate::html::shown;

/// The largest number of characters of a word, and of a name or label.
pub(crate) const LONGEST_WORD: usize = 60;
pub(crate) const LONGEST_NAME: usize = 160;

/// The content of a page.
pub struct Context {
    /// The title of the page.
    pub title: String,
    /// Whether documents mix topics.
    pub is_mixed: bool,
    /// What was found, how reliable it is, and what to do about it.
    pub verdict: Verdict,
    /// The diagnostics of the fit.
    pub diagnostics: Diagnostics,
    /// How the number of topics was chosen, if the data chose it.
    pub chosen: Option<String>,
    /// All words that are shown.
    pub words: WordTable,
    /// Number of words of a topic that are shown at once.
    pub n_words: usize,
    /// The topics, by falling share.
    pub topics: Vec<ShownTopic>,
    /// The distances between them.
    pub map: TopicMap,
    /// The comparison of numbers of topics.
    pub sweep: Option<Sweep>,
    /// Shares over time.
    pub time: Option<Groups>,
    /// Shares by label.
    pub label: Option<Groups>,
    /// The documents.
    pub documents: Option<Documents>,
    /// SHA-256 of the corpus to which the model was fitted.
    pub corpus_digest: String,
    /// How it was made: names and values.
    pub made: Vec<(String, String)>,
    /// The commands that make it again.
    pub again: Vec<String>,
}

impl Context {
    /// Gathers everything from the library.
    ///
    /// # Errors
    /// As [`Report::to_html`].
    pub fn gather(report: &Report<'_>) -> Result<Self> {
        check(report)?;
        let saved = report.saved;
        let model = &saved.model;
        let map = model.topics().map();
        let asked = asked::Asked::of(report)?;
        let mut words = WordTable::default();
        let mut topics = topics::gather(report, &map, asked.as_ref(), &mut words)?;
        words.end_of_topics();
        let shares = asked.as_ref().and_then(|asked| asked.shares.as_ref());
        let time = shares.and_then(|shares| groups::over_time(report, shares));
        let label = asked
            .as_ref()
            .zip(shares)
            .and_then(|(asked, shares)| groups::by_label(report, asked, shares));
        let documents = match &asked {
            Some(asked) => Some(documents::gather(report, asked, &mut topics, &mut words)?),
            None => None,
        };
        words.name(model.topics());
        let title = report.title.clone().unwrap_or_else(|| title(model));
        Ok(Self {
            title: shown(&title, LONGEST_NAME).into_owned(),
            is_mixed: model.kind() == Kind::Lda,
            verdict: model.verdict(),
            diagnostics: model.diagnostics().clone(),
            chosen: model.options().chosen.as_ref().map(chosen),
            words,
            n_words: report.n_words,
            topics,
            map,
            sweep: report.sweep.cloned(),
            time,
            label,
            corpus_digest: saved.corpus_digest.clone(),
            made: made(report, documents.as_ref())?,
            documents,
            again: report.made.again.iter().map(|l| shown(l, 4000).into_owned()).collect(),
        })
    }
}

/// Returns an error for inputs that do not fit together.
fn check(report: &Report<'_>) -> Result<()> {
    let n = report.documents.map(svtd::Corpus::n_documents);
    for (name, list) in
        [("names", &report.names), ("time", &report.times), ("labels", &report.labels)]
    {
        let Some(list) = list else { continue };
        if n != Some(list.len()) {
            return Err(Error::Option {
                name,
                needed: match n {
                    Some(n) => format!("one for each of {n} documents"),
                    None => "documents to belong to".to_owned(),
                },
                found: list.len().to_string(),
            });
        }
    }
    if report.min_documents > 1 && n.is_none() {
        return Err(Error::Option {
            name: "min-documents",
            needed: "the documents, because a model does not know how many have a word".to_owned(),
            found: report.min_documents.to_string(),
        });
    }
    Ok(())
}

/// How the data chose the number of topics.
fn chosen(choice: &Choice) -> String {
    let (k, clear) = (choice.n_topics, choice.n_clear());
    if choice.nothing_came_back() {
        return format!(
            "The data chose {k} topics, but no topic comes back in independent halves of the documents."
        );
    }
    match &choice.kept {
        _ if !choice.counted.is_empty() => format!(
            "The data chose {k} topics: at least as many come back in independent halves of the documents."
        ),
        Some(kept) => format!(
            "The data chose {k} topics: {clear} directions have a z-score above 3, and the evidence supports {} topics.",
            kept.n_topics
        ),
        None => format!("The data chose {k} topics: {clear} directions have a z-score above 3."),
    }
}

fn title(model: &Model) -> String {
    let (k, n) = (model.topics().len(), model.diagnostics().n_documents);
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    format!("{k} topic{} of {n} document{}", plural(k), plural(n))
}

/// How the page was made.
fn made(report: &Report<'_>, documents: Option<&Documents>) -> Result<Vec<(String, String)>> {
    let saved = report.saved;
    let model = &saved.model;
    let mut made: Vec<(String, String)> = Vec::new();
    let mut add =
        |what: &str, value: String| made.push((what.to_owned(), shown(&value, 2000).into_owned()));
    if !report.made.command.is_empty() {
        add("Command", report.made.command.clone());
    }
    add(
        "Version",
        format!("svtd {} made the page, {} the model", env!("CARGO_PKG_VERSION"), saved.library),
    );
    add(
        "Model",
        format!("{}, SHA-256 {}", model.kind(), hexadecimal(&Sha256::digest(saved.to_bytes()?))),
    );
    add("Corpus of the fit", format!("SHA-256 {}", saved.corpus_digest));
    if let Some(documents) = documents {
        add("Documents shown", documents.summary());
    }
    let options = serde_json::to_value(model.options()).unwrap_or_default();
    if let Some(options) = options.as_object() {
        let line = |(name, value): (&String, &serde_json::Value)| format!("{name}: {value}");
        let listed: Vec<String> =
            options.iter().filter(|(n, _)| *n != "chosen").map(line).collect();
        add("Options of the fit", listed.join(", "));
    }
    match &saved.word_choice {
        None => add("Words", "counted elsewhere; the model was fitted on counts".to_owned()),
        Some(choice) => {
            let dropped: Vec<String> = choice
                .dropped
                .iter()
                .map(|d| format!("{} by {} ({} occurrences)", d.n_words, d.reason, d.n_tokens))
                .collect();
            let dropped = if dropped.is_empty() { "none".to_owned() } else { dropped.join(", ") };
            add("Words", format!("{} kept; dropped: {dropped}", choice.n_kept));
            let settings = serde_json::to_value(&choice.preprocessing).unwrap_or_default();
            let line = |(name, value): (&String, &serde_json::Value)| match value {
                // A list of stop words is named, not written out.
                serde_json::Value::Object(map) if map.contains_key("listed") => {
                    format!("{name}: {}", map["listed"]["name"])
                }
                _ => format!("{name}: {value}"),
            };
            let listed: Vec<String> =
                settings.as_object().into_iter().flatten().map(line).collect();
            add("How text became words", listed.join(", "));
        }
    }
    Ok(made)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
