//! The search: starts, the ladder of splits, up-and-down moves, and the path over `k`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::pace::Pace;
use super::{Climbed, LatentModel, climb};
use crate::linalg::Matrix;

/// Number of EM steps for a rung of the ladder.
const RUNG: usize = 200;

/// How wide moves up and down look around. Which numbers do best for a model at which cost is measured on drawn data
/// (`benches/record/models.md` and `classes.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Number of steps after which new candidates are compared.
    pub glance: usize,
    /// Further steps of the candidates that are kept.
    pub look: usize,
    /// Number of splits kept after these steps.
    pub kept_splits: usize,
    /// Number of merges kept after these steps.
    pub kept_merges: usize,
    /// Number of steps before a split is merged again.
    pub settle: usize,
    /// Number of splits that are merged again in a round.
    pub up_then_down: usize,
    /// Number of merges that are split again in a round.
    pub down_then_up: usize,
    /// From how many different maxima the moves begin. The third is skipped when the first two led to the same
    /// maximum.
    pub origins: usize,
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            glance: 4,
            look: 20,
            kept_splits: 4,
            kept_merges: 3,
            settle: 60,
            up_then_down: 2,
            down_then_up: 3,
            origins: 2,
        }
    }
}

/// How much to search beyond the starts. A model may stop when enough starts agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// The best of the starts and the ladder.
    Starts,
    /// Up-and-down moves from the best of them.
    Best,
    /// Also from the second best if it differs; for some models also from the third.
    #[default]
    BestTwo,
}

/// The result of a start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartEnd {
    /// Its name: the model's own, `"ladder"`, or `"up and down"`.
    pub name: String,
    /// The objective it reached.
    pub objective: f64,
    /// Whether it reached the best one, within rounding.
    pub reached: bool,
}

/// The result of a search for one number of components.
#[derive(Clone, Debug)]
pub struct Found<P> {
    /// The best parameters.
    pub parameters: P,
    /// The objective at these parameters.
    pub objective: f64,
    /// Whether the last climb converged within the steps allowed.
    pub converged: bool,
    /// The result of every start; up-and-down moves are one more entry when they were made.
    pub starts: Vec<StartEnd>,
    /// Number of EM steps in all.
    pub steps: usize,
}

impl<P> Found<P> {
    /// How many of the starts reached the best objective, and how many there were; up-and-down moves do not count
    /// as starts.
    pub fn agreement(&self) -> (usize, usize) {
        agreement(&self.starts)
    }
}

/// How many starts reached the best objective, and how many there were; up-and-down moves do not count.
pub fn agreement(starts: &[StartEnd]) -> (usize, usize) {
    let own = || starts.iter().filter(|start| start.name != MOVES);
    (own().filter(|start| start.reached).count(), own().count())
}

/// The name of the results of up-and-down moves.
const MOVES: &str = "up and down";

/// How thoroughly the numbers of components below the last are searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rungs {
    /// Only one split for each, and a few steps of EM.
    Plain,
    /// In full, so that the next one starts from a better solution.
    Searched,
    /// In full; each is also a result, which is passed on.
    Results,
}

/// A deterministic search for the best parameters of a model.
pub struct Search<'a, M> {
    pub(super) model: &'a M,
    pub(super) reach: Reach,
    effort: Effort,
    without: &'a [String],
    watch: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

type Climb<M> = Climbed<<M as LatentModel>::Parameters>;

impl<'a, M: LatentModel + Send> Search<'a, M> {
    /// A search with the default effort.
    pub fn new(model: &'a M) -> Self {
        Self { model, reach: model.reach(), effort: Effort::default(), without: &[], watch: None }
    }

    /// How much to search.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Leaves out the model's own starts of these names, to see what they are worth.
    pub fn without(mut self, names: &'a [String]) -> Self {
        self.without = names;
        self
    }

    /// Reports to `watch` how many parts of the work are done and how many there are, from the calling thread.
    pub fn watch(mut self, watch: &'a (dyn Fn(usize, usize) + Sync)) -> Self {
        self.watch = Some(watch);
        self
    }

    /// The best parameters with `k` components.
    pub fn fit(&self, k: usize) -> Found<M::Parameters> {
        let mut last = None;
        let rungs = if self.model.searches_rungs() { Rungs::Searched } else { Rungs::Plain };
        self.climb_path(k.max(1), rungs, &mut |found| {
            last = Some(found);
            true
        });
        last.unwrap_or_else(|| self.finish(Candidates::default()))
    }

