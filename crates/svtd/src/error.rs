//! Errors, with messages for the user.
//!
//! There is one error type for the whole library, so that callers need one `match` and stages compose with `?`. A
//! message is a sentence without capital or full stop: what was found, what was needed and, where possible, what to
//! try. The fields carry the same facts for programs; [`Error::kind`] sorts errors into the three cases that a
//! command line or a Python binding treats differently.

use std::io;

/// The result of anything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in this library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More topics than words: their word distributions could not be independent.
    #[error("{asked} topics asked of a vocabulary of {words} words; ask for {words} or fewer")]
    TooManyTopics {
        /// Topics asked for.
        asked: usize,
        /// Words that occur in the corpus.
        words: usize,
    },

    /// More topics than documents: each document contributes at most one direction to the pair moment.
    #[error("{}", more_topics_than_documents(*asked, *documents))]
    MoreTopicsThanDocuments {
        /// Topics asked for.
        asked: usize,
        /// Number of documents with at least two words.
        documents: usize,
    },

    /// A number of the fit is infinite or NaN.
    #[error(
        "the fit ended with {what} that is not a finite number, so there is no model; are some counts \
         far larger than others? try fewer topics, or counts cut off at a million"
    )]
    NotFinite {
        /// The number, to follow "with".
        what: String,
    },

    /// More memory is needed than is available.
    #[error("{what} takes about {}, more than this machine can give; {advice}", crate::bytes::readable(*bytes))]
    Memory {
        /// What the memory is for.
        what: String,
        /// Number of bytes needed.
        bytes: u64,
        /// What to try.
        advice: &'static str,
    },

    /// The memory limit is too low.
    #[error("a limit of {} on memory is too low; ask for {} or more", crate::bytes::readable(*asked), crate::bytes::readable(*least))]
    MemoryLimit {
        /// The limit asked for, in bytes.
        asked: u64,
        /// The lowest possible limit, in bytes.
        least: u64,
    },

    /// The disk has no room for temporary files.
    #[error(
        "a temporary file in {folder} could not grow ({source}); free some room, or name another folder"
    )]
    NoRoom {
        /// The folder of the files.
        folder: String,
        /// What the system said.
        source: io::Error,
    },

    /// A question to the holders of documents elsewhere was not answered.
    #[error("{reason}")]
    Round {
        /// What was found, what was needed and what to try.
        reason: String,
    },

    /// The pair moment has fewer directions above rounding errors than topics were asked for.
    #[error("{}", fewer_topics(*asked, *visible, *ratio))]
    FewerTopicsVisible {
        /// Topics asked for.
        asked: usize,
        /// Number of topics that the pair moment can tell apart.
        visible: usize,
        /// The first eigenvalue that is lost in rounding errors, as a share of the largest.
        ratio: f64,
    },

    /// No document is long enough for a triple of words.
    #[error(
        "no document has three words, so triples cannot be counted; are the documents one word per line?"
    )]
    NoTriples,

    /// No document is long enough for a pair of words.
    #[error(
        "no document has two words, so pairs cannot be counted; are the documents one word per line?"
    )]
    NoPairs,

    /// After damping repeated words no document is long enough for a triple.
    #[error(
        "once repeated words are damped no document has three words, so the polished fit has no \
         triples to count; fit without polish"
    )]
    NoDampedTriples,

    /// `alpha0` was given for documents of one topic each.
    #[error("alpha0 is for lda; a single-topic model has no mixtures")]
    NoMixtures,

    /// Half of the corpus has no moments, so nothing can be validated on the other half.
    #[error(
        "{documents} documents are too few, too short or too much alike to choose the number of topics from; \
         give the number"
    )]
    TooFewToChoose {
        /// Number of documents of the corpus.
        documents: usize,
    },

    /// An option lies outside the values it may take.
    #[error("{name} must be {needed}, got {found}")]
    Option {
        /// The option, as the caller spells it.
        name: &'static str,
        /// What it may be, to follow "must be".
        needed: String,
        /// The value it was given.
        found: String,
    },

    /// A model file cannot be understood.
    #[error("{path}: {reason}")]
    ModelFile {
        /// The file, as the caller named it.
        path: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The operating system could not open, read or write a file.
    #[error("{path}: {}", io_sentence(source))]
    Io {
        /// The file, as the caller named it.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },

    /// Writing would have overwritten a file.
    #[error("{path} already exists; allow overwriting or choose another name")]
    Exists {
        /// The existing file.
        path: String,
    },

    /// Two vocabularies that must be the same are not.
    #[error(
        "the vocabularies do not match: needed {needed}, found {found}; is it the right vocabulary?"
    )]
    VocabularyMismatch {
        /// What the vocabulary had to be, such as `"120 words, as docword.txt declares"`.
        needed: String,
        /// What it was, such as `"119 words in vocab.txt"`.
        found: String,
    },

    /// A vocabulary lists one word twice.
    #[error(
        "the word {word:?} is listed twice in the vocabulary, at positions {first} and {second}"
    )]
    RepeatedWord {
        /// The word.
        word: String,
        /// Its first position, counted from 1.
        first: usize,
        /// Its second position, counted from 1.
        second: usize,
    },

    /// A vocabulary too large for the 32 bits that number a word.
    #[error("{found} words are more than can be numbered; the most is {}", u32::MAX)]
    TooManyWords {
        /// Words asked for.
        found: usize,
    },

    /// A line of a data file is malformed.
    #[error("{path}, line {line}: {reason}")]
    Line {
        /// The file, as the caller named it.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// What was found there and what was needed.
        reason: String,
    },

    /// A data file is malformed as a whole.
    #[error("{path}: {reason}")]
    File {
        /// The file, as the caller named it.
        path: String,
        /// What is wrong with it.
        reason: String,
    },

    /// A document given from memory is malformed.
    #[error("document {document} (counted from 0): {reason}")]
    Document {
        /// The document, counted from 0 as in [`Corpus::document`](crate::Corpus::document).
        document: usize,
        /// What is wrong with it.
        reason: String,
    },

    /// A document of a stream has no usable time.
    #[error("document {document}: {reason}; skip-bad passes over such documents")]
    Time {
        /// The document, counted from 1.
        document: u64,
        /// What was expected and what was found.
        reason: String,
    },

    /// The list of document names is not as long as the corpus.
    #[error("{names} names given for {documents} documents; give one name for each document")]
    NameCount {
        /// Names given.
        names: usize,
        /// Documents in the corpus.
        documents: usize,
    },

    /// A new document has the name of another one, and other words.
    #[error("{}", name_taken(name, *others))]
    NameTaken {
        /// The first such name.
        name: String,
        /// Number of further such names.
        others: usize,
    },

    /// Removing documents would leave no words.
    #[error(
        "without these {removed} documents no word is left; delete the corpus instead, or remove fewer"
    )]
    NothingLeft {
        /// Number of documents that were to be removed.
        removed: usize,
    },

    /// Records cannot be used for learning or prediction as they are.
    #[error("{reason}")]
    Records {
        /// What was found, what was needed and what to try.
        reason: String,
    },

    /// A cell of a table does not fit its column.
    #[error("column {column:?}, row {}: expected {needed}, found {found:?}", row + 1)]
    Cell {
        /// The column's name.
        column: String,
        /// The row, counted from 0 without the header.
        row: usize,
        /// The content of the cell.
        found: String,
        /// What the column needs.
        needed: String,
    },

    /// The corpus has no words.
    #[error(
        "the corpus has no words: not one occurrence in {documents} documents; is it the right file?"
    )]
    NoWords {
        /// Number of documents in the corpus, all of them empty.
        documents: usize,
    },

    /// Every word of the text was dropped by a filter.
    #[error("every word was dropped ({dropped}; documents: {documents}); {}", relaxed(relax, *unspaced))]
    NoWordsLeft {
        /// Number of documents read.
        documents: usize,
        /// How many words each filter dropped, such as `"40 by stop-words, 2 by min-df"`.
        dropped: String,
        /// The filter that dropped most words.
        relax: String,
        /// Whether the text is in a script without spaces between words.
        unspaced: bool,
    },
}

