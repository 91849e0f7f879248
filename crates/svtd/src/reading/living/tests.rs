//! Additions, removals and merges against a list of documents kept by hand.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use proptest::prelude::*;

use super::*;
use crate::corpus::{CorpusBuilder, SparseCounts, Vocabulary};
use crate::reading::svtdc;
use crate::text::{Preprocessing, count_texts};

const WORDS: [&str; 6] = ["amor", "lupa", "mare", "selva", "stelle", "sole"];

/// A document kept by hand: its name, its counts by word, its year.
type Kept = (String, Vec<(u32, u32)>, String);

fn corpus(documents: &[Kept]) -> Corpus {
    let mut rows = SparseCounts::with_columns(WORDS.len(), &crate::memory::Limit::none());
    for (_, entries, _) in documents {
        let (words, counts): (Vec<u32>, Vec<u32>) = entries.iter().copied().unzip();
        rows.push_row(&words, &counts);
    }
    CorpusBuilder::from_rows(rows)
        .vocabulary(Vocabulary::from_words(WORDS.map(str::to_owned).to_vec()).unwrap())
        .names(documents.iter().map(|(name, ..)| name.clone()).collect())
        .column("year", documents.iter().map(|(.., year)| year.clone()).collect())
        .may_be_empty()
        .build()
        .unwrap()
}

fn bytes(corpus: &Corpus) -> Vec<u8> {
    let mut out = Vec::new();
    svtdc::write(corpus, &mut out).unwrap();
    out
}

fn document(name: &str, entries: &[(u32, u32)]) -> Kept {
    (name.to_owned(), entries.to_vec(), "1861".to_owned())
}

#[test]
fn a_repeated_addition_changes_nothing_and_another_document_of_the_name_is_refused() {
    let start = corpus(&[document("a", &[(0, 2)]), document("b", &[(1, 1)])]);
    let again = start.add(&start.clone(), "x", Taken::Refuse).unwrap();
    assert_eq!((again.n_added, again.same), (0, vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(bytes(&again.corpus), bytes(&start));
    let other = corpus(&[document("b", &[(1, 2)]), document("c", &[]), document("c", &[(3, 1)])]);
    let error = start.add(&other, "x", Taken::Refuse).unwrap_err().to_string();
    assert!(error.starts_with("the name \"b\" (and 1 more) is taken"), "{error}");
    let replaced = start.add(&other, "x", Taken::Replace).unwrap();
    assert_eq!(replaced.replaced, ["b", "c"]);
    let expected = [document("a", &[(0, 2)]), document("b", &[(1, 2)]), document("c", &[(3, 1)])];
    assert_eq!(bytes(&replaced.corpus), bytes(&corpus(&expected)));
}

#[test]
fn text_is_added_over_the_words_chosen_and_new_ones_are_told() {
    let chosen = Preprocessing::new().language(Some(crate::text::Language::English));
    let start = count_texts(&["sun moon sun", "moon sun sea", "sea moon"], &chosen).unwrap();
    let more = ["sun rocket", "rocket rocket launch", "orbit"];
    let more = count_texts(&more, &start.word_choice().unwrap().preprocessing.for_new_documents());
    let added = start.add(&more.unwrap(), "new.txt", Taken::Refuse).unwrap();
    assert_eq!((added.n_added, added.n_without_words), (3, 2));
    // In two documents, as many as min-df asks for; "launch" and "orbit" are in one.
    assert_eq!(added.new_words, [NewWord { word: "rocket".to_owned(), n_documents: 2 }]);
    assert_eq!(added.corpus.n_words(), start.n_words());
    let choice = added.corpus.word_choice().unwrap();
    assert_eq!((choice.n_documents, choice.n_kept_tokens), (6, 9));
    let back = added.corpus.remove(&[3, 4, 5]).unwrap();
    assert_eq!(bytes(&back), bytes(&start));
}

#[test]
fn what_does_not_fit_is_refused_in_one_sentence() {
    let start = corpus(&[document("a", &[(0, 2)])]);
    let refused = |more: &Corpus, sentence: &str| {
        let error = start.add(more, "new.csv", Taken::Refuse).unwrap_err().to_string();
        assert!(error.starts_with("new.csv: ") && error.contains(sentence), "{error}");
    };
    let mut numbered = Corpus::builder(2);
    numbered.push_document([(0, 1)]).unwrap();
    refused(&numbered.build().unwrap(), "its words are only numbered");
    let mut plain =
        Corpus::builder(1).vocabulary(Vocabulary::from_words(vec!["amor".to_owned()]).unwrap());
    plain.push_document([(0, 1)]).unwrap();
    refused(&plain.clone().build().unwrap(), "keeps the column \"year\"");
    let unnamed = plain.clone().build().unwrap();
    let named = plain.names(vec!["n".to_owned()]).build().unwrap();
    let error = unnamed.add(&named, "new.csv", Taken::Refuse).unwrap_err().to_string();
    assert!(error.contains("only numbered; merge makes"), "{error}");
    let error = start.remove(&[0]).unwrap_err().to_string();
    assert!(error.starts_with("without these 1 documents no word is left"), "{error}");
    let texts = ["sun moon", "sun moon"];
    let one = count_texts(&texts, &Preprocessing::new()).unwrap();
    let other = count_texts(&texts, &Preprocessing::new().min_length(3)).unwrap();
    let error = one.add(&other, "b", Taken::Refuse).unwrap_err().to_string();
    assert!(error.contains("split into words in another way"), "{error}");
}

#[test]
fn corpora_are_merged_with_their_words_and_duplicates_kept_once() {
    let words = |words: &[&str]| {
        Vocabulary::from_words(words.iter().map(|&w| w.to_owned()).collect()).unwrap()
    };
    let mut a = Corpus::builder(2).vocabulary(words(&["sun", "moon"]));
    a.push_document([(0, 1), (1, 2)]).unwrap();
    let a = a.names(vec!["1".to_owned()]).build().unwrap();
    let mut b = Corpus::builder(3).vocabulary(words(&["moon", "sea", "sun"]));
    b.push_document([(0, 2), (2, 1)]).unwrap();
    b.push_document([(1, 4)]).unwrap();
    let b = b.names(vec!["1".to_owned(), "2".to_owned()]).build().unwrap();
    let both = [("a".to_owned(), a), ("b".to_owned(), b)];
    let [first, second] = both.clone();
    let merged = Corpus::merge(first, vec![second], Taken::Refuse).unwrap();
    assert_eq!((merged.corpus.n_documents(), merged.same), (2, vec!["1".to_owned()]));
    assert!(merged.corpus.vocabulary().iter().eq(["sea", "moon", "sun"]));
    let [first, second] = both;
    let turned = Corpus::merge(second, vec![first], Taken::Refuse).unwrap();
    assert_eq!(turned.corpus.digest(), merged.corpus.digest());
}

#[test]
fn a_file_that_is_being_changed_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.svtdc");
    let start = corpus(&[document("a", &[(0, 2)]), document("b", &[(1, 1)])]);
    start.save(&path, false).unwrap();
    let file = CorpusFile::open(&path).unwrap();
    assert!(*file.corpus() == start);
    let error = CorpusFile::open(&path).unwrap_err().to_string();
    assert!(error.contains("another svtd is changing this corpus"), "{error}");
    let left = start.remove(&[0]).unwrap();
    file.replace(&left).unwrap();
    assert!(*CorpusFile::open(&path).unwrap().corpus() == left);
    std::fs::write(&path, "a,b\n").unwrap();
    let error = CorpusFile::open(&path).unwrap_err().to_string();
    assert!(error.contains("expected a corpus file"), "{error}");
}

#[derive(Debug, Clone)]
enum Change {
    Add(Vec<Kept>, bool),
    Merge(Vec<Kept>, bool),
    Remove(Vec<usize>),
}

fn kept() -> impl Strategy<Value = Kept> {
    let entries = prop::collection::btree_map(0..6_u32, 1..4_u32, 0..4);
    ("[a-e]", entries, prop::sample::select(vec!["1861", "1862", ""]))
        .prop_map(|(name, entries, year)| (name, entries.into_iter().collect(), year.to_owned()))
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (prop::collection::vec(kept(), 0..4), any::<bool>())
            .prop_map(|(documents, replace)| Change::Add(documents, replace)),
        (prop::collection::vec(kept(), 0..4), any::<bool>())
            .prop_map(|(documents, replace)| Change::Merge(documents, replace)),
        prop::collection::vec(0..8_usize, 1..4).prop_map(Change::Remove),
    ]
}

