//! `svtd sweep`: compares numbers of topics.

use std::io::{self, Write};

use serde_json::json;
use svtd::Corpus;
use svtd::choosing::{Sweep, SweepFit};
use svtd::internals::atomic::write_atomically;
use svtd::learning::Request;

use crate::args::{Common, Numbers, Sweep as Arguments, alpha0};
use crate::chart::{self, Chart, Series};
use crate::failure::{Failure, Outcome};
use crate::progress::{Detail, Progress};
use crate::{input, json, output, records, sites, threads, trust};

/// Runs the command.
pub fn run(args: &Arguments, common: &Common) -> Outcome {
    if args.model.topics().is_none() {
        if args.elsewhere.at.sites.is_some() || args.elsewhere.checkpoint.is_some() {
            let sentence = "--sites and --checkpoint are for topics (--model lda or single-topic)";
            return Err(Failure::Request(sentence.to_owned()));
        }
        return records::sweep(args, common);
    }
    if let Some(sentence) = sites::input_contradiction(&args.elsewhere.at, &args.source) {
        return Err(Failure::Request(sentence));
    }
    if let Some(flag) = args.records.given() {
        return Err(Failure::Request(format!("{flag} is for --model classes")));
    }
    let kind = args.model.topics().unwrap_or_default();
    alpha0(kind, args.alpha0, "--model ").map_err(Failure::Request)?;
    if let Some(path) = &args.svg {
        output::check(path, args.force, &args.source.files())?;
    }
    threads::pool(common.threads)?.install(|| sweep(args, common))
}

fn sweep(args: &Arguments, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    if let Some(folder) = &args.elsewhere.at.sites {
        let (corpus, finish) = sites::corpus(&args.elsewhere.at, folder, &progress)?;
        compare(args, common, &corpus, &progress, Failure::about(folder))?;
        return finish();
    }
    progress.reading();
    let corpus = input::corpus(&args.source, &progress)?.into_key_order();
    let corpus = match &args.elsewhere.checkpoint {
        Some(folder) => sites::remembered(corpus, folder)?,
        None => corpus,
    };
    compare(args, common, &corpus, &progress, Failure::about(&args.source.name()))
}

fn compare(
    args: &Arguments,
    common: &Common,
    corpus: &Corpus,
    progress: &Progress,
    about: impl FnOnce(svtd::Error) -> Failure,
) -> Outcome {
    progress.begin("sweeping");
    let kind = args.model.topics().unwrap_or_default();
    let request = Request { alpha0: args.alpha0, ..Request::new(kind, None) };
    let swept = match &args.compared {
        Numbers::Range(range) => request.sweep(corpus, range.clone()),
        Numbers::Listed(list) => request.sweep_of(corpus, list),
    };
    let swept = swept.map_err(about)?;
    let charts = charts(&swept);
    if let Some(path) = &args.svg {
        progress.begin("writing");
        write_atomically(path, args.force, |out| out.write_all(chart::svg(&charts).as_bytes()))?;
    }
    progress.finish();
    let mut out = io::stdout().lock();
    if common.json {
        writeln!(out, "{}", json::document("sweep", json!(swept)))?;
    } else {
        write_table(&mut out, &swept)?;
        for chart in &charts {
            writeln!(out)?;
            chart.write_text(&mut out)?;
        }
        writeln!(out)?;
        write_recommendation(&mut out, &swept)?;
    }
    out.flush()?;
    if !common.quiet {
        let _ = write_messages(args, &swept, corpus);
    }
    Ok(())
}

fn write_messages(args: &Arguments, swept: &Sweep, corpus: &Corpus) -> io::Result<()> {
    let mut err = io::stderr().lock();
    let last = swept.fits.last().map_or(0, |fit| fit.n_topics);
    if last < args.compared.most() {
        writeln!(err, "note: the data shows no more than {}", topics(last))?;
    }
    if swept.n_held_out == 0 {
        writeln!(err, "note: too few documents to hold some out, so nothing could be compared")?;
    }
    trust::write_remarks(&mut err, corpus.report())
}

/// A number, or a dash.
fn shown(value: Option<f64>, places: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.places$}"))
}

