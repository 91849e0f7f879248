//! Section 6.2.1: how long each method takes.
//!
//! The corpora of the paper's setting again, fitted one after the other on one thread: CPU seconds from counts to
//! parameters. Only ratios to the tensor power method can be compared between machines.

use crate::clock::timed;
use crate::contestants::{Contestant, Sample, paper_lengths};
use crate::report::{Claim, Drawing, Numbers, Section, Verdict};
use crate::seeds::seed;
use crate::statistics::{Mean, median};
use crate::table::{Cell, Table};
use crate::{Plan, Watch};
use svtd_report::figure::{Axis, Figure, Panel, Scale, Series};

const N_WORDS: usize = 100;
const N_TOPICS: usize = 5;
const SIZES: [usize; 5] = [50, 100, 200, 500, 1000];
const QUICK_SIZES: [usize; 2] = [100, 500];

/// Seconds of all methods on one corpus.
struct Run {
    n_documents: usize,
    corpus: usize,
    seconds: Vec<f64>,
}

/// Runs the experiment.
///
/// # Errors
/// Drawn corpora can be fitted; none is expected.
pub fn run(plan: &Plan, watch: Watch<'_>) -> svtd::Result<Section> {
    let sizes = plan.sizes(&SIZES, &QUICK_SIZES);
    let n_corpora = plan.n_corpora(20, 3);
    let total = sizes.len() * n_corpora;
    let mut runs = Vec::with_capacity(total);
    // One-time initialisation is not part of any method's time.
    one(sizes[0], 0)?;
    for &n in &sizes {
        for corpus in 0..n_corpora {
            watch(runs.len(), total);
            runs.push(one(n, corpus)?);
        }
    }
    Ok(section(&Summary { runs: &runs, sizes: &sizes }, n_corpora))
}

fn one(n_documents: usize, corpus: usize) -> svtd::Result<Run> {
    let seed = seed(&format!("time/{n_documents}"), corpus);
    let sample = Sample::draw(N_WORDS, N_TOPICS, n_documents, &paper_lengths(), seed);
    let mut seconds = Vec::new();
    for contestant in Contestant::METHODS {
        let fit = || contestant.learn(&sample.corpus, N_TOPICS, seed, &|_| {});
        let (fitted, time) = timed(fit)?;
        fitted?;
        seconds.push(time);
    }
    Ok(Run { n_documents, corpus, seconds })
}

struct Summary<'a> {
    runs: &'a [Run],
    sizes: &'a [usize],
}

impl Summary<'_> {
    fn seconds(&self, contestant: Contestant, n: usize) -> Vec<f64> {
        let at = Contestant::METHODS.iter().position(|c| *c == contestant).unwrap_or_default();
        let of_size = self.runs.iter().filter(|run| run.n_documents == n);
        of_size.map(|run| run.seconds[at]).collect()
    }

    /// Medians, because a single interruption does not change them.
    fn median(&self, contestant: Contestant, n: usize) -> f64 {
        median(&self.seconds(contestant, n))
    }
}

fn section(summary: &Summary<'_>, n_corpora: usize) -> Section {
    let mut section = Section::new("time", "how long each method takes (Section 6.2.1)");
    section.setting = format!(
        "{n_corpora} corpora for each N, n = {N_WORDS}, k = {N_TOPICS}, 3 to 99 words a document; CPU seconds of one thread \
         from counts to parameters. Nobody's tensor is formed here: all methods work on the sparse counts, the \
         tensor power method on the whitened 5 x 5 x 5 cube."
    );
    section.paper_figure =
        "Bars of mean seconds: the three matrix methods alike, SVTD slightly above them for the choice of its \
         feature, the tensor power method far above all."
            .to_owned();
    section.claims = claims(summary);
    section.drawings.push(drawing(summary));
    section.tables.push(table(summary));
    section.numbers.push(Numbers { name: "time".to_owned(), table: raw(summary.runs) });
    section
}

fn claims(summary: &Summary<'_>) -> Vec<Claim> {
    let Some(&n) = summary.sizes.last() else { return Vec::new() };
    let of = |c| summary.median(c, n) / summary.median(Contestant::TensorPower, n);
    let [svtd, eigen, singular, ours] = [
        Contestant::Svtd,
        Contestant::Eigenvectors,
        Contestant::SingularVectors,
        Contestant::Default,
    ]
    .map(of);
    vec![
        Claim::new(
            "Section 6.2.1",
            "matrix methods are faster than the tensor power method, whose dependence on k is worse",
            format!(
                "times relative to the tensor power method at N = {n}: eigenvectors {eigen:.2}, singular vectors \
                 {singular:.2}; with k = 5 the implicit moments cost more than any decomposition, see scaling for k"
            ),
            if eigen < 0.9 && singular < 0.9 { Verdict::Holds } else { Verdict::Partly },
        ),
        Claim::new(
            "Section 6.2.1",
            "SVTD takes slightly longer than the other matrix methods, to choose its feature",
            format!(
                "relative to the tensor power method: SVTD {svtd:.2}, our default with its polish {ours:.2}"
            ),
            Verdict::of(svtd > eigen.min(singular)),
        ),
    ]
}

fn drawing(summary: &Summary<'_>) -> Drawing {
    let series: Vec<Series> = Contestant::METHODS
        .into_iter()
        .map(|c| Series {
            name: c.name().to_owned(),
            style: c.style(),
            points: summary
                .sizes
                .iter()
                .map(|&n| Mean::of(&summary.seconds(c, n)).point(n as f64))
                .collect(),
        })
        .collect();
    let heights = series.iter().flat_map(|s| s.points.iter().map(|p| p.y));
    let panel = Panel {
        title: "from counts to parameters, one thread".to_owned(),
        y: Axis::around("CPU seconds, mean", Scale::Log, heights),
        x: Axis::around("documents, N", Scale::Log, summary.sizes.iter().map(|&n| n as f64)),
        series,
        dividers: Vec::new(),
        shaded: None,
    };
    let mut figure = Figure::of_panels("Time of a fit, n = 100, k = 5", vec![panel]);
    figure.size = (560.0, 320.0);
    Drawing {
        name: "time".to_owned(),
        caption: "CPU seconds of a fit against the number of documents, both axes logarithmic; bands of two \
                  standard errors over the corpora."
            .to_owned(),
        figure,
    }
}

fn table(summary: &Summary<'_>) -> Table {
    let mut head = vec!["method".to_owned()];
    head.extend(summary.sizes.iter().map(|n| format!("N = {n}")));
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table =
        Table::new("Median CPU milliseconds (relative to the tensor power method)", &head);
    for c in Contestant::METHODS {
        let mut row: Vec<Cell> = vec![c.name().into()];
        for &n in summary.sizes {
            let (own, power) = (summary.median(c, n), summary.median(Contestant::TensorPower, n));
            row.push(format!("{:.2} ({:.2})", 1e3 * own, own / power).into());
        }
        table.push(row);
    }
    table
}

fn raw(runs: &[Run]) -> Table {
    let mut table = Table::new("", &["documents", "corpus", "method", "cpu_seconds"]);
    for run in runs {
        for (c, seconds) in Contestant::METHODS.into_iter().zip(&run.seconds) {
            table.push(vec![
                run.n_documents.into(),
                run.corpus.into(),
                c.name().into(),
                (*seconds).into(),
            ]);
        }
    }
    table
}
