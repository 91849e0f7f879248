//! Divisive partitioning along principal axes (PCA-part, Su and Dy 2007), then Lloyd's steps.
//!
//! A deterministic k-means: the cluster of largest squared error is cut at its mean along its
//! first principal axis until there are `k`, then records move to the nearest centre.

use crate::linalg::{Matrix, dot, symmetric_eigen};

/// The cluster of every row of `features`, numbered from 0; fewer than `k` clusters when rows
/// coincide.
pub(crate) fn partition(
    features: &Matrix,
    weights: Option<&[f64]>,
    k: usize,
    lloyd_steps: usize,
) -> Vec<usize> {
    let n = features.n_rows();
    let weight = |u: usize| weights.map_or(1.0, |w| w[u]);
    let rows: Vec<Vec<f64>> = (0..n).map(|u| features.row(u)).collect();
    let mut labels = vec![0; n];
    let mut clusters = vec![Cluster::of(&rows, &labels, 0, &weight)];
    while clusters.len() < k {
        let largest = (0..clusters.len())
            .max_by(|&a, &b| clusters[a].error.total_cmp(&clusters[b].error).then(b.cmp(&a)))
            .unwrap_or(0);
        let cluster = &clusters[largest];
        if cluster.error <= 0.0 {
            break;
        }
        let new = clusters.len();
        for (label, row) in labels.iter_mut().zip(&rows) {
            if *label == largest && cluster.score(row) >= 0.0 {
                *label = new;
            }
        }
        clusters[largest] = Cluster::of(&rows, &labels, largest, &weight);
        clusters.push(Cluster::of(&rows, &labels, new, &weight));
    }
    let mut centres: Vec<Vec<f64>> = clusters.into_iter().map(|c| c.mean).collect();
    for _ in 0..lloyd_steps {
        let moved = nearest(&rows, &centres);
        if moved == labels {
            break;
        }
        labels = moved;
        for (j, centre) in centres.iter_mut().enumerate() {
            if let Some(mean) = mean_of(&rows, &labels, j, &weight) {
                *centre = mean;
            }
        }
    }
    labels
}

/// Responsibilities that follow a partition with certainty `firm`, the rest shared evenly.
pub(crate) fn softened(labels: &[usize], k: usize, firm: f64) -> Matrix {
    let rest = (1.0 - firm) / k as f64;
    Matrix::from_fn(labels.len(), k, |u, j| rest + if labels[u] == j { firm } else { 0.0 })
}

/// The nearest of some centres for every row; the first of several wins.
pub(crate) fn nearest(rows: &[Vec<f64>], centres: &[Vec<f64>]) -> Vec<usize> {
    let distance = |row: &[f64], centre: &[f64]| -> f64 {
        row.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum()
    };
    let of = |row: &Vec<f64>| {
        let mut best = (f64::INFINITY, 0);
        for (j, centre) in centres.iter().enumerate() {
            let far = distance(row, centre);
            if far < best.0 {
                best = (far, j);
            }
        }
        best.1
    };
    rows.iter().map(of).collect()
}

struct Cluster {
    mean: Vec<f64>,
    /// Sum of squared distances to the mean.
    error: f64,
    axis: Vec<f64>,
}

impl Cluster {
    fn of(
        rows: &[Vec<f64>],
        labels: &[usize],
        j: usize,
        weight: &impl Fn(usize) -> f64,
    ) -> Self {
        let m = rows.first().map_or(0, Vec::len);
        let mean = mean_of(rows, labels, j, weight).unwrap_or_else(|| vec![0.0; m]);
        let mut scatter = Matrix::zeros(m, m);
        let mut y = vec![0.0; m];
        for (u, row) in rows.iter().enumerate().filter(|(u, _)| labels[*u] == j) {
            let w = weight(u);
            (0..m).for_each(|a| y[a] = row[a] - mean[a]);
            for b in 0..m {
                let factor = w * y[b];
                let column = scatter.column_mut(b);
                (0..m).for_each(|a| column[a] += factor * y[a]);
            }
        }
        let error = (0..m).map(|a| scatter[(a, a)]).sum();
        let axis = signed(symmetric_eigen(&scatter).1.column(0));
        Self { mean, error, axis }
    }

    fn score(&self, row: &[f64]) -> f64 {
        row.iter().zip(&self.mean).zip(&self.axis).map(|((x, m), v)| (x - m) * v).sum()
    }
}

fn mean_of(
    rows: &[Vec<f64>],
    labels: &[usize],
    j: usize,
    weight: &impl Fn(usize) -> f64,
) -> Option<Vec<f64>> {
    let mut sum = vec![0.0; rows.first().map_or(0, Vec::len)];
    let mut total = 0.0;
    for (u, row) in rows.iter().enumerate().filter(|(u, _)| labels[*u] == j) {
        total += weight(u);
        sum.iter_mut().zip(row).for_each(|(s, x)| *s += weight(u) * x);
    }
    (total > 0.0).then(|| sum.iter().map(|s| s / total).collect())
}

/// A direction with its sign fixed: its largest entry, the first of several, is positive.
pub(crate) fn signed(direction: &[f64]) -> Vec<f64> {
    let mut largest = 0.0_f64;
    for &x in direction {
        // Entries that differ by rounding only must not decide.
        if x.abs() > largest.abs() * (1.0 + 1e-9) {
            largest = x;
        }
    }
    let sign = if largest < 0.0 { -1.0 } else { 1.0 };
    direction.iter().map(|x| sign * x).collect()
}

/// `X v` for every row, by columns.
pub(crate) fn scores_along(features: &Matrix, centre: &[f64], direction: &[f64]) -> Vec<f64> {
    let shift = dot(centre, direction);
    let mut scores = vec![-shift; features.n_rows()];
    for (a, v) in direction.iter().enumerate() {
        for (s, x) in scores.iter_mut().zip(features.column(a)) {
            *s += v * x;
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_stand_apart_are_told_apart() {
        let centres = [(0.0, 0.0), (8.0, 0.0), (0.0, 9.0)];
        let point = |u: usize| {
            let (x, y) = centres[u % 3];
            (x + (u as f64 * 0.7).sin(), y + (u as f64 * 1.3).cos())
        };
        let features =
            Matrix::from_fn(60, 2, |u, a| if a == 0 { point(u).0 } else { point(u).1 });
        let labels = partition(&features, None, 3, 20);
        for u in 3..60 {
            assert_eq!(labels[u], labels[u % 3]);
        }
        assert!(labels[0] != labels[1] && labels[1] != labels[2] && labels[0] != labels[2]);
    }

    #[test]
    fn rows_that_coincide_give_fewer_clusters() {
        let features = Matrix::from_fn(10, 1, |u, _| (u % 2) as f64);
        let labels = partition(&features, None, 4, 5);
        assert!(labels.iter().all(|&l| l < 2));
    }
}
