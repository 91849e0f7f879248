//! `svtd report`: a model and its documents as one HTML file.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde_json::json;
use svtd::choosing::Sweep;
use svtd::internals::atomic::write_atomically;
use svtd::persist::Saved;
use svtd::{Corpus, Error};
use svtd_report::{Made, Report as Page, Texts};

use crate::args::{Common, PageFlags, Report, Source};
use crate::failure::{Failure, Outcome, printable};
use crate::progress::{Detail, Progress};
use crate::{input, messages, output, recipe, threads};

/// Runs the command.
pub fn run(args: &Report, common: &Common) -> Outcome {
    let mut inputs = vec![args.model.as_path()];
    inputs.extend(args.source.0.iter().flat_map(Source::files));
    inputs.extend(args.page.sweep.as_deref());
    output::check(&args.output, args.force, &inputs)?;
    if args.source.0.is_none() && args.page.time.is_some() {
        let sentence = "--time names a column of the documents; name them after the model";
        return Err(Failure::Request(sentence.to_owned()));
    }
    threads::pool(common.threads)?.install(|| report(args, common))
}

fn report(args: &Report, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    let saved = input::model(&args.model)?;
    let sweep = args.page.sweep.as_deref().map(read_sweep).transpose()?;
    let corpus = match &args.source.0 {
        Some(source) => Some(input::corpus_for(&saved, source, &progress)?),
        None => None,
    };
    let command = recipe::this_command();
    let mut again = Vec::new();
    if let Some(source) = args.source.0.as_ref().filter(|source| !is_pipe(source)) {
        again.push(recipe::fit(&saved, source, &args.model.display().to_string()));
        again.push(command.clone());
    }
    let made = Made { command, again };
    let documents = corpus.as_ref().zip(args.source.0.as_ref());
    let html = page(&saved, documents, &args.page, sweep.as_ref(), made, &progress)?;
    write(&args.output, args.force, &html, &progress)?;
    if common.json {
        let mut out = io::stdout().lock();
        writeln!(out, "{:#}", json!({ "written": [args.output], "bytes": html.len() }))?;
        out.flush()?;
    }
    Ok(())
}

/// The page of a model, as the flags ask for.
pub fn page(
    saved: &Saved,
    documents: Option<(&Corpus, &Source)>,
    flags: &PageFlags,
    sweep: Option<&Sweep>,
    made: Made,
    progress: &Progress,
) -> Outcome<String> {
    let mut page = with_flags(Page::new(saved).made(made), flags);
    if let Some(sweep) = sweep {
        page = page.sweep(sweep);
    }
    let Some((corpus, source)) = documents else {
        progress.begin("page");
        return Ok(page.to_html()?);
    };
    page = page.documents(corpus);
    if let Some(column) = &flags.time {
        progress.begin("times");
        page = page.times(input::column(source, "--time", column)?);
    }
    let about = Failure::about(&source.name());
    let has_text = !flags.no_text && has_text(source)?;
    progress.begin("page");
    let visit = |visit: &mut dyn FnMut(usize, &str)| input::texts(source, visit);
    let texts: &Texts<'_> = &visit;
    if has_text {
        page = page.texts(texts);
    }
    page.to_html().map_err(about)
}

/// Applies the flags that do not need the documents.
pub fn with_flags<'a>(mut page: Page<'a>, flags: &PageFlags) -> Page<'a> {
    page = page.without_text(flags.no_text);
    if let Some(least) = flags.min_documents {
        page = page.min_documents(least);
    }
    if let Some(n) = flags.documents {
        page = page.n_documents(n);
    }
    if let Some(n) = flags.top_words {
        page = page.n_words(n);
    }
    if let Some(title) = &flags.title {
        page = page.title(title);
    }
    page
}

/// Whether the documents are text, and can be read a second time (not standard input).
fn has_text(source: &Source) -> Outcome<bool> {
    if is_pipe(source) {
        messages::say("note: standard input cannot be read twice, so the page holds no text");
        return Ok(false);
    }
    input::is_text(source)
}

/// Whether the documents came from standard input.
pub fn is_pipe(source: &Source) -> bool {
    source.input.iter().any(|input| input.as_os_str() == "-")
}

/// Writes the page, and prints a message.
pub fn write(path: &Path, overwrite: bool, html: &str, progress: &Progress) -> Outcome {
    progress.begin("writing");
    write_atomically(path, overwrite, |out| out.write_all(html.as_bytes()))?;
    progress.finish();
    let size = html.len().div_ceil(1000);
    messages::say(&format!("saved {} ({size} kB)", printable(&path.display().to_string())));
    Ok(())
}

/// Reads the output of `svtd sweep --json`.
pub fn read_sweep(path: &Path) -> Outcome<Sweep> {
    let text = fs::read_to_string(path).map_err(|source| {
        Failure::Library(Error::Io { path: path.display().to_string(), source })
    })?;
    let sweep: Sweep = serde_json::from_str(&text).map_err(|error| {
        let reason = format!("expected what svtd sweep --json prints, found otherwise: {error}");
        Failure::Refused(path.to_owned(), reason)
    })?;
    if sweep.fits.is_empty() {
        let reason = "the sweep holds no number of topics".to_owned();
        return Err(Failure::Refused(path.to_owned(), reason));
    }
    Ok(sweep)
}
