//! `svtd answer`: answers the questions of a fit with sums over documents that stay where they are.

use std::path::{Path, PathBuf};
use std::time::Duration;

use svtd::Error;
use svtd::internals::atomic::write_atomically;
use svtd::rounds::sites::{ANSWER, FINISHED, QUESTION, REFUSED};
use svtd::rounds::{Ask, Question, Respondent, digest_of};

use crate::args::{Answer, Common};
use crate::failure::{Failure, Outcome, printable};
use crate::progress::{Detail, Progress};
use crate::{input, messages, output, threads};

/// How often a folder is checked.
const EVERY: Duration = Duration::from_millis(200);

/// Runs the command.
pub fn run(args: &Answer, common: &Common) -> Outcome {
    let folder = args.question.is_dir();
    let wrong = |sentence: &str| Err(Failure::Request(sentence.to_owned()));
    match (folder, args.follow, &args.output) {
        (true, _, Some(_)) => {
            return wrong(
                "-o is for a single question; answers to those of a folder lie beside them",
            );
        }
        (false, true, _) => {
            return wrong("--follow waits for questions in a folder; name the folder");
        }
        _ => (),
    }
    if args.source.input.iter().any(|input| input.as_os_str() == "-") && args.state.is_none() {
        return wrong("documents from standard input have no place beside them; give --state FILE");
    }
    threads::pool(common.threads)?.install(|| answer(args, common, folder))
}

fn answer(args: &Answer, common: &Common, folder: bool) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    progress.reading();
    let corpus = input::corpus(&args.source, &progress)?;
    progress.finish();
    let site = Site { respondent: Respondent::new(corpus, args.min_documents), args };
    if !folder {
        return site.answer(&args.question);
    }
    let mut was_asked = false;
    loop {
        let all = questions(&args.question)?;
        let open: Vec<&PathBuf> =
            all.iter().filter(|path| !path.with_extension(ANSWER).exists()).collect();
        open.iter().try_for_each(|question| site.answer(question))?;
        // If the folder was cleared, there are no more questions either.
        let finished = args.question.join(FINISHED).exists() || was_asked && all.is_empty();
        was_asked |= !all.is_empty();
        if !args.follow || finished {
            if open.is_empty() && !args.follow {
                messages::say("no question is open");
            }
            return Ok(());
        }
        std::thread::sleep(EVERY);
    }
}

/// The questions of a folder, in their order.
fn questions(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let failed =
        |source| Failure::Library(Error::Io { path: folder.display().to_string(), source });
    let mut questions = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == QUESTION) {
            questions.push(path);
        }
    }
    questions.sort();
    Ok(questions)
}

/// The documents of this site, and the rules for answering.
struct Site<'a> {
    respondent: Respondent,
    args: &'a Answer,
}

impl Site<'_> {
    fn answer(&self, path: &Path) -> Outcome {
        let target = match &self.args.output {
            Some(target) => target.clone(),
            None => path.with_extension(ANSWER),
        };
        output::check(&target, self.args.force, &[path])?;
        let name = path.display().to_string();
        let failed = |source| Failure::Library(Error::Io { path: name.clone(), source });
        let bytes = std::fs::read(path).map_err(failed)?;
        let question = Question::from_bytes(&bytes, &name)?;
        let state = self.state();
        let resumed = match std::fs::read(&state) {
            Ok(kept) => self.respondent.resume(&kept, &state.display().to_string(), &question),
            Err(_) => Ok(()),
        };
        let refused = path.with_extension(REFUSED);
        let answer = match resumed.and_then(|()| self.respondent.ask(&question)) {
            Ok(answer) => answer,
            Err(error) => {
                // The fit waits for this site, so it must learn that there will be no answer.
                let sentence = format!("{error}\n");
                write_atomically(&refused, true, |out| out.write_all(sentence.as_bytes()))?;
                return Err(Failure::about(path)(error));
            }
        };
        // The state for the next question is stored before anybody can ask it.
        if question.name() == "look"
            && let Some(kept) = self.respondent.state()?
        {
            write_atomically(&state, true, |out| out.write_all(&kept))?;
        }
        let answer = answer.to_bytes(&digest_of(&bytes))?;
        write_atomically(&target, self.args.force, |out| out.write_all(&answer))?;
        if refused.exists() {
            let _ = std::fs::remove_file(&refused);
        }
        messages::say(&format!("answered {}", printable(&name)));
        Ok(())
    }

    fn state(&self) -> PathBuf {
        let beside = || {
            let input = self.args.source.input.first().cloned().unwrap_or_default();
            let name = input.file_name().unwrap_or_default().to_string_lossy().into_owned();
            input.with_file_name(format!("{name}.state"))
        };
        self.args.state.clone().unwrap_or_else(beside)
    }
}
