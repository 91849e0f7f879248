//! `svtd sweep` for models of records: compares all numbers of classes of a range.

use std::io::{self, Write};

use serde_json::json;
use svtd::models::classes::{LatentClass, Records};
use svtd::models::engine::Criteria;

use super::{counted_alone, read};
use crate::args::{AnyKind, Common, Sweep};
use crate::failure::{Failure, Outcome};
use crate::{json, threads};

/// Fits every number of classes of a range.
pub fn sweep(args: &Sweep, common: &Common) -> Outcome {
    counted_alone(args.model)?;
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
            let value = json!({ "fits": fits, "best": best(&path) });
            writeln!(out, "{}", json::document("records-sweep", value))?;
        } else {
            write_sweep(&mut out, &path)?;
        }
        Ok(out.flush()?)
    })
}

/// The numbers of classes with the smallest AIC3, AIC and BIC.
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
    let best = best(path);
    writeln!(out)?;
    writeln!(
        out,
        "AIC3 asks for {} classes, AIC for {}, BIC for {}",
        best["aic3"], best["aic"], best["bic"]
    )
}
