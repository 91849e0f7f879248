//! The terminal: its width, whether it shows colour, and text laid out to fit.
//!
//! Output to a file or a pipe is never cut, wrapped or coloured.

use std::env;
use std::io::{self, IsTerminal};

use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthStr;

use crate::args::{Colour, Common};

/// The smallest usable width; with less, text runs over.
const NARROWEST: usize = 30;

/// How to print on standard output.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// The number of columns, if it is a terminal.
    pub width: Option<usize>,
    colour: bool,
}

impl Screen {
    /// Standard output, with the options of the flags.
    pub fn stdout(common: &Common) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let width = terminal_size_of(io::stdout())
            .map(|(Width(columns), _)| usize::from(columns).max(NARROWEST));
        let colour = match common.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => is_terminal && colour_is_welcome(),
        };
        Self { width, colour }
    }

    /// A heading.
    pub fn bold(&self, text: &str) -> String {
        self.painted("1", text)
    }

    /// Something less important than the rest.
    pub fn dim(&self, text: &str) -> String {
        self.painted("2", text)
    }

    /// A warning.
    pub fn warning(&self, text: &str) -> String {
        self.painted("33", text)
    }

    fn painted(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Puts words after a margin of `indent` columns, on as many lines as necessary. All lines except the first
    /// begin with the margin.
    pub fn wrapped(&self, words: &[String], indent: usize) -> String {
        let Some(width) = self.width else { return words.join(" ") };
        let mut text = String::new();
        let mut column = indent;
        for word in words {
            let length = word.width();
            if column > indent && column + 1 + length > width {
                text.push('\n');
                text.push_str(&" ".repeat(indent));
                column = indent;
            }
            if column > indent {
                text.push(' ');
                column += 1;
            }
            text.push_str(word);
            column += length;
        }
        text
    }
}

/// <https://no-color.org>: any value but the empty one forbids colour.
fn colour_is_welcome() -> bool {
    let forbidden = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    !forbidden && !dumb
}

/// Text cut to this many columns, with an ellipsis where it was cut.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars() {
        let longer = format!("{shown}{c}");
        if longer.width() + 1 > columns {
            break;
        }
        shown = longer;
    }
    shown + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn screen(width: Option<usize>) -> Screen {
        Screen { width, colour: false }
    }

    #[test]
    fn words_are_wrapped_behind_the_margin_and_left_alone_in_a_pipe() {
        let text = words("gold silver bonds notes");
        assert_eq!(screen(None).wrapped(&text, 4), "gold silver bonds notes");
        assert_eq!(screen(Some(15)).wrapped(&text, 4), "gold silver\n    bonds notes");
        assert_eq!(screen(Some(5)).wrapped(&text, 4), "gold\n    silver\n    bonds\n    notes");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(screen(Some(9)).wrapped(&words("漢字 漢字"), 0), "漢字 漢字");
        assert_eq!(screen(Some(8)).wrapped(&words("漢字 漢字"), 0), "漢字\n漢字");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
    }

    #[test]
    fn text_is_cut_with_an_ellipsis() {
        assert_eq!(cut("navigation", 10), "navigation");
        assert_eq!(cut("navigation", 6), "navig…");
    }

    #[test]
    fn paint_is_only_used_where_it_is_wanted() {
        assert_eq!(screen(None).bold("topic"), "topic");
        assert_eq!(Screen { width: None, colour: true }.bold("a"), "\u{1b}[1ma\u{1b}[0m");
    }
}
