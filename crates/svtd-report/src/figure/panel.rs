//! One pair of axes with its series.

use super::axis::Axis;
use super::style::{Style, colour};
use super::svg::{AXIS, Canvas, GRID};

/// The opacity of a band, where several may overlap.
const SHADE: f64 = 0.12;

/// A point with its band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The horizontal coordinate.
    pub x: f64,
    /// The vertical coordinate.
    pub y: f64,
    /// Lower edge of the band.
    pub low: f64,
    /// Upper edge of the band.
    pub high: f64,
    /// Whether its mark is drawn open, to set the point apart from the others.
    pub open: bool,
}

impl Point {
    /// A point without a band.
    pub fn bare(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y, open: false }
    }
}

/// Points of one method, or of one estimator.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its style.
    pub style: Style,
    /// The points, from left to right.
    pub points: Vec<Point>,
}

/// A dashed vertical line with a label.
#[derive(Clone, Debug)]
pub struct Divider {
    /// Its position on the horizontal axis.
    pub x: f64,
    /// The name of the part that begins there.
    pub label: String,
}

/// One pair of axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The title above the panel.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, bottom one first.
    pub series: Vec<Series>,
    /// Where parts begin.
    pub dividers: Vec<Divider>,
    /// A shaded range of the horizontal axis.
    pub shaded: Option<(f64, f64)>,
}

impl Panel {
    pub(super) fn draw(&self, canvas: &mut Canvas, origin: (f64, f64), size: (f64, f64)) {
        let frame = Frame { panel: self, origin, size };
        canvas.text(origin.0 + size.0 / 2.0, origin.1 - 9.0, &self.title, "middle", 13.0, false);
        frame.draw_shade(canvas);
        frame.draw_axes(canvas);
        frame.draw_dividers(canvas);
        for series in &self.series {
            frame.draw_band(canvas, series);
        }
        for series in &self.series {
            frame.draw_series(canvas, series);
        }
    }
}

/// A panel at its position in the figure.
struct Frame<'a> {
    panel: &'a Panel,
    origin: (f64, f64),
    size: (f64, f64),
}

impl Frame<'_> {
    fn across(&self, x: f64) -> Option<f64> {
        let share = self.panel.x.position(x)?;
        Some(self.origin.0 + self.size.0 * share.clamp(0.0, 1.0))
    }

    fn up(&self, y: f64) -> Option<f64> {
        let share = self.panel.y.position(y)?;
        Some(self.origin.1 + self.size.1 * (1.0 - share.clamp(0.0, 1.0)))
    }

    fn draw_axes(&self, canvas: &mut Canvas) {
        let (left, top) = self.origin;
        let (right, bottom) = (left + self.size.0, top + self.size.1);
        for (value, label) in self.panel.y.ticks() {
            let Some(y) = self.up(value) else { continue };
            canvas.line((left, y), (right, y), GRID, 0.8, "");
            canvas.text(left - 6.0, y + 4.0, &label, "end", 11.0, false);
        }
        for (value, label) in self.panel.x.ticks() {
            let Some(x) = self.across(value) else { continue };
            canvas.line((x, bottom), (x, bottom + 4.0), AXIS, 1.0, "");
            canvas.text(x, bottom + 17.0, &label, "middle", 11.0, false);
        }
        canvas.line((left, bottom), (right, bottom), AXIS, 1.0, "");
        canvas.line((left, top), (left, bottom), AXIS, 1.0, "");
        canvas.text(
            left + self.size.0 / 2.0,
            bottom + 36.0,
            &self.panel.x.label,
            "middle",
            12.0,
            false,
        );
        canvas.upright_text(left - 50.0, top + self.size.1 / 2.0, &self.panel.y.label, 12.0);
    }

    fn draw_shade(&self, canvas: &mut Canvas) {
        let Some((low, high)) = self.panel.shaded else { return };
        let (Some(left), Some(right)) = (self.across(low), self.across(high)) else { return };
        let (top, bottom) = (self.origin.1, self.origin.1 + self.size.1);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        canvas.area(&corners, colour::GREEN, SHADE);
    }

    fn draw_dividers(&self, canvas: &mut Canvas) {
        let (top, bottom) = (self.origin.1, self.origin.1 + self.size.1);
        for divider in &self.panel.dividers {
            let Some(x) = self.across(divider.x) else { continue };
            canvas.line((x, top), (x, bottom), colour::GREY, 0.8, "2 3");
            canvas.text(x + 4.0, top + 12.0, &divider.label, "start", 11.0, false);
        }
    }

    /// The band over the seeds, where it is wide enough to be visible.
    fn draw_band(&self, canvas: &mut Canvas, series: &Series) {
        let edge = |value: &dyn Fn(&Point) -> f64, point: &Point| {
            // A band that extends below a logarithmic axis ends at its bottom.
            let y = self.up(value(point)).unwrap_or(self.origin.1 + self.size.1);
            Some((self.across(point.x)?, y))
        };
        if series.points.iter().all(|p| p.low == p.high) {
            return;
        }
        let upper = series.points.iter().filter_map(|p| edge(&|p| p.high, p));
        let lower = series.points.iter().rev().filter_map(|p| edge(&|p| p.low, p));
        let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
        canvas.area(&outline, series.style.colour, SHADE);
    }

    fn draw_series(&self, canvas: &mut Canvas, series: &Series) {
        let place = |p: &Point| Some(((self.across(p.x)?, self.up(p.y)?), p.open));
        let marks: Vec<((f64, f64), bool)> = series.points.iter().filter_map(place).collect();
        if series.style.width > 0.0 {
            let places: Vec<(f64, f64)> = marks.iter().map(|mark| mark.0).collect();
            canvas.path(&places, series.style);
        }
        for (at, open) in marks {
            canvas.mark(at, series.style, open);
        }
    }
}
