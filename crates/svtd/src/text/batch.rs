//! Documents on their way: the stream of records, and the batches it is cut into.
//!
//! A reader does not hand out one string after the other; it appends to a [`Batch`], one long
//! string with a mark where each document ends. Whoever counts sees a few large pieces of memory
//! instead of a million small ones, and how much text is held at once is bounded by construction.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::Result;

/// Text in a batch after which it is full. A document is never divided, so a batch may end up
/// larger, by one document.
pub(super) const BATCH_BYTES: usize = 2 << 20;

/// Documents in a batch after which it is full, however short they are.
pub(super) const BATCH_DOCUMENTS: usize = 1 << 16;

/// A stream of documents, read from front to back.
pub trait Records: Send {
    /// Appends the next document to the batch; `false` when there is none.
    ///
    /// # Errors
    /// When the document cannot be read; the stream is then over.
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool>;

    /// Entries of a folder that were passed over.
    fn n_skipped_links(&self) -> u64 {
        0
    }

    /// What whoever asked for the documents should know about where they came from.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Some documents: their text or words, and what they are called.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    text: String,
    documents: Vec<Span>,
    /// Where each word of a document that came in words ends in `text`.
    word_ends: Vec<usize>,
    names: Vec<Option<String>>,
    labels: Vec<Option<String>>,
}

#[derive(Debug, Clone)]
struct Span {
    text: Range<usize>,
    words: Option<Range<usize>>,
}

/// What a document consists of.
#[derive(Debug, Clone)]
pub(crate) enum Content<'a> {
    /// Text, still to be split.
    Text(&'a str),
    /// Words that somebody else has split.
    Words { text: &'a str, start: usize, ends: &'a [usize] },
}

impl Batch {
    /// Appends a document of text.
    pub fn push(&mut self, name: Option<String>, label: Option<String>, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.finish(start, None, name, label);
    }

    /// Appends a document of words that are already parted. They are taken as they are, neither
    /// split nor put in lower case; stop words and the other filters still apply.
    pub fn push_words<'a>(
        &mut self,
        name: Option<String>,
        label: Option<String>,
        words: impl IntoIterator<Item = &'a str>,
    ) {
        let (start, first) = (self.text.len(), self.word_ends.len());
        for word in words {
            self.text.push_str(word);
            self.word_ends.push(self.text.len());
        }
        self.finish(start, Some(first..self.word_ends.len()), name, label);
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The text of each document; words that came parted are joined by spaces.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> {
        self.contents().map(|content| match content {
            Content::Text(text) => Cow::Borrowed(text),
            Content::Words { text, start, ends } => {
                let mut words = Vec::with_capacity(ends.len());
                Content::for_each_given(text, start, ends, |word| words.push(word));
                Cow::Owned(words.join(" "))
            }
        })
    }

    /// The label of each document, if it has one.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.labels.iter().map(Option::as_deref)
    }

    /// The name of each document, if it has one.
    pub fn names(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.names.iter().map(Option::as_deref)
    }

    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= BATCH_BYTES || self.len() >= BATCH_DOCUMENTS
    }

    pub(crate) fn contents(&self) -> impl ExactSizeIterator<Item = Content<'_>> {
        self.documents.iter().map(|span| match &span.words {
            None => Content::Text(&self.text[span.text.clone()]),
            Some(words) => Content::Words {
                text: &self.text,
                start: span.text.start,
                ends: &self.word_ends[words.clone()],
            },
        })
    }

    /// Names and labels, given away; the text goes.
    pub(super) fn into_names(self) -> (Vec<Option<String>>, Vec<Option<String>>) {
        (self.names, self.labels)
    }

    fn finish(
        &mut self,
        start: usize,
        words: Option<Range<usize>>,
        name: Option<String>,
        label: Option<String>,
    ) {
        self.documents.push(Span { text: start..self.text.len(), words });
        self.names.push(name);
        self.labels.push(label);
    }
}

impl<'a> Content<'a> {
    /// Calls `each` with every word that came as a word.
    pub(super) fn for_each_given(
        text: &'a str,
        start: usize,
        ends: &[usize],
        mut each: impl FnMut(&'a str),
    ) {
        let mut from = start;
        for &end in ends {
            each(&text[from..end]);
            from = end;
        }
    }
}

/// Texts in memory, without names.
pub(super) struct Texts<I>(pub(super) I);

impl<T: AsRef<str>, I: Iterator<Item = T> + Send> Records for Texts<I> {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let next = self.0.next();
        if let Some(text) = &next {
            batch.push(None, None, text.as_ref());
        }
        Ok(next.is_some())
    }
}
