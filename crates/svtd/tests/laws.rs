//! Laws that hold whatever the data: order, names and empty documents do not matter; answers are
//! probabilities; degenerate data gets a clear error or a flagged result.

#![allow(clippy::unwrap_used, reason = "a test may")]

use proptest::prelude::*;
use svtd::decomposition::diagonals;
use svtd::evaluation::topic_error;
use svtd::inference::Gibbs;
use svtd::linalg::Matrix;
use svtd::model::{Model, Polish, PolishOutcome, Topics};
use svtd::moments::{DocumentWeights, ExactMoments, Moments, Rows};
use svtd::recovery::recover;
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};
use svtd::whitening::{Scaling, Whitening};
use svtd::{Corpus, Error, Lda, Method, SingleTopic};

/// The documents of a corpus as lists of (word, count).
fn documents(corpus: &Corpus) -> Vec<Vec<(u32, u32)>> {
    (0..corpus.n_documents()).map(|d| corpus.document(d).words().collect()).collect()
}

fn corpus_of(n_words: usize, documents: impl IntoIterator<Item = Vec<(u32, u32)>>) -> Corpus {
    let mut builder = Corpus::builder(n_words);
    for document in documents {
        builder.push_document(document).unwrap();
    }
    builder.build().unwrap()
}

/// A permutation of `0..n` that follows the seed.
fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| {
        let mixed = (i as u64 + 1).wrapping_mul(seed | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 29)
    });
    order
}

