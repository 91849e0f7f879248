//! How reliable a fit is, in lines for people.

use std::io::{self, Write};

use svtd::corpus::CorpusReport;
use svtd::model::{
    Diagnostics, Halves, Options, PolishOutcome, RivalOutcome, Standing, TopicDiagnostics,
};
use svtd::trust::T_FACTOR;
use svtd::{Corpus, Method, Model};

use crate::failure::{printable, with_flags};

/// Smaller shares would be printed as 0.0%.
const LEAST_CLIPPED: f64 = 5e-4;

/// How many directions of the pair moment are clear of noise.
fn above_noise(d: &Diagnostics, asked: bool) -> String {
    let (Some(z), Some(clear)) = (&d.z_scores, d.n_clear_directions()) else {
        return match asked {
            true => "not known: half of the documents are too few to check the others against",
            false => "not known: not asked for (--no-trust)",
        }
        .to_owned();
    };
    let least = z.iter().copied().fold(f64::INFINITY, f64::min);
    format!("{clear} of {} directions (z above 3; the least is {least:.1})", z.len())
}

/// Remarks about the counts, if there are any.
pub fn write_remarks(out: &mut dyn Write, report: &CorpusReport) -> io::Result<()> {
    for note in &report.notes {
        writeln!(out, "note: {}", printable(&with_flags(note)))?;
    }
    let short = [
        (report.n_empty, "empty"),
        (report.n_one_word, "of one word"),
        (report.n_two_words, "of two words"),
    ];
    if short.iter().any(|&(n, _)| n > 0) {
        let listed: Vec<String> = short.iter().map(|(n, what)| format!("{n} {what}")).collect();
        writeln!(out, "note: short documents: {}", listed.join(", "))?;
    }
    if report.n_zero_entries > 0 {
        let n = report.n_zero_entries;
        writeln!(out, "note: entries with a count of zero, left out: {n}")?;
    }
    if report.n_absent_words > 0 {
        let n = report.n_absent_words;
        writeln!(out, "note: words of the vocabulary that never occur: {n}")?;
    }
    Ok(())
}

/// Documents that hold so much of all words that topics are about them, if there are any.
pub fn write_dominance(out: &mut dyn Write, corpus: &Corpus) -> io::Result<()> {
    corpus.dominance().iter().try_for_each(|note| writeln!(out, "note: {}", printable(note)))
}

/// The lines about the reliability of a fit.
pub fn write_summary(out: &mut dyn Write, model: &Model) -> io::Result<()> {
    let (d, options) = (model.diagnostics(), model.options());
    let [empty, one, two] = d.n_short_documents;
    let mut lines = vec![(
        "documents",
        format!(
            "{} with {} words, {} of them different; {} too short for triples",
            d.n_documents,
            d.n_tokens,
            d.n_words_present,
            empty + one + two
        ),
    )];
    match &d.rival {
        Some(outcome) => lines.push(("search", search(outcome))),
        // An update uses no moments.
        None if d.eigenvalues.is_empty() => lines.push(("polish", polish(&d.polish))),
        None => lines.extend(about_moments(d, options)),
    }
    for (name, line) in lines {
        writeln!(out, "{name:<20} {line}")?;
    }
    if let (Some(pivot), Some(separation)) = (&d.pivot, d.separation) {
        let pivot = printable(pivot);
        writeln!(out, "{:<20} {pivot:?}, separation {separation:.2e}", "pivot")?;
    }
    for note in &d.notes {
        writeln!(out, "note: {}", printable(&with_flags(note)))?;
    }
    Ok(())
}

/// The lines of a fit by moments.
fn about_moments(d: &Diagnostics, options: &Options) -> Vec<(&'static str, String)> {
    let effective = format!(
        "{:.1} for pairs, {:.1} for triples",
        d.effective_documents_pairs, d.effective_documents_triples
    );
    let mut lines = vec![
        ("effective documents", effective),
        ("above the noise", above_noise(d, options.trust)),
        ("topics", found_again(d, options)),
        ("spectral gap", spectral_gap(d)),
    ];
    lines.extend(d.off_diagonal.map(|share| {
        ("off-diagonal", format!("{share:.3} of the third moment fits no rotation (0 is best)"))
    }));
    lines.extend([("clipped", clipped(d)), ("polish", polish(&d.polish))]);
    lines
}

