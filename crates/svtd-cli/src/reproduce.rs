//! `svtd reproduce`: the experiments of the paper's Section 6.
//!
//! The experiments compute and draw (`svtd-experiments`); here progress is reported and their files are written:
//! each completely or not at all, and the report last.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde_json::json;
use svtd::Error;
use svtd::internals::atomic::Together;
use svtd_experiments::{Addresses, Experiment, Plan, Report, Section, dante};

use crate::args::{Common, Name, Reproduce};
use crate::failure::{Failure, Outcome};
use crate::progress::{Detail, Progress};
use crate::{demo, json, output, threads};

/// Runs the command.
pub fn run(args: &Reproduce, common: &Common) -> Outcome {
    let plan = plan(args)?;
    let folder = args.output.as_deref().map(|path| Folder::open(path, args.force)).transpose()?;
    let report = threads::pool(common.threads)?.install(|| reproduce(args, &plan, common))?;
    let files = match &folder {
        Some(folder) => folder.write(&report)?,
        None => Vec::new(),
    };
    let mut out = io::stdout().lock();
    if common.json {
        let sections: Vec<_> = report.sections.iter().map(Section::summary).collect();
        let value = json!({ "experiments": sections, "files": files });
        writeln!(out, "{}", json::line("reproduce", value))?;
    } else {
        report.sections.iter().try_for_each(|section| list(&mut out, section))?;
    }
    out.flush()?;
    if !common.quiet {
        let said = match &args.output {
            Some(path) => format!("{} files in {}", files.len(), path.display()),
            None => "nothing was written; -o DIR keeps numbers, figures and a report".to_owned(),
        };
        let _ = writeln!(io::stderr(), "{said}");
    }
    Ok(())
}

/// Runs them side by side, in the order asked for: timed experiments use one thread and leave the others idle.
fn reproduce(args: &Reproduce, plan: &Plan, common: &Common) -> Outcome<Report> {
    let progress = Progress::new(Detail::chosen(common));
    let experiments = args.experiments();
    let shares = Mutex::new(vec![0; experiments.len()]);
    let tell = |at: usize, done: usize, of: usize| {
        let mut shares = shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares[at] = WHOLE * done / of.max(1);
        progress.portion("experiments", shares.iter().sum(), WHOLE * shares.len());
    };
    let run = |(at, experiment): (usize, &Experiment)| {
        experiment.run(plan, &|done, of| tell(at, done, of))
    };
    let sections = experiments.par_iter().enumerate().map(run).collect::<svtd::Result<_>>()?;
    Ok(Report { made_by: made_by(args), sections })
}

/// The number of progress steps for each experiment.
const WHOLE: usize = 1000;

fn plan(args: &Reproduce) -> Outcome<Plan> {
    let data = args.data.clone().or_else(|| std::env::var_os("SVTD_DATA").map(PathBuf::from));
    if let Some(folder) = args.data.as_deref().filter(|folder| !folder.is_dir()) {
        return Err(cannot(folder, io::ErrorKind::NotFound.into()));
    }
    let given = demo::addresses()?;
    let addresses = Addresses {
        corpus: demo::whole(&given)?,
        years: given.iter().map(|address| address.year).collect(),
        presidents: given.into_iter().map(|address| address.president).collect(),
    };
    let plan = Plan { quick: args.quick, seeds: args.seeds, data, addresses: Some(addresses) };
    // Among others it is skipped, and the report says so; alone there is nothing to do.
    if args.names.contains(&Name::Dante) && plan.folder(dante::FOLDER).is_none() {
        return Err(Failure::Request(dante::HOW_TO_GET.to_owned()));
    }
    Ok(plan)
}

/// The command that makes the same report.
fn made_by(args: &Reproduce) -> String {
    let experiments = args.experiments();
    let names: Vec<&str> = if experiments == Experiment::ALL {
        vec!["all"]
    } else {
        experiments.iter().map(|e| e.name()).collect()
    };
    let quick = if args.quick { " --quick" } else { "" };
    let seeds = args.seeds.map_or(String::new(), |n| format!(" --seeds {n}"));
    format!("svtd {}: svtd reproduce {}{quick}{seeds}", env!("CARGO_PKG_VERSION"), names.join(" "))
}

/// Prints which claims hold and which do not.
fn list(out: &mut dyn Write, section: &Section) -> io::Result<()> {
    writeln!(out, "{}: {}\n", section.name, section.title)?;
    for claim in &section.claims {
        writeln!(out, "  {:<14} {}: {}", claim.verdict.name(), claim.source, claim.said)?;
        writeln!(out, "  {:<14} {}\n", "", claim.measured)?;
    }
    section.notes.iter().try_for_each(|note| writeln!(out, "  note: {note}\n"))
}

/// The folder for the files: created for them, or allowed to be written to.
struct Folder<'a> {
    path: &'a Path,
    force: bool,
    made: bool,
}

impl<'a> Folder<'a> {
    /// Checked before hours of work: the folder exists, and a file can be created in it.
    fn open(path: &'a Path, force: bool) -> Outcome<Self> {
        let made = !path.exists();
        fs::create_dir_all(path).map_err(|error| cannot(path, error))?;
        let folder = Self { path, force, made };
        let mut entries = fs::read_dir(path).map_err(|error| cannot(path, error))?;
        if !force && entries.next().is_some() {
            return Err(Failure::Request(format!(
                "{}: the folder is not empty; name another, or allow overwriting (--force)",
                path.display()
            )));
        }
        output::check(&path.join("report.md"), force, &[])?;
        Ok(folder)
    }

    fn write(&self, report: &Report) -> Outcome<Vec<String>> {
        let mut files = Together::default();
        for (name, content) in report.files() {
            files.write(&self.path.join(&name), self.force, |out| {
                out.write_all(content.as_bytes())
            })?;
        }
        let names = files.paths().iter().map(|path| path.display().to_string()).collect();
        files.finish()?;
        Ok(names)
    }
}

impl Drop for Folder<'_> {
    /// Removes a folder that was created for files that never came, if it is empty.
    fn drop(&mut self) {
        if self.made {
            let _ = fs::remove_dir(self.path);
        }
    }
}

fn cannot(path: &Path, source: io::Error) -> Failure {
    Failure::Library(Error::Io { path: path.display().to_string(), source })
}
