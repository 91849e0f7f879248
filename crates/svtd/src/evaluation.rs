//! Evaluation: against the truth, against labels, and on held-out words.
//!
//! * [`match_topics`] and [`topic_error`]: topics have no names, so they are matched first;
//! * [`adjusted_rand_index`], [`normalised_mutual_information`]: clusters against labels;
//! * [`Model::completion`](crate::Model::completion), [`Completions`]: how well one half of a document's
//!   words is predicted from the other, with the error of that;
//! * [`coherence`] and [`topic_diversity`]: whether the words of a topic belong together, and those of
//!   different topics do not;
//! * [`Comparison`]: two models side by side;
//! * [`TopicMap`]: which topics are alike; [`Shares`]: topics over time and by label;
//! * [`reconstruction_error`], [`moment_errors`], [`drift`]: `Err`, `Err2`, `Err3` and `Var_N` of the
//!   paper's Section 6;
//! * [`DeviationBound`], [`Perturbation`]: Theorems 2.2 and 5.1, as printed and as they hold.

mod coherence;
mod comparison;
mod completion;
mod judgement;
mod map;
mod paper;
mod theorem_2_2;
mod theorem_5_1;
mod token_halves;
mod trends;

pub use self::coherence::{Coherence, TopicCoherence, coherence, topic_diversity};
pub(crate) use self::coherence::{npmi_of_lists, together};
pub use self::comparison::{Comparison, MovedWord, TopicPair};
pub(crate) use self::completion::HeldOutWords;
pub use self::completion::{Ahead, Completion, Completions};
pub(crate) use self::judgement::{Judge, Judgement, Scores};
pub use self::map::TopicMap;
pub use self::paper::{
    MomentErrors, drift, lda_moment_errors, moment_errors, reconstruction_error,
};
pub use self::theorem_2_2::DeviationBound;
pub use self::theorem_5_1::{Constants, Perturbation};
pub(crate) use self::token_halves::{TokenHalves, word_sums};
pub use self::trends::{
    DocumentShares, Moment, PeriodTopic, PeriodWord, Periods, Shares, Unit, Unmixing, student_t,
    topics_by_group,
};

use std::collections::BTreeMap;

use pulp::Arch;
use rayon::prelude::*;

use crate::linalg::Matrix;

/// For every column of `truth` the column of `estimate` it is matched to, so that the sum of L1
/// distances is least; `None` for columns left over when there are fewer estimates.
pub fn match_topics(truth: &Matrix, estimate: &Matrix) -> Vec<Option<usize>> {
    // The search looks up every distance many times, so all are computed beforehand.
    let distances = l1_distances(truth, estimate);
    match_by(truth.n_columns(), estimate.n_columns(), |a, b| distances[(a, b)])
}

