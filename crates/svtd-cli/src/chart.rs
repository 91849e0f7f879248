//! Curves, as text for a terminal and as SVG for everything else.

use std::fmt::Write as _;
use std::io::{self, Write};

/// A few curves over the same axis.
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What is told from left to right.
    pub x_label: String,
    /// What is told from bottom to top.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
    /// A range of x that is marked.
    pub band: Option<(f64, f64)>,
    /// Whether y is told by its logarithm; all values are then positive.
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

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 280.0;
const COLOURS: [&str; 3] = ["#0072b2", "#d55e00", "#6a6a6a"];

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

    fn svg(&self, top: f64) -> String {
        let frame = self.frame();
        let (left, right, above, below) = (90.0, WIDTH - 170.0, top + 36.0, top + HEIGHT - 50.0);
        let across = |x: f64| left + (x - frame.x.0) / span(frame.x) * (right - left);
        let up = |y: f64| below - (y - frame.y.0) / span(frame.y) * (below - above);
        let mut svg = String::new();
        // Writing to a string cannot fail.
        let mut add = |text: String| svg.push_str(&text);
        add(format!(
            "<text x='{left}' y='{}' class='title'>{}</text>\n",
            top + 22.0,
            escaped(&self.title)
        ));
        if let Some((low, high)) = self.band {
            let (from, to) = (across(low - 0.4).max(left), across(high + 0.4).min(right));
            add(format!(
                "<rect x='{from:.1}' y='{above}' width='{:.1}' height='{:.1}' class='band'/>\n",
                (to - from).max(1.0),
                below - above
            ));
        }
        for tick in ticks(frame.x, true) {
            let x = across(tick);
            add(format!(
                "<line x1='{x:.1}' y1='{below}' x2='{x:.1}' y2='{}' class='axis'/>\n",
                below + 5.0
            ));
            add(format!(
                "<text x='{x:.1}' y='{}' class='middle'>{}</text>\n",
                below + 19.0,
                number(tick)
            ));
        }
        for tick in ticks(frame.y, false) {
            let y = up(tick);
            add(format!("<line x1='{left}' y1='{y:.1}' x2='{right}' y2='{y:.1}' class='grid'/>\n"));
            let label = number(self.value(tick));
            add(format!(
                "<text x='{}' y='{:.1}' class='end'>{label}</text>\n",
                left - 8.0,
                y + 4.0
            ));
        }
        add(format!("<path d='M{left} {above}V{below}H{right}' class='axis'/>\n"));
        let middle = 0.5 * (left + right);
        add(format!(
            "<text x='{middle}' y='{}' class='middle'>{}</text>\n",
            below + 38.0,
            escaped(&self.x_label)
        ));
        let centre = 0.5 * (above + below);
        add(format!(
            "<text transform='translate({},{centre}) rotate(-90)' class='middle'>{}</text>\n",
            left - 68.0,
            escaped(&self.y_label)
        ));
        for (place, (series, colour)) in self.series.iter().zip(COLOURS).enumerate() {
            let mut path = String::new();
            for (i, &(x, y)) in series.points.iter().enumerate() {
                let letter = if i == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{letter}{:.1} {:.1}", across(x), up(self.y(y)));
            }
            add(format!("<path d='{path}' class='curve' stroke='{colour}'/>\n"));
            let (x, y) = (right + 14.0, above + 10.0 + 20.0 * place as f64);
            add(format!(
                "<line x1='{x}' y1='{y}' x2='{}' y2='{y}' class='curve' stroke='{colour}'/>\n",
                x + 18.0
            ));
            add(format!(
                "<text x='{}' y='{}'>{}</text>\n",
                x + 24.0,
                y + 4.0,
                escaped(&series.name)
            ));
        }
        svg
    }
}

/// The charts below one another as one SVG.
pub fn write_svg(out: &mut dyn Write, charts: &[Chart]) -> io::Result<()> {
    let height = HEIGHT * charts.len() as f64 + 24.0;
    writeln!(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' \
         viewBox='0 0 {WIDTH} {height}'>"
    )?;
    writeln!(
        out,
        "<style>text{{font:12px sans-serif;fill:#222}}.title{{font-weight:bold;font-size:14px}}\
         .middle{{text-anchor:middle}}.end{{text-anchor:end}}\
         .axis{{stroke:#222;fill:none}}.grid{{stroke:#ddd}}.band{{fill:#e8f1d8}}\
         .curve{{fill:none;stroke-width:2}}</style>"
    )?;
    writeln!(out, "<rect width='{WIDTH}' height='{height}' fill='white'/>")?;
    for (i, chart) in charts.iter().enumerate() {
        write!(out, "{}", chart.svg(HEIGHT * i as f64))?;
    }
    let foot = height - 8.0;
    writeln!(out, "<text x='90' y='{foot}'>shaded: the range svtd sweep recommends</text>")?;
    writeln!(out, "</svg>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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

/// The cell of `n` in which a value lies.
fn place(value: f64, (low, high): (f64, f64), n: usize) -> usize {
    let share = (value - low) / span((low, high));
    (share * (n - 1) as f64).round().clamp(0.0, (n - 1) as f64) as usize
}

/// Round numbers within bounds, about six of them.
fn ticks((low, high): (f64, f64), whole: bool) -> Vec<f64> {
    let rough = span((low, high)) / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let mut step = step.into_iter().find(|s| *s >= rough).unwrap_or(10.0 * power);
    if whole {
        step = step.max(1.0).round();
    }
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A number as an axis tells it.
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
        let mut svg = Vec::new();
        write_svg(&mut svg, &[chart(true), chart(false)]).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN"));
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        assert_eq!(svg.matches("class='band'").count(), 2);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((2.0, 60.0), true), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        assert_eq!(ticks((1.0, 3.0), true), [1.0, 2.0, 3.0]);
        assert!(ticks((0.0, 0.0), false).len() <= 11);
        assert_eq!(number(0.250), "0.25");
        assert_eq!(number(60.0), "60");
        assert_eq!(number(1.5e-4), "1.5e-4");
    }
}
