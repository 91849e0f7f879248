//! `svtd check`: the verdict before fitting.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::json;
use svtd::choosing::{Check, CheckOptions, CountsKind, FitCost, WeightingCheck};
use svtd::model::Kind;
use svtd::{Corpus, Error};

use crate::args::{Check as Arguments, Common, alpha0};
use crate::failure::{Failure, Outcome, printable, with_flags};
use crate::progress::{Detail, Progress};
use crate::{choice, forecast, input, json, records, sites, threads, trust};

/// What a check leaves out for documents at other sites.
const LEFT_OUT: &str = "the longest documents, effective numbers of documents, noise of pairs, scaled counts and what \
                        a fit will need: a site answers with sums over many documents only; run svtd check there";

/// Runs the command.
pub fn run(args: &Arguments, common: &Common) -> Outcome {
    let Some(kind) = args.model.topics() else {
        if args.at.sites.is_some() {
            let sentence = "--sites is for topics (--model lda or single-topic)";
            return Err(Failure::Request(sentence.to_owned()));
        }
        return records::check(args, common);
    };
    if let Some(flag) = args.records.given() {
        return Err(Failure::Request(format!("{flag} is for --model classes")));
    }
    alpha0(kind, args.alpha0, "--model ").map_err(Failure::Request)?;
    if let Some(sentence) = sites::input_contradiction(&args.at, &args.source) {
        return Err(Failure::Request(sentence));
    }
    threads::pool(common.threads)?.install(|| check(args, kind, common))
}

fn check(args: &Arguments, kind: Kind, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    if let Some(folder) = &args.at.sites {
        let (corpus, finish) = sites::corpus(&args.at, folder, &progress)?;
        let refusal = tell(args, kind, common, &corpus, &progress, Failure::about(folder))?;
        finish()?;
        return possible(folder.clone(), refusal);
    }
    progress.reading();
    let corpus = input::corpus(&args.source, &progress)?;
    let refusal = tell(args, kind, common, &corpus, &progress, Failure::from)?;
    possible(args.source.name(), refusal)
}

/// Fails if there is a reason why no fit is possible.
fn possible(name: PathBuf, refusal: Option<String>) -> Outcome {
    refusal.map_or(Ok(()), |refusal| Err(Failure::Refused(name, refusal)))
}

/// Describes the corpus, and returns why it cannot be fitted if it cannot.
fn tell(
    args: &Arguments,
    kind: Kind,
    common: &Common,
    corpus: &Corpus,
    progress: &Progress,
    about: impl FnOnce(Error) -> Failure,
) -> Outcome<Option<String>> {
    progress.begin("looking");
    let asked = CheckOptions { kind, alpha0: args.alpha0, n_topics: args.n_topics };
    let check = Check::of(corpus, &asked).map_err(about)?;
    progress.begin("timing");
    let forecast =
        |cost: FitCost| forecast::seconds(corpus, [cost.operations, cost.operations_at_most]);
    let seconds = check.cost.map(forecast).transpose()?;
    progress.finish();
    let mut out = io::stdout().lock();
    if common.json {
        let mut value = json!(check);
        value["seconds"] = json!(seconds.map(|[least, _]| least));
        value["seconds_at_most"] = json!(seconds.map(|[_, most]| most));
        let notes = [corpus.report().notes.clone(), corpus.dominance()].concat();
        value["notes"] = notes.iter().map(|note| with_flags(note)).collect();
        writeln!(out, "{}", json::document("check", value))?;
    } else {
        for (name, sentence) in sentences(&check, seconds) {
            writeln!(out, "{name:<20} {sentence}")?;
        }
        if !check.weightings.is_empty() {
            writeln!(out)?;
            write_weightings(&mut out, &check)?;
        }
    }
    out.flush()?;
    if !common.quiet && !common.json {
        let mut err = io::stderr().lock();
        let _ = trust::write_remarks(&mut err, corpus.report());
        let _ = trust::write_dominance(&mut err, corpus);
    }
    Ok(check.refusal)
}

