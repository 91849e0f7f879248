//! `svtd fit`: counts in, a model out.

use std::io::{self, Write};

use serde_json::json;
use svtd::choosing::MOST_TOPICS;
use svtd::fit::{LdaParams, SingleTopicParams, Sizes, Step, Workload};
use svtd::model::WordOrder;
use svtd::moments::Rows;
use svtd::{Corpus, Lda, Model, SingleTopic};

use crate::args::{Common, Fit, Method, ModelKind, TopicCount};
use crate::failure::{Failure, Outcome, printable};
use crate::listing::{self, Listing};
use crate::progress::{Detail, Progress};
use crate::terminal::Screen;
use crate::{choice, dry_run, input, output, threads, trust};

/// Runs the command.
pub fn run(args: &Fit, common: &Common) -> Outcome {
    if let Some(sentence) = args.contradiction() {
        return Err(Failure::Request(sentence));
    }
    if let Some(path) = &args.output {
        output::check(path, args.force, &args.source.files())?;
    }
    threads::pool(common.threads)?.install(|| fit(args, common))
}

fn fit(args: &Fit, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    progress.reading();
    // Nobody asks for the order in which documents were read, and the other need not be made twice.
    let corpus = input::corpus(&args.source, &progress)?.into_key_order();
    let about = Failure::about(&args.source.name());
    let params = Params::chosen(args, &corpus, &progress).map_err(&about)?;
    let workload = params.workload(Sizes::from(&corpus));
    if args.dry_run {
        progress.finish();
        return dry_run::tell(args, common, &corpus, &workload);
    }
    progress.expect(&workload);
    let learned = params.fit_watched(&corpus, &|step| progress.step(step));
    let model = learned.map_err(about)?;
    if let Some(path) = &args.output {
        progress.begin("writing");
        model.save(path, &corpus, args.force)?;
    }
    progress.finish();
    print(args, common, &corpus, &model)
}

/// The number of topics given, or chosen from the data with everything else as asked.
macro_rules! with_topics {
    ($params:expr, $args:expr, $corpus:expr, $progress:expr) => {{
        let params = $params;
        match $args.n_topics {
            TopicCount::Given(_) => params,
            TopicCount::Auto => {
                $progress.begin("choosing k");
                params.choose_topics($corpus, MOST_TOPICS)?
            }
        }
    }};
}

/// The choices of the command line, on the parameters of either model.
macro_rules! with_choices {
    ($params:expr, $args:expr) => {{
        let (mut params, args) = ($params, $args);
        params = params.allow_fewer(args.allow_fewer).trust(!args.no_trust);
        if let Some(splits) = args.splits {
            params = params.splits(splits);
        }
        if args.paper {
            params = params.paper();
        }
        // After --paper, so that what is given explicitly wins.
        if let Some(weights) = args.weights {
            params = params.weights(weights.with_seed(args.chance.seed));
        }
        if let Some(whitening) = args.whitening {
            params = params.whitening(whitening.into());
        }
        if let Some(method) = args.method.and_then(|m| m.with_seed(args.chance.seed)) {
            params = params.method(method);
            // --paper removes rows from slices that only the paper's method has.
            if method != svtd::Method::Svtd {
                params = params.rows(Rows::Kept);
            }
        }
        if let Some(rows) = args.rows {
            params = params.rows(rows.into());
        }
        if let Some(polish) = args.polish {
            params = params.polish(polish);
        }
        params
    }};
}

/// The parameters of either model.
enum Params {
    Lda(LdaParams),
    SingleTopic(SingleTopicParams),
}

impl Params {
    fn chosen(args: &Fit, corpus: &Corpus, progress: &Progress) -> svtd::Result<Self> {
        let k = match args.n_topics {
            TopicCount::Given(k) => k,
            TopicCount::Auto => 1,
        };
        Ok(match args.model {
            ModelKind::Lda => {
                let mut params = with_choices!(Lda::params(k), args);
                if let Some(alpha0) = args.alpha0 {
                    params = params.alpha0(alpha0);
                }
                if args.method == Some(Method::Gibbs) {
                    params = params.by_gibbs(args.classical.gibbs(args.chance.seed));
                }
                Params::Lda(with_topics!(params, args, corpus, progress))
            }
            ModelKind::SingleTopic => {
                let mut params = with_choices!(SingleTopic::params(k), args);
                if args.method == Some(Method::Em) {
                    params = params.by_em(args.classical.em(args.chance.seed));
                }
                Params::SingleTopic(with_topics!(params, args, corpus, progress))
            }
        })
    }

    fn workload(&self, sizes: Sizes) -> Workload {
        match self {
            Params::Lda(params) => params.workload(sizes),
            Params::SingleTopic(params) => params.workload(sizes),
        }
    }

    fn fit_watched(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> svtd::Result<Model> {
        match self {
            Params::Lda(params) => params.fit_watched(corpus, watch).map(Model::Lda),
            Params::SingleTopic(params) => {
                params.fit_watched(corpus, watch).map(Model::SingleTopic)
            }
        }
    }
}

fn print(args: &Fit, common: &Common, corpus: &Corpus, model: &Model) -> Outcome {
    let listing = Listing::new(model, WordOrder::Probability, listing::TOP_WORDS)?;
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = listing.to_json();
        let saved = args.output.as_ref().map(|path| path.display().to_string());
        object.insert("saved".to_owned(), json!(saved));
        writeln!(out, "{:#}", json!(object))?;
    } else {
        listing.write_table(&mut out, &Screen::stdout(common))?;
    }
    out.flush()?;
    if !common.quiet {
        // A message that cannot be shown is no reason to fail.
        let _ = write_messages(args, corpus, model);
    }
    Ok(())
}

fn write_messages(args: &Fit, corpus: &Corpus, model: &Model) -> io::Result<()> {
    let mut err = io::stderr().lock();
    writeln!(err)?;
    if let Some(choice) = &model.options().chosen {
        let (k, why) = (choice.n_topics, choice::sentence(choice));
        writeln!(err, "{:<20} {k}, by -k auto: {why}", "topics")?;
    }
    trust::write_summary(&mut err, model.diagnostics())?;
    trust::write_remarks(&mut err, corpus.report())?;
    match &args.output {
        Some(path) => writeln!(err, "saved {}", printable(&path.display().to_string())),
        None => writeln!(err, "nothing was saved; add -o FILE to keep the model"),
    }
}
