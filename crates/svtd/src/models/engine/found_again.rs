//! Found again: which components are found when halves of the records are fitted from scratch.
//!
//! The records are dealt into two halves by their content. Each half is searched as the whole was,
//! without any information from the other. Both solutions are then applied to all records, which
//! gives responsibilities `R`, and their components are matched to those of the whole by the
//! overlap of their records:
//!
//! ```text
//! shared(a, b) = 2 sum_u w_u min(R_ua, R_ub) / sum_u w_u (R_ua + R_ub)        0 nothing, 1 all
//! ```
//!
//! The overlap needs neither units nor names, so it works for classes, states and components alike.
//! The records of a real component overlap in both halves; those of a superfluous one do not.
//!
//! # Chance
//! Components that are not the same share records too, and more so the less certain records are of their
//! component. The largest that a component shares with *another* of the other half is what returns by
//! chance, and it counts as found again only beyond that
//! ([`Standing::of`], as for topics; there of ten words, here of all records).
//!
//! A component that rests on fewer than two records is not found again, whatever its place, since only one half can
//! have it. Nor are copies, components that differ in nothing but their shares: any division of their records
//! comes back.
//!
//! # Cost
//! Two searches on half the records for each of [`SPLITS`] splits. Data so large that the search is made on
//! a part are split once, and responsibilities are compared on that part.

use serde::{Deserialize, Serialize};

use super::{Effort, LatentModel, Search};
use crate::evaluation::match_by;
use crate::linalg::Matrix;
use crate::model::diagnostics::Standing;

/// How often the records are split into halves, where there are few.
const SPLITS: usize = 2;

/// A component with fewer than two records is not found again. A little less than two, because of rounding.
const LEAST_RECORDS: f64 = 2.0 - 1e-6;

/// Components whose distributions over the records overlap by more than this are copies of each other.
const SAME_RECORDS: f64 = 0.99;

/// How well a component is found again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundAgain {
    /// The overlap of its records between its two halves, from 0 to 1; the mean over the splits.
    pub shared: f64,
    /// The largest overlap between one half of it and another component of the other half.
    pub by_chance: f64,
}

impl FoundAgain {
    /// Whether it reproduces, reproduces partly, or is not found again.
    pub fn standing(&self) -> Standing {
        Standing::of(10.0 * self.shared, 10.0 * self.by_chance)
    }
}

/// How well every component of `parameters` is found again; `None` for one component, or where
/// `halves` gives none. `halves` gives for each split two models on disjoint parts of the records. Progress is reported
/// to `watch`, except for the last part, which the caller reports.
pub fn found_again<M: LatentModel + Send>(
    model: &M,
    parameters: &M::Parameters,
    effort: Effort,
    halves: impl Fn(usize) -> Option<[M; 2]>,
    watch: &(dyn Fn(usize, usize) + Sync),
) -> Option<Vec<FoundAgain>> {
    let k = model.n_components(parameters);
    if k < 2 {
        return None;
    }
    let part = model.coarse();
    let on = part.as_ref().unwrap_or(model);
    let whole = on.responsibilities(parameters);
    let n_splits = if part.is_some() { 1 } else { SPLITS };
    let mut sums = vec![FoundAgain { shared: 0.0, by_chance: 0.0 }; k];
    for split in 0..n_splits {
        let [first, second] = halves(split)?;
        let learned =
            |search: Search<'_, M>| on.responsibilities(&search.effort(effort).fit(k).parameters);
        let report = |done: usize, of: usize| watch(split * of + done, n_splits * of + 1);
        // Progress is that of the first half: both are about as large, and searched at the same time.
        let (first, second) = rayon::join(
            || learned(Search::new(&first).watch(&report)),
            || learned(Search::new(&second)),
        );
        for (sum, own) in sums.iter_mut().zip(returned(&whole, &first, &second, on.row_weights())) {
            sum.shared += own.shared / n_splits as f64;
            sum.by_chance += own.by_chance / n_splits as f64;
        }
    }
    rule_out(&mut sums, &whole, on.row_weights(), n_records(model));
    Some(sums)
}

/// Number of records of a model: the sum of the weights, but at least the number of rows.
fn n_records<M: LatentModel>(model: &M) -> f64 {
    let n = model.n_rows() as f64;
    model.row_weights().map_or(n, |weights| weights.iter().sum::<f64>().max(n))
}

/// Rules out two kinds of components. One that has fewer than two of the `n_records` can be in one half only, so it is
/// not found again. Copies of each other divide their records in some way in every half, so their return counts as
/// chance.
fn rule_out(found: &mut [FoundAgain], whole: &Matrix, weights: Option<&[f64]>, n_records: f64) {
    let laws: Vec<(f64, Vec<f64>)> =
        (0..found.len()).map(|j| law(whole.column(j), weights)).collect();
    let total: f64 = laws.iter().map(|(mass, _)| mass).sum();
    for (j, own) in found.iter_mut().enumerate() {
        let copies = |l: usize| l != j && overlap(&laws[j].1, &laws[l].1) > SAME_RECORDS;
        if laws[j].0 / total * n_records < LEAST_RECORDS {
            own.shared = 0.0;
        } else if (0..laws.len()).any(copies) {
            own.by_chance = 1.0;
        }
    }
}

/// The weight of a component, and its distribution over the rows.
fn law(responsibilities: &[f64], weights: Option<&[f64]>) -> (f64, Vec<f64>) {
    let weight = |u: usize| weights.map_or(1.0, |w| w[u]);
    let masses: Vec<f64> =
        responsibilities.iter().enumerate().map(|(u, r)| weight(u) * r).collect();
    let total: f64 = masses.iter().sum();
    (total, masses.iter().map(|m| m / total.max(f64::MIN_POSITIVE)).collect())
}

