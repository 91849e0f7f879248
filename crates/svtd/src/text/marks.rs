//! Positions of words: which word of a vocabulary each part of a text is.
//!
//! Counting loses positions, but a reader who is shown a document wants to see them. A [`Marker`] splits a text as
//! the counting does and returns each word of the vocabulary with its range of bytes. Of n-grams the longest that
//! the vocabulary has is marked.
//!
//! # Departure
//! Counting first converts text to the normal form NFKC, which moves positions; here the boundaries are those of
//! the original text, and each word is converted separately. The two differ only around characters whose normal
//! form contains a word boundary (`½`).

use std::ops::Range;

use super::count::Rules;
use crate::corpus::Vocabulary;
use crate::error::Result;
use crate::words::Preprocessing;

/// Finds the words of a vocabulary in texts.
pub struct Marker<'a> {
    rules: Rules,
    vocabulary: &'a Vocabulary,
    longest: usize,
}

/// A word of the vocabulary in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its range of bytes.
    pub range: Range<usize>,
    /// Its number in the vocabulary.
    pub word: usize,
}

impl<'a> Marker<'a> {
    /// Splits as this preprocessing does and looks for these words.
    ///
    /// # Errors
    /// If the preprocessing contradicts itself.
    pub fn new(preprocessing: &Preprocessing, vocabulary: &'a Vocabulary) -> Result<Self> {
        let listed = preprocessing.fixed_vocabulary.then_some(vocabulary);
        let rules = Rules::new(preprocessing, listed)?;
        Ok(Self { rules, vocabulary, longest: preprocessing.ngrams.max })
    }

    /// The words of the text that the vocabulary has, in order, without overlap.
    pub fn marks(&self, text: &str) -> Vec<Mark> {
        // Runs of words that are not dropped; a dropped word separates n-grams.
        let mut runs: Vec<Vec<(Range<usize>, String)>> = vec![Vec::new()];
        self.rules.for_each_place(text, |range, kept| match (kept, runs.last_mut()) {
            (Some(word), Some(run)) => run.push((range, word)),
            _ => runs.push(Vec::new()),
        });
        let mut marks = Vec::new();
        for run in &runs {
            let mut at = 0;
            while at < run.len() {
                let most = self.longest.max(1).min(run.len() - at);
                let found =
                    (1..=most).rev().find_map(|n| Some((n, self.joined(&run[at..at + n])?)));
                let (n, word) = match found {
                    Some((n, word)) => (n, Some(word)),
                    None => (1, None),
                };
                if let Some(word) = word {
                    marks.push(Mark { range: run[at].0.start..run[at + n - 1].0.end, word });
                }
                at += n;
            }
        }
        marks
    }

    fn joined(&self, words: &[(Range<usize>, String)]) -> Option<usize> {
        let words: Vec<&str> = words.iter().map(|(_, word)| word.as_str()).collect();
        self.vocabulary.id(&words.join("_")).map(|id| id as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Ngrams, count_texts};

    fn marked(text: &str, preprocessing: &Preprocessing, words: &[&str]) -> Vec<(String, String)> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let vocabulary = Vocabulary::from_words(words).unwrap();
        let marker = Marker::new(preprocessing, &vocabulary).unwrap();
        let named =
            |mark: Mark| (text[mark.range].to_owned(), vocabulary.word(mark.word).into_owned());
        marker.marks(text).into_iter().map(named).collect()
    }

    #[test]
    fn words_are_found_where_they_stand_whatever_their_case() {
        let found =
            marked("The SHIPS' crew: ships—and Café!", &Preprocessing::new(), &["ships", "café"]);
        let expected = [("SHIPS", "ships"), ("ships", "ships"), ("Café", "café")];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn the_longest_n_gram_is_marked_over_all_its_words() {
        let pairs = Preprocessing::new().ngrams(Ngrams { min: 1, max: 2 });
        let found = marked(
            "United  States ships, united front",
            &pairs,
            &["united_states", "united", "ships"],
        );
        let texts: Vec<_> = found.into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, ["United  States", "ships", "united"]);
    }

    #[test]
    fn text_without_spaces_is_marked_character_by_character_and_full_width_signs_part_it() {
        let found = marked("春眠，不觉晓。春", &Preprocessing::new().min_length(1), &["春", "晓"]);
        let texts: Vec<_> = found.into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, ["春", "晓", "春"]);
    }

    #[test]
    fn every_word_that_was_counted_is_marked_as_often() {
        let text =
            "Naïve users' 3,500 naïve users don't e\u{301}tudes; ﬁn ﬁnal Users\u{ad}guide straße";
        let counted = Preprocessing::new().min_df("1".parse().unwrap());
        let corpus = count_texts([text], &counted).unwrap();
        let choice = corpus.word_choice().unwrap();
        let marker = Marker::new(&choice.preprocessing, corpus.vocabulary()).unwrap();
        let marks = marker.marks(text);
        for (word, count) in corpus.document(0).words() {
            let n = marks.iter().filter(|mark| mark.word == word as usize).count();
            assert_eq!(n, count as usize, "{}", corpus.vocabulary().word(word as usize));
        }
        assert!(marks.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
    }
}
