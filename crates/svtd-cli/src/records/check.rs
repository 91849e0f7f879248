//! `svtd check` for models of records: what can be learned from the data before a fit.

use std::io::{self, Write};

use serde_json::{Value, json};
use svtd::models::classes::{Identifiability, Records, Visible};
use svtd::models::gaussian::{Covariance, Points, PointsCheck};
use svtd::models::hmm::SequenceCheck;
use svtd::models::table::Table;

use super::{counted_alone, read};
use crate::args::{AnyKind, Check, Common};
use crate::failure::{Failure, Outcome, printable};
use crate::{json, threads};

/// The findings about a table: lines for people, an object for programs.
struct Findings {
    lines: Vec<(&'static str, String)>,
    value: Value,
    objection: Option<String>,
    notes: Vec<String>,
}

/// Reports what a table says about classes, states or components, and whether the number asked for is identifiable.
pub fn check(args: &Check, common: &Common) -> Outcome {
    counted_alone(args.model)?;
    threads::pool(common.threads)?.install(|| {
        let table = read(&args.source, &args.records.reader())?;
        let findings = match args.model {
            AnyKind::Hmm => of_sequences(args, &table),
            AnyKind::Gaussian => of_points(args, &table),
            _ => of_answers(args, &table),
        };
        write(findings.map_err(Failure::about(&args.source.name()))?, common)
    })
}

fn write(findings: Findings, common: &Common) -> Outcome {
    let mut out = io::stdout().lock();
    if common.json {
        let mut value = findings.value;
        value["objection"] = json!(findings.objection);
        value["notes"] = json!(findings.notes);
        writeln!(out, "{}", json::document("records-check", value))?;
    } else {
        let notes = findings.notes.iter().map(|note| ("note", printable(note)));
        let verdict = findings.objection.map(|objection| ("verdict", objection));
        for (name, sentence) in findings.lines.into_iter().chain(notes).chain(verdict) {
            writeln!(out, "{name:<20} {sentence}")?;
        }
    }
    Ok(out.flush()?)
}

fn of_answers(args: &Check, table: &Table) -> svtd::Result<Findings> {
    let records = Records::from_table(table, &args.records.choice())?;
    let found = Identifiability::of(&records);
    let identified = match found.most_classes {
        1 => "no two classes for sure: three items are needed at least".to_owned(),
        most => format!("up to {most} classes for sure (Allman, Matias and Rhodes 2009)"),
    };
    let lines = vec![
        (
            "records",
            format!(
                "{} with {} different patterns of answers; {} answers missing",
                found.n_records, found.n_patterns, found.n_missing
            ),
        ),
        (
            "items",
            format!("{}, of {} categories in all", records.items().len(), records.n_categories()),
        ),
        ("identified", identified),
        (
            "visible classes",
            format!(
                "{} in pairs of answers ({})",
                found.visible,
                values(found.visible, &found.singular_values)
            ),
        ),
    ];
    let objection = args.n_topics.and_then(|k| found.objection(k));
    let notes = records.notes().to_vec();
    Ok(Findings { lines, value: json!(found), objection, notes })
}

fn of_sequences(args: &Check, table: &Table) -> svtd::Result<Findings> {
    let flags = &args.records;
    let read = flags.sequence_columns().read(table, flags.emissions.map(Into::into))?;
    let found = SequenceCheck::of(&read.sequences)?;
    let identified = match found.most_states {
        1 => "no two states for sure: three steps in a row are needed at least".to_owned(),
        64 => "any number of states (Allman, Matias and Rhodes 2009)".to_owned(),
        most => format!("up to {most} states for sure (Allman, Matias and Rhodes 2009)"),
    };
    let names: Vec<String> = read.sequences.names().iter().map(|name| printable(name)).collect();
    let lines = vec![
        (
            "sequences",
            format!(
                "{} of {} to {} steps, {} in all; {} observations missing",
                found.n_sequences, found.shortest, found.longest, found.n_steps, found.n_missing
            ),
        ),
        ("observations", format!("{} ({})", names.join(", "), found.emissions.name())),
        ("identified", identified),
        (
            "visible states",
            format!(
                "{} from one step to the next ({})",
                found.visible,
                values(found.visible, &found.singular_values)
            ),
        ),
    ];
    let objection = args.n_topics.and_then(|k| found.objection(k));
    Ok(Findings { lines, value: json!(found), objection, notes: read.notes })
}

fn of_points(args: &Check, table: &Table) -> svtd::Result<Findings> {
    let flags = &args.records;
    let points = Points::from_table(table, &flags.items, flags.weight_column.as_deref())?;
    let covariance = flags.covariance.map_or(Covariance::default(), Into::into);
    let found = PointsCheck::of(&points, covariance)?;
    let on = match found.guessed_on == points.n_records() {
        true => String::new(),
        false => format!(" on {} of the records", found.guessed_on),
    };
    let lines = vec![
        (
            "records",
            format!(
                "{} of {} variables; {} values missing",
                found.n_records, found.n_variables, found.n_missing
            ),
        ),
        (
            "covariance",
            format!(
                "{}: {} parameters for each component",
                covariance.name(),
                found.parameters_per_component
            ),
        ),
        (
            "identified",
            format!(
                "any number of components; {} have no more parameters than there are records",
                found.most_components
            ),
        ),
        (
            "first guess",
            format!(
                "{} components by AIC3 from the starts alone{on}; svtd sweep searches",
                found.first_guess
            ),
        ),
    ];
    let objection = args.n_topics.and_then(|k| found.objection(k));
    Ok(Findings { lines, value: json!(found), objection, notes: Vec::new() })
}

/// The singular values that exceed their errors, and two more.
fn values(visible: usize, all: &[Visible]) -> String {
    let shown = all.iter().take(visible + 2).map(|v| format!("{:.3} +- {:.3}", v.value, v.error));
    format!("values {}", shown.collect::<Vec<_>>().join(", "))
}
