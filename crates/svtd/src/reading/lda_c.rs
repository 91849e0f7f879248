//! LDA-C, the format of Blei's program and of gensim's `BleiCorpus`: one document per line.
//!
//! ```text
//! 2 0:1 4:3        two different words: word 0 once, word 4 three times
//! 0                an empty document
//! 1 1:2
//! ```
//!
//! Words are numbered from 0. The first number is how many pairs follow, which detects a truncated line.

use super::entries::{Table, fields, whole_count, whole_number};
use super::rows::Rows;
use super::source::{Source, quoted};
use crate::error::Result;

/// The longest line of a table of documents, in bytes.
pub(super) const LONGEST_LINE: usize = 256 << 20;

/// Reads every document.
pub(super) fn read(source: &mut Source, n_words: usize) -> Result<Table> {
    source.allow_lines_of(LONGEST_LINE);
    let mut rows = Rows::new(source.limit());
    let mut empty_line = None;
    while let Some(line) = source.next_line()? {
        let outcome = match line.trim_ascii() {
            b"" => Ok(false),
            line => push_document(&mut rows, line).map(|()| true),
        };
        let number = source.line();
        match (outcome, empty_line) {
            (Ok(false), _) => empty_line = empty_line.or(Some(number)),
            (Ok(true), Some(empty)) => {
                let reason = "expected a document, found an empty line; one without words is \"0\"";
                return Err(source.error_at(empty, reason));
            }
            (Ok(true), None) => {}
            (Err(reason), _) => return Err(source.error_at(number, reason)),
        }
    }
    Ok(rows.into_table(n_words))
}

fn push_document(rows: &mut Rows, line: &[u8]) -> Result<(), String> {
    let mut parts = fields(line);
    let front = parts.next().unwrap_or_default();
    let declared = whole_number(front)
        .ok_or_else(|| format!("expected the number of pairs in front, found {}", quoted(front)))?;
    let mut found = 0;
    for part in parts {
        let (word, count) = pair(part)?;
        rows.push(word, count);
        found += 1;
    }
    if found != declared {
        return Err(format!("declared {declared} pairs, found {found}: is the line cut short?"));
    }
    rows.end_document().map_err(|word| format!("word {word} is counted twice in this document"))
}

/// A word and its count, from `word:count`.
pub(super) fn pair(part: &[u8]) -> Result<(u32, u32), String> {
    let expected = || format!("expected word:count, found {}", quoted(part));
    let colon = part.iter().position(|&b| b == b':').ok_or_else(expected)?;
    let word = whole_number(&part[..colon]).ok_or_else(expected)?;
    // Below the largest number, so that the number of words fits too.
    let word = u32::try_from(word).ok().filter(|&word| word < u32::MAX);
    let word = word.ok_or_else(|| format!("a word number of {} is too large", quoted(part)))?;
    Ok((word, whole_count(&part[colon + 1..])?))
}
