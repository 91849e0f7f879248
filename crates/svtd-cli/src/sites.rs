//! `--sites` and `--checkpoint` of `svtd fit`, `svtd sweep` and `svtd check`: documents at other sites, and answers kept in a folder.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use svtd::rounds::{Checkpoint, Respondent, Sites, Waiting};
use svtd::{Corpus, Error};

use crate::args::{AtSites, Fit, Source};
use crate::failure::{Failure, Outcome};
use crate::progress::Progress;

/// How often folders are checked.
const EVERY: Duration = Duration::from_millis(200);

/// The error message for flags of a fit that `--sites` cannot be combined with.
pub fn contradiction(args: &Fit) -> Option<String> {
    args.elsewhere.at.sites.as_ref()?;
    let sentence = match args {
        args if args.report.is_some() => {
            "a page shows documents, which --sites has not; write it with svtd report at a site"
        }
        args if args.dry_run => {
            "--dry-run reads the documents, which --sites has not; try it at a site"
        }
        _ => return input_contradiction(&args.elsewhere.at, &args.source),
    };
    Some(sentence.to_owned())
}

/// The error message for `--sites` together with documents that are here.
pub fn input_contradiction(at: &AtSites, source: &Source) -> Option<String> {
    let both = at.sites.is_some() && !source.input.is_empty();
    both.then(|| {
        "--sites asks about documents elsewhere; leave INPUT out, or give it to a site".to_owned()
    })
}

/// The error message for flags that `--checkpoint` cannot be combined with.
pub fn checkpoint_contradiction(args: &Fit) -> Option<String> {
    args.elsewhere.checkpoint.as_ref()?;
    let sentence = match args {
        args if args.report.is_some() => {
            "a page needs the documents; write it with svtd report when the fit is done"
        }
        _ => return None,
    };
    Some(sentence.to_owned())
}

/// The corpus as one that answers questions, with all answers kept in a folder.
pub fn remembered(corpus: Corpus, folder: &Path) -> Outcome<Corpus> {
    let who = Checkpoint::new(Respondent::new(corpus, 0), folder)?;
    Corpus::elsewhere(Arc::new(who)).map_err(Failure::about(folder))
}

/// The corpus of all sites, and the sites themselves, which are notified at the end.
pub fn corpus(
    args: &AtSites,
    folder: &Path,
    progress: &Progress,
) -> Outcome<(Corpus, impl Fn() -> Outcome + use<>)> {
    let bar = progress.clone();
    let wait = !args.no_wait;
    let wait_for = move |waiting: &Waiting| {
        if !wait {
            let n = waiting.questions.len();
            let first = waiting.questions.first().map(|question| question.display().to_string());
            return Err(Error::Round {
                reason: format!(
                    "{n} {} not answered yet, such as {}; answer {} (svtd answer) and run this again",
                    if n == 1 { "question is" } else { "questions are" },
                    first.unwrap_or_default(),
                    if n == 1 { "it" } else { "them" },
                ),
            });
        }
        bar.waiting(waiting.questions.len(), waiting.asked);
        std::thread::sleep(EVERY);
        Ok(())
    };
    let sites = Arc::new(Sites::open(folder, wait_for)?);
    let corpus = Corpus::elsewhere(Arc::clone(&sites) as _).map_err(Failure::about(folder))?;
    Ok((corpus, move || Ok(sites.finish()?)))
}
