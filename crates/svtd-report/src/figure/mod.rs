//! Figures as SVG, written directly: no font, script or address is loaded.
//!
//! A [`Figure`] is a row of [`Panel`]s with one legend. A panel draws [`Series`] over two axes, each with its band
//! over the seeds, or [`Strip`]s: one coloured cell for each document. The colours are those of Okabe and Ito,
//! which people with red-green colour blindness can distinguish; every series also has its own mark and dash.
//!
//! The bytes depend on the numbers alone, so a figure can be compared like any other result.

mod axis;
mod panel;
mod style;
mod svg;

pub use axis::{Axis, Scale};
pub use panel::{Divider, Panel, Point, Series};
pub use style::{Mark, Style, colour};
pub(crate) use svg::{AXIS, GRID, TEXT};
pub use svg::{Canvas, Ground};

/// A row of cells, one for each document.
#[derive(Clone, Debug)]
pub struct Strip {
    /// The label before the row.
    pub name: String,
    /// For each document a label and a colour; `None` leaves the cell white.
    pub cells: Vec<Option<(String, &'static str)>>,
}

/// A figure: panels in rows under one title, or strips.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The title.
    pub title: String,
    /// Pairs of axes.
    pub panels: Vec<Panel>,
    /// Number of panels in a row.
    pub columns: usize,
    /// Width and height of a panel.
    pub size: (f64, f64),
    /// Rows of cells below the panels.
    pub strips: Vec<Strip>,
    /// Labels below the cells: position and text.
    pub strip_labels: Vec<(usize, String)>,
    /// A line below the legend.
    pub note: Option<String>,
}

const TITLE: f64 = 34.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 16.0;
const ABOVE: f64 = 28.0;
const BELOW: f64 = 46.0;
const LEGEND_ROW: f64 = 20.0;
const CELL: f64 = 26.0;
/// Width of a character relative to the font size, rounded up.
const CHARACTER: f64 = 0.58;

impl Figure {
    /// Panels side by side.
    pub fn of_panels(title: impl Into<String>, panels: Vec<Panel>) -> Self {
        let columns = panels.len().clamp(1, 2);
        Self {
            title: title.into(),
            panels,
            columns,
            size: (360.0, 270.0),
            strips: Vec::new(),
            strip_labels: Vec::new(),
            note: None,
        }
    }

    /// The whole figure as one SVG document.
    pub fn to_svg(&self) -> String {
        self.drawn_on(Ground::Paper)
    }

    /// The figure as a part of a page, whose style sheet sets the colours and whose heading replaces the title.
    pub fn in_page(&self) -> String {
        self.drawn_on(Ground::Page)
    }

    fn drawn_on(&self, ground: Ground) -> String {
        let head = if ground == Ground::Paper { TITLE } else { 4.0 };
        let cell = (LEFT + self.size.0 + RIGHT, ABOVE + self.size.1 + BELOW);
        let rows = self.panels.len().div_ceil(self.columns.max(1));
        let width = if self.panels.is_empty() {
            self.strip_left() + self.strip_width() + RIGHT
        } else {
            cell.0 * self.columns as f64
        };
        let legend = self.legend_lines(width);
        let note_top = head + rows as f64 * cell.1 + legend.len() as f64 * LEGEND_ROW;
        let strips_top = note_top + self.note.as_ref().map_or(0.0, |_| LEGEND_ROW);
        let height = strips_top + self.strips_height() + 8.0;
        let mut canvas = Canvas::on(ground, width, height, &self.title);
        if ground == Ground::Paper {
            canvas.text(width / 2.0, 22.0, &self.title, "middle", 15.0, true);
        }
        for (at, panel) in self.panels.iter().enumerate() {
            let (row, column) = (at / self.columns, at % self.columns);
            let origin = (cell.0 * column as f64 + LEFT, head + cell.1 * row as f64 + ABOVE);
            panel.draw(&mut canvas, origin, self.size);
        }
        self.draw_legend(&mut canvas, &legend, head + rows as f64 * cell.1);
        if let Some(note) = &self.note {
            canvas.text(width / 2.0, note_top + 14.0, note, "middle", 12.0, false);
        }
        self.draw_strips(&mut canvas, strips_top);
        canvas.finish()
    }