fn largest_difference(a: &Topics, b: &Topics) -> f64 {
    let words = a.word_topic().values().iter().zip(b.word_topic().values());
    let weights = a.weights().iter().zip(b.weights());
    words.chain(weights).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn single_topic_corpus(seed: u64) -> Corpus {
    let source = SingleTopicSource::uniform(40, 3, seed);
    source.draw(150, &Lengths::Uniform(0..=40), seed ^ 77).0
}

fn lda_corpus(seed: u64) -> Corpus {
    let source = LdaSource::zipf(60, 3, 2.0, 30.0, 0.6, seed);
    source.draw(150, &Lengths::Uniform(5..=60), seed ^ 78).0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_documents_changes_no_bit(seed in 0..10_000_u64, order in 1..u64::MAX) {
        for (corpus, lda) in [(single_topic_corpus(seed), false), (lda_corpus(seed), true)] {
            let order = shuffled(corpus.n_documents(), order);
            let permuted = corpus.subset(&order);
            let fit = |corpus: &Corpus| if lda {
                Lda::params(3).fit(corpus).map(Model::Lda)
            } else {
                SingleTopic::params(3).fit(corpus).map(Model::SingleTopic)
            };
            let (a, b) = (fit(&corpus).unwrap(), fit(&permuted).unwrap());
            let difference = largest_difference(a.topics(), b.topics());
            prop_assert_eq!(difference, 0.0, "lda {}", lda);
        }
    }

    #[test]
    fn renaming_words_renames_the_rows(seed in 0..10_000_u64) {
        let corpus = single_topic_corpus(seed);
        let new_name = shuffled(corpus.n_words(), seed * 2 + 1);
        let renamed = corpus_of(corpus.n_words(), documents(&corpus).into_iter().map(|document| {
            document.into_iter().map(|(w, x)| (new_name[w as usize] as u32, x)).collect()
        }));
        let (a, b) = (SingleTopic::params(3).fit(&corpus).unwrap(), SingleTopic::params(3).fit(&renamed).unwrap());
        for (i, &name) in new_name.iter().enumerate() {
            for j in 0..3 {
                let (x, y) = (a.topics().word_topic()[(i, j)], b.topics().word_topic()[(name, j)]);
                prop_assert!((x - y).abs() < 1e-8, "{} {}", x, y);
            }
        }
    }

    #[test]
    fn empty_documents_and_a_second_copy_of_the_corpus_change_nothing(seed in 0..10_000_u64) {
        let corpus = single_topic_corpus(seed);
        let params = SingleTopic::params(3).polish(Polish::None);
        let once = params.fit(&corpus).unwrap();
        let with_empty = documents(&corpus).into_iter().flat_map(|d| [d, vec![]]);
        let sparse = params.fit(&corpus_of(corpus.n_words(), with_empty)).unwrap();
        prop_assert!(largest_difference(once.topics(), sparse.topics()) < 1e-9);
        let all = documents(&corpus);
        let twice = corpus_of(corpus.n_words(), all.iter().chain(&all).cloned());
        prop_assert!(largest_difference(once.topics(), params.fit(&twice).unwrap().topics()) < 1e-8);
    }

    #[test]
    fn topics_weights_and_mixtures_are_distributions(seed in 0..10_000_u64, k in 1..6_usize, paper: bool, zou: bool) {
        let corpus = lda_corpus(seed);
        let weights = if zou { DocumentWeights::Zou } else { DocumentWeights::ThreeWords { seed } };
        let mut single = SingleTopic::params(k).allow_fewer(true).weights(weights.clone());
        let mut lda = Lda::params(k).allow_fewer(true).weights(weights);
        if paper {
            (single, lda) = (single.paper(), lda.paper());
        }
        for model in [single.fit(&corpus).map(Model::SingleTopic), lda.fit(&corpus).map(Model::Lda)] {
            // Noise may leave no positive direction at all; that is an answer too.
            let model = match model {
                Err(Error::FewerTopicsVisible { visible: 0, .. }) => continue,
                other => other.unwrap(),
            };
            let topics = model.topics();
            let on_simplex = |values: &[f64]| {
                values.iter().all(|v| v.is_finite() && *v >= 0.0)
                    && (values.iter().sum::<f64>() - 1.0).abs() < 1e-9
            };
            prop_assert!(on_simplex(topics.weights()));
            for j in 0..topics.len() {
                prop_assert!(on_simplex(topics.word_topic().column(j)));
            }
            let inferred = model.infer(&corpus).unwrap();
            for d in 0..corpus.n_documents() {
                prop_assert!(on_simplex(&inferred.mixtures.row(d)), "document {}", d);
            }
        }
    }

    #[test]
    fn training_documents_get_the_same_bits_as_new_ones(seed in 0..10_000_u64) {
        let corpus = lda_corpus(seed);
        let lda = Lda::params(3).fit(&corpus).unwrap();
        let single = SingleTopic::params(3).fit(&corpus).unwrap();
        let some: Vec<usize> = (0..corpus.n_documents()).step_by(7).collect();
        let new = corpus_of(corpus.n_words(), some.iter().map(|&d| documents(&corpus)[d].clone()));
        let gibbs = Gibbs::default().seed(5).sweeps(20);
        let pairs = [
            (lda.infer(&corpus).unwrap(), lda.infer(&new).unwrap()),
            (lda.infer_by_gibbs(&corpus, &gibbs).unwrap(), lda.infer_by_gibbs(&new, &gibbs).unwrap()),
            (single.infer(&corpus).unwrap(), single.infer(&new).unwrap()),
        ];
        for (all, few) in pairs {
            for (row, &d) in some.iter().enumerate() {
                prop_assert_eq!(all.mixtures.row(d), few.mixtures.row(row));
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    // Large enough for every kernel to cut its work.
    let source = LdaSource::zipf(6000, 8, 5.0, 500.0, 1.0, 3);
    let corpus = source.draw(9000, &Lengths::Uniform(30..=90), 4).0;
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let lda = Lda::params(8).polish(Polish::Steps(3)).fit(&corpus).unwrap();
            let single = SingleTopic::params(8).fit(&corpus).unwrap();
            let paper = SingleTopic::params(4).paper().fit(&corpus).unwrap();
            let mixtures = lda.infer(&corpus).unwrap().mixtures;
            let topics = [lda.topics(), single.topics(), paper.topics()].map(Clone::clone);
            (topics, mixtures, lda.diagnostics().clone())
        })
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        let other = run(threads);
        assert!(one == other, "{threads} threads");
    }
}

#[test]
fn the_fixed_point_lies_close_to_a_long_gibbs_chain() {
    let source = LdaSource::zipf(300, 5, 5.0, 100.0, 1.0, 11);
    let corpus = source.draw(800, &Lengths::Uniform(40..=120), 12).0;
    let model = Lda::params(5).fit(&corpus).unwrap();
    let few = corpus.subset(&(0..60).collect::<Vec<_>>());
    let exact = model.infer(&few).unwrap().mixtures;
    let chain = |seed| {
        let gibbs = Gibbs::default().seed(seed).burn_in(100).sweeps(1000);
        model.infer_by_gibbs(&few, &gibbs).unwrap().mixtures
    };
    let distance = |a: &Matrix, b: &Matrix| {
        let sum: f64 = a.values().iter().zip(b.values()).map(|(x, y)| (x - y).abs()).sum();
        sum / a.n_rows() as f64
    };
    let (first, second) = (chain(1), chain(2));
    assert!(distance(&first, &second) < 0.05, "two chains: {}", distance(&first, &second));
    assert!(distance(&exact, &first) < 0.15, "fixed point: {}", distance(&exact, &first));
}

#[test]
fn the_error_falls_as_documents_grow() {
    let source = SingleTopicSource::zipf(300, 5, 5.0, 200.0, 5.0, 21);
    let error = |n: usize| {
        let corpora = 0..4;
        let errors = corpora.map(|c| {
            let corpus = source.draw(n, &Lengths::Uniform(3..=99), 100 + c).0;
            let model = SingleTopic::params(5).polish(Polish::None).fit(&corpus).unwrap();
            topic_error(&source.word_topic, model.topics().word_topic())
        });
        errors.sum::<f64>() / 4.0
    };
    let (few, more, many) = (error(200), error(1600), error(12_800));
    // Eight times the documents: about 1/sqrt(8) = 0.35 of the error.
    assert!(more < 0.6 * few && many < 0.6 * more, "{few} {more} {many}");
}

// --- degenerate data ---------------------------------------------------------------------------

#[test]
fn documents_without_triples_are_an_error() {
    let pairs = corpus_of(3, vec![vec![(0, 1), (1, 1)], vec![(1, 1), (2, 1)]]);
    assert!(matches!(SingleTopic::params(2).fit(&pairs), Err(Error::NoTriples)));
    assert!(matches!(Lda::params(2).fit(&pairs), Err(Error::NoTriples)));
    let ones = corpus_of(3, vec![vec![(0, 1)], vec![(1, 1)]]);
    assert!(matches!(SingleTopic::params(2).fit(&ones), Err(Error::NoPairs)));
}

#[test]
fn more_topics_than_visible_are_an_error_or_if_allowed_a_note() {
    // Two groups that share no word: the pair moment has exactly two directions.
    let mut documents = Vec::new();
    for d in 0..20 {
        let (a, b) = (3 + d % 4, 3 + d / 4);
        documents.push(vec![(0, a), (1, b)]);
        documents.push(vec![(2, a), (3, b)]);
    }
    let corpus = corpus_of(4, documents);
    let error = SingleTopic::params(4).fit(&corpus).unwrap_err();
    assert_eq!(error.visible_topics(), Some(2), "{error}");
    let model = SingleTopic::params(4).allow_fewer(true).fit(&corpus).unwrap();
    assert_eq!(model.topics().len(), 2);
    assert!(model.diagnostics().notes.iter().any(|n| n.contains("shows 2")));
    assert_eq!(model.diagnostics().z_scores.as_ref().map(Vec::len), Some(2));
    assert!(matches!(SingleTopic::params(5).fit(&corpus), Err(Error::TooManyTopics { .. })));
    assert!(matches!(SingleTopic::params(0).fit(&corpus), Err(Error::Option { .. })));
}

#[test]
fn alpha0_must_be_a_positive_number() {
    let corpus = lda_corpus(1);
    for alpha0 in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Lda::params(2).alpha0(alpha0).fit(&corpus).unwrap_err();
        assert!(error.to_string().starts_with("alpha0 must be a positive number"), "{error}");
    }
}

