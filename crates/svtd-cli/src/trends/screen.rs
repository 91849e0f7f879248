//! TopicTrends for people: one line for each topic, or one topic period by period.

use std::io::{self, Write};

use svtd::evaluation::PeriodWord;

use super::{Series, TopicTrends};
use crate::failure::printable;
use crate::listing;
use crate::terminal::{Screen, cut};

/// Number of words that describe a topic.
const CAPTION: usize = 5;
/// The characters of a curve in one line.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Width of a bar.
const BAR: usize = 30;

pub(super) fn write(
    out: &mut dyn Write,
    screen: &Screen,
    trends: &TopicTrends,
    topic: Option<usize>,
) -> io::Result<()> {
    let names = &trends.periods.names;
    let n: usize = trends.series[0].shares.n_documents.iter().sum();
    let (first, last) = (names.first(), names.last());
    let span = first.zip(last).map(|(a, b)| format!(", {a} to {b}")).unwrap_or_default();
    writeln!(out, "{} periods of {}{span}; {n} documents", names.len(), trends.periods.unit)?;
    if trends.n_left_out > 0 {
        let n = trends.n_left_out;
        writeln!(out, "documents left out, without a time or a known word: {n}")?;
    }
    for series in &trends.series {
        match &series.group {
            Some(group) => writeln!(out, "\n{}", screen.bold(&printable(group)))?,
            None => writeln!(out)?,
        }
        match topic {
            Some(topic) => write_topic(out, screen, trends, series, topic - 1)?,
            None => write_all(out, screen, trends, series)?,
        }
    }
    Ok(())
}

/// One line for each topic: its curve, its lowest and its highest period.
fn write_all(
    out: &mut dyn Write,
    screen: &Screen,
    trends: &TopicTrends,
    series: &Series,
) -> io::Result<()> {
    let width = trends.periods.names.len().max(9);
    let head = format!("topic  {:width$}  lowest to highest share, with 95 % bands", "over time");
    writeln!(out, "{}", screen.bold(&head))?;
    for topic in 0..trends.saved.model.topics().len() {
        let curve = curve(trends, series, topic);
        let span = span(trends, series, topic);
        writeln!(out, "{:5}  {curve}{:2$}  {span}", topic + 1, "", width - curve.chars().count())?;
        let words = listing::words(&trends.saved.model, topic, CAPTION).join(" ");
        writeln!(out, "       {}", screen.dim(&words))?;
    }
    Ok(())
}

/// The shares of a topic in one line, scaled to the highest period.
fn curve(trends: &TopicTrends, series: &Series, topic: usize) -> String {
    let share = |period| trends.share(series, period, topic).map(|found| found.share);
    let shares: Vec<Option<f64>> = (0..trends.periods.names.len()).map(share).collect();
    let most = shares.iter().flatten().copied().fold(0.0, f64::max);
    let height = |share: &Option<f64>| match share {
        None => ' ',
        Some(share) if most > 0.0 => HEIGHTS[((share / most * 7.0).round() as usize).min(7)],
        Some(_) => HEIGHTS[0],
    };
    shares.iter().map(height).collect()
}

fn span(trends: &TopicTrends, series: &Series, topic: usize) -> String {
    let with_band = |period: &usize| series.shares.n_documents[*period] > 1;
    let periods: Vec<usize> = (0..trends.periods.names.len()).filter(with_band).collect();
    let share = |&period: &usize| series.shares.means[(period, topic)];
    let by_share = |a: &&usize, b: &&usize| share(a).total_cmp(&share(b));
    let ends = (periods.iter().min_by(by_share), periods.iter().max_by(by_share));
    let (Some(&lowest), Some(&highest)) = ends else {
        return "no period has two documents".to_owned();
    };
    [lowest, highest].map(|period| shown(trends, series, period, topic)).join("   ")
}

/// The share of a period with its interval: `1861  12.3% (10.1-14.5)`.
fn shown(trends: &TopicTrends, series: &Series, period: usize, topic: usize) -> String {
    let name = &trends.periods.names[period];
    match trends.share(series, period, topic) {
        None => format!("{name}  no documents"),
        Some(found) => {
            let band = found.band.map_or(String::new(), |[low, high]| {
                format!(" ({:.1}-{:.1})", 100.0 * low, 100.0 * high)
            });
            format!("{name} {:5.1}%{band}", 100.0 * found.share)
        }
    }
}

/// One topic, one line for each period, and the words that changed.
fn write_topic(
    out: &mut dyn Write,
    screen: &Screen,
    trends: &TopicTrends,
    series: &Series,
    topic: usize,
) -> io::Result<()> {
    let words = listing::words(&trends.saved.model, topic, 2 * CAPTION).join(" ");
    writeln!(out, "{}", screen.bold(&format!("topic {}: {words}", topic + 1)))?;
    let most = (0..trends.periods.names.len())
        .filter_map(|period| trends.share(series, period, topic))
        .map(|found| found.band.map_or(found.share, |[_, high]| high))
        .fold(0.0, f64::max);
    let margin = trends.periods.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for period in 0..trends.periods.names.len() {
        let Some(found) = trends.share(series, period, topic) else { continue };
        let name = &trends.periods.names[period];
        let [low, high] = found.band.unwrap_or([found.share; 2]);
        let bar = bar(found.share, [low, high], most);
        writeln!(
            out,
            "{name:>margin$}  {bar}  {:5.1}% ({:.1}-{:.1}), {} documents",
            100.0 * found.share,
            100.0 * low,
            100.0 * high,
            found.n_documents
        )?;
        // Words are shown for all documents, not for a group.
        if series.group.is_none() {
            write_words(out, screen, trends, period, topic, margin)?;
        }
    }
    Ok(())
}

/// The share as `#`, its interval as `-`.
fn bar(share: f64, [low, high]: [f64; 2], most: f64) -> String {
    let at = |value: f64| match most > 0.0 {
        true => ((value / most * BAR as f64).round() as usize).min(BAR),
        false => 0,
    };
    let (low, share, high) = (at(low), at(share), at(high));
    (0..BAR)
        .map(|column| match column {
            c if c < low => '=',
            c if c < share => '#',
            c if c < high => '-',
            _ => ' ',
        })
        .collect()
}

fn write_words(
    out: &mut dyn Write,
    screen: &Screen,
    trends: &TopicTrends,
    period: usize,
    topic: usize,
    margin: usize,
) -> io::Result<()> {
    let moved = &trends.words[period][topic];
    let vocabulary = trends.saved.model.topics().vocabulary();
    let word = |sign: char, moved: &PeriodWord| {
        format!("{sign}{}", printable(&vocabulary.word(moved.word)))
    };
    let gained = moved.gained.iter().map(|moved| word('+', moved));
    let lost = moved.lost.iter().map(|moved| word('-', moved));
    let words: Vec<String> = gained.chain(lost).collect();
    if words.is_empty() {
        return Ok(());
    }
    let width = screen.width.map_or(usize::MAX, |width| width.saturating_sub(margin + 2).max(20));
    writeln!(out, "{:margin$}  {}", "", screen.dim(&cut(&words.join(" "), width)))
}
