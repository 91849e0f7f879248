//! `svtd check` and `svtd sweep` for models of records: what the data can say before a fit, and
//! every number of classes side by side.

use std::io::{self, Write};

use serde_json::json;
use svtd::models::classes::{Identifiability, LatentClass, Records};
use svtd::models::engine::Criteria;

use super::read;
use crate::args::{AnyKind, Check, Common, Sweep};
use crate::failure::{Failure, Outcome, printable};
use crate::{json, threads};

/// Whether so many classes can be identified at all.
pub fn check(args: &Check, common: &Common) -> Outcome {
    classes_alone(args.model)?;
    if matches!(args.model, AnyKind::Hmm | AnyKind::Gaussian) {
        return Err(Failure::Request(
            "check is for documents and classes; for states and components svtd sweep compares \
             all numbers of them"
                .to_owned(),
        ));
    }
    threads::pool(common.threads)?.install(|| {
        let table = read(&args.source, &args.records.reader())?;
        let about = Failure::about(&args.source.name());
        let records = Records::from_table(&table, &args.records.choice()).map_err(about)?;
        let found = Identifiability::of(&records);
        let objection = args.n_topics.and_then(|k| found.objection(k));
        let mut out = io::stdout().lock();
        if common.json {
            let mut value = json!(found);
            value["objection"] = json!(objection);
            value["notes"] = json!(records.notes());
            writeln!(out, "{}", json::document("records-check", value))?;
        } else {
            write_check(&mut out, &records, &found)?;
            if let Some(objection) = &objection {
                writeln!(out, "{:<20} {objection}", "verdict")?;
            }
        }
        Ok(out.flush()?)
    })
}

fn write_check(out: &mut dyn Write, records: &Records, found: &Identifiability) -> io::Result<()> {
    let mut line = |name: &str, sentence: String| writeln!(out, "{name:<20} {sentence}");
    line(
        "records",
        format!(
            "{} with {} different patterns of answers; {} answers missing",
            found.n_records, found.n_patterns, found.n_missing
        ),
    )?;
    line(
        "items",
        format!("{}, of {} categories in all", records.items().len(), records.n_categories()),
    )?;
    line(
        "identified",
        match found.most_classes {
            1 => "no two classes for sure: three items are needed at least".to_owned(),
            most => format!("up to {most} classes for sure (Allman, Matias and Rhodes 2009)"),
        },
    )?;
    let values: Vec<String> = found
        .singular_values
        .iter()
        .take(found.visible + 2)
        .map(|v| format!("{:.3} +- {:.3}", v.value, v.error))
        .collect();
    line(
        "visible classes",
        format!("{} in pairs of answers (values {})", found.visible, values.join(", ")),
    )?;
    for note in records.notes() {
        line("note", printable(note))?;
    }
    Ok(())
}

/// Every number of classes of a range.
pub fn sweep(args: &Sweep, common: &Common) -> Outcome {
    classes_alone(args.model)?;
    if matches!(args.model, AnyKind::Hmm | AnyKind::Gaussian) {
        return super::sequences::sweep(args, common);
    }
    threads::pool(common.threads)?.install(|| {
        let table = read(&args.source, &args.records.reader())?;
        let about = Failure::about(&args.source.name());
        let records = Records::from_table(&table, &args.records.choice()).map_err(&about)?;
        let mut params = LatentClass::params(1).prior(args.records.prior.unwrap_or(1.0));
        if let Some(effort) = args.records.effort {
            params = params.effort(effort.into());
        }
        let most = args.compared.most().min(records.n_patterns());
        let range = args.compared.least().min(most)..=most;
        let mut path = params.path(&records, range).map_err(&about)?;
        path.retain(|fit| args.compared.contains(fit.n_classes()) || fit.n_classes() == most);
        let mut out = io::stdout().lock();
        if common.json {
            let one = |fit: &LatentClass| {
                let mut value = json!(fit.summary().criteria);
                value["n_classes"] = json!(fit.n_classes());
                value["relative_entropy"] = json!(fit.summary().relative_entropy);
                value["agreement"] = json!(fit.summary().agreement());
                value
            };
            let fits: Vec<_> = path.iter().map(one).collect();
            let told = json!({ "fits": fits, "best": best(&path) });
            writeln!(out, "{}", json::document("records-sweep", told))?;
        } else {
            write_sweep(&mut out, &path)?;
        }
        Ok(out.flush()?)
    })
}

/// The numbers of classes with the least AIC3, AIC and BIC.
fn best(path: &[LatentClass]) -> serde_json::Value {
    let least = |value: fn(&Criteria) -> f64| {
        let of = |fit: &LatentClass| value(&fit.summary().criteria);
        path.iter().min_by(|a, b| of(a).total_cmp(&of(b))).map(LatentClass::n_classes)
    };
    json!({ "aic3": least(|c| c.aic3), "aic": least(|c| c.aic), "bic": least(|c| c.bic) })
}

fn write_sweep(out: &mut dyn Write, path: &[LatentClass]) -> io::Result<()> {
    writeln!(
        out,
        "classes  log-likelihood  parameters         AIC        AIC3         BIC  entropy  starts agree"
    )?;
    for fit in path {
        let (summary, c) = (fit.summary(), &fit.summary().criteria);
        let (reached, starts) = summary.agreement();
        writeln!(
            out,
            "{:7}  {:14.3}  {:10}  {:10.2}  {:10.2}  {:10.2}  {:7.3}  {reached} of {starts}",
            fit.n_classes(),
            c.log_likelihood,
            c.n_parameters,
            c.aic,
            c.aic3,
            c.bic,
            summary.relative_entropy,
        )?;
    }
    let told = best(path);
    writeln!(out)?;
    writeln!(
        out,
        "AIC3 asks for {} classes, AIC for {}, BIC for {}",
        told["aic3"], told["aic"], told["bic"]
    )
}

fn classes_alone(model: AnyKind) -> Outcome {
    match model {
        AnyKind::Raters => Err(Failure::Request(
            "raters have as many labels as were given; fit them without check or sweep".to_owned(),
        )),
        _ => Ok(()),
    }
}
