//! `svtd completions` and `svtd man`: generated from the definitions that parse the command line.

use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man as Page;
use serde_json::json;
use svtd::internals::atomic::Together;

use crate::args::{Arguments, Common, Completions, Man};
use crate::failure::{Outcome, printable};
use crate::json;
use crate::output;

/// Runs `svtd completions`.
pub fn completions(args: &Completions, common: &Common) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "svtd", &mut script);
    let mut out = io::stdout().lock();
    if common.json {
        let script = String::from_utf8_lossy(&script);
        let value = json!({ "shell": args.shell.to_string(), "script": script });
        writeln!(out, "{}", json::document("completions", value))?;
    } else {
        out.write_all(&script)?;
    }
    Ok(out.flush()?)
}

/// Runs `svtd man`.
pub fn man(args: &Man, common: &Common) -> Outcome {
    let pages = pages()?;
    let mut out = io::stdout().lock();
    let Some(folder) = &args.output else {
        // The first page is that of the program itself.
        for (name, text) in pages.iter().take(1) {
            if common.json {
                let text = String::from_utf8_lossy(text);
                let value = json!({ "page": name, "text": text });
                writeln!(out, "{}", json::document("man", value))?;
            } else {
                out.write_all(text)?;
            }
        }
        return Ok(out.flush()?);
    };
    let written = write_pages(folder, args.force, &pages)?;
    if common.json {
        writeln!(out, "{}", json::document("written", json!({ "written": written })))?;
    } else if !common.quiet {
        let folder = printable(&folder.display().to_string());
        // A message that cannot be printed is no reason to fail.
        let _ = writeln!(io::stderr(), "saved {} pages in {folder}", written.len());
    }
    Ok(out.flush()?)
}

/// All pages are checked before any is written.
fn write_pages(folder: &Path, force: bool, pages: &[(String, Vec<u8>)]) -> Outcome<Vec<String>> {
    let paths: Vec<_> = pages.iter().map(|(name, _)| folder.join(name)).collect();
    for path in &paths {
        output::check(path, force, &[])?;
    }
    let mut files = Together::default();
    for (path, (_, text)) in paths.iter().zip(pages) {
        files.write(path, force, |out| out.write_all(text))?;
    }
    files.finish()?;
    Ok(paths.iter().map(|path| path.display().to_string()).collect())
}

/// The name and text of every page: the program, then its commands.
fn pages() -> Outcome<Vec<(String, Vec<u8>)>> {
    let mut program = Arguments::command();
    // Gives every command its full name: svtd-fit, `svtd fit`.
    program.build();
    let mut pages = vec![page(&program)?];
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        pages.push(page(command)?);
    }
    Ok(pages)
}

fn page(command: &clap::Command) -> Outcome<(String, Vec<u8>)> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut text = Vec::new();
    Page::new(command.clone()).render(&mut text)?;
    Ok((format!("{name}.1"), text))
}
