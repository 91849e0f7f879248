//! Files of counts into a corpus.
//!
//! Which format a file has is told by how it begins, not by what it is called; the one place that
//! decides is `read_header`, where further formats will be added. The rest is the same for
//! all: find the words, read the entries, build the corpus, and if a word was counted twice go
//! back and look up on which lines.

use std::path::{Path, PathBuf};

use super::entries::{self, Header};
use super::source::{Source, line_error};
use super::{Corpus, CorpusBuilder, Vocabulary, docword, matrix_market};
use crate::error::{Error, Result};

/// A vocabulary that nobody confirms may have this many words, and 50 more for each entry.
const PLAUSIBLE_WORDS: u64 = 1_000_000;

/// How to read a corpus from a file of counts.
///
/// Two formats are known, each plain or compressed with gzip:
///
/// - docword, of the UCI bag-of-words collections: three lines with the numbers of documents,
///   words and entries, then lines of `document word count`. The file `vocab.NAME.txt` beside
///   `docword.NAME.txt` gives the words.
/// - MatrixMarket coordinate files with documents as rows, of type integer, real (if all values
///   are whole) or pattern.
///
/// Ids start from 1 and lines may come in any order. Entries with a count of zero are left out
/// and tallied in the [report](Corpus::report), whose notes also say when no vocabulary was found.
///
/// # Example
/// ```no_run
/// use svtd::CorpusReader;
///
/// let corpus = CorpusReader::new()
///     .vocabulary_file("words.txt")
///     .read("counts.mtx.gz")?;
/// # Ok::<(), svtd::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CorpusReader {
    vocabulary_file: Option<PathBuf>,
}

impl CorpusReader {
    /// A reader that looks for the vocabulary where its format keeps it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the words from this file, one word a line in the order of their ids.
    pub fn vocabulary_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.vocabulary_file = Some(path.into());
        self
    }

    /// Reads a corpus.
    ///
    /// # Errors
    /// If a file cannot be read or is malformed, in which case the message names the line; if
    /// the vocabulary has not as many words as the counts; if no word occurs at all.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Corpus> {
        let path = path.as_ref();
        let mut source = Source::open(path)?;
        let header = read_header(&mut source)?;
        let vocabulary = self.find_vocabulary(path, &header)?;
        let table = entries::read(&mut source, &header)?;
        let (vocabulary, notes) = match vocabulary {
            Some(vocabulary) => (vocabulary, vec![]),
            None => numbered_vocabulary(&source, &header)?,
        };
        let corpus = CorpusBuilder::from_rows(table.rows)
            .zero_entries(table.n_zeros)
            .vocabulary(vocabulary)
            .notes(notes)
            .build()?;
        check_repeats(&corpus, path)?;
        Ok(corpus)
    }

    /// The vocabulary asked for, or else the one beside the file. It is read before the entries,
    /// which may take minutes to fetch only to be turned away.
    fn find_vocabulary(&self, path: &Path, header: &Header) -> Result<Option<Vocabulary>> {
        let asked = self.vocabulary_file.clone();
        let Some(file) = asked.or_else(|| docword::vocabulary_beside(path)) else {
            return Ok(None);
        };
        let vocabulary = Vocabulary::read(&file)?;
        if vocabulary.len() == header.n_words as usize {
            return Ok(Some(vocabulary));
        }
        Err(Error::VocabularyMismatch {
            needed: format!("{} words, as {} declares", header.n_words, path.display()),
            found: format!("{} words in {}", vocabulary.len(), file.display()),
        })
    }
}

/// Tells the format by its first line and reads its header.
fn read_header(source: &mut Source) -> Result<Header> {
    let Some(first_line) = source.next_line()?.map(<[u8]>::to_vec) else {
        return Err(source.error("the file is empty; expected a table of counts"));
    };
    let start = first_line.get(..matrix_market::BANNER.len());
    if start.is_some_and(|s| s.eq_ignore_ascii_case(matrix_market::BANNER)) {
        matrix_market::header(&first_line, source)
    } else {
        docword::header(&first_line, source)
    }
}

/// Numbers for words, if there are not absurdly many, and a note that says so.
fn numbered_vocabulary(source: &Source, header: &Header) -> Result<(Vocabulary, Vec<String>)> {
    let (words, entries) = (u64::from(header.n_words), header.n_entries);
    if words > entries.saturating_mul(50).saturating_add(PLAUSIBLE_WORDS) {
        let reason = format!(
            "{words} words declared for {entries} entries; if that is right, give a vocabulary file"
        );
        return Err(source.error_at(header.words_line, reason));
    }
    let note =
        format!("{}: no vocabulary found, so the words are called 1 to {words}", source.path());
    Ok((Vocabulary::numbered(header.n_words as usize), vec![note]))
}

