#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::Arc;
use std::sync::Mutex;

use super::file::digest_of;
use super::*;
use crate::Method;
use crate::choosing::{Check, CheckOptions};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::evaluation::coherence;
use crate::fit::repeats::tripled;
use crate::model::Polish;
use crate::model::{Lda, SingleTopic, Topics};
use crate::moments::DocumentWeights;
use crate::questions::Request;
use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};

mod choosing;
mod naive;
mod slices;
mod sweeps;
mod trust;

/// Holders in one process. Questions and answers are written down and read again on their way.
struct Together {
    holders: Vec<Respondent>,
    /// What was asked.
    log: Mutex<Vec<&'static str>>,
}

impl Together {
    fn new(parts: Vec<Corpus>) -> Arc<Self> {
        let holders = parts.into_iter().map(|part| Respondent::new(part, 0)).collect();
        Arc::new(Self { holders, log: Mutex::default() })
    }

    fn asked(&self) -> Vec<&'static str> {
        self.log.lock().unwrap().clone()
    }
}

impl Ask for Together {
    fn ask(&self, question: &Question) -> Result<Answer> {
        self.log.lock().unwrap().push(question.name());
        let bytes = question.to_bytes()?;
        let read = Question::from_bytes(&bytes, "a question")?;
        assert_eq!(read, *question);
        let digest = digest_of(&bytes);
        let answer = |holder: &Respondent| {
            let written = holder.ask(&read)?.to_bytes(&digest)?;
            Answer::from_bytes(&written, "an answer", &digest)
        };
        let mut sum = answer(&self.holders[0])?;
        for holder in &self.holders[1..] {
            sum.add(&answer(holder)?)?;
        }
        Ok(sum)
    }
}

/// Every `n`-th document, beginning with each of the first `n`.
fn dealt(corpus: &Corpus, n: usize) -> Vec<Corpus> {
    let part = |first: usize| (first..corpus.n_documents()).step_by(n).collect::<Vec<usize>>();
    (0..n).map(|first| corpus.subset(&part(first))).collect()
}

fn mixtures(n_documents: usize, seed: u64) -> Corpus {
    LdaSource::zipf(300, 4, 5.0, 300.0, 1.0, seed)
        .draw(n_documents, &Lengths::Uniform(0..=90), seed)
        .0
}

