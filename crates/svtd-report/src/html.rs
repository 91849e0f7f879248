//! Makes text written by others safe for a page.

use std::borrow::Cow;
use std::fmt::Write;

/// Text escaped for HTML and SVG.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// JSON escaped for a script element: nothing in it can end the element, open a comment, or end a line where a
/// script would not expect it.
pub fn in_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            // In JSON these occur only inside strings, where an escape means the same.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(safe, "\\u{:04x}", letter as u32);
            }
            _ => safe.push(letter),
        }
    }
    safe
}

/// Replaces a character that cannot be shown.
const UNSHOWN: char = '\u{fffd}';

/// Text that can be shown: control characters, line separators, and characters that change the direction of writing
/// are replaced; text longer than `most` characters is cut.
pub fn shown(text: &str, most: usize) -> Cow<'_, str> {
    let odd = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff9}'..='\u{fffb}' | '\u{feff}')
    };
    let cut = text.char_indices().nth(most).map(|(at, _)| at);
    if cut.is_none() && !text.contains(odd) {
        return Cow::Borrowed(text);
    }
    let kept = &text[..cut.unwrap_or(text.len())];
    let mut shown: String = kept.chars().map(|c| if odd(c) { UNSHOWN } else { c }).collect();
    if cut.is_some() {
        shown.push('…');
    }
    Cow::Owned(shown)
}

/// A table with a caption that contains the numbers of a figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it contains.
    pub caption: String,
    /// The file it is saved as, without ending.
    pub file: String,
    /// The column headers.
    pub head: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Text, possibly written by others.
    Text(String),
    /// A number as it is shown.
    Number(String),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Cell::Number(number.to_string())
    }
}

impl Cell {
    /// A share in percent.
    pub fn percent(share: f64) -> Self {
        Cell::Number(percent(share))
    }

    /// A number with `places` decimals, or a dash.
    pub fn real(value: Option<f64>, places: usize) -> Self {
        Cell::Number(value.map_or("–".to_owned(), |value| format!("{value:.places$}")))
    }
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

impl Table {
    /// A table without rows.
    pub fn new(file: &str, caption: impl Into<String>, head: &[&str]) -> Self {
        let head = head.iter().map(|h| (*h).to_owned()).collect();
        Self { caption: caption.into(), file: file.to_owned(), head, rows: Vec::new() }
    }

    /// The table, folded under its caption, with space for the buttons that copy and save it.
    pub fn folded(&self) -> String {
        format!(
            "<details class=\"numbers\"><summary>{}</summary>{}</details>\n",
            escape(&self.caption),
            self.to_html()
        )
    }

    /// The table alone. A scrolling region can be reached by the keyboard.
    pub fn to_html(&self) -> String {
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table \
             data-file=\"{1}\"><caption class=\"unseen\">{0}</caption><thead><tr>",
            escape(&self.caption),
            escape(&self.file)
        );
        for head in &self.head {
            let _ = write!(html, "<th scope=\"col\">{}</th>", escape(head));
        }
        html.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for cell in row {
                let _ = match cell {
                    Cell::Text(text) => write!(html, "<td><bdi>{}</bdi></td>", escape(text)),
                    Cell::Number(text) => write!(html, "<td class=\"n\">{}</td>", escape(text)),
                };
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>");
        html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_escaped_can_open_or_close_an_element() {
        let hostile = "</script><img src=x onerror=alert(1)>'\"&";
        assert!(!escape(hostile).contains(['<', '>', '"', '\'']));
        let json = serde_json::to_string("</script>\u{2028}<!--&").unwrap();
        let safe = in_script(&json);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script>\u{2028}<!--&");
    }

    #[test]
    fn controls_and_turns_of_direction_are_replaced_and_monsters_cut() {
        assert_eq!(shown("a\0b\u{202e}c\u{2066}", 10), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(shown("a\nb\tc", 10), "a\nb\tc");
        assert_eq!(shown(&"x".repeat(100_000), 5), "xxxxx…");
        assert_eq!(shown("שלום 世界 e\u{301}", 40), "שלום 世界 e\u{301}");
    }

    #[test]
    fn a_table_says_what_it_holds() {
        let mut table = Table::new("a", "Shares <of> all", &["topic", "share"]);
        table.rows.push(vec![1_usize.into(), Cell::percent(0.123_4)]);
        let html = table.folded();
        assert!(html.contains("Shares &lt;of&gt; all") && html.contains(">12.3 %</td>"));
        assert!(html.contains("scope=\"col\""));
    }
}
