//! `svtd words`: which words of a text were kept, which were dropped, and why.

use std::io::{self, Write};

use serde_json::json;
use svtd::persist::Saved;
use svtd::text::{Ngrams, Numbers, Preprocessing, Reason, StopWords, WordChoice};

use crate::args::{Common, Words};
use crate::failure::{Outcome, printable};
use crate::input;
use crate::json;

/// Runs the command.
pub fn run(args: &Words, common: &Common) -> Outcome {
    let saved = input::model(&args.model)?;
    let mut out = io::stdout().lock();
    if common.json {
        let object = json!({
            "n_words": saved.model.topics().vocabulary().len(),
            "most_frequent": most_frequent(&saved, args.top),
            "words": saved.word_choice,
        });
        writeln!(out, "{}", json::document("words", object))?;
    } else {
        write_kept(&mut out, &saved, args.top)?;
        match &saved.word_choice {
            Some(choice) => write_choice(&mut out, choice, args.top)?,
            None => writeln!(out, "\nfitted on counts: which words they cover was decided before")?,
        }
    }
    Ok(out.flush()?)
}

fn write_kept(out: &mut dyn Write, saved: &Saved, top: usize) -> io::Result<()> {
    let n_words = saved.model.topics().vocabulary().len();
    write!(out, "{n_words} words kept")?;
    if let Some(choice) = &saved.word_choice {
        let dropped: u64 = choice.dropped.iter().map(|dropped| dropped.n_tokens).sum();
        let (kept, all) = (choice.n_kept_tokens, choice.n_kept_tokens + dropped);
        write!(out, ", {kept} of {all} occurrences in {} documents", choice.n_documents)?;
    }
    writeln!(out, "\nmost frequent: {}", most_frequent(saved, top).join(" "))
}

/// The words that are likeliest over all topics.
fn most_frequent(saved: &Saved, top: usize) -> Vec<String> {
    let topics = saved.model.topics();
    let shares: Vec<f64> = (0..topics.vocabulary().len())
        .map(|word| {
            let weights = topics.weights().iter().enumerate();
            weights.map(|(topic, weight)| weight * topics.word_topic()[(word, topic)]).sum()
        })
        .collect();
    let mut words: Vec<usize> = (0..shares.len()).collect();
    words.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    words.truncate(top);
    words.into_iter().map(|word| printable(&topics.vocabulary().word(word))).collect()
}

fn write_choice(out: &mut dyn Write, choice: &WordChoice, top: usize) -> io::Result<()> {
    let asked = &choice.preprocessing;
    writeln!(out, "\n{}", description(asked))?;
    if choice.n_emoji > 0 {
        writeln!(out, "emoji passed over, which are no words: {}", choice.n_emoji)?;
    }
    if choice.n_skipped_links > 0 {
        let n = choice.n_skipped_links;
        writeln!(out, "links to folders, or to nothing, passed over: {n}")?;
    }
    if choice.dropped.is_empty() {
        return writeln!(out, "nothing was dropped");
    }
    writeln!(out, "\n{:<38} {:>9} {:>12}  most frequent", "dropped", "words", "occurrences")?;
    for dropped in &choice.dropped {
        let examples = dropped.examples.iter().take(top);
        let examples: Vec<String> = examples.map(|(word, _)| printable(word)).collect();
        let why = why(dropped.reason, asked);
        let (words, occurrences) = (dropped.n_words, dropped.n_tokens);
        writeln!(out, "{why:<38} {words:>9} {occurrences:>12}  {}", examples.join(" "))?;
    }
    Ok(())
}

/// How text was split into words, in one line.
pub fn description(asked: &Preprocessing) -> String {
    let mut parts = Vec::new();
    match &asked.token_regex {
        Some(regex) => parts.push(format!("words match {}", printable(regex))),
        None => parts.push("words by Unicode boundaries".to_owned()),
    }
    parts.push(if asked.lowercase { "in lower case" } else { "in their own case" }.to_owned());
    parts.extend(asked.language.map(|language| format!("language {language}")));
    parts.extend(asked.stem.map(|language| format!("stems of {language}")));
    if asked.ngrams != (Ngrams { min: 1, max: 1 }) {
        parts.push(format!("runs of {} words", asked.ngrams));
    }
    if asked.numbers == Numbers::Keep {
        parts.push("numbers kept".to_owned());
    }
    if asked.fixed_vocabulary {
        parts.push("only the words of a given list".to_owned());
    }
    parts.join("; ")
}

/// A reason with the value of its option.
fn why(reason: Reason, asked: &Preprocessing) -> String {
    match reason {
        Reason::StopWord => match &asked.stop_words {
            StopWords::Listed { name, .. } => format!("stop words ({})", printable(name)),
            _ => "stop words".to_owned(),
        },
        Reason::Number => "numbers".to_owned(),
        Reason::TooShort => format!("shorter than {} (--min-length)", asked.min_length),
        Reason::TooLong => "too long for a word".to_owned(),
        Reason::NotListed => "not on the list (--vocab)".to_owned(),
        Reason::MinDf => format!("in fewer documents than {} (--min-df)", asked.min_df),
        Reason::MaxDf => format!("in more documents than {} (--max-df)", asked.max_df),
        Reason::MaxWords => "beyond the most frequent (--max-words)".to_owned(),
        other => other.to_string(),
    }
}
