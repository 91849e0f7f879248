//! Tables of results: one value, shown as CSV, JSON, Markdown and HTML.
//!
//! Files contain numbers in full, so that they read back to the same bits; reports show four digits.

use std::fmt::Write;

use serde_json::{Map, Value};

use svtd_report::escape;

/// The content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// A mean and its standard error.
    Mean(f64, f64),
    /// Nothing was measured.
    Empty,
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

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Cell::Number(value)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Cell::Whole(value as u64)
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Cell::Empty, Cell::Number)
    }
}

impl Cell {
    /// The cell as text for a reader.
    pub fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(value) => four_digits(*value),
            Cell::Whole(value) => value.to_string(),
            Cell::Mean(mean, error) => format!("{} ± {}", four_digits(*mean), two_digits(*error)),
            Cell::Empty => "–".to_owned(),
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Cell::Text(_))
    }

    fn csv(&self) -> String {
        match self {
            Cell::Text(text) if text.contains([',', '"', '\n', '\r']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Cell::Text(text) => text.clone(),
            // `{:?}` uses an exponent for tiny numbers where `{}` writes all their zeros.
            Cell::Number(value) | Cell::Mean(value, _) => format!("{value:?}"),
            Cell::Whole(value) => value.to_string(),
            Cell::Empty => String::new(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Text(text) => Value::from(text.as_str()),
            Cell::Number(value) => Value::from(*value),
            Cell::Whole(value) => Value::from(*value),
            Cell::Mean(mean, error) => serde_json::json!({ "mean": mean, "error": error }),
            Cell::Empty => Value::Null,
        }
    }
}

/// A number to four significant digits.
pub fn four_digits(value: f64) -> String {
    digits(value, 4)
}

fn two_digits(value: f64) -> String {
    digits(value, 2)
}

fn digits(value: f64, significant: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let power = value.abs().log10().floor() as i32;
    if (-4..6).contains(&power) {
        format!("{value:.*}", (significant - 1 - power).max(0) as usize)
    } else {
        format!("{value:.*e}", (significant - 1) as usize)
    }
}

/// Rows with a header.
#[derive(Clone, Debug)]
pub struct Table {
    /// What the table shows.
    pub caption: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows, with as many cells as there are column names.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table.
    pub fn new(caption: impl Into<String>, head: &[&str]) -> Self {
        let head = head.iter().map(|&name| name.to_owned()).collect();
        Self { caption: caption.into(), head, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.head.len(), "{}", self.caption);
        self.rows.push(row);
    }

    /// Comma-separated values.
    pub fn to_csv(&self) -> String {
        let mut csv = self.head.join(",");
        csv.push('\n');
        for row in &self.rows {
            csv.push_str(&row.iter().map(Cell::csv).collect::<Vec<_>>().join(","));
            csv.push('\n');
        }
        csv
    }

    /// A list of objects, one for each row.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let pairs = self.head.iter().cloned().zip(row.iter().map(Cell::json));
            Value::Object(pairs.collect::<Map<_, _>>())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }

    /// A GitHub Markdown table; numbers are right-aligned.
    pub fn to_markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.head.iter().map(|name| in_markdown(name)).collect());
        let ruler = |j| if self.is_text(j) { "---" } else { "--:" }.to_owned();
        text.push_str(&line((0..self.head.len()).map(ruler).collect()));
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|c| in_markdown(&c.shown())).collect()));
        }
        text
    }

    /// An HTML table.
    pub fn to_html(&self) -> String {
        let mut html = format!(
            "<div class=\"scroll\"><table>\n<caption>{}</caption>\n<tr>",
            escape(&self.caption)
        );
        for name in &self.head {
            // Writing to a string does not fail, here and below.
            let _ = write!(html, "<th>{}</th>", escape(name));
        }
        html.push_str("</tr>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for (j, cell) in row.iter().enumerate() {
                let class = if self.is_text(j) { "" } else { " class=\"n\"" };
                let _ = write!(html, "<td{class}>{}</td>", escape(&cell.shown()));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</table></div>\n");
        html
    }

    fn is_text(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row[column].is_text())
    }
}

/// Text that cannot end a cell of a Markdown table.
fn in_markdown(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("a < b", &["method", "L1", "n"]);
        table.push(vec!["a|b, \"c\"".into(), (0.1 + 0.2).into(), 5_usize.into()]);
        table.push(vec!["<d>".into(), Cell::Mean(1234.5678, 0.012), Cell::Empty]);
        table
    }

    #[test]
    fn a_csv_reads_back_to_the_same_bits() {
        let csv = table().to_csv();
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some("method,L1,n"));
        assert_eq!(lines.next(), Some("\"a|b, \"\"c\"\"\",0.30000000000000004,5"));
        assert_eq!(lines.next(), Some("<d>,1234.5678,"));
    }

    #[test]
    fn markdown_and_html_escape_what_would_break_them() {
        let markdown = table().to_markdown();
        assert!(markdown.contains("| a\\|b, \"c\" | 0.3000 | 5 |"), "{markdown}");
        assert!(markdown.contains("| --- | --: | --: |"));
        let html = table().to_html();
        assert!(html.contains("<caption>a &lt; b</caption>") && html.contains("&lt;d&gt;"));
        assert!(html.contains("1235 ± 0.012"));
    }

    #[test]
    fn json_has_an_object_for_each_row() {
        let json = table().to_json();
        assert_eq!(json[0]["n"], 5);
        assert_eq!(json[0]["L1"].as_f64(), Some(0.1 + 0.2));
        assert!(json[1]["n"].is_null());
        assert_eq!(json[1]["L1"]["error"], 0.012);
    }

    #[test]
    fn numbers_are_shown_to_four_digits() {
        let shown = [0.0, 9.751e-4, 0.27, 123_456.0, 1e-9, 12.3456].map(four_digits);
        assert_eq!(shown, ["0", "0.0009751", "0.2700", "123456", "1.000e-9", "12.35"]);
    }
}
