//! A corpus holds what was pushed, and so does what is made of it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

type Entries = Vec<Vec<(u32, u32)>>;

fn corpus(n_words: usize, documents: &[Vec<(u32, u32)>]) -> Corpus {
    let mut builder = Corpus::builder(n_words);
    for document in documents {
        builder.push_document(document.iter().copied()).unwrap();
    }
    builder.build().unwrap()
}

/// Word 3 occurs 6 times, words 0 and 2 twice, word 1 never.
fn small() -> Corpus {
    corpus(4, &[vec![(0, 2), (3, 1)], vec![(2, 1), (3, 5)], vec![], vec![(2, 1)]])
}

fn sorted(document: Document<'_>) -> Vec<(u32, u32)> {
    let mut entries: Vec<_> = document.words().collect();
    entries.sort_unstable();
    entries
}

#[test]
fn features_are_words_by_falling_frequency() {
    let corpus = small();
    assert_eq!(corpus.word_of_feature(), [3, 0, 2, 1]);
    assert_eq!(corpus.feature_of_word(), [1, 3, 2, 0]);
    assert_eq!(corpus.feature_totals(), [6, 2, 2, 0]);
    assert_eq!(corpus.n_present(), 3);
    assert_eq!(corpus.rows().indices(), [0, 1, 0, 2, 2]);
    assert_eq!(corpus.rows().counts(), [1, 2, 5, 1, 1]);
    assert_eq!(corpus.columns().row(0), (&[0, 1][..], &[1, 5][..]));
}

#[test]
fn sizes_and_lengths_are_those_of_the_counts() {
    let corpus = small();
    assert_eq!((corpus.n_documents(), corpus.n_words()), (4, 4));
    assert_eq!((corpus.n_nonzeros(), corpus.n_tokens()), (5, 10));
    assert_eq!(corpus.lengths(), [3, 6, 0, 1]);
    let document = corpus.document(1);
    assert_eq!((document.length(), document.n_distinct()), (6, 2));
    assert_eq!(document.words().collect::<Vec<_>>(), [(3, 5), (2, 1)]);
}

#[test]
fn the_report_counts_what_moments_cannot_use() {
    let corpus = corpus(5, &[vec![], vec![(0, 1)], vec![(0, 2)], vec![(0, 1), (1, 1)]]);
    let report = corpus.report();
    assert_eq!((report.n_empty, report.n_one_word, report.n_two_words), (1, 1, 2));
    assert_eq!((report.n_absent_words, report.n_zero_entries), (3, 0));
}

#[test]
fn a_subset_ranks_anew_and_keeps_words_and_names() {
    let subset = small().subset(&[3, 0]);
    assert_eq!(subset.word_of_feature(), [0, 2, 3, 1]);
    assert_eq!(sorted(subset.document(0)), [(2, 1)]);
    assert_eq!(sorted(subset.document(1)), [(0, 2), (3, 1)]);
    assert_eq!((subset.document_name(0), subset.document_name(1)), ("4".into(), "1".into()));
    assert_eq!(subset.report().n_absent_words, 1);
}

#[test]
fn a_subset_may_be_empty_or_repeat_a_document() {
    assert_eq!(small().subset(&[]).n_tokens(), 0);
    assert_eq!(small().subset(&[1, 1]).lengths(), [6, 6]);
}

#[test]
fn documents_counted_over_other_words_are_those_that_would_have_been_read() {
    let named = |words: &[&str], documents: &[Vec<(u32, u32)>]| {
        let words = Vocabulary::from_words(words.iter().map(|w| (*w).to_owned()).collect());
        let mut builder = Corpus::builder(words.as_ref().unwrap().len()).vocabulary(words.unwrap());
        documents.iter().for_each(|d| builder.push_document(d.iter().copied()).unwrap());
        builder.build().unwrap()
    };
    let whole = named(&["a", "b", "c"], &[vec![(0, 2), (1, 1)], vec![(1, 5)], vec![(2, 3)]]);
    let fewer = named(&["c", "a"], &[vec![(1, 2)], vec![], vec![(0, 3)]]);
    let over = whole.over(fewer.vocabulary()).unwrap();
    assert_eq!(over.digest(), fewer.digest());
    assert_eq!(whole.document_frequencies(), [1, 2, 1]);
    assert!(whole.over(&Vocabulary::numbered(2)).is_none());
    assert_eq!(whole.over(&Vocabulary::numbered(3)).unwrap().n_tokens(), 11);
}

#[test]
fn names_are_given_to_documents_in_order() {
    let mut builder = Corpus::builder(1).names(vec!["a".to_owned(), "b".to_owned()]);
    builder.push_document([(0, 1)]).unwrap();
    builder.push_document([(0, 1)]).unwrap();
    let corpus = builder.build().unwrap();
    assert_eq!(corpus.document_name(1), "b");
}

