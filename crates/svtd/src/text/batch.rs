//! Streams of documents, and the batches they are cut into.
//!
//! A reader does not return one string after the other; it appends to a [`Batch`], one long string with the end of
//! each document marked. The counting code gets a few large pieces of memory instead of a million small ones, and
//! the amount of text in memory is bounded.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::Result;

/// A batch is full with this many bytes of text. A document is never divided, so a batch may be larger by one
/// document.
pub(super) const BATCH_BYTES: usize = 2 << 20;

/// A batch is full with this many documents, however short they are.
pub(super) const BATCH_DOCUMENTS: usize = 1 << 16;

/// A stream of documents, read from front to back.
pub trait Records: Send {
    /// Appends the next document to the batch; `false` when there is none.
    ///
    /// # Errors
    /// When the document cannot be read; the stream is then over.
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool>;

    /// Number of links in a folder that were skipped.
    fn n_skipped_links(&self) -> u64 {
        0
    }

    /// Remarks for the user about the source of the documents.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Some documents: their text or words, names and labels.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    text: String,
    documents: Vec<Span>,
    /// For documents given as words: where each word ends in `text`.
    word_ends: Vec<usize>,
    names: Vec<Option<String>>,
    labels: Vec<Option<String>>,
}

#[derive(Debug, Clone)]
struct Span {
    text: Range<usize>,
    words: Option<Range<usize>>,
}

/// The content of a document.
#[derive(Debug, Clone)]
pub(crate) enum Content<'a> {
    /// Text, still to be split.
    Text(&'a str),
    /// Words of a text that the caller has already split.
    Words { text: &'a str, start: usize, ends: &'a [usize] },
}

impl Batch {
    /// Appends a document of text.
    pub fn push(&mut self, name: Option<String>, label: Option<String>, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.finish(start, None, name, label);
    }

    /// Appends a document of words that are already split. They are not split again or put in lower case; stop
    /// words and the other filters still apply.
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

    /// The text of each document; words that came already split are joined by spaces.
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

    /// The names and labels; the text is dropped.
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
    /// Calls `each` with every word of documents that came already split.
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
