//! Rows of word numbers and counts: a table that is already counted.

use super::cells::Cells;
use super::{Parquet, calmly};
use crate::reading::entries::Table;
use crate::reading::rows::Rows;

/// Rows read at a time.
const BATCH: usize = 1024;

/// The counts of a file, with the names and labels of its documents.
pub(in crate::reading) struct Counted {
    pub(in crate::reading) table: Table,
    pub(in crate::reading) names: Option<Vec<String>>,
    pub(in crate::reading) labels: Option<Vec<String>>,
}

/// Reads every row of a file whose words are [counted](Parquet::is_counted).
pub(in crate::reading) fn read(parquet: &mut Parquet) -> Result<Counted, String> {
    calmly(|| read_rows(parquet))
}

fn read_rows(parquet: &mut Parquet) -> Result<Counted, String> {
    let mut reading = Reading::default();
    loop {
        let n_rows = parquet.next_rows(BATCH)?;
        if n_rows == 0 {
            break;
        }
        let [indices, counts] = &parquet.cells.content[..] else { break };
        for row in 0..n_rows {
            reading.push(indices, counts, row)?;
            let number = reading.n_documents;
            if let Some(ids) = &parquet.cells.id {
                reading.names.push(ids.shown(row)?.unwrap_or_else(|| number.to_string()));
            }
            if let Some(labels) = &parquet.cells.label {
                reading.labels.push(labels.shown(row)?.unwrap_or_default());
            }
        }
    }
    Ok(Counted {
        table: reading.rows.into_table(0),
        names: parquet.id.is_some().then_some(reading.names),
        labels: parquet.label.is_some().then_some(reading.labels),
    })
}

/// What was read so far.
#[derive(Default)]
struct Reading {
    rows: Rows,
    n_documents: u64,
    names: Vec<String>,
    labels: Vec<String>,
}

impl Reading {
    fn push(&mut self, indices: &Cells, counts: &Cells, row: usize) -> Result<(), String> {
        let (words, values) = (indices.span(row), counts.span(row));
        self.n_documents += 1;
        let number = self.n_documents;
        if words.len() != values.len() {
            return Err(format!(
                "row {number}: {} indices and {} counts; expected as many of each",
                words.len(),
                values.len()
            ));
        }
        for (word, value) in words.zip(values) {
            let (word, value) = (indices.whole(word), counts.whole(value));
            let word = word.map_err(|reason| format!("row {number}: {reason}"))?;
            let value = value.map_err(|reason| format!("row {number}: {reason}"))?;
            if word == u32::MAX {
                return Err(format!("row {number}: a word number of {word} is too large"));
            }
            self.rows.push(word, value);
        }
        let name = &indices.leaf.name;
        self.rows
            .end_document()
            .map_err(|word| format!("row {number}: column {name:?} has word {word} twice"))
    }
}
