//! The figures of a page, each with the table of its numbers.

mod map;
mod shares;
mod sweep;
mod tree;

pub use self::map::map;
pub use self::shares::{label_figure, shares_table, time_figure};
pub use self::sweep::{
    directions_figure, found_figure, prediction_figure, spectrum_figure, sweep_table,
};
pub use self::tree::tree;

use crate::figure::colour;

/// Colours of topics. They are never the only sign: a topic also has its number.
const TOPIC_COLOURS: [&str; 6] =
    [colour::BLUE, colour::VERMILION, colour::GREEN, colour::PURPLE, colour::ORANGE, colour::SKY];

/// The colour of topic `j`.
pub fn topic_colour(j: usize) -> &'static str {
    TOPIC_COLOURS[j % TOPIC_COLOURS.len()]
}

/// Text cut to a number of characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at].trim_end()),
        None => text.to_owned(),
    }
}
