//! PCA-part: a deterministic partition of points (Su and Dy 2007), then Lloyd's steps.
//!
//! The cluster with the largest squared error is split at its mean along its first principal axis, until there are
//! `k`. Ties go to the lowest index.

use super::by_blocks;
use crate::linalg::{Matrix, symmetric_eigen};

/// Number of points in one task.
const BLOCK: usize = 2048;

/// The cluster of each row of `points` (rows x coordinates), in `0..k`; `None` when there are not `k` different
/// rows.
pub fn pca_partition(
    points: &Matrix,
    weights: Option<&[f64]>,
    k: usize,
    lloyd_steps: usize,
) -> Option<Vec<usize>> {
    let mut clusters = vec![0_usize; points.n_rows()];
    for n_clusters in 1..k {
        let cluster = largest_error(points, weights, &clusters, n_clusters)?;
        let (mean, axis) = principal_axis(points, weights, &clusters, cluster);
        let side = |u: usize| -> f64 {
            (0..mean.len()).map(|a| (points[(u, a)] - mean[a]) * axis[a]).sum()
        };
        let mut moved = false;
        for (u, own) in clusters.iter_mut().enumerate() {
            if *own == cluster && side(u) < 0.0 {
                *own = n_clusters;
                moved = true;
            }
        }
        if !moved {
            return None;
        }
    }
    for _ in 0..lloyd_steps {
        if !lloyd(points, weights, &mut clusters, k) {
            break;
        }
    }
    Some(clusters)
}

/// Responsibilities of a partition: `certainty` for the own cluster, the rest shared by all.
pub fn partition_responsibilities(clusters: &[usize], k: usize, certainty: f64) -> Matrix {
    let rest = (1.0 - certainty) / k as f64;
    Matrix::from_fn(clusters.len(), k, |u, j| rest + if clusters[u] == j { certainty } else { 0.0 })
}

/// Weight and mean of every cluster.
fn centres(
    points: &Matrix,
    weights: Option<&[f64]>,
    clusters: &[usize],
    k: usize,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let d = points.n_columns();
    let part = |rows: std::ops::Range<usize>| {
        let mut sums = vec![0.0; k * (d + 1)];
        for u in rows {
            let weight = weights.map_or(1.0, |w| w[u]);
            let sum = &mut sums[clusters[u] * (d + 1)..(clusters[u] + 1) * (d + 1)];
            sum[d] += weight;
            for (a, target) in sum[..d].iter_mut().enumerate() {
                *target += weight * points[(u, a)];
            }
        }
        sums
    };
    let add = |sum: &mut Vec<f64>, more: Vec<f64>| {
        sum.iter_mut().zip(more).for_each(|(target, value)| *target += value);
    };
    let sums = by_blocks(clusters.len(), BLOCK, part, add).unwrap_or_default();
    let mut masses = Vec::new();
    let mut means = Vec::new();
    for sum in sums.chunks_exact(d + 1) {
        masses.push(sum[d]);
        means.push(sum[..d].iter().map(|value| value / sum[d].max(1e-300)).collect());
    }
    (masses, means)
}

/// The cluster with the largest squared error; `None` when all errors are zero.
fn largest_error(
    points: &Matrix,
    weights: Option<&[f64]>,
    clusters: &[usize],
    k: usize,
) -> Option<usize> {
    let (_, means) = centres(points, weights, clusters, k);
    let mut errors = vec![0.0; k];
    for (u, &c) in clusters.iter().enumerate() {
        let square: f64 =
            means[c].iter().enumerate().map(|(a, m)| (points[(u, a)] - m).powi(2)).sum();
        errors[c] += weights.map_or(1.0, |w| w[u]) * square;
    }
    let best = (0..k).max_by(|&a, &b| errors[a].total_cmp(&errors[b]).then(b.cmp(&a)))?;
    (errors[best] > 0.0).then_some(best)
}