fn largest_difference(a: &Topics, b: &Topics) -> f64 {
    assert_eq!(a.vocabulary(), b.vocabulary());
    let pairs = a.word_topic().values().iter().zip(b.word_topic().values());
    let weights = a.weights().iter().zip(b.weights());
    pairs.chain(weights).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn one_holder_of_all_documents_answers_to_the_last_bit() {
    // Enough counts for several blocks.
    let corpus = LdaSource::uniform(60, 3, 1.0, 5).draw(3000, &Lengths::Uniform(2..=60), 6).0;
    assert!(corpus.n_blocks() > 4);
    for corpus in [corpus.clone(), tripled(&corpus)] {
        let who = Together::new(vec![corpus.clone()]);
        let elsewhere = Corpus::elsewhere(who.clone()).unwrap();
        assert_eq!(elsewhere.digest(), corpus.digest());
        let lda = Lda::params(3).trust(false);
        let (here, there) = (lda.fit(&corpus).unwrap(), lda.fit(&elsewhere).unwrap());
        assert_eq!(here.topics().word_topic(), there.topics().word_topic());
        assert_eq!(here.alpha(), there.alpha());
        assert_eq!(here.diagnostics(), there.diagnostics());
        let single = SingleTopic::params(3).trust(false);
        let (here, there) = (single.fit(&corpus).unwrap(), single.fit(&elsewhere).unwrap());
        assert_eq!(here.topics().word_topic(), there.topics().word_topic());
        assert_eq!(here.diagnostics(), there.diagnostics());
        assert!(["cube", "squares", "expectation", "look"].iter().all(|q| who.asked().contains(q)));
    }
}

/// Holders of whole blocks, asked at once.
struct Groups(Vec<Option<Respondent>>);

impl Ask for Groups {
    fn ask(&self, question: &Question) -> Result<Answer> {
        let answers =
            self.0.iter().map(|holder| holder.as_ref().map(|h| h.ask(question)).transpose());
        let sum = Answer::sum_along_tree(answers.collect::<Result<_>>()?)?;
        Ok(sum.unwrap())
    }
}

#[test]
fn holders_of_whole_blocks_answer_to_the_last_bit() {
    let corpus = LdaSource::uniform(60, 3, 1.0, 5).draw(3000, &Lengths::Uniform(2..=60), 6).0;
    for corpus in [corpus.clone(), tripled(&corpus)] {
        for bits in [1, 2, 3] {
            assert!(corpus.n_blocks() >= 1 << bits);
            let group = |g: u64| {
                let of_group = |d: &usize| corpus.document_key(*d) >> (64 - bits) == g;
                let part = corpus.subset(&(0..3000).filter(of_group).collect::<Vec<usize>>());
                Some(Respondent::new(part, 0))
            };
            let who = Arc::new(Groups((0..1 << bits).map(group).collect()));
            let elsewhere = Corpus::elsewhere(who).unwrap();
            let lda = Lda::params(3).trust(false);
            let (here, there) = (lda.fit(&corpus).unwrap(), lda.fit(&elsewhere).unwrap());
            assert_eq!(here.topics().word_topic(), there.topics().word_topic());
            assert_eq!(here.diagnostics(), there.diagnostics());
        }
    }
}

#[test]
fn holders_of_any_documents_together_learn_what_one_would() {
    for seed in 1..4 {
        // Documents that follow the model, where candidates compete; bursts of words, where they do not.
        for corpus in [mixtures(900, seed), tripled(&mixtures(900, seed))] {
            let elsewhere = Corpus::elsewhere(Together::new(dealt(&corpus, 3))).unwrap();
            assert_eq!(elsewhere.n_documents(), 900);
            assert_eq!(elsewhere.n_tokens(), corpus.n_tokens());
            let lda = Lda::params(4).trust(false);
            let (pooled, apart) = (lda.fit(&corpus).unwrap(), lda.fit(&elsewhere).unwrap());
            let difference = largest_difference(pooled.topics(), apart.topics());
            assert!(difference < 1e-10, "seed {seed}: {difference:e}");
            let single = SingleTopic::params(4).trust(false);
            let (pooled, apart) = (single.fit(&corpus).unwrap(), single.fit(&elsewhere).unwrap());
            let difference = largest_difference(pooled.topics(), apart.topics());
            assert!(difference < 1e-10, "single topic, seed {seed}: {difference:e}");
        }
    }
}

#[test]
fn words_of_sites_are_united() {
    let source = SingleTopicSource::zipf(200, 3, 5.0, 100.0, 1.0, 2);
    let corpus = source.draw(400, &Lengths::Uniform(5..=40), 3).0;
    let named = |corpus: &Corpus, words: Vec<String>| {
        let mut builder =
            Corpus::builder(words.len()).vocabulary(crate::Vocabulary::from_words(words).unwrap());
        for d in 0..corpus.n_documents() {
            builder.push_document(corpus.document(d).words()).unwrap();
        }
        builder.build().unwrap()
    };
    let words: Vec<String> = (0..200).map(|i| format!("word{i}")).collect();
    let pooled = named(&corpus, words.clone());
    // Each site knows only the words it has, in an order of its own.
    let site = |part: Corpus| {
        let mut own: Vec<u32> = part.word_of_feature()[..part.n_present()].to_vec();
        own.sort_by_key(|id| std::cmp::Reverse(words[*id as usize].clone()));
        let place = |id: u32| own.iter().position(|own| *own == id).unwrap() as u32;
        let names = own.iter().map(|id| words[*id as usize].clone()).collect();
        let mut builder =
            Corpus::builder(own.len()).vocabulary(crate::Vocabulary::from_words(names).unwrap());
        for d in 0..part.n_documents() {
            let entries: Vec<(u32, u32)> =
                part.document(d).words().map(|(id, x)| (place(id), x)).collect();
            builder.push_document(entries).unwrap();
        }
        builder.build().unwrap()
    };
    let sites = dealt(&pooled, 4).into_iter().map(site).collect();
    let elsewhere = Corpus::elsewhere(Together::new(sites)).unwrap();
    let params = SingleTopic::params(3).trust(false);
    let (pooled, apart) = (params.fit(&pooled).unwrap(), params.fit(&elsewhere).unwrap());
    for (a, b) in pooled.topics().iter().zip(apart.topics().iter()) {
        for (word, p) in a.top_words(50) {
            let id = apart.topics().vocabulary().id(&word).unwrap();
            assert!((b.probability(id as usize) - p).abs() < 1e-10, "{word}");
        }
    }
}

#[test]
fn what_only_documents_at_hand_can_tell_is_refused() {
    let elsewhere = Corpus::elsewhere(Together::new(dealt(&mixtures(200, 1), 2))).unwrap();
    let refused = [
        Lda::params(3)
            .trust(false)
            .weights(DocumentWeights::Custom(vec![1.0; 200]))
            .fit(&elsewhere),
        Lda::params(3)
            .trust(false)
            .weights(DocumentWeights::ThreeWords { seed: 1 })
            .fit(&elsewhere),
    ];
    for outcome in refused {
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::Option { .. }), "{error}");
        assert!(error.to_string().contains("elsewhere"), "{error}");
    }
    let model = Lda::params(3).trust(false).fit(&elsewhere).unwrap();
    let refused = [
        model.infer(&elsewhere).map(drop),
        crate::Model::Lda(model.clone()).completion(&elsewhere).map(drop),
    ];
    for outcome in refused {
        let error = outcome.unwrap_err();
        assert!(error.to_string().contains("do it where they are"), "{error}");
    }
}

