//! Tests of the score of held-out words.

use super::*;
use crate::SingleTopic;
use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};

#[test]
fn one_topic_is_completed_by_its_word_frequencies() {
    // With one topic the document does not matter: every held-out token costs log mu_i.
    let source = SingleTopicSource::zipf(20, 1, 2.0, 10.0, 1.0, 1);
    let corpus = source.draw(60, &Lengths::Fixed(15), 2).0;
    let model = Model::SingleTopic(SingleTopic::params(1).fit(&corpus).unwrap());
    let halves = TokenHalves::new(&corpus);
    let topic = model.topics().topic(0);
    let mut scores = Vec::new();
    for d in 0..corpus.n_documents() {
        let words = halves.document(&corpus, d, |word| topic.probability(word as usize));
        let score = |h: &crate::evaluation::token_halves::Halved| {
            f64::from(h.held_out) * topic.probability(h.word as usize).ln()
        };
        let n: u32 = words.iter().map(|h| h.held_out).sum();
        scores.push((words.iter().map(score).sum::<f64>(), f64::from(n)));
    }
    let (total, tokens) = scores.iter().fold((0.0, 0.0), |a, s| (a.0 + s.0, a.1 + s.1));
    let found = model.completion(&corpus).unwrap();
    assert_eq!((found.n_tokens as f64, found.n_unknown_tokens), (tokens, 0));
    assert!((found.log_likelihood.unwrap() - total / tokens).abs() < 1e-12);
    let squares: f64 = scores.iter().map(|s| (s.0 - total / tokens * s.1).powi(2)).sum();
    let error = (squares * 60.0 / 59.0).sqrt() / tokens;
    assert!((found.standard_error.unwrap() - error).abs() < 1e-12);
}

#[test]
fn words_are_matched_by_name_and_unknown_ones_counted() {
    let named = |words: &[&str], documents: &[&[(u32, u32)]]| {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let mut builder =
            Corpus::builder(words.len()).vocabulary(Vocabulary::from_words(words).unwrap());
        for document in documents {
            builder.push_document(document.iter().copied()).unwrap();
        }
        builder.build().unwrap()
    };
    let training = named(&["a", "b"], &[&[(0, 3), (1, 1)], &[(0, 1), (1, 3)]]);
    let model = Model::SingleTopic(SingleTopic::params(1).fit(&training).unwrap());
    let found = model.completion(&named(&["x", "b", "a"], &[&[(0, 5), (1, 20), (2, 20)]]));
    let found = found.unwrap();
    assert_eq!(found.n_unknown_tokens, 5);
    assert!((10..=30).contains(&found.n_tokens), "{found:?}");
    assert!((found.perplexity().unwrap() - 2.0).abs() < 1e-9);
    assert_eq!(found.standard_error, None);
    // The same documents with their words in another order.
    let turned = model.completion(&named(&["a", "b", "x"], &[&[(0, 20), (1, 20), (2, 5)]]));
    assert_eq!(turned.unwrap(), found);
}

#[test]
fn repeating_documents_makes_no_error_smaller() {
    let source = LdaSource::zipf(80, 3, 5.0, 80.0, 1.0, 3);
    let words: Vec<String> = (0..80).map(|i| format!("w{i}")).collect();
    let [training, test] = [1, 2].map(|seed| {
        let drawn = source.draw(300, &Lengths::Fixed(30), seed).0;
        let vocabulary = Vocabulary::from_words(words.clone()).unwrap();
        let mut named = Corpus::builder(80).vocabulary(vocabulary);
        (0..300).for_each(|d| named.push_document(drawn.document(d).words()).unwrap());
        named.build().unwrap()
    });
    let [two, three] =
        [2, 3].map(|k| Model::Lda(Lda::params(k).trust(false).fit(&training).unwrap()));
    let all: Vec<usize> = (0..300).collect();
    let judged = |copies: usize| {
        let documents = test.subset(&all.repeat(copies));
        let [a, b] = [&two, &three].map(|model| model.completions(&documents).unwrap());
        [a.total().standard_error.unwrap(), b.ahead_of(&a).unwrap().standard_error]
    };
    for (once, often) in judged(1).into_iter().zip(judged(5)) {
        assert!((often / once - 1.0).abs() < 1e-9, "{once} {often}");
    }
    let same = test.subset(&[7; 20]);
    assert_eq!(two.completions(&same).unwrap().total().standard_error, None);
}

