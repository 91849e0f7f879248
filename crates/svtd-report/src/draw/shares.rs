//! Shares of one topic over time or by label: a small figure for each topic.

use super::{cut, topic_colour};
use crate::context::{Context, Groups};
use crate::figure::{AXIS, Canvas, GRID, Ground, Mark, Style};
use crate::html::{Cell, Table, percent};

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 128.0;
const LEFT: f64 = 42.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 24.0;

/// The opacity of an interval band.
const BAND: f64 = 0.28;

/// Number of labels in one figure; the others are in the table.
const ROWS: usize = 8;
const ROW: f64 = 17.0;

/// Topic `j` over time, with its interval.
pub fn time_figure(context: &Context, groups: &Groups, j: usize) -> String {
    let Some(span) = &groups.span else { return String::new() };
    let title = message(context, groups, j);
    let mut canvas = Canvas::on(Ground::Page, WIDTH, HEIGHT, &title);
    let n = groups.names.len();
    let interval = |g: usize| groups.shares.interval(g, j);
    let share = |g: usize| groups.shares.share(g, j);
    // Bands stay within the figure, except those that are much wider than any share is high.
    let most = (0..n).filter_map(share).fold(0.0, f64::max);
    let reach = (0..n).filter_map(interval).map(|[_, high]| high).fold(most, f64::max);
    let ceiling = round_up(reach.min(2.0 * most));
    let (first, last) = (span.bounds[0], span.bounds[n]);
    let across = |g: usize| {
        let middle = (span.bounds[g] + span.bounds[g + 1]) / 2.0;
        LEFT + (WIDTH - LEFT - RIGHT) * (middle - first) / (last - first)
    };
    let floor = HEIGHT - BOTTOM;
    let up = |share: f64| floor - (floor - TOP) * (share / ceiling).clamp(0.0, 1.0);
    for share in [0.0, ceiling / 2.0, ceiling] {
        canvas.line((LEFT, up(share)), (WIDTH - RIGHT, up(share)), GRID, 0.8, "");
        let label = format!("{} %", short(100.0 * share));
        canvas.text(LEFT - 5.0, up(share) + 4.0, &label, "end", 11.0, false);
    }
    // A period without documents interrupts the line.
    let style = Style::line(topic_colour(j), Mark::Disc);
    let runs: Vec<Vec<usize>> = (0..n).fold(vec![Vec::new()], |mut runs, g| {
        match (share(g).is_some(), runs.last_mut()) {
            (true, Some(run)) => run.push(g),
            _ => runs.push(Vec::new()),
        }
        runs
    });
    for run in &runs {
        let known: Vec<usize> = run.iter().copied().filter(|&g| interval(g).is_some()).collect();
        for piece in known.chunk_by(|a, b| b - a == 1) {
            let edge = |g: usize, at: usize| interval(g).map(|i| (across(g), up(i[at])));
            let upper = piece.iter().filter_map(|&g| edge(g, 1));
            let lower = piece.iter().rev().filter_map(|&g| edge(g, 0));
            let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
            if piece.len() == 1 && outline.len() == 2 {
                canvas.line(outline[0], outline[1], style.colour, 3.0, "");
            }
            canvas.area(&outline, style.colour, BAND);
        }
        let places: Vec<(f64, f64)> =
            run.iter().filter_map(|&g| Some((across(g), up(share(g)?)))).collect();
        canvas.path(&places, style);
        if places.len() < 2 {
            places.iter().for_each(|&at| canvas.mark(at, style, false));
        }
    }
    canvas.line((LEFT, floor), (WIDTH - RIGHT, floor), AXIS, 1.0, "");
    let place = |year: f64| LEFT + (WIDTH - LEFT - RIGHT) * (year - first) / (last - first);
    for (year, label) in ticks(groups, first, last) {
        let x = place(year);
        canvas.line((x, floor), (x, floor + 4.0), AXIS, 1.0, "");
        let anchor = match label.chars().count() {
            _ if x > WIDTH - 2.0 * RIGHT => "end",
            ..=5 => "middle",
            _ => "start",
        };
        canvas.text(x, HEIGHT - 6.0, &label, anchor, 11.0, false);
    }
    canvas.finish()
}