    /// The best parameters for every number of components of `range`, which costs little more than
    /// its last: each is one split away from the one before.
    pub fn path(&self, range: std::ops::RangeInclusive<usize>) -> Vec<Found<M::Parameters>> {
        let (first, last) = ((*range.start()).max(1), *range.end());
        let mut all = self.path_while(last.max(first), |_| true);
        all.drain(..first - 1);
        all
    }

    /// The best parameters for 1, 2, ... components, at most `most`, as long as `go_on` is true for the last
    /// result.
    pub fn path_while(
        &self,
        most: usize,
        mut go_on: impl FnMut(&Found<M::Parameters>) -> bool,
    ) -> Vec<Found<M::Parameters>> {
        let mut all = Vec::new();
        self.climb_path(most.max(1), Rungs::Results, &mut |found| {
            let more = go_on(&found);
            all.push(found);
            more
        });
        all
    }

    /// Climbs the ladder to `last` components, and passes the last solution, or all of them, to `sink` until it
    /// returns false.
    fn climb_path(
        &self,
        last: usize,
        rungs: Rungs,
        sink: &mut dyn FnMut(Found<M::Parameters>) -> bool,
    ) {
        if let Some(coarse) = self.model.coarse() {
            let mut search = Search::new(&coarse).effort(self.effort).without(self.without);
            search.watch = self.watch;
            return search.climb_path(last, rungs, &mut |rough| sink(self.refined(rough)));
        }
        let mut rung: Option<Climb<M>> = None;
        let mut ladder_steps = 0;
        for k in 1..=last {
            let pace = Pace::of(k, last, rungs != Rungs::Plain, self.watch);
            pace.begun();
            let step_up = match &rung {
                None => climb(self.model, self.one_component(), self.model.max_steps()),
                Some(below) => match self.split(&below.parameters).into_iter().next() {
                    Some(best) => climb(self.model, best.parameters, RUNG),
                    None => below.clone(),
                },
            };
            ladder_steps += step_up.steps;
            let below = k < last && rungs != Rungs::Results;
            if below && rungs == Rungs::Plain {
                rung = Some(step_up);
                pace.done();
                continue;
            }
            // A rung is searched as `svtd sweep` does, so that a fit ends no lower than that.
            let effort = if below { self.effort.min(Effort::Best) } else { self.effort };
            let mut found = self.search(k, step_up, effort, &pace);
            found.steps += std::mem::take(&mut ladder_steps);
            let (parameters, objective) = (found.parameters.clone(), found.objective);
            rung = Some(Climbed { parameters, objective, steps: 0, converged: true });
            pace.done();
            if below {
                ladder_steps = found.steps;
            } else if !sink(found) {
                return;
            }
        }
    }

