//! The results of the timing: claims, figures and tables.

use super::work::{MOST_ROUNDS, N_COMPONENTS, N_ROUNDS};
use super::{Axes, Most, Run, Seconds};
use crate::Plan;
use crate::contestants::Contestant;
use crate::report::{Claim, Drawing, Numbers, Section, Verdict};
use crate::statistics::{Mean, exponent};
use crate::table::{Cell, Table, four_digits};
use svtd_report::figure::{Axis, Figure, Panel, Point, Scale, Series};

/// Number of sizes to which an exponent is fitted, the largest ones: there the fastest-growing term dominates.
const FITTED: usize = 3;

/// Methods with a rotation stage of their own.
const ROTATIONS: [Contestant; 6] = [
    Contestant::Svtd,
    Contestant::TensorPower,
    Contestant::Eigenvectors,
    Contestant::SingularVectors,
    Contestant::Als,
    Contestant::Joint,
];

const WHOLE: fn(&Run) -> Option<Seconds> = |run| run.whole;
const ROTATION: fn(&Run) -> Option<Seconds> = |run| run.rotation;
const ALONE: fn(&Run) -> Option<Seconds> = |run| run.alone;

struct Summary<'a> {
    runs: &'a [Run],
    plan: &'a Plan,
}

/// The mean over the corpora of a size.
struct Stretch {
    size: usize,
    seconds: Mean,
    /// The share of the work that was measured.
    share: f64,
}

impl Summary<'_> {
    fn stretches(
        &self,
        axes: Axes,
        contestant: Contestant,
        value: fn(&Run) -> Option<Seconds>,
    ) -> Vec<Stretch> {
        let of_size = |size: usize| {
            let chosen =
                |run: &&Run| run.axes == axes && run.size == size && run.contestant == contestant;
            let seconds: Vec<Seconds> = self.runs.iter().filter(chosen).filter_map(value).collect();
            let share = seconds.first()?.share;
            let values: Vec<f64> = seconds.iter().map(|s| s.value).collect();
            Some(Stretch { size, seconds: Mean::of(&values), share })
        };
        axes.sizes(self.plan).into_iter().filter_map(of_size).collect()
    }

    fn at(&self, contestant: Contestant, k: usize) -> Option<Stretch> {
        let stretches = self.stretches(Axes::Topics, contestant, ALONE);
        stretches.into_iter().find(|stretch| stretch.size == k)
    }

    /// The exponent of growth over the largest sizes; in brackets, where some were extrapolated, the exponent over
    /// the largest that were measured completely.
    fn growth(&self, axes: Axes, c: Contestant, value: fn(&Run) -> Option<Seconds>) -> Growth {
        let all = self.stretches(axes, c, value);
        let fitted = |stretches: &[&Stretch]| {
            let upper = &stretches[stretches.len().saturating_sub(FITTED)..];
            let points: Vec<(f64, f64)> =
                upper.iter().map(|s| (s.size as f64, s.seconds.value)).collect();
            (points.len() >= 2).then(|| exponent(&points))
        };
        let in_full: Vec<&Stretch> = all.iter().filter(|s| s.share == 1.0).collect();
        let some_in_part = in_full.len() < all.len();
        Growth {
            exponent: fitted(&all.iter().collect::<Vec<_>>()),
            in_full: fitted(&in_full).filter(|_| some_in_part),
        }
    }
}

/// An exponent, and the one without extrapolated points, if there are any.
struct Growth {
    exponent: Option<f64>,
    in_full: Option<f64>,
}

impl Growth {
    /// `4.8`, or `4.9 (4.8 without open marks)`.
    fn shown(&self, digits: usize) -> Option<String> {
        let exponent = self.exponent?;
        Some(match self.in_full {
            Some(full) => format!("{exponent:.digits$} ({full:.digits$} without open marks)"),
            None => format!("{exponent:.digits$}"),
        })
    }

    fn rounded(&self) -> String {
        self.shown(1).unwrap_or_else(|| "?".to_owned())
    }
}

pub(super) fn section(runs: &[Run], plan: &Plan) -> Section {
    let summary = &Summary { runs, plan };
    let mut section = Section::new("scaling", "how time grows (Sections 1 and 4)");
    section.setting = format!(
        "words with Zipf frequencies, documents of 50 words on average; against k with n = 1000 words and N = 4000 \
         documents, against n with k = 10 and N = 2000, against N with n = 1000 and k = 10. CPU seconds of one thread, \
         means over {} corpora; one corpus from k = {} on. Exponents are fitted to the {FITTED} largest sizes.{}",
        plan.n_corpora(3, 1),
        super::ONE_CORPUS_FROM,
        in_part(summary)
    );
    section.paper_figure =
        "No figure: Sections 1 and 4 count operations, k^3 for SVTD against about k^5 for the tensor power method."
            .to_owned();
    section.claims = claims(summary);
    section.drawings.push(drawing(summary));
    section.tables.push(exponents(summary));
    section.tables.extend(parts(runs));
    section.numbers.push(Numbers { name: "scaling".to_owned(), table: raw(runs) });
    section
}

