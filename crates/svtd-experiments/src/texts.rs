//! Texts from a folder, split into words in the simplest way.
//!
//! The paper keeps 3000 words and does not say how texts were split or which words were kept. Here a word is a run
//! of letters in lower case with a minimum length, and the most frequent words are kept, by the library's own
//! [`text`](svtd::text); ties go by spelling. No language is guessed and no stop words are removed.

use std::fs;
use std::io;
use std::path::Path;

use svtd::reading::Limit;
use svtd::text::{Apostrophes, Batch, Frequency, Preprocessing, Records, StopWords, count_records};
use svtd::{Corpus, Error, Result, Vocabulary};

const RUN_OF_LETTERS: &str = r"\p{Alphabetic}+";

/// Texts with their names.
pub struct Texts {
    /// File names without their ending, sorted.
    pub names: Vec<String>,
    texts: Vec<String>,
}

impl Texts {
    /// The `.txt` files of a folder, by name.
    ///
    /// # Errors
    /// When the folder or a file cannot be read, or is not UTF-8.
    pub fn read(folder: &Path) -> Result<Self> {
        let failed = |path: &Path, source| Error::Io { path: path.display().to_string(), source };
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
            let path = entry.map_err(|error| failed(folder, error))?.path();
            if path.extension().is_some_and(|ending| ending == "txt") {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            let nothing = io::Error::new(io::ErrorKind::NotFound, "no .txt file in this folder");
            return Err(failed(folder, nothing));
        }
        paths.sort();
        let name = |path: &std::path::PathBuf| {
            path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
        };
        let text = |path: &std::path::PathBuf| {
            fs::read_to_string(path).map_err(|error| failed(path, error))
        };
        Ok(Self {
            names: paths.iter().map(name).collect(),
            texts: paths.iter().map(text).collect::<Result<_>>()?,
        })
    }

    /// Some texts only, in this order.
    pub fn select(&self, chosen: &[usize]) -> Self {
        Self {
            names: chosen.iter().map(|&d| self.names[d].clone()).collect(),
            texts: chosen.iter().map(|&d| self.texts[d].clone()).collect(),
        }
    }

    /// Counts of the `n_words` most frequent words of at least `letters` letters.
    ///
    /// # Errors
    /// When no word is left.
    pub fn count(&self, letters: usize, n_words: usize) -> Result<Corpus> {
        let preprocessing = Preprocessing::new()
            .token_regex(Some(RUN_OF_LETTERS.to_owned()))
            .apostrophes(Some(Apostrophes::Split))
            .stop_words(StopWords::None)
            .min_length(letters)
            .min_df(Frequency::Documents(1))
            .max_words(Some(n_words));
        count_records(&mut Stream { texts: self, next: 0 }, &preprocessing, None, &Limit::none())
    }
}

/// The texts one after the other.
struct Stream<'a> {
    texts: &'a Texts,
    next: usize,
}

impl Records for Stream<'_> {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let Some(text) = self.texts.texts.get(self.next) else { return Ok(false) };
        batch.push(Some(self.texts.names[self.next].clone()), None, text);
        self.next += 1;
        Ok(true)
    }
}

/// A corpus over the most frequent of its own words.
///
/// # Errors
/// When no word is left.
pub fn restrict(corpus: &Corpus, n_words: usize) -> Result<Corpus> {
    let mut totals = vec![0_u64; corpus.n_words()];
    for d in 0..corpus.n_documents() {
        corpus.document(d).words().for_each(|(word, x)| totals[word as usize] += u64::from(x));
    }
    let spelled = |word: usize| corpus.vocabulary().word(word);
    let mut ranked: Vec<usize> = (0..totals.len()).filter(|&word| totals[word] > 0).collect();
    ranked.sort_by(|&a, &b| totals[b].cmp(&totals[a]).then_with(|| spelled(a).cmp(&spelled(b))));
    ranked.truncate(n_words);
    let vocabulary = ranked.iter().map(|&word| spelled(word).into_owned()).collect();
    let mut number = vec![None; totals.len()];
    (0..).zip(&ranked).for_each(|(new, &word)| number[word] = Some(new));
    let names = (0..corpus.n_documents()).map(|d| corpus.document_name(d).into_owned()).collect();
    let mut builder =
        Corpus::builder(ranked.len()).vocabulary(Vocabulary::from_words(vocabulary)?).names(names);
    for d in 0..corpus.n_documents() {
        let words = corpus.document(d).words();
        builder.push_document(words.filter_map(|(w, x)| Some((number[w as usize]?, x))))?;
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b.txt"), "L’amor che move, il sole: e l’altre STELLE")
            .unwrap();
        fs::write(folder.path().join("a.txt"), "Amor, amor; però").unwrap();
        fs::write(folder.path().join("notes.md"), "not a text").unwrap();
        folder
    }

    #[test]
    fn words_are_runs_of_letters_in_lower_case() {
        let texts = Texts::read(folder().path()).unwrap();
        assert_eq!(texts.names, ["a", "b"]);
        let corpus = texts.count(4, 3).unwrap();
        let words: Vec<_> = corpus.vocabulary().iter().collect();
        assert_eq!(words, ["amor", "altre", "move"]);
        assert_eq!(corpus.lengths(), [2, 3]);
        assert_eq!(corpus.document_name(1), "b");
    }

    #[test]
    fn restriction_keeps_the_most_frequent_words() {
        let corpus = Texts::read(folder().path()).unwrap().count(1, 100).unwrap();
        let fewer = restrict(&corpus, 2).unwrap();
        let words: Vec<_> = fewer.vocabulary().iter().collect();
        assert_eq!(words, ["amor", "l"]);
        assert_eq!(fewer.document_name(0), "a");
    }

    #[test]
    fn a_folder_without_texts_is_told() {
        let empty = tempfile::tempdir().unwrap();
        assert!(Texts::read(empty.path()).is_err());
        assert!(Texts::read(Path::new("nowhere")).is_err());
    }
}