    /// Names and styles of all series, each once, in lines that fit the width.
    fn legend_lines(&self, width: f64) -> Vec<Vec<(&str, Style)>> {
        let mut seen: Vec<(&str, Style)> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if !seen.iter().any(|(name, _)| *name == series.name) {
                seen.push((&series.name, series.style));
            }
        }
        if seen.len() < 2 {
            return Vec::new();
        }
        let mut lines: Vec<Vec<(&str, Style)>> = vec![Vec::new()];
        let mut used = 0.0;
        for entry in seen {
            let needed = legend_width(entry.0);
            if used + needed > width - 20.0 && used > 0.0 {
                lines.push(Vec::new());
                used = 0.0;
            }
            used += needed;
            if let Some(line) = lines.last_mut() {
                line.push(entry);
            }
        }
        lines
    }

    fn draw_legend(&self, canvas: &mut Canvas, lines: &[Vec<(&str, Style)>], top: f64) {
        for (row, line) in lines.iter().enumerate() {
            let total: f64 = line.iter().map(|(name, _)| legend_width(name)).sum();
            let mut x = (canvas.width() - total) / 2.0;
            let y = top + LEGEND_ROW * (row as f64 + 0.5);
            for (name, style) in line {
                if style.width > 0.0 {
                    canvas.line((x, y), (x + 26.0, y), style.colour, style.width, style.dash);
                }
                canvas.mark((x + 13.0, y), *style, false);
                canvas.text(x + 32.0, y + 4.0, name, "start", 12.0, false);
                x += legend_width(name);
            }
        }
    }

    fn strip_left(&self) -> f64 {
        let longest = self.strips.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
        (12.0 * CHARACTER * longest as f64 + 22.0).max(LEFT)
    }

    fn strip_cell_width(&self) -> f64 {
        if self.panels.is_empty() {
            return 14.0;
        }
        let cells = self.strips.iter().map(|s| s.cells.len()).max().unwrap_or(1).max(1);
        self.size.0 / cells as f64
    }

    fn strip_width(&self) -> f64 {
        let cells = self.strips.iter().map(|s| s.cells.len()).max().unwrap_or(0);
        cells as f64 * self.strip_cell_width()
    }

    fn strips_height(&self) -> f64 {
        let labels = if self.strip_labels.is_empty() { 0.0 } else { 22.0 };
        self.strips.len() as f64 * CELL + labels
    }

    fn draw_strips(&self, canvas: &mut Canvas, top: f64) {
        let left = if self.panels.is_empty() { self.strip_left() } else { LEFT };
        let width = self.strip_cell_width();
        for (row, strip) in self.strips.iter().enumerate() {
            let y = top + row as f64 * CELL;
            canvas.text(left - 8.0, y + 15.0, &strip.name, "end", 12.0, false);
            for (column, cell) in strip.cells.iter().enumerate() {
                let x = left + column as f64 * width;
                let Some((label, fill)) = cell else { continue };
                canvas.rectangle((x, y), (width - 0.6, CELL - 5.0), fill);
                if width >= 9.0 {
                    canvas.light_text(x + width / 2.0, y + 14.5, label, 10.0);
                }
            }
        }
        let bottom = top + self.strips.len() as f64 * CELL;
        for (cell, label) in &self.strip_labels {
            let x = left + *cell as f64 * width;
            canvas.line((x, bottom - 4.0), (x, bottom + 4.0), colour::GREY, 1.0, "");
            canvas.text(x + 2.0, bottom + 14.0, label, "start", 11.0, false);
        }
    }
}