/// What a classical rival did.
fn search(outcome: &RivalOutcome) -> String {
    match outcome {
        RivalOutcome::Em { objectives, n_best, steps, settled } => format!(
            "{n_best} of {} starts of EM ended at the best likelihood; {steps} steps, {}converged",
            objectives.len(),
            if *settled { "" } else { "not " }
        ),
        RivalOutcome::Gibbs { sweeps, samples, unrest } => {
            let halves = match unrest {
                Some(unrest) => format!("; their two halves are {unrest:.3} apart (L1, 0 to 2)"),
                None => String::new(),
            };
            format!("{sweeps} Gibbs sweeps, {samples} samples averaged{halves}")
        }
    }
}

/// How many topics are found again in independent halves of the documents, and which one has the largest expected
/// error.
fn found_again(d: &Diagnostics, options: &Options) -> String {
    let halves: Option<Vec<&Halves>> = d.topics.iter().map(TopicDiagnostics::halves).collect();
    let said = match halves.as_deref() {
        Some([first, ..]) => {
            let count = |wanted: Standing| {
                d.topics.iter().filter(|topic| topic.standing() == Some(wanted)).count()
            };
            let splits = match first.n_splits {
                1 => "one split".to_owned(),
                n => format!("{n} splits"),
            };
            let of = match d.n_documents - d.n_short_documents[0] {
                all if first.n_documents < all => format!("{} of the documents", first.n_documents),
                _ => "the documents".to_owned(),
            };
            format!(
                "{} of {} reproduce, {} partly, {} not found again ({splits} of {of} into halves)",
                count(Standing::Reproduces),
                d.topics.len(),
                count(Standing::Partly),
                count(Standing::NotFoundAgain),
            )
        }
        _ => {
            let why = match (options.trust, options.method, options.splits) {
                (false, ..) => "not asked for (--no-trust)",
                (true, Method::Joint, Some(0)) => "not asked for (--splits 0)",
                (true, Method::Joint, _) => "there are too few of them, or too few words",
                (true, ..) => "--method joint alone is",
            };
            format!("not looked for in halves of the documents: {why}")
        }
    };
    match furthest_off(d) {
        Some((j, error)) => format!(
            "{said}; topic {} is expected to be furthest off, by {error:.2} in L1 (2 is all)",
            j + 1
        ),
        None if !options.trust => said,
        None if options.method == Method::Joint => {
            format!("{said}; no error bars: too few different documents (40 are needed)")
        }
        None => format!("{said}; no error bars: they are known for --method joint only"),
    }
}

/// The topic with the largest expected error; `None` where errors are not known.
fn furthest_off(d: &Diagnostics) -> Option<(usize, f64)> {
    let expected =
        |topic: &TopicDiagnostics| Some(topic.trust.as_ref()?.stability.as_ref()?.expected_error);
    let known: Option<Vec<f64>> = d.topics.iter().map(expected).collect();
    known?.into_iter().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
}

/// All topics: how reliable each is, and its words with error bars.
pub fn write_topics(out: &mut dyn Write, model: &Model, n_words: usize) -> io::Result<()> {
    let topics = model.topics();
    for (topic, known) in topics.iter().zip(&model.diagnostics().topics) {
        let halves = known
            .halves()
            .map(|halves| format!("{}, {}", halves.standing().name(), halves.sentence()));
        let halves = halves.unwrap_or_else(|| "not judged in halves of the documents".to_owned());
        let said: Vec<String> = [halves].into_iter().chain(known.warnings()).collect();
        let verdict = said.join("; ");
        let (number, share) = (topic.index() + 1, 100.0 * topic.weight());
        writeln!(out, "topic {number}, {share:.1}%: {verdict}")?;
        writeln!(out, "  {}", evidence(known).join(", "))?;
        for i in topic.top_word_ids(n_words) {
            let word = printable(&topics.vocabulary().word(i));
            let bar = topic.error(i).map(|e| format!(" ± {:.4}", T_FACTOR * e));
            writeln!(out, "  {:.4}{}  {word}", topic.probability(i), bar.unwrap_or_default())?;
        }
    }
    Ok(())
}

