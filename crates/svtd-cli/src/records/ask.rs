//! Commands for a learned model of records: show, infer, compare, export.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use svtd::models::learned::{self, Listing};
use svtd::models::saved::SavedRecords;
use svtd::models::table::TableReader;

use super::{listing, read};
use crate::args::{Common, Diff, Draw, Evaluate, Export, ExportTo, Infer, Show, Topics, first};
use crate::failure::{Failure, Outcome, printable};
use crate::json;
use crate::output::{self, Column, CsvCells, Format, Table, Target};
use crate::terminal::Screen;
use crate::threads;

/// A reader in which these values mean missing.
fn reader(missing: &Option<Vec<String>>) -> TableReader {
    match missing {
        None => TableReader::new(),
        Some(cells) => TableReader::new().missing(cells.iter().cloned()),
    }
}

/// Returns an error for a flag that is for topics only.
fn refuse(flag: Option<&'static str>) -> Outcome {
    match flag {
        None => Ok(()),
        Some(flag) => Err(Failure::Request(format!("{flag} is for models of topics"))),
    }
}

/// `svtd topics`, or `classes`: prints every table of the model.
pub fn tables(saved: &SavedRecords, args: &Topics, common: &Common) -> Outcome {
    refuse(first(&[
        (args.order.is_some(), "--order"),
        (args.lambda.is_some(), "--lambda"),
        (args.trust, "--trust"),
    ]))?;
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = learned::to_json(&*saved.model)?;
        object.insert("corpus".to_owned(), json!({ "sha256": saved.digest }));
        writeln!(out, "{}", json::document("records-model", json!(object)))?;
    } else {
        let screen = Screen::stdout(common);
        listing::write_all(&mut out, &screen, &saved.model.listings(), Some(args.top))?;
        listing::write_facts(&mut out, &*saved.model)?;
    }
    Ok(out.flush()?)
}

/// `svtd infer`: the component of every record.
pub fn infer(saved: &SavedRecords, args: &Infer, common: &Common) -> Outcome {
    refuse(first(&[
        (args.layout.is_some(), "--layout"),
        (args.top.is_some(), "--top"),
        (args.gibbs, "--gibbs"),
    ]))?;
    let mut inputs = args.source.files();
    inputs.push(&args.model);
    let target = args.output.as_deref().map(|path| Target::new(path, args.to, args.force, &inputs));
    let target = target.transpose()?;
    let table = read(&args.source, &reader(&args.missing))?;
    let pool = threads::pool(common.threads)?;
    let listing = pool.install(|| match args.forecast {
        Some(steps) => saved.model.forecast(&table, steps),
        None => saved.model.infer(&table),
    });
    let listing = listing.map_err(Failure::about(&args.source.name()))?;
    write_listing(&listing, target.as_ref(), (args.to, args.safe_csv), common)
}

fn write_listing(
    listing: &Listing,
    target: Option<&Target>,
    (format, safe_csv): (Option<Format>, bool),
    common: &Common,
) -> Outcome {
    let mut out = BufWriter::new(io::stdout().lock());
    match (target, format) {
        (Some(target), _) => {
            target.write(&listing::table(listing))?;
            if common.json {
                let n = listing.n_rows();
                let value = json!({ "written": [target.path()], "n_rows": n });
                writeln!(out, "{}", json::document("records-written", value))?;
            } else if !common.quiet {
                let path = printable(&target.path().display().to_string());
                let _ = writeln!(io::stderr(), "saved {path}");
            }
        }
        (None, _) if common.json => {
            writeln!(
                out,
                "{}",
                json::line("records-infer", json!({ listing.name: listing.to_json() }))
            )?;
        }
        (None, Some(Format::Jsonl)) => listing::table(listing).write_jsonl(&mut out)?,
        (None, None | Some(Format::Csv)) => {
            listing::table(listing).write_csv(&mut out, cells(safe_csv))?
        }
        (None, Some(other)) => {
            let ending = other.ending();
            return Err(Failure::Request(format!("{ending} cannot go to a terminal; add -o FILE")));
        }
    }
    Ok(out.flush()?)
}

/// `svtd evaluate`: how well the model explains records.
pub fn evaluate(saved: &SavedRecords, args: &Evaluate, common: &Common) -> Outcome {
    refuse(first(&[(args.labels.is_some(), "--labels")]))?;
    let table = read(&args.source, &reader(&args.missing))?;
    let pool = threads::pool(common.threads)?;
    let found = pool.install(|| saved.model.evaluate(&table));
    let found = found.map_err(Failure::about(&args.source.name()))?;
    let mut out = io::stdout().lock();
    if common.json {
        let pairs = found.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
        let value = serde_json::Value::Object(pairs.collect());
        writeln!(out, "{}", json::document("records-table", value))?;
    } else {
        for (name, value) in found {
            writeln!(out, "{:<26} {value:.4}", name.replace('_', " "))?;
        }
    }
    Ok(out.flush()?)
}

/// `svtd show`: one record, and which values point to which component.
pub fn show(saved: &SavedRecords, args: &Show, common: &Common) -> Outcome {
    let table = read(&args.source, &reader(&args.missing))?;
    let asked = args.document.as_deref().unwrap_or("1");
    let row = asked.parse().ok().filter(|row| (1..=table.n_rows()).contains(row));
    let Some(row) = row else {
        return Err(Failure::Request(format!(
            "-d must be the number of a record from 1 to {}, got {asked:?}",
            table.n_rows()
        )));
    };
    let listings =
        saved.model.explain(&table, row - 1).map_err(Failure::about(&args.source.name()))?;
    let mut out = io::stdout().lock();
    if common.json {
        let pairs = listings.iter().map(|one| (one.name.to_owned(), one.to_json()));
        let value = serde_json::Value::Object(pairs.collect());
        writeln!(out, "{}", json::document("records-table", value))?;
    } else {
        listing::write_all(&mut out, &Screen::stdout(common), &listings, None)?;
    }
    Ok(out.flush()?)
}

