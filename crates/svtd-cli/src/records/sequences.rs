//! Hidden Markov models and Gaussian mixtures from the flags of the command line.

use std::io::{self, Write};

use serde_json::json;
use svtd::models::engine::Criteria;
use svtd::models::gaussian::{GaussianMixture, GaussianMixtureParams, Points, Prior};
use svtd::models::hmm::{Hmm, HmmParams};
use svtd::models::table::Table;

use super::read;
use crate::args::{AnyKind, Common, Fit, RecordFlags, Sweep, TopicCount};
use crate::failure::{Failure, Outcome};
use crate::progress::{Detail, Progress};
use crate::{json, messages, threads};

/// The largest number of components that `-k auto` tries.
const MOST: usize = 8;

type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Learns a hidden Markov model from a long table.
pub fn learn_hmm(args: &Fit, table: &Table, watch: Watch<'_>) -> svtd::Result<Hmm> {
    let flags = &args.records;
    let columns = flags.sequence_columns();
    let read = columns.read(table, flags.emissions.map(Into::into))?;
    let params = match args.n_topics {
        Some(TopicCount::Given(k)) => Hmm::params(k),
        _ => Hmm::params_auto(MOST),
    };
    let model = hmm_options(params, flags).error_bars(!args.no_trust);
    // Printed, not stored: how the rows stood in the file is no part of the model.
    read.notes.iter().for_each(|note| messages::say(note));
    warn(model.doubt(&read.sequences)?);
    Ok(model.fit_watched(&read.sequences, watch)?.with_columns(columns))
}

fn hmm_options(mut params: HmmParams, flags: &RecordFlags) -> HmmParams {
    if let Some(prior) = flags.prior {
        params = params.prior(prior);
    }
    if let Some(effort) = flags.effort {
        params = params.effort(effort.into());
    }
    if let Some(criterion) = flags.criterion {
        params = params.criterion(criterion.into());
    }
    params
}

/// Learns a Gaussian mixture from columns of numbers.
pub fn learn_gaussian(
    args: &Fit,
    table: &Table,
    watch: Watch<'_>,
) -> svtd::Result<GaussianMixture> {
    let flags = &args.records;
    let points = Points::from_table(table, &flags.items, flags.weight_column.as_deref())?;
    let params = match args.n_topics {
        Some(TopicCount::Given(k)) => GaussianMixture::params(k),
        _ => GaussianMixture::params_auto(MOST),
    };
    let params = gaussian_options(params, flags).error_bars(!args.no_trust);
    warn(params.doubt(&points)?);
    params.fit_watched(&points, watch)
}

/// Says before a fit what speaks against it.
fn warn(doubt: Option<String>) {
    if let Some(doubt) = doubt {
        messages::say(&format!("note: {doubt}"));
    }
}

fn gaussian_options(
    mut params: GaussianMixtureParams,
    flags: &RecordFlags,
) -> GaussianMixtureParams {
    if let Some(covariance) = flags.covariance {
        params = params.covariance(covariance.into());
    }
    if let Some(prior) = flags.prior {
        params = params.prior(Prior::Records(prior));
    }
    if let Some(effort) = flags.effort {
        params = params.effort(effort.into());
    }
    if let Some(criterion) = flags.criterion {
        params = params.criterion(criterion.into());
    }
    params
}

/// Prints the criteria for every number of states or components of a range.
pub fn sweep(args: &Sweep, common: &Common) -> Outcome {
    threads::pool(common.threads)?.install(|| {
        let table = read(&args.source, &args.records.reader())?;
        let about = Failure::about(&args.source.name());
        let progress = Progress::new(Detail::chosen(common));
        progress.begin("learning");
        let watch = |done: usize, of: usize| progress.portion("learning", done, of);
        let mut path = criteria(args, &table, &watch).map_err(&about)?;
        progress.finish();
        path.retain(|(k, _)| args.compared.contains(*k));
        let word = if args.model == AnyKind::Hmm { "states" } else { "components" };
        let best = |value: fn(&Criteria) -> f64| {
            path.iter().min_by(|a, b| value(&a.1).total_cmp(&value(&b.1))).map(|(k, _)| *k)
        };
        let best = (best(|c| c.aic3), best(|c| c.aic), best(|c| c.bic));
        let mut out = io::stdout().lock();
        if common.json {
            let one = |(k, criteria): &(usize, Criteria)| {
                let mut value = json!(criteria);
                value[format!("n_{word}")] = json!(k);
                value
            };
            let fits: Vec<_> = path.iter().map(one).collect();
            let best = json!({ "aic3": best.0, "aic": best.1, "bic": best.2 });
            let value = json!({ "fits": fits, "best": best });
            writeln!(out, "{}", json::document("records-sweep", value))?;
        } else {
            writeln!(
                out,
                "{word:>10}  log-likelihood  parameters         AIC        AIC3         BIC"
            )?;
            for (k, c) in &path {
                writeln!(
                    out,
                    "{k:10}  {:14.3}  {:10}  {:10.2}  {:10.2}  {:10.2}",
                    c.log_likelihood, c.n_parameters, c.aic, c.aic3, c.bic
                )?;
            }
            let or_one = |k: Option<usize>| k.unwrap_or(1);
            writeln!(
                out,
                "\nAIC3 asks for {} {word}, AIC for {}, BIC for {}",
                or_one(best.0),
                or_one(best.1),
                or_one(best.2)
            )?;
        }
        Ok(out.flush()?)
    })
}

fn criteria(args: &Sweep, table: &Table, watch: Watch<'_>) -> svtd::Result<Vec<(usize, Criteria)>> {
    let (flags, most) = (&args.records, args.compared.most());
    if args.model == AnyKind::Hmm {
        let read = flags.sequence_columns().read(table, flags.emissions.map(Into::into))?;
        return hmm_options(Hmm::params(1), flags).sweep_watched(&read.sequences, most, watch);
    }
    let points = Points::from_table(table, &flags.items, flags.weight_column.as_deref())?;
    gaussian_options(GaussianMixture::params(1), flags).sweep_watched(&points, most, watch)
}
