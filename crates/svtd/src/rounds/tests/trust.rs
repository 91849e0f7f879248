//! Error bars and topics found again, of documents elsewhere.

use super::*;
use crate::learning::Update;
use crate::model::Model;
use crate::persist::Saved;

/// The bytes of a model file.
pub(super) fn bytes(model: Model, corpus: &Corpus) -> Vec<u8> {
    Saved::new(model, corpus).to_bytes().unwrap()
}

/// Holders of whole blocks, by the leading bits of the keys.
pub(super) fn by_leading_bits(corpus: &Corpus, bits: u32) -> Arc<Groups> {
    assert!(corpus.n_blocks() >= 1 << bits);
    let group = |g: u64| {
        let of_group = |d: &usize| corpus.document_key(*d) >> (64 - bits) == g;
        let chosen: Vec<usize> = (0..corpus.n_documents()).filter(of_group).collect();
        Some(Respondent::new(corpus.subset(&chosen), 0))
    };
    Arc::new(Groups((0..1 << bits).map(group).collect()))
}

/// Documents that follow the model, and bursts of words, where the sweeps end elsewhere.
pub(super) fn corpora() -> [Corpus; 2] {
    let corpus = LdaSource::uniform(60, 3, 1.0, 5).draw(3000, &Lengths::Uniform(0..=60), 6).0;
    [tripled(&corpus), corpus]
}

#[test]
fn holders_of_whole_blocks_give_the_same_bytes() {
    for corpus in corpora() {
        for bits in [1, 3] {
            let elsewhere = Corpus::elsewhere(by_leading_bits(&corpus, bits)).unwrap();
            for polish in [Polish::Auto, Polish::None] {
                let lda = Lda::params(3).polish(polish);
                let (here, there) = (lda.fit(&corpus).unwrap(), lda.fit(&elsewhere).unwrap());
                assert_eq!(here.diagnostics(), there.diagnostics());
                assert_eq!(here.topics().errors(), there.topics().errors());
                let [here, there] = [here, there].map(Model::Lda);
                assert!(bytes(here, &corpus) == bytes(there, &elsewhere));
                let single = SingleTopic::params(3).polish(polish);
                let (here, there) = (single.fit(&corpus).unwrap(), single.fit(&elsewhere).unwrap());
                assert_eq!(here.diagnostics(), there.diagnostics());
                assert_eq!(here.topics().errors(), there.topics().errors());
                let [here, there] = [here, there].map(Model::SingleTopic);
                assert!(bytes(here, &corpus) == bytes(there, &elsewhere));
            }
        }
    }
}

/// How far what is known of the errors is apart, at most.
fn apart(a: &Topics, b: &Topics) -> f64 {
    let (a, b) = (a.errors().unwrap(), b.errors().unwrap());
    let pairs = a.values().iter().zip(b.values());
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn holders_of_any_documents_tell_the_same_errors() {
    for seed in 1..3 {
        for corpus in [mixtures(900, seed), tripled(&mixtures(900, seed))] {
            let who = Together::new(dealt(&corpus, 3));
            let elsewhere = Corpus::elsewhere(who.clone()).unwrap();
            for polish in [Polish::Auto, Polish::None] {
                let lda = Lda::params(4).polish(polish);
                let (here, there) = (lda.fit(&corpus).unwrap(), lda.fit(&elsewhere).unwrap());
                let difference = apart(here.topics(), there.topics());
                assert!(difference < 1e-10, "seed {seed}, {polish:?}: {difference:e}");
                let single = SingleTopic::params(4).polish(polish);
                let (here, there) = (single.fit(&corpus).unwrap(), single.fit(&elsewhere).unwrap());
                let difference = apart(here.topics(), there.topics());
                assert!(
                    difference < 1e-10,
                    "single topic, seed {seed}, {polish:?}: {difference:e}"
                );
                for (a, b) in here.diagnostics().topics.iter().zip(&there.diagnostics().topics) {
                    assert_eq!(a.halves().unwrap().found_again, b.halves().unwrap().found_again);
                }
            }
            let kinds = ["directions", "torques", "settled", "feedback", "holdings"];
            assert!(kinds.iter().all(|kind| who.asked().contains(kind)), "{:?}", who.asked());
        }
    }
}

#[test]
fn small_sites_give_no_groups_away() {
    let corpus = mixtures(600, 4);
    let site = |least: usize| {
        let holders = dealt(&corpus, 2).into_iter().map(|part| Respondent::new(part, least));
        let who = Together { holders: holders.collect(), log: Mutex::default() };
        Corpus::elsewhere(Arc::new(who)).unwrap()
    };
    // Halves are large enough, groups are not: topics are found again, and have no error bars.
    let model = Lda::params(4).fit(&site(20)).unwrap();
    assert!(model.topics().errors().is_none());
    assert!(model.diagnostics().topics.iter().all(|topic| topic.halves().is_some()));
    let noted = |note: &String| note.contains("error bars");
    assert!(model.diagnostics().notes.iter().any(noted), "{:?}", model.diagnostics().notes);
    // Nor are halves.
    let model = SingleTopic::params(4).fit(&site(130)).unwrap();
    assert!(model.diagnostics().topics.iter().all(|topic| topic.halves().is_none()));
    let model = SingleTopic::params(4).fit(&site(4)).unwrap();
    assert!(model.topics().errors().is_some());
}

#[test]
fn an_update_of_documents_elsewhere_is_that_of_documents_here() {
    for corpus in corpora() {
        let elsewhere = Corpus::elsewhere(by_leading_bits(&corpus, 2)).unwrap();
        let before = corpus.subset(&(0..1500).collect::<Vec<usize>>());
        let lda = Model::Lda(Lda::params(3).polish(Polish::Steps(4)).fit(&before).unwrap());
        let single = Model::SingleTopic(SingleTopic::params(3).fit(&before).unwrap());
        for old in [lda, single] {
            let [here, there] =
                [&corpus, &elsewhere].map(|corpus| Update::warm(&old, corpus, 3, &|_| {}).unwrap());
            assert!(!here.cold && here.model.topics().errors().is_some());
            assert!(bytes(here.model, &corpus) == bytes(there.model, &elsewhere));
        }
    }
}

#[test]
fn documents_elsewhere_leave_small_topics_as_those_here_do() {
    let source = SingleTopicSource::zipf(400, 3, 5.0, 200.0, 1000.0, 8);
    let corpus = source.draw(4000, &Lengths::Uniform(0..=120), 9).0;
    let single = SingleTopic::params(9).allow_fewer(true);
    let here = single.fit(&corpus).unwrap();
    let who = Together::new(vec![corpus.clone()]);
    let elsewhere = Corpus::elsewhere(who.clone()).unwrap();
    let there = single.fit(&elsewhere).unwrap();
    assert!(who.asked().contains(&"leaving"), "{:?}", who.asked());
    let here = bytes(Model::SingleTopic(here), &corpus);
    assert!(here == bytes(Model::SingleTopic(there), &elsewhere));
    let elsewhere = Corpus::elsewhere(by_leading_bits(&corpus, 2)).unwrap();
    let there = single.fit(&elsewhere).unwrap();
    assert!(here == bytes(Model::SingleTopic(there), &elsewhere));
}
