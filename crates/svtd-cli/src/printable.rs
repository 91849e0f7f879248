//! Names and words for printing: on one line, without control characters.

use std::fmt::Write as _;

/// A name or word that is safe for a terminal.
pub fn printable(text: &str) -> String {
    replaced(text, upsets_a_terminal)
}

/// A name or word that fits on one line of a file: everything that a program may take for the end of a line becomes
/// an escape such as `\n`.
pub fn on_one_line(text: &str) -> String {
    replaced(text, ends_a_line)
}

/// A word without blanks.
pub fn without_blanks(text: &str) -> String {
    text.replace(|c: char| c.is_whitespace() || ends_a_line(c), "_")
}

fn replaced(text: &str, is_bad: fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_bad(c) {
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Control characters, line and paragraph separators, and characters that change the direction of writing: they can
/// erase what was printed, colour what follows, or show a name backwards.
pub fn upsets_a_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whether some program takes the character for the end of a line.
fn ends_a_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_upsets_a_terminal_reaches_it() {
        assert_eq!(printable("a\n\u{1b}[2J"), "a\\n\\u{1b}[2J");
        assert_eq!(
            printable("gpj.\u{202e}exe \u{2066}x\u{2069}"),
            "gpj.\\u{202e}exe \\u{2066}x\\u{2069}"
        );
        assert_eq!(printable("naïve 漢字 ✓"), "naïve 漢字 ✓");
    }

    #[test]
    fn a_word_stays_on_its_line() {
        assert_eq!(on_one_line("new\nline\u{2028}"), "new\\nline\\u{2028}");
        assert_eq!(on_one_line("tab\tstays"), "tab\tstays");
        assert_eq!(without_blanks("new york\tcity\n"), "new_york_city_");
    }
}
