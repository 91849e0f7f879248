//! Several corpora as one: documents one after the other, words matched by name.
//!
//! What is learned from the whole does not depend on how the documents were spread over files or on the order of
//! the files. A column that some part does not have is empty there. If all parts have the same words in the same
//! order, those are the words of the whole. Otherwise words are ordered by falling frequency in the whole, ties by
//! spelling, as when text is counted.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Corpus, CorpusBuilder, SparseCounts, Vocabulary};
use crate::error::{Error, Result};
use crate::words::WordChoice;

/// A corpus, and the name of its file for messages.
#[derive(Clone)]
pub(crate) struct Part {
    pub name: String,
    pub corpus: Corpus,
}

/// One corpus of all parts; there must be at least one part.
///
/// # Errors
/// When some parts know their words and others only number them, when texts were split into words in
/// different ways, or when there are more documents or words than can be numbered.
pub(crate) fn unite(mut parts: Vec<Part>) -> Result<Corpus> {
    if parts.len() == 1
        && let Some(part) = parts.pop()
    {
        return Ok(part.corpus);
    }
    let choice = common_choice(&parts)?;
    let vocabulary = common_vocabulary(&parts)?;
    let mut rows = SparseCounts::with_columns(vocabulary.len(), parts[0].corpus.rows().limit());
    let n_documents = parts.iter().map(|part| part.corpus.n_documents()).sum();
    rows.reserve(n_documents, parts.iter().map(|part| part.corpus.n_nonzeros()).sum());
    let mut notes: Vec<String> = Vec::new();
    let mut n_zeros = 0;
    let (mut names, mut labels) = (Vec::new(), Vec::new());
    let listed = parts.iter().any(|part| part.corpus.has_names());
    for Part { name, corpus } in &parts {
        append_rows(&mut rows, corpus, &vocabulary);
        notes.extend(corpus.report().notes.iter().cloned());
        n_zeros += corpus.report().n_zero_entries;
        for d in 0..corpus.n_documents() {
            let own = corpus.document_name(d).into_owned();
            names.push(listed.then(|| match corpus.has_names() {
                true => own,
                false => format!("{name}:{own}"),
            }));
            labels.push(corpus.label(d).map(str::to_owned));
        }
    }
    notes.dedup();
    notes.extend(choice.as_ref().and_then(|_| partly_counted(&parts, &vocabulary)));
    let mut columns: Vec<&str> = parts.iter().flat_map(|p| p.corpus.column_names()).collect();
    columns.sort_unstable();
    columns.dedup();
    let cells = |column: &str| -> Vec<String> {
        let of_part = |corpus: &Corpus| -> Vec<String> {
            let cell = |d| corpus.cell(column, d).unwrap_or_default().to_owned();
            (0..corpus.n_documents()).map(cell).collect()
        };
        parts.iter().flat_map(|part| of_part(&part.corpus)).collect()
    };
    let mut builder = CorpusBuilder::from_rows(rows)
        .vocabulary(vocabulary)
        .optional_names(names)
        .optional_labels(labels)
        .zero_entries(n_zeros)
        .notes(notes)
        .may_be_empty();
    for column in columns {
        builder = builder.column(column, cells(column));
    }
    let mut corpus = builder.build()?;
    let n_kept = corpus.n_present() as u64;
    corpus.word_choice = choice.map(|choice| Arc::new(WordChoice { n_kept, ..choice }));
    Ok(corpus)
}

fn append_rows(rows: &mut SparseCounts, corpus: &Corpus, vocabulary: &Vocabulary) {
    let same = *vocabulary == *corpus.vocabulary();
    let ids: Vec<u32> = match same {
        true => Vec::new(),
        // Every word of a part is also a word of the whole.
        false => corpus.vocabulary().iter().filter_map(|word| vocabulary.id(&word)).collect(),
    };
    let (mut words, mut counts) = (Vec::new(), Vec::new());
    for d in 0..corpus.n_documents() {
        words.clear();
        counts.clear();
        for (word, count) in corpus.document(d).words() {
            words.push(if same { word } else { ids[word as usize] });
            counts.push(count);
        }
        rows.push_row(&words, &counts);
    }
}

