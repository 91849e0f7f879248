//! The diagnostics as sentences: what was found, how reliable it is, and what to do about it.
//!
//! For readers who will see no other page: three sentences on reliability (is there a signal, can the topics be
//! trusted, does the model suit the data) and one piece of advice for each problem. Every number comes from
//! [`Diagnostics`]; every threshold is set there.

use super::Model;
use super::diagnostics::{Diagnostics, PolishOutcome, RivalOutcome, Standing, TopicDiagnostics};

/// A fit in sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What was fitted to which data.
    pub found: String,
    /// How reliable it is, in three sentences.
    pub belief: [String; 3],
    /// What to do about it; never empty.
    pub advice: Vec<String>,
}

/// Advice lists topics by number up to this many; beyond that it only says how many there are.
const LISTED: usize = 12;

impl Model {
    /// What was found, how reliable it is, and what to do about it.
    pub fn verdict(&self) -> Verdict {
        let d = self.diagnostics();
        let kind = match self {
            Model::Lda(_) => "documents mix topics (LDA)",
            Model::SingleTopic(_) => "each document is about one topic",
        };
        let k = self.topics().len();
        let found = format!(
            "{} in {} with {}, {} of them different; {kind}.",
            counted(k as u64, "topic"),
            counted(d.n_documents as u64, "document"),
            counted(d.n_tokens, "word"),
            grouped(d.n_words_present as u64),
        );
        let mut advice = advice(d);
        // The first sentence of `belief` already says how many directions are clear.
        let already_said =
            |note: &&String| note.contains("directions stand clearly out of the noise");
        let notes = d.notes.iter().filter(|note| !already_said(note));
        advice.extend(notes.map(|note| format!("{}.", capital(note))));
        if advice.is_empty() {
            advice.push(
                "Nothing speaks against these topics. Read the documents that show each before \
                 naming it."
                    .to_owned(),
            );
        }
        Verdict { found, belief: [signal(d), topics(d), model(d)], advice }
    }
}

impl TopicDiagnostics {
    /// How many documents' worth of evidence there is for the topic, in words.
    pub fn worth(&self) -> String {
        match self.documents.floor() {
            1.0 => "1 document's worth of evidence".to_owned(),
            n => format!("{n} documents' worth of evidence"),
        }
    }
}

/// Is there more than noise?
fn signal(d: &Diagnostics) -> String {
    if d.rival.is_some() {
        return "A classical method learned these topics; it does not say whether they stand out of the noise."
            .to_owned();
    }
    let (Some(z), Some(clear)) = (&d.z_scores, d.n_clear_directions()) else {
        return "Whether the topics stand out of the noise is not known: it was not asked for, \
                or half the documents are too few to tell."
            .to_owned();
    };
    let n = z.len();
    match clear {
        _ if clear == n && n == 1 => {
            "The one direction that the topic is made of stands clearly out of the noise.".to_owned()
        }
        _ if clear == n => format!("All {n} directions that the topics are made of stand clearly out of the noise."),
        0 => "None of the directions that the topics are made of stands clearly out of the noise: what \
              is shown may be chance."
            .to_owned(),
        _ => format!(
            "Only {clear} of {n} directions that the topics are made of stand clearly out of the \
             noise: the rest may be chance."
        ),
    }
}

/// Can the topics be trusted?
fn topics(d: &Diagnostics) -> String {
    let expected =
        |topic: &TopicDiagnostics| Some(topic.trust.as_ref()?.stability.as_ref()?.expected_error);
    let known: Option<Vec<f64>> = d.topics.iter().map(expected).collect();
    let Some(known) = known.filter(|known| !known.is_empty()) else {
        let unknown = "ow far the words of a topic may be off is not known: it was not asked for, there are too few \
                       documents, or the method gives no error bars.";
        return match found_again(d) {
            Some(found) => format!("{found}; h{unknown}"),
            None => format!("H{unknown}"),
        };
    };
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    // Half the L1 distance is the part of the probability that lies elsewhere.
    let lost = 50.0 * mean;
    match found_again(d) {
        Some(found) => format!(
            "{found}; on average about {lost:.0} % of a topic's weight is expected to lie on the wrong \
             words."
        ),
        None => format!(
            "On average about {lost:.0} % of a topic's weight is expected to lie on the wrong words; \
             whether topics come back in halves of the documents was not measured, or there are too few \
             documents or words to tell."
        ),
    }
}