/// Mean and first principal axis of one cluster.
fn principal_axis(
    points: &Matrix,
    weights: Option<&[f64]>,
    clusters: &[usize],
    cluster: usize,
) -> (Vec<f64>, Vec<f64>) {
    let members: Vec<usize> = (0..clusters.len()).filter(|&u| clusters[u] == cluster).collect();
    let d = points.n_columns();
    let of_members = weights.map(|w| members.iter().map(|&u| w[u]).collect::<Vec<f64>>());
    let own = Matrix::from_fn(members.len(), d, |row, a| points[(members[row], a)]);
    let (_, means) = centres(&own, of_members.as_deref(), &vec![0; members.len()], 1);
    let mean = means.into_iter().next().unwrap_or_else(|| vec![0.0; d]);
    let centred = Matrix::from_fn(members.len(), d, |row, a| own[(row, a)] - mean[a]);
    let mut weighted = centred.clone();
    if let Some(w) = &of_members {
        weighted.scale_rows(w);
    }
    let (_, vectors) = symmetric_eigen(&centred.transpose_times(&weighted));
    (mean, signed(vectors.column(0)))
}

/// A vector with the sign that makes its largest entry positive; ties go to the first.
pub fn signed(vector: &[f64]) -> Vec<f64> {
    let largest = (0..vector.len())
        .max_by(|&a, &b| vector[a].abs().total_cmp(&vector[b].abs()).then(b.cmp(&a)));
    let sign = largest.map_or(1.0, |i| if vector[i] < 0.0 { -1.0 } else { 1.0 });
    vector.iter().map(|value| sign * value).collect()
}

/// Assigns every point to its nearest mean; returns whether any moved. A cluster that would lose all its points
/// keeps its last one.
fn lloyd(points: &Matrix, weights: Option<&[f64]>, clusters: &mut [usize], k: usize) -> bool {
    let (_, means) = centres(points, weights, clusters, k);
    let mut sizes = vec![0_usize; k];
    clusters.iter().for_each(|&c| sizes[c] += 1);
    let distance = |u: usize, c: usize| -> f64 {
        means[c].iter().enumerate().map(|(a, m)| (points[(u, a)] - m).powi(2)).sum()
    };
    let nearest = |u: usize| {
        (0..k)
            .min_by(|&a, &b| distance(u, a).total_cmp(&distance(u, b)).then(a.cmp(&b)))
            .unwrap_or(0)
    };
    use rayon::prelude::*;
    let wanted: Vec<usize> = (0..clusters.len()).into_par_iter().map(nearest).collect();
    let mut moved = false;
    for (own, wanted) in clusters.iter_mut().zip(wanted) {
        if *own != wanted && sizes[*own] > 1 {
            sizes[*own] -= 1;
            sizes[wanted] += 1;
            *own = wanted;
            moved = true;
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_stand_apart_are_parted() {
        let points = Matrix::from_fn(90, 2, |u, a| {
            let group = (u % 3) as f64;
            10.0 * if a == 0 { group } else { group * group } + (u as f64).sin()
        });
        let clusters = pca_partition(&points, None, 3, 20).unwrap();
        assert!((0..90).all(|u| clusters[u] == clusters[u % 3]));
        assert!(clusters[0] != clusters[1] && clusters[1] != clusters[2]);
    }

    #[test]
    fn equal_points_cannot_be_parted() {
        assert!(pca_partition(&Matrix::zeros(5, 2), None, 2, 20).is_none());
    }

    #[test]
    fn a_weight_is_worth_as_many_points() {
        let points = Matrix::from_columns(4, 1, vec![0.0, 1.0, 5.0, 7.0]);
        let repeated = Matrix::from_columns(6, 1, vec![0.0, 1.0, 1.0, 1.0, 5.0, 7.0]);
        let weighted = pca_partition(&points, Some(&[1.0, 3.0, 1.0, 1.0]), 2, 20).unwrap();
        let plain = pca_partition(&repeated, None, 2, 20).unwrap();
        assert_eq!(weighted, [0, 1, 4, 5].map(|u| plain[u]));
    }
}
