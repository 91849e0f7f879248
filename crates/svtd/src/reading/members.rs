//! The members of a JSON object. Two members of the same name are an error.
//!
//! A map would silently keep the last of them.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

/// Names and values, sorted by name.
pub(crate) struct Members(pub(crate) Vec<(String, Value)>);

/// The error message for two columns or members, counted from 1, of the same name.
pub(crate) fn both_named(places: &str, first: usize, second: usize, name: &str) -> String {
    format!("{places} {first} and {second} are both named {name:?}; rename one")
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OnlyOnce)
    }
}

struct OnlyOnce;

impl<'de> Visitor<'de> for OnlyOnce {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members: Vec<(String, Value)> = Vec::new();
        let mut places = HashMap::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            let place = members.len() + 1;
            if let Some(first) = places.insert(name.clone(), place) {
                return Err(A::Error::custom(both_named("members", first, place, &name)));
            }
            members.push((name, value));
        }
        members.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Members(members))
    }
}
