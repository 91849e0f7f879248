//! Odd but valid corpora, and all that can be asked of them.
//!
//! The bytes choose the corpus: long documents, one word, huge counts, copies, empty documents, as
//! many topics as documents; and the options. The corpus is checked, fitted with trust, saved, loaded,
//! shown, asked about and judged. Refusing is allowed, in a sentence. What is not: a panic, a number
//! that is not finite, a model that cannot be read again, other bits with more threads.

use std::sync::atomic::{AtomicU64, Ordering};

use svtd::choosing::{Check, CheckOptions, PlanSource};
use svtd::evaluation::coherence;
use svtd::linalg::Matrix;
use svtd::model::{CollapsedGibbs, Em, Kind, Polish, WordOrder};
use svtd::moments::DocumentWeights;
use svtd::persist::Saved;
use svtd::{Corpus, Lda, Method, Model, SingleTopic};

/// Fits that were not refused, saved, loaded and asked, since the program began.
pub static FITTED: AtomicU64 = AtomicU64::new(0);

/// Numbers out of bytes; nought when they are used up.
struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl Choices<'_> {
    fn byte(&mut self) -> u32 {
        self.bytes.next().map_or(0, |&byte| u32::from(byte))
    }

    fn below(&mut self, n: u32) -> u32 {
        self.byte() % n.max(1)
    }

    /// A count: mostly small, sometimes as large as counts can be.
    fn count(&mut self, scale: u32) -> u32 {
        match (scale, self.byte()) {
            (0, byte) => 1 + byte % 3,
            (1, byte) => 1 + (byte % 16) * 400,
            (2, byte) if byte > 250 => u32::MAX - (255 - byte),
            (2, byte) => 1 + byte % 5,
            (_, byte) => 1 << (byte % 32),
        }
    }
}

/// A corpus of a few documents over a few words, of one of several odd kinds.
fn corpus(choices: &mut Choices<'_>) -> Option<Corpus> {
    let n_documents = 1 + match choices.below(4) {
        0 => choices.below(6),
        1 => 40 + choices.below(20),
        _ => choices.below(50),
    };
    let most_words = [3, 12, 40][choices.below(3) as usize];
    let n_words = 1 + choices.below(most_words);
    let (scale, sameness) = (choices.below(4), choices.below(5));
    let mut builder = Corpus::builder(n_words as usize);
    let mut last: Vec<(u32, u32)> = Vec::new();
    for d in 0..n_documents {
        let entries: Vec<(u32, u32)> = match sameness {
            // Copies of one document, empty documents, documents of one word each.
            0 if d > 0 && choices.below(3) > 0 => last.clone(),
            1 if choices.below(4) == 0 => Vec::new(),
            2 => vec![(d % n_words, choices.count(scale))],
            // Two kinds of documents with words of their own, as a model would have it.
            3 => {
                let half = (n_words / 2).max(1);
                let start = (d % 2) * (n_words - half);
                (start..start + half).map(|word| (word, choices.count(scale))).collect()
            }
            _ => {
                let mut entries = Vec::new();
                for word in 0..n_words {
                    if choices.below(3) == 0 {
                        entries.push((word, choices.count(scale)));
                    }
                }
                entries
            }
        };
        builder.push_document(entries.iter().copied()).ok()?;
        last = entries;
    }
    builder.build().ok()
}

