//! Which topic splits into which, as the number of topics grows.
//!
//! A horizontal line is a topic as it continues from one number of topics to the next; a new topic is joined to the
//! line of the topic from which it was split.

use svtd::choosing::Sweep;

use super::cut;
use crate::figure::colour::{BLUE, GREY};
use crate::figure::{Canvas, Ground};
use crate::html::{Cell, Table, shown};

/// The largest number of lines; further splits are in the table.
const MOST: usize = 30;
const ROW: f64 = 21.0;
const WIDTH: f64 = 760.0;
const LEFT: f64 = 20.0;
const WORDS: f64 = 290.0;

/// A topic, from the number of topics at which it appears.
struct Line {
    born: usize,
    parent: Option<usize>,
    words: String,
}

/// The drawing and its numbers; `None` when the sweep has no splits.
pub fn tree(sweep: &Sweep) -> Option<(String, Table)> {
    let lines = lines(sweep)?;
    let first = sweep.fits.first()?.n_topics;
    let last = lines.iter().map(|line| line.born).max()?.max(first + 1);
    let order = in_order(&lines);
    let mut row = vec![0.0; lines.len()];
    order.iter().enumerate().for_each(|(i, &line)| row[line] = 34.0 + ROW * i as f64);
    let height = 34.0 + ROW * lines.len() as f64;
    let n_roots = lines.iter().filter(|line| line.parent.is_none()).count();
    let title = format!(
        "How {n_roots} topic{} become {}: each branch is a topic that appears when one more is asked \
         for, joined to the one it was split from.",
        if n_roots == 1 { "" } else { "s" },
        lines.len()
    );
    let mut canvas = Canvas::on(Ground::Page, WIDTH, height, &title);
    let right = WIDTH - WORDS;
    let across =
        |k: usize| LEFT + (right - LEFT) * (k - first) as f64 / (last - first).max(1) as f64;
    let step = (last - first).div_ceil(12).max(1);
    for k in (first..=last).step_by(step) {
        canvas.text(across(k), 14.0, &k.to_string(), "middle", 11.0, false);
    }
    for (i, line) in lines.iter().enumerate() {
        let x = across(line.born);
        canvas.line((x, row[i]), (right, row[i]), BLUE, 1.6, "");
        if let Some(parent) = line.parent {
            canvas.line((x, row[parent]), (x, row[i]), GREY, 1.2, "2 3");
        }
        canvas.text(right + 8.0, row[i] + 4.0, &cut(&line.words, 42), "start", 12.0, false);
    }
    let mut table =
        Table::new("splits", "The splits in numbers", &["topics", "new topic", "split from"]);
    for line in &lines {
        let parent = line.parent.map_or("–".to_owned(), |p| lines[p].words.clone());
        table.rows.push(vec![line.born.into(), line.words.as_str().into(), Cell::Text(parent)]);
    }
    Some((canvas.finish(), table))
}

/// Every topic that appears, in order of appearance, up to as many as fit.
fn lines(sweep: &Sweep) -> Option<Vec<Line>> {
    let first = sweep.fits.first()?;
    if first.topics.is_empty() || sweep.fits.len() < 2 {
        return None;
    }
    let written = |words: &[String]| shown(&words.join(" "), 80).into_owned();
    let mut lines: Vec<Line> = first
        .topics
        .iter()
        .map(|t| Line { born: first.n_topics, parent: None, words: written(&t.words) })
        .collect();
    if lines.len() > MOST {
        return None;
    }
    // The line of each topic of the previous number.
    let mut on: Vec<usize> = (0..lines.len()).collect();
    for fit in &sweep.fits[1..] {
        if lines.len() == MOST {
            break;
        }
        let split = fit.split?;
        let mut now = Vec::with_capacity(fit.topics.len());
        for (j, topic) in fit.topics.iter().enumerate() {
            let from = *on.get(topic.from?)?;
            if j == split.child {
                let parent = Some(from);
                lines.push(Line { born: fit.n_topics, parent, words: written(&topic.words) });
                now.push(lines.len() - 1);
            } else {
                lines[from].words = written(&topic.words);
                now.push(from);
            }
        }
        on = now;
    }
    Some(lines)
}

/// Children directly below their parents, latest first, so that branches do not cross.
fn in_order(lines: &[Line]) -> Vec<usize> {
    fn visit(lines: &[Line], at: usize, order: &mut Vec<usize>) {
        order.push(at);
        for child in (0..lines.len()).rev().filter(|&c| lines[c].parent == Some(at)) {
            visit(lines, child, order);
        }
    }
    let mut order = Vec::with_capacity(lines.len());
    for root in (0..lines.len()).filter(|&i| lines[i].parent.is_none()) {
        visit(lines, root, &mut order);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(born: usize, parent: Option<usize>) -> Line {
        Line { born, parent, words: String::new() }
    }

    #[test]
    fn branches_stand_below_what_they_were_split_from() {
        let lines =
            [line(2, None), line(2, None), line(3, Some(0)), line(4, Some(0)), line(5, Some(2))];
        assert_eq!(in_order(&lines), [0, 3, 2, 4, 1]);
    }
}
