//! The number of topics, of documents elsewhere.

use super::trust::{by_leading_bits, corpora};
use super::*;

#[test]
fn as_many_topics_are_chosen_of_documents_elsewhere() {
    for corpus in corpora() {
        let elsewhere = Corpus::elsewhere(by_leading_bits(&corpus, 2)).unwrap();
        let lda = |corpus: &Corpus| Lda::params(1).choose_topics(corpus, 12).unwrap();
        let (here, there) = (lda(&corpus), lda(&elsewhere));
        assert_eq!(here.chosen(), there.chosen());
        assert!(here.chosen().unwrap().n_topics > 1);
        let single = |corpus: &Corpus| SingleTopic::params(1).choose_topics(corpus, 12).unwrap();
        let (here, there) = (single(&corpus), single(&elsewhere));
        let (here, there) = (here.chosen().unwrap(), there.chosen().unwrap());
        assert_eq!(here.z_scores, there.z_scores);
        assert_eq!(here.counted, there.counted);
        // Topics too rare for a direction of their own are looked for where the documents are.
        assert_eq!(here.kept.is_some(), there.not_asked.is_some());
    }
}

#[test]
fn whoever_does_not_answer_is_told_of_in_a_sentence() {
    let corpus = mixtures(300, 1);
    let who = Leaving { who: Respondent::new(corpus, 0), left: Mutex::new(6) };
    let elsewhere = Corpus::elsewhere(Arc::new(who)).unwrap();
    let error = Lda::params(1).choose_topics(&elsewhere, 9).unwrap_err().to_string();
    assert_eq!(error, "nobody is there");
}
