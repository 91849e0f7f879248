//! Documents of word processors and electronic books: zip archives of XML.
//!
//! ```text
//! .docx   word/document.xml, and its footnotes and endnotes: what stands in <w:t>
//! .odt    content.xml: the characters of the body, without comments and struck changes
//! .epub   META-INF/container.xml -> the package -> the pages of its spine, in their order
//! ```
//!
//! A small archive can be made to unpack without end, so no part may unpack to more than [`FREE`] bytes or
//! [`RATIO`] times the size of the archive.

use std::io::Cursor;
use std::sync::Arc;

use super::super::zip::Archive;
use super::markup::{self, Event};

/// Bytes to which a part of any archive may unpack.
const FREE: u64 = 64 << 20;
/// Beyond that, the largest ratio of unpacked size to archive size.
const RATIO: u64 = 300;

/// An archive in memory.
pub(in super::super) struct Office {
    archive: Archive<Cursor<Arc<[u8]>>>,
    most: u64,
}

/// The kind of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Docx,
    Odt,
    Epub,
    Xlsx,
}

impl Office {
    /// Reads the directory of an archive.
    pub(in super::super) fn open(bytes: &[u8]) -> Result<Self, String> {
        let most = (bytes.len() as u64).saturating_mul(RATIO).saturating_add(FREE);
        let archive = Archive::open(Cursor::new(Arc::from(bytes)))?;
        Ok(Office { archive, most })
    }

    /// The kind of the archive, judging by its members.
    pub(in super::super) fn kind(&self) -> Option<Kind> {
        [
            ("word/document.xml", Kind::Docx),
            ("xl/workbook.xml", Kind::Xlsx),
            ("META-INF/container.xml", Kind::Epub),
            ("content.xml", Kind::Odt),
        ]
        .into_iter()
        .find(|(member, _)| self.archive.has(member))
        .map(|(_, kind)| kind)
    }

    /// The text of a document or a book.
    pub(in super::super) fn text(&mut self) -> Result<String, String> {
        match self.kind() {
            Some(Kind::Docx) => self.docx(),
            Some(Kind::Odt) => Ok(body(&self.part("content.xml")?)),
            Some(Kind::Epub) => self.epub(),
            Some(Kind::Xlsx) => {
                Err("a spreadsheet; name it by itself, with the column of the text".to_owned())
            }
            None => {
                Err("a zip archive, but no .docx, .odt, .epub or .xlsx; unpack it to text first"
                    .to_owned())
            }
        }
    }

    /// A part of the archive as text.
    pub(super) fn part(&mut self, name: &str) -> Result<String, String> {
        let bytes = self.archive.whole(name, self.most)?;
        Ok(String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes))
            .into_owned())
    }

    /// Whether there is such a part.
    pub(super) fn has(&self, name: &str) -> bool {
        self.archive.has(name)
    }

    fn docx(&mut self) -> Result<String, String> {
        let mut text = runs(&self.part("word/document.xml")?);
        for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
            if self.archive.has(notes) {
                text.push_str(&runs(&self.part(notes)?));
            }
        }
        Ok(text)
    }

    fn epub(&mut self) -> Result<String, String> {
        let package = rootfile(&self.part("META-INF/container.xml")?)
            .ok_or("the book does not say where its contents are")?;
        let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let mut text = String::new();
        for page in spine(&self.part(&package)?) {
            let path = joined(&folder, &page);
            if self.archive.has(&path) {
                text.push_str(&markup::visible(&self.part(&path)?));
                text.push('\n');
            }
        }
        Ok(text)
    }
}

/// The runs of text of a Word document.
fn runs(xml: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    markup::xml(xml, |event| match event {
        Event::Start("w:t", _) => inside = true,
        Event::End("w:t") => inside = false,
        Event::Start("w:tab" | "w:br" | "w:cr", _) => text.push(' '),
        Event::End("w:p") => text.push('\n'),
        Event::Text(piece) if inside => text.push_str(piece),
        _ => {}
    });
    text
}