    /// The search for one number of components: the starts and the end of the ladder, converged, then up-and-down
    /// moves.
    fn search(
        &self,
        k: usize,
        ladder: Climb<M>,
        effort: Effort,
        pace: &Pace<'_>,
    ) -> Found<M::Parameters> {
        let mut starts = if k > 1 { self.model.starts(k) } else { Vec::new() };
        starts.retain(|(name, _)| !self.without.iter().any(|other| other == name));
        starts.push(("ladder", ladder.parameters));
        let ends: Vec<(&'static str, Climb<M>)> = starts
            .into_par_iter()
            .map(|(name, start)| (name, climb(self.model, start, self.model.max_steps())))
            .collect();
        let mut candidates = Candidates::default();
        for (name, end) in ends {
            candidates.push(name, end);
        }
        if k > 1 && effort > Effort::Starts && !self.believed(&candidates) {
            pace.moved(0);
            for end in self.moved(&candidates, k, effort, pace) {
                candidates.push(MOVES, end);
            }
        }
        self.finish(candidates)
    }

    /// The results of up-and-down moves from the best different maxima.
    fn moved(
        &self,
        candidates: &Candidates<M::Parameters>,
        k: usize,
        effort: Effort,
        pace: &Pace<'_>,
    ) -> Vec<Climb<M>> {
        let most = if effort == Effort::BestTwo { self.reach.origins } else { 1 };
        let mut origins: Vec<&Climb<M>> = Vec::new();
        for end in candidates.ranked().into_iter().map(|i| &candidates.ends[i].1) {
            let other = origins.last().is_none_or(|last| {
                last.objective - end.objective > 1e-6 * last.objective.abs() + 1e-3
                    && self.model.n_components(&end.parameters) == k
            });
            if other && origins.len() < most {
                origins.push(end);
            }
        }
        let mut visited = Vec::new();
        let mut moved: Vec<Climb<M>> = Vec::new();
        for origin in origins {
            if let [first, second] = &moved[..]
                && reached(first.objective, second.objective)
                && reached(second.objective, first.objective)
            {
                break;
            }
            moved.push(self.up_and_down(origin.clone(), &mut visited, pace));
        }
        moved
    }

    /// Whether enough starts reached the highest objective for the model to stop there.
    fn believed(&self, candidates: &Candidates<M::Parameters>) -> bool {
        let objectives = || candidates.ends.iter().map(|(_, end)| end.objective);
        let best = objectives().fold(f64::NEG_INFINITY, f64::max);
        let there = objectives().filter(|&objective| reached(objective, best)).count();
        self.model.believes(there, candidates.ends.len())
    }

    /// The result on a part of the data, converged on all of them. The results of the starts are known only on the
    /// part.
    fn refined(&self, rough: Found<M::Parameters>) -> Found<M::Parameters> {
        let end = climb(self.model, rough.parameters, self.model.max_steps());
        Found {
            parameters: end.parameters,
            objective: end.objective,
            converged: end.converged,
            starts: rough.starts,
            steps: rough.steps + end.steps,
        }
    }

    fn finish(&self, candidates: Candidates<M::Parameters>) -> Found<M::Parameters> {
        let best = match candidates.ranked().first() {
            Some(&i) => candidates.ends[i].1.clone(),
            None => climb(self.model, self.one_component(), self.model.max_steps()),
        };
        let starts = candidates.ends.iter().map(|(name, end)| StartEnd {
            name: (*name).to_owned(),
            objective: end.objective,
            reached: reached(end.objective, best.objective),
        });
        Found {
            starts: starts.collect(),
            steps: candidates.steps,
            objective: best.objective,
            converged: best.converged,
            parameters: best.parameters,
        }
    }

    fn one_component(&self) -> M::Parameters {
        self.model.parameters_from(&Matrix::from_fn(self.model.n_rows(), 1, |_, _| 1.0))
    }
}

/// Whether an objective is the best one, within rounding.
fn reached(objective: f64, best: f64) -> bool {
    best - objective <= 1e-6 * best.abs().max(1.0)
}

/// Results of climbs, with the names of their starts.
struct Candidates<P> {
    ends: Vec<(&'static str, Climbed<P>)>,
    steps: usize,
}

impl<P> Default for Candidates<P> {
    fn default() -> Self {
        Self { ends: Vec::new(), steps: 0 }
    }
}

impl<P> Candidates<P> {
    fn push(&mut self, name: &'static str, end: Climbed<P>) {
        self.steps += end.steps;
        self.ends.push((name, end));
    }

    /// From the highest objective to the lowest; the lowest index wins ties.
    fn ranked(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ends.len()).collect();
        order.sort_by(|&a, &b| self.ends[b].1.objective.total_cmp(&self.ends[a].1.objective));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::{Toy, drawn};
    use super::*;

    #[test]
    fn three_groups_on_a_line_are_found_without_any_start_but_the_ladder() {
        let model = Toy::new(drawn(&[(0.3, -6.0), (0.4, 0.0), (0.3, 5.0)], 600));
        let found = Search::new(&model).fit(3);
        let mut means: Vec<f64> = found.parameters.iter().map(|&(_, m)| m).collect();
        means.sort_by(f64::total_cmp);
        for (mean, truth) in means.iter().zip([-6.0, 0.0, 5.0]) {
            assert!((mean - truth).abs() < 0.3, "{means:?}");
        }
        assert!(found.converged);
        let (reached, starts) = found.agreement();
        assert_eq!((reached, starts), (1, 1));
    }

    #[test]
    fn moves_up_and_down_never_lower_the_objective() {
        let model = Toy::new(drawn(&[(0.2, 0.0), (0.3, 1.5), (0.2, 3.0), (0.3, 4.0)], 300));
        let ends = [Effort::Starts, Effort::Best, Effort::BestTwo]
            .map(|effort| Search::new(&model).effort(effort).fit(4).objective);
        assert!(ends[1] >= ends[0] && ends[2] >= ends[1], "{ends:?}");
    }

    #[test]
    fn a_path_has_a_solution_for_every_number_and_gains_with_each() {
        let model = Toy::new(drawn(&[(0.5, -2.0), (0.5, 2.0)], 400));
        let path = Search::new(&model).path(1..=4);
        assert_eq!(path.len(), 4);
        assert!(path.windows(2).all(|pair| pair[1].objective >= pair[0].objective - 1e-6));
        assert!(path.iter().zip(1..).all(|(found, k)| found.parameters.len() == k));
    }

    #[test]
    fn a_search_has_the_same_bits_for_any_number_of_threads() {
        let model = Toy::new(drawn(&[(0.3, -1.0), (0.4, 0.0), (0.3, 2.0)], 300));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Search::new(&model).fit(3).parameters)
        };
        assert_eq!(run(1), run(4));
    }
}