/// The evidence for and against a topic, in numbers.
fn evidence(known: &TopicDiagnostics) -> Vec<String> {
    let mut said = vec![known.worth()];
    let Some(trust) = &known.trust else {
        return said;
    };
    if let Some(z) = trust.z {
        said.push(format!("z {z:.1}"));
    }
    if let Some(halves) = &trust.halves {
        said.push(format!("halves {:.2} apart", halves.half_distance));
    }
    if let Some(stability) = &trust.stability {
        let (error, change) = (stability.expected_error, stability.mean_change);
        said.push(format!("expected error {error:.3}"));
        said.push(format!("moves {change:.3} without a twentieth of the documents"));
    }
    let plural = if trust.driven.documents == 1 { "" } else { "s" };
    said.push(format!("half of it in {} document{plural}", trust.driven.documents));
    if let Some(nearest) = &trust.nearest {
        said.push(format!("nearest topic {} at {:.2}", nearest.topic + 1, nearest.distance));
    }
    said
}

fn spectral_gap(d: &Diagnostics) -> String {
    let k = d.n_directions();
    match d.spectral_gap {
        Some(gap) if gap >= 1e4 => {
            format!("value {k} of the pair moment is {gap:.0e} times the next")
        }
        Some(gap) => format!("value {k} of the pair moment is {gap:.3} times the next"),
        None => format!("value {k} of the pair moment is the last positive one"),
    }
}

/// How much of the topics' spectral estimates was negative and clipped.
fn clipped(d: &Diagnostics) -> String {
    let shares = d.topics.iter().map(|topic| topic.clipped);
    let worst = shares.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    match worst {
        Some((j, share)) if share >= LEAST_CLIPPED => format!(
            "at most {:.1}% of a topic's spectral estimate was negative (topic {})",
            100.0 * share,
            j + 1
        ),
        _ => "almost nothing of the topics' spectral estimates was negative".to_owned(),
    }
}

fn polish(outcome: &PolishOutcome) -> String {
    let compared = |pair: &[f64; 2]| {
        format!("held-out perplexity {:.1} without, {:.1} with", pair[0], pair[1])
    };
    let drawn = |words: &Option<f64>| match words {
        Some(words) => {
            format!(
                ", topics shrunk towards the corpus by {words:.0} words, as estimated from its counts"
            )
        }
        None => String::new(),
    };
    match outcome {
        PolishOutcome::None => "none".to_owned(),
        PolishOutcome::Em { steps, settled } => {
            let plural = if *steps == 1 { "" } else { "s" };
            format!("{steps} EM step{plural}, {}converged", if *settled { "" } else { "not " })
        }
        PolishOutcome::Sweeps { sweeps, held_out: Some(pair), drawn_to_corpus, .. } => {
            format!("{sweeps} sweeps{}; {}", drawn(drawn_to_corpus), compared(pair))
        }
        PolishOutcome::Sweeps { sweeps, repeats_explained: Some(share), .. } => format!(
            "{sweeps} sweeps, because so many topics explain at most {:.0} % of how often words \
             are repeated",
            100.0 * share
        ),
        PolishOutcome::Sweeps { sweeps, drawn_to_corpus, .. } => {
            format!("{sweeps} sweeps{}", drawn(drawn_to_corpus))
        }
        PolishOutcome::Declined { held_out: Some(pair) } => {
            let why = if pair[1] < pair[0] { ", the gain is within its error" } else { "" };
            format!("declined{why}; {}", compared(pair))
        }
        PolishOutcome::Declined { held_out: None } => "declined; nothing to compare".to_owned(),
    }
}