#[test]
fn a_word_that_the_model_calls_impossible_is_not_left_out_of_its_score() {
    let words: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
    let mut builder = Corpus::builder(3).vocabulary(Vocabulary::from_words(words).unwrap());
    for d in 0..40 {
        builder.push_document([(d % 2, 6), (2, 2)]).unwrap();
    }
    let corpus = builder.build().unwrap();
    let model = SingleTopic::params(2).trust(false).fit(&corpus).unwrap();
    let scored = |model: &Model| model.completion(&corpus).unwrap();
    let whole = scored(&Model::SingleTopic(model.clone()));
    let mut topics = model.topics().word_topic().clone();
    for j in 0..2 {
        let (column, c) = (topics.column_mut(j), 2);
        let rest = 1.0 - column[c];
        column[c] = 0.0;
        column.iter_mut().for_each(|p| *p /= rest);
    }
    let weights = model.topics().weights().to_vec();
    let topics = Topics::new(corpus.vocabulary().clone(), topics, weights);
    let (diagnostics, options) = (model.diagnostics().clone(), model.options().clone());
    let without = Model::SingleTopic(SingleTopic::from_parts(topics, diagnostics, options));
    let found = scored(&without);
    assert_eq!((found.n_tokens, found.n_unknown_tokens), (whole.n_tokens, 0));
    assert!(found.log_likelihood < whole.log_likelihood, "{found:?} {whole:?}");
}

#[test]
fn models_that_know_other_words_are_not_compared_even_if_they_know_as_many() {
    let corpus = |words: [&str; 4], counts: [u32; 4]| {
        let words = words.map(str::to_owned).to_vec();
        let mut builder = Corpus::builder(4).vocabulary(Vocabulary::from_words(words).unwrap());
        for d in 0..6 {
            builder.push_document((0..4).map(|i| (i, counts[i as usize] + d % 2))).unwrap();
        }
        builder.build().unwrap()
    };
    let fitted = |words: [&str; 4]| {
        let params = SingleTopic::params(1).trust(false);
        Model::SingleTopic(params.fit(&corpus(words, [1, 2, 3, 1])).unwrap())
    };
    // As many words are held out of those that one model knows as of those that the other does.
    let [one, other] = [fitted(["a", "b", "x", "y"]), fitted(["c", "d", "x", "y"])];
    let n_held_out = |model: &Model, counts| {
        let documents = corpus(["a", "b", "c", "d"], counts);
        let found = model.completions(&documents).unwrap();
        (0..6).map(|d| found.score(d).0).collect::<Vec<f64>>()
    };
    let alike = (1..400).map(|n| [n % 7, n % 5, n % 3, n / 40]).find(|&counts| {
        let held_out = n_held_out(&one, counts);
        held_out == n_held_out(&other, counts) && held_out.iter().sum::<f64>() > 0.0
    });
    let documents = corpus(["a", "b", "c", "d"], alike.unwrap());
    let [a, b] = [&one, &other].map(|model| model.completions(&documents).unwrap());
    assert_eq!((a.ahead_of(&b), b.ahead_of(&a)), (None, None));
}

#[test]
fn a_better_model_is_clearly_ahead_and_none_is_ahead_of_itself() {
    let source = LdaSource::zipf(200, 4, 5.0, 200.0, 1.0, 3);
    let [training, test] = [1, 2].map(|seed| source.draw(600, &Lengths::Uniform(20..=60), seed).0);
    let [one, four] = [1, 4].map(|k| {
        let model = Model::Lda(Lda::params(k).trust(false).fit(&training).unwrap());
        model.completions(&test).unwrap()
    });
    let ahead = four.ahead_of(&one).unwrap();
    let (a, b) = (four.total(), one.total());
    let difference = a.log_likelihood.unwrap() - b.log_likelihood.unwrap();
    assert!((ahead.per_token - difference).abs() < 1e-12);
    assert!(ahead.is_clear() && !one.ahead_of(&four).unwrap().is_clear(), "{ahead:?}");
    let itself = four.ahead_of(&four).unwrap();
    assert_eq!((itself.per_token, itself.standard_error), (0.0, 0.0));
    assert!(!itself.is_clear());
    // Pairs are known better than either score.
    assert!(ahead.standard_error < 0.5 * a.standard_error.unwrap(), "{ahead:?} {a:?}");
}
