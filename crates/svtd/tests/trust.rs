//! Can a topic be trusted? Error bars cover the truth, flags find the topics that are wrong.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use svtd::evaluation::match_topics;
use svtd::linalg::Matrix;
use svtd::model::{Polish, TopicDiagnostics, Topics};
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};
use svtd::trust::T_FACTOR;
use svtd::{Corpus, Lda, SingleTopic};

/// How many entries of the truth above 2e-3 there are, and how many an interval covers.
fn covered(topics: &Topics, truth: &Matrix) -> [usize; 2] {
    let errors = topics.errors().unwrap();
    let (mut entries, mut inside) = (0, 0);
    for (a, b) in match_topics(truth, topics.word_topic()).into_iter().enumerate() {
        let b = b.unwrap();
        for (i, &p) in truth.column(a).iter().enumerate().filter(|(_, p)| **p > 2e-3) {
            let off = (topics.word_topic()[(i, b)] - p).abs();
            entries += 1;
            inside += usize::from(off <= T_FACTOR * errors[(i, b)]);
        }
    }
    [entries, inside]
}

fn check_coverage(draws: impl Iterator<Item = (Topics, Matrix)>) {
    let counts: Vec<[usize; 2]> = draws.map(|(topics, truth)| covered(&topics, &truth)).collect();
    let total = |which: usize| counts.iter().map(|c| c[which]).sum::<usize>() as f64;
    let share = total(1) / total(0);
    assert!((0.90..=0.98).contains(&share), "{share} of {} entries", total(0));
}

#[test]
fn intervals_of_single_topics_cover_the_truth_as_often_as_they_say() {
    for polish in [Polish::Auto, Polish::None] {
        check_coverage((0..4).map(|seed| {
            let source = SingleTopicSource::zipf(300, 5, 5.0, 500.0, 10.0, 70 + seed);
            let lengths = Lengths::LogNormal { mu: 3.5, sigma: 0.7 };
            let corpus = source.draw(1500, &lengths, 80 + seed).0;
            let model = SingleTopic::params(5).polish(polish).fit(&corpus).unwrap();
            (model.topics().clone(), source.word_topic)
        }));
    }
}

#[test]
fn intervals_of_mixed_topics_cover_the_truth_as_often_as_they_say() {
    check_coverage((0..4).map(|seed| {
        let source = LdaSource::zipf(300, 5, 5.0, 500.0, 1.0, 70 + seed);
        let corpus = source.draw(2000, &Lengths::Uniform(20..=80), 80 + seed).0;
        let model = Lda::params(5).polish(Polish::None).fit(&corpus).unwrap();
        (model.topics().clone(), source.word_topic)
    }));
}

/// One topic of six has the given weight.
fn with_a_small_topic(weight: f64, seed: u64) -> (Corpus, SingleTopicSource) {
    let mut source = SingleTopicSource::zipf(500, 6, 5.0, 300.0, 20.0, seed);
    let rest: f64 = source.topic_weights[1..].iter().sum();
    source.topic_weights[0] = weight;
    source.topic_weights[1..].iter_mut().for_each(|w| *w *= (1.0 - weight) / rest);
    (source.draw(2500, &Lengths::Uniform(20..=80), seed + 50).0, source)
}

#[test]
fn a_small_topic_is_flagged_and_the_others_are_not() {
    for seed in 0..3 {
        // Ten documents are expected, and thirty are the limit: chance cannot bridge that.
        let (corpus, source) = with_a_small_topic(0.004, seed);
        let model = SingleTopic::params(6).fit(&corpus).unwrap();
        let matched = match_topics(&source.word_topic, model.topics().word_topic());
        for (a, b) in matched.into_iter().enumerate() {
            let said = &model.diagnostics().topics[b.unwrap()];
            assert_eq!(said.warnings().is_empty(), a != 0, "seed {seed}, topic {a}: {said:?}");
        }
        let flags = model.diagnostics().topics.last().unwrap().warnings();
        assert!(flags[0].starts_with("weak: "), "{flags:?}");
    }
}

#[test]
fn the_error_a_topic_is_expected_to_have_is_about_the_one_it_has() {
    let (mut expected, mut actual) = (0.0, 0.0);
    for seed in 0..3 {
        let (corpus, source) = with_a_small_topic(0.05, 20 + seed);
        let model = SingleTopic::params(6).fit(&corpus).unwrap();
        let topics = model.topics().word_topic();
        for (a, b) in match_topics(&source.word_topic, topics).into_iter().enumerate() {
            let b = b.unwrap();
            let pairs = source.word_topic.column(a).iter().zip(topics.column(b));
            actual += pairs.map(|(x, y)| (x - y).abs()).sum::<f64>();
            let trust = model.diagnostics().topics[b].trust.as_ref().unwrap();
            expected += trust.stability.as_ref().unwrap().expected_error;
        }
    }
    let ratio = expected / actual;
    assert!((0.85..1.15).contains(&ratio), "{ratio}");
}