#[test]
fn coherence_elsewhere_is_that_of_the_same_documents_here() {
    let corpus = mixtures(300, 3);
    let here = coherence(Lda::params(3).trust(false).fit(&corpus).unwrap().topics(), &corpus, 10);
    let holders = Together::new(dealt(&corpus, 3));
    let elsewhere = Corpus::elsewhere(Arc::clone(&holders) as Arc<dyn Ask>).unwrap();
    let model = Lda::params(3).trust(false).fit(&elsewhere).unwrap();
    assert_eq!(coherence(model.topics(), &elsewhere, 10).unwrap(), here.unwrap());
    assert_eq!(holders.asked().last(), Some(&"together"));
}

#[test]
fn a_check_elsewhere_tells_what_sums_over_documents_tell() {
    let corpus = mixtures(400, 5);
    let asked = CheckOptions::default();
    let here = Check::of(&corpus, &asked).unwrap();
    let elsewhere = Corpus::elsewhere(Together::new(dealt(&corpus, 3))).unwrap();
    let found = Check::of(&elsewhere, &asked).unwrap();
    let (clear, expected) = (found.visible.clone().unwrap(), here.visible.clone().unwrap());
    assert_eq!((clear.n_topics, clear.limit), (expected.n_topics, expected.limit));
    for (a, b) in clear.z_scores.iter().zip(&expected.z_scores) {
        assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} {b}");
    }
    assert!((found.pair_size.unwrap() / here.pair_size.unwrap() - 1.0).abs() < 1e-9);
    let told = Check {
        elsewhere: true,
        n_copies: found.n_copies,
        copies: Vec::new(),
        n_longest: 0,
        longest: Vec::new(),
        weightings: Vec::new(),
        cost: None,
        visible: found.visible.clone(),
        pair_size: found.pair_size,
        ..here
    };
    assert_eq!(found, told);
    assert!(found.n_short_documents.iter().sum::<usize>() > 0);
}