fn legend_width(name: &str) -> f64 {
    32.0 + 12.0 * CHARACTER * name.chars().count() as f64 + 16.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(points: Vec<Point>) -> Figure {
        let series = Series {
            name: "a & b".to_owned(),
            style: Style::line(colour::BLUE, Mark::Disc),
            points,
        };
        let other = Series { name: "<c>".to_owned(), ..series.clone() };
        let panel = Panel {
            title: "left".to_owned(),
            x: Axis::log("documents", 10.0, 1000.0),
            y: Axis::linear("error", 0.0, 1.0),
            series: vec![series, other],
            dividers: Vec::new(),
            shaded: None,
        };
        Figure::of_panels("a figure", vec![panel])
    }

    /// Opening and closing tags pair up and nothing else is in the way of a parser.
    fn assert_well_formed(svg: &str) {
        let mut open = Vec::new();
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            let end = start + rest[start..].find('>').unwrap();
            let tag = &rest[start + 1..end];
            match (tag.strip_prefix('/'), tag.ends_with('/')) {
                (Some(name), _) => assert_eq!(open.pop(), Some(name.to_owned())),
                (None, true) => {}
                (None, false) => open.push(tag.split(' ').next().unwrap().to_owned()),
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{open:?} stay open");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn a_figure_is_well_formed_and_escapes_names() {
        let point = Point { low: 0.4, high: 0.6, ..Point::bare(100.0, 0.5) };
        let svg = figure(vec![point]).to_svg();
        assert_well_formed(&svg);
        assert!(svg.contains("a &amp; b") && svg.contains("&lt;c&gt;"));
        assert!(svg.contains("documents") && svg.contains("error"));
    }

    #[test]
    fn numbers_that_cannot_be_drawn_are_left_out() {
        let odd = [f64::NAN, f64::INFINITY, -1.0, 0.0];
        let points = odd.map(|x| Point { low: f64::NAN, high: f64::INFINITY, ..Point::bare(x, x) });
        assert_well_formed(&figure(points.to_vec()).to_svg());
        assert_well_formed(&figure(Vec::new()).to_svg());
    }

    #[test]
    fn a_logarithmic_axis_puts_a_decade_in_the_middle() {
        let svg = figure(vec![Point::bare(100.0, 0.5)]).to_svg();
        let x = LEFT + 360.0 / 2.0;
        let y = TITLE + ABOVE + 270.0 / 2.0;
        assert!(svg.contains(&format!("cx=\"{x:.1}\" cy=\"{y:.1}\"")), "{svg}");
    }

    #[test]
    fn an_open_mark_is_white_inside_and_a_note_stands_below_the_legend() {
        let mut figure = figure(vec![Point { open: true, ..Point::bare(100.0, 0.5) }]);
        let height = |svg: &str| svg.split("height=\"").nth(1).unwrap()[..3].to_owned();
        let before = figure.to_svg();
        // Two series, each with its mark in the legend and one at its point.
        assert_eq!(before.matches("<circle").count(), 4);
        assert_eq!(before.matches("r=\"3\" fill=\"#FFFFFF\"").count(), 2);
        figure.note = Some("open < full".to_owned());
        let noted = figure.to_svg();
        assert_well_formed(&noted);
        assert!(noted.contains("open &lt; full") && height(&noted) != height(&before));
    }

    #[test]
    fn strips_have_a_cell_for_each_document_with_a_cluster() {
        let mut figure = figure(Vec::new());
        figure.panels.clear();
        let cell = |j: usize| (j != 1).then(|| ("1".to_owned(), colour::BLUE));
        figure.strips = vec![Strip { name: "paper".to_owned(), cells: (0..5).map(cell).collect() }];
        figure.strip_labels = vec![(0, "1945".to_owned())];
        let svg = figure.to_svg();
        assert_well_formed(&svg);
        assert_eq!(svg.matches(&format!("fill=\"{}\"", colour::BLUE)).count(), 4);
    }

    #[test]
    fn in_a_page_colours_are_those_of_its_style_sheet() {
        let mut figure = figure(vec![Point { low: 0.4, high: 0.6, ..Point::bare(100.0, 0.5) }]);
        figure.panels[0].shaded = Some((50.0, 200.0));
        let svg = figure.in_page();
        assert_well_formed(&svg);
        assert!(svg.contains("var(--blue)") && svg.contains("var(--text)"));
        assert!(!svg.contains('#'), "{svg}");
        assert!(svg.contains("<title>a figure</title>"));
    }

    #[test]
    fn the_same_numbers_give_the_same_bytes() {
        let points = vec![Point::bare(100.0, 0.1 + 0.2)];
        assert_eq!(figure(points.clone()).to_svg(), figure(points).to_svg());
    }
}