#[test]
fn documents_that_supply_a_topic_alone_are_told() {
    // Two hundred documents about two topics, and one of a thousand words about something else.
    let drawn = SingleTopicSource::uniform(16, 2, 5).draw(200, &Lengths::Fixed(30), 6).0;
    let mut builder = Corpus::builder(24);
    for d in 0..200 {
        let mut entries: Vec<(u32, u32)> = drawn.document(d).words().collect();
        entries.sort_unstable();
        builder.push_document(entries).unwrap();
    }
    builder.push_document((16..24).map(|i| (i, 125))).unwrap();
    let corpus = builder.build().unwrap();
    let model = SingleTopic::params(3).fit(&corpus).unwrap();
    let flags: Vec<String> = model.diagnostics().topics.iter().flat_map(|t| t.flags()).collect();
    let expected = "driven by few documents: 1 holds 100 %";
    assert!(flags.iter().any(|flag| flag == expected), "{flags:?}");
}

#[test]
fn topics_that_share_most_of_their_words_are_told() {
    // The second topic is the first with a seventh of the third in it; documents are long enough
    // to tell them apart.
    let drawn = SingleTopicSource::uniform(40, 3, 5);
    let column = |j: usize| drawn.word_topic.column(j);
    let mixed = column(0).iter().zip(column(2)).map(|(a, c)| 0.86 * a + 0.14 * c);
    let columns = [column(0).to_vec(), mixed.collect(), column(2).to_vec()].concat();
    let word_topic = Matrix::from_columns(40, 3, columns);
    let source = SingleTopicSource { word_topic, topic_weights: vec![0.4, 0.3, 0.3] };
    let corpus = source.draw(3000, &Lengths::Fixed(400), 6).0;
    let model = SingleTopic::params(3).fit(&corpus).unwrap();
    let flags: Vec<Vec<String>> =
        model.diagnostics().topics.iter().map(|topic| topic.flags()).collect();
    let matched = match_topics(&source.word_topic, model.topics().word_topic());
    let [a, b, c] = [0, 1, 2].map(|j: usize| matched[j].unwrap());
    assert!(flags[a].contains(&format!("near-duplicate of {}", b + 1)), "{flags:?}");
    assert!(flags[b].contains(&format!("near-duplicate of {}", a + 1)), "{flags:?}");
    assert!(flags[c].is_empty(), "{flags:?}");
}

#[test]
fn topics_that_are_not_there_are_not_found_again() {
    // Two topics, six asked for, and no polish that would smooth them: the four others are noise.
    let source = LdaSource::zipf(100, 2, 5.0, 200.0, 1.0, 3);
    let corpus = source.draw(400, &Lengths::Fixed(30), 4).0;
    let model = Lda::params(6).polish(Polish::None).allow_fewer(true).fit(&corpus).unwrap();
    let flags: Vec<String> = model.diagnostics().topics.iter().flat_map(|t| t.flags()).collect();
    let lost = |flag: &&String| flag.starts_with("not found again: ");
    assert!(flags.iter().filter(lost).count() >= 2, "{flags:?}");
}

#[test]
fn intervals_of_swept_topics_cover_the_truth_as_often_as_they_say() {
    check_coverage((0..3).map(|seed| {
        let source = LdaSource::zipf(300, 5, 5.0, 500.0, 1.0, 90 + seed);
        let corpus = source.draw(2000, &Lengths::Uniform(20..=80), 95 + seed).0;
        let model = Lda::params(5).polish(Polish::Steps(20)).fit(&corpus).unwrap();
        (model.topics().clone(), source.word_topic)
    }));
}

#[test]
fn too_few_documents_give_topics_without_error_bars() {
    let source = SingleTopicSource::uniform(20, 2, 1);
    let corpus = source.draw(30, &Lengths::Fixed(20), 2).0;
    let model = SingleTopic::params(2).fit(&corpus).unwrap();
    assert!(model.topics().errors().is_none());
    let bars =
        |topic: &TopicDiagnostics| topic.trust.as_ref().is_some_and(|t| t.stability.is_some());
    assert!(!model.diagnostics().topics.iter().any(bars));
    let asked =
        SingleTopic::params(2).trust(false).fit(&source.draw(200, &Lengths::Fixed(20), 3).0);
    assert!(asked.unwrap().diagnostics().topics.iter().all(|topic| topic.trust.is_none()));
}

#[test]
fn topics_that_come_back_are_not_called_empty_or_next_to_nothing_beside_a_document_of_a_million_words()
 {
    let drawn = LdaSource::zipf(200, 4, 5.0, 200.0, 0.25, 3).draw(300, &Lengths::Fixed(60), 4).0;
    let mut builder = Corpus::builder(200);
    for d in 0..300 {
        let mut entries: Vec<(u32, u32)> = drawn.document(d).words().collect();
        entries.sort_unstable();
        builder.push_document(entries).unwrap();
    }
    builder.push_document((0..200).map(|i| (i, 4900 + i))).unwrap();
    let corpus = builder.build().unwrap();
    let single = SingleTopic::params(4).fit(&corpus).unwrap();
    let mixed = Lda::params(4).polish(Polish::None).fit(&corpus).unwrap();
    for (topics, known) in [
        (single.topics(), &single.diagnostics().topics),
        (mixed.topics(), &mixed.diagnostics().topics),
    ] {
        for (weight, topic) in topics.weights().iter().zip(known) {
            let flags = topic.flags();
            let called = |start: &str| flags.iter().any(|flag| flag.starts_with(start));
            assert!(
                *weight < 0.01 || !called("its weight was next to nothing"),
                "{weight} {flags:?}"
            );
            let comes_back = topic.halves().unwrap().found_again > 0.0;
            assert!(!comes_back || !called("empty"), "{weight} {flags:?}");
        }
    }
}