/// Refuses a corpus that counts a word of a document twice, naming the lines.
fn check_repeats(corpus: &Corpus, path: &Path) -> Result<()> {
    let Some((row, feature)) = corpus.rows().first_repeat() else {
        return Ok(());
    };
    let (document, word) = (row as u32, corpus.word_of_feature()[feature as usize]);
    let what = format!("word {} of document {}", word + 1, document + 1);
    let name = path.display().to_string();
    Err(match lines_of(path, document, word) {
        Some((first, second)) => {
            let reason = format!("{what} was already counted on line {first}");
            line_error(&name, second, reason)
        }
        None => Error::File { path: name, reason: format!("{what} is counted twice") },
    })
}

/// The two lines, unless the file is a pipe that cannot be read again or has changed meanwhile.
fn lines_of(path: &Path, document: u32, word: u32) -> Option<(u64, u64)> {
    if !path.is_file() {
        return None;
    }
    let mut source = Source::open(path).ok()?;
    let header = read_header(&mut source).ok()?;
    entries::find_twice(&mut source, &header, document, word).ok()?
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    /// Reads `text` from a file of this name in a folder of its own.
    fn read_as(name: &str, text: &[u8]) -> Result<Corpus> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Corpus::read(&path)
    }

    fn read(text: &str) -> Corpus {
        read_as("counts.txt", text.as_bytes()).unwrap()
    }

    fn expected() -> Corpus {
        let mut builder = Corpus::builder(5);
        builder.push_document([(1, 1), (4, 3)]).unwrap();
        builder.push_document([]).unwrap();
        builder.push_document([(1, 2)]).unwrap();
        builder.build().unwrap()
    }

    #[test]
    fn one_corpus_in_every_dress_is_the_same_corpus() {
        let table = [
            "3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n",
            "3\n5\n3\n1 2 1\n1 5 3\n3 2 2",
            "3\r\n5\r\n3\r\n1 2 1\r\n1 5 3\r\n3 2 2\r\n",
            "\u{feff}3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n",
            " 3\n5 \n3\n1\t2\t1\n 1   5 3 \n3 2 \t 2\n",
            "3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n\n \n\r\n",
            "3\n5\n3\n3 2 2\n1 5 3\n1 2 1\n",
            "3\n5\n3\n1 5 3\n3 2 2\n1 2 1\n",
            "3\n5\n4\n1 2 1\n1 5 3\n2 1 0\n3 2 2\n",
            "3\n5\n3\n001 2 1\n1 00000000000005 3\n3 2 2.0\n",
            "%%MatrixMarket matrix coordinate integer general\n3 5 3\n1 2 1\n1 5 3\n3 2 2\n",
            "%%MatrixMarket matrix coordinate real general\n% a\n%\n\n3 5 3\n1 2 1.0\n1 5 3e0\n3 2 2.\n",
            "%%matrixmarket matrix coordinate unsigned-integer general\n3 5 3\n1 2 1\n1 5 3\n3 2 2\n",
        ];
        for text in table {
            assert_eq!(read(text), expected(), "{text:?}");
        }
    }

    #[test]
    fn a_compressed_file_is_the_same_corpus_whatever_its_name() {
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
        encoder.write_all(b"3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n").unwrap();
        let compressed = encoder.finish().unwrap();
        assert_eq!(read_as("counts.txt", &compressed).unwrap(), expected());
    }

    #[test]
    fn every_entry_of_a_pattern_counts_once() {
        let corpus =
            read("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1\t2\n2 1\n");
        assert_eq!(corpus.lengths(), [2, 1]);
        assert_eq!(corpus.rows().counts(), [1, 1, 1]);
    }

    #[test]
    fn explicit_zeros_are_tallied() {
        let corpus = read("1\n2\n3\n1 1 0\n1 2 4\n1 1 0\n");
        assert_eq!(corpus.report().n_zero_entries, 2);
        assert_eq!(corpus.n_nonzeros(), 1);
    }

    #[test]
    fn the_vocabulary_beside_a_docword_file_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docword.tiny.txt");
        std::fs::write(&path, "1\n2\n1\n1 2 7\n").unwrap();

        let corpus = Corpus::read(&path).unwrap();
        assert!(corpus.vocabulary().is_numbered());
        let note = &corpus.report().notes[0];
        assert!(note.ends_with("no vocabulary found, so the words are called 1 to 2"));

        std::fs::write(folder.path().join("vocab.tiny.txt"), "sole\namor\n").unwrap();
        let corpus = Corpus::read(&path).unwrap();
        assert_eq!(corpus.vocabulary().word(1), "amor");
        assert!(corpus.report().notes.is_empty());

        let other = folder.path().join("other.txt");
        std::fs::write(&other, "luna\nstelle\n").unwrap();
        let corpus = CorpusReader::new().vocabulary_file(&other).read(&path).unwrap();
        assert_eq!(corpus.vocabulary().word(1), "stelle");

        std::fs::write(&other, "luna\n").unwrap();
        let error = CorpusReader::new().vocabulary_file(&other).read(&path).unwrap_err();
        let sentence = error.to_string();
        assert!(sentence.contains("needed 2 words, as "), "{sentence}");
        assert!(sentence.contains("found 1 words in "), "{sentence}");
    }

    #[test]
    fn blocks_and_lines_are_counted_across_the_buffer() {
        // Three megabytes of good lines, then one bad one.
        let n = 250_000;
        let lines: String = (1..=n).map(|d| format!("{d} {} 1\n", d % 9 + 1)).collect();
        assert_eq!(read(&format!("{n}\n9\n{n}\n{lines}")).n_tokens(), n);
        let bad = format!("{n}\n9\n{}\n{lines}1 1 x\n", n + 1);
        let error = read_as("counts.txt", bad.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("line 250004: "), "{error}");
    }

    /// Distinct `(document, word)` cells, each with a count, in shuffled order.
    fn shuffled_entries() -> impl Strategy<Value = Vec<((u32, u32), u32)>> {
        proptest::collection::btree_map((1..8_u32, 1..10_u32), 1..5_u32, 1..40)
            .prop_map(|cells| cells.into_iter().collect::<Vec<_>>())
            .prop_shuffle()
    }

    fn docword_text(entries: &[((u32, u32), u32)]) -> String {
        let mut text = format!("7\n9\n{}\n", entries.len());
        text.extend(entries.iter().map(|((d, w), c)| format!("{d} {w} {c}\n")));
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_order_of_lines_changes_nothing(entries in shuffled_entries()) {
            let mut sorted = entries.clone();
            sorted.sort();
            let (shuffled, sorted) = (read(&docword_text(&entries)), read(&docword_text(&sorted)));
            prop_assert_eq!(shuffled.digest(), sorted.digest());
            prop_assert_eq!(shuffled, sorted);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(
            text in proptest::collection::vec(
                proptest::sample::select(b"0123459 \t\r\n.-ex%\xff".to_vec()), 0..60),
            after_header in any::<bool>(),
        ) {
            let header: &[u8] = if after_header { b"2\n2\n2\n" } else { b"" };
            let _ = read_as("counts.txt", &[header, &text].concat());
        }
    }

    #[test]
    #[ignore = "a timing: run it alone, in release mode, with --nocapture"]
    #[allow(clippy::print_stderr, reason = "a timing is there to be seen")]
    fn five_million_lines_are_read_in_a_blink() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docword.large.txt");
        let (n_documents, n_words, row_length) = (50_000, 100_000, 100_u32);
        let n_entries = n_documents * row_length;
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
        writeln!(file, "{n_documents}\n{n_words}\n{n_entries}").unwrap();
        for document in 1..=n_documents {
            // Words ascend by uneven steps, as in a real file.
            let mut word = 0;
            for i in 0..row_length {
                let noise = (document ^ i.wrapping_mul(2_654_435_761)).wrapping_mul(0x9e37_79b9);
                word += 1 + (noise >> 16) % (n_words / row_length);
                writeln!(file, "{document} {word} {}", 1 + (noise >> 28) / 6).unwrap();
            }
        }
        file.flush().unwrap();
        drop(file);
        let rate = |what: &str, seconds: f64| {
            let lines = f64::from(n_entries) / seconds / 1e6;
            eprintln!("{what}: {seconds:.3} s, {lines:.0} million lines a second");
        };
        for _ in 0..5 {
            let start = std::time::Instant::now();
            let mut source = Source::open(&path).unwrap();
            let header = read_header(&mut source).unwrap();
            let table = entries::read(&mut source, &header).unwrap();
            rate("text to rows  ", start.elapsed().as_secs_f64());
            assert_eq!(table.rows.n_nonzeros(), n_entries as usize);
            drop(table);
            let start = std::time::Instant::now();
            let corpus = Corpus::read(&path).unwrap();
            rate("text to corpus", start.elapsed().as_secs_f64());
            assert_eq!(corpus.n_nonzeros(), n_entries as usize);
        }
    }
}