/// How many topics come back when halves of the documents are learned anew.
fn found_again(d: &Diagnostics) -> Option<String> {
    let standings: Option<Vec<Standing>> =
        d.topics.iter().map(TopicDiagnostics::standing).collect();
    let standings = standings.filter(|standings| !standings.is_empty())?;
    let count = |wanted: Standing| standings.iter().filter(|s| **s == wanted).count();
    let (k, all) = (standings.len(), count(Standing::Reproduces));
    let (partly, lost) = (count(Standing::Partly), count(Standing::NotFoundAgain));
    let halves = "when independent halves of the documents are learned anew";
    Some(match (all, partly, lost) {
        (_, 0, 0) if k == 1 => format!("The topic comes back {halves}"),
        (0, 1, 0) if k == 1 => format!("The topic comes back in part {halves}"),
        _ if k == 1 => format!("The topic does not come back {halves}"),
        (_, 0, 0) => format!("All {k} topics come back {halves}"),
        (0, 0, _) => format!("None of the {k} topics comes back {halves}"),
        _ => {
            let whole = match all {
                0 => format!("None of the {k} topics comes back in full {halves}"),
                1 => format!("1 of {k} topics comes back {halves}"),
                _ => format!("{all} of {k} topics come back {halves}"),
            };
            let mut parts = vec![whole];
            if partly > 0 {
                parts.push(format!("{partly} {} in part", if partly == 1 { "does" } else { "do" }));
            }
            if lost > 0 {
                parts.push(format!("{lost} {} not", if lost == 1 { "does" } else { "do" }));
            }
            parts.join(", ")
        }
    })
}

/// Does the model suit the data?
fn model(d: &Diagnostics) -> String {
    match (&d.rival, &d.polish) {
        (Some(RivalOutcome::Em { objectives, n_best, .. }), _) => format!(
            "{n_best} of {} random starts ended at the best likelihood found.",
            objectives.len()
        ),
        (Some(RivalOutcome::Gibbs { samples, unrest, .. }), _) => match unrest {
            Some(unrest) => format!(
                "The two halves of {samples} samples are {:.0} % apart, which is how far chance moves \
                 a topic.",
                50.0 * unrest
            ),
            None => "A single sample was taken, so how far chance moves a topic is not known."
                .to_owned(),
        },
        (None, PolishOutcome::Sweeps { repeats_explained: Some(share), .. }) => format!(
            "Words are repeated within a document more than topics explain (they explain at most {:.0} \
             %), as text does; the fit allows for that.",
            100.0 * share
        ),
        (None, PolishOutcome::Sweeps { held_out: Some([without, with]), .. }) => format!(
            "Held-out words are predicted best after the polish (perplexity {with:.0}, {:.1} % less than \
             {without:.0} without).",
            100.0 * (1.0 - with / without)
        ),
        (None, PolishOutcome::Declined { held_out: Some([without, with]) }) => format!(
            "A polish was tried and declined: it does not predict held-out words clearly better (perplexity \
             {with:.0}, {without:.0} without)."
        ),
        (None, PolishOutcome::Em { settled: false, .. }) => {
            "The polish had not converged when it was stopped.".to_owned()
        }
        _ => match d.off_diagonal {
            Some(share) => {
                format!("{:.0} % of the third moment fits no model of this kind.", 100.0 * share)
            }
            None => format!(
                "The triples of words are worth {:.0} equally long documents.",
                d.effective_documents_triples
            ),
        },
    }
}