impl Error {
    /// Who can fix it: the caller, the owner of the data, or the machine.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Option { .. }
            | Error::NoMixtures
            | Error::Exists { .. }
            | Error::NameCount { .. } => ErrorKind::Request,
            Error::Io { .. } => ErrorKind::Io,
            _ => ErrorKind::Data,
        }
    }
}

/// The three ways to fail that a caller may wish to treat differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The call was wrong, whatever the data: an option out of range, a file in the way.
    Request,
    /// The data is malformed, or does not support what was asked of it.
    Data,
    /// A file could not be opened, read or written.
    Io,
}

fn name_taken(name: &str, others: usize) -> String {
    let more = match others {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    format!(
        "the name {name:?}{more} is taken by a document with other words; allow replacing, or rename the \
         new one"
    )
}

/// The message for more topics than documents.
fn more_topics_than_documents(asked: usize, documents: usize) -> String {
    let (have, or_fewer) =
        if documents == 1 { ("document has", "") } else { ("documents have", " or fewer") };
    format!(
        "{asked} topics asked, but only {documents} {have} two words or more, and \
         each shows one topic at most; ask for {documents}{or_fewer}"
    )
}

/// The message for more topics than the pair moment shows.
fn fewer_topics(asked: usize, visible: usize, ratio: f64) -> String {
    if visible == 0 {
        return "the corpus shows no topic at all: its words do not occur together more often than \
                the model expects; more or longer documents are needed"
            .to_owned();
    }
    let (topics, or_fewer) = if visible == 1 { ("topic", "") } else { ("topics", " or fewer") };
    format!(
        "the corpus shows {visible} {topics}, not {asked} (value {} of the pair moment is \
         {ratio:.0e} of the first); ask for {visible}{or_fewer}",
        visible + 1
    )
}

/// What to try when every word was dropped.
fn relaxed(filter: &str, unspaced: bool) -> String {
    match unspaced {
        true => "the text puts no blanks between its words (as Chinese, Japanese and Thai do), so each \
                 character was taken for a word; split it into words first, with blanks between them"
            .to_owned(),
        false => format!("relax {filter} first"),
    }
}

/// Common errors of the operating system in our own words, others in its words.
fn io_sentence(error: &io::Error) -> String {
    if error.get_ref().is_some() {
        // The error carries a sentence of our own.
        return error.to_string();
    }
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::IsADirectory => "this is a folder; a file is needed".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &'static str, needed: &str, found: &str) -> Error {
        Error::Option { name, needed: needed.to_owned(), found: found.to_owned() }
    }

    #[test]
    fn messages_say_what_was_found_needed_and_to_try() {
        let table = [
            (
                Error::TooManyTopics { asked: 12, words: 9 },
                "12 topics asked of a vocabulary of 9 words; ask for 9 or fewer",
            ),
            (
                Error::FewerTopicsVisible { asked: 6, visible: 4, ratio: 3e-17 },
                "the corpus shows 4 topics, not 6 (value 5 of the pair moment is 3e-17 of the \
                 first); ask for 4 or fewer",
            ),
            (
                Error::MoreTopicsThanDocuments { asked: 60, documents: 50 },
                "60 topics asked, but only 50 documents have two words or more, and \
                 each shows one topic at most; ask for 50 or fewer",
            ),
            (
                Error::Memory {
                    what: "a fit of 60 topics".to_owned(),
                    bytes: 3_200_000_000,
                    advice: "ask for fewer topics",
                },
                "a fit of 60 topics takes about 3.2 GB, more than this machine can give; ask for fewer \
                 topics",
            ),
            (
                option("alpha0", "a positive number", "-1"),
                "alpha0 must be a positive number, got -1",
            ),
            (
                Error::Exists { path: "a.svtd".to_owned() },
                "a.svtd already exists; allow overwriting or choose another name",
            ),
            (
                Error::Io { path: "a.txt".to_owned(), source: io::ErrorKind::NotFound.into() },
                "a.txt: there is no such file or folder",
            ),
        ];
        for (error, sentence) in table {
            assert_eq!(error.to_string(), sentence);
        }
    }

    #[test]
    fn a_wrong_option_a_poor_corpus_and_a_lost_disk_are_three_kinds() {
        let lost = Error::Io { path: "a.txt".to_owned(), source: io::ErrorKind::BrokenPipe.into() };
        assert_eq!(option("seed", "a number", "x").kind(), ErrorKind::Request);
        assert_eq!(Error::NoTriples.kind(), ErrorKind::Data);
        assert_eq!(lost.kind(), ErrorKind::Io);
    }
}