/// Years along the axis; within a year or two the names of the first and the last period.
fn ticks(groups: &Groups, first: f64, last: f64) -> Vec<(f64, String)> {
    let years = last - first;
    if years < 4.0 {
        let n = groups.names.len();
        let mut ends = vec![(first, groups.names[0].clone())];
        if n > 1 {
            ends.push((last, groups.names[n - 1].clone()));
        }
        return ends;
    }
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]
        .into_iter()
        .find(|step| years / step <= 5.0)
        .unwrap_or(5000.0);
    let (from, to) = ((first / step).ceil() as i64, (last / step).floor() as i64);
    (from..=to).map(|i| (i as f64 * step, format!("{}", (i as f64 * step) as i64))).collect()
}

/// Topic `j` by label: the labels where it is largest, each with its interval.
pub fn label_figure(context: &Context, groups: &Groups, j: usize) -> String {
    let mut order: Vec<usize> = (0..groups.names.len()).collect();
    let share = |g: usize| groups.shares.share(g, j).unwrap_or(0.0);
    order.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
    order.truncate(ROWS);
    let height = TOP + ROW * order.len() as f64 + BOTTOM;
    let mut canvas = Canvas::on(Ground::Page, WIDTH, height, &message(context, groups, j));
    let left = 132.0;
    let highs = order.iter().map(|&g| groups.shares.interval(g, j).map_or(share(g), |i| i[1]));
    let ceiling = round_up(highs.fold(0.0, f64::max));
    let across = |share: f64| left + (WIDTH - left - RIGHT) * (share / ceiling).clamp(0.0, 1.0);
    let floor = height - BOTTOM;
    for share in [0.0, ceiling / 2.0, ceiling] {
        canvas.line((across(share), TOP), (across(share), floor), GRID, 0.8, "");
        let label = format!("{} %", short(100.0 * share));
        let anchor = if share == ceiling { "end" } else { "middle" };
        canvas.text(across(share), height - 7.0, &label, anchor, 11.0, false);
    }
    let style = Style::line(topic_colour(j), Mark::Disc);
    for (row, &g) in order.iter().enumerate() {
        let y = TOP + ROW * (row as f64 + 0.5);
        canvas.text(left - 8.0, y + 4.0, &cut(&groups.names[g], 20), "end", 11.0, false);
        if let Some([low, high]) = groups.shares.interval(g, j) {
            canvas.line((across(low), y), (across(high), y), style.colour, 2.0, "");
        }
        canvas.mark((across(share(g)), y), style, false);
    }
    canvas.finish()
}

/// The message of a figure.
fn message(context: &Context, groups: &Groups, j: usize) -> String {
    let filled: Vec<usize> =
        (0..groups.names.len()).filter(|&g| groups.shares.n_documents[g] > 0).collect();
    let mean = |g: &usize| groups.shares.share(*g, j).unwrap_or(0.0);
    let most = filled.iter().copied().max_by(|a, b| mean(a).total_cmp(&mean(b)).then(b.cmp(a)));
    let least = filled.iter().copied().min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let (Some(most), Some(least)) = (most, least) else { return String::new() };
    let range = match groups.shares.interval(most, j) {
        Some([low, high]) => format!(" (95 % interval {} to {})", percent(low), percent(high)),
        None => String::new(),
    };
    let topic = &context.topics[j];
    let name = topic.name.clone().unwrap_or_else(|| topic.caption(&context.words, 3));
    format!(
        "Topic {}, {name}: largest in {} with {}{range}, smallest in {} with {}.",
        j + 1,
        groups.names[most],
        percent(mean(&most)),
        groups.names[least],
        percent(mean(&least))
    )
}

/// All shares with half the widths of their intervals.
pub fn shares_table(context: &Context, groups: &Groups, file: &str, caption: &str) -> Table {
    let first = if groups.span.is_some() { "period" } else { "label" };
    let mut table = Table::new(file, caption, &[first, "documents"]);
    table.head.extend((1..=context.topics.len()).map(|j| format!("topic {j}")));
    for (g, name) in groups.names.iter().enumerate() {
        let n = groups.shares.n_documents[g];
        let mut row: Vec<Cell> = vec![name.as_str().into(), n.into()];
        row.extend((0..context.topics.len()).map(|j| {
            let Some(share) = groups.shares.share(g, j) else {
                return Cell::Number("–".to_owned());
            };
            let band = groups.shares.interval(g, j).map_or(String::new(), |[low, high]| {
                format!(" ({:.1}–{:.1})", 100.0 * low, 100.0 * high)
            });
            Cell::Number(format!("{:.1}{band}", 100.0 * share))
        }));
        table.rows.push(row);
    }
    table
}

/// A round number above a share.
fn round_up(share: f64) -> f64 {
    let steps = [0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.06, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0];
    steps.into_iter().find(|step| *step >= share).unwrap_or(1.0)
}

fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