/// A sentence on what was extrapolated, if anything was.
fn in_part(summary: &Summary<'_>) -> String {
    let power = summary.stretches(Axes::Topics, Contestant::TensorPower, ALONE);
    let Some(k) = power.iter().find(|s| s.share < 1.0).map(|s| s.size) else {
        return String::new();
    };
    let most = Most::of(Contestant::TensorPower);
    format!(
        " Open marks are measured on a part of the work and multiplied: at k = {k} the tensor power method on \
         {N_COMPONENTS} of its {k} components, times {}, as each takes the same starts and iterations; ALS on {N_ROUNDS} \
         of the {MOST_ROUNDS} rounds that it takes when no start comes to an end before, times {}, which is the most it \
         can take. Up to k = {} both decompositions were waited for, and the last table has the parts beside the whole. \
         Their fits beyond k = {} are the decomposition and the rest of a fit by singular vectors, which differ in nothing \
         else.",
        k / N_COMPONENTS,
        MOST_ROUNDS / N_ROUNDS,
        most.decomposition,
        most.fit
    )
}

fn claims(summary: &Summary<'_>) -> Vec<Claim> {
    let growth = |c, value| summary.growth(Axes::Topics, c, value);
    let linear = |axes| {
        let of = |c| summary.growth(axes, c, WHOLE).rounded();
        format!("SVTD {}, our default {}", of(Contestant::Svtd), of(Contestant::Default))
    };
    let no_faster = [Axes::Words, Axes::Documents].into_iter().all(|axes| {
        let exponent = |c| summary.growth(axes, c, WHOLE).exponent;
        [Contestant::Svtd, Contestant::Default].map(exponent).iter().flatten().all(|e| *e < 1.1)
    });
    vec![
        powers(summary),
        Claim::new(
            "Section 4",
            "the other matrix methods cost what SVTD costs",
            format!(
                "exponents of k by themselves: eigenvectors {}, singular vectors {}, most of it for the residual that \
                 we report (k^4), not for the one slice they decompose (k^3)",
                growth(Contestant::Eigenvectors, ALONE).rounded(),
                growth(Contestant::SingularVectors, ALONE).rounded()
            ),
            Verdict::Partly,
        ),
        Claim::new(
            "expected",
            "the joint diagonalisation works on k slices of k x k, so more than k^3",
            format!(
                "exponent of k: {} for the decomposition by itself, k^4 a cycle over all pairs and more cycles where 4000 documents say \
                 little of so many topics; {} for the whole fit with polish",
                growth(Contestant::Joint, ALONE).rounded(),
                growth(Contestant::Default, WHOLE).rounded()
            ),
            Verdict::of(growth(Contestant::Joint, ALONE).exponent.is_some_and(|e| e > 3.0)),
        ),
        Claim::new(
            "expected",
            "a fit grows no faster than the counts",
            format!(
                "exponents of N: {}; of n, the documents fixed: {}",
                linear(Axes::Documents),
                linear(Axes::Words)
            ),
            Verdict::of(no_faster),
        ),
    ]
}

/// The paper's `k^3` against `k^5`.
fn powers(summary: &Summary<'_>) -> Claim {
    let growth = |c, value| summary.growth(Axes::Topics, c, value);
    let alone = |c| growth(c, ALONE);
    let (svtd, power) = (alone(Contestant::Svtd), alone(Contestant::TensorPower));
    let seconds = |k: usize| {
        let (power, svtd) =
            (summary.at(Contestant::TensorPower, k)?, summary.at(Contestant::Svtd, k)?);
        let measured = if power.share < 1.0 { ", measured in part and multiplied," } else { "" };
        Some(format!(
            "at k = {k} the latter takes {:.1} s{measured} against {:.2} s",
            power.seconds.value, svtd.seconds.value
        ))
    };
    let sizes = Axes::Topics.sizes(summary.plan);
    let largest: Vec<String> =
        sizes[sizes.len().saturating_sub(2)..].iter().filter_map(|&k| seconds(k)).collect();
    let holds = |growth: &Growth, within: std::ops::Range<f64>| {
        growth.exponent.is_some_and(|exponent| within.contains(&exponent))
    };
    Claim::new(
        "Section 1",
        "SVTD scales as k^3, the tensor power method as k^5",
        format!(
            "the decomposition by itself grows like k to the power {} (SVTD, whose number of decomposed slices is \
             cut by a bound) and {} (tensor power: k topics, starts that grow with k, k^3 for an iteration of each); \
             {}. With the slices formed from the counts SVTD grows like k to the power {}",
            svtd.rounded(),
            power.rounded(),
            largest.join(", "),
            growth(Contestant::Svtd, ROTATION).rounded()
        ),
        if holds(&svtd, 0.0..3.6) && holds(&power, 4.4..f64::INFINITY) {
            Verdict::Holds
        } else if svtd.exponent < power.exponent {
            Verdict::Partly
        } else {
            Verdict::Fails
        },
    )
}

