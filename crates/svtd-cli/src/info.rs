//! `svtd info`: describes a corpus.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use svtd::Corpus;
use svtd::evaluation::{Moment, Periods};

use crate::args::{Common, Info};
use crate::count::{corpus_json, write_sizes};
use crate::failure::{Outcome, printable};
use crate::progress::{Detail, Progress};
use crate::{input, json, threads, words};

/// Runs the command.
pub fn run(args: &Info, common: &Common) -> Outcome {
    threads::pool(common.threads)?.install(|| info(args, common))
}

fn info(args: &Info, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    let corpus = input::corpus(&args.source, &progress)?;
    progress.finish();
    let columns = columns(&corpus);
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = corpus_json(&corpus);
        let report = corpus.report();
        object["words_in_use"] = corpus.n_present().into();
        object["blocks"] = corpus.n_blocks().into();
        object["empty_documents"] = report.n_empty.into();
        object["named"] = corpus.has_names().into();
        object["columns"] = columns.iter().map(Summary::to_json).collect();
        object["word_choice"] = json!(corpus.word_choice());
        object["hash"] = corpus.digest().into();
        writeln!(out, "{}", json::document("info", object))?;
    } else {
        write_text(&mut out, &corpus, &columns)?;
    }
    Ok(out.flush()?)
}

fn write_text(out: &mut dyn Write, corpus: &Corpus, columns: &[Summary]) -> io::Result<()> {
    write_sizes(out, corpus)?;
    writeln!(out, "{:>12}  words in use", corpus.n_present())?;
    writeln!(out, "{:>12}  empty documents", corpus.report().n_empty)?;
    writeln!(out, "{:>12}  blocks", corpus.n_blocks())?;
    let named = if corpus.has_names() { "have names" } else { "are numbered" };
    writeln!(out, "documents {named}")?;
    for column in columns {
        writeln!(out, "{}", column.sentence())?;
    }
    match corpus.word_choice() {
        Some(choice) => {
            writeln!(out, "counted from text: {}", words::description(&choice.preprocessing))?
        }
        None => writeln!(out, "made of counts")?,
    }
    writeln!(out, "hash {}", corpus.digest())
}

/// A column, summarised.
struct Summary {
    name: String,
    n_values: usize,
    n_empty: usize,
    /// The most frequent value, with its number of documents.
    most: Option<(String, usize)>,
    periods: Option<Periods>,
}

/// The kept columns, and the labels.
fn columns(corpus: &Corpus) -> Vec<Summary> {
    let cells = |name: &str| {
        (0..corpus.n_documents()).map(|d| corpus.cell(name, d).unwrap_or_default()).collect()
    };
    let kept = corpus.column_names().map(|name| Summary::new(name, cells(name)));
    kept.chain(corpus.labels().map(|labels| Summary::new("label", labels))).collect()
}

impl Summary {
    fn new(name: &str, cells: Vec<&str>) -> Self {
        let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
        cells
            .iter()
            .filter(|cell| !cell.is_empty())
            .for_each(|&cell| *tally.entry(cell).or_default() += 1);
        let n_empty = cells.iter().filter(|cell| cell.is_empty()).count();
        // A column contains times if every non-empty cell is a time.
        let moments: Vec<Option<Moment>> = cells.iter().map(|cell| Moment::parse(cell)).collect();
        let are_times = moments.iter().filter(|moment| moment.is_none()).count() == n_empty;
        let most = tally.iter().max_by_key(|(cell, n)| (**n, std::cmp::Reverse(**cell)));
        Self {
            name: name.to_owned(),
            n_values: tally.len(),
            n_empty,
            most: most.map(|(cell, &n)| ((*cell).to_owned(), n)),
            periods: if are_times { Periods::of(&moments) } else { None },
        }
    }

    fn sentence(&self) -> String {
        let (name, n) = (printable(&self.name), self.n_values);
        let mut text = format!("column {name}: {n} values");
        if let Some(names) = self.span() {
            let n = self.periods.as_ref().map_or(0, |periods| periods.names.len());
            text += &format!(", {} to {} ({n} periods)", names[0], names[1]);
        } else if let Some((value, n)) = &self.most {
            text += &format!(", most often {} ({n})", printable(value));
        }
        if self.n_empty > 0 {
            text += &format!(", {} empty", self.n_empty);
        }
        text
    }

    /// The first and the last period.
    fn span(&self) -> Option<[&str; 2]> {
        let names = &self.periods.as_ref()?.names;
        Some([names.first()?, names.last()?])
    }

    fn to_json(&self) -> Value {
        json!({
            "column": self.name,
            "values": self.n_values,
            "empty": self.n_empty,
            "most_frequent": self.most.as_ref().map(|(value, _)| value),
            "periods": self.periods.as_ref().map(|periods| periods.names.len()),
            "first": self.span().map(|names| names[0]),
            "last": self.span().map(|names| names[1]),
        })
    }
}
