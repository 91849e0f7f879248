//! How time grows with the topics, the words and the documents.
//!
//! The paper counts `k^3` operations for its own decomposition and, with the iterations and restarts its authors
//! ask for, `k^5` for the tensor power method. Three things are measured: the decomposition alone, with its slices
//! or cube already computed ([`remembered`](crate::remembered)); the decomposition including their computation from
//! the counts; and a whole fit. Words have Zipf frequencies and documents about 50 words, as in text. Times are CPU
//! seconds of one thread.
//!
//! # Methods that take too long
//! With 200 topics the tensor power method and ALS take most of an hour each. Both repeat the same work, so there a
//! part of it is timed and extrapolated, and marked as such in every figure, table and file; where the whole was
//! timed, the extrapolation is shown beside it.

mod results;
mod work;

use svtd::Result;

use self::work::{Prepared, draw, fit};
use crate::contestants::Contestant;
use crate::report::Section;
use crate::seeds::seed;
use crate::{Plan, Watch};

/// The quantity that grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axes {
    Topics,
    Words,
    Documents,
}

impl Axes {
    const ALL: [Axes; 3] = [Axes::Topics, Axes::Words, Axes::Documents];

    fn letter(self) -> &'static str {
        match self {
            Axes::Topics => "k",
            Axes::Words => "n",
            Axes::Documents => "N",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Axes::Topics => "topics, k",
            Axes::Words => "words, n",
            Axes::Documents => "documents, N",
        }
    }

    fn sizes(self, plan: &Plan) -> Vec<usize> {
        match self {
            Axes::Topics => plan.sizes(&[5, 10, 20, 50, 100, 200], &[5, 10, 20]),
            Axes::Words => plan.sizes(&[250, 500, 1000, 2000, 4000, 8000], &[250, 1000]),
            Axes::Documents => {
                plan.sizes(&[1000, 2000, 4000, 8000, 16_000, 32_000, 64_000], &[500, 2000])
            }
        }
    }

    /// The numbers of words, topics and documents when this quantity has a given size.
    fn shape(self, size: usize) -> [usize; 3] {
        match self {
            Axes::Topics => [1000, size, 4000],
            Axes::Words => [size, 10, 2000],
            Axes::Documents => [1000, 10, size],
        }
    }
}

/// The largest number of topics for which a method is run completely.
struct Most {
    fit: usize,
    decomposition: usize,
}

impl Most {
    fn of(contestant: Contestant) -> Self {
        match contestant {
            // The decomposition takes long: one run is enough.
            Contestant::TensorPower | Contestant::Als => Self { fit: 50, decomposition: 100 },
            _ => Self { fit: usize::MAX, decomposition: usize::MAX },
        }
    }
}

/// From this many topics on, a part is also timed where the whole is.
const PARTS_FROM: usize = 50;

/// From this many topics on, only one corpus is used.
const ONE_CORPUS_FROM: usize = 100;

/// CPU seconds, and the share of the work on which they were measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seconds {
    /// Seconds for all of the work.
    value: f64,
    /// One where nothing was extrapolated.
    share: f64,
}

impl Seconds {
    fn in_full(value: f64) -> Self {
        Self { value, share: 1.0 }
    }

    /// Adds other work that was measured completely.
    fn and(self, seconds: f64) -> Self {
        Self { value: self.value + seconds, ..self }
    }
}

/// Seconds of one method on one corpus.
struct Run {
    axes: Axes,
    size: usize,
    corpus: usize,
    contestant: Contestant,
    /// From counts to parameters.
    whole: Option<Seconds>,
    /// Finding the rotation, the slices or the cube included.
    rotation: Option<Seconds>,
    /// Finding the rotation with the slices or the cube already computed; only as a function of the topics.
    alone: Option<Seconds>,
    /// The same extrapolated from a part of the work, for the methods that need it.
    from_part: Option<Seconds>,
}

