//! The elements of an SVG, one method each, with the numbers rounded to a tenth of a pixel.
//!
//! A canvas is either a separate white file or a part of a page, whose style sheet then sets the colours: a colour
//! becomes the custom property of its name, so that one drawing serves light and dark mode.

use std::fmt::Write;

use std::borrow::Cow;

use super::{Mark, Style, colour};
use crate::html::escape;

/// The colours of text, axes and grid lines; and the background.
pub const TEXT: &str = "#222222";
pub const AXIS: &str = "#444444";
pub const GRID: &str = "#E4E4E4";
pub const WHITE: &str = "#FFFFFF";

/// What a drawing is drawn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A separate white file.
    Paper,
    /// A page with a style sheet.
    Page,
}

/// A page that elements are added to.
pub struct Canvas {
    width: f64,
    ground: Ground,
    body: String,
}

impl Canvas {
    /// A drawing with a title for screen readers.
    pub fn on(ground: Ground, width: f64, height: f64, title: &str) -> Self {
        match ground {
            Ground::Paper => Self::new(width, height, title),
            Ground::Page => Self::in_page(width, height, title),
        }
    }

    /// A part of a page; `title` states what it shows.
    pub fn in_page(width: f64, height: f64, title: &str) -> Self {
        let body = format!(
            "<svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\">\n<title>{}</title>\n",
            escape(title)
        );
        Self { width, ground: Ground::Page, body }
    }

    /// A white page with a title for screen readers.
    fn new(width: f64, height: f64, title: &str) -> Self {
        let mut body = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" \
             font-family=\"Helvetica, Arial, sans-serif\">\n<title>{}</title>\n",
            escape(title)
        );
        body.push_str("<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n");
        Self { width, ground: Ground::Paper, body }
    }

    /// The colour for this background, for elements written by hand.
    pub fn colour(&self, wanted: &str) -> String {
        self.ink(wanted).into_owned()
    }

    /// The colour for this background.
    fn ink<'c>(&self, wanted: &'c str) -> Cow<'c, str> {
        let property = match wanted {
            _ if self.ground == Ground::Paper => return Cow::Borrowed(wanted),
            colour::BLUE => "blue",
            colour::VERMILION => "vermilion",
            colour::GREEN => "green",
            colour::ORANGE => "orange",
            colour::SKY => "sky",
            colour::PURPLE => "purple",
            colour::GREY => "grey",
            colour::BLACK | TEXT => "text",
            WHITE => "surface",
            GRID => "line",
            AXIS => "muted",
            _ => return Cow::Borrowed(wanted),
        };
        Cow::Owned(format!("var(--{property})"))
    }

    /// The width of the page.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// The document.
    pub fn finish(mut self) -> String {
        self.body.push_str("</svg>\n");
        self.body
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64, dash: &str) {
        let colour = self.ink(colour);
        self.element(&format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"{}/>",
            from.0,
            from.1,
            to.0,
            to.1,
            dashes(dash)
        ));
    }

    /// A line through points.
    pub fn path(&mut self, places: &[(f64, f64)], style: Style) {
        if places.len() > 1 {
            let colour = self.ink(style.colour);
            self.element(&format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" \
                 stroke-linejoin=\"round\"{}/>",
                listed(places),
                colour,
                style.width,
                dashes(style.dash)
            ));
        }
    }

    /// A filled translucent area.
    pub fn area(&mut self, outline: &[(f64, f64)], colour: &str, opacity: f64) {
        if outline.len() > 2 {
            let colour = self.ink(colour);
            self.element(&format!(
                "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"{opacity}\" stroke=\"none\"/>",
                listed(outline)
            ));
        }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), colour: &str) {
        let colour = self.ink(colour);
        self.element(&format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
            at.0, at.1, size.0, size.1
        ));
    }

    /// A text; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, x: f64, y: f64, text: &str, anchor: &str, size: f64, bold: bool) {
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        let colour = self.ink(TEXT);
        self.element(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
             fill=\"{colour}\"{weight}>{}</text>",
            escape(text)
        ));
    }

    /// A white text, centred, for coloured cells.
    pub fn light_text(&mut self, x: f64, y: f64, text: &str, size: f64) {
        self.element(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"middle\" \
             fill=\"#FFFFFF\" font-weight=\"bold\">{}</text>",
            escape(text)
        ));
    }

    /// A text that reads upwards, centred.
    pub fn upright_text(&mut self, x: f64, y: f64, text: &str, size: f64) {
        let colour = self.ink(TEXT);
        self.element(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"middle\" \
             fill=\"{colour}\" transform=\"rotate(-90 {x:.1} {y:.1})\">{}</text>",
            escape(text)
        ));
    }

    /// The mark of a series at a point, filled or open.
    pub fn mark(&mut self, (x, y): (f64, f64), style: Style, open: bool) {
        let (colour, white) = (self.ink(style.colour), self.ink(WHITE));
        let outlined = format!("fill=\"{white}\" stroke=\"{colour}\" stroke-width=\"1.4\"");
        let ink = if open { outlined.clone() } else { format!("fill=\"{colour}\"") };
        let polygon = |corners: &[(f64, f64)]| {
            let moved: Vec<(f64, f64)> = corners.iter().map(|(a, b)| (x + a, y + b)).collect();
            format!("<polygon points=\"{}\" {ink}/>", listed(&moved))
        };
        let element = match style.mark {
            Mark::None => return,
            Mark::Disc => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" {ink}/>"),
            Mark::Ring => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.8\" {outlined}/>"),
            Mark::Square => polygon(&[(-2.8, -2.8), (2.8, -2.8), (2.8, 2.8), (-2.8, 2.8)]),
            Mark::Diamond => polygon(&[(0.0, -4.2), (4.2, 0.0), (0.0, 4.2), (-4.2, 0.0)]),
            Mark::Triangle => polygon(&[(0.0, -3.8), (3.6, 2.8), (-3.6, 2.8)]),
            Mark::Down => polygon(&[(0.0, 3.8), (3.6, -2.8), (-3.6, -2.8)]),
            Mark::Cross => format!(
                "<path d=\"M{:.1} {:.1}l6 6m0 -6l-6 6\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
                x - 3.0,
                y - 3.0
            ),
        };
        self.element(&element);
    }

    /// Adds an element unchanged; its content must be escaped.
    pub fn element(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }
}

fn dashes(dash: &str) -> String {
    if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") }
}

fn listed(places: &[(f64, f64)]) -> String {
    let mut list = String::new();
    for (x, y) in places {
        // Writing to a string cannot fail.
        let _ = write!(list, "{}{x:.1},{y:.1}", if list.is_empty() { "" } else { " " });
    }
    list
}