#[test]
fn without_a_separating_feature_the_papers_method_falls_back_and_says_so() {
    // Every word has the same probability under two of the three topics.
    let word_topic = Matrix::from_fn(9, 3, |i, j| if i / 3 == j { 0.2 } else { 0.4 / 6.0 });
    let weights = [0.5, 0.3, 0.2];
    let moments = ExactMoments::single_topic(word_topic.clone(), &weights);
    let whitening = Whitening::fit(&moments, 3, Scaling::Plain).unwrap();
    for rows in [Rows::Kept, Rows::Removed] {
        let found = Method::Svtd.decompose(&moments, &whitening, rows);
        assert!(found.note.is_some() && found.pivot.is_none());
        let estimate = diagonals(&moments, &whitening, &found.rotation, rows);
        let recovered = recover(estimate, moments.first(), whitening.scales());
        assert!(topic_error(&word_topic, &recovered.word_topic) < 1e-8);
    }
}

#[test]
fn one_topic_is_the_corpus_itself() {
    let corpus = single_topic_corpus(5);
    let model = SingleTopic::params(1).fit(&corpus).unwrap();
    assert_eq!(model.topics().weights(), [1.0]);
    let mut totals = vec![0.0; corpus.n_words()];
    for (word, count) in documents(&corpus).into_iter().flatten() {
        totals[word as usize] += f64::from(count) / corpus.n_tokens() as f64;
    }
    for (word, share) in totals.iter().enumerate() {
        let found = model.topics().word_topic()[(word, 0)];
        assert!((found - share).abs() < 1e-12, "word {word}: {found} is not {share}");
    }
    let inferred = model.infer(&corpus).unwrap();
    assert!(inferred.mixtures.values().iter().all(|v| *v == 1.0));
}

