//! A context as one HTML file.
//!
//! Everything that must be readable without a script is in the page as text, tables and SVG; the script adds what
//! needs interaction. The policy in the page's head allows only the hashes of its own style and script, so nothing
//! written by others can run or be loaded.

mod data;
mod sections;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::context::Context;
use crate::html::{escape, in_script};
use crate::pack;

const PAGE: &str = include_str!("../page.html");
const SCRIPT: &str = include_str!("../page.js");

/// The style sheet of all our pages.
pub const STYLE: &str = include_str!("../page.css");

/// The page.
pub fn page(context: &Context) -> String {
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; \
         base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    let names: Vec<Option<&str>> = context.topics.iter().map(|t| t.name.as_deref()).collect();
    let state = json!({ "names": names }).to_string();
    let data = data::of(context).to_string();
    filled(
        PAGE,
        &[
            ("policy", &policy),
            ("title", &escape(&context.title)),
            ("style", STYLE),
            ("body", &sections::body(context)),
            ("state", &in_script(&state)),
            ("data", &pack::element(&data)),
            ("script", SCRIPT),
        ],
    )
}

fn hash(text: &str) -> String {
    pack::base64(&Sha256::digest(text.as_bytes()))
}

/// Fills the placeholders of a template, each once and from left to right. Inserted text is not searched again, so
/// no text can act as a placeholder.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let Some((name, behind)) = after.split_once("}}") else { break };
        let value = values.iter().find(|(known, _)| *known == name);
        page.push_str(value.map_or("", |(_, value)| value));
        rest = behind;
    }
    page.push_str(rest);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let page = filled("<{{a}}|{{b}}>", &[("a", "{{b}}"), ("b", "x")]);
        assert_eq!(page, "<{{b}}|x>");
    }

    #[test]
    fn style_and_script_cannot_end_their_elements_and_fetch_nothing() {
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
        for fetched in [
            "fetch(",
            "XMLHttpRequest",
            "import(",
            "innerHTML",
            "eval(",
            "WebSocket",
            "@import",
            "url(",
        ] {
            assert!(!SCRIPT.contains(fetched) && !STYLE.contains(fetched), "{fetched}");
        }
        assert!(SCRIPT.len() < 40_000, "{} bytes", SCRIPT.len());
    }

    /// Relative luminance, as the accessibility guidelines define it.
    fn luminance(hex: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_stands_out_of_its_ground_in_light_and_dark() {
        let (light, rest) = STYLE.split_once("prefers-color-scheme: dark").unwrap();
        let dark = rest.split_once("* {").unwrap().0;
        for block in [light, dark] {
            let value = |name: &str| {
                let (_, after) =
                    block.split_once(&format!("--{name}: ")).unwrap_or_else(|| panic!("{name}"));
                after[..7].to_owned()
            };
            for ground in ["ground", "surface"] {
                for ink in ["blue", "vermilion", "green", "purple", "orange", "sky", "grey", "edge"]
                {
                    let found = contrast(&value(ink), &value(ground));
                    assert!(found >= 3.0, "{ink} on {ground}: {found:.2}");
                }
                for text in ["text", "muted", "link", "good", "warn"] {
                    let found = contrast(&value(text), &value(ground));
                    assert!(found >= 4.5, "{text} on {ground}: {found:.2}");
                }
            }
        }
    }
}