/// The assignment of `n` columns to `n_others` columns with the smallest sum of distances, for any distance that is
/// at most 2.
pub(crate) fn match_by(
    n: usize,
    n_others: usize,
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<Option<usize>> {
    let cost = |a: usize, b: usize| if a < n && b < n_others { distance(a, b) } else { 2.0 };
    let assignment = assign(n.max(n_others), cost);
    assignment[..n].iter().map(|&b| (b < n_others).then_some(b)).collect()
}

/// The mean L1 distance of matched topics, from 0 (equal) to 2 (disjoint).
pub fn topic_error(truth: &Matrix, estimate: &Matrix) -> f64 {
    let matched = match_topics(truth, estimate);
    let distance = |(a, b): (usize, &Option<usize>)| match b {
        Some(b) => l1_distance(truth.column(a), estimate.column(*b)),
        None => 2.0,
    };
    matched.iter().enumerate().map(distance).sum::<f64>() / matched.len() as f64
}

/// The L1 distances between the columns of two matrices with the same number of rows.
///
/// Rows are taken in blocks, so that the rows of all columns stay in the cache while they are compared.
pub(crate) fn l1_distances(a: &Matrix, b: &Matrix) -> Matrix {
    l1_distances_up_to(a, b, |_| b.n_columns())
}

/// The L1 distances between the columns of a matrix.
pub(crate) fn l1_distances_among(a: &Matrix) -> Matrix {
    let mut distances = l1_distances_up_to(a, a, |j| j);
    for j in 0..a.n_columns() {
        for l in 0..j {
            distances[(l, j)] = distances[(j, l)];
        }
    }
    distances
}

/// The L1 distances between column `j` of one matrix and the first `n(j)` columns of another; zeros elsewhere.
fn l1_distances_up_to(a: &Matrix, b: &Matrix, n_of: impl Fn(usize) -> usize + Sync) -> Matrix {
    const ROWS: usize = 512;
    const COLUMNS: usize = 16;
    let (n, n_others) = (a.n_rows(), b.n_columns());
    let firsts: Vec<usize> = (0..a.n_columns()).step_by(COLUMNS).collect();
    let some = |&first: &usize| -> Vec<f64> {
        crate::stop::here();
        let columns = first..a.n_columns().min(first + COLUMNS);
        let mut sums = vec![0.0; columns.len() * n_others];
        for start in (0..n).step_by(ROWS) {
            let rows = start..n.min(start + ROWS);
            for (j, sums) in columns.clone().zip(sums.chunks_exact_mut(n_others)) {
                let own = &a.column(j)[rows.clone()];
                for (l, sum) in sums[..n_of(j)].iter_mut().enumerate() {
                    *sum += l1_distance(own, &b.column(l)[rows.clone()]);
                }
            }
        }
        sums
    };
    let distances: Vec<Vec<f64>> = firsts
        .par_iter()
        .map(|first| {
            Arch::new().dispatch(
                #[inline(always)]
                || some(first),
            )
        })
        .collect();
    Matrix::from_columns(n_others, a.n_columns(), distances.concat()).transpose()
}

/// The L1 distance of two vectors, summed in eight lanes to fit vector registers.
#[inline(always)]
pub(crate) fn l1_distance(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (whole, rest) = a.as_chunks::<LANES>();
    let (others, other_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in whole.iter().zip(others) {
        (0..LANES).for_each(|l| sums[l] += (x[l] - y[l]).abs());
    }
    let rest: f64 = rest.iter().zip(other_rest).map(|(x, y)| (x - y).abs()).sum();
    sums.iter().sum::<f64>() + rest
}

/// The assignment of rows to columns of least total cost (the Hungarian method, in its
/// shortest-augmenting-path form, `O(n^3)`).
fn assign(n: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    // Rows and columns are numbered from one; zero is "none".
    let (mut row_price, mut column_price) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    let mut row_of = vec![0; n + 1];
    for row in 1..=n {
        let mut path = vec![0; n + 1];
        let mut least = vec![f64::INFINITY; n + 1];
        let mut used = vec![false; n + 1];
        row_of[0] = row;
        let mut column = 0;
        while row_of[column] != 0 {
            used[column] = true;
            let from = row_of[column];
            let (mut step, mut next) = (f64::INFINITY, 0);
            for j in (1..=n).filter(|&j| !used[j]) {
                let reduced = cost(from - 1, j - 1) - row_price[from] - column_price[j];
                if reduced < least[j] {
                    least[j] = reduced;
                    path[j] = column;
                }
                if least[j] < step {
                    step = least[j];
                    next = j;
                }
            }
            for j in 0..=n {
                if used[j] {
                    row_price[row_of[j]] += step;
                    column_price[j] -= step;
                } else {
                    least[j] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[path[column]];
            column = path[column];
        }
    }
    let mut assignment = vec![0; n];
    for (column, &row) in row_of.iter().enumerate().skip(1) {
        assignment[row - 1] = column - 1;
    }
    assignment
}

/// The adjusted Rand index: agreement of two clusterings corrected for chance. 1 when they are equal, about 0 when
/// they are unrelated.
pub fn adjusted_rand_index<A: Ord + Copy, B: Ord + Copy>(a: &[A], b: &[B]) -> f64 {
    let choose_2 = |n: usize| n as f64 * (n as f64 - 1.0) / 2.0;
    let (joint, rows, columns) = contingency(a, b);
    let index: f64 = joint.values().map(|&n| choose_2(n)).sum();
    let (sum_a, sum_b): (f64, f64) =
        (rows.values().map(|&n| choose_2(n)).sum(), columns.values().map(|&n| choose_2(n)).sum());
    let expected = sum_a * sum_b / choose_2(a.len()).max(1.0);
    let largest = 0.5 * (sum_a + sum_b);
    if largest == expected { 1.0 } else { (index - expected) / (largest - expected) }
}

/// Normalised mutual information: the mutual information of two clusterings over the mean of their entropies, in
/// `[0, 1]`.
pub fn normalised_mutual_information<A: Ord + Copy, B: Ord + Copy>(a: &[A], b: &[B]) -> f64 {
    let n = a.len() as f64;
    let (joint, rows, columns) = contingency(a, b);
    let entropy = |counts: Vec<usize>| -> f64 {
        counts.iter().map(|&c| c as f64 / n).map(|p| -p * p.ln()).sum()
    };
    let information: f64 = joint
        .iter()
        .map(|(&(x, y), &c)| {
            let p = c as f64 / n;
            p * (p * n * n / (rows[&x] as f64 * columns[&y] as f64)).ln()
        })
        .sum();
    let mean = 0.5
        * (entropy(rows.values().copied().collect())
            + entropy(columns.values().copied().collect()));
    if mean > 0.0 { (information / mean).clamp(0.0, 1.0) } else { 1.0 }
}

type Contingency<A, B> = (BTreeMap<(A, B), usize>, BTreeMap<A, usize>, BTreeMap<B, usize>);

fn contingency<A: Ord + Copy, B: Ord + Copy>(a: &[A], b: &[B]) -> Contingency<A, B> {
    let mut tables: Contingency<A, B> = Default::default();
    for (&x, &y) in a.iter().zip(b) {
        *tables.0.entry((x, y)).or_default() += 1;
        *tables.1.entry(x).or_default() += 1;
        *tables.2.entry(y).or_default() += 1;
    }
    tables
}

/// The most probable topic of every document; ties go to the lower number.
pub fn most_probable(mixtures: &Matrix) -> Vec<usize> {
    let best = |d: usize| {
        let beats = |best: usize, j: usize| mixtures[(d, j)] > mixtures[(d, best)];
        (1..mixtures.n_columns()).fold(0, |best, j| if beats(best, j) { j } else { best })
    };
    (0..mixtures.n_rows()).map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching_finds_the_permutation() {
        let truth = Matrix::from_columns(3, 3, vec![1., 0., 0., 0., 1., 0., 0., 0., 1.]);
        let estimate = truth.select_columns(&[2, 0, 1]);
        assert_eq!(match_topics(&truth, &estimate), [Some(1), Some(2), Some(0)]);
        assert_eq!(topic_error(&truth, &estimate), 0.0);
        let fewer = truth.select_columns(&[1]);
        assert_eq!(match_topics(&truth, &fewer), [None, Some(0), None]);
        assert!((topic_error(&truth, &fewer) - 4.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn assignment_is_optimal_on_all_small_tables() {
        let table = [[7., 5., 9.], [6., 4., 3.], [8., 1., 2.]];
        let found = assign(3, |i, j| table[i][j]);
        let total: f64 = found.iter().enumerate().map(|(i, &j)| table[i][j]).sum();
        assert_eq!(total, 7. + 3. + 1.);
    }

    #[test]
    fn indices_of_agreement_know_equal_and_unrelated_clusterings() {
        let a = [0, 0, 1, 1, 2, 2];
        let renamed = [5, 5, 3, 3, 4, 4];
        assert!((adjusted_rand_index(&a, &renamed) - 1.0).abs() < 1e-15);
        assert!((normalised_mutual_information(&a, &renamed) - 1.0).abs() < 1e-12);
        let crossed = [0, 1, 0, 1, 0, 1];
        assert!(normalised_mutual_information(&a, &crossed).abs() < 1e-12);
        // Hand count: 6 documents, pairs together in both 0; expectation 3 * 6 / 15.
        let expected = (0.0 - 1.2) / (4.5 - 1.2);
        assert!((adjusted_rand_index(&a, &crossed) - expected).abs() < 1e-12);
    }
}
