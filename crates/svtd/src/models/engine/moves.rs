//! Moves up and down in the number of components: a component split, two merged, one deleted.
//!
//! ```text
//! split    for every component and every direction of its residuals, responsibilities divided by sign
//! merge    the k pairs that overlap most summed, and every component deleted
//! updown   merge after split and split after merge, while the objective gains
//! ```
//!
//! Candidates are many and mostly bad: each is run for a few steps of EM, the best few for more steps, and only the
//! best of those until convergence.

use rayon::prelude::*;

use super::pace::Pace;
use super::search::Search;
use super::{Climbed, LatentModel, climb};
use crate::linalg::Matrix;

/// The largest number of rounds of up-and-down moves.
const ROUNDS: usize = 8;

/// Number of candidates that are converged in one round.
const CONVERGED_PER_ROUND: usize = 3;

type Climb<M> = Climbed<<M as LatentModel>::Parameters>;

impl<M: LatentModel + Send> Search<'_, M> {
    /// Splits every component along every direction: the best few, sorted.
    pub(super) fn split(&self, parameters: &M::Parameters) -> Vec<Climb<M>> {
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
        self.judged(cuts, cut, self.reach.kept_splits)
    }

    /// Merges the pairs of components that overlap most, and deletes every component: the best few, sorted.
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
        self.judged(removals, joined, self.reach.kept_merges)
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

    /// Runs candidates briefly, the best `keep` of them longer; sorted by falling `F`.
    fn judged<T: Send>(
        &self,
        candidates: Vec<T>,
        responsibilities: impl Fn(T) -> Matrix + Sync,
        keep: usize,
    ) -> Vec<Climb<M>> {
        let glance = |candidate: T| {
            let start = self.model.parameters_from(&responsibilities(candidate));
            climb(self.model, start, self.reach.glance)
        };
        let mut glanced: Vec<Climb<M>> = candidates.into_par_iter().map(glance).collect();
        let spent: usize = glanced.iter().map(|end| end.steps).sum();
        sort_falling(&mut glanced);
        glanced.truncate(keep);
        let look = |end: Climb<M>| climb(self.model, end.parameters, self.reach.look);
        let mut looked: Vec<Climb<M>> = glanced.into_par_iter().map(look).collect();
        sort_falling(&mut looked);
        if let Some(first) = looked.first_mut() {
            first.steps += spent;
        }
        looked
    }

    /// Moves up and down while they gain. They also end at a maximum that was visited before, because its
    /// neighbours are known.
    pub(super) fn up_and_down(
        &self,
        start: Climb<M>,
        visited: &mut Vec<f64>,
        pace: &Pace<'_>,
    ) -> Climb<M> {
        let mut here = start;
        let mut steps = 0;
        for _ in 0..ROUNDS {
            let gain = smallest_gain(here.objective);
            if visited.iter().any(|objective| (objective - here.objective).abs() <= gain) {
                break;
            }
            visited.push(here.objective);
            let (candidates, spent) = self.neighbours(&here.parameters);
            let ends: Vec<Climb<M>> = distinct(candidates, CONVERGED_PER_ROUND)
                .into_par_iter()
                .map(|end| climb(self.model, end.parameters, self.model.max_steps()))
                .collect();
            steps += spent + ends.iter().map(|end| end.steps).sum::<usize>();
            let mut ends = ends;
            sort_falling(&mut ends);
            pace.moved(visited.len());
            match ends.into_iter().next() {
                Some(best) if best.objective - here.objective > gain => here = best,
                _ => break,
            }
        }
        here.steps = steps;
        here
    }

    /// Solutions of the same number of components, one move up and one move down away.
    fn neighbours(&self, parameters: &M::Parameters) -> (Vec<Climb<M>>, usize) {
        let settle = |end: Climb<M>| climb(self.model, end.parameters, self.reach.settle);
        let (up, down) = rayon::join(|| self.split(parameters), || self.merge(parameters));
        let mut spent = up.iter().chain(&down).map(|end| end.steps).sum();
        let up_then_down: Vec<Vec<Climb<M>>> = (up.into_par_iter().take(self.reach.up_then_down))
            .map(|end| self.merge(&settle(end).parameters))
            .collect();
        let down_then_up: Vec<Vec<Climb<M>>> = (down.into_par_iter().take(self.reach.down_then_up))
            .map(|end| self.split(&end.parameters))
            .collect();
        let mut all: Vec<Climb<M>> =
            up_then_down.into_iter().chain(down_then_up).flatten().collect();
        spent += all.iter().map(|end| end.steps).sum::<usize>();
        sort_falling(&mut all);
        (all, spent)
    }
}

/// A way to remove one component.
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
            // A row that only the deleted component explained is shared equally.
            *value = if *sum > 1e-12 { *value / sum } else { 1.0 / k };
        }
    }
    left
}

/// A smaller gain of the objective than this does not count.
fn smallest_gain(objective: f64) -> f64 {
    1e-7 * objective.abs() + 1e-6
}

fn sort_falling<P>(ends: &mut [Climbed<P>]) {
    ends.sort_by(|a, b| b.objective.total_cmp(&a.objective));
}

/// The first `most` of sorted results with different objectives.
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
    use super::*;

    #[test]
    fn a_deleted_component_leaves_rows_that_sum_to_one() {
        let r = Matrix::from_columns(2, 3, vec![0.2, 1.0, 0.3, 0.0, 0.5, 0.0]);
        let left = delete(&r, 0);
        assert!((left[(0, 0)] + left[(0, 1)] - 1.0).abs() < 1e-15);
        assert_eq!(left.row(1), [0.5, 0.5]);
        assert_eq!(join(&r, 0, 2).row(0), [0.7, 0.3]);
    }
}
