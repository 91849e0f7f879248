//! `svtd fit` for models of records.

use std::io::{self, Write};

use serde_json::json;
use svtd::models::classes::{LatentClass, Records};
use svtd::models::learned::{self, Learned};
use svtd::models::raters::{Raters, Ratings};
use svtd::models::saved;
use svtd::models::table::Table;

use super::{listing, read, sequences};
use crate::args::{AnyKind, Common, Fit, TopicCount};
use crate::failure::{Failure, Outcome, printable};
use crate::progress::{Detail, Progress};
use crate::terminal::Screen;
use crate::{json, output, threads};

/// Learns a model of records.
pub fn fit(args: &Fit, common: &Common) -> Outcome {
    if let Some(flag) = args.of_topics() {
        return Err(Failure::Request(format!("{flag} is for models of topics")));
    }
    if let Some(flag) = args.records.of_others(args.model) {
        return Err(Failure::Request(format!("{flag} is for another model of records")));
    }
    if let Some(path) = &args.output {
        output::check(path, args.force, &args.source.files())?;
    }
    threads::pool(common.threads)?.install(|| learn_and_tell(args, common))
}

fn learn_and_tell(args: &Fit, common: &Common) -> Outcome {
    let table = read(&args.source, &args.records.reader())?;
    let progress = Progress::new(Detail::chosen(common));
    let model = learn(args, &table, &progress).map_err(Failure::about(&args.source.name()))?;
    if let Some(path) = &args.output {
        progress.begin("writing");
        saved::save(&*model, &table.digest(), path, args.force)?;
    }
    progress.finish();
    tell(args, common, &*model)
}

/// Learns the model that was asked for.
fn learn(args: &Fit, table: &Table, progress: &Progress) -> svtd::Result<Box<dyn Learned>> {
    let watch = |done: usize, of: usize| progress.portion("learning", done, of);
    let flags = &args.records;
    Ok(match args.model {
        AnyKind::Raters => {
            let columns = flags.rater_columns(args.source.columns.label_column.as_deref());
            let ratings = Ratings::from_table(table, &columns)?;
            check_labels(args.n_topics, &ratings)?;
            let params = Raters::params().columns(&columns).error_bars(!args.no_trust);
            progress.begin("learning");
            Box::new(params.prior(flags.prior.unwrap_or(1.0)).fit(&ratings)?)
        }
        AnyKind::Hmm => Box::new(sequences::learn_hmm(args, table, &watch)?),
        AnyKind::Gaussian => Box::new(sequences::learn_gaussian(args, table, &watch)?),
        _ => {
            let records = Records::from_table(table, &flags.choice())?;
            let params = match args.n_topics {
                Some(TopicCount::Given(k)) => LatentClass::params(k),
                _ => LatentClass::auto(),
            };
            let mut params = params.error_bars(!args.no_trust).prior(flags.prior.unwrap_or(1.0));
            if let Some(effort) = flags.effort {
                params = params.effort(effort.into());
            }
            if let Some(criterion) = flags.criterion {
                params = params.criterion(criterion.into());
            }
            Box::new(params.fit_watched(&records, &watch)?)
        }
    })
}

/// Returns an error for a number that is not that of the labels, which raters have been given.
fn check_labels(asked: Option<TopicCount>, ratings: &Ratings) -> svtd::Result<()> {
    let n = ratings.n_labels();
    let found = match asked {
        None => return Ok(()),
        Some(TopicCount::Given(k)) if k == n => return Ok(()),
        Some(TopicCount::Given(k)) => k.to_string(),
        Some(TopicCount::Auto) => "auto".to_owned(),
    };
    let needed = format!("left out for raters, or {n}, the number of different labels");
    Err(svtd::Error::Option { name: "-k", needed, found })
}

fn tell(args: &Fit, common: &Common, model: &dyn Learned) -> Outcome {
    let mut out = io::stdout().lock();
    let saved = args.output.as_ref().map(|path| path.display().to_string());
    if common.json {
        let mut object = learned::to_json(model)?;
        object.insert("saved".to_owned(), json!(saved));
        writeln!(out, "{}", json::document("records-model", json!(object)))?;
    } else {
        listing::write_all(&mut out, &Screen::stdout(common), &model.listings(), Some(12))?;
    }
    out.flush()?;
    if !common.quiet {
        let mut err = io::stderr().lock();
        // A message that cannot be printed is no reason to fail.
        let _ = listing::write_facts(&mut err, model);
        let _ = match saved {
            Some(path) => writeln!(err, "saved {}", printable(&path)),
            None => writeln!(err, "nothing was saved; add -o FILE to keep the model"),
        };
    }
    Ok(())
}
