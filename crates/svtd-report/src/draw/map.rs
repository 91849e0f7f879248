//! The map: topics by distance, sized by share.

use std::fmt::Write;

use super::topic_colour;
use crate::context::Context;
use crate::figure::{Canvas, Ground, TEXT};
use crate::html::{Cell, Table, escape, percent};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 500.0;
const MARGIN: f64 = 52.0;
/// Radius of the largest topic, and the smallest radius.
const LARGEST: f64 = 42.0;
const LEAST: f64 = 9.0;

/// The drawing and its numbers.
pub fn map(context: &Context) -> (String, Table) {
    let places = place(&context.map.places);
    let mut canvas = Canvas::on(Ground::Page, WIDTH, HEIGHT, &message(context));
    scale_bar(&mut canvas, context);
    let most = context.topics.iter().map(|t| t.share).fold(0.0, f64::max).max(1e-12);
    let crowd = if context.topics.len() > 60 { 0.6 } else { 1.0 };
    // The largest first, so that small ones are drawn on top.
    for (j, topic) in context.topics.iter().enumerate() {
        let (x, y) = places[j];
        let radius = (crowd * LARGEST * (topic.share / most).sqrt()).max(crowd * LEAST);
        let fill = canvas.colour(topic_colour(j));
        let name = topic.name.clone().unwrap_or_else(|| topic.caption(&context.words, 5));
        let title = escape(&format!("Topic {}, {name}: {}", j + 1, percent(topic.share)));
        let mut node = format!("<g class=\"node\" data-topic=\"{j}\"><title>{title}</title>");
        // Writing to a string cannot fail.
        let _ = write!(
            node,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" stroke=\"{fill}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"{:.0}\" fill=\"{}\">{}</text></g>",
            y + 4.5 * crowd,
            13.0 * crowd,
            canvas.colour(TEXT),
            j + 1
        );
        canvas.element(&node);
    }
    (canvas.finish(), table(context))
}

/// Positions on the drawing: one scale for both directions, as large as fits.
fn place(places: &[[f64; 2]]) -> Vec<(f64, f64)> {
    let reach = |axis: usize| {
        let values = places.iter().map(|p| p[axis]);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        (low, high - low)
    };
    let ((x0, width), (y0, height)) = (reach(0), reach(1));
    let scale = scale(places);
    let (left, top) = ((WIDTH - scale * width) / 2.0, (HEIGHT - scale * height) / 2.0);
    // The vertical axis of the drawing points down.
    places
        .iter()
        .map(|p| (left + scale * (p[0] - x0), HEIGHT - top - scale * (p[1] - y0)))
        .collect()
}

/// Pixels per unit of distance.
fn scale(places: &[[f64; 2]]) -> f64 {
    let span = |axis: usize| {
        let values = places.iter().map(|p| p[axis]);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        (high - low).max(0.05)
    };
    ((WIDTH - 2.0 * MARGIN) / span(0)).min((HEIGHT - 2.0 * MARGIN) / span(1))
}

/// A scale bar with a round distance.
fn scale_bar(canvas: &mut Canvas, context: &Context) {
    if context.topics.len() < 2 {
        return;
    }
    let scale = scale(&context.map.places);
    let length =
        [0.5, 0.2, 0.1, 0.05, 0.02].into_iter().find(|l| l * scale <= 160.0).unwrap_or(0.01);
    let (x, y) = (14.0, HEIGHT - 14.0);
    let end = x + length * scale;
    canvas.line((x, y), (end, y), TEXT, 1.2, "");
    canvas.line((x, y - 4.0), (x, y + 4.0), TEXT, 1.2, "");
    canvas.line((end, y - 4.0), (end, y + 4.0), TEXT, 1.2, "");
    canvas.text(x, y - 9.0, &format!("distance {length}"), "start", 12.0, false);
}

fn message(context: &Context) -> String {
    let k = context.topics.len();
    if k == 1 {
        return "There is one topic, so there is nothing to compare it with.".to_owned();
    }
    let pairs = (0..k).map(|j| (j, context.map.nearest(j)[0]));
    let closest = pairs.min_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let closest = closest.map_or(String::new(), |(j, (other, distance))| {
        let (a, b) = (j.min(other) + 1, j.max(other) + 1);
        format!(" The two most alike are topics {a} and {b}, {distance:.2} apart.")
    });
    format!(
        "Map of {k} topics by Hellinger distance, which runs from 0 (the same words) to 1 (none in \
         common). The plane keeps {} of the squared distances.{closest}",
        percent(context.map.kept)
    )
}

fn table(context: &Context) -> Table {
    let mut table = Table::new(
        "map",
        "The map in numbers",
        &["topic", "name or words", "share", "across", "up", "nearest topic", "distance"],
    );
    for (j, topic) in context.topics.iter().enumerate() {
        let nearest = topic.nearest.first();
        let [x, y] = context.map.places[j];
        table.rows.push(vec![
            (j + 1).into(),
            topic.name.clone().unwrap_or_else(|| topic.caption(&context.words, 3)).into(),
            Cell::percent(topic.share),
            Cell::real(Some(x), 3),
            Cell::real(Some(y), 3),
            nearest.map_or(Cell::Number("–".to_owned()), |(other, _)| (other + 1).into()),
            Cell::real(nearest.map(|n| n.1), 3),
        ]);
    }
    table
}