/// The overlap of two distributions, `sum min(a, b)`: from 0 (disjoint) to 1 (equal).
fn overlap(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x.min(*y)).sum()
}

/// The overlap of the components of two halves, matched by way of the whole.
fn returned(
    whole: &Matrix,
    first: &Matrix,
    second: &Matrix,
    weights: Option<&[f64]>,
) -> Vec<FoundAgain> {
    let k = whole.n_columns();
    let [a, b] = [first, second].map(|half| {
        let matched = match_by(k, k, |j, l| 1.0 - shared(whole.column(j), half.column(l), weights));
        // Equal numbers of components are all matched.
        matched.into_iter().map(|l| l.unwrap_or(0)).collect::<Vec<usize>>()
    });
    let between =
        Matrix::from_fn(k, k, |j, l| shared(first.column(a[j]), second.column(b[l]), weights));
    let of = |j: usize| {
        let others = (0..k).filter(|&l| l != j);
        let by_chance = others.map(|l| between[(j, l)].max(between[(l, j)])).fold(0.0, f64::max);
        FoundAgain { shared: between[(j, j)], by_chance }
    };
    (0..k).map(of).collect()
}

/// The overlap of the records of two components.
fn shared(a: &[f64], b: &[f64], weights: Option<&[f64]>) -> f64 {
    let (mut both, mut all) = (0.0, 0.0);
    for (u, (x, y)) in a.iter().zip(b).enumerate() {
        let weight = weights.map_or(1.0, |w| w[u]);
        both += weight * x.min(*y);
        all += weight * (x + y);
    }
    if all > 0.0 { 2.0 * both / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::climb;
    use super::super::toy::{Toy, drawn};
    use super::*;

    /// Points dealt out in turn, differently in each split.
    fn dealt(points: &[f64], split: usize) -> Option<[Toy; 2]> {
        let half = |side: usize| {
            let own = points.iter().enumerate().filter(|(u, _)| (u >> split) % 2 == side);
            Toy::new(own.map(|(_, x)| *x).collect())
        };
        Some([half(0), half(1)])
    }

    #[test]
    fn components_that_are_there_return_and_a_superfluous_one_does_not() {
        let points = drawn(&[(0.4, -6.0), (0.3, 0.0), (0.3, 6.0)], 600);
        let model = Toy::new(points.clone());
        let standing = |k: usize| -> Vec<Standing> {
            let found = Search::new(&model).fit(k).parameters;
            let again =
                found_again(&model, &found, Effort::BestTwo, |s| dealt(&points, s), &|_, _| {});
            again.unwrap().iter().map(FoundAgain::standing).collect()
        };
        assert_eq!(standing(3), [Standing::Reproduces; 3]);
        let four = standing(4);
        let reproduced = four.iter().filter(|s| **s == Standing::Reproduces).count();
        assert!((2..=3).contains(&reproduced), "{four:?}");
        assert!(four.contains(&Standing::NotFoundAgain), "{four:?}");
    }

    #[test]
    fn halves_of_one_group_of_points_show_no_two() {
        let points = drawn(&[(1.0, 0.0)], 400);
        let model = Toy::new(points.clone());
        let found = climb(&model, vec![(0.5, -0.5), (0.5, 0.5)], 500).parameters;
        let again = found_again(&model, &found, Effort::BestTwo, |s| dealt(&points, s), &|_, _| {})
            .unwrap();
        assert!(again.iter().all(|a| a.standing() == Standing::NotFoundAgain), "{again:?}");
        let one = climb(&model, vec![(1.0, 0.0)], 500).parameters;
        assert!(
            found_again(&model, &one, Effort::BestTwo, |s| dealt(&points, s), &|_, _| {}).is_none()
        );
    }

    #[test]
    fn copies_and_what_rests_on_one_record_are_not_found_again() {
        let points = drawn(&[(0.5, -6.0), (0.5, 6.0)], 200);
        let model = Toy::new(points.clone());
        let standing = |model: &Toy, points: &[f64], start: Vec<(f64, f64)>| -> Vec<Standing> {
            let again =
                found_again(model, &start, Effort::BestTwo, |s| dealt(points, s), &|_, _| {});
            again.unwrap().iter().map(FoundAgain::standing).collect()
        };
        let copies = standing(&model, &points, vec![(0.5, -6.0), (0.3, 6.0), (0.2, 6.0)]);
        assert_eq!(copies[1..], [Standing::NotFoundAgain; 2]);
        let with_outlier: Vec<f64> = points.iter().copied().chain([1e6]).collect();
        let model = Toy::new(with_outlier.clone());
        let outlier = vec![(0.495, -6.0), (0.495, 6.0), (0.01, 1e6)];
        let found = standing(&model, &with_outlier, outlier);
        assert_eq!(found[2], Standing::NotFoundAgain, "{found:?}");
        // Weights may be small.
        let mut found = [FoundAgain { shared: 0.9, by_chance: 0.0 }; 2];
        let whole = Matrix::from_columns(4, 2, vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        rule_out(&mut found, &whole, Some(&[0.01; 4]), 4.0);
        assert!(found.iter().all(|one| one.standing() == Standing::Reproduces), "{found:?}");
        rule_out(&mut found, &whole, None, 3.0);
        assert!(found.iter().all(|one| one.shared == 0.0), "{found:?}");
    }

    #[test]
    fn what_is_shared_is_counted_with_weights() {
        assert_eq!(shared(&[1.0, 0.0], &[1.0, 0.0], None), 1.0);
        assert_eq!(shared(&[1.0, 0.0], &[0.0, 1.0], None), 0.0);
        assert!((shared(&[1.0, 1.0], &[1.0, 0.0], Some(&[3.0, 1.0])) - 6.0 / 7.0).abs() < 1e-15);
    }
}