#[test]
fn equal_topics_keep_their_numbers_when_documents_are_reordered() {
    // Two groups of documents that mirror each other: the same weight to the last digit.
    let mut all = Vec::new();
    for i in 0..50_u32 {
        let (a, b) = (1 + i % 5, 1 + i % 3);
        all.push(vec![(0, a + 3), (1, b), (2, a + 2), (3, 1)]);
        all.push(vec![(1, a + 3), (0, b), (3, a + 2), (2, 1)]);
    }
    let fit = |order: Vec<usize>| {
        let corpus = corpus_of(4, order.into_iter().map(|d| all[d].clone()));
        SingleTopic::params(2).polish(Polish::None).fit(&corpus).unwrap()
    };
    let first = fit((0..100).collect());
    for seed in 1..8 {
        let other = fit(shuffled(100, seed * 1013));
        assert!(largest_difference(first.topics(), other.topics()) < 1e-8, "shuffle {seed}");
    }
}

#[test]
fn identical_documents_show_one_topic_however_many_are_asked_for() {
    let corpus = corpus_of(50, (0..100).map(|_| (0..50).map(|w| (w, 5)).collect()));
    for k in [2, 20, 40] {
        for error in [
            SingleTopic::params(k).fit(&corpus).unwrap_err(),
            SingleTopic::params(k).paper().fit(&corpus).unwrap_err(),
        ] {
            assert_eq!(error.visible_topics(), Some(1), "k = {k}: {error}");
        }
        assert!(Lda::params(k).fit(&corpus).is_err());
    }
}

#[test]
fn documents_of_one_repeated_word_each_are_told_apart_for_any_number_of_topics() {
    let corpus = corpus_of(30, (0..60_u32).map(|d| vec![(d % 30, 4)]));
    let model = SingleTopic::params(30).fit(&corpus).unwrap();
    assert_eq!(model.topics().len(), 30);
    let model = Lda::params(20).fit(&corpus).unwrap();
    assert_eq!(model.topics().len(), 20);
    // Damped counts have no triples here, so the passes use the priors of documents that follow the model.
    let model = Lda::params(20).polish(Polish::Steps(5)).fit(&corpus).unwrap();
    assert!(matches!(model.diagnostics().polish, PolishOutcome::Sweeps { .. }));
}

