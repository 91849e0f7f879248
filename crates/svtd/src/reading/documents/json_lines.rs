//! JSON Lines: one object per line, one of whose members is the text.
//!
//! The text may also be a list of strings, which are then taken as words. Other members are skipped without being
//! stored; empty lines are skipped too.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::super::members::both_named;
use super::super::source::Source;
use super::{Columns, LONGEST_DOCUMENT, Layout};
use crate::error::Result;
use crate::text::{Batch, Records};

pub(super) struct JsonLines {
    source: Source,
    layout: Layout,
    /// Determined by the first object.
    columns: Option<Columns>,
}

impl JsonLines {
    pub(super) fn new(mut source: Source, layout: Layout) -> Self {
        source.allow_lines_of(LONGEST_DOCUMENT);
        JsonLines { source, layout, columns: None }
    }
}

impl Records for JsonLines {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        loop {
            let taken = match self.source.next_line()? {
                None => return Ok(false),
                Some(line) if line.trim_ascii().is_empty() => continue,
                Some(line) => take(line, &self.layout, &mut self.columns, batch),
            };
            return taken
                .map(|()| true)
                .map_err(|reason| self.source.error_at(self.source.line(), reason));
        }
    }
}

fn take(
    line: &[u8],
    layout: &Layout,
    columns: &mut Option<Columns>,
    batch: &mut Batch,
) -> Result<(), String> {
    let text = layout
        .encoding
        .decode(line)
        .map_err(|error| format!("byte {} is {}", error.offset + 1, error.reason))?;
    if columns.is_none() {
        let object: Map<String, Value> = serde_json::from_str(&text).map_err(|e| broken(&e))?;
        let names: Vec<&str> = object.keys().map(String::as_str).collect();
        *columns = Some(Columns::among(&names, layout)?);
    }
    let Some(columns) = columns else { return Ok(()) };
    let mut parser = serde_json::Deserializer::from_str(&text);
    let picked = Picker(columns).deserialize(&mut parser).map_err(|e| broken(&e))?;
    parser.end().map_err(|e| broken(&e))?;
    picked.push(columns, batch)
}

fn broken(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    format!("expected a JSON object, found something else at character {}: {said}", error.column())
}

/// The members that are needed.
struct Picked {
    text: Vec<Option<Value>>,
    id: Option<Value>,
    label: Option<Value>,
    /// The sentence about a name that two of them have.
    twice: Option<String>,
}

impl Picked {
    fn push(self, columns: &Columns, batch: &mut Batch) -> Result<(), String> {
        if let Some(twice) = self.twice {
            return Err(twice);
        }
        let (name, label) = (self.id.and_then(plain), self.label.and_then(plain));
        let mut parts = Vec::new();
        for (value, column) in self.text.into_iter().zip(&columns.text) {
            match value {
                None => return Err(format!("this object has no {column:?}")),
                Some(Value::Null) => {}
                Some(Value::String(text)) => parts.push(text),
                Some(Value::Array(words)) if columns.text.len() == 1 => {
                    let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
                    let words = words.ok_or_else(|| wrong(column))?;
                    batch.push_words(name, label, words);
                    return Ok(());
                }
                Some(_) => return Err(wrong(column)),
            }
        }
        batch.push(name, label, &parts.join("\n"));
        Ok(())
    }
}

fn wrong(column: &str) -> String {
    format!("{column:?} must be a string or a list of strings")
}

/// A name or label without quotes.
fn plain(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

struct Picker<'a>(&'a Columns);

impl<'de> DeserializeSeed<'de> for Picker<'_> {
    type Value = Picked;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Picked, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Picker<'_> {
    type Value = Picked;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Picked, A::Error> {
        let Columns { text, id, label } = self.0;
        let mut picked =
            Picked { text: vec![None; text.len()], id: None, label: None, twice: None };
        let mut seen: Vec<(usize, String)> = Vec::new();
        let mut n_members = 0;
        while let Some(key) = map.next_key::<String>()? {
            n_members += 1;
            let place = text.iter().position(|column| *column == key);
            let (is_id, is_label) = (id.as_ref() == Some(&key), label.as_ref() == Some(&key));
            if place.is_none() && !is_id && !is_label {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            if let Some((first, _)) = seen.iter().find(|(_, name)| *name == key) {
                picked.twice = Some(both_named("members", *first, n_members, &key));
            }
            let value: Value = map.next_value()?;
            if is_id {
                picked.id = Some(value.clone());
            }
            if is_label {
                picked.label = Some(value.clone());
            }
            if let Some(place) = place {
                picked.text[place] = Some(value);
            }
            seen.push((n_members, key));
        }
        Ok(picked)
    }
}
