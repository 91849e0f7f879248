//! The number of topics, of documents elsewhere.

use super::trust::{by_leading_bits, corpora};
use super::*;
use crate::choosing::Choice;

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
        assert_eq!(here.chosen(), there.chosen());
    }
}

/// Documents of one topic each, where rare topics are looked for.
fn single_topics() -> Corpus {
    let source = SingleTopicSource::zipf(60, 4, 5.0, 60.0, 3.0, 1);
    source.draw(2000, &Lengths::Uniform(0..=60), 2).0
}

fn chosen(corpus: &Corpus) -> Result<Choice> {
    let params = SingleTopic::params(1).choose_topics(corpus, 30)?;
    Ok(params.chosen().unwrap().clone())
}

#[test]
fn rare_topics_are_looked_for_elsewhere() {
    let corpus = single_topics();
    let here = chosen(&corpus).unwrap();
    assert!(here.kept.unwrap().n_topics > 1, "{here:?}");
    let elsewhere = Corpus::elsewhere(by_leading_bits(&corpus, 2)).unwrap();
    assert_eq!(chosen(&elsewhere).unwrap(), here);
    let who = Together::new(dealt(&corpus, 3));
    let there = chosen(&Corpus::elsewhere(who.clone()).unwrap()).unwrap();
    let (here, there) = (here.kept.unwrap(), there.kept.unwrap());
    assert_eq!((here.of, here.n_topics), (there.of, there.n_topics));
    assert!((here.least.unwrap() - there.least.unwrap()).abs() < 1e-6);
    assert!(who.asked().contains(&"deal"));
}

#[test]
fn documents_of_rare_topics_are_not_given_away() {
    let holders = dealt(&single_topics(), 2).into_iter().map(|part| Respondent::new(part, 5));
    let who = Arc::new(Together { holders: holders.collect(), log: Mutex::default() });
    let choice = chosen(&Corpus::elsewhere(who.clone()).unwrap()).unwrap();
    assert!(choice.kept.is_none());
    assert!(choice.not_asked.unwrap().contains("needs the documents"));
    assert!(!who.asked().contains(&"deal"));
}

/// Begins anew for every question, with what the one before left.
struct Forgetful {
    corpus: Corpus,
    kept: Mutex<Option<Vec<u8>>>,
}

impl Ask for Forgetful {
    fn ask(&self, question: &Question) -> Result<Answer> {
        let holder = Respondent::new(self.corpus.clone(), 0);
        let mut kept = self.kept.lock().unwrap();
        if let Some(kept) = &*kept {
            holder.resume(kept, "the state", question)?;
        }
        let answer = holder.ask(question)?;
        *kept = holder.state()?.or(kept.take());
        Ok(answer)
    }
}

#[test]
fn a_dealing_goes_on_from_what_was_kept() {
    let corpus = single_topics();
    let here = chosen(&corpus).unwrap();
    let who = Forgetful { corpus: corpus.clone(), kept: Mutex::default() };
    assert_eq!(chosen(&Corpus::elsewhere(Arc::new(who)).unwrap()).unwrap(), here);
    let who = Together::new(vec![corpus.clone()]);
    chosen(&Corpus::elsewhere(who.clone()).unwrap()).unwrap();
    let before = who.asked().iter().position(|name| *name == "deal").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let choose = |left: usize| {
        let who = Leaving { who: Respondent::new(corpus.clone(), 0), left: Mutex::new(left) };
        chosen(&Corpus::elsewhere(Arc::new(Checkpoint::new(who, folder.path())?))?)
    };
    assert_eq!(choose(before + 3).unwrap_err().to_string(), "nobody is there");
    assert_eq!(choose(usize::MAX).unwrap(), here);
}

#[test]
fn whoever_does_not_answer_is_told_of_in_a_sentence() {
    let corpus = mixtures(300, 1);
    let who = Leaving { who: Respondent::new(corpus, 0), left: Mutex::new(6) };
    let elsewhere = Corpus::elsewhere(Arc::new(who)).unwrap();
    let error = Lda::params(1).choose_topics(&elsewhere, 9).unwrap_err().to_string();
    assert_eq!(error, "nobody is there");
}
