//! `svtd trends`: topics over time, and how their words change.

mod screen;
mod tables;

use std::io::{self, Write};

use svtd::Corpus;
use svtd::evaluation::{DocumentShares, Moment, PeriodTopic, Periods, Shares, topics_by_group};
use svtd::persist::Saved;

use crate::args::{Common, Trends};
use crate::failure::{Failure, Outcome, printable};
use crate::output::{self, Target};
use crate::progress::{Detail, Progress};
use crate::terminal::Screen;
use crate::{input, json, messages, threads};

/// The largest number of groups; more could not be distinguished in a figure.
const MOST_GROUPS: usize = 50;

/// Runs the command.
pub fn run(args: &Trends, common: &Common) -> Outcome {
    let mut inputs = args.source.files();
    inputs.push(&args.model);
    let target = |path: &std::path::PathBuf| Target::new(path, None, args.force, &inputs);
    let shares = args.output.as_ref().map(target).transpose()?;
    let words = args.words.as_ref().map(target).transpose()?;
    if let (Some(one), Some(other)) = (&args.output, &args.words) {
        output::check_distinct(&[one, other])?;
    }
    threads::pool(common.threads)?.install(|| trends(args, common, shares, words))
}

fn trends(
    args: &Trends,
    common: &Common,
    shares: Option<Target>,
    words: Option<Target>,
) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    let saved = input::model(&args.model)?;
    let k = saved.model.topics().len();
    if let Some(topic) = args.topic.filter(|&topic| topic > k) {
        let sentence = format!("--topic {topic}: the model has {k} topics");
        return Err(Failure::Request(sentence));
    }
    progress.begin("times");
    let periods = periods(args)?;
    let groups = args.by.as_deref().map(|by| groups(args, by)).transpose()?.unwrap_or_default();
    let corpus = input::corpus_for(&saved, &args.source, &progress)?;
    let about = Failure::about(&args.source.name());
    let trends =
        TopicTrends::new(args.top, &saved, &corpus, periods, groups, &progress).map_err(about)?;
    progress.finish();
    if let Some(target) = shares {
        target.write(&tables::shares(&trends))?;
    }
    if let Some(target) = words {
        target.write(&tables::words(&trends))?;
    }
    let mut out = io::stdout().lock();
    if common.json {
        writeln!(out, "{}", json::document("trends", tables::to_json(&trends)))?;
    } else {
        screen::write(&mut out, &Screen::stdout(common), &trends, args.topic)?;
    }
    out.flush()?;
    Ok(())
}

/// Shares and words of all topics, by period.
struct TopicTrends<'a> {
    saved: &'a Saved,
    periods: Periods,
    /// The groups; the first, without a name, contains all documents.
    series: Vec<Series>,
    /// By period, then by topic.
    words: Vec<Vec<PeriodTopic>>,
    /// Number of documents without a time, or without a word that the model knows.
    n_left_out: usize,
}

/// Shares by period.
struct Series {
    group: Option<String>,
    shares: Shares,
}

impl<'a> TopicTrends<'a> {
    fn new(
        n_words: usize,
        saved: &'a Saved,
        corpus: &Corpus,
        periods: Periods,
        groups: Vec<(String, Vec<usize>)>,
        progress: &Progress,
    ) -> svtd::Result<Self> {
        let topics = saved.model.topics();
        progress.begin("inference");
        // Returns an error for a corpus without words in common with the model.
        let inferred = saved.model.infer(corpus)?;
        let known =
            corpus.over(topics.vocabulary()).ok_or_else(|| svtd::Error::VocabularyMismatch {
                needed: format!("the {} words of the model", topics.vocabulary().len()),
                found: format!("{} others", corpus.n_words()),
            })?;
        progress.begin("shares");
        let documents = DocumentShares::of(topics, &known)?;
        let of_document: Vec<Option<usize>> = (0..known.n_documents())
            .map(|d| {
                periods.of_document.get(d).copied().flatten().filter(|_| documents.has_words(d))
            })
            .collect();
        let n = periods.names.len();
        let shares = |of: &[Option<usize>]| documents.by_group(of, n);
        let mut series = vec![Series { group: None, shares: shares(&of_document) }];
        for (name, members) in groups {
            let mut of_group = vec![None; of_document.len()];
            members.iter().for_each(|&d| of_group[d] = of_document[d]);
            series.push(Series { group: Some(name), shares: shares(&of_group) });
        }
        progress.begin("words");
        let words = topics_by_group(topics, &known, &inferred.mixtures, &of_document, n, n_words);
        let n_left_out = of_document.iter().filter(|period| period.is_none()).count();
        Ok(Self { saved, periods, series, words, n_left_out })
    }

    /// The share of a topic, within 0 and 1, and its interval; `None` without documents.
    fn share(&self, series: &Series, period: usize, topic: usize) -> Option<Share> {
        Some(Share {
            share: series.shares.share(period, topic)?,
            band: series.shares.interval(period, topic),
            n_documents: series.shares.n_documents[period],
        })
    }
}

/// A share with its interval, which a single document does not have.
struct Share {
    share: f64,
    band: Option<[f64; 2]>,
    n_documents: usize,
}

/// The periods of the documents.
fn periods(args: &Trends) -> Outcome<Periods> {
    let cells = input::column(&args.source, "--time", &args.time)?;
    let moments: Vec<Option<Moment>> = cells.iter().map(|cell| Moment::parse(cell)).collect();
    let odd = cells.iter().zip(&moments).filter(|(cell, m)| m.is_none() && !cell.is_empty());
    let odd: Vec<&String> = odd.map(|(cell, _)| cell).collect();
    let refused = |reason: String| Failure::Refused(args.source.name(), reason);
    let column = &args.time;
    if moments.iter().all(Option::is_none) {
        let found = match odd.first() {
            Some(cell) => format!("such as {cell:?}"),
            None => "but empty ones".to_owned(),
        };
        return Err(refused(format!(
            "the column {column:?} holds no times, {found}; expected years, months or dates, such as \
             1861, 1861-03 or 1861-03-04"
        )));
    }
    if let Some(first) = odd.first() {
        let (n, first) = (odd.len(), printable(first));
        messages::say(&format!(
            "note: documents left out, whose {column} is no time: {n} ({first})"
        ));
    }
    let found = match args.every {
        Some(unit) => Periods::with(unit, &moments),
        None => Periods::of(&moments),
    };
    found.ok_or_else(|| {
        refused("there are too many periods to list; ask for longer ones (--every 10y)".to_owned())
    })
}

/// The groups of a column by name, each with its documents.
fn groups(args: &Trends, by: &str) -> Outcome<Vec<(String, Vec<usize>)>> {
    let cells = input::column(&args.source, "--by", by)?;
    let mut groups: std::collections::BTreeMap<&str, Vec<usize>> = Default::default();
    for (d, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
        groups.entry(cell).or_default().push(d);
    }
    if groups.len() > MOST_GROUPS {
        return Err(Failure::Refused(
            args.source.name(),
            format!(
                "the column {by:?} has {} values, and at most {MOST_GROUPS} groups can be shown; name \
                 a column with fewer",
                groups.len()
            ),
        ));
    }
    Ok(groups.into_iter().map(|(name, members)| (name.to_owned(), members)).collect())
}