#[test]
fn words_almost_everywhere_and_copies_are_told_elsewhere_too() {
    let of = |documents: &[&[(u32, u32)]]| {
        let mut builder = Corpus::builder(4);
        documents.iter().for_each(|words| builder.push_document(words.to_vec()).unwrap());
        builder.build().unwrap()
    };
    let sites = vec![of(&[&[(0, 2), (1, 1)], &[(0, 2), (1, 1)]]), of(&[&[(0, 1), (2, 3)], &[]])];
    let elsewhere = Corpus::elsewhere(Together::new(sites)).unwrap();
    let check = Check::of(&elsewhere, &CheckOptions::default()).unwrap();
    let frequent: Vec<(&str, f64)> =
        check.frequent_words.iter().map(|word| (word.word.as_str(), word.share)).collect();
    assert_eq!((frequent, check.n_copies), (vec![("1", 1.0)], 1));
    assert_eq!(check.n_short_documents, [1, 0, 0]);
}

#[test]
fn a_check_ends_when_a_site_does_not_answer() {
    struct Silent(Respondent);
    impl Ask for Silent {
        fn ask(&self, question: &Question) -> Result<Answer> {
            match question.request {
                Request::Survey => self.0.ask(question),
                _ => Err(Error::Round { reason: "nobody is there".to_owned() }),
            }
        }
    }
    let who = Arc::new(Silent(Respondent::new(mixtures(100, 1), 0)));
    let elsewhere = Corpus::elsewhere(who).unwrap();
    let error = Check::of(&elsewhere, &CheckOptions::default()).unwrap_err().to_string();
    assert!(error.contains("nobody is there"), "{error}");
}

#[test]
fn a_site_of_few_documents_gives_nothing_away() {
    let corpus = mixtures(60, 1);
    let holders = dealt(&corpus, 4).into_iter().map(|part| Respondent::new(part, 20)).collect();
    let who = Arc::new(Together { holders, log: Mutex::default() });
    let error = Corpus::elsewhere(who).unwrap_err().to_string();
    assert!(error.contains("fewer than 20"), "{error}");
}

#[test]
fn an_answer_to_another_question_is_refused() {
    let holder = Respondent::new(mixtures(100, 1), 0);
    let question = Question::first();
    let bytes = question.to_bytes().unwrap();
    let answer = holder.ask(&question).unwrap().to_bytes(&digest_of(&bytes)).unwrap();
    let error = Answer::from_bytes(&answer, "a.answer", "other").unwrap_err().to_string();
    assert!(error.starts_with("a.answer: ") && error.contains("older one"), "{error}");
    let error = Question::from_bytes(&answer, "a.answer").unwrap_err().to_string();
    assert!(error.contains("a question is needed, and this is answer"), "{error}");
    let cut = Answer::from_bytes(&answer[..answer.len() - 9], "a.answer", "other").unwrap_err();
    assert!(cut.to_string().contains("damaged"), "{cut}");
    // A question about words that are not there.
    let mut strange = question.clone();
    strange.request = Request::Lengths(crate::moments::Counting::Raw);
    let error = holder.ask(&strange).unwrap_err().to_string();
    assert!(error.contains("asked of other documents"), "{error}");
}

/// Sites that begin anew for every question, as a command does.
fn answer_anew(waiting: &Waiting, sites: &[(String, Corpus)]) -> Result<()> {
    for path in &waiting.questions {
        let bytes = std::fs::read(path).unwrap();
        let question = Question::from_bytes(&bytes, "the question")?;
        let name = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let (_, corpus) = sites.iter().find(|(site, _)| site == name).unwrap();
        let holder = Respondent::new(corpus.clone(), 20);
        let state = path.with_file_name("kept.state");
        if let Ok(kept) = std::fs::read(&state) {
            holder.resume(&kept, "the state", &question)?;
        }
        let answer = holder.ask(&question)?.to_bytes(&digest_of(&bytes))?;
        std::fs::write(path.with_extension(sites::ANSWER), answer).unwrap();
        if let Some(kept) = holder.state()? {
            std::fs::write(state, kept).unwrap();
        }
    }
    Ok(())
}

