//! `svtd`: topic models from count tables, on the command line.
//!
//! One command for each stage: `check` reports what can be learned from a corpus, `sweep` compares numbers of
//! topics, `fit` learns a model. `count` stores a corpus in a file that `info` describes and `add`, `remove` and
//! `merge` change; `update` adapts a model to it, and `answer` lets documents stay where they are. `topics` shows a
//! model, `infer` applies it to documents, `export` writes its numbers for other programs, `show` explains one
//! document, `report` makes a page, `trends` shows topics over time, `names` stores names of topics, `diff`
//! compares two models, `evaluate` measures one. `demo` shows all of it on a built-in corpus, `generate` generates
//! corpora with known parameters, `reproduce` runs the paper's experiments again. Data go to stdout, messages to
//! stderr; a failure is one line.
//!
//! The exit code is 0 on success, 1 when the data do not support the request, 2 when the request is wrong, 130 when
//! interrupted (143 when told to terminate, 129 on a hang-up).

mod add;
mod answer;
mod args;
mod chart;
mod check;
mod choice;
mod count;
mod demo;
mod diff;
mod dry_run;
mod evaluate;
mod export;
mod failure;
mod fault;
mod fit;
mod forecast;
mod generate;
mod infer;
mod info;
mod input;
mod json;
mod listing;
mod manual;
mod merge;
mod messages;
mod mixtures;
mod names;
mod output;
mod plan;
mod printable;
mod progress;
mod recipe;
mod records;
mod remove;
mod report;
mod reproduce;
mod show;
mod signals;
mod sites;
mod stream;
mod sweep;
mod terminal;
mod threads;
mod topics;
mod trends;
mod trust;
mod update;
mod word_flags;
mod words;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::failure::Outcome;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return failure::of_arguments(&answer),
    };
    fault::reported(|| match svtd::internals::memory::caught(|| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    })
}

fn run(arguments: &Arguments) -> Outcome {
    let common = &arguments.common;
    // Programs that read JSON find nothing on stderr except an error.
    messages::set_quiet(common.quiet || common.json);
    signals::watch();
    match &arguments.command {
        Command::Check(args) => check::run(args, common),
        Command::Sweep(args) => sweep::run(args, common),
        Command::Plan(args) => plan::run(args, common),
        Command::Fit(args) if args.follows_stream() => stream::fit(args, common),
        Command::Fit(args) => fit::run(args, common),
        Command::Count(args) => count::run(args, common),
        Command::Info(args) => info::run(args, common),
        Command::Add(args) => add::run(args, common),
        Command::Remove(args) => remove::run(args, common),
        Command::Merge(args) => merge::run(args, common),
        Command::Answer(args) => answer::run(args, common),
        Command::Update(args) if args.stream.are_on() => stream::update(args, common),
        Command::Update(args) => update::run(args, common),
        Command::Topics(args) => topics::run(args, common),
        Command::Infer(args) => infer::run(args, common),
        Command::Export(args) => export::run(args, common),
        Command::Show(args) => show::run(args, common),
        Command::Report(args) => report::run(args, common),
        Command::Trends(args) => trends::run(args, common),
        Command::Names(args) => names::run(args, common),
        Command::Diff(args) => diff::run(args, common),
        Command::Evaluate(args) => evaluate::run(args, common),
        Command::Demo(args) => demo::run(args, common),
        Command::Words(args) => words::run(args, common),
        Command::Generate(args) => generate::run(args, common),
        Command::Draw(args) => records::draw(args, common),
        Command::Reproduce(args) => reproduce::run(args, common),
        Command::Completions(args) => manual::completions(args, common),
        Command::Man(args) => manual::man(args, common),
    }
}