/// What an addition does to the list; `None` where it is refused.
fn added(list: &[Kept], new: &[Kept], replace: bool) -> Option<Vec<Kept>> {
    let mut list = list.to_vec();
    for document in new {
        let earlier: Vec<&Kept> = list.iter().filter(|(name, ..)| *name == document.0).collect();
        if earlier.iter().any(|(_, entries, _)| *entries == document.1) {
            continue;
        }
        if !earlier.is_empty() && !replace {
            return None;
        }
        list.retain(|(name, ..)| *name != document.0);
        list.push(document.clone());
    }
    Some(list)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn after_any_changes_the_file_is_that_of_the_documents_left(
        changes in prop::collection::vec(change(), 1..9)
    ) {
        let mut list = vec![document("a", &[(0, 2), (3, 1)])];
        let mut living = corpus(&list);
        for change in changes {
            match change {
                // Over the same words both do the same.
                Change::Add(ref new, replace) | Change::Merge(ref new, replace) => {
                    let taken = if replace { Taken::Replace } else { Taken::Refuse };
                    let found = match change {
                        Change::Add(..) => {
                            living.add(&corpus(new), "x", taken).map(|addition| addition.corpus)
                        }
                        _ => {
                            let [old, new] =
                                [living.clone(), corpus(new)].map(|c| (String::new(), c));
                            Corpus::merge(old, vec![new], taken).map(|merge| merge.corpus)
                        }
                    };
                    match (found, added(&list, new, replace)) {
                        (Ok(found), Some(expected)) => {
                            living = found;
                            list = expected;
                        }
                        (Err(Error::NameTaken { .. }), None) => {}
                        (found, expected) => prop_assert!(false, "{found:?} {expected:?}"),
                    }
                }
                Change::Remove(mut documents) => {
                    documents.retain(|&d| d < list.len());
                    let left: Vec<Kept> = (0..list.len())
                        .filter(|d| !documents.contains(d)).map(|d| list[d].clone()).collect();
                    match living.remove(&documents) {
                        Ok(removed) => {
                            living = removed;
                            list = left;
                        }
                        Err(_) => prop_assert!(left.iter().all(|(_, entries, _)| entries.is_empty())),
                    }
                }
            }
            prop_assert_eq!(bytes(&living), bytes(&corpus(&list)));
        }
    }
}