fn write_table(out: &mut dyn Write, swept: &Sweep) -> io::Result<()> {
    writeln!(
        out,
        "          direction k            held-out            behind            exclu-  come back"
    )?;
    writeln!(
        out,
        "   k  eigenvalue  held out      z  per token   error  the best   npmi  sivity  (words)    new topic"
    )?;
    for fit in &swept.fits {
        let direction = &swept.directions[fit.n_topics - 1];
        writeln!(
            out,
            "{:>4}  {:>10.3e} {:>9} {:>6} {:>10} {:>7} {:>9} {:>6}  {:>6.2}  {:<9}  {}",
            fit.n_topics,
            direction.eigenvalue,
            direction.cross_validated.map_or("-".to_owned(), |v| format!("{v:.2e}")),
            shown(direction.z, 1),
            shown(fit.log_likelihood, 4),
            shown(fit.standard_error, 4),
            shown(fit.behind.map(|[behind, _]| behind), 4),
            shown(fit.npmi, 3),
            fit.exclusivity,
            fit.halves.map_or("-".to_owned(), |h| format!("{} ({:.1})", h.n_found, h.mean_words)),
            new_topic(fit),
        )?;
    }
    if let Some(floor) = swept.noise_floor {
        writeln!(out, "noise reaches {floor:.3e}: eigenvalues up to there may be chance")?;
    }
    Ok(())
}

fn new_topic(fit: &SweepFit) -> String {
    match fit.split {
        None => String::new(),
        Some(split) => format!(
            "{} from {} (L1 {:.2}), {} stay",
            split.child + 1,
            split.parent + 1,
            split.distance,
            split.n_kept
        ),
    }
}

fn write_recommendation(out: &mut dyn Write, swept: &Sweep) -> io::Result<()> {
    match (swept.recommendation.low, swept.recommendation.high) {
        (low, high) if low == high => writeln!(out, "look at {}:", topics(low))?,
        (low, high) => writeln!(out, "look at {low} to {}:", topics(high))?,
    }
    for reason in &swept.reasons {
        writeln!(out, "  {reason}")?;
    }
    Ok(())
}

fn topics(n: usize) -> String {
    format!("{n} topic{}", if n == 1 { "" } else { "s" })
}

/// The curves: prediction, topics found again, and the spectrum.
fn charts(swept: &Sweep) -> Vec<Chart> {
    let points = |value: &dyn Fn(&SweepFit) -> Option<f64>| -> Vec<(f64, f64)> {
        let point = |fit: &SweepFit| Some((fit.n_topics as f64, value(fit)?));
        swept.fits.iter().filter_map(point).collect()
    };
    let (low, high) = (swept.recommendation.low as f64, swept.recommendation.high as f64);
    let chart = |title: &str, y: &str, series: Vec<Series>, logarithmic: bool| Chart {
        title: title.to_owned(),
        x_label: "number of topics k".to_owned(),
        y_label: y.to_owned(),
        series,
        band: Some((low, high)),
        logarithmic,
    };
    let line = |name: &str, points| Series { name: name.to_owned(), points };
    let spectrum = |value: &dyn Fn(&svtd::choosing::Direction) -> Option<f64>| -> Vec<(f64, f64)> {
        let positive = |(j, d)| Some((j as f64 + 1.0, value(d).filter(|v| *v > 0.0)?));
        swept.directions.iter().enumerate().filter_map(positive).collect()
    };
    let ends = |floor: f64| vec![(1.0, floor), (swept.directions.len() as f64, floor)];
    let mut eigenvalues = vec![line("in all documents", spectrum(&|d| Some(d.eigenvalue)))];
    eigenvalues.push(line("on held-out documents", spectrum(&|d| d.cross_validated)));
    eigenvalues.extend(swept.noise_floor.map(|floor| line("noise reaches", ends(floor))));
    let share = |fit: &SweepFit| Some(fit.halves?.n_found / fit.n_topics as f64);
    let all = vec![
        chart(
            "Held-out words",
            "log probability per token",
            vec![line("unpolished model", points(&|fit| fit.log_likelihood))],
            false,
        ),
        chart(
            "Topics",
            "share or score",
            vec![
                line("come back", points(&share)),
                line("exclusivity", points(&|fit| Some(fit.exclusivity))),
                line("coherence (NPMI)", points(&|fit| fit.npmi)),
            ],
            false,
        ),
        chart("Directions of the pair moment", "eigenvalue (log scale)", eigenvalues, true),
    ];
    all.into_iter().filter(|chart| chart.series.iter().any(|s| s.points.len() > 1)).collect()
}
