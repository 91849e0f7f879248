//! JSON output: every document names its schema.
//!
//! The member `schema` is `svtd/NAME/VERSION`; `docs/schemas/NAME.json` describes it. Members may be added within a
//! version; removing one or changing its meaning makes a new version. Control characters are escaped, which means
//! the same to every reader.

use std::fmt::Write as _;

use serde_json::Value;

use crate::printable::upsets_a_terminal;

/// The version of all schemas.
const VERSION: u32 = 1;

/// A JSON document on several lines.
pub fn document(schema: &str, value: Value) -> String {
    escaped(&format!("{:#}", marked(schema, value)))
}

/// A JSON document on one line.
pub fn line(schema: &str, value: Value) -> String {
    escaped(&marked(schema, value).to_string())
}

fn marked(schema: &str, mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.insert("schema".to_owned(), format!("svtd/{schema}/{VERSION}").into());
    }
    value
}

/// The text with every control character escaped; line ends occur only between members and are kept.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if upsets_a_terminal(c) && c != '\n' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_says_its_schema_and_keeps_its_meaning() {
        let value = json!({ "name": "a\u{202e}b\u{1b}c\u{7f}\u{2028}" });
        let text = document("topics", value.clone());
        assert!(text.chars().all(|c| c == '\n' || !upsets_a_terminal(c)), "{text:?}");
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["name"], value["name"]);
        assert_eq!(read["schema"], "svtd/topics/1");
        assert_eq!(line("topics", value).lines().count(), 1);
    }
}
