//! A spreadsheet (`.xlsx`): the first sheet, one document per row, columns named by its first row.
//!
//! ```text
//! xl/workbook.xml, xl/_rels/workbook.xml.rels    which part is the first sheet
//! xl/sharedStrings.xml                           texts, which cells point to by number
//! xl/worksheets/sheet1.xml                       <c r="B2" t="s"><v>17</v></c>
//! ```
//!
//! A cell may contain a shared text (`s`), its own text (`inlineStr`, `str`), a number, a truth value or an error;
//! an error counts as empty. Dates are read as the numbers they are stored as.
//!
//! # Departures
//! The crate `calamine` reads far more of the format but depends on sixteen packages. Here only three parts of an
//! archive are needed, which is read anyway, and nothing is unpacked without bounds.

use std::collections::VecDeque;

use super::markup::{self, Event};
use super::office::Office;
use super::{Columns, Layout};
use crate::error::{Error, Result};
use crate::text::{Batch, Records};

/// The largest number of cells in a row: as many as Excel has columns.
const MOST_COLUMNS: usize = 16_384;

pub(super) struct Sheet {
    rows: VecDeque<(u64, Vec<String>)>,
    text: Vec<usize>,
    id: Option<usize>,
    label: Option<usize>,
}

impl Sheet {
    pub(super) fn open(path: &str, bytes: &[u8], layout: &Layout) -> Result<Self> {
        let refused = |reason| Error::File { path: path.to_owned(), reason };
        let mut rows = rows(bytes).map_err(refused)?;
        let Some((_, header)) = rows.pop_front() else {
            return Err(refused(
                "the first sheet is empty; expected a header and a row for each document"
                    .to_owned(),
            ));
        };
        let names: Vec<&str> = header.iter().map(String::as_str).collect();
        let columns = Columns::among(&names, layout).map_err(refused)?;
        let place = |column: &String| names.iter().position(|name| name == column).unwrap_or(0);
        Ok(Sheet {
            text: columns.text.iter().map(place).collect(),
            id: columns.id.as_ref().map(place),
            label: columns.label.as_ref().map(place),
            rows,
        })
    }
}

impl Records for Sheet {
    fn next_into(&mut self, batch: &mut Batch) -> Result<bool> {
        let Some((_, row)) = self.rows.pop_front() else { return Ok(false) };
        let cell = |at: usize| row.get(at).cloned().unwrap_or_default();
        let texts: Vec<String> = self.text.iter().map(|&at| cell(at)).collect();
        batch.push(self.id.map(cell), self.label.map(cell), &texts.join("\n"));
        Ok(true)
    }
}

/// The non-empty rows of the first sheet, with their numbers.
fn rows(bytes: &[u8]) -> std::result::Result<VecDeque<(u64, Vec<String>)>, String> {
    let mut office = Office::open(bytes)?;
    let shared = match office.has("xl/sharedStrings.xml") {
        true => shared_strings(&office.part("xl/sharedStrings.xml")?),
        false => Vec::new(),
    };
    let sheet = first_sheet(&mut office)?;
    let mut reading = Reading { shared: &shared, ..Reading::default() };
    markup::xml(&office.part(&sheet)?, |event| reading.event(event));
    match reading.wrong {
        Some(wrong) => Err(wrong),
        None => Ok(reading.rows),
    }
}

/// The part that holds the first sheet.
fn first_sheet(office: &mut Office) -> std::result::Result<String, String> {
    let mut id = None;
    markup::xml(&office.part("xl/workbook.xml")?, |event| {
        if let Event::Start("sheet", value) = event {
            id = id.take().or_else(|| value("r:id"));
        }
    });
    let (mut target, relations) = (None, "xl/_rels/workbook.xml.rels");
    if office.has(relations) {
        markup::xml(&office.part(relations)?, |event| {
            if let Event::Start("relationship", value) = event
                && value("Id") == id
                && id.is_some()
            {
                target = value("Target");
            }
        });
    }
    let path = match target {
        Some(target) => match target.strip_prefix('/') {
            Some(absolute) => absolute.to_owned(),
            None => format!("xl/{target}"),
        },
        None => "xl/worksheets/sheet1.xml".to_owned(),
    };
    if office.has(&path) { Ok(path) } else { Err("the workbook has no sheet".to_owned()) }
}

/// The shared texts.
fn shared_strings(xml: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let (mut inside, mut phonetic) = (false, false);
    markup::xml(xml, |event| match event {
        Event::Start("si", _) => strings.push(String::new()),
        Event::Start("t", _) => inside = true,
        Event::End("t") => inside = false,
        // Phonetic hints, which are not part of the text.
        Event::Start("rph", _) => phonetic = true,
        Event::End("rph") => phonetic = false,
        Event::Text(piece) if inside && !phonetic => {
            if let Some(last) = strings.last_mut() {
                last.push_str(piece);
            }
        }
        _ => {}
    });
    strings
}

