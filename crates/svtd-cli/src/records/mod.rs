//! Models of records: classes, raters, hidden Markov models, Gaussian mixtures. They are used only through the
//! library's trait `Learned`; only learning differs between them ([`fit`]).

mod ask;
mod check;
mod fit;
mod listing;
mod sequences;
mod sweep;

use std::path::Path;

use svtd::models::saved::{self, SavedRecords};
use svtd::models::table::{Table, TableReader};

pub use ask::{diff, draw, evaluate, export, infer, show, tables};
pub use check::check;
pub use fit::fit;
pub use sweep::sweep;

use crate::args::{AnyKind, Source, first};
use crate::failure::{Failure, Outcome};
use crate::messages;

/// The model of records in a file; `None` when it contains topics or does not exist, which the commands for topics
/// will report.
pub fn model(path: &Path) -> Outcome<Option<SavedRecords>> {
    if !path.is_file() {
        return Ok(None);
    }
    saved::load(path).map_err(Failure::about(path))
}

/// Reads a table, or several with the same columns as one, and prints its size.
fn read(source: &Source, reader: &TableReader) -> Outcome<Table> {
    if source.room.memory.is_some() {
        let sentence = "--memory is for models of topics; a table of records is read whole";
        return Err(Failure::Request(sentence.to_owned()));
    }
    let of_text = first(&[
        (source.format.is_some(), "--format"),
        (source.vocab.is_some(), "--vocab"),
        (source.transpose, "--transpose"),
        (source.layout.encoding.is_some(), "--encoding"),
        (!source.layout.text_column.is_empty(), "--text-column"),
    ]);
    if let Some(flag) = of_text.or(source.words.given()) {
        let sentence = "is for models of topics; a table of records is CSV, TSV, JSON Lines or Parquet in UTF-8";
        return Err(Failure::Request(format!("{flag} {sentence}")));
    }
    let mut whole: Option<Table> = None;
    for path in &source.input {
        let table = reader.read(path)?;
        match &mut whole {
            None => whole = Some(table),
            Some(before) => before.append(&table).map_err(Failure::about(path))?,
        }
    }
    let table = whole.unwrap_or_default();
    let missing: usize = table.columns().iter().map(|column| column.n_missing()).sum();
    messages::say(&format!(
        "read {} records of {} columns; {missing} cells missing",
        table.n_rows(),
        table.columns().len()
    ));
    Ok(table)
}

/// Returns an error for raters: their number of classes is that of the labels, so there is nothing
/// to choose.
fn counted_alone(model: AnyKind) -> Outcome {
    match model {
        AnyKind::Raters => Err(Failure::Request(
            "raters have as many labels as were given; fit them without check or sweep".to_owned(),
        )),
        _ => Ok(()),
    }
}