#[test]
fn sites_answer_by_files_and_a_fit_goes_on_where_it_was() {
    let corpus = mixtures(600, 2);
    let folder = tempfile::tempdir().unwrap();
    let names = ["north", "south"].map(str::to_owned);
    names.iter().for_each(|name| std::fs::create_dir(folder.path().join(name)).unwrap());
    let holders: Arc<Vec<(String, Corpus)>> =
        Arc::new(names.iter().cloned().zip(dealt(&corpus, 2)).collect());
    let params = Lda::params(4).trust(false).polish(Polish::Steps(3));
    let fit = |most: usize| {
        let (left, holders) = (Mutex::new(most), Arc::clone(&holders));
        let wait = move |waiting: &Waiting| {
            let mut left = left.lock().unwrap();
            if *left == 0 {
                return Err(Error::Round { reason: "nobody is there".to_owned() });
            }
            *left -= 1;
            answer_anew(waiting, &holders)
        };
        let who = Arc::new(Sites::open(folder.path(), wait)?);
        params.fit(&Corpus::elsewhere(who)?)
    };
    for most in [0, 3, 7] {
        let error = fit(most).unwrap_err().to_string();
        assert_eq!(error, "nobody is there");
    }
    let apart = fit(usize::MAX).unwrap();
    let pooled = params.fit(&corpus).unwrap();
    let difference = largest_difference(pooled.topics(), apart.topics());
    assert!(difference < 1e-10, "{difference:e}");
    // Everything is answered, so nobody is asked again.
    assert_eq!(fit(0).unwrap().topics().word_topic(), apart.topics().word_topic());
    // Another fit in the same folder.
    let other = Lda::params(3).trust(false);
    let who = Arc::new(Sites::open(folder.path(), |_: &Waiting| Ok(())).unwrap());
    let error = other.fit(&Corpus::elsewhere(who).unwrap()).unwrap_err().to_string();
    assert!(error.contains("belongs to another fit"), "{error}");
    // A site that answers under two names.
    let [north, south] = names.map(|name| folder.path().join(name).join("0001-survey.answer"));
    std::fs::copy(north, south).unwrap();
    let error = fit(0).unwrap_err().to_string();
    assert!(error.contains("one site answered twice"), "{error}");
}

/// Answers so many questions, then nobody is there.
struct Leaving {
    who: Respondent,
    left: Mutex<usize>,
}

impl Ask for Leaving {
    fn ask(&self, question: &Question) -> Result<Answer> {
        let mut left = self.left.lock().unwrap();
        if *left == 0 {
            return Err(Error::Round { reason: "nobody is there".to_owned() });
        }
        *left -= 1;
        self.who.ask(question)
    }
}

#[test]
fn a_checkpoint_takes_a_fit_up_wherever_it_was_left() {
    let corpus = mixtures(400, 5);
    let params = Lda::params(3).trust(false).polish(Polish::Steps(4));
    let expected = params.fit(&corpus).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let fit = |left: usize, corpus: &Corpus| {
        let who = Leaving { who: Respondent::new(corpus.clone(), 0), left: Mutex::new(left) };
        params.fit(&Corpus::elsewhere(Arc::new(Checkpoint::new(who, folder.path())?))?)
    };
    let mut n_begun = 0;
    let model = loop {
        n_begun += 1;
        assert!(n_begun < 100, "every beginning answers something new");
        // Enough to show the looks of a run again, and a few questions more.
        match fit(8, &corpus) {
            Ok(model) => break model,
            Err(error) => assert_eq!(error.to_string(), "nobody is there"),
        }
    };
    assert!(n_begun > 3);
    assert_eq!(model.topics().word_topic(), expected.topics().word_topic());
    assert_eq!(model.diagnostics(), expected.diagnostics());
    // Everything is kept: nobody is asked.
    assert_eq!(fit(0, &corpus).unwrap().topics().word_topic(), expected.topics().word_topic());
}
