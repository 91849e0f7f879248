//! The text of pages: the visible text of HTML, and the characters of XML.
//!
//! Tags are found by `html5gum`, a package that follows the standard's tokenizer and decodes entities. Nothing is
//! rendered and no style sheet is read: hidden is what is never shown (scripts, styles, the head, templates), what
//! is marked so (`hidden`, `aria-hidden`, `display: none`), and what only replaces something else (`noscript`). A
//! block element ends a line; other tags neither join nor separate words.

use std::borrow::Cow;

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

/// Elements whose content is never shown.
const NEVER_SHOWN: [&str; 11] = [
    "script", "style", "head", "template", "noscript", "iframe", "object", "svg", "math", "select",
    "datalist",
];

/// Elements without an end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Elements that end where the next of their kind begins.
const ENDED_BY_THE_NEXT: [&str; 7] = ["p", "li", "dt", "dd", "td", "th", "tr"];

/// Elements within a line, which do not separate words.
const INLINE: [&str; 29] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup",
    "time", "u", "var",
];

/// The visible text of a page.
pub(super) fn visible(html: &str) -> String {
    let mut emitter = DefaultEmitter::<()>::default();
    // Scripts and styles contain no tags, whatever they look like.
    emitter.naively_switch_states(true);
    let mut page = Page::default();
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => page.start(&tag),
            Token::EndTag(tag) => page.end(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => page.text(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    page.shown
}

/// The visible text so far.
#[derive(Default)]
struct Page {
    shown: String,
    /// The element that hides its content, and how many elements of its kind are open inside it.
    hidden: Option<(String, usize)>,
}

impl Page {
    fn start(&mut self, tag: &StartTag<()>) {
        let name = String::from_utf8_lossy(&tag.name);
        let void = tag.self_closing || VOID.contains(&&*name);
        if self.hidden.as_ref().is_some_and(|(hiding, _)| *hiding == name)
            && ENDED_BY_THE_NEXT.contains(&&*name)
        {
            self.hidden = None;
        }
        if let Some((hiding, depth)) = &mut self.hidden {
            *depth += usize::from(*hiding == name && !void);
            return;
        }
        if !void && (NEVER_SHOWN.contains(&&*name) || hides_itself(tag)) {
            self.hidden = Some((name.into_owned(), 1));
        } else if !INLINE.contains(&&*name) {
            self.part();
        }
    }

    fn end(&mut self, name: &str) {
        if let Some((hiding, depth)) = &mut self.hidden {
            *depth -= usize::from(hiding == name);
            if *depth == 0 {
                self.hidden = None;
            }
        } else if !INLINE.contains(&name) {
            self.part();
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden.is_none() {
            self.shown.push_str(text);
        }
    }

    fn part(&mut self) {
        if !self.shown.is_empty() && !self.shown.ends_with('\n') {
            self.shown.push('\n');
        }
    }
}

/// Whether an element is marked as hidden.
fn hides_itself(tag: &StartTag<()>) -> bool {
    let value = |name: &str| {
        let found = tag.attributes.iter().find(|(key, _)| key.as_slice() == name.as_bytes());
        found.map(|(_, value)| String::from_utf8_lossy(value).to_lowercase())
    };
    let style: String = value("style").unwrap_or_default().split_whitespace().collect();
    value("hidden").is_some()
        || value("aria-hidden").is_some_and(|value| value == "true")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

/// XML in which CDATA sections (`<![CDATA[...]]>`), which HTML does not have, are escaped.
fn escaped_sections(text: &str) -> Cow<'_, str> {
    if !text.contains("<![CDATA[") {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split("<![CDATA[");
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (inner, rest) = piece.split_once("]]>").unwrap_or((piece, ""));
        whole.push_str(&inner.replace('&', "&amp;").replace('<', "&lt;"));
        whole.push_str(rest);
    }
    Cow::Owned(whole)
}

/// The events in a piece of XML, in order.
pub(super) enum Event<'a> {
    /// A start tag with its attributes; the name in lower case, including its prefix.
    Start(&'a str, &'a dyn Fn(&str) -> Option<String>),
    End(&'a str),
    Text(&'a str),
}

/// Parses XML. A self-closing tag gives a start and an end.
pub(super) fn xml(text: &str, mut each: impl FnMut(Event<'_>)) {
    for Ok(token) in Tokenizer::new(&*escaped_sections(text)) {
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                let value = |name: &str| {
                    let found = tag
                        .attributes
                        .iter()
                        .find(|(key, _)| key.as_slice().eq_ignore_ascii_case(name.as_bytes()));
                    found.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
                };
                each(Event::Start(&name, &value));
                if tag.self_closing {
                    each(Event::End(&name));
                }
            }
            Token::EndTag(tag) => each(Event::End(&String::from_utf8_lossy(&tag.name))),
            Token::String(text) => each(Event::Text(&String::from_utf8_lossy(&text))),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(html: &str) -> String {
        visible(html).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_what_is_seen_is_text() {
        let page = "<!DOCTYPE html><html><head><title>no</title><style>p { no: no }</style></head>\
            <body><h1>One</h1><script>if (a < b) no('<p>no</p>')</script><p>two<b>three</b> four\
            <!-- no --><p hidden>no<p>and</p><div style='display : none'>no<div>no</div>no</div>\
            <span aria-hidden=true>no</span>five<br>six<noscript>no</noscript><template>no</template>\
            <ul><li>seven<li>eight</ul></body></html>";
        assert_eq!(words(page), "One twothree four and five six seven eight");
    }

    #[test]
    fn entities_are_characters() {
        assert_eq!(words("caf&eacute; &amp; th&#233;&nbsp;&#x2014; &lt;b&gt;"), "café & thé — <b>");
    }

    #[test]
    fn broken_pages_are_read_as_far_as_they_go() {
        assert_eq!(words("<p>one<div>two</p></b>three<a href='"), "one two three");
        assert_eq!(words("one <script>no"), "one");
        assert_eq!(words(""), "");
    }

    #[test]
    fn xml_is_told_in_turn() {
        let mut events = String::new();
        xml("<?xml version='1.0'?><W:p a='1&amp;2'>x&lt;<tab/><![CDATA[<y>]]></W:p>", |event| {
            events.push_str(&match event {
                Event::Start(name, value) => format!("({name} {:?}", value("A")),
                Event::End(name) => format!("{name})"),
                Event::Text(text) => format!("[{text}]"),
            });
        });
        assert_eq!(events, "(w:p Some(\"1&2\")[x<](tab Nonetab)[<y>]w:p)");
    }
}