/// `svtd diff`: compares two models of the same kind.
pub fn diff(old: &SavedRecords, new: &SavedRecords, args: &Diff, common: &Common) -> Outcome {
    let listing = old.model.compare(&*new.model).map_err(Failure::about(&args.new))?;
    let mut out = io::stdout().lock();
    if common.json {
        let value = json!({ listing.name: listing.to_json() });
        writeln!(out, "{}", json::document("records-table", value))?;
    } else {
        listing::write_all(&mut out, &Screen::stdout(common), &[listing], None)?;
    }
    Ok(out.flush()?)
}

/// `svtd export`: writes every table of the model, and the records of INPUT.
pub fn export(saved: &SavedRecords, args: &Export, common: &Common) -> Outcome {
    let format = match args.to {
        Some(ExportTo::Csv) => Format::Csv,
        #[cfg(feature = "parquet")]
        Some(ExportTo::Parquet) => Format::Parquet,
        Some(ExportTo::Json) => return export_json(saved, args),
        Some(_) => {
            let sentence = "a model of records is exported --to csv, json or parquet";
            return Err(Failure::Request(sentence.to_owned()));
        }
        None => {
            let sentence = "a model of records is exported by --to; the other flags are for topics";
            return Err(Failure::Request(sentence.to_owned()));
        }
    };
    let Some(prefix) = &args.output else {
        let sentence = "-o PATH is needed: what the names of the files begin with";
        return Err(Failure::Request(sentence.to_owned()));
    };
    let listings = all_listings(saved, args)?;
    let named = |listing: &Listing| named_file(prefix, listing.name, format.ending());
    let targets: Vec<Target> = listings
        .iter()
        .map(|listing| Target::new(&named(listing), Some(format), args.force, &[&args.model]))
        .collect::<Outcome<_>>()?;
    for (target, listing) in targets.iter().zip(&listings) {
        target.write(&listing::table(listing))?;
    }
    let written: Vec<&Path> = targets.iter().map(Target::path).collect();
    if common.json {
        let value = json!({ "written": written });
        writeln!(io::stdout(), "{}", json::document("records-written", value))?;
    } else if !common.quiet {
        for path in written {
            let _ = writeln!(io::stderr(), "saved {}", printable(&path.display().to_string()));
        }
    }
    Ok(())
}

fn named_file(prefix: &Path, name: &str, ending: &str) -> PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(format!(".{name}.{ending}"));
    path.into()
}

fn all_listings(saved: &SavedRecords, args: &Export) -> Outcome<Vec<Listing>> {
    let mut listings = saved.model.listings();
    if let Some(source) = &args.source.0 {
        let table = read(source, &TableReader::new())?;
        let mut inferred = saved.model.infer(&table).map_err(Failure::about(&source.name()))?;
        // A table of the model may already have this name.
        if listings.iter().any(|listing| listing.name == inferred.name) {
            inferred.name = "records";
        }
        listings.push(inferred);
    }
    Ok(listings)
}

fn export_json(saved: &SavedRecords, args: &Export) -> Outcome {
    let mut object = learned::to_json(&*saved.model)?;
    for listing in all_listings(saved, args)? {
        object.insert(listing.name.replace('-', "_"), listing.to_json());
    }
    let text = format!("{:#}\n", json!(object));
    match &args.output {
        None => io::stdout().write_all(text.as_bytes())?,
        Some(path) => {
            output::check(path, args.force, &[&args.model])?;
            let write = |out: &mut (dyn Write + Send)| out.write_all(text.as_bytes());
            svtd::internals::atomic::write_atomically(path, args.force, write)?;
        }
    }
    Ok(())
}

/// `svtd draw`: generates records from a model.
pub fn draw(args: &Draw, common: &Common) -> Outcome {
    let Some(saved) = super::model(&args.model)? else {
        return Err(Failure::Request(format!(
            "{} holds no model of records; documents are drawn by svtd generate",
            args.model.display()
        )));
    };
    let target = args.output.as_deref();
    let target = target.map(|path| Target::new(path, args.to, args.force, &[&args.model]));
    let target = target.transpose()?;
    let table = saved.model.draw(args.n_records, args.seed)?;
    let columns = table.columns().iter().map(|column| {
        Column::text(column.name(), move |row| column.label(row).unwrap_or_default().to_owned())
    });
    let drawn = Table { n_rows: table.n_rows(), columns: columns.collect(), is_list: false };
    match &target {
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            drawn.write_csv(&mut out, cells(false))?;
            Ok(out.flush()?)
        }
        Some(target) => {
            target.write(&drawn)?;
            if !common.quiet {
                let path = printable(&target.path().display().to_string());
                let _ = writeln!(io::stderr(), "saved {path}");
            }
            Ok(())
        }
    }
}

/// How cells are printed: safe for a terminal, or unchanged.
fn cells(safe: bool) -> CsvCells {
    match io::stdout().is_terminal() {
        true => CsvCells::Shown,
        false => CsvCells::chosen(safe),
    }
}
