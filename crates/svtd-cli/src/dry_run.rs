//! `svtd fit --dry-run`: what a fit would take, told without fitting.
//!
//! The library knows the work ([`Workload`]); here one product with the pair moment of this very
//! corpus is timed on this machine, and the time follows. It is an estimate and says so.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde_json::json;
use svtd::linalg::Matrix;
use svtd::model::{Sizes, Workload};
use svtd::moments::{Counting, SingleTopicMoments};
use svtd::{Corpus, DocumentWeights, Moments};

use crate::args::{Common, Fit};
use crate::failure::{Failure, Outcome};
use crate::progress::duration;

/// Products are timed for this long at most, and at least one of them.
const PROBE: Duration = Duration::from_millis(300);

/// Products that are timed at most.
const MOST_PRODUCTS: usize = 20;

/// Prints the plan of a fit.
pub fn tell(args: &Fit, common: &Common, corpus: &Corpus, workload: &Workload) -> Outcome {
    let product = time_of_a_product(corpus).map_err(Failure::about(&args.source.input))?;
    let sizes = Sizes::from(corpus);
    let seconds = product.as_secs_f64() * workload.operations()
        / Workload::product_operations(sizes).max(1.0);
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
            "seconds_estimated": seconds,
            "threads": rayon::current_num_threads(),
            "stages": parts,
        });
        writeln!(out, "{plan:#}")?;
    } else {
        write_text(&mut out, corpus, workload, seconds)?;
    }
    Ok(out.flush()?)
}

fn write_text(
    out: &mut dyn Write,
    corpus: &Corpus,
    workload: &Workload,
    seconds: f64,
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
            "{} with {threads} thread{plural}: an estimate from one product timed just now",
            duration(seconds)
        ),
    )?;
    writeln!(out, "nothing was fitted; leave out --dry-run to do it")
}

/// The best of a few products of the pair moment with as many columns as a fit takes at a time.
fn time_of_a_product(corpus: &Corpus) -> svtd::Result<Duration> {
    let moments = SingleTopicMoments::estimate(corpus, &DocumentWeights::Optimal, Counting::Raw)?;
    let columns = Workload::PRODUCT_COLUMNS;
    let block = Matrix::from_fn(moments.n_features(), columns, |i, j| ((i + j) % 7) as f64);
    let began = Instant::now();
    let mut best = Duration::MAX;
    for _ in 0..MOST_PRODUCTS {
        let since = Instant::now();
        let product = moments.second_times(&block);
        std::hint::black_box(product);
        best = best.min(since.elapsed());
        if began.elapsed() > PROBE {
            break;
        }
    }
    Ok(best)
}

/// Bytes as people say them.
fn bytes(n: f64) -> String {
    match n {
        n if n < 1e6 => format!("{:.0} kB", (n / 1e3).ceil()),
        n if n < 1e9 => format!("{:.0} MB", (n / 1e6).ceil()),
        n => format!("{:.1} GB", n / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        let said = [(1200.0, "2 kB"), (3.2e6, "4 MB"), (2.55e9, "2.5 GB")];
        for (n, sentence) in said {
            assert_eq!(bytes(n), sentence);
        }
    }
}
