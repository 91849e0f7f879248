//! The search: starts, the ladder of splits, up-and-down moves, and the path over `k`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Climbed, LatentModel, climb};
use crate::linalg::Matrix;

/// Steps by which fresh candidates are judged.
const GLANCE: usize = 4;

/// Further steps of the candidates that are kept.
const LOOK: usize = 20;

/// Splits kept after a glance, and merges.
const KEPT_SPLITS: usize = 4;
const KEPT_MERGES: usize = 3;

/// Steps of a rung of the ladder.
const RUNG: usize = 200;

/// Rounds of up-and-down moves.
const ROUNDS: usize = 8;

/// Steps before a split is merged again.
const SETTLE: usize = 60;

/// How many splits are merged again, merges split again, and candidates converged, in one round.
const UP_THEN_DOWN: usize = 2;
const DOWN_THEN_UP: usize = 3;
const CONVERGED_PER_ROUND: usize = 3;

/// How hard to search beyond the starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// The best of the starts and the ladder.
    Starts,
    /// Up-and-down moves from the best of them.
    Best,
    /// The same, and from the second best if it differs.
    #[default]
    BestTwo,
}

/// Where a start of a search led.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartEnd {
    /// Its name: the model's own, `"ladder"`, or `"up and down"`.
    pub name: String,
    /// The objective it reached.
    pub objective: f64,
    /// Whether it reached the best one, within rounding.
    pub reached: bool,
}

/// What a search found for one number of components.
#[derive(Clone, Debug)]
pub struct Found<P> {
    /// The best parameters.
    pub parameters: P,
    /// The objective there.
    pub objective: f64,
    /// Whether the last climb converged within the steps allowed.
    pub converged: bool,
    /// Every start and where it led; moves up and down are one more line when they were made.
    pub starts: Vec<StartEnd>,
    /// Steps of EM in all.
    pub steps: usize,
}

impl<P> Found<P> {
    /// How many of the starts reached the best objective, of how many; moves up and down are no
    /// starts.
    pub fn agreement(&self) -> (usize, usize) {
        agreement(&self.starts)
    }
}

/// How many starts reached the best objective, of how many; moves up and down are no starts.
pub fn agreement(starts: &[StartEnd]) -> (usize, usize) {
    let own = || starts.iter().filter(|start| start.name != MOVES);
    (own().filter(|start| start.reached).count(), own().count())
}

/// What the ends of up-and-down moves are called.
const MOVES: &str = "up and down";

/// A deterministic search for the best parameters of a model.
pub struct Search<'a, M> {
    model: &'a M,
    effort: Effort,
    watch: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

type Climb<M> = Climbed<<M as LatentModel>::Parameters>;

impl<'a, M: LatentModel + Send> Search<'a, M> {
    /// A search with the default effort.
    pub fn new(model: &'a M) -> Self {
        Self { model, effort: Effort::default(), watch: None }
    }

    /// How hard to search.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Tells `watch` how many stages are done and how many there are, from the calling thread.
    pub fn watch(mut self, watch: &'a (dyn Fn(usize, usize) + Sync)) -> Self {
        self.watch = Some(watch);
        self
    }

