//! Updates against fits from nothing.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use super::*;
use crate::reading::Taken;
use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};

fn both(first: &Corpus, second: &Corpus) -> Corpus {
    let [first, second] = [first, second].map(|c| (String::new(), c.clone()));
    Corpus::merge(first, vec![second], Taken::Refuse).unwrap().corpus
}

/// The same words, cold and warm: within `T_FACTOR` standard errors of the cold fit for 95 of 100 words.
fn agree(warm: &Update, cold: &Update) {
    let (a, b) = (warm.model.topics(), cold.model.topics());
    let errors = b.errors().unwrap();
    let (mut inside, mut n) = (0, 0);
    for j in 0..b.len() {
        for i in 0..b.vocabulary().len() {
            let (x, y) = (a.word_topic()[(i, j)], b.word_topic()[(i, j)]);
            inside += usize::from((x - y).abs() <= trust::T_FACTOR * errors[(i, j)]);
            n += 1;
        }
    }
    assert!(inside as f64 >= 0.95 * n as f64, "{inside} of {n}");
}

#[test]
fn an_update_of_lda_agrees_with_a_cold_fit_within_its_error_bars() {
    let source = LdaSource::zipf(60, 3, 2.0, 20.0, 1.0, 41);
    let lengths = Lengths::Uniform(40..=80);
    let (old, _) = source.draw(500, &lengths, 42);
    let (more, _) = source.draw(150, &lengths, 43);
    let polish = crate::model::Polish::Steps(18);
    let model = Model::Lda(Lda::params(3).polish(polish).fit(&old).unwrap());
    let grown = both(&old, &more);
    let warm = Update::warm(&model, &grown, 3, &|_| {}).unwrap();
    let cold = Update::cold(&model, &grown, 3, &|_| {}).unwrap();
    agree(&warm, &cold);
    for update in [&warm, &cold] {
        assert!(update.vanished.is_empty());
        assert!(update.topics.iter().enumerate().all(|(j, topic)| topic.old == Some(j)));
        assert!(update.topics.iter().all(|topic| topic.has_moved() == Some(false)));
    }
    assert!(cold.cold && !warm.cold);
}

#[test]
fn numbers_and_names_stay_when_weights_turn_around() {
    let source = SingleTopicSource::zipf(50, 3, 2.0, 10.0, 20.0, 51);
    let lengths = Lengths::Uniform(20..=40);
    let (old, _) = source.draw(300, &lengths, 52);
    let mut model = Model::SingleTopic(SingleTopic::params(3).fit(&old).unwrap());
    let names = ["a", "b", "c"].map(|name| Some(name.to_owned()));
    model.set_names(names.to_vec()).unwrap();
    // The smallest topic becomes the largest.
    let last = model.topics().word_topic().columns(2..3);
    let only = SingleTopicSource { word_topic: last, topic_weights: vec![1.0] };
    let (more, _) = only.draw(600, &lengths, 53);
    let grown = both(&old, &more);
    let warm = Update::warm(&model, &grown, 3, &|_| {}).unwrap();
    let cold = Update::cold(&model, &grown, 3, &|_| {}).unwrap();
    agree(&warm, &cold);
    for update in [&warm, &cold] {
        let weights = update.model.topics().weights();
        assert!(weights[2] > weights[0].max(weights[1]), "{weights:?}");
        assert_eq!(update.model.topics().names(), Some(&names[..]));
    }
}

#[test]
fn a_topic_that_changed_its_words_has_moved_and_one_that_was_replaced_is_new() {
    let lengths = Lengths::Uniform(60..=100);
    let draw = |blocks: &[(usize, usize)], seed: u64| {
        let k = blocks.len();
        let word_topic = Matrix::from_fn(40, k, |i, j| {
            let (start, end) = blocks[j];
            if (start..end).contains(&i) { 1.0 / (end - start) as f64 } else { 0.0 }
        });
        let source = SingleTopicSource { word_topic, topic_weights: vec![1.0 / k as f64; k] };
        source.draw(400, &lengths, seed).0
    };
    let old = draw(&[(0, 10), (10, 20)], 61);
    let model = Model::SingleTopic(SingleTopic::params(2).fit(&old).unwrap());
    // One topic has exchanged three of its ten words.
    let moved = draw(&[(0, 10), (13, 23)], 62);
    let update = Update::warm(&model, &moved, 3, &|_| {}).unwrap();
    let moved: Vec<Option<bool>> = update.topics.iter().map(TopicUpdate::has_moved).collect();
    assert_eq!(
        moved.iter().filter(|moved| **moved == Some(true)).count(),
        1,
        "{:?}",
        update.topics
    );
    // One topic is gone for good, and another one is there.
    let replaced = draw(&[(0, 10), (30, 40)], 63);
    let update = Update::cold(&model, &replaced, 3, &|_| {}).unwrap();
    assert_eq!(update.vanished.len(), 1, "{:?}", update.topics);
    assert_eq!(update.topics.iter().filter(|topic| topic.old.is_none()).count(), 1);
}

#[test]
fn an_update_is_a_function_of_the_set_and_odd_corpora_are_refused() {
    let source = LdaSource::zipf(30, 2, 2.0, 20.0, 1.0, 71);
    let lengths = Lengths::Uniform(20..=40);
    let (old, _) = source.draw(200, &lengths, 72);
    let (more, _) = source.draw(100, &lengths, 73);
    let model = Model::Lda(Lda::params(2).trust(false).fit(&old).unwrap());
    let warm = |corpus: &Corpus| Update::warm(&model, corpus, 3, &|_| {}).unwrap();
    let (one, other) = (warm(&both(&old, &more)), warm(&both(&more, &old)));
    assert_eq!(one.model.topics(), other.model.topics());
    assert_eq!(one.topics[0].has_moved(), None, "there are no error bars");
    let words = ["x", "y", "z"].map(str::to_owned).to_vec();
    let vocabulary = crate::corpus::Vocabulary::from_words(words).unwrap();
    let mut builder = Corpus::builder(3).vocabulary(vocabulary);
    builder.push_document([(0, 3), (1, 2)]).unwrap();
    let error = Update::warm(&model, &builder.build().unwrap(), 3, &|_| {}).unwrap_err();
    assert!(!error.to_string().contains('\n'), "{error}");
}
