//! One HTML file that shows what a model found and how reliable it is.
//!
//! ```text
//! model, documents ──► context ──► render ──► one HTML file
//!                      what is     page.html, page.css, page.js,
//!                      shown       tables and SVG
//! ```
//!
//! [`context`] gets everything that is shown from the library and computes nothing itself; [`render`] lays it out.
//! The page loads nothing, and its own policy forbids it to; the same input gives the same bytes. [`figure`] is the
//! only module of the workspace that draws SVG.
//!
//! # Example
//! ```
//! use svtd::persist::Saved;
//! use svtd::{Corpus, Model, SingleTopic};
//! use svtd_report::Report;
//!
//! # fn main() -> svtd::Result<()> {
//! let mut builder = Corpus::builder(4);
//! for _ in 0..20 {
//!     builder.push_document([(0, 3), (1, 2)])?;
//!     builder.push_document([(2, 4), (3, 1)])?;
//! }
//! let corpus = builder.build()?;
//! let model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus)?);
//! let saved = Saved::new(model, &corpus);
//! let page = Report::new(&saved).documents(&corpus).to_html()?;
//! assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("http://example"));
//! # Ok(())
//! # }
//! ```

pub mod context;
mod draw;
pub mod figure;
mod html;
mod pack;
pub mod render;

use svtd::choosing::Sweep;
use svtd::persist::Saved;
use svtd::{Corpus, Result};

pub use self::html::escape;
pub use self::render::STYLE;

/// Calls a visitor with the number and text of every document, in order.
pub type Texts<'a> = dyn Fn(&mut dyn FnMut(usize, &str)) -> Result<()> + 'a;

/// The content of a page, and what it leaves out.
#[derive(Clone)]
pub struct Report<'a> {
    saved: &'a Saved,
    documents: Option<&'a Corpus>,
    texts: Option<&'a Texts<'a>>,
    names: Option<Vec<String>>,
    times: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    sweep: Option<&'a Sweep>,
    title: Option<String>,
    made: Made,
    n_documents: usize,
    n_words: usize,
    without_text: bool,
    min_documents: usize,
}

/// How a page was made, for its last section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// The command or call that made the page.
    pub command: String,
    /// The commands that make model and page again.
    pub again: Vec<String>,
}

/// The default number of documents shown.
pub const N_DOCUMENTS: usize = 500;

/// The default number of words shown of each topic.
pub const N_WORDS: usize = 20;

impl<'a> Report<'a> {
    /// A page about the model only.
    pub fn new(saved: &'a Saved) -> Self {
        Self {
            saved,
            documents: None,
            texts: None,
            names: None,
            times: None,
            labels: None,
            sweep: None,
            title: None,
            made: Made::default(),
            n_documents: N_DOCUMENTS,
            n_words: N_WORDS,
            without_text: false,
            min_documents: 1,
        }
    }

    /// Shows these documents: mixtures, examples, and labels if they have some.
    pub fn documents(mut self, corpus: &'a Corpus) -> Self {
        self.documents = Some(corpus);
        self
    }

    /// The text of the documents. A passage is embedded for each example, nothing for other documents.
    pub fn texts(mut self, texts: &'a Texts<'a>) -> Self {
        self.texts = Some(texts);
        self
    }

    /// The name of each document, instead of those in the corpus.
    pub fn names(mut self, names: Vec<String>) -> Self {
        self.names = Some(names);
        self
    }

    /// The time of each document: years, months or dates. Other values are left out and counted.
    pub fn times(mut self, times: Vec<String>) -> Self {
        self.times = Some(times);
        self
    }

    /// The label of each document, instead of those in the corpus.
    pub fn labels(mut self, labels: Vec<String>) -> Self {
        self.labels = Some(labels);
        self
    }

    /// A comparison of numbers of topics.
    pub fn sweep(mut self, sweep: &'a Sweep) -> Self {
        self.sweep = Some(sweep);
        self
    }

    /// The title of the page.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// How the page was made.
    pub fn made(mut self, made: Made) -> Self {
        self.made = made;
        self
    }

    /// How many documents are shown at most.
    pub fn n_documents(mut self, n: usize) -> Self {
        self.n_documents = n;
        self
    }

    /// How many words of each topic are shown.
    pub fn n_words(mut self, n: usize) -> Self {
        self.n_words = n.max(1);
        self
    }

    /// Leaves out the documents' text: no text, no passage, no words of a single document.
    pub fn without_text(mut self, without: bool) -> Self {
        self.without_text = without;
        self
    }

    /// Hides words that are in fewer documents than this.
    pub fn min_documents(mut self, n: usize) -> Self {
        self.min_documents = n;
        self
    }

    /// The page.
    ///
    /// # Errors
    /// When the documents have no words in common with the model, when there are not as many texts,
    /// times or labels as documents, or when reading the texts fails.
    pub fn to_html(&self) -> Result<String> {
        Ok(render::page(&context::Context::gather(self)?))
    }
}
