//! `svtd evaluate`: how good a model is on documents.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use svtd::evaluation::{
    Ahead, Coherence, Completion, adjusted_rand_index, coherence, most_probable,
    normalised_mutual_information, topic_diversity,
};
use svtd::inference::BATCH;
use svtd::linalg::Matrix;
use svtd::persist::Saved;
use svtd::{Corpus, Error, Model};

use crate::args::{Common, Evaluate};
use crate::failure::{Failure, Outcome};
use crate::progress::{Detail, Progress};
use crate::terminal::Screen;
use crate::{input, json, listing, records, threads, trust};

/// Number of words of each topic used for diversity, as in the original paper.
const DIVERSITY_WORDS: usize = 25;

/// Number of words that describe a topic.
const CAPTION: usize = 6;

/// Width of the columns before the words.
const MARGIN: usize = 31;

/// Runs the command.
pub fn run(args: &Evaluate, common: &Common) -> Outcome {
    if let Some(saved) = records::model(&args.model)? {
        return records::evaluate(&saved, args, common);
    }
    threads::pool(common.threads)?.install(|| evaluate(args, common))
}

/// The results.
struct Report {
    completion: Completion,
    /// The difference to the other model, if there is one.
    ahead: Option<Ahead>,
    coherence: Coherence,
    diversity: f64,
    agreement: Option<Agreement>,
    /// Whether the model was fitted to exactly these documents.
    seen_before: bool,
    n_documents: usize,
}

/// How well topics agree with labels.
struct Agreement {
    n_labels: usize,
    /// Documents without a label, which are left out.
    n_unlabelled: usize,
    adjusted_rand: f64,
    mutual_information: f64,
}

fn evaluate(args: &Evaluate, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    progress.reading();
    let saved = input::model(&args.model)?;
    let corpus = input::corpus_for(&saved, &args.source, &progress)?;
    let labels = match &args.labels {
        Some(path) => Some(read_labels(path, &corpus)?),
        None => corpus.labels().map(|all| all.into_iter().map(str::to_owned).collect()),
    };
    let other = args.against.as_deref().map(input::model).transpose()?;
    let report = judge(args, (&saved, other.as_ref()), &corpus, labels, &progress)
        .map_err(Failure::about(&args.source.name()))?;
    if args.against.is_some() && report.completion.standard_error.is_none() {
        let sentence =
            "two models are compared on two different documents or more that have words to predict";
        return Err(Failure::Request(sentence.to_owned()));
    }
    if let (Some(path), None) = (&args.against, &report.ahead) {
        return Err(Failure::Request(format!(
            "{} does not know the same words as {}, so the two cannot be compared; fit both on the same \
             counts",
            path.display(),
            args.model.display()
        )));
    }
    progress.finish();
    let mut out = io::stdout().lock();
    if common.json {
        writeln!(out, "{}", json::document("evaluate", to_json(args, &saved.model, &report)))?;
    } else {
        write_text(&mut out, args, &Screen::stdout(common), &saved.model, &report)?;
    }
    out.flush()?;
    if !common.quiet {
        // A message that cannot be printed is no reason to fail.
        let _ = write_messages(&corpus, &report);
    }
    Ok(())
}

fn judge(
    args: &Evaluate,
    (saved, other): (&Saved, Option<&Saved>),
    corpus: &Corpus,
    labels: Option<Vec<String>>,
    progress: &Progress,
) -> svtd::Result<Report> {
    let model = &saved.model;
    progress.begin("completion");
    let completions = model.completions(corpus)?;
    let ahead = match other {
        Some(other) => completions.ahead_of(&other.model.completions(corpus)?),
        None => None,
    };
    let completion = completions.total();
    progress.begin("coherence");
    let coherence = coherence(model.topics(), corpus, args.top)?;
    let agreement = match labels {
        Some(labels) => {
            progress.begin("inference");
            Some(Agreement::new(&likeliest_topics(model, corpus, progress)?, &labels))
        }
        None => None,
    };
    Ok(Report {
        completion,
        ahead,
        coherence,
        diversity: topic_diversity(model.topics(), DIVERSITY_WORDS),
        agreement,
        seen_before: corpus.digest() == saved.corpus_digest,
        n_documents: corpus.n_documents(),
    })
}

/// The likeliest topic of each document, inferred a batch at a time.
fn likeliest_topics(
    model: &Model,
    corpus: &Corpus,
    progress: &Progress,
) -> svtd::Result<Vec<usize>> {
    let asked = model.ask_about(corpus)?;
    let watch = |done, of| progress.portion("inference", done, of);
    let (n, k) = (asked.n_documents(), asked.n_topics());
    let mut topics = Vec::with_capacity(n);
    for first in (0..n).step_by(BATCH) {
        let documents = first..n.min(first + BATCH);
        let mixtures = asked.over(documents.clone(), &watch).mixtures;
        let mixtures = Matrix::from_columns(k, documents.len(), mixtures).transpose();
        topics.extend(most_probable(&mixtures));
    }
    Ok(topics)
}

impl Agreement {
    fn new(topics: &[usize], labels: &[String]) -> Self {
        let labelled = topics.iter().zip(labels).filter(|(_, label)| !label.is_empty());
        let (topics, of): (Vec<usize>, Vec<&str>) =
            labelled.map(|(&topic, label)| (topic, label.as_str())).unzip();
        let mut different = of.clone();
        different.sort_unstable();
        different.dedup();
        Self {
            n_labels: different.len(),
            n_unlabelled: labels.len() - of.len(),
            adjusted_rand: adjusted_rand_index(&topics, &of),
            mutual_information: normalised_mutual_information(&topics, &of),
        }
    }
}

