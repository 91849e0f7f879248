//! `svtd fit`: reads documents and learns a model.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use serde_json::json;
use svtd::learning::{Request, Sizes, TopicParams};
use svtd::model::{Learner, WordOrder};
use svtd::persist::Saved;
use svtd::{Corpus, Model};
use svtd_report::Made;

use crate::args::{Common, Fit, Method, TopicCount};
use crate::failure::{Failure, Outcome, printable};
use crate::listing::{self, Listing};
use crate::progress::{Detail, Progress};
use crate::terminal::Screen;
use crate::{choice, dry_run, input, json, output, recipe, records, report, sites, threads, trust};

/// Runs the command.
pub fn run(args: &Fit, common: &Common) -> Outcome {
    if args.model.topics().is_none() {
        if args.elsewhere.at.sites.is_some() {
            let sentence = "--sites is for topics (--model lda or single-topic)".to_owned();
            return Err(Failure::Request(sentence));
        }
        return records::fit(args, common);
    }
    check(args)?;
    let mut targets = Vec::new();
    for path in [&args.output, &args.report].into_iter().flatten() {
        output::check(path, args.force, &args.source.files())?;
        targets.push(path.as_path());
    }
    output::check_distinct(&targets)?;
    threads::pool(common.threads)?.install(|| fit(args, common))
}

/// Returns an error for flags of a topic model that contradict each other.
pub fn check(args: &Fit) -> Outcome {
    let sentence = args.contradiction().or_else(|| sites::contradiction(args));
    let sentence = sentence.or_else(|| sites::checkpoint_contradiction(args));
    match sentence.or_else(|| args.stream_contradiction()) {
        Some(sentence) => Err(Failure::Request(sentence)),
        None => Ok(()),
    }
}

fn fit(args: &Fit, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    if let Some(folder) = &args.elsewhere.at.sites {
        return fit_sites(args, common, folder, &progress);
    }
    progress.reading();
    let began = Instant::now();
    // Nobody needs the original order of the documents, so the corpus is put in key order here, once.
    let corpus = input::corpus(&args.source, &progress)?;
    // A page shows the documents in their original order, with texts and times.
    let corpus = if args.report.is_some() { corpus } else { corpus.into_key_order() };
    let corpus = match &args.elsewhere.checkpoint {
        Some(folder) if !args.dry_run => sites::remembered(corpus, folder)?,
        _ => corpus,
    };
    let reading = began.elapsed();
    let about = Failure::about(&args.source.name());
    let params = params(args, &corpus, &progress).map_err(&about)?;
    let workload = params.workload(Sizes::from(&corpus));
    if args.dry_run {
        progress.finish();
        return dry_run::tell(args, common, &corpus, &workload, reading);
    }
    progress.expect(&workload);
    let learned = params.fit_watched(&corpus, &|step| progress.step(step));
    let model = learned.map_err(about)?;
    if let Some(path) = &args.output {
        progress.begin("writing");
        model.save(path, &corpus, args.force)?;
    }
    let model = match &args.report {
        Some(path) => write_page(args, path, &corpus, model, &progress)?,
        None => model,
    };
    progress.finish();
    print(args, common, &corpus, &model)
}

/// Learns from documents that stay at their sites.
fn fit_sites(args: &Fit, common: &Common, folder: &Path, progress: &Progress) -> Outcome {
    let (corpus, finish) = sites::corpus(&args.elsewhere.at, folder, progress)?;
    let about = Failure::about(folder);
    let params = params(args, &corpus, progress).map_err(&about)?;
    progress.expect(&params.workload(Sizes::from(&corpus)));
    let model = params.fit_watched(&corpus, &|step| progress.step(step)).map_err(about)?;
    if let Some(path) = &args.output {
        progress.begin("writing");
        model.save(path, &corpus, args.force)?;
    }
    finish()?;
    progress.finish();
    print(args, common, &corpus, &model)
}

/// Writes the page that shows the model, and returns the model.
fn write_page(
    args: &Fit,
    path: &Path,
    corpus: &Corpus,
    model: Model,
    progress: &Progress,
) -> Outcome<Model> {
    let sweep = args.page.sweep.as_deref().map(report::read_sweep).transpose()?;
    let saved = Saved::new(model, corpus);
    let command = recipe::this_command();
    let again = if report::is_pipe(&args.source) { Vec::new() } else { vec![command.clone()] };
    let made = Made { command, again };
    let documents = Some((corpus, &args.source));
    let html = report::page(&saved, documents, &args.page, sweep.as_ref(), made, progress)?;
    report::write(path, args.force, &html, progress)?;
    Ok(saved.model)
}

/// The parameters that the command line asks for.
pub fn params(args: &Fit, corpus: &Corpus, progress: &Progress) -> svtd::Result<TopicParams> {
    let seed = args.chance.seed;
    let request = Request {
        alpha0: args.alpha0,
        paper: args.paper,
        method: args.method.and_then(|method| method.with_seed(seed)),
        learner: match args.method {
            Some(Method::Gibbs) => Learner::Gibbs(args.classical.gibbs(seed)),
            Some(Method::Em) => Learner::Em(args.classical.em(seed)),
            _ => Learner::Moments,
        },
        weights: args.weights.map(|weights| weights.with_seed(seed)),
        whitening: args.whitening.map(Into::into),
        rows: args.rows.map(Into::into),
        polish: args.polish,
        allow_fewer: args.allow_fewer,
        trust: !args.no_trust,
        splits: args.splits,
        ..Request::new(args.topic_model(), given(args.n_topics))
    };
    request.params(corpus, || progress.begin("choosing k"))
}

/// The number of topics, unless the data choose it.
fn given(asked: Option<TopicCount>) -> Option<usize> {
    match asked {
        Some(TopicCount::Given(k)) => Some(k),
        Some(TopicCount::Auto) | None => None,
    }
}

fn print(args: &Fit, common: &Common, corpus: &Corpus, model: &Model) -> Outcome {
    let listing = Listing::new(model, WordOrder::Probability, listing::TOP_WORDS)?;
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = listing.to_json();
        let saved = args.output.as_ref().map(|path| path.display().to_string());
        object.insert("saved".to_owned(), json!(saved));
        writeln!(out, "{}", json::document("fit", object.into()))?;
    } else {
        listing.write_table(&mut out, &Screen::stdout(common))?;
    }
    out.flush()?;
    if !common.quiet {
        // A message that cannot be printed is no reason to fail.
        let _ = write_messages(args, corpus, model);
    }
    Ok(())
}

fn write_messages(args: &Fit, corpus: &Corpus, model: &Model) -> io::Result<()> {
    let mut err = io::stderr().lock();
    writeln!(err)?;
    if let Some(choice) = &model.options().chosen {
        let (k, why) = (choice.n_topics, choice::sentence(choice));
        writeln!(err, "{:<20} {k}, by -k auto: {why}", "topics")?;
    }
    trust::write_summary(&mut err, model)?;
    trust::write_remarks(&mut err, corpus.report())?;
    trust::write_dominance(&mut err, corpus)?;
    match &args.output {
        Some(path) => writeln!(err, "saved {}", printable(&path.display().to_string())),
        None => writeln!(err, "nothing was saved; add -o FILE to keep the model"),
    }
}
