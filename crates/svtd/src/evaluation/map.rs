//! Distances between topics: a matrix of them, the neighbours of each topic, and a map of all.
//!
//! The distance is that of Hellinger,
//!
//! ```text
//! H(p, q)^2 = 1 - sum_i sqrt(p_i q_i)          0: equal,  1: no word in common
//! ```
//!
//! It is a metric, and one dense product gives it for all pairs. Up to a factor it is the Euclidean distance
//! between the square roots of the probabilities, so classical scaling of the topics to a plane is their first two
//! principal components: no iteration and no starting point.
//!
//! # How much the plane preserves
//! The squared distances of `k` topics add up to the variance of all principal components; [`TopicMap::kept`] is
//! the share of the first two. Topics that share few words are nearly equally far from each other, and then no
//! plane preserves much.
//!
//! # Departure
//! The sign of a component is arbitrary; the entry of largest modulus is made positive, so that a map is the same
//! on every run.

use crate::linalg::{Matrix, symmetric_eigen};
use crate::model::Topics;

/// The distances between topics, and a map of them in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicMap {
    /// Hellinger distances, topics x topics.
    pub distances: Matrix,
    /// The place of each topic in the plane, in units of the distance.
    pub places: Vec<[f64; 2]>,
    /// The share of the sum of squared distances that the plane preserves, in `[0, 1]`.
    pub kept: f64,
}

impl Topics {
    /// A map of the topics.
    pub fn map(&self) -> TopicMap {
        let mut roots = self.word_topic().clone();
        roots.values_mut().iter_mut().for_each(|p| *p = p.sqrt());
        let likeness = roots.transpose_times(&roots);
        let k = self.len();
        let squared = |i: usize, j: usize| {
            if i == j { 0.0 } else { (1.0 - likeness[(i, j)]).clamp(0.0, 1.0) }
        };
        let distances = Matrix::from_fn(k, k, |i, j| squared(i, j).sqrt());
        let (places, kept) = scaled(&Matrix::from_fn(k, k, squared));
        TopicMap { distances, places, kept }
    }
}

impl TopicMap {
    /// The other topics and their distances, the nearest first; equal ones by number.
    pub fn nearest(&self, topic: usize) -> Vec<(usize, f64)> {
        let mut others: Vec<(usize, f64)> = (0..self.places.len())
            .filter(|&other| other != topic)
            .map(|other| (other, self.distances[(other, topic)]))
            .collect();
        others.sort_by(|a, b| a.1.total_cmp(&b.1));
        others
    }
}

/// Classical scaling: from squared distances to positions in the plane, and the share that those preserve.
fn scaled(squared: &Matrix) -> (Vec<[f64; 2]>, f64) {
    let k = squared.n_rows();
    let means: Vec<f64> =
        (0..k).map(|j| squared.column(j).iter().sum::<f64>() / k as f64).collect();
    let mean = means.iter().sum::<f64>() / k as f64;
    let products =
        Matrix::from_fn(k, k, |i, j| -0.5 * (squared[(i, j)] - means[i] - means[j] + mean));
    let (values, vectors) = symmetric_eigen(&products);
    let total: f64 = values.iter().filter(|v| **v > 0.0).sum();
    let mut places = vec![[0.0; 2]; k];
    let mut kept = 0.0;
    for axis in 0..k.min(2) {
        let value = values[axis].max(0.0);
        kept += value;
        let vector = vectors.column(axis);
        let size = |v: &&f64| (v.abs() * 1e9).round() as i64;
        let largest = vector.iter().rev().max_by_key(size).copied().unwrap_or(0.0);
        let factor = value.sqrt() * if largest < 0.0 { -1.0 } else { 1.0 };
        places.iter_mut().zip(vector).for_each(|(place, v)| place[axis] = factor * v);
    }
    (places, if total > 0.0 { (kept / total).min(1.0) } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Vocabulary;

    fn topics(columns: &[&[f64]]) -> Topics {
        let (n, k) = (columns[0].len(), columns.len());
        let word_topic = Matrix::from_columns(n, k, columns.concat());
        Topics::new(Vocabulary::numbered(n), word_topic, vec![1.0 / k as f64; k])
    }

    #[test]
    fn distances_run_from_equal_to_nothing_in_common() {
        let map = topics(&[&[1.0, 0.0], &[0.0, 1.0], &[1.0, 0.0], &[0.5, 0.5]]).map();
        assert_eq!((map.distances[(0, 1)], map.distances[(0, 2)]), (1.0, 0.0));
        let half = (1.0 - 0.5_f64.sqrt()).sqrt();
        assert!((map.distances[(0, 3)] - half).abs() < 1e-12);
        assert_eq!(map.nearest(0)[0].0, 2);
        assert_eq!(map.nearest(0).len(), 3);
    }

    #[test]
    fn three_topics_fit_into_a_plane() {
        let map = topics(&[&[0.7, 0.2, 0.1], &[0.1, 0.8, 0.1], &[0.3, 0.3, 0.4]]).map();
        assert!((map.kept - 1.0).abs() < 1e-9);
        for i in 0..3 {
            for j in 0..3 {
                let [a, b] = [map.places[i], map.places[j]];
                let apart = ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
                assert!((apart - map.distances[(i, j)]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn topics_equally_far_from_each_other_keep_two_of_their_directions() {
        let map = topics(&[
            &[1.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 1.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 1.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 1.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 1.0],
        ])
        .map();
        assert!((map.kept - 0.5).abs() < 1e-9, "two of four: {}", map.kept);
    }

    #[test]
    fn one_topic_lies_in_the_middle_and_nothing_is_lost() {
        let map = topics(&[&[0.5, 0.5]]).map();
        assert_eq!((map.places.clone(), map.kept), (vec![[0.0, 0.0]], 1.0));
        assert!(map.nearest(0).is_empty());
    }
}
