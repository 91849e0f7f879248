//! The paper's method, which looks at slices of the third moment, of documents elsewhere; and its rivals.

use super::trust::{by_leading_bits, bytes, corpora};
use super::*;
use crate::model::Model;
use crate::moments::Rows;

#[test]
fn holders_of_whole_blocks_give_the_paper_the_same_bytes() {
    for corpus in corpora() {
        let elsewhere = Corpus::elsewhere(by_leading_bits(&corpus, 2)).unwrap();
        for rows in [Rows::Removed, Rows::Kept] {
            let lda = Lda::params(3).paper().rows(rows);
            let [here, there] = [&corpus, &elsewhere].map(|corpus| lda.fit(corpus).unwrap());
            assert!(here.diagnostics().pivot.is_some());
            assert_eq!(here.diagnostics(), there.diagnostics());
            let [here, there] = [here, there].map(Model::Lda);
            assert!(bytes(here, &corpus) == bytes(there, &elsewhere));
            let single = SingleTopic::params(3).paper().rows(rows);
            let [here, there] = [&corpus, &elsewhere].map(|corpus| single.fit(corpus).unwrap());
            assert_eq!(here.diagnostics(), there.diagnostics());
            let [here, there] = [here, there].map(Model::SingleTopic);
            assert!(bytes(here, &corpus) == bytes(there, &elsewhere));
        }
    }
}

#[test]
fn holders_of_any_documents_give_the_paper_nearly_the_same_topics() {
    let corpus = mixtures(900, 1);
    let who = Together::new(dealt(&corpus, 3));
    let elsewhere = Corpus::elsewhere(who.clone()).unwrap();
    let lda = Lda::params(4).paper().trust(false);
    let (here, there) = (lda.fit(&corpus).unwrap(), lda.fit(&elsewhere).unwrap());
    assert_eq!(here.diagnostics().pivot, there.diagnostics().pivot);
    let difference = largest_difference(here.topics(), there.topics());
    assert!(difference < 1e-8, "{difference:e}");
    assert!(who.asked().contains(&"slices"));
}

#[test]
fn rivals_work_elsewhere_too() {
    let [_, corpus] = corpora();
    let elsewhere = Corpus::elsewhere(by_leading_bits(&corpus, 2)).unwrap();
    for method in [
        Method::TensorPower { seed: 1 },
        Method::Eigenvectors { seed: 1 },
        Method::SingularVectors { seed: 1 },
        Method::Als { seed: 1 },
    ] {
        let lda = Lda::params(3).trust(false).polish(Polish::None).method(method);
        let [here, there] = [&corpus, &elsewhere].map(|corpus| lda.fit(corpus).unwrap());
        assert_eq!(here.topics().word_topic(), there.topics().word_topic(), "{method:?}");
    }
    let who = Together::new(dealt(&corpus, 3));
    let apart = Corpus::elsewhere(who.clone()).unwrap();
    let method = Method::Eigenvectors { seed: 1 };
    let single = SingleTopic::params(3).trust(false).polish(Polish::None).method(method);
    let (here, there) = (single.fit(&corpus).unwrap(), single.fit(&apart).unwrap());
    let difference = largest_difference(here.topics(), there.topics());
    assert!(difference < 1e-8, "{difference:e}");
    assert!(who.asked().contains(&"towards"));
}