    /// The best parameters with `k` components.
    pub fn fit(&self, k: usize) -> Found<M::Parameters> {
        let mut last = None;
        self.climb_path(k.max(1), false, &mut |found| {
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

    /// The best parameters for 1, 2, ... components, at most `most`, as long as `go_on` says so of
    /// what was found last.
    pub fn path_while(
        &self,
        most: usize,
        mut go_on: impl FnMut(&Found<M::Parameters>) -> bool,
    ) -> Vec<Found<M::Parameters>> {
        let mut all = Vec::new();
        self.climb_path(most.max(1), true, &mut |found| {
            let more = go_on(&found);
            all.push(found);
            more
        });
        all
    }

    /// Hands solutions for `1..=last` to `sink` until it refuses more; with `each`, every one of
    /// them searched in full, else only the last, with plain rungs of the ladder before it.
    fn climb_path(
        &self,
        last: usize,
        each: bool,
        sink: &mut dyn FnMut(Found<M::Parameters>) -> bool,
    ) {
        if let Some(coarse) = self.model.coarse() {
            let mut search = Search::new(&coarse).effort(self.effort);
            search.watch = self.watch;
            return search.climb_path(last, each, &mut |rough| sink(self.refined(rough)));
        }
        let tell = |done: usize| {
            if let Some(watch) = self.watch {
                watch(done, last);
            }
        };
        tell(0);
        let mut rung: Option<Climb<M>> = None;
        let mut ladder_steps = 0;
        for k in 1..=last {
            let step_up = match &rung {
                None => climb(self.model, self.one_component(), self.model.max_steps()),
                Some(below) => match self.split(&below.parameters).into_iter().next() {
                    Some(best) => climb(self.model, best.parameters, RUNG),
                    None => below.clone(),
                },
            };
            ladder_steps += step_up.steps;
            if !each && k < last {
                rung = Some(step_up);
                tell(k);
                continue;
            }
            let mut found = self.search(k, step_up);
            found.steps += std::mem::take(&mut ladder_steps);
            let (parameters, objective) = (found.parameters.clone(), found.objective);
            rung = Some(Climbed { parameters, objective, steps: 0, converged: true });
            tell(k);
            if !sink(found) {
                return;
            }
        }
    }

    /// Everything for one number of components: the starts and the end of the ladder, converged,
    /// then moves up and down.
    fn search(&self, k: usize, ladder: Climb<M>) -> Found<M::Parameters> {
        let mut starts = if k > 1 { self.model.starts(k) } else { Vec::new() };
        starts.push(("ladder", ladder.parameters));
        let ends: Vec<(&'static str, Climb<M>)> = starts
            .into_par_iter()
            .map(|(name, start)| (name, climb(self.model, start, self.model.max_steps())))
            .collect();
        let mut candidates = Candidates::default();
        for (name, end) in ends {
            candidates.push(name, end);
        }
        if k > 1 && self.effort > Effort::Starts {
            let order = candidates.ranked();
            let best = candidates.ends[order[0]].1.clone();
            let second = (self.effort == Effort::BestTwo)
                .then(|| order[1..].iter().map(|&i| &candidates.ends[i].1))
                .into_iter()
                .flatten()
                .find(|end| {
                    best.objective - end.objective > 1e-6 * best.objective.abs() + 1e-3
                        && self.model.n_components(&end.parameters) == k
                })
                .cloned();
            let from: Vec<Climb<M>> = std::iter::once(best).chain(second).collect();
            let moved: Vec<Climb<M>> =
                from.into_par_iter().map(|start| self.up_and_down(start)).collect();
            for end in moved {
                candidates.push(MOVES, end);
            }
        }
        self.finish(candidates)
    }

    /// What was found on a part of the data, converged on all of them. Where starts led is known on
    /// the part alone.
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
        let near = 1e-6 * best.objective.abs().max(1.0);
        let starts = candidates.ends.iter().map(|(name, end)| StartEnd {
            name: (*name).to_owned(),
            objective: end.objective,
            reached: best.objective - end.objective <= near,
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

    /// Every component cut in two along every direction: the best few, sorted.
    fn split(&self, parameters: &M::Parameters) -> Vec<Climb<M>> {
        let r = self.model.responsibilities(parameters);
        let cut = |(c, score): (usize, Vec<f64>)| {
            let (kept, moved): (Vec<f64>, Vec<f64>) = (r.column(c).iter().zip(&score))
                .map(|(&r, &s)| if s >= 0.0 { (r, 0.0) } else { (0.0, r) })
                .unzip();
            let mut divided = r.clone();
            divided.column_mut(c).copy_from_slice(&kept);
            divided.append(&Matrix::from_columns(moved.len(), 1, moved));
            divided
        };
        let cuts: Vec<(usize, Vec<f64>)> = (0..r.n_columns())
            .into_par_iter()
            .map(|c| {
                let scores = self.model.cuts(parameters, &r, c);
                scores.into_iter().map(|score| (c, score)).collect::<Vec<_>>()
            })
            .flatten_iter()
            .collect();
        self.judged(cuts, cut, KEPT_SPLITS)
    }

    /// The pairs of components that overlap most joined, and every component deleted: the best
    /// few, sorted.
    fn merge(&self, parameters: &M::Parameters) -> Vec<Climb<M>> {
        let r = self.model.responsibilities(parameters);
        let k = r.n_columns();
        if k < 2 {
            return Vec::new();
        }
        let joined = |removal: Removal| match removal {
            Removal::Join(a, b) => join(&r, a, b),
            Removal::Delete(c) => delete(&r, c),
        };
        let mut removals = self.overlapping_pairs(&r);
        removals.extend((0..k).map(Removal::Delete));
        self.judged(removals, joined, KEPT_MERGES)
    }

    /// The `k` pairs of largest cosine between columns of responsibilities.
    fn overlapping_pairs(&self, r: &Matrix) -> Vec<Removal> {
        let k = r.n_columns();
        let gram = match self.model.row_weights() {
            None => r.transpose_times(r),
            Some(weights) => {
                let mut weighted = r.clone();
                weighted.scale_rows(weights);
                r.transpose_times(&weighted)
            }
        };
        let cosine = |a: usize, b: usize| {
            gram[(a, b)] / (gram[(a, a)] * gram[(b, b)]).sqrt().max(f64::MIN_POSITIVE)
        };
        let mut pairs: Vec<(usize, usize)> =
            (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).collect();
        pairs.sort_by(|&(a, b), &(c, d)| cosine(c, d).total_cmp(&cosine(a, b)));
        pairs.truncate(k);
        pairs.into_iter().map(|(a, b)| Removal::Join(a, b)).collect()
    }

    /// Candidates glanced at, the best `keep` of them looked at longer, sorted by falling `F`.
    fn judged<T: Send>(
        &self,
        candidates: Vec<T>,
        responsibilities: impl Fn(T) -> Matrix + Sync,
        keep: usize,
    ) -> Vec<Climb<M>> {
        let glance = |candidate: T| {
            let start = self.model.parameters_from(&responsibilities(candidate));
            climb(self.model, start, GLANCE)
        };
        let mut glanced: Vec<Climb<M>> = candidates.into_par_iter().map(glance).collect();
        let spent: usize = glanced.iter().map(|end| end.steps).sum();
        sort_falling(&mut glanced);
        glanced.truncate(keep);
        let mut looked: Vec<Climb<M>> =
            glanced.into_par_iter().map(|end| climb(self.model, end.parameters, LOOK)).collect();
        sort_falling(&mut looked);
        if let Some(first) = looked.first_mut() {
            first.steps += spent;
        }
        looked
    }

    /// Moves up and down while they gain.
    fn up_and_down(&self, start: Climb<M>) -> Climb<M> {
        let mut here = start;
        let mut steps = 0;
        for _ in 0..ROUNDS {
            let (candidates, spent) = self.neighbours(&here.parameters);
            let ends: Vec<Climb<M>> = distinct(candidates, CONVERGED_PER_ROUND)
                .into_par_iter()
                .map(|end| climb(self.model, end.parameters, self.model.max_steps()))
                .collect();
            steps += spent + ends.iter().map(|end| end.steps).sum::<usize>();
            let mut ends = ends;
            sort_falling(&mut ends);
            match ends.into_iter().next() {
                Some(best)
                    if best.objective - here.objective > 1e-7 * here.objective.abs() + 1e-6 =>
                {
                    here = best;
                }
                _ => break,
            }
        }
        here.steps = steps;
        here
    }

    /// Solutions of the same number of components, one move up and one move down away.
    fn neighbours(&self, parameters: &M::Parameters) -> (Vec<Climb<M>>, usize) {
        let settle = |end: Climb<M>| climb(self.model, end.parameters, SETTLE);
        let (up, down) = rayon::join(|| self.split(parameters), || self.merge(parameters));
        let mut spent = up.iter().chain(&down).map(|end| end.steps).sum();
        let up_then_down: Vec<Vec<Climb<M>>> = (up.into_par_iter().take(UP_THEN_DOWN))
            .map(|end| self.merge(&settle(end).parameters))
            .collect();
        let down_then_up: Vec<Vec<Climb<M>>> = (down.into_par_iter().take(DOWN_THEN_UP))
            .map(|end| self.split(&end.parameters))
            .collect();
        let mut all: Vec<Climb<M>> =
            up_then_down.into_iter().chain(down_then_up).flatten().collect();
        spent += all.iter().map(|end| end.steps).sum::<usize>();
        sort_falling(&mut all);
        (all, spent)
    }
}

/// Ends of climbs, with the names of their starts.
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

/// A way to have one component less.
#[derive(Clone, Copy)]
enum Removal {
    Join(usize, usize),
    Delete(usize),
}

/// Responsibilities with columns `a < b` summed.
fn join(r: &Matrix, a: usize, b: usize) -> Matrix {
    let others: Vec<usize> = (0..r.n_columns()).filter(|&j| j != b).collect();
    let mut joined = r.select_columns(&others);
    for (target, more) in joined.column_mut(a).iter_mut().zip(r.column(b)) {
        *target += more;
    }
    joined
}

/// Responsibilities without column `c`, rows summing to one again.
fn delete(r: &Matrix, c: usize) -> Matrix {
    let others: Vec<usize> = (0..r.n_columns()).filter(|&j| j != c).collect();
    let mut left = r.select_columns(&others);
    let k = others.len() as f64;
    let sums: Vec<f64> = (0..r.n_rows()).map(|u| others.iter().map(|&j| r[(u, j)]).sum()).collect();
    for column in 0..others.len() {
        for (value, sum) in left.column_mut(column).iter_mut().zip(&sums) {
            // A row that only the deleted component explained is shared out.
            *value = if *sum > 1e-12 { *value / sum } else { 1.0 / k };
        }
    }
    left
}

fn sort_falling<P>(ends: &mut [Climbed<P>]) {
    ends.sort_by(|a, b| b.objective.total_cmp(&a.objective));
}

/// The first `most` of sorted ends whose objectives differ.
fn distinct<P>(sorted: Vec<Climbed<P>>, most: usize) -> Vec<Climbed<P>> {
    let mut kept: Vec<Climbed<P>> = Vec::new();
    for end in sorted {
        let same = |other: &Climbed<P>| {
            (other.objective - end.objective).abs() <= 1e-9 * end.objective.abs() + 1e-6
        };
        if kept.len() < most && end.objective.is_finite() && !kept.iter().any(same) {
            kept.push(end);
        }
    }
    kept
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

    #[test]
    fn a_deleted_component_leaves_rows_that_sum_to_one() {
        let r = Matrix::from_columns(2, 3, vec![0.2, 1.0, 0.3, 0.0, 0.5, 0.0]);
        let left = delete(&r, 0);
        assert!((left[(0, 0)] + left[(0, 1)] - 1.0).abs() < 1e-15);
        assert_eq!(left.row(1), [0.5, 0.5]);
        assert_eq!(join(&r, 0, 2).row(0), [0.7, 0.3]);
    }
}