#[test]
fn fingerprints_do_not_change_between_versions() {
    // SHA-256 of 1, 1, then 1 "1", then the SHA-256 of the key: computed outside, in Python.
    let digest = "f71fdbfbb720a208a8400b5c10ce6907befe1c7894a5d26581a1d2674cc950bc";
    assert_eq!(corpus(1, &[vec![(0, 1)]]).digest(), digest);
    assert_eq!(small().document_key(2), mixed(0));
}

#[test]
fn the_digest_tells_counts_words_and_sizes_apart() {
    let one = |n_words, document: &[(u32, u32)]| corpus(n_words, &[document.to_vec()]).digest();
    let digests = [
        one(2, &[(0, 1)]),
        one(2, &[(1, 1)]),
        one(2, &[(0, 2)]),
        one(3, &[(0, 1)]),
        corpus(2, &[vec![(0, 1)], vec![]]).digest(),
        corpus(2, &[vec![(0, 1)], vec![], vec![]]).digest(),
    ];
    let swapped = corpus(2, &[vec![], vec![(0, 1)]]).digest();
    assert_eq!(swapped, digests[4], "the order of documents does not matter");
    for (i, digest) in digests.iter().enumerate() {
        assert_eq!(digest.len(), 64);
        assert!(!digests[..i].contains(digest));
    }
}

fn entries() -> impl Strategy<Value = Entries> {
    let document = proptest::collection::btree_map(0..12_u32, 1..6_u32, 0..8);
    let document = document.prop_map(|d: BTreeMap<u32, u32>| d.into_iter().collect::<Vec<_>>());
    let documents = proptest::collection::vec(document.prop_shuffle(), 1..12);
    documents.prop_filter("some word must occur", |d| d.iter().any(|d| !d.is_empty()))
}

proptest! {
    #[test]
    fn documents_rows_and_columns_hold_what_was_pushed(documents in entries()) {
        let corpus = corpus(12, &documents);
        for (d, mut expected) in documents.into_iter().enumerate() {
            expected.sort_unstable();
            prop_assert_eq!(sorted(corpus.document(d)), expected);
            prop_assert!(corpus.rows().row(d).0.is_sorted_by(|a, b| a < b));
        }
        prop_assert_eq!(&corpus.columns().transpose(), corpus.rows());
        prop_assert!(corpus.feature_totals().is_sorted_by(|a, b| a >= b));
        for (feature, &total) in corpus.feature_totals().iter().enumerate() {
            let (_, counts) = corpus.columns().row(feature);
            prop_assert_eq!(counts.iter().map(|&c| u64::from(c)).sum::<u64>(), total);
            prop_assert_eq!(total > 0, feature < corpus.n_present());
        }
    }

    #[test]
    fn a_subset_is_the_corpus_of_its_documents(
        documents in entries(),
        choice in proptest::collection::vec(any::<prop::sample::Index>(), 1..9),
    ) {
        let whole = corpus(12, &documents);
        let chosen: Vec<usize> = choice.iter().map(|i| i.index(documents.len())).collect();
        let part: Entries = chosen.iter().map(|&d| documents[d].clone()).collect();
        prop_assume!(part.iter().any(|d| !d.is_empty()));
        let (subset, built) = (whole.subset(&chosen), corpus(12, &part));
        prop_assert_eq!(subset.rows(), built.rows());
        prop_assert_eq!(subset.word_of_feature(), built.word_of_feature());
        prop_assert_eq!(subset.report(), built.report());
        prop_assert_eq!(subset.digest(), built.digest());
        for (i, &d) in chosen.iter().enumerate() {
            prop_assert_eq!(subset.document_name(i), whole.document_name(d));
        }
    }

    #[test]
    fn fingerprints_do_not_depend_on_the_order_of_features(documents in entries()) {
        let mut other = corpus(12, &documents);
        let (key, digest) = (other.document_key(0), other.digest());
        // Reverse the numbering of features behind the corpus's back.
        let reversed: Vec<u32> = (0..12).rev().collect();
        other.rows.relabel(&reversed);
        other.ranking.word_of_feature.reverse();
        other.keys = OnceLock::new();
        prop_assert_eq!(other.document_key(0), key);
        prop_assert_eq!(other.digest(), digest);
    }

    #[test]
    fn a_document_has_its_key_wherever_it_stands(documents in entries()) {
        let whole = corpus(12, &documents);
        for d in 0..whole.n_documents() {
            prop_assert_eq!(whole.subset(&[d]).document_key(0), whole.document_key(d));
        }
    }
}
