//! A passage of a document, with its words marked by topic.

use std::ops::Range;

/// A text and the topics of its words.
pub struct MarkedText {
    /// The text.
    pub text: String,
    /// Where words of topics are, and the topic each is mostly about.
    pub marks: Vec<(Range<usize>, usize)>,
    /// Whether text was cut before and after.
    pub cut: [bool; 2],
}
