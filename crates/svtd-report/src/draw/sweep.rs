//! The number of topics: directions compared with their noise, and prediction of held-out words.

use svtd::choosing::Sweep;
use svtd::model::Diagnostics;

use crate::figure::colour::{BLUE, GREY, VERMILION};
use crate::figure::{Axis, Figure, Mark, Panel, Point, Scale, Series, Style};
use crate::html::{Cell, Table};

const SIZE: (f64, f64) = (560.0, 220.0);

fn figure(title: String, panel: Panel) -> Figure {
    let mut figure = Figure::of_panels(title, vec![panel]);
    figure.size = SIZE;
    figure
}

fn topics_axis(from: f64, to: f64) -> Axis {
    Axis::linear("number of topics", (from - 0.5).max(0.0), to + 0.5)
}

/// Eigenvalues of a comparison of numbers of topics, with their noise.
pub fn spectrum_figure(sweep: &Sweep) -> Figure {
    let points = |value: &dyn Fn(&svtd::choosing::Direction) -> Option<f64>| -> Vec<Point> {
        let positive = |(j, d)| Some(Point::bare(j as f64 + 1.0, value(d).filter(|v| *v > 0.0)?));
        sweep.directions.iter().enumerate().filter_map(positive).collect()
    };
    // On documents that were not used to find it, with two standard errors.
    let held_out: Vec<Point> = (1..)
        .zip(&sweep.directions)
        .filter_map(|(j, d)| {
            let (value, z) = (d.cross_validated?, d.z?);
            let error = if z.abs() > 1e-9 { (value / z).abs() } else { 0.0 };
            let (low, high) = (value - 2.0 * error, value + 2.0 * error);
            (value > 0.0).then_some(Point { low, high, ..Point::bare(f64::from(j), value) })
        })
        .collect();
    let all = points(&|d| Some(d.eigenvalue));
    let n = sweep.directions.len() as f64;
    let values = all.iter().chain(&held_out).map(|p| p.y);
    let y = Axis::around("eigenvalue", Scale::Log, values);
    let mut series = vec![
        Series {
            name: "in all documents".to_owned(),
            style: Style::line(BLUE, Mark::Disc),
            points: all,
        },
        Series {
            name: "in documents that had no part in finding it (± 2 errors)".to_owned(),
            style: Style::dashed(VERMILION, Mark::Square),
            points: held_out,
        },
    ];
    if let Some(floor) = sweep.noise_floor {
        let style = Style { dash: "2 3", ..Style::line(GREY, Mark::None) };
        let points = vec![Point::bare(1.0, floor), Point::bare(n, floor)];
        series.push(Series { name: "what noise reaches".to_owned(), style, points });
    }
    let clear = match sweep.recommendation.n_clear {
        Some(clear) => {
            format!("{clear} of {n:.0} directions stand clearly out of the noise (z above 3).")
        }
        None => "A part of the documents is too few to tell directions from noise.".to_owned(),
    };
    let (x, title) = (topics_axis(1.0, n), String::new());
    let panel = Panel { title, x, y, series, dividers: Vec::new(), shaded: None };
    figure(format!("Eigenvalues of the pair moment. {clear}"), panel)
}

/// How much worse than the best each number of topics predicts held-out words.
pub fn prediction_figure(sweep: &Sweep) -> Option<Figure> {
    let points: Vec<Point> = sweep
        .fits
        .iter()
        .filter_map(|fit| {
            let [behind, error] = fit.behind?;
            let (low, high) = (-behind - error, -behind + error);
            Some(Point { low, high, ..Point::bare(fit.n_topics as f64, -behind) })
        })
        .collect();
    if points.len() < 2 {
        return None;
    }
    let (low, high) = (sweep.recommendation.low, sweep.recommendation.high);
    let edges = points.iter().flat_map(|p| [p.low, p.high, 0.0]);
    let (least, most) = edges.fold((0.0, 0.0), |(l, h): (f64, f64), v| (l.min(v), h.max(v)));
    let y = Axis::linear("log probability behind the best", least * 1.05, most.max(-0.05 * least));
    let first = points.first().map_or(1.0, |p| p.x);
    let last = points.last().map_or(1.0, |p| p.x);
    let style = Style::line(BLUE, Mark::Disc);
    let series = vec![Series { name: "per held-out word (± 1 error)".to_owned(), style, points }];
    let best = sweep
        .recommendation
        .best
        .map_or(String::new(), |best| format!(" {best} topics predict held-out words best."));
    let panel = Panel {
        title: String::new(),
        x: topics_axis(first, last),
        y,
        series,
        dividers: Vec::new(),
        shaded: Some((low as f64 - 0.4, high as f64 + 0.4)),
    };
    let range = if low == high { format!("{low}") } else { format!("{low} to {high}") };
    Some(figure(format!("Held-out words.{best} Worth a look: {range} topics (shaded)."), panel))
}