/// Asks everything of the corpus that the bytes choose.
pub fn fit(bytes: &[u8]) {
    let mut choices = Choices { bytes: bytes.iter() };
    let n_topics = 1 + choices.below(8) as usize;
    let (fit, polish, extras) = (choices.byte(), choices.byte(), choices.byte());
    let kind = if fit & 1 == 1 { Kind::Lda } else { Kind::SingleTopic };
    let method_choice = choices.byte();
    let Some(corpus) = corpus(&mut choices) else { return };
    // As many topics as documents, or nearly.
    let n_topics = match extras % 4 {
        0 => corpus.n_documents().min(12).saturating_sub(fit as usize % 2).max(1),
        _ => n_topics,
    };
    if extras & 16 == 16 {
        check(&corpus, kind);
    }
    let polish = match polish % 4 {
        0 => Polish::None,
        1 => Polish::Steps(2),
        _ => Polish::Auto,
    };
    if extras & 64 == 64 {
        choose(&corpus, kind);
    }
    let (method, weights) = (method(method_choice), weights(method_choice >> 4));
    let (fewer, trust) = (fit & 2 == 2, fit & 12 != 12);
    let fitted = match kind {
        Kind::SingleTopic => {
            let mut params =
                SingleTopic::params(n_topics).polish(polish).method(method).weights(weights);
            if method_choice % 16 == 15 {
                params = params.by_em(Em::default());
            }
            params.allow_fewer(fewer).trust(trust).fit(&corpus).map(Model::SingleTopic)
        }
        Kind::Lda => {
            let alpha0 = [1.0, 0.01, 50.0, 1e-6][(fit >> 4) as usize % 4];
            let mut params = Lda::params(n_topics).polish(polish).method(method).weights(weights);
            params = params.alpha0(alpha0);
            if method_choice % 16 == 15 && corpus.n_tokens() < 5000 {
                params = params.by_gibbs(CollapsedGibbs::default());
            }
            params.allow_fewer(fewer).trust(trust).fit(&corpus).map(Model::Lda)
        }
    };
    match fitted {
        Ok(model) => {
            FITTED.fetch_add(1, Ordering::Relaxed);
            question(model, &corpus, extras);
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.is_empty() && !sentence.ends_with('.'), "{sentence:?}");
        }
    }
}

/// The default method most of the time.
fn method(choice: u32) -> Method {
    let seed = 1;
    match choice % 16 {
        0 => Method::Svtd,
        1 => Method::TensorPower { seed },
        2 => Method::Eigenvectors { seed },
        3 => Method::SingularVectors { seed },
        4 => Method::Als { seed },
        _ => Method::Joint,
    }
}

fn weights(choice: u32) -> DocumentWeights {
    match choice % 8 {
        0 => DocumentWeights::Paper,
        1 => DocumentWeights::Zou,
        2 => DocumentWeights::ThreeWords { seed: 1 },
        _ => DocumentWeights::Optimal,
    }
}

/// Lets the data choose, and compares some numbers of topics.
fn choose(corpus: &Corpus, kind: Kind) {
    let (_, _) = match kind {
        Kind::Lda => (
            Lda::params(1).choose_topics(corpus, 8).map(drop),
            Lda::params(1).sweep(corpus, 1..=4, &mut |_| {}).map(drop),
        ),
        Kind::SingleTopic => (
            SingleTopic::params(1).choose_topics(corpus, 8).map(drop),
            SingleTopic::params(1).sweep(corpus, 1..=4, &mut |_| {}).map(drop),
        ),
    };
}

fn check(corpus: &Corpus, kind: Kind) {
    let asked = CheckOptions { kind, ..CheckOptions::default() };
    if let Ok(check) = Check::of(corpus, &asked) {
        assert!(check.refusal.is_some() || check.cost.is_some(), "neither refused nor forecast");
    }
}

/// Saves and loads the model, and asks the loaded one.
fn question(model: Model, corpus: &Corpus, extras: u32) {
    assert_distributions(model.topics().word_topic());
    let saved = Saved::new(model, corpus);
    let bytes = saved.to_bytes();
    let Ok(bytes) = bytes else { fail("a fitted model cannot be written") };
    let Ok(loaded) = Saved::from_bytes(&bytes, "fuzz.svtd") else {
        fail("a model that was written cannot be read")
    };
    let model = loaded.model;
    for order in [WordOrder::Probability, WordOrder::Relevance { lambda: 0.5 }, WordOrder::Lift] {
        let ranked = model.topics().ranked_words(order, 5);
        assert!(ranked.is_ok_and(|topics| topics.len() == model.topics().len()));
    }
    match model.infer(corpus) {
        Ok(inferred) => assert_distributions(&inferred.mixtures.transpose()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(completion) = model.completion(corpus) {
        let _ = completion;
    }
    let _ = coherence(model.topics(), corpus, 5);
    let _ = model.explain(corpus, 0);
    if extras & 32 == 32
        && let Ok(source) = PlanSource::of_model(&model, None)
    {
        let _ = source.plan(0.2);
    }
}

/// Columns of numbers from 0 that sum to one.
fn assert_distributions(matrix: &Matrix) {
    for j in 0..matrix.n_columns() {
        let column = matrix.column(j);
        assert!(column.iter().all(|p| p.is_finite() && *p >= 0.0), "{column:?}");
        assert!((column.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{column:?}");
    }
}

#[allow(clippy::panic, reason = "a finding")]
fn fail(finding: &str) -> ! {
    panic!("{finding}")
}
