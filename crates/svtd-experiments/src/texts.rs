//! Texts from a folder, cut into words the plainest way.
//!
//! The paper keeps 3000 words and does not say how texts were cut into words or which were kept.
//! Here a word is a run of letters in lower case, of some least length, and the most frequent are
//! kept; ties go by spelling.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use svtd::{Corpus, Error, Result, Vocabulary};

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
        let told = |path: &Path, source| Error::Io { path: path.display().to_string(), source };
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(|error| told(folder, error))? {
            let path = entry.map_err(|error| told(folder, error))?.path();
            if path.extension().is_some_and(|ending| ending == "txt") {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            let nothing = io::Error::new(io::ErrorKind::NotFound, "no .txt file in this folder");
            return Err(told(folder, nothing));
        }
        paths.sort();
        let name = |path: &std::path::PathBuf| {
            path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
        };
        let text =
            |path: &std::path::PathBuf| fs::read_to_string(path).map_err(|error| told(path, error));
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
        let documents: Vec<BTreeMap<String, u32>> =
            self.texts.iter().map(|text| counted(text, letters)).collect();
        let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
        for (word, count) in documents.iter().flatten() {
            *totals.entry(word).or_default() += u64::from(*count);
        }
        most_frequent(documents.iter().map(BTreeMap::iter), totals, n_words, self.names.clone())
    }
}

fn counted(text: &str, letters: usize) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for word in text.to_lowercase().split(|c: char| !c.is_alphabetic()) {
        if word.chars().count() >= letters.max(1) {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    counts
}

fn most_frequent<'a, D: Iterator<Item = (&'a String, &'a u32)>>(
    documents: impl Iterator<Item = D>,
    totals: BTreeMap<&str, u64>,
    n_words: usize,
    names: Vec<String>,
) -> Result<Corpus> {
    let mut ranked: Vec<(&str, u64)> = totals.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    ranked.truncate(n_words);
    let words: Vec<String> = ranked.iter().map(|(word, _)| (*word).to_owned()).collect();
    let number: BTreeMap<&str, u32> = ranked.iter().map(|r| r.0).zip(0..).collect();
    let vocabulary = Vocabulary::from_words(words)?;
    let mut builder = Corpus::builder(ranked.len()).vocabulary(vocabulary).names(names);
    for document in documents {
        let known =
            document.filter_map(|(word, count)| Some((*number.get(word.as_str())?, *count)));
        builder.push_document(known)?;
    }
    builder.build()
}

/// A corpus over the most frequent of its own words.
///
/// # Errors
/// When no word is left.
pub fn restrict(corpus: &Corpus, n_words: usize) -> Result<Corpus> {
    let documents: Vec<BTreeMap<String, u32>> = (0..corpus.n_documents())
        .map(|d| {
            let words = corpus.document(d).words();
            words.map(|(w, x)| (corpus.vocabulary().word(w as usize).into_owned(), x)).collect()
        })
        .collect();
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for (word, count) in documents.iter().flatten() {
        *totals.entry(word).or_default() += u64::from(*count);
    }
    let names = (0..corpus.n_documents()).map(|d| corpus.document_name(d).into_owned()).collect();
    most_frequent(documents.iter().map(BTreeMap::iter), totals, n_words, names)
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