fn advice(d: &Diagnostics) -> Vec<String> {
    let mut advice = Vec::new();
    let k = d.topics.len();
    let lost = d.topics.iter().filter(|t| t.standing() == Some(Standing::NotFoundAgain)).count();
    if k > 1 && (d.n_clear_directions().is_some_and(|clear| clear < k) || 2 * lost > k) {
        advice.push(
            "Compare with other numbers of topics: svtd sweep shows how many come back with each."
                .to_owned(),
        );
    }
    if d.rival.is_none() && d.topics.iter().all(|topic| topic.trust.is_none()) {
        advice.push("Fit again without --no-trust to have error bars and flags.".to_owned());
    }
    for (kind, what_to_do) in [
        ("near-duplicate", "say nearly the same: read them together, or ask for fewer topics"),
        (
            "driven by few",
            "rest on a few documents: read those first, or leave them out and fit again",
        ),
        (
            "not found again",
            "do not come back in halves of the documents: do not rely on them, or ask for fewer topics",
        ),
        ("partly", "come back in part: use their main words, not their borders"),
        (
            "weak",
            "have fewer than thirty documents' worth of evidence: more documents would help most",
        ),
        ("degenerate", "are what the others left over: ask for fewer topics"),
        ("empty", "are hardly in any document: ask for fewer topics"),
    ] {
        let has =
            |topic: &TopicDiagnostics| topic.flags().iter().any(|flag| flag.starts_with(kind));
        let numbers: Vec<usize> = (0..k).filter(|&j| has(&d.topics[j])).map(|j| j + 1).collect();
        if numbers.is_empty() {
            continue;
        }
        let which = match numbers.len() {
            1 if k == 1 => "The topic".to_owned(),
            n if n == k && what_to_do.starts_with("do not") => {
                let rest = singular(what_to_do).replacen("does not come", "comes", 1);
                advice.push(format!("None of the {k} topics {rest}."));
                continue;
            }
            n if n == k => format!("All {k} topics"),
            1 => format!("Topic {}", numbers[0]),
            n if n > LISTED => format!("{n} of the topics"),
            n => {
                let listed: Vec<String> = numbers[..n - 1].iter().map(usize::to_string).collect();
                format!("Topics {} and {}", listed.join(", "), numbers[n - 1])
            }
        };
        let mut what_to_do =
            if numbers.len() == 1 { singular(what_to_do) } else { what_to_do.to_owned() };
        if k == 1 {
            what_to_do = what_to_do.replace(", or ask for fewer topics", "");
        }
        advice.push(format!("{which} {what_to_do}."));
    }
    advice
}

/// The same sentence about a single topic.
fn singular(sentence: &str) -> String {
    let words = [
        (
            "say nearly the same: read them together",
            "says nearly the same as another: read them together",
        ),
        ("rest on", "rests on"),
        ("do not come back in halves", "does not come back in halves"),
        ("do not rely on them", "do not rely on it"),
        ("come back in part", "comes back in part"),
        ("use their main words, not their borders", "use its main words, not its borders"),
        ("have fewer", "has fewer"),
        ("are what", "is what"),
        ("are hardly", "is hardly"),
    ];
    words.iter().fold(sentence.to_owned(), |text, (many, one)| text.replace(many, one))
}

fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `1234567` as `1,234,567`.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lda;
    use crate::synthetic::{LdaSource, Lengths};

    fn drawn(n: usize) -> Model {
        let source = LdaSource::zipf(200, 4, 5.0, 200.0, 0.5, 1);
        let corpus = source.draw(n, &Lengths::Fixed(60), 2).0;
        Model::Lda(Lda::params(4).fit(&corpus).unwrap())
    }

    #[test]
    fn a_good_fit_is_told_in_three_sentences_and_a_word_of_advice() {
        let verdict = drawn(3000).verdict();
        assert!(verdict.found.starts_with("4 topics in 3,000 documents with 180,000 words, "));
        assert!(verdict.belief[0].starts_with("All 4 directions"), "{verdict:?}");
        for sentence in verdict.belief.iter().chain(&verdict.advice).chain([&verdict.found]) {
            assert!(sentence.ends_with('.') && !sentence.contains("NaN"), "{sentence}");
            assert!(sentence.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric()));
        }
        assert!(!verdict.advice.is_empty());
    }

    #[test]
    fn a_fit_without_trust_says_that_nothing_is_known() {
        let source = LdaSource::zipf(100, 3, 5.0, 100.0, 0.5, 1);
        let corpus = source.draw(400, &Lengths::Fixed(40), 2).0;
        let model = Model::Lda(Lda::params(3).trust(false).fit(&corpus).unwrap());
        let verdict = model.verdict();
        assert!(verdict.belief[0].contains("not known") && verdict.belief[1].contains("not known"));
        assert!(verdict.advice[0].contains("--no-trust"), "{verdict:?}");
    }

    #[test]
    fn weak_topics_are_advised_about_by_number() {
        let verdict = drawn(40).verdict();
        assert!(verdict.advice.iter().any(|a| a.contains("thirty documents")), "{verdict:?}");
    }

    #[test]
    fn what_halves_found_is_said_where_documents_are_too_few_for_error_bars() {
        let model = drawn(30);
        let topics = &model.diagnostics().topics;
        assert!(topics.iter().all(|topic| topic.halves().is_some()), "{topics:?}");
        let [_, belief, _] = model.verdict().belief;
        assert!(belief.contains("halves of the documents are learned anew; how far"), "{belief}");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "topic"), "1 topic");
    }
}