#[test]
fn weights_of_the_callers_own_work_with_every_part_of_a_fit() {
    let corpus = lda_corpus(4);
    let own: Vec<f64> = (0..corpus.n_documents()).map(|d| 1.0 + (d % 4) as f64).collect();
    let model = Lda::params(3).weights(DocumentWeights::Custom(own)).fit(&corpus).unwrap();
    assert!(model.diagnostics().z_scores.is_some());
    let compared = match model.diagnostics().polish {
        PolishOutcome::Sweeps { held_out, .. } | PolishOutcome::Declined { held_out } => held_out,
        _ => None,
    };
    assert!(compared.is_some(), "{:?}", model.diagnostics().notes);
}

#[test]
fn rows_cannot_be_removed_from_slices_that_are_not_used() {
    let error = SingleTopic::params(2).rows(Rows::Removed).fit(&single_topic_corpus(1));
    assert!(matches!(error, Err(Error::Option { name: "rows", .. })));
}

#[test]
fn words_that_never_occur_have_probability_zero_and_say_nothing() {
    let mut all = documents(&single_topic_corpus(3));
    all.truncate(100);
    let corpus = corpus_of(45, all);
    let model = SingleTopic::params(3).fit(&corpus).unwrap();
    for word in 40..45 {
        assert!((0..3).all(|j| model.topics().word_topic()[(word, j)] == 0.0));
    }
    let new = corpus_of(45, vec![vec![(41, 7)], vec![(0, 1), (44, 2)]]);
    let inferred = model.infer(&new).unwrap();
    assert_eq!((inferred.n_unknown_tokens, inferred.n_without_words), (9, 1));
    let prior: Vec<f64> = model.topics().weights().to_vec();
    for (x, y) in inferred.mixtures.row(0).iter().zip(&prior) {
        assert!((x - y).abs() < 1e-12, "a document without known words has the prior");
    }
}

#[test]
fn a_handful_of_documents_is_fitted_without_polish_and_says_so() {
    let source = LdaSource::uniform(30, 2, 1.0, 1);
    let corpus = source.draw(12, &Lengths::Fixed(60), 2).0;
    let model = Lda::params(2).fit(&corpus).unwrap();
    assert_eq!(model.diagnostics().polish, PolishOutcome::Declined { held_out: None });
    assert!(model.diagnostics().notes.iter().any(|n| n.contains("too few to hold some out")));
}

#[test]
fn on_data_that_follow_the_model_sweeps_are_its_own_and_only_where_they_help() {
    // Topics that overlap much, where moments do well alone, and topics as unequal as those of text.
    let overlapping = |seed| LdaSource::uniform(100, 5, 2.0, seed);
    let unequal = |seed| LdaSource::zipf(600, 6, 5.0, 600.0, 2.0, seed);
    let sources: [&dyn Fn(u64) -> LdaSource; 2] = [&overlapping, &unequal];
    for (source, most) in sources.into_iter().zip([1.05, 0.97]) {
        let (mut unpolished, mut usual) = (0.0, 0.0);
        for seed in 0..6 {
            let source = source(seed);
            let corpus = source.draw(1500, &Lengths::Fixed(60), seed + 50).0;
            let params = Lda::params(source.alpha.len()).alpha0(2.0).trust(false);
            let model = params.clone().fit(&corpus).unwrap();
            let outcome = &model.diagnostics().polish;
            let as_text = matches!(outcome, PolishOutcome::Sweeps { drawn_to_corpus: None, .. });
            assert!(!as_text, "seed {seed}: {outcome:?}");
            usual += topic_error(&source.word_topic, model.topics().word_topic());
            let plain = params.polish(Polish::None).fit(&corpus).unwrap();
            unpolished += topic_error(&source.word_topic, plain.topics().word_topic());
        }
        assert!(usual < most * unpolished, "{usual}, unpolished {unpolished}");
    }
}