/// One sentence for each finding, with advice.
fn sentences(check: &Check, seconds: Option<[f64; 2]>) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("documents", documents(check)),
        ("words", words(check)),
        ("short documents", short(check)),
        ("counts", counts(check)),
        ("copies", copies(check)),
        ("words everywhere", frequent(check)),
    ];
    if let Some(refusal) = &check.refusal {
        lines.push(("verdict", format!("cannot be fitted: {refusal}")));
        return lines;
    }
    if check.elsewhere {
        lines.push(("visible topics", visible(check)));
        lines.push(("left out", LEFT_OUT.to_owned()));
        return lines;
    }
    lines.push(("longest documents", longest(check)));
    lines.extend(effective(check).map(|sentence| ("effective documents", sentence)));
    lines.extend(noise(check).map(|sentence| ("noise of pairs", sentence)));
    lines.push(("visible topics", visible(check)));
    if let (Some(cost), Some(seconds)) = (check.cost, seconds) {
        lines.push(("a fit will need", need(&cost, seconds)));
    }
    lines
}

fn documents(check: &Check) -> String {
    let mean = check.n_tokens as f64 / check.n_documents.max(1) as f64;
    let (documents, tokens) = (check.n_documents, check.n_tokens);
    format!("{documents} with {tokens} words in all, {mean:.1} each on average")
}

fn words(check: &Check) -> String {
    let absent = check.n_words - check.n_words_present;
    let once = check.n_words_once;
    let mut sentence = format!("{} different", check.n_words_present);
    if absent > 0 {
        sentence += &format!("; {absent} of the vocabulary never occur");
    }
    if once > 0 {
        sentence += &format!("; {once} occur only once and tell nothing, dropping them is safe");
    }
    sentence
}

fn short(check: &Check) -> String {
    let [empty, one, two] = check.n_short_documents;
    match empty + one + two {
        0 => "none; every document has triples of words".to_owned(),
        n => format!(
            "{n} have no triple of words ({empty} empty, {one} of one word, {two} of two) and {} \
             no pair: they count in word frequencies only; join them to others if they are many",
            empty + one
        ),
    }
}

fn counts(check: &Check) -> String {
    match check.counts {
        CountsKind::Counts if check.elsewhere => {
            "whole numbers; no sign that words were marked and not counted".to_owned()
        }
        CountsKind::Counts => "whole numbers, as counts of words should be".to_owned(),
        CountsKind::Binarised => "all 1: words were marked, not counted, so repetitions are lost \
                                  and the moments are biased; count them again"
            .to_owned(),
        CountsKind::Multiples(factor) => format!(
            "all multiples of {factor}: scaled weights are no counts, and pairs of them no pairs \
             of words; go back to the counts"
        ),
    }
}

fn copies(check: &Check) -> String {
    match check.copies.first() {
        None if check.n_copies > 0 => format!(
            "{} documents repeat another one of the same site word for word: they count as evidence \
             though they are none; drop them there",
            check.n_copies
        ),
        None if check.elsewhere => "none at any one site".to_owned(),
        None => "none; no two documents have the same words".to_owned(),
        Some(group) => format!(
            "{} documents repeat another word for word (most often {}, {} times): they count as \
             evidence though they are none; drop them",
            check.n_copies,
            listed(group.names.iter().map(String::as_str), group.n_documents),
            group.n_documents
        ),
    }
}

/// A few names, with an ellipsis if there are more.
fn listed<'a>(names: impl Iterator<Item = &'a str>, n: usize) -> String {
    let shown: Vec<String> = names.take(3).map(printable).collect();
    let rest = if n > shown.len() { ", ..." } else { "" };
    format!("{}{rest}", shown.join(", "))
}

fn frequent(check: &Check) -> String {
    let n = check.frequent_words.len();
    match n {
        0 => "none; no word is in four of five documents".to_owned(),
        _ => format!(
            "{n} are in four of five documents or more and tell topics apart badly; drop them: {}",
            listed(check.frequent_words.iter().map(|w| w.word.as_str()), n)
        ),
    }
}