/// The words of all parts together.
fn common_vocabulary(parts: &[Part]) -> Result<Vocabulary> {
    let first = parts[0].corpus.vocabulary();
    if parts.iter().all(|part| part.corpus.vocabulary() == first) {
        return Ok(first.clone());
    }
    let numbered: Vec<bool> = parts.iter().map(|p| p.corpus.vocabulary().is_numbered()).collect();
    if numbered.iter().all(|&numbered| numbered) {
        let most = parts.iter().map(|part| part.corpus.n_words()).max().unwrap_or(0);
        return Ok(Vocabulary::numbered(most));
    }
    if let Some(at) = numbered.iter().position(|&numbered| numbered) {
        return Err(Error::File {
            path: parts[at].name.clone(),
            reason: "its words are only numbered, and those of the other inputs are known; give \
                     its words too, or read it alone"
                .to_owned(),
        });
    }
    let mut totals: HashMap<String, u64> = HashMap::new();
    for Part { corpus, .. } in parts {
        for (id, word) in corpus.vocabulary().iter().enumerate() {
            let feature = corpus.feature_of_word()[id] as usize;
            let total = corpus.feature_totals()[feature];
            match totals.get_mut(&*word) {
                Some(sum) => *sum += total,
                None => {
                    totals.insert(word.into_owned(), total);
                }
            }
        }
    }
    let mut words: Vec<(String, u64)> = totals.into_iter().collect();
    words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Vocabulary::from_words(words.into_iter().map(|(word, _)| word).collect())
}

/// A note if words were chosen from the text of some parts and not of others, where they were dropped as too rare, say.
fn partly_counted(parts: &[Part], vocabulary: &Vocabulary) -> Option<String> {
    let in_all = |word: &str| parts.iter().all(|part| part.corpus.vocabulary().id(word).is_some());
    let some: Vec<String> =
        vocabulary.iter().filter(|word| !in_all(word)).map(|word| word.into_owned()).collect();
    (!some.is_empty()).then(|| {
        format!(
            "{} words were kept in some of the inputs only, such as {:?}, and are counted in those alone; to count \
             them everywhere, count the texts of all inputs together",
            some.len(),
            some[0]
        )
    })
}

/// The common choice of words of all parts that were counted from text.
fn common_choice(parts: &[Part]) -> Result<Option<WordChoice>> {
    let chosen = parts.iter().filter_map(|part| Some((part, part.corpus.word_choice()?)));
    let mut whole: Option<(&Part, WordChoice)> = None;
    for (part, choice) in chosen {
        match &mut whole {
            None => whole = Some((part, choice.clone())),
            Some((first, whole)) => {
                if !whole.preprocessing.splits_as(&choice.preprocessing) {
                    return Err(Error::File {
                        path: part.name.clone(),
                        reason: format!(
                            "its text was split into words in another way than that of {}; count \
                             both with the same flags",
                            first.name
                        ),
                    });
                }
                whole.add(choice);
            }
        }
    }
    Ok(whole.map(|(_, choice)| choice))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    fn part(name: &str, words: &[&str], documents: &[&[(u32, u32)]]) -> Part {
        let mut builder = Corpus::builder(words.len()).vocabulary(
            Vocabulary::from_words(words.iter().map(|&w| w.to_owned()).collect()).unwrap(),
        );
        documents.iter().for_each(|document| {
            builder.push_document(document.iter().copied()).unwrap();
        });
        Part { name: name.to_owned(), corpus: builder.build().unwrap() }
    }

    fn two() -> [Part; 2] {
        [
            part("a", &["sole", "luna"], &[&[(0, 2), (1, 1)], &[(1, 3)]]),
            part("b", &["mare", "luna", "aria"], &[&[(0, 1), (1, 1)]]),
        ]
    }

    #[test]
    fn words_are_united_and_documents_follow_one_another() {
        let corpus = unite(two().into()).unwrap();
        let words: Vec<String> = corpus.vocabulary().iter().map(|w| w.into_owned()).collect();
        assert_eq!(words, ["luna", "sole", "mare", "aria"]);
        assert_eq!(corpus.lengths(), [3, 3, 2]);
        let mut last: Vec<_> = corpus.document(2).words().collect();
        last.sort_unstable();
        assert_eq!(last, [(0, 1), (2, 1)]);
    }

    #[test]
    fn the_order_of_the_parts_changes_neither_words_nor_content() {
        let [a, b] = two();
        let (one, other) =
            (unite(vec![a, b]).unwrap(), unite(two().into_iter().rev().collect()).unwrap());
        assert!(one.vocabulary() == other.vocabulary());
        assert_eq!(one.digest(), other.digest());
        assert_eq!(one.in_key_order(None).0.rows(), other.in_key_order(None).0.rows());
    }

    #[test]
    fn equal_words_keep_their_order() {
        let parts =
            vec![part("a", &["z", "a"], &[&[(1, 5)]]), part("b", &["z", "a"], &[&[(0, 1)]])];
        let corpus = unite(parts).unwrap();
        assert!(corpus.vocabulary().iter().eq(["z", "a"]));
    }

    #[test]
    fn numbered_words_do_not_mix_with_known_ones() {
        let mut builder = Corpus::builder(3);
        builder.push_document([(0, 1)]).unwrap();
        let numbered = Part { name: "n.mtx".to_owned(), corpus: builder.build().unwrap() };
        let [a, _] = two();
        let error = unite(vec![a, numbered]).unwrap_err().to_string();
        assert!(error.contains("n.mtx") && error.contains("only numbered"), "{error}");
    }
}
