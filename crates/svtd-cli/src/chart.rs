//! Curves, as text for a terminal and as a figure for everything else.

use std::io::{self, Write};

use svtd_report::figure::{self, Axis, Figure, Mark, Panel, Point, Scale, Style, colour};

/// A few curves over the same axis.
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The label of the horizontal axis.
    pub x_label: String,
    /// The label of the vertical axis.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
    /// A range of x that is marked.
    pub band: Option<(f64, f64)>,
    /// Whether the vertical axis is logarithmic; all values must then be positive.
    pub logarithmic: bool,
}

/// A curve.
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, x rising.
    pub points: Vec<(f64, f64)>,
}

const COLUMNS: usize = 64;
const ROWS: usize = 12;
const MARKS: [char; 3] = ['*', 'o', '-'];

const STYLES: [Style; 3] = [
    Style::line(colour::BLUE, Mark::Disc),
    Style::dashed(colour::VERMILION, Mark::Square),
    Style::line(colour::GREY, Mark::Triangle),
];

/// The part of the plane that a chart shows.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Chart {
    fn y(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }

    fn value(&self, y: f64) -> f64 {
        if self.logarithmic { 10_f64.powf(y) } else { y }
    }

    fn frame(&self) -> Frame {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = bounds(points().map(|p| p.0));
        let (low, high) = bounds(points().map(|p| self.y(p.1)));
        // A flat curve still needs some height.
        let room = if high > low { 0.04 * (high - low) } else { 0.5 };
        Frame { x, y: (low - room, high + room) }
    }

    /// The chart as a panel of a figure.
    fn panel(&self) -> Panel {
        let frame = self.frame();
        let scale = if self.logarithmic { Scale::Log } else { Scale::Linear };
        let values = self.series.iter().flat_map(|series| series.points.iter().map(|p| p.1));
        let y = match self.logarithmic {
            true => Axis::around(&self.y_label, scale, values),
            false => Axis::linear(&self.y_label, frame.y.0, frame.y.1),
        };
        let series = self.series.iter().zip(STYLES).map(|(series, style)| figure::Series {
            name: series.name.clone(),
            style,
            points: series.points.iter().map(|&(x, y)| Point::bare(x, y)).collect(),
        });
        Panel {
            title: self.title.clone(),
            x: Axis::linear(&self.x_label, frame.x.0, frame.x.1),
            y,
            series: series.collect(),
            dividers: Vec::new(),
            shaded: self.band.map(|(low, high)| (low - 0.4, high + 0.4)),
        }
    }

    /// Draws with characters; the marked range is underlined.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let frame = self.frame();
        let mut cells = vec![[' '; COLUMNS]; ROWS];
        for (series, mark) in self.series.iter().zip(MARKS).rev() {
            for &(x, y) in &series.points {
                let column = place(x, frame.x, COLUMNS);
                let row = ROWS - 1 - place(self.y(y), frame.y, ROWS);
                cells[row][column] = mark;
            }
        }
        let legend: Vec<String> =
            self.series.iter().zip(MARKS).map(|(s, mark)| format!("{mark} {}", s.name)).collect();
        writeln!(out, "{}: {}  ({})", self.title, self.y_label, legend.join("   "))?;
        for (row, line) in cells.iter().enumerate() {
            let label = match row {
                0 => number(self.value(frame.y.1)),
                r if r == ROWS - 1 => number(self.value(frame.y.0)),
                _ => String::new(),
            };
            writeln!(out, "{label:>10} |{}", line.iter().collect::<String>().trim_end())?;
        }
        let underline = |column: usize| {
            let marked = self.band.is_some_and(|(low, high)| {
                (place(low, frame.x, COLUMNS)..=place(high, frame.x, COLUMNS)).contains(&column)
            });
            if marked { '=' } else { '-' }
        };
        writeln!(out, "{:>10} +{}", "", (0..COLUMNS).map(underline).collect::<String>())?;
        let (first, last) = (number(frame.x.0), number(frame.x.1));
        let gap = COLUMNS.saturating_sub(first.len() + last.len() + self.x_label.len()) / 2;
        let gap = " ".repeat(gap);
        writeln!(out, "{:>10}  {first}{gap}{}{gap}{last}", "", self.x_label)
    }
}

/// The charts as one SVG, one below the other.
pub fn svg(charts: &[Chart]) -> String {
    let mut figure =
        Figure::of_panels("Numbers of topics compared", charts.iter().map(Chart::panel).collect());
    figure.columns = 1;
    figure.size = (600.0, 200.0);
    figure.note = Some("shaded: the range svtd sweep recommends".to_owned());
    figure.to_svg()
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

fn span((low, high): (f64, f64)) -> f64 {
    if high > low { high - low } else { 1.0 }
}

/// The index of the cell, of `n`, that contains a value.
fn place(value: f64, (low, high): (f64, f64), n: usize) -> usize {
    let share = (value - low) / span((low, high));
    (share * (n - 1) as f64).round().clamp(0.0, (n - 1) as f64) as usize
}

/// A number as an axis label.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-2..1e5).contains(&size) {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(logarithmic: bool) -> Chart {
        let points = (1..=20).map(|k| (f64::from(k), 3.0 / f64::from(k))).collect();
        Chart {
            title: "a < b".to_owned(),
            x_label: "k".to_owned(),
            y_label: "y".to_owned(),
            series: vec![Series { name: "one".to_owned(), points }],
            band: Some((4.0, 7.0)),
            logarithmic,
        }
    }

    #[test]
    fn a_text_chart_has_every_point_in_its_place() {
        let mut text = Vec::new();
        chart(false).write_text(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), ROWS + 3);
        assert_eq!(lines[1].chars().nth(12), Some('*'), "the first point is at the top left");
        assert!(lines[ROWS].ends_with('*'), "the last one at the bottom right");
        assert!(lines[ROWS + 1].contains("===="));
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn an_svg_is_well_formed_and_says_what_it_shows() {
        let svg = svg(&[chart(true), chart(false)]);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN"));
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        assert_eq!(svg.matches("fill-opacity=\"0.12\"").count(), 2, "a shaded range in each");
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be_read() {
        assert_eq!(number(0.250), "0.25");
        assert_eq!(number(60.0), "60");
        assert_eq!(number(1.5e-4), "1.5e-4");
    }
}