/// The position of a reader in a sheet.
#[derive(Default)]
struct Reading<'a> {
    shared: &'a [String],
    rows: VecDeque<(u64, Vec<String>)>,
    row: Vec<String>,
    number: u64,
    column: usize,
    kind: String,
    value: String,
    in_value: bool,
    wrong: Option<String>,
}

impl Reading<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start("row", value) => {
                let said = value("r").and_then(|number| number.parse().ok());
                self.number = said.unwrap_or(self.number + 1);
                self.row.clear();
                self.column = 0;
            }
            Event::Start("c", value) => {
                if let Some(column) = value("r").and_then(|place| column_of(&place)) {
                    self.column = column;
                }
                self.kind = value("t").unwrap_or_default();
                self.value.clear();
            }
            Event::Start("v" | "t", _) => self.in_value = true,
            Event::End("v" | "t") => self.in_value = false,
            Event::Text(piece) if self.in_value => self.value.push_str(piece),
            Event::End("c") => self.end_cell(),
            Event::End("row") if self.row.iter().any(|cell| !cell.trim().is_empty()) => {
                self.rows.push_back((self.number, std::mem::take(&mut self.row)));
            }
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        if self.column >= MOST_COLUMNS {
            return;
        }
        let value = match self.kind.as_str() {
            "s" => match self.value.trim().parse().ok().and_then(|i: usize| self.shared.get(i)) {
                Some(text) => text.clone(),
                None => {
                    let found = &self.value;
                    let reason =
                        format!("row {} points to text {found:?}, which is not there", self.number);
                    self.wrong.get_or_insert(reason);
                    String::new()
                }
            },
            "e" => String::new(),
            "b" => (if self.value.trim() == "1" { "true" } else { "false" }).to_owned(),
            _ => std::mem::take(&mut self.value),
        };
        if self.row.len() <= self.column {
            self.row.resize(self.column + 1, String::new());
        }
        self.row[self.column] = value;
        self.column += 1;
    }
}

/// The column of a cell reference such as `AB12`, from zero.
fn column_of(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic);
    let mut column = 0_usize;
    for letter in letters {
        let digit = usize::from(letter.to_ascii_uppercase() - b'A') + 1;
        column = column.checked_mul(26)?.checked_add(digit)?;
    }
    column.checked_sub(1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::super::tests::zipped;
    use super::*;

    fn workbook(sheet: &str) -> Vec<u8> {
        zipped(&[
            (
                "xl/workbook.xml",
                "<workbook><sheets><sheet name='a' r:id='rId7'/></sheets></workbook>",
            ),
            (
                "xl/_rels/workbook.xml.rels",
                "<Relationships><Relationship Id='rId7' Target='worksheets/data.xml'/></Relationships>",
            ),
            (
                "xl/sharedStrings.xml",
                "<sst><si><t>text</t></si><si><t>Sun &amp; </t><r><t>moon</t></r><rPh><t>no</t></rPh></si></sst>",
            ),
            ("xl/worksheets/data.xml", sheet),
        ])
    }

    #[test]
    fn cells_are_found_by_their_place_and_kind() {
        let sheet = "<worksheet><sheetData><row r='2'><c r='A2' t='inlineStr'><is><t>id</t></is></c>\
            <c r='C2' t='s'><v>0</v></c></row><row r='3'/><row r='4'><c r='A4'><v>7</v></c>\
            <c r='C4' t='s'><v>1</v></c></row><row r='5'><c r='C5' t='str'><f>A1</f><v>rain</v></c>\
            <c r='D5' t='e'><v>#N/A</v></c></row></sheetData></worksheet>";
        let found = rows(&workbook(sheet)).unwrap();
        let rows: Vec<(u64, Vec<&str>)> =
            found.iter().map(|(n, row)| (*n, row.iter().map(String::as_str).collect())).collect();
        assert_eq!(rows[0], (2, vec!["id", "", "text"]));
        assert_eq!(rows[1], (4, vec!["7", "", "Sun & moon"]));
        assert_eq!(rows[2], (5, vec!["", "", "rain", ""]));
        let mut sheet = Sheet::open("a.xlsx", &workbook(sheet), &Layout::default()).unwrap();
        let mut batch = Batch::default();
        while sheet.next_into(&mut batch).unwrap() {}
        assert_eq!(batch.len(), 2);
    }

    #[test]
    fn a_text_that_is_not_there_is_told() {
        let sheet = "<row r='9'><c t='s'><v>99</v></c></row>";
        assert!(rows(&workbook(sheet)).unwrap_err().contains("row 9 points to text \"99\""));
    }

    #[test]
    fn columns_are_counted_in_letters() {
        assert_eq!(column_of("A1"), Some(0));
        assert_eq!(column_of("AB12"), Some(27));
        assert_eq!(column_of("12"), None);
        assert_eq!(column_of(&"Z".repeat(40)), None);
    }
}