fn longest(check: &Check) -> String {
    let law = |law: &str| check.weightings.iter().find(|w| w.law == law);
    let share = |law: Option<&WeightingCheck>| 100.0 * law.map_or(0.0, |w| w.longest_share_triples);
    let (paper, optimal) = (share(law("paper")), share(law("optimal")));
    let documents: Vec<String> = check
        .longest
        .iter()
        .map(|d| format!("{} ({} words)", printable(&d.name), d.length))
        .collect();
    let (holds, documents_are) = match check.n_longest {
        1 => ("holds".to_owned(), "the longest".to_owned()),
        n => ("hold".to_owned(), format!("the {n} longest")),
    };
    let advice = if paper > 50.0 && optimal <= 50.0 {
        "; keep the default weights"
    } else if optimal > 50.0 {
        "; cut them into parts"
    } else {
        ""
    };
    format!(
        "{documents_are} {holds} {paper:.1}% of the triples with the paper's weights, \
         {optimal:.1}% with the default ones{advice}: {}",
        documents.join(", ")
    )
}

fn effective(check: &Check) -> Option<String> {
    let optimal = check.weightings.iter().find(|w| w.law == "optimal")?;
    let triples = optimal.effective_documents_triples;
    let advice = if triples < 100.0 {
        "; that is little for any topic model, add documents"
    } else if triples < 0.1 * check.n_documents as f64 {
        "; a few long documents have most of the weight, cut them into parts"
    } else {
        ""
    };
    Some(format!(
        "as much as {:.1} equal ones for pairs of words, {triples:.1} for triples{advice}",
        optimal.effective_documents_pairs
    ))
}

fn noise(check: &Check) -> Option<String> {
    let optimal = check.weightings.iter().find(|w| w.law == "optimal")?;
    let (noise, size) = (optimal.pair_noise?, check.pair_size?);
    let share = 100.0 * noise / size;
    let advice = if share > 50.0 {
        "; expect only the strongest topics, and read every topic's flags"
    } else {
        ""
    };
    Some(format!("{noise:.2e}, {share:.1}% of the pair moment's size{advice}"))
}

fn visible(check: &Check) -> String {
    let Some(choice) = &check.visible else {
        return "not known: a part of the documents is too few to check the others against; give -k \
                to fit"
            .to_owned();
    };
    if choice.is_text {
        let or_more = if choice.limit_reached() { " or more" } else { "" };
        let directions = match (choice.n_clear(), or_more) {
            (0, _) => "no direction stands out of the noise, and directions do".to_owned(),
            (1, "") => "1 direction stands out of the noise, but directions do".to_owned(),
            (n, _) => format!("{n}{or_more} directions stand out of the noise, but do"),
        };
        return format!(
            "{directions} not count topics: words come in bursts, as in text, or documents are few; svtd fit -k auto \
             counts what comes back in halves of the documents"
        );
    }
    choice::sentence(choice)
}

fn need(cost: &FitCost, seconds: [f64; 2]) -> String {
    format!(
        "about {} of memory and {} with these threads for {} topics",
        forecast::bytes(cost.bytes),
        forecast::range(seconds),
        cost.n_topics
    )
}

fn write_weightings(out: &mut dyn Write, check: &Check) -> io::Result<()> {
    writeln!(
        out,
        "weights       effective documents     longest {:>5}      noise",
        check.n_longest
    )?;
    writeln!(out, "                pairs    triples     pairs triples   of pairs")?;
    for w in &check.weightings {
        let noise = w.pair_noise.map_or("-".to_owned(), |noise| format!("{noise:.2e}"));
        writeln!(
            out,
            "{:<11} {:>9.1}  {:>9.1}    {:>5.1}%  {:>5.1}%   {noise:>8}",
            w.law,
            w.effective_documents_pairs,
            w.effective_documents_triples,
            100.0 * w.longest_share_pairs,
            100.0 * w.longest_share_triples,
        )?;
    }
    Ok(())
}
