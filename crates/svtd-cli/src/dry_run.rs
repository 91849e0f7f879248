//! `svtd fit --dry-run`: estimates what a fit would take, without fitting.
//!
//! It is an estimate and says so.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::json;
use svtd::Corpus;
use svtd::learning::Workload;

use crate::args::{Common, Fit};
use crate::failure::{Failure, Outcome};
use crate::forecast::{self, bytes};
use crate::json;

/// Prints the estimate; `reading` is how long the documents took to read, which a fit needs too.
pub fn tell(
    args: &Fit,
    common: &Common,
    corpus: &Corpus,
    workload: &Workload,
    reading: Duration,
) -> Outcome {
    let operations = [workload.operations(), workload.operations_at_most()];
    let seconds = forecast::seconds(corpus, operations);
    let learning = seconds.map_err(Failure::about(&args.source.name()))?;
    let reading = reading.as_secs_f64();
    let seconds = learning.map(|seconds| reading + seconds);
    let mut out = io::stdout().lock();
    if common.json {
        let parts: Vec<_> = workload
            .parts
            .iter()
            .map(|part| {
                let share = part.operations / workload.operations();
                json!({ "stage": part.stage.name(), "share": share, "passes": part.passes })
            })
            .collect();
        let plan = json!({
            "n_documents": corpus.n_documents(),
            "n_words": corpus.n_present(),
            "n_tokens": corpus.n_tokens(),
            "n_nonzeros": corpus.n_nonzeros(),
            "n_topics": workload.n_topics,
            "memory_bytes": workload.memory.round(),
            "passes": workload.passes(),
            "seconds_estimated": seconds[0],
            "seconds_at_most": seconds[1],
            "seconds_reading": reading,
            "threads": rayon::current_num_threads(),
            "stages": parts,
        });
        writeln!(out, "{}", json::document("dry-run", plan))?;
    } else {
        write_text(&mut out, corpus, workload, seconds)?;
    }
    Ok(out.flush()?)
}

fn write_text(
    out: &mut dyn Write,
    corpus: &Corpus,
    workload: &Workload,
    seconds: [f64; 2],
) -> io::Result<()> {
    let mut line = |name: &str, text: String| writeln!(out, "{name:<12} {text}");
    line(
        "documents",
        format!(
            "{} with {} words, {} of them different, {} counts to store",
            corpus.n_documents(),
            corpus.n_tokens(),
            corpus.n_present(),
            corpus.n_nonzeros()
        ),
    )?;
    line("topics", workload.n_topics.to_string())?;
    line("memory", format!("about {} at the peak", bytes(workload.memory)))?;
    line("passes", format!("about {:.0} over the data", workload.passes()))?;
    let threads = rayon::current_num_threads();
    let plural = if threads == 1 { "" } else { "s" };
    line(
        "time",
        format!(
            "{} with {threads} thread{plural}, reading included: an estimate, from a pass over the documents timed just now",
            forecast::range(seconds)
        ),
    )?;
    writeln!(out, "nothing was fitted; leave out --dry-run to do it")
}
