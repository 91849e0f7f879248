//! The style of a series: colour, mark and dash.

/// The colours of Okabe and Ito, without yellow, which is hard to see on white; plus grey and black.
pub mod colour {
    /// Blue.
    pub const BLUE: &str = "#0072B2";
    /// Vermilion.
    pub const VERMILION: &str = "#D55E00";
    /// Bluish green.
    pub const GREEN: &str = "#009E73";
    /// Orange.
    pub const ORANGE: &str = "#E69F00";
    /// Sky blue.
    pub const SKY: &str = "#56B4E9";
    /// Reddish purple.
    pub const PURPLE: &str = "#CC79A7";
    /// Grey.
    pub const GREY: &str = "#7F7F7F";
    /// Black.
    pub const BLACK: &str = "#000000";
}

/// The mark at each point of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A disc.
    Disc,
    /// A ring.
    Ring,
    /// A square.
    Square,
    /// A diamond.
    Diamond,
    /// A triangle that points up.
    Triangle,
    /// A triangle that points down.
    Down,
    /// A cross.
    Cross,
    /// Nothing.
    None,
}

/// The style of a series, the same in every figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// The colour.
    pub colour: &'static str,
    /// The mark at each point.
    pub mark: Mark,
    /// The dash pattern of the line; empty for a solid line.
    pub dash: &'static str,
    /// The width of the line; zero for points only.
    pub width: f64,
}

impl Style {
    /// A solid line with a mark.
    pub const fn line(colour: &'static str, mark: Mark) -> Self {
        Self { colour, mark, dash: "", width: 1.6 }
    }

    /// A dashed line with a mark.
    pub const fn dashed(colour: &'static str, mark: Mark) -> Self {
        Self { colour, mark, dash: "5 3", width: 1.6 }
    }
}