/// Runs the experiment.
///
/// # Errors
/// Drawn corpora can be fitted; none is expected.
pub fn run(plan: &Plan, watch: Watch<'_>) -> Result<Section> {
    let mut tasks = Vec::new();
    for axes in Axes::ALL {
        for size in axes.sizes(plan) {
            let few = axes == Axes::Topics && size >= ONE_CORPUS_FROM;
            let n_corpora = if few { 1 } else { plan.n_corpora(3, 1) };
            tasks.extend((0..n_corpora).map(|corpus| (axes, size, corpus)));
        }
    }
    let mut runs = Vec::new();
    for (done, &(axes, size, corpus)) in tasks.iter().enumerate() {
        watch(done, tasks.len());
        runs.extend(measure(axes, size, corpus)?);
    }
    watch(tasks.len(), tasks.len());
    Ok(results::section(&runs, plan))
}

/// All methods on one corpus.
fn measure(axes: Axes, size: usize, corpus: usize) -> Result<Vec<Run>> {
    let k = axes.shape(size)[1];
    let documents = draw(axes, size, corpus);
    let chance = seed("scaling", k);
    let prepared = (axes == Axes::Topics).then(|| Prepared::new(&documents, k)).transpose()?;
    let one = |contestant: Contestant| -> Result<Run> {
        let most = Most::of(contestant);
        let part = prepared.as_ref().filter(|_| k >= PARTS_FROM);
        let from_part = part.map(|p| p.part(contestant, chance)).transpose()?.flatten();
        let mut run = Run {
            axes,
            size,
            corpus,
            contestant,
            whole: None,
            rotation: None,
            alone: from_part,
            from_part,
        };
        if let Some(prepared) = prepared.as_ref().filter(|_| k <= most.decomposition) {
            run.alone = prepared.decompose(contestant, chance)?.map(Seconds::in_full);
        }
        if k <= most.fit {
            let (whole, rotation) = fit(k, contestant, &documents)?;
            run.whole = Some(Seconds::in_full(whole));
            run.rotation = rotation.map(Seconds::in_full);
        }
        Ok(run)
    };
    let mut runs = Contestant::METHODS.into_iter().map(one).collect::<Result<Vec<_>>>()?;
    complete(&mut runs);
    Ok(runs)
}

/// Fills in fits that were not run: the decomposition alone, plus the rest of the fit as measured with singular
/// vectors, which differ from the tensor power method and ALS in nothing else.
fn complete(runs: &mut [Run]) {
    let like = runs.iter().find(|run| run.contestant == Contestant::SingularVectors);
    let seconds = |value: fn(&Run) -> Option<Seconds>| like.and_then(value).map(|s| s.value);
    let (Some(whole), Some(rotation), Some(alone)) =
        (seconds(|run| run.whole), seconds(|run| run.rotation), seconds(|run| run.alone))
    else {
        return;
    };
    for run in runs.iter_mut().filter(|run| run.whole.is_none()) {
        run.whole = run.alone.map(|own| own.and(whole - alone));
        run.rotation = run.alone.map(|own| own.and(rotation - alone));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_that_was_not_waited_for_is_its_part_and_the_rest_of_another() {
        let run = |contestant, whole: Option<f64>, rotation: Option<f64>, alone: Seconds| Run {
            axes: Axes::Topics,
            size: 200,
            corpus: 0,
            contestant,
            whole: whole.map(Seconds::in_full),
            rotation: rotation.map(Seconds::in_full),
            alone: Some(alone),
            from_part: None,
        };
        let part = Seconds { value: 900.0, share: 0.02 };
        let mut runs = [
            run(Contestant::TensorPower, None, None, part),
            run(Contestant::SingularVectors, Some(5.0), Some(3.0), Seconds::in_full(1.0)),
        ];
        complete(&mut runs);
        assert_eq!(runs[0].whole, Some(Seconds { value: 904.0, share: 0.02 }));
        assert_eq!(runs[0].rotation, Some(Seconds { value: 902.0, share: 0.02 }));
        assert_eq!(runs[1].whole, Some(Seconds::in_full(5.0)));
    }
}