/// The characters of the body of an OpenDocument text.
fn body(xml: &str) -> String {
    let mut text = String::new();
    let (mut in_body, mut aside) = (false, 0_usize);
    markup::xml(xml, |event| match event {
        Event::Start("office:body", _) => in_body = true,
        Event::End("office:body") => in_body = false,
        Event::Start("office:annotation" | "text:tracked-changes", _) => aside += 1,
        Event::End("office:annotation" | "text:tracked-changes") => aside = aside.saturating_sub(1),
        Event::Start("text:s" | "text:tab" | "text:line-break", _) => text.push(' '),
        Event::End("text:p" | "text:h") if aside == 0 => text.push('\n'),
        Event::Text(piece) if in_body && aside == 0 => text.push_str(piece),
        _ => {}
    });
    text
}

/// The path of a book's package.
fn rootfile(container: &str) -> Option<String> {
    let mut found = None;
    markup::xml(container, |event| {
        if let Event::Start("rootfile", value) = event {
            found = found.take().or_else(|| value("full-path"));
        }
    });
    found
}

/// The pages of a book in reading order.
fn spine(package: &str) -> Vec<String> {
    let (mut items, mut order) = (Vec::new(), Vec::new());
    markup::xml(package, |event| match event {
        Event::Start("item" | "opf:item", value) => {
            items.extend(value("id").zip(value("href")));
        }
        Event::Start("itemref" | "opf:itemref", value) => order.extend(value("idref")),
        _ => {}
    });
    let page = |id: &String| items.iter().find(|(item, _)| item == id).map(|(_, at)| at.clone());
    order.iter().filter_map(page).collect()
}

/// A path below a folder, with `..` resolved and `%20` and the like decoded.
fn joined(folder: &str, page: &str) -> String {
    let page = page.split('#').next().unwrap_or_default();
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in page.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    decoded(&parts.join("/"))
}

fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte =
            hex.filter(|_| bytes[at] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::super::tests::zipped;
    use super::*;

    fn text(members: &[(&str, &str)]) -> Result<String, String> {
        Office::open(&zipped(members)).and_then(|mut office| office.text())
    }

    #[test]
    fn a_word_document_is_its_runs_of_text() {
        let xml = "<w:document><w:body><w:p><w:r><w:t>Sun &amp; </w:t></w:r><w:r><w:t>moon</w:t>\
                   <w:tab/><w:t>rise</w:t><w:instrText>PAGE</w:instrText></w:r></w:p><w:p><w:r>\
                   <w:t>Second</w:t></w:r></w:p></w:body></w:document>";
        let notes = "<w:footnotes><w:p><w:t>below</w:t></w:p></w:footnotes>";
        let found = text(&[("word/document.xml", xml), ("word/footnotes.xml", notes)]).unwrap();
        assert_eq!(found, "Sun & moon rise\nSecond\nbelow\n");
    }

    #[test]
    fn an_open_document_is_its_body() {
        let xml = "<office:document-content><office:styles>no</office:styles><office:body>\
                   <office:text><text:tracked-changes>no</text:tracked-changes><text:h>Head</text:h>\
                   <text:p>one<text:s/>two<office:annotation><text:p>no</text:p></office:annotation>\
                   </text:p></office:text></office:body></office:document-content>";
        assert_eq!(text(&[("content.xml", xml)]).unwrap(), "Head\none two\n");
    }

    #[test]
    fn a_book_is_the_pages_of_its_spine_in_order() {
        let found = text(&[
            (
                "META-INF/container.xml",
                "<container><rootfile full-path='OEBPS/b.opf'/></container>",
            ),
            (
                "OEBPS/b.opf",
                "<package><manifest><item id='two' href='text/ch%202.xhtml'/><item id='one' \
                 href='text/ch1.xhtml'/></manifest><spine><itemref idref='one'/><itemref \
                 idref='two'/></spine></package>",
            ),
            ("OEBPS/text/ch1.xhtml", "<html><head><title>no</title></head><p>First</p></html>"),
            ("OEBPS/text/ch 2.xhtml", "<p>Second</p>"),
        ]);
        assert_eq!(found.unwrap().split_whitespace().collect::<Vec<_>>(), ["First", "Second"]);
    }

    #[test]
    fn what_is_no_document_is_told() {
        assert!(text(&[("a.txt", "x")]).unwrap_err().contains("no .docx"));
        assert!(text(&[("xl/workbook.xml", "x")]).unwrap_err().contains("a spreadsheet"));
        assert!(Office::open(b"PK\x03\x04 and nothing").is_err());
    }
}
