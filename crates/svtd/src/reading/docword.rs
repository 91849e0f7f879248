//! The docword file, the format of the UCI bag-of-words collections: its header, and writing one.
//!
//! ```text
//! 3            documents
//! 5            words
//! 4            entries, one on each line below
//! 1 2 1        document 1 holds word 2 once
//! 1 5 3
//! 2 2 2
//! 3 1 1
//! ```
//!
//! The words themselves are in a second file: `vocab.kos.txt` for `docword.kos.txt`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::entries::{Header, nouns, whole_number};
use super::source::{Source, line_error, quoted};
use crate::corpus::Corpus;
use crate::error::Result;

/// Reads the header; `first_line` was already taken from the source.
pub(super) fn header(first_line: &[u8], source: &mut Source, transposed: bool) -> Result<Header> {
    let [row, column] = nouns(transposed);
    let rows = number(
        source.path(),
        1,
        first_line,
        &format!("the number of {row}s (docword) or another table of counts"),
    )?;
    let columns = next_number(source, &format!("the number of {column}s"))?;
    let n_entries = next_number(source, "the number of entries")?;
    Ok(Header {
        n_rows: at_most_u32(source, 1, rows, row)?,
        n_columns: at_most_u32(source, 2, columns, column)?,
        n_entries,
        ones: false,
        rows_line: 1,
        columns_line: 2,
        transposed,
    })
}

/// The vocabulary file that usually accompanies this file, if it exists.
pub(super) fn vocabulary_beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_prefix("docword.")?;
    let name = [".gz", ".zst"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(name);
    ["", ".gz", ".zst"]
        .map(|ending| format!("vocab.{name}{ending}"))
        .map(|file| path.with_file_name(file))
        .into_iter()
        .find(|file| file.is_file())
}

/// Writes the counts; documents in order, their words by id.
pub(super) fn write(corpus: &Corpus, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n{}\n{}", corpus.n_documents(), corpus.n_words(), corpus.n_nonzeros())?;
    let mut words = Vec::new();
    for d in 0..corpus.n_documents() {
        words.clear();
        words.extend(corpus.document(d).words());
        words.sort_unstable();
        for (word, count) in &words {
            writeln!(out, "{} {} {count}", d + 1, word + 1)?;
        }
    }
    Ok(())
}

/// Returns an error for a declared size that does not fit in 32 bits.
pub(super) fn at_most_u32(source: &Source, line: u64, declared: u64, what: &str) -> Result<u32> {
    u32::try_from(declared).map_err(|_| {
        let most = u32::MAX;
        let reason =
            format!("{declared} {what}s declared, more than can be numbered; the most is {most}");
        source.error_at(line, reason)
    })
}

fn next_number(source: &mut Source, what: &str) -> Result<u64> {
    let path = source.path().to_owned();
    match source.next_line()?.map(<[u8]>::to_vec) {
        Some(line) => number(&path, source.line(), &line, what),
        None => Err(source.error(format!("the file ends before {what}"))),
    }
}

fn number(path: &str, line: u64, text: &[u8], what: &str) -> Result<u64> {
    let field = text.trim_ascii();
    whole_number(field).ok_or_else(|| {
        let reason = format!("expected {what}, found {}", quoted(field));
        line_error(path, line, reason)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let mut builder = Corpus::builder(4);
        for document in [vec![(3, 2), (0, 1)], vec![], vec![(1, 7)]] {
            builder.push_document(document).unwrap();
        }
        let corpus = builder.build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docword.some.txt");
        let mut text = Vec::new();
        corpus.write_docword(&mut text).unwrap();
        assert_eq!(text, b"3\n4\n3\n1 1 1\n1 4 2\n3 2 7\n");
        std::fs::write(&path, text).unwrap();
        assert_eq!(Corpus::read(&path).unwrap().digest(), corpus.digest());
    }

    #[test]
    fn the_vocabulary_beside_shares_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let vocabulary = folder.path().join("vocab.kos.txt");
        std::fs::write(&vocabulary, "a\n").unwrap();
        let beside = |name: &str| vocabulary_beside(&folder.path().join(name));
        assert_eq!(beside("docword.kos.txt"), Some(vocabulary.clone()));
        assert_eq!(beside("docword.kos.txt.gz"), Some(vocabulary.clone()));
        assert_eq!(beside("docword.nips.txt"), None);
        assert_eq!(beside("kos.txt"), None);
    }
}