/// Reads one label per line, one for each document.
fn read_labels(path: &Path, corpus: &Corpus) -> Outcome<Vec<String>> {
    let named = || path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|source| Failure::Library(Error::Io { path: named(), source }))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let reason = "expected labels in UTF-8, found bytes that are not".to_owned();
        Failure::Library(Error::File { path: named(), reason })
    })?;
    let labels: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
    if labels.len() != corpus.n_documents() {
        let (found, needed) = (labels.len(), corpus.n_documents());
        let reason = format!("{found} labels for {needed} documents; one a line is needed");
        return Err(Failure::Library(Error::File { path: named(), reason }));
    }
    Ok(labels)
}

fn write_text(
    out: &mut dyn Write,
    args: &Evaluate,
    screen: &Screen,
    model: &Model,
    report: &Report,
) -> io::Result<()> {
    let mut line = |name: &str, text: String| {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        writeln!(out, "{name:<16} {}", screen.wrapped(&words, 17))
    };
    match (report.completion.log_likelihood, report.completion.perplexity()) {
        (Some(mean), Some(perplexity)) => {
            let error = report.completion.standard_error;
            let error = error.map_or(String::new(), |error| format!(" ± {error:.4}"));
            line(
                "held-out words",
                format!(
                    "perplexity {perplexity:.1}, log-likelihood {mean:.4}{error} a word ({} words, \
                     one half of each document given the other)",
                    report.completion.n_tokens
                ),
            )?;
        }
        _ => line("held-out words", "none to predict: the documents are too short".to_owned())?,
    }
    if let (Some(ahead), Some(path)) = (&report.ahead, &args.against) {
        let Ahead { per_token, standard_error } = ahead;
        let said = match (per_token.abs() > *standard_error, *per_token > 0.0) {
            (false, _) => "no difference",
            (true, true) => "ahead",
            (true, false) => "behind",
        };
        line(
            "against",
            format!("{}: {said}, {per_token:+.4} ± {standard_error:.4} a word", path.display()),
        )?;
    }
    let shown = |value: Option<f64>| value.map_or("unknown".to_owned(), |v| format!("{v:.3}"));
    let (npmi, umass) = (shown(report.coherence.npmi()), shown(report.coherence.umass()));
    let (n, documents) = (args.top, report.n_documents);
    line(
        "coherence",
        format!("NPMI {npmi}, UMass {umass} (the {n} likeliest words in {documents} documents)"),
    )?;
    let diversity = report.diversity;
    line(
        "diversity",
        format!("{diversity:.3} of the {DIVERSITY_WORDS} likeliest words of each topic differ"),
    )?;
    if let Some(agreement) = &report.agreement {
        let (ari, nmi) = (agreement.adjusted_rand, agreement.mutual_information);
        let n = agreement.n_labels;
        let without = match agreement.n_unlabelled {
            0 => String::new(),
            n => format!("; {n} without a label left out"),
        };
        let scores = format!("ARI {ari:.3}, NMI {nmi:.3}");
        line("labels", format!("{scores} (likeliest topics, {n} labels{without})"))?;
    }
    writeln!(out, "\n{}", screen.bold("topic   share    NPMI   UMass  words"))?;
    for (topic, found) in model.topics().iter().zip(&report.coherence.topics) {
        let words = screen.wrapped(&listing::words(model, topic.index(), CAPTION), MARGIN);
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
        let (number, share) = (topic.index() + 1, 100.0 * topic.weight());
        let (npmi, umass) = (shown(found.npmi), shown(found.umass));
        writeln!(out, "{number:5}  {share:5.1}%  {npmi:>6}  {umass:>6}  {words}")?;
    }
    Ok(())
}

fn write_messages(corpus: &Corpus, report: &Report) -> io::Result<()> {
    let mut err = io::stderr().lock();
    trust::write_remarks(&mut err, corpus.report())?;
    if report.seen_before {
        writeln!(
            err,
            "note: the model was fitted on these very documents, so no word is really held out; \
             for an honest number give it documents it has not seen"
        )?;
    }
    let unknown = report.completion.n_unknown_tokens;
    if unknown > 0 {
        let all = corpus.n_tokens();
        writeln!(err, "note: {unknown} of {all} words are unknown to the model and were left out")?;
    }
    Ok(())
}

fn to_json(args: &Evaluate, model: &Model, report: &Report) -> Value {
    let topic = |(j, found): (usize, &svtd::evaluation::TopicCoherence)| {
        json!({
            "number": j + 1,
            "weight": model.topics().weights()[j],
            "npmi": found.npmi,
            "umass": found.umass,
            "n_unseen_words": found.n_unseen_words,
        })
    };
    let topics: Vec<Value> = report.coherence.topics.iter().enumerate().map(topic).collect();
    let agreement = report.agreement.as_ref().map(|found| {
        json!({
            "n_labels": found.n_labels,
            "n_unlabelled": found.n_unlabelled,
            "ari": found.adjusted_rand,
            "nmi": found.mutual_information,
        })
    });
    json!({
        "n_documents": report.n_documents,
        "fitted_on_these_documents": report.seen_before,
        "completion": {
            "log_likelihood_per_token": report.completion.log_likelihood,
            "standard_error": report.completion.standard_error,
            "perplexity": report.completion.perplexity(),
            "n_tokens": report.completion.n_tokens,
            "n_unknown_tokens": report.completion.n_unknown_tokens,
        },
        "ahead": report.ahead.map(|ahead| {
            json!({ "per_token": ahead.per_token, "standard_error": ahead.standard_error })
        }),
        "coherence": {
            "n_words": args.top,
            "npmi": report.coherence.npmi(),
            "umass": report.coherence.umass(),
        },
        "diversity": { "n_words": DIVERSITY_WORDS, "share": report.diversity },
        "labels": agreement,
        "topics": topics,
    })
}