/// How many topics two halves of the documents both find, if that was measured.
pub fn found_figure(sweep: &Sweep) -> Option<Figure> {
    let found = |fit: &svtd::choosing::SweepFit| {
        Some(Point::bare(fit.n_topics as f64, fit.halves?.n_found))
    };
    let points: Vec<Point> = sweep.fits.iter().filter_map(found).collect();
    if points.len() < 2 {
        return None;
    }
    let (first, last) = (points[0].x, points[points.len() - 1].x);
    let all = vec![Point::bare(first, first), Point::bare(last, last)];
    let dotted = Style { dash: "2 3", ..Style::line(GREY, Mark::None) };
    let solid = Style::line(BLUE, Mark::Disc);
    let (low, high) = (sweep.recommendation.low, sweep.recommendation.high);
    let panel = Panel {
        title: String::new(),
        x: topics_axis(first, last),
        y: Axis::linear("topics", 0.0, 1.05 * last),
        series: vec![
            Series { name: "found in both halves".to_owned(), style: solid, points },
            Series { name: "all of them".to_owned(), style: dotted, points: all },
        ],
        dividers: Vec::new(),
        shaded: Some((low as f64 - 0.4, high as f64 + 0.4)),
    };
    let most = sweep
        .recommendation
        .all_found
        .map_or(String::new(), |k| format!(" With {k} topics, nine in ten or more come back."));
    Some(figure(format!("Topics that independent halves of the documents both find.{most}"), panel))
}

/// The directions of the fit itself, if there is no comparison of numbers of topics.
pub fn directions_figure(d: &Diagnostics) -> Option<(Figure, Table)> {
    let z = d.z_scores.as_ref().filter(|z| !z.is_empty())?;
    let point = |(j, z): (usize, &f64)| Point::bare(j as f64 + 1.0, *z);
    let points: Vec<Point> = z.iter().enumerate().map(point).collect();
    let n = z.len() as f64;
    let (least, most) = z.iter().fold((0.0, 4.0), |(l, h): (f64, f64), v| (l.min(*v), h.max(*v)));
    let panel = Panel {
        title: String::new(),
        x: Axis::linear("direction of the pair moment", 0.5, n + 0.5),
        y: Axis::linear("z-score", least, 1.05 * most),
        series: vec![
            Series { name: "direction".to_owned(), style: Style::line(BLUE, Mark::Disc), points },
            Series {
                name: "clear above 3".to_owned(),
                style: Style { dash: "2 3", ..Style::line(GREY, Mark::None) },
                points: vec![Point::bare(0.5, 3.0), Point::bare(n + 0.5, 3.0)],
            },
        ],
        dividers: Vec::new(),
        shaded: None,
    };
    let clear = d.n_clear_directions().unwrap_or(0);
    let title = format!(
        "How clearly each direction stands out of the noise: {clear} of {n:.0} have a z-score above 3."
    );
    let mut table = Table::new(
        "directions",
        "The directions in numbers",
        &["direction", "eigenvalue", "z-score"],
    );
    for (j, z) in z.iter().enumerate() {
        let eigenvalue = d.eigenvalues.get(j).map_or("–".to_owned(), |v| format!("{v:.3e}"));
        table.rows.push(vec![(j + 1).into(), Cell::Number(eigenvalue), Cell::real(Some(*z), 1)]);
    }
    Some((figure(title, panel), table))
}

/// All results of a comparison of numbers of topics.
pub fn sweep_table(sweep: &Sweep) -> Table {
    let mut table = Table::new(
        "sweep",
        "Every number of topics in numbers",
        &[
            "topics",
            "eigenvalue",
            "held out",
            "z-score",
            "log probability of a held-out word",
            "behind the best",
            "error",
            "coherence (NPMI)",
            "exclusivity",
            "found in both halves",
            "new topic",
            "split from",
        ],
    );
    for fit in &sweep.fits {
        let direction = sweep.directions.get(fit.n_topics - 1);
        let small = |v: Option<f64>| Cell::Number(v.map_or("–".to_owned(), |v| format!("{v:.3e}")));
        let whole = |v: Option<usize>| v.map_or(Cell::Number("–".to_owned()), Cell::from);
        table.rows.push(vec![
            fit.n_topics.into(),
            small(direction.map(|d| d.eigenvalue)),
            small(direction.and_then(|d| d.cross_validated)),
            Cell::real(direction.and_then(|d| d.z), 1),
            Cell::real(fit.log_likelihood, 4),
            Cell::real(fit.behind.map(|b| b[0]), 4),
            Cell::real(fit.behind.map(|b| b[1]), 4),
            Cell::real(fit.npmi, 3),
            Cell::real(Some(fit.exclusivity), 2),
            Cell::real(fit.halves.map(|halves| halves.n_found), 1),
            whole(fit.split.map(|s| s.child + 1)),
            whole(fit.split.map(|s| s.parent + 1)),
        ]);
    }
    table
}