fn drawing(summary: &Summary<'_>) -> Drawing {
    let panel = |axes: Axes, methods: &[Contestant], title: &str, value| {
        let series = |&c: &Contestant| {
            let stretches = summary.stretches(axes, c, value);
            let point =
                |s: &Stretch| Point { open: s.share < 1.0, ..s.seconds.point(s.size as f64) };
            let points = stretches.iter().map(point).collect();
            Series { name: c.name().to_owned(), style: c.style(), points }
        };
        let series: Vec<Series> = methods.iter().map(series).collect();
        let heights = series.iter().flat_map(|s| s.points.iter().map(|p| p.y));
        let sizes = axes.sizes(summary.plan);
        Panel {
            title: title.to_owned(),
            y: Axis::around("CPU seconds", Scale::Log, heights),
            x: Axis::around(axes.label(), Scale::Log, sizes.iter().map(|&s| s as f64)),
            series,
            dividers: Vec::new(),
            shaded: None,
        }
    };
    let all = Contestant::METHODS;
    let panels = vec![
        panel(Axes::Topics, &ROTATIONS, "decomposition alone, against topics", ALONE),
        panel(Axes::Topics, &all, "whole fit, against topics", WHOLE),
        panel(Axes::Words, &all, "whole fit, against words", WHOLE),
        panel(Axes::Documents, &all, "whole fit, against documents", WHOLE),
    ];
    let mut figure = Figure::of_panels("How time grows", panels);
    let open = "open triangles and squares: measured on a part of the work and multiplied";
    figure.note = (!in_part(summary).is_empty()).then(|| open.to_owned());
    Drawing {
        name: "scaling".to_owned(),
        caption: "CPU seconds of one thread, all axes logarithmic: a straight line is a power, its slope the \
                  exponent; bands of two standard errors where there are several corpora."
            .to_owned(),
        figure,
    }
}

fn exponents(summary: &Summary<'_>) -> Table {
    let mut table = Table::new(
        "Fitted exponents of time: against k the decomposition alone, the same with forming its slices or cube, and whole \
         fits; whole fits against n and N",
        &["method", "alone, k", "with slices or cube, k", "fit, k", "fit, n", "fit, N"],
    );
    let columns = [
        (Axes::Topics, ALONE),
        (Axes::Topics, ROTATION),
        (Axes::Topics, WHOLE),
        (Axes::Words, WHOLE),
        (Axes::Documents, WHOLE),
    ];
    for c in Contestant::METHODS {
        let mut row: Vec<Cell> = vec![c.name().into()];
        row.extend(columns.map(|(axes, value)| {
            summary.growth(axes, c, value).shown(2).map_or(Cell::Empty, Cell::Text)
        }));
        table.push(row);
    }
    table
}

/// Extrapolations from a part of the work beside measurements of the whole; `None` where no part was measured.
fn parts(runs: &[Run]) -> Option<Table> {
    let mut table = Table::new(
        "Decomposition alone: CPU seconds as a part of the work tells, beside the whole where it was waited for",
        &["method", "k", "part measured", "by the part", "in full", "ratio"],
    );
    let first = runs.iter().filter(|run| run.corpus == 0);
    for (run, part) in first.filter_map(|run| Some((run, run.from_part?))) {
        let in_full = run.alone.filter(|alone| alone.share == 1.0);
        let of = match run.contestant {
            Contestant::Als => format!("{N_ROUNDS} of {MOST_ROUNDS} rounds"),
            _ => format!("{N_COMPONENTS} of {} components", run.size),
        };
        table.push(vec![
            run.contestant.name().into(),
            run.size.into(),
            of.into(),
            Cell::Text(four_digits(part.value)),
            in_full.map_or(Cell::Empty, |full| Cell::Text(four_digits(full.value))),
            in_full.map_or(Cell::Empty, |f| Cell::Text(format!("{:.2}", part.value / f.value))),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

fn raw(runs: &[Run]) -> Table {
    let head = [
        "against",
        "size",
        "corpus",
        "method",
        "cpu_seconds",
        "cpu_seconds_rotation",
        "cpu_seconds_decomposition_alone",
        "share_measured",
        "cpu_seconds_alone_by_part",
        "part",
    ];
    let mut table = Table::new("", &head);
    for run in runs {
        let value = |seconds: Option<Seconds>| Cell::from(seconds.map(|s| s.value));
        let share = |seconds: Option<Seconds>| Cell::from(seconds.map(|s| s.share));
        table.push(vec![
            run.axes.letter().into(),
            run.size.into(),
            run.corpus.into(),
            run.contestant.name().into(),
            value(run.whole),
            value(run.rotation),
            value(run.alone),
            share(run.whole),
            value(run.from_part),
            share(run.from_part),
        ]);
    }
    table
}
